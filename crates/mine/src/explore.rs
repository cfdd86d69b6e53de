//! The whole way from a target to its suite, findings, machine and coverage.

use std::collections::BTreeSet;
use std::path::Path;

use provoke_base::Random;
use provoke_model::{Suite, TestCase};

use crate::alphabet::{Alphabet, constants};
use crate::archive::archive_search;
use crate::compile::{Build, MiningError, ProgramBuilder, has_clang};
use crate::confirm::confirm;
use crate::coverage::{CodeCoverage, measure};
use crate::exhaustive::{Transitions, exhaustive_search};
use crate::library::LoadedProgram;
use crate::machine::StateMachine;
use crate::random_search::random_search;
use crate::reduce::{SuiteReduction, reduce, restore, shorten_finding};
use crate::run::{Effects, ProgramRun};
use crate::search::{
    InputSequence, ProgramFinding, RunningProgram, SearchContext, SearchResult, StepBudget,
};
use crate::seed::{Initial, seed_search};
use crate::server::{Server, TestEnding};
use crate::spawned::SpawnedProgram;
use crate::survey::survey;
use crate::target::{Isolation, MineTargetFile, StateIdentity};
use crate::trial::{Trial, try_library, try_processes};
use crate::words::test_case;

/// A way to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MiningMethod {
    /// As published.
    Mine,
    /// The baseline.
    Random,
    /// States that look different.
    Archive,
    /// All states.
    Exhaustive,
}

provoke_base::words!(MiningMethod {
    Mine = "mine",
    Random = "random",
    Archive = "archive",
    Exhaustive = "exhaustive",
});

/// What is to be done.
#[derive(Clone, Debug)]
pub struct MiningPlan {
    /// How to search.
    pub method: MiningMethod,
    /// What tells states apart.
    pub identity: StateIdentity,
    /// How many steps of the program.
    pub steps: u64,
    /// Where random numbers start.
    pub seed: u64,
    /// What the search begins with, if the user gives it.
    pub initial: Option<Vec<InputSequence>>,
    /// The random tests that the published method begins with.
    pub random: (usize, usize),
    /// How the suite is made smaller.
    pub reduction: SuiteReduction,
    /// Whether tests are repeated under sanitizers.
    pub sanitize: bool,
    /// Whether coverage of code is measured.
    pub coverage: bool,
}

/// A program that is ready to be explored.
pub struct PreparedProgram {
    /// The program.
    pub subject: RunningProgram,
    /// The values of its inputs.
    pub alphabet: Alphabet,
    /// Whether all its state is saved, so that a search that closes is a proof.
    pub pure: bool,
    /// How it runs, in a word.
    pub isolation: &'static str,
    /// What users should know.
    pub notes: Vec<String>,
    /// What it did beside computing.
    pub effects: Effects,
}

/// Functions of others that keep nothing between calls.
const PURE: [&str; 24] = [
    "abs",
    "labs",
    "memcpy",
    "memset",
    "memmove",
    "memcmp",
    "strlen",
    "strcmp",
    "strncmp",
    "fabs",
    "floor",
    "ceil",
    "sqrt",
    "fmod",
    "round",
    "exit",
    "abort",
    "__assert_fail",
    "printf",
    "puts",
    "putchar",
    "scanf",
    "__isoc99_scanf",
    "__stack_chk_fail",
];

