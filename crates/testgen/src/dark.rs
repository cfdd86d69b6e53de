//! Delays that no tag comes out of visibly.
//!
//! A tag that waits in a delay is lost for good if in no step it can get from there to a
//! monitored variable, nor into a delay that is not lost itself. One look at single steps finds
//! these delays for all obligations at once. A tag that cannot leave the step it starts in but
//! into such delays never becomes visible, and every search does without them.

use provoke_base::IndexVec;
use provoke_model::{ExprId, System};
use provoke_sim::interpreter::delays;
use provoke_solve::engine::{Backend, Budget, Induction, Verdict, k_induction};
use provoke_solve::{Limit, Terms};

use crate::facts::Facts;
use crate::generate::Options;
use crate::goal::Goals;
use crate::parallel::in_parallel;

/// For each `pre`, whether a tag in it is lost.
pub(crate) type Dark = IndexVec<ExprId, bool>;

/// No delay is known to be dark.
pub(crate) fn none(system: &System) -> Dark {
    IndexVec::repeat(false, system.exprs.len())
}

/// Finds the dark delays. Those in `seen`, in the order of [`delays`], are not: a tag was seen
/// to come out. At first all others are; those for which that cannot be proven become light,
/// until the rest is dark together.
pub(crate) fn find(
    system: &System,
    seen: &[bool],
    options: &Options,
    backend: &Backend,
    facts: &Facts,
    limit: Limit,
    stop: &(dyn Fn() -> bool + Sync),
) -> Dark {
    let mut dark = none(system);
    for (pre, seen) in delays(system).into_iter().zip(seen) {
        dark[pre] = !seen;
    }
    loop {
        let claimed: Vec<ExprId> = dark.ids().filter(|pre| dark[*pre]).collect();
        let proven = in_parallel(options.jobs, &claimed, |_, pre| {
            !stop() && stays_dark(system, *pre, &dark, options, backend, facts, limit)
        });
        if proven.iter().all(|proven| *proven) {
            return dark;
        }
        for (pre, proven) in claimed.into_iter().zip(proven) {
            dark[pre] = proven;
        }
    }
}

/// Whether a tag that waits in a delay can get nowhere but into dark ones.
fn stays_dark(
    system: &System,
    pre: ExprId,
    dark: &Dark,
    options: &Options,
    backend: &Backend,
    facts: &Facts,
    limit: Limit,
) -> bool {
    let mut terms = Terms::new();
    let mut goals = Goals::new(system, options.masking, &options.oracle, &mut terms);
    goals.avoid(dark);
    let question = goals.comes_out(&mut terms, pre);
    let lemmas = facts.about(&mut terms, &question);
    let mut budget = Budget::new(limit);
    let induction = Induction { max_k: 1, ..Induction::default() };
    let verdict = k_induction(&mut terms, &question, &lemmas, induction, backend, &mut budget);
    matches!(verdict, Verdict::Unreachable(_))
}
