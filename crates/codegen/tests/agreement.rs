//! The generated C does what the interpreters do, compiled without warnings and checked by the
//! sanitizers.

mod common;

use common::{FLAT, PROVEN, SANITIZED, SMALL, WIDE, compare, folder, load, models, random_model};
use provoke_base::Random;
use provoke_testkit::random_system::{self, Shape};

#[test]
fn random_systems_compute_the_same_in_c() {
    let shape = Shape { inputs: 5, defined: 40, depth: 5, hazards: true, ..Shape::MIXED };
    let (mut exact, mut inexact) = (0, 0);
    for seed in 0..6 {
        let system = random_system::system(&mut Random::new(seed), shape);
        let options = [WIDE, SMALL, PROVEN][seed as usize % 3];
        let folder = folder(&format!("random_{seed}"));
        let tally = compare(None, &system, options, &folder, SANITIZED, (20, 30));
        inexact += tally.inexact;
        let integers = Shape { reals: false, hazards: false, ..shape };
        let system = random_system::system(&mut Random::new(seed + 100), integers);
        exact += compare(None, &system, WIDE, &folder, SANITIZED, (20, 30)).exact;
    }
    assert!(inexact > 20, "only {inexact} runs overflowed or divided by zero");
    assert!(exact > 300, "only {exact} steps were compared with exact values");
}

#[test]
fn random_models_with_nodes_and_clocks_compute_the_same_in_functions_and_in_one() {
    let (mut functions, mut models) = (0, 0);
    for seed in 0..400 {
        if functions >= 12 {
            break;
        }
        let options = if seed % 4 == 0 { FLAT } else { [WIDE, PROVEN][seed as usize / 4 % 2] };
        let found = random_model(seed, &options);
        let Some((file, system)) = found.filter(|(_, system)| system.instances.len() > 2) else {
            continue;
        };
        let folder = folder(&format!("nodes_{models}"));
        compare(Some(&file), &system, options, &folder, SANITIZED, (6, 20));
        let code = provoke_codegen::generate(&system, Some(&file), &options).unwrap();
        functions += code.source.matches("/* Node ").count();
        models += 1;
    }
    assert!(functions >= 12, "only {functions} nodes of {models} models became functions");
}

#[test]
fn machine_integers_compute_the_same_in_c() {
    let shape = Shape { inputs: 6, defined: 40, depth: 4, ..Shape::MACHINES };
    let (mut exact, mut refused) = (0, 0);
    for seed in 0..9 {
        let system = random_system::system(&mut Random::new(seed), shape);
        let options = [WIDE, PROVEN, SMALL][seed as usize % 3];
        // A constant of 32 bits without a sign may be too large for an `int` of 32.
        if provoke_codegen::generate(&system, None, &options).is_err() {
            refused += 1;
            continue;
        }
        let flags = [SANITIZED, &["-O0"], &["-O2"]][seed as usize / 3];
        let folder = folder(&format!("machine_{seed}"));
        exact += compare(None, &system, options, &folder, flags, (20, 30)).exact;
    }
    assert!(exact > 500, "only {exact} steps were compared with exact values");
    assert!(refused <= 3, "{refused} of 9 systems were refused");
}

/// The sum of two converted `uint8` was once computed as one of `uint8`: 300 became 44.
#[test]
fn what_is_converted_to_int_is_computed_as_int() {
    let text = "node converted(a, b: uint8; i, j: int8; w: uint32) \
                returns (sum, opposite, product, quotient, rest, least: int; over, above: bool);\n\
                let sum = (int a) + (int b); opposite = -(int a); product = (int i) * (int j);\n\
                quotient = (int i) div (int j); rest = (int i) mod (int j); least = -(int i);\n\
                over = (int a) + (int b) > 255; above = (int w) - (int a) < 0; tel;";
    let file = provoke_base::SourceFile::new("converted.lus", text);
    let system = provoke_lustre::load(&file, None).system.expect("a model");
    for (options, name) in [(PROVEN, "auto"), (WIDE, "64"), (SMALL, "32")] {
        let folder = folder(&format!("converted_{name}"));
        let tally = compare(Some(&file), &system, options, &folder, SANITIZED, (8, 20));
        assert!(tally.exact > 5, "{name}: only {} exact steps", tally.exact);
        let code = provoke_codegen::generate(&system, Some(&file), &options).unwrap();
        assert!(!code.source.contains("int8("), "{}", code.source);
    }
}

#[test]
fn every_model_computes_the_same_in_c() {
    let (ours, benchmarks) = models();
    let mut exact = 0;
    for path in &ours {
        let (file, system) = load(path);
        let name = path.file_stem().unwrap().to_string_lossy();
        for (options, bits) in [(PROVEN, "auto"), (SMALL, "32"), (FLAT, "flat")] {
            let folder = folder(&format!("{name}_{bits}"));
            exact += compare(Some(&file), &system, options, &folder, SANITIZED, (4, 50)).exact;
        }
    }
    assert!(exact > 1000, "only {exact} steps were compared with exact values");
    for path in &benchmarks {
        let (file, system) = load(path);
        let folder = folder(&path.file_stem().unwrap().to_string_lossy());
        let flags: &[&str] = if system.exprs.len() > 4000 { &["-O0"] } else { SANITIZED };
        compare(Some(&file), &system, PROVEN, &folder, flags, (2, 25));
    }
}

#[test]
fn what_is_only_compared_with_itself_is_no_unused_variable() {
    let text = "node same(x: int; b: bool) returns (p, q: bool; n: int);\n\
                var v: int;\n\
                let v = 7; p = v <= v; q = b <> b or x + 1 < x + 1; n = if 3 = 3 then 1 else 2; tel;";
    let file = provoke_base::SourceFile::new("same.lus", text);
    let system = provoke_lustre::load(&file, None).system.expect("a model");
    for (options, name) in [(PROVEN, "same_auto"), (SMALL, "same_32")] {
        compare(Some(&file), &system, options, &folder(name), SANITIZED, (2, 10));
    }
}
