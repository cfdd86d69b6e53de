//! Printing, inlining and splitting keep what a system does.

use provoke_base::{Random, SourceFile, Span};
use provoke_lustre::{load, print, transform};
use provoke_model::{System, Value, VarId};
use provoke_sim::run;
use provoke_testkit::random_system::{Shape, inputs, system};
use provoke_testkit::{files, repository, shared};

const SYSTEMS: u64 = 400;

fn reread(system: &System) -> System {
    let text = print::print(system).expect("not too long");
    let file = SourceFile::new("printed.lus", text);
    let loaded = load(&file, None);
    loaded.system.unwrap_or_else(|| {
        let first = loaded.diagnostics.iter().find(|d| d.is_error());
        panic!("{}", first.expect("an error").render(&file, false))
    })
}

/// Places differ between a system and its text read back; nothing else may.
fn without_places(mut system: System) -> System {
    system.vars.iter_mut().for_each(|var| var.span = Span::default());
    system.exprs.iter_mut().for_each(|expr| expr.span = Span::default());
    system.instances.iter_mut().for_each(|instance| instance.span = Span::default());
    system.assumptions.iter_mut().for_each(|assumption| assumption.span = Span::default());
    system.properties.iter_mut().for_each(|property| property.span = Span::default());
    system
}

fn input_rows(random: &mut Random, system: &System, steps: usize) -> Vec<Vec<Value>> {
    (0..steps).map(|_| inputs(random, system)).collect()
}

/// The values of the variables that both systems have, by name.
fn assert_equal_behaviour(a: &System, b: &System, rows: &[Vec<Value>]) {
    let (run_a, run_b) =
        (run(a, rows.iter().map(Vec::as_slice)), run(b, rows.iter().map(Vec::as_slice)));
    assert_eq!(run_a.error.map(|e| (e.step, e.fault)), run_b.error.map(|e| (e.step, e.fault)));
    let plain = print::with_plain_names(a);
    let common: Vec<(VarId, VarId)> = plain
        .vars
        .entries()
        .filter_map(|(id, var)| {
            let other = b.var_named(&var.name).or_else(|| b.var_named(&a.vars[id].name))?;
            Some((id, other))
        })
        .collect();
    assert!(common.len() >= a.inputs.len() + a.outputs.len());
    for (step, (values_a, values_b)) in run_a.trace.steps.iter().zip(&run_b.trace.steps).enumerate()
    {
        for &(in_a, in_b) in &common {
            let name = &a.vars[in_a].name;
            assert_eq!(values_a[in_a], values_b[in_b], "{name} at step {}", step + 1);
        }
    }
}

#[test]
fn printing_and_reading_gives_an_equal_system() {
    for seed in 0..SYSTEMS {
        let shape = Shape { hazards: seed % 2 == 0, machines: seed % 3 != 0, ..Shape::MIXED };
        let original = system(&mut Random::new(seed), shape);
        let once = reread(&original);
        let twice = reread(&once);
        let text = print::print(&original);
        assert_eq!(text, print::print(&once), "seed {seed}");
        assert_eq!(without_places(once), without_places(twice), "seed {seed}");
    }
}

#[test]
fn printed_inlined_and_split_systems_behave_alike() {
    for seed in 0..SYSTEMS {
        let mut random = Random::new(seed);
        let shape = Shape { hazards: seed % 2 == 0, machines: seed % 3 != 0, ..Shape::MIXED };
        let original = system(&mut random, shape);
        let rows = input_rows(&mut random, &original, 12);
        assert_equal_behaviour(&original, &reread(&original), &rows);
        let split = transform::split(&original);
        assert_equal_behaviour(&original, &split, &rows);
        assert_equal_behaviour(&original, &reread(&split), &rows);
        if !shape.hazards {
            // Inlining drops variables that nothing needs, and with them their divisions.
            let inlined = transform::inline(&original);
            assert_equal_behaviour(&original, &inlined, &rows);
            assert_equal_behaviour(&original, &reread(&inlined), &rows);
        }
    }
}

#[test]
fn split_systems_have_one_operator_in_each_equation() {
    let file = SourceFile::new(
        "m.lus",
        "node m(a, b, c: bool; x: int) returns (y: bool);
         let y = (a or b) and (c => x + 1 > 3) -> pre y; tel",
    );
    let system = load(&file, None).system.expect("a valid model");
    let text = print::print(&transform::split(&system)).expect("short");
    let equations: Vec<&str> = text.lines().filter(|line| line.contains(" = ")).collect();
    let expected = [
        "  y~part1 = a or b;",
        "  y~part2 = x + 1;",
        "  y~part3 = y~part2 > 3;",
        "  y~part4 = c => y~part3;",
        "  y~part5 = y~part1 and y~part4;",
        "  y = y~part5 -> pre y;",
    ];
    assert_eq!(equations, expected);
}

#[test]
fn inlined_systems_keep_only_what_is_seen_or_remembered() {
    let text = std::fs::read_to_string(repository().join("models/masking_split.lus"));
    let file = SourceFile::new("m.lus", text.expect("our own model"));
    let system = load(&file, None).system.expect("a valid model");
    let inlined = transform::inline(&system);
    assert_eq!(inlined.vars.len(), inlined.inputs.len() + inlined.outputs.len());
}

#[test]
fn models_keep_their_behaviour_in_every_shape() {
    let mut models = files(&repository().join("models"), "lus");
    models.extend(files(&repository().join("testdata/ok"), "lus"));
    if let Some(root) = shared("models/lustre") {
        models.extend(files(&root.join("multi_node"), "lus"));
    }
    for path in models {
        let file = SourceFile::from_bytes("m.lus", std::fs::read(&path).expect("readable"));
        let system = load(&file, None).system.expect("a valid model");
        let mut random = Random::new(1);
        let rows = input_rows(&mut random, &system, 20);
        assert_equal_behaviour(&system, &reread(&system), &rows);
        assert_equal_behaviour(&system, &transform::split(&system), &rows);
        let inlined = transform::inline(&system);
        assert_equal_behaviour(&system, &inlined, &rows);
        if print::print(&inlined).is_ok() {
            assert_equal_behaviour(&system, &reread(&inlined), &rows);
        }
    }
}
