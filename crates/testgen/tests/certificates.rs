//! What proofs leave behind: the text, and that plain queries built from the text alone confirm it.

mod common;
#[path = "../../solve/tests/common/recheck.rs"]
mod recheck;

use common::{backend, options, run, systems};
use expect_test::{Expect, expect};
use provoke_base::{Random, SourceFile};
use provoke_criteria::{Counting, Criterion, Masking, Obligation, Oracle, obligations, properties};
use provoke_model::System;
use provoke_solve::Reading;
use provoke_solve::certificate::{CertifiedVerdict, Sheet};
use provoke_solve::engine::{Backend, Engine};
use provoke_testgen::{
    GenerationMethod, GenerationResult, Goals, ObligationVerdict, StrategyOptions,
};
use provoke_testkit::random_system::{self, Shape};

fn load(text: &str) -> System {
    provoke_lustre::load(&SourceFile::new("model.lus", text), None).system.expect("a valid model")
}

fn mcdc(system: &System) -> Vec<Obligation> {
    obligations(system, Criterion::named("mcdc").expect("a criterion"), Counting::Precise)
}

fn sheet(system: &System, wanted: &[Obligation], found: &GenerationResult) -> Sheet {
    let mut sheet = Sheet::new(system);
    for (obligation, outcome) in wanted.iter().zip(&found.outcomes) {
        if let ObligationVerdict::Infeasible(proof) = outcome
            && let Some(certificate) = &proof.certificate
        {
            let (claim, engine, k) = (&obligation.id[..], &proof.engine[..], proof.k);
            assert!(sheet.state(&CertifiedVerdict { claim, mutant: None, engine, k, certificate }));
        }
    }
    sheet
}

/// What plain queries say against certificates of a generation, and how many claims there are.
fn recheck(
    system: &System,
    wanted: &[Obligation],
    text: &str,
    backend: &Backend,
) -> (Vec<String>, usize) {
    let certificate = recheck::Certificate::parse(text);
    let claims = certificate.claims().count();
    let complaints = certificate.complaints(system, backend, |claim, terms| {
        let obligation = wanted.iter().find(|one| one.id == claim).expect("an obligation");
        let mut goals = Goals::new(system, Masking::Strict, &Oracle::Outputs, terms);
        goals.read(Reading::Possible);
        goals.question(terms, obligation).goal
    });
    (complaints, claims)
}

fn check(
    model: &str,
    wanted: fn(&System) -> Vec<Obligation>,
    (method, engine): (GenerationMethod, Engine),
    expected: &Expect,
) {
    let Some(backend) = backend() else { return };
    let system = load(model);
    let wanted = wanted(&system);
    let options = StrategyOptions { engine, ..options(method, 1) };
    let found = run(&system, &wanted, &backend, &options);
    let text = sheet(&system, &wanted, &found).text();
    expected.assert_eq(&text);
    let (complaints, claims) = recheck(&system, &wanted, &text, &backend);
    assert_eq!(complaints, Vec::<String>::new());
    assert!(claims > 0);
}

