//! Tests and suites, independent of any file format.

use provoke_base::IndexVec;

use crate::fixed::Arithmetic;
use crate::system::{EnumId, EnumType, System, Type, VarId};
use crate::value::Value;

/// A named, typed column of a suite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signal {
    /// The variable's name.
    pub name: String,
    /// Its type; enumerations are those of the suite.
    pub ty: Type,
}

/// What goes in and what must come out in one step; [`Value::Unknown`] is "don't care".
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// One value per input signal.
    pub inputs: Vec<Value>,
    /// One value per output signal.
    pub outputs: Vec<Value>,
}

/// A sequence of steps from the initial state.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TestCase {
    /// A name, unique in its suite.
    pub name: String,
    /// The ids of the obligations it covers.
    pub covers: Vec<String>,
    /// The ids of the requirements that it is for, as its author says.
    pub requirements: Vec<String>,
    /// The steps in order.
    pub steps: Vec<Step>,
}

/// Tests over the same signals.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Suite {
    /// The name of the model it was made for; may be empty.
    pub model: String,
    /// The machine's numbers that it was made for; exact ones, or nobody said, if there are none.
    pub numbers: Option<Arithmetic>,
    /// The enumerations its signals use.
    pub enums: IndexVec<EnumId, EnumType>,
    /// What the tests set.
    pub inputs: Vec<Signal>,
    /// What the tests expect.
    pub outputs: Vec<Signal>,
    /// The tests.
    pub tests: Vec<TestCase>,
}

impl Suite {
    /// An empty suite over a system's inputs and the given observed variables.
    pub fn for_system(system: &System, observed: &[VarId]) -> Suite {
        let signal = |id: &VarId| {
            let var = &system.vars[*id];
            Signal { name: var.name.clone(), ty: var.ty }
        };
        Suite {
            model: system.name.clone(),
            numbers: system.numbers,
            enums: system.enums.clone(),
            inputs: system.inputs.iter().map(signal).collect(),
            outputs: observed.iter().map(signal).collect(),
            tests: Vec::new(),
        }
    }
}
