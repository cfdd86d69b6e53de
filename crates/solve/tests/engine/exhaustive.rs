//! All reachable states of a small system, by trying all inputs in all of them.

use provoke_base::{Int, Random, Rational, Span};
use provoke_model::{Assumption, BinaryOp, ExprId, ExprKind, Range, System, Type, Value, VarId};
use provoke_sim::interpreter::delays;
use provoke_sim::{SimState, Simulator};
use provoke_testkit::random_system::{self, Shape};
use rustc_hash::{FxHashMap, FxHashSet};

/// More states or first states are not small.
const MAX_STATES: usize = 400;
const MAX_STARTS: usize = 1 << 10;

/// A system whose inputs have few values.
pub(crate) struct Small {
    pub(crate) system: System,
    /// Its Boolean expressions.
    pub(crate) goals: Vec<ExprId>,
    inputs: Vec<Vec<Value>>,
}

impl Small {
    /// The values of an input.
    pub(crate) fn values(&self, input: VarId) -> &[Value] {
        let position = self.system.inputs.iter().position(|var| *var == input);
        &self.inputs[position.expect("an input")]
    }
}

/// What was found in all runs.
pub(crate) struct Explored {
    /// The states after one step or more, the remembered values in the order of the delays.
    pub(crate) later: Vec<Vec<Value>>,
    first_true: FxHashMap<ExprId, usize>,
}

impl Explored {
    /// The first step, from 0, in which an expression can be true.
    pub(crate) fn depth(&self, goal: ExprId) -> Option<usize> {
        self.first_true.get(&goal).copied()
    }
}

/// A random system: Boolean or mixed, with and without unguarded delays and assumptions.
pub(crate) fn small_system(random: &mut Random, seed: u64) -> Option<Small> {
    let shape = match seed % 5 {
        0 => Shape { defined: 7, ..Shape::BOOLEAN },
        1 => Shape { hazards: true, defined: 8, ..Shape::BOOLEAN },
        2 => Shape { inputs: 2, defined: 6, depth: 2, ..Shape::MIXED },
        3 => Shape { inputs: 2, defined: 6, depth: 2, ..Shape::MACHINES },
        _ => Shape { inputs: 2, defined: 6, depth: 2, hazards: true, ..Shape::MIXED },
    };
    let mut system = random_system::system(random, shape);
    if divides_by_variable(&system) {
        return None;
    }
    // A guarded delay by itself would be unguarded as a goal.
    let unguarded = unguarded(&system);
    let is_goal = |id: &ExprId| {
        let guarded = matches!(system.exprs[*id].kind, ExprKind::Pre(_)) && !unguarded.contains(id);
        system.exprs[*id].ty == Type::Bool && !guarded
    };
    let goals: Vec<_> = system.exprs.ids().filter(is_goal).collect();
    if goals.is_empty() {
        return None;
    }
    if seed.is_multiple_of(3) {
        let expr = *random.pick(&goals);
        system.assumptions.push(Assumption { expr, span: Span::default() });
    }
    let inputs = domains(&mut system);
    Some(Small { system, goals, inputs })
}

fn divides_by_variable(system: &System) -> bool {
    let variable = |id: ExprId| !matches!(system.exprs[id].kind, ExprKind::Const(_));
    system.exprs.iter().any(|expr| {
        matches!(expr.kind, ExprKind::Binary(op, _, divisor) if op.divides() && variable(divisor))
    })
}

/// Gives every input few values: integers a range, reals an assumption.
fn domains(system: &mut System) -> Vec<Vec<Value>> {
    let mut domains = Vec::new();
    for var in system.inputs.clone() {
        let domain = match system.vars[var].ty {
            Type::Bool => [false, true].map(Value::Bool).to_vec(),
            Type::Enum(_) => (0..3).map(Value::Enum).collect(),
            Type::Int => {
                // Two numbers around zero, or the largest ones of a machine's type.
                let (low, high) = match system.vars[var].machine {
                    Some(ty) => (ty.high() - 2, ty.high()),
                    None => (-1, 2),
                };
                let [first, last] = [low, high].map(Int::from_i128);
                system.vars[var].range = Some(Range { low: first, high: last });
                (low..=high).map(|value| Value::Int(Int::from_i128(value))).collect()
            }
            Type::Real => {
                let values = ["0", "3/2"].map(|text| Value::Real(Rational::parse(text).unwrap()));
                let cases = values.clone().map(|value| {
                    let left = system.add_expr(ExprKind::Var(var), Type::Real, Span::default());
                    let right =
                        system.add_expr(ExprKind::Const(value), Type::Real, Span::default());
                    let kind = ExprKind::Binary(BinaryOp::Eq, left, right);
                    system.add_expr(kind, Type::Bool, Span::default())
                });
                let kind = ExprKind::Binary(BinaryOp::Or, cases[0], cases[1]);
                let expr = system.add_expr(kind, Type::Bool, Span::default());
                system.assumptions.push(Assumption { expr, span: Span::default() });
                values.to_vec()
            }
        };
        domains.push(domain);
    }
    domains
}

