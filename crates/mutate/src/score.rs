//! Which mutants a suite kills.

use std::borrow::Cow;
use std::sync::Arc;

use provoke_base::parallel::in_parallel;
use provoke_model::{System, Value, VarId};
use provoke_sim::{Batch, LANES, NodeId, RunCheck, RunSet, SimProgram};

use crate::mutant::Mutant;
use crate::rerun;
use crate::select::{Selection, groups};

/// The inputs of a test, step by step.
pub type TestInputs = Vec<Vec<Value>>;

/// A step of a test of a suite.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct KillMoment {
    /// The position of the test.
    pub test: usize,
    /// The step, counted from 1.
    pub step: usize,
}

/// What became of a mutant. A test ends where it kills the mutant or has no values; a mutant that one
/// test kills is killed, whatever happens to it in others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MutantFate {
    /// A monitored variable has a known value that is not the original's.
    Killed(KillMoment),
    /// It has no values: it divides by zero, or a number outgrows all bounds, where the
    /// original goes on, and no test kills it. That makes it invalid, as in the papers.
    Faulted(KillMoment),
    /// Neither.
    Survived,
}

/// What a suite does to a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Score {
    /// How it ends.
    pub fate: MutantFate,
    /// The tests that kill it, each with the step that shows it: the first test, or all if they
    /// were asked for.
    pub kills: Vec<KillMoment>,
}

/// How mutants are run.
#[derive(Clone, Debug)]
pub struct ScoreOptions<'a> {
    /// What is compared.
    pub monitored: &'a [VarId],
    /// Whether a mutant is run on all tests even after it was killed.
    pub matrix: bool,
    /// How many threads work.
    pub jobs: usize,
}

/// One run of a batch is the original, the others are mutants.
const GROUP: usize = LANES - 1;
const ORIGINAL: usize = 0;

/// Runs each mutant on the tests. `progress` is told how many more are done.
pub fn score(
    system: &System,
    mutants: &[&Mutant],
    tests: &[TestInputs],
    options: &ScoreOptions<'_>,
    progress: &(dyn Fn(usize) + Sync),
) -> Vec<Score> {
    score_until(system, mutants, tests, options, progress, &|| false)
}

/// The same, until `stop` ends it early: then those that survived so far have not met all tests.
pub fn score_until(
    system: &System,
    mutants: &[&Mutant],
    tests: &[TestInputs],
    options: &ScoreOptions<'_>,
    progress: &(dyn Fn(usize) + Sync),
    stop: &(dyn Fn() -> bool + Sync),
) -> Vec<Score> {
    let (program, tests) = (Arc::new(SimProgram::new(system)), &*inside(system, tests));
    // One run of the original for each thread: what a mutant comes to does not depend on others.
    let size = mutants.len().div_ceil(options.jobs.max(1)).max(1);
    let parts: Vec<&[&Mutant]> = mutants.chunks(size).collect();
    let scores = in_parallel(options.jobs, parts.len(), |at| {
        rerun::score(&program, parts[at], tests, options, progress, stop)
    });
    scores.into_iter().flatten().collect()
}

/// The tests as far as they are runs: what happens behind that tells nothing about a mutant.
pub(crate) fn inside<'t>(system: &System, tests: &'t [TestInputs]) -> Cow<'t, [TestInputs]> {
    let mut check = RunCheck::new(system);
    let lengths: Vec<usize> = tests.iter().map(|test| check.steps(test)).collect();
    let pairs = tests.iter().zip(&lengths);
    match pairs.clone().all(|(test, length)| test.len() == *length) {
        true => Cow::Borrowed(tests),
        false => pairs.map(|(test, length)| test[..*length].to_vec()).collect(),
    }
}

