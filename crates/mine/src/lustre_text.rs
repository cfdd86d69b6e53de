//! An exact machine as a node in Lustre.

use std::collections::BTreeSet;
use std::fmt::Write;

use provoke_model::{Suite, Type};

use crate::guard::GuardTree;
use crate::machine::StateMachine;
use crate::target::{OUTSIDE, is_identifier};
use crate::words::to_value;

/// More states than this are not written.
pub const MAX_STATES: usize = 200;

/// The text of a node that does what the machine does, for inputs that it knows; `None` if the
/// machine is not exact, too large, or has variables that Lustre cannot name.
pub fn lustre(machine: &StateMachine, suite: &Suite, name: &str) -> Option<String> {
    let signals = || suite.inputs.iter().chain(&suite.outputs);
    let nameable = signals().all(|signal| is_identifier(&signal.name) && signal.ty != Type::Real);
    if !machine.exact || machine.states.len() > MAX_STATES || !nameable {
        return None;
    }
    let mut text = String::from(
        "-- Mined by Provoke: what the program did in every state and for every input that was tried.\n",
    );
    text += &types(suite);
    let declared = |signals: &[provoke_model::Signal]| {
        let one = |signal: &provoke_model::Signal| {
            format!("{}: {}", signal.name, type_name(suite, signal.ty))
        };
        signals.iter().map(one).collect::<Vec<_>>().join("; ")
    };
    let node = if is_identifier(name) { name } else { "machine" };
    let _ = writeln!(
        text,
        "node {node}({}) returns ({});",
        declared(&suite.inputs),
        declared(&suite.outputs)
    );
    text += "var state_before, state_now: int;\nlet\n  state_before = 0 -> pre state_now;\n  state_now =\n";
    for state in 0..machine.states.len() {
        let tree = machine.tree(suite, state);
        if !is_decided(&tree) {
            return None;
        }
        let tree = branch(suite, &tree, state);
        let _ = writeln!(text, "    if state_before = {state} then {tree} else");
    }
    text += "    state_before;\n";
    for (output, signal) in suite.outputs.iter().enumerate() {
        let _ = writeln!(text, "  {} = {};", signal.name, output_of(machine, suite, output));
    }
    Some(text + "tel;\n")
}

/// Enumerations; the constant for values outside is one for all of them.
fn types(suite: &Suite) -> String {
    let mut text = String::new();
    for (id, declared) in suite.enums.entries() {
        let constants: Vec<String> = declared
            .constants
            .iter()
            .map(|constant| constant_name(suite, Type::Enum(id), constant))
            .collect();
        let _ = writeln!(
            text,
            "type {} = enum {{ {} }};",
            type_name(suite, Type::Enum(id)),
            constants.join(", ")
        );
    }
    text
}

fn type_name(suite: &Suite, ty: Type) -> String {
    match ty {
        Type::Bool => "bool".to_string(),
        Type::Int => "int".to_string(),
        Type::Real => "real".to_string(),
        Type::Enum(id) => {
            format!("{}_of_{}", suite.enums[id].name, provoke_base::index::Id::index(id))
        }
    }
}

/// Constants of several enumerations must not clash.
fn constant_name(suite: &Suite, ty: Type, constant: &str) -> String {
    let Type::Enum(id) = ty else { return constant.to_string() };
    let others = suite.enums.entries().filter(|(other, declared)| {
        *other != id && declared.constants.iter().any(|name| name == constant)
    });
    if constant == OUTSIDE || others.count() > 0 {
        return format!("{constant}_{}", provoke_base::index::Id::index(id));
    }
    constant.to_string()
}

fn literal(suite: &Suite, ty: Type, word: i64) -> String {
    constant_name(suite, ty, &to_value(word, ty).show(ty, &suite.enums))
}

fn is_decided(tree: &GuardTree) -> bool {
    match tree {
        GuardTree::Leaf(places) => places.len() <= 1,
        GuardTree::Split { inside, outside, .. } => is_decided(inside) && is_decided(outside),
    }
}

fn branch(suite: &Suite, tree: &GuardTree, stay: usize) -> String {
    match tree {
        GuardTree::Leaf(places) => places.first().copied().unwrap_or(stay).to_string(),
        GuardTree::Split { input, values, inside, outside } => {
            let signal = &suite.inputs[*input];
            let test = match (signal.ty, values.first(), values.last()) {
                (Type::Bool, ..) => signal.name.clone(),
                (Type::Int, _, Some(high)) => format!("{} <= {high}", signal.name),
                (ty, Some(value), _) => format!("{} = {}", signal.name, literal(suite, ty, *value)),
                _ => "true".to_string(),
            };
            let [inside, outside] = [inside, outside].map(|tree| branch(suite, tree, stay));
            format!("(if {test} then {inside} else {outside})")
        }
    }
}

/// The value of an output by the state, the most frequent one last.
fn output_of(machine: &StateMachine, suite: &Suite, output: usize) -> String {
    let ty = suite.outputs[output].ty;
    let count = |word: i64| machine.states.iter().filter(|state| state[output] == word).count();
    let mut words: Vec<i64> = machine
        .states
        .iter()
        .map(|state| state[output])
        .collect::<BTreeSet<_>>()
        .into_iter()
        .collect();
    words.sort_by_key(|word| count(*word));
    let Some(last) = words.pop() else { return "0".to_string() };
    let mut text = String::new();
    for word in words {
        let states =
            (0..machine.states.len()).filter(|state| machine.states[*state][output] == word);
        let test: Vec<String> = states.map(|state| format!("state_now = {state}")).collect();
        let _ = write!(text, "if {} then {} else ", test.join(" or "), literal(suite, ty, word));
    }
    text + &literal(suite, ty, last)
}
