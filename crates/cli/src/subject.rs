//! What the testing commands work on: a model, tests for it, and what is monitored.

use std::path::Path;

use provoke_base::SourceFile;
use provoke_base::diagnostic::did_you_mean;
use provoke_criteria::{self as criteria, Obligation, Oracle, obligations};
use provoke_model::{Suite, System, TestCase, Value, VarId};
use provoke_results::{KindWord, ObligationResult, Word};
use provoke_suite::{Policy, ReadSuite, Typing};

use crate::args::{Asked, CriterionArgs, Fill, SuiteArgs};
use crate::files;
use crate::outcome::Failure;
use crate::output::Output;

/// A model, a suite for it, and what is asked of both.
pub(crate) struct Subject {
    pub(crate) file: SourceFile,
    pub(crate) system: System,
    pub(crate) suite: Suite,
    /// The inputs of each test, step by step.
    pub(crate) tests: Vec<Vec<Vec<Value>>>,
    pub(crate) oracle: Oracle,
    pub(crate) obligations: Vec<Obligation>,
}

impl Subject {
    /// Reads the model and the suite that the arguments name.
    pub(crate) fn load(args: &SuiteArgs, output: &Output) -> Result<Subject, Failure> {
        let (file, system) = files::model(&args.model.model, args.model.main.as_deref(), output)?;
        let oracle = oracle(&system, &args.oracle)?;
        let suite = suite_for(&args.suite, &system, args.fill, args.seed, output)?;
        let tests = suite.tests.iter().map(inputs).collect();
        let obligations = listed(&file, &system, &args.criterion)?;
        Ok(Subject { file, system, suite, tests, oracle, obligations })
    }

    /// How many steps all tests have.
    pub(crate) fn steps(&self) -> usize {
        self.tests.iter().map(Vec::len).sum()
    }
}

/// The suite of a file, over all inputs of the model, with what the user should know of it.
pub(crate) fn suite_for(
    path: &Path,
    system: &System,
    how: Fill,
    seed: u64,
    output: &Output,
) -> Result<Suite, Failure> {
    let ReadSuite { mut suite, ignored } = tests(path, system)?;
    if !suite.model.is_empty() && suite.model != system.name {
        let (of, model) = (&suite.model, &system.name);
        output.warning(&format!("the suite was made for `{of}`, the model is `{model}`"));
    }
    if !ignored.is_empty() {
        output.warning(&format!("ignored what names no variable: {}", ignored.join(", ")));
    }
    fill(&mut suite, system, how, seed);
    warn_of_gaps(system, &suite, output);
    Ok(suite)
}

/// The inputs of a test, step by step.
pub(crate) fn inputs(test: &TestCase) -> Vec<Vec<Value>> {
    test.steps.iter().map(|step| step.inputs.clone()).collect()
}

/// The first step that no run has.
pub(crate) fn first_outside(system: &System, inputs: &[Vec<Value>]) -> Option<usize> {
    let is_free = |var: &VarId| system.vars[*var].range.is_none();
    if system.assumptions.is_empty() && system.inputs.iter().all(is_free) {
        return None;
    }
    let run = provoke_sim::run(system, inputs.iter().map(Vec::as_slice));
    run.breaches.iter().find(|(_, breach)| breach.is_outside(system)).map(|(step, _)| *step)
}

/// The obligations of all criteria.
pub(crate) fn listed(
    file: &SourceFile,
    system: &System,
    args: &CriterionArgs,
) -> Result<Vec<Obligation>, Failure> {
    let mut all = Vec::new();
    for asked in &args.criterion {
        match asked {
            Asked::Criterion(criterion) => {
                all.extend(obligations(system, *criterion, args.counting));
            }
            Asked::Properties => all.extend(properties(file, system)?),
        }
    }
    Ok(all)
}

/// The model's own properties, each to be broken.
pub(crate) fn properties(file: &SourceFile, system: &System) -> Result<Vec<Obligation>, Failure> {
    let found = criteria::properties(system);
    if found.is_empty() {
        let message = format!("{} promises nothing", file.name);
        return Err(Failure::input(message, "state properties with `--%PROPERTY x;` in a node"));
    }
    Ok(found)
}

