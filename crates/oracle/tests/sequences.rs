//! Sequences where one is not to be had easily, generators, mutants and what is known of them.

use provoke_base::{Random, SourceFile};
use provoke_oracle::mutants::{Amount, TimedOperator, mutants};
use provoke_oracle::mutants::{MutantStatus, known};
use provoke_oracle::probability::ChanceEffort;
use provoke_oracle::timed_tests::{GenerationRequest, TimedMethod, generate};
use provoke_oracle::{Completer, CompletionSettings, Interface, TimedTest, UioKind, json, text};
use provoke_uppaal::Network;

fn model(name: &str) -> Network {
    let path = provoke_testkit::repository().join("models/timed").join(name);
    let bytes = std::fs::read(path).expect("an example");
    provoke_uppaal::load(&SourceFile::from_bytes(name, bytes)).network.expect("a network")
}

fn completed(network: &Network, tests: &str, length: usize) -> TimedTest {
    let suite = text::parse(tests).expect("tests");
    let effort = ChanceEffort { runs: 200, width: 1.0, alpha: 0.05, seed: 1, jobs: 1 };
    let settings = CompletionSettings { length, effort };
    let completer = Completer::new(network, &suite.observe, settings).expect("known names");
    completer.complete(&suite.tests[0]).expect("a test")
}

#[test]
fn sequences_are_composed_where_a_single_one_is_too_long() {
    let tests = "observe isQualified, qc\ntest t -> TE.PresentQualified\n<tempOutOfRange>\n\
                 <wait 5100> / (isQualified == true)\n";
    let test = completed(&model("temperature.xml"), tests, 2);
    assert_eq!(test.uios.len(), 1);
    assert_eq!(test.uios[0].kind, UioKind::Composed);
    assert_eq!(test.uios[0].steps.len(), 3);
    assert_eq!(test.uios[0].excludes.len(), 3);
}

