//! The encoder against the evaluator: a run that was computed must be the only one that the
//! encoding allows for its inputs and undefined values.

use std::path::PathBuf;

use provoke_base::{Int, Random, Rational, SourceFile};
use provoke_model::{MachineInt, Range, Type, Value};
use provoke_testkit::random_system::{self, Shape};
use provoke_testkit::{files, repository, shared};

use super::flaw::{FLAWS, Flaw};
use super::*;
use crate::evaluator::Evaluator;
use crate::form::{Occurrence, type_of};
use crate::solver::{Answer, Cvc5, Dialogue, Logic, QueryLimit, Solver, Z3};

const LIMIT: QueryLimit = QueryLimit { milliseconds: 10_000 };

/// Nodes under clocks, structs, arrays with computed indices, undefined values, divisions.
const NASTY: &str = "
type E = enum { A, B, C };
type P = struct { x: int; ok: bool };
node count(step: int; e: E) returns (n: int; p: P; u: bool);
let
  n = step -> pre n + step;
  p = if e = A then P { x = n; ok = true } else P { x = pre (n * 2 + 1); ok = pre u };
  u = pre (n > 3) or e = B;
  assert n < 12 and (step = 0 or 60 div step > -40);
tel
node twice(c: bool; i: int; e: E) returns (a: int[3]; q: P);
var n, m: int; p: P; u, v: bool;
let
  n, p, u = condact(c and i > 0, count(i, e), 7, P { x = i; ok = c }, pre c);
  m, q, v = count(n, if u then A else B);
  a = [n, m, pre n][i mod 3 := if v then 10 div i else 0];
tel
node main(c, d: bool; i: int; e: E; s: subrange [-2, 4] of int; r: real)
returns (o: int; same: bool; b: int[3]; w, k: bool; t: real; f: E);
var q, p: P; z: int[3];
let
  b, q = condact(d, twice(c, i, e), [1, 2, 3], P { x = 0; ok = false });
  z, p = twice(d, s, e);
  o = z[i] - b[s] * -i + s mod (if i = 0 then 3 else i) - floor(r);
  same = (q = p) xor (b <> z);
  w = d => not (c or (pre w and i >= s));
  k = pre c and i < s or i > 2 and (i <= s) = c;
  t = 0.5 -> if r > 1.0 then r / 3.0 else pre t - real(i) * -1.25;
  f = if e <> pre f then e else C;
  assert (pre o < 2) or c;
  assert r < 100.0;
tel
";

fn solver() -> Option<Box<dyn Solver>> {
    match (Cvc5::find(), Z3::find()) {
        (Ok(cvc5), _) => Some(Box::new(cvc5)),
        (_, Ok(z3)) => Some(Box::new(z3)),
        (Err(missing), _) => {
            provoke_testkit::skip(&missing.to_string());
            None
        }
    }
}

fn model(name: &str, text: &str) -> Option<Arc<Model>> {
    let file = SourceFile::new(name, text);
    Model::new(provoke_lustre::tree::read(&file, None, &[]).ok()?).ok().map(Arc::new)
}

fn draw(random: &mut Random, (ty, range): &(Type, Option<Range>), model: &Model) -> Value {
    match (ty, range) {
        (_, Some(range)) => Value::Int(random.between(&range.low, &range.high)),
        (Type::Bool, _) => Value::Bool(random.chance(1, 2)),
        (Type::Int, _) => Value::Int(Int::from(random.below(11) as i64 - 5)),
        (Type::Real, _) => {
            let numerator = Int::from(random.below(41) as i64 - 20);
            let denominator = Int::from(random.below(4) as i64 + 1);
            Value::Real(Rational::new(&numerator, &denominator).expect("not zero"))
        }
        (Type::Enum(id), _) => {
            Value::Enum(random.below(model.tree.types.enums[*id].constants.len()) as u32)
        }
    }
}

/// What was found by comparing runs.
#[derive(Default)]
struct Compared {
    steps: usize,
    faults: usize,
    broken: usize,
    unknown: usize,
}

/// A run: the values of its undefined occurrences, and the inputs of each step.
struct Run<'m> {
    whole: Evaluator<'m>,
    partial: Evaluator<'m>,
}

