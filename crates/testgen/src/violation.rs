//! Whether a run breaks a property, for some values of what is undefined.

use provoke_model::{ExprId, System, Type, Value};
use provoke_sim::interpreter::delays;
use provoke_sim::{Breach, Simulator, State};

/// The values of what is undefined with which the last of some steps breaks a property, as the
/// reference interpreter says; `None` if it does not. What `chosen` leaves out is left open if
/// that is enough.
pub(crate) fn violation(
    system: &System,
    property: ExprId,
    steps: &[Vec<Value>],
    chosen: Vec<(ExprId, Value)>,
) -> Option<Vec<(ExprId, Value)>> {
    if breaks(system, property, steps, &chosen) {
        return Some(chosen);
    }
    // What cancels out in terms, as in `x - x`, is still unknown to the interpreter.
    let any = |pre: ExprId| {
        let value = chosen.iter().find(|(other, _)| *other == pre);
        (pre, value.map_or_else(|| some_value(system.exprs[pre].ty), |(_, value)| value.clone()))
    };
    let all: Vec<_> = delays(system).into_iter().map(any).collect();
    breaks(system, property, steps, &all).then_some(all)
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
    chosen.restore(&State::new(0, memory));
    let mut before = chosen.state().clone();
    for row in steps {
        before = chosen.state().clone();
        let outside = |breach: &Breach| breach.is_outside(system);
        match (certain.step(row), chosen.step(row)) {
            (Ok(breaches), Ok(_)) if !breaches.iter().any(outside) => {}
            _ => return false,
        }
    }
    !steps.is_empty() && chosen.value_of(property, &before) == Ok(Value::Bool(false))
}

fn some_value(ty: Type) -> Value {
    match ty {
        Type::Bool => Value::Bool(false),
        Type::Int => Value::from(0),
        Type::Real => Value::Real(provoke_base::Rational::from(&provoke_base::Int::ZERO)),
        Type::Enum(_) => Value::Enum(0),
    }
}
