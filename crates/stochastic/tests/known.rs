//! Models whose probabilities are known.

use provoke_base::SourceFile;
use provoke_stats::StoppingRuleKind;
use provoke_stochastic::estimate::{Estimate, EstimateAnswer, EstimateSettings, estimate};
use provoke_uppaal::Network;
use provoke_uppaal::network::Question;

fn settings(seed: u64, jobs: usize) -> EstimateSettings<'static> {
    let (rule, alpha, epsilon) = (StoppingRuleKind::Uppaal5, 0.05, 0.05);
    EstimateSettings {
        rule,
        alpha,
        epsilon,
        seed,
        jobs,
        most_runs: 1_000_000,
        stop: &|_| None,
        source: None,
    }
}

fn shared(name: &str) -> Option<Network> {
    let folder = provoke_testkit::shared("models/uppaal")?;
    let bytes = std::fs::read(folder.join(name)).expect("a readable file");
    provoke_uppaal::load(&SourceFile::from_bytes(name, bytes)).network
}

fn asked(network: &Network) -> &Question {
    let is = |q: &&Question| matches!(q, Question::Probability(_));
    network.queries.iter().filter_map(|q| q.question.as_ref().ok()).find(is).expect("a question")
}

/// In how many of 100 runs of the estimator the interval holds the probability.
fn covered(name: &str, p: f64) -> Option<usize> {
    let network = shared(name)?;
    let hits = (0..100).filter(|seed| {
        let found = estimate(&network, asked(&network), settings(*seed, 1));
        assert_eq!(found.stuck, 0, "{name}");
        match found.verdict {
            Ok(Estimate::Probability { interval, .. }) => interval.contains(p),
            other => panic!("{name}: {other:?}"),
        }
    });
    Some(hits.count())
}

#[test]
fn the_exact_probabilities_of_the_examples_lie_in_their_intervals() {
    // At a confidence of 95 %, fewer than 88 of 100 would come about in one of 800 cases.
    let cases = [
        ("hod_fig3_test.xml", 1.0),
        ("hod_fig3_fig4_uio.xml", 1.0),
        ("hod_fig5_test.xml", 0.5),
        ("hod_fig11_test.xml", 0.5),
    ];
    for (name, p) in cases {
        let Some(hits) = covered(name, p) else { return };
        assert!(hits >= 88, "{name}: {hits} of 100");
        assert!(p < 1.0 || hits == 100, "{name}: {hits} of 100");
    }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let Some(network) = shared("hod_fig11_test.xml") else { return };
    let with = |jobs| {
        let EstimateAnswer { verdict, runs, steps, stuck, .. } =
            estimate(&network, asked(&network), settings(5, jobs));
        (format!("{verdict:?}"), runs, steps, stuck)
    };
    assert_eq!(with(1), with(3));
    assert_eq!(with(1), with(2));
}

/// A model from declarations, lines of locations and edges as XML, and a query.
fn model(declarations: &str, locations: &str, query: &str) -> Network {
    let text = format!(
        "<nta><declaration>{declarations}</declaration><template><name>P</name>{locations}\
         </template><system>system P;</system><queries><query><formula>{query}</formula>\
         </query></queries></nta>"
    );
    let file = SourceFile::new("m.xml", text);
    let loaded = provoke_uppaal::load(&file);
    let said: Vec<String> = loaded.diagnostics.iter().map(|d| d.render(&file, false)).collect();
    loaded.network.unwrap_or_else(|| panic!("{}", said.concat()))
}

fn precise(network: &Network) -> Result<Estimate, String> {
    let question = network.queries[0].question.as_ref().expect("a question");
    let settings = EstimateSettings { epsilon: 0.01, ..settings(1, 2) };
    estimate(network, question, settings).verdict.map_err(|reason| reason.text)
}

fn assert_probability(network: &Network, p: f64) {
    match precise(network) {
        Ok(Estimate::Probability { interval, .. }) => {
            assert!(interval.contains(p), "{interval:?} without {p}");
        }
        other => panic!("{other:?}"),
    }
}

