//! A model, suites for it, and targets as text.

#![allow(dead_code, reason = "each test uses a part")]

use provoke_base::{Random, SourceFile};
use provoke_exec::session::{ExecutedTest, SessionOptions, TestSession};
use provoke_exec::target::Connection;
use provoke_exec::{
    Adapter, Board, Controller, ExecutionVerdict, Mode, ModelController, Platform, Predictions,
    TargetFile,
};
use provoke_model::{Step, Suite, System, TestCase, Value};
use provoke_testkit::{random_system, repository};

pub(crate) fn load(model: &str) -> System {
    let path = repository().join("models").join(model);
    let text = std::fs::read(&path).expect("a readable model");
    let file = SourceFile::from_bytes(model, text);
    provoke_lustre::load(&file, None).system.expect("a model")
}

pub(crate) fn system(text: &str) -> System {
    let loaded = provoke_lustre::load(&SourceFile::new("model", text), None);
    loaded.system.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

/// Tests in which about `changes` inputs change at each step.
pub(crate) fn suite(system: &System, tests: usize, steps: usize, changes: usize) -> Suite {
    let mut random = Random::new(1);
    let mut suite = Suite::for_system(system, &system.outputs);
    for number in 0..tests {
        let mut inputs = random_system::inputs(&mut random, system);
        let mut test = TestCase { name: format!("t{number}"), ..TestCase::default() };
        for _ in 0..steps {
            let fresh = random_system::inputs(&mut random, system);
            for _ in 0..changes {
                let place = random.below(inputs.len());
                inputs[place] = match &inputs[place] {
                    Value::Bool(value) => Value::Bool(!value),
                    _ => fresh[place].clone(),
                };
            }
            test.steps.push(Step { inputs: inputs.clone(), outputs: Vec::new() });
        }
        suite.tests.push(test);
    }
    provoke_sim::expect(&mut suite, system, &system.outputs).expect("no faults");
    suite
}

pub(crate) fn target(text: &str) -> (SourceFile, TargetFile) {
    let file = SourceFile::new("TARGET.toml", text);
    let target = TargetFile::parse(&file)
        .unwrap_or_else(|found| panic!("{}", found[0].render(&file, false)));
    (file, target)
}

/// A target whose delays are drawn, and which knows what they are.
pub(crate) fn platform<C: Controller>(
    controller: C,
    suite: &Suite,
    simulation: &str,
    copies: u32,
) -> (Board, Platform<C>) {
    let text = format!(
        "step_ms = 500\n[defaults]\ncopies = {copies}\n[connection]\nkind = \"simulated\"\n{simulation}\n"
    );
    let (file, target) = target(&text);
    let mut board = Board::new(&target, suite, &file).expect("a board");
    let Connection::Simulated(lines) = &target.connection else { unreachable!() };
    let platform = Platform::new(controller, &board, lines);
    let (monitored, controlled) = platform.lines();
    for (wire, line) in board.monitored.iter_mut().zip(monitored) {
        wire.delay = line.delay.clone();
    }
    for (wire, line) in board.controlled.iter_mut().zip(controlled) {
        wire.delay = line.delay.clone();
    }
    (board, platform)
}

/// Runs a suite on a system behind simulated lines; what it is compared with is the model.
pub(crate) fn run(
    mode: Mode,
    model: &System,
    software: &System,
    suite: &Suite,
    simulation: &str,
) -> Vec<ExecutedTest> {
    let (board, mut platform) = platform(ModelController::new(software), suite, simulation, 16);
    session(mode, Some(model), suite, &board, &mut platform)
}

pub(crate) fn session(
    mode: Mode,
    model: Option<&System>,
    suite: &Suite,
    board: &Board,
    adapter: &mut dyn Adapter,
) -> Vec<ExecutedTest> {
    let options = SessionOptions { mode, seed: 1, max_runs: 60, late_ms: 20.0 };
    let predictions = Predictions::default();
    let session = TestSession { suite, board, system: model, options, predictions: &predictions };
    session.run(adapter, &mut |_| {})
}

/// How many interactions have each verdict: pass, fail, inconclusive, error.
pub(crate) fn tally(results: &[ExecutedTest]) -> [usize; 4] {
    let mut tally = [0; 4];
    for judged in results.iter().flat_map(|result| &result.judged) {
        tally[match judged.verdict {
            ExecutionVerdict::Pass => 0,
            ExecutionVerdict::Fail => 1,
            ExecutionVerdict::Inconclusive => 2,
            ExecutionVerdict::Error => 3,
        }] += 1;
    }
    tally
}
