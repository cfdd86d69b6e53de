//! Random steps from a state, computed without a solver.

use provoke_base::{Int, Random, Rational};
use provoke_model::Value;

use super::evaluator::Evaluator;
use crate::term::{Sort, Term, TermId, Terms};
use crate::transition::Transition;

/// How many walks start in a state, and how long each is.
const WALKS: usize = 8;
const STEPS: usize = 8;

/// Walks through the states of a transition.
pub(super) struct Walk {
    evaluator: Evaluator,
    state: Vec<TermId>,
    /// The inputs, and the values that each is given.
    inputs: Vec<(TermId, Vec<Value>)>,
    constraint: TermId,
    random: Random,
}

impl Walk {
    /// Walks on which the terms `claims` can be looked at.
    pub(super) fn new(terms: &Terms, transition: &Transition, claims: &[TermId]) -> Walk {
        let evaluator = Evaluator::new(terms, transition, claims);
        let choices = |input: &TermId| (*input, values(terms, &evaluator, terms.sort(*input)));
        Walk {
            state: transition.state.iter().map(|var| var.symbol).collect(),
            inputs: transition.inputs.iter().map(choices).collect(),
            constraint: transition.constraint,
            random: Random::new(0),
            evaluator,
        }
    }

    /// The state variables.
    pub(super) fn state(&self) -> &[TermId] {
        &self.state
    }

    /// Goes a few ways from a state, and lets `look` see each state on them: what it is given
    /// tells the value of a term, `None` for one that is new here.
    pub(super) fn from(
        &mut self,
        start: Vec<Value>,
        mut look: impl FnMut(&dyn Fn(TermId) -> Option<Value>),
    ) {
        for _ in 0..WALKS {
            let mut state = start.clone();
            for _ in 0..STEPS {
                let inputs: Vec<(TermId, Value)> = self.choose();
                let next = self.evaluator.step(&state, &inputs);
                if *self.evaluator.value(self.constraint) != Value::Bool(true) {
                    break;
                }
                state = next;
                // Claims are looked at before the next step, whatever its inputs.
                self.evaluator.step(&state, &[]);
                let evaluator = &self.evaluator;
                look(&|term| evaluator.known_value(term));
            }
        }
    }

    fn choose(&mut self) -> Vec<(TermId, Value)> {
        let random = &mut self.random;
        self.inputs.iter().map(|(input, values)| (*input, random.pick(values).clone())).collect()
    }
}

/// What an input of a sort may be: where comparisons change, mostly.
fn values(terms: &Terms, evaluator: &Evaluator, sort: Sort) -> Vec<Value> {
    if sort == Sort::Bool {
        return vec![Value::Bool(false), Value::Bool(true)];
    }
    let one = Int::from(1);
    let mut values = Vec::new();
    for constant in evaluator.terms.iter().filter_map(|id| match terms.get(*id) {
        Term::Const(value) => Some(value),
        _ => None,
    }) {
        match constant {
            Value::Int(value) if sort == Sort::Int => {
                let near = [value.sub(&one), value.clone(), value.add(&one)];
                values.extend(near.map(Value::Int));
            }
            Value::Real(value) if sort == Sort::Real => {
                let one = Rational::from(&one);
                let near = [value.sub(&one), value.clone(), value.add(&one)];
                values.extend(near.map(Value::Real));
            }
            _ => {}
        }
    }
    if values.is_empty() {
        values.push(match sort {
            Sort::Real => Value::Real(Rational::from(&Int::ZERO)),
            _ => Value::Int(Int::ZERO),
        });
    }
    values
}
