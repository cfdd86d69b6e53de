//! Mutants that no test can tell from the model, or from another mutant, where zones decide it.

use std::collections::{BTreeMap, BTreeSet};

use provoke_uppaal::Network;
use provoke_uppaal::moves::Part;

use crate::mutants::mutant::{TimedChange, TimedMutant};
use crate::mutants::rhythm::{Rhythm, rhythm};
use crate::mutants::zone_graph::Storm;
use crate::tester::cone::{Influence, restricted};
use crate::tester::interface::Interface;

/// What is known of a mutant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MutantStatus {
    /// Nothing: a test may tell it from the model.
    Open,
    /// The same automaton as that of another mutant.
    Duplicate(usize),
    /// No output differs, for this reason.
    Equivalent(&'static str),
}

/// Says of each mutant what zones decide; `observed` are the variables that can be seen.
pub fn known(network: &Network, mutants: &[TimedMutant], observed: &[usize]) -> Vec<MutantStatus> {
    known_until(network, mutants, observed, &|_| false).expect("nobody ends it")
}

/// The same; nothing if `stop`, which hears how many are decided, says so before all are.
pub fn known_until(
    network: &Network,
    mutants: &[TimedMutant],
    observed: &[usize],
    stop: &dyn Fn(usize) -> bool,
) -> Option<Vec<MutantStatus>> {
    let influence = Influence::new(network);
    let mut models: BTreeMap<usize, Model> = BTreeMap::new();
    let mut found = Vec::new();
    for mutant in mutants {
        if stop(found.len()) {
            return None;
        }
        let process = mutant.process;
        let new = || Model::new(network, &influence, process, observed);
        found.push(models.entry(process).or_insert_with(new).judge(network, mutant, observed));
    }
    Some(found)
}

/// The part of a network that a process has to do with, and what is known of its mutants.
struct Model {
    cone: BTreeSet<usize>,
    /// The events that matter to it.
    inputs: Vec<u32>,
    part: Network,
    text: String,
    /// The edges that are taken, and all that can be done, where zones tell.
    taken: Option<BTreeSet<Part>>,
    described: Option<String>,
    rhythm: Option<Rhythm>,
    silent: BTreeMap<Part, bool>,
    /// Mutants by their text and by all that they can do.
    seen: BTreeMap<String, usize>,
}

impl Model {
    fn new(network: &Network, influence: &Influence, process: usize, observed: &[usize]) -> Model {
        let cone = influence.around(process, observed);
        let part = restricted(network, &cone);
        let own = influence.received(process);
        let inputs = Interface::new(&part).inputs.into_values();
        let inputs: Vec<u32> = inputs
            .filter(|c| influence.matters(*c, &cone) || own.contains(&(*c as usize)))
            .collect();
        let storm = Storm::new(&part, &inputs, None);
        let taken = storm.as_ref().and_then(|storm| storm.taken().ok().flatten());
        let described = storm.and_then(|storm| storm.described(process).ok().flatten());
        let rhythm = rhythm(network, process).ok().flatten();
        let text = format!("{:?}", Parts(network, process));
        let (silent, seen) = (BTreeMap::new(), BTreeMap::new());
        Model { cone, inputs, part, text, taken, described, rhythm, silent, seen }
    }

    fn judge(
        &mut self,
        network: &Network,
        mutant: &TimedMutant,
        observed: &[usize],
    ) -> MutantStatus {
        let changed = mutant.apply(network);
        let text = format!("{:?}", Parts(&changed, mutant.process));
        if text == self.text {
            return MutantStatus::Equivalent("nothing is changed");
        }
        if let Some(first) = self.seen.get(&text) {
            return MutantStatus::Duplicate(*first);
        }
        self.seen.insert(text, mutant.id);
        let part = changed_edge(mutant);
        let never = |part: Part| self.taken.as_ref().is_some_and(|taken| !taken.contains(&part));
        if part.is_some_and(never) {
            return MutantStatus::Equivalent("the edge is never taken");
        }
        if self.rhythm.is_some() && self.rhythm == rhythm(&changed, mutant.process).ok().flatten() {
            return MutantStatus::Equivalent(
                "what the automaton sends, it sends at the same times",
            );
        }
        let changed = restricted(&changed, &self.cone);
        let Some(storm) = Storm::new(&changed, &self.inputs, Some(&self.part)) else {
            return MutantStatus::Open;
        };
        // Where the model is too large, so is the mutant.
        if self.described.is_some()
            && let Ok(Some(described)) = storm.described(mutant.process)
        {
            if Some(&described) == self.described.as_ref() {
                return MutantStatus::Equivalent(
                    "from all that is reached, the same steps are possible",
                );
            }
            if let Some(first) = self.seen.get(&described) {
                return MutantStatus::Duplicate(*first);
            }
            self.seen.insert(described, mutant.id);
        }
        // What comes behind the edge shows nothing, in the model and in the mutant.
        let is_silent = |storm: &Storm, part: Part| {
            matches!(storm.silent_behind(part, observed), Ok(Some(true)))
        };
        let of_model = |part: Part| {
            Storm::new(&self.part, &self.inputs, None).is_some_and(|storm| is_silent(&storm, part))
        };
        let silent = part.is_some_and(|part| {
            *self.silent.entry(part).or_insert_with(|| of_model(part)) && is_silent(&storm, part)
        });
        match silent {
            true => MutantStatus::Equivalent("behind the edge no output ever changes"),
            false => MutantStatus::Open,
        }
    }
}

