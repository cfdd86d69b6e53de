//! Faults that tests put into the encoder, one at a time.

use provoke_model::{BinaryOp, UnaryOp};

use super::Encoder;

/// One fault.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Flaw {
    /// An operator is written as something else, in which `_` is the operand.
    Unary(UnaryOp, &'static str),
    /// An operator is written as something else, in which `[` and `]` are the operands.
    Binary(BinaryOp, &'static str),
    /// A fault by its name.
    Named(&'static str),
}

/// Faults in every operator and in every rule.
pub(super) const FLAWS: [Flaw; 41] = {
    use BinaryOp::{
        Add, And, Div, Eq, Ge, Gt, Implies, IntDiv, Le, Lt, Mod, Mul, Ne, Or, Sub, Xor,
    };
    [
        Flaw::Unary(UnaryOp::Not, "_"),
        Flaw::Unary(UnaryOp::Neg, "_"),
        Flaw::Unary(UnaryOp::ToReal, "(to_real (- _))"),
        Flaw::Unary(UnaryOp::Floor, "(- (to_int (- _)))"),
        Flaw::Binary(And, "(or [ ])"),
        Flaw::Binary(And, "(=> [ ])"),
        Flaw::Binary(And, "["),
        Flaw::Binary(Or, "(and [ ])"),
        Flaw::Binary(Or, "(xor [ ])"),
        Flaw::Binary(Xor, "(= [ ])"),
        Flaw::Binary(Xor, "(or [ ])"),
        Flaw::Binary(Implies, "(=> ] [)"),
        Flaw::Binary(Implies, "(or [ ])"),
        Flaw::Binary(Eq, "(distinct [ ])"),
        Flaw::Binary(Ne, "(= [ ])"),
        Flaw::Binary(Lt, "(<= [ ])"),
        Flaw::Binary(Le, "(< [ ])"),
        Flaw::Binary(Gt, "(>= [ ])"),
        Flaw::Binary(Ge, "(> [ ])"),
        Flaw::Binary(Ge, "(<= [ ])"),
        Flaw::Binary(Add, "(- [ ])"),
        Flaw::Binary(Sub, "(- ] [)"),
        Flaw::Binary(Sub, "(+ [ ])"),
        Flaw::Binary(Mul, "(+ [ ])"),
        Flaw::Binary(Div, "(/ ] [)"),
        Flaw::Binary(IntDiv, "(- (div (- [) ]))"),
        Flaw::Binary(IntDiv, "(mod [ ])"),
        Flaw::Binary(Mod, "(- [ (* ] (ite (>= [ 0) (div [ ]) (- (div (- [) ])))))"),
        Flaw::Named("branches swapped"),
        Flaw::Named("ranges ignored"),
        Flaw::Named("enumerations too large"),
        Flaw::Named("pre reads this step"),
        Flaw::Named("faults allowed"),
        Flaw::Named("never first"),
        Flaw::Named("first twice"),
        Flaw::Named("one undefined value for all"),
        Flaw::Named("assertions ignored"),
        Flaw::Named("undefined assertions bind"),
        Flaw::Named("assertions of idle nodes bind"),
        Flaw::Named("branches not taken fail"),
        Flaw::Named("and is not lazy"),
    ]
};

impl Encoder {
    pub(super) fn flawed(&self, name: &str) -> bool {
        matches!(self.flaw, Some(Flaw::Named(flaw)) if flaw == name)
    }

    pub(super) fn wrong_unary(&self, op: UnaryOp, operand: &str) -> Option<String> {
        match self.flaw {
            Some(Flaw::Unary(wrong, template)) if wrong == op => {
                Some(template.replace('_', operand))
            }
            _ => None,
        }
    }

    pub(super) fn wrong_binary(&self, op: BinaryOp, left: &str, right: &str) -> Option<String> {
        match self.flaw {
            Some(Flaw::Binary(wrong, template)) if wrong == op => {
                let fill = |c: char| match c {
                    '[' => left.to_string(),
                    ']' => right.to_string(),
                    other => other.to_string(),
                };
                Some(template.chars().map(fill).collect())
            }
            _ => None,
        }
    }
}
