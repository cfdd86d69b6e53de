//! When conditions hold while time passes.
//!
//! Times are multiples of a small quantum. As long as clocks stay below 2^29, sums of them are exact,
//! so that `x <= 5` and `x >= 5` meet at 5; and `x < 5` is `x <= 5` less a quantum.

use provoke_uppaal::machine::{Computed, NetworkMachine};
use provoke_uppaal::network::{ClockBound, ClockComparison, Condition, IntOp, Number};

/// The smallest difference of times.
pub const QUANTUM: f64 = 1.0 / (1 << 24) as f64;

/// Delays after which a condition holds, both ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// The first.
    pub from: f64,
    /// The last; infinite if there is none.
    pub to: f64,
}

impl Window {
    /// Always.
    pub const ALWAYS: Window = Window { from: 0.0, to: f64::INFINITY };
    /// Never.
    pub const NEVER: Window = Window { from: f64::INFINITY, to: f64::NEG_INFINITY };

    /// Whether there is no such delay.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.from > self.to
    }

    /// Whether the condition holds after a delay.
    #[inline]
    pub fn contains(&self, delay: f64) -> bool {
        self.from <= delay && delay <= self.to
    }

    /// The delays that both have.
    #[inline]
    pub fn meet(self, other: Window) -> Window {
        Window { from: self.from.max(other.from), to: self.to.min(other.to) }
    }
}

/// The next multiple of the quantum that is not smaller.
pub fn rounded_up(time: f64) -> f64 {
    (time / QUANTUM).ceil() * QUANTUM
}

/// The next multiple of the quantum that is not larger.
pub fn rounded_down(time: f64) -> f64 {
    (time / QUANTUM).floor() * QUANTUM
}

/// The machine's clocks, and how fast they run.
pub struct Clocks<'a> {
    /// One rate for each clock; empty if all are 1.
    pub rates: &'a [f64],
}

impl Clocks<'_> {
    #[inline]
    fn rate(&self, clock: u32) -> f64 {
        self.rates.get(clock as usize).copied().unwrap_or(1.0)
    }

    /// The delays after which a condition holds. Where a condition holds, stops and holds again, these
    /// are the delays up to where it stops first.
    pub fn window(
        &self,
        machine: &mut NetworkMachine<'_>,
        condition: &Condition,
    ) -> Computed<Window> {
        match condition {
            Condition::Int(expr) => Ok(match machine.value(expr)? {
                0 => Window::NEVER,
                _ => Window::ALWAYS,
            }),
            Condition::Clock(bound) => self.clock_window(machine, bound),
            Condition::And(parts) => {
                let mut all = Window::ALWAYS;
                for part in parts {
                    all = all.meet(self.window(machine, part)?);
                    if all.is_empty() {
                        return Ok(Window::NEVER);
                    }
                }
                Ok(all)
            }
            Condition::Or(parts) => {
                let mut windows = Vec::new();
                for part in parts {
                    windows.push(self.window(machine, part)?);
                }
                Ok(first_of(windows))
            }
            Condition::Number(comparison, sides) => {
                let (a, slope_a) = self.linear(machine, &sides.0)?;
                let (b, slope_b) = self.linear(machine, &sides.1)?;
                Ok(line(a - b, slope_a - slope_b, *comparison, 0.0))
            }
            Condition::Deadlock(_) => Ok(Window::NEVER),
        }
    }

    fn clock_window(
        &self,
        machine: &mut NetworkMachine<'_>,
        bound: &ClockBound,
    ) -> Computed<Window> {
        let (mut value, mut slope) = (0.0, 0.0);
        if let Some(clock) = &bound.left {
            let clock = machine.clock(clock)?;
            value += machine.clocks[clock as usize];
            slope += self.rate(clock);
        }
        if let Some(clock) = &bound.right {
            let clock = machine.clock(clock)?;
            value -= machine.clocks[clock as usize];
            slope -= self.rate(clock);
        }
        let limit = machine.value(&bound.bound)? as f64;
        Ok(line(value, slope, bound.comparison, limit))
    }

    /// A number now, and how fast it changes.
    pub fn linear(
        &self,
        machine: &mut NetworkMachine<'_>,
        number: &Number,
    ) -> Computed<(f64, f64)> {
        Ok(match number {
            Number::Clock(clock) => {
                let clock = machine.clock(clock)?;
                (machine.clocks[clock as usize], self.rate(clock))
            }
            Number::Binary(operator, sides) => {
                let (a, s) = self.linear(machine, &sides.0)?;
                let (b, t) = self.linear(machine, &sides.1)?;
                match operator {
                    IntOp::Add => (a + b, s + t),
                    IntOp::Sub => (a - b, s - t),
                    IntOp::Mul if s == 0.0 => (a * b, a * t),
                    IntOp::Mul if t == 0.0 => (a * b, s * b),
                    IntOp::Div if t == 0.0 => (a / b, s / b),
                    _ => (machine.number_value(number)?, 0.0),
                }
            }
            other => (machine.number_value(other)?, 0.0),
        })
    }
}

