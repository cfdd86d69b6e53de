//! What wide decisions cost: about as much as they are wide.

mod common;

use provoke_criteria::{Counting, Criterion, obligations};
use provoke_model::System;
use provoke_testgen::{Generation, Method, NoMemory, Outcome, generate};
use provoke_testkit::wide::Shape;

fn wide(shape: Shape, size: usize) -> System {
    let file = provoke_base::SourceFile::new("wide.lus", shape.model(size));
    provoke_lustre::load(&file, None).system.expect("a correct model")
}

/// Generates tests for MC/DC, and tells how many obligations are decided, of how many, and the
/// seconds it took.
fn generated(shape: Shape, size: usize, method: Method) -> (usize, usize, f64) {
    let system = wide(shape, size);
    let wanted = obligations(&system, Criterion::named("mcdc").unwrap(), Counting::Published);
    let backend = common::backend();
    let mut options = common::options(method, 1);
    options.simulated_steps = 2_000;
    let before = provoke_testkit::on_processor().unwrap_or(0.0);
    let Generation { outcomes, .. } = generate(
        &system,
        &wanted,
        &options,
        backend.as_ref().filter(|_| method != Method::Random),
        &NoMemory,
        &|| false,
        &mut |_| {},
    );
    let seconds = provoke_testkit::on_processor().unwrap_or(0.0) - before;
    let open = |outcome: &&Outcome| matches!(outcome, Outcome::Unknown { .. });
    (wanted.len() - outcomes.iter().filter(open).count(), wanted.len(), seconds)
}

#[test]
fn simulation_aims_at_each_condition_of_a_wide_decision() {
    for shape in [Shape::And, Shape::Or, Shape::Mixed] {
        let (decided, all, _) = generated(shape, 1_500, Method::Random);
        assert!(decided * 10 >= all * 9, "{shape:?}: {decided} of {all}");
    }
}

#[test]
fn twice_the_width_takes_about_twice_the_time() {
    let (_, _, narrow) = generated(Shape::And, 1_500, Method::Random);
    let (_, _, wide) = generated(Shape::And, 3_000, Method::Random);
    // Each of twice as many tests runs through a model that is twice as large.
    assert!(wide <= 5.2 * narrow, "{narrow} s, then {wide} s");
}
