//! Which steps come first.
//!
//! A move can be made only while none of higher priority can. So what clocks must fulfil for the
//! higher ones is taken out of the guards of the lower ones, which splits them.

use provoke_uppaal::machine::Computed;
use provoke_uppaal::priority::{Priorities, Rank};

use crate::constraints::{Alternatives, MAX_ALTERNATIVES, too_many_alternatives};
use crate::dbm::{self, Constraint};
use crate::explorer::ZoneStep;
use crate::satisfying::{anywhere, before_resets};

fn rank_of(priorities: &Priorities, step: &ZoneStep) -> Rank {
    let processes = step.parts.iter().map(|(part, _)| part.process);
    priorities.rank(step.channel.map(|channel| channel as usize), processes)
}

/// A step, and whether somebody wants to know of it.
pub(crate) type Candidate = (ZoneStep, bool);

/// Takes out of the guard of a step what the guards of higher ones leave no room for.
pub(crate) fn forestalled(
    priorities: &Priorities,
    candidates: &[Candidate],
    step: &ZoneStep,
    n: usize,
) -> Computed<Alternatives> {
    let rank = rank_of(priorities, step);
    let higher = candidates.iter().filter(|(other, _)| rank_of(priorities, other) > rank);
    let mut left = step.guard.clone();
    for (other, _) in higher {
        let Some(arrival) = before_resets(&other.invariant, &other.resets) else { continue };
        for guard in &other.guard {
            let blocked = [guard.as_slice(), &arrival].concat();
            left = without(&left, &blocked, n);
            if left.len() > MAX_ALTERNATIVES {
                return Err(too_many_alternatives());
            }
        }
    }
    Ok(left)
}

/// What meets one of the alternatives but not all of `blocked`.
fn without(alternatives: &Alternatives, blocked: &[Constraint], n: usize) -> Alternatives {
    let mut found = Vec::new();
    for alternative in alternatives {
        for (position, constraint) in blocked.iter().enumerate() {
            let outside = Constraint {
                left: constraint.right,
                right: constraint.left,
                bound: dbm::opposite(constraint.bound),
            };
            let piece = [alternative.as_slice(), &blocked[..position], &[outside]].concat();
            let mut zone = anywhere(n);
            if piece.iter().all(|constraint| dbm::constrain(&mut zone, n, *constraint)) {
                found.push(piece);
            }
        }
    }
    found
}
