//! Obligations and their coverage, derived anew, against those that the tool lists and measures.

mod support;

use std::collections::BTreeSet;

use provoke_audit::coverage::{Exact, Masking, Measure};
use provoke_audit::evaluator::Evaluator;
use provoke_audit::graph::Graph;
use provoke_audit::instances::Model;
use provoke_audit::obligations::{Counting, Obligation, obligations};
use provoke_base::{Random, SourceFile};
use provoke_criteria::{self as criteria, Oracle};
use provoke_model::{System, Value};
use provoke_testkit::random_system::{self, Shape};
use support::{draw, file, model, models};

const CRITERIA: [&str; 8] =
    ["condition", "decision", "branch", "mcdc", "ocondition", "odecision", "obranch", "omcdc"];

#[test]
fn ids_and_counts_are_those_that_the_tool_lists() {
    let mut compared = 0;
    for path in models() {
        let file = file(&path);
        let Some(system) = provoke_lustre::load(&file, None).system else { continue };
        let graph = Graph::new(&model(&file)).expect("small enough");
        for word in CRITERIA {
            let criterion = criteria::Criterion::named(word).expect("a criterion");
            let pairs = [
                (Counting::Published, criteria::Counting::Published),
                (Counting::Precise, criteria::Counting::Precise),
            ];
            for (ours, theirs) in pairs {
                let found = obligations(&graph, word, ours).expect("a criterion");
                let ids: BTreeSet<&str> = found.iter().map(|found| found.id.as_str()).collect();
                let listed = criteria::obligations(&system, criterion, theirs);
                let listed_ids: BTreeSet<&str> = listed.iter().map(|one| one.id.as_str()).collect();
                assert_eq!(ids, listed_ids, "{} {word}", path.display());
                assert_eq!(found.len(), listed.len(), "{} {word}", path.display());
                compared += found.len();
            }
        }
    }
    assert!(compared > 20_000, "only {compared} obligations");
}

/// How many steps of a test are those of a run, whatever is undefined.
fn inside(model: &Model, steps: &[Vec<Value>]) -> usize {
    let mut evaluator = Evaluator::new(model);
    let mut goes_on = |inputs: &&Vec<Value>| {
        let computed = evaluator.compute(inputs).is_ok() && !evaluator.is_doubtful();
        let kept = computed && !evaluator.assertions().contains(&Value::Bool(false));
        evaluator.advance();
        kept
    };
    steps.iter().take_while(|inputs| goes_on(inputs)).count()
}

/// Measures a random test both ways, for one criterion, and compares.
fn compare(here: &str, system: &System, model: &Model, word: &str, random: &mut Random) -> usize {
    let graph = &Graph::new(model).expect("small enough");
    let steps: Vec<Vec<Value>> = (0..10)
        .map(|_| {
            let inputs = system.inputs.iter().map(|var| &system.vars[*var]);
            inputs.map(|var| draw(random, var.ty, var.range.as_ref(), true)).collect()
        })
        .collect();
    let criterion = criteria::Criterion::named(word).expect("a criterion");
    let listed = criteria::obligations(system, criterion, criteria::Counting::Published);
    let ours = obligations(graph, word, Counting::Published).expect("a criterion");
    let monitored: Vec<_> = system
        .outputs
        .iter()
        .map(|var| graph.cell_named(&system.vars[*var].name).expect("a cell"))
        .collect();
    let exact = match random.below(3) {
        0 => None,
        1 => Some((Exact::Step, criteria::ExactChange::Step)),
        _ => Some((Exact::Stuck, criteria::ExactChange::Stuck)),
    };
    let exact = exact.filter(|_| criterion.observable);
    let maskings = [
        (Masking::Strict, criteria::Masking::Strict),
        (Masking::Original, criteria::Masking::Original),
        (Masking::ShortCircuit, criteria::Masking::ShortCircuit),
    ];
    let (masking, their_masking) = maskings[random.below(3)];
    let measure = Measure::new(graph, masking, exact.map(|exact| exact.0), monitored);
    let id = |obligation: &Obligation| obligation.id.clone();
    let found: BTreeSet<String> = measure
        .covered(&ours, &steps[..inside(model, &steps)])
        .into_iter()
        .map(|at| id(&ours[at]))
        .collect();
    let covered = match exact {
        None => {
            let tests = [steps.as_slice()];
            criteria::matrix(system, &listed, their_masking, &Oracle::Outputs, tests)
                .tests
                .remove(0)
                .into_iter()
                .map(|at| at as usize)
                .collect()
        }
        Some((_, exact)) => {
            criteria::ExactMeasurement::new(system, &listed, exact, their_masking, &Oracle::Outputs)
                .of_every_test()
                .run_test(&steps)
                .covered
        }
    };
    let expected: BTreeSet<String> = covered.into_iter().map(|at| listed[at].id.clone()).collect();
    assert_eq!(found, expected, "{here} {word} {masking:?} {exact:?} {steps:?}");
    found.len()
}