impl<'m> Run<'m> {
    /// Draws every undefined value, and tells both the evaluator and the encoder.
    fn new(model: &'m Model, random: &mut Random, encoder: &mut Encoder) -> (Run<'m>, String) {
        let mut whole = Evaluator::new(model);
        let mut text = String::new();
        let mut fix = |encoder: &mut Encoder, node, occurrence| {
            let ty = type_of(model, node);
            let value = draw(random, &ty, model);
            let name = encoder.constant(&encoder.occurrence_name(Side::Model, occurrence), ty);
            let _ = writeln!(text, "(assert (= {name} {}))", literal(&value));
            value
        };
        for (id, instance) in model.instances.entries() {
            for delay in &instance.delays {
                let node = Node::Part(id, delay.part);
                let value = fix(encoder, node, Occurrence::Written(id, delay.part));
                whole.set_undefined(id, delay.part, value);
                let memory = Node::Memory(id, delay.part);
                let value = fix(encoder, memory, Occurrence::Still(memory));
                whole.set_kept(id, delay.part, value);
            }
        }
        for var in model.vars.ids() {
            let value = fix(encoder, Node::Var(var), Occurrence::Still(Node::Var(var)));
            whole.set_held(var, value);
        }
        (Run { whole, partial: Evaluator::new(model) }, text)
    }
}

/// Whether the encoder tells the same as the evaluator about a random run.
fn agrees(
    solver: &dyn Solver,
    model: &Arc<Model>,
    random: &mut Random,
    steps: usize,
    flaw: Option<Flaw>,
    compared: &mut Compared,
) -> Result<(), String> {
    let mut encoder = Encoder::new(model, Start::OfRun);
    encoder.flaw = flaw;
    let (mut run, mut facts) = Run::new(model, random, &mut encoder);
    let mut differences = Vec::new();
    for time in FIRST..FIRST + steps {
        let inputs: Vec<Value> = model
            .inputs
            .iter()
            .map(|&var| draw(random, &type_of(model, Node::Var(var)), model))
            .collect();
        for (&var, value) in model.inputs.iter().zip(&inputs) {
            let name = encoder.input(var, time);
            let _ = writeln!(facts, "(assert (= {name} {}))", literal(value));
        }
        let step = encoder.step(time);
        let step = super::fault::and(&step.iter().map(String::as_str).collect::<Vec<_>>());
        let whole = run.whole.compute(&inputs);
        if whole.is_err() {
            compared.faults += 1;
            differences.push(step);
            break;
        }
        // A fault that is certain is one for every undefined value.
        run.partial.compute(&inputs).map_err(|fault| format!("{fault:?}"))?;
        let kept = run.partial.assertions().iter().all(|value| *value != Value::Bool(false));
        let kept_by_all = run.whole.assertions().iter().all(|value| *value != Value::Bool(false));
        compared.broken += usize::from(!kept);
        compared.unknown += usize::from(kept != kept_by_all);
        differences.push(format!("(distinct {kept} {step})"));
        for var in model.vars.ids() {
            let value = run.whole.value_of(var);
            let term = encoder.value(Side::Model, Node::Var(var), time);
            differences.push(format!("(distinct {term} {})", literal(&value)));
            let known = encoder.known(Side::Model, Node::Var(var), time);
            let partly = run.partial.value_of(var);
            assert!(!partly.is_known() || partly == value, "known values are those of all runs");
            differences.push(format!("(distinct {known} {})", partly.is_known()));
        }
        run.whole.advance();
        run.partial.advance();
        compared.steps += 1;
    }
    let outside = outside(model, &mut encoder);
    let mut talk = Dialogue::start(solver, Logic::Any, LIMIT)?;
    talk.tell(&encoder.take_text())?;
    talk.tell(&format!("(push 1)\n(assert (or false {}))\n", outside.join(" ")))?;
    if talk.check()? != Answer::Unsat {
        return Err("an input outside its type".to_string());
    }
    talk.tell("(pop 1)\n")?;
    talk.tell(&facts)?;
    match talk.check()? {
        Answer::Sat => {}
        other => return Err(format!("{other:?} for the values of the run")),
    }
    talk.tell(&format!("(assert (or false {}))\n", differences.join(" ")))?;
    match talk.check()? {
        Answer::Unsat => Ok(()),
        other => Err(format!("{other:?} for other values than those of the run")),
    }
}

