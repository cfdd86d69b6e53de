//! `provoke simulate`: run a model on given inputs, show and compare what it does.

use std::path::Path;

use provoke_base::{Diagnostic, SourceFile};
use provoke_model::{Step, Suite, System, TestCase, Value, VarId};
use provoke_results::{
    BreachResult, BreachWord, Difference, FaultResult, Schema, Simulate, SuiteResult, TestRun,
    to_json,
};
use provoke_sim::{Breach, Run, RuntimeError};
use provoke_suite::{Format, Typing};

use crate::args::{Fill, SimulateArgs};
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::subject;
use crate::trace_view;

pub(crate) fn run(args: &SimulateArgs, output: &Output) -> Result<Outcome, Failure> {
    let (file, system) = files::model(&args.model.model, args.model.main.as_deref(), output)?;
    let shown = shown_variables(&system, &args.show)?;
    let (inputs, ignored) = inputs(args, &system)?;
    let runs: Vec<Run> = inputs.tests.iter().map(|test| simulate(&system, test)).collect();
    let traced = traced(&system, &shown, &inputs, &runs);
    let mut result = Simulate {
        schema: Schema::default(),
        model: file.name.clone(),
        steps: runs.iter().map(|run| run.trace.steps.len()).sum(),
        tests: test_runs(&file, &system, &inputs, &runs),
        compared: 0,
        undefined: 0,
        differences: Vec::new(),
        ignored,
        suite: SuiteResult::default(),
    };
    if let Some(path) = &args.expect {
        let expected = files::suite(path, None, Typing::System(&system))?.suite;
        compare(&system, &expected, &runs, &mut result);
    }
    if let Some(path) = &args.output {
        write_trace(output, path, &traced)?;
    }
    if output.is_json() {
        result.suite = suite_json(&traced)?;
        output.result(&to_json(&result));
    } else {
        describe(args, output, &traced, &result);
        for error in runs.iter().filter_map(|run| run.error.as_ref()) {
            output.note(&diagnostic(&system, error).render(&file, output.color_on_stderr()));
        }
    }
    Ok(match &result {
        _ if runs.iter().any(|run| run.error.is_some()) => Outcome::WrongInput,
        result if !result.differences.is_empty() => Outcome::Negative,
        _ => Outcome::Well,
    })
}

/// The variables that `--show` names.
fn shown_variables(system: &System, show: &str) -> Result<Vec<VarId>, Failure> {
    let not_input = |id: &VarId| !system.inputs.contains(id);
    match show {
        "outputs" => Ok(system.outputs.clone()),
        "all" => {
            let locals = system.vars.ids().filter(not_input);
            let locals = locals.filter(|id| !system.outputs.contains(id));
            Ok(system.outputs.iter().copied().chain(locals).collect())
        }
        names => Ok(subject::variables(system, names)?),
    }
}

/// The inputs to run on, one value for each input of the model at each step.
fn inputs(args: &SimulateArgs, system: &System) -> Result<(Suite, Vec<String>), Failure> {
    let (mut suite, ignored) = match &args.inputs {
        Some(path) => {
            let read = subject::tests(path, system)?;
            (read.suite, read.ignored)
        }
        None => (random(system, args.steps as usize), Vec::new()),
    };
    let fill = if args.inputs.is_none() { Fill::Random } else { args.fill };
    subject::fill(&mut suite, system, fill.into(), args.seed);
    Ok((suite, ignored))
}

fn random(system: &System, steps: usize) -> Suite {
    let mut suite = Suite::for_system(system, &[]);
    let open = Step { inputs: vec![Value::Unknown; system.inputs.len()], outputs: Vec::new() };
    let name = "random".to_string();
    suite.tests.push(TestCase { name, covers: Vec::new(), steps: vec![open; steps] });
    suite
}

fn simulate(system: &System, test: &TestCase) -> Run {
    provoke_sim::run(system, test.steps.iter().map(|step| step.inputs.as_slice()))
}

/// What was done, as a suite with the shown variables as outputs.
fn traced(system: &System, shown: &[VarId], inputs: &Suite, runs: &[Run]) -> Suite {
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

fn test_runs(file: &SourceFile, system: &System, inputs: &Suite, runs: &[Run]) -> Vec<TestRun> {
    let one = |(test, run): (&TestCase, &Run)| TestRun {
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

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn diagnostic(system: &System, error: &RuntimeError) -> Diagnostic {
    Diagnostic::error("run-time", system.exprs[error.expr].span, error.to_string())
        .label("has no value")
        .help("guard it with `if`, or state with `assert` that the inputs never lead here")
}

/// Compares each expected value with the one computed. An expected value that is left open,
/// and a computed one that is undefined, match anything; the latter are counted.
fn compare(system: &System, expected: &Suite, runs: &[Run], result: &mut Simulate) {
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

fn write_trace(output: &Output, path: &Path, traced: &Suite) -> Result<(), Failure> {
    let name = path.display().to_string();
    let Some(format) = Format::from_name(&name) else {
        let message = format!("cannot infer the output format from `{name}`");
        return Err(Failure::input(message, "use .csv, .json, .vcd, .xlsx or .sss"));
    };
    for written in files::write_suite(output, traced, path, format)? {
        output.note(&format!("wrote {}\n", written.display()));
    }
    Ok(())
}

fn suite_json(traced: &Suite) -> Result<SuiteResult, Failure> {
    let files = provoke_suite::write(traced, Format::Json)
        .map_err(|error| Failure::Input { message: error.message, hint: error.hint })?;
    Ok(serde_json::from_slice(&files[0].bytes).expect("suites are written as JSON"))
}

const SHOWN_DIFFERENCES: usize = 20;

fn describe(args: &SimulateArgs, output: &Output, traced: &Suite, result: &Simulate) {
    for (test, run) in traced.tests.iter().zip(&result.tests) {
        if args.output.is_none() && args.expect.is_none() {
            if traced.tests.len() > 1 {
                output.result(&format!("{}:\n", test.name));
            }
            output.result(&trace_view::show(traced, test));
        }
        for breach in &run.breaches {
            output.warning(&match breach.kind {
                BreachWord::Assumption => format!(
                    "step {}: outside the model's assumption `{}` (line {})",
                    breach.step, breach.what, breach.line
                ),
                BreachWord::Range => format!(
                    "step {}: `{}` is outside its subrange (line {})",
                    breach.step, breach.what, breach.line
                ),
            });
        }
    }
    if !result.ignored.is_empty() {
        output.note(&format!("ignored what names no variable: {}\n", result.ignored.join(", ")));
    }
    if args.expect.is_none() {
        return;
    }
    for d in result.differences.iter().take(SHOWN_DIFFERENCES) {
        output.result(&format!(
            "{}, step {}: {} is {}, expected {}\n",
            d.test, d.step, d.variable, d.found, d.expected
        ));
    }
    if result.differences.len() > SHOWN_DIFFERENCES {
        output.result(&format!("... {} more\n", result.differences.len() - SHOWN_DIFFERENCES));
    }
    output.result(&format!(
        "{} steps, {} values compared, {} undefined, {} differences\n",
        result.steps,
        result.compared,
        result.undefined,
        result.differences.len()
    ));
}
