//! One system through the program as users run it, from the first command to the last.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use provoke_base::SourceFile;
use provoke_criteria::{Counting, Criterion, Obligation, Oracle, obligations, properties};
use provoke_lustre::print;
use provoke_model::{System, Value};
use provoke_mutate::{REPLACEMENTS, mutants};
use provoke_sim::run;
use serde_json::Value as Json;

use crate::counts::Counts;
use crate::inside::{Subject, Wrong};
use crate::judge::{Goal, Reading, Verdicts, judge};
use crate::mutants::difference;

/// The longest that one command may take, in seconds: numbers that are squared in every step make
/// simulation slow, which is counted and no failure.
const PATIENCE: &str = "20";
const OUT_OF_PATIENCE: i32 = 124;
const SLOW: &str = "takes too long";
/// Every so many systems are also compiled as C, which takes longer than all the rest.
const COMPILED: u64 = 4;
const CRITERIA: &str = "condition,decision,branch,mcdc";

/// A folder with a model, and the program.
struct Chain<'a> {
    folder: PathBuf,
    program: PathBuf,
    subject: &'a Subject<'a>,
}

/// How a command ended.
struct Ended {
    code: i32,
    stdout: String,
    stderr: String,
}

/// Does everything with a system that can be done with it.
pub(crate) fn check(
    subject: &Subject<'_>,
    file: &SourceFile,
    counts: &mut Counts,
) -> Result<(), Wrong> {
    let folder = std::env::temp_dir().join(format!("provoke-campaign-{}", std::process::id()));
    // What an earlier system left there is not this one's.
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder for one system");
    std::fs::write(folder.join("model.lus"), &file.text).expect("a writable file");
    let chain = Chain { folder, program: program(), subject };
    let result = chain.all(file, counts);
    let _ = std::fs::remove_dir_all(&chain.folder);
    match result {
        Err(wrong) if wrong.kind == SLOW => counts.add("systems that take too long"),
        result => {
            result?;
            counts.add("systems through the whole chain");
        }
    }
    Ok(())
}

/// The program that was built with this one.
fn program() -> PathBuf {
    let here = std::env::current_exe().expect("this program is somewhere");
    let program = here.with_file_name("provoke");
    assert!(program.exists(), "build it first: cargo build --bin provoke");
    program
}