/// Inputs that are outside their types.
fn outside(model: &Model, encoder: &mut Encoder) -> Vec<String> {
    let mut outside = Vec::new();
    for &var in &model.inputs {
        let name = encoder.input(var, FIRST);
        let bounds = match (&model.vars[var].range, model.vars[var].ty) {
            (Some(range), _) => (range.low.clone(), range.high.clone()),
            (None, Type::Enum(id)) => {
                let count = model.tree.types.enums[id].constants.len() as i64;
                (Int::ZERO, Int::from(count - 1))
            }
            _ => continue,
        };
        let [low, high] = [bounds.0, bounds.1].map(|bound| literal(&Value::Int(bound)));
        outside.push(format!("(< {name} {low}) (> {name} {high})"));
    }
    outside
}

/// Whether any window of a run is one for the encoder.
fn allows_windows(
    solver: &dyn Solver,
    model: &Arc<Model>,
    random: &mut Random,
) -> Result<(), String> {
    let mut encoder = Encoder::new(model, Start::Anywhere);
    let (mut run, facts) = Run::new(model, random, &mut encoder);
    let mut facts = facts.clone();
    let begins = random.below(4);
    let ends = begins + 3;
    for step in 0..ends {
        let inputs: Vec<Value> = model
            .inputs
            .iter()
            .map(|&var| draw(random, &type_of(model, Node::Var(var)), model))
            .collect();
        if run.whole.compute(&inputs).is_err()
            || run.partial.compute(&inputs).is_err()
            || run.partial.assertions().contains(&Value::Bool(false))
        {
            return Ok(());
        }
        if step + 1 >= begins {
            let time = step + 1 - begins;
            if time > GHOST {
                facts += &encoder
                    .step(time)
                    .iter()
                    .map(|a| format!("(assert {a})\n"))
                    .collect::<String>();
            }
            for var in model.vars.ids() {
                let term = encoder.value(Side::Model, Node::Var(var), time);
                let value = literal(&run.whole.value_of(var));
                let _ = writeln!(facts, "(assert (= {term} {value}))");
            }
        }
        run.whole.advance();
        run.partial.advance();
    }
    let first = encoder.first_step(FIRST);
    let _ = writeln!(facts, "(assert (= {first} {}))", begins == 0);
    let mut talk = Dialogue::start(solver, Logic::Any, LIMIT)?;
    talk.tell(&encoder.take_text())?;
    talk.tell(&facts)?;
    match talk.check()? {
        Answer::Sat => Ok(()),
        other => Err(format!("{other:?} for a window of a run")),
    }
}

fn model_files() -> Vec<PathBuf> {
    let mut paths = files(&repository().join("models"), "lus");
    paths.extend(files(&repository().join("testdata/ok"), "lus"));
    if let Some(folder) = shared("models/lustre/single_node") {
        let small = |path: &PathBuf| path.metadata().is_ok_and(|about| about.len() < 20_000);
        paths.extend(files(&folder, "lus").into_iter().filter(small));
    }
    paths
}

#[test]
fn real_models_are_encoded_as_they_run() {
    let Some(solver) = solver() else { return };
    let mut random = Random::new(3);
    let (mut count, mut compared) = (0, Compared::default());
    for path in model_files() {
        let here = path.display().to_string();
        let text = std::fs::read(&path).expect("a readable file");
        let Some(model) = model(&here, &String::from_utf8_lossy(&text)) else { continue };
        count += 1;
        for _ in 0..2 {
            let done = agrees(&*solver, &model, &mut random, 5, None, &mut compared);
            done.unwrap_or_else(|why| panic!("{here}: {why}"));
            let window = allows_windows(&*solver, &model, &mut random);
            window.unwrap_or_else(|why| panic!("{here}: {why}"));
        }
    }
    assert!(count >= 30 && compared.steps > 200, "{count} models, {} steps", compared.steps);
}

