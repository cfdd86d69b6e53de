//! The audit's evaluator over the tree against the reference interpreter over the flat system:
//! two programs that share neither expansion nor operators.

mod support;

use provoke_audit::Model;
use provoke_audit::evaluator::Evaluator;
use provoke_base::{Random, SourceFile};
use provoke_model::{System, Value};
use provoke_sim::interpreter::{Breach, Simulator};
use provoke_testkit::random_system::{self, Shape};
use provoke_testkit::shared;
use support::{draw, file, model, models};

/// Runs both and compares every variable, every assertion and every fault; the steps compared.
fn cosimulate(
    here: &str,
    system: &System,
    model: &Model,
    names: &dyn Fn(&str) -> String,
    random: &mut Random,
    steps: usize,
) -> usize {
    let mut simulator = Simulator::new(system);
    let mut evaluator = Evaluator::new(model);
    let unknown = random.chance(1, 2);
    for step in 0..steps {
        let inputs: Vec<Value> = system
            .inputs
            .iter()
            .map(|var| {
                let var = &system.vars[*var];
                draw(random, var.ty, var.range.as_ref(), unknown)
            })
            .collect();
        let expected = simulator.step(&inputs);
        let found = evaluator.compute(&inputs);
        assert_eq!(expected.is_ok(), found.is_ok(), "{here} step {step}: {expected:?} {found:?}");
        let Ok(breaches) = expected else { return step };
        for (id, var) in system.vars.entries() {
            let name = names(&var.name);
            let named = model.named(&name).unwrap_or_else(|| panic!("{here}: {name}"));
            let value = evaluator.named(named);
            assert_eq!(simulator.values()[id], value, "{here} step {step}: {name}");
        }
        for (position, value) in evaluator.assertions().iter().enumerate() {
            let broken = breaches.contains(&Breach::Assumption(position));
            assert_eq!(broken, *value == Value::Bool(false), "{here} step {step}");
        }
        evaluator.advance();
    }
    steps
}

#[test]
fn real_models_do_the_same_in_both() {
    let (mut compared, mut steps) = (0, 0);
    let mut random = Random::new(19);
    for path in models() {
        let file = file(&path);
        let Some(system) = provoke_lustre::load(&file, None).system else { continue };
        let model = model(&file);
        // A flat system has at least one variable, even if nobody declared any.
        if model.vars.is_empty() {
            continue;
        }
        let here = path.display().to_string();
        for _ in 0..4 {
            steps += cosimulate(&here, &system, &model, &str::to_string, &mut random, 25);
        }
        compared += 1;
    }
    assert!(compared >= 50 && steps > 2_000, "only {compared} models, {steps} steps");
}

#[test]
fn random_systems_do_the_same_in_both() {
    let mut random = Random::new(7);
    let mut faults = 0;
    for round in 0..1_500 {
        let shape = Shape { hazards: round % 2 == 0, machines: round % 3 == 0, ..Shape::MIXED };
        let system = random_system::system(&mut random, shape);
        let text = provoke_lustre::print::print(&system).expect("short");
        let file = SourceFile::new("random.lus", text);
        let model = model(&file);
        let plain = provoke_lustre::print::with_plain_names(&system);
        let here = file.text.clone();
        let done = cosimulate(&here, &plain, &model, &str::to_string, &mut random, 12);
        faults += usize::from(done < 12);
    }
    assert!(faults > 50, "only {faults} runs ended by a fault");
}

/// Nodes under clocks, structs, arrays with computed indices and undefined values, all at once.
const NASTY: &str = "
type E = enum { A, B };
type P = struct { x: int; ok: bool };
node count(step: int; e: E) returns (n: int; p: P; u: bool);
let
  n = step -> pre n + step;
  p = if e = A then P { x = n; ok = true } else P { x = pre (n * 2 + 1); ok = pre u };
  u = pre (n > 3) or e = B;
  assert n > -100;
tel
node twice(c: bool; i: int; e: E) returns (a: int[3]; q: P);
var n, m: int; p: P; u, v: bool;
let
  n, p, u = condact(c and i > 0, count(i, e), 7, P { x = i; ok = c }, pre c);
  m, q, v = count(n, if u then A else B);
  a = [n, m, pre n][i mod 3 := if v then 10 div i else 0];
tel
node main(c, d: bool; i: int; e: E; s: subrange [-2, 4] of int)
returns (o: int; same: bool; b: int[3]; w: bool);
var q, r: P; z: int[3];
let
  b, q = condact(d, twice(c, i, e), [1, 2, 3], P { x = 0; ok = false });
  z, r = twice(d, s, e);
  o = b[i] + z[s] + [4, 5, 6][i mod 2];
  same = (q = r) or b <> z;
  w = condact(true, not_(c), false) => pre q.ok;
  assert not c or i <= 1000000;
  --%PROPERTY o >= 0 or c;
tel
node not_(x: bool) returns (y: bool); let y = not x; tel
--%MAIN
";

#[test]
fn clocks_structs_and_arrays_do_the_same_in_both() {
    let file = SourceFile::new("nasty.lus", NASTY.replace("--%MAIN\n", ""));
    let system = provoke_lustre::load(&file, Some("main")).system.expect("a system");
    let tree = provoke_lustre::tree::read(&file, Some("main"), &[]).expect("a tree");
    let model = Model::new(tree).expect("small");
    let mut random = Random::new(3);
    let mut steps = 0;
    for _ in 0..600 {
        steps += cosimulate("nasty", &system, &model, &str::to_string, &mut random, 20);
    }
    assert!(steps > 2_000, "only {steps} steps");
}

#[test]
fn golden_traces_are_reproduced() {
    let (Some(golden), Some(models)) = (shared("golden"), shared("models/lustre")) else { return };
    let mut compared = 0;
    for trace in provoke_testkit::files(&golden, "csv") {
        let stem = trace.file_stem().expect("a file").to_string_lossy().into_owned() + ".lus";
        let folders = ["single_node", "multi_node", "jkind"];
        let mut candidates = folders.iter().map(|folder| models.join(folder).join(&stem));
        let path = candidates.find(|path| path.exists()).expect("a model");
        let model = model(&file(&path));
        compared +=
            usize::from(reproduce(&stem, &model, &std::fs::read_to_string(&trace).unwrap()));
    }
    assert!(compared >= 50, "only {compared} traces");
}

fn reproduce(here: &str, model: &Model, text: &str) -> bool {
    let mut lines = text.lines();
    let columns: Vec<_> = lines.next().expect("a header").split(',').collect();
    let vars: Vec<_> = columns
        .iter()
        .map(|name| model.var_named(name).unwrap_or_else(|| panic!("{name}")))
        .collect();
    let mut evaluator = Evaluator::new(model);
    for (step, line) in lines.enumerate() {
        let read = |position: usize| {
            let var = &model.vars[vars[position]];
            let cell = line.split(',').nth(position).expect("a cell");
            Value::parse(cell, var.ty, &model.tree.types.enums).expect("a value")
        };
        let place = |input| vars.iter().position(|var| *var == input).expect("a column");
        let inputs: Vec<Value> = model.inputs.iter().map(|input| read(place(*input))).collect();
        evaluator.compute(&inputs).expect("no fault");
        for (position, var) in vars.iter().enumerate() {
            let found = evaluator.value_of(*var);
            // What is undefined is the other implementation's choice.
            assert!(
                !found.is_known() || found == read(position),
                "{here} step {step}: {}",
                columns[position]
            );
        }
        evaluator.advance();
    }
    true
}
