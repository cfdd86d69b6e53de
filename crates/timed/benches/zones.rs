//! Zones stored and time, with one thread, on the families of models that checkers are measured with.

#![allow(clippy::print_stdout, reason = "benchmarks show what they measure")]
#![allow(missing_docs, reason = "a program, not a library")]

use std::time::Instant;

use provoke_base::SourceFile;
use provoke_testkit::timed_models::{csma_cd, fischer, token_ring, train_gate};
use provoke_timed::{Effort, Order, load, verify};

/// A name, its generator, and the sizes to try.
type Family = (&'static str, fn(usize) -> String, &'static [usize]);

fn main() {
    println!("model          zones      s   zones/s");
    let families: [Family; 4] = [
        ("fischer", fischer, &[6, 7, 8, 9]),
        ("csma/cd", csma_cd, &[5, 6, 7]),
        ("train gate", train_gate, &[4, 5]),
        ("token ring", token_ring, &[3, 4, 5]),
    ];
    for (name, make, sizes) in families {
        sizes.iter().for_each(|n| measure(&format!("{name} {n}"), make(*n)));
    }
}

fn measure(name: &str, text: String) {
    let network = load(&SourceFile::new("family.xml", text)).network.expect("no error");
    let question = network.queries[0].question.as_ref().expect("a question");
    let effort = Effort { order: Order::Breadth, jobs: 1, bytes: 8 << 30, stop: &|| None };
    let started = Instant::now();
    let answer = verify(&network, question, effort);
    let seconds = started.elapsed().as_secs_f64();
    assert_eq!(answer.holds, Some(true));
    println!(
        "{name:<12} {:>7} {seconds:>6.2} {:>9.0}",
        answer.states,
        answer.states as f64 / seconds
    );
}
