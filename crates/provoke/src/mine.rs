//! A program explored from outside.

mod files;
mod process;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use provoke_base::{Control, Error, ErrorCode, Event, Progress};
use provoke_mine::difference::differences;
use provoke_mine::explore::{explore_from, search_alone};
use provoke_mine::propose::propose;
use provoke_mine::target::Isolation;
use provoke_mine::{
    Build, InputSequence, MineTargetFile, MiningMethod, MiningPlan, MiningResult, SearchResult,
    StateIdentity, StateMachine, SuiteReduction, explore,
};
use provoke_results::{Mine, to_json};
use provoke_suite::Typing;
use provoke_work::{CaseRunner, Cases, Served, WorkerLoop, Workers, case_key, command_identity};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::files::write_together;
use crate::request::Request;

pub use process::serve_explore;
pub use provoke_mine::MineTarget;

/// How a program is explored.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(default)]
pub struct MineOptions {
    /// How to search.
    pub method: MiningMethod,
    /// Millions of steps of the program, if there is no budget.
    pub effort: u64,
    /// Wall-clock time for the search. What is found is right, but need not be the same next time.
    pub budget: Option<Duration>,
    /// What tells states apart; what the target's file says if nothing is said.
    pub state: Option<StateIdentity>,
    /// A suite to begin with; what the target's file says if nothing is said.
    pub initial: Option<PathBuf>,
    /// The random tests and their vectors that the published method begins with.
    pub random: (usize, usize),
    /// How the suite is made smaller.
    pub reduction: SuiteReduction,
    /// The folder of an earlier result, to be compared with.
    pub against: Option<PathBuf>,
    /// Whether tests are repeated under sanitizers.
    pub sanitize: bool,
    /// Whether coverage of the code is measured.
    pub coverage: bool,
    /// Whether each test has a process of its own.
    pub isolate: bool,
    /// How many searches, each of the whole effort and with random numbers of its own.
    pub searches: u32,
    /// Where random numbers start.
    pub seed: u64,
    /// Where results are written.
    pub folder: Option<PathBuf>,
    /// The program `provoke`, which explores in a process of its own. Without one the target is loaded
    /// into this process, which it may destroy.
    #[serde(skip)]
    pub explorer: Option<PathBuf>,
    /// Who does the searches, if it is not this process.
    pub workers: Option<Workers>,
    /// Where workers keep what they found; the folder of the results if nothing is said.
    pub store: Option<PathBuf>,
}

impl Default for MineOptions {
    fn default() -> MineOptions {
        MineOptions {
            method: MiningMethod::Archive,
            effort: 2,
            budget: None,
            state: None,
            initial: None,
            random: (100, 100),
            reduction: SuiteReduction::Items,
            against: None,
            sanitize: true,
            coverage: true,
            isolate: false,
            searches: 1,
            seed: 0,
            folder: None,
            explorer: None,
            workers: None,
            store: None,
        }
    }
}

impl MineOptions {
    /// Whether there are several searches, or others who do them.
    fn is_divided(&self) -> Result<bool, Error> {
        match (&self.workers, self.searches) {
            (None, 1) => Ok(false),
            _ if self.method == MiningMethod::Exhaustive => {
                let message = "an exhaustive search goes from state to state, and is not divided";
                Err(Error::new(ErrorCode::SearchNotDivided, message))
            }
            (Some(_), _) if self.budget.is_some() => {
                let message = "the time limit is this machine's clock, and others do the work";
                Err(Error::new(ErrorCode::BudgetWithWorkers, message))
            }
            _ => Ok(true),
        }
    }

    fn plan(&self, target: &MineTarget) -> Result<MiningPlan, Error> {
        let effort = self.effort.saturating_mul(1_000_000);
        Ok(MiningPlan {
            method: self.method,
            identity: self.state.unwrap_or(target.target.identity()),
            steps: if self.budget.is_some() { u64::MAX } else { effort },
            seed: self.seed,
            initial: self.initial_tests(target)?,
            random: self.random,
            reduction: self.reduction,
            sanitize: self.sanitize,
            coverage: self.coverage,
        })
    }