/// When `value + slope * delay` compares so with `limit`.
#[inline]
fn line(value: f64, slope: f64, comparison: ClockComparison, limit: f64) -> Window {
    if slope == 1.0 {
        let reached = limit - value;
        return clipped(match comparison {
            ClockComparison::Lt => Window { from: 0.0, to: reached - QUANTUM },
            ClockComparison::Le => Window { from: 0.0, to: reached },
            ClockComparison::Gt => Window { from: reached + QUANTUM, to: f64::INFINITY },
            ClockComparison::Ge => Window { from: reached, to: f64::INFINITY },
            ClockComparison::Eq => Window { from: reached, to: reached },
            ClockComparison::Ne if reached == 0.0 => Window { from: QUANTUM, to: f64::INFINITY },
            ClockComparison::Ne if reached < 0.0 => Window::ALWAYS,
            ClockComparison::Ne => Window { from: 0.0, to: reached - QUANTUM },
        });
    }
    sloped(value, slope, comparison, limit)
}

fn sloped(value: f64, slope: f64, comparison: ClockComparison, limit: f64) -> Window {
    if slope == 0.0 {
        let holds = provoke_uppaal::machine::compare(comparison, value, limit);
        return if holds { Window::ALWAYS } else { Window::NEVER };
    }
    if slope < 0.0 {
        let mirrored = match comparison {
            ClockComparison::Lt => ClockComparison::Gt,
            ClockComparison::Le => ClockComparison::Ge,
            ClockComparison::Gt => ClockComparison::Lt,
            ClockComparison::Ge => ClockComparison::Le,
            other => other,
        };
        return sloped(-value, -slope, mirrored, -limit);
    }
    let reached = (limit - value) / slope;
    match comparison {
        ClockComparison::Lt | ClockComparison::Le => {
            clipped(Window { from: 0.0, to: rounded_down(reached) })
        }
        ClockComparison::Gt | ClockComparison::Ge => {
            clipped(Window { from: rounded_up(reached), to: f64::INFINITY })
        }
        ClockComparison::Eq => {
            clipped(Window { from: rounded_up(reached), to: rounded_up(reached) })
        }
        ClockComparison::Ne => Window::ALWAYS,
    }
}

#[inline]
fn clipped(window: Window) -> Window {
    Window { from: window.from.max(0.0), to: window.to }
}

/// The first stretch of a union.
fn first_of(mut windows: Vec<Window>) -> Window {
    windows.retain(|window| !window.is_empty());
    windows.sort_by(|a, b| a.from.total_cmp(&b.from));
    let Some(mut first) = windows.first().copied() else { return Window::NEVER };
    for window in &windows[1..] {
        if window.from <= first.to + QUANTUM {
            first.to = first.to.max(window.to);
        }
    }
    first
}
