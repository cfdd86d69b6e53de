//! What tests cover of a C program: outcomes of conditions and MC/DC with clang, branches with gcc.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::compile::{Build, CLANG, INSTALL_CLANG, MiningError, ProgramBuilder, has_clang};
use crate::search::InputSequence;
use crate::server::{Server, TestEnding};
use crate::target::Limits;

/// So many of so many.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CoverageCount {
    /// What there is.
    pub total: usize,
    /// What is covered.
    pub covered: usize,
}

impl CoverageCount {
    /// In per cent; all of nothing is all.
    pub fn percent(self) -> f64 {
        if self.total == 0 { 100.0 } else { self.covered as f64 * 100.0 / self.total as f64 }
    }
}

/// What tests cover.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CodeCoverage {
    /// Outcomes of conditions and cases, two for each: what the publication calls MC/DC.
    pub outcomes: CoverageCount,
    /// Conditions that were shown to matter alone; only clang tells.
    pub mcdc: Option<CoverageCount>,
    /// Who measured.
    pub tool: &'static str,
    /// What is not covered, with file and line.
    pub missing: Vec<String>,
    /// The same for programs; only clang tells.
    pub gaps: Vec<CoverageGap>,
}

/// Something in a source that tests do not cover.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoverageGap {
    /// The line, counted from 1.
    pub line: usize,
    /// The condition, as its first line has it.
    pub text: String,
    /// What it lacks.
    pub lack: Lack,
}

/// What a condition lacks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lack {
    /// It is never true.
    True,
    /// It is never false.
    False,
    /// It is not shown to matter alone in its decision.
    Independence,
}

impl CodeCoverage {
    /// All that is covered, of both kinds.
    pub(crate) fn covered(&self) -> usize {
        self.outcomes.covered + self.mcdc.map_or(0, |mcdc| mcdc.covered)
    }
}

/// Measures tests with clang if it is installed, else with gcc.
pub fn measure(
    builder: &ProgramBuilder,
    tests: &[InputSequence],
    outputs: usize,
    limits: &Limits,
) -> Result<CodeCoverage, MiningError> {
    if has_clang() {
        by_clang(builder, tests, outputs, limits)
    } else {
        by_gcc(builder, tests, outputs, limits)
    }
}

fn tool(command: &mut Command) -> Result<Vec<u8>, MiningError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| MiningError {
        reason: format!("cannot start {name}: {error}"),
        hint: INSTALL_CLANG.to_string(),
        missing: true,
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let text =
        String::from_utf8_lossy(&output.stderr).lines().take(4).collect::<Vec<_>>().join("; ");
    Err(MiningError::new(format!("{name} fails: {text}"), "see `provoke doctor`"))
}

/// Files of profiles of earlier measurements would be added.
fn clear(folder: &Path, ending: &str) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().ends_with(ending) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// With clang's source-based coverage.
pub fn by_clang(
    builder: &ProgramBuilder,
    tests: &[InputSequence],
    outputs: usize,
    limits: &Limits,
) -> Result<CodeCoverage, MiningError> {
    let program = builder.build(Build::ClangCoverage)?;
    clear(&builder.folder, ".profraw");
    let raw = builder.folder.join("coverage.profraw");
    let merged = builder.folder.join("coverage.profdata");
    let mut server = Server::new(&program, outputs, limits, TestEnding::Together)
        .environment("LLVM_PROFILE_FILE", raw.display().to_string());
    for test in tests {
        server.run(test)?;
    }
    if tests.is_empty() {
        server.run(&[])?;
    }
    server.finish();
    exported(&program, &raw, &merged, &builder.sources())
}

/// What a program wrote about its run, read for some of its sources.
fn exported(
    program: &Path,
    raw: &Path,
    merged: &Path,
    sources: &[PathBuf],
) -> Result<CodeCoverage, MiningError> {
    tool(
        Command::new("llvm-profdata-19").args(["merge", "-sparse"]).arg(raw).arg("-o").arg(merged),
    )?;
    let mut profile = std::ffi::OsString::from("-instr-profile=");
    profile.push(merged);
    let text = tool(Command::new("llvm-cov-19").arg("export").arg(program).arg(profile))?;
    let json: Value = serde_json::from_slice(&text).map_err(|error| {
        MiningError::new(format!("llvm-cov-19 wrote no JSON: {error}"), "see `provoke doctor`")
    })?;
    Ok(read_llvm(&json, sources))
}

/// What a program that replays a suite covers of the code it calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayCoverage {
    /// Whether all was as expected.
    pub passed: bool,
    /// What the program said.
    pub said: String,
    /// What it covered.
    pub coverage: CodeCoverage,
}

