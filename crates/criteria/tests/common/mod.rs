//! What the tests of this crate share.
#![allow(dead_code, unreachable_pub)]

use provoke_base::SourceFile;
use provoke_lustre::load;
use provoke_model::{System, Value};
use provoke_testkit::shared;

/// The system of a file, which must have no errors.
pub fn system_of(file: &SourceFile) -> System {
    let loaded = load(file, None);
    let shown: Vec<String> = loaded.diagnostics.iter().map(|d| d.render(file, false)).collect();
    loaded.system.unwrap_or_else(|| panic!("{}", shown.join("\n")))
}

/// The system of a text.
pub fn lustre(text: &str) -> System {
    system_of(&SourceFile::new("test.lus", text))
}

/// A benchmark model by name.
pub fn benchmark(name: &str) -> Option<System> {
    let path = shared(&format!("models/lustre/single_node/{name}.lus"))?;
    let bytes = std::fs::read(&path).expect("a model that can be read");
    Some(system_of(&SourceFile::from_bytes(name, bytes)))
}

/// Steps of Boolean inputs: `T`, `F`, and `-` for unknown; blanks separate steps.
pub fn steps(text: &str) -> Vec<Vec<Value>> {
    let value = |letter: char| match letter {
        'T' => Value::Bool(true),
        'F' => Value::Bool(false),
        _ => Value::Unknown,
    };
    text.split_whitespace().map(|step| step.chars().map(value).collect()).collect()
}
