//! Which moves come first.
//!
//! A move can be made only while none of higher priority can. So what clocks must fulfil for the
//! higher ones is taken out of the guards of the lower ones, which splits them.

use provoke_base::Span;

use crate::constraints::{Alternatives, MAX_ALTERNATIVES, too_many_alternatives};
use crate::dbm::{self, Constraint};
use crate::machine::Computed;
use crate::satisfying::{anywhere, before_resets};
use crate::zones::Step;

/// Channels count before processes; higher comes first.
pub type Rank = (i32, i32);

/// What a model says of priorities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Priorities {
    /// Where it is said.
    pub span: Span,
    /// One for each channel, below or above 0, which moves without a channel have.
    pub channels: Vec<i32>,
    /// One for each process.
    pub processes: Vec<i32>,
}

impl Priorities {
    /// The rank of a move: of several processes the highest counts.
    pub fn rank(&self, channel: Option<usize>, processes: impl Iterator<Item = u32>) -> Rank {
        let level = |levels: &[i32], at: usize| levels.get(at).copied().unwrap_or(0);
        let process = processes.map(|at| level(&self.processes, at as usize)).max();
        (channel.map_or(0, |at| level(&self.channels, at)), process.unwrap_or(0))
    }

    pub(crate) fn rank_of(&self, step: &Step) -> Rank {
        let processes = step.parts.iter().map(|(part, _)| part.process);
        self.rank(step.channel.map(|channel| channel as usize), processes)
    }
}

/// A step, and whether somebody wants to know of it.
pub(crate) type Candidate = (Step, bool);

/// Takes out of the guard of a step what the guards of higher ones leave no room for.
pub(crate) fn forestalled(
    priorities: &Priorities,
    candidates: &[Candidate],
    step: &Step,
    n: usize,
) -> Computed<Alternatives> {
    let rank = priorities.rank_of(step);
    let higher = candidates.iter().filter(|(other, _)| priorities.rank_of(other) > rank);
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