/// A location that two events tell from one other location each, and that is lost by either.
fn lossy() -> Network {
    let locations = ["Start", "A", "B", "C", "D", "S", "T"];
    let mut text = "<nta><declaration>broadcast chan go, e1, e2; int[0,2] v;</declaration>\
                    <template><name>P</name>"
        .to_string();
    for name in locations {
        text += &format!("<location id=\"{name}\"><name>{name}</name></location>");
    }
    text += "<init ref=\"Start\"/>";
    for (from, event, to, value) in [
        ("Start", "go", "A", 0),
        ("A", "e1", "S", 1),
        ("B", "e1", "T", 2),
        ("C", "e1", "S", 1),
        ("D", "e1", "S", 1),
        ("A", "e2", "S", 1),
        ("B", "e2", "S", 1),
        ("C", "e2", "T", 2),
        ("D", "e2", "S", 1),
    ] {
        text += &format!(
            "<transition><source ref=\"{from}\"/><target ref=\"{to}\"/>\
             <label kind=\"synchronisation\">{event}?</label>\
             <label kind=\"assignment\">v = {value}</label></transition>"
        );
    }
    text += "</template><system>system P;</system></nta>";
    let loaded = provoke_uppaal::load(&SourceFile::new("lossy.xml", text.as_str()));
    loaded.network.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

#[test]
fn several_sequences_separate_what_none_does_alone_and_the_rest_is_named() {
    let test = completed(&lossy(), "observe v\ntest t -> P.A\n<go> / (v == 0)\n", 4);
    let kinds: Vec<UioKind> = test.uios.iter().map(|uio| uio.kind).collect();
    assert!(kinds.len() >= 2 && kinds.iter().all(|kind| *kind == UioKind::Separating), "{kinds:?}");
    let excluded: Vec<&String> = test.uios.iter().flat_map(|uio| &uio.excludes).collect();
    for name in ["P.B", "P.C"] {
        assert!(excluded.iter().any(|excluded| *excluded == name), "{excluded:?}");
    }
    let remark = test.remark.expect("D looks like A");
    assert_eq!(remark, "no sequence of up to 4 steps tells P.A from P.D");
}

#[test]
fn tests_that_no_run_shows_are_told() {
    let tests = "observe isQualified, qc\ntest t -> TE.PresentQualified\n<tempOutOfRange>\n\
                 <wait 3000> / (isQualified == true)\n";
    let test = completed(&model("temperature.xml"), tests, 3);
    assert_eq!(test.remark.as_deref(), Some("no run of the model shows these outputs"));
    assert_eq!(test.probability.unwrap().exact, Some(0.0));
}

#[test]
fn generators_reach_everything_and_repeat_themselves() {
    for name in ["temperature.xml", "temperature_loop.xml"] {
        let network = model(name);
        let observe = Interface::new(&network).usual_outputs();
        assert_eq!(observe, ["isQualified", "qc"]);
        let methods =
            [TimedMethod::Edge, TimedMethod::Location, TimedMethod::Random, TimedMethod::Diversity];
        for method in methods {
            let wanted = GenerationRequest { method, tests: 25, length: 12, seed: 3 };
            let once = generate(&network, &observe, wanted).expect("tests");
            let again = generate(&network, &observe, wanted).expect("tests");
            assert_eq!(once.suite, again.suite);
            assert_eq!(once.open, [""; 0], "{name} {method:?}");
            assert_eq!(json::read(&text::print(&once.suite)).expect("its own text"), once.suite);
            match method {
                TimedMethod::Random | TimedMethod::Diversity => {
                    assert_eq!(once.suite.tests.len(), 25)
                }
                _ => assert!(!once.suite.tests.is_empty()),
            }
        }
    }
}

#[test]
fn ranges_that_begin_at_once_are_tested_in_their_middle_and_at_their_end() {
    let network = model("hands_off.xml");
    let observe = ["critical[0]".to_string()];
    let wanted = GenerationRequest { method: TimedMethod::Edge, tests: 0, length: 4, seed: 0 };
    let suite = generate(&network, &observe, wanted).expect("tests").suite;
    let own = suite.tests.iter().filter(|test| test.name.starts_with("Critical(0)_"));
    let waits: Vec<_> = own
        .flat_map(|test| &test.steps)
        .filter_map(|step| match step.input {
            provoke_oracle::Input::Wait(time) => Some(time),
            _ => None,
        })
        .collect();
    assert_eq!(waits, [1700, 850]);
}

#[test]
fn mutants_change_one_thing_and_silent_ones_are_proven() {
    let network = model("hands_off.xml");
    let all = mutants(&network, &TimedOperator::ALL, Amount::Part(0.5));
    let own = |name: &str| all.iter().filter(|m| m.text.starts_with(&format!("{name}:"))).count();
    // 2 ranges, 4 + 4 + 4 changes of them, 6 edges to 3 other locations, and so on.
    let count = |operator: TimedOperator| {
        let slow = all.iter().filter(|m| m.text.starts_with("Slow(0):"));
        slow.filter(|m| m.operator == operator).count()
    };
    assert_eq!(count(TimedOperator::Restrict), 4);
    assert_eq!(count(TimedOperator::Widen), 4);
    assert_eq!(count(TimedOperator::Shift), 4);
    assert_eq!(count(TimedOperator::Target), 18);
    assert_eq!(count(TimedOperator::Source), 18);
    assert_eq!(count(TimedOperator::Sink), 6);
    assert_eq!(count(TimedOperator::Reset), 6);
    assert_eq!(own("Slow(0)"), own("Slow(19)"));
    // A critical error that is qualified again and again looks as if it were qualified once.
    let target = |m: &&provoke_oracle::mutants::TimedMutant| {
        m.operator == TimedOperator::Target && m.text.starts_with("Critical(0):")
    };
    let critical: Vec<_> = all.iter().filter(target).cloned().collect();
    let interface = Interface::new(&network);
    let observed: Vec<usize> = interface
        .usual_outputs()
        .iter()
        .map(|name| interface.cell(name).expect("a cell"))
        .collect();
    let proven: Vec<String> = critical
        .iter()
        .zip(known(&network, &critical, &observed))
        .filter(|(_, known)| matches!(known, MutantStatus::Equivalent(_)))
        .map(|(mutant, _)| mutant.text.clone())
        .collect();
    assert_eq!(
        proven,
        [
            "Critical(0): Present -> PresentQualified leads to Absent",
            "Critical(0): Present -> PresentQualified leads to Present",
        ]
    );
}

#[test]
fn what_others_show_of_a_fault_is_not_overlooked() {
    let network = model("temperature_loop.xml");
    let all = mutants(&network, &[TimedOperator::Target], Amount::Part(0.5));
    let interface = Interface::new(&network);
    let observed = [interface.cell("isQualified").unwrap(), interface.cell("qc").unwrap()];
    // The loop and the environment show nothing themselves, but the error does. It does not know
    // whether the loop is busy or idle until it sends again.
    let known = known(&network, &all, &observed);
    let not_open = all.iter().zip(&known).filter(|(_, known)| **known != MutantStatus::Open);
    let not_open: Vec<_> = not_open.map(|(mutant, known)| (mutant.text.as_str(), known)).collect();
    let same = MutantStatus::Equivalent("what the automaton sends, it sends at the same times");
    assert_eq!(not_open, [("CL: Detected -> Busy on qualify! leads to Idle", &same)]);
}

#[test]
fn no_text_makes_the_readers_fall_over() {
    let sample = std::fs::read_to_string(
        provoke_testkit::repository().join("models/timed/temperature.tests"),
    )
    .expect("the example");
    let whole = json::print(&text::parse(&sample).expect("the example"));
    let mut random = Random::new(5);
    for start in [sample, whole] {
        for _ in 0..2000 {
            let mut bytes = start.clone().into_bytes();
            for _ in 0..1 + random.below(4) {
                let at = random.below(bytes.len());
                match random.below(3) {
                    0 => bytes[at] = random.next() as u8,
                    1 if bytes.len() > 1 => drop(bytes.remove(at)),
                    _ => bytes.truncate(at.max(1)),
                }
            }
            // Whatever is read can be written and read again.
            if let Ok(suite) = json::read(&String::from_utf8_lossy(&bytes)) {
                assert_eq!(json::read(&json::print(&suite)).expect("its own text"), suite);
            }
        }
    }
}

#[test]
fn a_test_without_steps_is_refused() {
    let wrong = provoke_oracle::text::parse("test one\n").expect_err("there is nothing to do");
    assert!(wrong.message.contains("test `one`: no steps"), "{}", wrong.message);
}

#[test]
fn priorities_are_refused_since_runs_do_not_follow_them() {
    let text = "<nta><declaration>broadcast chan a, b; chan priority default &lt; b; bool v;</declaration>\
        <template><name>P</name><location id=\"l\"/><init ref=\"l\"/>\
        <transition><source ref=\"l\"/><target ref=\"l\"/><label kind=\"synchronisation\">a?</label>\
        <label kind=\"assignment\">v = !v</label></transition></template>\
        <system>system P;</system></nta>";
    let loaded = provoke_uppaal::load(&provoke_base::SourceFile::new("priority.xml", text));
    let network = loaded.network.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
    let effort = ChanceEffort { runs: 1, width: 1.0, alpha: 0.05, seed: 0, jobs: 1 };
    let completer =
        Completer::new(&network, &["v".to_string()], CompletionSettings { length: 1, effort });
    assert_eq!(completer.err().as_deref(), Some("simulation cannot follow priorities"));
}
