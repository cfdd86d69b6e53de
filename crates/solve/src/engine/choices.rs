//! All choices of inputs in one step, computed without a solver.
//!
//! The inputs are chosen one after the other, and after each choice only what depends on it is
//! computed. A part of the constraint that is false already spares the choices that follow.

use provoke_model::Value;
use rustc_hash::FxHashMap;

use super::bounds::{Bounds, bounded, conjuncts};
use crate::term::{Term, TermId, Terms};
use crate::transition::Transition;

/// A step in which something that matters is not known, so that nothing follows from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Doubt;

/// A step of a transition that is tried with all choices of inputs.
pub(super) struct Choices {
    nodes: Vec<Node>,
    values: Vec<Value>,
    /// The inputs that have bounds, in the order in which they are chosen.
    inputs: Vec<Input>,
    /// What is computed after each choice; at the beginning what depends on none.
    stages: Vec<Stage>,
    state: Vec<(usize, usize)>,
    goal: usize,
    /// How many nodes were computed.
    work: u64,
}

struct Node {
    term: Term,
    operands: [usize; 3],
}

struct Input {
    symbol: TermId,
    place: usize,
    values: Vec<Value>,
}

#[derive(Default)]
struct Stage {
    computed: Vec<usize>,
    /// The parts of the constraint that are decided here, and whether each only bounds one
    /// state variable.
    constraints: Vec<(usize, bool)>,
}

/// One possible step.
pub(super) struct Step {
    /// The number of the choice, for [`Choices::inputs`].
    pub(super) choice: u64,
    /// The state after it.
    pub(super) next: Vec<Value>,
    /// Whether the goal holds.
    pub(super) is_goal: bool,
}

impl Choices {
    /// `None` if a step has more than `most` choices. Inputs that have no bounds are unknown.
    pub(super) fn new(terms: &Terms, transition: &Transition, most: u64) -> Option<Choices> {
        let parts = conjuncts(terms, transition.constraint);
        let bounds = Bounds::new(terms, &parts);
        let mut roots = vec![transition.goal];
        roots.extend(&parts);
        roots.extend(&transition.inputs);
        roots.extend(transition.state.iter().flat_map(|var| [var.symbol, var.next]));
        let order = terms.reachable(&roots, |_| false);
        let places: FxHashMap<_, _> = order.iter().enumerate().map(|(i, id)| (*id, i)).collect();
        let (mut inputs, mut count) = (Vec::new(), 1);
        for &input in &transition.inputs {
            if let Some(values) = bounds.values(terms, input, most) {
                count *= values.len() as u64;
                inputs.push(Input { symbol: input, place: places[&input], values });
            }
            if count > most {
                return None;
            }
        }
        let nodes: Vec<Node> = order.iter().map(|id| node(terms, *id, &places)).collect();
        let mut choices = Choices {
            values: vec![Value::Unknown; nodes.len()],
            stages: Vec::new(),
            state: transition.state.iter().map(|v| (places[&v.symbol], places[&v.next])).collect(),
            goal: places[&transition.goal],
            work: 0,
            nodes,
            inputs,
        };
        choices.arrange(parts.iter().map(|part| {
            let bounded = bounded(terms, *part);
            let bounds_state =
                bounded.is_some_and(|(symbol, _)| !transition.inputs.contains(&symbol));
            (places[part], bounds_state)
        }));
        Some(choices)
    }

    /// Puts every node and every part of the constraint into the earliest stage that can
    /// compute it.
    fn arrange(&mut self, constraints: impl Iterator<Item = (usize, bool)>) {
        let mut stage_of = vec![0; self.nodes.len()];
        for (number, input) in self.inputs.iter().enumerate() {
            stage_of[input.place] = number + 1;
        }
        self.stages.resize_with(self.inputs.len() + 1, Stage::default);
        for (place, Node { term, operands }) in self.nodes.iter().enumerate() {
            if !matches!(term, Term::Symbol(_)) {
                let used = &operands[..term.operands().count()];
                stage_of[place] = used.iter().map(|operand| stage_of[*operand]).max().unwrap_or(0);
                self.stages[stage_of[place]].computed.push(place);
            }
        }
        for (place, bounds_state) in constraints {
            self.stages[stage_of[place]].constraints.push((place, bounds_state));
        }
    }

    /// How many nodes were computed since this was asked last.
    pub(super) fn take_work(&mut self) -> u64 {
        std::mem::take(&mut self.work)
    }

    /// Tells all steps from a state until `tell` does not want more. In the first step, what is
    /// not known of the state is free, whatever bounds it has.
    pub(super) fn steps(
        &mut self,
        state: &[Value],
        first: bool,
        tell: &mut dyn FnMut(Step) -> bool,
    ) -> Result<(), Doubt> {
        self.set_state(state);
        self.choose(0, 0, first, false, tell).map(|_| ())
    }

