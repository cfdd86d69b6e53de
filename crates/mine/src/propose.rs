//! A target file proposed from a C source: names, types and constants from its debug information,
//! inputs and outputs guessed from what the source reads and writes. The user decides.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use crate::compile::MiningError;
use crate::dwarf::{DebugEntry, entries, inside, resolved};

/// Words in the names of functions that do a step.
const STEP_WORDS: [&str; 8] = ["step", "tick", "cycle", "update", "control", "task", "run", "main"];

/// The text of a target file for a source.
pub fn propose(source: &Path, scratch: &Path) -> Result<String, MiningError> {
    let text = std::fs::read(source).map_err(|error| {
        MiningError::new(format!("cannot read {}: {error}", source.display()), "name a C source")
    })?;
    let text = plain(&String::from_utf8_lossy(&text));
    let library = scratch.join("proposal.so");
    let mut gcc = Command::new("gcc");
    // Linked, so that nothing in the debug information is left to be relocated; what the file leaves to
    // others may stay undefined in a library.
    gcc.args(["-g", "-O0", "-shared", "-fPIC", "-w"]).arg(source).arg("-o").arg(&library);
    run(&mut gcc, "check that gcc compiles the file alone; add `flags` by hand otherwise")?;
    let wrong = |why: String| {
        let hint = "write the file by hand: docs/book/mining.md";
        MiningError::new(format!("the debug information cannot be read: {why}"), hint)
    };
    let program = std::fs::read(&library).map_err(|error| wrong(error.to_string()))?;
    let entries = entries(&program).map_err(wrong)?;
    let file = source.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let proposal = Proposal { entries, text };
    proposal.write(&file)
}

fn run(command: &mut Command, hint: &str) -> Result<(), MiningError> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| MiningError {
        reason: format!("cannot start {name}: {error}"),
        hint: format!("apt-get install {name}"),
        missing: true,
    })?;
    if output.status.success() {
        return Ok(());
    }
    let errors = String::from_utf8_lossy(&output.stderr);
    let first: Vec<&str> = errors.lines().filter(|line| line.contains("error")).take(3).collect();
    Err(MiningError::new(format!("{name} fails: {}", first.join("; ")), hint))
}

/// The source without comments.
fn plain(source: &str) -> String {
    let mut text = String::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else {
            text.push(first);
            rest = &rest[first.len_utf8()..];
            continue;
        };
        text.push(' ');
        rest = &rest[skipped..];
    }
    text
}

struct Proposal {
    entries: BTreeMap<u64, DebugEntry>,
    text: String,
}

/// A variable that may be an input or an output.
struct Candidate {
    name: String,
    at: Option<String>,
    call: Option<String>,
    kind: String,
}

impl Proposal {
    fn write(&self, file: &str) -> Result<String, MiningError> {
        let functions = self.functions();
        let Some((offset, function)) = self.entry(&functions) else {
            return Err(MiningError::new(
                format!("{file} has no function that others can call"),
                "write the file by hand: docs/book/mining.md",
            ));
        };
        let name = function.name().unwrap_or_default();
        let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
        let mut entry = String::new();
        let looping = name == "main";
        if looping {
            entry += "kind = \"loop\"\nfunction = \"main\"\n";
            entry += &self.calls(&functions, &mut inputs, &mut outputs);
        } else {
            let _ = writeln!(entry, "kind = \"step\"\nfunction = \"{name}\"");
            let init = functions
                .iter()
                .find(|(_, f)| f.has_code && f.name().is_some_and(|n| n.contains("init")));
            if let Some(init) = init.and_then(|(_, f)| f.name()) {
                let _ = writeln!(entry, "init = \"{init}\"");
            }
            self.arguments(*offset, function, &mut entry, &mut inputs, &mut outputs);
            self.globals(&mut inputs, &mut outputs);
        }
        let mut text = format!(
            "# Proposed by `provoke mine --init {file}`: check what is an input and what is an output.\n\
             [program]\nsources = [\"{file}\"]\n\n[entry]\n{entry}"
        );
        for (word, list) in [("input", &inputs), ("output", &outputs)] {
            for Candidate { name, at, call, kind } in list {
                let _ = write!(text, "\n[[{word}]]\nname = \"{name}\"\n");
                if let Some(at) = at {
                    let _ = writeln!(text, "at = \"{at}\"");
                }
                text += kind;
                if let Some(call) = call {
                    let _ = writeln!(text, "call = \"{call}\"");
                }
            }
        }
        Ok(text)
    }

