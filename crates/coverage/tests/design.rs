//! Design errors: planted ones with their verdicts, and random models against all their runs.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use provoke_base::{Control, Random, SourceFile};
use provoke_coverage::WorkOptions;
use provoke_coverage::design::{DesignFindings, DesignVerdict, decide_design_errors};
use provoke_criteria::design::ArraySizes;
use provoke_criteria::{DesignReplay, NumberLimits};
use provoke_files::Model;
use provoke_model::{Range, RealWidth, System, Type, Value};
use provoke_testkit::random_system::{self, Shape};
use provoke_testkit::{files, repository};

fn limits(int_bits: u32) -> NumberLimits {
    NumberLimits { int_bits, real: RealWidth::Double }
}

fn decide(model: &Model, int_bits: u32) -> DesignFindings {
    let work = WorkOptions { effort: Some(1), jobs: Some(1), ..WorkOptions::default() };
    decide_design_errors(model, &limits(int_bits), &work, &Control::default()).expect("a solver")
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
    let values = |ty: Type| -> Vec<Value> {
        match ty {
            Type::Bool => vec![Value::Bool(false), Value::Bool(true)],
            Type::Enum(id) => {
                (0..system.enums[id].constants.len() as u32).map(Value::Enum).collect()
            }
            _ => {
                let bound = |int: &provoke_base::Int| int.to_i64().expect("a small number");
                (bound(&ints.low)..=bound(&ints.high)).map(Value::from).collect()
            }
        }
    };
    let mut rows = vec![Vec::new()];
    for input in &system.inputs {
        let var = &system.vars[*input];
        let values = values(var.ty);
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

#[test]
fn verdicts_on_random_models_agree_with_all_their_runs() {
    let (mut tried, mut counts) = (0, BTreeMap::new());
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let hazards = seed % 3 == 0;
        let shape =
            Shape { inputs: 2, defined: 4, depth: 2, only_bool: false, reals: false, hazards };
        let system = random_system::system(&mut random, shape);
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
