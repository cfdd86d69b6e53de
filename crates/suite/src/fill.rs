//! Completes tests: gives every input that is left open a value.

use std::collections::HashMap;

use provoke_base::{IndexVec, Int, Random, Rational};
use provoke_model::{
    EnumId, EnumType, Range, Role, Signal, Suite, System, TestCase, Type, Value, VarId,
};

/// Which value an open input gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FillPolicy {
    /// False, zero, the first constant, or the lower bound of a range.
    Default,
    /// The value of the step before; at the first step as [`FillPolicy::Default`].
    HoldLast,
    /// Any value of its type or range, small where there is no range. It depends only on the
    /// seed and the test's name, so removing a test does not change the others.
    Random(u64),
}

/// Gives every open input of every test a value. Afterwards the suite's inputs are those of
/// the system in its order, followed by any that the system does not have.
pub fn fill(suite: &mut Suite, system: &System, policy: FillPolicy) {
    arrange_inputs(suite, system);
    let ranges: HashMap<&str, &Range> = system
        .vars
        .iter()
        .filter_map(|var| Some((var.name.as_str(), var.range.as_ref()?)))
        .collect();
    let domains: Vec<Domain<'_>> = suite
        .inputs
        .iter()
        .map(|input| Domain::new(input, ranges.get(input.name.as_str()).copied(), &suite.enums))
        .collect();
    // Nobody sets a choice: what holds for all its values holds while it is unknown.
    let is_choice: Vec<bool> =
        system.inputs.iter().map(|var| system.vars[*var].role == Role::Choice).collect();
    for test in &mut suite.tests {
        fill_test(test, &domains, &is_choice, policy);
    }
}

fn fill_test(test: &mut TestCase, domains: &[Domain<'_>], is_choice: &[bool], policy: FillPolicy) {
    let mut random = match policy {
        FillPolicy::Random(seed) => Some(Random::for_part(seed, &test.name)),
        _ => None,
    };
    let mut last: Vec<Value> = domains.iter().map(Domain::default).collect();
    for step in &mut test.steps {
        let rows = step.inputs.iter_mut().zip(domains).zip(&mut last).enumerate();
        for (position, ((value, domain), last)) in rows {
            if !value.is_known() && !is_choice.get(position).copied().unwrap_or(false) {
                *value = match &mut random {
                    Some(random) => domain.draw(random),
                    None => last.clone(),
                };
            }
            if policy == FillPolicy::HoldLast {
                *last = value.clone();
            }
        }
    }
}

/// Brings the suite's inputs into the system's order and adds those that are missing, as
/// unknown.
pub fn arrange_inputs(suite: &mut Suite, system: &System) {
    let by_name: HashMap<&str, usize> =
        suite.inputs.iter().enumerate().map(|(i, input)| (input.name.as_str(), i)).collect();
    let name = |id: &VarId| system.vars[*id].name.as_str();
    let mut order: Vec<Option<usize>> =
        system.inputs.iter().map(|id| by_name.get(name(id)).copied()).collect();
    let mut placed = vec![false; suite.inputs.len()];
    order.iter().flatten().for_each(|&index| placed[index] = true);
    order.extend((0..placed.len()).filter(|&index| !placed[index]).map(Some));
    let mut inputs = Vec::with_capacity(order.len());
    for (position, source) in order.iter().enumerate() {
        inputs.push(match source {
            Some(index) => suite.inputs[*index].clone(),
            None => missing_input(&mut suite.enums, system, system.inputs[position]),
        });
    }
    suite.inputs = inputs;
    for step in suite.tests.iter_mut().flat_map(|test| &mut test.steps) {
        let value = |source: &Option<usize>| match source {
            Some(index) => step.inputs[*index].clone(),
            None => Value::Unknown,
        };
        step.inputs = order.iter().map(value).collect();
    }
}

fn missing_input(enums: &mut IndexVec<EnumId, EnumType>, system: &System, id: VarId) -> Signal {
    let var = &system.vars[id];
    let ty = match var.ty {
        Type::Enum(id) => {
            let wanted = &system.enums[id];
            let known = enums.entries().find(|(_, ty)| *ty == wanted).map(|(id, _)| id);
            Type::Enum(known.unwrap_or_else(|| enums.push(wanted.clone())))
        }
        plain => plain,
    };
    Signal { name: var.name.clone(), ty }
}

/// The values an input may have.
enum Domain<'a> {
    Bool,
    Int(Option<&'a Range>),
    Real,
    Enum(usize),
}

impl<'a> Domain<'a> {
    fn new(
        input: &Signal,
        range: Option<&'a Range>,
        enums: &IndexVec<EnumId, EnumType>,
    ) -> Domain<'a> {
        match input.ty {
            Type::Bool => Domain::Bool,
            Type::Int => Domain::Int(range.filter(|range| range.low <= range.high)),
            Type::Real => Domain::Real,
            Type::Enum(id) => Domain::Enum(enums[id].constants.len()),
        }
    }

    fn default(&self) -> Value {
        match self {
            Domain::Bool => Value::Bool(false),
            Domain::Int(Some(range)) => Value::Int(range.low.clone()),
            Domain::Int(None) => Value::Int(Int::ZERO),
            Domain::Real => Value::Real(Rational::from(&Int::ZERO)),
            // An enumeration without constants has no value to give.
            Domain::Enum(0) => Value::Unknown,
            Domain::Enum(_) => Value::Enum(0),
        }
    }

    fn draw(&self, random: &mut Random) -> Value {
        match self {
            Domain::Bool => Value::Bool(random.below(2) == 1),
            Domain::Int(Some(range)) => Value::Int(random.between(&range.low, &range.high)),
            Domain::Int(None) => Value::Int(small(random, 20)),
            Domain::Real => {
                let (numerator, denominator) = (small(random, 40), random.below(4) as i64 + 1);
                let drawn = Rational::new(&numerator, &Int::from(denominator));
                drawn.map_or_else(|| self.default(), Value::Real)
            }
            Domain::Enum(0) => Value::Unknown,
            Domain::Enum(count) => Value::Enum(random.below(*count) as u32),
        }
    }
}

/// An integer of at most this magnitude.
fn small(random: &mut Random, magnitude: i64) -> Int {
    random.between(&Int::from(-magnitude), &Int::from(magnitude))
}
