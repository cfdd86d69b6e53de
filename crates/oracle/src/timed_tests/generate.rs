//! Tests from automata. Inputs are found with zones or drawn; what must be seen is what most random
//! runs show.

use std::collections::{BTreeMap, BTreeSet};

use provoke_base::Random;
use provoke_stochastic::estimate::obstacle as not_simulated;
use provoke_uppaal::Network;
use provoke_uppaal::machine::Computed;
use provoke_uppaal::moves::Part;
use provoke_zones::obstacle;
use rustc_hash::FxHashSet;

use crate::probability::runs::Runner;
use crate::sequences::follow::{Arena, Set, ZoneFollower};
use crate::tester::alphabet::{alphabet, own_period, ranges};
use crate::tester::automaton::TestedNetwork;
use crate::tester::cone::{Influence, restricted};
use crate::tester::interface::{Act, Interface, What};
use crate::timed_tests::timed_test::{TimedSuite, TimedTest};

/// How tests are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimedMethod {
    /// Every edge is taken; edges with a time range also just before, in the middle and at its end.
    Edge,
    /// Every location is reached.
    Location,
    /// Inputs are drawn.
    Random,
    /// Those of `Edge`, and drawn ones that differ most from each other.
    Diversity,
}

provoke_base::words!(TimedMethod {
    Edge = "edge",
    Location = "location",
    Random = "random",
    Diversity = "diversity",
});

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub struct GenerationRequest {
    /// How tests are chosen.
    pub method: TimedMethod,
    /// How many are drawn; for diversity, how many there are in all.
    pub tests: usize,
    /// The most inputs of a test.
    pub length: usize,
    /// Where random numbers start.
    pub seed: u64,
}

/// Tests, and what none of them does.
pub struct TimedGeneration {
    /// The tests.
    pub suite: TimedSuite,
    /// Edges or locations that no sequence of inputs was found for.
    pub open: Vec<String>,
}

/// Sequences of inputs looked at for one process.
const MOST_SEQUENCES: usize = 400;
/// Runs that decide what must be seen.
const RUNS: u64 = 200;

/// Hears how many tests are made of how many sequences of inputs, and says whether to end.
pub type GenerationStop<'a> = dyn Fn(usize, usize) -> bool + 'a;

/// Generates tests that see the given variables.
pub fn generate(
    network: &Network,
    observe: &[String],
    wanted: GenerationRequest,
) -> Result<TimedGeneration, String> {
    let generated = generate_until(network, observe, wanted, &|_, _| false)?;
    Ok(generated.expect("nobody ends it"))
}

/// The same; nothing if `stop` says so before all tests are made.
pub fn generate_until(
    network: &Network,
    observe: &[String],
    wanted: GenerationRequest,
    stop: &GenerationStop<'_>,
) -> Result<Option<TimedGeneration>, String> {
    if let Some((_, what)) = obstacle::obstacle(network) {
        return Err(format!("tests cannot be generated: zones cannot follow {what}"));
    }
    if let Some(reason) = not_simulated(network) {
        return Err(format!("tests cannot be generated: {}", reason.text));
    }
    let interface = Interface::new(network);
    if interface.inputs.is_empty() {
        return Err(
            "the model takes no event: no channel is received from and never sent to".into()
        );
    }
    let observed = interface.cells(observe)?;
    let influence = Influence::new(network);
    let open = Vec::new();
    let mut generator = Generator { interface, influence, observed, wanted, stop, open };
    let found = generator.sequences().map_err(|fault| fault.message)?;
    if stop(0, found.len()) {
        return Ok(None);
    }
    let mut suite = TimedSuite { observe: observe.to_vec(), ..TimedSuite::default() };
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for (done, sequence) in found.iter().enumerate() {
        if stop(done, found.len()) {
            return Ok(None);
        }
        let mut test = generator.test(sequence).map_err(|fault| fault.message)?;
        let count = names.entry(test.name.clone()).or_default();
        *count += 1;
        test.name = format!("{}_{count}", test.name);
        suite.tests.push(test);
    }
    Ok(Some(TimedGeneration { suite, open: generator.open }))
}

/// Inputs, for the sake of one process.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Sequence {
    process: usize,
    acts: Vec<What>,
}

