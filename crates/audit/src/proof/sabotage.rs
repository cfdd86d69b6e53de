//! Certificates that someone has tampered with: whatever is confirmed afterwards is true all the same,
//! as trying all runs shows.

use std::collections::BTreeMap;

use provoke_model::{Type, Value};

use super::tests::{LIMIT, model, solvers};
use super::*;
use crate::coverage::Measure;
use crate::evaluator::Evaluator;
use crate::obligations::obligations;

const HASH: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// A small model, claims about it that are not all true, and a certificate of the true ones.
struct Case {
    text: &'static str,
    body: &'static str,
    /// So many steps show everything that the model can do.
    steps: usize,
}

const CASES: [Case; 5] = [
    Case {
        text: "node n(up: bool) returns (x: int; y: bool);
        let x = 0 -> if up and pre x < 3 then pre x + 1 else pre x; y = x > 3 and up;
        --%PROPERTY x <= 3; --%PROPERTY x <= 2; --%PROPERTY x >= 0; --%PROPERTY not y; tel",
        body: "group G1\nfact ((pre `x`) <= 3)\nfact ((pre `x`) >= 0)\n\
            claim holds x <= 3\nengine kind\nk 0\nuses G1\nend\n\
            claim holds x >= 0\nk 1\nuses\nend\n\
            claim holds not y\nk 0\nuses\ninvariant ((pre `x`) <= 3)\nend\n\
            claim infeasible condition y:condition:1T\nk 0\nuses G1\nend\n\
            claim infeasible mcdc y:mcdc:2F\nk 0\nuses G1\nend\n",
        steps: 6,
    },
    Case {
        text: "node n(a, b: bool) returns (x, y, z: bool);
        let x = false -> pre a; y = false -> pre (x and not b); z = y and pre x;
        assert a or b; assert true -> (pre a or not pre b or a);
        --%PROPERTY \"late\" y => not (false -> pre b); --%PROPERTY \"never\" not y;
        --%PROPERTY \"xy\" not (x and y); tel",
        body: "claim holds late\nk 0\nuses\nend\n",
        steps: 5,
    },
    Case {
        text: "type S = enum { IDLE, RUN, DONE };
        node n(go, stop: bool) returns (s: S; c: int; bad: bool);
        let s = IDLE -> if pre s = IDLE and go then RUN else if pre s = RUN and stop then DONE
            else pre s;
        c = 0 -> if pre s = RUN and pre c < 2 then pre c + 1 else pre c;
        bad = s = IDLE and c > 0;
        --%PROPERTY not bad; --%PROPERTY c < 2; --%PROPERTY c <= 2; tel",
        body: "group G1\nfact (((pre `s`) = IDLE) => ((pre `c`) = 0))\nfact ((pre `c`) >= 0)\n\
            group G2 uses G1\nfact ((pre `c`) <= 2)\n\
            claim holds not bad\nk 0\nuses G1\nend\n\
            claim holds c <= 2\nk 0\nuses G1 G2\nend\n\
            claim infeasible mcdc bad:mcdc:2T\nk 0\nuses G1\nend\n\
            claim infeasible decision bad:decision:1T\nk 0\nuses G1\nend\n",
        steps: 6,
    },
    Case {
        text: "node count(i: bool) returns (n: int);
        let n = 0 -> if i and pre n < 2 then pre n + 1 else pre n; tel
        node n(c, i: bool) returns (o: int; p: bool);
        let o = condact(c, count(i), 0); p = o >= 0 and o <= 2;
        --%PROPERTY p; --%PROPERTY o < 2; assert true -> not (pre o = 1 and c and not i); tel",
        body: "group G1\nfact ((not (pre `count.first`)) or ((pre `count.active`) or ((pre `count.n.held`) = 0)))\n\
            fact (((pre `count.first`) and (not (pre `count.active`))) or (((pre `count.n`) >= 0) and ((pre `count.n`) <= 2)))\n\
            fact (((pre `count.n.held`) >= 0) and ((pre `count.n.held`) <= 2))\n\
            claim holds p\nk 0\nuses G1\nend\n\
            claim infeasible condition p:condition:1F\nk 0\nuses G1\nend\n",
        steps: 5,
    },
    Case {
        text: "node n(x: subrange [0, 2] of int; d: subrange [0, 1] of int) returns (q: int; ok, w: bool);
        let q = 4 div (d + x); ok = q <= 4 and q > 0; w = pre ok and d + x > 0;
        --%PROPERTY ok; --%PROPERTY w; --%PROPERTY q > 1; tel",
        body: "claim holds ok\nk 0\nuses\nend\n\
            claim infeasible condition ok:condition:1F\nk 0\nuses\nend\n\
            claim infeasible condition w:condition:2F\nk 0\nuses\nend\n",
        steps: 3,
    },
];

