//! One attempt at one obligation, with terms and solvers of its own.

use provoke_base::Random;
use provoke_criteria::{Measurement, Obligation};
use provoke_model::{System, Value};
use provoke_sim::interpreter::delays;
use provoke_solve::encode::{Encoder, value_of_type};
use provoke_solve::engine::{
    self, Backend, Budget, Engine, Induction, Plan, Samples, Verdict, Why, Witness, decide, whole,
};
use provoke_solve::{Limit, Reason, TermId, Terms, Transition};

use crate::generate::{Method, Options, ProofSummary};
use crate::goal::Goals;
use crate::incremental::{NoWay, incremental};
use crate::pool::Pool;

/// What the incremental part may use of an effort; the rest is for the search that follows.
const INCREMENTAL_PERCENT: u32 = 50;

/// How much may be done for one obligation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// How many steps are searched.
    pub depth: usize,
    /// How long the window of an induction may be.
    pub k: usize,
    /// What solvers may do in all.
    pub limit: Limit,
}

/// Facts about all later states of a system, proven once and used for every obligation.
#[derive(Default)]
pub struct Lemmas {
    terms: Terms,
    lemmas: engine::Lemmas,
}

impl Lemmas {
    /// Learns from states that simulation reached, and proves what it learned.
    pub fn learn(
        system: &System,
        rows: Vec<Vec<Value>>,
        backend: &Backend,
        limit: Limit,
    ) -> Lemmas {
        let mut terms = Terms::new();
        let mut encoder = Encoder::new(system, &mut terms);
        let transition = whole(&mut encoder, &mut terms);
        let symbols = delays(system).into_iter().map(|pre| encoder.memory(&mut terms, pre));
        let samples = Samples::new(symbols.collect(), rows);
        if samples.rows.is_empty() {
            return Lemmas::default();
        }
        let mut budget = Budget::new(limit);
        let lemmas = engine::learn(&mut terms, &transition, &samples, backend, &mut budget);
        Lemmas { terms, lemmas }
    }

    /// Those that speak about a question, in its terms.
    fn about(&self, terms: &mut Terms, question: &Transition) -> Vec<TermId> {
        let all = self.lemmas.import(&self.terms, terms);
        all.inside(terms, question)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lemmas.terms.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lemmas.terms.is_empty()
    }
}

/// What made a test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// It was there before.
    Given,
    /// Simulation.
    Simulation,
    /// Single steps that lead a tag on.
    Incremental,
    /// A short search from a state that simulation reached.
    Archive,
    /// A search from the initial state.
    Search,
}

impl Source {
    /// All of them.
    pub const ALL: [Source; 5] =
        [Source::Given, Source::Simulation, Source::Incremental, Source::Archive, Source::Search];

    /// The word users read.
    pub fn word(self) -> &'static str {
        match self {
            Source::Given => "given",
            Source::Simulation => "simulation",
            Source::Incremental => "incremental",
            Source::Archive => "archive",
            Source::Search => "search",
        }
    }

    /// The source that [`Source::word`] calls so.
    pub fn named(word: &str) -> Option<Source> {
        Source::ALL.into_iter().find(|source| source.word() == word)
    }
}

/// What an attempt at an obligation found. It depends on the system, the obligation, the
/// options and the effort, and on nothing else, so it can be kept and used again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Attempt {
    /// A test, to be measured before it is believed; all inputs are known.
    Test {
        /// The inputs of each step.
        steps: Vec<Vec<Value>>,
        /// What found it.
        source: Source,
    },
    /// No test can cover it.
    Proof(ProofSummary),
    /// Neither.
    Nothing {
        /// Why, in a few words.
        reason: String,
        /// In this many first steps it cannot be covered.
        depth: usize,
        /// Whether the clock or the user ended it, so that another try may do better.
        cut_short: bool,
    },
}

/// Keeps attempts, so that a run that was interrupted goes on where it was.
pub trait Memory: Sync {
    /// Whether this run is to try an obligation; others may do their share elsewhere.
    fn is_ours(&self, _: &Obligation) -> bool {
        true
    }
    /// What an earlier run found for an obligation with the same effort.
    fn recall(&self, obligation: &Obligation, effort: Effort) -> Option<Attempt>;
    /// Keeps what was found; attempts that were cut short are not offered.
    fn keep(&self, obligation: &Obligation, effort: Effort, attempt: &Attempt);
}

/// Keeps nothing.
pub struct NoMemory;

impl Memory for NoMemory {
    fn recall(&self, _: &Obligation, _: Effort) -> Option<Attempt> {
        None
    }

    fn keep(&self, _: &Obligation, _: Effort, _: &Attempt) {}
}

