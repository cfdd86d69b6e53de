//! Families of models that grow with a number: the checked-in files, and what holds of them.

mod support;

use provoke_base::SourceFile;
use provoke_testkit::timed_models::{
    FAMILIES, csma_cd, fischer, token_ring, train_gate, train_gate_ring,
};
use provoke_testkit::{check_snapshot, repository};
use provoke_zones::{Order, SearchEffort, verify};

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
    let effort = SearchEffort { order: Order::Breadth, jobs: 1, bytes: 1 << 30, stop: &|_| None };
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
    // Another checker's examples, with its numbers at larger sizes: 20738 zones for eight stations,
    // 215375 for five trains.
    assert_eq!([csma_cd(5), csma_cd(6)].map(stored), [850, 2594]);
    assert_eq!([train_gate_ring(3), train_gate_ring(4)].map(stored), [765, 12000]);
    for family in FAMILIES {
        assert!(stored((family.model)(2)) > 2, "{}", family.name);
    }
}
