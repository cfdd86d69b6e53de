//! The study of mining: ways to explore programs, side by side.

mod page;

use std::path::{Path, PathBuf};
use std::time::Instant;

use provoke_base::{Control, Error};
use provoke_mine::MineTarget;
use provoke_mine::coverage::{CoverageCount, measure};
use provoke_mine::explore::{open, search};
use provoke_mine::reduce::reduce;
use provoke_mine::throughput::{Rate, throughput};
use provoke_mine::{Alphabet, InputSequence, MiningMethod, MiningPlan, StepBudget, SuiteReduction};
use provoke_results::StudyMining;
use provoke_work::{CaseRunner, Cases, case_key};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FinishedStudy;
use crate::mining_study::page::{files, page, result};
use crate::placement::Placement;
use crate::request::StudyRequest;

/// How ways to explore programs are compared.
#[derive(Serialize, Deserialize, Clone, Debug)]
#[serde(default)]
pub struct MiningOptions {
    /// The files that describe the programs.
    pub targets: Vec<PathBuf>,
    /// The methods.
    pub methods: Vec<MiningMethod>,
    /// Millions of steps of the program for each case.
    pub effort: u64,
    /// Millions of steps for the exhaustive search; 40 times the effort if nothing is said.
    pub exhaustive_effort: Option<u64>,
    /// Where random numbers start.
    pub seed: u64,
    /// Whether it is measured how many resets and steps a second each way to run a program allows.
    pub throughput: bool,
    /// Where the study is written, and who works on it.
    pub place: Placement,
}

impl Default for MiningOptions {
    fn default() -> MiningOptions {
        MiningOptions {
            targets: Vec::new(),
            methods: MiningMethod::ALL.to_vec(),
            effort: 2,
            exhaustive_effort: None,
            seed: 0,
            throughput: true,
            place: Placement::default(),
        }
    }
}

impl MiningOptions {
    /// How many million steps a search may take.
    fn millions(&self, method: MiningMethod) -> u64 {
        let many = self.exhaustive_effort.unwrap_or(self.effort.saturating_mul(40));
        if method == MiningMethod::Exhaustive { many } else { self.effort }
    }

    /// The same, for workers: they may be in another folder.
    fn anywhere(&self) -> MiningOptions {
        let absolute = |path: &PathBuf| std::path::absolute(path).unwrap_or_else(|_| path.clone());
        MiningOptions { targets: self.targets.iter().map(absolute).collect(), ..self.clone() }
    }
}

/// One line of the table.
#[derive(Serialize, Deserialize)]
struct Row {
    program: String,
    method: String,
    /// What became of the suite.
    suite: String,
    outcomes: (usize, usize),
    mcdc: Option<(usize, usize)>,
    tests: usize,
    vectors: usize,
    states: usize,
    closure: String,
    findings: usize,
    steps: u64,
    seconds: f64,
}

/// The lines of a program and a method, or why there are none.
type Explored = Result<Vec<Row>, String>;

/// What came of all cases, and of the measurement of time.
#[derive(Default)]
struct Explorations {
    rows: Vec<Row>,
    rates: Vec<Rate>,
    /// What was left out, and why.
    skipped: Vec<String>,
}

/// How long a case takes, as long as nothing was measured.
const CASE_SECONDS: f64 = 10.0;

/// Compares ways to explore programs: tables 5.1 and 5.2 of the thesis. Programs are loaded into this
/// process, which they may destroy, unless workers are asked. Nothing is written or returned if it is
/// cancelled; finished cases are kept, and the same call goes on from there.
pub fn mining(
    options: &MiningOptions,
    control: &Control,
) -> Result<Option<FinishedStudy<StudyMining>>, Error> {
    let place = &options.place;
    let Some(first) = options.targets.first() else {
        let hint = "name a folder with .toml files, such as models/c";
        return Err(Error::input("there are no target files", hint));
    };
    place.make_folder()?;
    // Programs are loaded into the process, which has room for one at a time.
    let threads = place.workers.as_ref().map_or(1, |_| place.threads());
    let request = StudyRequest::Mining(options.anywhere());
    let mut runner = place.runner(&request, threads, control)?;
    let Some(explored) = explored(options, &mut runner)? else { return Ok(None) };
    let mut found = Explorations::default();
    for explored in explored {
        match explored {
            Ok(more) => found.rows.extend(more),
            Err(reason) => found.skipped.push(reason),
        }
    }
    if options.throughput {
        found.rates = rates(options, first)?;
    }
    let page = page(options, &found);
    place.write(&files(&page, &found))?;
    Ok(Some(FinishedStudy { result: result(options, &found), page }))
}

