//! What there is to say about what ends the runs of a model: its assertions, and divisions by zero.

use std::time::Duration;

use provoke_base::{Diagnostic, Error, ErrorCode, SourceFile, Span};
use provoke_model::{ExprId, System, Value};
use provoke_results::AssumptionsResult;
use provoke_solve::Limit;
use provoke_solve::engine::{Backend, SolverChoice};
use provoke_testgen::{
    AssumptionAnalysis, DeadEnd, analyse_assumptions, divisions, find_dead_end, has_runs,
    undefined_assumptions,
};

use crate::generation::UNIT;
use crate::options::WorkOptions;

/// What one question about assertions may cost: most of them are easy.
const WORK: u64 = 500_000;
/// How many steps of a run are told.
const SHOWN_STEPS: usize = 4;

/// What `check` says of what ends runs: messages, and what was looked at if there are assertions.
pub(crate) fn analysed(system: &System) -> (Vec<Diagnostic>, Option<AssumptionsResult>) {
    let mut found = undefined(system);
    let has_assertions = !system.assumptions.is_empty();
    if !has_assertions && divisions(system).is_empty() {
        return (found, None);
    }
    let backend = match Backend::find(SolverChoice::default()) {
        Ok(backend) => backend,
        Err(missing) => {
            let result = AssumptionsResult::missing(&missing.to_string());
            return (found, has_assertions.then_some(result));
        }
    };
    let limit = Limit::work(WORK);
    let divided = divided_end(system, &backend, limit);
    if !has_assertions {
        found.extend(divided);
        return (found, None);
    }
    let analysis = analyse_assumptions(system, &backend, limit);
    let AssumptionAnalysis { has_runs, dead_end, restricting_nothing } = &analysis;
    if divided.is_none() {
        found.extend((*has_runs == Some(false)).then(|| contradictory(system)));
        found.extend(asserted_end(system, dead_end));
    }
    found.extend(divided);
    found.extend(restricting_nothing.iter().map(|at| idle(system.assumptions[*at].span)));
    let result = match dead_end {
        _ if *has_runs == Some(false) => AssumptionsResult::no_run(),
        DeadEnd::After(steps) => AssumptionsResult::dead_end(steps.len()),
        DeadEnd::NotWithin(depth) => AssumptionsResult::no_dead_end(Some(*depth)),
        DeadEnd::Never => AssumptionsResult::no_dead_end(None),
    };
    (found, Some(result))
}

/// Refuses a model that has no run: of it everything could be proven.
pub(crate) fn require_runs(
    file: &SourceFile,
    system: &System,
    work: &WorkOptions,
    backend: &Backend,
) -> Result<(), Error> {
    let limit = Limit::work(u64::from(work.effort.unwrap_or(10)) * UNIT);
    let excludes_all = |system: &System| has_runs(system, backend, limit) == Some(false);
    let unrestricted = System { assumptions: Vec::new(), ..system.clone() };
    match divisions(system).first() {
        Some(first) if excludes_all(&unrestricted) => Err(always_divides(file, system, *first)),
        _ if system.assumptions.is_empty() => Ok(()),
        _ if excludes_all(system) => Err(excluded(file, system, work)),
        _ => Ok(()),
    }
}

/// No run has a first step, whatever is assumed; this is the first division that may be why.
fn always_divides(file: &SourceFile, system: &System, division: ExprId) -> Error {
    let span = system.exprs[division].span;
    let (line, text) = (file.line_column(span.start).line, file.slice(span));
    let message = format!(
        "every first step divides by zero, so the model has no run; look at `{text}` (line {line})"
    );
    Error::new(ErrorCode::NoRunsDivision, message)
}

fn excluded(file: &SourceFile, system: &System, work: &WorkOptions) -> Error {
    let all = system.assumptions.iter();
    let texts: Vec<&str> = all.map(|assumption| file.slice(assumption.span)).collect();
    let code = match work.assume.is_empty() {
        true => ErrorCode::NoRuns,
        false => ErrorCode::NoRunsAssumed,
    };
    let texts = texts.join("`, `");
    let message = format!("the assumptions contradict each other in the first step: `{texts}`");
    Error::new(code, message)
}

