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

use crate::generate::Options;
use crate::goal::Goals;
use crate::pool::Pool;

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

/// What an attempt found.
pub(crate) struct Attempt {
    pub(crate) verdict: Verdict,
    /// The inputs of the witness, all of them known.
    pub(crate) steps: Vec<Vec<Value>>,
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
        let verdict = answer(&mut terms, &question, options.engine, backend, lemmas, effort);
        let steps = match &verdict {
            Verdict::Reached(witness) => {
                let seed = Random::for_part(options.seed, &obligation.id);
                inputs(&mut goals, &mut terms, witness, seed)
            }
            _ => Vec::new(),
        };
        Attempt { verdict, steps }
    }

    /// An attempt that was not made.
    pub(crate) fn stopped() -> Attempt {
        let why = Why::Solver(Reason::Interrupted);
        Attempt { verdict: Verdict::Unknown { why, depth: 0 }, steps: Vec::new() }
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

/// The inputs of a witness; what does not matter is drawn at random, since defaults make weak
/// tests.
fn inputs(
    goals: &mut Goals<'_>,
    terms: &mut Terms,
    witness: &Witness,
    mut random: Random,
) -> Vec<Vec<Value>> {
    let system = goals.encoder().system();
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
