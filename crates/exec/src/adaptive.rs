//! The adaptive mode: a test is run until its verdicts are certain.

use std::collections::BTreeMap;
use std::sync::Mutex;

use provoke_base::Random;
use provoke_model::{System, Value};

use crate::board::Board;
use crate::consistency::{Expectation, Inconsistency};
use crate::controller::ModelController;
use crate::evidence::{ExecutionVerdict, RunEvidence, fewest};
use crate::observation::{Observation, TargetError};
use crate::plan::{EventPlan, Mode};
use crate::platform::{Adapter, Platform};
use crate::script::Script;
use crate::target::Simulation;

/// How many runs of a right system are simulated to know what to expect.
pub const PREDICTIONS: u64 = 200;

/// How many are enough where all of them are as expected.
const ALL_AS_EXPECTED: u64 = 50;

/// Steps that are added to a test so that its last effects are seen.
pub const TAIL_STEPS: usize = 3;

/// What was predicted for tests, so that it is not simulated again for the same plan.
#[derive(Debug, Default)]
pub struct Predictions(Mutex<BTreeMap<String, (EventPlan, RunEvidence)>>);

impl Predictions {
    fn known(&self, test: &str, plan: &EventPlan) -> Option<RunEvidence> {
        let known = self.0.lock().ok()?;
        known.get(test).filter(|(of, _)| of == plan).map(|(_, predicted)| predicted.clone())
    }

    fn keep(&self, test: &str, plan: &EventPlan, predicted: &RunEvidence) {
        if let Ok(mut known) = self.0.lock() {
            known.insert(test.to_string(), (plan.clone(), predicted.clone()));
        }
    }
}

/// What is judged, and how long.
pub struct AdaptiveMode<'a> {
    /// The target's signals.
    pub board: &'a Board,
    /// The model, as what the target should do.
    pub system: &'a System,
    /// The most runs of a test, and again as many to confirm a failure.
    pub max_runs: u64,
    /// Where random numbers of predictions start.
    pub seed: u64,
    /// What is known already.
    pub predictions: &'a Predictions,
}

/// What is known about a test in the end.
#[derive(Clone, PartialEq, Debug)]
pub struct RepeatedVerdict {
    /// The verdict of each interaction.
    pub verdicts: Vec<ExecutionVerdict>,
    /// Why, where it is not a pass.
    pub reasons: Vec<String>,
    /// How many runs it took.
    pub runs: u64,
    /// In what part of the runs of a right system each interaction would be consistent.
    pub predicted: Vec<f64>,
    /// The plan of the runs.
    pub plan: EventPlan,
    /// The last run that was not consistent, or the last one.
    pub seen: Observation,
}