#[test]
fn coverage_of_real_models_is_what_the_tool_measures() {
    let mut random = Random::new(5);
    let mut covered = 0;
    for path in models() {
        let file = file(&path);
        let Some(system) = provoke_lustre::load(&file, None).system else { continue };
        if system.exprs.len() > 1_500 {
            continue;
        }
        let model = model(&file);
        for word in CRITERIA {
            covered += compare(&path.display().to_string(), &system, &model, word, &mut random);
        }
    }
    assert!(covered > 5_000, "only {covered} obligations covered");
}

#[test]
fn coverage_of_random_systems_is_what_the_tool_measures() {
    let mut random = Random::new(11);
    let mut covered = 0;
    for round in 0..400 {
        let shape = Shape { hazards: round % 2 == 0, machines: round % 3 == 0, ..Shape::MIXED };
        let system = random_system::system(&mut random, shape);
        let text = provoke_lustre::print::print(&system).expect("short");
        let file = SourceFile::new("random.lus", text);
        let read = provoke_lustre::load(&file, None).system.expect("a system");
        let model = model(&file);
        for word in CRITERIA {
            covered += compare(&file.text, &read, &model, word, &mut random);
        }
    }
    assert!(covered > 5_000, "only {covered} obligations covered");
}

#[test]
fn a_tag_arrives_with_the_shortest_beginning_of_a_test_that_is_covered() {
    let mut random = Random::new(17);
    let mut arrived = 0;
    for _ in 0..80 {
        let system = random_system::system(&mut random, Shape::MIXED);
        let text = provoke_lustre::print::print(&system).expect("short");
        let file = SourceFile::new("random.lus", text);
        let read = provoke_lustre::load(&file, None).system.expect("a system");
        let graph = Graph::new(&model(&file)).expect("small enough");
        let row = |random: &mut Random| -> Vec<Value> {
            let inputs = read.inputs.iter().map(|var| &read.vars[*var]);
            inputs.map(|var| draw(random, var.ty, var.range.as_ref(), true)).collect()
        };
        let steps: Vec<Vec<Value>> = (0..8).map(|_| row(&mut random)).collect();
        let names = read.outputs.iter().map(|var| &read.vars[*var].name);
        let monitored = names.map(|name| graph.cell_named(name).expect("a cell")).collect();
        let measure = Measure::new(&graph, Masking::Strict, None, monitored);
        for word in ["ocondition", "odecision", "obranch", "omcdc"] {
            let asked = obligations(&graph, word, Counting::Published).expect("a criterion");
            let found = measure.arrivals(&asked.iter().collect::<Vec<_>>(), &steps);
            let mut first = vec![None; asked.len()];
            for length in (1..=steps.len()).rev() {
                for at in measure.covered(&asked, &steps[..length]) {
                    first[at] = Some(length);
                }
            }
            assert_eq!(found, first, "{word} {steps:?}\n{}", file.text);
            arrived += found.iter().flatten().count();
        }
    }
    assert!(arrived > 500, "only {arrived} tags arrived");
}
