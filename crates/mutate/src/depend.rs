//! Which variables need which in the same step.

use provoke_analysis::schedule;
use provoke_base::IndexVec;
use provoke_model::{System, VarId};

/// The uses of variables by equations, without what stands under `pre`.
#[derive(Clone, Debug)]
pub(crate) struct Dependence {
    uses: IndexVec<VarId, Vec<VarId>>,
}

impl Dependence {
    pub(crate) fn new(system: &System) -> Dependence {
        let mut uses = IndexVec::repeat(Vec::new(), system.vars.len());
        for equation in &system.equations {
            let used = schedule::instant_uses(system, equation.expr);
            uses[equation.var] = used.into_iter().map(|(var, _)| var).collect();
        }
        Dependence { uses }
    }

    /// Adds uses that close no cycle.
    pub(crate) fn add(&mut self, new: &[(VarId, VarId)]) {
        new.iter().for_each(|(owner, used)| self.uses[*owner].push(*used));
    }

    /// Whether the equations could not be ordered if the first of each pair used the second
    /// too. All new uses count together.
    pub(crate) fn closes_cycle(&self, new: &[(VarId, VarId)]) -> bool {
        new.iter().any(|(owner, used)| self.leads(*used, *owner, new))
    }

    /// Whether `from` needs `to`.
    fn leads(&self, from: VarId, to: VarId, new: &[(VarId, VarId)]) -> bool {
        let mut seen = IndexVec::repeat(false, self.uses.len());
        let mut open = vec![from];
        while let Some(var) = open.pop() {
            if var == to {
                return true;
            }
            if !std::mem::replace(&mut seen[var], true) {
                open.extend(&self.uses[var]);
                open.extend(new.iter().filter(|(owner, _)| *owner == var).map(|(_, used)| used));
            }
        }
        false
    }
}
