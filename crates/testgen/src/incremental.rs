//! Incremental generation (thesis, Algorithm 1): a tag is led to an output one step at a time.
//!
//! The first step of the way is searched for as usual: the base holds, and the tag gets to an
//! output or into a delay. From then on each query is about a single step from the state that
//! was reached, to an output if that is possible, otherwise into a delay where the tag has not
//! been; so the way ends. Only inputs that a solution rests on are set. The others are unknown,
//! and so is what is computed from them; the next query is free to choose it.
//!
//! The thesis leaves open what becomes of such a choice. Here, when a step rests on an unknown,
//! the step is asked for again together with the inputs before it that are still unset, so that
//! a test which is found holds for all values of what is left.

use provoke_model::Value;
use provoke_solve::engine::{Backend, Bmc, Budget, Evaluator, UndecidedReason, without_copies};
use provoke_solve::{SolverAnswer, Start, StateVar, TermId, Terms, Transition, UnrollPolicy};

use crate::goal::Goals;

/// The inputs that are set in each step.
pub(crate) type Steps = Vec<Vec<(TermId, Value)>>;

/// What became of it.
pub(crate) enum Incremental {
    /// A test, with what does not matter left out.
    Test(Steps),
    /// The tag got on its way, but the way that it took has no end.
    Stuck,
    /// No way begins in this many first steps, or none was found beyond them. A search for a
    /// whole test would have to find at least that.
    NoBegin { clear: usize, why: UndecidedReason },
}

/// Looks for a test of an observable obligation, of which `question` asks, whose tag starts
/// within `depth` steps.
pub(crate) fn incremental(
    terms: &mut Terms,
    goals: &mut Goals<'_>,
    question: &Transition,
    depth: usize,
    backend: &Backend,
    budget: &mut Budget,
) -> Incremental {
    let promises = goals.promises(terms);
    let (question, promises) = without_copies(terms, question, &[promises]);
    let mut way = Way::new(terms, &question, promises[0], backend);
    let mut clear = 0;
    let mut seen = match way.set_out(terms, depth, &mut clear, budget) {
        Ok(seen) => seen,
        Err(why) => return Incremental::NoBegin { clear, why },
    };
    while seen == Some(false) {
        seen = way.go_on(terms, budget);
    }
    seen.map_or(Incremental::Stuck, |_| Incremental::Test(way.steps))
}

/// The way of one tag.
struct Way<'t> {
    question: &'t Transition,
    promises: TermId,
    backend: &'t Backend,
    evaluator: Evaluator,
    /// The positions of the tags in the state, and whether each was visited.
    tags: Vec<(usize, bool)>,
    steps: Steps,
    /// The state after those steps, as far as it is known.
    state: Vec<Value>,
}

