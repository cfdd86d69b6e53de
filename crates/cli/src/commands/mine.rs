//! `provoke mine`: a program explored from outside.

use std::os::unix::process::parent_id;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use provoke::{LoadedTarget, TargetFault};
use provoke_base::{Control, Error};
use provoke_mine::difference::differences;
use provoke_mine::explore::{explore_from, search_alone};
use provoke_mine::target::Isolation;
use provoke_mine::{Build, Found, Machine, Method, Mined, Plan, Target, Test, Trouble, explore};
use provoke_suite::{Format, Typing};
use provoke_work::{CaseRunner, Cases, Served, WorkerLoop, case_key, command_identity};
use serde_json::json;

use crate::args::MineArgs;
use crate::commands::{mine_files, mine_init};
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome, show_diagnostics};
use crate::output::Output;
use crate::workers;

pub(crate) fn run(args: &MineArgs, output: &Output) -> Result<Outcome, Failure> {
    if let Some(source) = &args.init {
        return mine_init::run(source, args.output.as_deref(), output);
    }
    let path = args.target.as_ref().expect("required without --init");
    let loaded = self::loaded(path, args.output.as_deref(), output)?;
    if args.build {
        return build_only(&loaded, output);
    }
    is_divided(args)?;
    let isolated = args.isolate || !loaded.target.program.command.is_empty();
    if !args.inside && !isolated {
        return supervised(args, output);
    }
    if args.inside {
        std::thread::spawn(end_with_the_parent);
    }
    mine(args, &loaded, output)
}

/// Nobody waits for a process whose parent was killed.
fn end_with_the_parent() {
    let parent = parent_id();
    while parent_id() == parent {
        std::thread::sleep(Duration::from_millis(200));
    }
    std::process::exit(Outcome::Interrupted as i32);
}

/// The same command in a process that the program may destroy; if it does, each test gets a process
/// of its own.
fn supervised(args: &MineArgs, output: &Output) -> Result<Outcome, Failure> {
    let _control = console::control(output);
    let again = |option: &str| {
        let program = std::env::current_exe().and_then(|exe| {
            let mut command = Command::new(exe);
            match &args.words {
                Some(words) => command.args(words),
                None => command.args(std::env::args_os().skip(1)),
            };
            if !output.has_results() {
                command.stdout(Stdio::null());
            }
            command.arg(option).status()
        });
        program.map_err(|error| {
            Failure::input(format!("cannot start another process: {error}"), "use `--isolate`")
        })
    };
    let status = match again("--inside")?.code() {
        Some(code) => Some(code),
        None => {
            output.warning("the program destroyed the process it was explored in; each test has a process of its own now");
            again("--isolate")?.code()
        }
    };
    let outcomes = [
        Outcome::Well,
        Outcome::Negative,
        Outcome::Usage,
        Outcome::WrongInput,
        Outcome::Missing,
        Outcome::Inconclusive,
        Outcome::Interrupted,
    ];
    let found = outcomes.into_iter().find(|outcome| Some(*outcome as i32) == status);
    found.ok_or_else(|| {
        Failure::input("the exploring process was destroyed", "lower `memory_mb` in [limits]")
    })
}

/// A target with what it stands on; what is wrong with its file is shown.
pub(crate) fn loaded(
    path: &Path,
    folder: Option<&Path>,
    output: &Output,
) -> Result<LoadedTarget, Failure> {
    let bytes = files::read(path, LoadedTarget::MAX_BYTES)?;
    LoadedTarget::of_bytes(path, bytes, folder).map_err(|fault| match fault {
        TargetFault::Rejected { file, diagnostics } => {
            show_diagnostics(output, &file, &diagnostics);
            Failure::Shown
        }
        TargetFault::Failed(error) => error.into(),
    })
}

/// What went wrong, as the command line tells it.
pub(crate) fn failure(trouble: Trouble) -> Failure {
    Error::from(trouble).into()
}

fn build_only(loaded: &LoadedTarget, output: &Output) -> Result<Outcome, Failure> {
    let Some(workshop) = &loaded.workshop else {
        return Err(Failure::input(
            "there is nothing to build for an executable",
            "leave out --build",
        ));
    };
    let folder = workshop.folder.parent().unwrap_or(&workshop.folder);
    workshop.build(Build::Plain).map_err(failure)?;
    let target = mine_files::write_target(folder, output)?;
    output.result(&format!("try: provoke run SUITE --on {} --mode direct\n", target.display()));
    Ok(Outcome::Well)
}

/// Does a worker's part: searches.
pub(crate) fn serve(
    args: &MineArgs,
    worker: &mut WorkerLoop,
    output: &Output,
) -> Result<Served, Failure> {
    let path = args.target.as_ref().expect("required without --init");
    // Others build in the folder of the output.
    let loaded = self::loaded(path, None, output)?;
    let mut runner = CaseRunner::of_worker(&command_identity("mine"), worker)?;
    searches(args, &loaded, &plan(args, &loaded)?, &|| false, &mut runner)?;
    Ok(runner.served()?)
}

/// The target as the options want it.
fn isolated(args: &MineArgs, loaded: &LoadedTarget) -> Target {
    let mut target = loaded.target.clone();
    if args.isolate {
        target.limits.isolation = Isolation::Fork;
    }
    target
}

fn plan(args: &MineArgs, loaded: &LoadedTarget) -> Result<Plan, Failure> {
    Ok(Plan {
        method: args.method,
        identity: args.state.unwrap_or(loaded.target.identity()),
        steps: if args.budget.is_some() { u64::MAX } else { args.effort.saturating_mul(1_000_000) },
        seed: args.seed,
        initial: initial(args, loaded)?,
        random: args.random,
        reduction: args.reduce,
        sanitize: !args.no_sanitize,
        coverage: !args.no_coverage,
    })
}

