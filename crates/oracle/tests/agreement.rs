//! Computed and counted probabilities agree on random small networks.

use std::fmt::Write;

use provoke_base::{Random, SourceFile};
use provoke_oracle::probability::{ChanceEffort, count, exact_probability};
use provoke_oracle::{Act, Interface, What};
use provoke_stats::clopper_pearson;
use provoke_uppaal::Network;

/// One or two automata that answer events after a while, and sometimes tell each other.
fn network(random: &mut Random, hasty: bool) -> Network {
    let mut templates = String::new();
    let processes = 1 + random.below(2);
    for process in 0..processes {
        let count = 2 + random.below(3);
        let _ = write!(
            templates,
            "<template><name>P{process}</name><declaration>clock x;</declaration>"
        );
        let mut bounds = Vec::new();
        for location in 0..count {
            // Some locations are left by themselves, others wait for an event.
            let last = random.chance(2, 3).then(|| 2 + random.below(9) as i64);
            bounds.push(last);
            let invariant = last.map_or(String::new(), |last| {
                format!("<label kind=\"invariant\">x &lt;= {last}</label>")
            });
            // Some of those that are left by themselves allow no time to pass.
            let hasty = match (last, hasty && location > 0 && random.chance(1, 3)) {
                (Some(_), true) => *random.pick(&["<urgent/>", "<committed/>"]),
                _ => "",
            };
            let _ = write!(
                templates,
                "<location id=\"p{process}l{location}\"><name>L{location}</name>{invariant}{hasty}</location>"
            );
        }
        let _ = write!(templates, "<init ref=\"p{process}l0\"/>");
        for (location, last) in bounds.iter().enumerate() {
            let target = random.below(count);
            let (guard, sync) = match last {
                Some(last) => {
                    let first = if hasty { 0 } else { random.below(*last as usize + 1) };
                    let tells = process == 0 && processes > 1 && random.chance(1, 2);
                    (format!("x &gt;= {first}"), if tells { "tell!" } else { "" })
                }
                None => (String::new(), *random.pick(&["a?", "b?", "a?"])),
            };
            edge(&mut templates, (process, location), target, &guard, sync, random.below(4) as i64);
            // A second way: by an event, perhaps from the other process.
            if random.chance(1, 2) {
                let sync = if process == 1 { "tell?" } else { "b?" };
                let target = random.below(count);
                let value = random.below(4) as i64;
                edge(&mut templates, (process, location), target, "", sync, value);
            }
        }
        templates += "</template>";
    }
    let names: Vec<String> = (0..processes).map(|process| format!("P{process}")).collect();
    let text = format!(
        "<nta><declaration>broadcast chan a, b, tell; int[0,9] v[2];</declaration>{templates}\
         <system>system {};</system></nta>",
        names.join(", ")
    );
    let loaded = provoke_uppaal::load(&SourceFile::new("random.xml", text.as_str()));
    loaded.network.unwrap_or_else(|| panic!("{:?}\n{text}", loaded.diagnostics))
}

fn edge(
    text: &mut String,
    (process, source): (usize, usize),
    target: usize,
    guard: &str,
    sync: &str,
    value: i64,
) {
    let label = |kind: &str, what: &str| match what {
        "" => String::new(),
        what => format!("<label kind=\"{kind}\">{what}</label>"),
    };
    let update = format!("v[{process}] = {value}, x = 0");
    let _ = write!(
        text,
        "<transition><source ref=\"p{process}l{source}\"/><target ref=\"p{process}l{target}\"/>{}{}{}</transition>",
        label("guard", guard),
        label("synchronisation", sync),
        label("assignment", &update)
    );
}

/// A test whose outputs are those of a random run.
fn acts(network: &Network, random: &mut Random, seed: u64) -> Vec<Act> {
    let interface = Interface::new(network);
    let events: Vec<u32> = interface.inputs.values().copied().collect();
    let mut whats = Vec::new();
    for _ in 0..1 + random.below(4) {
        whats.push(match !events.is_empty() && random.chance(1, 2) {
            true => What::Send(*random.pick(&events)),
            false => What::Wait(1 + random.below(12) as i64),
        });
    }
    let tested = provoke_oracle::tester::TestedNetwork::new(network, &whats);
    let mut runner = provoke_oracle::probability::Runner::new(&tested);
    let mut seen = Vec::new();
    let ran = runner.run((seed, 0), |_, _, cells| {
        seen.push(vec![(0, cells[0]), (1, cells[1])]);
        true
    });
    if ran.is_err() || seen.len() < whats.len() {
        return Vec::new();
    }
    whats.into_iter().zip(seen).map(|(what, out)| Act { what, out }).collect()
}

#[test]
fn computed_and_counted_probabilities_agree_on_200_networks() {
    agree(false);
}

#[test]
fn they_agree_beside_urgent_and_committed_locations() {
    agree(true);
}

fn agree(hasty: bool) {
    let (mut certain, mut uncertain, mut refused, mut seed) = (0, 0, 0, 0);
    while certain + uncertain < 200 {
        seed += 1;
        assert!(seed < 20_000, "only {certain} and {uncertain} can be computed");
        let mut random = Random::new(seed);
        let network = network(&mut random, hasty);
        let acts = acts(&network, &mut random, seed);
        if acts.is_empty() {
            continue;
        }
        let Ok(p) = exact_probability(&network, &acts) else {
            refused += 1;
            continue;
        };
        // At least half of them are neither impossible nor certain.
        let kind = if p > 0.0 && p < 1.0 { &mut uncertain } else { &mut certain };
        if *kind == 100 {
            continue;
        }
        *kind += 1;
        let effort = ChanceEffort { runs: 0, width: 1.0, alpha: 0.05, seed: seed ^ 77, jobs: 1 };
        let counted = count(&network, &acts, acts.len(), 0..2000, effort).expect("runs");
        // So rarely outside that among 200 none should be.
        let interval = clopper_pearson(counted.all, counted.runs, 1e-6).expect("an interval");
        // Two moments within a quantum of simulated time are the same to a run.
        let near = interval.low - 1e-4 <= p && p <= interval.high + 1e-4;
        assert!(near, "seed {seed}: {p} but {} of {}\n{acts:?}", counted.all, counted.runs);
    }
    assert!(refused > 0, "something is beyond the method");
}
