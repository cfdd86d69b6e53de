//! Names of the model as identifiers of C.

use std::collections::{BTreeMap, BTreeSet};

use provoke_base::IndexVec;
use provoke_model::{EnumId, System};

/// Words that mean something else in C or in the files written here.
const RESERVED: &[&str] = &[
    "auto",
    "bool",
    "break",
    "case",
    "char",
    "const",
    "continue",
    "default",
    "do",
    "double",
    "else",
    "enum",
    "extern",
    "false",
    "float",
    "for",
    "goto",
    "if",
    "inline",
    "int",
    "long",
    "register",
    "restrict",
    "return",
    "short",
    "signed",
    "sizeof",
    "static",
    "struct",
    "switch",
    "true",
    "typedef",
    "union",
    "unsigned",
    "void",
    "volatile",
    "while",
    "asm",
    "class",
    "delete",
    "new",
    "private",
    "public",
    "template",
    "this",
    "try",
    "catch",
    "namespace",
    "in",
    "out",
    "state",
    "main",
    "NULL",
    "first",
];

/// What everything is called in C.
#[derive(Clone, Debug)]
pub(crate) struct Names {
    /// The prefix of all that other files can see.
    pub(crate) model: String,
    /// The names of the enumerations' types.
    pub(crate) enums: IndexVec<EnumId, String>,
    /// The names of their constants.
    pub(crate) constants: IndexVec<EnumId, Vec<String>>,
    /// The names that every part of the files can see.
    pub(crate) taken: Taken,
}

/// The names that are given already in some part of the code.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    used: BTreeSet<String>,
    /// The largest number that was given to a name.
    numbers: BTreeMap<String, usize>,
}

impl Names {
    pub(crate) fn new(system: &System) -> Names {
        let mut names = Names {
            model: identifier(&system.name),
            enums: IndexVec::new(),
            constants: IndexVec::new(),
            taken: Taken::reserved(),
        };
        if names.taken.used.contains(&names.model) {
            names.model.push_str("_model");
        }
        for part in ["state", "in", "out", "reset", "step", "add", "sub", "mul", "neg", "div"] {
            names.taken.used.insert(format!("{}_{part}", names.model));
        }
        for part in ["mod", "floor"] {
            names.taken.used.insert(format!("{}_{part}", names.model));
        }
        for part in ["add", "sub", "mul", "neg", "div", "mod", "floor"] {
            names.taken.used.extend([32, 64].map(|bits| format!("{}_{part}{bits}", names.model)));
        }
        for ty in system.enums.iter() {
            let name = format!("{}_{}", names.model, identifier(&ty.name));
            let name = names.taken.unused(&name);
            let constant = |constant: &String| format!("{name}_{}", identifier(constant));
            let constants: Vec<String> = ty.constants.iter().map(constant).collect();
            names.enums.push(name);
            let unused = constants.iter().map(|constant| names.taken.unused(constant)).collect();
            names.constants.push(unused);
        }
        names
    }
}

impl Taken {
    /// Nothing but the words that mean something else.
    pub(crate) fn reserved() -> Taken {
        let used = RESERVED.iter().map(|word| word.to_string()).collect();
        Taken { used, numbers: BTreeMap::new() }
    }

    /// A name of which the forms with these endings are free as well; all are taken then.
    pub(crate) fn unused_family(&mut self, wanted: &str, endings: &[&str]) -> String {
        loop {
            let name = self.unused(wanted);
            let forms = endings.iter().map(|ending| format!("{name}_{ending}"));
            let forms: Vec<String> = forms.collect();
            if forms.iter().all(|form| !self.used.contains(form)) {
                self.used.extend(forms);
                return name;
            }
        }
    }

    /// `wanted`, or with a number where it is taken.
    pub(crate) fn unused(&mut self, wanted: &str) -> String {
        if self.used.insert(wanted.to_string()) {
            return wanted.to_string();
        }
        // Names are never given back, so those that were taken need not be tried again.
        let number = self.numbers.entry(wanted.to_string()).or_insert(1);
        loop {
            *number += 1;
            let free = format!("{wanted}_{number}");
            if self.used.insert(free.clone()) {
                return free;
            }
        }
    }
}

/// The name with everything but letters and digits replaced, and without closing brackets. Names that begin with a digit, or
/// with an underscore as those of C's own library do, get a letter in front; so do those that end
/// as C's own types do.
pub(crate) fn identifier(name: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let text: String = name.chars().filter(|c| *c != ']').map(plain).collect();
    let starts_well = text.starts_with(|c: char| c.is_ascii_alphabetic());
    if starts_well && !text.ends_with("_t") { text } else { format!("v_{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_taken_gets_the_smallest_number_that_is_free() {
        let mut names = Taken { used: ["x_3".to_string()].into(), numbers: BTreeMap::new() };
        let given = [(); 4].map(|()| names.unused("x"));
        assert_eq!(given, ["x", "x_2", "x_4", "x_5"]);
    }

    #[test]
    fn identifiers_are_those_of_c() {
        let cases = [
            ("pump.alarm#2.level", "pump_alarm_2_level"),
            ("gains[2].low", "gains_2_low"),
            ("6counter", "v_6counter"),
        ];
        for (name, expected) in cases.into_iter().chain([("_x", "v__x"), ("size_t", "v_size_t")]) {
            assert_eq!(identifier(name), expected);
        }
    }
}