    /// Goes on from stage `at`; whether more is wanted. With `doubt`, a part of the constraint is
    /// not known to hold, but choices that follow may still exclude the step.
    fn choose(
        &mut self,
        at: usize,
        choice: u64,
        first: bool,
        doubt: bool,
        tell: &mut dyn FnMut(Step) -> bool,
    ) -> Result<bool, Doubt> {
        self.compute(at);
        let doubt = match self.is_possible(at, first) {
            Some(false) => return Ok(true),
            Some(true) => doubt,
            None => true,
        };
        if at == self.inputs.len() {
            return if doubt { Err(Doubt) } else { self.step(choice).map(tell) };
        }
        let (place, count) = (self.inputs[at].place, self.inputs[at].values.len());
        for digit in 0..count {
            self.values[place].clone_from(&self.inputs[at].values[digit]);
            let choice = choice * count as u64 + digit as u64;
            if !self.choose(at + 1, choice, first, doubt, tell)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn compute(&mut self, at: usize) {
        let Choices { stages, nodes, values, work, .. } = self;
        *work += 1 + stages[at].computed.len() as u64;
        for &place in &stages[at].computed {
            let Node { term, operands: [a, b, c] } = &nodes[place];
            let value = match term {
                Term::Symbol(_) => continue,
                Term::Const(value) => value.clone(),
                Term::Unary(op, _) => op.apply(&values[*a]),
                // A division by zero has no value; whether that matters the constraint tells.
                Term::Binary(op, ..) => {
                    op.apply(&values[*a], &values[*b]).unwrap_or(Value::Unknown)
                }
                Term::Ite(..) => match values[*a] {
                    Value::Bool(true) => values[*b].clone(),
                    Value::Bool(false) => values[*c].clone(),
                    _ if values[*b] == values[*c] => values[*b].clone(),
                    _ => Value::Unknown,
                },
            };
            values[place] = value;
        }
    }

    /// Whether the parts of the constraint that are decided at a stage hold; `None` if that is
    /// not known.
    fn is_possible(&self, at: usize, first: bool) -> Option<bool> {
        let mut known = Some(true);
        for &(place, bounds_state) in &self.stages[at].constraints {
            match self.values[place] {
                Value::Bool(false) => return Some(false),
                Value::Bool(true) => {}
                // Some value is inside, and which one it is matters to nobody.
                _ if first && bounds_state => {}
                _ => known = None,
            }
        }
        known
    }

    fn step(&self, choice: u64) -> Result<Step, Doubt> {
        let is_goal = self.values[self.goal].as_bool().ok_or(Doubt)?;
        let next = self.state.iter().map(|(_, next)| self.values[*next].clone()).collect();
        Ok(Step { choice, next, is_goal })
    }

    /// The values of the inputs in a choice. Those are left out that have no bounds, or without
    /// which the step from `state` is known to do the same.
    pub(super) fn inputs(
        &mut self,
        state: &[Value],
        first: bool,
        choice: u64,
    ) -> Vec<(TermId, Value)> {
        self.set_state(state);
        self.set_inputs(choice);
        let wanted = self.outcome(first);
        let mut chosen = Vec::with_capacity(self.inputs.len());
        for number in 0..self.inputs.len() {
            let Input { symbol, place, .. } = self.inputs[number];
            let value = std::mem::replace(&mut self.values[place], Value::Unknown);
            if self.outcome(first) != wanted {
                self.values[place].clone_from(&value);
                chosen.push((symbol, value));
            }
        }
        chosen
    }

    fn set_state(&mut self, state: &[Value]) {
        for ((place, _), value) in self.state.iter().zip(state) {
            self.values[*place].clone_from(value);
        }
    }

    fn set_inputs(&mut self, mut choice: u64) {
        for Input { place, values, .. } in self.inputs.iter().rev() {
            let count = values.len() as u64;
            self.values[*place].clone_from(&values[(choice % count) as usize]);
            choice /= count;
        }
    }

    /// Whether the step is possible, and if so the state after it and whether the goal holds.
    fn outcome(&mut self, first: bool) -> Option<(Vec<Value>, bool)> {
        (0..self.stages.len()).for_each(|at| self.compute(at));
        let possible = (0..self.stages.len()).all(|at| self.is_possible(at, first) == Some(true));
        let Step { next, is_goal, .. } = self.step(0).ok().filter(|_| possible)?;
        Some((next, is_goal))
    }
}

fn node(terms: &Terms, id: TermId, places: &FxHashMap<TermId, usize>) -> Node {
    let term = terms.get(id).clone();
    let mut operands = [0; 3];
    for (slot, operand) in operands.iter_mut().zip(term.operands()) {
        *slot = places[&operand];
    }
    Node { term, operands }
}