/// Does `work` for groups of mutants that share a system, and puts the results in the order of
/// the mutants; `None` for those that `stop` left out.
pub(crate) fn in_groups<T: Send>(
    system: &System,
    mutants: &[&Mutant],
    jobs: usize,
    progress: &(dyn Fn(usize) + Sync),
    stop: &(dyn Fn() -> bool + Sync),
    work: impl Fn(&Selection) -> Vec<T> + Sync,
) -> Vec<Option<T>> {
    let groups = groups(system, mutants, GROUP);
    let done = in_parallel(jobs, groups.len(), |at| {
        let members: Vec<&Mutant> = groups[at].iter().map(|member| mutants[*member]).collect();
        if stop() {
            return members.iter().map(|_| None).collect();
        }
        let results = work(&Selection::new(system, &members));
        progress(members.len());
        results.into_iter().map(Some).collect::<Vec<_>>()
    });
    let mut all: Vec<(usize, Option<T>)> = groups
        .into_iter()
        .zip(done)
        .flat_map(|(group, done)| group.into_iter().zip(done))
        .collect();
    all.sort_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, result)| result).collect()
}

/// The original and the mutants of a group, side by side.
pub(crate) struct Race {
    pub(crate) batch: Batch,
    inputs: usize,
    /// The runs of mutants.
    pub(crate) mutants: RunSet,
}

impl Race {
    pub(crate) fn new(selection: &Selection, tests: &[TestInputs]) -> Race {
        let program = Arc::new(SimProgram::new(&selection.system));
        let open = tests.iter().flatten().flatten().any(|value| !value.is_known());
        let mut batch = match open {
            true => Batch::with_open_inputs(&selection.system, &program),
            false => Batch::new(&selection.system, &program),
        };
        let count = selection.sites.len();
        for mutant in 0..count {
            let position = selection.inputs + mutant;
            batch.set_all(position, &Value::Bool(false));
            batch.set(position, lane_of(mutant), &Value::Bool(true));
        }
        let mutants = (0..count).fold(0, |runs, mutant| runs | 1 << lane_of(mutant));
        Race { batch, inputs: selection.inputs, mutants }
    }

    /// Runs a test on the `wanted` mutants. `each` is given the step and the runs that fault in
    /// it, and tells which runs are wanted further. It ends where the original has no values.
    pub(crate) fn run(
        &mut self,
        test: &TestInputs,
        mut wanted: RunSet,
        mut each: impl FnMut(&Batch, usize, RunSet) -> RunSet,
    ) {
        (0..LANES).for_each(|lane| self.batch.reset(lane));
        self.abandon(!wanted);
        for (index, row) in test.iter().enumerate() {
            assert_eq!(row.len(), self.inputs, "one value for each input");
            row.iter().enumerate().for_each(|(at, value)| self.batch.set_all(at, value));
            self.batch.evaluate();
            let faulty = self.batch.faulty();
            if faulty >> ORIGINAL & 1 != 0 {
                return;
            }
            let left = each(&self.batch, index + 1, faulty);
            if left == 0 {
                return;
            }
            self.abandon(wanted & !left);
            wanted = left;
            self.batch.take();
        }
    }

    fn abandon(&mut self, runs: RunSet) {
        let unneeded = |lane: &usize| *lane != ORIGINAL && runs >> *lane & 1 != 0;
        (0..LANES).filter(unneeded).for_each(|lane| self.batch.abandon(lane));
    }
}

/// The run of a mutant of a group.
pub(crate) fn lane_of(mutant: usize) -> usize {
    mutant + 1
}

/// The mutants of a group in a set of runs.
pub(crate) fn members(runs: RunSet) -> impl Iterator<Item = usize> {
    (0..GROUP).filter(move |mutant| runs >> lane_of(*mutant) & 1 != 0)
}

/// The runs in which one of the nodes is not what it is in the original.
pub(crate) fn differing(batch: &Batch, nodes: &[NodeId]) -> RunSet {
    nodes.iter().fold(0, |runs, node| runs | batch.differ_from(*node, ORIGINAL))
}
