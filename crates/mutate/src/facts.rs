//! What holds of the original, and of a mutant beside it.

use provoke_model::{System, Value};
use provoke_sim::Dense;
use provoke_sim::interpreter::delays;
use provoke_solve::certificate::ProvenLemmas;
use provoke_solve::encode::Encoder;
use provoke_solve::engine::{Backend, Budget, Lemmas, StateSamples, learn, strengthen, whole};
use provoke_solve::{Limit, TermId, Terms, Transition};

use crate::miter::Miter;
use crate::score::TestInputs;

/// More states than these teach little more.
const MAX_SAMPLES: usize = 1_000;

/// Facts about all later states of the original, learnt from the states that tests reach and proven
/// once for all mutants.
pub(crate) fn learn_lemmas(
    system: &System,
    tests: &[TestInputs],
    backend: &Backend,
    limit: Limit,
) -> ProvenLemmas {
    let mut terms = Terms::new();
    let mut encoder = Encoder::new(system, &mut terms);
    let mut budget = Budget::new(limit);
    let lemmas = learn_all(&mut encoder, &mut terms, tests, backend, &mut budget);
    ProvenLemmas::new(system, terms, lemmas)
}

/// What the states that tests reach suggest about a system, and is proven.
pub(crate) fn learn_all(
    encoder: &mut Encoder<'_>,
    terms: &mut Terms,
    tests: &[TestInputs],
    backend: &Backend,
    budget: &mut Budget,
) -> Lemmas {
    let system = encoder.system();
    let symbols = delays(system).into_iter().map(|pre| encoder.memory(terms, pre)).collect();
    let samples = StateSamples::new(symbols, states(system, tests));
    if samples.rows.is_empty() {
        return Lemmas::default();
    }
    let transition = whole(encoder, terms);
    learn(terms, &transition, &samples, backend, budget)
}

/// Which memories of the mutant are always the original's, given what is known of the latter: a
/// mutant that never remembers anything else is soon decided.
pub(crate) fn alike(
    miter: &Miter,
    encoder: &Encoder<'_>,
    terms: &mut Terms,
    question: &Transition,
    lemmas: &[TermId],
    backend: &Backend,
    budget: &mut Budget,
) -> Vec<TermId> {
    let equations = equal_memories(miter, encoder, terms, question);
    strengthen(terms, question, lemmas, equations, backend, budget)
}

/// That each memory of the mutant is the original's, for those that a question is about.
pub(crate) fn equal_memories(
    miter: &Miter,
    encoder: &Encoder<'_>,
    terms: &mut Terms,
    question: &Transition,
) -> Vec<TermId> {
    let inside = |symbol: &TermId| question.state.iter().any(|var| var.symbol == *symbol);
    let mut equations = Vec::new();
    for &(pre, twin) in &miter.memories {
        let pair = [pre, twin].map(|pre| encoder.memory(terms, pre));
        if pair.iter().all(inside) {
            equations.push(terms.eq(pair[0], pair[1]));
        }
    }
    equations
}

/// States after a step or more.
fn states(system: &System, tests: &[TestInputs]) -> Vec<Vec<Value>> {
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
