//! The golden evidence in testdata/golden, made by the audit's evaluator: traces of our models, and
//! verdicts of small models by trying every input in every state. `PROVOKE_UPDATE=1` writes it anew;
//! the tests of the command line compare what `provoke` says with it.

mod support;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};

use provoke_audit::Model;
use provoke_audit::coverage::{Masking, Measure};
use provoke_audit::evaluator::Evaluator;
use provoke_audit::graph::Graph;
use provoke_audit::obligations::{Counting, Obligation, obligations};
use provoke_audit::run::GraphRun;
use provoke_base::Random;
use provoke_model::{Range, Type, Value};
use provoke_testkit::{check_snapshot, files, repository};
use support::{draw, file, is_refused, model};

const STEPS: usize = 30;
/// So often a step is drawn again that leaves the assumptions or faults.
const TRIES: usize = 50;
const CRITERIA: [&str; 4] = ["condition", "decision", "branch", "mcdc"];
/// The most states and the most choices of undefined values of a model that is enumerated.
const MAX_STATES: usize = 2_000;
const MAX_CHOICES: usize = 64;

fn golden() -> PathBuf {
    repository().join("testdata/golden")
}

fn stem(path: &Path) -> String {
    path.file_stem().expect("a file").to_string_lossy().into_owned()
}

#[test]
fn traces_are_those_of_the_evaluator() {
    let mut traces = 0;
    for folder in ["models", "testdata/ok", "testdata/golden"] {
        let paths = files(&repository().join(folder), "lus").into_iter();
        for path in paths.filter(|path| !is_refused(path)) {
            let model = model(&file(&path));
            if let Some(text) = trace(&model) {
                check_snapshot(&golden().join(format!("{}.csv", stem(&path))), &text);
                traces += 1;
            }
        }
    }
    assert!(traces >= 50, "only {traces} traces");
    assert_eq!(files(&golden(), "csv").len(), traces, "a trace without its model");
}

/// Random steps with extreme values, all variables; nothing of a model without inputs.
fn trace(model: &Model) -> Option<String> {
    if model.inputs.is_empty() {
        return None;
    }
    let mut random = Random::new(19);
    let mut evaluator = Evaluator::new(model);
    let vars: Vec<_> = model.vars.ids().collect();
    let mut text =
        vars.iter().map(|var| model.vars[*var].name.clone()).collect::<Vec<_>>().join(",") + "\n";
    for _ in 0..STEPS {
        let Some(next) = (0..TRIES).find_map(|_| step(model, &evaluator, &mut random)) else {
            break;
        };
        evaluator = next;
        let cell = |var: &_| match evaluator.value_of(*var) {
            Value::Unknown => String::new(),
            value => value.show(model.vars[*var].ty, &model.tree.types.enums),
        };
        text += &(vars.iter().map(cell).collect::<Vec<_>>().join(",") + "\n");
        evaluator.advance();
    }
    Some(text)
}

/// The evaluator within a next step that is part of a run.
fn step<'m>(model: &'m Model, from: &Evaluator<'m>, random: &mut Random) -> Option<Evaluator<'m>> {
    let mut evaluator = from.clone();
    let inputs = model.inputs.iter().map(|var| &model.vars[*var]);
    let values: Vec<Value> =
        inputs.map(|var| draw(random, var.ty, var.range.as_ref(), false)).collect();
    evaluator.compute(&values).ok()?;
    (!evaluator.assertions().contains(&Value::Bool(false))).then_some(evaluator)
}

#[test]
fn verdicts_are_those_of_enumeration() {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for path in files(&golden(), "lus") {
        let model = model(&file(&path));
        let graph = Graph::new(&model).expect("small enough");
        let mut text = String::new();
        for (name, verdict) in verdicts(&model, &graph) {
            text += &format!("{verdict} {name}\n");
            *seen.entry(verdict).or_default() += 1;
        }
        check_snapshot(&golden().join(format!("{}.verdicts", stem(&path))), &text);
    }
    for verdict in ["covered", "infeasible", "undefined", "holds", "violated"] {
        assert!(seen.contains_key(verdict), "{seen:?}");
    }
}

/// What is reached in some step of some run.
#[derive(Default)]
struct Reached {
    covered: BTreeSet<String>,
    /// Properties that are false, and those without a value.
    false_: BTreeSet<usize>,
    unknown: BTreeSet<usize>,
}

