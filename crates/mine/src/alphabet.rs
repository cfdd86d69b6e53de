//! The values that inputs take: all of them where they are few, else those that matter more.

use std::collections::BTreeSet;

use provoke_base::Random;
use provoke_model::{Suite, Type};

use crate::run::Vector;
use crate::target::MineTargetFile;

/// Ranges of at most so many values are taken whole.
const SMALL: i128 = 16;

/// Ranges of at most so many values are compared value by value.
const LADDER: i128 = 1024;

/// The values of one input.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Domain {
    /// All values, or those at bounds and near constants of the program, ascending.
    chosen: Vec<i64>,
    /// The bounds of an integer that has more values than the chosen ones.
    rest: Option<(i64, i64)>,
    /// Whether the chosen values are all.
    complete: bool,
}

/// The values of all inputs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alphabet {
    domains: Vec<Domain>,
}

impl Alphabet {
    /// The alphabet of a target whose sources mention these constants.
    pub fn new(target: &MineTargetFile, suite: &Suite, constants: &BTreeSet<i64>) -> Alphabet {
        let domains =
            target.inputs.iter().zip(&suite.inputs).map(|(input, signal)| match signal.ty {
                Type::Bool => Domain { chosen: vec![0, 1], rest: None, complete: true },
                Type::Enum(id) => {
                    let chosen = (0..suite.enums[id].constants.len() as i64).collect();
                    Domain { chosen, rest: None, complete: true }
                }
                Type::Int if !input.values.is_empty() => {
                    let chosen: BTreeSet<i64> = input.values.iter().copied().collect();
                    Domain { chosen: chosen.into_iter().collect(), rest: None, complete: true }
                }
                Type::Int => integers(input.range, constants),
                Type::Real => reals(constants),
            });
        Alphabet { domains: domains.collect() }
    }

    /// Whether the chosen values are all that inputs can have.
    pub fn is_complete(&self) -> bool {
        self.domains.iter().all(|domain| domain.complete)
    }

    /// Inputs with more values than the chosen ones, and their values in order: all of them where
    /// they are not too many.
    pub fn ladders(&self) -> Vec<(usize, Vec<i64>)> {
        let mut ladders = Vec::new();
        for (input, domain) in self.domains.iter().enumerate() {
            if let Some((low, high)) = domain.rest {
                let few = i128::from(high) - i128::from(low) < LADDER;
                ladders.push((
                    input,
                    if few { (low..=high).collect() } else { domain.chosen.clone() },
                ));
            }
        }
        ladders
    }

    /// The alphabet with these values for these inputs, which need not be all.
    pub fn with_values(&self, values: Vec<(usize, Vec<i64>)>) -> Alphabet {
        let mut alphabet = self.clone();
        for (input, chosen) in values {
            alphabet.domains[input] = Domain { chosen, rest: None, complete: false };
        }
        alphabet
    }

    /// How many vectors of chosen values there are.
    pub fn size(&self) -> u128 {
        self.domains.iter().map(|domain| domain.chosen.len() as u128).product()
    }

    /// The full alphabet, if it has at most `limit` vectors; else only the chosen values.
    pub fn widened(&self, limit: u128) -> Alphabet {
        let widen = |domain: &Domain| match domain.rest {
            Some((low, high)) if (i128::from(high) - i128::from(low)) < limit as i128 => {
                Domain { chosen: (low..=high).collect(), rest: None, complete: true }
            }
            _ => domain.clone(),
        };
        let wide = Alphabet { domains: self.domains.iter().map(widen).collect() };
        if wide.is_complete() && wide.size() <= limit { wide } else { self.clone() }
    }

    /// All vectors of chosen values, or `None` if there are more than `limit`.
    pub fn vectors(&self, limit: u128) -> Option<Vec<Vector>> {
        if self.size() > limit {
            return None;
        }
        let mut vectors = vec![Vector::new()];
        for domain in &self.domains {
            let extended = vectors.iter().flat_map(|vector| {
                domain.chosen.iter().map(move |value| {
                    let mut longer = vector.clone();
                    longer.push(*value);
                    longer
                })
            });
            vectors = extended.collect();
        }
        Some(vectors)
    }