/// All vectors with one of the choices at each position.
fn product(choices: &[Vec<Value>]) -> Vec<Vec<Value>> {
    let mut all = vec![Vec::new()];
    for choice in choices {
        let longer = |start: &Vec<Value>| {
            let start = start.clone();
            choice.iter().map(move |value| [start.clone(), vec![value.clone()]].concat())
        };
        all = all.iter().flat_map(longer).collect::<Vec<_>>();
    }
    all
}

/// Tries all runs: for each claim whether it is true.
struct Truth {
    claims: BTreeMap<Subject, bool>,
}

impl Truth {
    fn of(model: &Model, graph: &Graph, steps: usize) -> Truth {
        let mut claims = BTreeMap::new();
        for property in &model.properties {
            claims.insert(Subject::Holds(property.name.clone()), true);
        }
        let words = ["condition", "decision", "branch", "mcdc"];
        let all: Vec<_> = words
            .iter()
            .map(|word| {
                (*word, obligations(graph, word, Counting::Published).expect("a criterion"))
            })
            .collect();
        for (word, obligations) in &all {
            for obligation in obligations {
                claims.insert(infeasible(word, &obligation.id), true);
            }
        }
        let mut truth = Truth { claims };
        let choices: Vec<Vec<Value>> = model
            .inputs
            .iter()
            .map(|var| match (&model.vars[*var].range, model.vars[*var].ty) {
                (Some(range), _) => {
                    let [low, high] = [&range.low, &range.high].map(|b| b.to_i64().expect("small"));
                    (low..=high).map(Value::from).collect()
                }
                (None, Type::Bool) => vec![Value::Bool(false), Value::Bool(true)],
                other => panic!("too many values of {other:?}"),
            })
            .collect();
        let inputs = product(&choices);
        let mut runs: Vec<Vec<Vec<Value>>> = Vec::new();
        truth.extend(model, &Evaluator::new(model), &inputs, &mut Vec::new(), steps, &mut runs);
        let measure = Measure::new(graph, Masking::Strict, None, Vec::new());
        for (word, obligations) in &all {
            for run in &runs {
                for covered in measure.covered(obligations, run) {
                    truth.claims.insert(infeasible(word, &obligations[covered].id), false);
                }
            }
        }
        truth
    }

    /// Does every step that can follow, and keeps the runs that are longest.
    fn extend(
        &mut self,
        model: &Model,
        before: &Evaluator<'_>,
        inputs: &[Vec<Value>],
        run: &mut Vec<Vec<Value>>,
        steps: usize,
        runs: &mut Vec<Vec<Vec<Value>>>,
    ) {
        let mut ends = true;
        let left = if run.len() < steps { inputs } else { &[] };
        for step in left {
            let mut here = before.clone();
            if here.compute(step).is_err() || here.assertions().contains(&Value::Bool(false)) {
                continue;
            }
            for property in &model.properties {
                // What is undefined can be false.
                if here.promise(property).ok() != Some(Value::Bool(true)) {
                    self.claims.insert(Subject::Holds(property.name.clone()), false);
                }
            }
            here.advance();
            run.push(step.clone());
            self.extend(model, &here, inputs, run, steps, runs);
            run.pop();
            ends = false;
        }
        if ends {
            runs.push(run.clone());
        }
    }
}

fn infeasible(criterion: &str, obligation: &str) -> Subject {
    let (criterion, obligation) = (criterion.to_string(), obligation.to_string());
    Subject::Infeasible { criterion, obligation }
}

