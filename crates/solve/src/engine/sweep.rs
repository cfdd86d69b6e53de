//! One look at single steps for many goals.

use provoke_model::Value;

use super::backend::Backend;
use super::budget::Budget;
use super::later::LaterCheck;
use super::verdict::Proof;
use crate::solver::Answer;
use crate::term::{TermId, Terms};
use crate::transition::Transition;

/// What holds together with a goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Example {
    /// No claim does in any later step.
    Never,
    /// Some claims do in a later step: for each whether it is one of them. At least one is.
    Holds(Vec<bool>),
    /// The solver cannot tell.
    Unknown,
}

/// Asks about goals of one transition, one after the other. What the goals have in common is
/// told to the solver once, so a goal costs little more than its own terms.
pub struct Sweep<'t> {
    check: LaterCheck<'t>,
    lemmas: Vec<TermId>,
}

impl<'t> Sweep<'t> {
    /// The lemmas hold in every later state and are over symbols of the transition.
    pub fn new(
        terms: &mut Terms,
        transition: &'t Transition,
        lemmas: Vec<TermId>,
        backend: &Backend,
    ) -> Sweep<'t> {
        let mut check = LaterCheck::new(terms, transition, backend);
        for &lemma in &lemmas {
            check.assert_later(terms, lemma);
        }
        Sweep { check, lemmas }
    }

    /// A proof that `goal` holds in no step, neither in the first nor in one from any later
    /// state that the lemmas allow.
    pub fn exclude(
        &mut self,
        terms: &mut Terms,
        goal: TermId,
        budget: &mut Budget,
    ) -> Option<Proof> {
        let never = self.check.in_later(terms, &[goal], budget) == Answer::Unsat
            && self.check.in_first(terms, goal, budget) == Answer::Unsat;
        never.then(|| Proof::in_single_steps(&self.lemmas))
    }

    /// A later step in which `goal` holds together with one of the `claims`.
    pub fn example(
        &mut self,
        terms: &mut Terms,
        goal: TermId,
        claims: &[TermId],
        budget: &mut Budget,
    ) -> Example {
        let any = terms.any(claims);
        match self.check.in_later(terms, &[goal, any], budget) {
            Answer::Unsat => Example::Never,
            Answer::Unknown(_) => Example::Unknown,
            Answer::Sat => {
                let mut holds = |claim: &TermId| self.check.value_in_later(terms, *claim);
                let values: Vec<_> = claims.iter().map(&mut holds).collect();
                let holds: Vec<bool> =
                    values.into_iter().map(|value| value == Some(Value::Bool(true))).collect();
                if holds.contains(&true) { Example::Holds(holds) } else { Example::Unknown }
            }
        }
    }
}
