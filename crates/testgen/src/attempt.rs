//! One attempt at one obligation, with terms and solvers of its own.

use provoke_base::Random;
use provoke_criteria::Obligation;
use provoke_model::{System, Value};
use provoke_sim::interpreter::delays;
use provoke_solve::encode::{Encoder, value_of_type};
use provoke_solve::engine::{
    self, Backend, Budget, Engine, Induction, Plan, Samples, Verdict, Why, Witness, decide, whole,
};
use provoke_solve::{Limit, Reason, Terms, Transition};

use crate::generate::{Options, ProofSummary};
use crate::goal::Goals;
use crate::pool::Pool;
use crate::twin::Twin;

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

    /// How many there are.
    pub fn len(&self) -> usize {
        self.lemmas.terms.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lemmas.terms.is_empty()
    }
}

/// What an attempt at an obligation found. It depends on the system, the obligation, the
/// options and the effort, and on nothing else, so it can be kept and used again.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Attempt {
    /// A test, to be measured before it is believed; all inputs are known.
    Test(Vec<Vec<Value>>),
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
        let Options { masking, oracle, .. } = options;
        let twin = Twin::wanted(system, obligation, options);
        let (mut goals, question) = match &twin {
            None => {
                let mut goals = Goals::new(system, *masking, oracle, &mut terms);
                let question = goals.question(&mut terms, obligation);
                (goals, question)
            }
            Some(twin) => {
                let mut goals = Goals::with_twin(system, twin, *masking, oracle, &mut terms);
                let question = goals.exact_question(&mut terms, obligation, twin);
                (goals, question)
            }
        };
        match answer(&mut terms, &question, options.engine, backend, lemmas, effort) {
            Verdict::Reached(witness) => {
                let seed = Random::for_part(options.seed, &obligation.id);
                Attempt::Test(inputs(system, &mut goals, &mut terms, &witness, seed))
            }
            Verdict::Unreachable(proof) => Attempt::Proof(ProofSummary::new(&proof)),
            Verdict::Unknown { why, depth } => Attempt::nothing(&why, depth),
        }
    }

    fn nothing(why: &Why, depth: usize) -> Attempt {
        use Reason::{Crashed, Interrupted, OutOfMemory, Timeout};
        let cut_short =
            matches!(why, Why::Solver(Interrupted | Timeout | OutOfMemory | Crashed(_)));
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

fn answer(
    terms: &mut Terms,
    question: &Transition,
    engine: Engine,
    backend: &Backend,
    lemmas: &Lemmas,
    effort: Effort,
) -> Verdict {
    let known = lemmas.lemmas.import(&lemmas.terms, terms);
    let lemmas = known.inside(terms, question);
    let induction = Induction { max_k: effort.k, ..Induction::default() };
    let plan = Plan { deep: effort.depth, induction, ..Plan::default() };
    let mut budget = Budget::new(effort.limit);
    decide(terms, question, &lemmas, engine, &plan, backend, &mut budget)
}

/// The inputs of the model in a witness; what does not matter is drawn at random, since defaults make weak
/// tests.
fn inputs(
    system: &System,
    goals: &mut Goals<'_>,
    terms: &mut Terms,
    witness: &Witness,
    mut random: Random,
) -> Vec<Vec<Value>> {
    let pool = Pool::new(system);
    let mut steps = Vec::new();
    for chosen in &witness.steps {
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