/// Compiles `NAME.c` and `NAME_test.c` of a folder with clang, into the folder `coverage` inside it, runs
/// the program, and reads what it covered of `NAME.c`.
pub fn of_replay(folder: &Path, name: &str) -> Result<ReplayCoverage, MiningError> {
    if !has_clang() {
        return Err(MiningError {
            reason: "coverage of C is measured with clang-19, which is not installed".to_string(),
            hint: INSTALL_CLANG.to_string(),
            missing: true,
        });
    }
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
    let build = folder.join("coverage");
    std::fs::create_dir_all(&build).map_err(|error| {
        let reason = format!("cannot write {}: {error}", build.display());
        MiningError::new(reason, "name a folder that may be written to")
    })?;
    clear(&build, ".profraw");
    let source = folder.join(format!("{name}.c"));
    let [object, test, program] =
        ["code.o", "test.o", "program"].map(|part| build.join(format!("{name}-{part}")));
    let compiler = || {
        let mut command = Command::new(CLANG);
        command.args(["-std=c99", "-O0", "-w", "-ffp-contract=off"]);
        command
    };
    let measured = ["-fprofile-instr-generate", "-fcoverage-mapping", "-fcoverage-mcdc"];
    tool(compiler().args(measured).arg("-c").arg(&source).arg("-o").arg(&object))?;
    let replay = folder.join(format!("{name}_test.c"));
    tool(compiler().arg("-c").arg(replay).arg("-o").arg(&test))?;
    tool(compiler().arg(measured[0]).args([&object, &test]).arg("-o").arg(&program))?;
    let raw = build.join("replay.profraw");
    let ran = Command::new(&program).env("LLVM_PROFILE_FILE", &raw).output();
    let ran = ran.map_err(|error| {
        MiningError::new(format!("the program does not start: {error}"), "see `provoke doctor`")
    })?;
    let coverage = exported(&program, &raw, &build.join("replay.profdata"), &[source])?;
    let said = String::from_utf8_lossy(&ran.stdout).trim_end().to_string();
    Ok(ReplayCoverage { passed: ran.status.success(), said, coverage })
}

/// A place in a source: first line and column, last line and column.
type Region = [usize; 4];

fn region(record: &Value) -> Option<Region> {
    let number = |place: usize| record.get(place).and_then(Value::as_u64).map(|n| n as usize);
    Some([number(0)?, number(1)?, number(2)?, number(3)?])
}

fn inside(inner: Region, outer: Region) -> bool {
    (outer[0], outer[1]) <= (inner[0], inner[1]) && (inner[2], inner[3]) <= (outer[2], outer[3])
}

/// The text of a region's first line.
fn text_of(source: &str, region: Region) -> &str {
    let line = source.lines().nth(region[0].saturating_sub(1)).unwrap_or("");
    let end = if region[2] == region[0] { region[3].saturating_sub(1) } else { line.len() };
    line.get(region[1].saturating_sub(1)..end.min(line.len())).unwrap_or("").trim()
}

/// What `llvm-cov export` says about the user's sources.
fn read_llvm(json: &Value, sources: &[PathBuf]) -> CodeCoverage {
    let mut coverage = CodeCoverage {
        tool: "clang-19",
        mcdc: Some(CoverageCount::default()),
        ..CodeCoverage::default()
    };
    let files = json.pointer("/data/0/files").and_then(Value::as_array);
    for file in files.into_iter().flatten() {
        let name = file.get("filename").and_then(Value::as_str).unwrap_or("");
        if !sources.iter().any(|source| same_file(source, Path::new(name))) {
            continue;
        }
        let source = std::fs::read_to_string(name).unwrap_or_default();
        let list = |key: &str| file.get(key).and_then(Value::as_array).cloned().unwrap_or_default();
        let decisions = list("mcdc_records");
        let regions: Vec<Region> = decisions.iter().filter_map(region).collect();
        let branches = list("branches");
        let conditions: Vec<Region> = branches.iter().filter_map(region).collect();
        for record in &decisions {
            count_decision(&mut coverage, name, &source, record, &conditions);
        }
        for record in &branches {
            count_branch(&mut coverage, name, &source, record, &regions);
        }
    }
    coverage
}

fn same_file(a: &Path, b: &Path) -> bool {
    let whole = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    whole(a) == whole(b)
}

