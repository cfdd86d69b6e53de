//! How often random runs of a network look as a test expects.

use provoke_base::parallel::on_threads;
use provoke_stats::{InvalidArgument, clopper_pearson};
use provoke_uppaal::Network;
use provoke_uppaal::machine::{Computed, NetworkFault};

use crate::probability::exact::exact_probability;
use crate::probability::runs::Runner;
use crate::tester::automaton::TestedNetwork;
use crate::tester::interface::{Act, What};
use crate::timed_tests::timed_test::Probability;

/// How probabilities are found.
#[derive(Clone, Copy, Debug)]
pub struct ChanceEffort {
    /// How many runs are done.
    pub runs: u64,
    /// More are done until the intervals are not wider than this.
    pub width: f64,
    /// One minus the confidence of the intervals.
    pub alpha: f64,
    /// Where random numbers start.
    pub seed: u64,
    /// How many threads work; the result is the same.
    pub jobs: usize,
}

/// No more runs than this are done for the sake of the width.
const MOST_RUNS: u64 = 100_000_000;

/// Runs in which the first steps, and all steps, looked as expected.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct SuccessCount {
    /// All runs.
    pub runs: u64,
    /// Those in which the first steps did.
    pub first: u64,
    /// Those in which all did.
    pub all: u64,
}

impl SuccessCount {
    fn plus(self, other: SuccessCount) -> SuccessCount {
        SuccessCount {
            runs: self.runs + other.runs,
            first: self.first + other.first,
            all: self.all + other.all,
        }
    }
}

/// Counts runs with the given numbers in which the first `split` steps, and all of them, look as
/// expected.
pub fn count(
    network: &Network,
    acts: &[Act],
    split: usize,
    runs: std::ops::Range<u64>,
    effort: ChanceEffort,
) -> Computed<SuccessCount> {
    let whats: Vec<What> = acts.iter().map(|act| act.what).collect();
    let tested = TestedNetwork::new(network, &whats);
    let threads = (effort.jobs.max(1) as u64).min((runs.end - runs.start).div_ceil(256).max(1));
    let part = (runs.end - runs.start).div_ceil(threads);
    let range = |thread: u64| {
        let from = runs.start + thread * part;
        from.min(runs.end)..(from + part).min(runs.end)
    };
    let work = |range: std::ops::Range<u64>| -> Computed<SuccessCount> {
        let mut runner = Runner::new(&tested);
        let mut counted = SuccessCount { runs: range.end - range.start, first: 0, all: 0 };
        for run in range {
            let mut seen = 0;
            runner.run((effort.seed, run), |step, _, cells| {
                let fits = acts[step].out.iter().all(|&(cell, value)| cells[cell] == value);
                seen += usize::from(fits);
                fits
            })?;
            counted.first += u64::from(seen >= split);
            counted.all += u64::from(seen == acts.len());
        }
        Ok(counted)
    };
    let results = on_threads((0..threads).map(range), work);
    results.into_iter().try_fold(SuccessCount::default(), |sum, counted| Ok(sum.plus(counted?)))
}

/// The probabilities of the first `split` steps, and of all of them.
pub fn probabilities(
    network: &Network,
    acts: &[Act],
    split: usize,
    effort: ChanceEffort,
) -> Computed<(Probability, Probability)> {
    let mut counted = SuccessCount::default();
    let mut wanted = effort.runs.max(1);
    loop {
        counted = counted.plus(count(network, acts, split, counted.runs..wanted, effort)?);
        let first = interval(counted.first, counted.runs, effort.alpha)?;
        let all = interval(counted.all, counted.runs, effort.alpha)?;
        let wide = first.interval.width().max(all.interval.width()) > effort.width;
        if !wide || counted.runs >= MOST_RUNS {
            let exact = |acts: &[Act]| exact_probability(network, acts).ok();
            return Ok((
                Probability { exact: exact(&acts[..split]), ..first },
                Probability { exact: exact(acts), ..all },
            ));
        }
        wanted = (counted.runs * 2).min(MOST_RUNS);
    }
}

fn interval(successes: u64, runs: u64, alpha: f64) -> Computed<Probability> {
    let interval = clopper_pearson(successes, runs, alpha).map_err(fault)?;
    Ok(Probability { interval, exact: None, runs, successes })
}

fn fault(invalid: InvalidArgument) -> NetworkFault {
    NetworkFault { message: invalid.to_string(), span: provoke_base::Span::default() }
}