struct Generator<'n> {
    interface: Interface<'n>,
    influence: Influence,
    observed: Vec<usize>,
    wanted: GenerationRequest,
    stop: &'n GenerationStop<'n>,
    open: Vec<String>,
}

impl Generator<'_> {
    fn sequences(&mut self) -> Computed<Vec<Sequence>> {
        let mut found = Vec::new();
        let systematic = matches!(self.wanted.method, TimedMethod::Edge | TimedMethod::Diversity);
        for process in 0..self.interface.network.processes.len() {
            if systematic || self.wanted.method == TimedMethod::Location {
                self.reach(process, systematic, &mut found)?;
            }
        }
        match self.wanted.method {
            TimedMethod::Edge | TimedMethod::Location => {}
            TimedMethod::Random => found = self.drawn(self.wanted.tests),
            TimedMethod::Diversity => {
                let more = self.wanted.tests.saturating_sub(found.len());
                let pool = self.drawn(4 * more);
                let stop = |found| (self.stop)(0, found);
                add_farthest(&mut found, pool, more, &stop);
            }
        }
        Ok(found)
    }

    fn cone(&self, process: usize) -> BTreeSet<usize> {
        self.influence.cone(&[], &[process])
    }

    fn alphabet(&self, cone: &BTreeSet<usize>) -> Vec<What> {
        alphabet(&self.interface, cone, |channel| self.influence.matters(channel, cone))
    }

    /// Sequences that take the edges of a process, or reach its locations.
    fn reach(&mut self, process: usize, edges: bool, found: &mut Vec<Sequence>) -> Computed<()> {
        let cone = self.cone(process);
        let network = restricted(self.interface.network, &cone);
        let of = &network.processes[process];
        let alphabet = self.alphabet(&cone);
        if !alphabet.iter().any(|what| matches!(what, What::Send(_))) {
            return Ok(());
        }
        let channels = alphabet.iter().filter_map(|what| match what {
            What::Send(channel) => Some(*channel),
            _ => None,
        });
        let arena = Arena::new(&network, channels);
        let mut follower = ZoneFollower::new(&arena);
        let goals = if edges { of.edges.len() } else { of.locations.len() };
        let mut open: BTreeSet<usize> = (0..goals).collect();
        let timed: BTreeMap<usize, i64> =
            ranges(&network, process).iter().map(|range| (range.edge, range.high)).collect();
        let phase = phase(&network, &cone, &mut follower)?;
        let mut first = follower.begin()?;
        if let Some(phase) = phase {
            first = follower.input(&first, What::Phase(phase))?;
        }
        let start: Vec<What> = phase.map(What::Phase).into_iter().collect();
        let mut level: Vec<(Vec<What>, Vec<Set>)> = vec![(start, first)];
        let (mut known, mut looked) = (FxHashSet::default(), 0);
        for _ in 0..self.wanted.length {
            let mut next = Vec::new();
            for (acts, sets) in &level {
                for &what in &alphabet {
                    looked += 1;
                    let enough = open.is_empty() || looked > MOST_SEQUENCES;
                    if enough || (self.stop)(0, found.len()) {
                        continue;
                    }
                    follower.taken = Some(BTreeSet::new());
                    let behind = follower.input(sets, what)?;
                    let taken = follower.taken.take().unwrap_or_default();
                    let mut acts = acts.clone();
                    acts.push(what);
                    let mut reached = reached(&follower, process, edges, &taken, &behind);
                    // What may happen at once, but hardly ever does, is not reached by that.
                    reached.retain(|goal| !edges || waits_for(&timed, *goal, what));
                    let mut new: Vec<usize> = open.intersection(&reached).copied().collect();
                    if edges && !new.is_empty() {
                        let before = &acts[..acts.len() - 1];
                        let at = usual_location(&network, process, before, self.wanted.seed)?;
                        let taken = taken_from(&mut follower, sets, (process, at), what)?;
                        new.retain(|edge| taken.contains(edge));
                    }
                    if !new.is_empty() {
                        found.push(Sequence { process, acts: acts.clone() });
                        open.retain(|goal| !new.contains(goal));
                        if edges {
                            self.vary(&network, process, &new, &acts, phase, found);
                        }
                    }
                    if known.insert(behind.clone()) {
                        next.push((acts, behind));
                    }
                }
            }
            level = next;
        }
        for goal in open {
            let name = |location: usize| of.locations[location].name.as_str();
            let what = match edges {
                true => {
                    let edge = &of.edges[goal];
                    let target = edge.branches.first().map_or("?", |branch| name(branch.target));
                    format!("{}: {} -> {target}", of.name, name(edge.source))
                }
                false => format!("{}.{}", of.name, name(goal)),
            };
            self.open.push(what);
        }
        Ok(())
    }

    /// The same with another last wait: just before a time range, and in its middle.
    fn vary(
        &self,
        network: &Network,
        process: usize,
        edges: &[usize],
        acts: &[What],
        phase: Option<i64>,
        found: &mut Vec<Sequence>,
    ) {
        let Some((What::Wait(last), before)) = acts.split_last() else { return };
        let mut times = BTreeSet::new();
        for range in ranges(network, process) {
            if edges.contains(&range.edge) && range.high == *last {
                times.extend([range.low - 1, (range.low + range.high) / 2]);
            }
        }
        if phase.is_some() {
            times.insert(last / 2);
        }
        for time in times.into_iter().filter(|time| *time > 0 && time != last) {
            let mut acts = before.to_vec();
            acts.push(What::Wait(time));
            found.push(Sequence { process, acts });
        }
    }

    fn drawn(&self, count: usize) -> Vec<Sequence> {
        let network = self.interface.network;
        let mut random = Random::for_part(self.wanted.seed, "timed tests");
        let fits = |process: &usize| {
            let alphabet = self.alphabet(&self.cone(*process));
            alphabet.iter().any(|what| matches!(what, What::Send(_)))
        };
        let processes: Vec<usize> = (0..network.processes.len()).filter(fits).collect();
        let mut found = Vec::new();
        for _ in 0..count {
            let process = *random.pick(&processes);
            let cone = self.cone(process);
            let alphabet = self.alphabet(&cone);
            let arena_free = restricted(network, &cone);
            let mut acts = Vec::new();
            if let Some(phase) = own_period(&arena_free, &cone) {
                acts.push(What::Phase(phase));
            }
            let length = 1 + random.below(self.wanted.length.max(1));
            for _ in 0..length {
                acts.push(match *random.pick(&alphabet) {
                    // Waits anywhere up to what clocks care about.
                    What::Wait(most) => What::Wait(1 + random.below(most as usize) as i64),
                    other => other,
                });
            }
            found.push(Sequence { process, acts });
        }
        found
    }

    /// A test: what most runs show behind the inputs, and where most of these end.
    fn test(&self, sequence: &Sequence) -> Computed<TimedTest> {
        let cone = self.cone(sequence.process);
        let network = restricted(self.interface.network, &cone);
        let written = self.influence.written(&cone);
        let seen: Vec<usize> =
            self.observed.iter().copied().filter(|cell| written.contains(cell)).collect();
        let tested = TestedNetwork::new(&network, &sequence.acts);
        let mut runner = Runner::new(&tested);
        let mut counts: BTreeMap<(Vec<Vec<i64>>, u32), u64> = BTreeMap::new();
        for run in 0..RUNS {
            let (mut values, mut end) = (Vec::new(), 0);
            runner.run((self.wanted.seed, run), |_, locations, cells| {
                values.push(seen.iter().map(|cell| cells[*cell]).collect());
                end = locations[sequence.process];
                true
            })?;
            *counts.entry((values, end)).or_default() += 1;
        }
        let most = counts.iter().max_by_key(|(key, count)| (**count, std::cmp::Reverse(*key)));
        let ((values, end), _) = most.expect("there are runs");
        let act = |(what, values): (&What, &Vec<i64>)| {
            let out = seen.iter().copied().zip(values.iter().copied());
            let out = if matches!(what, What::Phase(_)) { Vec::new() } else { out.collect() };
            self.interface.step(&Act { what: *what, out })
        };
        let steps = sequence.acts.iter().zip(values).map(act).collect();
        let name = network.processes[sequence.process].name.clone();
        let target = Some(self.interface.location_name(sequence.process, *end as usize));
        Ok(TimedTest { name, target, steps, ..TimedTest::default() })
    }
}

