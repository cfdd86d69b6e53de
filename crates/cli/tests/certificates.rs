//! What proofs leave behind in the folder of results.

mod support;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use expect_test::expect;
use support::{provoke, scratch, solver_is_there};

/// Proofs that need lemmas, some of them by attempts of their own.
const MODEL: &str = "
type mode = enum { Off, Idle, On };
node main(go, stop : bool; limit : int) returns (n : int; now : mode; alarm : bool);
let
  n = 0 -> if stop then 0 else if go and pre n < 3 then pre n + 1 else pre n;
  now = Off -> if go then Idle else if stop then Off else pre now;
  alarm = (n > 3 and limit > 0) or (now = On and not go);
  --%PROPERTY n <= 3;
  --%PROPERTY not alarm;
tel
";

fn with_model(name: &str) -> PathBuf {
    let folder = scratch(name);
    std::fs::write(folder.join("model.lus"), MODEL).expect("a file");
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).expect("a result")
}

/// What is claimed, line by line.
fn claims(certificates: &str) -> BTreeSet<String> {
    certificates.lines().filter_map(|line| line.strip_prefix("claim ")).map(String::from).collect()
}

fn verdicts(folder: &Path) -> Vec<serde_json::Value> {
    let all: serde_json::Value =
        serde_json::from_str(&read(folder, "verdicts.json")).expect("JSON");
    all["verdicts"].as_array().expect("verdicts").clone()
}

/// Runs `generate` on the model of a folder; the certificates it wrote.
fn generated(folder: &Path, out: &str, more: &[&str]) -> String {
    let (model, out) = (folder.join("model.lus"), folder.join(out));
    let common = ["generate", text(&model), "-c", "mcdc,properties", "--effort", "1"];
    let ran = provoke(&[&common[..], &["-o", text(&out)], more].concat());
    assert!([0, 5].contains(&ran.code), "{}", ran.stderr);
    read(&out, "certificates.txt")
}

#[test]
fn proven_properties_leave_a_certificate_that_people_can_read() {
    if !solver_is_there() {
        return;
    }
    let folder = with_model("certificates-prove");
    let (model, out) = (folder.join("model.lus"), folder.join("out"));
    let assumption = "limit >=\n 0";
    let ran = provoke(&["prove", text(&model), "--assume", assumption, "-o", text(&out)]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    expect![[r#"
        provoke-cert 1
        model sha256:96f8a10843eeb5f02d8b92ab321766cb0282a269f68f236ec5ebf64fdabc2e4f node main numbers exact
        assume limit >= 0
        group G1
        fact (0 <= (pre `n`))
        fact ((- 1) <= (pre `n`))
        fact ((pre `n`) <= 3)
        fact ((pre `n`) <= 4)
        fact (not ((pre `now`) = On))
        claim holds n <= 3
        engine k-induction
        k 0
        uses G1
        end
        claim holds not alarm
        engine k-induction
        k 0
        uses G1
        end
    "#]]
    .assert_eq(&read(&out, "certificates.txt"));
}

#[test]
fn every_proof_about_the_model_alone_is_claimed_once() {
    if !solver_is_there() {
        return;
    }
    let folder = with_model("certificates-claims");
    let claimed = claims(&generated(&folder, "out", &[]));
    let proven = verdicts(&folder.join("out"))
        .iter()
        .filter(|verdict| verdict["verdict"] == "infeasible" || verdict["verdict"] == "holds")
        .map(|verdict| match verdict["kind"].as_str() {
            Some("property") => format!("holds {}", verdict["id"].as_str().expect("an id")),
            _ => format!("infeasible mcdc {}", verdict["id"].as_str().expect("an id")),
        })
        .collect::<BTreeSet<_>>();
    assert!(proven.len() > 4, "{proven:?}");
    assert_eq!(claimed, proven);
}

#[test]
fn certificates_are_the_same_however_the_work_was_done() {
    if !solver_is_there() {
        return;
    }
    let folder = with_model("certificates-same");
    // Without a look at all obligations together each proof is an attempt that a store keeps.
    for engine in ["all", "kind"] {
        let deciding = ["--prover", engine];
        let run = |out: &str, more: &[&str]| {
            let out = format!("{engine}-{out}");
            generated(&folder, &out, &[&deciding[..], more].concat())
        };
        let whole = run("whole", &["--jobs", "1"]);
        assert!(claims(&whole).len() > 4, "{whole}");
        assert_eq!(run("whole", &[]), whole, "resumed");
        assert_eq!(run("jobs", &["--jobs", "3"]), whole, "with threads");
        assert_eq!(run("workers", &["--workers", "local", "--jobs", "2"]), whole, "with workers");
        let shards: Vec<PathBuf> = (1..=2)
            .map(|k| {
                run(&format!("shard-{k}"), &["--shard", &format!("{k}/2")]);
                folder.join(format!("{engine}-shard-{k}"))
            })
            .collect();
        let merged = folder.join(format!("{engine}-merged"));
        let parts = shards.iter().map(|shard| text(shard));
        let merge = ["merge"].into_iter().chain(parts).chain(["-o", text(&merged)]);
        assert_eq!(provoke(&merge.collect::<Vec<_>>()).code, 0);
        assert_eq!(run("merged", &[]), whole, "merged");
    }
}

#[test]
fn equivalent_mutants_are_claimed_beside_the_model() {
    if !solver_is_there() {
        return;
    }
    let folder = with_model("certificates-mutate");
    generated(&folder, "tests", &[]);
    let (model, suite) = (folder.join("model.lus"), folder.join("tests/suite.json"));
    let mutated = |out: &str, more: &[&str]| {
        let out = folder.join(out);
        let mutate = ["mutate", text(&model), text(&suite), "--equivalence", "--effort", "1"];
        let ran = provoke(&[&mutate[..], &["-o", text(&out)], more].concat());
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        (read(&out, "certificates.txt"), read(&out, "mutants.json"))
    };
    let (certificates, mutants) = mutated("alone", &["--assume", "limit < 100"]);
    let mutants: serde_json::Value = serde_json::from_str(&mutants).expect("JSON");
    let results = mutants["results"].as_array().expect("mutants");
    let equivalent = results.iter().filter(|mutant| mutant["status"] == "equivalent");
    let expected: BTreeSet<String> =
        equivalent.map(|mutant| format!("equivalent {}", mutant["id"].as_str().unwrap())).collect();
    assert!(expected.len() > 4, "{expected:?}");
    assert_eq!(claims(&certificates), expected);
    assert!(certificates.contains("\nassume limit < 100\n"));
    assert_eq!(read(&folder.join("alone"), "model.lus"), MODEL, "without the assumption");
    let (alone, _) = mutated("whole", &[]);
    assert_eq!(mutated("workers", &["--workers", "local", "--jobs", "2"]).0, alone);
}

#[test]
fn explain_says_that_there_is_a_certificate() {
    if !solver_is_there() {
        return;
    }
    let folder = with_model("certificates-explain");
    generated(&folder, "out", &[]);
    let out = folder.join("out");
    let explained = provoke(&["explain", "alarm:mcdc:1T", text(&out)]);
    assert!(explained.stdout.contains("certificates.txt"), "{}", explained.stdout);
    std::fs::remove_file(out.join("certificates.txt")).expect("a file");
    let without = provoke(&["explain", "alarm:mcdc:1T", text(&out)]);
    assert!(without.stdout.contains("No test of any length"), "{}", without.stdout);
    assert!(!without.stdout.contains("certificates.txt"), "{}", without.stdout);
}
