//! Runs as points: values at the beginning and the end of every stretch of time.

use provoke_uppaal::machine::Computed;
use provoke_uppaal::network::{PlottedValue, RunBound};

use crate::event::run;
use crate::run::RandomSimulator;
use crate::window::Clocks;

/// Values at a moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// When.
    pub time: f64,
    /// What, in the order asked for.
    pub values: Vec<f64>,
}

/// One run.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// Between two points values lie on a line; two points at the same time are a jump.
    pub points: Vec<Point>,
    /// Whether points beyond the limit were left out.
    pub cut: bool,
}

/// Does one run and keeps at most so many points. Points that lie on the line between their neighbours
/// are left out, as far as values do not change at all.
pub fn trajectory(
    simulator: &mut RandomSimulator<'_>,
    bound: &RunBound,
    shown: &[PlottedValue],
    seed: (u64, u64),
    most: usize,
) -> Computed<Trajectory> {
    let mut found = Trajectory { points: Vec::new(), cut: false };
    run(simulator, bound, seed, |simulator, length| {
        let rates = simulator.rates()?.to_vec();
        let mut now = Vec::with_capacity(shown.len());
        let mut later = Vec::with_capacity(shown.len());
        for value in shown {
            let clocks = Clocks { rates: &rates };
            let (value, slope) = clocks.linear(&mut simulator.machine, &value.value)?;
            now.push(value);
            later.push(value + slope * length);
        }
        let time = simulator.now;
        found.add(Point { time, values: now }, most);
        if length > 0.0 {
            found.add(Point { time: time + length, values: later }, most);
        }
        Ok(found.cut)
    })?;
    Ok(found)
}

impl Trajectory {
    fn add(&mut self, point: Point, most: usize) {
        if self.points.last() == Some(&point) {
            return;
        }
        if let [.., before, last] = self.points.as_mut_slice()
            && before.values == last.values
            && last.values == point.values
        {
            last.time = point.time;
            return;
        }
        self.cut |= self.points.len() >= most;
        if !self.cut {
            self.points.push(point);
        }
    }
}
