//! Families of models that grow with a number: the checked-in files, and what holds of them.

mod support;

use provoke_base::SourceFile;
use provoke_testkit::timed_models::{csma_cd, fischer, token_ring, train_gate};
use provoke_testkit::{check_snapshot, repository};
use provoke_timed::{Effort, Order, verify};

#[test]
fn the_checked_in_files_are_what_is_generated() {
    let files = [
        ("fischer4", fischer(4)),
        ("csma_cd4", csma_cd(4)),
        ("train_gate4", train_gate(4)),
        ("token_ring3", token_ring(3)),
    ];
    for (name, text) in files {
        check_snapshot(&repository().join(format!("models/timed/{name}.xml")), &text);
    }
}

/// Zones stored when the first question, which holds, is answered.
fn stored(text: String) -> usize {
    let network = support::load(&SourceFile::new("family.xml", text));
    let effort = Effort { order: Order::Breadth, jobs: 1, bytes: 1 << 30, stop: &|| None };
    let question = network.queries[0].question.as_ref().expect("a question");
    let answer = verify(&network, question, effort);
    assert_eq!(answer.holds, Some(true), "{:?}", answer.reason);
    for query in &network.queries[1..] {
        let question = query.question.as_ref().unwrap_or_else(|why| panic!("{why}"));
        assert_eq!(verify(&network, question, effort).holds, Some(true), "{}", query.text);
    }
    answer.states
}

#[test]
fn what_should_hold_holds_and_growth_is_known() {
    let fischers: Vec<usize> = (2..=6).map(|n| stored(fischer(n))).collect();
    assert_eq!(fischers, [18, 65, 220, 727, 2378]);
    let others = [csma_cd(2), csma_cd(3), train_gate(2), token_ring(2)].map(stored);
    assert!(others.iter().all(|zones| *zones > 2), "{others:?}");
}
