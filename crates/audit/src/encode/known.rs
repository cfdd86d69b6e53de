//! What is known whatever the undefined values are: a term beside each value, with three-valued
//! rules of its own.

use provoke_model::{BinaryOp, Type};

use super::fault::{Logic, and, not, or};
use super::{Encoder, FIRST, GHOST, Side, Start, Text, Time};
use crate::form::{Form, Node, clock_of, form};

impl Encoder {
    /// Whether the value of a node is known.
    pub fn known(&mut self, side: Side, node: Node, time: Time) -> Text {
        let (side, node) = self.shared(side, node);
        let key = (side, node, time);
        if let Some(known) = self.known.get(&key) {
            return known.clone();
        }
        let text = stacker::maybe_grow(64 << 10, 1 << 20, || self.known_here(side, node, time));
        self.known.insert(key, text.clone());
        text
    }

    fn known_here(&mut self, side: Side, node: Node, time: Time) -> Text {
        let form = form(&self.side(side), node);
        if matches!(form, Form::Input(_)) {
            return "true".into();
        }
        let part = matches!(node, Node::Part(..));
        // The mutant's own nodes bind nothing, so nobody asks whether they are known.
        if side == Side::Model && self.settled.contains(node) {
            return self.once_active(node, time);
        }
        if time == GHOST && !part {
            let name = format!("known {}", self.node_name(side, node));
            return self.constant(&name, (Type::Bool, None));
        }
        let term = self.known_form(side, &form, time);
        self.short(term.to_string())
    }

    /// A settled node is known from the first step on in which its instance is active.
    fn once_active(&mut self, node: Node, time: Time) -> Text {
        match clock_of(&self.model, node) {
            None => "true".into(),
            Some(_) if matches!(node, Node::Active(_) | Node::First(_)) => "true".into(),
            Some(clock) => {
                let first = self.value(Side::Model, Node::First(clock), time);
                let active = self.value(Side::Model, Node::Active(clock), time);
                or(&[&not(&first), &active]).into()
            }
        }
    }

    /// Whether the value of a form is known.
    pub(super) fn known_form(&mut self, side: Side, form: &Form, time: Time) -> Text {
        match form {
            Form::Const(_) | Form::Input(_) | Form::FirstStep | Form::Anything => "true".into(),
            Form::Node(node) => self.known(side, *node, time),
            Form::Unary(_, operand) => self.known_form(side, operand, time),
            Form::Binary(op, left, right) => self.known_binary(side, *op, left, right, time).into(),
            Form::If(condition, then, otherwise) => {
                self.known_choice(side, [condition, then, otherwise], time).into()
            }
            Form::Pre(node, _) if time > FIRST => {
                self.memory.known.insert(self.shared(side, *node));
                self.known(side, *node, time - 1)
            }
            Form::Pre(..) if time == GHOST || self.start == Start::OfRun => "false".into(),
            Form::Pre(node, _) => {
                let first = self.first_step(time);
                self.memory.known.insert(self.shared(side, *node));
                let before = self.known(side, *node, GHOST);
                and(&[&not(&first), &before]).into()
            }
        }
    }

    fn known_binary(
        &mut self,
        side: Side,
        op: BinaryOp,
        left: &Form,
        right: &Form,
        time: Time,
    ) -> String {
        let known_left = self.known_form(side, left, time);
        let known_right = self.known_form(side, right, time);
        let both = and(&[&known_left, &known_right]);
        if both == "true" {
            return both;
        }
        let (Some(decides_left), Some(decides_right)) = deciding(op) else {
            return both;
        };
        let decided = |value: &str, decides: &str| decides.replace('_', value);
        let left_value = self.term(side, left, time);
        let by_left = and(&[&known_left, &decided(&left_value, decides_left)]);
        let right_value = self.term(side, right, time);
        let right_fault = self.fault(side, right, time, Logic::Three);
        let by_right =
            and(&[&known_right, &not(&right_fault), &decided(&right_value, decides_right)]);
        or(&[&both, &by_left, &by_right])
    }

    fn known_choice(
        &mut self,
        side: Side,
        [condition, then, otherwise]: [&Form; 3],
        time: Time,
    ) -> String {
        let known = self.known_form(side, condition, time);
        let taken = self.term(side, condition, time);
        match &*taken {
            "true" => return self.known_form(side, then, time).to_string(),
            "false" => return self.known_form(side, otherwise, time).to_string(),
            _ => {}
        }
        let known_then = self.known_form(side, then, time);
        let known_otherwise = self.known_form(side, otherwise, time);
        if &*known == "true" && &*known_then == "true" && &*known_otherwise == "true" {
            return "true".to_string();
        }
        let chosen = or(&[&and(&[&taken, &known_then]), &and(&[&not(&taken), &known_otherwise])]);
        let certain = and(&[&known, &chosen]);
        if &*known == "true" {
            return certain;
        }
        // Whatever the condition is, the result is the same.
        let faults = [then, otherwise].map(|form| self.fault(side, form, time, Logic::Three));
        let [then, otherwise] = [then, otherwise].map(|form| self.term(side, form, time));
        let same = and(&[
            &known_then,
            &known_otherwise,
            &not(&faults[0]),
            &not(&faults[1]),
            &format!("(= {then} {otherwise})"),
        ]);
        or(&[&certain, &same])
    }
}

/// Which value of the left and of the right operand alone decides a result; `_` is the value.
fn deciding(op: BinaryOp) -> (Option<&'static str>, Option<&'static str>) {
    match op {
        BinaryOp::And => (Some("(not _)"), Some("(not _)")),
        BinaryOp::Or => (Some("_"), Some("_")),
        BinaryOp::Implies => (Some("(not _)"), Some("_")),
        // What is its own opposite is zero, be it an integer or a real.
        BinaryOp::Mul => (Some("(= _ (- _))"), Some("(= _ (- _))")),
        BinaryOp::Mod => (Some("false"), Some("(or (= _ 1) (= _ (- 1)))")),
        _ => (None, None),
    }
}
