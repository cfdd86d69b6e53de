//! Whether a suite is one: the writers rely on it.

use std::collections::HashSet;

use provoke_base::index::Id;
use provoke_model::{EnumType, Signal, Step, Suite, TestCase, Type, Value};

use crate::error::{WriteError, excerpt};
use crate::header::is_constant_name;
use crate::requirement;

/// Fails if names are not unique or values do not fit their signals.
pub(crate) fn check(suite: &Suite) -> Result<(), WriteError> {
    suite.enums.iter().try_for_each(check_enum)?;
    let signals = || suite.inputs.iter().chain(&suite.outputs);
    for signal in signals() {
        if signal.name.is_empty() {
            return Err(WriteError::new("a signal has no name"));
        }
        if matches!(signal.ty, Type::Enum(id) if id.index() >= suite.enums.len()) {
            let message = format!("`{}` is of an unknown enumeration", excerpt(&signal.name));
            return Err(WriteError::new(message));
        }
    }
    unique("signals", signals().map(|signal| signal.name.as_str()))?;
    unique("tests", suite.tests.iter().map(|test| test.name.as_str()))?;
    suite.tests.iter().try_for_each(|test| check_test(suite, test))
}

fn check_enum(ty: &EnumType) -> Result<(), WriteError> {
    match ty.constants.iter().find(|name| !is_constant_name(name)) {
        Some(name) => {
            let (name, ty) = (excerpt(name), excerpt(&ty.name));
            Err(WriteError::new(format!("`{name}` of `{ty}` cannot be the name of a constant")))
        }
        None => unique("constants", ty.constants.iter().map(String::as_str)),
    }
}

fn unique<'a>(what: &str, names: impl Iterator<Item = &'a str>) -> Result<(), WriteError> {
    let mut seen = HashSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(WriteError::new(format!("two {what} are called `{}`", excerpt(name))));
        }
    }
    Ok(())
}

fn check_test(suite: &Suite, test: &TestCase) -> Result<(), WriteError> {
    if let Some(id) = test.requirements.iter().find(|id| !requirement::is_id(id)) {
        let (id, name) = (excerpt(id), excerpt(&test.name));
        return Err(WriteError::new(format!("test `{name}`: `{id}` is no id of a requirement")));
    }
    for (number, Step { inputs, outputs }) in test.steps.iter().enumerate() {
        let place = || format!("test `{}`, step {number}", excerpt(&test.name));
        for (signals, values) in [(&suite.inputs, inputs), (&suite.outputs, outputs)] {
            if signals.len() != values.len() {
                let (needed, found) = (signals.len(), values.len());
                let message = format!("{}: {found} values for {needed} signals", place());
                return Err(WriteError::new(message));
            }
            let wrong = signals.iter().zip(values).find(|(signal, v)| !fits(suite, signal, v));
            if let Some((signal, _)) = wrong {
                let name = excerpt(&signal.name);
                let message = format!("{}: the value of `{name}` is not of its type", place());
                return Err(WriteError::new(message));
            }
        }
    }
    Ok(())
}

fn fits(suite: &Suite, signal: &Signal, value: &Value) -> bool {
    value.fits(signal.ty)
        && match (signal.ty, value) {
            (Type::Enum(id), Value::Enum(o)) => (*o as usize) < suite.enums[id].constants.len(),
            _ => true,
        }
}
