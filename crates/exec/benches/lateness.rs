//! How late events are sent on this machine, with and without real-time scheduling, while another
//! thread for each core keeps it busy.

#![allow(clippy::print_stdout, reason = "benchmarks show what they measure")]
#![allow(missing_docs, reason = "a program, not a library")]

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use provoke_exec::realtime::{hurry, sleep_until};
use provoke_stats::describe::quantile;

const EVENTS: usize = 1000;
const PERIOD: Duration = Duration::from_millis(5);

fn main() {
    println!("{EVENTS} events, one every {} ms, all cores busy", PERIOD.as_millis());
    println!("scheduling   p50 ms   p99 ms   max ms");
    let busy = AtomicBool::new(true);
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while busy.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        show("ordinary", measure);
        let hurried = || hurry().map(|()| measure());
        match scope.spawn(hurried).join().expect("it ends") {
            Ok(late) => show("SCHED_FIFO", || late),
            Err(why) => println!("SCHED_FIFO   {why}"),
        }
        busy.store(false, Ordering::Relaxed);
    });
}

fn measure() -> Vec<f64> {
    let start = Instant::now();
    let late = |event: usize| {
        let due = start + PERIOD * (event as u32 + 1);
        sleep_until(due);
        Instant::now().saturating_duration_since(due).as_secs_f64() * 1000.0
    };
    (0..EVENTS).map(late).collect()
}

fn show(name: &str, measure: impl FnOnce() -> Vec<f64>) {
    let late = measure();
    let [p50, p99, max] = [0.5, 0.99, 1.0].map(|level| quantile(&late, level).unwrap_or(f64::NAN));
    println!("{name:<11} {p50:>7.3} {p99:>8.3} {max:>8.3}");
}
