//! What programs read of every command, byte by byte: results as JSON, the suites and tables beside them, and
//! exit codes. `PROVOKE_UPDATE=1` writes them anew; a change of one is a change for everybody who reads it.

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use provoke_results::{Word, contracts, schema_of};
use provoke_testkit::{check_snapshot, repository, skip};
use support::{command, scratch, solver_is_there};

/// A command with what it is called here, how it ends, and the files whose bytes are compared as well.
struct Case {
    name: &'static str,
    exit: i32,
    words: &'static str,
    files: &'static [&'static str],
    /// Whether its result is the same on every machine.
    is_repeatable: bool,
}

const fn case(name: &'static str, exit: i32, words: &'static str) -> Case {
    Case { name, exit, words, files: &[], is_repeatable: true }
}

impl Case {
    const fn with(self, files: &'static [&'static str]) -> Case {
        Case { files, ..self }
    }

    /// A result with versions or rates of this machine in it.
    const fn local(self) -> Case {
        Case { is_repeatable: false, ..self }
    }
}

/// In this order: later commands read what earlier ones have written.
const CASES: [Case; 46] = [
    case("check", 0, "check door.lus"),
    case("check-wrong", 3, "check wrong.lus"),
    case("simulate", 1, "simulate door.lus -i door.csv --expect door.csv"),
    case("simulate-random", 0, "simulate door.lus --steps 4 --seed 7"),
    case("transform", 0, "transform door.lus --inline full"),
    case("obligations", 0, "obligations door.lus -c omcdc"),
    case("generate", 1, "generate door.lus -c omcdc,properties -o generated").with(&[
        "generated/suite.json",
        "generated/verdicts.json",
        "generated/settings.json",
        "generated/certificates.txt",
    ]),
    case("generate-published", 0, "generate door.lus -c omcdc --as-published"),
    case("prove", 1, "prove door.lus -o proven").with(&["proven/verdicts.json"]),
    case("explain", 0, "explain motor* generated"),
    case("audit", 0, "audit generated"),
    case("measure", 1, "measure door.lus door.csv -c mcdc,omcdc --exact step --suggest-oracle 2"),
    case("measure-kept", 1, "measure door.lus door.csv -o measured").with(&[
        "measured/suite.json",
        "measured/verdicts.json",
        "measured/settings.json",
        "measured/certificates.txt",
    ]),
    case("reduce", 0, "reduce door.lus generated/suite.json -c mcdc -o small.json --method exact")
        .with(&["small.json"]),
    case("mutants", 0, "mutate door.lus --list --sample 12"),
    case("mutate", 0, "mutate door.lus generated/suite.json --sample 30 --equivalence -o mutated"),
    case("convert", 0, "convert generated/suite.json -o suite.csv").with(&["suite.csv"]),
    case("codegen", 0, "codegen door.lus -o code"),
    case("shard-1", 0, "generate door.lus --shard 1/2 -o shard1"),
    case("shard-2", 0, "generate door.lus --shard 2/2 -o shard2"),
    case("merge", 0, "merge shard1 shard2 -o merged"),
    case("run-fails", 1, "run late.json --on door.toml --mode direct -o failed")
        .with(&["failed/junit.xml", "failed/interactions.csv", "failed/events.csv"]),
    case("calibrate", 0, "calibrate --on door.toml --samples 20"),
    case("run", 0, "run generated/suite.json --on door.toml -o ran").with(&["ran/junit.xml"]),
    case("run-errs", 4, "run door.csv --on door.toml -o erred")
        .with(&["erred/junit.xml", "erred/interactions.csv"]),
    case("report", 0, "report generated measured mutated ran failed erred -o evidence.json"),
    case("report-junit", 0, "report generated measured ran failed erred -o report.xml")
        .with(&["report.xml"]),
    case("timed-check", 0, "timed check lamp.xml"),
    case("timed-verify", 1, "timed verify lamp.xml -o timed/verify.json"),
    case("timed-estimate", 0, "timed estimate lamp.xml --seed 3 -q Pr[<=60](<>Lamp.Bright)"),
    case("timed-simulate", 0, "timed simulate lamp.xml --show Lamp.y --time 20 --seed 5"),
    case("timed-csv", 0, "timed simulate lamp.xml --show Lamp.y --time 20 -o timed/run.csv")
        .with(&["timed/run.csv"]),
    case("timed-generate", 0, "timed generate temperature.xml -o timed/tests.json"),
    case("timed-stochastic", 0, "timed stochastic temperature.xml temperature.tests --runs 500 -o timed")
        .with(&["timed/suite.json"]),
    case("timed-run", 0, "timed run timed/suite.json --on temperature.xml"),
    case("timed-mutate", 0, "timed mutate temperature.xml timed/suite.json --operators restrict"),
    case("mine-init", 0, "mine --init bell.c"),
    case("mine-target", 0, "mine --init bell.c -o bell.toml"),
    case("mine", 0, "mine bell.toml --method exhaustive --no-coverage --no-sanitize -o mined")
        .with(&["mined/suite.json"]),
    case("project", 0, "project provoke.toml"),
    case("man", 0, "man -o man"),
    case("doctor", 0, "doctor").local(),
    case("study", 0, "study observability --models door.lus --quick --method random -c mcdc --forms given -o study")
        .local(),
    case("study-platform", 0, "study platform door.lus door.csv --runs 1 --changes 2 --mutants 2 -o platform")
        .with(&["platform/platform.csv", "platform/missed.csv"]),
    case("study-stochastic", 0, "study stochastic --quick --models temperature.xml -o stochastic")
        .local()
        .with(&["stochastic/rq1.csv", "stochastic/power.svg"]),
    case("study-mining", 0, "study mining --targets bell.toml --effort 1 --methods exhaustive -o mining")
        .local(),
];

