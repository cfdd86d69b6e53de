//! When an operand can change what it is part of: the one definition of masking.
//!
//! A [`MaskingRule`] is plain data, so that measurement evaluates it, reports print it and a solver
//! encodes it, all from the same table.

use provoke_model::{BinaryOp, ExprKind};

/// How masking is read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Masking {
    /// Symmetric, and an `if` condition matters only when the branches differ (thesis 3.1.1).
    #[default]
    Strict,
    /// As published (seed 004, 3.4.1): an `if` condition is never masked.
    Original,
    /// The rule table of the thesis (table 3.1) to the letter: `false and _` passes on the
    /// left operand's tags, whatever the right one is.
    ShortCircuit,
}

provoke_base::words!(Masking {
    Strict = "strict",
    Original = "original",
    ShortCircuit = "short-circuit",
});

/// The operand at this position has this truth value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Literal {
    /// The operand's position.
    pub operand: u8,
    /// Its value.
    pub value: bool,
}

/// When an operand is unmasked.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MaskingRule {
    /// At every step.
    Always,
    /// When this holds.
    When(Literal),
    /// When one of these holds.
    Either(Literal, Literal),
    /// When these two operands have different values.
    Differ(u8, u8),
    /// At the first step.
    FirstStep,
    /// At every step but the first.
    LaterSteps,
}

impl MaskingRule {
    /// Whether it certainly holds, given what is known of the operands.
    pub fn holds(
        self,
        first_step: bool,
        truth: impl Fn(u8) -> Option<bool>,
        differ: impl Fn(u8, u8) -> bool,
    ) -> bool {
        let certain = |literal: Literal| truth(literal.operand) == Some(literal.value);
        match self {
            MaskingRule::Always => true,
            MaskingRule::When(literal) => certain(literal),
            MaskingRule::Either(one, other) => certain(one) || certain(other),
            MaskingRule::Differ(one, other) => differ(one, other),
            MaskingRule::FirstStep => first_step,
            MaskingRule::LaterSteps => !first_step,
        }
    }
}

/// When the operand at `position` of an expression is unmasked.
///
/// The operand of a `pre` is never masked either, but only the next step sees it.
pub fn rule(masking: Masking, kind: &ExprKind, position: u8) -> MaskingRule {
    match kind {
        ExprKind::Binary(op, ..) => binary(masking, *op, position),
        ExprKind::If(..) => conditional(masking, position),
        ExprKind::Arrow(..) if position == 0 => MaskingRule::FirstStep,
        ExprKind::Arrow(..) => MaskingRule::LaterSteps,
        ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::Unary(..) | ExprKind::Pre(_) => {
            MaskingRule::Always
        }
    }
}

fn binary(masking: Masking, op: BinaryOp, position: u8) -> MaskingRule {
    // The value of the other operand that leaves this one in charge.
    let other = match (op, position) {
        (BinaryOp::And, 0) => Literal { operand: 1, value: true },
        (BinaryOp::And, _) => Literal { operand: 0, value: true },
        (BinaryOp::Or | BinaryOp::Implies, 0) => Literal { operand: 1, value: false },
        (BinaryOp::Or, _) => Literal { operand: 0, value: false },
        (BinaryOp::Implies, _) => Literal { operand: 0, value: true },
        _ => return MaskingRule::Always,
    };
    if masking != Masking::ShortCircuit || position != 0 {
        return MaskingRule::When(other);
    }
    // and3, or3: a left operand that decides alone keeps its tags.
    let decides = Literal { operand: 0, value: op == BinaryOp::Or };
    MaskingRule::Either(decides, other)
}

fn conditional(masking: Masking, position: u8) -> MaskingRule {
    match position {
        0 if masking == Masking::Original => MaskingRule::Always,
        0 => MaskingRule::Differ(1, 2),
        1 => MaskingRule::When(Literal { operand: 0, value: true }),
        _ => MaskingRule::When(Literal { operand: 0, value: false }),
    }
}
