use super::*;
use crate::solver::{Cvc5, Logic, Session, Z3};
use provoke_base::SourceFile;
use provoke_lustre::tree;

pub(super) const LIMIT: QueryLimit = QueryLimit { milliseconds: 10_000 };
const HASH: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

pub(super) fn solvers() -> Vec<Box<dyn Solver>> {
    let mut found: Vec<Box<dyn Solver>> = Vec::new();
    match Cvc5::find() {
        Ok(cvc5) => found.push(Box::new(cvc5)),
        Err(missing) => provoke_testkit::skip(&missing.to_string()),
    }
    if let Ok(z3) = Z3::find() {
        found.push(Box::new(z3));
    }
    found
}

/// Z3, or a check that is counted as skipped.
fn z3() -> Option<Z3> {
    Z3::find().map_err(|missing| provoke_testkit::skip(&missing.to_string())).ok()
}

pub(super) fn model(text: &str) -> Model {
    let file = SourceFile::new("test.lus", text);
    Model::new(tree::read(&file, None, &[]).expect("no errors")).expect("small enough")
}

/// Checks claims about a text by a certificate without its first two lines.
fn examine_with(
    solvers: &[Box<dyn Solver>],
    text: &str,
    body: &str,
    claims: &[Subject],
    mutant: &(dyn Fn(&str) -> Result<Model, String> + Sync),
) -> Findings {
    let model = Arc::new(model(text));
    let graph = Graph::new(&model).expect("small enough");
    let outputs = model.outputs.iter().map(|var| model.vars[*var].name.clone());
    let monitored: Vec<String> = outputs.collect();
    let setting = Setting {
        model: &model,
        graph: &graph,
        hash: HASH,
        assumptions: &[],
        masking: Masking::Strict,
        counting: Counting::Published,
        monitored: &monitored,
        mutant: &|subject| match subject {
            Subject::Equivalent(id) => mutant(id),
            _ => Err("no other changes here".to_string()),
        },
        solvers,
        limit: LIMIT,
        stop: &|| false,
        jobs: 2,
    };
    let main = &model.tree.program.nodes[model.tree.main].name.text;
    let head = format!("provoke-cert 1\nmodel sha256:{HASH} node {main} numbers exact\n");
    check(&setting, format!("{head}{body}").as_bytes(), claims)
}

fn verdict(text: &str, body: &str, claim: Subject) -> Verdict {
    let solvers = solvers();
    if solvers.is_empty() {
        return Verdict::Limit;
    }
    let no_mutant = |_: &str| Err("no mutants here".to_string());
    let found = examine_with(&solvers, text, body, &[claim], &no_mutant);
    assert!(found.disagreement.is_none(), "{:?}", found.disagreement);
    found.verdicts.into_iter().next().expect("one claim")
}

fn holds(name: &str) -> Subject {
    Subject::Holds(name.to_string())
}

fn infeasible(criterion: &str, obligation: &str) -> Subject {
    let (criterion, obligation) = (criterion.to_string(), obligation.to_string());
    Subject::Infeasible { criterion, obligation }
}

fn is_confirmed(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Confirmed { solver: 0 })
}

fn never(criterion: &str, obligation: &str) -> Subject {
    let (criterion, obligation) = (criterion.to_string(), obligation.to_string());
    Subject::Never { criterion, obligation }
}

#[test]
fn what_never_decides_may_still_have_the_value() {
    // `x` is never true, so that the last `a` never decides, whatever it is.
    let text = "node n(a: bool) returns (o: bool); var x: bool;
        let x = false -> pre x; o = a or (x and a); tel";
    let host = |id: &str| format!("claim infeasible mcdc {id}\nk 1\nuses G1\nend\n");
    let body =
        format!("group G1\nfact (not (pre `x`))\n{}{}", host("o:mcdc:2T"), host("o:mcdc:3T"));
    for id in ["o:mcdc:2T", "o:mcdc:3T"] {
        let found = verdict(text, &body, infeasible("mcdc", id));
        assert!(is_confirmed(&found), "{id}: {found:?}");
    }
    let found = verdict(text, &body, never("mcdc", "o:mcdc:2T"));
    assert!(is_confirmed(&found), "{found:?}");
    let found = verdict(text, &body, never("mcdc", "o:mcdc:3T"));
    assert!(matches!(found, Verdict::Refuted(_)), "{found:?}");
    // Without a word about the obligation, all facts about the model help.
    let facts = "group G1\nfact (not (pre `x`))\n";
    let found = verdict(text, facts, never("mcdc", "o:mcdc:2T"));
    assert!(is_confirmed(&found), "{found:?}");
}

