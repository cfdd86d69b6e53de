//! Random runs as points: values over time.

use provoke_base::{Control, Error, ErrorCode};
use provoke_results::{Schema, TimedSimulate, TrajectoryResult};
use provoke_stochastic::RandomSimulator;
use provoke_stochastic::estimate::obstacle;
use provoke_stochastic::trajectory::trajectory;

use super::NetworkModel;
use super::options::TimedSimulateOptions;

/// More points of one run are left out, and that is said.
const MAX_POINTS: usize = 1_000_000;
/// More runs than this are not done.
const MAX_RUNS: u64 = 100_000;

/// The runs that the first `simulate` query of the model asks for, as far as they were done before
/// somebody cancelled the work.
pub fn simulate(
    model: &NetworkModel,
    options: &TimedSimulateOptions,
    control: &Control,
) -> Result<TimedSimulate, Error> {
    let NetworkModel { file, network, .. } = model;
    if let Some(reason) = obstacle(network) {
        return Err(Error::input(reason.text, "leave it out of the model"));
    }
    let Some((bound, shown)) = network.simulation() else {
        let message = format!("{} has no `simulate` query", file.name);
        return Err(Error::new(ErrorCode::NothingShown, message));
    };
    let mut simulator = RandomSimulator::new(network);
    let mut runs = Vec::new();
    for number in 0..bound.runs.unwrap_or(1).min(MAX_RUNS) {
        if control.is_cancelled() {
            break;
        }
        let seed = (options.seed, number);
        let run = trajectory(&mut simulator, bound, shown, seed, MAX_POINTS).map_err(|fault| {
            let line = file.line_column(fault.span.start).line;
            let message = format!("{}:{line}: {}", file.name, fault.message);
            Error::input(message, "correct the model")
        })?;
        if run.cut {
            control.warn(format!(
                "run {number} has more than {MAX_POINTS} points; the rest is left out"
            ));
        }
        runs.push(TrajectoryResult::new(run));
    }
    Ok(TimedSimulate {
        schema: Schema::default(),
        model: file.name.clone(),
        seed: options.seed,
        limit: bound.limit,
        shown: shown.iter().map(|shown| shown.name.clone()).collect(),
        runs,
    })
}
