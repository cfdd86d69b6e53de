//! What `provoke mine` writes and says.

use std::path::{Path, PathBuf};

use provoke::{LoadedTarget, closure_word};
use provoke_mine::draw::{dot, list, svg};
use provoke_mine::lustre_text::lustre;
use provoke_mine::{Build, Closure, Machine, Mined};
use provoke_results::{
    FindingWord, IsolationWord, MachineWord, Mine, MinedCount, MinedCoverage, MinedDifferences,
    MinedFinding, MinedMachine, MinedSize, MiningWord, Schema, Word,
};

use crate::args::MineArgs;
use crate::commands::mine::{SUITE_FORMAT, failure};
use crate::files;
use crate::outcome::Failure;
use crate::output::Output;
use crate::table::aligned;

/// Machines of earlier runs are not larger.
const MAX_BYTES: usize = 256 << 20;

/// Machines with more states are written for programs only.
const DRAWN: usize = 400;

/// The target file with which `provoke run` replays the suite.
pub(crate) fn write_target(folder: &Path, output: &Output) -> Result<PathBuf, Failure> {
    let text = "# The mined program as a library, stepped in virtual time.\n\
                step_ms = 10\n\n[connection]\nkind = \"library\"\npath = \"build/program.so\"\n";
    let path = folder.join("target.toml");
    files::write(output, &path, text.as_bytes())?;
    Ok(path)
}

/// Writes everything into a folder.
pub(crate) fn write(
    folder: &Path,
    loaded: &LoadedTarget,
    mined: &Mined,
    output: &Output,
) -> Result<(), Failure> {
    files::make_folder(folder)?;
    files::write_suite(output, &mined.suite, &folder.join("suite.json"), SUITE_FORMAT)?;
    if !mined.findings.is_empty() {
        files::write_suite(
            output,
            &mined.finding_suite,
            &folder.join("findings.json"),
            SUITE_FORMAT,
        )?;
    }
    if let Some(workshop) = &loaded.workshop {
        workshop.build(Build::Plain).map_err(failure)?;
        write_target(folder, output)?;
    }
    let machines = [("machine", Some(&mined.machine)), ("exact", mined.exact.as_ref())];
    for (name, machine) in machines {
        let Some(machine) = machine else { continue };
        let file = |ending: &str, text: String| {
            files::write(output, &folder.join(format!("{name}.{ending}")), text.as_bytes())
        };
        file("json", machine.to_json())?;
        if machine.states.len() <= DRAWN {
            file("dot", dot(machine, &mined.suite))?;
            file("svg", svg(machine, &mined.suite))?;
            file("txt", list(machine, &mined.suite))?;
        }
        if let Some(text) = lustre(machine, &mined.suite, &loaded.name) {
            file("lus", text)?;
        }
    }
    Ok(())
}

/// The machine of an earlier run, the exact one if there is one.
pub(crate) fn read_machine(folder: &Path) -> Result<Machine, Failure> {
    let exact = folder.join("exact.json");
    let path = if exact.exists() { exact } else { folder.join("machine.json") };
    let bytes = files::read(&path, MAX_BYTES)?;
    Machine::from_json(&bytes).map_err(|error| {
        let message = format!("{} holds no machine: {error}", path.display());
        Failure::input(message, "name a folder that `provoke mine -o` wrote")
    })
}

/// The result for programs; its time is set by the caller.
pub(crate) fn result(
    args: &MineArgs,
    mined: &Mined,
    compared: Option<(Vec<String>, usize)>,
) -> Mine {
    let count = |count: provoke_mine::coverage::Count| MinedCount {
        total: count.total,
        covered: count.covered,
    };
    let machine = |kind, machine: &Machine| MinedMachine {
        kind,
        states: machine.states.len(),
        edges: machine.transitions(),
    };
    let mut machines = vec![machine(MachineWord::Outputs, &mined.machine)];
    machines.extend(mined.exact.as_ref().map(|exact| machine(MachineWord::Exact, exact)));
    let findings = mined.findings.iter().zip(&mined.finding_suite.tests);
    Mine {
        schema: Schema::default(),
        target: args.target.as_ref().map(|path| path.display().to_string()).unwrap_or_default(),
        method: MiningWord::of(args.method.word()),
        isolation: IsolationWord::of(mined.isolation),
        tests: mined.suite.tests.len(),
        vectors: mined.suite.tests.iter().map(|test| test.steps.len()).sum(),
        before: MinedSize { tests: mined.before.0, vectors: mined.before.1 },
        states: mined.found.states,
        transitions: mined.machine.transitions(),
        closed: mined.found.closure == Closure::Proven,
        closure: closure_word(mined.found.closure),
        machines,
        coverage: mined.coverage.as_ref().map(|coverage| MinedCoverage {
            tool: coverage.tool.to_string(),
            outcomes: count(coverage.outcomes),
            mcdc: coverage.mcdc.map(count),
            missing: coverage.missing.clone(),
        }),
        findings: findings
            .map(|(finding, test)| MinedFinding {
                kind: FindingWord::of(finding.stop.kind()),
                text: finding.stop.to_string(),
                test: test.name.clone(),
                steps: finding.test.len(),
            })
            .collect(),
        more_findings: mined.found.more_findings,
        differences: compared.map(|(listed, count)| MinedDifferences { count, listed }),
        notes: mined.notes.clone(),
        steps: mined.found.steps,
        seed: args.seed,
        seconds: 0.0,
        folder: args.output.as_ref().map(|folder| folder.display().to_string()),
    }
}

