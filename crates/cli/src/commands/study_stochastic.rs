//! `provoke study stochastic`: how well stochastic oracles judge, and what it costs.

use std::fmt::Write;
use std::time::Instant;

use provoke_base::SourceFile;
use provoke_oracle::equivalence::Known;
use provoke_oracle::judge::Rule;
use provoke_oracle::score::Oracle;
use provoke_oracle::{TimedSuite, json as timed_json};
use provoke_results::{NamedTable, Schema, StudyStochastic, StudyWord, to_json};
use provoke_store::{Key, KeyBuilder};
use provoke_timed::Network;
use provoke_work::{CaseRunner, Cases, Served, WorkerLoop, case_key, study_identity};
use serde_json::json;

use crate::args::StochasticArgs;
use crate::console;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::stochastic_study::accuracy::{PARTS, Scenario, scenarios};
use crate::stochastic_study::faults::{
    Benches, Extent, Judged, Subject, Timing, Tools, Trial, Tried, completer, generated,
};
use crate::stochastic_study::plot::{Plot, Spread};
use crate::stochastic_study::power::{Done, Way};
use crate::stochastic_study::section::{Section, Table};
use crate::table::{aligned, csv};
use crate::workers;

/// The networks that are studied if no others are named.
const NETWORKS: [(&str, &str); 2] = [
    ("hands_off", include_str!("../../../../models/timed/hands_off.xml")),
    ("seat", include_str!("../../../../models/timed/seat.xml")),
];

/// The rule of STUIOS with its numbers, against intervals of the width UPPAAL gives.
const OVERLAP: Way = Way { name: "overlap", rule: Rule::OVERLAP, alpha: 0.05, half: 0.05 };
/// The same, but surer, for many tests at a time.
const SURER: Way = Way { name: "overlap 99.9 %", rule: Rule::OVERLAP, alpha: 0.001, half: 0.05 };
/// The same against probabilities that are known exactly.
const POINT: Way = Way { name: "overlap, exact p", rule: Rule::OVERLAP, alpha: 0.05, half: 0.0 };
/// Sequential tests with as few false alarms as overlap has at p = 0.5.
const SEQUENTIAL: Way = Way {
    name: "sequential",
    rule: Rule::Sequential { difference: 0.2, beta: 0.01, most: 400 },
    alpha: 0.002,
    half: 0.0,
};
/// Sequential tests for many tests at a time.
const CAREFUL: Way = Way {
    name: "sequential, careful",
    rule: Rule::Sequential { difference: 0.2, beta: 0.01, most: 400 },
    alpha: 1e-5,
    half: 0.0,
};

/// The rules whose power is shown, and those whose cost is.
const POWER: [Way; 4] = [OVERLAP, POINT, SEQUENTIAL, CAREFUL];
const COST: [Way; 5] = [OVERLAP, SURER, POINT, SEQUENTIAL, CAREFUL];
/// Probabilities of outputs of valid systems.
const CERTAINTIES: [f64; 3] = [0.5, 0.9, 1.0];

/// How long cases take, as long as nothing was measured.
const TEST_SECONDS: f64 = 1.0;
const TRIAL_SECONDS: f64 = 0.5;
const RULE_SECONDS: f64 = 0.1;

/// Those who judge networks: one run each, and the rules.
fn judges() -> impl Iterator<Item = (&'static str, Judged)> {
    let rule = |way: Way| {
        let oracle = Oracle::Stochastic(way.rule, way.alpha);
        (way.name, Judged { oracle, half: way.half })
    };
    let simple = ("simple", Judged { oracle: Oracle::Simple, half: 0.05 });
    std::iter::once(simple).chain([OVERLAP, SURER, SEQUENTIAL, CAREFUL].map(rule))
}

/// Ranges of width 1 that are longer or shorter by d: the word, d, and the probability of what a
/// valid system shows in the middle of its range.
fn faults_of_size() -> impl Iterator<Item = (&'static str, f64, f64)> {
    let parts = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.375, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0];
    let both = |d: f64| [("longer", d, 0.5 / (1.0 + d)), ("shorter", d, 0.5 / (1.0 - d))];
    parts.into_iter().flat_map(both).filter(|(_, _, q)| (0.0..=1.0).contains(q))
}

