//! Design errors: planted ones with their verdicts, and random models against all their runs.

#![allow(clippy::print_stdout, reason = "a table is printed where it is asked for")]

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use provoke_base::{Control, Random, SourceFile};
use provoke_coverage::design::{DesignFindings, DesignVerdict, decide_design_errors, replayed};
use provoke_coverage::{
    CoverageTarget, GenerateOptions, IntegerWidth, MachineNumbers, MeasureOptions, TestedModel,
    WorkOptions, generate, measure, obligations, prove,
};
use provoke_criteria::design::ArraySizes;
use provoke_criteria::{DesignReplay, NumberLimits, design_errors};
use provoke_files::Model;
use provoke_model::{
    Arithmetic, IntWidth, MachineInt, Range, RealWidth, System, Type, Value, Var, VarId,
};
use provoke_results::{DesignErrorsResult, Verdicts, Word};
use provoke_sim::FixedSimulator;
use provoke_testkit::random_system::{self, Shape};
use provoke_testkit::{files, on_processor, repository};

fn limits(int_bits: u32) -> NumberLimits {
    NumberLimits { int_bits, real: RealWidth::Double }
}

fn decide(model: &Model, int_bits: u32) -> DesignFindings {
    let work = WorkOptions { effort: Some(1), jobs: Some(1), ..WorkOptions::default() };
    decide_design_errors(model, &limits(int_bits), &work, &Control::default()).expect("a solver")
}

/// Whether there is a solver; else that is counted.
fn solver_is_there() -> bool {
    let found = provoke_solve::z3::find();
    found.map_err(|missing| provoke_testkit::skip(&missing.to_string())).is_ok()
}

fn word(verdict: &DesignVerdict) -> &'static str {
    match verdict {
        DesignVerdict::Reached(_) => "reached",
        DesignVerdict::Absent(_) => "absent",
        DesignVerdict::Unknown { .. } => "unknown",
    }
}

/// What the first lines of a planted model expect for a width: ids with their verdicts, or `none`.
fn expected(text: &str, width: &str) -> BTreeMap<String, String> {
    let mut all = BTreeMap::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("--@ ")) {
        let mut words = line.splitn(3, ' ');
        let (of, verdict) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
        if let Some(id) = words.next().filter(|_| of == width || of == "both") {
            all.insert(id.to_string(), verdict.to_string());
        }
    }
    all
}

