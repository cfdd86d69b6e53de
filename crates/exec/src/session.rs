//! A suite on a target: one test after the other, in one of the modes.

use provoke_base::Random;
use provoke_model::{Step, Suite, System, TestCase, Value};
use provoke_sim::{RuntimeError, Simulator};

use crate::adaptive::{AdaptiveMode, Predictions, TAIL_STEPS, settle};
use crate::board::Board;
use crate::consistency::Expectation;
use crate::drift::DriftTracking;
use crate::evidence::ExecutionVerdict;
use crate::observation::{Observation, TargetError};
use crate::plan::{EventPlan, Mode};
use crate::platform::Adapter;
use crate::replay::{replay, straighten};
use crate::script::Script;
use crate::window::{OutputDifference, differences};

/// How a suite is run.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SessionOptions {
    /// How events are scheduled and outputs judged.
    pub mode: Mode,
    /// Where random numbers start.
    pub seed: u64,
    /// The most runs of a test in the adaptive mode.
    pub max_runs: u64,
    /// How late an event may be sent before nothing is concluded from what follows.
    pub late_ms: f64,
}

/// The answer about an interaction.
#[derive(Clone, PartialEq, Debug)]
pub struct InteractionVerdict {
    /// The verdict.
    pub verdict: ExecutionVerdict,
    /// Why, where it is no pass.
    pub reason: String,
    /// Whether the software read what the test wants, if the target tells.
    pub exercised: Option<bool>,
}

/// What became of a test.
#[derive(Clone, PartialEq, Debug)]
pub struct ExecutedTest {
    /// What was wanted and expected; empty if the test cannot be run.
    pub script: Option<Script>,
    /// The test's name.
    pub name: String,
    /// One answer for each interaction.
    pub judged: Vec<InteractionVerdict>,
    /// How many runs it took.
    pub runs: u64,
    /// What was sent when, in the run that is shown.
    pub plan: EventPlan,
    /// What was seen in the run that is shown.
    pub seen: Observation,
    /// Why the target could not be tested.
    pub trouble: Option<TargetError>,
}

impl ExecutedTest {
    /// The worst verdict: an error before a failure before what is inconclusive.
    pub fn verdict(&self) -> ExecutionVerdict {
        let all = self.judged.iter().map(|judged| judged.verdict);
        let rank = |verdict: &ExecutionVerdict| match verdict {
            ExecutionVerdict::Pass => 0,
            ExecutionVerdict::Inconclusive => 1,
            ExecutionVerdict::Fail => 2,
            ExecutionVerdict::Error => 3,
        };
        all.max_by_key(rank).unwrap_or(ExecutionVerdict::Pass)
    }
}

/// A suite, a target, and what is known about both.
pub struct TestSession<'a> {
    /// The tests; open inputs keep their values.
    pub suite: &'a Suite,
    /// The target's signals.
    pub board: &'a Board,
    /// The model: needed for the adaptive mode and for verdicts by replay.
    pub system: Option<&'a System>,
    /// How it is run.
    pub options: SessionOptions,
    /// What other sessions with the same suite and board have predicted.
    pub predictions: &'a Predictions,
}

/// What runs leave behind for those after them.
struct SessionState {
    /// What the monitored signals are.
    registers: Vec<Value>,
    /// How late they are.
    tracking: DriftTracking,
}