/// Locations and edges of a process, for comparing.
struct Parts<'n>(&'n Network, usize);

impl std::fmt::Debug for Parts<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let process = &self.0.processes[self.1];
        for location in &process.locations {
            write!(f, "{:?};", location.invariant)?;
        }
        for edge in &process.edges {
            let to: Vec<_> = edge.branches.iter().map(|b| (b.target, &b.update)).collect();
            write!(f, "{} {:?} {:?} {to:?};", edge.source, edge.guard, edge.sync)?;
        }
        Ok(())
    }
}

/// The edge whose effect, and nothing else, is changed.
fn changed_edge(mutant: &TimedMutant) -> Option<Part> {
    let edge = match &mutant.change {
        TimedChange::Target(edge, ..)
        | TimedChange::Sink(edge, _)
        | TimedChange::Reset(edge, ..) => *edge,
        _ => return None,
    };
    Some(Part { process: mutant.process as u32, edge: edge as u32 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mutants::mutant::{Amount, TimedOperator, mutants};
    use provoke_base::SourceFile;

    /// A process that is left between 2 and 4, and a part behind `never` that is not reached; its
    /// clock is compared where it has no choice. What `n` counts makes no difference.
    const TEXT: &str = "<nta><declaration>chan a; bool done; int[0,1000] n;</declaration><template><name>P</name>\
        <declaration>clock x;</declaration><location id=\"a\"><name>A</name></location>\
        <location id=\"b\"><name>B</name><label kind=\"invariant\">x &lt;= 4</label></location>\
        <location id=\"c\"><name>C</name></location><init ref=\"a\"/>\
        <transition><source ref=\"a\"/><target ref=\"b\"/>\
        <label kind=\"synchronisation\">a?</label><label kind=\"assignment\">x = 0, n++</label></transition>\
        <transition><source ref=\"b\"/><target ref=\"c\"/><label kind=\"guard\">x &gt;= 2 &amp;&amp; x &lt;= 9</label>\
        <label kind=\"assignment\">done = true</label></transition>\
        <transition><source ref=\"b\"/><target ref=\"a\"/><label kind=\"guard\">x &gt; 9</label>\
        </transition><transition><source ref=\"c\"/><target ref=\"a\"/>\
        <label kind=\"synchronisation\">a?</label></transition></template><system>system P;</system></nta>";

    fn judged(operator: TimedOperator) -> Vec<(String, MutantStatus)> {
        let loaded = provoke_uppaal::load(&SourceFile::new("zones.xml", TEXT));
        let network = loaded.network.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        let all = mutants(&network, &[operator], Amount::Units(1));
        let known = known(&network, &all, &[0, 1]);
        all.into_iter().map(|mutant| mutant.text).zip(known).collect()
    }

    #[test]
    fn comparisons_that_zones_find_to_be_the_same_are_equivalent_or_duplicates() {
        let all = judged(TimedOperator::Comparison);
        let of = |text: &str| {
            let found = all.iter().find(|(known, _)| known == text);
            found.map(|(_, known)| known.clone()).unwrap_or_else(|| panic!("{text}: {all:?}"))
        };
        let same =
            MutantStatus::Equivalent("from all that is reached, the same steps are possible");
        // The invariant keeps the clock below 9 in any case.
        assert_eq!(of("P: B -> C: <= becomes <"), same);
        assert_eq!(of("P: B -> A: > becomes >="), same);
        assert_eq!(of("P: B -> C: >= becomes >"), MutantStatus::Open);
        assert_eq!(of("P: B -> A: > becomes <"), MutantStatus::Open);
        assert!(matches!(of("P: B -> A: > becomes <="), MutantStatus::Duplicate(_)), "{all:?}");
    }

    #[test]
    fn mutants_that_do_the_same_in_different_ways_are_duplicates() {
        let all = judged(TimedOperator::Comparison);
        // With the clock up to 4, x == 9, x >= 9 and x > 9 all mean never.
        let never = all.iter().filter(|(text, known)| {
            text.starts_with("P: B -> C: <= becomes") && matches!(known, MutantStatus::Duplicate(_))
        });
        assert_eq!(never.count(), 2, "{all:?}");
    }
}
