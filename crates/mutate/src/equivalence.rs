//! Survivors: proven equivalent, killed by a new test, or unknown.

use provoke_base::{Int, Random, Rational};
use provoke_model::{System, Type, Value, Var, VarId};
use provoke_sim::Dense;
use provoke_sim::interpreter::delays;
use provoke_solve::encode::{Encoder, value_of_type};
use provoke_solve::engine::{
    Backend, Budget, Engine, Induction, Lemmas, Plan, Samples, Verdict, Why, about, decide,
    learn, whole,
};
use provoke_solve::{Limit, Reason, TermId, Terms, Transition};

use crate::miter::Miter;
use crate::mutant::Mutant;
use crate::reference::{self, End};
use crate::score::{Fate, Options, Test, in_parallel, score};

/// How much may be done for one mutant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// How many steps are searched.
    pub depth: usize,
    /// How long the window of an induction may be.
    pub k: usize,
    /// What solvers may do in all.
    pub limit: Limit,
}

/// What is known of a mutant that survived.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Finding {
    /// No run of any length shows a difference in what is monitored.
    Equivalent {
        /// The engine that proved it.
        engine: &'static str,
        /// The length of its window.
        k: usize,
    },
    /// A new test kills it.
    Killed {
        /// The position among the new tests.
        test: usize,
        /// The step that shows it, counted from 1.
        step: usize,
    },
    /// A new test makes it divide by zero, which makes it invalid.
    Faulted {
        /// The step, counted from 1.
        step: usize,
    },
    /// None of that was found.
    Unknown {
        /// Why, in a few words.
        reason: String,
        /// In this many first steps there is no difference.
        depth: usize,
    },
}

/// What is known of all survivors, and the tests that tell it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Findings {
    /// In the order of the survivors.
    pub of: Vec<Finding>,
    /// Tests that kill some of them, each confirmed by the reference interpreter.
    pub tests: Vec<Test>,
}

/// Looks for proofs and tests.
pub struct Search<'a> {
    /// The original.
    pub system: &'a System,
    /// What is compared.
    pub monitored: &'a [VarId],
    /// Runs of the original, from which lemmas are learnt.
    pub tests: &'a [Test],
    /// Where solvers come from.
    pub backend: &'a Backend,
    /// Which engine decides.
    pub engine: Engine,
    /// Little for each mutant first, then more for those that are left.
    pub efforts: &'a [Effort],
    /// Where random numbers start: for inputs that do not matter.
    pub seed: u64,
    /// How many threads work.
    pub jobs: usize,
}

/// So many mutants are decided before their tests are run on the others. Not the number of
/// jobs, so that the result does not depend on it.
const WAVE: usize = 16;
/// More states than these teach little more.
const MAX_SAMPLES: usize = 1_000;
/// What part of an effort lemmas about a mutant may cost.
const LEARNING_PERCENT: u32 = 40;

enum Answer {
    Proof { engine: &'static str, k: usize },
    Test(Test),
    Fault { step: usize },
    Nothing { reason: String, depth: usize },
}

impl Search<'_> {
    /// Decides each survivor. `progress` is told how many are left; `stop` ends it early.
    pub fn run(
        &self,
        survivors: &[&Mutant],
        stop: &(dyn Fn() -> bool + Sync),
        progress: &mut dyn FnMut(usize),
    ) -> Findings {
        let unknown = Finding::Unknown { reason: "not tried".to_string(), depth: 0 };
        let mut found = Findings { of: vec![unknown; survivors.len()], tests: Vec::new() };
        let mut open: Vec<usize> = (0..survivors.len()).collect();
        for (round, effort) in self.efforts.iter().enumerate() {
            let last = round + 1 == self.efforts.len();
            let mut waiting = std::mem::take(&mut open);
            while !waiting.is_empty() && !stop() {
                let rest = waiting.split_off(waiting.len().min(WAVE));
                let answers = in_parallel(waiting.len(), self.jobs, |at| {
                    self.ask(survivors[waiting[at]], *effort, last, stop)
                });
                for (at, answer) in waiting.into_iter().zip(answers) {
                    open.extend(self.note(&mut found, at, answer));
                }
                waiting = self.drop_killed(survivors, &mut found, &mut open, rest);
                progress(open.len() + waiting.len());
            }
            open.extend(waiting);
            open.sort_unstable();
        }
        found
    }