impl TestSession<'_> {
    /// Runs all tests and tells each as it ends. After trouble the rest is not run: every
    /// interaction of it is an error.
    pub fn run(
        &self,
        adapter: &mut dyn Adapter,
        done: &mut dyn FnMut(&ExecutedTest),
    ) -> Vec<ExecutedTest> {
        self.run_until(adapter, done, &|| false)
    }

    /// The same, until `stop` says so: what is left is not run then, as after trouble.
    pub fn run_until(
        &self,
        adapter: &mut dyn Adapter,
        done: &mut dyn FnMut(&ExecutedTest),
        stop: &dyn Fn() -> bool,
    ) -> Vec<ExecutedTest> {
        let mut left = SessionState {
            registers: vec![Value::Unknown; self.board.monitored.len()],
            tracking: DriftTracking::new(self.board),
        };
        let mut results: Vec<ExecutedTest> = Vec::new();
        let mut trouble: Option<TargetError> = None;
        for test in &self.suite.tests {
            if trouble.is_none() && stop() {
                trouble = Some(TargetError::new("interrupted", "run the suite again"));
            }
            let result = match &trouble {
                Some(trouble) => stopped(test, trouble, None),
                None => self.run_test(test, &mut left, adapter),
            };
            // A test that the target cannot run does not end the session; a broken target does.
            if result.script.is_some() && result.trouble.is_some() {
                trouble.clone_from(&result.trouble);
            }
            done(&result);
            results.push(result);
        }
        results
    }

    fn run_test(
        &self,
        test: &TestCase,
        left: &mut SessionState,
        adapter: &mut dyn Adapter,
    ) -> ExecutedTest {
        let script = match self.script(test) {
            Ok(script) => script,
            Err(trouble) => return stopped(test, &trouble, None),
        };
        let ran = match (self.options.mode, self.system) {
            (Mode::Adaptive, Some(system)) => self.adaptive(&script, system, left, adapter),
            _ => self.once(&script, left, adapter),
        };
        match ran {
            Ok(result) => result,
            Err(trouble) => stopped(test, &trouble, Some(script)),
        }
    }

    /// The test in the target's terms, with steps at its end whose outputs the model gives.
    fn script(&self, test: &TestCase) -> Result<Script, TargetError> {
        let mut extended = test.clone();
        if let Some(system) = self.system {
            extend(&mut extended, system).map_err(|error| {
                let reason = format!("the model gives no outputs for `{}`: {error}", test.name);
                TargetError::new(reason, "change the test's inputs")
            })?;
            differs(test, &extended)?;
        }
        Script::new(self.board, &extended, test.steps.len()).map_err(|conflict| {
            let reason = format!(
                "`{}` needs two values of {} at step {}",
                test.name, conflict.signal, conflict.step
            );
            TargetError::new(reason, "the target file joins variables that this test keeps apart")
        })
    }

    /// Runs a script, planned with what is known from the runs before.
    fn carry_out(
        &self,
        script: &Script,
        left: &mut SessionState,
        adapter: &mut dyn Adapter,
    ) -> Result<(Observation, EventPlan), TargetError> {
        let now = left.tracking.board(self.board);
        let plan = EventPlan::new(self.options.mode, script, &now, &left.registers);
        let seen = adapter.run(self.board, &plan)?;
        left.tracking.learn(self.board, &plan, &seen);
        settle(script, &mut left.registers);
        Ok((seen, plan))
    }

    fn once(
        &self,
        script: &Script,
        left: &mut SessionState,
        adapter: &mut dyn Adapter,
    ) -> Result<ExecutedTest, TargetError> {
        let (seen, plan) = self.carry_out(script, left, adapter)?;
        // By what was read it does not matter when it was sent.
        let judged = self.replayed(script, &seen).unwrap_or_else(|| {
            let mut judged = self.by_window(script, &seen);
            self.forgive_late_sends(&plan, &seen, &mut judged);
            judged
        });
        Ok(self.result(script, judged, 1, plan, seen))
    }

    fn by_window(&self, script: &Script, seen: &Observation) -> Vec<InteractionVerdict> {
        let found = differences(self.options.mode, script, self.board, seen);
        let judge = |difference: &Option<OutputDifference>| match difference {
            None => InteractionVerdict {
                verdict: ExecutionVerdict::Pass,
                reason: String::new(),
                exercised: None,
            },
            Some(difference) => InteractionVerdict {
                verdict: ExecutionVerdict::Fail,
                reason: self.words(difference),
                exercised: None,
            },
        };
        found.iter().map(judge).collect()
    }

    fn words(&self, difference: &OutputDifference) -> String {
        let name = &self.board.controlled[difference.signal].name;
        let show = |value: &Value| self.show(value, difference.signal);
        match difference.seen {
            Value::Unknown => format!("{name} never came, expected {}", show(&difference.expected)),
            _ => format!(
                "{name} is {}, expected {}",
                show(&difference.seen),
                show(&difference.expected)
            ),
        }
    }

    /// A value as people write it; `signal` is the place of a controlled one.
    pub fn show(&self, value: &Value, signal: usize) -> String {
        value.show(self.board.controlled[signal].ty, &self.suite.enums)
    }

    /// When the target reports what it read, the model says what it should have answered to that,
    /// and jitter of the inputs does not matter.
    fn replayed(&self, script: &Script, seen: &Observation) -> Option<Vec<InteractionVerdict>> {
        let system = self.system?;
        if seen.steps.len() != script.steps() {
            return None;
        }
        let replay = replay(self.board, system, seen)?;
        let mut as_wanted = Vec::new();
        for (wanted, read) in script.wanted.iter().zip(&replay.wanted) {
            let here =
                wanted.iter().zip(read).all(|(wanted, read)| !wanted.is_known() || wanted == read);
            as_wanted.push(here && as_wanted.last().copied().unwrap_or(true));
        }
        let expectation = Expectation::new(&replay, self.board);
        let met = expectation.meet(self.board, &straighten(seen, self.board));
        let why = met.why.as_ref().map(|why| {
            let show = |value: &Value, signal: usize| self.show(value, signal);
            crate::adaptive::explain(why, self.board, &expectation, &show)
        });
        let judge = |interaction: usize| {
            let passes = interaction < met.holds;
            let verdict = if passes { ExecutionVerdict::Pass } else { ExecutionVerdict::Fail };
            let reason = if passes { String::new() } else { why.clone().unwrap_or_default() };
            InteractionVerdict { verdict, reason, exercised: Some(as_wanted[interaction]) }
        };
        Some((0..script.interactions).map(judge).collect())
    }

    fn adaptive(
        &self,
        script: &Script,
        system: &System,
        left: &mut SessionState,
        adapter: &mut dyn Adapter,
    ) -> Result<ExecutedTest, TargetError> {
        let (seen, plan) = self.carry_out(script, left, adapter)?;
        if let Some(judged) = self.replayed(script, &seen) {
            let first = self.result(script, judged, 1, plan, seen);
            return self.until_exercised(first, script, left, adapter);
        }
        let adaptive = AdaptiveMode {
            board: self.board,
            system,
            max_runs: self.options.max_runs,
            seed: Random::for_part(self.options.seed, "predictions").next(),
            predictions: self.predictions,
        };
        let outcome = adaptive.run(script, &left.registers, (seen, plan), adapter)?;
        let judged = outcome.verdicts.iter().zip(&outcome.reasons).map(|(verdict, reason)| {
            InteractionVerdict { verdict: *verdict, reason: reason.clone(), exercised: None }
        });
        let mut judged: Vec<InteractionVerdict> = judged.collect();
        self.forgive_late_sends(&outcome.plan, &outcome.seen, &mut judged);
        Ok(self.result(script, judged, outcome.runs, outcome.plan, outcome.seen))
    }

    /// A target that tells what it read is judged in every run, whatever it read; it runs again to
    /// exercise what the test wants. A failure counts when another run fails there too: in many runs
    /// some output of a right system is later than it should ever be.
    fn until_exercised(
        &self,
        mut result: ExecutedTest,
        script: &Script,
        left: &mut SessionState,
        adapter: &mut dyn Adapter,
    ) -> Result<ExecutedTest, TargetError> {
        let failed = |judged: &InteractionVerdict| judged.verdict == ExecutionVerdict::Fail;
        let mut failures: Vec<u32> = result.judged.iter().map(|j| u32::from(failed(j))).collect();
        let open = |result: &ExecutedTest, failures: &[u32]| {
            let mut all = result.judged.iter().zip(failures);
            !failures.iter().any(|count| *count > 1)
                && all.any(|(judged, count)| *count == 1 || judged.exercised == Some(false))
        };
        while result.runs < self.options.max_runs && open(&result, &failures) {
            let (seen, plan) = self.carry_out(script, left, adapter)?;
            result.runs += 1;
            let Some(judged) = self.replayed(script, &seen) else { break };
            for ((known, new), count) in result.judged.iter_mut().zip(&judged).zip(&mut failures) {
                *count += u32::from(failed(new));
                let exercised = known.exercised == Some(true) || new.exercised == Some(true);
                if failed(new) {
                    known.clone_from(new);
                }
                known.exercised = Some(exercised);
            }
            if judged.iter().any(failed) {
                (result.plan, result.seen) = (plan, seen);
            }
        }
        for (judged, count) in result.judged.iter_mut().zip(failures) {
            if count == 1 && self.options.max_runs > 1 {
                judged.verdict = ExecutionVerdict::Inconclusive;
                judged.reason = format!("once in {} runs: {}", result.runs, judged.reason);
            }
        }
        Ok(result)
    }

    fn result(
        &self,
        script: &Script,
        judged: Vec<InteractionVerdict>,
        runs: u64,
        plan: EventPlan,
        seen: Observation,
    ) -> ExecutedTest {
        let (name, script) = (script.name.clone(), Some(script.clone()));
        ExecutedTest { script, name, judged, runs, plan, seen, trouble: None }
    }

    /// What was sent too late is not held against the system.
    fn forgive_late_sends(
        &self,
        plan: &EventPlan,
        seen: &Observation,
        judged: &mut [InteractionVerdict],
    ) {
        let late = plan.sends.iter().zip(&seen.sent_ms).filter_map(|(send, sent)| {
            (sent - send.at_ms > self.options.late_ms).then_some((send.step, sent - send.at_ms))
        });
        let Some((first, by_ms)) = late.min_by_key(|(step, _)| *step) else { return };
        for judged in judged.iter_mut().skip(first) {
            if judged.verdict == ExecutionVerdict::Fail {
                judged.verdict = ExecutionVerdict::Inconclusive;
                judged.reason = format!("an event was sent {by_ms:.0} ms late; {}", judged.reason);
            }
        }
    }
}

