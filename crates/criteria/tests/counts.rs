//! How many obligations there are.

mod common;

use common::{benchmark, lustre};
use provoke_criteria::{Counting, Criterion, obligations};
use provoke_testkit::shared;

fn count(system: &provoke_model::System, word: &str, counting: Counting) -> usize {
    obligations(system, Criterion::named(word).unwrap(), counting).len()
}

#[test]
fn the_published_counts_are_reproduced_for_every_model_and_criterion() {
    let Some(path) = shared("baselines/lustre_obligations.csv") else { return };
    let table = std::fs::read_to_string(path).unwrap();
    let mut checked = 0;
    let mut wrong = Vec::new();
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let Some(system) = benchmark(cells[0]) else { return };
        let found = count(&system, cells[1], Counting::Published);
        if found.to_string() != cells[2] {
            wrong.push(format!("{line}: found {found}"));
        }
        checked += 1;
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(checked, 28 * 4);
}

#[test]
fn an_observable_criterion_has_as_many_obligations_as_its_host() {
    for model in ["Microwave01", "Infusion", "Gas"] {
        let Some(system) = benchmark(model) else { return };
        for word in ["condition", "decision", "branch", "mcdc"] {
            for counting in [Counting::Published, Counting::Precise] {
                let host = count(&system, word, counting);
                assert_eq!(count(&system, &format!("o{word}"), counting), host, "{model} {word}");
            }
        }
    }
}

/// Counts of the four hosts, published and precise, for an equation of `out`.
fn counts(ty: &str, body: &str) -> [(usize, usize); 4] {
    let system = lustre(&format!(
        "node top(a, b, c: bool; x, y: int) returns (out: {ty}); let out = {body}; tel"
    ));
    ["condition", "decision", "branch", "mcdc"].map(|word| {
        (count(&system, word, Counting::Published), count(&system, word, Counting::Precise))
    })
}

#[test]
fn constants_are_no_conditions_and_no_decisions_but_their_ifs_are_branches() {
    assert_eq!(counts("bool", "true"), [(0, 0); 4]);
    let constant_condition = counts("int", "if true then x else y");
    assert_eq!(constant_condition, [(0, 0), (0, 0), (2, 2), (0, 0)]);
}

#[test]
fn conditions_are_found_everywhere() {
    let body = "false -> pre (if a and x > (if b then 1 else 2) then not c else b => c)";
    assert_eq!(counts("bool", body), [(12, 12), (2, 8), (4, 4), (12, 12)]);
}

#[test]
fn decisions_of_numbers_are_the_outer_if_conditions() {
    let body = "(if a and (if b then c else a) then x else y) + (0 -> if c then 1 else 2)";
    assert_eq!(counts("int", body), [(10, 10), (4, 10), (6, 6), (10, 10)]);
}

#[test]
fn decisions_of_a_boolean_if_are_its_parts() {
    let body = "if a then (if b then true else c) else not c";
    assert_eq!(counts("bool", body), [(8, 8), (8, 8), (4, 4), (8, 8)]);
}
