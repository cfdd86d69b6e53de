//! Numbers that only very long tests lead where they are wanted.

mod common;

use common::{backend, options, run};
use provoke_base::SourceFile;
use provoke_criteria::{Counting, Criterion, obligations};
use provoke_testgen::{GenerationMethod, ObligationVerdict};

/// Every third step counts, if the orders come in a row; a mistake costs what was counted last.
const COUNTER: &str = "
node main(one, two, three : bool) returns (full : bool);
var phase, count : int;
let
  phase = 0 -> if pre phase = 0 and one and not two and not three then 1
               else if pre phase = 1 and two and not one and not three then 2 else 0;
  count = 0 -> if pre phase = 2 and three and not one and not two then pre count + 1
               else if phase = 0 and pre count > 0 and pre phase <> 0 then pre count - 1
               else pre count;
  full = count >= 9000;
tel;";

#[test]
fn a_count_to_nine_thousand_is_walked_in_laps() {
    let Some(backend) = backend() else { return };
    let loaded = provoke_lustre::load(&SourceFile::new("model.lus", COUNTER), None);
    let system = loaded.system.expect("a valid model");
    let criterion = Criterion::named("condition").expect("a criterion");
    let mut wanted = obligations(&system, criterion, Counting::Precise);
    wanted.retain(|obligation| obligation.id.starts_with("full:"));
    assert_eq!(wanted.len(), 2);
    let found = run(&system, &wanted, &backend, &options(GenerationMethod::Hybrid, 2));
    let covered = |outcome: &ObligationVerdict| matches!(outcome, ObligationVerdict::Covered(_));
    assert!(found.outcomes.iter().all(covered), "{:?}", found.outcomes);
    let longest = found.tests.iter().map(|test| test.steps.len()).max();
    assert!((27_000..30_000).contains(&longest.expect("a test")), "{longest:?}");
    assert_eq!(found, run(&system, &wanted, &backend, &options(GenerationMethod::Hybrid, 1)));
}
