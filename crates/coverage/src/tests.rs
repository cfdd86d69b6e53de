//! Tests of a model: what they ask for, what they leave open, and what is expected of them.

use provoke_base::diagnostic::did_you_mean;
use provoke_base::table::shortened;
use provoke_base::{Control, Error, ErrorCode, SourceFile};
use provoke_criteria::{
    self as criteria, Counting, Obligation, ObligationKind, Oracle, obligations,
};
use provoke_files::Model;
use provoke_model::{Suite, System, TestCase, Value, VarId};
use provoke_results::{KindWord, ObligationResult, Word};
use provoke_sim::{RunCheck, RuntimeError, Simulator};
use provoke_suite::{FillPolicy, Format, ReadSuite, Typing};

use crate::numbers::label;
use crate::options::{CoverageTarget, Fill};
use crate::property;

/// A model, a suite for it, and what is asked of both.
#[derive(Clone, Debug)]
pub struct TestedModel {
    /// The text of the model.
    pub file: SourceFile,
    /// What the model does.
    pub system: System,
    /// The tests, over all inputs of the model.
    pub suite: Suite,
    /// The inputs of each test, step by step.
    pub tests: Vec<Vec<Vec<Value>>>,
    /// The words that say what is monitored.
    pub monitored: String,
    /// What is monitored.
    pub oracle: Oracle,
    /// The words that say what obligations are made of.
    pub criterion: String,
    /// What counts as one obligation.
    pub counting: Counting,
    /// What is to be covered.
    pub obligations: Vec<Obligation>,
}

impl TestedModel {
    /// A suite on a model, for what `targets` ask for. `monitored` is `output`, `maximum`, or names
    /// separated by commas.
    pub fn new(
        model: Model,
        mut suite: Suite,
        targets: &[CoverageTarget],
        counting: Counting,
        monitored: &str,
    ) -> Result<TestedModel, Error> {
        model.refuse_choices("the coverage")?;
        let Model { file, system } = model;
        label(&mut suite, &system)?;
        let oracle = oracle(&system, monitored)?;
        let obligations = listed(&file, &system, targets, counting)?;
        let words: Vec<&str> = targets.iter().map(|target| target.word()).collect();
        Ok(TestedModel {
            tests: suite.tests.iter().map(inputs).collect(),
            monitored: monitored.to_string(),
            criterion: words.join(","),
            file,
            system,
            suite,
            oracle,
            counting,
            obligations,
        })
    }

    /// Where an obligation is, and what it is about.
    pub fn place(&self, id: &str) -> [String; 2] {
        let obligation = self.obligations.iter().find(|obligation| obligation.id == id);
        obligation.map_or_else(Default::default, |obligation| {
            let place = self.file.line_column(obligation.span.start);
            [format!("{}:{}", place.line, place.column), shortened(&obligation.text, 30)]
        })
    }

    /// Whether something was asked for.
    pub(crate) fn asks_for(&self, target: CoverageTarget) -> bool {
        self.criterion.split(',').any(|word| word == target.word())
    }

    /// How many steps all tests have.
    pub fn steps(&self) -> usize {
        self.tests.iter().map(Vec::len).sum()
    }
}

/// The inputs of a test, step by step.
pub fn inputs(test: &TestCase) -> Vec<Vec<Value>> {
    test.steps.iter().map(|step| step.inputs.clone()).collect()
}

/// The first step that no run has.
pub fn first_outside(system: &System, inputs: &[Vec<Value>]) -> Option<usize> {
    let is_free = |var: &VarId| system.vars[*var].range.is_none();
    if system.assumptions.is_empty() && system.inputs.iter().all(is_free) {
        return None;
    }
    let run = provoke_sim::run(system, inputs.iter().map(Vec::as_slice));
    run.breaches.iter().find(|(_, breach)| breach.is_outside(system)).map(|(step, _)| *step)
}