/// Does a worker's part.
pub(crate) fn serve(options: &MiningOptions, runner: &mut CaseRunner<'_>) -> Result<(), Error> {
    explored(options, runner).map(drop)
}

/// All programs by all methods; nothing if that did not come to its end.
fn explored(
    options: &MiningOptions,
    runner: &mut CaseRunner<'_>,
) -> Result<Option<Vec<Explored>>, Error> {
    let (mut cases, mut keys) = (Vec::new(), Vec::new());
    for path in &options.targets {
        let program = MineTarget::open(path, None)?.key()?;
        for method in &options.methods {
            let case = json!([stem(path), method.word(), options.millions(*method), options.seed]);
            keys.push(case_key(&program, &case));
            cases.push((path, *method));
        }
    }
    runner.all(&Cases::new("programs", CASE_SECONDS, keys), &|at, stop| {
        let (path, method) = cases[at];
        let build = format!("build/{}-{}-{}", at + 1, stem(path), method.word());
        let folder = options.place.folder.join(build);
        let loaded = MineTarget::open(path, Some(&folder))?;
        case(options, &loaded, method, stop)
    })
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The lines of a program and a method.
fn case(
    options: &MiningOptions,
    loaded: &MineTarget,
    method: MiningMethod,
    stop: &dyn Fn() -> bool,
) -> Result<Explored, Error> {
    let suite = loaded.target.suite(&loaded.name);
    let start = Instant::now();
    let mut opened =
        open(&loaded.target, &suite, loaded.builder.as_ref(), &loaded.home, options.seed)?;
    let plan = MiningPlan {
        method,
        identity: loaded.target.identity(),
        steps: options.millions(method).saturating_mul(1_000_000),
        seed: options.seed,
        initial: None,
        random: (100, 100),
        reduction: SuiteReduction::Items,
        sanitize: false,
        coverage: true,
    };
    let mut work = StepBudget::new(plan.steps, stop);
    let (found, _) = match search(&mut opened, &plan, &mut work) {
        Ok(found) => found,
        Err(trouble) if method == MiningMethod::Exhaustive => {
            return Ok(Err(format!("{}, exhaustive: {trouble}", loaded.name)));
        }
        Err(trouble) => return Err(trouble.into()),
    };
    let seconds = start.elapsed().as_secs_f64();
    let row = |suite_word: &str, tests: &[InputSequence]| -> Result<Row, Error> {
        let coverage = match &loaded.builder {
            Some(builder) => {
                Some(measure(builder, tests, suite.outputs.len(), &loaded.target.limits)?)
            }
            None => None,
        };
        let pair = |count: CoverageCount| (count.covered, count.total);
        Ok(Row {
            program: loaded.name.clone(),
            method: method.word().to_string(),
            suite: suite_word.to_string(),
            outcomes: coverage.as_ref().map_or((0, 0), |c| pair(c.outcomes)),
            mcdc: coverage.as_ref().and_then(|c| c.mcdc.map(pair)),
            tests: tests.len(),
            vectors: tests.iter().map(Vec::len).sum(),
            states: found.states,
            closure: found.closure.word().to_string(),
            findings: found.findings.len(),
            steps: found.steps,
            seconds,
        })
    };
    let mut rows = vec![row("all", &found.tests)?];
    let reductions = match method {
        MiningMethod::Mine => vec![("seed's rule", SuiteReduction::Seed)],
        _ => vec![("reduced", SuiteReduction::Items)],
    };
    for (word, reduction) in reductions {
        let kept = reduce(&mut opened.subject, &found.tests, reduction)?;
        rows.push(row(word, &kept)?);
    }
    Ok(Ok(rows))
}

/// How fast ways to run a program are.
fn rates(options: &MiningOptions, path: &Path) -> Result<Vec<Rate>, Error> {
    let folder = options.place.folder.join("build").join("throughput");
    let loaded = MineTarget::open(path, Some(&folder))?;
    let Some(builder) = &loaded.builder else { return Ok(Vec::new()) };
    let suite = loaded.target.suite(&loaded.name);
    let alphabet = Alphabet::new(&loaded.target, &suite, &Default::default());
    let start = Instant::now();
    let clock = || start.elapsed().as_secs_f64();
    Ok(throughput(builder, &suite, &alphabet, &loaded.target.limits, 2.0, &clock)?)
}
