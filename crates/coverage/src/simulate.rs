//! A model run on given inputs, and compared with what is expected.

use provoke_base::table::one_line;
use provoke_base::{Diagnostic, Error, SourceFile};
use provoke_files::Model;
use provoke_model::{Step, Suite, System, TestCase, Value, VarId};
use provoke_results::{
    BreachResult, BreachWord, Difference, FaultResult, Schema, Simulate, SuiteResult, TestRun,
};
use provoke_sim::{Breach, RuntimeError, SimulationRun};

use crate::tests::{suite_text, variables};

/// What a model does, step by step.
#[derive(Clone, Debug)]
pub struct SimulateOutcome {
    /// All of it, as programs read it.
    pub result: Simulate,
    /// The inputs of each test, with what the chosen variables do.
    pub trace: Suite,
    /// Where runs end because an expression has no value.
    pub faults: Vec<Diagnostic>,
}

/// Runs a model on tests over all its inputs. `show` is `outputs`, `all`, or names separated by commas;
/// `expected` is a suite whose outputs are compared.
pub fn simulate(
    model: &Model,
    inputs: &Suite,
    show: &str,
    expected: Option<&Suite>,
) -> Result<SimulateOutcome, Error> {
    let Model { file, system } = model;
    let shown = shown_variables(system, show)?;
    let run = |test: &TestCase| {
        provoke_sim::run(system, test.steps.iter().map(|step| step.inputs.as_slice()))
    };
    let runs: Vec<SimulationRun> = inputs.tests.iter().map(run).collect();
    let trace = traced(system, &shown, inputs, &runs);
    let mut result = Simulate {
        schema: Schema::default(),
        model: file.name.clone(),
        steps: runs.iter().map(|run| run.trace.steps.len()).sum(),
        tests: test_runs(file, system, inputs, &runs),
        compared: 0,
        undefined: 0,
        differences: Vec::new(),
        ignored: Vec::new(),
        suite: suite_result(&trace)?,
    };
    if let Some(expected) = expected {
        compare(system, expected, &runs, &mut result);
    }
    let faults = runs.iter().filter_map(|run| run.error.as_ref());
    let faults = faults.map(|error| diagnostic(system, error)).collect();
    Ok(SimulateOutcome { result, trace, faults })
}

/// A test of so many steps that leaves every input open.
pub fn open_test(system: &System, steps: usize) -> Suite {
    let mut suite = Suite::for_system(system, &[]);
    let open = Step { inputs: vec![Value::Unknown; system.inputs.len()], outputs: Vec::new() };
    let name = "random".to_string();
    suite.tests.push(TestCase { name, steps: vec![open; steps], ..TestCase::default() });
    suite
}

fn suite_result(trace: &Suite) -> Result<SuiteResult, Error> {
    Ok(serde_json::from_str(&suite_text(trace)?).expect("suites are written as JSON"))
}

/// The variables that are shown.
fn shown_variables(system: &System, show: &str) -> Result<Vec<VarId>, Error> {
    let not_input = |id: &VarId| !system.inputs.contains(id);
    match show {
        "outputs" => Ok(system.outputs.clone()),
        "all" => {
            let locals = system.vars.ids().filter(not_input);
            let locals = locals.filter(|id| !system.outputs.contains(id));
            Ok(system.outputs.iter().copied().chain(locals).collect())
        }
        names => variables(system, names),
    }
}

/// What was done, as a suite with the shown variables as outputs.
fn traced(system: &System, shown: &[VarId], inputs: &Suite, runs: &[SimulationRun]) -> Suite {
    let mut suite = Suite::for_system(system, shown);
    for (test, run) in inputs.tests.iter().zip(runs) {
        let steps = test.steps.iter().zip(&run.trace.steps).map(|(step, values)| Step {
            inputs: step.inputs.clone(),
            outputs: shown.iter().map(|var| values[*var].clone()).collect(),
        });
        suite.tests.push(TestCase { steps: steps.collect(), ..test.clone() });
    }
    suite
}

fn test_runs(
    file: &SourceFile,
    system: &System,
    inputs: &Suite,
    runs: &[SimulationRun],
) -> Vec<TestRun> {
    let one = |(test, run): (&TestCase, &SimulationRun)| TestRun {
        name: test.name.clone(),
        breaches: run.breaches.iter().map(|breach| breach_result(file, system, breach)).collect(),
        fault: run.error.as_ref().map(|error| fault_result(file, system, error)),
    };
    inputs.tests.iter().zip(runs).map(one).collect()
}

fn breach_result(file: &SourceFile, system: &System, breach: &(usize, Breach)) -> BreachResult {
    let (step, breach) = *breach;
    let (kind, what, span) = match breach {
        Breach::Assumption(position) => {
            let span = system.assumptions[position].span;
            (BreachWord::Assumption, one_line(file.slice(span)), span)
        }
        Breach::Range(var) => {
            let var = &system.vars[var];
            (BreachWord::Range, var.name.clone(), var.span)
        }
    };
    BreachResult { step, kind, what, line: file.line_column(span.start).line }
}

fn fault_result(file: &SourceFile, system: &System, error: &RuntimeError) -> FaultResult {
    let span = system.exprs[error.expr].span;
    let place = file.line_column(span.start);
    FaultResult {
        step: error.step,
        message: error.fault.to_string(),
        expression: one_line(file.slice(span)),
        line: place.line,
        column: place.column,
    }
}

fn diagnostic(system: &System, error: &RuntimeError) -> Diagnostic {
    Diagnostic::error("run-time", system.exprs[error.expr].span, error.to_string())
        .label("has no value")
        .help("guard it with `if`, or state with `assert` that the inputs never lead here")
}

/// Compares each expected value with the one computed. An expected value that is left open,
/// and a computed one that is undefined, match anything; the latter are counted.
fn compare(system: &System, expected: &Suite, runs: &[SimulationRun], result: &mut Simulate) {
    let vars: Vec<Option<VarId>> =
        expected.outputs.iter().map(|signal| system.var_named(&signal.name)).collect();
    for (test, run) in expected.tests.iter().zip(runs) {
        for (index, step) in test.steps.iter().enumerate() {
            for (var, wanted) in vars.iter().zip(&step.outputs) {
                let Some(var) = var.filter(|_| wanted.is_known()) else { continue };
                result.compared += 1;
                let found = run.trace.steps.get(index).map(|values| &values[var]);
                match found {
                    Some(Value::Unknown) => result.undefined += 1,
                    Some(found) if found == wanted => {}
                    _ => {
                        let show = |value: &Value| value.show(system.vars[var].ty, &system.enums);
                        result.differences.push(Difference {
                            test: test.name.clone(),
                            step: index + 1,
                            variable: system.vars[var].name.clone(),
                            expected: show(wanted),
                            found: found.map_or_else(|| "no such step".to_string(), show),
                        });
                    }
                }
            }
        }
    }
    for test in expected.tests.iter().skip(runs.len()) {
        result.differences.push(Difference {
            test: test.name.clone(),
            step: 1,
            variable: String::new(),
            expected: "a test of this name".to_string(),
            found: "no such test in the inputs".to_string(),
        });
    }
}
