//! On Booleans `=` and `<>` join conditions to one decision, as `xor` does.

use provoke_base::SourceFile;
use provoke_criteria::{Counting, Criterion, Masking, Measurement, Oracle, obligations};
use provoke_model::{System, Value};

fn load(decision: &str) -> System {
    let text = format!("node n(a, b, c: bool) returns (o: bool); let o = {decision}; tel");
    provoke_lustre::load(&SourceFile::new("n.lus", text), None).system.expect("a model")
}

/// For each row of inputs the MC/DC obligations that it covers, by number and outcome.
fn covered(decision: &str) -> Vec<Vec<usize>> {
    let system = load(decision);
    let criterion = Criterion::named("mcdc").expect("a criterion");
    let wanted = obligations(&system, criterion, Counting::Precise);
    assert_eq!(wanted.len(), 6, "three conditions of one decision: {decision}");
    let covers = |row: usize| {
        let row = (0..3).map(|bit| Value::Bool(row >> bit & 1 == 1)).collect();
        let mut measurement = Measurement::new(&system, &wanted, Masking::Strict, &Oracle::Outputs);
        let mut found = measurement.run_test(&[row]).covered;
        found.sort_unstable();
        found
    };
    (0..8).map(covers).collect()
}

#[test]
fn equality_is_the_negation_of_xor() {
    assert_eq!(covered("(a = b) and c"), covered("(not (a xor b)) and c"));
    assert_eq!(covered("(a <> b) or c"), covered("(a xor b) or c"));
    // Inside the decision, `a` counts only while `c` leaves it in charge.
    let with_c_false = &covered("(a = b) and c")[..4];
    assert!(with_c_false.iter().flatten().all(|obligation| *obligation >= 4), "{with_c_false:?}");
}