    /// The tests that the search begins with.
    fn initial_tests(&self, target: &MineTarget) -> Result<Option<Vec<InputSequence>>, Error> {
        let named = target.target.search.initial.as_ref().map(|path| target.home.join(path));
        let Some(path) = self.initial.clone().or(named) else { return Ok(None) };
        let known = target.target.suite(&target.name);
        let read = crate::files::suite(&path, None, Typing::Infer)?.suite;
        let tests = provoke_mine::words::arranged(&read, &known).ok_or_else(|| {
            let message = format!("{} has other inputs than the target", path.display());
            let hint = "give a suite with the names and values of the target's inputs";
            Error::input(message, hint)
        })?;
        Ok(Some(tests))
    }

    /// The target as the options want it.
    fn isolated(&self, target: &MineTarget) -> MineTargetFile {
        let mut target = target.target.clone();
        if self.isolate {
            target.limits.isolation = Isolation::Fork;
        }
        target
    }
}

/// Explores the program that a target file describes. Nothing comes of a call that was cancelled before a
/// search came to its end.
pub fn mine(
    target: &Path,
    options: &MineOptions,
    control: &Control,
) -> Result<Option<Mine>, Error> {
    let opened = MineTarget::open(target, options.folder.as_deref())?;
    options.is_divided()?;
    let in_process = options.isolate || !opened.target.program.command.is_empty();
    match &options.explorer {
        Some(program) if !in_process => {
            drop(opened);
            process::explore(program, target, options, control)
        }
        _ => explored(&opened, target, options, control),
    }
}

/// The same in this process.
fn explore_here(
    target: &Path,
    options: &MineOptions,
    control: &Control,
) -> Result<Option<Mine>, Error> {
    let opened = MineTarget::open(target, options.folder.as_deref())?;
    explored(&opened, target, options, control)
}

fn explored(
    target: &MineTarget,
    path: &Path,
    options: &MineOptions,
    control: &Control,
) -> Result<Option<Mine>, Error> {
    let start = Instant::now();
    let earlier = options.against.as_deref().map(files::read_machine).transpose()?;
    let Some(mined) = mined(target, path, options, control, start)? else { return Ok(None) };
    let compared = earlier.map(|old| {
        let (found, more) = differences(&old, best(&mined));
        (found.iter().map(|d| d.show(&mined.suite)).collect::<Vec<_>>(), found.len() + more)
    });
    if let Some(folder) = &options.folder {
        files::write(folder, target, &mined)?;
    }
    let mut result = files::result(target, options, &mined, compared);
    result.seconds = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    if let Some(folder) = &options.folder {
        write_together(&[(folder.join("mine.json"), to_json(&result).into_bytes())])?;
    }
    Ok(Some(result))
}

/// What one search, or several together, lead to; nothing if none came to its end.
fn mined(
    opened: &MineTarget,
    path: &Path,
    options: &MineOptions,
    control: &Control,
    start: Instant,
) -> Result<Option<MiningResult>, Error> {
    let (target, plan) = (options.isolated(opened), options.plan(opened)?);
    let over = || options.budget.is_some_and(|budget| start.elapsed() > budget);
    let MineTarget { name, builder, home, .. } = opened;
    let builder = builder.as_ref();
    if !options.is_divided()? {
        let told = Cell::new(Instant::now());
        let stop = || {
            tell(control, &told, start);
            control.is_over() || over()
        };
        let mined = explore(&target, name, builder, home, &plan, &stop);
        control.tell(Event::ProgressEnded);
        return Ok(Some(mined?));
    }
    let identity = command_identity("mine");
    let workers = options.workers.as_ref();
    let store = workers.and_then(|_| options.store.as_deref().or(options.folder.as_deref()));
    // Programs are loaded into the process, which has room for one at a time.
    let jobs = workers.map_or(1, |workers| workers.count);
    let asked = MineOptions { workers: None, store: None, ..options.clone() };
    let request = Request::Mine { target: absolute(path), options: asked };
    let mut runner = CaseRunner::new(&identity, store, workers, &request, jobs, control)?;
    let found = searches(opened, options, &plan, &over, &mut runner)?;
    if found.is_empty() {
        return Ok(None);
    }
    let mined = explore_from(SearchResult::joined(found), &target, name, builder, home, &plan);
    Ok(Some(mined?))
}