const COUNTER: &str = "node n(up: bool) returns (x: int);
let x = 0 -> if up and pre x < 5 then pre x + 1 else pre x; --%PROPERTY x <= 5; tel";

#[test]
fn a_property_is_confirmed_by_induction_and_by_an_invariant() {
    for body in [
        "claim holds x <= 5\nengine kind\nk 1\nuses\nend\n",
        "group G1\nfact ((pre `x`) <= 5)\nclaim holds x <= 5\nk 0\nuses G1\nend\n",
        "claim holds x <= 5\nk 0\nuses\ninvariant ((pre `x`) <= 5)\nend\n",
        "claim holds x <= 5\nk 0\nuses\ninvariant ((pre (`x` -> (if (`x` < 0) then 6 else `x`))) <= 5)\nend\n",
        "claim holds x <= 5\nk 0\nuses\ninvariant (((pre (0 -> (pre `x`))) <= 5) and ((pre `x`) <= 5))\nend\n",
    ] {
        let found = verdict(COUNTER, body, holds("x <= 5"));
        assert!(is_confirmed(&found), "{body}: {found:?}");
    }
}

#[test]
fn a_wide_decision_over_delays_is_written_in_little_text() {
    // Each operator asks about both of its operands more than once.
    let width = 200;
    let text = format!(
        "node n(a: bool) returns (y: bool); let y = {}; tel",
        vec!["(a -> pre a)"; width].join(" or ")
    );
    let claim = infeasible("decision", "y:decision:1T");
    let body = "claim infeasible decision y:decision:1T\nk 0\nuses\nend\n";
    let found = verdict(&text, body, claim);
    assert!(matches!(found, Verdict::Refuted(_)), "{found:?}");
}

#[test]
fn properties_of_one_name_are_told_apart() {
    let text = "node n(x: int) returns (a: bool); let a = x > 3;
        --%PROPERTY a;\n--%PROPERTY a;\n--%PROPERTY a or x <= 3;\ntel";
    let body = |id: &str| format!("claim holds {id}\nk 0\nuses\nend\n");
    for id in ["a", "a#2"] {
        let found = verdict(text, &body(id), holds(id));
        assert!(matches!(found, Verdict::Refuted(_)), "{id}: {found:?}");
    }
    assert!(is_confirmed(&verdict(text, &body("a or x <= 3"), holds("a or x <= 3"))));
    assert!(matches!(verdict(text, &body("a#3"), holds("a#3")), Verdict::Uncertified(_)));
}

#[test]
fn what_does_not_follow_is_not_confirmed() {
    let cases = [
        ("claim holds x <= 5\nk 0\nuses\nend\n", "the step does not follow"),
        ("claim holds x <= 5\nk 0\nuses\ninvariant true\nend\n", "does not exclude the goal"),
        ("claim holds x <= 5\nk 0\nuses\ninvariant false\nend\n", "false after the first step"),
        ("claim holds x <= 5\nk 0\nuses\ninvariant (`x` <= 5)\nend\n", "about the step after"),
        ("claim holds x <= 5\nk 0\nuses\ninvariant (true -> false)\nend\n", "about the step after"),
        ("claim holds x <= 5\nk 0\nuses\ninvariant (pre `x`)\nend\n", "not Boolean"),
        ("claim holds x <= 5\nk 0\nuses\ninvariant ((pre `y`) = 1)\nend\n", "no variable"),
        ("group A\nfact ((pre `x`) = 0)\nclaim holds x <= 5\nk 0\nuses A\nend\n", "step does not"),
        ("group A\nfact false\nclaim holds x <= 5\nk 0\nuses A\nend\n", "step does not"),
    ];
    for (body, expected) in cases {
        match verdict(COUNTER, body, holds("x <= 5")) {
            Verdict::NotShown(why) => assert!(why.contains(expected), "{body}: {why}"),
            other => panic!("{body}: {other:?}"),
        }
    }
}

/// `x` could stay at 7 for ever, if it ever came there.
const WAITING: &str = "node n(go: bool) returns (x: int; y: int);
let x = START -> if pre x = 7 then (if go or LEAVES then 8 else 7) else 0;
    y = 0 -> pre y + 1; ASSERTED --%PROPERTY x <> 8; tel";