/// The obligations of all criteria.
pub fn listed(
    file: &SourceFile,
    system: &System,
    targets: &[CoverageTarget],
    counting: Counting,
) -> Result<Vec<Obligation>, Error> {
    let mut all = Vec::new();
    for target in targets {
        match target {
            CoverageTarget::Criterion(criterion) => {
                all.extend(obligations(system, *criterion, counting));
            }
            CoverageTarget::Properties => all.extend(properties(file, system)?),
            // They are no obligations: they are decided when the tests for those are there.
            CoverageTarget::Mutants | CoverageTarget::Errors => {}
        }
    }
    Ok(all)
}

/// The model's own properties, each to be broken.
pub fn properties(file: &SourceFile, system: &System) -> Result<Vec<Obligation>, Error> {
    let found = criteria::properties(system);
    if found.is_empty() {
        let message = format!("{} has no properties", file.name);
        return Err(Error::input(message, "state properties with `--%PROPERTY x;` in a node"));
    }
    Ok(found)
}

/// An obligation as it is written in results.
pub fn describe(file: &SourceFile, system: &System, obligation: &Obligation) -> ObligationResult {
    let place = file.line_column(obligation.span.start);
    let var = &system.vars[obligation.variable];
    ObligationResult {
        id: obligation.id.clone(),
        kind: KindWord::of(obligation.kind.word()),
        outcome: obligation.outcome,
        variable: var.name.clone(),
        expression: match obligation.kind {
            ObligationKind::Property => property::formula(file, obligation),
            _ => obligation.text.clone(),
        },
        node: system.instances[var.instance].node.clone(),
        instance: obligation.instance.clone(),
        line: place.line,
        column: place.column,
    }
}

/// Tests from a text, in a format that is guessed if none is named, over all inputs of the model in its
/// order; what they do not mention is unknown. `name` is the text's name in messages.
pub fn read(
    name: &str,
    bytes: &[u8],
    format: Option<Format>,
    system: &System,
) -> Result<ReadSuite, Error> {
    let read = provoke_suite::read(name, bytes, format, Typing::System(system));
    let read = read.map_err(|error| {
        let wrong = Error::new(ErrorCode::WrongInput, format!("{name}: {error}"));
        Error { hint: error.hint, ..wrong }
    })?;
    arranged(read, name, system)
}

/// A suite as one text, in JSON: it can be read back, and equal suites have equal texts.
pub fn suite_text(suite: &Suite) -> Result<String, Error> {
    let wrong = |message: String| Error::new(ErrorCode::WrongInput, message);
    let files = provoke_suite::write(suite, Format::Json).map_err(|error| wrong(error.message))?;
    let bytes = files.into_iter().next().map(|file| file.bytes).unwrap_or_default();
    String::from_utf8(bytes).map_err(|error| wrong(error.to_string()))
}

/// The suite of a text that [`suite_text`] wrote, over all inputs of the model in its order.
pub fn suite_of_text(name: &str, text: &str, system: &System) -> Result<Suite, Error> {
    Ok(read(name, text.as_bytes(), Some(Format::Json), system)?.suite)
}

/// Tests that were read, over all inputs of the model in its order; what they do not mention is unknown.
fn arranged(mut read: ReadSuite, name: &str, system: &System) -> Result<ReadSuite, Error> {
    if read.suite.inputs.is_empty() && !system.inputs.is_empty() {
        let names: Vec<&str> =
            system.inputs.iter().take(10).map(|var| system.vars[*var].name.as_str()).collect();
        let message = format!("{name}: no column names an input of the model");
        return Err(Error::input(message, format!("the inputs are {}", names.join(", "))));
    }
    provoke_suite::arrange_inputs(&mut read.suite, system);
    Ok(read)
}

