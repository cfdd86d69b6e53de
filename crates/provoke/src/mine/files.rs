//! What is written about a mined program.

use std::path::{Path, PathBuf};

use provoke_base::Error;
use provoke_mine::lustre_text::lustre;
use provoke_mine::picture::{dot, list, svg};
use provoke_mine::{Build, Closure, MiningResult, StateMachine};
use provoke_model::Suite;
use provoke_results::{
    ClosureWord, FindingWord, IsolationWord, MachineWord, Mine, MinedCount, MinedCoverage,
    MinedDifferences, MinedFinding, MinedMachine, MinedSize, MiningWord, Schema, Word,
};
use provoke_suite::Format;

use super::{MineOptions, MineTarget};
use crate::files::{self, suite_files, write_together};

/// Machines of earlier runs are not larger.
const MAX_BYTES: usize = 256 << 20;

/// Machines with more states are written for programs only.
const DRAWN: usize = 400;

/// The target file with which `provoke run` replays the suite.
pub(super) fn write_target(folder: &Path) -> Result<PathBuf, Error> {
    let text = "# The mined program as a library, stepped in virtual time.\n\
                step_ms = 10\n\n[connection]\nkind = \"library\"\npath = \"build/program.so\"\n";
    let path = folder.join("target.toml");
    write_text(&path, text)?;
    Ok(path)
}

fn write_text(path: &Path, text: &str) -> Result<(), Error> {
    write_together(&[(path.to_path_buf(), text.as_bytes().to_vec())])
}

fn write_suite(suite: &Suite, path: &Path) -> Result<(), Error> {
    write_together(&suite_files(suite, path, Format::Json, true)?)
}

/// Writes everything into a folder.
pub(super) fn write(folder: &Path, target: &MineTarget, mined: &MiningResult) -> Result<(), Error> {
    files::make_folder(folder)?;
    write_suite(&mined.suite, &folder.join("suite.json"))?;
    if !mined.findings.is_empty() {
        write_suite(&mined.finding_suite, &folder.join("findings.json"))?;
    }
    if let Some(builder) = &target.builder {
        builder.build(Build::Plain)?;
        write_target(folder)?;
    }
    let machines = [("machine", Some(&mined.machine)), ("exact", mined.exact.as_ref())];
    for (name, machine) in machines {
        let Some(machine) = machine else { continue };
        let file = |ending: &str, text: String| {
            write_text(&folder.join(format!("{name}.{ending}")), &text)
        };
        file("json", machine.to_json())?;
        if machine.states.len() <= DRAWN {
            file("dot", dot(machine, &mined.suite))?;
            file("svg", svg(machine, &mined.suite))?;
            file("txt", list(machine, &mined.suite))?;
        }
        if let Some(text) = lustre(machine, &mined.suite, &target.name) {
            file("lus", text)?;
        }
    }
    Ok(())
}

/// The machine of an earlier run, the exact one if there is one.
pub(super) fn read_machine(folder: &Path) -> Result<StateMachine, Error> {
    let exact = folder.join("exact.json");
    let path = if exact.exists() { exact } else { folder.join("machine.json") };
    let bytes = files::read(&path, MAX_BYTES)?;
    StateMachine::from_json(&bytes).map_err(|error| {
        let message = format!("{} holds no machine: {error}", path.display());
        Error::input(message, "name the folder of an earlier result of mining")
    })
}

/// The result for programs; its time is set by the caller.
pub(super) fn result(
    target: &MineTarget,
    options: &MineOptions,
    mined: &MiningResult,
    compared: Option<(Vec<String>, usize)>,
) -> Mine {
    let count = |count: provoke_mine::coverage::CoverageCount| MinedCount {
        total: count.total,
        covered: count.covered,
    };
    let machine = |kind, machine: &StateMachine| MinedMachine {
        kind,
        states: machine.states.len(),
        edges: machine.transitions(),
    };
    let mut machines = vec![machine(MachineWord::Outputs, &mined.machine)];
    machines.extend(mined.exact.as_ref().map(|exact| machine(MachineWord::Exact, exact)));
    let findings = mined.findings.iter().zip(&mined.finding_suite.tests);
    Mine {
        schema: Schema::default(),
        target: target.file.clone(),
        method: MiningWord::of(options.method.word()),
        isolation: IsolationWord::of(mined.isolation),
        tests: mined.suite.tests.len(),
        vectors: mined.suite.tests.iter().map(|test| test.steps.len()).sum(),
        before: MinedSize { tests: mined.before.0, vectors: mined.before.1 },
        states: mined.found.states,
        transitions: mined.machine.transitions(),
        closed: mined.found.closure == Closure::Proven,
        closure: ClosureWord::of(mined.found.closure.word()),
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
        seed: options.seed,
        seconds: 0.0,
        folder: options.folder.as_ref().map(|folder| folder.display().to_string()),
    }
}
