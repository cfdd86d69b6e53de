//! A suite on one simulated platform.

use provoke_base::{Random, SourceFile};
use provoke_exec::target::Simulation;
use provoke_exec::{
    Board, Controller, DelayLine, DelaySummary, ExecutedTest, ExecutionVerdict, Mode, Platform,
    Predictions, SessionOptions, TargetError, TargetFile, TestSession,
};
use provoke_model::{Suite, System};
use serde::{Deserialize, Serialize};

/// Delays of a platform: each signal's mean is between 0 and the first number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Delays {
    pub(crate) max_mean_ms: u32,
    pub(crate) sd_ms: u32,
}

/// The thesis's: none at all, and 20 others.
pub(crate) fn configurations() -> Vec<Delays> {
    let mut all = vec![Delays { max_mean_ms: 0, sd_ms: 0 }];
    for max_mean_ms in [250, 500, 1000, 2000] {
        all.extend([0, 25, 50, 100, 200].map(|sd_ms| Delays { max_mean_ms, sd_ms }));
    }
    all
}

/// The step of the thesis, in milliseconds.
pub(crate) const STEP_MS: f64 = 500.0;

/// How many delays of each signal are measured before a suite is run.
const MEASURED: usize = 200;

/// A suite and the delays it is tried behind.
pub(crate) struct Trial<'a> {
    pub(crate) system: &'a System,
    pub(crate) suite: &'a Suite,
    /// The platform as it is believed to be.
    pub(crate) board: Board,
    lines: Simulation,
    seed: u64,
    predictions: Predictions,
}

impl<'a> Trial<'a> {
    /// A platform whose delays are drawn, and measured.
    pub(crate) fn new(
        system: &'a System,
        suite: &'a Suite,
        delays: Delays,
        seed: u64,
    ) -> Result<Trial<'a>, TargetError> {
        let text = format!(
            "step_ms = {STEP_MS}\nresend = true\n[connection]\nkind = \"simulated\"\n[defaults]\ncopies = 32\n"
        );
        let file = SourceFile::new("platform", text);
        let refused = |_| TargetError::new("the variables cannot be signals", "rename them");
        let target = TargetFile::parse(&file).map_err(refused)?;
        let mut board = Board::new(&target, suite, &file).map_err(refused)?;
        let lines = Simulation {
            seed,
            max_mean_ms: Some(f64::from(delays.max_mean_ms)),
            sd_ms: f64::from(delays.sd_ms),
            ..Simulation::default()
        };
        let platform = Platform::new(provoke_exec::ModelController::new(system), &board, &lines);
        let mut random = Random::for_part(seed, "measured");
        let mut measure = |line: &DelayLine| {
            let mut line = line.clone();
            let samples: Vec<f64> =
                (0..MEASURED).filter_map(|_| line.carry_ms(&mut random)).collect();
            DelaySummary::new(&samples).map_or(line.delay.clone(), |summary| summary.delay())
        };
        let (monitored, controlled) = platform.lines();
        let wires = board.monitored.iter_mut().chain(&mut board.controlled);
        for (wire, line) in wires.zip(monitored.iter().chain(controlled)) {
            wire.delay = measure(line);
        }
        Ok(Trial { system, suite, board, lines, seed, predictions: Predictions::default() })
    }

    /// Runs the suite on software behind the platform.
    pub(crate) fn run(&self, mode: Mode, software: impl Controller) -> Vec<ExecutedTest> {
        let mut platform = Platform::new(software, &self.board, &self.lines);
        let options = SessionOptions { mode, seed: self.seed, max_runs: 200, late_ms: 20.0 };
        let session = TestSession {
            suite: self.suite,
            board: &self.board,
            system: Some(self.system),
            options,
            predictions: &self.predictions,
        };
        session.run(&mut platform, &mut |_| {})
    }
}

/// How many interactions have each verdict.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub(crate) pass: usize,
    pub(crate) fail: usize,
    pub(crate) inconclusive: usize,
}

impl Tally {
    pub(crate) fn new(results: &[ExecutedTest]) -> Tally {
        let all = || results.iter().flat_map(|result| &result.judged);
        let count = |verdict| all().filter(|judged| judged.verdict == verdict).count();
        Tally {
            pass: count(ExecutionVerdict::Pass),
            fail: count(ExecutionVerdict::Fail),
            inconclusive: count(ExecutionVerdict::Inconclusive),
        }
    }
}
