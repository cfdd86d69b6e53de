//! What a computed value rests on: the few symbols that decide it.

use provoke_model::{BinaryOp, Value};

use super::evaluator::Evaluator;
use crate::term::{Term, TermId};

impl Evaluator {
    /// Symbols whose values in this step suffice for the known values of `roots`, whatever all
    /// others are; not always the fewest. In the order of evaluation.
    pub fn support(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut needed = vec![false; self.nodes.len()];
        roots.iter().for_each(|root| needed[self.places[root]] = true);
        // Operands come before what is made of them.
        for place in (0..self.nodes.len()).rev() {
            if needed[place] {
                self.mark(place, &mut needed);
            }
        }
        let is_symbol = |place: &usize| matches!(self.nodes[*place], Term::Symbol(_));
        let symbols = (0..self.nodes.len()).filter(|place| needed[*place]).filter(is_symbol);
        symbols.map(|place| self.terms[place]).collect()
    }

    /// Marks the operands that decide a node.
    fn mark(&self, place: usize, needed: &mut [bool]) {
        let [a, b, c] = self.operands[place];
        match &self.nodes[place] {
            Term::Const(_) | Term::Symbol(_) => {}
            Term::Unary(..) => needed[a] = true,
            Term::Binary(op, ..) => {
                let alone = [a, b].into_iter().zip(deciding(*op));
                let alone = alone.filter(|(operand, value)| self.is(*operand, *value));
                match alone.min_by_key(|(operand, _)| !needed[*operand]) {
                    Some((operand, _)) => needed[operand] = true,
                    None => [a, b].into_iter().for_each(|operand| needed[operand] = true),
                }
            }
            Term::Ite(..) => match self.values[a] {
                Value::Bool(true) => [a, b].into_iter().for_each(|part| needed[part] = true),
                Value::Bool(false) => [a, c].into_iter().for_each(|part| needed[part] = true),
                // Both branches agree.
                _ => [b, c].into_iter().for_each(|part| needed[part] = true),
            },
        }
    }

    fn is(&self, place: usize, value: Option<bool>) -> bool {
        value.is_some() && self.values[place].as_bool() == value
    }
}

/// The values of the left and of the right operand that decide alone.
fn deciding(op: BinaryOp) -> [Option<bool>; 2] {
    match op {
        BinaryOp::And => [Some(false); 2],
        BinaryOp::Or => [Some(true); 2],
        BinaryOp::Implies => [Some(false), Some(true)],
        _ => [None; 2],
    }
}
