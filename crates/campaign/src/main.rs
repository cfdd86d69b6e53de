//! The campaign: random models through everything that Provoke does, judged by trying all runs.
//!
//! `make campaign SECONDS=600 SEED=1`. A failure is made small and written as a model and a
//! command below `target/campaign`; counts at the end say what was exercised.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod chain;
mod counts;
mod failure;
mod inside;
mod judge;
mod mutants;

use std::time::{Duration, Instant};

use provoke_base::Random;
use provoke_solve::engine::{Backend, SolverChoice};
use provoke_testkit::random_model::Model;
use provoke_testkit::random_model::make::{Family, model};

use crate::counts::Counts;
use crate::failure::{Failure, caught};
use crate::inside::{Course, check};

/// So many failures are enough for one campaign.
const MAX_FAILURES: usize = 12;

struct Settings {
    seconds: u64,
    seed: u64,
    /// Only this system.
    only: Option<u64>,
    systems: u64,
    /// Whether every system goes through the program as well.
    chain: bool,
}

impl Settings {
    fn read() -> Settings {
        let mut settings =
            Settings { seconds: 60, seed: 1, only: None, systems: u64::MAX, chain: false };
        let mut words = std::env::args().skip(1).filter(|word| word != "--bench");
        while let Some(word) = words.next() {
            let mut number = || {
                let text = words.next().unwrap_or_default();
                text.parse().unwrap_or_else(|_| panic!("{word} wants a number, not `{text}`"))
            };
            match word.as_str() {
                "--seconds" => settings.seconds = number(),
                "--seed" => settings.seed = number(),
                "--only" => settings.only = Some(number()),
                "--systems" => settings.systems = number(),
                "--chain" => settings.chain = true,
                _ => panic!(
                    "{word}: the options are --seconds, --seed, --systems, --only and --chain"
                ),
            }
        }
        settings
    }
}

fn main() {
    let settings = Settings::read();
    let backend = Backend::find(SolverChoice::Z3).expect("the campaign needs Z3: make setup");
    failure::keep_quiet_about_panics();
    let (mut counts, mut failures) = (Counts::default(), Vec::new());
    let (start, length) = (Instant::now(), Duration::from_secs(settings.seconds));
    let numbers = match settings.only {
        Some(number) => number..number + 1,
        None => 0..settings.systems,
    };
    let mut told = Instant::now();
    for number in numbers {
        let spent = start.elapsed();
        if (settings.only.is_none() && spent >= length) || failures.len() >= MAX_FAILURES {
            break;
        }
        let seed = settings.seed.wrapping_mul(1 << 32).wrapping_add(number);
        let (model, mut course) = (draw(seed), Course::draw(seed));
        course.chain |= settings.chain;
        if settings.only.is_some() {
            println!("{model}{course:?}");
        }
        let wrong = caught(|| check(&model, course, &backend, &mut counts));
        if let Err(wrong) = wrong {
            let known = failures.iter().any(|failure: &Failure| failure.wrong.kind == wrong.kind);
            println!("system {number}: {}: {}", wrong.kind, wrong.detail);
            // One small example of each kind is enough.
            if !known {
                let failure = Failure::new(number, &model, course, wrong, &backend);
                println!("{}", failure.write(settings.seed));
                failures.push(failure);
            }
        }
        if told.elapsed().as_secs() >= 60 {
            told = Instant::now();
            eprintln!("{} s: {} systems", spent.as_secs(), counts.of("systems"));
        }
    }
    println!("\n{counts}");
    println!("{:.0} s, {} kinds of failures", start.elapsed().as_secs_f64(), failures.len());
    let missing = if settings.only.is_some() { Vec::new() } else { counts.missing() };
    if !missing.is_empty() {
        println!("never met: {}", missing.join(", "));
    }
    if !failures.is_empty() || !missing.is_empty() {
        std::process::exit(1);
    }
}

/// The model of a seed: most can be enumerated.
fn draw(seed: u64) -> Model {
    let mut random = Random::for_part(seed, "model");
    let family = if random.chance(5, 6) { Family::Enumerable } else { Family::Wild };
    model(&mut random, family)
}
