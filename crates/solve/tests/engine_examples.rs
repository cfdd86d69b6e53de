//! Each engine on a model small enough to see what must come out.

mod common;
#[path = "engine/replay.rs"]
mod replay;

use provoke_base::SourceFile;
use provoke_model::{System, Value};
use provoke_solve::engine::{
    Backend, Budget, Engine, Example, GoalVerdict, Lemmas, MergedTransition, ProofPlan,
    StateSamples, Sweep, UndecidedReason, about, bmc, confirm, decide, learn, whole,
};
use provoke_solve::z3::Z3;
use provoke_solve::{
    Encoder, Limit, Solver, SolverAnswer, Sort, Start, TermId, Terms, Transition, UnknownReason,
    UnrollPolicy,
};
use replay::replay;

struct Model {
    system: System,
}

fn model(text: &str) -> Model {
    let file = SourceFile::new("example.lus", text);
    let loaded = provoke_lustre::load(&file, None);
    Model { system: loaded.system.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics)) }
}

/// A counter that a button moves up to five and that then starts again.
const COUNTER: &str = "
node top(button: bool) returns (n: int; five, six, odd: bool);
let
  n = 0 -> if pre n = 5 then 0 else if button then pre n + 1 else pre n;
  five = n = 5;
  six = n = 6;
  odd = n < 0;
tel;";

/// Two counters that move in opposite directions.
const CONSERVED: &str = "
node top(give: bool) returns (a, b: int; lost: bool);
let
  a = 3 -> if give and pre a > 0 then pre a - 1 else if not give and pre b > 0 then pre a + 1 else pre a;
  b = 0 -> if give and pre a > 0 then pre b + 1 else if not give and pre b > 0 then pre b - 1 else pre b;
  lost = a + b <> 3;
tel;";

/// What `question` is about: the output called `goal` is true.
fn question(model: &Model, terms: &mut Terms, goal: &str) -> Transition {
    let mut encoder = Encoder::new(&model.system, terms);
    let var = model.system.var_named(goal).unwrap();
    let term = encoder.var(terms, var);
    about(&mut encoder, terms, term)
}

fn ask(model: &Model, goal: &str, engine: Engine, work: u64) -> Option<GoalVerdict> {
    let backend = Backend::new(&common::z3()?);
    let mut terms = Terms::new();
    let question = question(model, &mut terms, goal);
    let mut budget = Budget::new(Limit::work(work));
    Some(decide(&mut terms, &question, &[], engine, &ProofPlan::default(), &backend, &mut budget))
}

#[test]
fn the_shortest_run_is_found() {
    let model = model(COUNTER);
    for engine in Engine::ALL {
        let Some(verdict) = ask(&model, "five", engine, 10_000_000) else { return };
        if engine == Engine::KInduction {
            // Its windows are not long enough to see it.
            assert_eq!(
                verdict,
                GoalVerdict::Unknown { why: UndecidedReason::NotInductive, depth: 5 }
            );
            continue;
        }
        let GoalVerdict::Reached(witness) = verdict else { panic!("{engine:?}: {verdict:?}") };
        assert_eq!(witness.steps.len(), 6, "{engine:?}");
        let pressed = |step: &Vec<(TermId, Value)>| step.iter().all(|(_, v)| *v == true.into());
        assert!(witness.steps.iter().all(pressed), "{engine:?}: {witness:?}");
        // The first step does not look at the button.
        assert_eq!(witness.steps[0], [], "{engine:?}");
    }
}

#[test]
fn steps_are_repeated_to_where_no_search_comes() {
    let model = model(
        "node top(up: bool) returns (n: int; far: bool);
         let
           n = 0 -> if up and pre n < 5000 then pre n + 1 else pre n;
           far = n >= 5000 and not up;
         tel;",
    );
    let Some(verdict) = ask(&model, "far", Engine::All, 10_000_000) else { return };
    let GoalVerdict::Reached(witness) = verdict else { panic!("{verdict:?}") };
    assert!((5001..5010).contains(&witness.steps.len()), "{}", witness.steps.len());
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(&model.system, &mut terms);
    question(&model, &mut terms, "far");
    let goal = encoder.definition(model.system.var_named("far").unwrap()).unwrap();
    let value = replay(&mut encoder, &mut terms, goal, &witness, |_| Value::Bool(false));
    assert_eq!(value, Value::Bool(true));
}

