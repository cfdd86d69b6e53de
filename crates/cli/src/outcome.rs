//! How a command ends: exit codes for scripts, messages for people.

use provoke_base::{Diagnostic, Error, ErrorCode, SourceFile, WrongText};

use crate::crash;
use crate::output::Output;

/// The exit codes, the same for all commands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Outcome {
    /// Done, and all is well.
    Well = 0,
    /// Done, and the answer is negative: a difference, a failed test, a violated property.
    Negative = 1,
    /// Options do not go together.
    Usage = 2,
    /// The input is wrong; a diagnostic says where and what to do.
    WrongInput = 3,
    /// Something needed is not installed.
    Missing = 4,
    /// Neither yes nor no: something is left unknown.
    Inconclusive = 5,
    /// A fault in Provoke itself, which the user is asked to report.
    Internal = 70,
    /// The user ended it; what was found is kept.
    Interrupted = 130,
}

/// Why a command could not be carried out.
pub(crate) enum Failure {
    /// Something is wrong, with what to do about it.
    Told { exit: Outcome, message: String, hint: Option<String> },
    /// A text is wrong at some places.
    Text(Box<WrongText>),
    /// A model has errors, which are shown by the command itself.
    Shown,
    /// The user ended it before there was a result.
    Interrupted,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        let Error { code, message, hint, text } = error;
        if let Some(text) = text {
            return Failure::Text(text);
        }
        let hint = hint_for(code, hint);
        let (exit, hint) = match code {
            ErrorCode::OptionsConflict
            | ErrorCode::StoreNeeded
            | ErrorCode::BudgetWithWorkers
            | ErrorCode::ShardWithWorkers
            | ErrorCode::SearchNotDivided
            | ErrorCode::ProverNotInSolver
            | ErrorCode::UnknownMutant
            | ErrorCode::MemoryNotLimited => (Outcome::Usage, hint),
            ErrorCode::ToolMissing | ErrorCode::WorkersMissing => {
                (Outcome::Missing, hint.map(|command| format!("install it with: {command}")))
            }
            ErrorCode::WorkersLost | ErrorCode::TargetUnreachable => (Outcome::Missing, hint),
            ErrorCode::Internal => (Outcome::Internal, None),
            _ => (Outcome::WrongInput, hint),
        };
        Failure::Told { exit, message, hint }
    }
}

