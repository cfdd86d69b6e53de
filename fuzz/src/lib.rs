//! What the fuzz targets share: what must hold for every text that claims to be a model.

use provoke_base::{Random, SourceFile};
use provoke_lustre::{load, print, transform};
use provoke_model::{System, Value};

/// Loads a text, shows whatever is said about it, and exercises what comes out.
pub fn exercise(file: &SourceFile) {
    let loaded = load(file, None);
    for diagnostic in &loaded.diagnostics {
        assert!(!diagnostic.render(file, false).is_empty());
    }
    let errors = loaded.diagnostics.iter().any(|diagnostic| diagnostic.is_error());
    assert_eq!(errors, loaded.system.is_none(), "a system, or an error that says why not");
    if let Some(system) = loaded.system {
        simulate(&system);
        reread(&system);
    }
}

/// A few steps with known and unknown inputs; faults are fine, panics are not.
fn simulate(system: &System) {
    if system.exprs.len() > 20_000 {
        return;
    }
    let mut random = Random::new(1);
    let rows: Vec<Vec<Value>> = (0..3).map(|_| row(&mut random, system)).collect();
    provoke_sim::run(system, rows.iter().map(Vec::as_slice));
    let split = transform::split(system);
    provoke_sim::run(&split, rows.iter().map(Vec::as_slice));
}

fn row(random: &mut Random, system: &System) -> Vec<Value> {
    let value = |random: &mut Random, ty| match (random.below(3), ty) {
        (0, _) => Value::Unknown,
        (_, provoke_model::Type::Bool) => Value::Bool(random.chance(1, 2)),
        (_, provoke_model::Type::Int) => Value::from(random.below(9) as i64 - 4),
        (_, provoke_model::Type::Enum(_)) => Value::Enum(0),
        (_, provoke_model::Type::Real) => {
            Value::Real(provoke_base::Rational::from(&provoke_base::Int::from(random.below(5) as i64)))
        }
    };
    system.inputs.iter().map(|var| value(random, system.vars[*var].ty)).collect()
}

/// What is printed can be read, and reads back the same.
fn reread(system: &System) {
    let Ok(text) = print::print(system) else { return };
    if text.len() > 200_000 {
        return;
    }
    let file = SourceFile::new("printed.lus", text.clone());
    let loaded = load(&file, None);
    let Some(again) = loaded.system else {
        let first = loaded.diagnostics.iter().find(|d| d.is_error()).expect("an error");
        panic!("printed text is rejected: {}\n{text}", first.render(&file, false));
    };
    assert_eq!(print::print(&again).as_ref(), Ok(&text));
}

/// Loads an UPPAAL file, shows whatever is said about it, and asks and runs what comes out.
pub fn exercise_timed(file: &SourceFile) {
    let loaded = provoke_uppaal::load(file);
    for diagnostic in &loaded.diagnostics {
        assert!(!diagnostic.render(file, false).is_empty());
    }
    let errors = loaded.diagnostics.iter().any(|diagnostic| diagnostic.is_error());
    assert_eq!(errors, loaded.network.is_none(), "a network, or an error that says why not");
    let Some(network) = loaded.network else { return };
    assert!(provoke_uppaal::draw::svg(&network).ends_with("</svg>\n"));
    assert!(provoke_uppaal::draw::dot(&network).ends_with("}\n"));
    if network.clocks.len() > 20 || network.cells.len() > 1000 {
        return;
    }
    let batches = std::sync::atomic::AtomicU32::new(0);
    let stop = |_| {
        let over = batches.fetch_add(1, std::sync::atomic::Ordering::Relaxed) > 20;
        over.then_some(provoke_base::StopReason::Time)
    };
    let order = provoke_zones::Order::Depth;
    let effort = provoke_zones::SearchEffort { order, jobs: 1, bytes: 64 << 20, stop: &stop };
    for query in network.queries.iter().take(3) {
        if let Ok(question) = &query.question {
            let answer = provoke_zones::verify(&network, question, effort);
            let wrong = answer.reason.is_some_and(|reason| reason.text.contains("please report"));
            assert!(!wrong, "a trace that could not be replayed");
        }
    }
    if network.not_followed.is_empty() {
        let mut simulator = provoke_stochastic::RandomSimulator::new(&network);
        simulator.begin(1, 1);
        for _ in 0..20 {
            match simulator.draw() {
                Ok(provoke_stochastic::run::Next::Act(delay, process)) => {
                    if simulator.act(delay, process).is_err() {
                        break;
                    }
                }
                _ => break,
            }
        }
    }
}
