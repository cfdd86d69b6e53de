//! Facts as text, for other processes that work on the same system: a line for each delay that
//! loses tags, one for each guard under which it does, then the lemmas.

use std::fmt::Write;

use provoke_base::index::Id;
use provoke_base::{IndexVec, Int};
use provoke_model::{ExprId, System, Type, Value};
use provoke_sim::interpreter::delays;
use provoke_solve::certificate::ProvenLemmas;

use crate::goal::guarded;
use crate::state_regions::Region;
use crate::system_lemmas::SystemLemmas;
use crate::unobservable_under_assumption::LossUnderAssumption;

/// Between a delay and the next.
const NEXT: &str = " | ";

impl SystemLemmas {
    /// Writes all that is known.
    pub fn write(&self) -> String {
        let mut lines = String::new();
        for delay in self.observable.delays() {
            // Writing into a text does not fail.
            let _ = match self.observable.region(delay) {
                Region::Nowhere => writeln!(lines, "nowhere {}", delay.index()),
                Region::Where(memories) if memories.is_empty() => Ok(()),
                Region::Where(memories) => {
                    let parts = memories.iter().map(|(delay, values)| words(*delay, values));
                    let parts: Vec<String> = parts.collect();
                    writeln!(lines, "dark {}{NEXT}{}", delay.index(), parts.join(NEXT))
                }
            };
        }
        for loss in &self.losses {
            let parts = loss.delays().into_iter().map(|delay| {
                let needed = loss.needed(delay).unwrap_or_default();
                needed.iter().fold(delay.index().to_string(), |text, at| format!("{text} {at}"))
            });
            let lemmas =
                loss.lemmas().iter().fold("shade".to_string(), |t, at| format!("{t} {at}"));
            let all: Vec<String> = std::iter::once(lemmas).chain(parts).collect();
            lines += &(all.join(NEXT) + "\n");
        }
        lines + &self.proven.write()
    }

    /// Reads what [`SystemLemmas::write`] has written about the system; `None` for what is nothing of
    /// that kind.
    pub fn read(text: &str, system: &System) -> Option<SystemLemmas> {
        let is_lemma = |line: &&str| {
            !["nowhere ", "dark ", "shade "].iter().any(|start| line.starts_with(start))
        };
        let proven = ProvenLemmas::read(text.lines().filter(is_lemma), system)?;
        let mut facts = SystemLemmas::new(system, proven);
        let reader = Reader { system, delays: delays(system) };
        for line in text.lines().filter(|line| !is_lemma(line)) {
            reader.take(line, &mut facts)?;
        }
        Some(facts)
    }
}

/// A delay, and values that it remembers.
fn words(delay: ExprId, values: &[Value]) -> String {
    values.iter().fold(delay.index().to_string(), |text, value| match value {
        Value::Bool(value) => format!("{text} {value}"),
        Value::Int(value) => format!("{text} {value}"),
        other => unreachable!("tells no states apart: {other:?}"),
    })
}

struct Reader<'a> {
    system: &'a System,
    delays: Vec<ExprId>,
}

impl Reader<'_> {
    fn take(&self, line: &str, facts: &mut SystemLemmas) -> Option<()> {
        let mut parts = line.split(NEXT).map(|part| part.split(' '));
        let mut head = parts.next()?;
        let kind = head.next()?;
        if kind == "shade" {
            let loss = self.loss(&positions(head)?, parts, facts)?;
            facts.losses.push(loss);
            return Some(());
        }
        let delay = self.delay(head.next()?)?;
        let region = match kind {
            "nowhere" => Region::Nowhere,
            _ => Region::Where(parts.map(|part| self.memory(part)).collect::<Option<_>>()?),
        };
        facts.observable.set(delay, region);
        Some(())
    }

    fn delay(&self, word: &str) -> Option<ExprId> {
        let number = word.parse::<usize>().ok()?;
        self.delays.iter().copied().find(|delay| delay.index() == number)
    }

    fn memory<'w>(&self, mut words: impl Iterator<Item = &'w str>) -> Option<(ExprId, Vec<Value>)> {
        let delay = self.delay(words.next()?)?;
        let value = |word: &str| match self.system.exprs[delay].ty {
            Type::Bool => word.parse().ok().map(Value::Bool),
            Type::Int | Type::Enum(_) => Int::parse(word).map(Value::Int),
            Type::Real => None,
        };
        Some((delay, words.map(value).collect::<Option<_>>()?))
    }

    fn loss<'w>(
        &self,
        lemmas: &[usize],
        parts: impl Iterator<Item = impl Iterator<Item = &'w str>>,
        facts: &SystemLemmas,
    ) -> Option<LossUnderAssumption> {
        let is_guarded = |at: &usize| {
            let (lemmas, terms) = facts.proven.parts();
            lemmas.terms.get(*at).is_some_and(|lemma| guarded(terms, *lemma).is_some())
        };
        let mut needed = IndexVec::repeat(None, self.system.exprs.len());
        for mut part in parts {
            let delay = self.delay(part.next()?)?;
            let all = positions(part)?;
            needed[delay] = Some(all.iter().all(|at| *at < lemmas.len()).then_some(all)?);
        }
        lemmas.iter().all(is_guarded).then(|| LossUnderAssumption::new(lemmas.to_vec(), needed))
    }
}

fn positions<'w>(words: impl Iterator<Item = &'w str>) -> Option<Vec<usize>> {
    words.map(|word| word.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use provoke_base::SourceFile;

    const MODEL: &str = "
node main(a : bool) returns (out : bool);
let
  out = a -> a and pre out;
tel;";

    #[test]
    fn shades_are_read_as_they_are_written() {
        let loaded = provoke_lustre::load(&SourceFile::new("model.lus", MODEL), None);
        let system = loaded.system.expect("a valid model");
        let delay = delays(&system)[0].index();
        let lemmas = "symbol Bool kept\nsymbol Int n\nint 0\nLe 1 2\nOr 0 3\nLe 2 1\nOr 0 5\n\
                      lemma 4\nlemma 6\n";
        let text = format!("nowhere {delay}\nshade 0 1 | {delay} 1\n{lemmas}");
        let facts = SystemLemmas::read(&text, &system).expect("facts");
        assert_eq!(facts.losses.len(), 1);
        assert_eq!(facts.write(), text);
        let wrong = ["shade 0 7 | D 1", "shade 0 | D 1", "shade 0 | 99999", "shade x"];
        for wrong in wrong.map(|line| line.replace('D', &delay.to_string())) {
            assert!(
                SystemLemmas::read(&format!("{wrong}\n{lemmas}"), &system).is_none(),
                "{wrong}"
            );
        }
    }
}
