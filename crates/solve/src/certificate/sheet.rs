//! Many certificates as one text: what several need is written once.

use std::fmt::Write;
use std::sync::Arc;

use provoke_model::System;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Certificate;
use super::names::literal;
use super::written::Facts;
use crate::term::{Term, TermId, Terms};

/// What is said more than once gets a name if it is longer than this.
const SHORT: usize = 24;
/// And what is said once if it is longer than this, so that nothing nests too deeply.
const LONG: usize = 1_000;

/// A verdict with its proof.
pub struct CertifiedVerdict<'s> {
    /// What is claimed, in the words of the format: `holds p`.
    pub claim: &'s str,
    /// The mutant that the proof speaks about.
    pub mutant: Option<&'s str>,
    /// What found the proof.
    pub engine: &'s str,
    /// The length of its window.
    pub k: usize,
    /// What it needs.
    pub certificate: &'s Certificate,
}

/// Facts that are inductive together with those of other groups.
#[derive(PartialEq, Eq)]
struct Group {
    uses: Vec<usize>,
    mutant: Option<String>,
    facts: Vec<TermId>,
}

struct Claim {
    text: String,
    engine: String,
    k: usize,
    uses: Vec<usize>,
    invariant: Option<TermId>,
    distinct: bool,
}

/// Groups of facts and the claims that use them.
#[derive(Default)]
pub struct Sheet {
    terms: Terms,
    groups: Vec<Group>,
    claims: Vec<Claim>,
    /// The groups of shared facts, by their text.
    shared: FxHashMap<Arc<str>, Vec<usize>>,
    /// Constants of the model, which mean something else than a name.
    constants: FxHashSet<String>,
}

impl Sheet {
    /// Nothing claimed yet about a system.
    pub fn new(system: &System) -> Sheet {
        let constants = system.enums.iter().flat_map(|of| of.constants.iter().cloned());
        Sheet { constants: constants.collect(), ..Sheet::default() }
    }

    /// Adds a claim with all that it needs; whether its certificate could be read.
    pub fn state(&mut self, stated: &CertifiedVerdict<'_>) -> bool {
        self.claim(stated).is_some()
    }

    fn claim(&mut self, stated: &CertifiedVerdict<'_>) -> Option<()> {
        let Certificate { lemmas, own } = stated.certificate;
        let own = Facts::read(own)?;
        let shared = match lemmas {
            None => Vec::new(),
            Some(text) => match self.shared.get(text) {
                Some(groups) => groups.clone(),
                None => {
                    let groups = self.groups(&Facts::read(text)?, &[], None);
                    self.shared.insert(text.clone(), groups.clone());
                    groups
                }
            },
        };
        let mut uses = shared.clone();
        uses.extend(self.groups(&own, &shared, stated.mutant));
        let invariant = own.invariant.map(|term| self.terms.import(&own.terms, &[term])[0]);
        let (text, engine) = (stated.claim.to_string(), stated.engine.to_string());
        let (k, distinct) = (stated.k, own.distinct);
        self.claims.push(Claim { text, engine, k, uses, invariant, distinct });
        Some(())
    }

    /// The numbers of groups, of which those that are there already are not added again.
    fn groups(&mut self, facts: &Facts, shared: &[usize], mutant: Option<&str>) -> Vec<usize> {
        let mut numbers = Vec::new();
        for group in &facts.groups {
            let uses = if group.on_lemmas { shared.to_vec() } else { Vec::new() };
            let facts = self.terms.import(&facts.terms, &group.facts);
            let mutant = mutant.filter(|_| self.speaks_of_mutant(&facts)).map(String::from);
            let group = Group { uses, mutant, facts };
            let known = self.groups.iter().position(|other| *other == group);
            numbers.push(known.unwrap_or(self.groups.len()));
            if known.is_none() {
                self.groups.push(group);
            }
        }
        numbers
    }

    /// Whether facts name something of a mutant, or when a condition of it is wrong.
    fn speaks_of_mutant(&self, facts: &[TermId]) -> bool {
        let speaks = |name: &str| name.contains("`mutant:") || name.contains("`fault:");
        let symbols = self.terms.symbols_in(facts);
        symbols.iter().any(|symbol| speaks(&self.terms.symbol_of(*symbol).name))
    }

    /// The lines of the format from the first `let` on.
    pub fn text(&self) -> String {
        let mut lines = String::new();
        let texts = self.texts(&mut lines);
        // Writing into a text does not fail.
        for (number, group) in self.groups.iter().enumerate() {
            let _ = write!(lines, "group {}", called(number));
            list(&mut lines, " uses", &group.uses);
            if let Some(mutant) = &group.mutant {
                let _ = write!(lines, " on {mutant}");
            }
            lines.push('\n');
            for fact in &group.facts {
                let _ = writeln!(lines, "fact {}", texts[fact]);
            }
        }
        for claim in &self.claims {
            let Claim { text, engine, k, uses, invariant, distinct } = claim;
            let _ = writeln!(lines, "claim {text}\nengine {engine}\nk {k}");
            list(&mut lines, "uses", uses);
            lines.push_str(if uses.is_empty() { "" } else { "\n" });
            if let Some(invariant) = invariant {
                let _ = writeln!(lines, "invariant {}", texts[invariant]);
            }
            lines.push_str(if *distinct { "distinct\nend\n" } else { "end\n" });
        }
        lines
    }

    /// The text of every fact and invariant; what deserves a name gets it in `lines`.
    fn texts(&self, lines: &mut String) -> FxHashMap<TermId, String> {
        let facts = self.groups.iter().flat_map(|group| group.facts.iter());
        let invariants = self.claims.iter().filter_map(|claim| claim.invariant.as_ref());
        let roots: Vec<TermId> = facts.chain(invariants).copied().collect();
        let all = self.terms.reachable(&roots, |_| false);
        let mut uses: FxHashMap<TermId, usize> = FxHashMap::default();
        let operands = all.iter().flat_map(|id| self.terms.get(*id).operands());
        operands.chain(roots).for_each(|id| *uses.entry(id).or_default() += 1);
        let mut texts: FxHashMap<TermId, String> = FxHashMap::default();
        let mut names = (1..).map(|number: usize| format!("v{number}"));
        for id in all {
            let text = self.written(id, &texts);
            let limit = if uses[&id] > 1 { SHORT } else { LONG };
            let text = match text.len() > limit {
                false => text,
                true => {
                    let name = names.find(|name| !self.constants.contains(name));
                    let name = name.expect("there are names enough");
                    let _ = writeln!(lines, "let {name} = {text}");
                    name
                }
            };
            texts.insert(id, text);
        }
        texts
    }

    fn written(&self, id: TermId, texts: &FxHashMap<TermId, String>) -> String {
        match self.terms.get(id) {
            Term::Const(value) => literal(value).expect("literals of terms are known"),
            Term::Symbol(symbol) => self.terms.symbol_of(*symbol).name.clone(),
            Term::Unary(op, a) => format!("({} {})", op.symbol(), texts[a]),
            Term::Binary(op, a, b) => format!("({} {} {})", texts[a], op.symbol(), texts[b]),
            Term::Ite(c, a, b) => format!("(if {} then {} else {})", texts[c], texts[a], texts[b]),
        }
    }
}

/// Groups are counted from 1.
fn called(group: usize) -> String {
    format!("G{}", group + 1)
}

fn list(lines: &mut String, word: &str, groups: &[usize]) {
    if !groups.is_empty() {
        let names: Vec<String> = groups.iter().map(|group| called(*group)).collect();
        let _ = write!(lines, "{word} {}", names.join(" "));
    }
}