pub(crate) fn run(args: &StochasticArgs, output: &Output) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let networks = networks(args, output)?;
    let control = console::control(output);
    let folder = args.place.store.as_ref().unwrap_or(&args.output);
    let (identity, jobs) = (study_identity("stochastic"), args.place.jobs());
    let runner = workers::runner(&identity, Some(folder), args.place.executor(), jobs, &control)?;
    let mut study = Studied::new(args, runner);
    match study.all(&networks, output)? {
        true => study.finish(start, output),
        false => {
            output.warning("interrupted; the same command goes on");
            Ok(Outcome::Interrupted)
        }
    }
}

/// Does a worker's part.
pub(crate) fn serve(
    args: &StochasticArgs,
    worker: &mut WorkerLoop,
    output: &Output,
) -> Result<Served, Failure> {
    let networks = networks(args, output)?;
    let runner = CaseRunner::of_worker(&study_identity("stochastic"), worker)?;
    let mut study = Studied::new(args, runner);
    study.all(&networks, output)?;
    Ok(study.runner.served()?)
}

fn wrong(message: String) -> Failure {
    Failure::input(message, "study another model")
}

/// A network that is studied.
struct Named {
    name: String,
    text: String,
    network: Network,
}

fn networks(args: &StochasticArgs, output: &Output) -> Result<Vec<Named>, Failure> {
    if args.models.is_empty() {
        let load = |(name, text): &(&str, &str)| {
            let loaded = provoke_timed::load(&SourceFile::new(*name, *text));
            let network = loaded.network.expect("the built-in networks are sound");
            Named { name: name.to_string(), text: text.to_string(), network }
        };
        return Ok(NETWORKS.iter().map(load).collect());
    }
    let mut found = Vec::new();
    for path in &args.models {
        let (file, network) = crate::commands::timed::network(path, &[], output)?;
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        found.push(Named { name, text: file.text.clone(), network });
    }
    Ok(found)
}

struct Studied<'a> {
    args: &'a StochasticArgs,
    runner: CaseRunner<'a>,
    section: Section,
    /// Other files, with their names.
    files: Vec<(&'static str, String)>,
}

