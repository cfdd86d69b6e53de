//! The judge: all runs of a small system, tried one by one in the reference interpreter.
//!
//! A run is what the book says: inputs of their types, no assertion known to be false, no fault,
//! and some value for everything that has none in the first step. Two simulators walk side by
//! side: one with values for what is undefined, which tells what is *possible*, and one without,
//! which tells what is *known*.

use std::collections::{HashMap, HashSet};

use provoke_analysis::first_copies;
use provoke_base::{Int, Random, Rational};
use provoke_criteria::masking::{Masking, rule};
use provoke_criteria::target::{decision_roots, is_connective};
use provoke_criteria::{MaskingRule, Obligation, ObligationKind};
use provoke_model::{ExprId, ExprKind, System, Type, Value};
use provoke_sim::interpreter::delays;
use provoke_sim::{Breach, RunCheck, SimState, Simulator};

/// How much the judge tries.
const MAX_ROWS: usize = 64;
const MAX_STARTS: usize = 64;
const MAX_STATES: usize = 1_500;
const MAX_STEPS: usize = 6_000;
/// How many choices stand for all, where there is no end of them.
const SAMPLED_ROWS: usize = 12;

/// The choices that all runs consist of.
pub(crate) struct Space<'a> {
    pub(crate) system: &'a System,
    /// The inputs of a step.
    pub(crate) rows: Vec<Vec<Value>>,
    /// What is remembered before the first step, in the order of [`delays`].
    pub(crate) starts: Vec<Vec<Value>>,
    /// Whether these are all.
    pub(crate) is_complete: bool,
    /// Whether something is undefined in the first step.
    pub(crate) has_undefined: bool,
}

