//! Conditions as constraints on clocks, for the locations and variables a machine is set to.

use provoke_base::Span;
use provoke_uppaal::machine::{Computed, NetworkFault, NetworkMachine};
use provoke_uppaal::network::{ClockBound, ClockComparison, ClockRef, Condition, NetworkExpr};

use crate::dbm::{self, Constraint};

/// Alternatives, each of which is a list of constraints that all hold.
pub type Alternatives = Vec<Vec<Constraint>>;

/// More alternatives of one condition are refused.
pub(crate) const MAX_ALTERNATIVES: usize = 4096;

/// What a condition comes to.
pub(crate) enum Joined {
    /// The constraints that were added.
    All,
    /// Nothing meets it.
    Never,
    /// It has choices, and some constraints may have been added.
    Choice,
}

/// Adds the constraints of a condition that has no choices.
pub(crate) fn conjunction(
    machine: &mut NetworkMachine<'_>,
    condition: &Condition,
    found: &mut Vec<Constraint>,
) -> Computed<Joined> {
    match condition {
        Condition::Int(NetworkExpr::Int(value)) if *value != 0 => Ok(Joined::All),
        Condition::Int(expr) => {
            let holds = machine.value(expr)? != 0;
            Ok(if holds { Joined::All } else { Joined::Never })
        }
        Condition::Clock(bound) => {
            clock_bound(machine, bound, found)?;
            Ok(Joined::All)
        }
        Condition::And(parts) => {
            for part in parts {
                match conjunction(machine, part, found)? {
                    Joined::All => {}
                    other => return Ok(other),
                }
            }
            Ok(Joined::All)
        }
        _ => Ok(Joined::Choice),
    }
}

fn clock_bound(
    machine: &mut NetworkMachine<'_>,
    bound: &ClockBound,
    found: &mut Vec<Constraint>,
) -> Computed<()> {
    let mut clock = |clock: &Option<ClockRef>| match clock {
        Some(clock) => machine.clock(clock).map(|index| index as u16 + 1),
        None => Ok(0),
    };
    let (left, right) = (clock(&bound.left)?, clock(&bound.right)?);
    let c = machine.value(&bound.bound)?;
    if c.abs() > dbm::LARGEST {
        let message = format!("a clock compared with {c}, which is too large");
        return Err(NetworkFault::new(bound.span, message));
    }
    let mut add = |left, right, bound| found.push(Constraint { left, right, bound });
    match bound.comparison {
        ClockComparison::Lt => add(left, right, dbm::below(c)),
        ClockComparison::Le => add(left, right, dbm::at_most(c)),
        ClockComparison::Gt => add(right, left, dbm::below(-c)),
        ClockComparison::Ge => add(right, left, dbm::at_most(-c)),
        ClockComparison::Eq | ClockComparison::Ne => {
            add(left, right, dbm::at_most(c));
            add(right, left, dbm::at_most(-c));
        }
    }
    Ok(())
}

/// A condition as alternatives.
pub(crate) fn alternatives(
    machine: &mut NetworkMachine<'_>,
    condition: &Condition,
) -> Computed<Alternatives> {
    Ok(match condition {
        Condition::Int(expr) => match machine.value(expr)? {
            0 => Vec::new(),
            _ => vec![Vec::new()],
        },
        Condition::Clock(bound) => {
            let mut found = Vec::new();
            clock_bound(machine, bound, &mut found)?;
            vec![found]
        }
        Condition::Or(parts) => {
            let mut found = Vec::new();
            for part in parts {
                found.append(&mut alternatives(machine, part)?);
                if found.iter().any(Vec::is_empty) {
                    return Ok(vec![Vec::new()]);
                }
            }
            found
        }
        Condition::And(parts) => {
            let mut all: Alternatives = vec![Vec::new()];
            for part in parts {
                let more = alternatives(machine, part)?;
                if all.len() * more.len() > MAX_ALTERNATIVES {
                    return Err(too_many_alternatives());
                }
                let joined = |a: &Vec<Constraint>| {
                    more.iter().map(|b| [a.as_slice(), b].concat()).collect::<Vec<_>>()
                };
                all = all.iter().flat_map(joined).collect();
                // What stands behind a false part is not looked at.
                if all.is_empty() {
                    break;
                }
            }
            all
        }
        // Asked for separately; numbers are kept away.
        Condition::Deadlock(_) | Condition::Number(..) => vec![Vec::new()],
    })
}

pub(crate) fn too_many_alternatives() -> Box<NetworkFault> {
    let message = format!("a condition with more than {MAX_ALTERNATIVES} alternatives of clocks");
    NetworkFault::new(Span::default(), message)
}