/// Where everything was run, once for all tests here, and what each command said.
struct Played {
    folder: PathBuf,
    said: Vec<String>,
}

/// The results, or nothing where no solver is installed.
fn played() -> Option<&'static Played> {
    static PLAYED: OnceLock<Option<Played>> = OnceLock::new();
    PLAYED.get_or_init(|| solver_is_there().then(play)).as_ref()
}

fn play() -> Played {
    let folder = scratch("contract");
    let own = repository().join("crates/cli/tests/contract/files");
    let timed = repository().join("models/timed");
    let given = std::fs::read_dir(&own).expect("files").map(|entry| entry.expect("a file").path());
    let networks =
        ["lamp.xml", "temperature.xml", "temperature.tests"].map(|name| timed.join(name));
    for path in given.chain(networks) {
        std::fs::copy(&path, folder.join(path.file_name().expect("a name"))).expect("a copy");
    }
    hide_clang(&folder);
    let said = CASES.iter().map(|case| run(case, &folder)).collect();
    Played { folder, said }
}

/// The folder of tools that stand before the machine's.
const TOOLS: &str = "tools";

/// What is mined depends on what the compiler can measure, so results here are those without clang.
fn hide_clang(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    let tools = folder.join(TOOLS);
    std::fs::create_dir_all(&tools).expect("a folder");
    let clang = tools.join(provoke_mine::compile::CLANG);
    std::fs::write(&clang, "#!/bin/sh\nexit 1\n").expect("a file");
    std::fs::set_permissions(&clang, std::fs::Permissions::from_mode(0o755)).expect("a program");
}

fn run(case: &Case, folder: &Path) -> String {
    let words: Vec<&str> = case.words.split(' ').chain(["--format", "json"]).collect();
    let others = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{others}", folder.join(TOOLS).display());
    let ran = command(&words).current_dir(folder).env("PATH", path).output();
    let ran = ran.expect("the program starts");
    let messages = String::from_utf8_lossy(&ran.stderr);
    assert_eq!(ran.status.code(), Some(case.exit), "{}: {messages}", case.name);
    String::from_utf8(ran.stdout).expect("text")
}

