//! Questions with known answers.

mod support;

use provoke_base::{SourceFile, StopReason};
use provoke_testkit::timed_texts::{model, template};
use provoke_uppaal::{Network, load_asking};
use provoke_zones::{Order, SearchEffort, ZoneCount, verify};
use support::load;

fn effort() -> SearchEffort<'static> {
    SearchEffort { order: Order::Breadth, jobs: 2, bytes: 1 << 30, stop: &|_| None }
}

/// The answers, or the reasons why there are none.
fn answers(network: &Network) -> Vec<String> {
    let one = |query: &provoke_uppaal::network::Query| match &query.question {
        Err(why) => why.clone(),
        Ok(question) => {
            let answer = verify(network, question, effort());
            match (answer.holds, answer.reason) {
                (Some(holds), _) => holds.to_string(),
                (None, reason) => reason.expect("a reason").text,
            }
        }
    };
    network.queries.iter().map(one).collect()
}

/// The opposite question, where the language has one.
fn opposite(query: &str) -> Option<String> {
    let opposites = [("E<>", "A[]"), ("A[]", "E<>"), ("E[]", "A<>"), ("A<>", "E[]")];
    let (from, to) = opposites.into_iter().find(|(from, _)| query.starts_with(from))?;
    Some(format!("{to} not ({})", &query[from.len()..]))
}

#[test]
fn the_published_examples_are_answered_as_published() {
    let Some(folder) = provoke_testkit::shared("models/uppaal/public") else { return };
    let bytes = std::fs::read(folder.join("docs__query-semantics.xml")).expect("the examples");
    let file = SourceFile::from_bytes("query-semantics.xml", bytes);
    let network = load(&file);
    let given: Vec<bool> =
        network.queries.iter().map(|query| query.outcome.as_deref() == Some("success")).collect();
    assert_eq!(given.len(), 11);
    let found = answers(&network);
    assert_eq!(found, given.iter().map(bool::to_string).collect::<Vec<_>>());
    let pairs: Vec<(String, bool)> = network
        .queries
        .iter()
        .zip(&given)
        .filter_map(|(query, given)| Some((opposite(&query.text)?, !given)))
        .collect();
    assert_eq!(pairs.len(), 9);
    let (queries, wanted): (Vec<String>, Vec<String>) =
        pairs.into_iter().map(|(query, holds)| (query, holds.to_string())).unzip();
    let (loaded, _) = load_asking(&file, &queries);
    assert_eq!(answers(&loaded.network.expect("no error")), wanted);
}

/// `b` can be sent from 2 on, where its guard holds, until 4, where its target forbids more.
fn sender_with_a_choice(declaration: &str, system: &str) -> Vec<String> {
    let sender = [
        "loc A",
        "loc Low | inv y == 0",
        "loc High | inv x <= 4",
        "edge A Low | sync a! | do y = 0",
        "edge A High | guard x >= 2 | sync b[1]!",
    ];
    let receiver = ["loc B", "edge B B | sync a?", "edge B B | sync b[1]?"];
    let templates = [template("S", "", "", &sender), template("R", "", "", &receiver)];
    let times = ["x < 2", "x >= 2 && x <= 4", "x > 4"];
    let queries = times.map(|time| format!("E<> S.Low && {time}"));
    let queries: Vec<&str> = queries.iter().map(String::as_str).collect();
    let declarations = format!("clock x, y; chan a, b[2]; {declaration}");
    answers(&load(&model(&declarations, &templates, system, &queries)))
}

#[test]
fn what_comes_first_keeps_the_rest_waiting() {
    let both = "system S, R;";
    assert_eq!(sender_with_a_choice("", both), ["true", "true", "true"]);
    let first = "chan priority default < b;";
    assert_eq!(sender_with_a_choice(first, both), ["true", "false", "true"]);
    assert_eq!(sender_with_a_choice("chan priority a < default;", both), ["true", "false", "true"]);
    assert_eq!(sender_with_a_choice("chan priority b[1] < default;", both), ["true"; 3]);
    assert_eq!(sender_with_a_choice("chan priority b[0] < default < b[1];", both)[1], "false");
    // The processes are the same in both moves.
    assert_eq!(sender_with_a_choice("", "system S < R;"), ["true"; 3]);
}

#[test]
fn a_process_of_higher_priority_moves_before_others() {
    let lines = ["loc A", "loc B", "edge A B | guard x >= 1"];
    let templates = [template("P", "", "", &lines), template("Q", "", "", &lines[..])];
    let asked = |system: &str| {
        let queries = ["E<> P.B && Q.A", "E<> P.A && Q.B", "A[] not deadlock"];
        answers(&load(&model("clock x;", &templates, system, &queries)))
    };
    assert_eq!(asked("system P, Q;"), ["true", "true", "false"]);
    assert_eq!(asked("system P < Q;"), ["false", "true", "false"]);
}

#[test]
fn a_branch_of_weight_0_is_possible_but_an_edge_needs_a_positive_one() {
    let ask = |first: &str, second: &str| {
        let to = |target: &str, weight: &str| format!("edge p {target} | weight {weight}");
        let (b, c) = (to("B", first), to("C", second));
        let lines = ["loc A", "loc B", "loc C", "branch p", "edge A p", &b, &c];
        let templates = [template("T", "", "", &lines)];
        answers(&load(&model("int v;", &templates, "system T;", &["E<> T.B"]))).remove(0)
    };
    assert_eq!(ask("0", "1"), "true");
    assert_eq!(ask("v", "v + 1"), "true");
    assert_eq!(ask("v", "0"), "no branch has a positive weight");
    assert_eq!(ask("v - 1", "2"), "the weight -1 of a branch is not a number from 0 on");
}

