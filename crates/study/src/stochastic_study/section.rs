//! The tables, notes and pictures of the study.

use std::fmt::Write;

use provoke_base::table::csv;
use provoke_oracle::TimedTest;
use provoke_oracle::mutants::MutantStatus;
use provoke_results::NamedTable;

use crate::stochastic_study::accuracy::Scenario;
use crate::stochastic_study::faults::{Subject, Timing, Trial, Tried};
use crate::stochastic_study::plot::{Plot, Spread};
use crate::stochastic_study::power::{Done, HYPOTHESES};
use crate::stochastic_study::rules::{self, CERTAINTIES, faults_of_size};

/// What the study came to.
pub(super) struct Section {
    /// By which parts of its length a range ends earlier, and later, in a faulty system.
    parts: (f64, f64),
    pub(super) tables: Vec<NamedTable>,
    notes: Vec<String>,
    /// Other files, with their names.
    files: Vec<(&'static str, String)>,
}

impl Section {
    /// A study without results; faults of timing are earlier and later by these parts.
    pub(super) fn new(parts: (f64, f64)) -> Section {
        Section { parts, tables: Vec::new(), notes: Vec::new(), files: Vec::new() }
    }

    /// Adds a table, or its rows to the one of that name.
    fn add(&mut self, name: &str, title: &str, head: &[&str], rows: Vec<Vec<String>>) {
        match self.tables.iter_mut().find(|known| known.name == name) {
            Some(known) => known.rows.extend(rows),
            None => {
                let columns = head.iter().map(ToString::to_string).collect();
                let (name, title) = (name.to_string(), title.to_string());
                self.tables.push(NamedTable { name, title, columns, rows });
            }
        }
    }

    /// The suites of a network.
    pub(super) fn describe(&mut self, subject: &Subject) {
        let tests = &subject.suite.tests;
        let certain = |p: f64| (1.0 - p).abs() < 1e-9;
        let point = |t: &TimedTest| t.probability.map_or(0.0, |p| p.point());
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
        let (earlier, later) = self.parts;
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
    pub(super) fn compare(
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
            let proven = matches!(faults.known[index], MutantStatus::Equivalent(_));
            equivalent += usize::from(proven);
            killed += usize::from(tally.failed.is_some() && !proven);
            if tally.failed.is_none() && !proven {
                left.push(faults.mutants[index].text.clone());
            }
            if tally.failed.is_some() && proven {
                let text = &faults.mutants[index].text;
                self.notes.push(format!("{name}: a false alarm on an equivalent mutant: {text}"));
            }
        }
        let false_alarms: usize = valid.iter().map(|tally| tally.failures).sum();
        let verdicts: usize = valid.iter().map(|tally| tally.verdicts).sum();
        let failing = valid.iter().filter(|tally| tally.failures > 0).count();
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
            format!("{failing} of {}", valid.len()),
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
            "right suites that fail",
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

    /// The power of the rules over the size of the fault.
    pub(super) fn power(&mut self, repeats: u32, done: &mut impl Iterator<Item = Done>) {
        let mut rows = Vec::new();
        let mut plot = Plot::new(
            "Faults found, tests at p = 0.5, range d longer",
            ("d as part of the range", 0.0, 3.0),
            ("part found", 0.0, 1.0),
        );
        for way in rules::power() {
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
        let title = format!(
            "Power over the size of the fault, in one of {HYPOTHESES} hypotheses, {repeats} verdicts each"
        );
        self.add("power", &title, &head, rows);
        self.files.push(("power.svg", plot.svg()));
    }

    /// Runs that verdicts need.
    pub(super) fn cost(&mut self, done: &mut impl Iterator<Item = Done>) {
        let asked = rules::cost().into_iter().flat_map(|way| CERTAINTIES.map(|p| (way.name, p)));
        let row = |((name, p), done): ((&str, f64), Done)| {
            let (runs, failed) = (format!("{:.1}", done.runs), format!("{:.4}", done.failed));
            vec![name.to_string(), format!("{p}"), runs, failed]
        };
        let rows = asked.zip(done).map(row).collect();
        let head = ["rule", "p", "runs", "false alarms"];
        self.add("rq3", "RQ3: runs that a verdict on a valid system needs", &head, rows);
    }

    /// RQ4: accuracy and runs over the most runs.
    pub(super) fn accuracy(&mut self, all: &[Scenario], repeats: u32) {
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
        self.discrepancies(all);
        let mut lines =
            vec![["expected", "observed", "maxE", "accuracy", "runs"].map(String::from).to_vec()];
        lines.extend(all.iter().map(|s| {
            let Scenario { expected, observed, most, accuracy, runs } = s;
            vec![
                expected.to_string(),
                observed.to_string(),
                most.to_string(),
                accuracy.to_string(),
                runs.to_string(),
            ]
        }));
        self.files.push(("scenarios.csv", csv(&lines)));
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

    /// All files of the study, with their names.
    pub(super) fn files(&self) -> Vec<(String, String)> {
        let other = |(name, text): &(&str, String)| (name.to_string(), text.clone());
        let mut files: Vec<_> = self.files.iter().map(other).collect();
        let table = |table: &NamedTable| (format!("{}.csv", table.name), csv(&lines(table)));
        files.extend(self.tables.iter().map(table));
        files.push(("stochastic.md".to_string(), self.page()));
        files
    }

    fn page(&self) -> String {
        let mut page = "# Stochastic oracles\n".to_string();
        for table in &self.tables {
            let _ = write!(page, "\n## {}\n\n{}", table.title, markdown(table));
        }
        if !self.notes.is_empty() {
            let _ = write!(page, "\n## Notes\n\n{}\n", self.notes.join("\n"));
        }
        for picture in ["power", "accuracy", "runs", "discrepancy"] {
            let _ = write!(page, "\n![{picture}]({picture}.svg)\n");
        }
        page
    }
}

/// The heads of the columns, then the rows.
fn lines(table: &NamedTable) -> Vec<Vec<String>> {
    std::iter::once(&table.columns).chain(&table.rows).cloned().collect()
}

fn markdown(table: &NamedTable) -> String {
    let line = |row: &Vec<String>| format!("| {} |\n", row.join(" | "));
    let rule = format!("|{}\n", "---|".repeat(table.columns.len()));
    let rows: String = table.rows.iter().map(line).collect();
    line(&table.columns) + &rule + &rows
}