#[test]
fn a_counter_is_bounded_by_a_shared_lemma() {
    check(
        "node main(go : bool) returns (n : int);
         let
           n = 0 -> if go and pre n < 3 then pre n + 1 else pre n;
           --%PROPERTY n <= 3;
           --%PROPERTY n >= 0;
         tel",
        properties,
        (GenerationMethod::Hybrid, Engine::All),
        &expect![[r#"
            group G1
            fact (0 <= (pre `n`))
            fact ((- 1) <= (pre `n`))
            fact ((pre `n`) <= 3)
            fact ((pre `n`) <= 4)
            claim n <= 3
            engine k-induction
            k 0
            uses G1
            end
            claim n >= 0
            engine k-induction
            k 0
            uses G1
            end
        "#]],
    );
}

#[test]
fn what_needs_no_past_needs_no_facts() {
    check(
        "node main(a, b : bool) returns (out : bool);
         let
           out = a and not a or b;
         tel",
        mcdc,
        (GenerationMethod::Hybrid, Engine::All),
        &expect![[r#"
            claim out:mcdc:1T
            engine static
            k 0
            end
            claim out:mcdc:2F
            engine static
            k 0
            end
        "#]],
    );
}

#[test]
fn enumerations_are_called_by_their_constants() {
    check(
        "type mode = enum { Off, Idle, On };
         node main(press : bool) returns (now : mode; bad : bool);
         let
           now = Off -> if not press then pre now else if pre now = Off then Idle else Off;
           bad = press and (now = On);
         tel",
        mcdc,
        (GenerationMethod::Hybrid, Engine::All),
        &expect![[r#"
            let v1 = (if ((pre `now`) = Off) then 0 else (if ((pre `now`) = Idle) then 1 else 2))
            group G1
            fact (not ((pre `now`) = On))
            fact (0 = (v1 + (v1 * (- 1))))
            claim bad:mcdc:1T
            engine k-induction
            k 0
            uses G1
            end
            claim bad:mcdc:1F
            engine k-induction
            k 0
            uses G1
            end
            claim bad:mcdc:2T
            engine k-induction
            k 0
            uses G1
            end
        "#]],
    );
}

#[test]
fn an_invariant_excludes_the_goal() {
    check(
        "node main(go : bool) returns (ok : bool);
         var a, b : int;
         let
           a = 0 -> if go then pre a + 2 else pre a;
           b = 0 -> if go then pre b + 1 else pre b;
           ok = a = 2 * b;
           --%PROPERTY ok;
         tel",
        properties,
        (GenerationMethod::Regular, Engine::Pdr),
        &expect![[r#"
            let v1 = ((pre `a`) + ((pre `b`) * (- 2)))
            claim ok
            engine pdr
            k 0
            invariant ((not (1 <= v1)) and (not (v1 <= (- 1))))
            end
        "#]],
    );
}

#[test]
fn what_a_delay_inside_a_delay_remembers_is_nested() {
    check(
        "node main(go : bool) returns (ok : bool);
         var off : bool;
         let
           off = true -> pre (true -> not (go and not go) and pre off);
           ok = off or go;
           --%PROPERTY off;
         tel",
        properties,
        (GenerationMethod::Hybrid, Engine::KInduction),
        &expect![[r#"
            let v1 = ((pre `off`) = (pre (true -> ((not (`go` and (not `go`))) and (pre `off`)))))
            group G1
            fact (pre `off`)
            fact v1
            group G2
            fact v1
            claim off
            engine k-induction
            k 0
            uses G1 G2
            end
        "#]],
    );
}

#[test]
fn random_systems_are_certified_by_their_text() {
    let Some(backend) = backend() else { return };
    let (mut claims, mut uncertified) = (0, 0);
    for seed in 0..systems(40) {
        let shape = if seed % 2 == 0 { Shape::BOOLEAN } else { Shape::MIXED };
        let shape = Shape { hazards: seed % 4 > 1, ..shape };
        let system = random_system::system(&mut Random::new(seed), shape);
        let wanted = mcdc(&system);
        let found = run(&system, &wanted, &backend, &options(GenerationMethod::Hybrid, 2));
        let text = sheet(&system, &wanted, &found).text();
        let (complaints, certified) = recheck(&system, &wanted, &text, &backend);
        assert_eq!(complaints, Vec::<String>::new(), "seed {seed}\n{text}");
        let proven =
            |outcome: &&ObligationVerdict| matches!(outcome, ObligationVerdict::Infeasible(_));
        uncertified += found.outcomes.iter().filter(proven).count() - certified;
        claims += certified;
    }
    assert!(claims > 100, "{claims} claims");
    assert!(uncertified * 10 < claims, "{uncertified} uncertified, {claims} claims");
}
