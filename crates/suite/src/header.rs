//! The interface of a suite as our own formats declare it: model, enumerations, signals.

use provoke_base::IndexVec;
use provoke_model::{Arithmetic, EnumId, EnumType, IntWidth, RealWidth, Signal, Suite, Type};
use serde::{Deserialize, Serialize};

use crate::error::{ReadError, SuitePlace, excerpt};
use crate::table::{Column, Side, Table};

/// The name and version of our format, which every file in it carries.
pub const SCHEMA: &str = "provoke/suite/1";

/// An enumeration as it is declared in a file.
#[derive(Serialize, Deserialize)]
pub(crate) struct EnumHeader {
    pub(crate) name: String,
    pub(crate) constants: Vec<String>,
}

/// A signal as it is declared in a file: `{"name": "c", "type": "enum {A, B}", "enum": "T"}`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignalHeader {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) ty: String,
    /// The enumeration's name.
    #[serde(rename = "enum", default, skip_serializing_if = "Option::is_none")]
    pub(crate) enum_name: Option<String>,
}

/// The machine's numbers that a suite was made for: `{"int": "32", "real": "double"}`.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NumbersHeader {
    pub(crate) int: String,
    pub(crate) real: String,
}

impl NumbersHeader {
    fn of(numbers: Arithmetic) -> NumbersHeader {
        let int = numbers.int.machine().bits.to_string();
        NumbersHeader { int, real: numbers.real.word().to_string() }
    }

    fn read(&self) -> Result<Arithmetic, ReadError> {
        let ints = [IntWidth::Bits32, IntWidth::Bits64];
        let int = ints.into_iter().find(|int| int.machine().bits.to_string() == self.int);
        let reals = [RealWidth::Single, RealWidth::Double];
        let real = reals.into_iter().find(|real| real.word() == self.real);
        match (int, real) {
            (Some(int), Some(real)) => Ok(Arithmetic { int, real }),
            _ => {
                let (int, real) = (excerpt(&self.int), excerpt(&self.real));
                let message = format!("numbers `{int}` and `{real}` are not known");
                Err(ReadError::new(message).hint("int is 32 or 64, real is float or double"))
            }
        }
    }
}

/// A suite without its tests.
#[derive(Default, Serialize, Deserialize)]
pub(crate) struct Header {
    #[serde(default)]
    pub(crate) schema: Option<String>,
    #[serde(default)]
    pub(crate) model: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) numbers: Option<NumbersHeader>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) enums: Vec<EnumHeader>,
    #[serde(default)]
    pub(crate) inputs: Vec<SignalHeader>,
    #[serde(default)]
    pub(crate) outputs: Vec<SignalHeader>,
}

impl Header {
    pub(crate) fn of(suite: &Suite) -> Header {
        let declare = |ty: &EnumType| {
            let EnumType { name, constants } = ty.clone();
            EnumHeader { name, constants }
        };
        let signals = |signals: &[Signal]| {
            signals.iter().map(|signal| signal_header(signal, &suite.enums)).collect()
        };
        Header {
            schema: Some(SCHEMA.to_string()),
            model: suite.model.clone(),
            numbers: suite.numbers.map(NumbersHeader::of),
            enums: suite.enums.iter().map(declare).collect(),
            inputs: signals(&suite.inputs),
            outputs: signals(&suite.outputs),
        }
    }

    /// Declares everything in a table.
    pub(crate) fn declare(self, table: &mut Table) -> Result<(), ReadError> {
        if let Some(schema) = self.schema.filter(|schema| schema != SCHEMA) {
            let message = format!("the schema `{}` is not known", excerpt(&schema));
            return Err(ReadError::new(message).hint(format!("this version reads `{SCHEMA}`")));
        }
        table.model = self.model;
        table.numbers = self.numbers.map(|numbers| numbers.read()).transpose()?;
        for EnumHeader { name, constants } in self.enums {
            check_constants(&name, &constants)?;
            table.enums.push(EnumType { name, constants });
        }
        for signal in self.inputs {
            declare_signal(table, signal, Side::Input)?;
        }
        for signal in self.outputs {
            declare_signal(table, signal, Side::Output)?;
        }
        Ok(())
    }
}

