//! Steps one after the other: the same terms over the symbols of each step.

use provoke_model::Value;
use rustc_hash::FxHashMap;

use crate::encode::literal;
use crate::term::{Term, TermId, Terms};
use crate::transition::{StateVar, Transition};

/// Where a row of steps starts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// In the first step.
    Initial,
    /// In any state at all, reachable or not.
    Anywhere,
    /// In the state in which these symbols have these values; what is not named is free.
    At(Vec<(TermId, Value)>),
}

/// How the state of a step is expressed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UnrollPolicy {
    /// By the terms of the step before: no symbols but inputs and the first state.
    #[default]
    Inline,
    /// By symbols of its own, which the unrolling's equations define.
    NameState,
}

/// A transition over several steps, numbered from 0.
pub struct Unrolling<'t> {
    transition: &'t Transition,
    start: Start,
    policy: UnrollPolicy,
    /// Distinguishes the symbols of several unrollings in the same terms.
    tag: String,
    /// Inputs of the first steps that are not to be chosen.
    given: Vec<Vec<(TermId, Value)>>,
    steps: Vec<FxHashMap<TermId, TermId>>,
    /// What defines the symbols of named states; to be asserted.
    equations: Vec<TermId>,
}

impl<'t> Unrolling<'t> {
    /// No steps yet. Unrollings with the same tag share their symbols.
    pub fn new(transition: &'t Transition, start: Start, policy: UnrollPolicy, tag: &str) -> Self {
        let (tag, given) = (tag.to_string(), Vec::new());
        let (steps, equations) = (Vec::new(), Vec::new());
        Unrolling { transition, start, policy, tag, given, steps, equations }
    }

    /// The same steps, with these inputs given in the first of them.
    pub fn with_inputs(mut self, given: Vec<Vec<(TermId, Value)>>) -> Self {
        self.given = given;
        self
    }

    /// The goal in a step.
    pub fn goal(&mut self, terms: &mut Terms, step: usize) -> TermId {
        self.at(terms, self.transition.goal, step)
    }

    /// What holds in a step.
    pub fn constraint(&mut self, terms: &mut Terms, step: usize) -> TermId {
        self.at(terms, self.transition.constraint, step)
    }

    /// The equations of named states up to `step`, which every query on these steps needs.
    pub fn equations(&mut self, terms: &mut Terms, step: usize) -> &[TermId] {
        self.extend(terms, step);
        &self.equations
    }

    /// A term over the transition's symbols, in a step.
    pub fn at(&mut self, terms: &mut Terms, root: TermId, step: usize) -> TermId {
        self.extend(terms, step);
        if let Some(&known) = self.steps[step].get(&root) {
            return known;
        }
        let map = &mut self.steps[step];
        for id in terms.reachable(&[root], |id| map.contains_key(&id)) {
            let new = rebuild(terms, map, id);
            map.insert(id, new);
        }
        map[&root]
    }

    fn extend(&mut self, terms: &mut Terms, step: usize) {
        while self.steps.len() <= step {
            let number = self.steps.len();
            let mut map = FxHashMap::default();
            for &input in &self.transition.inputs {
                map.insert(input, self.input(terms, input, number));
            }
            for var in &self.transition.state {
                let term = self.state(terms, var, number);
                map.insert(var.symbol, term);
            }
            self.steps.push(map);
        }
    }

    fn input(&self, terms: &mut Terms, input: TermId, step: usize) -> TermId {
        let given = self.given.get(step).and_then(|row| row.iter().find(|(s, _)| *s == input));
        let given = given.and_then(|(_, value)| literal(terms, value));
        given.unwrap_or_else(|| self.renamed(terms, input, step))
    }

    fn renamed(&self, terms: &mut Terms, symbol: TermId, step: usize) -> TermId {
        let Term::Symbol(id) = *terms.get(symbol) else { unreachable!("inputs are symbols") };
        let declared = terms.symbol_of(id);
        let (name, sort) = (format!("{}@{step}{}", declared.name, self.tag), declared.sort);
        terms.symbol(&name, sort)
    }

    fn state(&mut self, terms: &mut Terms, var: &StateVar, step: usize) -> TermId {
        if step == 0 {
            let fixed = match &self.start {
                Start::Initial => var.initial.clone(),
                Start::Anywhere => None,
                Start::At(values) => {
                    values.iter().find(|(s, _)| *s == var.symbol).map(|(_, value)| value.clone())
                }
            };
            let fixed = fixed.and_then(|value| literal(terms, &value));
            return fixed.unwrap_or_else(|| self.renamed(terms, var.symbol, 0));
        }
        let next = self.at(terms, var.next, step - 1);
        let plain = matches!(terms.get(next), Term::Const(_) | Term::Symbol(_));
        if self.policy == UnrollPolicy::Inline || plain {
            return next;
        }
        let name = self.renamed(terms, var.symbol, step);
        let equation = terms.binary(provoke_model::BinaryOp::Eq, name, next);
        self.equations.push(equation);
        name
    }
}

fn rebuild(terms: &mut Terms, map: &FxHashMap<TermId, TermId>, id: TermId) -> TermId {
    match terms.get(id).clone() {
        Term::Const(_) | Term::Symbol(_) => id,
        Term::Unary(op, a) => terms.unary(op, map[&a]),
        Term::Binary(op, a, b) => terms.binary(op, map[&a], map[&b]),
        Term::Ite(c, a, b) => terms.ite(map[&c], map[&a], map[&b]),
    }
}