    /// Notes an answer; the mutant again if it is still open.
    fn note(&self, found: &mut Findings, at: usize, answer: Answer) -> Option<usize> {
        found.of[at] = match answer {
            Answer::Proof { engine, k } => Finding::Equivalent { engine, k },
            Answer::Fault { step } => Finding::Faulted { step },
            Answer::Test(test) => {
                let step = test.len();
                found.tests.push(test);
                Finding::Killed { test: found.tests.len() - 1, step }
            }
            Answer::Nothing { reason, depth } => {
                found.of[at] = Finding::Unknown { reason, depth };
                return Some(at);
            }
        };
        None
    }

    /// Runs new tests on the mutants that are left: one test may kill many. The tests of the
    /// same wave may also make each other superfluous.
    fn drop_killed(
        &self,
        survivors: &[&Mutant],
        found: &mut Findings,
        open: &mut Vec<usize>,
        waiting: Vec<usize>,
    ) -> Vec<usize> {
        let left: Vec<usize> = open.iter().chain(&waiting).copied().collect();
        let mutants: Vec<&Mutant> = left.iter().map(|at| survivors[*at]).collect();
        let options = Options { monitored: self.monitored, matrix: false, jobs: self.jobs };
        let scores = match found.tests.is_empty() {
            true => return waiting,
            false => score(self.system, &mutants, &found.tests, &options, &|_| {}),
        };
        for (at, score) in left.into_iter().zip(scores) {
            match score.fate {
                Fate::Killed(moment) => {
                    found.of[at] = Finding::Killed { test: moment.test, step: moment.step };
                }
                Fate::Faulted(moment) => found.of[at] = Finding::Faulted { step: moment.step },
                Fate::Survived => {}
            }
        }
        let undecided = |at: &usize| matches!(found.of[*at], Finding::Unknown { .. });
        open.retain(undecided);
        waiting.into_iter().filter(undecided).collect()
    }

