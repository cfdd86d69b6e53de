//! Systems whose outputs come late by chance, in virtual time: right ones pass by every seed, wrong
//! ones do not.

use provoke_base::{Int, Random, SourceFile};
use provoke_exec::board::Wire;
use provoke_exec::{
    Adapter, Board, EventPlan, Observation, ReceivedValue, TargetError, TargetFile,
};
use provoke_model::Value;
use provoke_oracle::probability::ChanceEffort;
use provoke_oracle::verdict::{
    ConnectedSystem, SuiteOracle, TestStand, TestedSystem, hypotheses, signals,
};
use provoke_oracle::{Completer, CompletionSettings, Interface, TimedSuite, text};
use provoke_uppaal::Network;

/// What models/timed/temperature.xml describes, written by hand, behind lines that delay its outputs.
struct Sensor {
    random: Random,
    /// From when to when after an event the error is qualified.
    range: (f64, f64),
    delay: (f64, f64),
    out_of_range: usize,
    qualified: usize,
    count: usize,
}

fn unit(random: &mut Random) -> f64 {
    (random.next() >> 11) as f64 / (1_u64 << 53) as f64
}

impl Sensor {
    fn late(&mut self) -> f64 {
        // Twelve uniform numbers are normal enough.
        let normal = (0..12).map(|_| unit(&mut self.random)).sum::<f64>() - 6.0;
        (self.delay.0 + self.delay.1 * normal).max(0.0)
    }
}

impl Adapter for Sensor {
    fn run(&mut self, _: &Board, plan: &EventPlan) -> Result<Observation, TargetError> {
        let (mut present, mut qualified, mut count) = (false, false, 0_i64);
        let mut due = None;
        let mut seen = Observation::default();
        let out_of_range = self.out_of_range;
        let sends = plan.sends.iter().map(|send| (send.at_ms, Some(send.signal == out_of_range)));
        for (at, event) in sends.chain([(f64::INFINITY, None)]) {
            if let Some(moment) = due.filter(|moment| *moment <= at) {
                qualified = present;
                count += i64::from(present);
                let values = [
                    (self.qualified, Value::Bool(qualified)),
                    (self.count, Value::Int(Int::from(count))),
                ];
                for (signal, value) in values {
                    let at_ms = moment + self.late();
                    seen.received.push(ReceivedValue { at_ms, signal, value });
                }
            }
            let Some(event) = event else { break };
            // A change that agrees with what is qualified ends what was under way.
            present = event;
            let (first, last) = self.range;
            due =
                (event != qualified).then(|| at + first + (last - first) * unit(&mut self.random));
        }
        seen.received.sort_by(|a, b| a.at_ms.total_cmp(&b.at_ms));
        Ok(seen)
    }
}

fn network() -> Network {
    let path = provoke_testkit::repository().join("models/timed/temperature.xml");
    let file = SourceFile::from_bytes("temperature.xml", std::fs::read(path).expect("an example"));
    provoke_uppaal::load(&file).network.expect("a network")
}

fn suite(network: &Network) -> TimedSuite {
    let path = provoke_testkit::repository().join("models/timed/temperature.tests");
    let mut suite = text::parse(&std::fs::read_to_string(path).expect("tests")).expect("tests");
    let effort = ChanceEffort { runs: 2000, width: 1.0, alpha: 0.05, seed: 1, jobs: 1 };
    let settings = CompletionSettings { length: 10, effort };
    let completer = Completer::new(network, &suite.observe, settings).expect("known names");
    for test in &mut suite.tests {
        *test = completer.complete(test).expect("a test");
    }
    suite
}

/// The verdicts of a suite on a sensor with such a range and such delays.
fn verdicts(
    network: &Network,
    suite: &TimedSuite,
    range: (f64, f64),
    delay: (f64, f64),
    seed: u64,
) -> Vec<&'static str> {
    let interface = Interface::new(network);
    let lines = signals(&interface, suite).expect("signals");
    let text = format!(
        "step_ms = 1\n[connection]\nkind = \"process\"\ncommand = [\"none\"]\n[defaults]\ndelay_ms = {}\nsd_ms = {}\n",
        delay.0, delay.1
    );
    let file = SourceFile::new("target.toml", text.as_str());
    let target = TargetFile::parse(&file).expect("a target");
    let board = Board::new(&target, &lines, &file).expect("a board");
    let place = |wires: &[Wire], name: &str| {
        wires.iter().position(|wire| wire.name == name).expect("a signal")
    };
    let sensor = Sensor {
        random: Random::for_part(seed, "sensor"),
        range,
        delay,
        out_of_range: place(&board.monitored, "tempOutOfRange"),
        qualified: place(&board.controlled, "isQualified"),
        count: place(&board.controlled, "qc"),
    };
    let rule = SuiteOracle::default().rule(suite);
    let connected = ConnectedSystem::new(Box::new(sensor), board, &interface, suite, &rule, seed);
    let mut system = TestedSystem::Connected(Box::new(connected.expect("a system")));
    let stand = TestStand::new(network, suite).expect("a stand");
    let judge = |variant| stand.judge(variant, &mut system, rule, seed).expect("a verdict").word();
    stand.variants().iter().copied().map(judge).collect()
}

#[test]
fn right_systems_pass_with_every_seed_however_late_their_outputs_are() {
    let network = network();
    let suite = suite(&network);
    assert_eq!(hypotheses(&suite), 8);
    for delay in [(0.0, 0.0), (60.0, 20.0)] {
        for seed in 0..20 {
            let found = verdicts(&network, &suite, (3400.0, 5100.0), delay, seed);
            assert_eq!(found, ["pass"; 4], "{delay:?}, seed {seed}");
        }
    }
}

#[test]
fn wrong_ranges_are_found_behind_delays() {
    let network = network();
    let suite = suite(&network);
    // At 4250 the error is qualified in 85 % instead of 50 % of all runs, or long too late.
    for (range, word) in [((3400.0, 4400.0), "fail"), ((5400.0, 5900.0), "illegal")] {
        for seed in 0..5 {
            let found = verdicts(&network, &suite, range, (60.0, 20.0), seed);
            assert!(found.contains(&word), "{range:?}, seed {seed}: {found:?}");
        }
    }
}
