//! What there is to say about the assertions of a model.

use std::time::Duration;

use provoke_base::{Diagnostic, SourceFile, Span};
use provoke_model::{System, Value};
use provoke_results::AssumptionsResult;
use provoke_solve::Limit;
use provoke_solve::engine::{Backend, SolverChoice};
use provoke_testgen::{
    AssumptionAnalysis, DeadEnd, analyse_assumptions, find_dead_end, undefined_assumptions,
};

/// What one question about assertions may cost: most of them are easy.
const WORK: u64 = 500_000;
/// How many steps of a run are told.
const SHOWN_STEPS: usize = 4;

/// What `check` says of the assertions of a model: messages, and what was looked at; nothing
/// where there are none.
pub(crate) fn analysed(system: &System) -> Option<(Vec<Diagnostic>, AssumptionsResult)> {
    if system.assumptions.is_empty() {
        return None;
    }
    let mut found = undefined(system);
    let backend = match Backend::find(SolverChoice::default()) {
        Ok(backend) => backend,
        Err(missing) => return Some((found, AssumptionsResult::missing(&missing.to_string()))),
    };
    let analysis = analyse_assumptions(system, &backend, Limit::work(WORK));
    let AssumptionAnalysis { has_runs, dead_end, restricting_nothing } = &analysis;
    if *has_runs == Some(false) {
        found.push(contradictory(system));
    }
    found.extend(ending(system, dead_end));
    found.extend(restricting_nothing.iter().map(|at| idle(system.assumptions[*at].span)));
    let result = match dead_end {
        _ if *has_runs == Some(false) => AssumptionsResult::no_run(),
        DeadEnd::After(steps) => AssumptionsResult::dead_end(steps.len()),
        DeadEnd::NotWithin(depth) => AssumptionsResult::no_dead_end(Some(*depth)),
        DeadEnd::Never => AssumptionsResult::no_dead_end(None),
    };
    Some((found, result))
}

/// What whoever generates tests or proofs should know of the assertions before reading them, one
/// line each; the solver may be given a time to end.
pub(crate) fn warnings(
    file: &SourceFile,
    system: &System,
    backend: Option<(&Backend, Option<Duration>)>,
) -> Vec<String> {
    if system.assumptions.is_empty() {
        return Vec::new();
    }
    let mut found = undefined(system);
    if let Some((backend, time)) = backend {
        let limit = Limit { time, ..Limit::work(WORK) };
        found.extend(ending(system, &find_dead_end(system, backend, limit)));
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

fn ending(system: &System, dead_end: &DeadEnd) -> Option<Diagnostic> {
    let DeadEnd::After(steps) = dead_end else { return None };
    let count = steps.len();
    let plural = if count == 1 { "" } else { "s" };
    let message = format!(
        "after {count} step{plural} a run comes to a dead end, where no input fulfils the assertions"
    );
    let help = format!("the inputs that lead there are {}", told(system, steps));
    Some(about_all(system, "dead-end", message).help(help))
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
