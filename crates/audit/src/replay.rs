//! The tests of a suite, run again.

use std::collections::BTreeMap;

use provoke_model::{Range, Value};

use crate::evaluator::Evaluator;
use crate::folder::{Expected, Step, Suite, Test};
use crate::graph::{CellId, Graph};
use crate::instances::{Model, Named};
use crate::run::GraphRun;

/// What a test does.
#[derive(Clone, Default, Debug)]
pub(crate) struct Replayed {
    /// How many of its first steps form a run: inputs in their types, assumptions kept, no fault.
    pub(crate) steps: usize,
    /// Why the run ends before the test does.
    pub(crate) ends: Option<String>,
    /// Why nothing can be said about it.
    pub(crate) wrong: Option<String>,
    /// The first value that the test expects and the model does not compute, and how many there are. What the
    /// test covers does not depend on it.
    pub(crate) contradiction: Option<String>,
    contradictions: usize,
    /// How often each variable that tests compare has a value and none is expected, by position.
    pub(crate) unexpected: Vec<usize>,
    /// The properties that are false in some step of the run, by position, and the first such step.
    pub(crate) violates: BTreeMap<usize, usize>,
    /// Whether there was no time left to run it.
    pub(crate) skipped: bool,
}

/// Runs all tests of a suite, as far as there is time.
pub(crate) fn replay_all(
    model: &Model,
    graph: &Graph,
    suite: &Suite,
    stop: &dyn Fn() -> bool,
) -> Vec<Replayed> {
    let run = |test: &Test| match stop() {
        true => Replayed { skipped: true, ..Replayed::default() },
        false => replay(model, graph, suite, test),
    };
    suite.tests.iter().map(run).collect()
}

/// Runs a test on the tree and on the graph.
fn replay(model: &Model, graph: &Graph, suite: &Suite, test: &Test) -> Replayed {
    let compared: Vec<Option<Named>> = suite.outputs.iter().map(|name| model.named(name)).collect();
    let mut evaluator = Evaluator::new(model);
    let mut run = GraphRun::new(graph);
    let mut done = Replayed { unexpected: vec![0; suite.outputs.len()], ..Replayed::default() };
    for (at, step) in test.steps.iter().enumerate() {
        let number = at + 1;
        if let Some(outside) = outside(model, &step.inputs) {
            done.ends.get_or_insert(format!("step {number}: {outside}"));
        }
        if let Err(fault) = evaluator.compute(&step.inputs) {
            let line = line(model, fault.part.expr);
            let why = format!("step {number}: {} in line {line}", fault.fault);
            if done.ends.is_none() {
                done.expected_of_nothing(&test.steps[at..], &why);
            }
            done.ends.get_or_insert(why);
            return done;
        }
        if evaluator.is_doubtful() {
            let why = "an undefined value may divide by zero";
            done.ends.get_or_insert(format!("step {number}: {why}"));
        }
        if let Some(differs) = twin_differs(model, &evaluator, &mut run, &step.inputs) {
            done.wrong.get_or_insert(format!("step {number}: {differs}"));
            return done;
        }
        let broken = evaluator.assertions().iter().position(|value| *value == Value::Bool(false));
        if let Some(position) = broken {
            let line = line(model, model.assertions[position].part.expr);
            done.ends.get_or_insert(format!("step {number} breaks the assertion in line {line}"));
        }
        if done.ends.is_none() {
            done.steps = number;
            let value = |position: usize| compared[position].map(|named| evaluator.named(named));
            done.count_unexpected(&step.expected, value);
            for (position, expected) in &step.expected {
                let found = value(*position);
                if differs(found.as_ref(), expected) {
                    let name = &suite.outputs[*position];
                    let words = mismatch(model, compared[*position], found, expected);
                    done.contradiction.get_or_insert(format!("step {number}: `{name}` {words}"));
                    done.contradictions += 1;
                }
            }
            for (position, property) in graph.properties.iter().enumerate() {
                if run.truth(*property) == Some(false) {
                    done.violates.entry(position).or_insert(number);
                }
            }
        }
        evaluator.advance();
    }
    done
}