    fn value(domain: &Domain, random: &mut Random) -> i64 {
        match domain.rest {
            Some((low, high)) if random.chance(1, 3) => {
                let span =
                    (i128::from(high) - i128::from(low)).min(i128::from(i64::MAX) - 1) as usize;
                low.wrapping_add(random.below(span + 1) as i64)
            }
            _ => *random.pick(&domain.chosen),
        }
    }

    /// A random vector.
    pub fn vector(&self, random: &mut Random) -> Vector {
        self.domains.iter().map(|domain| Alphabet::value(domain, random)).collect()
    }

    /// Changes one value.
    pub fn change_one(&self, vector: &mut Vector, random: &mut Random) {
        if !self.domains.is_empty() {
            let place = random.below(self.domains.len());
            vector[place] = Alphabet::value(&self.domains[place], random);
        }
    }
}

fn integers(range: Option<[i64; 2]>, constants: &BTreeSet<i64>) -> Domain {
    let [low, high] = range.unwrap_or([i64::from(i32::MIN), i64::from(i32::MAX)]);
    if i128::from(high) - i128::from(low) < SMALL {
        return Domain { chosen: (low..=high).collect(), rest: None, complete: true };
    }
    let near = |value: i64| [value.saturating_sub(1), value, value.saturating_add(1)];
    let middle = low.midpoint(high);
    let values = [low, high, 0, middle].into_iter().chain(constants.iter().copied()).flat_map(near);
    let chosen: BTreeSet<i64> = values.filter(|value| (low..=high).contains(value)).collect();
    Domain { chosen: chosen.into_iter().collect(), rest: Some((low, high)), complete: false }
}

fn reals(constants: &BTreeSet<i64>) -> Domain {
    let whole = constants.iter().map(|constant| *constant as f64);
    let near = |value: f64| [value - 0.5, value, value + 0.5];
    let values = [0.0, 1.0, -1.0, 1e6, -1e6].into_iter().chain(whole).flat_map(near);
    let chosen: BTreeSet<i64> = values.map(|value| value.to_bits() as i64).collect();
    Domain { chosen: chosen.into_iter().collect(), rest: None, complete: false }
}

/// More constants than this say little.
const MAX_CONSTANTS: usize = 256;

/// The integers that a C source mentions outside comments and strings.
pub fn constants(source: &str) -> BTreeSet<i64> {
    let mut found = BTreeSet::new();
    let mut rest = source;
    let mut before = ' ';
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if first == '"' {
            rest[1..].find('"').map_or(rest.len(), |end| end + 2)
        } else if first.is_ascii_digit()
            && !(before.is_ascii_alphanumeric() || before == '_' || before == '.')
        {
            let end =
                rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).unwrap_or(rest.len());
            found.extend(integer(&rest[..end]));
            end
        } else {
            first.len_utf8()
        };
        before = rest[..skipped].chars().last().unwrap_or(' ');
        rest = &rest[skipped..];
    }
    found.into_iter().take(MAX_CONSTANTS).collect()
}

fn integer(token: &str) -> Option<i64> {
    let digits = token.trim_end_matches(['u', 'U', 'l', 'L']);
    match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(hex) => i64::from_str_radix(hex, 16).ok(),
        None => digits.parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_read_where_they_are_code() {
        let source =
            "#define A 0x5Au // 99\n/* 98 */ int x1 = 12; char *s = \"97\"; y = 3.5; z = 40UL;";
        assert_eq!(constants(source).into_iter().collect::<Vec<_>>(), [12, 40, 0x5a]);
    }

    #[test]
    fn large_ranges_keep_their_bounds_and_what_the_program_compares_with() {
        let domain = integers(Some([0, 200]), &BTreeSet::from([120]));
        assert_eq!(domain.chosen, [0, 1, 99, 100, 101, 119, 120, 121, 199, 200]);
        assert!(!domain.complete);
        assert!(integers(Some([-2, 5]), &BTreeSet::new()).complete);
    }
}
