//! Regions of states, told apart by what delays with few values remember.

use provoke_model::{ExprId, System, Type, Value};
use provoke_sim::interpreter::delays;

/// A number that was seen with more values than this tells no states apart.
const MAX_VALUES: usize = 12;

/// The delays that tell states apart, each with the values that it was seen to have.
pub(crate) struct DistinguishingDelays(Vec<(ExprId, Vec<Value>)>);

impl DistinguishingDelays {
    /// Chosen by `rows`, states that simulation reached.
    pub(crate) fn new(system: &System, rows: &[Vec<Value>]) -> DistinguishingDelays {
        let mut distinguishing = Vec::new();
        for (slot, delay) in delays(system).into_iter().enumerate() {
            let values = match system.exprs[delay].ty {
                Type::Bool => Some([false, true].map(Value::Bool).to_vec()),
                Type::Real => None,
                Type::Int | Type::Enum(_) => few_values(rows, slot),
            };
            distinguishing.extend(values.map(|values| (delay, values)));
        }
        DistinguishingDelays(distinguishing)
    }

    /// The delays.
    pub(crate) fn delays(&self) -> impl Iterator<Item = ExprId> {
        self.0.iter().map(|(delay, _)| *delay)
    }

    /// Adds a state, given by the memories of all these delays, to a region; whether the region
    /// grew.
    pub(crate) fn add<T>(&self, region: &mut Region, state: &[(T, Value)]) -> bool {
        if state.len() != self.0.len() {
            return false;
        }
        let values =
            self.0.iter().zip(state).map(|((delay, all), (_, value))| (*delay, all, value));
        let Region::Where(memories) = region else {
            let memories = values.map(|(delay, _, value)| (delay, vec![value.clone()]));
            *region = Region::Where(memories.collect());
            return true;
        };
        let mut grown = false;
        for (delay, all, value) in values {
            let Some(at) = memories.iter().position(|(other, _)| *other == delay) else { continue };
            let seen = &mut memories[at].1;
            if !seen.contains(value) {
                grown = true;
                seen.push(value.clone());
            }
            // Where nothing is excluded that was ever seen, nothing need be said.
            if seen.len() > MAX_VALUES || all.iter().all(|value| seen.contains(value)) {
                memories.remove(at);
            }
        }
        grown
    }
}

/// The values that a delay was seen to remember; `None` if they are many.
fn few_values(rows: &[Vec<Value>], slot: usize) -> Option<Vec<Value>> {
    let mut values: Vec<Value> = Vec::new();
    for row in rows {
        let value = as_term_value(&row[slot]);
        if value.is_known() && !values.contains(&value) {
            values.push(value);
        }
        if values.len() > MAX_VALUES {
            return None;
        }
    }
    Some(values)
}

/// Terms have integers for the constants of enumerations.
fn as_term_value(value: &Value) -> Value {
    match value {
        Value::Enum(ordinal) => Value::from(i64::from(*ordinal)),
        other => other.clone(),
    }
}

/// Some states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Region {
    /// None.
    Nowhere,
    /// Those in which each of these delays remembers one of a few values.
    Where(Vec<(ExprId, Vec<Value>)>),
}

impl Region {
    /// All states.
    pub(crate) fn everywhere() -> Region {
        Region::Where(Vec::new())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use provoke_base::index::Id;

    fn state(values: [i64; 2]) -> Vec<((), Value)> {
        values.into_iter().map(|value| ((), Value::from(value))).collect()
    }

    #[test]
    fn a_region_grows_by_what_delays_remember_and_forgets_what_excludes_nothing() {
        let [a, b] = [ExprId::new(0), ExprId::new(1)];
        let all = |count: i64| (0..count).map(Value::from).collect::<Vec<_>>();
        let distinguishing = DistinguishingDelays(vec![(a, all(3)), (b, all(2))]);
        let mut region = Region::Nowhere;
        assert!(distinguishing.add(&mut region, &state([0, 0])));
        assert!(!distinguishing.add(&mut region, &state([0, 0])), "nothing new");
        assert!(distinguishing.add(&mut region, &state([2, 1])));
        assert_eq!(region, Region::Where(vec![(a, [0, 2].map(Value::from).to_vec())]));
        assert!(distinguishing.add(&mut region, &state([1, 0])));
        assert_eq!(region, Region::everywhere());
        assert!(!distinguishing.add(&mut region, &state([1, 0])[..1]), "a memory is missing");
    }
}
