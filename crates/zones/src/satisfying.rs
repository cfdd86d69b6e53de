//! The parts of a zone in which a condition holds, deadlocks included.

use provoke_uppaal::machine::Computed;
use provoke_uppaal::network::Condition;

use crate::dbm::{self, Constraint};
use crate::explorer::{Discrete, ZoneExplorer};
use crate::obstacle::asks_for_deadlock;

impl ZoneExplorer<'_> {
    /// The parts of a zone in which a condition holds. Deadlocks are looked for in all of the zone's
    /// future, so the zone must hold its delays.
    pub fn satisfying(
        &mut self,
        discrete: &Discrete,
        zone: &[i32],
        condition: &Condition,
    ) -> Computed<Vec<Vec<i32>>> {
        if !asks_for_deadlock(condition) {
            let alternatives = self.alternatives_in(discrete, condition)?;
            let mut found = Vec::new();
            for constraints in alternatives {
                let mut part = zone.to_vec();
                if self.constrain(&mut part, &constraints) {
                    found.push(part);
                }
            }
            return Ok(found);
        }
        match condition {
            Condition::And(parts) => {
                let mut zones = vec![zone.to_vec()];
                // Cheap ones first: they may rule the expensive ones out.
                let (late, early): (Vec<_>, Vec<_>) =
                    parts.iter().partition(|p| asks_for_deadlock(p));
                for part in early.into_iter().chain(late) {
                    let mut smaller = Vec::new();
                    for zone in &zones {
                        smaller.append(&mut self.satisfying(discrete, zone, part)?);
                    }
                    zones = smaller;
                }
                Ok(zones)
            }
            Condition::Or(parts) => {
                let mut found = Vec::new();
                for part in parts {
                    found.append(&mut self.satisfying(discrete, zone, part)?);
                }
                Ok(found)
            }
            Condition::Deadlock(is) => self.deadlocked(discrete, zone, *is),
            _ => Ok(vec![zone.to_vec()]),
        }
    }

    /// The parts of a zone from which no step is possible now or later; or the others.
    pub fn deadlocked(
        &mut self,
        discrete: &Discrete,
        zone: &[i32],
        is: bool,
    ) -> Computed<Vec<Vec<i32>>> {
        let n = self.n;
        let delay = self.allows_delay(discrete)?;
        let invariant = self.invariant_of(discrete)?.unwrap_or_default();
        let mut alive: Vec<Vec<i32>> = Vec::new();
        self.steps(
            discrete,
            |_| true,
            |step| {
                let Some(arrival) = before_resets(&step.invariant, &step.resets) else {
                    return Ok(());
                };
                for guard in &step.guard {
                    let mut part = anywhere(n);
                    let all = invariant.iter().chain(guard).chain(&arrival);
                    if all.into_iter().all(|constraint| dbm::constrain(&mut part, n, *constraint)) {
                        if delay {
                            dbm::down(&mut part, n);
                        }
                        alive.push(part);
                    }
                }
                Ok(())
            },
        )?;
        if is {
            let mut rest = vec![zone.to_vec()];
            for part in &alive {
                rest = dbm::subtract_from_all(rest, n, part);
            }
            return Ok(rest);
        }
        alive.retain_mut(|part| dbm::intersect(part, n, zone));
        Ok(alive)
    }
}

/// The zone of all clock values.
pub(crate) fn anywhere(n: usize) -> Vec<i32> {
    let mut zone = vec![dbm::INFINITY; n * n];
    for i in 0..n {
        zone[i] = dbm::ZERO;
        zone[i * n + i] = dbm::ZERO;
    }
    zone
}

/// What clocks must fulfil before they are set, so that the constraints hold behind it; none if
/// that is impossible.
pub(crate) fn before_resets(
    constraints: &[Constraint],
    resets: &[(u32, i64)],
) -> Option<Vec<Constraint>> {
    let value_of = |clock: u16| {
        let set = resets.iter().rev().find(|(index, _)| *index + 1 == u32::from(clock));
        set.map(|(_, value)| *value)
    };
    let mut found = Vec::new();
    for constraint in constraints {
        let (left, right) = (value_of(constraint.left), value_of(constraint.right));
        // x - y <= c with x = v is -y <= c - v.
        let shift = right.unwrap_or(0) - left.unwrap_or(0);
        let moved = Constraint {
            left: if left.is_some() { 0 } else { constraint.left },
            right: if right.is_some() { 0 } else { constraint.right },
            bound: constraint.bound + ((shift as i32) << 1),
        };
        if moved.left == 0 && moved.right == 0 {
            if moved.bound < dbm::ZERO {
                return None;
            }
        } else {
            found.push(moved);
        }
    }
    Some(found)
}