/// Whether an expected value is not the one found; of what is undefined, any is right.
fn differs(found: Option<&Value>, expected: &Value) -> bool {
    expected.is_known() && found.is_none_or(|found| found.is_known() && found != expected)
}

impl Replayed {
    /// Notes what is expected from a step on that has no values.
    fn expected_of_nothing(&mut self, steps: &[Step], why: &str) {
        let expected = steps.iter().flat_map(|step| &step.expected);
        let count = expected.filter(|(_, value)| value.is_known()).count();
        if count > 0 {
            let told = format!("{why}, and the test expects values from there on");
            self.contradiction.get_or_insert(told);
            self.contradictions += count;
        }
    }

    /// Counts the variables that have a value in a step of which the test expects nothing.
    fn count_unexpected(
        &mut self,
        expected: &[(Expected, Value)],
        found: impl Fn(usize) -> Option<Value>,
    ) {
        let mut is_open = vec![true; self.unexpected.len()];
        for (at, _) in expected.iter().filter(|(_, value)| value.is_known()) {
            is_open[*at] = false;
        }
        for (at, count) in self.unexpected.iter_mut().enumerate().filter(|(at, _)| is_open[*at]) {
            *count += usize::from(found(at).is_some_and(|value| value.is_known()));
        }
    }

    /// What the test says and the model does not do.
    pub(crate) fn troubles(&self, test: &str) -> impl Iterator<Item = String> {
        let more = match self.contradictions {
            0 | 1 => String::new(),
            count => format!(", and {} more differences", count - 1),
        };
        let contradiction = self.contradiction.as_ref().map(|first| format!("{first}{more}"));
        let told = self.wrong.clone().into_iter().chain(contradiction);
        told.map(move |what| format!("test {test}: {what}"))
    }
}

/// An input outside its range.
pub(crate) fn outside(model: &Model, inputs: &[Value]) -> Option<String> {
    let inside = |range: &Range, value: &Value| match value {
        Value::Int(value) => range.low <= *value && *value <= range.high,
        _ => true,
    };
    model.inputs.iter().zip(inputs).find_map(|(var, value)| {
        let var = &model.vars[*var];
        let range = var.range.as_ref().filter(|range| !inside(range, value))?;
        Some(format!("input `{}` is outside [{}, {}]", var.name, range.low, range.high))
    })
}

/// Whether the graph says something else than the tree, which would be a fault of the audit.
fn twin_differs(
    model: &Model,
    evaluator: &Evaluator<'_>,
    run: &mut GraphRun<'_>,
    inputs: &[Value],
) -> Option<String> {
    if let Err(fault) = run.step(inputs, None) {
        return Some(format!("the audit's own two evaluations differ: {fault}"));
    }
    let differs = |var: &crate::instances::VarId| {
        let cell: CellId = provoke_base::index::Id::new(provoke_base::index::Id::index(*var));
        evaluator.value_of(*var) != *run.cell(cell)
    };
    let var = model.vars.ids().find(differs)?;
    Some(format!("the audit's own two evaluations differ in `{}`", model.vars[var].name))
}

fn mismatch(model: &Model, named: Option<Named>, found: Option<Value>, expected: &Value) -> String {
    let enums = &model.tree.types.enums;
    let show = |value: &Value| match named {
        Some(named) if value.is_known() => value.show(model.type_of(named), enums),
        _ => "undefined".to_string(),
    };
    let found = found.unwrap_or(Value::Unknown);
    format!("is {}, the test expects {}", show(&found), show(expected))
}

/// The line in which an expression starts.
pub(crate) fn line(model: &Model, expr: provoke_lustre::tree::ExprId) -> usize {
    let start = model.tree.program.exprs[expr].span.start;
    model.tree.file.line_column(start).line
}
