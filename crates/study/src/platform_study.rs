//! The study of platforms: direct, scheduled and adaptive execution behind delays.

mod density;
mod faulty;
mod page;
mod trial;

use provoke_base::{Control, Error};
use provoke_coverage::tests::{expect, suite_of_text};
use provoke_criteria::Oracle;
use provoke_exec::{Mode, ModelController};
use provoke_files::ModelText;
use provoke_model::{Suite, System};
use provoke_mutate::Mutant;
use provoke_results::StudyPlatform;
use provoke_store::{Key, KeyBuilder};
use provoke_work::{CaseRunner, Cases, case_key};
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::FinishedStudy;
use crate::placement::Placement;
use crate::platform_study::density::{changes_per_step, with_changes};
use crate::platform_study::faulty::{FaultOutcome, Faulty, faults};
use crate::platform_study::page::{Row, files, page, result};
use crate::platform_study::trial::{Delays, Tally, Trial, configurations};
use crate::request::StudyRequest;

/// How ways to execute tests behind delays are compared.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct PlatformOptions {
    /// The model of the software.
    pub model: ModelText,
    /// The tests.
    pub suite: SuiteText,
    /// How many platforms with delays of a kind are tried; the median counts. 0 leaves the table of all
    /// platforms out.
    pub runs: u32,
    /// How many inputs change in a step, on average: the suite is also tried with so many. 0 stands for no
    /// suite.
    pub changes: Vec<u32>,
    /// How many faulty systems are tried, as compiled C.
    pub mutants: u32,
    /// Where random numbers start.
    pub seed: u64,
    /// Where the study is written, and who works on it.
    pub place: Placement,
}

/// A suite as a text.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct SuiteText {
    /// What it is called, such as the name of its file.
    pub name: String,
    /// The tests as JSON, as `provoke_coverage::tests::suite_text` writes them.
    pub text: String,
}

impl PlatformOptions {
    /// A study of the usual extent.
    pub fn new(model: ModelText, suite: SuiteText, place: Placement) -> PlatformOptions {
        let changes = vec![4, 8, 18];
        PlatformOptions { model, suite, runs: 5, changes, mutants: 50, seed: 0, place }
    }
}

/// A suite behind delays, in a mode; the platform has a number.
type Placed<'s> = (&'s Tests, Delays, Mode, u64);

/// How long cases take, as long as nothing was measured.
const TRIAL_SECONDS: f64 = 1.0;

/// Compares direct, scheduled and adaptive execution behind 21 kinds of delays: table 6.6 of the thesis.
/// Tables are written one by one. Nothing is returned if it is cancelled before the last one; finished
/// cases are kept, and the same call goes on from there.
pub fn platform(
    options: &PlatformOptions,
    control: &Control,
) -> Result<Option<FinishedStudy<StudyPlatform>>, Error> {
    let study = PreparedStudy::new(options)?;
    let place = &options.place;
    place.make_folder()?;
    let request = StudyRequest::Platform(options.clone());
    let mut runner = place.runner(&request, place.threads(), control)?;
    let write = |rows: &[Row]| place.write(&files(&study, rows));
    let Some(rows) = study.rows(&mut runner, &write)? else { return Ok(None) };
    Ok(Some(FinishedStudy { result: result(&study, &rows), page: page(&study, &rows) }))
}

/// Does a worker's part.
pub(crate) fn serve(options: &PlatformOptions, runner: &mut CaseRunner<'_>) -> Result<(), Error> {
    PreparedStudy::new(options)?.rows(runner, &|_| Ok(())).map(drop)
}

/// The study with all suites and faults that are tried.
struct PreparedStudy<'a> {
    options: &'a PlatformOptions,
    system: System,
    /// The suite as it is, and with fewer and more changing inputs.
    suites: Vec<Tests>,
    /// The faults that are tried.
    faults: Vec<Mutant>,
}

/// A suite, and its name with all that is the same in the whole study.
struct Tests {
    suite: Suite,
    key: Key,
}