/// Workers are elsewhere.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf())
}

/// Says now and then that the search goes on.
fn tell(control: &Control, told: &Cell<Instant>, start: Instant) {
    if told.get().elapsed() >= Duration::from_millis(500) {
        told.set(Instant::now());
        let text = format!("exploring the program, {} s", start.elapsed().as_secs());
        control.tell(Event::Progress(Progress::Text(text)));
    }
}

/// How long a search takes, as long as nothing was measured.
const SEARCH_SECONDS: f64 = 10.0;

/// What searches with random numbers of their own find, as far as the caller waited for them.
fn searches(
    opened: &MineTarget,
    options: &MineOptions,
    plan: &MiningPlan,
    over: &(dyn Fn() -> bool + Sync),
    runner: &mut CaseRunner<'_>,
) -> Result<Vec<SearchResult>, Error> {
    let target = options.isolated(opened);
    let program = opened.key()?;
    let MiningPlan { method, identity, steps, initial, random, .. } = plan;
    let said = json!([method, identity, steps, initial, random, options.isolate]);
    let seeds = (0..options.searches).map(|at| plan.seed.wrapping_add(at.into()));
    let seeds: Vec<u64> = seeds.collect();
    let keys = seeds.iter().map(|seed| case_key(&program, &json!([said, seed]))).collect();
    let found = runner.each(&Cases::new("searches", SEARCH_SECONDS, keys), &|at, stop| {
        let plan = MiningPlan { seed: seeds[at], ..plan.clone() };
        let MineTarget { name, builder, home, .. } = opened;
        let stop = || stop() || over();
        search_alone(&target, name, builder.as_ref(), home, &plan, &stop).map_err(Error::from)
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// Does a worker's part of [`mine`]: searches.
pub(crate) fn serve_mine(
    target: &Path,
    options: &MineOptions,
    worker: &mut WorkerLoop,
) -> Result<Served, Error> {
    // Others build in the folder of the results.
    let opened = MineTarget::open(target, None)?;
    let mut runner = CaseRunner::of_worker(&command_identity("mine"), worker)?;
    searches(&opened, options, &options.plan(&opened)?, &|| false, &mut runner)?;
    runner.served()
}

/// The machine that says most.
pub fn best(mined: &MiningResult) -> &StateMachine {
    mined.exact.as_ref().unwrap_or(&mined.machine)
}

/// Builds the library that a suite runs on, and writes the target file that names it, whose path is returned.
pub fn build_target(target: &Path, folder: &Path) -> Result<PathBuf, Error> {
    let opened = MineTarget::open(target, Some(folder))?;
    let Some(builder) = &opened.builder else {
        let message = "there is nothing to build for an executable";
        return Err(Error::new(ErrorCode::NothingToBuild, message));
    };
    builder.build(Build::Plain)?;
    files::write_target(folder)
}

/// A target file proposed for a C source, from its debug information.
pub fn propose_target(source: &Path) -> Result<String, Error> {
    let scratch = std::env::temp_dir().join(format!("provoke-init-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(|error| {
        let message = format!("cannot create {}: {error}", scratch.display());
        Error::new(ErrorCode::CannotWrite, message).hint("set TMPDIR")
    })?;
    let text = propose(source, &scratch);
    let _ = std::fs::remove_dir_all(&scratch);
    Ok(text?)
}