/// A suite over all inputs of the model, from tests that were [`arranged`]; what its user should know of
/// it is told as warnings.
pub fn prepared(
    read: ReadSuite,
    system: &System,
    how: Fill,
    seed: u64,
    control: &Control,
) -> Suite {
    let ReadSuite { mut suite, ignored } = read;
    if !suite.model.is_empty() && suite.model != system.name {
        let (of, model) = (&suite.model, &system.name);
        control.warn(format!("the suite was made for `{of}`, the model is `{model}`"));
    }
    if !ignored.is_empty() {
        control.warn(format!("ignored what names no variable: {}", ignored.join(", ")));
    }
    fill(&mut suite, system, how, seed);
    if suite.tests.iter().all(|test| test.steps.is_empty()) {
        control.warn("the suite has no steps");
    }
    warn_of_faults(&suite, system, control);
    suite
}

/// Says which tests end early because a step has no values: the rest of them counts for nothing.
fn warn_of_faults(suite: &Suite, system: &System, control: &Control) {
    let mut check = RunCheck::new(system);
    let fault = |test: &TestCase| {
        let inputs = inputs(test);
        let last = check.steps(&inputs);
        // What ends a run otherwise, such as an assumption, is told elsewhere.
        let until = inputs.get(..last + 1)?;
        let mut simulator = Simulator::new(system);
        let error = until.iter().find_map(|row| simulator.step(row).err())?;
        Some((test.name.clone(), error))
    };
    let ended: Vec<_> = suite.tests.iter().filter_map(fault).collect();
    if let Some((test, RuntimeError { fault, step, .. })) = ended.first() {
        let count = ended.len();
        control.warn(format!(
            "{count} of the tests end early, `{test}` by a {fault} in step {step}: from there on they \
             cover and kill nothing"
        ));
    }
}

/// Gives open inputs their values.
pub fn fill(suite: &mut Suite, system: &System, fill: Fill, seed: u64) {
    let policy = match fill {
        Fill::Keep => return,
        Fill::Default => FillPolicy::Default,
        Fill::Hold => FillPolicy::HoldLast,
        Fill::Random => FillPolicy::Random(seed),
    };
    provoke_suite::fill(suite, system, policy);
}

/// The inputs to which no step of a suite gives a value: nothing that depends on them is covered.
pub fn never_set<'s>(system: &'s System, suite: &Suite) -> Vec<&'s str> {
    let steps: Vec<_> = suite.tests.iter().flat_map(|test| &test.steps).collect();
    let never = |position: &usize| steps.iter().all(|step| !step.inputs[*position].is_known());
    (0..system.inputs.len())
        .filter(never)
        .map(|position| system.vars[system.inputs[position]].name.as_str())
        .collect()
}

/// The variables that an oracle's word or names stand for.
pub fn oracle(system: &System, words: &str) -> Result<Oracle, Error> {
    match words {
        "output" | "outputs" => Ok(Oracle::Outputs),
        "maximum" => Ok(Oracle::Maximum),
        names => variables(system, names).map(Oracle::Chosen),
    }
}

/// The variables of the given names, separated by commas.
pub fn variables(system: &System, names: &str) -> Result<Vec<VarId>, Error> {
    let find = |name: &str| {
        system.var_named(name).ok_or_else(|| {
            let known = system.vars.iter().map(|var| var.name.as_str());
            let message = format!("the model has no variable `{name}`");
            let error = Error::new(ErrorCode::UnknownVariable, message);
            match did_you_mean(name, known) {
                Some(hint) => error.hint(hint),
                None => error,
            }
        })
    };
    names.split(',').map(|name| find(name.trim())).collect()
}

/// Computes the expected values of what is monitored.
pub fn expect(suite: &mut Suite, system: &System, oracle: &Oracle) -> Result<(), Error> {
    provoke_suite::arrange_inputs(suite, system);
    let observed = oracle.monitored(system);
    provoke_sim::expect(suite, system, &observed).map_err(|(test, error)| {
        let message = format!("test `{test}` has no outputs: {error}");
        Error::new(ErrorCode::TestWithoutOutputs, message)
    })
}
