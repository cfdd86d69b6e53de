//! How the engines do on the condition obligations of benchmark models.
//!
//! `cargo bench -p provoke-solve --bench engines [-- [--work UNITS] [--engine WORD] MODEL...]`

#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use provoke_base::{Random, SourceFile};
use provoke_criteria::criterion::Criterion;
use provoke_criteria::obligation::obligations;
use provoke_criteria::target::Counting;
use provoke_model::{ExprKind, System, Type, Value};
use provoke_sim::Simulator;
use provoke_sim::interpreter::delays;
use provoke_solve::engine::{
    Backend, Budget, Engine, GoalVerdict, Lemmas, ProofPlan, StateSamples, about, decide, learn,
    whole,
};
use provoke_solve::z3::Z3Library;
use provoke_solve::{Encoder, Limit, TermId, Terms};

const MODELS: [&str; 7] = [
    "DragonAll2",
    "TwistedCounters",
    "PetersonAll",
    "Readwrit",
    "HysteresisAll",
    "Gas",
    "ProducerConsumerAll",
];

struct Options {
    work: u64,
    engine: Engine,
    lemmas: bool,
    models: Vec<String>,
}

fn main() {
    let options = options();
    let Some(folder) = provoke_testkit::shared("models/lustre/single_node") else { return };
    let library = match Z3Library::load() {
        Ok(library) => library,
        Err(missing) => return println!("{missing}"),
    };
    for model in &options.models {
        let path = folder.join(format!("{model}.lus"));
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        let file = SourceFile::new(path.display().to_string(), text);
        match provoke_lustre::load(&file, None).system {
            Some(system) => bench(model, &system, &options, &Backend::new(&library)),
            None => println!("{model}: not loaded"),
        }
    }
}

fn options() -> Options {
    let mut options =
        Options { work: 20_000_000, engine: Engine::All, lemmas: true, models: Vec::new() };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().expect("an option has a value");
        match argument.as_str() {
            "--bench" => {}
            "--no-lemmas" => options.lemmas = false,
            "--work" => options.work = value().parse().expect("a number"),
            "--engine" => options.engine = Engine::named(&value()).expect("an engine"),
            model => options.models.push(model.to_string()),
        }
    }
    if options.models.is_empty() {
        options.models = MODELS.map(String::from).to_vec();
    }
    options
}

fn bench(model: &str, system: &System, options: &Options, backend: &Backend) {
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(system, &mut terms);
    let started = Instant::now();
    let lemmas =
        if options.lemmas { lemmas(&mut encoder, &mut terms, backend) } else { Lemmas::default() };
    let learning = started.elapsed();
    let goals = goals(&mut encoder, &mut terms);
    let mut counts: BTreeMap<String, (usize, Duration)> = BTreeMap::new();
    for (id, goal) in &goals {
        let goal = *goal;
        let question = about(&mut encoder, &mut terms, goal);
        let usable = lemmas.inside(&mut terms, &question);
        let started = Instant::now();
        let mut budget = Budget::new(Limit::work(options.work));
        let plan = ProofPlan::default();
        let verdict =
            decide(&mut terms, &question, &usable, options.engine, &plan, backend, &mut budget);
        if verdict.is_unknown() {
            println!("{model}: {id}: {:.2} s", started.elapsed().as_secs_f64());
        }
        let (count, time) = counts.entry(kind(&verdict)).or_default();
        *count += 1;
        *time += started.elapsed();
    }
    println!(
        "{model}: {} goals, {} lemmas in {:.2} s",
        goals.len(),
        lemmas.terms.len(),
        learning.as_secs_f64()
    );
    for (kind, (count, time)) in counts {
        println!("  {count:4} {kind:50} {:.2} s", time.as_secs_f64());
    }
}

fn kind(verdict: &GoalVerdict) -> String {
    match verdict {
        GoalVerdict::Reached(witness) if witness.steps.len() <= 6 => {
            "reached in 6 steps".to_string()
        }
        GoalVerdict::Reached(_) => "reached deeper".to_string(),
        GoalVerdict::Unreachable(proof) => format!("unreachable by {}", proof.engine),
        GoalVerdict::Unknown { why, .. } => format!("unknown: {why:?}"),
    }
}

/// The condition obligations, each different one once.
fn goals(encoder: &mut Encoder, terms: &mut Terms) -> Vec<(String, TermId)> {
    let criterion = Criterion::named("condition").expect("a criterion");
    let mut goals: Vec<(String, TermId)> = Vec::new();
    for obligation in obligations(encoder.system(), criterion, Counting::Precise) {
        let value = encoder.value(terms, obligation.expr);
        let goal = if obligation.outcome { value } else { terms.not(value) };
        if goals.iter().all(|(_, other)| *other != goal) {
            goals.push((obligation.id, goal));
        }
    }
    goals
}

fn lemmas(encoder: &mut Encoder, terms: &mut Terms, backend: &Backend) -> Lemmas {
    let system = encoder.system();
    let whole = whole(encoder, terms);
    let symbols = delays(system).into_iter().map(|pre| encoder.memory(terms, pre)).collect();
    let samples = StateSamples::new(symbols, simulated(system));
    let mut budget = Budget::new(Limit::work(200_000_000));
    learn(terms, &whole, &samples, backend, &mut budget)
}

/// States of random runs whose inputs come from the model's constants.
fn simulated(system: &System) -> Vec<Vec<Value>> {
    let mut random = Random::new(1);
    let constants: Vec<Value> = system
        .exprs
        .iter()
        .filter_map(|expr| match &expr.kind {
            ExprKind::Const(value) => Some(value.clone()),
            _ => None,
        })
        .collect();
    let mut rows = Vec::new();
    for _ in 0..60 {
        let mut simulator = Simulator::new(system);
        for _ in 0..40 {
            let inputs: Vec<Value> = system
                .inputs
                .iter()
                .map(|var| draw(&mut random, system.vars[*var].ty, &constants))
                .collect();
            if !simulator.step(&inputs).is_ok_and(|breaches| breaches.is_empty()) {
                break;
            }
            rows.push(simulator.state().memory().to_vec());
        }
    }
    rows
}

fn draw(random: &mut Random, ty: Type, constants: &[Value]) -> Value {
    let fitting: Vec<_> = constants.iter().filter(|value| value.fits(ty)).collect();
    if ty == Type::Bool || fitting.is_empty() || random.chance(1, 3) {
        return provoke_testkit::random_system::value(random, ty);
    }
    (*random.pick(&fitting)).clone()
}
