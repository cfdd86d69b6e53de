//! Which inputs lead where, said in conditions a person can read: a decision tree over the inputs.

use std::collections::{BTreeMap, BTreeSet};

use provoke_model::{Suite, Type};

use crate::run::Vector;
use crate::words::to_value;

/// What is known about the inputs on the way to a leaf: for each input, the values it may have.
pub type GuardCondition = BTreeMap<usize, BTreeSet<i64>>;

/// A tree that tells from a vector of inputs where it leads.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GuardTree {
    /// All vectors lead to one of these; more than one where something else decides.
    Leaf(BTreeSet<usize>),
    /// The input is one of the values, or it is not.
    Split {
        /// The input.
        input: usize,
        /// The values.
        values: BTreeSet<i64>,
        /// Where it leads if it is one of them.
        inside: Box<GuardTree>,
        /// And if not.
        outside: Box<GuardTree>,
    },
}

/// Deeper trees are no longer read by anybody.
const MAX_DEPTH: usize = 64;

/// How much a split must tell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Detail {
    /// Anything: the cases are all there are.
    All,
    /// A part of what there is to tell: the cases are examples, and inputs do not decide alone.
    Gist,
}

/// A split of examples tells at least this part of what is not known yet.
const LEAST_GAIN: f64 = 0.02;

/// The tree for vectors and where each one leads. Inputs that are ordered are cut at a bound, others
/// by a value.
pub fn tree(suite: &Suite, cases: &[(&Vector, usize)], detail: Detail) -> GuardTree {
    let least_gain = match detail {
        // Two inputs may decide together although neither tells anything alone.
        Detail::All => -1.0,
        Detail::Gist => (entropy_of(cases) * LEAST_GAIN).max(2.0),
    };
    grow(suite, cases, least_gain, 0)
}

fn entropy_of(cases: &[(&Vector, usize)]) -> f64 {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    cases.iter().for_each(|case| *counts.entry(case.1).or_default() += 1);
    entropy(&counts)
}

/// The bits that are needed to say where each case leads.
fn entropy(counts: &BTreeMap<usize, usize>) -> f64 {
    let total: usize = counts.values().sum();
    let bits = |count: &usize| -(*count as f64) * (*count as f64 / total as f64).log2();
    counts.values().map(bits).sum()
}

fn leaf(cases: &[(&Vector, usize)]) -> GuardTree {
    GuardTree::Leaf(cases.iter().map(|case| case.1).collect())
}

fn grow(suite: &Suite, cases: &[(&Vector, usize)], least_gain: f64, depth: usize) -> GuardTree {
    let first = cases.first().map(|case| case.1);
    if depth >= MAX_DEPTH || cases.iter().all(|case| Some(case.1) == first) {
        return leaf(cases);
    }
    let mut best: Option<(f64, usize, BTreeSet<i64>)> = None;
    for input in 0..suite.inputs.len() {
        for values in cuts(suite, cases, input) {
            let cost = impurity(cases, input, &values);
            if best.as_ref().is_none_or(|(least, ..)| cost < least - 1e-9) {
                best = Some((cost, input, values));
            }
        }
    }
    let whole = entropy_of(cases);
    let worthwhile = best.filter(|(cost, ..)| whole - cost >= least_gain);
    let Some((_, input, values)) = worthwhile else { return leaf(cases) };
    let (inside, outside): (Vec<_>, Vec<_>) =
        cases.iter().copied().partition(|case| values.contains(&case.0[input]));
    if inside.is_empty() || outside.is_empty() {
        return leaf(cases);
    }
    let inside = Box::new(grow(suite, &inside, least_gain, depth + 1));
    let outside = Box::new(grow(suite, &outside, least_gain, depth + 1));
    if inside == outside {
        return *inside;
    }
    GuardTree::Split { input, values, inside, outside }
}

