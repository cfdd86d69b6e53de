//! Resets and steps a second for each way to run the wiper.

#![allow(clippy::print_stdout, reason = "a benchmark tells its figures")]

use std::collections::BTreeSet;
use std::time::Instant;

use provoke_base::SourceFile;
use provoke_mine::throughput::throughput;
use provoke_mine::{Alphabet, MineTargetFile, ProgramBuilder};

fn main() {
    let home = provoke_testkit::repository().join("models/c");
    let text = std::fs::read_to_string(home.join("wiper.toml")).expect("a readable file");
    let target = MineTargetFile::parse(&SourceFile::new("wiper.toml", text)).expect("a target");
    let suite = target.suite("wiper");
    let folder = std::env::temp_dir().join(format!("provoke-throughput-{}", std::process::id()));
    let builder = ProgramBuilder::new(&target, &suite, &home, &folder).expect("a builder");
    let alphabet = Alphabet::new(&target, &suite, &BTreeSet::new());
    let start = Instant::now();
    let clock = || start.elapsed().as_secs_f64();
    let rates =
        throughput(&builder, &suite, &alphabet, &target.limits, 1.0, &clock).expect("rates");
    for rate in rates {
        println!("{:<10} {:>12.0} resets and steps a second", rate.way, rate.per_second);
    }
    let _ = std::fs::remove_dir_all(folder);
}
