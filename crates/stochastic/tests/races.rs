//! Small races beside urgent locations, committed locations and urgent channels. Each probability is
//! worked out by hand; the reason stands beside it.

use provoke_base::SourceFile;
use provoke_stats::StoppingRuleKind;
use provoke_stochastic::estimate::{Estimate, EstimateAnswer, EstimateSettings, estimate};

/// What is declared in all of them. `w` is what the first process to act says.
const DECLARED: &str = "clock x, y; int w; chan a; broadcast chan b; urgent chan u;";

/// A template with one edge for each line `source target kind text, kind text`, whose locations are
/// written `name`, `name urgent`, `name committed`, `name invariant text` or `name rate text`.
fn template(name: &str, locations: &[&str], edges: &[&str]) -> String {
    let label = |kind: &str, text: &str| format!("<label kind=\"{kind}\">{text}</label>");
    let mut text = format!("<template><name>{name}</name>");
    for location in locations {
        let (id, rest) = location.split_once(' ').unwrap_or((location, ""));
        let inside = match rest.split_once(' ') {
            Some(("invariant", of)) => label("invariant", of),
            Some(("rate", of)) => label("exponentialrate", of),
            _ if rest.is_empty() => String::new(),
            _ => format!("<{rest}/>"),
        };
        text += &format!("<location id=\"{name}{id}\"><name>{id}</name>{inside}</location>");
    }
    let first = locations[0].split(' ').next().unwrap_or_default();
    text += &format!("<init ref=\"{name}{first}\"/>");
    for edge in edges {
        let mut words = edge.splitn(3, ' ');
        let (source, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        text += &format!(
            "<transition><source ref=\"{name}{source}\"/><target ref=\"{name}{target}\"/>"
        );
        for part in words.next().unwrap_or_default().split(", ").filter(|part| !part.is_empty()) {
            let (kind, of) = part.split_once(' ').expect("a kind and a text");
            let kind = match kind {
                "do" => "assignment",
                "sync" => "synchronisation",
                other => other,
            };
            text += &label(kind, of);
        }
        text += "</transition>";
    }
    text + "</template>"
}

/// A process that moves once, as `w` if nobody was before it.
fn racer(name: &str, from: &str, sync: &str, w: u8) -> String {
    let start = format!("s {from}");
    let sync = if sync.is_empty() { String::new() } else { format!("sync {sync}, ") };
    let edge = format!("s t {sync}do w = (w == 0 ? {w} : w)");
    template(name, &[start.trim_end(), "t"], &[&edge])
}

fn answer(templates: &[String], query: &str) -> EstimateAnswer {
    let names: Vec<String> = (0..templates.len()).map(|i| name_of(&templates[i])).collect();
    let text = format!(
        "<nta><declaration>{DECLARED}</declaration>{}<system>system {};</system><queries><query>\
         <formula>{}</formula></query></queries></nta>",
        templates.concat(),
        names.join(", "),
        query.replace('<', "&lt;").replace('>', "&gt;"),
    );
    let file = SourceFile::new("race.xml", text);
    let loaded = provoke_uppaal::load(&file);
    let said: Vec<String> = loaded.diagnostics.iter().map(|d| d.render(&file, false)).collect();
    let network = loaded.network.unwrap_or_else(|| panic!("{}", said.concat()));
    let question = network.queries[0].question.as_ref().expect("a question");
    let settings = EstimateSettings {
        rule: StoppingRuleKind::Uppaal5,
        alpha: 1e-4,
        epsilon: 0.02,
        seed: 7,
        jobs: 2,
        most_runs: 1_000_000,
        stop: &|_| None,
        source: None,
    };
    estimate(&network, question, settings)
}

fn name_of(template: &str) -> String {
    let (_, rest) = template.split_once("<name>").expect("a name");
    rest.split_once('<').expect("an end").0.to_string()
}

#[track_caller]
fn assert_probability(templates: &[String], query: &str, p: f64) -> EstimateAnswer {
    let found = answer(templates, query);
    match &found.verdict {
        Ok(Estimate::Probability { interval, .. }) => {
            assert!(interval.contains(p), "{query}: {interval:?} without {p}");
        }
        other => panic!("{query}: {other:?}"),
    }
    found
}

#[test]
fn an_urgent_location_acts_before_one_that_may_wait() {
    let urgent = racer("A", "urgent", "", 1);
    let uniform = racer("B", "invariant x &lt;= 4", "", 2);
    let exponential = racer("C", "rate 1000", "", 3);
    // The urgent one draws 0, the others draw more than 0 with probability 1.
    let found = assert_probability(&[urgent, uniform, exponential], "Pr[<=10](<> w == 1)", 1.0);
    assert_eq!((found.stuck, found.hurried), (0, 0));
}

#[test]
fn among_urgent_locations_processes_are_drawn_and_then_edges() {
    let edges = ["s t do w = (w == 0 ? 1 : w)", "s t do w = (w == 0 ? 2 : w)"];
    let two_edges = template("A", &["s urgent", "t"], &edges);
    let one_edge = racer("B", "urgent", "", 3);
    let both = [two_edges, one_edge];
    // Half of the runs begin with B; in the other half A takes one of its two edges.
    assert_probability(&both, "Pr[<=1](<> w == 3)", 0.5);
    assert_probability(&both, "Pr[<=1](<> w == 1)", 0.25);
}

#[test]
fn an_invariant_that_ends_now_is_as_hasty_as_an_urgent_location() {
    let urgent = racer("A", "urgent", "", 1);
    let ends = racer("B", "invariant x &lt;= 0", "", 2);
    assert_probability(&[urgent, ends], "Pr[<=1](<> w == 2)", 0.5);
}

#[test]
fn a_committed_location_that_only_receives_is_left_by_its_sender() {
    for (channel, receiver) in [("a!", "a?"), ("b!", "b?")] {
        let waits = racer("A", "committed", receiver, 1);
        let sends = template("B", &["s", "t"], &[&format!("s t sync {channel}")]);
        let found = assert_probability(&[waits, sends], "Pr[<=10](<> w == 1)", 1.0);
        assert_eq!(found.stuck, 0);
        // B may wait: that it comes now is a rule of ours.
        assert_eq!(found.hurried, found.runs);
    }
}

#[test]
fn while_a_location_is_committed_a_plain_channel_reaches_only_it() {
    let sender = template("S", &["s", "t"], &["s t sync a!"]);
    let committed = racer("A", "committed", "a?", 1);
    let normal = racer("B", "", "a?", 2);
    assert_probability(&[sender, normal, committed], "Pr[<=10](<> w == 1)", 1.0);
}

#[test]
fn an_urgent_sender_to_a_committed_location_comes_before_one_that_may_wait() {
    let committed = template("R", &["s committed", "t"], &["s t sync b?"]);
    let urgent = racer("A", "urgent", "b!", 1);
    let waits = racer("B", "rate 5", "b!", 2);
    let found = assert_probability(&[committed, urgent, waits], "Pr[<=10](<> w == 1)", 1.0);
    assert_eq!(found.hurried, 0);
}

#[test]
fn processes_that_time_stands_still_for_race_by_their_rates() {
    let urgent = template("R", &["s urgent", "t"], &["s t sync b?"]);
    let slow = racer("A", "rate 1", "b!", 1);
    let fast = racer("B", "rate 3", "b!", 2);
    // Of two exponential delays with the rates 1 and 3, the second is shorter in 3 of 4 cases.
    let found = assert_probability(&[urgent, slow, fast], "Pr[<=0](<> w == 2)", 0.75);
    assert_eq!(found.hurried, found.runs);
}

#[test]
fn an_urgent_channel_is_used_as_soon_as_both_sides_are_ready() {
    for start in ["", "invariant y &lt;= 20", "rate 0"] {
        let sends = racer("A", start, "u!", 1);
        let edges = ["s k guard x &gt;= 5", "k t sync u?"];
        let ready_at_5 = template("B", &["s invariant x &lt;= 5", "k", "t"], &edges);
        let both = [sends, ready_at_5];
        assert_probability(&both, "Pr[<=5](<> w == 1)", 1.0);
        assert_probability(&both, "Pr[<=4](<> w == 1)", 0.0);
    }
}

#[test]
fn an_urgent_channel_whose_guard_waits_for_a_clock_is_used_at_that_moment() {
    let sends = racer("A", "", "u!", 1);
    let receives = template("B", &["s", "t"], &["s t guard x &gt;= 3, sync u?"]);
    let uniform = racer("C", "invariant x &lt;= 6", "", 2);
    // The pair acts at 3; the third process is uniform in [0, 6].
    assert_probability(&[sends, receives, uniform], "Pr[<=10](<> w == 2)", 0.5);
}

#[test]
fn a_plain_channel_is_used_when_its_sender_chooses_to() {
    let sends = racer("A", "", "a!", 1);
    let edges = ["s k guard x &gt;= 5", "k t sync a?"];
    let ready_at_5 = template("B", &["s invariant x &lt;= 5", "k", "t"], &edges);
    // From 5 on the sender waits for an exponential delay of rate 1.
    assert_probability(&[sends, ready_at_5], "Pr[<=6](<> w == 1)", 1.0 - (-1.0_f64).exp());
}

#[test]
fn a_process_that_must_act_and_has_no_partner_is_stuck() {
    for start in ["urgent", "committed", "invariant x &lt;= 2"] {
        let found = assert_probability(&[racer("A", start, "a!", 1)], "Pr[<=10](<> w == 1)", 0.0);
        assert_eq!(found.stuck, found.runs, "{start}");
    }
}

#[test]
fn branches_without_a_positive_weight_are_a_fault_of_their_edge() {
    let branches = |first: &str, second: &str| {
        let text =
            template("A", &["s", "t"], &["s p", "p t probability FIRST", "p s probability SECOND"]);
        let text = text.replace("<init", "<branchpoint id=\"Ap\"/><init");
        [text.replace("FIRST", first).replace("SECOND", second)]
    };
    assert_probability(&branches("3", "1"), "Pr[#<=1](<> A.t)", 0.75);
    assert_probability(&branches("0", "1"), "Pr[#<=1](<> A.t)", 0.0);
    for (first, second, said) in [
        ("w", "0", "no branch has a positive weight"),
        ("w - 1", "2", "the weight -1 of a branch is not a number from 0 on"),
    ] {
        let found = answer(&branches(first, second), "Pr[#<=1](<> A.t)");
        let reason = found.verdict.expect_err("a fault");
        assert_eq!(reason.text, said);
        assert!(reason.span.is_some());
    }
}
