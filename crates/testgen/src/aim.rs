//! What a condition seems to need of the inputs, read off its text.

use provoke_criteria::Scan;
use provoke_model::{BinaryOp, ExprId, ExprKind, System, Type, UnaryOp, Value, Var};

use crate::pool::{Sources, around};
use crate::uses::Uses;

/// From so many obligations on, each is aimed at: fewer are found by drawing as well.
const MANY: usize = 2_000;
/// How many values are tried for an obligation.
const TURNS: usize = 3;
/// How deep a condition is looked into.
const DEPTH: usize = 8;

/// For each obligation values of inputs that may decide it.
pub(crate) struct Aims(Vec<Aim>);

/// What one obligation seems to need.
struct Aim {
    /// Values of inputs that may make its condition as wanted, one at a time.
    own: Vec<(u32, Value)>,
    /// Those that may let what stands beside it not mask it.
    beside: Vec<(u32, Value)>,
}

impl Aims {
    /// Reads off the conditions of obligations; nothing if there are few.
    pub(crate) fn new(system: &System, scan: &Scan) -> Aims {
        let conditions: Vec<(ExprId, bool)> = scan.conditions().collect();
        if conditions.len() < MANY {
            return Aims(Vec::new());
        }
        let (sources, uses) = (Sources::new(system), Uses::new(system));
        let aim = |(expr, outcome)| Aim {
            own: wanted(&sources, expr, outcome, DEPTH),
            beside: beside(&sources, &uses, expr),
        };
        Aims(conditions.into_iter().map(aim).collect())
    }

    /// How often each obligation is aimed at.
    pub(crate) fn turns(&self) -> usize {
        if self.0.is_empty() { 0 } else { TURNS }
    }

    /// Puts a value that an obligation may need into a row of inputs.
    pub(crate) fn aim(&self, obligation: usize, turn: usize, row: &mut [Value]) {
        let Aim { own, beside } = &self.0[obligation];
        let own = own.get(turn % own.len().max(1));
        for (position, value) in beside.iter().chain(own) {
            row[*position as usize] = value.clone();
        }
    }
}

/// For each use of a condition in a larger one, a value that may keep the other operand from
/// deciding alone.
fn beside(sources: &Sources<'_>, uses: &Uses, expr: ExprId) -> Vec<(u32, Value)> {
    let needed = |(user, position): &(ExprId, u8)| {
        let ExprKind::Binary(op, a, b) = sources.system().exprs[*user].kind else { return None };
        let other = if *position == 0 { b } else { a };
        let value = match op {
            BinaryOp::And => true,
            BinaryOp::Or => false,
            BinaryOp::Implies => *position == 1,
            _ => return None,
        };
        wanted(sources, other, value, DEPTH).into_iter().next()
    };
    uses.users[expr].iter().filter_map(needed).collect()
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
            let mut found: Vec<(u32, Value)> = Vec::new();
            let mut doubtful: Vec<(u32, Value)> = Vec::new();
            for (side, other) in [(a, b), (b, a)] {
                for &input in sources.inputs(side) {
                    let var = &system.vars[system.inputs[input as usize]];
                    for constant in sources.constants(other) {
                        let mut near = vec![constant.clone()];
                        near.extend(around(&constant).into_iter().filter(|it| *it != constant));
                        for value in near.into_iter().filter(|value| fits(value, var)) {
                            let [left, right] =
                                if side == a { [&value, &constant] } else { [&constant, &value] };
                            let is_as_wanted = op.apply(left, right) == Ok(Value::Bool(outcome));
                            let list = if is_as_wanted { &mut found } else { &mut doubtful };
                            list.push((input, value));
                        }
                    }
                }
            }
            found.extend(doubtful);
            found
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
