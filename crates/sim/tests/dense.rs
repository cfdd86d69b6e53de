//! The dense evaluator and the replay of differences against what is slower and plainer.

use std::sync::Arc;

use provoke_base::Random;
use provoke_model::{Assumption, ExprKind, System, Type, Value};
use provoke_sim::{Breach, CompactValue, Dense, Divergence, Force, NodeId, Replay};
use provoke_sim::{RuntimeError, Simulator};
use provoke_testkit::random_system::{self, Shape};

const SHAPE: Shape = Shape { hazards: true, machines: true, depth: 4, ..Shape::MIXED };

fn mixed(seed: u64) -> (Random, System) {
    let mut random = Random::new(seed);
    let mut system = random_system::system(&mut random, SHAPE);
    let boolean = system.exprs.entries().find(|(_, expr)| expr.ty == Type::Bool);
    if let Some((expr, _)) = boolean {
        system.assumptions.push(Assumption { expr, span: Default::default() });
    }
    (random, system)
}

/// Inputs of which one in `whole` is left open.
fn inputs(random: &mut Random, system: &System, whole: usize) -> Vec<Value> {
    let mut inputs = random_system::inputs(random, system);
    inputs.iter_mut().filter(|_| random.chance(1, whole)).for_each(|v| *v = Value::Unknown);
    inputs
}

/// What a step shows: breaches or the error, and every variable.
type Shown = (Result<Vec<Breach>, RuntimeError>, Vec<Value>);

fn reference_step(simulator: &mut Simulator<'_>, inputs: &[Value]) -> Shown {
    let result = simulator.step(inputs);
    (result, simulator.values().iter().cloned().collect())
}

fn dense_step(dense: &mut Dense, system: &System, inputs: &[Value]) -> Shown {
    let result = dense.step(inputs);
    (result, system.vars.ids().map(|var| dense.var(var).to_value()).collect())
}

#[test]
fn every_variable_state_breach_and_error_is_the_reference_s() {
    let (mut errors, mut steps) = (0, 0);
    for seed in 0..600 {
        let (mut random, system) = mixed(seed);
        let mut simulator = Simulator::new(&system);
        let mut dense = Dense::new(&system);
        for _ in 0..12 {
            let inputs = inputs(&mut random, &system, 8);
            let expected = reference_step(&mut simulator, &inputs);
            let found = dense_step(&mut dense, &system, &inputs);
            assert_eq!(found.0, expected.0, "seed {seed}");
            if expected.0.is_err() {
                errors += 1;
                break;
            }
            assert_eq!(found.1, expected.1, "seed {seed}");
            assert_eq!(dense.state(), *simulator.state(), "seed {seed}");
            steps += 1;
        }
    }
    assert!(errors > 50 && steps > 2000, "{errors} errors, {steps} steps");
}

#[test]
fn a_restored_state_continues_as_it_did() {
    let mut random = Random::new(4);
    let system = random_system::system(&mut random, Shape::MIXED);
    let mut dense = Dense::new(&system);
    dense.step(&random_system::inputs(&mut random, &system)).unwrap();
    let saved = dense.state();
    let inputs = random_system::inputs(&mut random, &system);
    let first = dense_step(&mut dense, &system, &inputs);
    dense.reset();
    dense.restore(&saved);
    assert_eq!(dense_step(&mut dense, &system, &inputs), first);
}

/// A Boolean expression of the system held at the opposite of `value`.
fn flipped(dense: &Dense, node: NodeId) -> Option<Force> {
    let value = dense.cell(node).as_bool()?;
    Some(Force { node, value: CompactValue::Bool(!value) })
}

/// Follows a flip at step `at` with whole steps.
fn by_whole_steps(system: &System, test: &[Vec<Value>], at: usize, node: NodeId) -> Vec<String> {
    let mut original = Dense::new(system);
    let mut changed = Dense::new(system);
    let mut shown = Vec::new();
    for (step, inputs) in test.iter().enumerate() {
        if original.step(inputs).is_err() {
            break;
        }
        let force = (step == at).then(|| flipped(&original, node)).flatten();
        if step == at && force.is_none() {
            break;
        }
        if changed.step_forced(inputs, force.as_ref()).is_err() {
            shown.push("ended".into());
            break;
        }
        let visible = |var: &_| original.var(*var).certainly_differs(changed.var(*var));
        if system.outputs.iter().any(visible) {
            shown.push("visible".into());
            break;
        }
        if step >= at {
            shown.push(format!("hidden {}", original.memory() == changed.memory()));
        }
    }
    shown
}

/// Follows a flip at step `at` by replaying differences.
fn by_replay(system: &System, test: &[Vec<Value>], at: usize, node: NodeId) -> Vec<String> {
    let mut original = Dense::new(system);
    let program = Arc::clone(original.program());
    let watched: Vec<NodeId> = system.outputs.iter().map(|var| program.definition(*var)).collect();
    let mut replay = Replay::new(program, &watched);
    let mut divergence = Divergence::default();
    let mut shown = Vec::new();
    for (step, inputs) in test.iter().enumerate() {
        if original.step(inputs).is_err() {
            break;
        }
        if step < at {
            continue;
        }
        let force = (step == at).then(|| flipped(&original, node)).flatten();
        if step == at && force.is_none() {
            break;
        }
        match replay.step(&original, &divergence, force.as_ref()) {
            None => shown.push("ended".into()),
            Some(changed) if changed.seen.is_some() => shown.push("visible".into()),
            Some(changed) => {
                divergence = changed.divergence;
                shown.push(format!("hidden {}", divergence.is_empty()));
                continue;
            }
        }
        break;
    }
    shown
}

#[test]
fn replaying_a_difference_shows_what_whole_steps_show() {
    let mut seen = std::collections::BTreeMap::<String, usize>::new();
    for seed in 0..250 {
        let (mut random, system) = mixed(seed);
        let test: Vec<_> = (0..6).map(|_| inputs(&mut random, &system, 12)).collect();
        let program = provoke_sim::SimProgram::new(&system);
        for (expr, _) in system.exprs.entries().filter(|(_, e)| e.ty == Type::Bool) {
            let at = random.below(3);
            let node = program.node_of(expr);
            let expected = by_whole_steps(&system, &test, at, node);
            assert_eq!(by_replay(&system, &test, at, node), expected, "seed {seed} {expr:?}");
            expected.into_iter().for_each(|kind| *seen.entry(kind).or_default() += 1);
        }
    }
    for kind in ["ended", "visible", "hidden true", "hidden false"] {
        assert!(seen.get(kind).is_some_and(|count| *count > 20), "{seen:?}");
    }
}

#[test]
fn shared_expressions_are_computed_once() {
    let mut system =
        random_system::system(&mut Random::new(1), Shape { defined: 1, ..Shape::BOOLEAN });
    let mut shared = system.equations[0].expr;
    for _ in 0..60 {
        shared = system.add_expr(
            ExprKind::Binary(provoke_model::BinaryOp::Xor, shared, shared),
            Type::Bool,
            Default::default(),
        );
    }
    system.equations[0].expr = shared;
    let mut dense = Dense::new(&system);
    dense.step(&[true.into(), true.into()]).unwrap();
    assert_eq!(*dense.var(system.equations[0].var), CompactValue::Bool(false));
}