#[test]
fn what_zones_cannot_follow_is_unknown_with_a_reason() {
    let ask = |declarations: &str, lines: &[&str], query: &str| {
        let file = model(declarations, &[template("T", "", "", lines)], "system T;", &[query]);
        answers(&load(&file)).remove(0)
    };
    let edge = ["loc A", "loc B", "edge A B | guard x - y > 3"];
    assert_eq!(
        ask("clock x, y;", &edge, "E<> T.B"),
        "zones cannot follow a comparison of two clocks"
    );
    let double = ["loc A", "loc B", "edge A B | guard d > 0.5"];
    assert_eq!(
        ask("double d;", &double, "E<> T.B"),
        "zones cannot follow a variable of type double"
    );
    let rate = ["loc A | inv x' == 2"];
    assert_eq!(ask("clock x;", &rate, "E<> T.A"), "zones cannot follow a clock rate other than 1");
    let overflow = ["loc A", "edge A A | do v++"];
    assert_eq!(
        ask("int[0,3] v;", &overflow, "A[] v < 5"),
        "the value 4 is outside [0,3], on an edge of T from A"
    );
    let zero = ["loc A", "loc B", "edge A B | guard 5 / v > 1"];
    assert_eq!(ask("int v;", &zero, "E<> T.B"), "division by zero");
    let endless = ["loc A", "edge A A | do f()"];
    assert_eq!(ask("void f() { while (true) { } }", &endless, "E<> v == 1"), "unknown name `v`");
    assert_eq!(
        ask("void f() { while (true) { } }", &endless, "E<> deadlock"),
        "no end after 2000000 steps, on an edge of T from A"
    );
    assert_eq!(
        ask("", &["loc A"], "Pr[<=5](<> T.A)"),
        "this question is for `provoke timed estimate`"
    );
}

#[test]
fn limits_stop_the_search_with_a_reason() {
    let lines = ["loc A", "edge A A | do v = (v + 1) % 30000, x = 0", "edge A A | guard x > 5"];
    let file =
        model("int v; clock x;", &[template("T", "", "", &lines)], "system T;", &["A[] v >= 0"]);
    let network = load(&file);
    let question = network.queries[0].question.as_ref().expect("a question");
    let small = verify(&network, question, SearchEffort { bytes: 1 << 16, ..effort() });
    assert_eq!(small.holds, None);
    let reason = small.reason.expect("a reason");
    assert_eq!(reason.stop, Some(StopReason::Memory(0)));
    assert_eq!(reason.text, "the zones need more than 0 MB");
    let stop = |zones: ZoneCount| (zones.stored > 1000).then_some(StopReason::Cancelled);
    let none = verify(&network, question, SearchEffort { stop: &stop, ..effort() });
    assert_eq!(none.reason.expect("a reason").text, "interrupted");
    assert!(none.states > 1000 && none.states < 10_000, "{}", none.states);
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let Some(folder) = provoke_testkit::shared("models/uppaal/public") else { return };
    let bytes = std::fs::read(folder.join("SimmDiffUppaal__train-gate.xml")).expect("the model");
    let network = load(&SourceFile::from_bytes("train-gate.xml", bytes));
    for order in [Order::Breadth, Order::Depth, Order::Random(1)] {
        for query in &network.queries[4..6] {
            let question = query.question.as_ref().expect("a question");
            let with = |jobs| {
                let answer = verify(&network, question, SearchEffort { order, jobs, ..effort() });
                (answer.holds, answer.states, answer.trace)
            };
            let one = with(1);
            assert_eq!(one, with(3), "{order:?}");
            assert_eq!(one.0, Some(true));
        }
    }
}

#[test]
fn committed_urgent_and_broadcast_mean_what_they_should() {
    let sender = template(
        "S",
        "",
        "",
        &[
            "loc A",
            "loc B committed",
            "loc C",
            "edge A B | sync b! | do v = 1",
            "edge B C | do v = v * 10",
        ],
    );
    let receiver = template(
        "R",
        "",
        "clock x;",
        &[
            "loc A",
            "loc B",
            "edge A B | guard v == 0 | sync b? | do v = v + 4",
            "edge A A | guard v == 1 | do v = 7",
        ],
    );
    let slow = template(
        "W",
        "",
        "clock z;",
        &["loc A | inv z <= 2", "loc B urgent", "loc C", "edge A B | guard z >= 1", "edge B C"],
    );
    let queries = [
        "E<> S.C and v == 50",
        "A[] not (v == 7)",
        "A[] S.C imply R.B",
        "A[] W.B imply W.z <= 2",
        "E<> W.C and W.z < 1",
        "A<> W.C",
        "E<> S.B and deadlock",
        "A[] not deadlock",
    ];
    let file =
        model("int v; broadcast chan b;", &[sender, receiver, slow], "system S, R, W;", &queries);
    let found = answers(&load(&file));
    assert_eq!(found, ["true", "true", "true", "true", "false", "true", "false", "false"]);
}
