//! The TOML file that says what is explored: the program, how it is entered, its inputs, its
//! outputs, and how much it may take.

use provoke_base::{Diagnostic, SourceFile};
use provoke_exec::settings::{self, place};
use provoke_model::{EnumId, EnumType, Signal, Suite, Type};
use serde::{Deserialize, Serialize};

/// What a file says.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MineTargetFile {
    /// The program.
    pub program: ProgramSource,
    /// How it is entered.
    #[serde(default)]
    pub entry: ProgramEntry,
    /// What is set in each step.
    #[serde(default, rename = "input")]
    pub inputs: Vec<Variable>,
    /// What is seen after each step.
    #[serde(default, rename = "output")]
    pub outputs: Vec<Variable>,
    /// How the search works.
    #[serde(default)]
    pub search: SearchSettings,
    /// What the program may take.
    #[serde(default)]
    pub limits: Limits,
}

/// Where the program is; paths are relative to the file.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize, Default)]
#[serde(default, deny_unknown_fields)]
pub struct ProgramSource {
    /// C sources; the first one holds the entry and everything that inputs and outputs name.
    pub sources: Vec<String>,
    /// Options of the compiler.
    pub flags: Vec<String>,
    /// A shared library in place of sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
    /// A program that reads a line of inputs and answers a line of outputs for each step.
    pub command: Vec<String>,
    /// A model in Lustre.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The main node of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub main: Option<String>,
}

/// How a program does its steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum EntryKind {
    /// A function is called for each step.
    #[default]
    Step,
    /// The program has its own loop and asks for its inputs.
    Loop,
    /// The same, for programs of verifiers: each call of a `nondet` function is a step.
    Nondet,
    /// Lines on standard input and output.
    Stdin,
    /// A function over words, as Provoke's own code generator writes it.
    Words,
}

/// How a program is entered.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize, Default)]
#[serde(default, deny_unknown_fields)]
pub struct ProgramEntry {
    /// How it does its steps.
    pub kind: EntryKind,
    /// The function; `main` if it is not said and the program has its own loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// A function that is called once before the first step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub init: Option<String>,
    /// The inputs that are arguments of the function, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<String>,
    /// The output that the function returns.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub returns: Option<String>,
    /// The function whose call ends a round of the program's own loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tick: Option<String>,
}

/// A word for a type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum VariableType {
    /// Truth values.
    Bool,
    /// Integers of at most 64 bits.
    Int,
    /// Floating point.
    Real,
}

/// An input or an output.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize, Default)]
#[serde(default, deny_unknown_fields)]
pub struct Variable {
    /// Its name in tests.
    pub name: String,
    /// Its type, unless constants tell.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub ty: Option<VariableType>,
    /// The constants of its enumeration, as the program names them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub constants: Vec<String>,
    /// The values of an integer, both included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub range: Option<[i64; 2]>,
    /// The only values of an integer, in place of a range.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<i64>,
    /// Where it is in the program, as C writes it; its name if it is not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Its type in C, where only a shared library has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ctype: Option<String>,
    /// The function that the program calls to read or report it: `read_speed`, `show(int)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
}

/// What tells two states of a program apart.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug, Default)]
#[serde(into = "String", try_from = "String")]
pub enum StateIdentity {
    /// The outputs after the last step.
    Outputs,
    /// The outputs of so many steps.
    History(u32),
    /// The memory of the program, clocks put into classes.
    #[default]
    Memory,
}

impl StateIdentity {
    /// The word users write.
    pub fn word(self) -> String {
        match self {
            StateIdentity::Outputs => "outputs".into(),
            StateIdentity::History(steps) => format!("history:{steps}"),
            StateIdentity::Memory => "memory".into(),
        }
    }

    /// What the word means.
    pub fn named(word: &str) -> Option<StateIdentity> {
        match (word, word.strip_prefix("history:").map(str::parse)) {
            ("outputs", _) => Some(StateIdentity::Outputs),
            ("memory", _) => Some(StateIdentity::Memory),
            (_, Some(Ok(steps @ 1..=64))) => Some(StateIdentity::History(steps)),
            _ => None,
        }
    }
}

impl From<StateIdentity> for String {
    fn from(identity: StateIdentity) -> String {
        identity.word()
    }
}

impl TryFrom<String> for StateIdentity {
    type Error = String;