impl<'a> PreparedStudy<'a> {
    fn new(options: &'a PlatformOptions) -> Result<PreparedStudy<'a>, Error> {
        let model = options.model.read(&[])?;
        let (file, system) = (model.file, model.system);
        let mut suite = suite_of_text(&options.suite.name, &options.suite.text, &system)?;
        expect(&mut suite, &system, &Oracle::Outputs)?;
        let wanted = options.changes.iter().filter(|wanted| **wanted > 0);
        let dense = wanted.map(|wanted| with_changes(&suite, &system, *wanted, options.seed));
        let tests = |suite: Suite| {
            let tests: Vec<String> = suite.tests.iter().map(|test| format!("{test:?}")).collect();
            let key = KeyBuilder::new("provoke/study-platform/1")
                .part("model", &file.text)
                .part("main", &system.name)
                .json("tests", &json!(tests))
                .json("seed", &json!(options.seed))
                .finish();
            Tests { suite, key }
        };
        let suites = std::iter::once(suite.clone()).chain(dense).map(tests).collect();
        let faults = faults(&system, &file, options.mutants as usize, options.seed);
        Ok(PreparedStudy { options, system, suites, faults })
    }

    /// The suite as it is.
    fn suite(&self) -> &Suite {
        &self.suites[0].suite
    }

    /// All tables, which are told one by one; nothing if they did not come to their end.
    fn rows(
        &self,
        runner: &mut CaseRunner<'_>,
        tell: &dyn Fn(&[Row]) -> Result<(), Error>,
    ) -> Result<Option<Vec<Row>>, Error> {
        let mut rows = Vec::new();
        for table in
            [PreparedStudy::published_table, PreparedStudy::densities, PreparedStudy::faults]
        {
            let Some(more) = table(self, runner)? else { return Ok(None) };
            if !more.is_empty() {
                rows.extend(more);
                tell(&rows)?;
            }
        }
        Ok(Some(rows))
    }

    /// The thesis's table: the suite as it is, in all modes, the median of several platforms.
    fn published_table(&self, runner: &mut CaseRunner<'_>) -> Result<Option<Vec<Row>>, Error> {
        let runs = self.options.runs as usize;
        let mut work = Vec::new();
        for delays in configurations() {
            for mode in Mode::ALL {
                work.extend((0..runs as u64).map(|number| (&self.suites[0], delays, mode, number)));
            }
        }
        let Some(tallies) = self.tallies(runner, "platforms", &work)? else {
            return Ok(None);
        };
        let changes = changes_per_step(self.suite());
        // All platforms of a kind are beside each other; without runs there are none.
        let rows = work.chunks(runs.max(1)).zip(tallies.chunks(runs.max(1)));
        let row = |(work, tallies): (&[Placed<'_>], &[Tally])| {
            let (_, delays, mode, _) = work[0];
            Row::of_a_right_system("modes", changes, (delays, mode), median(tallies.to_vec()))
        };
        Ok(Some(rows.map(row).collect()))
    }

    /// The adaptive mode where delays vary much, for suites in which more or less changes.
    fn densities(&self, runner: &mut CaseRunner<'_>) -> Result<Option<Vec<Row>>, Error> {
        let mut work = Vec::new();
        for tests in &self.suites[1..] {
            for max_mean_ms in [250, 500, 1000, 2000] {
                for sd_ms in [100, 200] {
                    work.push((tests, Delays { max_mean_ms, sd_ms }, Mode::Scheduled, 0));
                    work.push((tests, Delays { max_mean_ms, sd_ms }, Mode::Adaptive, 0));
                }
            }
        }
        let Some(tallies) = self.tallies(runner, "densities", &work)? else {
            return Ok(None);
        };
        let row = |((tests, delays, mode, _), tally): (&Placed<'_>, Tally)| {
            let changes = changes_per_step(&tests.suite);
            Row::of_a_right_system("changes", changes, (*delays, *mode), tally)
        };
        Ok(Some(work.iter().zip(tallies).map(row).collect()))
    }

    /// What comes of suites on a right system behind platforms.
    fn tallies(
        &self,
        runner: &mut CaseRunner<'_>,
        name: &str,
        work: &[Placed<'_>],
    ) -> Result<Option<Vec<Tally>>, Error> {
        let keys = work.iter().map(key).collect();
        runner.all(&Cases::new(name, TRIAL_SECONDS, keys), &|at, _| {
            let (tests, delays, mode, number) = work[at];
            let trial = self.trial(&tests.suite, delays, number)?;
            Ok(Tally::new(&trial.run(mode, ModelController::new(&self.system))))
        })
    }

    /// Whether faults are still found.
    fn faults<'s>(&'s self, runner: &mut CaseRunner<'_>) -> Result<Option<Vec<Row>>, Error> {
        let delays = |sd_ms| Delays { max_mean_ms: 500, sd_ms };
        let mut places: Vec<Placed<'s>> = [Mode::Scheduled, Mode::Adaptive]
            .map(|mode| (&self.suites[0], delays(50), mode, 0))
            .into();
        for tests in &self.suites[1..] {
            places.extend([100, 200].map(|sd_ms| (tests, delays(sd_ms), Mode::Adaptive, 0)));
        }
        let mut work = Vec::new();
        for (at, placed) in places.iter().enumerate() {
            work.extend(self.faults.iter().map(|mutant| (at, placed, mutant)));
        }
        let faulty = |(_, placed, mutant): &(usize, &Placed<'_>, &Mutant)| {
            case_key(&key(placed), &json!(mutant.id))
        };
        let keys = work.iter().map(faulty).collect();
        // What a right system does is predicted once for all faults of a place.
        let trial =
            |(tests, delays, _, number): &Placed<'s>| self.trial(&tests.suite, *delays, *number);
        let trials = places.iter().map(trial).collect::<Result<Vec<_>, _>>()?;
        let found = runner.all(&Cases::new("faults", TRIAL_SECONDS, keys), &|at, _| {
            let (place, (Tests { suite, .. }, _, mode, _), mutant) = work[at];
            let Some(faulty) = Faulty::new(mutant, &self.system, suite) else {
                return Ok::<_, Error>(None);
            };
            let folder = self.options.place.folder.join(format!("faults/{}-{at}", place + 1));
            let software = faulty.compiled(&self.system, suite, &folder)?;
            Ok(Some(faulty.found(&trials[place].run(*mode, software))))
        })?;
        let Some(found) = found else { return Ok(None) };
        let found = found.chunks(self.faults.len().max(1));
        Ok(Some(places.iter().zip(found).map(|(placed, found)| sum(placed, found)).collect()))
    }

    fn trial<'s>(
        &'s self,
        suite: &'s Suite,
        delays: Delays,
        number: u64,
    ) -> Result<Trial<'s>, Error> {
        let seed = self.options.seed.wrapping_add(number.wrapping_mul(1000)) + 1;
        Ok(Trial::new(&self.system, suite, delays, seed)?)
    }
}

/// The name of what comes of a suite behind a platform.
fn key((tests, delays, mode, number): &Placed<'_>) -> Key {
    let Delays { max_mean_ms, sd_ms } = delays;
    case_key(&tests.key, &json!([max_mean_ms, sd_ms, mode.word(), number]))
}

/// The tally with the median of what passed.
fn median(mut tallies: Vec<Tally>) -> Tally {
    tallies.sort_by_key(|tally| tally.pass);
    tallies.get(tallies.len() / 2).copied().unwrap_or_default()
}

/// What came of all faults in one place.
fn sum((tests, delays, mode, _): &Placed<'_>, all: &[Option<FaultOutcome>]) -> Row {
    let mut tally = Tally::default();
    let (mut failing, mut missed) = (0, Vec::new());
    for found in all.iter().flatten() {
        tally.pass += found.tally.pass;
        tally.fail += found.tally.fail;
        tally.inconclusive += found.tally.inconclusive;
        failing += found.failing;
        missed.extend(found.missed.iter().cloned());
    }
    let (changes, faults) = (changes_per_step(&tests.suite), Some((failing, missed.len())));
    Row { table: "faults", changes, delays: *delays, mode: *mode, tally, faults, missed }
}
