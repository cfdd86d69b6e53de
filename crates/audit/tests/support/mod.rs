//! What several tests of the audit need.

use std::path::{Path, PathBuf};

use provoke_audit::Model;
use provoke_base::{Int, Random, Rational, SourceFile};
use provoke_lustre::tree;
use provoke_model::{Range, Type, Value};
use provoke_testkit::{files, repository, shared};

/// Every Lustre file at hand.
#[allow(dead_code, reason = "not every test reads all")]
pub(crate) fn models() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["models", "testdata/ok"] {
        found.extend(files(&repository().join(folder), "lus"));
    }
    let folders = [
        "lustre/single_node",
        "lustre/multi_node",
        "lustre/jkind",
        "kind2/falsifiable",
        "kind2/success",
    ];
    for folder in folders {
        if let Some(path) = shared(&format!("models/{folder}")) {
            found.extend(files(&path, "lus"));
        }
    }
    found.retain(|path| !is_refused(path));
    found
}

/// Whether the audit says that it does not follow something in a model, which it then never confirms.
#[allow(dead_code, reason = "not every test reads all")]
#[allow(clippy::print_stderr, reason = "what is not compared is told")]
pub(crate) fn is_refused(path: &Path) -> bool {
    let errors = tree::read(&file(path), None, &[]).err().unwrap_or_default();
    let why = errors.iter().find(|error| error.message.ends_with("cannot be checked again yet"));
    if let Some(why) = why {
        eprintln!("not compared: {}: {}", path.display(), why.message);
    }
    why.is_some()
}

/// A file as the command line reads it.
pub(crate) fn file(path: &Path) -> SourceFile {
    SourceFile::from_bytes("model.lus", std::fs::read(path).expect("a file"))
}

/// The model of a file without errors.
pub(crate) fn model(file: &SourceFile) -> Model {
    let tree = tree::read(file, None, &[]).expect("no errors");
    Model::new(tree).expect("small enough")
}

/// A random value, often at an end of its range, sometimes unknown.
#[allow(dead_code, reason = "not every test draws values")]
pub(crate) fn draw(random: &mut Random, ty: Type, range: Option<&Range>, unknown: bool) -> Value {
    if unknown && random.chance(1, 12) {
        return Value::Unknown;
    }
    let wide =
        ["0", "1", "-1", "2", "7", "9223372036854775807", "-170141183460469231731687303715884"];
    match (ty, range) {
        (Type::Bool, _) => Value::Bool(random.chance(1, 2)),
        (Type::Int, Some(range)) if random.chance(1, 2) => Value::Int(range.low.clone()),
        (Type::Int, Some(range)) if random.chance(1, 2) => Value::Int(range.high.clone()),
        (Type::Int, Some(range)) => Value::Int(random.between(&range.low, &range.high)),
        (Type::Int, None) if random.chance(1, 2) => {
            Value::Int(Int::from(random.below(11) as i64 - 3))
        }
        (Type::Int, None) => {
            Value::Int(Int::parse(wide[random.below(wide.len())]).expect("a number"))
        }
        (Type::Real, _) => {
            let numerator = Int::from(random.below(19) as i64 - 9);
            let denominator = Int::from(random.below(4) as i64 + 1);
            Value::Real(Rational::new(&numerator, &denominator).expect("not zero"))
        }
        (Type::Enum(_), _) => Value::Enum(random.below(2) as u32),
    }
}