impl<'t> Way<'t> {
    fn new(
        terms: &mut Terms,
        question: &'t Transition,
        promises: TermId,
        backend: &'t Backend,
    ) -> Way<'t> {
        let is_tag = |position: &usize| Goals::is_tag(terms, question.state[*position].symbol);
        let tags = (0..question.state.len()).filter(is_tag).map(|tag| (tag, false)).collect();
        let evaluator = Evaluator::new(terms, question, &[promises]);
        let state = initial(question);
        Way { question, promises, backend, evaluator, tags, steps: Vec::new(), state }
    }

    /// Lets the base hold, and the tag get somewhere in the same step; shortest first, `clear`
    /// counts the steps in which it cannot. Says whether it is seen.
    fn set_out(
        &mut self,
        terms: &mut Terms,
        depth: usize,
        clear: &mut usize,
        budget: &mut Budget,
    ) -> Result<Option<bool>, UndecidedReason> {
        let goals = [self.question.goal, self.unvisited(terms)];
        let either = terms.any(&goals);
        let onset = onset(terms, self.question, either);
        let mut search = self.search(&onset, Start::Initial);
        while *clear < depth {
            match search.check(terms, either, *clear, budget) {
                SolverAnswer::Unsat => *clear += 1,
                SolverAnswer::Unknown(reason) => return Err(UndecidedReason::Solver(reason)),
                SolverAnswer::Sat => {
                    return Ok(self.first_that_works(goals, |way, goal| {
                        way.follow(terms, &mut search, goal, *clear, budget)
                    }));
                }
            }
        }
        Err(UndecidedReason::Depth)
    }

    /// Does one step from the current state.
    fn go_on(&mut self, terms: &mut Terms, budget: &mut Budget) -> Option<bool> {
        let goals = [self.question.goal, self.unvisited(terms)];
        let mut search = self.search(self.question, Start::At(self.known()));
        self.first_that_works(goals, |way, goal| {
            if search.check(terms, goal, 0, budget) != SolverAnswer::Sat {
                return None;
            }
            let found = search.witness(terms, goal, 0)?;
            let mut state = way.state.clone();
            for (symbol, value) in found.start {
                state[way.position(symbol)?] = value;
            }
            let (step, rests_on) = way.needed(&state, &found.steps, goal);
            if rests_on.iter().any(|position| !way.state[*position].is_known()) {
                return way.choose_earlier(terms, goal, budget);
            }
            let after = way.execute(way.state.clone(), &step);
            way.arrive(goal, [way.steps.clone(), step].concat(), after)
        })
    }

    /// An output first, else a delay; whether it was an output.
    fn first_that_works(
        &mut self,
        [output, delay]: [TermId; 2],
        mut attempt: impl FnMut(&mut Self, TermId) -> Option<()>,
    ) -> Option<bool> {
        match attempt(self, output) {
            Some(()) => Some(true),
            None => attempt(self, delay).map(|()| false),
        }
    }

    /// Takes the run from the initial state to a goal in a step, if there is one.
    fn follow(
        &mut self,
        terms: &mut Terms,
        search: &mut Bmc<'_>,
        goal: TermId,
        step: usize,
        budget: &mut Budget,
    ) -> Option<()> {
        if search.check(terms, goal, step, budget) != SolverAnswer::Sat {
            return None;
        }
        let found = search.witness(terms, goal, step)?;
        let mut steps = self.steps.clone();
        steps.resize(found.steps.len(), Vec::new());
        for (row, chosen) in steps.iter_mut().zip(found.steps) {
            row.extend(chosen);
        }
        let mut start = initial(self.question);
        for (symbol, value) in found.start {
            start[self.position(symbol)?] = value;
        }
        let (steps, _) = self.needed(&start, &steps, goal);
        let after = self.execute(initial(self.question), &steps);
        self.arrive(goal, steps, after)
    }

    /// A step that needs inputs which earlier steps left open: they are chosen with it.
    fn choose_earlier(
        &mut self,
        terms: &mut Terms,
        goal: TermId,
        budget: &mut Budget,
    ) -> Option<()> {
        let question = self.question;
        let mut search = self.search(question, Start::Initial).with_inputs(self.steps.clone());
        self.follow(terms, &mut search, goal, self.steps.len(), budget)
    }

    /// The state after some steps, with what is unset unknown.
    fn execute(&mut self, start: Vec<Value>, steps: &[Vec<(TermId, Value)>]) -> Vec<Value> {
        steps.iter().fold(start, |state, row| self.evaluator.step(&state, row))
    }

    /// Takes steps that were just executed, and notes where the tag is; `None` unless the goal
    /// is certain.
    fn arrive(&mut self, goal: TermId, steps: Steps, state: Vec<Value>) -> Option<()> {
        // All delays where the tag waits are kept in the state, but as in the thesis only the one
        // that was aimed at is visited: a way may lead from one of them to another.
        let aim =
            |(tag, visited): &&mut (usize, bool)| !*visited && state[*tag] == Value::Bool(true);
        let certain = match goal == self.question.goal {
            true => self.is_true(goal),
            false => self.tags.iter_mut().find(aim).map(|(_, visited)| *visited = true).is_some(),
        };
        if certain {
            (self.steps, self.state) = (steps, state);
        }
        certain.then_some(())
    }

    fn is_true(&self, term: TermId) -> bool {
        *self.evaluator.value(term) == Value::Bool(true)
    }

    /// The inputs that a goal in the last of some steps rests on, and the positions of the
    /// state variables at the start that it does. What the environment promises is kept too.
    fn needed(
        &mut self,
        start: &[Value],
        steps: &[Vec<(TermId, Value)>],
        goal: TermId,
    ) -> (Steps, Vec<usize>) {
        let mut states = vec![start.to_vec()];
        for row in steps {
            states.push(self.evaluator.step(&states[states.len() - 1], row));
        }
        let mut wanted = self.arrivals(goal);
        let mut rests_on = Vec::new();
        let mut needed = Vec::new();
        for (state, row) in states.iter().zip(steps).rev() {
            self.evaluator.step(state, row);
            wanted.push(self.promises);
            let support = self.evaluator.support(&wanted);
            let is_needed = |(symbol, _): &&(TermId, Value)| support.contains(symbol);
            needed.push(row.iter().filter(is_needed).cloned().collect());
            rests_on = support.into_iter().filter_map(|symbol| self.position(symbol)).collect();
            wanted = rests_on.iter().map(|position| self.question.state[*position].next).collect();
        }
        needed.reverse();
        (needed, rests_on)
    }

    /// What makes a goal true in the step just done: for a delay, any one that is new.
    fn arrivals(&self, goal: TermId) -> Vec<TermId> {
        if goal == self.question.goal {
            return vec![goal];
        }
        let next = |(tag, visited): &(usize, bool)| {
            (!visited).then_some(self.question.state[*tag].next).filter(|next| self.is_true(*next))
        };
        self.tags.iter().find_map(next).into_iter().collect()
    }

    /// That the tag gets into a delay where it has not been.
    fn unvisited(&self, terms: &mut Terms) -> TermId {
        let new = self.tags.iter().filter(|(_, visited)| !visited);
        let next: Vec<TermId> = new.map(|(tag, _)| self.question.state[*tag].next).collect();
        terms.any(&next)
    }

    /// What is known of the state.
    fn known(&self) -> Vec<(TermId, Value)> {
        let all = self.question.state.iter().zip(&self.state);
        let known = all.filter(|(_, value)| value.is_known());
        known.map(|(var, value)| (var.symbol, value.clone())).collect()
    }

    fn position(&self, symbol: TermId) -> Option<usize> {
        self.question.state.binary_search_by_key(&symbol, |var| var.symbol).ok()
    }

    fn search<'q>(&self, question: &'q Transition, start: Start) -> Bmc<'q> {
        Bmc::new(question, start, UnrollPolicy::Inline, Box::new(self.backend.solver()))
    }
}

/// What is known of the state before the first step.
fn initial(question: &Transition) -> Vec<Value> {
    let value = |var: &StateVar| var.initial.clone().unwrap_or(Value::Unknown);
    question.state.iter().map(value).collect()
}

/// The same steps without tags from earlier ones: `goal` is for the step in which the base
/// holds.
fn onset(terms: &mut Terms, question: &Transition, goal: TermId) -> Transition {
    Transition::slice(terms, goal, question.constraint, |terms, symbol| {
        let position = question.state.binary_search_by_key(&symbol, |var| var.symbol).ok()?;
        let mut var = question.state[position].clone();
        if Goals::is_tag(terms, symbol) {
            var.next = terms.bool(false);
        }
        Some(var)
    })
}
