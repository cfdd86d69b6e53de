//! What the generated C looks like: a function for each node, lines that fit a screen, an interface with
//! the arrays and structures of the model.

mod common;

use common::{FLAT, PROVEN, WIDE, load, models};
use provoke_base::SourceFile;
use provoke_codegen::{Code, CodeOptions, generate};

fn code(text: &str, options: &CodeOptions) -> Code {
    let file = SourceFile::new("folder/model.lus", text);
    let system = provoke_lustre::load(&file, None).system.expect("a model");
    generate(&system, Some(&file), options).expect("constants that fit")
}

const COUNTERS: &str = "node counter(x : bool) returns (n : int; many : bool);
let
  n = (0 -> pre n) + (if x then 1 else 0);
  many = n > 9;
tel;
node both(a, b : bool) returns (n, m : int; warn : bool);
var many, more : bool;
let
  --%MAIN
  n, many = counter(a);
  m, more = counter(b);
  warn = many and more;
tel;
";

#[test]
fn instances_of_a_node_share_a_function_and_have_their_own_memory() {
    let code = code(COUNTERS, &WIDE);
    assert_eq!(code.source.matches("/* Node counter, model.lus:1 */").count(), 1);
    let calls = [
        "both_counter(&state->counter_1, in->a, &n, &many); /* model.lus:10 */",
        "both_counter(&state->counter_2, in->b, &m, &more); /* model.lus:11 */",
        "const bool warn = many && more; /* model.lus:12 */",
    ];
    calls.iter().for_each(|call| assert!(code.source.contains(call), "{call}: {}", code.source));
    assert!(code.header.contains("both_counter_state counter_2;"), "{}", code.header);
}

#[test]
fn inlined_it_is_one_function_and_one_structure() {
    let code = code(COUNTERS, &FLAT);
    assert!(!code.source.contains("both_counter("), "{}", code.source);
    assert!(code.header.contains("pre_counter_2_n;"), "{}", code.header);
}

#[test]
fn an_instance_that_delays_what_depends_on_it_is_written_into_its_caller() {
    let text = "node late(x : int) returns (y : int);\nlet y = 0 -> pre x; tel;
node loop(a : int) returns (y, z : int);
let
  --%MAIN
  y = late(y + a);
  z = late(a);
tel;
";
    let code = code(text, &WIDE);
    assert!(code.source.contains("/* late#1 is computed here: its inputs need its outputs. */"));
    assert!(code.source.contains("const int64_t z = loop_late(&state->late_2, in->a);"));
}

#[test]
fn arrays_and_structures_are_such_in_the_interface() {
    let text = "type Pair = struct { low : int; gains : real^2 };
node mix(p : Pair; v : Pair^3) returns (q : Pair; w : bool^2^2);
let
  q = v[1] { low := p.low };
  w = [[true, p.low > 0], [false, v[2].low > 0]];
tel;
";
    let code = code(text, &WIDE);
    let pair = "typedef struct {\n    int64_t low;\n    double gains[2];\n} mix_p;\n";
    for part in [pair, "    mix_p p;\n    mix_p v[3];\n", "    mix_p q;\n    bool w[2][2];\n"] {
        assert!(code.header.contains(part), "{part}: {}", code.header);
    }
    assert!(code.source.contains("out->q.gains[1] = q_gains_1;"), "{}", code.source);
    assert_eq!(code.inputs[7].name, "v[1].gains[0]");
}

#[test]
fn all_nodes_of_the_models_that_matter_are_functions_and_no_line_is_long() {
    let (ours, benchmarks) = models();
    let mut counted = Vec::new();
    for path in ours.iter().chain(&benchmarks) {
        let (file, system) = load(path);
        let Ok(code) = generate(&system, Some(&file), &PROVEN) else { continue };
        for line in code.source.lines().chain(code.header.lines()) {
            // A name cannot be broken.
            let word = line.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::len).max();
            assert!(line.len() <= 120 || word > Some(60), "{}: {line}", path.display());
        }
        let nodes = code.source.matches("/* Node ").count();
        counted.push((path.file_stem().unwrap().to_string_lossy().into_owned(), nodes));
    }
    let of = |name: &str| counted.iter().find(|(model, _)| model == name).map(|(_, count)| *count);
    assert_eq!(of("ward_pump"), Some(13), "{counted:?}");
    assert_eq!(of("wiper"), Some(4), "{counted:?}");
    assert_eq!(of("delay_chain"), Some(0), "{counted:?}");
}
