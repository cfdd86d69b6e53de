//! Random runs and steps in a second, with one thread.

#![allow(clippy::print_stdout, reason = "benchmarks show what they measure")]
#![allow(missing_docs, reason = "a program, not a library")]

use std::time::Instant;

use provoke_base::SourceFile;
use provoke_stats::StoppingRuleKind;
use provoke_stochastic::{EstimateSettings, estimate};
use provoke_uppaal::network::Question;

fn main() {
    let mut files = vec![provoke_testkit::repository().join("models/timed/lamp.xml")];
    if let Some(folder) = provoke_testkit::shared("models/uppaal") {
        let names = ["hod_fig3_test", "hod_fig5_test", "hod_fig11_test", "hod_fig11_uio"];
        files.extend(names.map(|name| folder.join(format!("{name}.xml"))));
    }
    println!("model             runs/s    steps/s");
    for path in files {
        let bytes = std::fs::read(&path).expect("a readable file");
        let file = SourceFile::from_bytes("model.xml", bytes);
        let network = provoke_uppaal::load(&file).network.expect("no error");
        let questions = network.queries.iter().filter_map(|query| query.question.as_ref().ok());
        let mut chances = questions.filter(|q| matches!(q, Question::Probability(_)));
        let question = chances.next().expect("a probability");
        let settings = EstimateSettings {
            rule: StoppingRuleKind::Fixed(300_000),
            alpha: 0.05,
            epsilon: 0.05,
            seed: 1,
            jobs: 1,
            most_runs: u64::MAX,
            source: None,
            stop: &|_| None,
        };
        let started = (Instant::now(), provoke_testkit::on_processor());
        let found = estimate(&network, question, settings);
        let seconds = match (started.1, provoke_testkit::on_processor()) {
            (Some(before), Some(now)) => now - before,
            _ => started.0.elapsed().as_secs_f64(),
        };
        let name = path.file_stem().expect("a name").to_string_lossy();
        let (runs, steps) = (found.runs as f64 / seconds, found.steps as f64 / seconds);
        println!("{name:<14} {runs:>9.0} {steps:>10.0}");
    }
}