fn short(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

fn count_decision(
    coverage: &mut CodeCoverage,
    name: &str,
    source: &str,
    record: &Value,
    conditions: &[Region],
) {
    let Some(place) = region(record) else { return };
    let mut own: Vec<Region> = conditions.iter().copied().filter(|it| inside(*it, place)).collect();
    own.sort_unstable();
    own.dedup();
    let flags = record
        .as_array()
        .and_then(|record| record.iter().rev().find_map(Value::as_array).cloned())
        .unwrap_or_default();
    let mcdc = coverage.mcdc.get_or_insert_default();
    for (number, flag) in flags.iter().enumerate() {
        mcdc.total += 1;
        if flag.as_bool() == Some(true) {
            mcdc.covered += 1;
        } else {
            coverage.missing.push(format!(
                "{}:{}: condition {} of the decision is not shown to matter",
                short(name),
                place[0],
                number + 1
            ));
            let condition = own.get(number).copied().unwrap_or(place);
            let text = text_of(source, condition).to_string();
            coverage.gaps.push(CoverageGap { line: condition[0], text, lack: Lack::Independence });
        }
    }
}

fn count_branch(
    coverage: &mut CodeCoverage,
    name: &str,
    source: &str,
    record: &Value,
    decisions: &[Region],
) {
    let Some(place) = region(record) else { return };
    let times = |at: usize| record.get(at).and_then(Value::as_u64).unwrap_or(0);
    let (taken, not_taken) = (times(4), times(5));
    let text = text_of(source, place);
    // `while (1)` has no outcome to choose.
    let constant = text.trim_matches(['(', ')', ' ']);
    if matches!(constant, "true" | "false")
        || (!constant.is_empty() && constant.bytes().all(|b| b.is_ascii_digit()))
    {
        return;
    }
    coverage.outcomes.total += 2;
    coverage.outcomes.covered += usize::from(taken > 0) + usize::from(not_taken > 0);
    let outcomes = [(taken == 0, "true", Lack::True), (not_taken == 0, "false", Lack::False)];
    for (missing, word, lack) in outcomes {
        if missing {
            coverage.gaps.push(CoverageGap { line: place[0], text: text.to_string(), lack });
            coverage.missing.push(format!(
                "{}:{}: `{text}` is never {word}",
                short(name),
                place[0]
            ));
        }
    }
    // A condition that is a decision of its own; labels of a switch are none.
    let label = text.starts_with("case") || text.starts_with("default");
    if !label && !decisions.iter().any(|decision| inside(place, *decision)) {
        let mcdc = coverage.mcdc.get_or_insert_default();
        mcdc.total += 1;
        mcdc.covered += usize::from(taken > 0 && not_taken > 0);
    }
}

/// With gcov: the outcomes of branches as the compiler sees them.
pub fn by_gcc(
    builder: &ProgramBuilder,
    tests: &[InputSequence],
    outputs: usize,
    limits: &Limits,
) -> Result<CodeCoverage, MiningError> {
    let program = builder.build(Build::GccCoverage)?;
    clear(&builder.folder, ".gcda");
    let mut server = Server::new(&program, outputs, limits, TestEnding::Orderly);
    for test in tests {
        server.run(test)?;
    }
    if tests.is_empty() {
        server.run(&[])?;
    }
    server.finish();
    let mut coverage = CodeCoverage { tool: "gcov", ..CodeCoverage::default() };
    for unit in 0..=builder.sources().len() {
        // The driver is the second unit, and is not measured.
        let notes = builder.folder.join(format!("gcc-coverage-{unit}.gcno"));
        if !notes.exists() {
            continue;
        }
        let mut command = Command::new("gcov");
        command
            .current_dir(&builder.folder)
            .args(["--json-format", "--stdout", "--branch-probabilities"])
            .arg(&notes);
        let text = tool(&mut command)?;
        let json: Value = serde_json::from_slice(&text).map_err(|error| {
            MiningError::new(format!("gcov wrote no JSON: {error}"), "apt-get install gcc")
        })?;
        read_gcov(&mut coverage, &json, &builder.sources());
    }
    Ok(coverage)
}

fn read_gcov(coverage: &mut CodeCoverage, json: &Value, sources: &[PathBuf]) {
    let list = |value: &Value, key: &str| {
        value.get(key).and_then(Value::as_array).cloned().unwrap_or_default()
    };
    for file in list(json, "files") {
        let name = file.get("file").and_then(Value::as_str).unwrap_or("").to_string();
        if !sources.iter().any(|source| same_file(source, Path::new(&name))) {
            continue;
        }
        for line in list(&file, "lines") {
            let number = line.get("line_number").and_then(Value::as_u64).unwrap_or(0);
            for branch in list(&line, "branches") {
                let taken = branch.get("count").and_then(Value::as_u64).unwrap_or(0) > 0;
                coverage.outcomes.total += 1;
                coverage.outcomes.covered += usize::from(taken);
                if !taken {
                    coverage
                        .missing
                        .push(format!("{}:{number}: a branch is never taken", short(&name)));
                }
            }
        }
    }
}