impl<'a> Space<'a> {
    pub(crate) fn new(system: &'a System, random: &mut Random) -> Space<'a> {
        let (delays, first) = (delays(system), first_copies(system));
        let undefined: HashSet<ExprId> =
            looked_at_first(system).iter().map(|pre| first[*pre]).collect();
        let inputs: Vec<Choice> =
            system.inputs.iter().map(|var| input_values(system, *var)).collect();
        let memories: Vec<Choice> = delays
            .iter()
            .map(|pre| match undefined.contains(pre) {
                true => values(system, system.exprs[*pre].ty),
                false => Choice { values: vec![Value::Unknown], is_complete: true },
            })
            .collect();
        let (rows, all_rows) = product(&inputs, MAX_ROWS, random);
        let (mut starts, all_starts) = product(&memories, MAX_STARTS, random);
        // Copies of one written `pre` have the same value.
        let slots: HashMap<ExprId, usize> =
            delays.iter().enumerate().map(|(slot, pre)| (*pre, slot)).collect();
        for memory in &mut starts {
            for (slot, pre) in delays.iter().enumerate() {
                memory[slot] = memory[slots[&first[*pre]]].clone();
            }
        }
        let has_undefined = !undefined.is_empty();
        Space { system, rows, starts, is_complete: all_rows && all_starts, has_undefined }
    }

    /// The states before the first step: with values for what is undefined, and without.
    pub(crate) fn first_states(&self) -> impl Iterator<Item = (SimState, SimState)> {
        let unknown = vec![Value::Unknown; delays(self.system).len()];
        let both = move |memory: &Vec<Value>| {
            (SimState::new(0, memory.clone()), SimState::new(0, unknown.clone()))
        };
        self.starts.iter().map(both)
    }
}

/// The values of one thing.
struct Choice {
    values: Vec<Value>,
    is_complete: bool,
}

fn input_values(system: &System, var: provoke_model::VarId) -> Choice {
    let declared = &system.vars[var];
    let Some(range) = &declared.range else { return values(system, declared.ty) };
    let last = range.high.sub(&range.low).to_i64().unwrap_or(i64::MAX);
    if last < 8 {
        let values = (0..=last).map(|n| Value::Int(range.low.add(&Int::from(n)))).collect();
        return Choice { values, is_complete: true };
    }
    let mut some = values(system, declared.ty).values;
    some.retain(|value| range.contains(value));
    some.extend([Value::Int(range.low.clone()), Value::Int(range.high.clone())]);
    Choice { values: some, is_complete: false }
}

/// The values of a type: all, or some that are interesting.
fn values(system: &System, ty: Type) -> Choice {
    let constants = system.exprs.iter().filter_map(|expr| match &expr.kind {
        ExprKind::Const(value) if expr.ty == ty => Some(value.clone()),
        _ => None,
    });
    match ty {
        Type::Bool => Choice { values: [false, true].map(Value::Bool).to_vec(), is_complete: true },
        Type::Enum(id) => {
            let count = system.enums[id].constants.len() as u32;
            Choice { values: (0..count).map(Value::Enum).collect(), is_complete: true }
        }
        Type::Int => {
            let mut some: Vec<Value> = [0, 1, -1, 2, 7].map(Value::from).to_vec();
            some.extend(constants.take(6));
            Choice { values: some, is_complete: false }
        }
        Type::Real => {
            let real = |text| Value::Real(Rational::parse(text).expect("a number"));
            let mut some: Vec<Value> = ["0", "1", "-1/2", "7/3"].map(real).to_vec();
            some.extend(constants.take(6));
            Choice { values: some, is_complete: false }
        }
    }
}

/// All combinations, or some of them, and whether these are all.
fn product(choices: &[Choice], most: usize, random: &mut Random) -> (Vec<Vec<Value>>, bool) {
    let all = choices.iter().all(|choice| choice.is_complete);
    let count = choices.iter().fold(1usize, |n, choice| n.saturating_mul(choice.values.len()));
    if count > most {
        let mut row = || choices.iter().map(|choice| random.pick(&choice.values).clone()).collect();
        return ((0..SAMPLED_ROWS).map(|_| row()).collect(), false);
    }
    let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
    for choice in choices {
        let longer = |row: Vec<Value>| {
            choice.values.iter().map(move |value| [&row[..], std::slice::from_ref(value)].concat())
        };
        rows = rows.into_iter().flat_map(longer).collect();
    }
    (rows, all)
}

/// The delays whose value before the first step is looked at there. What is known without any
/// input or memory needs none of them.
fn looked_at_first(system: &System) -> HashSet<ExprId> {
    let unknown = vec![Value::Unknown; system.inputs.len()];
    let mut simulator = Simulator::new(system);
    let before = simulator.state().clone();
    // Where the first step always faults there are no runs.
    if simulator.step(&unknown).is_err() {
        return HashSet::new();
    }
    let value = |expr| simulator.value_of(expr, &before).unwrap_or(Value::Unknown);
    let mut open: Vec<ExprId> = system.roots().collect();
    for pre in delays(system) {
        open.extend(system.exprs[pre].kind.operands());
    }
    let (mut found, mut seen) = (HashSet::new(), HashSet::new());
    while let Some(expr) = open.pop() {
        if !seen.insert(expr) || value(expr).is_known() {
            continue;
        }
        match system.exprs[expr].kind {
            ExprKind::Pre(_) => {
                found.insert(expr);
            }
            ExprKind::Arrow(first, _) => open.push(first),
            ExprKind::If(condition, then, otherwise) => match value(condition) {
                Value::Bool(true) => open.push(then),
                Value::Bool(false) => open.push(otherwise),
                _ => open.extend([condition, then, otherwise]),
            },
            ref kind => open.extend(kind.operands()),
        }
    }
    found
}

/// One step of a run.
pub(crate) struct Moment<'m, 'a> {
    /// How many steps came before.
    pub(crate) depth: usize,
    possible: (&'m Simulator<'a>, &'m SimState),
    known: (&'m Simulator<'a>, &'m SimState),
}

impl Moment<'_, '_> {
    /// The value of an expression; `None` if it has none.
    fn value(&self, reading: Reading, expr: ExprId) -> Option<Value> {
        let (simulator, before) = match reading {
            Reading::Possible => self.possible,
            Reading::Known => self.known,
        };
        simulator.value_of(expr, before).ok()
    }

    fn is(&self, reading: Reading, expr: ExprId, wanted: bool) -> bool {
        self.value(reading, expr) == Some(Value::Bool(wanted))
    }
}

/// Whether what is undefined has a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reading {
    Possible,
    Known,
}

/// Something that may happen in a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Goal {
    expr: ExprId,
    outcome: bool,
    decides: bool,
    /// Whether it also happens where the expression has no value: a property does not hold there.
    or_fault: bool,
}

impl Goal {
    /// What an obligation asks for, without becoming visible.
    pub(crate) fn of(obligation: &Obligation) -> Goal {
        let Obligation { expr, outcome, kind, .. } = *obligation;
        let (decides, or_fault) =
            (obligation.needs_independence(), kind == ObligationKind::Property);
        Goal { expr, outcome, decides, or_fault }
    }
}

/// What was found of a goal.
#[derive(Clone, Debug, Default)]
pub(crate) struct Answer {
    /// The shortest run in which it happens for some values of what is undefined, in steps.
    pub(crate) possible: Option<Path>,
    /// The same for all of them.
    pub(crate) known: Option<Path>,
    /// Whether its value was sometimes not to be told.
    pub(crate) is_doubtful: bool,
}

/// A run: what was remembered before it, and the numbers of its rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Path {
    pub(crate) start: Vec<Value>,
    pub(crate) rows: Vec<usize>,
}