/// A text without what differs from run to run: times, and the versions of what is installed.
fn lasting(text: &str) -> String {
    let lasting = |line: &str| {
        let head = line.split_inclusive("\": ").next().unwrap_or(line);
        let comma = if line.ends_with(',') { "," } else { "" };
        match head.trim_start() {
            "\"seconds\": " => format!("{head}0.0{comma}\n"),
            // The hashes of files that say how long something took.
            "\"settings.json\": " | "\"mutants.json\": " => format!("{head}\"SHA-256\"{comma}\n"),
            // A report says how long runs took, too.
            "\"bytes\": " => format!("{head}0{comma}\n"),
            // Whether there is another solver than Z3 is a matter of the machine, too.
            "\"by_z3_alone\": " => format!("{head}0{comma}\n"),
            "\"solver\": " if line.contains("cvc5 ") || line.contains("Z3 ") => {
                format!("{head}\"SOLVERS\"{comma}\n")
            }
            _ => format!("{line}\n"),
        }
    };
    text.lines().map(lasting).collect()
}

fn golden(name: &str) -> PathBuf {
    repository().join("crates/cli/tests/contract").join(name)
}

#[test]
fn every_result_is_as_it_was() {
    let Some(Played { folder, said }) = played() else { return };
    for (case, said) in CASES.iter().zip(said) {
        if case.is_repeatable {
            check_snapshot(&golden(&format!("{}.json", case.name)), &lasting(said));
        }
        for file in case.files {
            let text = std::fs::read_to_string(folder.join(file)).expect("a file that was written");
            check_snapshot(&golden(&file.replace('/', "-")), &lasting(&text));
        }
    }
}

/// All JSON that was said or written and that is under a contract: where it is, what it says, and its schema.
fn under_contract(played: &Played) -> Vec<(PathBuf, String, String)> {
    let said = played.folder.join("said");
    std::fs::create_dir_all(&said).expect("a folder");
    for (case, text) in CASES.iter().zip(&played.said) {
        std::fs::write(said.join(format!("{}.json", case.name)), text).expect("a file");
    }
    let known: BTreeSet<&str> = contracts().iter().map(|contract| contract.schema).collect();
    let mut found = Vec::new();
    let mut folders = vec![played.folder.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "json") {
                let text = std::fs::read_to_string(&path).expect("text");
                let schema = schema_of(&text).ok().flatten().unwrap_or_default();
                if known.contains(schema.as_str()) {
                    found.push((path, text, schema));
                }
            }
        }
    }
    found.sort();
    found
}

/// `demo` takes half a minute; the book's test holds its result against the same types.
const ELSEWHERE: [&str; 1] = ["provoke/demo/1"];

#[test]
fn every_contract_is_met_by_a_command() {
    let Some(played) = played() else { return };
    let met: BTreeSet<String> =
        under_contract(played).into_iter().map(|(_, _, schema)| schema).collect();
    for contract in contracts() {
        let schema = contract.schema;
        assert!(met.contains(schema) || ELSEWHERE.contains(&schema), "nothing said {schema}");
    }
}