impl Attempt {
    /// Tries to find a test or a proof.
    pub(crate) fn new(
        system: &System,
        obligation: &Obligation,
        options: &Options,
        backend: &Backend,
        lemmas: &Lemmas,
        effort: Effort,
    ) -> Attempt {
        let mut terms = Terms::new();
        let mut goals = Goals::new(system, options.masking, &options.oracle, &mut terms);
        let question = goals.question(&mut terms, obligation);
        let seed = || Random::for_part(options.seed, &obligation.id);
        let mut budget = Budget::new(effort.limit);
        if options.method == Method::Incremental && obligation.tagged().is_some() {
            let depth = effort.depth;
            let found = budget.with_part(INCREMENTAL_PERCENT, |budget| {
                incremental(&mut terms, &mut goals, &question, depth, backend, budget)
            });
            match found {
                Ok(steps) => {
                    let steps = inputs(&mut goals, &mut terms, &steps, seed());
                    if covers(system, obligation, options, &steps) {
                        return Attempt::Test { steps, source: Source::Incremental };
                    }
                }
                // A bounded search would look at the same steps again.
                Err(NoWay { clear }) if clear >= depth && options.engine == Engine::Bmc => {
                    return Attempt::nothing(&Why::Depth, clear);
                }
                Err(_) => {}
            }
        }
        let plan = Plan {
            deep: effort.depth,
            induction: Induction { max_k: effort.k, ..Induction::default() },
            ..Plan::default()
        };
        let lemmas = lemmas.about(&mut terms, &question);
        let engine = options.engine;
        match decide(&mut terms, &question, &lemmas, engine, &plan, backend, &mut budget) {
            Verdict::Reached(Witness { steps, .. }) => {
                let steps = inputs(&mut goals, &mut terms, &steps, seed());
                Attempt::Test { steps, source: Source::Search }
            }
            Verdict::Unreachable(proof) => Attempt::Proof(ProofSummary::new(&proof)),
            Verdict::Unknown { why, depth } => Attempt::nothing(&why, depth),
        }
    }

    fn nothing(why: &Why, depth: usize) -> Attempt {
        let cut_short =
            matches!(why, Why::Solver(Reason::Interrupted | Reason::Timeout | Reason::OutOfMemory));
        Attempt::Nothing { reason: words(why), depth, cut_short }
    }

    /// An attempt that is made elsewhere.
    pub(crate) fn elsewhere() -> Attempt {
        let reason = "left to another shard".to_string();
        Attempt::Nothing { reason, depth: 0, cut_short: true }
    }

    /// An attempt that was not made.
    pub(crate) fn stopped() -> Attempt {
        Attempt::nothing(&Why::Solver(Reason::Interrupted), 0)
    }
}

/// Whether measurement confirms a test.
fn covers(
    system: &System,
    obligation: &Obligation,
    options: &Options,
    steps: &[Vec<Value>],
) -> bool {
    let one = std::slice::from_ref(obligation);
    let mut measurement = Measurement::new(system, one, options.masking, &options.oracle);
    !measurement.run_test(steps).covered.is_empty()
}

/// The inputs of a solution; what does not matter is drawn at random, since defaults make weak
/// tests.
pub(crate) fn inputs(
    goals: &mut Goals<'_>,
    terms: &mut Terms,
    solution: &[Vec<(TermId, Value)>],
    mut random: Random,
) -> Vec<Vec<Value>> {
    let system = goals.encoder().system();
    let pool = Pool::new(system);
    let mut steps = Vec::new();
    for chosen in solution {
        let mut row = pool.row(&mut random);
        for (position, &var) in system.inputs.iter().enumerate() {
            let symbol = goals.encoder().input(terms, var);
            if let Some((_, value)) = chosen.iter().find(|(input, _)| *input == symbol) {
                row[position] = value_of_type(value.clone(), system.vars[var].ty);
            }
        }
        steps.push(row);
    }
    steps
}

fn words(why: &Why) -> String {
    match why {
        Why::Depth => "searched as deep as allowed".to_string(),
        Why::NotInductive => "not inductive".to_string(),
        Why::Solver(reason) => match reason {
            Reason::Budget => "effort used up".to_string(),
            Reason::Timeout => "time used up".to_string(),
            Reason::Interrupted => "stopped".to_string(),
            Reason::OutOfMemory => "solver out of memory".to_string(),
            Reason::Incomplete(words) => format!("solver gave up: {words}"),
            Reason::Crashed(words) => format!("solver failed: {words}"),
        },
        Why::Unconfirmed(what) => format!("not confirmed: {what}"),
    }
}
