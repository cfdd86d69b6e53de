//! Answers to questions about probabilities. Runs are numbered, each has random numbers of its own, and
//! outcomes are counted in the order of the numbers: so the answer does not depend on the number
//! of threads.

use std::ops::Range;

use provoke_base::parallel::on_threads;
use provoke_base::{Span, StopReason};
use provoke_stats::{
    ConfidenceInterval, Decision, InvalidArgument, PairedSprt, Sprt, StoppingRule,
    StoppingRuleKind, normal,
};
use provoke_uppaal::Network;
use provoke_uppaal::machine::{Computed, NetworkFault};
use provoke_uppaal::network::{Chance, Condition, Number, Question, RunBound};

use crate::event::{RunEnd, extreme, happens};
use crate::run::RandomSimulator;

/// How questions are answered.
#[derive(Clone, Copy)]
pub struct EstimateSettings<'a> {
    /// When an estimate is good enough.
    pub rule: StoppingRuleKind,
    /// One minus the confidence.
    pub alpha: f64,
    /// Half the width of an interval, and half of an indifference region.
    pub epsilon: f64,
    /// Where random numbers start.
    pub seed: u64,
    /// How many threads there are.
    pub jobs: usize,
    /// More runs are not done.
    pub most_runs: u64,
    /// Asked again and again, with how many runs were counted, whether to end.
    pub stop: &'a (dyn Fn(u64) -> Option<StopReason> + Sync),
    /// Who does the runs, if not this process.
    pub source: Option<&'a dyn RunSource>,
}

/// Runs that others do.
pub trait RunSource {
    /// What runs of these numbers gave, from the first one on; fewer where a run has a fault, or
    /// nobody did it.
    fn runs(&self, numbers: Range<u64>) -> Vec<RunValue>;
}

/// What a run gave, so that it can be kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunValue {
    /// The value's bits.
    pub value: u64,
    /// How many steps it took.
    pub steps: u64,
    /// Whether nothing could go on.
    pub stuck: bool,
    /// Whether time once stood still while only processes could act that may wait.
    pub hurried: bool,
}

/// A value of a run.
trait Kept: Copy + Send {
    fn bits(self) -> u64;
    fn of(bits: u64) -> Self;
}

impl Kept for bool {
    fn bits(self) -> u64 {
        u64::from(self)
    }
    fn of(bits: u64) -> bool {
        bits & 1 == 1
    }
}

impl Kept for (bool, bool) {
    fn bits(self) -> u64 {
        self.0.bits() | self.1.bits() << 1
    }
    fn of(bits: u64) -> (bool, bool) {
        (bool::of(bits), bool::of(bits >> 1))
    }
}

