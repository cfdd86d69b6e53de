//! Why a run in which a solver sees a wrong value is no evidence.
//!
//! A solver may choose what is undefined, and to it a copy that divides by zero is not alike. A test
//! may do neither. The run is done again by the reference interpreter, with the wrong value.

use std::fmt;

use provoke_analysis::owner;
use provoke_model::{ExprId, ExprKind, Fault, System, Value, VarId};
use provoke_sim::interpreter::delays;
use provoke_sim::{RuntimeError, SimState, Simulator};

use crate::fault::{ConditionFault, FaultForm};
use crate::witness::ChangeableSystem;

/// What a difference rests on that no test can show.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Doubt {
    /// What a `pre` is worth in the first step.
    Undefined {
        /// Each such `pre` as people call it; none if it could not be told which.
        delays: Vec<String>,
    },
    /// The changed run has no values.
    Fault {
        /// What happens.
        fault: Fault,
        /// The step, counted from 1.
        step: usize,
        /// The variable in whose definition it happens.
        variable: Option<String>,
    },
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Undefined { delays } if delays.is_empty() => {
                f.write_str("the difference that was found rests on an undefined value")
            }
            Doubt::Undefined { delays } => {
                let delays = delays.join(" and ");
                write!(f, "the difference that was found rests on an undefined value: {delays}")
            }
            Doubt::Fault { fault, step, variable } => {
                let what = match fault {
                    Fault::DivisionByZero => "divides by zero".to_string(),
                    other => format!("has no value ({other})"),
                };
                write!(f, "the changed run {what} in step {step}")?;
                match variable {
                    Some(variable) => write!(f, ", in the definition of `{variable}`"),
                    None => Ok(()),
                }
            }
        }
    }
}

/// So many steps are tried as the one in which the value is wrong.
const MAX_TRIED_STEPS: usize = 64;
/// So many `pre` are looked at, and so many named.
const MAX_TRIED_DELAYS: usize = 256;
const MAX_NAMED: usize = 2;

/// What the difference that a solver saw in a run rests on.
pub fn doubt(
    system: &System,
    monitored: &[VarId],
    steps: &[Vec<Value>],
    (fault, form): (ConditionFault, FaultForm),
) -> Doubt {
    let changeable = ChangeableSystem::new(system, &[fault]);
    let run = DoubtfulRun { changeable: &changeable, monitored, steps, fault };
    let once = (0..steps.len().min(MAX_TRIED_STEPS)).map(Some);
    let wrong: Vec<Option<usize>> = match form {
        FaultForm::Stuck => vec![None],
        FaultForm::Once => once.collect(),
        FaultForm::Free => std::iter::once(None).chain(once).collect(),
    };
    let unknown = vec![Value::Unknown; delays(system).len()];
    let mut rests = Vec::new();
    for only_in in wrong {
        match run.is_open(only_in, unknown.clone()) {
            Err(RuntimeError { fault, expr, step }) => {
                let variable = owner(&changeable.system, expr);
                let variable = variable.map(|var| system.vars[var].name.clone());
                return Doubt::Fault { fault, step, variable };
            }
            Ok(true) => rests.push(only_in),
            Ok(false) => {}
        }
    }
    let named = rests.into_iter().map(|only_in| run.undefined(system, only_in));
    let delays = named.into_iter().find(|delays| !delays.is_empty()).unwrap_or_default();
    Doubt::Undefined { delays }
}

struct DoubtfulRun<'a> {
    changeable: &'a ChangeableSystem,
    monitored: &'a [VarId],
    steps: &'a [Vec<Value>],
    fault: ConditionFault,
}

impl DoubtfulRun<'_> {
    /// Whether something monitored is not known at the end, in the run as it is or with the wrong
    /// value, if what is undefined is worth this much in the first step.
    fn is_open(&self, only_in: Option<usize>, memory: Vec<Value>) -> Result<bool, RuntimeError> {
        let plain = self.ends_open(|_| false, memory.clone()).unwrap_or(false);
        let changed = self.ends_open(|step| only_in.is_none_or(|only| only == step), memory)?;
        Ok(plain || changed)
    }

    fn ends_open(
        &self,
        is_wrong: impl Fn(usize) -> bool,
        memory: Vec<Value>,
    ) -> Result<bool, RuntimeError> {
        let mut simulator = Simulator::new(&self.changeable.system);
        simulator.restore(&SimState::new(0, memory));
        for (step, row) in self.steps.iter().enumerate() {
            let wrong = [is_wrong(step), !self.fault.value].map(Value::Bool);
            let row: Vec<Value> = row.iter().cloned().chain(wrong).collect();
            simulator.step(&row)?;
        }
        Ok(self.monitored.iter().any(|var| !simulator.values()[*var].is_known()))
    }

    /// Each `pre` that leaves something monitored open if it alone is undefined.
    fn undefined(&self, system: &System, only_in: Option<usize>) -> Vec<String> {
        let all = delays(system);
        let matters = |position: &usize| {
            [0, 1].into_iter().any(|filler| {
                let value = |pre: &ExprId| Value::some(system.exprs[*pre].ty, filler);
                let mut memory: Vec<Value> = all.iter().map(value).collect();
                memory[*position] = Value::Unknown;
                self.is_open(only_in, memory).unwrap_or(false)
            })
        };
        let tried = (0..all.len()).take(MAX_TRIED_DELAYS).filter(matters);
        let mut names: Vec<String> = tried.map(|position| called(system, all[position])).collect();
        names.sort();
        names.dedup();
        names.truncate(MAX_NAMED);
        names
    }
}

/// A `pre` as people call it.
fn called(system: &System, pre: ExprId) -> String {
    let ExprKind::Pre(operand) = system.exprs[pre].kind else { unreachable!("a delay is a `pre`") };
    match (&system.exprs[operand].kind, owner(system, pre)) {
        (ExprKind::Var(var), _) => format!("`pre {}`", system.vars[*var].name),
        (_, Some(var)) => format!("a `pre` in the definition of `{}`", system.vars[var].name),
        (_, None) => "a `pre` in an assertion".to_string(),
    }
}
