//! States that simulation reached.

use provoke_model::Value;
use rustc_hash::FxHashSet;

use crate::term::TermId;

/// Later states of real runs: those after one step or more, never the initial one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StateSamples {
    /// The state variables.
    pub symbols: Vec<TermId>,
    /// Their values, one row for each state; an unknown value says nothing.
    pub rows: Vec<Vec<Value>>,
}

impl StateSamples {
    /// The samples without repetitions, enumeration constants as the integers that terms have
    /// for them.
    pub fn new(symbols: Vec<TermId>, rows: impl IntoIterator<Item = Vec<Value>>) -> StateSamples {
        let mut seen = FxHashSet::default();
        let mut distinct = Vec::new();
        for row in rows {
            assert_eq!(row.len(), symbols.len(), "one value for each symbol");
            let row: Vec<Value> = row.into_iter().map(as_term_value).collect();
            if seen.insert(row.clone()) {
                distinct.push(row);
            }
        }
        StateSamples { symbols, rows: distinct }
    }

    /// The values of one state variable, as long as all are known.
    pub(super) fn column(&self, index: usize) -> Option<Vec<&Value>> {
        let known = |row: &'_ Vec<Value>| row[index].is_known();
        self.rows.iter().all(known).then(|| self.rows.iter().map(|row| &row[index]).collect())
    }
}

/// Longer numbers suggest nothing, and a solver may take roots of them for hours.
const MAX_BITS: usize = 256;

fn as_term_value(value: Value) -> Value {
    match value {
        Value::Enum(ordinal) => Value::from(i64::from(ordinal)),
        Value::Int(int) if int.bits() > MAX_BITS => Value::Unknown,
        Value::Real(real) if real.bits() > MAX_BITS => Value::Unknown,
        other => other,
    }
}
