//! The part of a network that matters for what is looked at.

use std::collections::{BTreeMap, BTreeSet};

use provoke_uppaal::Network;
use provoke_uppaal::network::{Condition, Process, Urgency};

use crate::tester::automaton::place;
use crate::tester::clocks::keep_used;
use crate::tester::uses::{Uses, positions};

/// Who reads, writes, sends and receives what.
pub(crate) struct Influence {
    uses: Vec<Uses>,
    sends: Vec<BTreeSet<usize>>,
    receives: Vec<BTreeSet<usize>>,
    plain: Vec<bool>,
    /// For each channel: who receives, what is written then, and whether more changes than that.
    answers: BTreeMap<usize, Vec<Answer>>,
}

struct Answer {
    process: usize,
    writes: BTreeSet<usize>,
    moves: bool,
}

fn answers(network: &Network) -> BTreeMap<usize, Vec<Answer>> {
    let mut found: BTreeMap<usize, Vec<Answer>> = BTreeMap::new();
    for (index, process) in network.processes.iter().enumerate() {
        for edge in process.edges.iter().filter(|edge| !edge.guard.is_never()) {
            let Some(sync) = edge.sync.as_ref().filter(|sync| !sync.sends) else { continue };
            let mut uses = Uses::default();
            edge.branches.iter().for_each(|branch| uses.statements(network, &branch.update));
            let moves = edge.branches.iter().any(|branch| branch.target != edge.source)
                || !uses.clocks_set.is_empty();
            for at in positions(&sync.index) {
                let answer = Answer { process: index, writes: uses.writes.clone(), moves };
                found.entry(sync.first + at).or_default().push(answer);
            }
        }
    }
    found
}

impl Influence {
    /// The influences in a network.
    pub(crate) fn new(network: &Network) -> Influence {
        let channels = |sends: bool| {
            let of = |process: &Process| {
                let syncs = process.edges.iter().filter_map(|edge| edge.sync.as_ref());
                let mine = syncs.filter(|sync| sync.sends == sends);
                mine.flat_map(|s| positions(&s.index).into_iter().map(|at| s.first + at)).collect()
            };
            network.processes.iter().map(of).collect()
        };
        Influence {
            uses: network.processes.iter().map(|p| Uses::of_process(network, p)).collect(),
            sends: channels(true),
            receives: channels(false),
            answers: answers(network),
            plain: network.channels.iter().map(|channel| !channel.broadcast).collect(),
        }
    }

    /// The processes on which variables depend, and processes themselves.
    pub(crate) fn cone(&self, cells: &[usize], processes: &[usize]) -> BTreeSet<usize> {
        let writes = |p: &usize| cells.iter().any(|cell| self.uses[*p].writes.contains(cell));
        let mut found: BTreeSet<usize> = (0..self.uses.len()).filter(writes).collect();
        found.extend(processes);
        loop {
            let acts = |p: &usize| found.iter().any(|q| self.acts_on(*p, *q));
            let more: Vec<usize> =
                (0..self.uses.len()).filter(|p| !found.contains(p)).filter(acts).collect();
            if more.is_empty() {
                return found;
            }
            found.extend(more);
        }
    }

    /// The processes on which a process has an influence, and those that have one on what of it can
    /// be seen.
    pub(crate) fn around(&self, process: usize, observed: &[usize]) -> BTreeSet<usize> {
        let mut later = BTreeSet::from([process]);
        loop {
            let behind = |q: &usize| later.iter().any(|p| self.acts_on(*p, *q));
            let more: Vec<usize> =
                (0..self.uses.len()).filter(|q| !later.contains(q)).filter(behind).collect();
            if more.is_empty() {
                break;
            }
            later.extend(more);
        }
        let written = self.written(&later);
        let seen: Vec<usize> = observed.iter().copied().filter(|c| written.contains(c)).collect();
        self.cone(&seen, &[process])
    }

    /// Whether what is sent on a channel can matter to the processes.
    pub(crate) fn matters(&self, channel: u32, processes: &BTreeSet<usize>) -> bool {
        let read = |cell: &usize| {
            let readers = processes.iter().filter(|p| self.uses[**p].reads.contains(cell));
            readers.count() > 0
        };
        let answers = self.answers.get(&(channel as usize)).map_or(&[][..], Vec::as_slice);
        let mine = answers.iter().filter(|answer| processes.contains(&answer.process));
        let counts = |answer: &Answer| answer.moves || answer.writes.iter().any(read);
        mine.into_iter().any(counts)
    }