/// Builds the program, tries it, and decides how it runs.
pub fn open(
    target: &MineTargetFile,
    suite: &Suite,
    builder: Option<&ProgramBuilder>,
    home: &Path,
    seed: u64,
) -> Result<PreparedProgram, MiningError> {
    let (inputs, outputs, limits) = (suite.inputs.len(), suite.outputs.len(), &target.limits);
    let mut mentioned = BTreeSet::new();
    for source in builder.map(ProgramBuilder::sources).unwrap_or_default() {
        mentioned.extend(constants(&String::from_utf8_lossy(
            &std::fs::read(source).unwrap_or_default(),
        )));
    }
    let alphabet = Alphabet::new(target, suite, &mentioned);
    let mut notes = Vec::new();
    let Some(builder) = builder else {
        let mut subject = RunningProgram::Spawned(SpawnedProgram::new(
            &target.program.command,
            home,
            limits,
            suite,
        ));
        let trial = try_processes(&mut subject, &alphabet, seed)?;
        notes.extend(trial.unrepeatable.map(|why| format!("not repeatable: {why}")));
        return Ok(PreparedProgram {
            subject,
            alphabet,
            pure: false,
            isolation: "spawn",
            notes,
            effects: trial.effects,
        });
    };
    if limits.isolation != Isolation::Fork {
        let build = if has_clang() && !target.program.sources.is_empty() {
            Build::Vectors
        } else {
            Build::Edges
        };
        let library = builder.build(build)?;
        let mut program = LoadedProgram::load(&library, inputs, outputs, limits.step_ms)?;
        program.sees_conditions = build == Build::Vectors;
        let Trial { unrepeatable, effects } = try_library(&mut program, &alphabet, seed);
        let busy = effects.allocations > 0 || effects.starts > 0;
        if limits.isolation == Isolation::Library || (unrepeatable.is_none() && !busy) {
            notes.extend(unrepeatable.iter().map(|why| format!("not repeatable: {why}")));
            let foreign = builder.foreign_functions(build);
            let impure: Vec<&str> =
                foreign.iter().map(String::as_str).filter(|name| !is_pure(name)).collect();
            let pure = impure.is_empty()
                && unrepeatable.is_none()
                && !busy
                && target.program.library.is_none();
            if !impure.is_empty() {
                notes.push(format!("no proof is claimed: it calls {}", impure.join(", ")));
            }
            let subject = RunningProgram::Library(program);
            return Ok(PreparedProgram {
                subject,
                alphabet,
                pure,
                isolation: "library",
                notes,
                effects,
            });
        }
        let why = match (effects.starts, effects.allocations, unrepeatable) {
            (1.., ..) => "it starts processes or threads".to_string(),
            (0, 1.., _) => "it allocates memory".to_string(),
            (0, 0, why) => why.unwrap_or_default(),
        };
        notes.push(format!("each test has a process of its own, because {why}"));
    }
    let server = Server::new(&builder.build(Build::Server)?, outputs, limits, TestEnding::Quick);
    let mut subject = RunningProgram::Server(server);
    let Trial { unrepeatable, effects } = try_processes(&mut subject, &alphabet, seed)?;
    notes.extend(unrepeatable.map(|why| format!("not repeatable: {why}")));
    if effects.live > 0 {
        notes.push(format!("memory is not given back: {} pieces in a test", effects.live));
    }
    Ok(PreparedProgram { subject, alphabet, pure: false, isolation: "fork", notes, effects })
}

/// Whether a function that the program calls has no state: ours, known ones, and instrumentation.
fn is_pure(name: &str) -> bool {
    let name = name.split('@').next().unwrap_or(name);
    let ours = name.starts_with("provoke_")
        || name.starts_with("__sanitizer_cov")
        || name.contains("___sancov_guards")
        || name.starts_with("__llvm_prof");
    ours || PURE.contains(&name)
}

/// What came of it.
pub struct MiningResult {
    /// The tests with what they showed.
    pub suite: Suite,
    /// Tests and vectors before they were made fewer.
    pub before: (usize, usize),
    /// What is wrong with the program, with tests.
    pub findings: Vec<ProgramFinding>,
    /// The findings as tests of the common format.
    pub finding_suite: Suite,
    /// What the search found, without its tests and findings.
    pub found: SearchResult,
    /// The machine by outputs.
    pub machine: StateMachine,
    /// The least machine that does the same, if the search closed.
    pub exact: Option<StateMachine>,
    /// What the tests cover.
    pub coverage: Option<CodeCoverage>,
    /// How the program ran.
    pub isolation: &'static str,
    /// What users should know.
    pub notes: Vec<String>,
}

/// Tests that are repeated under sanitizers beside those that are kept.
const CONFIRMED: usize = 200;
/// Random tests beside them: values that showed nothing new may still be wrong inside.
const CONFIRMED_RANDOM: usize = 40;
const CONFIRMED_VECTORS: usize = 50;

/// Searches with an opened program.
pub fn search(
    opened: &mut PreparedProgram,
    plan: &MiningPlan,
    work: &mut StepBudget<'_>,
) -> Result<(SearchResult, Option<Transitions>), MiningError> {
    let mut setting =
        SearchContext { subject: &mut opened.subject, alphabet: &opened.alphabet, seed: plan.seed };
    let found = match plan.method {
        MiningMethod::Mine => {
            let random = Initial::Random(plan.random.0, plan.random.1);
            let initial = plan.initial.clone().map_or(random, Initial::Given);
            seed_search(&mut setting, &initial, work)?
        }
        MiningMethod::Random => random_search(&mut setting, work)?,
        MiningMethod::Archive => archive_search(
            &mut setting,
            plan.identity,
            plan.initial.as_deref().unwrap_or(&[]),
            work,
        )?,
        MiningMethod::Exhaustive => return exhaustive_search(&mut setting, opened.pure, work),
    };
    Ok((found, None))
}

/// A search, and nothing else.
pub fn search_alone(
    target: &MineTargetFile,
    name: &str,
    builder: Option<&ProgramBuilder>,
    home: &Path,
    plan: &MiningPlan,
    stop: &dyn Fn() -> bool,
) -> Result<SearchResult, MiningError> {
    let mut opened = open(target, &target.suite(name), builder, home, plan.seed)?;
    Ok(search(&mut opened, plan, &mut StepBudget::new(plan.steps, stop))?.0)
}