/// Every way to tamper with a certificate that is tried.
fn tampered(body: &str, claims: &[Subject]) -> Vec<String> {
    let lines: Vec<&str> = body.lines().collect();
    let with = |at: usize, new: &[String]| {
        let mut changed: Vec<String> = lines.iter().map(|line| (*line).to_string()).collect();
        changed.splice(at..=at, new.iter().cloned());
        changed.join("\n") + "\n"
    };
    let mut all = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        all.push(with(at, &[]));
        if at % 4 == 0 {
            all.push(with(at, &[(*line).to_string(), (*line).to_string()]));
        }
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "k" => {
                let k: usize = rest.parse().expect("a number");
                all.extend([k.saturating_sub(1), k + 1].map(|k| with(at, &[format!("k {k}")])));
                all.extend([0, 1, k].map(|k| with(at, &[format!("k {k}\ndistinct")])));
            }
            "fact" | "invariant" => {
                all.extend(["true", "false"].map(|e| with(at, &[format!("{word} {e}")])));
                all.push(with(at, &[format!("{word} (not {rest})")]));
                let swaps = [("<=", "<"), (">=", ">"), (" and ", " or "), (" or ", " and ")];
                let more = [
                    ("0", "1"),
                    ("2", "1"),
                    ("2", "3"),
                    ("3", "2"),
                    ("IDLE", "RUN"),
                    ("(pre `", "(`"),
                ];
                for (from, to) in
                    swaps.into_iter().chain(more).filter(|(from, _)| rest.contains(from))
                {
                    all.push(with(at, &[format!("{word} {}", rest.replacen(from, to, 1))]));
                }
            }
            "uses" => all.push(with(at, &["uses".to_string()])),
            "group" => {
                all.push(with(
                    at,
                    &[format!("{line} uses {}", rest.split(' ').next().unwrap_or(""))],
                ));
                all.push(with(
                    at,
                    &["group G0".to_string(), "fact false".to_string(), format!("{line} uses G0")],
                ));
            }
            "claim" => {
                // Some of the others, not the same for each line.
                for other in claims.iter().skip(at % 5).step_by(5) {
                    let said = match other {
                        Subject::Holds(name) => format!("claim holds {name}"),
                        Subject::Infeasible { criterion, obligation }
                        | Subject::Never { criterion, obligation } => {
                            format!("claim infeasible {criterion} {obligation}")
                        }
                        Subject::Equivalent(id) => format!("claim equivalent {id}"),
                        Subject::Redundant { criterion, obligation } => {
                            format!("claim redundant {criterion} {obligation}")
                        }
                        Subject::Once { criterion, obligation } => {
                            format!("claim once {criterion} {obligation}")
                        }
                    };
                    all.push(with(at, &[said]));
                }
            }
            _ => {}
        }
    }
    all.extend((1..8).map(|part| body[..body.len() * part / 8].to_string()));
    all.push(format!("assume false\n{body}"));
    all
}

#[test]
fn nothing_false_is_confirmed_whatever_a_certificate_says() {
    let solvers = solvers();
    if solvers.is_empty() {
        return;
    }
    let (mut tried, mut still, mut refuted) = (0, 0, 0);
    for case in &CASES {
        let model = Arc::new(model(case.text));
        let graph = Graph::new(&model).expect("small enough");
        let truth = Truth::of(&model, &graph, case.steps);
        let no_mutant = |_: &Subject| Err("no mutants here".to_string());
        let setting = Setting {
            model: &model,
            graph: &graph,
            hash: HASH,
            assumptions: &[],
            masking: Masking::Strict,
            counting: Counting::Published,
            monitored: &[],
            mutant: &no_mutant,
            solvers: &solvers,
            limit: LIMIT,
            stop: &|| false,
            jobs: 2,
        };
        let ask = |body: &str, hash: &str, claims: &[Subject]| {
            let head = format!("provoke-cert 1\nmodel sha256:{hash} node n numbers exact\n");
            check(&setting, format!("{head}{body}").as_bytes(), claims)
        };
        let stated: Vec<Subject> = truth.claims.keys().cloned().collect();
        let said: Vec<Subject> =
            stated.iter().filter(|claim| case.body.contains(&last_word(claim))).cloned().collect();
        let plain = ask(case.body, HASH, &said);
        for (claim, verdict) in said.iter().zip(&plain.verdicts) {
            let expected = matches!(verdict, Verdict::Uncertified(_)) || truth.claims[claim];
            assert!(expected, "{claim:?}: {verdict:?}");
            let fine = matches!(verdict, Verdict::Confirmed { .. } | Verdict::Uncertified(_));
            assert!(fine, "{}\n{claim:?}: {verdict:?}", case.text);
        }
        let stale = ask(case.body, &HASH.replace('0', "1"), &said);
        assert!(stale.verdicts.iter().all(|v| matches!(v, Verdict::NotShown(_))));
        for body in tampered(case.body, &stated) {
            tried += 1;
            let found = ask(&body, HASH, &stated);
            assert!(found.disagreement.is_none());
            for (claim, verdict) in stated.iter().zip(&found.verdicts) {
                match verdict {
                    Verdict::Confirmed { .. } => {
                        still += 1;
                        assert!(truth.claims[claim], "{claim:?} is false\n{}\n{body}", case.text);
                    }
                    Verdict::Refuted(_) => {
                        refuted += 1;
                        assert!(!truth.claims[claim], "{claim:?} is true\n{}\n{body}", case.text);
                    }
                    _ => {}
                }
            }
        }
    }
    assert!(tried >= 200 && still > 100 && refuted > 20, "{tried} {still} {refuted}");
}

/// What a claim is called by.
fn last_word(claim: &Subject) -> String {
    match claim {
        Subject::Holds(name) | Subject::Equivalent(name) => format!(" {name}\n"),
        Subject::Infeasible { obligation, .. }
        | Subject::Never { obligation, .. }
        | Subject::Redundant { obligation, .. }
        | Subject::Once { obligation, .. } => format!(" {obligation}\n"),
    }
}
