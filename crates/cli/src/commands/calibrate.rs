//! `provoke calibrate`: how late a target is.

use provoke_base::Random;
use provoke_exec::{Board, Calibration, Summary, amend};
use provoke_model::{Step, Suite, System, TestCase, Value};
use provoke_results::{Calibrate, DelayResult, Schema, SideWord, to_json};
use provoke_stats::describe::quantile;
use provoke_suite::Policy;

use crate::args::CalibrateArgs;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::progress::ProgressLine;
use crate::table::aligned;
use crate::target::Loaded;

/// Steps of each test; a signal changes once in so many steps, so that arrivals can be told apart.
const STEPS: usize = 16;
const EVERY: usize = 8;

/// No more tests than this for each sample that is asked for.
const PATIENCE: usize = 4;

pub(crate) fn run(args: &CalibrateArgs, output: &Output) -> Result<Outcome, Failure> {
    let loaded = Loaded::new(&args.on, output)?;
    let system = loaded.need_model("calibration")?;
    let mut suite = Suite::for_system(system, &system.outputs);
    let board = loaded.board(&suite, output)?;
    let mut adapter = loaded.connect(&board, &suite, args.seed, true)?;
    let mut found = Calibration::new(&board);
    let mut registers = vec![Value::Unknown; board.monitored.len()];
    let mut progress = ProgressLine::new(output, std::time::Instant::now());
    let samples = args.samples as usize;
    for number in 0..samples.div_ceil(STEPS / EVERY) * PATIENCE {
        if found.fewest() >= samples {
            break;
        }
        let fewest = found.fewest();
        progress.show_text(|_| format!("{fewest} of {samples} delays of each input"));
        let test = exercise(&mut suite, system, args.seed.wrapping_add(number as u64));
        let settle_ms = args.settle.as_secs_f64() * 1000.0;
        let added = found.add(&board, system, &test, &mut registers, adapter.as_mut(), settle_ms);
        added.map_err(|trouble| Failure::Unreachable {
            message: trouble.reason,
            hint: trouble.hint,
        })?;
    }
    progress.clear();
    if !args.dry_run {
        let names = |signals: &[provoke_model::Signal]| -> Vec<String> {
            signals.iter().map(|signal| signal.name.clone()).collect()
        };
        let (inputs, outputs) = (names(&suite.inputs), names(&suite.outputs));
        let text = amend(&loaded.file.text, &loaded.target, &board, (&inputs, &outputs), &found);
        let text = text.ok_or_else(|| {
            let message = format!("{} cannot be changed", loaded.file.name);
            Failure::input(message, "write `input` and `output` as [[input]] and [[output]]")
        })?;
        files::write(output, &args.on, text.as_bytes())?;
    }
    if output.is_json() {
        output.result(&to_json(&result(args, &board, &found)));
    } else {
        output.result(&describe(&board, &found));
        if !args.dry_run {
            output.note(&format!("written to {}\n", args.on.display()));
        }
    }
    let measured = found.monitored.iter().all(|samples| Summary::new(samples).is_some());
    Ok(if measured { Outcome::Well } else { Outcome::Inconclusive })
}

/// A test in which each input changes now and then.
fn exercise(suite: &mut Suite, system: &System, seed: u64) -> TestCase {
    let open = Step {
        inputs: vec![Value::Unknown; system.inputs.len()],
        outputs: vec![Value::Unknown; system.outputs.len()],
    };
    let steps = vec![open; STEPS];
    suite.tests = vec![TestCase { name: format!("calibration {seed}"), covers: Vec::new(), steps }];
    provoke_suite::fill(suite, system, Policy::Random(seed));
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

fn sides<'a>(board: &'a Board, found: &'a Calibration) -> Vec<(SideWord, &'a str, &'a [f64])> {
    let inputs = board.monitored.iter().zip(&found.monitored);
    let outputs = board.controlled.iter().zip(&found.controlled);
    let input =
        inputs.map(|(wire, samples)| (SideWord::In, wire.name.as_str(), samples.as_slice()));
    let output =
        outputs.map(|(wire, samples)| (SideWord::Out, wire.name.as_str(), samples.as_slice()));
    input.chain(output).collect()
}

fn describe(board: &Board, found: &Calibration) -> String {
    let head =
        ["", "signal", "n", "mean ms", "sd", "p1", "p50", "p99", "correlation", "distribution"];
    let mut rows = vec![head.map(String::from).to_vec()];
    for (side, name, samples) in sides(board, found) {
        let mut row = vec![side.to_string(), name.to_string(), samples.len().to_string()];
        match Summary::new(samples) {
            None => row.push("too few to say".to_string()),
            Some(summary) => {
                row.extend([summary.mean_ms, summary.sd_ms].map(|number| format!("{number:.1}")));
                let levels = [0.01, 0.5, 0.99].map(|level| quantile(samples, level).unwrap_or(0.0));
                row.extend(levels.map(|number| format!("{number:.1}")));
                row.push(format!("{:.2}", summary.correlation));
                row.push(histogram(samples));
            }
        }
        row.resize(head.len(), String::new());
        rows.push(row);
    }
    let mut text = aligned(&rows);
    if let Some(step_ms) = found.step_ms() {
        let (count, said) = (found.steps_ms.len(), board.step_ms);
        text += &format!("step: {step_ms:.2} ms on average of {count}, the file says {said}\n");
    }
    text
}

/// Twenty bars between the smallest and the largest sample.
fn histogram(samples: &[f64]) -> String {
    const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let (low, high) = samples
        .iter()
        .fold((f64::MAX, f64::MIN), |(low, high), sample| (low.min(*sample), high.max(*sample)));
    let mut counts = [0_usize; 20];
    for sample in samples {
        let place = (sample - low) / (high - low).max(1e-9) * 20.0;
        counts[(place as usize).min(19)] += 1;
    }
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let bar = |count: &usize| BARS[(count * 8).div_ceil(most).min(8)];
    let bars: String = counts.iter().map(bar).collect();
    format!("{low:.0} |{bars}| {high:.0}")
}

fn result(args: &CalibrateArgs, board: &Board, found: &Calibration) -> Calibrate {
    let signal = |(side, name, samples): (SideWord, &str, &[f64])| {
        let summary = Summary::new(samples);
        DelayResult {
            signal: name.to_string(),
            side,
            samples: samples.len(),
            mean_ms: summary.as_ref().map(|summary| summary.mean_ms),
            sd_ms: summary.as_ref().map(|summary| summary.sd_ms),
            correlation: summary.as_ref().map(|summary| summary.correlation),
        }
    };
    Calibrate {
        schema: Schema::default(),
        target: args.on.display().to_string(),
        step_ms: found.step_ms(),
        signals: sides(board, found).into_iter().map(signal).collect(),
    }
}