/// An obligation as it is written in results.
pub(crate) fn describe(
    file: &SourceFile,
    system: &System,
    obligation: &Obligation,
) -> ObligationResult {
    let place = file.line_column(obligation.span.start);
    let var = &system.vars[obligation.variable];
    ObligationResult {
        id: obligation.id.clone(),
        kind: KindWord::of(obligation.kind.word()),
        outcome: obligation.outcome,
        variable: var.name.clone(),
        expression: obligation.text.clone(),
        node: system.instances[var.instance].node.clone(),
        instance: obligation.instance.clone(),
        line: place.line,
        column: place.column,
    }
}

/// Tests over all inputs of the model, in its order; what they do not mention is unknown.
pub(crate) fn tests(path: &Path, system: &System) -> Result<ReadSuite, Failure> {
    let mut read = files::suite(path, None, Typing::System(system))?;
    if read.suite.inputs.is_empty() && !system.inputs.is_empty() {
        let names: Vec<&str> =
            system.inputs.iter().take(10).map(|var| system.vars[*var].name.as_str()).collect();
        let message = format!("{}: no column names an input of the model", path.display());
        return Err(Failure::input(message, format!("the inputs are {}", names.join(", "))));
    }
    provoke_suite::arrange_inputs(&mut read.suite, system);
    Ok(read)
}

/// Gives open inputs their values.
pub(crate) fn fill(suite: &mut Suite, system: &System, fill: Fill, seed: u64) {
    let policy = match fill {
        Fill::Keep => return,
        Fill::Default => Policy::Default,
        Fill::Hold => Policy::HoldLast,
        Fill::Random => Policy::Random(seed),
    };
    provoke_suite::fill(suite, system, policy);
}

/// Inputs without any value cover nothing that depends on them.
fn warn_of_gaps(system: &System, suite: &Suite, output: &Output) {
    let steps: Vec<_> = suite.tests.iter().flat_map(|test| &test.steps).collect();
    if steps.is_empty() {
        output.warning("the suite has no steps");
        return;
    }
    let never = |position: &usize| steps.iter().all(|step| !step.inputs[*position].is_known());
    let names: Vec<&str> = (0..system.inputs.len())
        .filter(never)
        .map(|position| system.vars[system.inputs[position]].name.as_str())
        .collect();
    if !names.is_empty() {
        let listed = names.iter().take(10).copied().collect::<Vec<_>>().join(", ");
        let more = names.len().saturating_sub(10);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        output.warning(&format!(
            "the tests never set {listed}{more}: unknown there; `--fill random` gives them values"
        ));
    }
}

/// The variables that an oracle's word or names stand for.
pub(crate) fn oracle(system: &System, words: &str) -> Result<Oracle, Failure> {
    match words {
        "output" | "outputs" => Ok(Oracle::Outputs),
        "maximum" => Ok(Oracle::Maximum),
        names => variables(system, names).map(Oracle::Chosen),
    }
}

/// The variables of the given names, separated by commas.
pub(crate) fn variables(system: &System, names: &str) -> Result<Vec<VarId>, Failure> {
    let find = |name: &str| {
        system.var_named(name).ok_or_else(|| {
            let known = system.vars.iter().map(|var| var.name.as_str());
            let hint = did_you_mean(name, known).unwrap_or_else(|| {
                "`provoke simulate MODEL --show all` shows every variable".to_string()
            });
            Failure::input(format!("the model has no variable `{name}`"), hint)
        })
    };
    names.split(',').map(|name| find(name.trim())).collect()
}

/// Computes the expected values of what is monitored.
pub(crate) fn expect(suite: &mut Suite, system: &System, oracle: &Oracle) -> Result<(), Failure> {
    provoke_suite::arrange_inputs(suite, system);
    let observed = oracle.monitored(system);
    provoke_sim::expect(suite, system, &observed).map_err(|(test, error)| {
        let hint = "`provoke simulate` shows where; change the inputs of that test";
        Failure::input(format!("test `{test}` has no outputs: {error}"), hint)
    })
}