impl AdaptiveMode<'_> {
    /// Runs a script with tail steps, which was run once, until its verdicts are certain. `registers`
    /// holds what the test leaves in the monitored signals: every other run starts from there.
    pub fn run(
        &self,
        script: &Script,
        registers: &[Value],
        first: (Observation, EventPlan),
        adapter: &mut dyn Adapter,
    ) -> Result<RepeatedVerdict, TargetError> {
        let expectation = Expectation::new(script, self.board);
        let again = EventPlan::new(Mode::Adaptive, script, self.board, registers);
        let predicted = self.predict(script, &expectation, &again, registers)?;
        let (first, first_plan) = first;
        let mut trial = Trial { adapter, first: Some(first), again: &again, seen: None, runs: 0 };
        let open: Vec<usize> = (0..script.interactions).collect();
        let first = self.collect(&mut trial, script, &expectation, &predicted, &open)?;
        let verdict = |evidence: &RunEvidence, interaction: usize| {
            evidence.verdict(interaction, self.board, &expectation, &predicted)
        };
        let mut verdicts: Vec<ExecutionVerdict> =
            open.iter().map(|i| verdict(&first, *i)).collect();
        let failing: Vec<usize> =
            open.iter().copied().filter(|i| verdicts[*i] == ExecutionVerdict::Fail).collect();
        if !failing.is_empty() {
            // A failure counts when independent runs find it again.
            let second = self.collect(&mut trial, script, &expectation, &predicted, &failing)?;
            let all = first.with(&second);
            for interaction in failing {
                if verdict(&second, interaction) == ExecutionVerdict::Fail {
                    continue;
                }
                // The first runs were unlucky, if all together say so.
                let passes = verdict(&all, interaction) == ExecutionVerdict::Pass;
                verdicts[interaction] =
                    if passes { ExecutionVerdict::Pass } else { ExecutionVerdict::Inconclusive };
            }
        }
        let (observation, run) = trial.seen.expect("at least one run");
        let runs = trial.runs;
        let plan = if run == 1 { first_plan } else { again };
        let reason = |(interaction, verdict): (usize, &ExecutionVerdict)| {
            self.reason(interaction, *verdict, &first, &expectation, &predicted)
        };
        let reasons = verdicts.iter().enumerate().map(reason).collect();
        let predicted = open.iter().map(|interaction| predicted.share(*interaction)).collect();
        Ok(RepeatedVerdict { verdicts, reasons, runs, predicted, plan, seen: observation })
    }

    /// How often each interaction is consistent when a right system is behind delays as they are
    /// believed to be.
    fn predict(
        &self,
        script: &Script,
        expectation: &Expectation,
        plan: &EventPlan,
        registers: &[Value],
    ) -> Result<RunEvidence, TargetError> {
        if let Some(known) = self.predictions.known(&script.name, plan) {
            return Ok(known);
        }
        let controller = ModelController::new(self.system);
        let mut platform = Platform::new(controller, self.board, &Simulation::default());
        platform.set(registers);
        platform.reseed(Random::for_part(self.seed, &script.name).next());
        let mut evidence = RunEvidence::new(expectation, script.interactions);
        while evidence.runs < PREDICTIONS {
            let seen = platform.run(self.board, plan)?;
            evidence.add(expectation, &expectation.meet(self.board, &seen));
            let all = evidence.consistent.iter().all(|count| *count == evidence.runs);
            if all && evidence.runs == ALL_AS_EXPECTED {
                break;
            }
        }
        self.predictions.keep(&script.name, plan, &evidence);
        Ok(evidence)
    }

    /// Runs until the interactions have a verdict, or there were enough runs.
    fn collect(
        &self,
        trial: &mut Trial<'_>,
        script: &Script,
        expectation: &Expectation,
        predicted: &RunEvidence,
        interactions: &[usize],
    ) -> Result<RunEvidence, TargetError> {
        let mut evidence = RunEvidence::new(expectation, script.interactions);
        let at_once = fewest(self.board);
        while evidence.runs < self.max_runs {
            let seen = trial.run(self.board)?;
            let met = expectation.meet(self.board, &seen);
            evidence.add(expectation, &met);
            if trial.seen.is_none() || met.why.is_some() {
                trial.seen = Some((seen, trial.runs));
            }
            // Looking after every run would find something by chance.
            if evidence.runs.is_multiple_of(at_once) {
                let decided = |interaction: &usize| {
                    let verdict =
                        evidence.verdict(*interaction, self.board, expectation, predicted);
                    verdict != ExecutionVerdict::Inconclusive
                };
                if interactions.iter().all(decided) {
                    break;
                }
            }
        }
        Ok(evidence)
    }

    fn reason(
        &self,
        interaction: usize,
        verdict: ExecutionVerdict,
        evidence: &RunEvidence,
        expectation: &Expectation,
        predicted: &RunEvidence,
    ) -> String {
        if verdict == ExecutionVerdict::Pass {
            return String::new();
        }
        if let Some((index, mean)) =
            evidence.shifted(interaction, self.board, expectation, predicted)
        {
            let change = &expectation.changes[index];
            let name = &self.board.controlled[change.signal].name;
            let side = if mean > 0.0 { "late" } else { "early" };
            return format!("{name} is {:.0} ms {side} on average", mean.abs());
        }
        let share = predicted.share(interaction);
        format!(
            "{} of {} runs as expected, {:.1} would be usual",
            evidence.consistent[interaction],
            evidence.runs,
            share * evidence.runs as f64
        )
    }
}

/// What the monitored signals are after a test.
pub(crate) fn settle(script: &Script, registers: &mut [Value]) {
    if let Some(last) = script.wanted.last() {
        for (register, value) in registers.iter_mut().zip(last) {
            if value.is_known() {
                register.clone_from(value);
            }
        }
    }
}

/// The runs of one test.
struct Trial<'a> {
    adapter: &'a mut dyn Adapter,
    /// What the first run showed, until it is looked at.
    first: Option<Observation>,
    /// The plan of all runs after it.
    again: &'a EventPlan,
    /// What is to be shown, and in which run it was seen.
    seen: Option<(Observation, u64)>,
    runs: u64,
}

impl Trial<'_> {
    fn run(&mut self, board: &Board) -> Result<Observation, TargetError> {
        self.runs += 1;
        self.first.take().map_or_else(|| self.adapter.run(board, self.again), Ok)
    }
}

/// The words for why a run was not consistent.
pub fn explain(
    why: &Inconsistency,
    board: &Board,
    expectation: &Expectation,
    show: &dyn Fn(&Value, usize) -> String,
) -> String {
    match why {
        Inconsistency::Missing(index) => {
            let change = &expectation.changes[*index];
            let name = &board.controlled[change.signal].name;
            let due = change.step as f64 * board.step_ms
                + board.controlled[change.signal].delay.mean_ms();
            let value = show(&change.value, change.signal);
            format!("{name} = {value} was due at {due:.0} ms and did not come")
        }
        Inconsistency::Unexpected(event) => {
            let name = &board.controlled[event.signal].name;
            let value = show(&event.value, event.signal);
            format!("{name} = {value} came at {:.0} ms and was not expected", event.at_ms)
        }
    }
}