impl Chain<'_> {
    fn all(&self, file: &SourceFile, counts: &mut Counts) -> Result<(), Wrong> {
        self.provoke("check model.lus", &[0])?;
        self.simulate()?;
        let (goals, ids) = goals(self.subject.system);
        let verdicts = judge(self.subject.space, &goals);
        let asked = Asked { ids: &ids, verdicts: &verdicts };
        if !self.generate(&asked, counts)? {
            return Ok(());
        }
        self.prove(&asked)?;
        if !verdicts.has_runs {
            return Ok(());
        }
        self.mutate(file, counts)?;
        if self.subject.course.seed.is_multiple_of(COMPILED) {
            self.compile(counts)?;
        }
        self.audit(counts)
    }

    /// Runs the program with words that hold no spaces; it must end with one of the codes.
    fn provoke(&self, words: &str, codes: &[i32]) -> Result<Ended, Wrong> {
        let mut command = Command::new("timeout");
        command.arg(PATIENCE).arg(&self.program).args(words.split(' '));
        let output = command.current_dir(&self.folder).output().expect("the program starts");
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let code = output.status.code().unwrap_or(-1);
        let ended = Ended { code, stdout: text(output.stdout), stderr: text(output.stderr) };
        if codes.contains(&ended.code) {
            return Ok(ended);
        }
        let word = words.split(' ').next().unwrap_or_default();
        let kind = match code {
            OUT_OF_PATIENCE => SLOW.to_string(),
            _ => format!("{word} ends with {code}"),
        };
        let detail = format!("{}{}", ended.stdout, ended.stderr);
        Err(Wrong::new(&kind, words, detail))
    }

    fn json(&self, words: &str, codes: &[i32]) -> Result<(Ended, Json), Wrong> {
        let ended = self.provoke(&format!("{words} --format json"), codes)?;
        let json = serde_json::from_str(&ended.stdout).unwrap_or(Json::Null);
        Ok((ended, json))
    }

    /// The model and its transformations do what the interpreter does.
    fn simulate(&self) -> Result<(), Wrong> {
        let system = self.subject.system;
        for (number, test) in self.subject.random_runs().iter().take(2).enumerate() {
            if test.is_empty() {
                continue;
            }
            let (name, plain) = (format!("run{number}.csv"), format!("plain{number}.csv"));
            let write = |name: &str, system: &System| {
                std::fs::write(self.folder.join(name), table(system, test))
                    .expect("a writable file");
            };
            write(&name, system);
            self.provoke(&format!("simulate model.lus -i {name} --expect {name}"), &[0])?;
            // Printed models have names that Lustre allows.
            write(&plain, &print::with_plain_names(system));
            for word in ["full", "none"] {
                self.provoke(&format!("transform model.lus --inline {word} -o {word}.lus"), &[0])?;
                self.provoke(&format!("simulate {word}.lus -i {plain} --expect {plain}"), &[0])?;
            }
        }
        Ok(())
    }

    /// Whether there are runs at all.
    fn generate(&self, asked: &Asked<'_>, counts: &mut Counts) -> Result<bool, Wrong> {
        let engine = self.subject.course.engine.word();
        let method = self.subject.course.method.word();
        let command = format!(
            "generate model.lus -c {CRITERIA} --effort 1 --jobs 1 --method {method} --prover {engine} -o out"
        );
        let (ended, found) = self.json(&command, &[0, 3, 5])?;
        if ended.code == 3 {
            return asked.no_runs(&ended, &command).map(|()| false);
        }
        asked.compare(&found, "obligation", &command, self.subject)?;
        let measure = format!("measure model.lus out/suite.json -c {CRITERIA}");
        let (_, measured) = self.json(&measure, &[0, 1])?;
        let uncovered: Vec<&str> = strings(&measured["uncovered"]);
        for verdict in list(&found["verdicts"]) {
            let id = verdict["id"].as_str().unwrap_or_default();
            let covered = verdict["verdict"] == "covered";
            if covered == uncovered.contains(&id) {
                let kind = "measure finds other coverage than generate claims";
                return Err(Wrong::new(kind, &command, id));
            }
        }
        let reduce = format!("reduce model.lus out/suite.json -c {CRITERIA} -o small.json");
        if list(&found["verdicts"]).iter().any(|verdict| verdict["verdict"] == "covered") {
            self.provoke(&reduce, &[0])?;
            let again = format!("measure model.lus small.json -c {CRITERIA}");
            let (_, again) = self.json(&again, &[0, 1])?;
            if again["covered"] != measured["covered"] {
                let detail = format!("{} and {}", measured["covered"], again["covered"]);
                return Err(Wrong::new("reduce loses coverage", &reduce, detail));
            }
            counts.add("suites reduced");
        }
        Ok(true)
    }

    fn prove(&self, asked: &Asked<'_>) -> Result<(), Wrong> {
        let engine = self.subject.course.proving_engine.word();
        let command = format!("prove model.lus --effort 1 --jobs 1 --prover {engine} -o proofs");
        let (ended, found) = self.json(&command, &[0, 1, 3, 5])?;
        if ended.code == 3 {
            return asked.no_runs(&ended, &command);
        }
        asked.compare(&found, "property", &command, self.subject)
    }

    fn mutate(&self, file: &SourceFile, counts: &mut Counts) -> Result<(), Wrong> {
        let engine = self.subject.course.engine.word();
        let command = format!(
            "mutate model.lus out/suite.json --equivalence --kill --sample 6 --effort 1 --jobs 1 --prover {engine} -o mutants"
        );
        self.provoke(&command, &[0])?;
        let text = std::fs::read_to_string(self.folder.join("mutants/mutants.json"));
        let found: Json = serde_json::from_str(&text.unwrap_or_default()).unwrap_or(Json::Null);
        let system = self.subject.system;
        let monitored = Oracle::Outputs.monitored(system);
        let all = mutants(system, Some(file), REPLACEMENTS);
        let by_id: HashMap<&str, _> =
            all.iter().map(|mutant| (mutant.id.as_str(), mutant)).collect();
        for row in list(&found["results"]) {
            if row["status"] != "equivalent" {
                continue;
            }
            counts.add("mutants equivalent in the chain");
            let id = row["id"].as_str().unwrap_or_default();
            let mutant = by_id[id];
            let mutated = mutant.apply(system);
            if let Some(run) = difference(self.subject, mutant, &mutated, &monitored) {
                let kind = "mutant equivalent although a run tells it apart";
                return Err(Wrong::new(kind, &command, format!("{id}: {run}")));
            }
        }
        Ok(())
    }

    /// The suite passes on the generated code under sanitizers, where machine numbers suffice.
    fn compile(&self, counts: &mut Counts) -> Result<(), Wrong> {
        let text = std::fs::read_to_string(self.folder.join("model.lus")).unwrap_or_default();
        let exact = ["real", "floor", "65536", "2147483648", "9223372036854775807", "987654321"];
        if !self.subject.verdicts.is_complete || exact.iter().any(|word| text.contains(word)) {
            return Ok(());
        }
        let command = "codegen model.lus --suite out/suite.json -o code";
        let (_, written) = self.json(command, &[0])?;
        let name = written["name"].as_str().unwrap_or_default().to_string();
        let folder = self.folder.join("code");
        let mut gcc = Command::new("gcc");
        gcc.args(["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-O1"]);
        gcc.args(["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]);
        gcc.args([format!("{name}.c"), format!("{name}_test.c"), "-o".into(), "program".into()]);
        said(&mut gcc, &folder, "generated C does not compile", command)?;
        let mut program = Command::new(folder.join("program"));
        said(&mut program, &folder, "generated C differs", command)?;
        counts.add("suites replayed on C");
        Ok(())
    }

    fn audit(&self, counts: &mut Counts) -> Result<(), Wrong> {
        if self.provoke("audit --help", &[0]).is_err() {
            return Ok(());
        }
        for folder in ["out", "proofs", "mutants"] {
            let command = format!("audit {folder}");
            let (ended, found) = self.json(&command, &[0, 5])?;
            let number = |key: &str| found[key].as_u64().unwrap_or_default();
            if number("refuted") > 0 || number("claims") < number("confirmed") {
                return Err(Wrong::new("audit refutes", &command, ended.stdout));
            }
            counts.add_many("claims audited", number("claims"));
            counts.add_many("claims confirmed by audit", number("confirmed"));
        }
        Ok(())
    }
}

fn said(command: &mut Command, folder: &Path, kind: &str, typed: &str) -> Result<(), Wrong> {
    let output = command.current_dir(folder).output().expect("it starts");
    if output.status.success() {
        return Ok(());
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Err(Wrong::new(kind, typed, text(&output.stdout) + &text(&output.stderr)))
}

/// The goals of all plain criteria and of the properties, with their places by id.
fn goals(system: &System) -> (Vec<Goal>, HashMap<String, usize>) {
    let mut all: Vec<Obligation> = properties(system);
    for criterion in Criterion::ALL.into_iter().filter(|criterion| !criterion.observable) {
        all.extend(obligations(system, criterion, Counting::Published));
    }
    let ids = all.iter().enumerate().map(|(at, one)| (one.id.clone(), at)).collect();
    (all.iter().map(Goal::of).collect(), ids)
}

/// What the judge knows, by the ids of what was asked.
struct Asked<'a> {
    ids: &'a HashMap<String, usize>,
    verdicts: &'a Verdicts,
}

impl Asked<'_> {
    /// A command that refuses because there are no runs is right if there are none.
    fn no_runs(&self, ended: &Ended, command: &str) -> Result<(), Wrong> {
        let messages =
            ["the assumptions contradict each other", "so the model has no run; look at"];
        let none = messages.iter().any(|message| ended.stderr.contains(message));
        let kind = if none { "runs are said not to exist" } else { "the model is refused" };
        if none && !self.verdicts.has_runs {
            return Ok(());
        }
        Err(Wrong::new(kind, command, ended.stderr.clone()))
    }

    /// Holds the verdicts of a command against the judge's.
    fn compare(
        &self,
        found: &Json,
        what: &str,
        command: &str,
        subject: &Subject<'_>,
    ) -> Result<(), Wrong> {
        for verdict in list(&found["verdicts"]) {
            let id = verdict["id"].as_str().unwrap_or_default();
            let Some(&goal) = self.ids.get(id) else {
                return Err(Wrong::new("verdict about nothing", command, id));
            };
            let answer = &self.verdicts.answers[goal];
            let word = verdict["verdict"].as_str().unwrap_or_default();
            let proven = ["infeasible", "holds", "valid"].contains(&word);
            let shown = ["covered", "violated", "falsified"].contains(&word);
            if proven && let Some(path) = &answer.possible {
                let kind = format!("{what} proven although a run shows it");
                let detail = format!("{id}: {verdict}, {}", subject.show(path));
                return Err(Wrong::new(&kind, command, detail));
            }
            let reading = if what == "property" { Reading::Possible } else { Reading::Known };
            if shown && self.verdicts.never(goal, reading) {
                let kind = format!("{what} covered although no run does");
                return Err(Wrong::new(&kind, command, id));
            }
        }
        Ok(())
    }
}

fn list(json: &Json) -> &[Json] {
    json.as_array().map_or(&[], Vec::as_slice)
}

fn strings(json: &Json) -> Vec<&str> {
    list(json).iter().filter_map(Json::as_str).collect()
}

/// A run as a table of inputs and outputs.
fn table(system: &System, test: &[Vec<Value>]) -> String {
    let shown: Vec<_> = system.inputs.iter().chain(&system.outputs).copied().collect();
    let names: Vec<&str> = shown.iter().map(|var| system.vars[*var].name.as_str()).collect();
    let mut text = names.join(",") + "\n";
    for values in run(system, test.iter().map(Vec::as_slice)).trace.steps {
        let row: Vec<String> = shown
            .iter()
            .map(|var| values[*var].show(system.vars[*var].ty, &system.enums))
            .collect();
        text += &(row.join(",") + "\n");
    }
    text
}