/// All of it.
pub fn explore(
    target: &MineTargetFile,
    name: &str,
    builder: Option<&ProgramBuilder>,
    home: &Path,
    plan: &MiningPlan,
    stop: &dyn Fn() -> bool,
) -> Result<MiningResult, MiningError> {
    let mut opened = open(target, &target.suite(name), builder, home, plan.seed)?;
    let (found, transitions) = search(&mut opened, plan, &mut StepBudget::new(plan.steps, stop))?;
    conclude(target, name, builder, plan, opened, found, transitions)
}

/// All that follows a search, or several that were joined.
pub fn explore_from(
    found: SearchResult,
    target: &MineTargetFile,
    name: &str,
    builder: Option<&ProgramBuilder>,
    home: &Path,
    plan: &MiningPlan,
) -> Result<MiningResult, MiningError> {
    let opened = open(target, &target.suite(name), builder, home, plan.seed)?;
    conclude(target, name, builder, plan, opened, found, None)
}

fn conclude(
    target: &MineTargetFile,
    name: &str,
    builder: Option<&ProgramBuilder>,
    plan: &MiningPlan,
    mut opened: PreparedProgram,
    mut found: SearchResult,
    transitions: Option<Transitions>,
) -> Result<MiningResult, MiningError> {
    let mut suite = target.suite(name);
    let tests = std::mem::take(&mut found.tests);
    let before = (tests.len(), tests.iter().map(Vec::len).sum());
    let mut kept = reduce(&mut opened.subject, &tests, plan.reduction)?;
    let mut findings = Vec::new();
    for finding in std::mem::take(&mut found.findings) {
        let shortened = shorten_finding(&mut opened.subject, &finding)?;
        if !findings.contains(&shortened) {
            findings.push(shortened);
        }
    }
    let mut notes = std::mem::take(&mut opened.notes);
    let sources = builder.filter(|_| !target.program.sources.is_empty());
    if let Some(builder) = sources.filter(|_| plan.sanitize) {
        let mut repeated: Vec<InputSequence> =
            kept.iter().chain(tests.iter().take(CONFIRMED)).cloned().collect();
        let mut random = Random::for_part(plan.seed, "confirm");
        repeated.extend((0..CONFIRMED_RANDOM).map(|_| {
            (0..CONFIRMED_VECTORS)
                .map(|_| opened.alphabet.vector(&mut random))
                .collect::<InputSequence>()
        }));
        findings.extend(confirm(builder, &repeated, suite.outputs.len(), &target.limits)?);
    }
    let coverage = match sources.filter(|_| plan.coverage) {
        Some(builder) => {
            if plan.reduction == SuiteReduction::Items {
                let reach = |tests: &[InputSequence]| {
                    let outputs = suite.outputs.len();
                    Ok(measure(builder, tests, outputs, &target.limits)?.covered())
                };
                restore(&mut kept, &tests, reach)?;
            }
            let crashing = findings.iter().map(|finding| finding.test.clone());
            let measured: Vec<InputSequence> = kept.iter().cloned().chain(crashing).collect();
            Some(measure(builder, &measured, suite.outputs.len(), &target.limits)?)
        }
        None => None,
    };
    let mut runs: Vec<(InputSequence, ProgramRun)> = Vec::new();
    for test in &tests {
        runs.push((test.clone(), opened.subject.run(test)?));
    }
    let steps = match &mut opened.subject {
        RunningProgram::Library(program) => survey(program, &opened.alphabet, &tests, plan.seed),
        _ => Vec::new(),
    };
    let machine = StateMachine::observed(&runs, &steps);
    for (number, test) in kept.iter().enumerate() {
        let run = opened.subject.run(test)?;
        suite.tests.push(test_case(&suite, format!("t{}", number + 1), test, &run));
    }
    let finding_suite = finding_suite(&mut opened.subject, &suite, &findings)?;
    notes.append(&mut found.notes);
    Ok(MiningResult {
        suite,
        before,
        findings,
        finding_suite,
        machine,
        exact: transitions.as_ref().map(StateMachine::exact),
        coverage,
        isolation: opened.isolation,
        found,
        notes,
    })
}

fn finding_suite(
    subject: &mut RunningProgram,
    suite: &Suite,
    findings: &[ProgramFinding],
) -> Result<Suite, MiningError> {
    let mut tests: Vec<TestCase> = Vec::new();
    for (number, finding) in findings.iter().enumerate() {
        let run = subject.run(&finding.test)?;
        let name = format!("{}{}", finding.stop.kind(), number + 1);
        tests.push(test_case(suite, name, &finding.test, &run));
    }
    Ok(Suite { tests, ..suite.clone() })
}
