//! Steps with given inputs, computed without a solver. What is not set is unknown, and a result
//! is known where it is the same for all values of the unknowns, by the rules of the operators.

use provoke_model::Value;
use rustc_hash::FxHashMap;

use crate::term::{Term, TermId, Terms};
use crate::transition::Transition;

/// The terms of a transition in the order of evaluation.
pub struct Evaluator {
    pub(super) nodes: Vec<Term>,
    /// The places of operands, up to three for each node.
    pub(super) operands: Vec<[usize; 3]>,
    pub(super) places: FxHashMap<TermId, usize>,
    /// The terms by their places.
    pub(super) terms: Vec<TermId>,
    inputs: Vec<usize>,
    /// The places of the state variables and of their next values.
    state: Vec<(usize, usize)>,
    pub(super) values: Vec<Value>,
}

impl Evaluator {
    /// Evaluates the steps of `transition` and the terms `also`.
    pub fn new(terms: &Terms, transition: &Transition, also: &[TermId]) -> Evaluator {
        let mut roots = also.to_vec();
        roots.extend([transition.goal, transition.constraint]);
        roots.extend(transition.state.iter().flat_map(|var| [var.symbol, var.next]));
        let order = terms.reachable(&roots, |_| false);
        let places: FxHashMap<_, _> = order.iter().enumerate().map(|(i, id)| (*id, i)).collect();
        let place = |id: &TermId| {
            let mut found = [0; 3];
            for (slot, operand) in found.iter_mut().zip(terms.get(*id).operands()) {
                *slot = places[&operand];
            }
            found
        };
        let state = transition.state.iter().map(|var| (places[&var.symbol], places[&var.next]));
        Evaluator {
            nodes: order.iter().map(|id| terms.get(*id).clone()).collect(),
            operands: order.iter().map(place).collect(),
            state: state.collect(),
            inputs: transition.inputs.iter().filter_map(|id| places.get(id).copied()).collect(),
            values: vec![Value::Unknown; order.len()],
            terms: order,
            places,
        }
    }

    /// Sets a symbol of this step.
    pub fn set(&mut self, symbol: TermId, value: Value) {
        if let Some(&place) = self.places.get(&symbol) {
            self.values[place] = value;
        }
    }

    /// Computes this step from the symbols that are set.
    pub fn compute(&mut self) {
        for (place, (node, [a, b, c])) in self.nodes.iter().zip(&self.operands).enumerate() {
            let values = &self.values;
            let value = match node {
                Term::Symbol(_) => continue,
                Term::Const(value) => value.clone(),
                Term::Unary(op, _) => op.apply(&values[*a]),
                Term::Binary(op, ..) => {
                    op.apply(&values[*a], &values[*b]).unwrap_or(Value::Unknown)
                }
                Term::Ite(..) => match values[*a] {
                    Value::Bool(true) => values[*b].clone(),
                    Value::Bool(false) => values[*c].clone(),
                    // Whichever it is.
                    _ if values[*b] == values[*c] => values[*b].clone(),
                    _ => Value::Unknown,
                },
            };
            self.values[place] = value;
        }
    }

    /// Computes a step from the values of the state variables and of some inputs; the other
    /// inputs are unknown. Says what the state variables are after it.
    pub fn step(&mut self, state: &[Value], inputs: &[(TermId, Value)]) -> Vec<Value> {
        self.set_state(state);
        for &place in &self.inputs {
            self.values[place] = Value::Unknown;
        }
        inputs.iter().for_each(|(symbol, value)| self.set(*symbol, value.clone()));
        self.compute();
        self.next_state()
    }

    /// Goes on to the next step.
    pub fn advance(&mut self) {
        let next = self.next_state();
        self.set_state(&next);
    }

    fn next_state(&self) -> Vec<Value> {
        self.state.iter().map(|(_, next)| self.values[*next].clone()).collect()
    }

    fn set_state(&mut self, state: &[Value]) {
        for ((place, _), value) in self.state.iter().zip(state) {
            self.values[*place].clone_from(value);
        }
    }

    /// The value of a term in this step.
    pub fn value(&self, term: TermId) -> &Value {
        &self.values[self.places[&term]]
    }

    /// The value of a term in this step; `None` if it is none of those that are evaluated, or
    /// not known.
    pub(super) fn known_value(&self, term: TermId) -> Option<Value> {
        let value = &self.values[*self.places.get(&term)?];
        value.is_known().then(|| value.clone())
    }
}
