//! What a wrong value does at once.
//!
//! If a condition that is wrong in a step changes nothing there that is monitored or remembered,
//! and makes nothing divide by zero, then the next step begins as it would have begun. If that is so
//! in every step of every run, wrong values are never seen, however many there are. That is a
//! question about one run, which a solver answers for many conditions together.

use provoke_criteria::{Obligation, Oracle};
use provoke_model::{ExprId, ExprKind, System, VarId};
use provoke_mutate::{ConditionFault, FaultForm};
use provoke_sim::interpreter::delays;
use provoke_solve::engine::{Backend, Engine};
use provoke_solve::{Reading, TermId, Terms};

use crate::effects::{Redundancy, RedundancyReason, connected};
use crate::generate::{GenerationProgress, Run};
use crate::goal::Goals;
use crate::quest::fault_of;
use crate::runs::divisions;
use crate::sweep::{SweptClaim, sweep};
use crate::system_lemmas::SystemLemmas;

/// Where a wrong value would have to arrive in its step.
struct Arrivals {
    monitored: Vec<VarId>,
    /// The operands of `pre` that matter later.
    remembered: Vec<ExprId>,
}

impl Arrivals {
    fn new(system: &System, oracle: &Oracle) -> Arrivals {
        let monitored = oracle.monitored(system);
        let connected = connected(system, &monitored);
        // What is not connected to a monitored variable may still be divided by.
        let divides = !divisions(system).is_empty();
        let matters = |pre: &ExprId| connected[*pre] || divides;
        let operand = |pre: ExprId| match system.exprs[pre].kind {
            ExprKind::Pre(operand) => operand,
            _ => unreachable!("a delay is a `pre`"),
        };
        let remembered = delays(system).into_iter().filter(matters).map(operand).collect();
        Arrivals { monitored, remembered }
    }

    /// Whether a step differs where a condition is wrong.
    fn disturbed(
        &self,
        goals: &mut Goals<'_>,
        terms: &mut Terms,
        obligation: &Obligation,
    ) -> TermId {
        let ConditionFault { expr, value } = fault_of(obligation);
        let encoder = goals.encoder();
        let mut wrong = encoder.supposing(terms, expr, !value);
        let mut differ = Vec::new();
        for &var in &self.monitored {
            let (is, would_be) = (encoder.var(terms, var), wrong.var(terms, var));
            differ.push(terms.eq(is, would_be));
        }
        for &operand in &self.remembered {
            let (is, would_be) = (encoder.value(terms, operand), wrong.value(terms, operand));
            differ.push(terms.eq(is, would_be));
        }
        let alike = terms.all(&differ);
        let faults = wrong.any_faults(terms, &wrong.computed(), Reading::Possible);
        let (is, differs) = (encoder.value(terms, expr), terms.not(alike));
        let had_value = if value { is } else { terms.not(is) };
        let arrives = terms.any(&[differs, faults]);
        terms.all(&[had_value, arrives])
    }
}

impl Run<'_> {
    /// Proves of all open obligations together that a wrong value disturbs no step.
    pub(crate) fn prove_undisturbing(
        &mut self,
        backend: &Backend,
        facts: &SystemLemmas,
        progress: &mut dyn FnMut(GenerationProgress),
    ) {
        let Some(effort) = self.options.efforts.first() else { return };
        if self.options.engine != Engine::All {
            return;
        }
        let open = self.graded_open(|run, at| !run.judge.is_covered(at));
        let arrivals = Arrivals::new(self.system, &self.options.oracle);
        let goal = |goals: &mut Goals<'_>, terms: &mut Terms, at: &usize| {
            arrivals.disturbed(goals, terms, &self.obligations[*at])
        };
        let claim = |at: &usize| SweptClaim::Undisturbing(fault_of(&self.obligations[*at]));
        let means = (self.options, backend, facts, effort.limit);
        let proofs = sweep(self.system, &open, (goal, claim), 0, means, self.stop);
        for (position, proof) in open.into_iter().zip(proofs) {
            if let Some(proof) = proof {
                let (form, because) = (FaultForm::Free, RedundancyReason::Unseen);
                self.note_redundant(position, Redundancy { form, because, proof });
            }
        }
        progress(self.progress("asking about wrong values"));
    }
}
