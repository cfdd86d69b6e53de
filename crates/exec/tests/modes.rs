//! The three modes on simulated platforms: right systems pass, wrong ones do not.

mod common;

use common::{load, platform, run, session, suite, system, tally};
use provoke_exec::session::ExecutedTest;
use provoke_exec::{
    Adapter, DelayDistribution, Drift, EventPlan, ExecutionVerdict, Mode, ModelController,
};
use provoke_model::{Suite, System, Value};

fn pump() -> (System, Suite) {
    let system = load("infusion_pump.lus");
    let suite = suite(&system, 15, 10, 3);
    (system, suite)
}

#[test]
fn without_delays_every_mode_passes_what_is_right() {
    let (system, suite) = pump();
    for mode in Mode::ALL {
        let results = run(mode, &system, &system, &suite, "");
        assert_eq!(tally(&results), [150, 0, 0, 0], "{}", mode.word());
        assert!(results.iter().all(|result| result.runs == 1));
    }
}

#[test]
fn scheduled_events_reach_their_step_where_direct_ones_do_not() {
    let (system, suite) = pump();
    for lines in ["max_mean_ms = 500\nsd_ms = 0", "max_mean_ms = 2000\nsd_ms = 50"] {
        assert_eq!(tally(&run(Mode::Scheduled, &system, &system, &suite, lines)), [150, 0, 0, 0]);
        let [passed, failed, ..] = tally(&run(Mode::Direct, &system, &system, &suite, lines));
        assert!(passed + failed == 150 && failed > 50, "{lines}: {passed} {failed}");
    }
}

#[test]
fn the_adaptive_mode_passes_where_the_scheduled_one_fails() {
    let (system, suite) = pump();
    let lines = "seed = 3\nmax_mean_ms = 1000\nsd_ms = 200";
    let [_, failed, ..] = tally(&run(Mode::Scheduled, &system, &system, &suite, lines));
    assert!(failed >= 10, "{failed}");
    let results = run(Mode::Adaptive, &system, &system, &suite, lines);
    let [passed, failed, ..] = tally(&results);
    assert!(passed >= 145 && failed == 0, "{:?}", tally(&results));
    assert!(results.iter().all(|result| result.runs >= 11), "fewer runs prove nothing");
}

/// A counter, right and wrong.
const COUNTER: &str = "node counter(up, down, clear : bool) returns (count : int; high : bool);
let
  count = if clear then 0 else (0 -> pre count) + (if up then 1 else 0) - (if down then 1 else 0);
  high = count > 0;
tel;";

const FAULTS: [(&str, &str); 4] = [
    ("count > 0", "count > 1"),
    ("if clear", "if clear and not up"),
    ("high = count > 0", "high = false -> pre (count > 0)"),
    ("(if down then 1", "(if down then 2"),
];

/// How many interactions pass although the software does something else there.
fn false_negatives(results: &[ExecutedTest], model: &Suite, faulty: &Suite) -> (usize, usize) {
    let (mut failing, mut missed) = (0, 0);
    for ((result, right), wrong) in results.iter().zip(&model.tests).zip(&faulty.tests) {
        for ((judged, right), wrong) in result.judged.iter().zip(&right.steps).zip(&wrong.steps) {
            if right.outputs != wrong.outputs {
                failing += 1;
                missed += usize::from(judged.verdict == ExecutionVerdict::Pass);
            }
        }
    }
    (failing, missed)
}

#[test]
fn faults_are_found_behind_any_delay() {
    let model = system(COUNTER);
    let suite = suite(&model, 12, 10, 1);
    for (old, new) in FAULTS {
        assert!(COUNTER.contains(old));
        let faulty = system(&COUNTER.replace(old, new));
        let mut wrong = suite.clone();
        provoke_sim::expect(&mut wrong, &faulty, &faulty.outputs).unwrap();
        for (mode, sd) in [(Mode::Scheduled, 25), (Mode::Adaptive, 50), (Mode::Adaptive, 200)] {
            let lines = format!("seed = 2\nmax_mean_ms = 500\nsd_ms = {sd}");
            let results = run(mode, &model, &faulty, &suite, &lines);
            let (failing, missed) = false_negatives(&results, &suite, &wrong);
            assert!(failing > 5, "{new}");
            assert_eq!(missed, 0, "{new}, {}, sd {sd}, of {failing}", mode.word());
            assert!(tally(&results)[1] > 0, "{new}, {}, sd {sd}", mode.word());
        }
    }
}

#[test]
fn an_output_that_ends_early_is_wrong_where_it_should_still_be() {
    let model = "node n(a : bool) returns (y : bool; n : int);
let
  y = a or (false -> pre a) or (false -> pre (false -> pre a));
  n = (0 -> pre n) + 1;
tel;";
    let right = system(model);
    let mut suite = suite(&right, 6, 9, 1);
    for (test, first) in suite.tests.iter_mut().zip(1..) {
        for (index, step) in test.steps.iter_mut().enumerate() {
            step.inputs = vec![Value::Bool(index == first)];
        }
    }
    provoke_sim::expect(&mut suite, &right, &right.outputs).unwrap();
    // One step early, and two.
    for wrong in ["a or (false -> pre a)", "a"] {
        let end = model.find(";\n  n").unwrap();
        let start = model.find("a or").unwrap();
        let faulty = system(&format!("{}{wrong}{}", &model[..start], &model[end..]));
        let mut outputs = suite.clone();
        provoke_sim::expect(&mut outputs, &faulty, &faulty.outputs).unwrap();
        for (seed, sd) in (0..25).flat_map(|seed| [(seed, 100), (seed, 200)]) {
            let lines = format!("seed = {seed}\nmax_mean_ms = 500\nsd_ms = {sd}");
            let results = run(Mode::Adaptive, &right, &faulty, &suite, &lines);
            let (failing, missed) = false_negatives(&results, &suite, &outputs);
            assert!(failing > 5 && missed == 0, "{wrong}, {lines}: {missed} of {failing}");
        }
    }
}

