//! The criteria by name.

use provoke_base::words::Words;

/// What a host criterion asks for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Host {
    /// Each condition true and false.
    Condition,
    /// Each decision true and false.
    Decision,
    /// The condition of each `if` true and false.
    Branch,
    /// Each condition true and false while it is unmasked in its decision.
    Mcdc,
}

/// A host criterion, alone or with the demand that what it exercises becomes visible.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Criterion {
    /// What is exercised.
    pub host: Host,
    /// Whether it must also reach a monitored variable.
    pub observable: bool,
}

impl Criterion {
    /// All eight, hosts first.
    pub const ALL: [Criterion; 8] = {
        let hosts = [Host::Condition, Host::Decision, Host::Branch, Host::Mcdc];
        let mut all = [Criterion { host: Host::Condition, observable: false }; 8];
        let mut position = 0;
        while position < 8 {
            all[position] = Criterion { host: hosts[position % 4], observable: position >= 4 };
            position += 1;
        }
        all
    };

    /// The word users write, such as `omcdc`.
    pub fn word(self) -> &'static str {
        match (self.host, self.observable) {
            (Host::Condition, false) => "condition",
            (Host::Decision, false) => "decision",
            (Host::Branch, false) => "branch",
            (Host::Mcdc, false) => "mcdc",
            (Host::Condition, true) => "ocondition",
            (Host::Decision, true) => "odecision",
            (Host::Branch, true) => "obranch",
            (Host::Mcdc, true) => "omcdc",
        }
    }

    /// The criterion a word names.
    pub fn named(word: &str) -> Option<Criterion> {
        Criterion::ALL.into_iter().find(|criterion| criterion.word() == word)
    }
}

impl Words for Criterion {
    fn all() -> Vec<Criterion> {
        Criterion::ALL.to_vec()
    }

    fn written(self) -> &'static str {
        self.word()
    }
}

provoke_base::words_as_text!(Criterion);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_names_its_criterion() {
        for criterion in Criterion::ALL {
            assert_eq!(Criterion::named(criterion.word()), Some(criterion));
        }
        assert_eq!(Criterion::named("mc/dc"), None);
    }
}
