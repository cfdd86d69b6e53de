//! What a value rests on, against evaluation with everything else unknown.

use provoke_base::Random;
use provoke_model::Value;
use provoke_solve::engine::{Evaluator, whole};
use provoke_solve::{Encoder, Sort, TermId, Terms};
use provoke_testkit::random_system::{Shape, inputs, system, value};

#[test]
fn a_value_holds_whatever_it_does_not_rest_on() {
    let (mut known, mut left_out) = (0, 0);
    for seed in 0..200 {
        let mut random = Random::new(seed);
        let shape = if seed % 2 == 0 { Shape::BOOLEAN } else { Shape::MIXED };
        let system = system(&mut random, shape);
        let mut terms = Terms::new();
        let mut encoder = Encoder::new(&system, &mut terms);
        let steps = whole(&mut encoder, &mut terms);
        let symbols = system.inputs.iter().map(|var| encoder.input(&mut terms, *var));
        let symbols: Vec<TermId> = symbols.collect();
        // As a solver has it: enumerations are integers.
        let number = |value: Value| match value {
            Value::Enum(ordinal) => Value::Int(i64::from(ordinal).into()),
            other => other,
        };
        let drawn = inputs(&mut random, &system).into_iter().map(number);
        let row: Vec<(TermId, Value)> = symbols.into_iter().zip(drawn).collect();
        let mut state = Vec::new();
        for var in &steps.state {
            state.push(match terms.sort(var.symbol) {
                Sort::Bool => Value::Bool(random.chance(1, 2)),
                Sort::Int => value(&mut random, provoke_model::Type::Int),
                Sort::Real => value(&mut random, provoke_model::Type::Real),
            });
        }
        let mut evaluator = Evaluator::new(&terms, &steps, &[]);
        let after = evaluator.step(&state, &row);
        for (var, expected) in steps.state.iter().zip(&after) {
            if !expected.is_known() {
                continue;
            }
            evaluator.step(&state, &row);
            let support = evaluator.support(&[var.next]);
            let kept_state: Vec<Value> = steps
                .state
                .iter()
                .zip(&state)
                .map(|(var, value)| match support.contains(&var.symbol) {
                    true => value.clone(),
                    false => Value::Unknown,
                })
                .collect();
            let kept_row: Vec<_> =
                row.iter().filter(|(symbol, _)| support.contains(symbol)).cloned().collect();
            evaluator.step(&kept_state, &kept_row);
            assert_eq!(evaluator.value(var.next), expected, "seed {seed}");
            known += 1;
            left_out += row.len() - kept_row.len();
        }
    }
    assert!(known > 300 && left_out > known, "{known} known, {left_out} left out");
}