/// What the user can type about an error: the library knows of no options.
fn hint_for(code: ErrorCode, hint: Option<String>) -> Option<String> {
    let own = match code {
        ErrorCode::StoreNeeded => {
            "name it with --store or -o; on a cluster all machines must see it"
        }
        ErrorCode::BudgetWithWorkers => "measure the work with --effort, not with --budget",
        ErrorCode::ShardWithWorkers => "leave out --shard or --workers",
        ErrorCode::ProverNotInSolver => "type --solver z3, or --prover kind",
        ErrorCode::MemoryNotLimited => "leave out --memory, or type --solver z3",
        ErrorCode::NoRuns => "weaken the model's assertions",
        ErrorCode::NoRunsAssumed => "weaken or leave out an --assume",
        ErrorCode::NoRunsDivision => "guard the division, such as `if d <> 0 then n div d else 0`",
        ErrorCode::NothingMonitored => "`--oracle maximum` monitors every variable",
        ErrorCode::SearchNotDivided => "leave out --searches, --workers and --store",
        ErrorCode::NothingToBuild => "leave out --build",
        ErrorCode::InputNotSet => "give it a value with `--fill`",
        ErrorCode::InputTooWide => "use `--int 64`",
        ErrorCode::TestWithoutOutputs => {
            "`provoke simulate` shows where; change the inputs of that test"
        }
        ErrorCode::UnknownVariable if hint.is_none() => {
            "`provoke simulate MODEL --show all` shows every variable"
        }
        ErrorCode::UnknownObligation if hint.is_none() => {
            "`provoke obligations MODEL -c CRITERIA` lists the ids; * stands for any text"
        }
        ErrorCode::NothingShown => "say what to show, for example --show \"P.x, v\"",
        ErrorCode::NotObservable => "name variables with --observe",
        ErrorCode::NetworkUnfit => "`provoke timed check` shows what the model consists of",
        ErrorCode::NotSimulated => "give a target file with --on",
        ErrorCode::NothingAsked => {
            let example = hint.unwrap_or_default();
            return Some(format!("ask with -q, for example -q {example}"));
        }
        ErrorCode::TestIncomplete => {
            let files = hint.unwrap_or_default();
            let command = format!("provoke timed stochastic {files} -o out");
            return Some(format!("complete the tests first: {command}"));
        }
        ErrorCode::UnknownMutant => {
            return Some(format!("provoke timed mutate {} --list", hint.unwrap_or_default()));
        }
        ErrorCode::PlanMismatch => "start the command with --workers again: it writes a new plan",
        ErrorCode::MaskingNotGraded => "use --as-published with it",
        ErrorCode::SuiteNumbers => {
            let numbers = hint.unwrap_or_default().replace(' ', " --real ");
            return Some(format!("add `--numbers c --int {numbers}`"));
        }
        ErrorCode::OtherNumbers => {
            let hint = hint.unwrap_or_default();
            return Some(format!(
                "{hint} (--numbers, --int, --real), or accept that with --allow-other-numbers"
            ));
        }
        ErrorCode::CriterionNotObservable => {
            let other = hint.unwrap_or_default();
            return Some(format!("use -c {other}, or leave out --exact"));
        }
        ErrorCode::WorkersMissing => {
            let hint = hint.unwrap_or_default();
            return Some(format!("{hint}; or leave the work here with --workers local"));
        }
        _ => return hint,
    };
    Some(own.to_string())
}

impl Failure {
    /// A wrong input with something to do about it.
    pub(crate) fn input(message: impl Into<String>, hint: impl Into<String>) -> Failure {
        let (message, hint) = (message.into(), Some(hint.into()));
        Failure::Told { exit: Outcome::WrongInput, message, hint }
    }

    /// Options that do not go together.
    pub(crate) fn usage(message: impl Into<String>, hint: impl Into<String>) -> Failure {
        let (message, hint) = (message.into(), Some(hint.into()));
        Failure::Told { exit: Outcome::Usage, message, hint }
    }

    /// Tells the user, and gives the exit code.
    pub(crate) fn report(self, output: &Output) -> Outcome {
        match self {
            Failure::Told { exit: Outcome::Internal, message, .. } => {
                crash::tell(output, &format!("{}{message}", crash::INTERNAL));
                Outcome::Internal
            }
            Failure::Told { exit, message, hint } => {
                output.error(&message, hint.as_deref());
                exit
            }
            Failure::Text(text) => {
                show_diagnostics(output, &text.file, &text.diagnostics);
                Outcome::WrongInput
            }
            Failure::Shown => Outcome::WrongInput,
            Failure::Interrupted => Outcome::Interrupted,
        }
    }
}

/// More than this many messages of a kind hide what matters.
const SHOWN: usize = 20;

/// Shows diagnostics on standard error, the first ones of each severity.
pub(crate) fn show_diagnostics(output: &Output, file: &SourceFile, found: &[Diagnostic]) {
    let (errors, others): (Vec<_>, Vec<_>) = found.iter().partition(|d| d.is_error());
    for group in [&errors, &others] {
        for diagnostic in group.iter().take(SHOWN) {
            output.note(&diagnostic.render(file, output.color_on_stderr()));
            output.note("\n");
        }
        if group.len() > SHOWN {
            let word = group[0].severity.word();
            let more = group.len() - SHOWN;
            output.note(&format!("... and {more} more {word}s; `--format json` lists all\n"));
        }
    }
}