    fn try_from(word: String) -> Result<StateIdentity, String> {
        StateIdentity::named(&word).ok_or_else(|| format!("`{word}` tells no states apart"))
    }
}

/// How the search works, where the command line does not say otherwise.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize, Default)]
#[serde(default, deny_unknown_fields)]
pub struct SearchSettings {
    /// What tells two states apart: `outputs`, `history:8`, `memory`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// A suite to begin with, relative to the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial: Option<String>,
}

/// Whether the program shares our process.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize, Serialize, Default)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// As a library where that is repeatable, else a process for each test.
    #[default]
    Auto,
    /// As a library.
    Library,
    /// A process for each test.
    Fork,
}

/// What the program may take.
#[derive(Clone, PartialEq, Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Time of the processor for a step.
    pub step_ms: u32,
    /// Memory of a process.
    pub memory_mb: u32,
    /// Processes and threads that a test may start.
    pub processes: u32,
    /// Whether the program shares our process.
    pub isolation: Isolation,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { step_ms: 1000, memory_mb: 512, processes: 16, isolation: Isolation::Auto }
    }
}

/// The constant of an output that has none of the values it should have.
pub const OUTSIDE: &str = "OUT_OF_RANGE";

impl Variable {
    /// Where it is in the program.
    pub fn at(&self) -> &str {
        self.at.as_deref().unwrap_or(&self.name)
    }

    /// The function that the program calls for it, and the type of its argument.
    pub fn called(&self) -> Option<(&str, &str)> {
        let call = self.call.as_deref()?;
        Some(match call.split_once('(') {
            Some((name, rest)) => (name.trim(), rest.trim_end().trim_end_matches(')').trim()),
            None => (call.trim(), "int"),
        })
    }
}

/// The most variables on a side, and constants or values of one.
const MAX_LIST: usize = 4096;

impl MineTargetFile {
    /// Reads a file.
    pub fn parse(file: &SourceFile) -> Result<MineTargetFile, Vec<Diagnostic>> {
        let help =
            "docs/book/mining.md describes these files; `provoke mine --init FILE.c` proposes one";
        let target: MineTargetFile = settings::read(file, "mine-file", help)?;
        let found = target.check(file);
        if found.is_empty() { Ok(target) } else { Err(found) }
    }

    fn check(&self, file: &SourceFile) -> Vec<Diagnostic> {
        let mut found = Vec::new();
        let mut wrong = |key: &str, message: String| {
            found.push(Diagnostic::error("mine-value", place(file, key), message));
        };
        let ProgramSource { sources, library, command, model, .. } = &self.program;
        let ways = usize::from(!sources.is_empty())
            + usize::from(library.is_some())
            + usize::from(!command.is_empty())
            + usize::from(model.is_some());
        if ways != 1 {
            let message = "[program] needs one of `sources`, `library`, `command`, `model`";
            wrong("[program]", message.to_string());
        }
        if command.is_empty() == (self.entry.kind == EntryKind::Stdin) {
            wrong("kind", "`kind = \"stdin\"` and `command` go together".to_string());
        }
        let mut names = std::collections::BTreeSet::new();
        for variable in self.inputs.iter().chain(&self.outputs) {
            if !names.insert(&variable.name) {
                wrong(&variable.name, format!("`{}` occurs twice", variable.name));
            }
            if let Some(message) = problem(variable) {
                wrong(&variable.name, message);
            }
        }
        if model.is_none() && (self.inputs.is_empty() || self.outputs.is_empty()) {
            wrong("[program]", "at least one [[input]] and one [[output]] are needed".to_string());
        }
        if self.inputs.len().max(self.outputs.len()) > MAX_LIST {
            wrong("[[input]]", format!("more than {MAX_LIST} variables"));
        }
        self.check_entry(&mut wrong);
        if self.search.state.as_deref().is_some_and(|word| StateIdentity::named(word).is_none()) {
            wrong("state", "`state` is outputs, history:N (N to 64) or memory".to_string());
        }
        let Limits { step_ms, memory_mb, processes, .. } = self.limits;
        if !(1..=600_000).contains(&step_ms) || memory_mb < 16 || processes > 4096 {
            let message = "limits are step_ms 1 to 600000, memory_mb from 16, processes to 4096";
            wrong("[limits]", message.to_string());
        }
        found
    }

