//! Names made safe, short and unique: for files and for sheets.

use std::collections::{HashMap, HashSet};

use provoke_model::TestCase;

/// Hands out names that differ even where capitals are not distinguished, as on some file
/// systems and in spreadsheets.
pub(crate) struct UniqueNames {
    max_chars: usize,
    taken: HashSet<String>,
    /// The next number to try behind a name that is taken.
    next: HashMap<String, usize>,
}

impl UniqueNames {
    pub(crate) fn new(max_chars: usize) -> UniqueNames {
        UniqueNames { max_chars, taken: HashSet::new(), next: HashMap::new() }
    }

    /// `wanted`, shortened and numbered as needed.
    pub(crate) fn claim(&mut self, wanted: &str) -> String {
        let first = shorten(wanted, self.max_chars);
        if self.taken.insert(first.to_lowercase()) {
            return first;
        }
        let next = self.next.entry(first.to_lowercase()).or_insert(2);
        loop {
            let number = format!("-{next}");
            *next += 1;
            let name = shorten(wanted, self.max_chars.saturating_sub(number.len())) + &number;
            if self.taken.insert(name.to_lowercase()) {
                return name;
            }
        }
    }
}

fn shorten(text: &str, max_chars: usize) -> String {
    text.chars().take(max_chars).collect()
}

/// For each test what to append to the chosen name: the test's name if there are several.
pub(crate) fn file_suffixes(tests: &[TestCase], extension: &str) -> Vec<String> {
    if tests.len() == 1 {
        return vec![format!(".{extension}")];
    }
    let mut names = UniqueNames::new(80);
    let safe = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let suffix = |test: &TestCase| {
        let name: String = test.name.chars().map(safe).collect();
        format!("-{}.{extension}", names.claim(&name))
    };
    tests.iter().map(suffix).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_short_and_differ_in_more_than_capitals() {
        let mut names = UniqueNames::new(5);
        let claimed = ["brake", "braking", "BRAKE", "a", "a-2", "A"].map(|name| names.claim(name));
        assert_eq!(claimed, ["brake", "braki", "BRA-2", "a", "a-2", "A-3"]);
    }

    #[test]
    fn files_of_several_tests_carry_the_tests_names() {
        let test = |name: &str| TestCase { name: name.into(), ..TestCase::default() };
        assert_eq!(file_suffixes(&[test("a")], "vcd"), [".vcd"]);
        let suffixes = file_suffixes(&[test("../a b"), test("../a?b")], "vcd");
        assert_eq!(suffixes, ["-.._a_b.vcd", "-.._a_b-2.vcd"]);
    }
}
