//! When a computation has no value.

use provoke_model::{BinaryOp, Value};

use super::{Encoder, Side, Time};
use crate::form::{Form, Node, form};
use crate::operator::divides;

/// Whether undefined values count as some value, or as unknown: then a fault is one that happens
/// whatever they are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Logic {
    Two,
    Three,
}

impl Encoder {
    /// Whether computing a node has no value. What other nodes compute is their own affair.
    pub(crate) fn node_fault(&mut self, side: Side, node: Node, time: Time) -> String {
        let (side, node) = self.shared(side, node);
        let form = form(&self.side(side), node);
        self.fault(side, &form, time, Logic::Two)
    }

    /// Whether computing a form divides by zero for the values that what is undefined has.
    pub(crate) fn form_fault(&mut self, side: Side, form: &Form, time: Time) -> String {
        self.fault(side, form, time, Logic::Two)
    }

    /// Whether computing a form has no value.
    pub(super) fn fault(&mut self, side: Side, form: &Form, time: Time, logic: Logic) -> String {
        if !self.may_fail(side, form) {
            return "false".to_string();
        }
        stacker::maybe_grow(64 << 10, 1 << 20, || self.fault_here(side, form, time, logic))
    }

    fn fault_here(&mut self, side: Side, form: &Form, time: Time, logic: Logic) -> String {
        match form {
            Form::Const(_) | Form::Input(_) | Form::FirstStep | Form::Anything | Form::Pre(..) => {
                "false".to_string()
            }
            Form::Node(node @ Node::Part(..)) => {
                let inner = crate::form::form(&self.side(side), *node);
                self.fault(side, &inner, time, logic)
            }
            Form::Node(_) => "false".to_string(),
            Form::Unary(_, operand) => self.fault(side, operand, time, logic),
            Form::Binary(op, left, right) => self.binary_fault(side, *op, left, right, time, logic),
            Form::If(condition, then, otherwise) => {
                let first = self.fault(side, condition, time, logic);
                let taken = self.term(side, condition, time);
                let (then, otherwise) = match &*taken {
                    "true" => (self.fault(side, then, time, logic), "false".to_string()),
                    "false" => ("false".to_string(), self.fault(side, otherwise, time, logic)),
                    _ => (
                        self.fault(side, then, time, logic),
                        self.fault(side, otherwise, time, logic),
                    ),
                };
                if self.flawed("branches not taken fail") {
                    return or(&[&first, &then, &otherwise]);
                }
                let then = and(&[&taken, &then]);
                let otherwise = and(&[&not(&taken), &otherwise]);
                let known = self.known_in(side, condition, time, logic);
                or(&[&first, &and(&[&known, &or(&[&then, &otherwise])])])
            }
        }
    }

    fn binary_fault(
        &mut self,
        side: Side,
        op: BinaryOp,
        left: &Form,
        right: &Form,
        time: Time,
        logic: Logic,
    ) -> String {
        let first = self.fault(side, left, time, logic);
        let mut second = self.fault(side, right, time, logic);
        if op.is_logical() {
            if op != BinaryOp::Xor && second != "false" && !self.flawed("and is not lazy") {
                let left_value = self.term(side, left, time);
                let looks = if op == BinaryOp::Or { not(&left_value) } else { left_value };
                second = and(&[&looks, &second]);
            }
            if second != "false" {
                let known = self.known_in(side, left, time, logic);
                second = and(&[&known, &second]);
            }
        }
        let mut own = "false".to_string();
        if divides(op) {
            let zero = if op == BinaryOp::Div { "0.0" } else { "0" };
            let divisor = self.term(side, right, time);
            let known = self.known_in(side, right, time, logic);
            own = and(&[&known, &format!("(= {divisor} {zero})")]);
        }
        or(&[&first, &second, &own])
    }

    /// Whether a value is known; with two values everything is.
    fn known_in(&mut self, side: Side, form: &Form, time: Time, logic: Logic) -> String {
        match logic {
            Logic::Two => "true".to_string(),
            Logic::Three => self.known_form(side, form, time).to_string(),
        }
    }

    /// Whether a form divides by something that is not a constant other than zero.
    fn may_fail(&mut self, side: Side, form: &Form) -> bool {
        match form {
            Form::Const(_) | Form::Input(_) | Form::FirstStep | Form::Anything | Form::Pre(..) => {
                false
            }
            Form::Node(node @ Node::Part(..)) => self.part_may_fail(side, *node),
            Form::Node(_) => false,
            Form::Unary(_, operand) => self.may_fail(side, operand),
            Form::Binary(op, left, right) => {
                divides(*op) && !self.is_nonzero(side, right)
                    || self.may_fail(side, left)
                    || self.may_fail(side, right)
            }
            Form::If(a, b, c) => {
                self.may_fail(side, a) || self.may_fail(side, b) || self.may_fail(side, c)
            }
        }
    }

    fn part_may_fail(&mut self, side: Side, node: Node) -> bool {
        if let Some(&found) = self.faulty.get(&(side, node)) {
            return found;
        }
        let inner = form(&self.side(side), node);
        let found = stacker::maybe_grow(64 << 10, 1 << 20, || self.may_fail(side, &inner));
        self.faulty.insert((side, node), found);
        found
    }

    fn is_nonzero(&self, side: Side, form: &Form) -> bool {
        match form {
            Form::Const(Value::Int(int)) => !int.is_zero(),
            Form::Const(Value::Real(real)) => !real.is_zero(),
            Form::Node(node @ Node::Part(..)) => {
                self.is_nonzero(side, &crate::form::form(&self.side(side), *node))
            }
            _ => false,
        }
    }
}

/// All of them; constants among them are seen.
pub(super) fn and(terms: &[&str]) -> String {
    join("and", "true", "false", terms)
}

/// One of them; constants among them are seen.
pub(super) fn or(terms: &[&str]) -> String {
    join("or", "false", "true", terms)
}

pub(super) fn not(term: &str) -> String {
    match term {
        "true" => "false".to_string(),
        "false" => "true".to_string(),
        _ => format!("(not {term})"),
    }
}

fn join(op: &str, neutral: &str, dominant: &str, terms: &[&str]) -> String {
    if terms.contains(&dominant) {
        return dominant.to_string();
    }
    let rest: Vec<&str> = terms.iter().copied().filter(|term| *term != neutral).collect();
    match rest[..] {
        [] => neutral.to_string(),
        [only] => only.to_string(),
        _ => format!("({op} {})", rest.join(" ")),
    }
}
