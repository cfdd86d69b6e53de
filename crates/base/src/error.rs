//! Why something that was asked for could not be done.

use std::fmt;

use crate::diagnostic::Diagnostic;
use crate::source::SourceFile;

/// What kind of thing went wrong: programs decide by it, and a front end knows what its users can do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ErrorCode {
    /// A file or a text holds something wrong.
    WrongInput,
    /// A file or folder cannot be read.
    CannotRead,
    /// A file or folder cannot be written.
    CannotWrite,
    /// Options do not go together.
    OptionsConflict,
    /// A time limit of this machine is set, and other machines do the work.
    BudgetWithWorkers,
    /// A share of the work is chosen, and workers divide it themselves.
    ShardWithWorkers,
    /// The chosen solver does not have the chosen prover.
    ProverNotInSolver,
    /// The chosen solver's memory cannot be limited.
    MemoryNotLimited,
    /// No run fulfils the assumptions.
    NoRuns,
    /// Assumptions that were added to the model's own leave no run.
    NoRunsAssumed,
    /// Every first step divides by zero.
    NoRunsDivision,
    /// A name stands for no variable of the model.
    UnknownVariable,
    /// A pattern names no obligation.
    UnknownObligation,
    /// Changed values are asked for with a criterion whose effects need not be observed; the hint names what
    /// to use instead.
    CriterionNotObservable,
    /// Another reading of masking with effects.
    MaskingNotGraded,
    /// Nothing is monitored that a fault could change.
    NothingMonitored,
    /// A test has no outputs: its run ends early.
    TestWithoutOutputs,
    /// A search that goes from state to state is to be divided.
    SearchNotDivided,
    /// Something is to be built that needs no building.
    NothingToBuild,
    /// A test leaves an input without a value where one is needed.
    InputNotSet,
    /// A value does not fit into the machine's numbers.
    InputTooWide,
    /// A timed test has no probability: it was not completed. The hint names model and tests.
    TestIncomplete,
    /// No question is asked that the work could answer; the hint is an example of one.
    NothingAsked,
    /// Nothing is chosen that could be shown.
    NothingShown,
    /// A variable that tests should see cannot be seen, or there is none.
    NotObservable,
    /// A timed network lacks what tests need of it.
    NetworkUnfit,
    /// A system cannot be simulated from its network.
    NotSimulated,
    /// No mutant has this number; the hint is the name of the model.
    UnknownMutant,
    /// Workers are asked for, and no folder where they could keep what they find.
    StoreNeeded,
    /// A store belongs to other work, or is damaged.
    StoreUnusable,
    /// Workers were given a plan that does not fit what they have at hand.
    PlanMismatch,
    /// Workers cannot be started, or ended before everything was done.
    WorkersLost,
    /// A program that starts workers is not installed.
    WorkersMissing,
    /// A solver, compiler or other tool is not installed.
    ToolMissing,
    /// A target cannot be reached or tested.
    TargetUnreachable,
    /// A suite was made for other numbers than those of what it is to run on.
    OtherNumbers,
    /// A suite was made for other numbers than those that the model is computed with; the hint says which.
    SuiteNumbers,
    /// Provoke contradicts itself.
    Internal,
}

crate::words!(ErrorCode {
    WrongInput = "wrong-input",
    CannotRead = "cannot-read",
    CannotWrite = "cannot-write",
    OptionsConflict = "options-conflict",
    BudgetWithWorkers = "budget-with-workers",
    ShardWithWorkers = "shard-with-workers",
    ProverNotInSolver = "prover-not-in-solver",
    MemoryNotLimited = "memory-not-limited",
    NoRuns = "no-runs",
    NoRunsAssumed = "no-runs-assumed",
    NoRunsDivision = "no-runs-division",
    UnknownVariable = "unknown-variable",
    UnknownObligation = "unknown-obligation",
    CriterionNotObservable = "criterion-not-observable",
    MaskingNotGraded = "masking-not-graded",
    NothingMonitored = "nothing-monitored",
    TestWithoutOutputs = "test-without-outputs",
    SearchNotDivided = "search-not-divided",
    NothingToBuild = "nothing-to-build",
    InputNotSet = "input-not-set",
    InputTooWide = "input-too-wide",
    TestIncomplete = "test-incomplete",
    NothingAsked = "nothing-asked",
    NothingShown = "nothing-shown",
    NotObservable = "not-observable",
    NetworkUnfit = "network-unfit",
    NotSimulated = "not-simulated",
    UnknownMutant = "unknown-mutant",
    StoreNeeded = "store-needed",
    StoreUnusable = "store-unusable",
    PlanMismatch = "plan-mismatch",
    WorkersLost = "workers-lost",
    WorkersMissing = "workers-missing",
    ToolMissing = "tool-missing",
    TargetUnreachable = "target-unreachable",
    OtherNumbers = "other-numbers",
    SuiteNumbers = "suite-numbers",
    Internal = "internal",
});

/// Why something could not be done, for people and programs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// The kind of error.
    pub code: ErrorCode,
    /// What is wrong, and where: a sentence that names files and values, no options of a command line.
    pub message: String,
    /// What may be done about it, if that does not depend on the front end.
    pub hint: Option<String>,
    /// The text that is wrong and the places in it, if the error is about a text.
    pub text: Option<Box<WrongText>>,
}

/// A text, and what is wrong with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrongText {
    /// The text with its name.
    pub file: SourceFile,
    /// What is wrong, place by place.
    pub diagnostics: Vec<Diagnostic>,
}

impl Error {
    /// An error about which only the front end knows what to do.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Error {
        Error { code, message: message.into(), hint: None, text: None }
    }

    /// Something wrong at some places of a text.
    pub fn in_text(file: &SourceFile, diagnostics: Vec<Diagnostic>) -> Error {
        let first = diagnostics.first().map_or("it is wrong", |first| &first.message);
        let message = format!("{}: {first}", file.name);
        let text = Some(Box::new(WrongText { file: file.clone(), diagnostics }));
        Error { text, ..Error::new(ErrorCode::WrongInput, message) }
    }

    /// Something wrong in what the user wrote, with something to do about it.
    pub fn input(message: impl Into<String>, hint: impl Into<String>) -> Error {
        Error::new(ErrorCode::WrongInput, message).hint(hint)
    }

    /// The same error with something to do about it.
    pub fn hint(self, hint: impl Into<String>) -> Error {
        Error { hint: Some(hint.into()), ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
