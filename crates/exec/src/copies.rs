//! Several copies of an event, so that a signal has the right value whenever the software reads it.
//!
//! A signal is what arrived last. Of several copies of a new value the first that arrives makes the
//! change, and when that is varies less than when any single one arrives. Copies that come later do
//! no harm as long as the value stays. A value that stays for one step only is in the middle of a
//! crowd: copies of the value before it hold the signal until the step before, copies of the value after
//! it take over, and its own are most likely to be the last ones exactly when it is read.

use provoke_model::Value;
use provoke_stats::describe::median_level_of_first;

use crate::board::{Board, Wire};
use crate::plan::SendEvent;
use crate::script::Script;

/// How many copies make a crowd. With fewer, a value that stays for one step is sent once.
const CROWD: u32 = 16;

/// Steps in which a signal has the same value.
struct Stretch<'a> {
    value: &'a Value,
    first: usize,
    /// How many steps there are; no limit for the last one.
    steps: usize,
    /// Whether the signal has the value already.
    held: bool,
}

/// The changes of all signals. Before the first step all signals get their values in good time, because
/// the software does not read them yet.
pub(crate) fn changes(script: &Script, board: &Board, registers: &[Value]) -> Vec<SendEvent> {
    let mut sends = Vec::new();
    for (signal, wire) in board.monitored.iter().enumerate() {
        let stretches = stretches(script, signal, &registers[signal]);
        for (index, stretch) in stretches.iter().enumerate() {
            let next = stretches.get(index + 1);
            let mut send = |copies: u32, at_ms: f64| {
                let value = stretch.value.clone();
                let copy = SendEvent { at_ms, signal, value, step: stretch.first };
                sends.extend(std::iter::repeat_n(copy, copies as usize));
            };
            let middle = |step: usize| (step as f64 - 0.5) * board.step_ms;
            let guards = guards(wire, stretch, next);
            if let Some(next) = next.filter(|_| guards > 0) {
                send(guards, middle(next.first) - last_arrival_ms(wire, guards));
            }
            let copies = heads(wire, stretch) - guards;
            if stretch.held && wire.copies == 1 {
                continue;
            } else if stretch.first == 0 {
                // One arrives in time; a second one is for lines that lose something. Where the value
                // should be there already, an old copy may have overtaken it in the run before.
                let early = wire.delay.mean_ms() + 6.0 * wire.delay.sd_ms();
                send(copies.min(2), middle(0) - early);
            } else if stretch.steps == 1 && copies >= CROWD {
                send(copies, stretch.first as f64 * board.step_ms - wire.delay.quantile_ms(0.5));
            } else {
                send(copies, middle(stretch.first) - first_arrival_ms(wire, copies));
            }
        }
    }
    sends
}

/// The stretches of a signal; the first may begin before the test.
fn stretches<'a>(script: &'a Script, signal: usize, register: &'a Value) -> Vec<Stretch<'a>> {
    let mut found: Vec<Stretch<'a>> = Vec::new();
    for (step, values) in script.wanted.iter().enumerate() {
        let value = &values[signal];
        if !value.is_known() || found.last().is_some_and(|last| last.value == value) {
            continue;
        }
        if let Some(last) = found.last_mut() {
            last.steps = step - last.first;
        }
        let held = found.is_empty() && value == register;
        found.push(Stretch { value, first: step, steps: usize::MAX, held });
    }
    found
}

/// How often a value is sent: copies that are late must not undo the next change.
fn heads(wire: &Wire, stretch: &Stretch<'_>) -> u32 {
    let allowed = wire.copies.max(1);
    match stretch.steps {
        0 | 1 if allowed >= CROWD => CROWD,
        0 | 1 => 1,
        2 if allowed < CROWD => allowed.min(4),
        _ => allowed,
    }
}

/// How many of the copies wait for the end of a stretch: half of them, if a value follows that stays for
/// one step only.
fn guards(wire: &Wire, stretch: &Stretch<'_>, next: Option<&Stretch<'_>>) -> u32 {
    let needed = stretch.steps > 1 && next.is_some_and(|next| next.steps == 1);
    if needed && wire.copies >= CROWD { wire.copies / 2 } else { 0 }
}

/// When the first of several copies arrives, after it is sent: the median.
fn first_arrival_ms(wire: &Wire, copies: u32) -> f64 {
    let level = median_level_of_first(u64::from(copies)).unwrap_or(0.5);
    wire.delay.quantile_ms(level)
}

/// When the last of several copies arrives, after it is sent: the median.
fn last_arrival_ms(wire: &Wire, copies: u32) -> f64 {
    let level = median_level_of_first(u64::from(copies)).unwrap_or(0.5);
    wire.delay.quantile_ms(1.0 - level)
}

