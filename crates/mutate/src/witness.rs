//! Wrong values run again, by the reference interpreter on a changed model.
//!
//! Each condition that may be wrong becomes `if f then c else condition`, with two inputs of its own.
//! Where all `f` are false that is the model itself; a fault is a row of other values.

use std::collections::BTreeMap;

use provoke_base::Span;
use provoke_base::index::Id;
use provoke_model::{ExprId, ExprKind, InstanceId, Origin, Role, System, Type, Value, Var, VarId};
use provoke_sim::{RuntimeError, SimState, Simulator};

use crate::edit::edited;
use crate::fault::ConditionFault;

/// A wrong value that a test is said to show.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EffectClaim {
    /// What is wrong.
    pub fault: ConditionFault,
    /// The one step in which it is, counted from 1; `None` if it always is.
    pub only_in: Option<usize>,
    /// The step in which a monitored variable differs.
    pub seen_at: usize,
}

/// What the changed run shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EffectWitness {
    /// The first step in which the condition is wrong.
    pub changed_at: usize,
    /// The step in which the variable differs.
    pub seen_at: usize,
    /// The first monitored variable that does.
    pub output: VarId,
    /// Its value in the model.
    pub value: Value,
    /// Its value when the condition is wrong.
    pub changed_value: Value,
    /// The step in which the changed run breaks an assumption, if it does by then.
    pub breaks: Option<usize>,
}

/// So many conditions share a changed model.
const TOGETHER: usize = 64;

/// Runs a test for each claim, with the claim's fault; why a claim is not true where it is not.
pub fn replay(
    system: &System,
    monitored: &[VarId],
    test: &[Vec<Value>],
    claims: &[EffectClaim],
) -> Vec<Result<EffectWitness, String>> {
    let some = |claims: &[EffectClaim]| {
        let faults: Vec<ConditionFault> = claims.iter().map(|claim| claim.fault).collect();
        let changeable = ChangeableSystem::new(system, &faults);
        let mut run = WitnessRun::new(&changeable, monitored, test, claims);
        claims.iter().map(|claim| run.witness(claim)).collect::<Vec<_>>()
    };
    claims.chunks(TOGETHER).flat_map(some).collect()
}

/// A system with conditions that can be set to what they are not.
pub(crate) struct ChangeableSystem {
    pub(crate) system: System,
    /// For each condition the position of its two inputs, and what stands in its place.
    switches: BTreeMap<ExprId, (usize, ExprId)>,
}

impl ChangeableSystem {
    pub(crate) fn new(system: &System, faults: &[ConditionFault]) -> ChangeableSystem {
        let mut open = system.clone();
        let mut inputs: BTreeMap<ExprId, (usize, VarId, VarId)> = BTreeMap::new();
        for &ConditionFault { expr, .. } in faults {
            if inputs.contains_key(&expr) {
                continue;
            }
            let at = open.inputs.len();
            let [wrong, value] = ["wrong", "value"].map(|what| {
                let name = format!("fault:{}:{what}", expr.index());
                let (ty, role, instance) = (Type::Bool, Role::Input, InstanceId::new(0));
                let (origin, span) = (Origin::Generated, Span::default());
                open.vars.push(Var {
                    name,
                    ty,
                    range: None,
                    machine: None,
                    role,
                    origin,
                    instance,
                    span,
                })
            });
            open.inputs.extend([wrong, value]);
            inputs.insert(expr, (at, wrong, value));
        }
        let (system, places) = edited(&open, |system, original, copy| {
            let Some((_, wrong, value)) = inputs.get(&original) else { return copy };
            let [wrong, value] = [*wrong, *value]
                .map(|var| system.add_expr(ExprKind::Var(var), Type::Bool, Span::default()));
            let changed = ExprKind::If(wrong, value, copy);
            system.add_expr(changed, Type::Bool, Span::default())
        });
        let switches =
            inputs.into_iter().map(|(expr, (at, ..))| (expr, (at, places[expr]))).collect();
        ChangeableSystem { system, switches }
    }
}