#[test]
fn what_never_happens_is_proven_and_a_bound_is_no_proof() {
    let model = model(COUNTER);
    for goal in ["six", "odd"] {
        let Some(verdict) = ask(&model, goal, Engine::Bmc, 10_000_000) else { return };
        let deep = ProofPlan::default().deep;
        assert_eq!(
            verdict,
            GoalVerdict::Unknown { why: UndecidedReason::Depth, depth: deep },
            "{goal}"
        );
        for engine in [Engine::Pdr, Engine::All] {
            let verdict = ask(&model, goal, engine, 10_000_000).unwrap();
            assert!(
                matches!(verdict, GoalVerdict::Unreachable(_)),
                "{goal} {engine:?}: {verdict:?}"
            );
        }
    }
}

#[test]
fn a_goal_that_no_step_allows_needs_no_window() {
    let model = model(
        "node top(x: bool) returns (never: bool);
         let never = (false -> pre x) and not (true -> pre x); tel;",
    );
    let Some(verdict) = ask(&model, "never", Engine::All, 10_000_000) else { return };
    let GoalVerdict::Unreachable(proof) = verdict else { panic!("{verdict:?}") };
    // That both memories are the same is all that must be known.
    assert_eq!((proof.engine, proof.k), ("static", 0));
    assert_eq!((proof.lemmas.len(), proof.copies.len()), (0, 1));
}

#[test]
fn what_has_no_past_may_have_two_values_in_the_first_step() {
    let model = model(
        "node top(x: bool) returns (differ: bool);
         let differ = (pre x) <> (pre x); tel;",
    );
    for engine in Engine::ALL {
        let Some(verdict) = ask(&model, "differ", engine, 10_000_000) else { return };
        let GoalVerdict::Reached(witness) = verdict else { panic!("{engine:?}: {verdict:?}") };
        assert_eq!((witness.steps.len(), witness.start.len()), (1, 2), "{engine:?}");
        assert_ne!(witness.start[0].1, witness.start[1].1, "{engine:?}");
    }
}

#[test]
fn conserved_sums_are_learnt_from_a_few_states_and_prove_what_depends_on_them() {
    let Some(library) = common::z3() else { return };
    let backend = Backend::new(&library);
    let model = model(CONSERVED);
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(&model.system, &mut terms);
    let whole = whole(&mut encoder, &mut terms);
    let delays = provoke_sim::interpreter::delays(&model.system);
    let symbols: Vec<_> = delays.iter().map(|pre| encoder.memory(&mut terms, *pre)).collect();
    let value = |pre: &provoke_model::ExprId, a: i64| {
        let provoke_model::ExprKind::Pre(operand) = model.system.exprs[*pre].kind else { panic!() };
        let provoke_model::ExprKind::Var(var) = model.system.exprs[operand].kind else { panic!() };
        Value::from(if model.system.vars[var].name == "a" { a } else { 3 - a })
    };
    let rows = [3, 2].map(|a| delays.iter().map(|pre| value(pre, a)).collect::<Vec<_>>());
    let mut budget = Budget::new(Limit::work(50_000_000));
    let samples = StateSamples::new(symbols, rows);
    let lemmas = learn(&mut terms, &whole, &samples, &backend, &mut budget);
    let lost = encoder.var(&mut terms, model.system.var_named("lost").unwrap());
    let question = about(&mut encoder, &mut terms, lost);
    let usable = lemmas.inside(&mut terms, &question);
    assert_eq!(usable.len(), lemmas.terms.len());
    let mut budget = Budget::new(Limit::work(50_000_000));
    let plan = ProofPlan::default();
    let engine = Engine::KInduction;
    let verdict = decide(&mut terms, &question, &usable, engine, &plan, &backend, &mut budget);
    let GoalVerdict::Unreachable(proof) = verdict else { panic!("{verdict:?}") };
    assert_eq!((proof.engine, proof.k), ("k-induction", 0));
    lemmas_are_the_same_elsewhere(&terms, &lemmas);
}

fn lemmas_are_the_same_elsewhere(terms: &Terms, lemmas: &Lemmas) {
    let mut elsewhere = Terms::new();
    elsewhere.int(77);
    let moved = lemmas.import(terms, &mut elsewhere);
    let mut back = Terms::new();
    let again = moved.import(&elsewhere, &mut back);
    assert_eq!(again.terms.len(), lemmas.terms.len());
    for lemma in &moved.terms {
        let names = |terms: &Terms, root: TermId| -> Vec<String> {
            let symbols = terms.symbols_in(&[root]).into_iter();
            symbols.map(|id| terms.symbol_of(id).name.clone()).collect()
        };
        assert!(names(&elsewhere, *lemma).iter().all(|name| name.starts_with("pre:")));
    }
}

