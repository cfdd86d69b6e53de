//! The facts of a proof as text, for a store and for other processes: a line for each term,
//! operands first, then a line for each group of facts.

use std::fmt::Write;

use rustc_hash::FxHashMap;

use super::names::CertificateNames;
use super::translate::Translation;
use crate::engine::{read_term, write_term};
use crate::term::{Sort, TermId, Terms};

/// Facts that are inductive together.
pub(super) struct Group {
    /// Only with those that the proof shares with others.
    pub(super) on_lemmas: bool,
    pub(super) facts: Vec<TermId>,
}

/// Groups of facts and an invariant over names.
#[derive(Default)]
pub(super) struct Facts {
    pub(super) terms: Terms,
    pub(super) groups: Vec<Group>,
    pub(super) invariant: Option<TermId>,
    /// Whether windows in which a state comes twice are left out.
    pub(super) distinct: bool,
}

impl Facts {
    /// Says facts of `terms` over names; `None` if one of them cannot be.
    pub(super) fn translate(
        names: &CertificateNames<'_>,
        terms: &Terms,
        mut groups: Vec<Group>,
        mut invariant: Option<TermId>,
    ) -> Option<Facts> {
        let mut translation = Translation::new(names, terms);
        for fact in groups.iter_mut().flat_map(|group| &mut group.facts).chain(&mut invariant) {
            *fact = translation.term(*fact)?;
        }
        let terms = translation.finish();
        for group in &mut groups {
            group.facts.retain(|fact| !terms.is_bool(*fact, true));
            group.facts.sort_unstable();
            group.facts.dedup();
        }
        groups.retain(|group| !group.facts.is_empty());
        Some(Facts { terms, groups, invariant, distinct: false })
    }

    pub(super) fn write(&self) -> String {
        let facts = self.groups.iter().flat_map(|group| &group.facts);
        let roots: Vec<TermId> = facts.chain(&self.invariant).copied().collect();
        let all = self.terms.reachable(&roots, |_| false);
        let numbers: FxHashMap<TermId, usize> = all.iter().copied().zip(0..).collect();
        let mut lines = String::new();
        for id in all {
            write_term(&mut lines, &self.terms, self.terms.get(id), |operand| numbers[&operand]);
        }
        for group in &self.groups {
            lines.push_str(if group.on_lemmas { "with" } else { "alone" });
            for fact in &group.facts {
                // Writing into a text does not fail.
                let _ = write!(lines, " {}", numbers[fact]);
            }
            lines.push('\n');
        }
        if let Some(invariant) = &self.invariant {
            let _ = writeln!(lines, "invariant {}", numbers[invariant]);
        }
        lines.push_str(if self.distinct { "distinct\n" } else { "" });
        lines
    }

    /// Reads what [`Facts::write`] has written; `None` for what is nothing of that kind.
    pub(super) fn read(text: &str) -> Option<Facts> {
        let (mut facts, mut known) = (Facts::default(), Vec::new());
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            let term = |word: &str| known.get(word.parse::<usize>().ok()?).copied();
            let claim = |terms: &Terms, word: &str| {
                term(word).filter(|term| terms.sort(*term) == Sort::Bool)
            };
            match words[..] {
                [kind @ ("with" | "alone"), ref numbers @ ..] => {
                    let all = numbers.iter().map(|word| claim(&facts.terms, word));
                    let group =
                        Group { on_lemmas: kind == "with", facts: all.collect::<Option<_>>()? };
                    facts.groups.push(group);
                }
                ["invariant", number] => facts.invariant = Some(claim(&facts.terms, number)?),
                ["distinct"] => facts.distinct = true,
                _ => {
                    let new = read_term(&words, &mut facts.terms, term)?;
                    known.push(new);
                }
            }
        }
        Some(facts)
    }
}
