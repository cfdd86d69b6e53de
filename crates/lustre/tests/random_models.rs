//! The random models that campaigns run on are models, and stay models when they are made smaller.

use provoke_base::{Random, SourceFile};
use provoke_lustre::load;
use provoke_testkit::random_model::Model;
use provoke_testkit::random_model::make::{Family, model};
use provoke_testkit::random_model::shrink::{smaller, smallest};

fn is_accepted(model: &Model) -> bool {
    load(&SourceFile::new("random.lus", model.to_string()), None).system.is_some()
}

fn accept(model: &Model) {
    let file = SourceFile::new("random.lus", model.to_string());
    let loaded = load(&file, None);
    let why = loaded.diagnostics.first().map(|found| found.render(&file, false));
    assert!(loaded.system.is_some(), "{}\n{model}", why.unwrap_or_default());
}

fn drawn(seed: u64) -> Model {
    let family = if seed.is_multiple_of(2) { Family::Enumerable } else { Family::Wild };
    model(&mut Random::for_part(seed, "random models"), family)
}

#[test]
fn random_models_are_accepted_and_use_the_whole_language() {
    let models: Vec<Model> = (0..400).map(drawn).collect();
    models.iter().for_each(accept);
    for word in [
        "condact",
        "helper1(",
        "[",
        ".flag",
        ":= ",
        "Colour",
        "real(",
        "floor(",
        "subrange",
        " div ",
        " mod ",
        "assert true ->",
        "(pre ",
        "--%PROPERTY",
        "65536",
    ] {
        let count = models.iter().filter(|model| model.says(word)).count();
        assert!(count >= 3, "{word} occurs in {count} models");
    }
    assert_eq!(drawn(7), drawn(7));
}

#[test]
fn smaller_models_are_models_and_the_smallest_keeps_what_it_shows() {
    // Some divide by a plain zero.
    let all: Vec<Model> = (0..12).flat_map(|seed| smaller(&drawn(seed))).step_by(5).collect();
    let accepted = all.iter().filter(|model| is_accepted(model)).count();
    assert!(accepted * 10 > all.len() * 9, "{accepted} of {}", all.len());
    let shows = |model: &Model| model.main().to_string().contains("condact");
    let model = (0..400).map(drawn).find(shows).expect("a model with a clock");
    let small = smallest(&model, 2_000, &mut |candidate| shows(candidate));
    accept(&small);
    assert!(shows(&small) && small.to_string().len() < 400, "{small}");
    assert_eq!(small.main().equations.len(), 1, "{small}");
}