    fn ask(
        &self,
        mutant: &Mutant,
        effort: Effort,
        learns: bool,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Answer {
        if stop() {
            return Answer::Nothing { reason: "stopped".to_string(), depth: 0 };
        }
        let miter = Miter::new(self.system, mutant, self.monitored);
        let mut terms = Terms::new();
        let mut encoder = Encoder::new(&miter.system, &mut terms);
        let goal = encoder.value(&mut terms, miter.differs);
        let question = about(&mut encoder, &mut terms, goal);
        let mut budget = Budget::new(effort.limit);
        let lemmas = match learns {
            false => Vec::new(),
            true => budget.with_part(LEARNING_PERCENT, |budget| {
                self.lemmas(&mut encoder, &mut terms, &question, budget)
            }),
        };
        let induction = Induction { max_k: effort.k, ..Induction::default() };
        let plan = Plan { deep: effort.depth, induction, ..Plan::default() };
        let (engine, backend) = (self.engine, self.backend);
        match decide(&mut terms, &question, &lemmas, engine, &plan, backend, &mut budget) {
            Verdict::Unreachable(proof) => Answer::Proof { engine: proof.engine, k: proof.k },
            Verdict::Unknown { why, depth } => Answer::Nothing { reason: words(&why), depth },
            Verdict::Reached(witness) => {
                let mut random = Random::for_part(self.seed, &mutant.id);
                let row = |chosen: &Vec<(TermId, Value)>| {
                    inputs(self.system, &mut encoder, &mut terms, chosen, &mut random)
                };
                self.confirm(mutant, witness.steps.iter().map(row).collect())
            }
        }
    }

    /// A test is believed after it was run.
    fn confirm(&self, mutant: &Mutant, mut test: Test) -> Answer {
        let mutated = mutant.apply(self.system);
        match reference::run(self.system, &mutated, &test, self.monitored) {
            End::Killed(step) => {
                test.truncate(step);
                Answer::Test(test)
            }
            End::Faulted(step) => Answer::Fault { step },
            End::Alike => {
                let reason = "a difference rests on an undefined value".to_string();
                Answer::Nothing { reason, depth: 0 }
            }
        }
    }

    /// What holds of the original and the mutant together, in states that the tests reach and
    /// in all others.
    fn lemmas(
        &self,
        encoder: &mut Encoder<'_>,
        terms: &mut Terms,
        question: &Transition,
        budget: &mut Budget,
    ) -> Vec<TermId> {
        let system = encoder.system();
        let symbols = delays(system).into_iter().map(|pre| encoder.memory(terms, pre)).collect();
        let samples = Samples::new(symbols, states(system, self.tests));
        if samples.rows.is_empty() {
            return Vec::new();
        }
        let transition = whole(encoder, terms);
        let lemmas: Lemmas = learn(terms, &transition, &samples, self.backend, budget);
        lemmas.inside(terms, question)
    }
}

/// States after a step or more.
fn states(system: &System, tests: &[Test]) -> Vec<Vec<Value>> {
    let mut states = Vec::new();
    let mut dense = Dense::new(system);
    for test in tests {
        dense.reset();
        for row in test {
            if states.len() >= MAX_SAMPLES || dense.step(row).is_err() {
                break;
            }
            states.push(dense.state().memory().to_vec());
        }
    }
    states
}

/// A row of inputs; what a solution leaves open is drawn at random, since defaults make weak
/// tests.
fn inputs(
    system: &System,
    encoder: &mut Encoder<'_>,
    terms: &mut Terms,
    chosen: &[(TermId, Value)],
    random: &mut Random,
) -> Vec<Value> {
    let mut value = |var: &VarId| {
        let symbol = encoder.input(terms, *var);
        let drawn = draw(system, &system.vars[*var], random);
        let given = chosen.iter().find(|(input, _)| *input == symbol);
        given.map_or(drawn, |(_, value)| value_of_type(value.clone(), system.vars[*var].ty))
    };
    system.inputs.iter().map(&mut value).collect()
}

fn draw(system: &System, var: &Var, random: &mut Random) -> Value {
    match (&var.range, var.ty) {
        (Some(range), _) => Value::Int(random.between(&range.low, &range.high)),
        (None, Type::Bool) => Value::Bool(random.chance(1, 2)),
        (None, Type::Enum(id)) => Value::Enum(random.below(system.enums[id].constants.len()) as u32),
        (None, ty) => {
            let number = Int::from(random.below(7) as i64 - 2);
            if ty == Type::Real { Value::Real(Rational::from(&number)) } else { Value::Int(number) }
        }
    }
}

fn words(why: &Why) -> String {
    match why {
        Why::Depth => "searched as deep as allowed".to_string(),
        Why::NotInductive => "not inductive".to_string(),
        Why::Solver(Reason::Budget) => "effort used up".to_string(),
        Why::Solver(Reason::Timeout) => "time used up".to_string(),
        Why::Solver(Reason::Interrupted) => "stopped".to_string(),
        Why::Solver(Reason::OutOfMemory) => "solver out of memory".to_string(),
        Why::Solver(Reason::Incomplete(words)) => format!("solver gave up: {words}"),
        Why::Solver(Reason::Crashed(words)) => format!("solver failed: {words}"),
        Why::Unconfirmed(what) => format!("not confirmed: {what}"),
    }
}
