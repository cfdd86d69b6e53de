//! How long reading a large model takes, and whether the time grows with its size only.

#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::time::{Duration, Instant};

use provoke_base::SourceFile;
use provoke_lustre::load;

/// The best of several runs: the least disturbed by the machine.
fn best(mut work: impl FnMut()) -> Duration {
    let time = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    (0..7).map(|_| time(&mut work)).min().expect("seven runs")
}

/// The text several times over, its only node renamed.
fn repeated(text: &str, times: usize) -> String {
    let copy = |number: usize| text.replacen("node ", &format!("node copy_{number}_"), 1);
    (0..times).map(copy).collect()
}

fn main() {
    let Some(root) = provoke_testkit::shared("models/lustre/single_node") else { return };
    let text = std::fs::read_to_string(root.join("DockingApproach.lus")).expect("readable");
    println!("check DockingApproach.lus, {} KB", text.len() / 1000);
    let mut once = Duration::ZERO;
    for times in [1, 2, 4] {
        let file = SourceFile::new("m.lus", repeated(&text, times));
        let main = Some("copy_0_DockingApproachExample_Ext");
        let time = best(|| assert!(load(&file, main).system.is_some()));
        if times == 1 {
            once = time;
        }
        let ratio = time.as_secs_f64() / once.as_secs_f64();
        println!(
            "  {times} x the text: {:6.1} ms, {ratio:.2} x the time",
            time.as_secs_f64() * 1e3
        );
    }
}