impl<'a> Studied<'a> {
    fn new(args: &'a StochasticArgs, runner: CaseRunner<'a>) -> Studied<'a> {
        Studied { args, runner, section: Section::default(), files: Vec::new() }
    }

    /// All of it; tells whether it came to its end.
    fn all(&mut self, networks: &[Named], output: &Output) -> Result<bool, Failure> {
        output.note("tests, sequences and probabilities\n");
        let Some(subjects) = self.subjects(networks)? else { return Ok(false) };
        output.note("faults\n");
        if !self.trials(networks, &subjects)? {
            return Ok(false);
        }
        output.note("power and cost of the rules\n");
        if !self.rules()? {
            return Ok(false);
        }
        output.note("accuracy over 420 scenarios\n");
        self.accuracy()
    }

    fn quick<T>(&self, quick: T, full: T) -> T {
        if self.args.quick { quick } else { full }
    }

    fn extent(&self) -> Extent {
        Extent {
            runs: self.quick(300, 4000),
            every: self.quick(13, 1),
            by: 0.5,
            seed: self.args.seed,
        }
    }

    /// The name of all that is done with a network, or with none.
    fn key(&self, name: &str, text: &str) -> Key {
        let StochasticArgs { quick, seed, earlier, later, .. } = self.args;
        let settings = json!({"quick": quick, "seed": seed, "earlier": earlier, "later": later});
        KeyBuilder::new("provoke/study-stochastic/2")
            .part("name", name)
            .part("model", text)
            .json("settings", &settings)
            .finish()
    }

    fn add(&mut self, name: &str, title: &str, head: &[&str], rows: Vec<Vec<String>>) {
        let mut all = vec![head.iter().map(ToString::to_string).collect()];
        all.extend(rows);
        self.section.add(Table { name: name.into(), title: title.into(), rows: all });
    }

    /// The networks with complete suites.
    fn subjects(&mut self, networks: &[Named]) -> Result<Option<Vec<Subject>>, Failure> {
        let extent = self.extent();
        let (mut suites, mut completers) = (Vec::new(), Vec::new());
        let (mut tests, mut keys) = (Vec::new(), Vec::new());
        for (at, named) in networks.iter().enumerate() {
            let suite = generated(&named.network, extent.seed).map_err(wrong)?;
            completers.push(completer(&named.network, &suite, extent).map_err(wrong)?);
            let base = self.key(&named.name, &named.text);
            for (number, test) in suite.tests.iter().enumerate() {
                keys.push(case_key(&base, &json!(["test", number, test.name])));
                tests.push((at, number));
            }
            suites.push(suite);
        }
        let cases = Cases::new("tests", TEST_SECONDS, keys);
        let completed = self.runner.all(&cases, &|at, _| {
            let (network, test) = tests[at];
            let suite: &TimedSuite = &suites[network];
            let done = completers[network].complete(&suite.tests[test]).map_err(wrong)?;
            Ok::<_, Failure>(timed_json::print(&TimedSuite { tests: vec![done], ..suite.clone() }))
        })?;
        let Some(completed) = completed else { return Ok(None) };
        suites.iter_mut().for_each(|suite| suite.tests.clear());
        for ((network, _), text) in tests.iter().zip(completed) {
            let alone = timed_json::parse(&text).map_err(|error| wrong(error.message))?;
            suites[*network].tests.extend(alone.tests);
        }
        let subject = |(named, suite): (&Named, TimedSuite)| {
            Subject::new(&named.name, named.network.clone(), suite, extent)
        };
        Ok(Some(networks.iter().zip(suites).map(subject).collect()))
    }

    /// RQ1 to RQ3 on all networks; tells whether all was done.
    fn trials(&mut self, networks: &[Named], subjects: &[Subject]) -> Result<bool, Failure> {
        let seeds = self.quick(2, 20);
        let (mut trials, mut keys) = (Vec::new(), Vec::new());
        for (at, (named, subject)) in networks.iter().zip(subjects).enumerate() {
            let base = self.key(&named.name, &named.text);
            for (name, judged) in judges() {
                let Judged { oracle, half } = judged;
                for trial in subject.trials(oracle, seeds) {
                    let case = json!([name, format!("{oracle:?}"), half, format!("{trial:?}")]);
                    keys.push(case_key(&base, &case));
                    trials.push((at, judged, trial));
                }
            }
        }
        let tools: Result<Vec<Tools<'_>>, String> = subjects.iter().map(Tools::new).collect();
        let tools = tools.map_err(wrong)?;
        let benches: Vec<Benches<'_>> = tools.iter().map(Benches::new).collect();
        let parts = (self.args.earlier, self.args.later);
        let cases = Cases::new("trials", TRIAL_SECONDS, keys);
        let tried = self.runner.all(&cases, &|at, _| {
            let (network, judged, trial) = trials[at];
            benches[network].tried(judged, trial, parts).map_err(wrong)
        })?;
        let Some(tried) = tried else { return Ok(false) };
        let mut tried = trials.iter().map(|(_, _, trial)| *trial).zip(tried);
        for subject in subjects {
            self.describe(subject);
            for (name, judged) in judges() {
                let count = subject.trials(judged.oracle, seeds).len();
                self.compare(subject, name, tried.by_ref().take(count), seeds);
            }
        }
        Ok(true)
    }

    fn describe(&mut self, subject: &Subject) {
        let tests = &subject.suite.tests;
        let certain = |p: f64| (1.0 - p).abs() < 1e-9;
        let point = |t: &provoke_oracle::TimedTest| t.probability.map_or(0.0, |p| p.point());
        let kinds = |word: &str| {
            let uios = tests.iter().flat_map(|test| &test.uios);
            uios.filter(|uio| uio.kind.word() == word).count()
        };
        let row = vec![
            subject.name.clone(),
            subject.network.processes.len().to_string(),
            tests.len().to_string(),
            tests.iter().filter(|test| !certain(point(test))).count().to_string(),
            kinds("single").to_string(),
            kinds("composed").to_string(),
            kinds("separating").to_string(),
            tests.iter().filter(|test| test.uios.is_empty()).count().to_string(),
        ];
        let head = [
            "network",
            "automata",
            "tests",
            "p < 1",
            "single UIO",
            "composed",
            "separating",
            "none",
        ];
        self.add("suites", "The suites: every edge, time ranges in three places", &head, vec![row]);
    }

    /// RQ1: tests in the middle of each range, on the valid system and two faulty ones.
    fn timing(&mut self, subject: &Subject, name: &str, found: Timing) {
        let (earlier, later) = (self.args.earlier, self.args.later);
        let part = |hits: usize, all: usize| match all {
            0 => "-".to_string(),
            _ => format!("{:.3}", hits as f64 / all as f64),
        };
        let row = vec![
            subject.name.clone(),
            name.to_string(),
            found.errors.to_string(),
            found.detected.to_string(),
            found.missed.to_string(),
            found.false_alarms.to_string(),
            part(found.detected, found.detected + found.false_alarms),
            part(found.detected, found.detected + found.missed),
        ];
        let head =
            ["network", "rule", "errors", "found", "missed", "false alarms", "precision", "recall"];
        let title = format!(
            "RQ1: faults of timing, the range {:.1} % shorter and {:.0} % longer at its end (with \
             polls: one less and one more), tests at p = 0.5",
            100.0 * earlier,
            100.0 * later
        );
        self.add("rq1", &title, &head, vec![row]);
    }

    /// RQ2: which mutants are found, and what is found in the valid system.
    fn compare(
        &mut self,
        subject: &Subject,
        name: &str,
        tried: impl Iterator<Item = (Trial, Tried)>,
        seeds: u64,
    ) {
        let faults = subject.faults();
        let (mut all, mut killed, mut equivalent, mut runs, mut tests) = (0, 0, 0, 0, 0);
        let (mut left, mut valid) = (Vec::new(), Vec::new());
        for (trial, tried) in tried {
            let (index, tally) = match (trial, tried) {
                (_, Tried::Timing(found)) => {
                    self.timing(subject, name, found);
                    continue;
                }
                (Trial::Faulty(index), Tried::Suite(tally)) => (index, tally),
                (_, Tried::Suite(tally)) => {
                    valid.push(tally);
                    continue;
                }
            };
            all += 1;
            runs += tally.runs;
            tests += tally.verdicts as u64;
            let proven = matches!(faults.known[index], Known::Equivalent(_));
            equivalent += usize::from(proven);
            killed += usize::from(tally.failed.is_some() && !proven);
            if tally.failed.is_none() && !proven {
                left.push(faults.mutants[index].text.clone());
            }
            if tally.failed.is_some() && proven {
                let text = &faults.mutants[index].text;
                self.section
                    .notes
                    .push(format!("{name}: a false alarm on an equivalent mutant: {text}"));
            }
        }
        let false_alarms: usize = valid.iter().map(|tally| tally.failures).sum();
        let verdicts: usize = valid.iter().map(|tally| tally.verdicts).sum();
        let valid_runs: u64 = valid.iter().map(|tally| tally.runs).sum();
        let percent =
            |part: usize, of: usize| format!("{:.2}", 100.0 * part as f64 / of.max(1) as f64);
        let row = vec![
            subject.name.clone(),
            name.to_string(),
            all.to_string(),
            equivalent.to_string(),
            killed.to_string(),
            percent(killed, all),
            percent(killed, all - equivalent),
            format!("{false_alarms} of {verdicts}"),
            format!("{:.1}", valid_runs as f64 / verdicts.max(1) as f64),
            format!("{:.1}", runs as f64 / tests.max(1) as f64),
        ];
        let head = [
            "network",
            "oracle",
            "mutants",
            "proven equivalent",
            "found",
            "% of all",
            "% of the others",
            "false alarms",
            "runs per test",
            "runs per test, faulty",
        ];
        let title = format!(
            "RQ2 and RQ3: restrict, widen, worker (by half of the range), change of target; {seeds} \
             seeds on the valid system"
        );
        self.add("rq2", &title, &head, vec![row]);
        for text in left {
            let row = vec![subject.name.clone(), name.to_string(), text];
            self.add(
                "missed",
                "Mutants that are not found",
                &["network", "oracle", "mutant"],
                vec![row],
            );
        }
    }

    /// Power and cost of the rules; tells whether all was done.
    fn rules(&mut self) -> Result<bool, Failure> {
        let (seed, repeats) = (self.args.seed, [self.quick(200, 4000), self.quick(100, 2000)]);
        let mut asked = Vec::new();
        for way in POWER {
            asked.push((way, 0.5, 0.5, repeats[0]));
            asked.extend(faults_of_size().map(|(_, _, q)| (way, 0.5, q, repeats[0])));
        }
        for way in COST {
            asked.extend(CERTAINTIES.map(|p| (way, p, p, repeats[1])));
        }
        let base = self.key("", "");
        let key = |(way, p, q, repeats): &(Way, f64, f64, u32)| {
            let Way { name, rule, alpha, half } = way;
            let case = json!([name, format!("{rule:?}"), alpha, half, p, q, repeats]);
            case_key(&base, &case)
        };
        let cases = Cases::new("rules", RULE_SECONDS, asked.iter().map(key).collect());
        let done = self.runner.all(&cases, &|at, _| {
            let (way, p, q, repeats) = asked[at];
            way.on(p, q, repeats, seed).map_err(wrong)
        })?;
        let Some(done) = done else { return Ok(false) };
        let mut done = done.into_iter();
        self.power(repeats[0], &mut done);
        self.cost(&mut done);
        Ok(true)
    }

    /// The power of the rules over the size of the fault.
    fn power(&mut self, repeats: u32, done: &mut impl Iterator<Item = Done>) {
        let mut rows = Vec::new();
        let mut plot = Plot::new(
            "Faults found, tests at p = 0.5, range d longer",
            ("d as part of the range", 0.0, 3.0),
            ("part found", 0.0, 1.0),
        );
        for way in POWER {
            let mut points = Vec::new();
            let mut next = || done.next().expect("one for each that was asked for");
            let alarms = next();
            for (word, part, q) in faults_of_size() {
                let done = next();
                if word == "longer" {
                    points.push((part, done.failed));
                }
                rows.push(vec![
                    way.name.to_string(),
                    word.to_string(),
                    format!("{part}"),
                    format!("{q:.3}"),
                    format!("{:.4}", done.failed),
                    format!("{:.1}", done.runs),
                    format!("{:.4}", alarms.failed),
                ]);
            }
            plot.line(way.name, &points);
        }
        let head = ["rule", "range", "d", "p of the system", "found", "runs", "false alarms"];
        let title = format!("Power over the size of the fault, {repeats} verdicts each");
        self.add("power", &title, &head, rows);
        self.files.push(("power.svg", plot.svg()));
    }

    /// Runs that verdicts need.
    fn cost(&mut self, done: &mut impl Iterator<Item = Done>) {
        let asked = COST.into_iter().flat_map(|way| CERTAINTIES.map(|p| (way.name, p)));
        let row = |((name, p), done): ((&str, f64), Done)| {
            let (runs, failed) = (format!("{:.1}", done.runs), format!("{:.4}", done.failed));
            vec![name.to_string(), format!("{p}"), runs, failed]
        };
        let rows = asked.zip(done).map(row).collect();
        let head = ["rule", "p", "runs", "false alarms"];
        self.add("rq3", "RQ3: runs that a verdict on a valid system needs", &head, rows);
    }

    /// RQ4: accuracy over scenarios and the most runs; tells whether all was done.
    fn accuracy(&mut self) -> Result<bool, Failure> {
        let (repeats, seed) = (self.quick(10, 100), self.args.seed);
        let base = self.key("", "");
        let key = |e: u64| case_key(&base, &json!(["scenarios", e, repeats]));
        let cases = Cases::new("scenarios", RULE_SECONDS, (1..=PARTS).map(key).collect());
        let all = self
            .runner
            .all(&cases, &|at, _| scenarios(at as u64 + 1, repeats, seed).map_err(wrong))?;
        let Some(all) = all else { return Ok(false) };
        let all: Vec<Scenario> = all.into_iter().flatten().collect();
        let mut boxes =
            Plot::new("Accuracy over the most runs", ("maxE", 0.0, 410.0), ("accuracy", 0.0, 1.0));
        let mut cost =
            Plot::new("Runs over the most runs", ("maxE", 0.0, 410.0), ("runs", 0.0, 400.0));
        let mut rows = Vec::new();
        for most in (1..=40).map(|tens| 10 * tens) {
            let here: Vec<&Scenario> = all.iter().filter(|s| s.most == most).collect();
            let right: Vec<f64> = here.iter().map(|scenario| scenario.accuracy).collect();
            let runs: Vec<f64> = here.iter().map(|scenario| scenario.runs).collect();
            let (right, runs) = (Spread::of(&right), Spread::of(&runs));
            boxes.spread(most as f64, 9.0, &right);
            cost.spread(most as f64, 9.0, &runs);
            rows.push(vec![
                most.to_string(),
                format!("{:.3}", right.quarter),
                format!("{:.3}", right.median),
                format!("{:.3}", right.mean),
                format!("{:.1}", runs.median),
                format!("{:.1}", runs.mean),
            ]);
        }
        let head = ["maxE", "accuracy, first quartile", "median", "mean", "runs, median", "mean"];
        let title = format!("RQ4: 420 scenarios, {repeats} repeats each");
        self.add("rq4", &title, &head, rows);
        self.files.push(("accuracy.svg", boxes.svg()));
        self.files.push(("runs.svg", cost.svg()));
        self.discrepancies(&all);
        let mut csv = "expected,observed,maxE,accuracy,runs\n".to_string();
        for s in &all {
            let Scenario { expected, observed, most, accuracy, runs } = s;
            let _ = writeln!(csv, "{expected},{observed},{most},{accuracy},{runs}");
        }
        self.files.push(("scenarios.csv", csv));
        Ok(true)
    }

    /// Accuracy by how far expected and observed frequencies are apart.
    fn discrepancies(&mut self, all: &[Scenario]) {
        let mut plot = Plot::new(
            "Accuracy over the discrepancy",
            ("discrepancy", 0.0, 0.5),
            ("accuracy", 0.0, 1.0),
        );
        let mut rows = Vec::new();
        for most in [30, 50, 100, 200, 300, 400] {
            let mut points = Vec::new();
            for step in 0..=10 {
                let apart = f64::from(step) / 20.0;
                let fits = |s: &&Scenario| {
                    s.most == most && ((s.expected - s.observed).abs() - apart).abs() < 1e-9
                };
                let here: Vec<f64> = all.iter().filter(fits).map(|s| s.accuracy).collect();
                let mean = here.iter().sum::<f64>() / here.len().max(1) as f64;
                if step > 0 {
                    points.push((apart, mean));
                }
                rows.push(vec![most.to_string(), format!("{apart}"), format!("{mean:.3}")]);
            }
            plot.line(&format!("maxE {most}"), &points);
        }
        let head = ["maxE", "discrepancy", "accuracy"];
        self.add("discrepancy", "RQ4: accuracy over the discrepancy", &head, rows);
        self.files.push(("discrepancy.svg", plot.svg()));
    }

    fn finish(&self, start: Instant, output: &Output) -> Result<Outcome, Failure> {
        let folder = &self.args.output;
        files::make_folder(folder)?;
        for (name, text) in &self.files {
            files::write(output, &folder.join(name), text.as_bytes())?;
        }
        let mut page = "# Stochastic oracles\n".to_string();
        for table in &self.section.tables {
            files::write(
                output,
                &folder.join(format!("{}.csv", table.name)),
                csv(&table.rows).as_bytes(),
            )?;
            let _ = write!(page, "\n## {}\n\n{}", table.title, markdown(&table.rows));
        }
        if !self.section.notes.is_empty() {
            let _ = write!(page, "\n## Notes\n\n{}\n", self.section.notes.join("\n"));
        }
        let pictures = ["power", "accuracy", "runs", "discrepancy"];
        for picture in pictures {
            let _ = write!(page, "\n![{picture}]({picture}.svg)\n");
        }
        files::write(output, &folder.join("stochastic.md"), page.as_bytes())?;
        if output.is_json() {
            let table = |table: &Table| NamedTable {
                name: table.name.clone(),
                title: table.title.clone(),
                columns: table.rows[0].clone(),
                rows: table.rows[1..].to_vec(),
            };
            output.result(&to_json(&StudyStochastic {
                schema: Schema::default(),
                study: StudyWord::Stochastic,
                seed: self.args.seed,
                quick: self.args.quick,
                folder: folder.display().to_string(),
                resumed: self.runner.resumed(),
                seconds: start.elapsed().as_secs_f64(),
                tables: self.section.tables.iter().map(table).collect(),
            }));
        } else {
            for table in
                self.section.tables.iter().filter(|table| SHOWN.contains(&table.name.as_str()))
            {
                output.result(&format!("{}\n{}\n", table.title, aligned(&table.rows)));
            }
            let seconds = start.elapsed().as_secs_f64();
            output.note(&format!("written to {}, {seconds:.0} s\n", folder.display()));
        }
        Ok(Outcome::Well)
    }
}

/// The tables that are shown when the study ends.
const SHOWN: [&str; 4] = ["suites", "rq1", "rq2", "rq3"];

fn markdown(rows: &[Vec<String>]) -> String {
    let line = |row: &Vec<String>| format!("| {} |\n", row.join(" | "));
    let mut text = String::new();
    for (index, row) in rows.iter().enumerate() {
        text += &line(row);
        if index == 0 {
            text += &format!("|{}\n", "---|".repeat(row.len()));
        }
    }
    text
}