#[cfg(test)]
mod tests {
    use provoke_base::{Random, Rational};
    use provoke_model::Type;

    use super::*;
    use crate::delay::DelayDistribution;

    /// One signal, read every 500 ms.
    fn board(copies: u32, delay: DelayDistribution) -> Board {
        let tolerance = Rational::parse("0").expect("a number");
        let name = "x".to_string();
        let wire =
            Wire { name, ty: Type::Bool, feeds: vec![], delay, drift: None, copies, tolerance };
        Board { step_ms: 500.0, resend: false, monitored: vec![wire], controlled: vec![] }
    }

    /// How often a signal with steps of 500 ms is right whenever it is read, if it has one value for 8
    /// steps, then others for so many steps each, then another one for 8.
    fn right(copies: u32, sd_ms: f64, stays: &[usize]) -> f64 {
        let mut lengths = vec![8];
        lengths.extend(stays);
        lengths.push(8);
        let values = lengths.iter().enumerate().flat_map(|(place, steps)| {
            std::iter::repeat_n(vec![Value::Bool(place % 2 == 1)], *steps)
        });
        let wanted: Vec<Vec<Value>> = values.collect();
        let board = board(copies, DelayDistribution::normal(1000.0, sd_ms));
        let interactions = wanted.len();
        let script = Script { name: String::new(), wanted, expected: vec![], interactions };
        let sends = changes(&script, &board, &[Value::Bool(false)]);
        let mut random = Random::new(1);
        let runs = 2000;
        let good = (0..runs).filter(|_| {
            let arrival = |send: &SendEvent| {
                let at_ms = send.at_ms + board.monitored[0].delay.draw_ms(&mut random);
                (at_ms, send.value.clone())
            };
            let mut arrivals: Vec<(f64, Value)> = sends.iter().map(arrival).collect();
            arrivals.sort_by(|a, b| a.0.total_cmp(&b.0));
            script.wanted.iter().enumerate().all(|(step, wanted)| {
                let count = arrivals.partition_point(|(at, _)| *at <= step as f64 * 500.0);
                let held =
                    count.checked_sub(1).map_or(&Value::Bool(false), |last| &arrivals[last].1);
                *held == wanted[0]
            })
        });
        good.count() as f64 / f64::from(runs)
    }

    #[test]
    fn copies_bring_a_signal_to_its_value_in_time() {
        // One event per change: the chance that all of them are within 250 ms of their mean.
        for (sd_ms, stays, at_most) in [(100.0, 1, 0.99), (200.0, 1, 0.83), (200.0, 3, 0.70)] {
            let alone = right(1, sd_ms, &vec![1; stays]);
            assert!(alone < at_most, "{sd_ms} {stays}: {alone}");
        }
        for (sd_ms, stays, at_least) in [
            (100.0, &[][..], 0.999),
            (100.0, &[1], 0.998),
            (100.0, &[1, 1, 1], 0.995),
            (200.0, &[], 0.98),
            (200.0, &[1], 0.91),
            (200.0, &[1, 1], 0.82),
            (200.0, &[2, 2, 2], 0.95),
            (200.0, &[3, 3], 0.94),
        ] {
            let found = right(64, sd_ms, stays);
            assert!(found >= at_least, "{sd_ms} {stays:?}: {found}");
        }
    }

    #[test]
    fn a_value_that_should_be_there_is_sent_again_if_that_is_allowed() {
        let script = Script {
            name: String::new(),
            wanted: vec![vec![Value::Bool(false)]; 3],
            expected: vec![],
            interactions: 3,
        };
        for (copies, sent) in [(1, 0), (2, 2), (32, 2)] {
            let board = board(copies, DelayDistribution::normal(1000.0, 200.0));
            assert_eq!(changes(&script, &board, &[Value::Bool(false)]).len(), sent, "{copies}");
        }
    }

    #[test]
    fn no_event_is_sent_more_often_than_allowed() {
        for copies in [1, 2, 8, 15, 16, 33, 64] {
            let board = board(copies, DelayDistribution::NONE);
            let wire = &board.monitored[0];
            for (steps, next) in [(1, 1), (2, 1), (5, 1), (5, 2)] {
                let stretch =
                    |steps| Stretch { value: &Value::Unknown, first: 3, steps, held: false };
                let (heads, guards) = (
                    heads(wire, &stretch(steps)),
                    guards(wire, &stretch(steps), Some(&stretch(next))),
                );
                assert!(heads <= copies && guards < heads, "{copies} {steps} {next}");
            }
        }
    }
}
