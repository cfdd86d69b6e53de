//! The kinds of faults, after seed 004, section 4.2.

/// What a mutant does to the place it changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum MutationOperator {
    /// Another of `+`, `-`, `*`, and of `div`, `mod` or `/`.
    Arithmetic,
    /// Another of `=`, `<>`, `<`, `<=`, `>`, `>=`.
    Relational,
    /// Another of `and`, `or`, `xor`.
    Boolean,
    /// `not` in front of a Boolean variable or connective.
    Negation,
    /// The value that a variable had one step ago.
    Delay,
    /// A number one larger or smaller, or the other truth value.
    Constant,
    /// Another variable of the same node and type.
    Variable,
    /// A truth value in place of a condition: equation (1) of seed 004. Not among the seven kinds by which
    /// suites are scored.
    Stuck,
}

provoke_base::words!(MutationOperator {
    Arithmetic = "arithmetic",
    Relational = "relational",
    Boolean = "boolean",
    Negation = "negation",
    Delay = "delay",
    Constant = "constant",
    Variable = "variable",
    Stuck = "stuck",
});

impl MutationOperator {
    /// Whether suites are scored by it.
    pub fn scores(self) -> bool {
        self != MutationOperator::Stuck
    }
}