const TWO: &str = "<location id=\"a\"><name>A</name>RATE</location>\
    <location id=\"b\"><name>B</name></location><init ref=\"a\"/>";

#[test]
fn exponential_and_uniform_delays_have_their_distributions() {
    let edge = "<transition><source ref=\"a\"/><target ref=\"b\"/></transition>";
    let rate = "<label kind=\"exponentialrate\">1:2</label>";
    let locations = TWO.replace("RATE", rate) + edge;
    assert_probability(&model("", &locations, "Pr[&lt;=2](&lt;&gt; P.B)"), 1.0 - (-1.0_f64).exp());
    let bound = "<label kind=\"invariant\">x &lt;= 10</label>";
    let guarded = "<transition><source ref=\"a\"/><target ref=\"b\"/>\
        <label kind=\"guard\">x &gt;= 2</label></transition>";
    let locations = TWO.replace("RATE", bound) + guarded;
    assert_probability(&model("clock x;", &locations, "Pr[&lt;=4](&lt;&gt; P.B)"), 0.25);
    assert_probability(&model("clock x;", &locations, "Pr[&lt;=8]([] P.A)"), 0.25);
    // While time passes, not only when something happens.
    let query = "Pr[&lt;=9](&lt;&gt; P.A and x &gt;= 6)";
    assert_probability(&model("clock x;", &locations, query), 0.5);
    let mean = model("clock x;", &locations, "E[&lt;=20; 20000](max: P.A * x)");
    match precise(&mean) {
        Ok(Estimate::Expectation { mean, half_width }) => {
            assert!((mean - 6.0).abs() < 2.0 * half_width && half_width < 0.1, "{mean}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn rates_weights_and_hypotheses() {
    let bound = "<label kind=\"invariant\">x &lt;= 10 &amp;&amp; x' == 5</label>";
    let branch = "<branchpoint id=\"p\"/><transition><source ref=\"a\"/><target ref=\"p\"/></transition>\
        <transition><source ref=\"p\"/><target ref=\"b\"/><label kind=\"probability\">3</label></transition>\
        <transition><source ref=\"p\"/><target ref=\"a\"/><label kind=\"probability\">1</label>\
        <label kind=\"assignment\">x = 0</label></transition>";
    let locations = TWO.replace("RATE", bound) + branch;
    assert_probability(&model("clock x;", &locations, "Pr[#&lt;=1](&lt;&gt; P.B)"), 0.75);
    let cases = [("&gt;= 0.6", true), ("&lt;= 0.6", false), ("&gt;= 0.9", false)];
    for (compared, expected) in cases {
        let query = format!("Pr[#&lt;=1](&lt;&gt; P.B) {compared}");
        match precise(&model("clock x;", &locations, &query)) {
            Ok(Estimate::Hypothesis { holds, .. }) => assert_eq!(holds, expected, "{query}"),
            other => panic!("{other:?}"),
        }
    }
    let query = "Pr[#&lt;=2](&lt;&gt; P.B) &gt;= Pr[#&lt;=1](&lt;&gt; P.B)";
    let compared = precise(&model("clock x;", &locations, query));
    assert_eq!(compared, Ok(Estimate::Comparison { holds: true }));
}

#[test]
fn a_run_that_cannot_go_on_is_counted_and_endless_loops_end() {
    let bound = "<label kind=\"invariant\">x &lt;= 3</label>";
    let network = model("clock x;", &TWO.replace("RATE", bound), "Pr[&lt;=9; 50](&lt;&gt; P.B)");
    let question = network.queries[0].question.as_ref().expect("a question");
    let found = estimate(&network, question, settings(0, 1));
    assert_eq!((found.runs, found.stuck), (50, 50));
    let edge = "<transition><source ref=\"a\"/><target ref=\"a\"/></transition>";
    let looping = TWO.replace("RATE", "<urgent/>") + edge;
    let found = precise(&model("", &looping, "Pr[&lt;=9](&lt;&gt; P.B)"));
    assert_eq!(found, Err("100000 steps without time passing".to_string()));
}
