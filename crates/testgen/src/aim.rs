//! What a condition seems to need of the inputs, read off its text.

use provoke_base::IndexVec;
use provoke_base::index::Id;
use provoke_criteria::Scan;
use provoke_criteria::target::{decision_roots, is_connective};
use provoke_model::{BinaryOp, ExprId, ExprKind, System, Type, UnaryOp, Value, Var};

use crate::candidate_values::{Sources, around};
use crate::read_sites::ReadSites;

/// From so many obligations on, each is aimed at: fewer are found by drawing as well.
const MANY: usize = 2_000;
/// How many values are tried for an obligation.
const TURNS: usize = 3;
/// How deep a condition is looked into.
const DEPTH: usize = 8;

/// For how many decisions inputs are chosen that may make them true, or false.
const DECISIONS: usize = 8;

/// For each obligation values of inputs that may decide it.
pub(crate) struct Aims {
    each: Vec<Aim>,
    /// Inputs that may make a wide decision true, and such that may make it false.
    decisions: Vec<Vec<(u32, Value)>>,
}

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
            return Aims { each: Vec::new(), decisions: Vec::new() };
        }
        let (sources, uses) = (Sources::new(system), ReadSites::new(system));
        let aim = |(expr, outcome)| Aim {
            own: wanted(&sources, expr, outcome, DEPTH),
            beside: beside(&sources, &uses, expr),
        };
        let each = conditions.into_iter().map(aim).collect();
        let roots = widest_decisions(system);
        let choose =
            |root: &ExprId| [true, false].map(|outcome| deciding(&sources, *root, outcome));
        Aims { each, decisions: roots.iter().flat_map(choose).collect() }
    }

    /// How many rows of inputs there are that may decide something.
    pub(crate) fn decisions(&self) -> usize {
        self.decisions.len()
    }

    /// Puts values that may decide into a row of inputs.
    pub(crate) fn decide(&self, decision: usize, row: &mut [Value]) {
        for (position, value) in &self.decisions[decision] {
            row[*position as usize] = value.clone();
        }
    }

    /// How often each obligation is aimed at.
    pub(crate) fn turns(&self) -> usize {
        if self.each.is_empty() { 0 } else { TURNS }
    }

    /// Puts a value that an obligation may need into a row of inputs.
    pub(crate) fn aim(&self, obligation: usize, turn: usize, row: &mut [Value]) {
        let Aim { own, beside } = &self.each[obligation];
        let own = own.get(turn % own.len().max(1));
        for (position, value) in beside.iter().chain(own) {
            row[*position as usize] = value.clone();
        }
    }
}

/// The decisions with the most operators.
fn widest_decisions(system: &System) -> Vec<ExprId> {
    let is_root = decision_roots(system);
    let mut root_of: IndexVec<ExprId, Option<ExprId>> = IndexVec::repeat(None, system.exprs.len());
    let mut sizes: IndexVec<ExprId, usize> = IndexVec::repeat(0, system.exprs.len());
    // Operands have smaller ids than what they are part of.
    for index in (0..system.exprs.len()).rev() {
        let expr = ExprId::new(index);
        let root = if is_root[expr] { Some(expr) } else { root_of[expr] };
        let Some(root) = root.filter(|_| is_connective(system, expr)) else { continue };
        sizes[root] += 1;
        system.exprs[expr].kind.operands().for_each(|operand| root_of[operand] = Some(root));
    }
    let mut roots: Vec<ExprId> = sizes.ids().filter(|expr| sizes[*expr] > 0).collect();
    roots.sort_by_key(|root| std::cmp::Reverse(sizes[*root]));
    roots.truncate(DECISIONS);
    roots
}

/// Inputs that may make a decision as wanted: an operand that decides alone is the first of two, and
/// what needs several gets them all. Where they contradict each other the last one is tried.
fn deciding(sources: &Sources<'_>, root: ExprId, outcome: bool) -> Vec<(u32, Value)> {
    let system = sources.system();
    let (mut found, mut open) = (Vec::new(), vec![(root, outcome)]);
    let mut seen: IndexVec<ExprId, bool> = IndexVec::repeat(false, system.exprs.len());
    while let Some((expr, outcome)) = open.pop() {
        if std::mem::replace(&mut seen[expr], true) {
            continue;
        }
        match (&system.exprs[expr].kind, outcome) {
            (ExprKind::Unary(UnaryOp::Not, inner), _) => open.push((*inner, !outcome)),
            (ExprKind::Binary(BinaryOp::And, a, b), true)
            | (ExprKind::Binary(BinaryOp::Or, a, b), false) => {
                open.extend([(*a, outcome), (*b, outcome)]);
            }
            (ExprKind::Binary(BinaryOp::And | BinaryOp::Or, a, _), _) => open.push((*a, outcome)),
            (ExprKind::Binary(BinaryOp::Implies, a, b), false) => {
                open.extend([(*a, true), (*b, false)]);
            }
            (ExprKind::Binary(BinaryOp::Implies, a, _), true) => open.push((*a, false)),
            _ => found.extend(wanted(sources, expr, outcome, DEPTH).into_iter().next()),
        }
    }
    found
}

/// For each use of a condition in a larger one, a value that may keep the other operand from
/// deciding alone.
fn beside(sources: &Sources<'_>, uses: &ReadSites, expr: ExprId) -> Vec<(u32, Value)> {
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