#[test]
fn a_shortest_run_comes_to_no_state_twice() {
    let waiting = |start: &str, leaves: &str, asserted: &str| {
        let text = WAITING.replace("START", start).replace("LEAVES", leaves);
        text.replace("ASSERTED", asserted)
    };
    let plain = "claim holds x <> 8\nk 1\nuses\nend\n";
    let distinct = "claim holds x <> 8\nk 1\nuses\ndistinct\nend\n";
    let never = waiting("0", "false", "");
    assert!(matches!(verdict(&never, plain, holds("x <> 8")), Verdict::NotShown(_)));
    // What else changes does not matter.
    assert!(is_confirmed(&verdict(&never, distinct, holds("x <> 8"))));
    // It does where a run depends on it: by what is claimed, or by what is asserted.
    for text in [
        waiting("7", "pre y >= 5", "assert not go;"),
        waiting("7", "false", "assert (y < 5) => not go;"),
    ] {
        let found = verdict(&text, distinct, holds("x <> 8"));
        assert!(matches!(found, Verdict::NotShown(_)), "{text}: {found:?}");
    }
}

#[test]
fn a_false_claim_is_refuted_by_a_run_of_the_evaluator() {
    let text = COUNTER.replace("--%PROPERTY x <= 5", "--%PROPERTY x <= 2");
    let found = verdict(&text, "claim holds x <= 2\nk 4\nuses\nend\n", holds("x <= 2"));
    let Verdict::Refuted(run) = found else { panic!("{found:?}") };
    assert_eq!(run.inputs.len(), 4, "{run:?}");
    assert!(run.inputs[1..].iter().all(|step| step == &[Value::Bool(true)]), "{run:?}");
}

#[test]
fn a_run_need_not_be_continuable() {
    let text = "node n(x, y: int) returns (p: bool);
    let p = not (x + y = 987654 and x - y = 1234); assert true -> false; --%PROPERTY p; tel";
    let found = verdict(text, "claim holds p\nk 1\nuses\nend\n", holds("p"));
    let Verdict::Refuted(run) = found else { panic!("{found:?}") };
    assert_eq!(run.inputs, [[Value::from(494_444), Value::from(493_210)]]);
}

#[test]
fn an_undefined_value_may_be_any_and_each_its_own() {
    let constant = "node n(x: bool) returns (ok: bool); let ok = pre true; --%PROPERTY ok; tel";
    let found = verdict(constant, "claim holds ok\nk 1\nuses\nend\n", holds("ok"));
    assert!(matches!(found, Verdict::Refuted(_)), "{found:?}");
    let twice = "node sub(x: bool) returns (y: bool); let y = pre x; tel
    node n(x: bool) returns (ok: bool); let ok = sub(x) = sub(x); --%PROPERTY ok; tel";
    let found = verdict(twice, "claim holds ok\nk 1\nuses\nend\n", holds("ok"));
    assert!(matches!(found, Verdict::Refuted(_)), "{found:?}");
    let guarded = "node sub(x: bool) returns (y: bool); let y = true -> pre x; tel
    node n(x: bool) returns (ok: bool); let ok = sub(x) = sub(x); --%PROPERTY ok; tel";
    let found = verdict(guarded, "claim holds ok\nk 1\nuses\nend\n", holds("ok"));
    assert!(is_confirmed(&found), "{found:?}");
}

#[test]
fn an_undefined_value_may_lie_outside_a_subrange_but_not_outside_a_machines_type() {
    let of_type = |ty: &str, zero: &str| {
        format!(
            "node n(x: {ty}) returns (u: {ty}; ok: bool);
             let u = pre x; ok = u >= {zero}; --%PROPERTY ok; tel"
        )
    };
    let body = "claim holds ok\nk 1\nuses\nend\n";
    let found = verdict(&of_type("subrange [0, 3] of int", "0"), body, holds("ok"));
    assert!(matches!(found, Verdict::Refuted(_)) || found == Verdict::Limit, "{found:?}");
    let found = verdict(&of_type("uint8", "(uint8 0)"), body, holds("ok"));
    assert!(is_confirmed(&found) || found == Verdict::Limit, "{found:?}");
}

#[test]
fn an_assertion_that_is_undefined_restricts_nothing() {
    let text = "node n(x: int) returns (ok: bool);
    let ok = true -> pre x > 0; assert pre x > 0; --%PROPERTY ok; tel";
    // In the first step the assertion is undefined; later it says what the property says.
    let found = verdict(text, "claim holds ok\nk 0\nuses\nend\n", holds("ok"));
    assert!(is_confirmed(&found), "{found:?}");
    let text = "node n(x: int) returns (ok: bool);
    let ok = pre x > 0; assert pre x > 0; --%PROPERTY ok; tel";
    let found = verdict(text, "claim holds ok\nk 0\nuses\nend\n", holds("ok"));
    let refused = matches!(found, Verdict::Refuted(_) | Verdict::NotShown(_));
    assert!(refused, "{found:?}");
}