/// What was found in all runs.
pub(crate) struct Verdicts {
    pub(crate) answers: Vec<Answer>,
    /// Whether all runs were tried.
    pub(crate) is_complete: bool,
    /// In all runs of this many steps.
    pub(crate) depth: usize,
    /// Whether there is a first step.
    pub(crate) has_runs: bool,
    pub(crate) has_dead_end: bool,
    pub(crate) has_fault: bool,
}

impl Verdicts {
    /// Whether a goal is certainly never reached.
    pub(crate) fn never(&self, goal: usize, reading: Reading) -> bool {
        let answer = &self.answers[goal];
        let found = match reading {
            Reading::Possible => &answer.possible,
            Reading::Known => &answer.known,
        };
        self.is_complete && !answer.is_doubtful && found.is_none()
    }
}

struct Entry {
    possible: SimState,
    known: SimState,
    from: Option<(usize, usize)>,
}

/// Tries all runs.
pub(crate) fn judge(space: &Space<'_>, goals: &[Goal]) -> Verdicts {
    let mut found = Verdicts {
        answers: vec![Answer::default(); goals.len()],
        is_complete: space.is_complete,
        depth: 0,
        has_runs: false,
        has_dead_end: false,
        has_fault: false,
    };
    let tops = Tops::new(space.system);
    let mut entries: Vec<Entry> = Vec::new();
    for (possible, known) in space.first_states() {
        entries.push(Entry { possible, known, from: None });
    }
    let starts = entries.len();
    let mut numbers: HashSet<(Vec<Value>, Vec<Value>)> = HashSet::new();
    let (mut one, mut other) = (Simulator::new(space.system), Simulator::new(space.system));
    let (mut from, mut level_end, mut steps) = (0, starts, 0);
    while from < entries.len() {
        let mut is_dead = true;
        for (row, inputs) in space.rows.iter().enumerate() {
            steps += 1;
            let (possible, known) = (entries[from].possible.clone(), entries[from].known.clone());
            let Some(faulted) = step(&mut one, &mut other, &possible, &known, inputs) else {
                continue;
            };
            if faulted {
                (found.has_fault, is_dead) = (true, false);
                continue;
            }
            (found.has_runs, is_dead) = (true, false);
            let moment =
                Moment { depth: found.depth, possible: (&one, &possible), known: (&other, &known) };
            let is_run = |path: &Path| {
                let rows: Vec<Vec<Value>> =
                    path.rows.iter().map(|row| space.rows[*row].clone()).collect();
                RunCheck::new(space.system).steps(&rows) == rows.len()
            };
            for (goal, answer) in goals.iter().zip(&mut found.answers) {
                let path = || path(&entries, from, row);
                look(space.system, &tops, goal, answer, &moment, &path, &is_run);
            }
            let (possible, known) = (one.state().clone(), other.state().clone());
            if numbers.insert((possible.memory().to_vec(), known.memory().to_vec())) {
                entries.push(Entry {
                    possible: SimState::new(1, possible.memory().to_vec()),
                    known: SimState::new(1, known.memory().to_vec()),
                    from: Some((from, row)),
                });
            }
        }
        found.has_dead_end |= is_dead && from >= starts;
        from += 1;
        if from == level_end {
            (found.depth, level_end) = (found.depth + 1, entries.len());
        }
        if steps > MAX_STEPS || entries.len() > MAX_STATES {
            found.is_complete = false;
            break;
        }
    }
    if from == entries.len() {
        found.depth = if found.is_complete { usize::MAX } else { found.depth };
    }
    found
}

/// One step of both simulators; `None` if no run does it, and whether it faults.
pub(crate) fn step(
    possible: &mut Simulator<'_>,
    known: &mut Simulator<'_>,
    possible_state: &SimState,
    known_state: &SimState,
    inputs: &[Value],
) -> Option<bool> {
    possible.restore(possible_state);
    known.restore(known_state);
    match known.step(inputs) {
        Err(_) => return Some(true),
        Ok(breaches) => {
            if breaches.iter().any(|breach| matches!(breach, Breach::Assumption(_))) {
                return None;
            }
        }
    }
    Some(possible.step(inputs).is_err())
}

fn path(entries: &[Entry], mut from: usize, row: usize) -> Path {
    let mut rows = vec![row];
    while let Some((before, row)) = entries[from].from {
        rows.push(row);
        from = before;
    }
    rows.reverse();
    Path { start: entries[from].possible.memory().to_vec(), rows }
}