/// What whoever generates tests or proofs should know of the assertions before reading them, one
/// line each; the solver may be given a time to end.
pub(crate) fn warnings(
    file: &SourceFile,
    system: &System,
    backend: Option<(&Backend, Option<Duration>)>,
) -> Vec<String> {
    let mut found = undefined(system);
    if let Some((backend, time)) = backend {
        let limit = Limit { time, ..Limit::work(WORK) };
        found.extend(ending(system, backend, limit));
    }
    let line = |diagnostic: &Diagnostic| {
        let line = file.line_column(diagnostic.primary.span.start).line;
        format!("line {line}: {}", diagnostic.message)
    };
    found.iter().map(line).collect()
}

/// The assertions that an unguarded `pre` leaves without a value at first.
fn undefined(system: &System) -> Vec<Diagnostic> {
    let about = |at: usize| {
        let message = "this assertion may be undefined in the first step, and restricts nothing \
                       where it is";
        Diagnostic::warning("undefined-assertion", system.assumptions[at].span, message)
            .help("say what holds in the first step: `true -> ...`")
    };
    undefined_assumptions(system).into_iter().map(about).collect()
}

fn contradictory(system: &System) -> Diagnostic {
    let message = "the assertions contradict each other in the first step".to_string();
    let help = "weaken the assertions: of a model without runs everything could be proven";
    about_all(system, "contradictory-assertions", message).help(help)
}

/// Where a run cannot go on, and what ends it.
fn ending(system: &System, backend: &Backend, limit: Limit) -> Option<Diagnostic> {
    divided_end(system, backend, limit).or_else(|| match system.assumptions.is_empty() {
        true => None,
        false => asserted_end(system, &find_dead_end(system, backend, limit)),
    })
}

/// Where every input divides by zero, whatever is asserted.
fn divided_end(system: &System, backend: &Backend, limit: Limit) -> Option<Diagnostic> {
    let first = *divisions(system).first()?;
    let unrestricted = System { assumptions: Vec::new(), ..system.clone() };
    let (code, span) = ("dead-end", system.exprs[first].span);
    let help = "guard the division, such as `if d <> 0 then n div d else 0`";
    if has_runs(&unrestricted, backend, limit) == Some(false) {
        let message = "every first step divides by zero, so the model has no run";
        return Some(Diagnostic::warning(code, span, message).help(help));
    }
    let DeadEnd::After(steps) = find_dead_end(&unrestricted, backend, limit) else { return None };
    let message = format!(
        "after {} a run comes to a dead end, where every input divides by zero",
        so_many_steps(&steps)
    );
    let help = format!("{help}; the inputs that lead there are {}", told(system, &steps));
    Some(Diagnostic::warning(code, span, message).help(help))
}

fn asserted_end(system: &System, dead_end: &DeadEnd) -> Option<Diagnostic> {
    let DeadEnd::After(steps) = dead_end else { return None };
    let message = format!(
        "after {} a run comes to a dead end, where no input fulfils the assertions",
        so_many_steps(steps)
    );
    let help = format!("the inputs that lead there are {}", told(system, steps));
    Some(about_all(system, "dead-end", message).help(help))
}

fn so_many_steps(steps: &[Vec<Value>]) -> String {
    match steps.len() {
        1 => "1 step".to_string(),
        count => format!("{count} steps"),
    }
}

/// A warning about all assertions together.
fn about_all(system: &System, code: &'static str, message: String) -> Diagnostic {
    let (first, others) = system.assumptions.split_first().expect("there are assertions");
    let warning = Diagnostic::warning(code, first.span, message);
    others.iter().fold(warning, |warning, other| warning.also(other.span, "and this"))
}

fn idle(span: Span) -> Diagnostic {
    let message = "this assertion restricts nothing: it holds in every run";
    Diagnostic::warning("idle-assertion", span, message)
        .help("leave it out, or say what was meant to be excluded")
}

/// The inputs of a run, step by step.
fn told(system: &System, steps: &[Vec<Value>]) -> String {
    let row = |row: &Vec<Value>| {
        let value = |(var, value): (&provoke_model::VarId, &Value)| {
            let var = &system.vars[*var];
            format!("{} = {}", var.name, value.show(var.ty, &system.enums))
        };
        let values: Vec<String> = system.inputs.iter().zip(row).map(value).collect();
        values.join(", ")
    };
    let mut rows: Vec<String> = steps.iter().take(SHOWN_STEPS).map(row).collect();
    if steps.len() > SHOWN_STEPS {
        rows.push(format!("and {} more steps", steps.len() - SHOWN_STEPS));
    }
    rows.join("; ")
}