/// The ways to cut the values of an input in two.
fn cuts(suite: &Suite, cases: &[(&Vector, usize)], input: usize) -> Vec<BTreeSet<i64>> {
    let values: BTreeSet<i64> = cases.iter().map(|case| case.0[input]).collect();
    if values.len() < 2 {
        return Vec::new();
    }
    match suite.inputs[input].ty {
        Type::Bool => vec![BTreeSet::from([1])],
        Type::Enum(_) => values.iter().map(|value| BTreeSet::from([*value])).collect(),
        Type::Int | Type::Real => {
            let sorted: Vec<i64> = values.into_iter().collect();
            (1..sorted.len()).map(|cut| sorted[..cut].iter().copied().collect()).collect()
        }
    }
}

/// How mixed the two sides are: the entropy that is left.
fn impurity(cases: &[(&Vector, usize)], input: usize, values: &BTreeSet<i64>) -> f64 {
    let mut sides: [BTreeMap<usize, usize>; 2] = Default::default();
    for (vector, place) in cases {
        *sides[usize::from(values.contains(&vector[input]))].entry(*place).or_default() += 1;
    }
    sides.iter().map(entropy).sum()
}

impl GuardTree {
    /// The ways through the tree: a condition, and where it leads.
    pub fn ways(&self, domains: &[BTreeSet<i64>]) -> Vec<(GuardCondition, BTreeSet<usize>)> {
        let mut ways = Vec::new();
        self.walk(&GuardCondition::new(), domains, &mut ways);
        ways
    }

    fn walk(
        &self,
        so_far: &GuardCondition,
        domains: &[BTreeSet<i64>],
        ways: &mut Vec<(GuardCondition, BTreeSet<usize>)>,
    ) {
        match self {
            GuardTree::Leaf(places) => ways.push((so_far.clone(), places.clone())),
            GuardTree::Split { input, values, inside, outside } => {
                let known = so_far.get(input).unwrap_or(&domains[*input]);
                let within: BTreeSet<i64> = known.intersection(values).copied().collect();
                let without: BTreeSet<i64> = known.difference(values).copied().collect();
                for (tree, values) in [(inside, within), (outside, without)] {
                    let mut condition = so_far.clone();
                    condition.insert(*input, values);
                    tree.walk(&condition, domains, ways);
                }
            }
        }
    }
}

/// A condition as people read it.
pub fn show(suite: &Suite, condition: &GuardCondition, domains: &[BTreeSet<i64>]) -> String {
    let mut parts = Vec::new();
    for (input, values) in condition {
        let signal = &suite.inputs[*input];
        let name = &signal.name;
        let word = |value: i64| match signal.ty {
            Type::Real => format!("{}", f64::from_bits(value as u64)),
            _ => to_value(value, signal.ty).show(signal.ty, &suite.enums),
        };
        let all = &domains[*input];
        if values.len() == all.len() {
            continue;
        }
        let (low, high) = (values.first(), values.last());
        parts.push(match (signal.ty, low, high) {
            (Type::Bool, Some(1), _) => name.clone(),
            (Type::Bool, ..) => format!("not {name}"),
            (_, Some(low), Some(high)) if low == high => format!("{name} = {}", word(*low)),
            (Type::Enum(_), ..) if values.len() + 1 == all.len() => {
                let other = all.difference(values).next().copied().unwrap_or_default();
                format!("{name} ≠ {}", word(other))
            }
            (Type::Int | Type::Real, Some(low), Some(_)) if values.last() == all.last() => {
                format!("{name} ≥ {}", word(*low))
            }
            (Type::Int | Type::Real, Some(_), Some(high)) if values.first() == all.first() => {
                format!("{name} ≤ {}", word(*high))
            }
            (Type::Int | Type::Real, Some(low), Some(high)) => {
                format!("{name} in {}..{}", word(*low), word(*high))
            }
            _ => {
                let words: Vec<String> = values.iter().map(|value| word(*value)).collect();
                format!("{name} in {{{}}}", words.join(", "))
            }
        });
    }
    if parts.is_empty() { "always".to_string() } else { parts.join(" and ") }
}