fn look(
    system: &System,
    tops: &Tops,
    goal: &Goal,
    answer: &mut Answer,
    moment: &Moment<'_, '_>,
    path: &dyn Fn() -> Path,
    is_run: &dyn Fn(&Path) -> bool,
) {
    let reached = |reading| {
        let is_fault = goal.or_fault && moment.value(reading, goal.expr).is_none();
        (is_fault || moment.is(reading, goal.expr, goal.outcome))
            && (!goal.decides || tops.decides(system, moment, reading, goal.expr))
    };
    if answer.possible.is_none() && reached(Reading::Possible) {
        answer.possible = Some(path());
    }
    if answer.known.is_none() && reached(Reading::Known) {
        // Nothing counts once an undefined value may have divided by zero.
        answer.known = Some(path()).filter(is_run);
    }
    let value = moment.value(Reading::Possible, goal.expr);
    answer.is_doubtful |= value.is_none_or(|value| !value.is_known());
}

/// Which expressions use which, inside decisions.
struct Tops {
    users: HashMap<ExprId, Vec<(ExprId, u8)>>,
    roots: provoke_base::IndexVec<ExprId, bool>,
}

impl Tops {
    fn new(system: &System) -> Tops {
        let mut users: HashMap<ExprId, Vec<(ExprId, u8)>> = HashMap::new();
        for (id, expr) in system.exprs.entries() {
            if is_connective(system, id) {
                for (position, operand) in expr.kind.operands().enumerate() {
                    users.entry(operand).or_default().push((id, position as u8));
                }
            }
        }
        Tops { users, roots: decision_roots(system) }
    }

    /// Whether an unmasked chain leads to the top of a decision.
    fn decides(
        &self,
        system: &System,
        moment: &Moment<'_, '_>,
        reading: Reading,
        expr: ExprId,
    ) -> bool {
        let further = |(user, position): &(ExprId, u8)| {
            let kind = &system.exprs[*user].kind;
            let operands: Vec<ExprId> = kind.operands().collect();
            let truth = |at: u8| {
                moment.value(reading, operands[at as usize]).and_then(|value| value.as_bool())
            };
            let differ = |a: u8, b: u8| {
                let (a, b) = (operands[a as usize], operands[b as usize]);
                let (a, b) = (moment.value(reading, a), moment.value(reading, b));
                matches!((a, b), (Some(a), Some(b)) if a.is_known() && b.is_known() && a != b)
            };
            let rule: MaskingRule = rule(Masking::Strict, kind, *position);
            rule.holds(moment.depth == 0, truth, differ)
                && self.decides(system, moment, reading, *user)
        };
        self.roots[expr] || self.users.get(&expr).is_some_and(|users| users.iter().any(further))
    }
}

#[cfg(test)]
mod tests {
    use provoke_base::SourceFile;
    use provoke_criteria::properties;

    use super::*;

    /// What all runs say about the properties of a model.
    fn judged(body: &str) -> Verdicts {
        let text =
            format!("node main(i: bool; n: subrange [0, 2] of int) returns (o: bool);\n{body}");
        let loaded = provoke_lustre::load(&SourceFile::new("m.lus", text), None);
        let system = loaded.system.expect("a model");
        let goals: Vec<Goal> = properties(&system).iter().map(Goal::of).collect();
        judge(&Space::new(&system, &mut Random::new(0)), &goals)
    }

    #[test]
    fn a_run_need_not_be_continuable() {
        let found = judged("let o = not (i and n = 2); assert true -> false; --%PROPERTY o;\ntel;");
        assert!(found.is_complete && found.has_runs && found.has_dead_end && !found.has_fault);
        assert_eq!(found.answers[0].known.as_ref().map(|path| path.rows.len()), Some(1));
    }

    #[test]
    fn what_is_undefined_is_possible_but_not_known() {
        let found = judged("let o = pre true; --%PROPERTY o;\ntel;");
        let Answer { possible, known, .. } = &found.answers[0];
        assert!(found.is_complete && possible.is_some() && known.is_none());
        // An assertion that is undefined restricts nothing, one that is known does.
        let found =
            judged("let o = not (true -> pre i); assert pre i or false -> i; --%PROPERTY o;\ntel;");
        assert_eq!(found.answers[0].known.as_ref().map(|path| path.rows.len()), Some(1));
        let found = judged("let o = i -> true; assert pre i; --%PROPERTY o;\ntel;");
        assert_eq!(found.answers[0].known.as_ref().map(|path| path.rows.len()), Some(1));
    }

    #[test]
    fn a_fault_ends_a_run_and_counters_are_followed_to_their_end() {
        let found = judged(
            "var c: int; let c = 0 -> if pre c < 5 then pre c + 1 else 0; \
             o = 10 div n < 6 or c < 5; --%PROPERTY o;\ntel;",
        );
        assert!(found.is_complete && found.has_fault);
        assert_eq!(found.answers[0].possible.as_ref().map(|path| path.rows.len()), Some(6));
        let found = judged("var c: int; let c = 0 -> pre c + 1; o = c < 5; --%PROPERTY o;\ntel;");
        assert!(!found.is_complete, "a counter without end");
        assert!(found.answers[0].possible.is_some());
    }
}
