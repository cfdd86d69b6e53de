//! What a condition seems to need of the inputs, read off its text.

use provoke_criteria::Scan;
use provoke_model::{ExprId, ExprKind, System, Type, UnaryOp, Value, Var};

use crate::pool::{Sources, around};

/// From so many obligations on, each is aimed at: fewer are found by drawing as well.
const MANY: usize = 2_000;
/// How many values are tried for an obligation.
const TURNS: usize = 3;
/// How deep a condition is looked into.
const DEPTH: usize = 8;

/// For each obligation values of inputs that may decide it.
pub(crate) struct Aims(Vec<Vec<(u32, Value)>>);

impl Aims {
    /// Reads off the conditions of obligations; nothing if there are few.
    pub(crate) fn new(system: &System, scan: &Scan) -> Aims {
        let conditions: Vec<(ExprId, bool)> = scan.conditions().collect();
        if conditions.len() < MANY {
            return Aims(Vec::new());
        }
        let sources = Sources::new(system);
        let wanted = |(expr, outcome)| wanted(&sources, expr, outcome, DEPTH);
        Aims(conditions.into_iter().map(wanted).collect())
    }

    /// How often each obligation is aimed at.
    pub(crate) fn turns(&self) -> usize {
        if self.0.is_empty() { 0 } else { TURNS }
    }

    /// Puts a value that an obligation may need into a row of inputs.
    pub(crate) fn aim(&self, obligation: usize, turn: usize, row: &mut [Value]) {
        let wanted = &self.0[obligation];
        if let Some((position, value)) = wanted.get(turn % wanted.len().max(1)) {
            row[*position as usize] = value.clone();
        }
    }
}

/// The inputs that may make a condition as wanted, the likeliest first.
fn wanted(sources: &Sources<'_>, expr: ExprId, outcome: bool, depth: usize) -> Vec<(u32, Value)> {
    let system = sources.system();
    if depth == 0 {
        return Vec::new();
    }
    match system.exprs[expr].kind {
        ExprKind::Var(var) => match (sources.position(var), sources.definition(var)) {
            (Some(input), _) if system.vars[var].ty == Type::Bool => {
                vec![(input, Value::Bool(outcome))]
            }
            (None, Some(definition)) => wanted(sources, definition, outcome, depth - 1),
            _ => Vec::new(),
        },
        ExprKind::Unary(UnaryOp::Not, inner) => wanted(sources, inner, !outcome, depth - 1),
        ExprKind::Binary(op, a, b) if op.is_relation() => {
            let (mut exactly, mut nearly) = (Vec::new(), Vec::new());
            for (side, other) in [(a, b), (b, a)] {
                for &input in sources.inputs(side) {
                    let var = &system.vars[system.inputs[input as usize]];
                    for constant in sources.constants(other) {
                        let near = around(&constant).into_iter().filter(|near| *near != constant);
                        let fitting = |value: Value| fits(&value, var).then_some((input, value));
                        nearly.extend(near.filter_map(fitting));
                        exactly.extend(fitting(constant));
                    }
                }
            }
            exactly.extend(nearly);
            exactly
        }
        _ => Vec::new(),
    }
}

/// Whether an input may have a value.
fn fits(value: &Value, var: &Var) -> bool {
    match (value, var.ty) {
        (Value::Int(int), Type::Int) => {
            var.range.as_ref().is_none_or(|range| range.low <= *int && *int <= range.high)
        }
        (Value::Real(_), Type::Real) | (Value::Enum(_), Type::Enum(_)) => true,
        // A real may be rounded before it is compared with an integer.
        _ => false,
    }
}