/// Every interaction of a test that was not run.
fn stopped(test: &TestCase, trouble: &TargetError, script: Option<Script>) -> ExecutedTest {
    let judged = InteractionVerdict {
        verdict: ExecutionVerdict::Error,
        reason: trouble.reason.clone(),
        exercised: None,
    };
    ExecutedTest {
        script,
        name: test.name.clone(),
        judged: vec![judged; test.steps.len()],
        runs: 0,
        plan: EventPlan::default(),
        seen: Observation::default(),
        trouble: Some(trouble.clone()),
    }
}

/// Gives every step the outputs that the model has, and adds steps in which inputs stay.
fn extend(test: &mut TestCase, system: &System) -> Result<(), RuntimeError> {
    let Some(last) = test.steps.last().cloned() else { return Ok(()) };
    test.steps.extend(std::iter::repeat_n(last, TAIL_STEPS));
    let mut simulator = Simulator::new(system);
    for Step { inputs, outputs } in &mut test.steps {
        simulator.step(inputs)?;
        *outputs = system.outputs.iter().map(|var| simulator.values()[*var].clone()).collect();
    }
    Ok(())
}

/// A suite that contradicts the model cannot be judged by it.
fn differs(test: &TestCase, model: &TestCase) -> Result<(), TargetError> {
    for (index, (written, computed)) in test.steps.iter().zip(&model.steps).enumerate() {
        let contradiction =
            written.outputs.iter().zip(&computed.outputs).any(|(written, computed)| {
                written.is_known() && computed.is_known() && written != computed
            });
        if contradiction {
            let step = index + 1;
            let reason =
                format!("`{}` expects at step {step} what the model does not do", test.name);
            let hint =
                "compute the expected values anew: `provoke convert --model M --expected output`";
            return Err(TargetError::new(reason, hint));
        }
    }
    Ok(())
}
