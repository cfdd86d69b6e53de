//! `provoke study stochastic`: how well stochastic oracles judge, and what it costs.

use std::fmt::Write;
use std::time::Instant;

use provoke_base::SourceFile;
use provoke_oracle::equivalence::Known;
use provoke_oracle::json;
use provoke_oracle::judge::Rule;
use provoke_oracle::score::Oracle;
use provoke_results::to_json;
use provoke_timed::Network;

use crate::args::StochasticArgs;
use crate::files;
use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::stochastic_study::accuracy::{Scenario, scenarios};
use crate::stochastic_study::faults::{Extent, Subject, completed};
use crate::stochastic_study::memory::{Memory, Section, Table};
use crate::stochastic_study::plot::{Plot, Spread};
use crate::stochastic_study::power::Way;
use crate::table::aligned;

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

pub(crate) fn run(args: &StochasticArgs, output: &Output) -> Result<Outcome, Failure> {
    let start = Instant::now();
    let networks = networks(args, output)?;
    let settings = serde_json::json!({
        "quick": args.quick, "seed": args.seed, "earlier": args.earlier, "later": args.later,
    });
    let memory = Memory::open(&args.output, settings, output)?;
    let wrong = |message: String| Failure::input(message, "study another model");
    let mut study = Studied { args, memory, section: Section::default() };
    for network in &networks {
        study.network(network, output).map_err(wrong)?;
    }
    output.note("power and cost of the rules\n");
    study.power(output).map_err(wrong)?;
    study.cost().map_err(wrong)?;
    output.note("accuracy over 420 scenarios\n");
    study.accuracy(output).map_err(wrong)?;
    study.finish(start, output)
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
    memory: Memory,
    section: Section,
}

