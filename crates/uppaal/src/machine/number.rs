//! Floating-point numbers, chance, and conditions on clocks with known values.

use super::{Computed, NetworkFault, NetworkMachine, compare};
use crate::network::{Condition, Draw, Edge, IntOp, Math, Number};

impl NetworkMachine<'_> {
    /// The weights of an edge's branches, and their sum. A negative one, or a sum of 0, leaves nothing to
    /// draw from: that is a fault of the model.
    pub fn weights(&mut self, edge: &Edge, found: &mut Vec<f64>) -> Computed<f64> {
        found.clear();
        for branch in &edge.branches {
            let weight = self.number_value(&branch.weight)?;
            if !(weight >= 0.0 && weight.is_finite()) {
                let message = format!("the weight {weight} of a branch is not a number from 0 on");
                return Err(NetworkFault::new(edge.span, message));
            }
            found.push(weight);
        }
        let total: f64 = found.iter().sum();
        if total <= 0.0 {
            return Err(NetworkFault::new(edge.span, "no branch has a positive weight"));
        }
        Ok(total)
    }

    /// Whether a condition holds with the clocks at hand; only in simulation.
    pub fn holds(&mut self, condition: &Condition) -> Computed<bool> {
        Ok(match condition {
            Condition::Int(expr) => self.truth(expr)?,
            Condition::Clock(bound) => {
                let mut difference = 0.0;
                if let Some(clock) = &bound.left {
                    let clock = self.clock(clock)? as usize;
                    difference += self.clocks[clock];
                }
                if let Some(clock) = &bound.right {
                    let clock = self.clock(clock)? as usize;
                    difference -= self.clocks[clock];
                }
                let limit = self.int(&bound.bound)? as f64;
                compare(bound.comparison, difference, limit)
            }
            Condition::Number(comparison, operands) => {
                compare(*comparison, self.number(&operands.0)?, self.number(&operands.1)?)
            }
            Condition::And(parts) => {
                for part in parts {
                    if !self.holds(part)? {
                        return Ok(false);
                    }
                }
                true
            }
            Condition::Or(parts) => {
                for part in parts {
                    if self.holds(part)? {
                        return Ok(true);
                    }
                }
                false
            }
            // Queries with deadlocks are for zones; the front end says so.
            Condition::Deadlock(_) => false,
        })
    }

    pub(super) fn number(&mut self, number: &Number) -> Computed<f64> {
        Ok(match number {
            Number::Value(value) => *value,
            Number::Int(expr) => self.int(expr)? as f64,
            Number::Load(place) => f64::from_bits(self.load(place)? as u64),
            Number::Clock(clock) => {
                let clock = self.clock(clock)?;
                self.clocks.get(clock as usize).copied().unwrap_or(0.0)
            }
            Number::Binary(operator, operands) => {
                let (left, right) = (self.number(&operands.0)?, self.number(&operands.1)?);
                match operator {
                    IntOp::Add => left + right,
                    IntOp::Sub => left - right,
                    IntOp::Mul => left * right,
                    IntOp::Div => left / right,
                    IntOp::Min => left.min(right),
                    IntOp::Max => left.max(right),
                    IntOp::Mod => left % right,
                    _ => left.powf(right),
                }
            }
            Number::Choice(parts) => {
                if self.truth(&parts.0)? {
                    self.number(&parts.1)?
                } else {
                    self.number(&parts.2)?
                }
            }
            Number::Call(function, arguments, span) => {
                f64::from_bits(self.call(*function, arguments, *span)? as u64)
            }
            Number::Store(place, value) => {
                let value = self.number(value)?;
                self.store(place, value.to_bits() as i64)?;
                value
            }
            Number::Math(function, arguments) => self.math(*function, arguments)?,
            Number::Random(draw, arguments) => self.draw(*draw, arguments)?,
        })
    }

    fn math(&mut self, function: Math, arguments: &[Number]) -> Computed<f64> {
        let x = self.number(&arguments[0])?;
        let y = match arguments.get(1) {
            Some(second) => self.number(second)?,
            None => 0.0,
        };
        Ok(match function {
            Math::Abs => x.abs(),
            Math::Sqrt => x.sqrt(),
            Math::Exp => x.exp(),
            Math::Ln => x.ln(),
            Math::Log10 => x.log10(),
            Math::Sin => x.sin(),
            Math::Cos => x.cos(),
            Math::Tan => x.tan(),
            Math::Floor => x.floor(),
            Math::Ceil => x.ceil(),
            Math::Round => x.round(),
            Math::Trunc => x.trunc(),
            Math::Pow => x.powf(y),
            Math::Min => x.min(y),
            Math::Max => x.max(y),
        })
    }

    fn draw(&mut self, draw: Draw, arguments: &[Number]) -> Computed<f64> {
        let x = self.number(&arguments[0])?;
        let y = match arguments.get(1) {
            Some(second) => self.number(second)?,
            None => 0.0,
        };
        Ok(match draw {
            Draw::Uniform => x * self.unit(),
            Draw::Exponential => -(1.0 - self.unit()).ln() / x,
            Draw::Normal => {
                // Box and Muller's transformation of two uniform numbers.
                let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
                x + y * radius * (std::f64::consts::TAU * self.unit()).cos()
            }
            Draw::Poisson => {
                let (limit, mut product, mut count) = ((-x.min(700.0)).exp(), self.unit(), 0.0);
                while product > limit {
                    product *= self.unit();
                    count += 1.0;
                }
                count
            }
        })
    }

    /// A number from 0 up to, not including, 1.
    pub fn unit(&mut self) -> f64 {
        (self.random.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}
