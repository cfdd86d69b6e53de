//! The numbers that results hold for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::word::{MachineIntWord, MachineRealWord};

/// The numbers of a machine that a suite was made for, or that verdicts hold for.
#[derive(Serialize, Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq, Debug)]
pub struct NumbersResult {
    /// How many bits integers have; they wrap around.
    pub int: MachineIntWord,
    /// How reals are held.
    pub real: MachineRealWord,
}