/// A test that is run as it is, and then with faults.
struct WitnessRun<'a> {
    changeable: &'a ChangeableSystem,
    simulator: Simulator<'a>,
    monitored: &'a [VarId],
    /// The inputs of each step, with all conditions as they are.
    rows: Vec<Vec<Value>>,
    /// The state before each step, and what is monitored in it.
    before: Vec<SimState>,
    values: Vec<Vec<Value>>,
    /// The first step in which a condition is not known to be what it should not be.
    first: BTreeMap<ConditionFault, (usize, usize)>,
}

impl<'a> WitnessRun<'a> {
    fn new(
        changeable: &'a ChangeableSystem,
        monitored: &'a [VarId],
        test: &[Vec<Value>],
        claims: &[EffectClaim],
    ) -> WitnessRun<'a> {
        let none = vec![Value::Bool(false); changeable.switches.len() * 2];
        let last = claims.iter().map(|claim| claim.seen_at).max().unwrap_or(0);
        let row = |row: &Vec<Value>| row.iter().chain(&none).cloned().collect();
        let mut run = WitnessRun {
            changeable,
            simulator: Simulator::new(&changeable.system),
            monitored,
            rows: test.iter().take(last).map(row).collect(),
            before: Vec::new(),
            values: Vec::new(),
            first: BTreeMap::new(),
        };
        let _ = run.run_plain(claims);
        run
    }

    fn run_plain(&mut self, claims: &[EffectClaim]) -> Result<(), RuntimeError> {
        for step in 0..self.rows.len() {
            let before = self.simulator.state().clone();
            self.simulator.step(&self.rows[step])?;
            for claim in claims.iter().filter(|claim| claim.only_in.is_none()) {
                self.note_value(claim.fault, step, &before);
            }
            self.before.push(before);
            self.values.push(self.shown());
        }
        Ok(())
    }

    /// Notes the first step in which the condition may not be as it is held, and the first in which
    /// it is certainly not.
    fn note_value(&mut self, fault: ConditionFault, step: usize, before: &SimState) {
        let (_, place) = self.changeable.switches[&fault.expr];
        let known = self.first.get(&fault).copied();
        if matches!(known, Some((_, certain)) if certain != usize::MAX) {
            return;
        }
        // Where nobody asks for it, it may have no value.
        let value = self.simulator.value_of(place, before).unwrap_or(Value::Unknown);
        if value == Value::Bool(!fault.value) {
            return;
        }
        let (start, _) = known.unwrap_or((step, usize::MAX));
        let certain = if value.is_known() { step } else { usize::MAX };
        self.first.insert(fault, (start, certain));
    }

    fn shown(&self) -> Vec<Value> {
        self.monitored.iter().map(|var| self.simulator.values()[*var].clone()).collect()
    }

    fn witness(&mut self, claim: &EffectClaim) -> Result<EffectWitness, String> {
        let EffectClaim { fault, only_in, seen_at } = *claim;
        let (start, changed_at) = match only_in {
            Some(step) => (step - 1, step - 1),
            None => *self.first.get(&fault).ok_or("the condition never has the other value")?,
        };
        if changed_at == usize::MAX || seen_at > self.values.len() || start >= seen_at {
            return Err("the run ends before".to_string());
        }
        let (at, _) = self.changeable.switches[&fault.expr];
        let mut breaks = None;
        self.simulator.restore(&self.before[start]);
        for step in start..seen_at {
            let mut row = self.rows[step].clone();
            row[at] = Value::Bool(only_in.is_none_or(|only| only == step + 1));
            row[at + 1] = Value::Bool(!fault.value);
            let breaches = self.simulator.step(&row);
            let breaches = breaches.map_err(|_| format!("it has no value in step {}", step + 1))?;
            if breaches.iter().any(|breach| breach.is_outside(&self.changeable.system)) {
                breaks.get_or_insert(step + 1);
            }
        }
        let changed = self.shown();
        let pairs = self.values[seen_at - 1].iter().zip(changed).zip(self.monitored);
        for ((value, changed_value), output) in pairs {
            if value.is_known() && changed_value.is_known() && *value != changed_value {
                let (value, output, changed_at) = (value.clone(), *output, changed_at + 1);
                return Ok(EffectWitness {
                    changed_at,
                    seen_at,
                    output,
                    value,
                    changed_value,
                    breaks,
                });
            }
        }
        Err(format!("no monitored variable differs in step {seen_at}"))
    }
}
