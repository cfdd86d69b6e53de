//! What a process that depends on nothing sends to others, if it does so at times that are certain: a
//! control loop may spend the time between as it likes.

use std::collections::BTreeSet;

use provoke_uppaal::Network;
use provoke_uppaal::machine::Computed;
use provoke_uppaal::network::{Clock, ClockRef, Index, NetworkExpr, Stmt, Urgency};
use provoke_zones::dbm::{self, Constraint};
use provoke_zones::explorer::{ZoneExplorer, ZoneStep, follow};
use provoke_zones::obstacle;

use crate::tester::cone::{Influence, restricted};

/// More sets of states between two beats, and more beats, are not looked at.
const MOST: usize = 200;

/// One thing that is sent: on which channel, how long behind the one before, and whether time stood
/// still, or others had to wait, at the places on the way.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Beat {
    channel: u32,
    delay: i32,
    places: Vec<Urgency>,
}

/// What is sent from the beginning; at the end it goes on as from beat `back`.
#[derive(Debug)]
pub(crate) struct Rhythm {
    beats: Vec<Beat>,
    back: usize,
}

impl Rhythm {
    fn at(&self, index: usize) -> &Beat {
        match self.beats.get(index) {
            Some(beat) => beat,
            None => &self.beats[self.back + (index - self.back) % self.period()],
        }
    }

    fn period(&self) -> usize {
        self.beats.len() - self.back
    }
}

impl PartialEq for Rhythm {
    fn eq(&self, other: &Rhythm) -> bool {
        let long = self.back.max(other.back) + self.period() * other.period();
        (0..long).all(|index| self.at(index) == other.at(index))
    }
}

type States = BTreeSet<(Vec<i32>, Vec<i32>)>;

/// The rhythm of a process; `None` if it has none, or if it or others look at more of each other.
pub(crate) fn rhythm(network: &Network, process: usize) -> Computed<Option<Rhythm>> {
    let urgent = network.channels.iter().any(|channel| channel.urgent);
    if urgent || network.priorities.is_some() || !Influence::new(network).only_sends(process) {
        return Ok(None);
    }
    let alone = with_watch(restricted(network, &BTreeSet::from([process])), process);
    if obstacle::obstacle(&alone).is_some() {
        return Ok(None);
    }
    let mut explorer = ZoneExplorer::new(&alone);
    let mut states: States = explorer.initial()?.into_iter().collect();
    let (mut beats, mut seen) = (Vec::new(), Vec::new());
    while beats.len() < MOST {
        if let Some(back) = seen.iter().position(|known| *known == states) {
            return Ok(Some(Rhythm { beats, back }));
        }
        let Some((beat, next)) = beat(&mut explorer, &states, process)? else { return Ok(None) };
        beats.push(beat);
        seen.push(std::mem::replace(&mut states, next));
    }
    Ok(None)
}

/// The network with a last clock that starts anew whenever the process sends something.
fn with_watch(mut network: Network, process: usize) -> Network {
    let watch = ClockRef { first: Ok(network.clocks.len() as u32), index: Index::At(0) };
    network.clocks.push(Clock { name: "watch".to_string(), initial: 0.0 });
    let edges = network.processes[process].edges.iter_mut();
    for branch in edges.filter(|edge| edge.sync.is_some()).flat_map(|edge| &mut edge.branches) {
        branch.update.push(Stmt::Reset(Box::new(watch.clone()), NetworkExpr::Int(0)));
    }
    network
}