#[test]
fn a_division_by_zero_is_no_step_of_a_run() {
    let text = "node n(x, y: int) returns (ok: bool); var q: int;
    let q = x div y; ok = y <> 0 and (x mod y >= 0); --%PROPERTY ok; tel";
    let found = verdict(text, "claim holds ok\nk 0\nuses\nend\n", holds("ok"));
    assert!(is_confirmed(&found), "{found:?}");
}

#[test]
fn obligations_are_derived_from_the_model() {
    let text = "node n(a, b: bool) returns (x: bool; y: int);
    let x = (a and not a) or b; y = if x and not b then 1 else 2; tel";
    let body = |id: &str, word: &str| format!("claim infeasible {word} {id}\nk 0\nuses\nend\n");
    for (word, id, possible) in [
        ("condition", "x:condition:1T", true),
        ("mcdc", "x:mcdc:1T", false),
        ("mcdc", "x:mcdc:2T", true),
        ("mcdc", "x:mcdc:3T", true),
        ("branch", "y:branch:1T", false),
        ("decision", "y:decision:1T", false),
        ("mcdc", "y:mcdc:1T", false),
        ("mcdc", "y:mcdc:2F", false),
    ] {
        let found = verdict(text, &body(id, word), infeasible(word, id));
        assert_eq!(matches!(found, Verdict::Refuted(_)), possible, "{id}: {found:?}");
        assert_eq!(is_confirmed(&found), !possible, "{id}: {found:?}");
    }
    let unknown = verdict(text, &body("y:mcdc:9T", "mcdc"), infeasible("mcdc", "y:mcdc:9T"));
    assert!(matches!(unknown, Verdict::Uncertified(_)), "{unknown:?}");
    let other = verdict(text, &body("y:branch:1T", "branch"), infeasible("mcdc", "y:mcdc:1T"));
    assert!(matches!(other, Verdict::Uncertified(_)), "another claim's proof: {other:?}");
}

#[test]
fn equivalent_mutants_are_confirmed_and_others_refuted() {
    let solvers = solvers();
    if solvers.is_empty() {
        return;
    }
    let text = "node n(a, b: bool; i: int) returns (x: bool; y: int); var c: bool; s: int;
    let c = a -> pre (a and b); s = 0 -> pre s + 1; x = c or (pre a and i > 0);
    y = if s >= 0 then 10 div (i * i + 1) else 7; tel";
    let change = |id: &str| -> Result<Model, String> {
        let (from, to) = id.split_once('/').expect("a change");
        Ok(model(&text.replacen(from, to, 1)))
    };
    let cases = [
        ("s >= 0/(s > (-1))", true, "group G\nfact ((pre `s`) >= 0)\n"),
        ("else 7/else 8", true, "group G\nfact ((pre `s`) >= 0)\n"),
        ("c or (pre a and i > 0)/(c or pre a and i >= 1)", true, "group G\nfact true\n"),
        ("pre a and/not pre a and", false, "group G\nfact true\n"),
        ("i * i + 1/(i * i - 1)", false, "group G\nfact ((pre `s`) >= 0)\n"),
        ("a -> pre (a and b)/(a -> pre (b and a))", true, "group G\nfact true\n"),
        ("a -> pre (a and b)/(pre (a and b))", false, "group G\nfact true\n"),
    ];
    for (id, equivalent, group) in cases {
        let body = format!("{group}claim equivalent {id}\nk 1\nuses G\nend\n");
        let claim = Subject::Equivalent(id.to_string());
        let found = examine_with(&solvers, text, &body, &[claim], &change);
        assert!(found.disagreement.is_none(), "{:?}", found.disagreement);
        let found = &found.verdicts[0];
        assert_eq!(is_confirmed(found), equivalent, "{id}: {found:?}");
        assert_eq!(matches!(found, Verdict::Refuted(_)), !equivalent, "{id}: {found:?}");
    }
}

#[test]
fn facts_about_the_mutant_help_its_claim_only() {
    let solvers = solvers();
    if solvers.is_empty() {
        return;
    }
    let text = "node n(a: bool) returns (y: int); var s: int;
    let s = 0 -> if a then pre s + 1 else pre s; y = s * 2; tel";
    let change = |_: &str| -> Result<Model, String> {
        Ok(model(&text.replacen("pre s + 1", "1 + pre s", 1)))
    };
    let body = "group G on m\nfact ((pre `s`) = (pre `mutant:s`))\n\
        claim equivalent m\nk 0\nuses G\nend\nclaim equivalent other\nk 0\nuses G\nend\n";
    let claims = ["m", "other"].map(|id| Subject::Equivalent(id.to_string()));
    let found = examine_with(&solvers, text, body, &claims, &change).verdicts;
    assert!(is_confirmed(&found[0]), "{found:?}");
    assert!(matches!(found[1], Verdict::NotShown(_)), "{found:?}");
}