#[test]
fn random_systems_are_encoded_as_they_run() {
    let Some(solver) = solver() else { return };
    let mut random = Random::new(12);
    let mut compared = Compared::default();
    for round in 0..60 {
        let shape = Shape { hazards: round % 2 == 0, machines: round % 3 == 0, ..Shape::MIXED };
        let system = random_system::system(&mut random, shape);
        let text = provoke_lustre::print::print(&system).expect("short");
        let model = model("random.lus", &text).expect("a model");
        let done = agrees(&*solver, &model, &mut random, 4, None, &mut compared);
        done.unwrap_or_else(|why| panic!("{why}\n{text}"));
        let window = allows_windows(&*solver, &model, &mut random);
        window.unwrap_or_else(|why| panic!("{why}\n{text}"));
    }
    assert!(compared.faults >= 3, "only {} runs ended by a fault", compared.faults);
}

#[test]
fn clocks_arrays_and_undefined_values_are_encoded_as_they_run() {
    let Some(solver) = solver() else { return };
    let mut random = Random::new(5);
    let model = model("nasty.lus", NASTY).expect("a model");
    let mut compared = Compared::default();
    for _ in 0..40 {
        agrees(&*solver, &model, &mut random, 5, None, &mut compared).unwrap();
        allows_windows(&*solver, &model, &mut random).unwrap();
    }
    assert!(
        compared.faults > 2 && compared.unknown > 2,
        "{} {}",
        compared.faults,
        compared.unknown
    );
}

const WORDS: &str = "node words(a, b: int8; u, v: uint8; n: int)
    returns (sum, quotient, rest, both, shifted, changed: int8; either, moved, low: uint8);
    let
      sum = a + b; quotient = a div (int8 3); rest = a mod (int8 -3); both = a && b;
      shifted = a rsh u; changed = !a; either = u || v; moved = u lsh v; low = uint8 n;
    tel";

#[test]
fn faults_in_operators_on_machine_integers_are_noticed() {
    let Some(solver) = solver() else { return };
    let model = model("words.lus", WORDS).expect("a model");
    let (int8, uint8) = (MachineInt::signed(8), MachineInt::unsigned(8));
    let flaws = [
        Flaw::Unary(UnaryOp::Wrap(int8), "_"),
        Flaw::Unary(UnaryOp::Wrap(uint8), "(mod _ 255)"),
        Flaw::Unary(UnaryOp::BitNot(int8), "(- _)"),
        Flaw::Binary(BinaryOp::Quotient, "(div [ ])"),
        Flaw::Binary(BinaryOp::Remainder, "(mod [ ])"),
        Flaw::Binary(BinaryOp::BitAnd(int8), "["),
        Flaw::Binary(BinaryOp::BitOr(uint8), "(+ [ ])"),
        Flaw::Binary(BinaryOp::ShiftLeft(uint8), "["),
        Flaw::Binary(BinaryOp::ShiftRight(int8), "(div [ 2)"),
    ];
    let agrees = |random: &mut Random, flaw: Option<Flaw>| {
        agrees(&*solver, &model, random, 4, flaw, &mut Compared::default())
    };
    let mut random = Random::new(5);
    (0..10).for_each(|_| agrees(&mut random, None).unwrap());
    for flaw in flaws {
        assert!((0..10).any(|_| agrees(&mut random, Some(flaw)).is_err()), "{flaw:?}");
    }
}

#[test]
fn faults_in_the_encoder_are_noticed() {
    let Some(solver) = solver() else { return };
    let model = model("nasty.lus", NASTY).expect("a model");
    let mut missed = Vec::new();
    for flaw in FLAWS {
        let mut random = Random::new(5);
        let notices = |_| {
            let mut compared = Compared::default();
            agrees(&*solver, &model, &mut random, 4, Some(flaw), &mut compared).is_err()
        };
        if !(0..40).any(notices) {
            missed.push(flaw);
        }
    }
    assert!(missed.is_empty(), "{} of {} not noticed: {missed:?}", missed.len(), FLAWS.len());
}
