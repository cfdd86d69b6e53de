//! Statements, clocks and contracts mean what their hand-written translations say, and have the verdicts
//! that were worked out by hand.

use std::time::Duration;

use provoke_base::{Control, SourceFile};
use provoke_coverage::{GenerateOptions, WorkOptions, generate, prove};
use provoke_files::Model;
use provoke_model::Value;

fn model(text: &str) -> Model {
    let file = SourceFile::new("main.lus", text);
    Model::read(&file, None, &[]).unwrap_or_else(|rejected| {
        let errors: Vec<String> =
            rejected.diagnostics.iter().map(|one| one.render(&file, false)).collect();
        panic!("{}", errors.join("\n"))
    })
}

/// How many properties hold, are violated and are open.
fn totals(text: &str) -> (usize, usize, usize) {
    let budget = Some(Duration::from_secs(20));
    let work = WorkOptions { budget, jobs: Some(1), ..WorkOptions::default() };
    let outcome = prove(&model(text), None, None, &work, &Control::default()).expect("a verdict");
    let found = outcome.result.properties;
    (found.holds, found.violated, found.unknown)
}

fn solver_is_there() -> bool {
    let found = provoke_solve::z3::find();
    found.map_err(|missing| provoke_testkit::skip(&missing.to_string())).is_ok()
}

const HELPERS: &str = "
node sum(x: int) returns (s: int); let s = x + (0 -> pre s); tel
node last_of(x: int) returns (y: int); let y = 7 -> pre x; tel
type state = enum { on, off, idle };
function twice(x: int) returns (y: int); let y = 2 * x; tel
";

/// A name, a body with inputs `c, d: bool; x: int; s: state` and output `y: int`, and what it stands for.
const TWINS: &[(&str, &str, &str)] = &[
    (
        "a lazy branch has a time of its own",
        "let y = when c then 0 -> pre x else 9; tel",
        "var seen: bool; held: int;
         let seen = false -> pre (c or seen); held = if c then x else (0 -> pre held);
             y = if c then (if seen then pre held else 0) else 9; tel",
    ),
    (
        "a call in a lazy branch is activated by it",
        "let y = when c then sum(x) else 0; tel",
        "let y = if c then condact(c, sum(x), 0) else 0; tel",
    ),
    (
        "nested lazy branches",
        "let y = when c then (when d then sum(x) else 1) else 2; tel",
        "let y = if c then (if d then condact(c and d, sum(x), 0) else 1) else 2; tel",
    ),
    (
        "a lazy implication without a past is an implication",
        "let y = if (c ==> x > 0) then 1 else 0; tel",
        "let y = if (c => x > 0) then 1 else 0; tel",
    ),
    (
        "an if block",
        "let if c then y = x; elsif d then y = 1; else y = sum(x); fi tel",
        "let y = if c then x else if d then 1 else sum(x); tel",
    ),
    (
        "a frame holds what a branch leaves out",
        "let frame (y) y = 5; let if c then y = x; fi tel tel",
        "let y = if c then x else (5 -> pre y); tel",
    ),
    (
        "last is the step before, also where a branch was not taken",
        "let frame (y) y = 0; let when c then y = last y + 1; else y = last y - 1; end tel tel",
        "let y = if c then (0 -> pre y) + 1 else (0 -> pre y) - 1; tel",
    ),
    (
        "a block of several variables is activated as one call",
        "var a: int;
         let frame (a, y) a = 0; y = 0; let when c then a, y = two(x); end tel tel",
        "let y = condact(c, sum(x), 0); tel",
    ),
    (
        "a merge of truth values",
        "let y = merge(c; x when c; 0 when not c); tel",
        "let y = if c then x else 0; tel",
    ),
    (
        "a bare call in a merge is activated by its case",
        "let y = merge(c; sum(x); 3); tel",
        "let y = if c then condact(c, sum(x), 0) else 3; tel",
    ),
    (
        "a merge of an enumeration",
        "let y = merge s (on -> x) (idle -> sum(x)) (off -> 2); tel",
        "let y = if s = on then x else if s = off then 2 else condact(s = idle, sum(x), 0); tel",
    ),
    (
        "activate with defaults is condact",
        "let y = (activate sum every c initial default (4))(x); tel",
        "let y = condact(c, sum(x), 4); tel",
    ),
    (
        "restart begins anew",
        "let y = (restart sum every c)(x); tel",
        "let y = x + (if c then 0 else (0 -> pre y)); tel",
    ),
    (
        "restart under activate counts when active",
        "let y = (activate sum every d initial default (0) restart every c)(x); tel",
        "let y = if d then x + (if c then 0 else (0 -> pre y)) else (0 -> pre y); tel",
    ),
    (
        "nested instances are restarted too",
        "let y = (restart outer every c)(x); tel",
        "let y = x + (if c then 0 else (0 -> pre y)); tel",
    ),
    (
        "a function is a node without memory",
        "let y = twice(x) + twice(1); tel",
        "let y = 2 * x + 2; tel",
    ),
    (
        "a constant of a node",
        "const k: int = 3; var z: int; let z = k; y = z * x; tel",
        "let y = 3 * x; tel",
    ),
];