impl Kept for f64 {
    fn bits(self) -> u64 {
        self.to_bits()
    }
    fn of(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
}

/// What is said of a question.
#[derive(Clone, Debug, PartialEq)]
pub enum Estimate {
    /// A probability lies in the interval.
    Probability {
        /// Where it lies.
        interval: ConfidenceInterval,
        /// In how many runs it happened.
        successes: u64,
    },
    /// Whether a probability is as large, or as small, as asked.
    Hypothesis {
        /// The answer.
        holds: bool,
        /// In how many runs it happened.
        successes: u64,
    },
    /// Whether the first probability is at least the second.
    Comparison {
        /// The answer.
        holds: bool,
    },
    /// An expected value, with the half of an interval around it.
    Expectation {
        /// The mean.
        mean: f64,
        /// How far the expected value may be from it.
        half_width: f64,
    },
}

/// An answer with what it cost.
#[derive(Clone, Debug)]
pub struct EstimateAnswer {
    /// The answer, or why there is none.
    pub verdict: Result<Estimate, NoEstimate>,
    /// Runs that were counted.
    pub runs: u64,
    /// Steps of these.
    pub steps: u64,
    /// Runs in which neither time nor anything else could go on.
    pub stuck: u64,
    /// Runs in which time once stood still while only processes could act that may wait.
    pub hurried: u64,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoEstimate {
    /// In words.
    pub text: String,
    /// A place of the model, if one is to blame.
    pub span: Option<Span>,
    /// What ended the runs, if they did not decide.
    pub stop: Option<StopReason>,
}

impl NoEstimate {
    fn new(text: impl Into<String>, span: Option<Span>) -> NoEstimate {
        NoEstimate { text: text.into(), span, stop: None }
    }
}

impl From<StopReason> for NoEstimate {
    fn from(stop: StopReason) -> NoEstimate {
        NoEstimate { stop: Some(stop), ..NoEstimate::new(stop.to_string(), None) }
    }
}

impl From<Box<NetworkFault>> for NoEstimate {
    fn from(fault: Box<NetworkFault>) -> NoEstimate {
        let named = fault.span != Span::default();
        NoEstimate::new(fault.message, named.then_some(fault.span))
    }
}

impl From<InvalidArgument> for NoEstimate {
    fn from(invalid: InvalidArgument) -> NoEstimate {
        NoEstimate::new(invalid.to_string(), None)
    }
}

/// What is watched for: the condition of `<>`, or the opposite of the condition of `[]`.
fn watched(chance: &Chance) -> Condition {
    match chance.eventually {
        true => chance.condition.clone(),
        false => provoke_uppaal::negated(chance.condition.clone()),
    }
}

/// Why runs cannot be done at all.
pub fn obstacle(network: &Network) -> Option<NoEstimate> {
    let cannot = |(span, what): (Span, &str)| {
        NoEstimate::new(format!("simulation cannot follow {what}"), Some(span))
    };
    let construct = network.not_followed.first().map(|(span, what)| (*span, what.as_str()));
    let priorities = network.priorities.as_ref().map(|p| (p.span, "priorities"));
    construct.or(priorities).map(cannot)
}

/// Answers a question about probabilities.
pub fn estimate(
    network: &Network,
    question: &Question,
    settings: EstimateSettings<'_>,
) -> EstimateAnswer {
    let mut work = Work::new(network, settings);
    let verdict = match obstacle(network) {
        Some(reason) => Err(reason),
        None => work.answer(question),
    };
    let Work { runs, steps, stuck, hurried, .. } = work;
    EstimateAnswer { verdict, runs, steps, stuck, hurried }
}

/// What runs of some numbers give, up to a fault: a part of what [`estimate`] does, for others.
pub fn runs(
    network: &Network,
    question: &Question,
    settings: EstimateSettings<'_>,
    numbers: Range<u64>,
) -> Vec<RunValue> {
    let mut work = Work::new(network, settings);
    work.only = Some(numbers);
    if obstacle(network).is_none() {
        // There is no answer, but there are runs.
        let _ = work.answer(question);
    }
    work.values
}

struct Work<'a, 'n> {
    settings: EstimateSettings<'a>,
    simulators: Vec<RandomSimulator<'n>>,
    /// The next run.
    next: u64,
    runs: u64,
    steps: u64,
    stuck: u64,
    hurried: u64,
    /// The only runs that are wanted, for others.
    only: Option<Range<u64>>,
    values: Vec<RunValue>,
}

/// What one run gave.
struct Outcome<T> {
    value: T,
    steps: u64,
    stuck: bool,
    hurried: bool,
}

impl<T: Kept> Outcome<T> {
    /// What a run gave that has come to its end.
    fn ended(value: T, simulator: &RandomSimulator<'_>, end: RunEnd) -> Outcome<T> {
        let (steps, hurried) = (simulator.steps, simulator.hurried);
        Outcome { value, steps, stuck: end == RunEnd::Stuck, hurried }
    }

    fn kept(self) -> RunValue {
        let Outcome { value, steps, stuck, hurried } = self;
        RunValue { value: value.bits(), steps, stuck, hurried }
    }