#[test]
fn a_target_that_tells_what_it_read_is_judged_by_replay() {
    let (system, suite) = pump();
    let lines = "max_mean_ms = 1000\nsd_ms = 200\ntrace = true";
    let results = run(Mode::Scheduled, &system, &system, &suite, lines);
    assert_eq!(tally(&results), [150, 0, 0, 0]);
    let exercised = |wanted| {
        results.iter().flat_map(|r| &r.judged).filter(|j| j.exercised == Some(wanted)).count()
    };
    assert!(exercised(true) > 10 && exercised(false) > 10, "{}", exercised(true));
    let text =
        std::fs::read_to_string(provoke_testkit::repository().join("models/infusion_pump.lus"));
    let faulty = common::system(&text.unwrap().replace("MUTE_STEPS = 10", "MUTE_STEPS = 1"));
    let [_, failed, ..] = tally(&run(Mode::Scheduled, &system, &faulty, &suite, lines));
    assert!(failed > 0);
}

#[test]
fn delays_that_drift_are_followed() {
    let (system, suite) = pump();
    let lines = "seed = 3\nmax_mean_ms = 2000\nsd_ms = 40\nslow_sd_ms = 194\ncorrelation = 0.99\ntrace = true";
    let exercised = |drift: Option<Drift>| {
        let (mut board, mut platform) = platform(ModelController::new(&system), &suite, lines, 1);
        board.resend = true;
        for wire in board.monitored.iter_mut().chain(&mut board.controlled) {
            wire.delay = DelayDistribution::normal(wire.delay.mean_ms(), 198.0);
            wire.drift = drift;
        }
        let results = session(Mode::Scheduled, Some(&system), &suite, &board, &mut platform);
        assert_eq!(tally(&results), [150, 0, 0, 0], "judged by what was read");
        results.iter().flat_map(|r| &r.judged).filter(|j| j.exercised == Some(true)).count()
    };
    let alone = exercised(None);
    let followed = exercised(Some(Drift { slow_sd_ms: 194.0, correlation: 0.99 }));
    assert!(followed >= 2 * alone && followed > 100, "{alone} {followed}");
}

#[test]
fn the_same_seed_gives_the_same_results() {
    let (system, suite) = pump();
    let lines =
        "seed = 9\nmax_mean_ms = 500\nsd_ms = 200\nloss = 0.01\nslow_sd_ms = 20\ncorrelation = 0.9";
    let once = run(Mode::Adaptive, &system, &system, &suite, lines);
    assert_eq!(once, run(Mode::Adaptive, &system, &system, &suite, lines));
}

#[test]
fn events_are_sent_when_the_formulas_say() {
    let model = system("node n(a, b : bool) returns (y : bool); let y = a and b; tel;");
    let mut suite = suite(&model, 1, 3, 1);
    let rows = [[true, false], [true, true], [false, true]];
    for (step, row) in suite.tests[0].steps.iter_mut().zip(rows) {
        step.inputs = row.map(Value::Bool).to_vec();
    }
    let (mut board, _) = platform(ModelController::new(&model), &suite, "", 16);
    board.resend = true;
    board.monitored[0].delay = DelayDistribution::normal(120.0, 0.0);
    board.monitored[1].delay = DelayDistribution::normal(127.0, 0.0);
    let script = provoke_exec::Script::new(&board, &suite.tests[0], 3).unwrap();
    let registers = vec![Value::Unknown; 2];
    let times = |mode| -> Vec<(f64, usize)> {
        let plan = EventPlan::new(mode, &script, &board, &registers);
        plan.sends.iter().map(|send| (send.at_ms, send.signal)).collect()
    };
    // Mid-step, at k·500 - 250; scheduled ones earlier by their delay, joined within 10 ms.
    assert_eq!(times(Mode::Direct)[..4], [(-250.0, 0), (-250.0, 1), (250.0, 0), (250.0, 1)]);
    assert_eq!(times(Mode::Scheduled)[..4], [(-377.0, 1), (-377.0, 0), (123.0, 1), (123.0, 0)]);
    // Changes only: both twice before the start, b at step 1 (never again: 16 copies), a at step 2.
    let adaptive = times(Mode::Adaptive);
    assert_eq!(adaptive.iter().filter(|(at, _)| *at < -300.0).count(), 4);
    assert_eq!(adaptive.iter().filter(|send| **send == (123.0, 1)).count(), 16);
    assert_eq!(adaptive.iter().filter(|send| **send == (630.0, 0)).count(), 16);
}

#[test]
fn late_sends_are_not_held_against_the_system() {
    struct Sluggish<A>(A);
    impl<A: Adapter> Adapter for Sluggish<A> {
        fn run(
            &mut self,
            board: &provoke_exec::Board,
            plan: &EventPlan,
        ) -> Result<provoke_exec::Observation, provoke_exec::TargetError> {
            let mut late = plan.clone();
            late.sends
                .iter_mut()
                .filter(|send| send.step >= 4)
                .for_each(|send| send.at_ms += 600.0);
            self.0.run(board, &late)
        }
    }
    let (system, suite) = pump();
    let (board, platform) = platform(ModelController::new(&system), &suite, "", 1);
    let results = session(Mode::Scheduled, Some(&system), &suite, &board, &mut Sluggish(platform));
    let [passed, failed, inconclusive, _] = tally(&results);
    assert!(failed == 0 && inconclusive > 10 && passed >= 60, "{passed} {failed} {inconclusive}");
}
