//! Closing the gap between the bound and the best cover from below.

use super::bound::{FIRST, bound};
use super::cover::Cover;
use super::local::improved;
use super::problem::Problem;
use super::search::Search;

/// In so many strides the limit goes from the first bound to the cost of the first cover.
const STRIDES: u64 = 8;

/// What part of the effort goes into a good first cover: one in so many.
const LOCAL_SHARE: u64 = 5;

/// How often local search may read each entry; it seldom finds anything later.
const LOCAL_READS: u64 = 10_000;

/// The best cover of a part that was found.
#[derive(Debug)]
pub(super) struct Least {
    /// No cover costs less.
    pub(super) lower: u64,
    /// The cover.
    pub(super) cover: Cover,
    /// The effort that was not needed.
    pub(super) left: u64,
}

/// Looks for the cheapest cover of a part without reading more than about `effort` entries.
///
/// The search is repeated with rising limits. A low limit leaves few ways open, so proving
/// that no cover stays below it is cheap next to the last search, and when the effort ends
/// the bound is as high as the last limit rather than as low as the weakest open way.
pub(super) fn least(mut part: Problem, effort: u64) -> Least {
    let first = bound(&mut part, u64::MAX, FIRST);
    let work = (effort / LOCAL_SHARE).min(part.entries() * LOCAL_READS);
    let (mut cover, mut lower) = (improved(&part, first.cover, first.lower, work), first.lower);
    let stride = (cover.cost - lower).div_ceil(STRIDES);
    let spent = first.rounds * part.entries() + work;
    let mut search = Search { left: effort.saturating_sub(spent) };
    while lower < cover.cost && search.left > 0 {
        let limit = cover.cost.min(lower + stride);
        let answer = search.solve(part.clone(), limit);
        lower = lower.max(answer.lower);
        answer.cover.into_iter().for_each(|other| cover.improve(other));
    }
    Least { lower, cover, left: search.left }
}
