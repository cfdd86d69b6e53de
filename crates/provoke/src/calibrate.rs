//! How late a target is.

use std::time::Duration;

use provoke_base::{Control, Error, Event, Progress, Random};
use provoke_exec::{Board, Calibration, DelaySummary, amend};
use provoke_model::{Signal, Step, Suite, System, TestCase, Value};
use provoke_results::{Calibrate, DelayResult, Schema, SideWord};
use provoke_suite::FillPolicy;

use crate::target::TestTarget;

/// Steps of each test; a signal changes once in so many steps, so that arrivals can be told apart.
const STEPS: usize = 16;
const EVERY: usize = 8;

/// No more tests than this for each sample that is asked for.
const PATIENCE: usize = 4;

/// How delays are measured.
#[derive(Clone, Debug)]
pub struct CalibrateOptions {
    /// How many delays of each input are measured.
    pub samples: usize,
    /// How long to wait after each test for what is late.
    pub settle: Duration,
    /// Where random numbers start.
    pub seed: u64,
}

impl Default for CalibrateOptions {
    fn default() -> CalibrateOptions {
        CalibrateOptions { samples: 200, settle: Duration::from_secs(3), seed: 0 }
    }
}

/// The delays of a target.
pub struct CalibrateOutcome {
    /// Averages and deviations, as programs read them.
    pub result: Calibrate,
    /// All delays as a table, with quantiles and a histogram of each signal.
    pub table: String,
    /// Whether each input was measured often enough.
    pub is_complete: bool,
    board: Board,
    found: Calibration,
    inputs: Vec<String>,
    outputs: Vec<String>,
}

impl CalibrateOutcome {
    /// The target's file with the delays in it.
    pub fn amended(&self, target: &TestTarget) -> Result<String, Error> {
        let names = (&self.inputs[..], &self.outputs[..]);
        let text = amend(&target.file.text, &target.target, &self.board, names, &self.found);
        text.ok_or_else(|| {
            let message = format!("{} cannot be changed", target.file.name);
            Error::input(message, "write `input` and `output` as [[input]] and [[output]]")
        })
    }
}

/// Measures the delays of a target whose file names a model. A call that was cancelled gives what was
/// measured until then.
pub fn calibrate(
    target: &TestTarget,
    options: &CalibrateOptions,
    control: &Control,
) -> Result<CalibrateOutcome, Error> {
    let system = target.need_model("calibration")?;
    let mut suite = Suite::for_system(system, &system.outputs);
    let board = target.board(&suite)?;
    let mut adapter = target.connect(&board, &suite, options.seed, true)?;
    let mut found = Calibration::new(&board);
    let mut registers = vec![Value::Unknown; board.monitored.len()];
    let samples = options.samples;
    for number in 0..samples.div_ceil(STEPS / EVERY) * PATIENCE {
        let fewest = found.fewest();
        if fewest >= samples || control.is_over() {
            break;
        }
        let text = format!("{fewest} of {samples} delays of each input");
        control.tell(Event::Progress(Progress::Text(text)));
        let test = exercise(&mut suite, system, options.seed.wrapping_add(number as u64));
        let settle_ms = options.settle.as_secs_f64() * 1000.0;
        found.add(&board, system, &test, &mut registers, adapter.as_mut(), settle_ms)?;
    }
    control.tell(Event::ProgressEnded);
    let names = |signals: &[Signal]| signals.iter().map(|signal| signal.name.clone()).collect();
    Ok(CalibrateOutcome {
        result: result(target, &board, &found),
        table: found.table(&board),
        is_complete: found.monitored.iter().all(|samples| DelaySummary::new(samples).is_some()),
        inputs: names(&suite.inputs),
        outputs: names(&suite.outputs),
        board,
        found,
    })
}

/// A test in which each input changes now and then.
fn exercise(suite: &mut Suite, system: &System, seed: u64) -> TestCase {
    let open = Step {
        inputs: vec![Value::Unknown; system.inputs.len()],
        outputs: vec![Value::Unknown; system.outputs.len()],
    };
    let steps = vec![open; STEPS];
    suite.tests =
        vec![TestCase { name: format!("calibration {seed}"), steps, ..TestCase::default() }];
    provoke_suite::fill(suite, system, FillPolicy::Random(seed));
    let mut test = suite.tests.remove(0);
    let mut random = Random::for_part(seed, "phases");
    for input in 0..system.inputs.len() {
        let phase = random.below(EVERY);
        let mut last: Option<Value> = None;
        for (index, step) in test.steps.iter_mut().enumerate() {
            let fresh = step.inputs[input].clone();
            step.inputs[input] = match (&last, index % EVERY == phase) {
                (None, _) => fresh,
                (Some(Value::Bool(value)), true) => Value::Bool(!value),
                (Some(_), true) => fresh,
                (Some(value), false) => value.clone(),
            };
            last = Some(step.inputs[input].clone());
        }
    }
    test
}

fn result(target: &TestTarget, board: &Board, found: &Calibration) -> Calibrate {
    let signal = |side: SideWord| {
        move |(name, samples): (&str, &[f64])| {
            let summary = DelaySummary::new(samples);
            DelayResult {
                signal: name.to_string(),
                side,
                samples: samples.len(),
                mean_ms: summary.as_ref().map(|summary| summary.mean_ms),
                sd_ms: summary.as_ref().map(|summary| summary.sd_ms),
                correlation: summary.as_ref().map(|summary| summary.correlation),
            }
        }
    };
    let [inputs, outputs] = found.by_signal(board);
    let inputs = inputs.into_iter().map(signal(SideWord::In));
    let outputs = outputs.into_iter().map(signal(SideWord::Out));
    Calibrate {
        schema: Schema::default(),
        target: target.file.name.clone(),
        step_ms: found.step_ms(),
        signals: inputs.chain(outputs).collect(),
    }
}