fn signal_header(signal: &Signal, enums: &IndexVec<EnumId, EnumType>) -> SignalHeader {
    let (ty, enum_name) = match signal.ty {
        Type::Bool => ("bool".to_string(), None),
        Type::Int => ("int".to_string(), None),
        Type::Real => ("real".to_string(), None),
        Type::Enum(id) => (constants_text(&enums[id].constants), Some(enums[id].name.clone())),
    };
    SignalHeader { name: signal.name.clone(), ty, enum_name }
}

fn declare_signal(table: &mut Table, signal: SignalHeader, side: Side) -> Result<(), ReadError> {
    let place = SuitePlace::default().signal(&signal.name);
    let ty = declared_type(&signal, table).map_err(|error| error.at(place))?;
    table.add_column(Column { ty: Some(ty), ..Column::named(signal.name).on(side) })?;
    Ok(())
}

fn declared_type(signal: &SignalHeader, table: &mut Table) -> Result<Type, ReadError> {
    match signal.ty.as_str() {
        "bool" => return Ok(Type::Bool),
        "int" => return Ok(Type::Int),
        "real" => return Ok(Type::Real),
        _ => {}
    }
    let Some(constants) = constants_of(&signal.ty) else {
        let message = format!("the type `{}` is not known", excerpt(&signal.ty));
        return Err(ReadError::new(message).hint("write bool, int, real or enum {A, B}"));
    };
    let name = signal.enum_name.as_ref().unwrap_or(&signal.name).clone();
    check_constants(&name, &constants)?;
    let ty = EnumType { name, constants };
    let known = table.enums.entries().find(|(_, other)| **other == ty).map(|(id, _)| id);
    Ok(Type::Enum(known.unwrap_or_else(|| table.enums.push(ty))))
}

/// `enum {A, B}`
pub(crate) fn constants_text(constants: &[String]) -> String {
    format!("enum {{{}}}", constants.join(", "))
}

/// Reads what [`constants_text`] writes.
pub(crate) fn constants_of(text: &str) -> Option<Vec<String>> {
    let inner = text.trim().strip_prefix("enum")?.trim_start();
    let inner = inner.strip_prefix('{')?.strip_suffix('}')?.trim();
    if inner.is_empty() {
        return Some(Vec::new());
    }
    Some(inner.split(',').map(|name| name.trim().to_string()).collect())
}

fn check_constants(name: &str, constants: &[String]) -> Result<(), ReadError> {
    let error = |message: String| Err(ReadError::new(message));
    let name = excerpt(name);
    if let Some(wrong) = constants.iter().find(|constant| !is_constant_name(constant)) {
        let wrong = excerpt(wrong);
        return error(format!("`{wrong}` of `{name}` cannot be the name of a constant"));
    }
    let mut sorted: Vec<_> = constants.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => error(format!("`{name}` has the constant `{}` twice", excerpt(pair[0]))),
        None => Ok(()),
    }
}

/// Whether a text can be a constant's name in every format.
pub(crate) fn is_constant_name(text: &str) -> bool {
    let reserved = |c: char| c.is_whitespace() || c.is_control() || "{},\"".contains(c);
    !text.is_empty() && !text.contains(reserved)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_constants_are_read_as_written() {
        for constants in [vec![], vec!["A".to_string()], vec!["A".to_string(), "B".to_string()]] {
            assert_eq!(constants_of(&constants_text(&constants)), Some(constants));
        }
        assert_eq!(constants_of("enum{ A ,B }").unwrap(), ["A", "B"]);
        assert_eq!(constants_of("string"), None);
    }
}
