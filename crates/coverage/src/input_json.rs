//! Inputs of a model as JSON, by the words users read.

use provoke_model::{System, Value};
use serde_json::Value as Json;

/// The rows of inputs of a system.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a>(pub(crate) &'a System);

impl Rows<'_> {
    pub(crate) fn show(self, rows: &[Vec<Value>]) -> Json {
        rows.iter().map(|row| self.show_one(row)).collect()
    }

    /// The rows that a value holds; `None` if it holds something else.
    pub(crate) fn read(self, rows: &Json) -> Option<Vec<Vec<Value>>> {
        rows.as_array()?.iter().map(|row| self.read_one(row)).collect()
    }

    fn show_one(self, values: &[Value]) -> Json {
        let ty = |position: usize| self.0.vars[self.0.inputs[position]].ty;
        let show = |(position, value): (usize, &Value)| value.show(ty(position), &self.0.enums);
        values.iter().enumerate().map(show).collect()
    }

    fn read_one(self, row: &Json) -> Option<Vec<Value>> {
        let inputs = self.0.inputs.iter().map(|var| self.0.vars[*var].ty);
        let cells = row.as_array()?;
        if cells.len() != self.0.inputs.len() {
            return None;
        }
        let read = |(cell, ty): (&Json, _)| Value::parse(cell.as_str()?, ty, &self.0.enums);
        cells.iter().zip(inputs).map(read).collect()
    }
}