    fn functions(&self) -> Vec<(u64, &DebugEntry)> {
        let all =
            self.entries.iter().filter(|(_, entry)| entry.tag == "subprogram" && entry.depth == 1);
        all.filter(|(_, entry)| entry.is_external).map(|(offset, entry)| (*offset, entry)).collect()
    }

    /// The function that looks most like a step.
    fn entry<'a>(
        &self,
        functions: &'a [(u64, &'a DebugEntry)],
    ) -> Option<&'a (u64, &'a DebugEntry)> {
        let rank = |(_, entry): &&(u64, &DebugEntry)| {
            let name = entry.name().unwrap_or_default().to_lowercase();
            STEP_WORDS.iter().position(|word| name.contains(word)).unwrap_or(STEP_WORDS.len())
        };
        let initial = |name: &str| name.contains("init") || name.contains("reset");
        let own = functions.iter().filter(|(_, f)| f.has_code && !f.name().is_some_and(initial));
        own.min_by_key(rank)
    }

    /// The functions that a program with its own loop expects of its environment.
    fn calls(
        &self,
        functions: &[(u64, &DebugEntry)],
        inputs: &mut Vec<Candidate>,
        outputs: &mut Vec<Candidate>,
    ) -> String {
        let mut entry = String::new();
        let mut asked: Vec<&(u64, &DebugEntry)> =
            functions.iter().filter(|(_, f)| f.is_declaration).collect();
        asked.sort_by_key(|(_, f)| f.line);
        for (offset, function) in asked {
            let Some(name) = function.name() else { continue };
            let parameters = inside(&self.entries, *offset);
            let short = name.split_once('_').map_or(name, |(_, rest)| rest).to_string();
            match (function.has_type(), &parameters[..]) {
                (true, []) => {
                    let kind = self.kind(function).unwrap_or_else(|| "type = \"int\"\n".into());
                    inputs.push(Candidate { name: short, at: None, call: Some(name.into()), kind });
                }
                (false, [one]) => {
                    let ctype = self.c_type(one);
                    let kind = self.kind(one).unwrap_or_else(|| "type = \"int\"\n".into());
                    outputs.push(Candidate {
                        name: short,
                        at: None,
                        call: Some(format!("{name}({ctype})")),
                        kind: without_range(&kind),
                    });
                }
                (false, []) => {
                    let _ = writeln!(entry, "tick = \"{name}\"");
                }
                _ => {}
            }
        }
        entry
    }

    fn arguments(
        &self,
        offset: u64,
        function: &DebugEntry,
        entry: &mut String,
        inputs: &mut Vec<Candidate>,
        outputs: &mut Vec<Candidate>,
    ) {
        let parameters = inside(&self.entries, offset);
        let parameters = parameters.iter().filter(|entry| entry.tag == "formal_parameter");
        let mut names = Vec::new();
        for parameter in parameters {
            if let (Some(name), Some(kind)) = (parameter.name(), self.kind(parameter)) {
                names.push(format!("\"{name}\""));
                inputs.push(Candidate { name: name.into(), at: None, call: None, kind });
            }
        }
        if !names.is_empty() {
            let _ = writeln!(entry, "parameters = [{}]", names.join(", "));
        }
        if let Some(kind) = self.kind(function) {
            *entry += "returns = \"returned\"\n";
            outputs.push(Candidate {
                name: "returned".into(),
                at: None,
                call: None,
                kind: without_range(&kind),
            });
        }
    }

    /// Variables that other files can see: written ones are outputs, those that are only read inputs.
    fn globals(&self, inputs: &mut Vec<Candidate>, outputs: &mut Vec<Candidate>) {
        let visible =
            self.entries.values().filter(|e| e.tag == "variable" && e.depth == 1 && e.is_external);
        let mut visible: Vec<&DebugEntry> = visible.collect();
        visible.sort_by_key(|entry| entry.line);
        for variable in visible {
            let Some(name) = variable.name() else { continue };
            let Some((offset, ty)) = resolved(&self.entries, variable) else { continue };
            let members = match ty.tag {
                "structure_type" => inside(&self.entries, offset),
                _ => vec![variable],
            };
            for member in members {
                let Some(kind) = self.kind(member) else { continue };
                let place = match (ty.tag, member.name()) {
                    ("structure_type", Some(member)) => format!("{name}.{member}"),
                    _ => name.to_string(),
                };
                let at = place.contains('.').then(|| place.clone());
                let name = member.name().unwrap_or(name).to_string();
                let taken = |list: &[Candidate]| list.iter().any(|known| known.name == name);
                let name =
                    if taken(inputs) || taken(outputs) { place.replace('.', "_") } else { name };
                if self.is_written(&place) {
                    outputs.push(Candidate { name, at, call: None, kind: without_range(&kind) });
                } else {
                    inputs.push(Candidate { name, at, call: None, kind });
                }
            }
        }
    }

    /// Whether the source assigns to a place, counts it up or down, or takes its address.
    fn is_written(&self, place: &str) -> bool {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        self.text.match_indices(place).any(|(start, _)| {
            let before = self.text[..start].trim_end();
            let after = &self.text[start + place.len()..];
            if self.text[..start].ends_with(|c| word(c) || c == '.') || after.starts_with(word) {
                return false;
            }
            let after = after.trim_start();
            let assigned = after.starts_with('=') && !after.starts_with("==");
            let changed =
                ["+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--"];
            let single_and = before.ends_with('&') && !before.ends_with("&&");
            // A declaration with a first value is no writing.
            let declared = assigned && before.ends_with(word) && !before.ends_with("else");
            (assigned && !declared)
                || single_and
                || before.ends_with("++")
                || before.ends_with("--")
                || changed.iter().any(|operator| after.starts_with(operator))
        })
    }

    fn c_type(&self, entry: &DebugEntry) -> String {
        let named = crate::dwarf::type_of(&self.entries, entry).and_then(|(_, ty)| ty.name());
        named.unwrap_or("int").replace("_Bool", "bool")
    }

    /// The lines that say what values a variable has; `None` if it is no scalar.
    fn kind(&self, entry: &DebugEntry) -> Option<String> {
        let (offset, ty) = resolved(&self.entries, entry)?;
        match ty.tag {
            "enumeration_type" => {
                let constants: Vec<String> = inside(&self.entries, offset)
                    .iter()
                    .filter_map(|e| e.name())
                    .map(|name| format!("\"{name}\""))
                    .collect();
                Some(format!("constants = [{}]\n", constants.join(", ")))
            }
            "base_type" => {
                let bits = ty.bytes? * 8;
                match (ty.encoding?, bits) {
                    (gimli::DW_ATE_boolean, _) => Some("type = \"bool\"\n".to_string()),
                    (gimli::DW_ATE_float, _) => Some("type = \"real\"\n".to_string()),
                    (gimli::DW_ATE_unsigned | gimli::DW_ATE_unsigned_char, 8..=32) => {
                        Some(format!("type = \"int\"\nrange = [0, {}]\n", (1u64 << bits) - 1))
                    }
                    (gimli::DW_ATE_signed | gimli::DW_ATE_signed_char, 8..=32) => Some(format!(
                        "type = \"int\"\nrange = [{}, {}]\n",
                        -(1i64 << (bits - 1)),
                        (1i64 << (bits - 1)) - 1
                    )),
                    (
                        gimli::DW_ATE_signed
                        | gimli::DW_ATE_signed_char
                        | gimli::DW_ATE_unsigned
                        | gimli::DW_ATE_unsigned_char,
                        _,
                    ) => Some("type = \"int\"\n".to_string()),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Outputs have no range to choose from.
fn without_range(kind: &str) -> String {
    kind.lines().filter(|line| !line.starts_with("range")).map(|line| format!("{line}\n")).collect()
}
