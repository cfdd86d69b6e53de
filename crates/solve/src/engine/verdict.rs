//! What an engine concludes.

use provoke_model::Value;

use crate::solver::UnknownReason;
use crate::term::TermId;

/// Whether the goal is ever reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GoalVerdict {
    /// It is; to be replayed before it is believed.
    Reached(GoalWitness),
    /// It is not, in no run of any length.
    Unreachable(ProofResult),
    /// Neither was found.
    Unknown {
        /// Why not.
        why: UndecidedReason,
        /// In this many first steps the goal cannot hold.
        depth: usize,
    },
}

/// A run whose last step reaches the goal.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GoalWitness {
    /// The values that were chosen for state variables which the start leaves free: what an
    /// unguarded `pre` is worth in the first step. Those that do not matter are left out.
    pub start: Vec<(TermId, Value)>,
    /// The inputs of each step; those that do not matter are left out.
    pub steps: Vec<Vec<(TermId, Value)>>,
}

/// Why the goal is never reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProofResult {
    /// The engine that found it.
    pub engine: &'static str,
    /// The goal cannot hold in the first `k + 1` steps, nor in a later step after `k` later
    /// steps without it.
    pub k: usize,
    /// What holds in every later state, a step keeps, and excludes the goal, over the symbols
    /// of the state; only where the engine found one. A proof of the engine `explicit` without
    /// it lists too many states to be written down: `k` says nothing then.
    pub invariant: Option<TermId>,
    /// Lemmas that the proof assumes in every later state.
    pub lemmas: Vec<TermId>,
    /// That merged state variables are what replaced them, which the proof needs about the
    /// transition as it was; by themselves inductive.
    pub copies: Vec<TermId>,
    /// What whoever checks it has to know beside `k`, the invariant and the lemmas.
    pub rests_on: RestsOn,
}

/// What a proof needs beside what it says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RestsOn {
    /// Nothing.
    Nothing,
    /// That a shortest run comes to no state twice: windows in which one does were left out.
    DistinctStates,
    /// A list of states that is too long to be told.
    States,
}

impl ProofResult {
    /// A proof that looks at `k` later steps and the one after them, with what holds before
    /// each.
    pub(super) fn by_windows(k: usize, lemmas: &[TermId]) -> ProofResult {
        let engine = if k == 0 && lemmas.is_empty() { "static" } else { "k-induction" };
        let lemmas = lemmas.to_vec();
        ProofResult {
            engine,
            k,
            invariant: None,
            lemmas,
            copies: Vec::new(),
            rests_on: RestsOn::Nothing,
        }
    }
}

/// Why there is no verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UndecidedReason {
    /// The search went as deep as it was allowed to.
    Depth,
    /// The longest windows that were allowed do not prove it.
    NotInductive,
    /// The solver did not answer.
    Solver(UnknownReason),
    /// What would have to be enumerated is too much.
    NotEnumerable(&'static str),
    /// What an engine claimed could not be confirmed.
    Unconfirmed(&'static str),
}

impl GoalVerdict {
    /// Whether it is neither reached nor unreachable.
    pub fn is_unknown(&self) -> bool {
        matches!(self, GoalVerdict::Unknown { .. })
    }
}
