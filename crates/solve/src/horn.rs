//! Rules over relations (constrained Horn clauses): what is reachable, as data.

use provoke_base::{IndexVec, define_id};
use provoke_model::Value;

use crate::solver::UnknownReason;
use crate::term::TermId;

define_id! {
    /// A relation of [`Horn`].
    RelationId,
}

/// A relation applied to arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Atom {
    /// What is applied.
    pub relation: RelationId,
    /// To what; one for each parameter.
    pub arguments: Vec<TermId>,
}

/// Where the premises and the condition hold, the conclusion holds, whatever the values of
/// the symbols in them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HornRule {
    /// What must hold before.
    pub premises: Vec<Atom>,
    /// What must hold besides.
    pub condition: TermId,
    /// What then holds.
    pub conclusion: Atom,
}

/// Relations, the smallest ones that obey the rules.
///
/// For a system that moves from state to state: one relation over the state that says it is
/// reached, with a rule for the first states and one for the step, and one relation without
/// parameters that a bad state implies.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Horn {
    /// The parameters of each relation: symbols, in which its invariant is expressed.
    pub relations: IndexVec<RelationId, Vec<TermId>>,
    /// The rules.
    pub rules: Vec<HornRule>,
}

impl Horn {
    /// No relations and no rules.
    pub fn new() -> Horn {
        Horn::default()
    }

    /// Declares a relation with these parameters, which are symbols.
    pub fn relation(&mut self, parameters: Vec<TermId>) -> RelationId {
        self.relations.push(parameters)
    }
}

/// Arguments for which a relation holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fact {
    /// What holds.
    pub relation: RelationId,
    /// For what; one for each parameter.
    pub values: Vec<Value>,
}

/// Whether a relation holds for some arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HornAnswer {
    /// It does. The facts lead to it, each following by a rule from those before; they are to
    /// be replayed, not believed, and there are none if the engine does not tell.
    Reachable(Vec<Fact>),
    /// It does not: every relation implies its invariant, a term over its parameters, and
    /// that of the relation in question is false. To be checked, not believed.
    Unreachable(IndexVec<RelationId, TermId>),
    /// Neither was found.
    Unknown(UnknownReason),
}
