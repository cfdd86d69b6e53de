//! Zones stored and time, with one thread, on the families of models that checkers are measured with.
//! Arguments choose families by the beginning of their names and limit the size:
//! `cargo bench -p provoke-zones -- fischer 7`.

#![allow(clippy::print_stdout, reason = "benchmarks show what they measure")]
#![allow(missing_docs, reason = "a program, not a library")]

use std::time::Instant;

use provoke_base::SourceFile;
use provoke_testkit::on_processor;
use provoke_testkit::timed_models::FAMILIES;
use provoke_uppaal::load;
use provoke_zones::{Order, SearchEffort, verify};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let largest = arguments.iter().find_map(|a| a.parse().ok()).unwrap_or(usize::MAX);
    let names: Vec<&String> = arguments.iter().filter(|a| a.parse::<usize>().is_err()).collect();
    println!("model                zones  growth        s  growth   zones/s");
    for family in FAMILIES {
        if !names.is_empty() && !names.iter().any(|name| family.name.starts_with(*name)) {
            continue;
        }
        let mut before = None;
        for size in family.sizes.iter().filter(|size| **size <= largest) {
            let (zones, seconds) = measure((family.model)(*size));
            let growth = |of: f64, before: Option<f64>| {
                before.map_or(String::new(), |before| format!("{:.1}", of / before))
            };
            println!(
                "{:<18} {zones:>7} {:>7} {seconds:>8.3} {:>7} {:>9.0}",
                format!("{} {size}", family.name),
                growth(zones as f64, before.map(|(zones, _)| zones as f64)),
                growth(seconds, before.map(|(_, seconds)| seconds)),
                zones as f64 / seconds
            );
            before = Some((zones, seconds));
        }
    }
}

/// All reachable zones, and the seconds it took to find them.
fn measure(text: String) -> (usize, f64) {
    let network = load(&SourceFile::new("family.xml", text)).network.expect("no error");
    let question = network.queries[0].question.as_ref().expect("a question");
    let effort = SearchEffort { order: Order::Breadth, jobs: 1, bytes: 8 << 30, stop: &|_| None };
    let started = (Instant::now(), on_processor());
    let answer = verify(&network, question, effort);
    let seconds = match (started.1, on_processor()) {
        (Some(before), Some(now)) => now - before,
        _ => started.0.elapsed().as_secs_f64(),
    };
    assert_eq!(answer.holds, Some(true), "{:?}", answer.reason);
    (answer.states, seconds)
}
