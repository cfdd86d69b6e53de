//! What solvers are asked about an obligation.

use provoke_criteria::Obligation;
use provoke_mutate::{ConditionFault, FaultForm};

/// A question about an obligation; equal ones have equal answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Quest {
    /// The obligation's id, and the form of the fault if there is one.
    pub id: String,
    /// The obligation.
    pub obligation: Obligation,
    /// In which form its value is wrong; `None` if it is to be covered as its criterion says.
    pub form: Option<FaultForm>,
}

impl Quest {
    /// How an obligation can be covered as its criterion says.
    pub fn cover(obligation: &Obligation) -> Quest {
        Quest { id: obligation.id.clone(), obligation: obligation.clone(), form: None }
    }

    /// Whether it can be seen that its value is wrong.
    pub fn fault(obligation: &Obligation, form: FaultForm) -> Quest {
        let id = format!("{} {form}", obligation.id);
        Quest { id, obligation: obligation.clone(), form: Some(form) }
    }

    /// All that may be asked about an obligation.
    pub fn all(obligation: &Obligation) -> impl Iterator<Item = Quest> {
        let faults = FaultForm::ALL.into_iter().filter(|_| obligation.tagged().is_some());
        let faults = faults.map(|form| Quest::fault(obligation, form));
        std::iter::once(Quest::cover(obligation)).chain(faults)
    }
}

/// The fault that an obligation is about: its value is not as it should be.
pub fn fault_of(obligation: &Obligation) -> ConditionFault {
    ConditionFault { expr: obligation.expr, value: obligation.outcome }
}
