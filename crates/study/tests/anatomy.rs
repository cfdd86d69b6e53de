//! What models are made of.

use provoke_base::SourceFile;
use provoke_study::{Anatomy, ModelForm};

fn anatomy(file: &SourceFile) -> Anatomy {
    let system = provoke_lustre::load(file, None).system.expect("a model without errors");
    Anatomy::of(&file.name, ModelForm::Given, &system)
}

#[test]
fn connectives_relations_and_ifs_count_where_there_are_any() {
    let text = "node n(a, b: bool; x: int) returns (y, z: bool; u: int);\n\
        let y = a and not b; z = if a then x + 1 < 2 else pre b; u = x + 1; tel";
    let found = anatomy(&SourceFile::new("n", text));
    assert_eq!((found.inputs, found.locals, found.outputs, found.complexity), (3, 0, 3, 2.0));
}

/// Seed 004, table 6.
#[test]
fn published_numbers_come_out() {
    let Some(folder) = provoke_testkit::shared("models/lustre/single_node") else { return };
    let published = [
        ("6counter", 1, 4, 1, 3.5),
        ("Gas", 2, 8, 1, 22.0 / 9.0),
        ("HysteresisAll", 2, 5, 1, 5.4),
        ("TwistedCounters", 1, 4, 1, 5.0),
        ("TwoCounters", 1, 3, 1, 2.0),
        ("ex3", 2, 5, 1, 3.6),
        ("Traffic", 1, 3, 1, 17.0 / 3.0),
        ("DragonAll", 13, 22, 1, 409.0 / 21.0),
    ];
    for (name, inputs, locals, outputs, complexity) in published {
        let bytes = std::fs::read(folder.join(format!("{name}.lus"))).expect("a readable model");
        let found = anatomy(&SourceFile::from_bytes(name, bytes));
        assert_eq!(
            (found.inputs, found.locals, found.outputs),
            (inputs, locals, outputs),
            "{name}"
        );
        assert!((found.complexity - complexity).abs() < 1e-9, "{name}: {}", found.complexity);
    }
}
