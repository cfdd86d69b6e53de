//! What a suite achieved, obligation by obligation.

use roaring::RoaringBitmap;

/// A step of a test.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct TestMoment {
    /// The test's position in the suite.
    pub test: usize,
    /// The step, counted from 1.
    pub step: usize,
}

/// What a suite did for one obligation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ObligationCoverage {
    /// When the base obligation first held.
    pub reached: Option<TestMoment>,
    /// When the obligation was first fulfilled: for an observable criterion, when what was
    /// exercised became visible.
    pub covered: Option<TestMoment>,
    /// The first test at whose last step a tag was still on its way.
    pub pending: Option<TestMoment>,
}

/// Why an obligation is not covered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum WhyNot {
    /// The base obligation never held.
    NeverReached,
    /// It held, here for the first time, but everything it could change was masked.
    Masked(TestMoment),
    /// It was still on its way when this test ended.
    TooLate(TestMoment),
}

impl ObligationCoverage {
    /// Why it is not covered; `None` if it is.
    pub fn why_not(&self) -> Option<WhyNot> {
        match (self.covered, self.pending, self.reached) {
            (Some(_), ..) => None,
            (None, Some(moment), _) => Some(WhyNot::TooLate(moment)),
            (None, None, Some(moment)) => Some(WhyNot::Masked(moment)),
            (None, None, None) => Some(WhyNot::NeverReached),
        }
    }
}

/// What a suite achieved, in the order of the obligations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SuiteCoverage {
    /// One status per obligation.
    pub statuses: Vec<ObligationCoverage>,
}

impl SuiteCoverage {
    /// Nothing achieved yet of `total` obligations.
    pub fn none(total: usize) -> SuiteCoverage {
        SuiteCoverage { statuses: vec![ObligationCoverage::default(); total] }
    }

    /// How many obligations there are.
    pub fn total(&self) -> usize {
        self.statuses.len()
    }

    /// How many are covered.
    pub fn covered(&self) -> usize {
        self.statuses.iter().filter(|status| status.covered.is_some()).count()
    }

    /// Whether the obligation at this position is covered.
    pub fn is_covered(&self, obligation: usize) -> bool {
        self.statuses[obligation].covered.is_some()
    }

    /// The positions of those that are not covered.
    pub fn uncovered(&self) -> impl Iterator<Item = usize> {
        (0..self.total()).filter(|&obligation| !self.is_covered(obligation))
    }
}

/// A changed value that was seen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct SeenEffect {
    /// The position of the obligation.
    pub obligation: usize,
    /// The step in which the value was changed, counted from 1; where it is held at a constant, the
    /// first one in which that matters to the obligation.
    pub changed_at: usize,
    /// The step in which a monitored variable differs for the first time.
    pub seen_at: usize,
}

/// What one test did.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TestCoverage {
    /// The positions of the obligations it covered, in the order they were covered: those
    /// that were still open or, for a matrix, all.
    pub covered: Vec<usize>,
    /// For those that were covered by changing their values, when that was seen.
    pub effects: Vec<SeenEffect>,
    /// How many steps were done.
    pub steps: usize,
    /// What did not hold, with the step counted from 1.
    pub breaches: Vec<(usize, provoke_sim::Breach)>,
    /// Why the run ended before the inputs did.
    pub error: Option<provoke_sim::RuntimeError>,
}

/// Which tests cover which obligations.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CoverageMatrix {
    /// For each test the positions of the obligations it covers: as bits, since a long test of many
    /// obligations covers most of them.
    pub tests: Vec<RoaringBitmap>,
}