    fn of(run: RunValue) -> Outcome<T> {
        let RunValue { value, steps, stuck, hurried } = run;
        Outcome { value: T::of(value), steps, stuck, hurried }
    }
}

impl<'a, 'n> Work<'a, 'n> {
    fn new(network: &'n Network, settings: EstimateSettings<'a>) -> Work<'a, 'n> {
        let simulators = (0..settings.jobs.max(1)).map(|_| RandomSimulator::new(network)).collect();
        let (only, values) = (None, Vec::new());
        let (next, runs, steps, stuck, hurried) = (0, 0, 0, 0, 0);
        Work { settings, simulators, next, runs, steps, stuck, hurried, only, values }
    }

    fn answer(&mut self, question: &Question) -> Result<Estimate, NoEstimate> {
        match question {
            Question::Probability(chance) => self.probability(chance),
            Question::Hypothesis(chance, at_least, p) => self.hypothesis(chance, *at_least, *p),
            Question::Comparison(first, second) => self.comparison(first, second),
            Question::Expectation(bound, max, number) => self.expectation(bound, *max, number),
            _ => {
                let text = "this question is for `provoke timed verify` or `simulate`";
                Err(NoEstimate::new(text, None))
            }
        }
    }

    /// Does runs until `take` has enough.
    fn runs<T: Kept>(
        &mut self,
        one: impl Fn(&mut RandomSimulator<'_>, u64) -> Computed<Outcome<T>> + Sync,
        mut take: impl FnMut(T) -> bool,
    ) -> Result<(), NoEstimate> {
        if let Some(numbers) = self.only.take() {
            let found = up_to_fault(&mut self.simulators[0], numbers, &one);
            self.values = found.into_iter().flatten().map(Outcome::kept).collect();
            return Err(NoEstimate::new("the runs are for others", None));
        }
        loop {
            if let Some(stop) = (self.settings.stop)(self.runs) {
                return Err(stop.into());
            }
            if self.runs >= self.settings.most_runs {
                return Err(StopReason::Runs(self.runs).into());
            }
            // Larger batches as runs go on: little is done in vain, and threads have work.
            let size = (self.runs / 4).clamp(64, 16_384);
            for outcome in self.batch(size, &one) {
                let outcome = outcome?;
                self.runs += 1;
                self.steps += outcome.steps;
                self.stuck += u64::from(outcome.stuck);
                self.hurried += u64::from(outcome.hurried);
                if take(outcome.value) {
                    return Ok(());
                }
            }
        }
    }

    /// The outcomes of the next runs, in order.
    fn batch<T: Kept>(
        &mut self,
        size: u64,
        one: &(impl Fn(&mut RandomSimulator<'_>, u64) -> Computed<Outcome<T>> + Sync),
    ) -> Vec<Computed<Outcome<T>>> {
        let first = self.next;
        self.next += size;
        if let Some(source) = self.settings.source {
            let values = source.runs(first..first + size);
            let left = first + values.len() as u64..first + size;
            let known = values.into_iter().map(|run| Ok(Outcome::of(run)));
            // What a run did that has a fault, or that is lost, is seen here.
            let more = up_to_fault(&mut self.simulators[0], left, one);
            return known.chain(more).collect();
        }
        let threads = self.simulators.len() as u64;
        let part = size.div_ceil(threads);
        let range =
            |index: u64| first + index * part..(first + (index + 1) * part).min(first + size);
        let parts = self.simulators.iter_mut().zip((0..).map(range));
        let done = on_threads(parts, |(simulator, runs)| up_to_fault(simulator, runs, one));
        done.into_iter().flatten().collect()
    }

    fn probability(&mut self, chance: &Chance) -> Result<Estimate, NoEstimate> {
        let rule = chance.bound.runs.map_or(self.settings.rule, StoppingRuleKind::Fixed);
        let rule = StoppingRule::new(rule, self.settings.alpha, self.settings.epsilon)?;
        let mut estimation = rule.start();
        let mut interval = None;
        self.runs(happening(chance, self.settings.seed), |outcome| {
            interval = estimation.push(outcome);
            interval.is_some()
        })?;
        let interval = interval.expect("runs end with an interval");
        Ok(Estimate::Probability { interval, successes: estimation.successes() })
    }

    fn hypothesis(
        &mut self,
        chance: &Chance,
        at_least: bool,
        p: f64,
    ) -> Result<Estimate, NoEstimate> {
        let half = self.settings.alpha / 2.0;
        let mut test = Sprt::around(p, self.settings.epsilon, half, half)?;
        self.runs(happening(chance, self.settings.seed), |outcome| {
            test.push(outcome) != Decision::Continue
        })?;
        let holds = (test.decision() == Decision::AcceptH0) == at_least;
        Ok(Estimate::Hypothesis { holds, successes: test.successes() })
    }

    fn comparison(&mut self, first: &Chance, second: &Chance) -> Result<Estimate, NoEstimate> {
        let half = self.settings.alpha / 2.0;
        let ratio = 1.0 + self.settings.epsilon;
        let mut test = PairedSprt::new(ratio, 1.0 / ratio, half, half)?;
        let seed = self.settings.seed;
        let (one, two) = (happening(first, seed), happening(second, !seed));
        let both = |simulator: &mut RandomSimulator<'_>, run: u64| {
            let (a, b) = (one(simulator, run)?, two(simulator, run)?);
            let (steps, stuck) = (a.steps + b.steps, a.stuck || b.stuck);
            let hurried = a.hurried || b.hurried;
            Ok(Outcome { value: (a.value, b.value), steps, stuck, hurried })
        };
        self.runs(both, |(a, b)| test.push(a, b) != Decision::Continue)?;
        Ok(Estimate::Comparison { holds: test.decision() == Decision::AcceptH0 })
    }

    fn expectation(
        &mut self,
        bound: &RunBound,
        max: bool,
        number: &Number,
    ) -> Result<Estimate, NoEstimate> {
        let wanted = bound.runs.unwrap_or(1000).max(2);
        let seed = self.settings.seed;
        let one = |simulator: &mut RandomSimulator<'_>, run: u64| {
            let (value, end) = extreme(simulator, bound, number, max, (seed, run))?;
            Ok(Outcome::ended(value, simulator, end))
        };
        let (mut count, mut mean, mut squares) = (0_u64, 0.0, 0.0);
        self.runs(one, |value| {
            // Welford's sums, which keep their digits.
            count += 1;
            let before = value - mean;
            mean += before / count as f64;
            squares += before * (value - mean);
            count >= wanted
        })?;
        let error = (squares / (count - 1) as f64 / count as f64).sqrt();
        let half_width = normal::quantile(1.0 - self.settings.alpha / 2.0)? * error;
        Ok(Estimate::Expectation { mean, half_width })
    }
}

/// The outcomes of some runs; behind a fault nobody looks at them.
fn up_to_fault<T>(
    simulator: &mut RandomSimulator<'_>,
    runs: Range<u64>,
    one: &impl Fn(&mut RandomSimulator<'_>, u64) -> Computed<Outcome<T>>,
) -> Vec<Computed<Outcome<T>>> {
    let mut found = Vec::new();
    for run in runs {
        found.push(one(simulator, run));
        if found.last().is_some_and(Result::is_err) {
            break;
        }
    }
    found
}

/// One run of an event.
fn happening(
    chance: &Chance,
    seed: u64,
) -> impl Fn(&mut RandomSimulator<'_>, u64) -> Computed<Outcome<bool>> + Sync + use<> {
    let (condition, bound, eventually) = (watched(chance), chance.bound.clone(), chance.eventually);
    move |simulator, run| {
        let end = happens(simulator, &bound, &condition, (seed, run))?;
        let value = (end == RunEnd::Hit) == eventually;
        Ok(Outcome::ended(value, simulator, end))
    }
}