fn verdicts(model: &Model, graph: &Graph) -> Vec<(String, &'static str)> {
    let all: Vec<Obligation> = CRITERIA
        .iter()
        .flat_map(|word| obligations(graph, word, Counting::Published).expect("a criterion"))
        .collect();
    let known = enumerate(graph, &all, &GraphRun::new(graph));
    let mut possible = Reached::default();
    let choices = choices(graph);
    for choice in choices.iter().flatten() {
        let reached = enumerate(graph, &all, choice);
        possible.covered.extend(reached.covered);
        possible.false_.extend(reached.false_);
    }
    let of_obligation = |obligation: &Obligation| match choices {
        _ if known.covered.contains(&obligation.id) => "covered",
        Some(_) if !possible.covered.contains(&obligation.id) => "infeasible",
        Some(_) => "undefined",
        // Numbers that are undefined are too many to try.
        None => "not-covered",
    };
    let of_property = |at: usize| match choices {
        _ if known.false_.contains(&at) || possible.false_.contains(&at) => "violated",
        None if known.unknown.contains(&at) => panic!("a property that is undefined"),
        _ => "holds",
    };
    let mut found: Vec<(String, &str)> =
        all.iter().map(|obligation| (obligation.id.clone(), of_obligation(obligation))).collect();
    let names = model.properties.iter().enumerate();
    found.extend(names.map(|(at, property)| (property.name.clone(), of_property(at))));
    found
}

/// All values that every `pre` may have in the first step, if they are truth values.
fn choices<'g>(graph: &'g Graph) -> Option<Vec<GraphRun<'g>>> {
    let mut runs = vec![GraphRun::new(graph)];
    for &(pre, _) in &graph.delays {
        if graph.nodes[pre].ty != Type::Bool || runs.len() * 2 > MAX_CHOICES {
            return None;
        }
        runs = runs
            .into_iter()
            .flat_map(|run| {
                [false, true].map(|value| {
                    let mut run = run.clone();
                    run.set_undefined(pre, Value::Bool(value));
                    run
                })
            })
            .collect();
    }
    Some(runs)
}

/// Tries every input in every state that is reached.
fn enumerate(graph: &Graph, all: &[Obligation], start: &GraphRun<'_>) -> Reached {
    let measure = Measure::new(graph, Masking::Strict, None, Vec::new());
    let inputs = all_inputs(graph);
    let mut reached = Reached::default();
    let mut known = BTreeSet::new();
    let mut open = VecDeque::from([start.clone()]);
    while let Some(from) = open.pop_front() {
        for row in &inputs {
            let mut run = from.clone();
            if run.step(row, None).is_err() {
                continue;
            }
            let value = |node| run.value(node).cloned();
            if graph.assertions.iter().any(|node| value(*node) == Some(Value::Bool(false))) {
                continue;
            }
            reached
                .covered
                .extend(measure.exercised(all, &run).into_iter().map(|at| all[at].id.clone()));
            for (at, &property) in graph.properties.iter().enumerate() {
                match value(property) {
                    Some(Value::Bool(true)) => {}
                    Some(Value::Bool(false)) => drop(reached.false_.insert(at)),
                    _ => drop(reached.unknown.insert(at)),
                }
            }
            let state: Vec<String> = graph
                .delays
                .iter()
                .map(|(_, operand)| format!("{:?}", run.value(*operand)))
                .collect();
            if known.insert(state) {
                assert!(known.len() <= MAX_STATES, "too many states");
                open.push_back(run);
            }
        }
    }
    reached
}

/// Every row of inputs.
fn all_inputs(graph: &Graph) -> Vec<Vec<Value>> {
    let mut rows = vec![Vec::new()];
    for &input in &graph.inputs {
        let values = all_values(graph.cells[input].ty, graph.cells[input].range.as_ref());
        rows = rows
            .into_iter()
            .flat_map(|row: Vec<Value>| {
                values.iter().map(move |value| [row.clone(), vec![value.clone()]].concat())
            })
            .collect();
    }
    rows
}

fn all_values(ty: Type, range: Option<&Range>) -> Vec<Value> {
    match (ty, range) {
        (Type::Bool, _) => vec![Value::Bool(false), Value::Bool(true)],
        (Type::Enum(_), _) => (0..3).map(Value::Enum).collect(),
        (Type::Int, Some(range)) => {
            let all = (-10..=10).map(provoke_base::Int::from);
            all.filter(|n| range.low <= *n && *n <= range.high).map(Value::Int).collect()
        }
        _ => panic!("too many values"),
    }
}