/// More lines of a kind hide what matters.
const LISTED: usize = 12;

fn listed(text: &mut String, lines: &[String], where_else: &str) {
    for line in lines.iter().take(LISTED) {
        *text += &format!("  {line}\n");
    }
    if lines.len() > LISTED {
        *text += &format!("  ... and {} more: {where_else}\n", lines.len() - LISTED);
    }
}

/// The result for people.
pub(crate) fn describe(result: &Mine, mined: &Mined) -> String {
    let mut rows = vec![
        vec![
            "tests".to_string(),
            format!(
                "{} with {} vectors (before reduction {} with {})",
                result.tests, result.vectors, result.before.tests, result.before.vectors
            ),
        ],
        vec![
            "search".to_string(),
            format!(
                "{}, {} states, {} steps in {:.1} s, as {}",
                result.method, result.states, result.steps, result.seconds, result.isolation
            ),
        ],
    ];
    let closed = match mined.found.closure {
        Closure::Open => "open: there may be more".to_string(),
        Closure::OverValues => {
            format!("closed over the values that were tried: {} states", result.states)
        }
        Closure::Proven => format!("closed: {} states, ceiling proven", result.states),
    };
    rows.push(vec!["reach".to_string(), closed]);
    for machine in &result.machines {
        rows.push(vec![
            format!("machine ({})", machine.kind),
            format!("{} states, {} edges", machine.states, machine.edges),
        ]);
    }
    match &result.coverage {
        Some(coverage) => {
            let share = |count: MinedCount| {
                format!(
                    "{} of {} ({:.1} %)",
                    count.covered,
                    count.total,
                    provoke_results::percent(count.covered, count.total)
                )
            };
            rows.push(vec![
                "outcomes".to_string(),
                format!("{}, by {}", share(coverage.outcomes), coverage.tool),
            ]);
            let mcdc = coverage
                .mcdc
                .map_or("not measured: install clang-19 (see `provoke doctor`)".to_string(), share);
            rows.push(vec!["MC/DC".to_string(), mcdc]);
        }
        None => rows.push(vec!["coverage".to_string(), "not measured".to_string()]),
    }
    let mut text = aligned(&rows);
    if let Some(coverage) = result.coverage.as_ref().filter(|coverage| !coverage.missing.is_empty())
    {
        text += "not covered:\n";
        listed(&mut text, &coverage.missing, "--format json lists all");
    }
    if !result.findings.is_empty() {
        text += "findings:\n";
        let lines: Vec<String> = result
            .findings
            .iter()
            .map(|f| format!("{}: {} (after {} steps)", f.test, f.text, f.steps))
            .collect();
        listed(&mut text, &lines, "--format json lists all");
        if result.more_findings > 0 {
            text += &format!("  and {} more like these\n", result.more_findings);
        }
    }
    if let Some(differences) = &result.differences {
        text += &format!("behaviours that differ: {}\n", differences.count);
        listed(&mut text, &differences.listed, "--format json lists more");
    }
    for note in &result.notes {
        text += &format!("note: {note}\n");
    }
    if let Some(folder) = &result.folder {
        text += &format!("written to {folder}");
        if result.isolation != IsolationWord::Spawn {
            text += &format!(
                "; try: provoke run {folder}/suite.json --on {folder}/target.toml --mode direct"
            );
        }
        text += "\n";
    }
    text
}