#[test]
fn a_search_starts_where_it_is_told_to() {
    let Some(library) = common::z3() else { return };
    let backend = Backend::new(&library);
    let model = model(COUNTER);
    let mut terms = Terms::new();
    let question = question(&model, &mut terms, "five");
    let at = |terms: &Terms, n: i64| -> Vec<(TermId, Value)> {
        let value = |var: &provoke_solve::StateVar| match terms.sort(var.symbol) {
            provoke_solve::Sort::Bool => (var.symbol, Value::Bool(false)),
            _ => (var.symbol, Value::from(n)),
        };
        question.state.iter().map(value).collect()
    };
    for policy in [UnrollPolicy::Inline, UnrollPolicy::NameState] {
        let start = Start::At(at(&terms, 3));
        let solver: Box<dyn Solver> = Box::new(backend.solver());
        let mut budget = Budget::new(Limit::default());
        let verdict = bmc(&mut terms, &question, start, policy, solver, 9, &mut budget);
        let GoalVerdict::Reached(witness) = verdict else { panic!("{verdict:?}") };
        assert_eq!(witness.steps.len(), 2);
    }
}

#[test]
fn one_budget_is_shared_and_the_same_work_gives_the_same_verdict() {
    let model = model(CONSERVED);
    let mut kinds = Vec::new();
    for work in [0, 1_000, 10_000, 100_000, 10_000_000] {
        let Some(verdict) = ask(&model, "lost", Engine::All, work) else { return };
        assert_eq!(ask(&model, "lost", Engine::All, work), Some(verdict.clone()), "{work}");
        kinds.push(verdict);
    }
    let spent = UndecidedReason::Solver(UnknownReason::Budget);
    assert_eq!(kinds[0], GoalVerdict::Unknown { why: spent, depth: 1 });
    assert!(matches!(kinds[4], GoalVerdict::Unreachable(_)), "{:?}", kinds[4]);
}

#[test]
fn engines_are_named_by_their_words() {
    for engine in Engine::ALL {
        assert_eq!(Engine::named(engine.word()), Some(engine));
    }
    assert_eq!(Engine::named("ic3"), None);
}

/// The same counter, with a name for what it remembers.
const NAMED: &str = "
node top(button: bool) returns (n: int; five, six, odd: bool);
var before: int;
let
  before = 0 -> pre n;
  n = if before = 5 then 0 else if button then before + 1 else before;
  five = n = 5;
  six = n = 6;
  odd = n < 0;
tel;";

/// Asks a sweep with so many steps `before` about outputs of the counter, one after the other.
fn swept(before: usize, lemma: Option<fn(&mut Terms, TermId) -> TermId>) -> Option<[bool; 3]> {
    let backend = Backend::new(&common::z3()?);
    let model = model(NAMED);
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(&model.system, &mut terms);
    let goals = ["five", "six", "odd"].map(|name| {
        let var = model.system.var_named(name).unwrap();
        encoder.var(&mut terms, var)
    });
    let any = terms.any(&goals);
    let part = about(&mut encoder, &mut terms, any);
    let memory = part.state.iter().map(|var| var.symbol).find(|s| terms.sort(*s) == Sort::Int);
    let lemma = lemma.map(|lemma| lemma(&mut terms, memory.unwrap()));
    let part = MergedTransition::new(&mut terms, &part);
    let mut sweep = Sweep::new(&mut terms, &part, before, lemma.as_slice(), &backend);
    let mut budget = Budget::new(Limit::default());
    Some(goals.map(|goal| sweep.exclude(&mut terms, goal, &mut budget).is_some()))
}

#[test]
fn a_sweep_excludes_what_a_few_steps_show_and_nothing_that_can_be() {
    let Some(single) = swept(0, None) else { return };
    assert_eq!(single, [false, false, false], "any number may be remembered");
    let at_most_five = |terms: &mut Terms, n: TermId| {
        let five = terms.constant(Value::from(5));
        terms.le(n, five)
    };
    assert_eq!(swept(0, Some(at_most_five)), Some([false, true, false]));
    let not_negative = |terms: &mut Terms, n: TermId| {
        let zero = terms.constant(Value::from(0));
        terms.ge(n, zero)
    };
    assert_eq!(swept(0, Some(not_negative)), Some([false, false, true]));
    assert_eq!(swept(2, None), Some([false, false, false]), "neither do three steps tell");
}

