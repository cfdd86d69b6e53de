//! The kinds of faults, after seed 004, section 4.2.

/// What a mutant does to the place it changes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operator {
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
}

impl Operator {
    /// All of them.
    pub const ALL: [Operator; 7] = [
        Operator::Arithmetic,
        Operator::Relational,
        Operator::Boolean,
        Operator::Negation,
        Operator::Delay,
        Operator::Constant,
        Operator::Variable,
    ];

    /// The word users write.
    pub fn word(self) -> &'static str {
        match self {
            Operator::Arithmetic => "arithmetic",
            Operator::Relational => "relational",
            Operator::Boolean => "boolean",
            Operator::Negation => "negation",
            Operator::Delay => "delay",
            Operator::Constant => "constant",
            Operator::Variable => "variable",
        }
    }

    /// The operator that [`Operator::word`] calls so.
    pub fn named(word: &str) -> Option<Operator> {
        Operator::ALL.into_iter().find(|operator| operator.word() == word)
    }
}