    /// Whether a process depends on nothing, and has an influence only by what it sends to whoever
    /// listens.
    pub(crate) fn only_sends(&self, process: usize) -> bool {
        let own = &self.uses[process];
        let apart = |(index, other): (usize, &Uses)| {
            index == process
                || (own.reads.is_disjoint(&other.writes)
                    && own.clocks_read.is_disjoint(&other.clocks_set)
                    && own.clocks_set.is_disjoint(&other.clocks_read)
                    && !other.processes.contains(&process))
        };
        let plain = |channel: &usize| self.plain[*channel];
        own.writes.is_empty()
            && own.processes.is_empty()
            && self.receives[process].is_empty()
            && !self.sends[process].iter().any(plain)
            && self.uses.iter().enumerate().all(apart)
    }

    /// The channels that a process receives from.
    pub(crate) fn received(&self, process: usize) -> &BTreeSet<usize> {
        &self.receives[process]
    }

    /// The variables that processes write.
    pub(crate) fn written(&self, processes: &BTreeSet<usize>) -> BTreeSet<usize> {
        processes.iter().flat_map(|p| self.uses[*p].writes.iter().copied()).collect()
    }

    /// Whether what `p` does can matter to `q`.
    fn acts_on(&self, p: usize, q: usize) -> bool {
        let (from, to) = (&self.uses[p], &self.uses[q]);
        let plain = |channel: &usize| self.plain[*channel];
        !from.writes.is_disjoint(&to.reads)
            || !from.clocks_set.is_disjoint(&to.clocks_read)
            || to.processes.contains(&p)
            || !self.sends[p].is_disjoint(&self.receives[q])
            || self.receives[p].intersection(&self.sends[q]).any(plain)
    }
}

/// The network in which only these processes do something, with the clocks that they need. Processes,
/// variables and channels stay where they are.
pub(crate) fn restricted(network: &Network, processes: &BTreeSet<usize>) -> Network {
    let mut called = BTreeSet::new();
    let mut part = |(index, process): (usize, &Process)| {
        if processes.contains(&index) {
            called.extend(Uses::of_process(network, process).functions);
            return process.clone();
        }
        let Process { name, template, .. } = process.clone();
        let still = place("Still".into(), Urgency::Normal, Condition::truth());
        let (locations, leaving) = (vec![still], vec![Vec::new()]);
        Process { name, template, locations, initial: 0, edges: Vec::new(), leaving }
    };
    let processes = network.processes.iter().enumerate().map(&mut part).collect();
    let mut restricted = Network {
        clocks: network.clocks.clone(),
        cells: network.cells.clone(),
        constants: network.constants.clone(),
        channels: network.channels.clone(),
        processes,
        functions: network.functions.clone(),
        priorities: network.priorities.clone(),
        queries: Vec::new(),
        simulation_only: network.simulation_only.clone(),
        not_followed: network.not_followed.clone(),
    };
    for (index, function) in restricted.functions.iter_mut().enumerate() {
        if !called.contains(&(index as u32)) {
            function.body.clear();
        }
    }
    keep_used(&mut restricted);
    restricted
}

#[cfg(test)]
mod tests {
    use super::*;
    use provoke_base::SourceFile;

    #[test]
    fn a_part_has_the_clocks_it_names_and_no_others() {
        let text = "<nta><declaration>clock g[3]; void late(clock&amp; c) { c = 1; }</declaration>\
            <template><name>P</name><parameter>int[0,2] i</parameter>\
            <declaration>clock x; clock y;</declaration><location id=\"a\">\
            <label kind=\"invariant\">y &lt;= 5 &amp;&amp; g[i] - x &lt;= 7</label></location><init ref=\"a\"/>\
            <transition><source ref=\"a\"/><target ref=\"a\"/>\
            <label kind=\"guard\">y &gt;= 2</label>\
            <label kind=\"assignment\">y = 0, late(x), g[i] = 0</label></transition></template>\
            <system>system P;</system></nta>";
        let loaded = provoke_uppaal::load(&SourceFile::new("clocks.xml", text));
        let network = loaded.network.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        assert_eq!(network.clocks.len(), 9);
        let part = restricted(&network, &BTreeSet::from([1]));
        let names: Vec<&str> = part.clocks.iter().map(|clock| clock.name.as_str()).collect();
        assert_eq!(names, ["g[1]", "P(1).x", "P(1).y"]);
        // A part of the part is the part: every clock is found where it now is.
        let uses = Uses::of_process(&part, &part.processes[1]);
        assert_eq!(uses.clocks_read, BTreeSet::from([0, 1, 2]));
        assert_eq!(uses.clocks_set, BTreeSet::from([0, 1, 2]));
        let again = restricted(&part, &BTreeSet::from([1]));
        assert_eq!(format!("{:?}", again.processes), format!("{:?}", part.processes));
    }
}