impl Studied<'_> {
    fn quick<T>(&self, quick: T, full: T) -> T {
        if self.args.quick { quick } else { full }
    }

    fn extent(&self) -> Extent {
        Extent {
            runs: self.quick(300, 4000),
            every: self.quick(13, 1),
            by: 0.5,
            seed: self.args.seed,
            jobs: self.args.jobs.map_or_else(cores, |jobs| jobs as usize),
        }
    }

    fn add(&mut self, name: &str, title: &str, head: &[&str], rows: Vec<Vec<String>>) {
        let mut all = vec![head.iter().map(ToString::to_string).collect()];
        all.extend(rows);
        self.section.add(Table { name: name.into(), title: title.into(), rows: all });
    }

    /// Does a part of the study, or takes what an earlier run came to.
    fn part(
        &mut self,
        network: &Named,
        name: &str,
        work: impl FnOnce(&mut Self) -> Result<(), String>,
    ) -> Result<(), String> {
        let key = self.memory.key(&network.name, &network.text, name);
        if let Some(done) = self.memory.recall(&key) {
            self.section.join(done);
            return Ok(());
        }
        let before = std::mem::take(&mut self.section);
        let worked = work(self);
        let done = std::mem::replace(&mut self.section, before);
        worked?;
        self.memory.keep(key, &done)?;
        self.section.join(done);
        Ok(())
    }

    /// RQ1 to RQ3 on one network.
    fn network(&mut self, named: &Named, output: &Output) -> Result<(), String> {
        let name = &named.name;
        let key = self.memory.key(name, &named.text, "suite");
        let suite = match self.memory.recall(&key) {
            Some(suite) => suite,
            None => {
                output.note(&format!("{name}: tests, sequences and probabilities\n"));
                let suite = json::print(&completed(&named.network, self.extent())?);
                self.memory.keep(key, &suite)?;
                suite
            }
        };
        let suite = json::parse(&suite).map_err(|wrong| wrong.message)?;
        let subject = Subject::new(name, named.network.clone(), suite, self.extent());
        self.describe(&subject);
        self.part(named, "simple", |study| {
            output.note(&format!("{name}: faults by simple oracles\n"));
            study.compare(&subject, "simple", Oracle::Simple, 0.05)
        })?;
        for way in [OVERLAP, SURER, SEQUENTIAL, CAREFUL] {
            let oracle = Oracle::Stochastic(way.rule, way.alpha);
            self.part(named, &format!("{} {oracle:?} {}", way.name, way.half), |study| {
                output.note(&format!("{name}: faults by {}\n", way.name));
                study.timing(&subject, way, oracle)?;
                study.compare(&subject, way.name, oracle, way.half)
            })?;
        }
        Ok(())
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
    fn timing(&mut self, subject: &Subject, way: Way, oracle: Oracle) -> Result<(), String> {
        let (earlier, later) = (self.args.earlier, self.args.later);
        let found = subject.timing(oracle, way.half, earlier, later, self.args.seed)?;
        let part = |hits: usize, all: usize| match all {
            0 => "-".to_string(),
            _ => format!("{:.3}", hits as f64 / all as f64),
        };
        let row = vec![
            subject.name.clone(),
            way.name.to_string(),
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
        Ok(())
    }

    /// RQ2: which mutants are found, and what is found in the valid system.
    fn compare(
        &mut self,
        subject: &Subject,
        name: &str,
        oracle: Oracle,
        half: f64,
    ) -> Result<(), String> {
        let (seeds, faults) = (self.quick(2, 20), subject.faults());
        let valid = subject.valid(oracle, half, seeds)?;
        let faulty = subject.faulty(oracle, half, self.args.seed)?;
        let (mut all, mut killed, mut equivalent, mut runs, mut tests) = (0, 0, 0, 0, 0);
        let mut left = Vec::new();
        for (index, tally) in faulty.iter().enumerate() {
            let Some(tally) = tally else { continue };
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
            "RQ2 and RQ3: restrict, widen, shift (by half of the range), change of target; {seeds} \
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
        Ok(())
    }

    /// The power of the rules over the size of the fault.
    fn power(&mut self, output: &Output) -> Result<(), String> {
        let repeats = self.quick(200, 4000);
        let ways = [OVERLAP, POINT, SEQUENTIAL, CAREFUL];
        let parts = [0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.375, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0];
        let mut rows = Vec::new();
        let mut plot = Plot::new(
            "Faults found, tests at p = 0.5, range d longer",
            ("d as part of the range", 0.0, 3.0),
            ("part found", 0.0, 1.0),
        );
        let seed = self.args.seed;
        for way in ways {
            let mut points = Vec::new();
            let alarms = way.on(0.5, 0.5, repeats, seed)?;
            for part in parts {
                // The middle of a range of width 1 that becomes longer, or shorter, by d.
                for (word, q) in [("longer", 0.5 / (1.0 + part)), ("shorter", 0.5 / (1.0 - part))] {
                    if !(0.0..=1.0).contains(&q) {
                        continue;
                    }
                    let done = way.on(0.5, q, repeats, seed)?;
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
            }
            plot.line(way.name, &points);
        }
        let head = ["rule", "range", "d", "p of the system", "found", "runs", "false alarms"];
        let title = format!("Power over the size of the fault, {repeats} verdicts each");
        self.add("power", &title, &head, rows);
        self.write(output, "power.svg", &plot.svg())
    }

    /// Runs that verdicts need.
    fn cost(&mut self) -> Result<(), String> {
        let repeats = self.quick(100, 2000);
        let mut rows = Vec::new();
        for way in [OVERLAP, SURER, POINT, SEQUENTIAL, CAREFUL] {
            for p in [0.5, 0.9, 1.0] {
                let done = way.on(p, p, repeats, self.args.seed)?;
                rows.push(vec![
                    way.name.to_string(),
                    format!("{p}"),
                    format!("{:.1}", done.runs),
                    format!("{:.4}", done.failed),
                ]);
            }
        }
        let head = ["rule", "p", "runs", "false alarms"];
        self.add("rq3", "RQ3: runs that a verdict on a valid system needs", &head, rows);
        Ok(())
    }

    /// RQ4: accuracy over scenarios and the most runs.
    fn accuracy(&mut self, output: &Output) -> Result<(), String> {
        let repeats = self.quick(10, 100);
        let all = scenarios(repeats, self.args.seed)?;
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
        self.write(output, "accuracy.svg", &boxes.svg())?;
        self.write(output, "runs.svg", &cost.svg())?;
        self.discrepancies(&all, output)?;
        let mut csv = "expected,observed,maxE,accuracy,runs\n".to_string();
        for s in &all {
            let Scenario { expected, observed, most, accuracy, runs } = s;
            let _ = writeln!(csv, "{expected},{observed},{most},{accuracy},{runs}");
        }
        self.write(output, "scenarios.csv", &csv)
    }

    /// Accuracy by how far expected and observed frequencies are apart.
    fn discrepancies(&mut self, all: &[Scenario], output: &Output) -> Result<(), String> {
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
        self.write(output, "discrepancy.svg", &plot.svg())
    }

    fn write(&self, output: &Output, name: &str, text: &str) -> Result<(), String> {
        let path = self.args.output.join(name);
        files::write(output, &path, text.as_bytes())
            .map_err(|_| format!("cannot write {}", path.display()))
    }

    fn finish(&self, start: Instant, output: &Output) -> Result<Outcome, Failure> {
        let folder = &self.args.output;
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
            let table = |table: &Table| {
                let (columns, rows) = (&table.rows[0], &table.rows[1..]);
                let (name, title) = (&table.name, &table.title);
                serde_json::json!({"name": name, "title": title, "columns": columns, "rows": rows})
            };
            let tables: Vec<_> = self.section.tables.iter().map(table).collect();
            output.result(&to_json(&serde_json::json!({
                "schema": "provoke/study/1",
                "study": "stochastic",
                "seed": self.args.seed,
                "quick": self.args.quick,
                "folder": folder.display().to_string(),
                "resumed": self.memory.resumed,
                "seconds": start.elapsed().as_secs_f64(),
                "tables": tables,
            })));
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

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn csv(rows: &[Vec<String>]) -> String {
    let cell = |text: &String| match text.contains([',', '"']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.clone(),
    };
    let line = |row: &Vec<String>| row.iter().map(cell).collect::<Vec<_>>().join(",") + "\n";
    rows.iter().map(line).collect()
}

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
