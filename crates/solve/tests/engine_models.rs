//! The engines on the promises of real models: their answers agree, and witnesses replay.

mod common;
#[path = "engine/replay.rs"]
mod replay;

use std::path::Path;

use provoke_base::{Random, SourceFile};
use provoke_model::{ExprId, ExprKind, System, Type, Value};
use provoke_sim::Simulator;
use provoke_sim::interpreter::delays;
use provoke_solve::engine::{
    Backend, Budget, Engine, GoalVerdict, Lemmas, ProofPlan, StateSamples, about, decide, learn,
    whole,
};
use provoke_solve::{Encoder, Limit, Terms};
use provoke_testkit::random_system::inputs;
use replay::replay;

/// Models that take too long for a test.
const LARGE: [&str; 4] = ["AlarmFunctionalR2012", "DockingApproach", "Infusion", "Microwave01"];
const WORK: u64 = 400_000;

#[test]
fn engines_agree_on_the_promises_of_real_models() {
    let Some(library) = common::z3() else { return };
    let Some(folder) = provoke_testkit::shared("models/lustre/single_node") else { return };
    let backend = Backend::new(&library);
    let (mut decided, mut promises) = (0, 0);
    for path in provoke_testkit::files(&folder, "lus") {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if LARGE.contains(&name.as_str()) {
            continue;
        }
        let system = load(&path);
        for promise in promised(&system) {
            promises += 1;
            decided += usize::from(agree(&name, &system, promise, &backend));
        }
    }
    assert!(promises >= 20 && 4 * decided >= 3 * promises, "{decided} of {promises}");
}

fn load(path: &Path) -> System {
    let text = std::fs::read_to_string(path).unwrap();
    let file = SourceFile::new(path.display().to_string(), text);
    provoke_lustre::load(&file, None).system.expect("the model is correct")
}

/// The definitions of properties and of outputs that are called as the collection calls them.
fn promised(system: &System) -> Vec<ExprId> {
    let named = |name: &str| matches!(name, "OK" | "ok" | "PROPERTY" | "Property");
    let is_output = |expr: &&ExprId| {
        let defined = system.equations.iter().find(|equation| equation.expr == **expr);
        defined.is_some_and(|equation| {
            let var = &system.vars[equation.var];
            system.outputs.contains(&equation.var) && var.ty == Type::Bool && named(&var.name)
        })
    };
    let equations: Vec<_> = system.equations.iter().map(|equation| equation.expr).collect();
    let properties = system.properties.iter().map(|property| property.expr);
    let mut found: Vec<_> = equations.iter().filter(is_output).copied().collect();
    found.extend(properties.filter(|id| !matches!(system.exprs[*id].kind, ExprKind::Const(_))));
    found
}

/// Whether some engine decides that the promise can be broken or not; all that do agree.
fn agree(name: &str, system: &System, promise: ExprId, backend: &Backend) -> bool {
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(system, &mut terms);
    let lemmas = lemmas(&mut encoder, &mut terms, backend);
    let kept = encoder.value(&mut terms, promise);
    let broken = terms.not(kept);
    let question = about(&mut encoder, &mut terms, broken);
    let usable = lemmas.inside(&mut terms, &question);
    let mut answers = Vec::new();
    for engine in Engine::ALL {
        let mut budget = Budget::new(Limit::work(WORK));
        let plan = ProofPlan { deep: 12, ..ProofPlan::default() };
        match decide(&mut terms, &question, &usable, engine, &plan, backend, &mut budget) {
            GoalVerdict::Unknown { .. } => {}
            GoalVerdict::Unreachable(_) => answers.push((engine, false)),
            GoalVerdict::Reached(witness) => {
                answers.push((engine, true));
                let mut random = Random::new(1);
                let any =
                    |var| provoke_testkit::random_system::value(&mut random, system.vars[var].ty);
                let value = replay(&mut encoder, &mut terms, promise, &witness, any);
                assert_eq!(value, Value::Bool(false), "{name}: {engine:?}");
            }
        }
    }
    assert!(answers.windows(2).all(|pair| pair[0].1 == pair[1].1), "{name}: {answers:?}");
    !answers.is_empty()
}

fn lemmas(encoder: &mut Encoder, terms: &mut Terms, backend: &Backend) -> Lemmas {
    let system = encoder.system();
    let whole = whole(encoder, terms);
    let symbols = delays(system).into_iter().map(|pre| encoder.memory(terms, pre)).collect();
    let mut random = Random::new(7);
    let mut rows = Vec::new();
    for _ in 0..10 {
        let mut simulator = Simulator::new(system);
        for _ in 0..20 {
            let values = inputs(&mut random, system);
            if !simulator.step(&values).is_ok_and(|breaches| breaches.is_empty()) {
                break;
            }
            rows.push(simulator.state().memory().to_vec());
        }
    }
    let mut budget = Budget::new(Limit::work(10 * WORK));
    learn(terms, &whole, &StateSamples::new(symbols, rows), backend, &mut budget)
}