#[test]
fn a_mutant_with_other_inputs_or_without_time_is_not_confirmed() {
    let text = "node n(a: bool) returns (y: bool); let y = a; tel";
    let other = |_: &str| Ok(model("node n(b, a: bool) returns (y: bool); let y = a; tel"));
    let body = "claim equivalent m\nk 0\nuses\nend\n";
    let claim = [Subject::Equivalent("m".to_string())];
    let found = examine_with(&solvers(), text, body, &claim, &other).verdicts;
    assert!(!is_confirmed(&found[0]), "{found:?}");
    let model = Arc::new(model(COUNTER));
    let graph = Graph::new(&model).expect("small enough");
    let solvers = solvers();
    let setting = Setting {
        model: &model,
        graph: &graph,
        hash: HASH,
        assumptions: &[],
        masking: Masking::Strict,
        counting: Counting::Published,
        monitored: &[],
        mutant: &|_| Err(String::new()),
        solvers: &solvers,
        limit: LIMIT,
        stop: &|| true,
        jobs: 1,
    };
    let text = format!(
        "provoke-cert 1\nmodel sha256:{HASH} node n numbers exact\nclaim holds x <= 5\nk 1\nuses\nend\n"
    );
    let found = check(&setting, text.as_bytes(), &[holds("x <= 5")]).verdicts;
    assert!(solvers.is_empty() || found == [Verdict::Limit], "{found:?}");
}

#[test]
fn a_certificate_about_something_else_shows_nothing() {
    let claim = "claim holds x <= 5\nk 1\nuses\nend\n";
    let invented = format!("assume up = false\n{claim}");
    let found = verdict(COUNTER, &invented, holds("x <= 5"));
    assert!(matches!(&found, Verdict::NotShown(why) if why.contains("assumptions")), "{found:?}");
    let cut = &claim[..claim.len() - 3];
    let found = verdict(COUNTER, cut, holds("x <= 5"));
    assert!(matches!(&found, Verdict::NotShown(why) if why.contains("line")), "{found:?}");
    let none = verdict(COUNTER, "", holds("x <= 5"));
    assert!(matches!(none, Verdict::Uncertified(_)), "{none:?}");
}

#[test]
fn assumptions_that_exclude_everything_are_said() {
    let text = "node n(x: int) returns (ok: bool); let ok = x > 0; assert x > 0 and x < 0;
    --%PROPERTY ok; tel";
    let found = verdict(text, "claim holds ok\nk 0\nuses\nend\n", holds("ok"));
    assert!(matches!(&found, Verdict::NotShown(why) if why.contains("no run")), "{found:?}");
}

/// A solver that denies or affirms everything.
struct Stub(&'static str);

impl Solver for Stub {
    fn name(&self) -> String {
        format!("a stub that says {}", self.0)
    }

    fn start(&self, _: Logic, _: QueryLimit) -> Result<Box<dyn Session>, String> {
        Ok(Box::new(Stub(self.0)))
    }
}

impl Session for Stub {
    fn run(&mut self, commands: &str) -> Result<String, String> {
        Ok(if commands.contains("(check-sat)") { self.0.to_string() } else { String::new() })
    }
}

#[test]
fn a_solver_that_always_says_the_same_confirms_and_refutes_nothing() {
    for answer in ["unsat", "sat", "unknown", "nonsense"] {
        let stub: Vec<Box<dyn Solver>> = vec![Box::new(Stub(answer))];
        let body = "claim holds x <= 5\nk 1\nuses\nend\n";
        let claim = [holds("x <= 5")];
        let none = |_: &str| Err(String::new());
        let found = examine_with(&stub, COUNTER, body, &claim, &none);
        let fooled = matches!(found.verdicts[0], Verdict::Confirmed { .. } | Verdict::Refuted(_));
        assert!(!fooled, "{answer}: {found:?}");
    }
    let Some(z3) = z3() else { return };
    let both: Vec<Box<dyn Solver>> = vec![Box::new(Stub("sat")), Box::new(z3)];
    let body = "claim holds x <= 5\nk 1\nuses\nend\n";
    let found = examine_with(&both, COUNTER, body, &[holds("x <= 5")], &|_| Err(String::new()));
    let queries = found.disagreement.expect("they differ").queries;
    assert!(queries.len() == 2 && queries[0].2.contains("(check-sat)"));
}
