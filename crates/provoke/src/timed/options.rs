//! What may be chosen for timed networks: plain data with sensible defaults.

use std::time::Duration;

use provoke_oracle::mutants::{Amount, TimedOperator};
use provoke_oracle::timed_tests::TimedMethod;
use provoke_oracle::verdict::SuiteOracle;
use provoke_stats::StoppingRuleKind;
use provoke_work::WorkerOptions;
use provoke_zones::Order;
use serde::{Deserialize, Serialize};

/// Declares options, each with its default beside it.
macro_rules! options {
    ($($(#[$about:meta])* $name:ident {
        $($(#[$what:meta])* $field:ident: $type:ty = $default:expr,)+
    })+) => {$(
        $(#[$about])*
        #[derive(Serialize, Deserialize, Clone, Debug)]
        #[serde(default)]
        pub struct $name {
            $($(#[$what])* pub $field: $type,)+
        }

        impl Default for $name {
            fn default() -> $name {
                $name { $($field: $default,)+ }
            }
        }
    )+};
}

options! {
    /// How questions about all runs are answered.
    TimedVerifyOptions {
        /// Wall-clock time for each question.
        budget: Option<Duration> = None,
        /// How many threads work; as many as there are cores if nothing is said.
        jobs: Option<u32> = None,
        /// How many megabytes zones may hold.
        memory: u32 = 2048,
        /// In which order zones are looked at.
        order: Order = Order::Breadth,
    }

    /// How questions about probabilities are answered.
    TimedEstimateOptions {
        /// When an estimate is good enough.
        rule: StoppingRuleKind = StoppingRuleKind::Uppaal5,
        /// How sure answers are, between 0 and 1.
        confidence: f64 = 0.95,
        /// Half the width of intervals.
        epsilon: f64 = 0.05,
        /// More runs are not done.
        most_runs: u64 = 100_000_000,
        /// Wall-clock time for each question.
        budget: Option<Duration> = None,
        /// Who does the runs.
        work: WorkerOptions = WorkerOptions::default(),
        /// Where random numbers start.
        seed: u64 = 0,
    }

    /// How random runs are done.
    TimedSimulateOptions {
        /// Where random numbers start.
        seed: u64 = 0,
    }

    /// How timed tests are generated.
    TimedGenerateOptions {
        /// How tests are chosen.
        method: TimedMethod = TimedMethod::Edge,
        /// The variables that tests see; those of the whole system that no guard reads if none is named.
        observe: Vec<String> = Vec::new(),
        /// How many tests are drawn.
        tests: usize = 100,
        /// The most inputs of a test.
        length: usize = 8,
        /// Where random numbers start.
        seed: u64 = 0,
    }

    /// How timed tests are completed with sequences and probabilities.
    TimedCompleteOptions {
        /// The longest sequence that is searched for.
        length: usize = 10,
        /// Random runs for each probability.
        runs: u64 = 10_000,
        /// More runs are done until intervals are not wider than this.
        width: f64 = 0.1,
        /// How sure intervals are, between 0 and 1.
        confidence: f64 = 0.95,
        /// Who completes the tests.
        work: WorkerOptions = WorkerOptions::default(),
        /// Where random numbers start.
        seed: u64 = 0,
    }

    /// How a completed suite is run on a system.
    TimedRunOptions {
        /// The mutant, by its number, that is put into a simulated system.
        mutant: Option<usize> = None,
        /// How repeated runs become a verdict.
        oracle: SuiteOracle = SuiteOracle::default(),
        /// Who runs the tests on a simulated system.
        work: WorkerOptions = WorkerOptions::default(),
        /// Where random numbers start.
        seed: u64 = 0,
    }

    /// How mutants of a network are made and run.
    TimedMutateOptions {
        /// Whether mutants are only listed, even if there is a suite.
        list: bool = false,
        /// The kinds of faults; all if none is named.
        operators: Vec<TimedOperator> = Vec::new(),
        /// By how much time ranges are changed.
        by: Amount = Amount::Part(0.5),
        /// The variables that tests see; those of the suite, or of the whole system that no guard reads,
        /// if none is named.
        observe: Vec<String> = Vec::new(),
        /// How repeated runs become a verdict.
        oracle: SuiteOracle = SuiteOracle::default(),
        /// Who runs the mutants.
        work: WorkerOptions = WorkerOptions::default(),
        /// Where random numbers start.
        seed: u64 = 0,
    }
}