/// Everything that can happen; `None` if that is not little.
pub(crate) fn explore(small: &Small) -> Option<Explored> {
    let system = &small.system;
    let inputs = product(&small.inputs, MAX_STARTS)?;
    // Each state with what is known of it for certain: an assertion that is undefined restricts
    // nothing, whatever the state is.
    let mut simulator = Simulator::new(system);
    let unknown = simulator.state().clone();
    let mut level: Vec<(SimState, SimState)> = starts(system)?
        .into_iter()
        .map(|memory| (SimState::new(0, memory), unknown.clone()))
        .collect();
    let mut seen: FxHashSet<(Vec<Value>, Vec<Value>)> = FxHashSet::default();
    let mut explored = Explored { later: Vec::new(), first_true: FxHashMap::default() };
    let mut depth = 0;
    while !level.is_empty() {
        let mut next = Vec::new();
        for (before, certain) in &level {
            for input in &inputs {
                simulator.restore(certain);
                if !simulator.step(input).ok()?.is_empty() {
                    continue;
                }
                let certain = simulator.state().memory().to_vec();
                simulator.restore(before);
                simulator.step(input).ok()?;
                for &goal in &small.goals {
                    if simulator.value_of(goal, before).ok()? == Value::Bool(true) {
                        explored.first_true.entry(goal).or_insert(depth);
                    }
                }
                let memory = simulator.state().memory().to_vec();
                if seen.insert((memory.clone(), certain.clone())) {
                    explored.later.push(memory.clone());
                    next.push((SimState::new(1, memory), SimState::new(1, certain)));
                }
            }
            if seen.len() > MAX_STATES {
                return None;
            }
        }
        level = next;
        depth += 1;
    }
    Some(explored)
}

/// What may be remembered before the first step: anything that an unguarded delay can show,
/// something for the others.
fn starts(system: &System) -> Option<Vec<Vec<Value>>> {
    let unguarded = unguarded(system);
    let domain = |pre: &ExprId| match system.exprs[*pre].ty {
        _ if !unguarded.contains(pre) => Some(vec![Value::Unknown]),
        Type::Bool => Some([false, true].map(Value::Bool).to_vec()),
        Type::Enum(_) => Some((0..3).map(Value::Enum).collect()),
        Type::Int | Type::Real => None,
    };
    let domains: Option<Vec<_>> = delays(system).iter().map(domain).collect();
    product(&domains?, MAX_STARTS)
}

/// The delays that stand elsewhere than right of an arrow.
fn unguarded(system: &System) -> FxHashSet<ExprId> {
    let is_delay = |id: &ExprId| matches!(system.exprs[*id].kind, ExprKind::Pre(_));
    let mut found = FxHashSet::default();
    for expr in system.exprs.iter() {
        match expr.kind {
            ExprKind::Arrow(first, _) => found.extend([first].into_iter().filter(is_delay)),
            ref kind => found.extend(kind.operands().filter(is_delay)),
        }
    }
    found.extend(system.roots().filter(is_delay));
    found
}

fn product(domains: &[Vec<Value>], most: usize) -> Option<Vec<Vec<Value>>> {
    let mut rows = vec![Vec::new()];
    for domain in domains {
        let longer = |row: Vec<Value>| {
            domain.iter().map(move |value| [row.clone(), vec![value.clone()]].concat())
        };
        rows = rows.into_iter().flat_map(longer).collect();
        if rows.len() > most {
            return None;
        }
    }
    Some(rows)
}
