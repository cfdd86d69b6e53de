//! What wide decisions cost: about as much as they are wide.

mod common;

use provoke_base::rounds::NoLedger;
use provoke_criteria::{Counting, Criterion, obligations};
use provoke_model::System;
use provoke_testgen::{GenerationMethod, GenerationResult, ObligationVerdict, generate};
use provoke_testkit::wide::Shape;

fn wide(shape: Shape, size: usize) -> System {
    let file = provoke_base::SourceFile::new("wide.lus", shape.model(size));
    provoke_lustre::load(&file, None).system.expect("a correct model")
}

/// Generates tests for MC/DC, and tells how many obligations are decided, of how many, and the
/// seconds it took.
fn generated(shape: Shape, size: usize, method: GenerationMethod) -> (usize, usize, f64) {
    generated_for("mcdc", shape, size, method)
}

fn generated_for(
    criterion: &str,
    shape: Shape,
    size: usize,
    method: GenerationMethod,
) -> (usize, usize, f64) {
    let system = wide(shape, size);
    let wanted = obligations(&system, Criterion::named(criterion).unwrap(), Counting::Published);
    let backend = common::backend();
    let mut options = common::options(method, 1);
    options.simulated_steps = 2_000;
    let before = provoke_testkit::on_processor().unwrap_or(0.0);
    let GenerationResult { outcomes, .. } = generate(
        &system,
        &wanted,
        &options,
        backend.as_ref().filter(|_| method != GenerationMethod::Random),
        &NoLedger,
        &|| false,
        &mut |_| {},
    );
    let seconds = provoke_testkit::on_processor().unwrap_or(0.0) - before;
    let open = |outcome: &&ObligationVerdict| matches!(outcome, ObligationVerdict::Unknown { .. });
    (wanted.len() - outcomes.iter().filter(open).count(), wanted.len(), seconds)
}

#[test]
fn simulation_aims_at_each_condition_of_a_wide_decision() {
    for shape in [Shape::And, Shape::Or, Shape::Mixed, Shape::Inputs] {
        let (decided, all, _) = generated(shape, 1_500, GenerationMethod::Random);
        assert!(decided * 10 >= all * 9, "{shape:?}: {decided} of {all}");
    }
}

#[test]
fn twice_the_width_takes_about_twice_the_time() {
    let (_, _, narrow) = generated(Shape::And, 1_500, GenerationMethod::Random);
    let (_, _, wide) = generated(Shape::And, 3_000, GenerationMethod::Random);
    // Each of twice as many tests runs through a model that is twice as large.
    assert!(wide <= 5.2 * narrow, "{narrow} s, then {wide} s");
}

#[test]
fn what_no_input_can_do_to_a_wide_decision_is_proven_for_all_conditions_together() {
    if common::backend().is_none() {
        return;
    }
    for criterion in ["mcdc", "omcdc"] {
        let (decided, all, seconds) =
            generated_for(criterion, Shape::Thresholds, 1_500, GenerationMethod::Hybrid);
        assert_eq!((decided, all), (3_000, 3_000), "{criterion}");
        // One question for each takes minutes.
        assert!(seconds < 40.0, "{criterion}: {seconds} s");
    }
}

#[test]
fn numbers_that_double_their_length_in_each_step_cost_as_much_as_they_are_long() {
    let text = "node n(x: int) returns (y: bool); var a: int; let
        a = 1 + ((-1) -> pre a) * (3 -> pre a);
        y = a * a >= 0;
    tel";
    let file = provoke_base::SourceFile::new("squares.lus", text);
    let system = provoke_lustre::load(&file, None).system.expect("a correct model");
    let wanted = obligations(&system, Criterion::named("condition").unwrap(), Counting::Published);
    let mut options = common::options(GenerationMethod::Random, 1);
    options.simulated_steps = 200_000;
    let before = provoke_testkit::on_processor().unwrap_or(0.0);
    generate(&system, &wanted, &options, None, &NoLedger, &|| false, &mut |_| {});
    let seconds = provoke_testkit::on_processor().unwrap_or(0.0) - before;
    // If every step counts the same, it takes minutes.
    assert!(seconds < 25.0, "{seconds} s");
}