#[test]
fn what_commands_write_is_read_back() {
    let Some(played) = played() else { return };
    let all = contracts();
    for (path, text, schema) in under_contract(played) {
        let contract = all.iter().find(|contract| contract.schema == schema).expect("known");
        let again = (contract.rewrite)(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        // How suites and machines are broken into lines is a matter of their writers.
        if ["provoke/suite/1", "provoke/machine/1"].contains(&schema.as_str()) {
            let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
            assert_eq!(value(&again), value(&text), "{}", path.display());
        } else {
            assert_eq!(again, text, "{}", path.display());
        }
    }
}

/// Runs the validator of others on files; what it says, and whether it found nothing wrong.
fn validated(python: &Path, files: &[PathBuf]) -> (String, bool) {
    let mut command = Command::new(python);
    command.args(["-W", "ignore"]).arg(golden("validate.py")).arg(repository().join("schemas"));
    let ran = command.args(files).output().expect("python starts");
    let said = String::from_utf8_lossy(&[ran.stdout, ran.stderr].concat()).into_owned();
    (said, ran.status.success())
}

#[test]
fn an_independent_validator_accepts_every_result() {
    let Some(played) = played() else { return };
    let install = Command::new(repository().join("scripts/install-jsonschema.sh")).output();
    let install = install.expect("a shell");
    if !install.status.success() {
        return skip(&format!("no jsonschema: {}", String::from_utf8_lossy(&install.stderr)));
    }
    let python = repository().join("target/jsonschema/bin/python");
    let files: Vec<PathBuf> = under_contract(played).into_iter().map(|(path, ..)| path).collect();
    let (said, is_valid) = validated(&python, &files);
    assert!(is_valid, "{said}");
    assert!(said.contains(&format!("{} validated", files.len())), "{said}");
    // The validator is no rubber stamp: a number that became a text, and a word that is no verdict.
    for (from, to) in
        [("\"tests\": ", "\"tests\": \"1\", \"more\": "), ("\"covered\"", "\"nearly\"")]
    {
        let text = std::fs::read_to_string(played.folder.join("said/generate.json"));
        let broken = text.expect("a result").replacen(from, to, 1);
        let path = played.folder.join("broken.txt");
        std::fs::write(&path, broken).expect("a file");
        let (said, is_valid) = validated(&python, &[path]);
        assert!(!is_valid && said.contains("$."), "{to}: {said}");
    }
}

#[test]
fn engines_use_the_words_of_the_contract() {
    use provoke_results as results;
    fn same<W: Word>(engine: &[&str]) {
        let lacking: Vec<_> = engine.iter().filter(|word| W::named(word).is_none()).collect();
        assert!(lacking.is_empty(), "no words of the contract: {lacking:?}");
    }
    same::<results::MethodWord>(&provoke_testgen::GenerationMethod::ALL.map(|one| one.word()));
    same::<results::SourceWord>(&provoke_testgen::TestSource::ALL.map(|one| one.word()));
    same::<results::MaskingWord>(&provoke_criteria::Masking::ALL.map(|one| one.word()));
    same::<results::ModeWord>(&provoke_exec::Mode::ALL.map(|one| one.word()));
    same::<results::MiningWord>(&provoke_mine::MiningMethod::ALL.map(|one| one.word()));
    same::<results::ProverWord>(&provoke_solve::engine::Engine::ALL.map(|one| one.word()));
    same::<results::SolverWord>(&provoke_solve::engine::SolverChoice::ALL.map(|one| one.word()));
    use provoke_criteria::{Counting, ExactChange, ObligationKind};
    let kinds = [
        ObligationKind::Condition,
        ObligationKind::Decision,
        ObligationKind::Branch,
        ObligationKind::Property,
    ];
    same::<results::KindWord>(&kinds.map(|one| one.word()));
    same::<results::ExactWord>(&[ExactChange::Step, ExactChange::Stuck].map(|one| one.word()));
    same::<results::CountingWord>(&[Counting::Published, Counting::Precise].map(|one| one.word()));
    use provoke_exec::ExecutionVerdict;
    let verdicts = [
        ExecutionVerdict::Pass,
        ExecutionVerdict::Fail,
        ExecutionVerdict::Inconclusive,
        ExecutionVerdict::Error,
    ];
    same::<results::TestVerdictWord>(&verdicts.map(|one| one.word()));
    use provoke_mutate::MissStage;
    let stages =
        [MissStage::Unreached, MissStage::Reached, MissStage::Infected, MissStage::Propagated];
    same::<results::StageWord>(&stages.map(|one| one.word()));
    use provoke_oracle::UioKind;
    let sequences = [UioKind::Single, UioKind::Composed, UioKind::Separating];
    same::<results::SequenceWord>(&sequences.map(|one| one.word()));
}