/// How long a search takes, as long as nothing was measured.
const SEARCH_SECONDS: f64 = 10.0;

/// What searches with random numbers of their own find, as far as the user waited for them.
fn searches(
    args: &MineArgs,
    loaded: &LoadedTarget,
    plan: &Plan,
    over: &(dyn Fn() -> bool + Sync),
    runner: &mut CaseRunner<'_>,
) -> Result<Vec<Found>, Failure> {
    let target = isolated(args, loaded);
    let program = loaded.key()?;
    let Plan { method, identity, steps, initial, random, .. } = plan;
    let said = format!("{method:?} {identity:?} {steps} {initial:?} {random:?} {}", args.isolate);
    let seeds: Vec<u64> = (0..args.searches).map(|at| plan.seed.wrapping_add(at.into())).collect();
    let keys = seeds.iter().map(|seed| case_key(&program, &json!([said, seed]))).collect();
    let found = runner.each(&Cases::new("searches", SEARCH_SECONDS, keys), &|at, stop| {
        let plan = Plan { seed: seeds[at], ..plan.clone() };
        let LoadedTarget { name, workshop, home, .. } = loaded;
        search_alone(&target, name, workshop.as_ref(), home, &plan, &|| stop() || over())
            .map_err(failure)
    })?;
    Ok(found.into_iter().flatten().collect())
}

/// Whether there are several searches, or others who do them.
fn is_divided(args: &MineArgs) -> Result<bool, Failure> {
    let refused = |message: &str, hint: &str| {
        Err(Failure::Usage { message: message.to_string(), hint: hint.to_string() })
    };
    match (args.place.executor(), args.searches) {
        (None, 1) => Ok(false),
        _ if args.method == Method::Exhaustive => refused(
            "an exhaustive search goes from state to state, and is not divided",
            "leave out --searches, --workers and --store",
        ),
        (Some(_), _) if args.budget.is_some() => refused(
            "a budget is this machine's clock, and others do the work",
            "measure the work with --effort",
        ),
        _ => Ok(true),
    }
}

/// What one search, or several together, lead to; nothing if none came to its end.
fn mined(
    args: &MineArgs,
    loaded: &LoadedTarget,
    control: &Control,
    start: Instant,
) -> Result<Option<Mined>, Failure> {
    let (target, plan) = (isolated(args, loaded), plan(args, loaded)?);
    let over = || args.budget.is_some_and(|budget| start.elapsed() > budget);
    let LoadedTarget { name, workshop, home, .. } = loaded;
    let workshop = workshop.as_ref();
    if !is_divided(args)? {
        let stop = || control.is_cancelled() || over();
        let mined = explore(&target, name, workshop, home, &plan, &stop);
        return mined.map(Some).map_err(failure);
    }
    let (identity, place) = (command_identity("mine"), args.place.executor());
    let folder = place.and_then(|_| args.place.store.as_deref().or(args.output.as_deref()));
    // Programs are loaded into the process, which has room for one at a time.
    let jobs = place.map_or(1, |_| args.place.jobs());
    let mut runner = workers::runner(&identity, folder, place, jobs, control)?;
    let found = searches(args, loaded, &plan, &over, &mut runner)?;
    if found.is_empty() {
        return Ok(None);
    }
    let mined = explore_from(Found::joined(found), &target, name, workshop, home, &plan);
    mined.map(Some).map_err(failure)
}

fn mine(args: &MineArgs, loaded: &LoadedTarget, output: &Output) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let control = console::control(output);
    let earlier = args.against.as_deref().map(mine_files::read_machine).transpose()?;
    let Some(mined) = mined(args, loaded, &control, start)? else {
        output.warning("interrupted before a search came to its end");
        return Ok(Outcome::Interrupted);
    };
    let compared = earlier.map(|old| {
        let (found, more) = differences(&old, best(&mined));
        (found.iter().map(|d| d.show(&mined.suite)).collect::<Vec<_>>(), found.len() + more)
    });
    if let Some(folder) = &args.output {
        mine_files::write(folder, loaded, &mined, output)?;
    }
    let mut result = mine_files::result(args, &mined, compared);
    result.seconds = (start.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    if let Some(folder) = &args.output {
        files::write(
            output,
            &folder.join("mine.json"),
            provoke_results::to_json(&result).as_bytes(),
        )?;
    }
    if output.is_json() {
        output.result(&provoke_results::to_json(&result));
    } else {
        output.result(&mine_files::describe(&result, &mined));
    }
    Ok(if control.is_cancelled() {
        Outcome::Interrupted
    } else if !mined.findings.is_empty() || result.differences.is_some_and(|d| d.count > 0) {
        Outcome::Negative
    } else {
        Outcome::Well
    })
}

/// The machine that says most.
pub(crate) fn best(mined: &Mined) -> &Machine {
    mined.exact.as_ref().unwrap_or(&mined.machine)
}

/// The tests that the search begins with.
fn initial(args: &MineArgs, loaded: &LoadedTarget) -> Result<Option<Vec<Test>>, Failure> {
    let named = loaded.target.search.initial.as_ref().map(|path| loaded.home.join(path));
    let Some(path) = args.initial.clone().or(named) else { return Ok(None) };
    let known = loaded.target.suite(&loaded.name);
    let read = files::suite(&path, None, Typing::Infer)?.suite;
    let text = provoke_mine::words::arranged(&read, &known);
    let tests = text.ok_or_else(|| {
        let message = format!("{} has other inputs than the target", path.display());
        Failure::input(message, "give a suite with the names and values of the target's inputs")
    })?;
    Ok(Some(tests))
}

/// Where a format is named only here.
pub(crate) const SUITE_FORMAT: Format = Format::Json;