/// What is sent next from these states, and where that leads; `None` if it is not certain what, when
/// and that it is.
fn beat(
    explorer: &mut ZoneExplorer<'_>,
    states: &States,
    process: usize,
) -> Computed<Option<(Beat, States)>> {
    let n = explorer.n;
    let locations = &explorer.network.processes[process].locations;
    let mut waiting: Vec<_> = states.iter().cloned().collect();
    let (mut passed, mut next) = (States::new(), States::new());
    let (mut sent, mut places) = (BTreeSet::new(), Vec::new());
    while let Some((discrete, zone)) = waiting.pop() {
        if !passed.insert((discrete.clone(), zone.clone())) {
            continue;
        }
        let urgency = locations[discrete[process] as usize].urgency;
        if !places.contains(&urgency) {
            places.push(urgency);
        }
        let mut goes_on = false;
        explorer.steps(
            &discrete,
            |_| true,
            |step: &ZoneStep| {
                for guard in &step.guard {
                    let (mut when, mut behind) = (zone.clone(), zone.clone());
                    if !follow(&mut behind, n, guard, step) {
                        continue;
                    }
                    if !possible(&mut when, n, guard, step) {
                        continue;
                    }
                    // The watch is the last clock.
                    let (last, first) = (when[(n - 1) * n], when[n - 1]);
                    dbm::down(&mut when, n);
                    goes_on |= dbm::is_inside(&zone, &when);
                    let state = (step.target.clone(), behind);
                    match step.channel {
                        None => waiting.push(state),
                        Some(channel) => {
                            sent.insert((channel, first, last));
                            next.insert(state);
                        }
                    }
                }
                Ok(())
            },
        )?;
        if !goes_on || passed.len() > MOST {
            return Ok(None);
        }
    }
    places.sort_unstable_by_key(|urgency| *urgency as u8);
    let (Some(&(channel, first, last)), 1) = (sent.first(), sent.len()) else { return Ok(None) };
    let delay = dbm::constant(last);
    let exact = dbm::is_weak(first) && dbm::is_weak(last) && dbm::constant(first) == -delay;
    Ok(exact.then_some((Beat { channel, delay, places }, next)))
}

/// The states in which a step is possible, for what they are and for where it leads; false if there are
/// none, or if it cannot be said.
fn possible(zone: &mut [i32], n: usize, guard: &[Constraint], step: &ZoneStep) -> bool {
    let set = |clock: u16| step.resets.iter().any(|(reset, _)| reset + 1 == u32::from(clock));
    let both = |c: &Constraint| c.left != 0 && c.right != 0 && (set(c.left) || set(c.right));
    // Of a clock that is set, the bounds behind the step are known to hold.
    let there = step.invariant.iter().filter(|c| !set(c.left) && !set(c.right));
    !step.invariant.iter().any(both)
        && guard.iter().chain(there).all(|c| dbm::constrain(zone, n, *c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use provoke_base::SourceFile;

    /// A loop that sends once in a period, and waits at two places between.
    fn found([stay, period]: [u8; 2], first: &str, second: &str) -> Option<Rhythm> {
        let text = format!(
            "<nta><declaration>broadcast chan tick;</declaration><template><name>P</name>\
             <declaration>clock t;</declaration><location id=\"a\">\
             <label kind=\"invariant\">t &lt;= {stay}</label></location><location id=\"b\">\
             <label kind=\"invariant\">t &lt;= {period}</label></location><init ref=\"a\"/>\
             <transition><source ref=\"a\"/><target ref=\"b\"/><label kind=\"guard\">{first}</label></transition>\
             <transition><source ref=\"b\"/><target ref=\"a\"/><label kind=\"guard\">{second}</label>\
             <label kind=\"synchronisation\">tick!</label><label kind=\"assignment\">t = 0</label></transition>\
             </template><system>system P;</system></nta>"
        );
        let loaded = provoke_uppaal::load(&SourceFile::new("loop.xml", text.as_str()));
        let network = loaded.network.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics));
        rhythm(&network, 0).expect("no fault")
    }

    #[test]
    fn what_happens_between_beats_does_not_matter() {
        let usual = found([7, 10], "t &gt;= 7", "t &gt;= 10").expect("a rhythm");
        assert_eq!((usual.beats.len(), usual.beats[0].delay), (1, 10));
        assert_eq!(found([7, 10], "t &gt;= 3", "t &gt;= 10").expect("a rhythm"), usual);
        assert_ne!(found([7, 9], "t &gt;= 7", "t &gt;= 9").expect("a rhythm"), usual);
        assert!(found([7, 10], "t &gt;= 7", "t == 9").is_none(), "it may be too late behind 9");
        assert!(found([7, 10], "t &gt;= 7", "t &gt;= 9").is_none(), "not at a certain time");
        assert!(found([7, 10], "t &gt; 7", "t &gt;= 10").is_none(), "time stops before");
        assert!(found([12, 10], "t &gt;= 7", "t &gt;= 10").is_none(), "time may stop behind 10");
        assert_eq!(found([10, 10], "t &gt;= 7", "t &gt;= 10").expect("a rhythm"), usual);
    }
}