    fn check_entry(&self, wrong: &mut impl FnMut(&str, String)) {
        let entry = &self.entry;
        let functions = entry.function.iter().chain(&entry.init).chain(&entry.tick);
        for name in functions.filter(|name| !is_identifier(name)) {
            wrong(name, format!("`{name}` is no name of a function"));
        }
        if entry.kind == EntryKind::Step && entry.function.is_none() && self.program.model.is_none()
        {
            wrong("[entry]", "`kind = \"step\"` needs `function`".to_string());
        }
        for name in &entry.parameters {
            if !self.inputs.iter().any(|input| input.name == *name) {
                wrong(name, format!("there is no [[input]] for the parameter `{name}`"));
            }
        }
        if let Some(name) = &entry.returns
            && !self.outputs.iter().any(|output| output.name == *name)
        {
            wrong(name, format!("there is no [[output]] for what is returned, `{name}`"));
        }
        let looping = matches!(entry.kind, EntryKind::Loop | EntryKind::Nondet);
        if looping && self.inputs.iter().any(|input| input.call.is_none()) {
            let message =
                "inputs of a program with its own loop need `call`, the function that reads them";
            wrong("[[input]]", message.to_string());
        }
    }

    /// What tells two states apart.
    pub fn identity(&self) -> StateIdentity {
        self.search.state.as_deref().and_then(StateIdentity::named).unwrap_or_default()
    }

    /// An empty suite over the inputs and outputs.
    pub fn suite(&self, name: &str) -> Suite {
        let mut suite = Suite { model: name.to_string(), ..Suite::default() };
        let mut signals = [Vec::new(), Vec::new()];
        for (side, variables) in [&self.inputs, &self.outputs].into_iter().enumerate() {
            for variable in variables {
                let ty = match (variable.constants.is_empty(), variable.ty) {
                    (false, _) => {
                        let mut constants = variable.constants.clone();
                        if side == 1 {
                            constants.push(OUTSIDE.to_string());
                        }
                        Type::Enum(enumeration(&mut suite, &variable.name, constants))
                    }
                    (true, Some(VariableType::Bool)) => Type::Bool,
                    (true, Some(VariableType::Real)) => Type::Real,
                    (true, _) => Type::Int,
                };
                signals[side].push(Signal { name: variable.name.clone(), ty });
            }
        }
        [suite.inputs, suite.outputs] = signals;
        suite
    }
}

/// The enumeration with these constants, added if there is none.
fn enumeration(suite: &mut Suite, name: &str, constants: Vec<String>) -> EnumId {
    let found = suite.enums.entries().find(|(_, known)| known.constants == constants);
    match found.map(|(id, _)| id) {
        Some(id) => id,
        None => suite.enums.push(EnumType { name: format!("{name}_t"), constants }),
    }
}

fn problem(variable: &Variable) -> Option<String> {
    let name = &variable.name;
    let numeric = matches!(variable.ty, Some(VariableType::Int));
    if name.is_empty() || name.len() > 200 || name.chars().any(char::is_control) {
        return Some("every [[input]] and [[output]] needs a `name`".to_string());
    }
    if variable.constants.is_empty() && variable.ty.is_none() {
        return Some(format!("`{name}` needs `type` (bool, int, real) or `constants`"));
    }
    if variable.constants.iter().any(|constant| !is_identifier(constant)) {
        return Some(format!("the constants of `{name}` are names of the program"));
    }
    if variable.constants.len().max(variable.values.len()) > MAX_LIST {
        return Some(format!("`{name}` has more than {MAX_LIST} values; use `range`"));
    }
    if (variable.range.is_some() || !variable.values.is_empty()) && !numeric {
        return Some(format!("only integers have `range` or `values`, `{name}` is none"));
    }
    if variable.range.is_some_and(|[low, high]| low > high) {
        return Some(format!("the range of `{name}` is empty"));
    }
    if variable.called().is_some_and(|(function, _)| !is_identifier(function)) {
        return Some(format!("`call` of `{name}` is a name such as `read` or `show(int)`"));
    }
    let text = |at: &Option<String>| {
        at.as_ref().is_some_and(|at| at.chars().any(|c| ";{}\n\"#\\".contains(c)))
    };
    (text(&variable.at) || text(&variable.ctype))
        .then(|| format!("`at` and `ctype` of `{name}` are an expression and a type of C"))
}

/// Whether a name is one of C.
pub(crate) fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.len() <= 200
}
