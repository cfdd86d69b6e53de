//! A claim of an output folder, and what became of it.

use serde::Serialize;

use crate::certificate::Subject;

/// What a claim says.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// A test covers an obligation.
    Covered,
    /// No test covers an obligation.
    Infeasible,
    /// A property is true in every step of every run.
    Holds,
    /// A property is false in a step of a test.
    Violated,
    /// A test tells a mutant from the model.
    Killed,
    /// No run tells a mutant from the model.
    Equivalent,
    /// A test shows it when a condition is wrong in one step.
    Shown,
    /// A test shows it when a condition is always wrong.
    Lasting,
    /// A constant can replace a condition.
    Redundant,
    /// No test shows it when a condition is wrong in one step.
    Impossible,
    /// A run reaches a design error.
    Reached,
    /// No run reaches a design error.
    Absent,
}

impl Word {
    /// All of them.
    pub const ALL: [Word; 12] = [
        Word::Covered,
        Word::Infeasible,
        Word::Holds,
        Word::Violated,
        Word::Killed,
        Word::Equivalent,
        Word::Shown,
        Word::Lasting,
        Word::Redundant,
        Word::Impossible,
        Word::Reached,
        Word::Absent,
    ];

    /// The word shown to the user.
    pub fn word(self) -> &'static str {
        match self {
            Word::Covered => "covered",
            Word::Infeasible => "infeasible",
            Word::Holds => "holds",
            Word::Violated => "violated",
            Word::Killed => "killed",
            Word::Equivalent => "equivalent",
            Word::Shown => "shown",
            Word::Lasting => "lasting",
            Word::Redundant => "redundant",
            Word::Impossible => "impossible",
            Word::Reached => "reached",
            Word::Absent => "absent",
        }
    }
}

/// Why a claim is neither confirmed nor refuted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Reason {
    /// Nothing that shows it is written down, or what is does not show it.
    Uncertified,
    /// No solver could tell.
    Undecided,
    /// There was no time or room left.
    Limit,
}

/// What became of a claim.
#[derive(Clone, PartialEq, Debug)]
pub enum State {
    /// It is true: a test was run again, or a solver said so.
    Confirmed {
        /// The position of the solver; none if a run was enough.
        solver: Option<usize>,
    },
    /// It is false.
    Refuted(String),
    /// Neither is known.
    Unconfirmed(Reason, String),
    /// All these have to be proven.
    Open(Vec<Subject>),
}

impl State {
    /// Confirmed by a run.
    pub(crate) const RUN: State = State::Confirmed { solver: None };

    pub(crate) fn of(outcome: Result<(), String>) -> State {
        match outcome {
            Ok(()) => State::RUN,
            Err(why) => State::Refuted(why),
        }
    }
}

/// A claim of a folder.
#[derive(Clone, PartialEq, Debug)]
pub struct Claim {
    /// What it says.
    pub word: Word,
    /// Of which obligation, property or mutant.
    pub id: String,
    /// What became of it.
    pub state: State,
}