#[test]
fn what_many_samples_suggest_is_not_looked_for_when_the_time_is_over() {
    let Some(library) = common::z3() else { return };
    let backend = Backend::new(&library);
    let (count, rows) = (60, 3_000);
    let names: Vec<String> = (0..count).map(|at| format!("v{at}")).collect();
    let equation = |name: &String| format!("{name} = 0 -> pre {name} + x;\n");
    let equations: String = names.iter().map(equation).collect();
    let model = model(&format!(
        "node main(x: int) returns (y: bool);\nvar {}: int;\nlet\n{equations}y = v0 > v1;\ntel;",
        names.join(", ")
    ));
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(&model.system, &mut terms);
    let whole = whole(&mut encoder, &mut terms);
    let delays = provoke_sim::interpreter::delays(&model.system);
    let symbols: Vec<_> = delays.iter().map(|pre| encoder.memory(&mut terms, *pre)).collect();
    let mut random = provoke_base::Random::new(1);
    let mut row = || symbols.iter().map(|_| Value::from(random.below(50) as i64)).collect();
    let samples = StateSamples::new(symbols.clone(), (0..rows).map(|_| row()).collect::<Vec<_>>());
    let start = std::time::Instant::now();
    let mut budget = Budget::new(Limit::time(std::time::Duration::ZERO));
    let lemmas = learn(&mut terms, &whole, &samples, &backend, &mut budget);
    assert!(lemmas.terms.is_empty());
    // To look at all of them takes minutes here.
    assert!(start.elapsed().as_secs_f64() < 5.0, "took {:?}", start.elapsed());
}

/// A decision of so many thresholds, with a goal for each: that it is the only one not passed.
fn thresholds(terms: &mut Terms, count: usize) -> (TermId, Vec<TermId>) {
    let x = terms.symbol("x", Sort::Int);
    let passed: Vec<TermId> = (0..count)
        .map(|number| {
            let number = terms.constant(Value::from(number as i64));
            terms.gt(x, number)
        })
        .collect();
    let yes = terms.bool(true);
    let (mut before, mut behind) = (vec![yes], vec![yes]);
    for at in 0..count {
        let (first, last) = (before[at], behind[at]);
        before.push(terms.and(first, passed[at]));
        behind.push(terms.and(passed[count - 1 - at], last));
    }
    let mut goal = |at: usize| {
        let not_passed = terms.not(passed[at]);
        terms.all(&[before[at], not_passed, behind[count - 1 - at]])
    };
    let goals = (0..count).map(&mut goal).collect();
    (x, goals)
}

#[test]
fn goals_of_one_decision_are_excluded_together_as_each_would_be_alone() {
    let Some(library) = common::z3() else { return };
    let backend = Backend::new(&library);
    let mut terms = Terms::new();
    let count = 300;
    let (x, goals) = thresholds(&mut terms, count);
    let (goal, constraint) = (terms.any(&goals), terms.bool(true));
    let part = Transition { inputs: vec![x], state: Vec::new(), constraint, goal };
    let part = MergedTransition::new(&mut terms, &part);
    let mut sweep = Sweep::new(&mut terms, &part, 0, &[], &backend);
    let limit = Limit::work(1_000_000);
    let together: Vec<bool> = sweep
        .exclude_all(&mut terms, &goals, limit, &|| false)
        .iter()
        .map(Option::is_some)
        .collect();
    let alone = |goal: &TermId| sweep.exclude(&mut terms, *goal, &mut Budget::new(limit)).is_some();
    assert_eq!(together, goals.iter().map(alone).collect::<Vec<_>>());
    // Whoever does not pass one threshold passes none of those above it.
    assert_eq!(together, (0..count).map(|at| at + 1 < count).collect::<Vec<_>>());
}

#[test]
fn a_long_chain_has_the_value_that_its_parts_have() {
    let Some(library) = common::z3() else { return };
    let mut terms = Terms::new();
    let (x, goals) = thresholds(&mut terms, 500);
    let mut solver = Z3::new(&library);
    assert_eq!(solver.check(&terms, &[goals[499]], Limit::default()), SolverAnswer::Sat);
    assert_eq!(solver.value(&terms, x), Some(Value::from(499)));
    for (at, goal) in goals.iter().enumerate().step_by(7) {
        assert_eq!(solver.value(&terms, *goal), Some(Value::Bool(at == 499)), "goal {at}");
    }
    assert_eq!(solver.check(&terms, &[goals[100]], Limit::default()), SolverAnswer::Unsat);
}

