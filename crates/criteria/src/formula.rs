//! When something is unmasked, as a formula over the expressions of a system.

use provoke_model::{ExprId, ExprKind, System};

use crate::masking::{Literal, MaskingRule};
use crate::text;

/// A condition over the values of one step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Formula {
    /// Always or never.
    Constant(bool),
    /// The Boolean expression has this value.
    Is(ExprId, bool),
    /// The two expressions have different values.
    Differ(ExprId, ExprId),
    /// It is the first step, or it is not.
    FirstStep(bool),
    /// The variable of this name holds.
    Named(String),
    /// All of these hold.
    All(Vec<Formula>),
    /// One of these holds.
    Any(Vec<Formula>),
}

impl Formula {
    /// A rule for an operand of an expression as a formula.
    pub fn of_rule(rule: MaskingRule, kind: &ExprKind) -> Formula {
        let operands: Vec<ExprId> = kind.operands().collect();
        let expr = |position: u8| operands[usize::from(position)];
        let is = |literal: Literal| Formula::Is(expr(literal.operand), literal.value);
        match rule {
            MaskingRule::Always => Formula::Constant(true),
            MaskingRule::When(literal) => is(literal),
            MaskingRule::Either(one, other) => Formula::any([is(one), is(other)]),
            MaskingRule::Differ(one, other) => Formula::Differ(expr(one), expr(other)),
            MaskingRule::FirstStep => Formula::FirstStep(true),
            MaskingRule::LaterSteps => Formula::FirstStep(false),
        }
    }

    /// The conjunction; what always holds is left out.
    pub fn all(parts: impl IntoIterator<Item = Formula>) -> Formula {
        Formula::join(parts, true, Formula::All)
    }

    /// The disjunction; what never holds is left out.
    pub fn any(parts: impl IntoIterator<Item = Formula>) -> Formula {
        Formula::join(parts, false, Formula::Any)
    }

    fn join(
        parts: impl IntoIterator<Item = Formula>,
        neutral: bool,
        form: impl Fn(Vec<Formula>) -> Formula,
    ) -> Formula {
        let mut kept: Vec<Formula> = Vec::new();
        for part in parts {
            if part == Formula::Constant(!neutral) {
                return part;
            }
            if part != Formula::Constant(neutral) && !kept.contains(&part) {
                kept.push(part);
            }
        }
        match kept.len() {
            0 => Formula::Constant(neutral),
            1 => kept.remove(0),
            _ => form(kept),
        }
    }

    /// The formula as Lustre text, in parentheses unless it is a name or a literal.
    pub fn show(&self, system: &System) -> String {
        let operand = |expr: ExprId| text::of_operand(system, expr, usize::MAX);
        match self {
            Formula::Constant(value) => value.to_string(),
            Formula::Is(expr, true) => operand(*expr),
            Formula::Is(expr, false) => format!("(not {})", operand(*expr)),
            Formula::Differ(one, other) => format!("({} <> {})", operand(*one), operand(*other)),
            Formula::FirstStep(true) => "(true -> false)".into(),
            Formula::FirstStep(false) => "(false -> true)".into(),
            Formula::Named(name) => name.clone(),
            Formula::All(parts) => nested(system, parts, "and"),
            Formula::Any(parts) => nested(system, parts, "or"),
        }
    }
}

fn nested(system: &System, parts: &[Formula], word: &str) -> String {
    let shown = parts.iter().map(|part| part.show(system));
    shown.reduce(|left, right| format!("({left} {word} {right})")).unwrap_or_default()
}