/// Both bodies as nodes, and a main node that compares them.
fn text(left: &str, right: &str, relation: &str) -> String {
    let inputs = "c, d: bool; x: int; s: state";
    format!(
        "{HELPERS}
node two(x: int) returns (a, b: int); let a = sum(x); b = a; tel
node outer(x: int) returns (y: int); let y = sum(x); tel
node left({inputs}) returns (y: int); {left}
node right({inputs}) returns (y: int); {right}
node main({inputs}) returns (ok: bool);
let
  ok = left(c, d, x, s) {relation} right(c, d, x, s);
  --%PROPERTY ok;
  --%MAIN;
tel
"
    )
}

#[test]
fn each_construct_is_its_translation() {
    if !solver_is_there() {
        return;
    }
    for (name, construct, plain) in TWINS {
        assert_eq!(totals(&text(construct, plain, "=")), (1, 0, 0), "{name}");
        assert_eq!(
            totals(&text(construct, plain, "<>")),
            (0, 1, 0),
            "{name}: compared with nothing"
        );
    }
}

/// Models with what holds, is violated, is open.
const VERDICTS: &[(&str, (usize, usize, usize))] = &[
    // A reachability question is answered by a run, or refuted by a proof.
    (
        "node main(x: int) returns (y: int); let y = 0 -> pre y + 2;
         check reachable y = 6; check reachable y = 7; check \"even\" y mod 2 = 0; tel",
        (2, 1, 0),
    ),
    // `provided`: the promise, and that its condition is reached.
    (
        "node main(x: int) returns (y: int); let y = x + x;
         check y > 0 provided x > 0; check y < 0 provided x > 0 and x < 0; tel",
        (3, 1, 0),
    ),
    // The main node's assumptions are the environment's.
    (
        "node main(x: int) returns (y: int);
         (*@contract assume x > 0; guarantee y > 1; guarantee \"wrong\" y > 2; *)
         let y = x + 1; tel",
        (1, 1, 0),
    ),
    // A called node's assumptions are shown where it is called; its body is relied on.
    (
        "node inc(x: int) returns (y: int);
         /*@contract assume x > 0; guarantee y > 1; */ let y = x + 1; tel
         node main(x: int) returns (y: int); let y = inc(if x < 1 then 1 else x) + inc(x); (*%MAIN;*) tel",
        (2, 2, 0),
    ),
    // Modes: what is ensured in each, that each is reached, and that there always is one.
    (
        "node main(x: int) returns (y: int);
         con mode low (require x < 0; ensure y = 0;); mode high (require x >= 0; ensure y = x;); noc
         let y = if x < 0 then 0 else x; tel",
        (5, 0, 0),
    ),
    (
        "node main(x: int) returns (y: int);
         con mode low (require x < 0; ensure y = 0;); mode never (require x > 0 and ::low;); noc
         let y = if x < 0 then 0 else x; tel",
        (2, 2, 0),
    ),
    // Imports keep names apart; a reference reaches into an import.
    (
        "contract spec(i: int) returns (o: int);
         let var far: bool = i > 10; mode big (require far; ensure o > 10;); guarantee o >= i; tel
         node main(x: int) returns (y: int);
         (*@contract import spec(x) returns (y); var far: bool = false; guarantee ::spec::big => y > 11; *)
         var far: int; let far = x + 1; y = far; --%PROPERTY \"used\" far = y; tel",
        (5, 1, 0),
    ),
    // An imported node is known by its contract, as long as its assumptions were met.
    (
        "node imported pick(x: int) returns (y: int); (*@contract assume x >= 0; guarantee y > x; *)
         node main(x: int) returns (y: int);
         let y = pick(if x < 0 then 0 else x); (*%MAIN;*) --%PROPERTY y > 0; --%PROPERTY y > 1; tel",
        (2, 1, 0),
    ),
    (
        "node imported pick(x: int) returns (y: int); (*@contract assume x >= 0; guarantee y > x; *)
         node main(x: int) returns (y: int);
         let y = pick(x); (*%MAIN;*) --%PROPERTY x >= 0 => y > 0; tel",
        (0, 2, 0),
    ),
    // An opaque node is shown like any other when it is the main one.
    (
        "node opaque one(x: int) returns (y: int);
         con guarantee y > 0; guarantee \"wrong\" y > 1; noc let y = 1; tel",
        (1, 1, 0),
    ),
    // An imported node may answer differently, an imported function may not.
    (
        "node imported pick(x: int) returns (y: int);
         node main(x: int) returns (y: int);
         let y = pick(x) - pick(x); (*%MAIN;*) --%PROPERTY y = 0; tel",
        (0, 1, 0),
    ),
    (
        "function imported pick(x: int) returns (y: int);
         node main(x: int) returns (y: int);
         let y = pick(x) - pick(x); (*%MAIN;*) --%PROPERTY y = 0; tel",
        (1, 0, 0),
    ),
    // A function is one over all steps, which is never taken for a violation.
    (
        "function imported pick(x: int) returns (y: int);
         node main(x: int) returns (y: int);
         let y = pick(1); (*%MAIN;*) --%PROPERTY true -> y = pre y; tel",
        (0, 0, 1),
    ),
    // Any value within a condition, another one in each step and instance.
    (
        "node main(x: int) returns (y: int); let y = any { v: int | v > x };
         --%PROPERTY y > x; --%PROPERTY true -> (x = pre x => y = pre y); tel",
        (1, 1, 0),
    ),
    // What is known in a branch is known when it is taken.
    (
        "node main(x: int) returns (y: int);
         let y = when x > 0 then any { v: int | 0 < v and v <= x } else 0;
         --%PROPERTY y <= x or x <= 0; check reachable x < 0; tel",
        (2, 0, 0),
    ),
    // A constant without a value has one value.
    (
        "const n: int; node get(x: int) returns (y: int); let y = n; tel
         node main(x: int) returns (y: int); let y = n; (*%MAIN;*)
         --%PROPERTY true -> y = pre y; --%PROPERTY y = get(x); --%PROPERTY y = 3; tel",
        (2, 1, 0),
    ),
    // So has a constant parameter of the main node.
    (
        "node main(const n: int; x: int) returns (y: int); let y = n;
         --%PROPERTY true -> y = pre y; --%PROPERTY y > 0; tel",
        (1, 1, 0),
    ),
    // A `pre` that nothing guards is undefined again after a restart.
    (
        "node late(x: int) returns (y: int); let y = pre x; tel
         node main(r: bool; x: int) returns (y: int); let y = (restart late every r)(x); (*%MAIN;*)
         --%PROPERTY true -> (r or y = pre x); --%PROPERTY true -> y = pre x; tel",
        (1, 1, 0),
    ),
    // What is undefined is anything: two instances need not agree.
    (
        "node sub(x: int) returns (y: int); let y = pre x; tel
         node main(x: int) returns (ok: bool); let ok = sub(x) = sub(x); (*%MAIN;*) --%PROPERTY ok; tel",
        (0, 1, 0),
    ),
    // Properties in all kinds of comments.
    (
        "node main(x: int) returns (y: int); let y = x;
         (*%PROPERTY y = x; *) /*!PROPERTY : y > 0; */ --!PROPERTY : y < 0;
         tel",
        (1, 2, 0),
    ),
];

#[test]
fn verdicts_are_those_worked_out_by_hand() {
    if !solver_is_there() {
        return;
    }
    for (text, expected) in VERDICTS {
        assert_eq!(totals(text), *expected, "{text}");
    }
}

#[test]
fn tests_of_what_nobody_can_set_are_refused() {
    let model = model("node main(x: int) returns (y: int); let y = any { v: int | v > x }; tel");
    let options = GenerateOptions::default();
    let error = generate(&model, None, &options, &Control::default()).expect_err("refused");
    assert!(error.to_string().contains("values that nobody defines"), "{error}");
}

#[test]
fn a_run_leaves_choices_open() {
    let model = model("node main(x: int) returns (y: int); let y = any { v: int | v > x }; tel");
    let inputs = [Value::from(1), Value::Unknown];
    let run = provoke_sim::run(&model.system, [inputs.as_slice()]);
    let output = model.system.outputs[0];
    assert_eq!(run.trace.steps[0][output], Value::Unknown);
}