#[test]
fn a_sweep_shows_what_is_remembered_where_a_goal_holds() {
    let Some(library) = common::z3() else { return };
    let backend = Backend::new(&library);
    let model = model(NAMED);
    let mut terms = Terms::new();
    let part = question(&model, &mut terms, "six");
    let memory = part.state.iter().map(|var| var.symbol).find(|s| terms.sort(*s) == Sort::Int);
    let goal = part.goal;
    let part = MergedTransition::new(&mut terms, &part);
    let mut sweep = Sweep::new(&mut terms, &part, 0, &[], &backend);
    let mut budget = Budget::new(Limit::default());
    let found = sweep.example(&mut terms, goal, &[memory.unwrap()], &mut budget);
    let Example::Here(values) = found else { panic!("{found:?}") };
    let [(_, Value::Int(n))] = &values[..] else { panic!("{values:?}") };
    // Six stays without the button; five starts again.
    assert_eq!(n.to_string(), "6");
    let nothing = terms.bool(false);
    assert_eq!(sweep.example(&mut terms, nothing, &[], &mut budget), Example::Never);
}

#[test]
fn a_sweep_knows_that_copies_of_a_memory_are_equal() {
    let Some(library) = common::z3() else { return };
    let backend = Backend::new(&library);
    let model = model(
        "node main(n : int) returns (apart : bool);
let
  apart = false -> (pre n > 3 and pre n < 3);
tel;",
    );
    let mut terms = Terms::new();
    let part = question(&model, &mut terms, "apart");
    let goal = part.goal;
    assert_eq!(part.state.len(), 3, "two memories of n, and whether it is the first step");
    let part = MergedTransition::new(&mut terms, &part);
    let mut sweep = Sweep::new(&mut terms, &part, 0, &[], &backend);
    assert!(sweep.exclude(&mut terms, goal, &mut Budget::new(Limit::default())).is_some());
}

/// Counts modulo 12 by a small input, and a switch that was never set.
const CLOCK: &str = "
node top(by: subrange [0, 2] of int; far: int) returns (twelve, eleven, large: bool);
var hour: int; seen: bool;
let
  hour = 0 -> (pre hour + by) mod 12;
  seen = pre seen;
  twelve = hour = 12;
  eleven = hour = 11 and seen;
  large = far > 1000;
tel;";

#[test]
fn enumeration_is_complete_where_states_and_inputs_are_few() {
    let model = model(CLOCK);
    let ask = |goal| ask(&model, goal, Engine::Explicit, 10_000_000);
    let Some(verdict) = ask("twelve") else { return };
    let GoalVerdict::Unreachable(proof) = verdict else { panic!("{verdict:?}") };
    assert_eq!((proof.engine, proof.k, proof.lemmas.len()), ("explicit", 0, 0));
    let backend = Backend::new(&common::z3().unwrap());
    let mut terms = Terms::new();
    let question = question(&model, &mut terms, "twelve");
    let mut budget = Budget::new(Limit::work(10_000_000));
    let GoalVerdict::Unreachable(proof) = decide(
        &mut terms,
        &question,
        &[],
        Engine::Explicit,
        &ProofPlan::default(),
        &backend,
        &mut budget,
    ) else {
        panic!("a proof was there before")
    };
    let invariant = proof.invariant.expect("twelve states can be listed");
    let confirmed = confirm(&mut terms, &question, invariant, &[], &backend, &mut budget);
    assert_eq!(confirmed, Ok(()));
    // Six steps lead from 0 to 11, and the switch was set before the first.
    let Some(GoalVerdict::Reached(witness)) = ask("eleven") else { panic!("11 can be reached") };
    assert_eq!((witness.steps.len(), witness.start.len()), (7, 1));
}

#[test]
fn inputs_without_bounds_are_not_enumerated() {
    let Some(verdict) = ask(&model(CLOCK), "large", Engine::Explicit, 10_000_000) else { return };
    let why = UndecidedReason::NotEnumerable("values without bounds matter");
    assert_eq!(verdict, GoalVerdict::Unknown { why, depth: 0 });
}