#[test]
fn planted_design_errors_have_the_verdicts_that_their_files_expect() {
    if !solver_is_there() {
        return;
    }
    let mut wrong = Vec::new();
    let paths = files(&repository().join("testdata/design"), "lus");
    assert!(paths.len() >= 30, "{} planted models", paths.len());
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a text");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let file = SourceFile::new(name.as_str(), text.as_str());
        let model = Model::read(&file, None, &[]).expect("a correct model");
        for (bits, width) in [(32, "32"), (64, "64")] {
            let found = decide(&model, bits);
            let verdicts: BTreeMap<&str, &str> = found
                .errors
                .iter()
                .zip(&found.verdicts)
                .map(|(error, verdict)| (error.id.as_str(), word(verdict)))
                .collect();
            if text.contains(&format!("--@ {width} none\n")) && !verdicts.is_empty() {
                wrong.push(format!("{name} {bits}: nothing can go wrong: {verdicts:?}"));
            }
            for (id, verdict) in expected(&text, width) {
                if verdicts.get(id.as_str()) != Some(&verdict.as_str()) {
                    wrong.push(format!("{name} {bits}: {id} should be {verdict}: {verdicts:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// How many states are visited at most before a random model is left out.
const MAX_STATES: usize = 3_000;

/// The design errors that some run has, by trying all; `None` if there are too many states.
fn by_trying_all(
    model: &Model,
    found: &DesignFindings,
    limits: &NumberLimits,
) -> Option<BTreeSet<usize>> {
    let (sizes, rows) = (ArraySizes::default(), all_rows(&model.system, limits));
    let mut replay = DesignReplay::new(&model.system, &found.errors, limits, &sizes);
    let mut known = std::collections::HashSet::from([replay.start()]);
    let mut open = VecDeque::from([replay.start()]);
    let mut occur = BTreeSet::new();
    while let Some(state) = open.pop_front() {
        for row in &rows {
            let (seen, after) = replay.step_from(&state, row);
            occur.extend(seen);
            if let Some(after) = after
                && known.insert(after.clone())
            {
                open.push_back(after);
            }
        }
        if known.len() > MAX_STATES {
            return None;
        }
    }
    Some(occur)
}

/// All inputs of a step.
fn all_rows(system: &System, limits: &NumberLimits) -> Vec<Vec<Value>> {
    let ints = limits.ints();
    let values = |var: &Var| -> Vec<Value> {
        match var.ty {
            Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Type::Enum(id) => {
                (0..system.enums[id].constants.len() as u32).map(Value::Enum).collect()
            }
            _ => {
                let bound = |int: &provoke_base::Int| int.to_i64().expect("a small number");
                let all = var.machine.map_or(ints.clone(), Range::from);
                (bound(&all.low)..=bound(&all.high)).map(Value::from).collect()
            }
        }
    };
    let mut rows = vec![Vec::new()];
    for input in &system.inputs {
        let var = &system.vars[*input];
        let values = values(var);
        let is_allowed =
            |value: &&Value| var.range.as_ref().is_none_or(|range: &Range| range.contains(value));
        let allowed: Vec<&Value> = values.iter().filter(is_allowed).collect();
        rows = rows
            .into_iter()
            .flat_map(|row: Vec<Value>| {
                allowed.iter().map(move |value| [row.clone(), vec![(*value).clone()]].concat())
            })
            .collect();
    }
    rows
}

/// The types that are tried: narrower and wider than `int` of 4 and 5 bits.
const WORDS: [MachineInt; 5] = [
    MachineInt::signed(3),
    MachineInt::unsigned(3),
    MachineInt::unsigned(4),
    MachineInt::signed(5),
    MachineInt::unsigned(5),
];

#[test]
fn verdicts_on_random_models_agree_with_all_their_runs() {
    agree_with_all_runs(60, Shape { inputs: 2, defined: 4, depth: 2, ..INTEGERS });
}

#[test]
fn verdicts_on_machine_integers_agree_with_all_their_runs() {
    let shape =
        Shape { inputs: 2, defined: 4, depth: 2, machines: true, words: &WORDS, ..INTEGERS };
    agree_with_all_runs(80, shape);
}

const INTEGERS: Shape = Shape { reals: false, ..Shape::MIXED };

fn agree_with_all_runs(seeds: u64, shape: Shape) {
    if !solver_is_there() {
        return;
    }
    let (mut tried, mut counts) = (0, BTreeMap::new());
    for seed in 0..seeds {
        let mut random = Random::new(seed);
        let system = random_system::system(&mut random, Shape { hazards: seed % 3 == 0, ..shape });
        let model = Model { file: SourceFile::new("random.lus", ""), system };
        for bits in [4, 5] {
            let found = decide(&model, bits);
            let Some(occur) = by_trying_all(&model, &found, &limits(bits)) else { continue };
            tried += 1;
            for (at, verdict) in found.verdicts.iter().enumerate() {
                let id = &found.errors[at].id;
                *counts.entry(word(verdict)).or_insert(0) += 1;
                match verdict {
                    DesignVerdict::Reached(_) => {
                        assert!(occur.contains(&at), "seed {seed}, {bits} bits: {id} is no error");
                    }
                    DesignVerdict::Absent(_) => {
                        assert!(!occur.contains(&at), "seed {seed}, {bits} bits: {id} occurs");
                    }
                    DesignVerdict::Unknown { .. } => {}
                }
            }
        }
    }
    let count = |word: &str| counts.get(word).copied().unwrap_or(0);
    assert!(tried > 40, "{tried} models are small enough");
    assert!(count("reached") > 30 && count("absent") > 30, "{counts:?}");
    assert!(count("unknown") * 5 < count("reached") + count("absent"), "{counts:?}");
}

/// What a replay with exact values calls an overflow or a division by zero is what the machine's own
/// numbers stumble over first.
#[test]
fn the_machine_stumbles_where_a_replay_says() {
    let arithmetic = Arithmetic { int: IntWidth::Bits32, real: RealWidth::Double };
    let (limits, sizes) = (limits(32), ArraySizes::default());
    let (mut stumbled, mut exact) = (0, 0);
    for seed in 0..150 {
        let shape = Shape { machines: true, inputs: 4, defined: 6, depth: 3, ..INTEGERS };
        let mut random = Random::new(seed);
        let system = random_system::system(&mut random, shape);
        let errors = design_errors(&system, &limits, &sizes);
        let mut replay = DesignReplay::new(&system, &errors, &limits, &sizes);
        if errors.iter().any(|error| error.text.parse::<i128>().is_ok()) {
            continue; // A constant that does not fit: there is no code.
        }
        for _ in 0..20 {
            let rows: Vec<Vec<Value>> =
                (0..6).map(|_| random_system::inputs(&mut random, &system)).collect();
            let mut machine = FixedSimulator::new(&system, arithmetic);
            for row in &rows {
                let word = |(var, value): (&VarId, &Value)| {
                    let int = system.vars[*var].machine.map_or(arithmetic.int, IntWidth::Machine);
                    Arithmetic { int, ..arithmetic }.word(value).expect("it fits")
                };
                let words: Vec<_> = system.inputs.iter().zip(row).map(word).collect();
                machine.step(&words);
            }
            let told: Vec<(usize, usize)> = replay.run(&rows);
            let ends = told.iter().find(|(_, error)| errors[*error].kind.ends_run());
            let step = ends.map(|(step, _)| *step);
            assert_eq!(machine.inexact().map(|it| it.step), step, "seed {seed}: {told:?}");
            let Some(first) = machine.inexact() else {
                exact += 1;
                continue;
            };
            stumbled += 1;
            let is_told = |(step, error): &(usize, usize)| {
                *step == first.step && errors[*error].exprs().any(|expr| expr == first.expr)
            };
            assert!(told.iter().any(is_told), "seed {seed}: {first:?} is not among {told:?}");
        }
    }
    assert!(stumbled > 200 && exact > 200, "{stumbled} stumbled, {exact} were exact");
}

const RATIO: &str = "node ratio(a, d: int) returns (percent, safe: int);
let
  percent = a div d;
  safe = if d > 0 then a mod d else 0;
  --%PROPERTY safe >= 0;
tel
";

fn ratio() -> Model {
    Model::read(&SourceFile::new("ratio.lus", RATIO), None, &[]).expect("a correct model")
}

fn options(folder: Option<std::path::PathBuf>) -> GenerateOptions {
    GenerateOptions {
        targets: vec![CoverageTarget::Errors],
        numbers: MachineNumbers { int: IntegerWidth::Bits32, ..MachineNumbers::default() },
        folder,
        work: WorkOptions { effort: Some(1), jobs: Some(1), ..WorkOptions::default() },
        ..GenerateOptions::default()
    }
}

/// The ids with their verdicts and the tests that reach them.
fn listed(errors: &DesignErrorsResult) -> Vec<(&str, &str, Option<&str>)> {
    let one = |error: &'_ provoke_results::DesignErrorResult| error.verdict.word();
    errors.list.iter().map(|it| (it.id.as_str(), one(it), it.test.as_deref())).collect()
}

#[test]
fn runs_that_reach_design_errors_are_a_suite_that_a_measurement_confirms() {
    if !solver_is_there() {
        return;
    }
    let model = ratio();
    let folder = std::env::temp_dir().join(format!("provoke-design-{}", std::process::id()));
    let made = generate(&model, None, &options(Some(folder.clone())), &Control::default());
    let errors = made.expect("a result").result.errors.expect("design errors");
    let expected = [
        ("div0:a div d", "reached", Some("e1")),
        ("overflow:a div d", "reached", Some("e2")),
        ("div0:a mod d", "absent", None),
    ];
    assert_eq!(listed(&errors), expected);
    assert_eq!((errors.total, errors.reached, errors.absent, errors.unknown), (3, 2, 1, 0));
    assert_eq!(errors.unlimited_inputs, ["a", "d"]);
    let place = &errors.list[0];
    assert_eq!((place.line, place.column, place.step), (3, 13, Some(1)), "no step too many");
    // What was written is what is told, and a report believes it because it sees it.
    let verdicts = std::fs::read_to_string(folder.join("verdicts.json")).expect("verdicts");
    let verdicts: Verdicts = serde_json::from_str(&verdicts).expect("as written");
    let kept = verdicts.errors.expect("design errors");
    assert_eq!(replayed(&model, &[], kept.clone()), kept);
    let suite = std::fs::read(folder.join("errors.json")).expect("a suite");
    std::fs::remove_dir_all(&folder).expect("a folder of this test");
    let suite = provoke_coverage::tests::read("errors.json", &suite, None, &model.system);
    let suite = suite.expect("a suite").suite;
    let (targets, counting) = ([CoverageTarget::Errors], options(None).counting);
    let subject = TestedModel::new(model, suite, &targets, counting, "output").expect("a suite");
    let numbers = options(None).numbers;
    let measured = measure(&subject, &MeasureOptions { numbers, ..MeasureOptions::default() });
    let errors = measured.expect("a measurement").errors.expect("design errors");
    assert_eq!(listed(&errors)[..2], expected[..2]);
    assert_eq!((errors.reached, errors.unknown), (2, 1), "tests prove nothing");
}

#[test]
fn design_errors_are_listed_as_obligations() {
    let targets = [CoverageTarget::Errors];
    let listed = obligations(&ratio(), &targets, options(None).counting).expect("a list");
    let ids: Vec<&str> = listed.errors.iter().map(|error| error.id.as_str()).collect();
    assert_eq!(ids, ["div0:a div d", "overflow:a div d", "div0:a mod d"]);
    assert_eq!((listed.count, listed.errors[2].line), (3, 4));
}

#[test]
fn a_run_that_shows_nothing_is_not_believed() {
    if !solver_is_there() {
        return;
    }
    let model = ratio();
    let made = generate(&model, None, &options(None), &Control::default()).expect("a result");
    let mut errors = made.result.errors.expect("design errors");
    assert_eq!(errors.list[0].inputs[1].values, ["0"]);
    errors.list[0].inputs[1].values[0] = "1".to_string();
    let seen = replayed(&model, &[], errors);
    assert_eq!((seen.reached, seen.unknown), (1, 1));
    assert_eq!(seen.list[0].reason.as_deref(), Some("its run does not show it"));
}

#[test]
fn prove_decides_design_errors_beside_properties() {
    if !solver_is_there() {
        return;
    }
    let GenerateOptions { numbers, work, .. } = options(None);
    let proven = prove(&ratio(), Some(numbers), None, &work, &Control::default());
    let result = proven.expect("a result").result;
    assert_eq!((result.properties.total, result.properties.holds), (1, 1));
    assert_eq!(result.errors.expect("design errors").reached, 2);
}

/// Prints a table; `DESIGN_MODELS` names another folder than that of the example models.
#[test]
#[ignore = "takes minutes; prints a table over models"]
fn design_errors_of_models() {
    if !solver_is_there() {
        return;
    }
    let folder = std::env::var_os("DESIGN_MODELS");
    let folder = folder.map_or_else(|| repository().join("models"), Into::into);
    for path in files(&folder, "lus") {
        let text = std::fs::read_to_string(&path).expect("a text");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let file = SourceFile::new(name.as_str(), text.as_str());
        let Ok(model) = Model::read(&file, None, &[]) else { continue };
        let start = on_processor().unwrap_or(0.0);
        let found = decide(&model, 64);
        let count = |which| found.verdicts.iter().filter(|it| word(it) == which).count();
        let (reached, absent) = (count("reached"), count("absent"));
        let (unknown, seconds) = (count("unknown"), on_processor().unwrap_or(0.0) - start);
        println!(
            "{name}: {reached} reached, {absent} absent, {unknown} unknown, {seconds:.1} s on the processor"
        );
    }
}

/// A constant of `uint64` was once called an overflow, and inputs were limited to the profile's integers.
#[test]
fn machine_integers_are_judged_by_their_own_types() {
    if !solver_is_there() {
        return;
    }
    let text = "node m(a: uint64; b: uint8; x, y: int) returns (s: uint64; n, t: int; w: int8);\nlet\n  \
                s = a + uint64 18446744073709551615;\n  n = int a;\n  t = (int b) + 1;\n  \
                w = int8 (x + y);\ntel\n";
    let file = SourceFile::new("wide.lus", text);
    let model = Model::read(&file, None, &[]).expect("a model");
    let found = decide(&model, 64);
    let listed: Vec<(&str, &str)> = found
        .errors
        .iter()
        .zip(&found.verdicts)
        .map(|(it, is)| (it.id.as_str(), word(is)))
        .collect();
    let expected = [
        ("wrap:a + 18446744073709551615", "reached"),
        ("overflow:a", "reached"),
        ("overflow:b + 1", "absent"),
        ("overflow:x + y", "reached"),
        ("wrap:x + y", "reached"),
    ];
    assert_eq!(listed, expected);
}
