//! What came of a case, as plain numbers.

use provoke_stats::describe::mean;
use serde::{Deserialize, Serialize};

/// What became of the obligations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Totals {
    /// How many there are.
    pub total: usize,
    /// Those that a test covers.
    pub covered: usize,
    /// Those for which it is proven that none can.
    pub infeasible: usize,
    /// The rest.
    pub unknown: usize,
}

impl Totals {
    /// `part` in per cent of all; None where there are none.
    pub fn percent(&self, part: usize) -> Option<f64> {
        (self.total > 0).then(|| 100.0 * part as f64 / self.total as f64)
    }
}

/// What is monitored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MonitoredSet {
    /// Every variable: the papers' maximum oracle.
    Maximum,
    /// The outputs: the papers' output-only oracle.
    Outputs,
}

impl MonitoredSet {
    /// In the order of the papers' tables.
    pub const ALL: [MonitoredSet; 2] = [MonitoredSet::Maximum, MonitoredSet::Outputs];

    /// The papers' letters.
    pub fn letters(self) -> &'static str {
        match self {
            MonitoredSet::Maximum => "MX",
            MonitoredSet::Outputs => "OO",
        }
    }
}

/// A reduced suite.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ScoredSuite {
    /// How many tests it has.
    pub tests: usize,
    /// How many steps they have in all.
    pub steps: usize,
    /// How many mutants it kills when the outputs are monitored.
    pub outputs: usize,
    /// How many when every variable is.
    pub maximum: usize,
}

/// What became of the mutants that no generated test kills.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Survivors {
    /// Those that all generated tests together kill.
    pub killed: usize,
    /// Those that a further test kills.
    pub added: usize,
    /// Those for which it is proven that no test can.
    pub equivalent: usize,
    /// Those that a further test makes divide by zero.
    pub invalid: usize,
    /// The rest.
    pub unknown: usize,
}

/// What came of a case.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct CaseOutcome {
    /// What became of the obligations.
    pub obligations: Totals,
    /// How many tests there are before reduction.
    pub tests: usize,
    /// How many steps they have in all.
    pub steps: usize,
    /// How many mutants the suites were run on.
    pub mutants: usize,
    /// How many more have no values in some test, and are not counted.
    pub invalid: usize,
    /// Each reduced suite.
    pub suites: Vec<ScoredSuite>,
    /// How long generation took, by the clock.
    pub seconds: f64,
    /// Whether it ended because its time was over.
    pub cut_short: bool,
    /// What became of the survivors, where that was asked.
    pub survivors: Option<Survivors>,
}

impl CaseOutcome {
    /// How much of the mutants each suite kills, in per cent. Empty where the criterion asks for
    /// nothing: such a model says nothing about it.
    pub fn rates(&self, seen: MonitoredSet) -> Vec<f64> {
        let rate = |suite: &ScoredSuite| {
            let killed = match seen {
                MonitoredSet::Maximum => suite.maximum,
                MonitoredSet::Outputs => suite.outputs,
            };
            100.0 * killed as f64 / self.mutants as f64
        };
        match self.obligations.total == 0 || self.mutants == 0 {
            true => Vec::new(),
            false => self.suites.iter().map(rate).collect(),
        }
    }

    /// The mean of these.
    pub fn rate(&self, seen: MonitoredSet) -> Option<f64> {
        mean(&self.rates(seen))
    }

    /// The mean number of tests of a suite.
    pub fn suite_size(&self) -> Option<f64> {
        mean(&self.suites.iter().map(|suite| suite.tests as f64).collect::<Vec<_>>())
    }

    /// The mean number of steps of a test before reduction.
    pub fn test_length(&self) -> Option<f64> {
        (self.tests > 0).then(|| self.steps as f64 / self.tests as f64)
    }
}
