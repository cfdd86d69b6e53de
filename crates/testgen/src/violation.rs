//! Whether a run breaks a property, for some values of what is undefined.

use provoke_model::{ExprId, Fault, System, Value, VarId};
use provoke_sim::interpreter::delays;
use provoke_sim::{Breach, RunCheck, RuntimeError, SimState, Simulator};

/// The values of what is undefined with which the last of some steps breaks a property, as the
/// reference interpreter says; `None` if it does not. What `chosen` leaves out is left open if
/// that is enough: if the steps are a run whatever it is worth.
pub(crate) fn violation(
    system: &System,
    property: ExprId,
    steps: &[Vec<Value>],
    chosen: Vec<(ExprId, Value)>,
) -> Option<Vec<(ExprId, Value)>> {
    let is_run = RunCheck::new(system).steps(steps) == steps.len();
    if is_run && breaks(system, property, steps, &chosen) {
        return Some(chosen);
    }
    // What cancels out in terms, as in `x - x`, is still unknown to the interpreter, and what is
    // divided by must not be zero.
    let all = |filler: i64| -> Vec<(ExprId, Value)> {
        let any = |pre: ExprId| {
            let value = chosen.iter().find(|(other, _)| *other == pre);
            let some = || Value::some(system.exprs[pre].ty, filler);
            (pre, value.map_or_else(some, |(_, value)| value.clone()))
        };
        delays(system).into_iter().map(any).collect()
    };
    [0, 1].map(all).into_iter().find(|all| breaks(system, property, steps, all))
}

/// Whether the last of some steps breaks a property for these values of what is undefined. They
/// do not make an assertion fail: one that is undefined restricts nothing, whatever they are.
fn breaks(
    system: &System,
    property: ExprId,
    steps: &[Vec<Value>],
    undefined: &[(ExprId, Value)],
) -> bool {
    let value = |pre: ExprId| {
        let chosen = undefined.iter().find(|(other, _)| *other == pre);
        chosen.map_or(Value::Unknown, |(_, value)| value.clone())
    };
    let memory = delays(system).into_iter().map(value).collect();
    let (mut certain, mut chosen) = (Simulator::new(system), Simulator::new(system));
    chosen.restore(&SimState::new(0, memory));
    let mut before = chosen.state().clone();
    let mut results = FunctionResults::new(system);
    for row in steps {
        before = chosen.state().clone();
        let outside = |breach: &Breach| breach.is_outside(system);
        match (certain.step(row), chosen.step(row)) {
            (Ok(breaches), Ok(_)) if !breaches.iter().any(outside) => {}
            _ => return false,
        }
        if !results.agree(&chosen) {
            return false;
        }
    }
    !steps.is_empty() && is_broken(&chosen.value_of(property, &before))
}

/// Whether functions whose bodies are not known give equal results for equal arguments in all steps of a
/// run. A search sees to that within each step only.
pub fn functions_agree(
    system: &System,
    steps: &[Vec<Value>],
    undefined: &[(ExprId, Value)],
) -> bool {
    if system.functions.is_empty() {
        return true;
    }
    let value = |pre: ExprId| {
        let chosen = undefined.iter().find(|(other, _)| *other == pre);
        chosen.map_or(Value::Unknown, |(_, value)| value.clone())
    };
    let mut simulator = Simulator::new(system);
    simulator.restore(&SimState::new(0, delays(system).into_iter().map(value).collect()));
    let mut results = FunctionResults::new(system);
    steps.iter().all(|row| simulator.step(row).is_ok() && results.agree(&simulator))
}

/// What functions whose bodies are not known gave so far.
struct FunctionResults<'a> {
    system: &'a System,
    /// For each function, arguments and results.
    known: Vec<Vec<(Vec<Value>, Vec<Value>)>>,
}

impl FunctionResults<'_> {
    fn new(system: &System) -> FunctionResults<'_> {
        FunctionResults { system, known: vec![Vec::new(); system.functions.len()] }
    }

    /// Whether the last step gives no other results for arguments that were there before.
    fn agree(&mut self, simulator: &Simulator<'_>) -> bool {
        let values = simulator.values();
        for (function, known) in self.system.functions.iter().zip(&mut self.known) {
            for one in &function.uses {
                let active = one.active.map_or(Value::Bool(true), |var| values[var].clone());
                if active == Value::Bool(false) {
                    continue;
                }
                let row = |vars: &[VarId]| vars.iter().map(|var| values[*var].clone()).collect();
                let (arguments, results): (Vec<Value>, Vec<Value>) =
                    (row(&one.inputs), row(&one.outputs));
                match known.iter().find(|(before, _)| *before == arguments) {
                    Some((_, before)) if *before != results => return false,
                    Some(_) => {}
                    None => known.push((arguments, results)),
                }
            }
        }
        true
    }
}

/// Whether a property with this value does not hold: it is false, or computing it divides by zero.
fn is_broken(value: &Result<Value, RuntimeError>) -> bool {
    match value {
        Ok(value) => *value == Value::Bool(false),
        Err(error) => error.fault == Fault::DivisionByZero,
    }
}
