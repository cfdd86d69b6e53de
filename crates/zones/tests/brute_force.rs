//! Zones against brute force: every answer, on random networks.

mod support;

use provoke_base::Random;
use provoke_uppaal::Network;
use provoke_uppaal::network::{ExtremeOperand, Query, Question};
use provoke_uppaal::reference::Reference;
use provoke_zones::verify::Bound;
use provoke_zones::{Order, SearchEffort, verify};
use support::random::LARGEST;
use support::regions::{Regions, regions};

fn effort(order: Order, jobs: usize) -> SearchEffort<'static> {
    SearchEffort { order, jobs, bytes: 1 << 30, stop: &|_| None }
}

/// What the region graph says; none for extremes, which have no truth value.
fn expected(network: &Network, graph: &Regions, question: &Question) -> Option<bool> {
    let all = |condition| graph.satisfying(network, condition);
    Some(match question {
        Question::Possibly(p) => all(p).contains(&true),
        Question::Always(not_p) => !all(not_p).contains(&true),
        Question::PotentiallyAlways(p, _) => graph.can_stay(0, &all(p)),
        Question::Eventually(_, not_p) => !graph.can_stay(0, &all(not_p)),
        Question::LeadsTo(p, _, not_q) => {
            let (p, not_q) = (all(p), all(not_q));
            !(0..p.len()).any(|at| p[at] && graph.can_stay(at, &not_q))
        }
        _ => return None,
    })
}

fn check(network: &Network, graph: &Regions, query: &Query, order: Order, text: &str) {
    let question = query.question.as_ref().unwrap_or_else(|why| panic!("{why}\n{text}"));
    let answer = verify(network, question, effort(order, 1 + graph.states.len() % 3));
    let shown = || format!("{}: {answer:?}\n{text}", query.text);
    if let Question::Extreme(extreme) = question {
        let of: Vec<Bound> = extreme
            .of
            .iter()
            .map(|m| bound(network, graph, extreme.sup, m, &extreme.condition))
            .collect();
        assert_eq!(answer.extremes, of, "{}", shown());
        return;
    }
    assert_eq!(answer.holds, expected(network, graph, question), "{}", shown());
    let goal = match question {
        Question::Possibly(p) | Question::Always(p) => p,
        _ => return,
    };
    if answer.holds == Some(matches!(question, Question::Possibly(_))) {
        let trace = answer.trace.as_ref().unwrap_or_else(|| panic!("no trace: {}", shown()));
        if !provoke_zones::obstacle::asks_for_deadlock(goal) {
            let mut reference = Reference::new(network, trace.scale);
            assert!(reference.holds(&trace.last, goal).unwrap(), "{}", shown());
        }
    }
}

/// The extreme among regions: exact up to the largest constant.
fn bound(
    network: &Network,
    graph: &Regions,
    sup: bool,
    measured: &ExtremeOperand,
    condition: &provoke_uppaal::network::Condition,
) -> Bound {
    let holds = graph.satisfying(network, condition);
    let states = graph.states.iter().zip(holds).filter(|(_, holds)| *holds).map(|(s, _)| s);
    let clock = network.clocks.iter().position(|clock| clock.name == "x").unwrap();
    let values: Vec<i64> = match measured {
        ExtremeOperand::Int(_) => states.map(|state| state.cells[0] * graph.scale).collect(),
        ExtremeOperand::Clock(_) => states.map(|state| state.clocks[clock]).collect(),
    };
    let chosen = if sup { values.iter().max() } else { values.iter().min() };
    let Some(&value) = chosen else { return Bound::None };
    let whole = value / graph.scale;
    match value % graph.scale {
        0 => Bound::Reached(whole),
        _ if sup => Bound::Approached(whole + 1),
        _ => Bound::Approached(whole),
    }
}

/// Extremes beyond the constants are not in the region graph.
fn within(graph: &Regions) -> bool {
    graph.states.iter().flat_map(|state| &state.clocks).all(|c| *c <= LARGEST * graph.scale)
}

#[test]
fn answers_equal_those_of_the_region_graph() {
    let cases = std::env::var("PROVOKE_CASES").ok().and_then(|text| text.parse().ok());
    let mut random = Random::new(7);
    let (mut compared, mut verdicts) = (0, [0, 0]);
    for case in 0..cases.unwrap_or(2000) {
        let file = support::random::network(&mut random, 8);
        let network = support::load(&file);
        let Some(graph) = regions(&network, LARGEST, 3000) else { continue };
        let order = [Order::Breadth, Order::Depth, Order::Random(3)][case % 3];
        for query in &network.queries {
            let is_extreme = matches!(&query.question, Ok(Question::Extreme(_)));
            if is_extreme && !within(&graph) {
                continue;
            }
            check(&network, &graph, query, order, &file.text);
            compared += 1;
            if let Some(verdict) = expected(&network, &graph, query.question.as_ref().unwrap()) {
                verdicts[usize::from(verdict)] += 1;
            }
        }
    }
    // Both answers are common, and few networks are too large.
    assert!(compared > cases.unwrap_or(2000) * 5, "{compared}");
    assert!(verdicts.iter().all(|count| *count > compared / 5), "{verdicts:?}");
}