/// Where a process is behind inputs in most runs: what is possible may hardly ever happen.
fn usual_location(network: &Network, process: usize, acts: &[What], seed: u64) -> Computed<usize> {
    const LOOKS: u64 = 31;
    let tested = TestedNetwork::new(network, acts);
    let mut runner = Runner::new(&tested);
    let mut counts: BTreeMap<usize, u64> = BTreeMap::new();
    for run in 0..LOOKS {
        let mut at = network.processes[process].initial;
        runner.run((seed, run), |_, locations, _| {
            at = locations[process] as usize;
            true
        })?;
        *counts.entry(at).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    Ok(most.map_or(network.processes[process].initial, |(at, _)| at))
}

/// The edges of a process that an input can make it take, if it is at this location.
fn taken_from(
    follower: &mut ZoneFollower<'_>,
    sets: &[Set],
    (process, location): (usize, usize),
    what: What,
) -> Computed<BTreeSet<usize>> {
    let there = |set: &&Set| follower.location(set, process) == location;
    let there: Vec<Set> = sets.iter().filter(there).cloned().collect();
    follower.taken = Some(BTreeSet::new());
    follower.input(&there, what)?;
    let taken = follower.taken.take().unwrap_or_default();
    Ok(reached(follower, process, true, &taken, &[]))
}

/// Whether an edge with a time range had all the time of it.
fn waits_for(timed: &BTreeMap<usize, i64>, edge: usize, what: What) -> bool {
    timed.get(&edge).is_none_or(|high| matches!(what, What::Wait(time) if time >= *high))
}

/// What an input came to, of what is wanted of a process.
fn reached(
    follower: &ZoneFollower<'_>,
    process: usize,
    edges: bool,
    taken: &BTreeSet<Part>,
    behind: &[Set],
) -> BTreeSet<usize> {
    if edges {
        let own = taken.iter().filter(|part| part.process as usize == process);
        return own.map(|part| part.edge as usize).collect();
    }
    behind.iter().map(|set| follower.location(set, process)).collect()
}

/// The period of a network that moves without being asked: tests begin anywhere in it.
fn phase(
    network: &Network,
    cone: &BTreeSet<usize>,
    follower: &mut ZoneFollower<'_>,
) -> Computed<Option<i64>> {
    let Some(longest) = own_period(network, cone) else { return Ok(None) };
    let first = follower.begin()?;
    follower.taken = Some(BTreeSet::new());
    follower.input(&first, What::Wait(longest))?;
    let moves = follower.taken.take().is_some_and(|taken| !taken.is_empty());
    Ok(moves.then_some(longest))
}

/// Adds sequences from a pool, each time the one that differs most from all there are.
fn add_farthest(
    found: &mut Vec<Sequence>,
    mut pool: Vec<Sequence>,
    count: usize,
    stop: &dyn Fn(usize) -> bool,
) {
    let mut distances: Vec<f64> = pool
        .iter()
        .map(|a| found.iter().map(|b| distance(a, b)).fold(f64::INFINITY, f64::min))
        .collect();
    for _ in 0..count {
        if stop(found.len()) {
            return;
        }
        let far = |(a, b): (&usize, &usize)| distances[*a].total_cmp(&distances[*b]).then(b.cmp(a));
        let all: Vec<usize> = (0..pool.len()).collect();
        let Some(best) = all.iter().max_by(|a, b| far((a, b))).copied() else { return };
        let chosen = pool.swap_remove(best);
        distances.swap_remove(best);
        for (known, other) in distances.iter_mut().zip(&pool) {
            *known = known.min(distance(&chosen, other));
        }
        found.push(chosen);
    }
}

/// How many inputs have to be changed, added or left out, relative to the longer sequence.
fn distance(a: &Sequence, b: &Sequence) -> f64 {
    let same = |x: &What, y: &What| match (x, y) {
        // Waits differ as much as their lengths do.
        (What::Wait(x), What::Wait(y)) => (x - y).abs() as f64 / (*x).max(*y).max(1) as f64,
        _ => f64::from(u8::from(x != y)),
    };
    let mut row: Vec<f64> = (0..=b.acts.len()).map(|at| at as f64).collect();
    for (i, x) in a.acts.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = (i + 1) as f64;
        for (j, y) in b.acts.iter().enumerate() {
            let replaced = diagonal + same(x, y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1.0).min(diagonal + 1.0);
        }
    }
    row[b.acts.len()] / a.acts.len().max(b.acts.len()).max(1) as f64
}
