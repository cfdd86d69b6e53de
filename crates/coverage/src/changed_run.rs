//! A test beside the same test with one value wrong: what really differs, and where.

use std::sync::Arc;

use provoke_model::{Origin, System, Value, VarId};
use provoke_mutate::ConditionFault;
use provoke_results::EffectResult;
use provoke_sim::{CompactValue, Dense, Force, SimProgram};

/// How many variables of a difference are followed.
const MAX_FOLLOWED: usize = 12;

/// The steps of a test in which two runs differ.
pub struct ChangedRun {
    /// Each variable that differs, with the first step in which it does, counted from 1; in the order
    /// in which the difference comes to them.
    pub differs: Vec<(VarId, usize)>,
    /// The values that these have in the changed run, step by step.
    pub values: Vec<Vec<Value>>,
    /// The last variable that differs, and the step.
    pub last: Option<(VarId, usize)>,
}

impl ChangedRun {
    /// Runs a test up to a step, with the value wrong in one step or always.
    pub fn new(
        system: &System,
        program: &Arc<SimProgram>,
        test: &[Vec<Value>],
        fault: ConditionFault,
        only_in: Option<usize>,
        until: usize,
    ) -> ChangedRun {
        let force =
            Force { node: program.node_of(fault.expr), value: CompactValue::Bool(!fault.value) };
        let mut plain = Dense::of(Arc::clone(program));
        let mut changed = plain.clone();
        let mut rows: Vec<Vec<Value>> = Vec::new();
        let mut run = ChangedRun { differs: Vec::new(), values: Vec::new(), last: None };
        for (at, inputs) in test.iter().enumerate().take(until) {
            let is_wrong = only_in.is_none_or(|only| only == at + 1);
            let stepped = changed.step_forced(inputs, is_wrong.then_some(&force));
            if plain.step(inputs).is_err() || stepped.is_err() {
                break;
            }
            for equation in &system.equations {
                let var = equation.var;
                let differs = plain.var(var).certainly_differs(changed.var(var));
                if differs && system.vars[var].origin == Origin::Declared {
                    run.note(var, at + 1);
                }
            }
            rows.push(system.vars.ids().map(|var| changed.var(var).to_value()).collect());
        }
        run.differs.truncate(MAX_FOLLOWED);
        let of = |(var, _): &(VarId, usize)| {
            let at = provoke_base::index::Id::index(*var);
            rows.iter().map(|row| row[at].clone()).collect()
        };
        run.values = run.differs.iter().map(of).collect();
        run
    }

    fn note(&mut self, var: VarId, step: usize) {
        self.last = Some((var, step));
        if self.differs.iter().all(|(known, _)| *known != var) {
            self.differs.push((var, step));
        }
    }

    /// Puts the output that was seen at the end.
    pub fn ending_in(mut self, output: VarId, step: usize) -> ChangedRun {
        if let Some(at) = self.differs.iter().position(|(var, _)| *var == output) {
            let values = self.values.remove(at);
            self.differs.remove(at);
            self.differs.push((output, step));
            self.values.push(values);
        }
        self.differs.retain(|(_, first)| *first <= step);
        self
    }
}

/// The step in which an effect's value is wrong; `None` if it always is.
pub fn only_in(effect: &EffectResult) -> Option<usize> {
    effect.changed_at.filter(|_| effect.held.is_none())
}
