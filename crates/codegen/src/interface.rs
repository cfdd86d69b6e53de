//! The structures of inputs and outputs, in which arrays are arrays and structures are structures as in
//! the model. The flat system has a scalar for each part; their names tell what they are parts of.

use std::fmt::Write;

use provoke_analysis::Widths;
use provoke_model::{IntWidth, System, VarId};

use crate::names::{Names, Taken, identifier};
use crate::notation::type_name;
use crate::{CodeOptions, Field};

/// A part of a structure in C.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Member {
    /// One variable.
    Scalar(VarId),
    /// Elements of one type.
    Array(Vec<Member>),
    /// Named parts.
    Struct(Vec<(String, Member)>),
}

/// The members of one structure, and the variables in them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Interface {
    pub(crate) members: Vec<(String, Member)>,
    pub(crate) fields: Vec<Field>,
}

/// Types of structures, each declared once.
#[derive(Default)]
pub(crate) struct StructTypes {
    /// What they hold, and their names.
    known: Vec<(String, String)>,
    /// Their declarations.
    pub(crate) text: String,
}

impl Interface {
    /// The structure of some variables, in the order of their declaration.
    pub(crate) fn new(
        system: &System,
        vars: &[VarId],
        widths: &Widths,
        names: &Names,
        options: &CodeOptions,
    ) -> Interface {
        let mut members: Vec<(String, Member)> = Vec::new();
        let mut taken = Taken::reserved();
        let base = |var: VarId| split(&system.vars[var].name).0;
        for group in vars.chunk_by(|a, b| base(*a) == base(*b)) {
            match assembled(system, group) {
                Some(member) => members.push((taken.unused(&identifier(base(group[0]))), member)),
                None => members.extend(group.iter().map(|var| {
                    let name = taken.unused(&identifier(&system.vars[*var].name));
                    (name, Member::Scalar(*var))
                })),
            }
        }
        let mut fields = Vec::new();
        for (name, member) in &members {
            let mut leaves = member.widths(widths).into_iter();
            member.collect(name, &mut |var, path| {
                let int = leaves.next().unwrap_or(widths.vars[var]);
                let ty = type_name(system.vars[var].ty, int, names, options);
                fields.push(Field { var, name: path, ty, int });
            });
        }
        Interface { members, fields }
    }

    /// The declarations of the members.
    pub(crate) fn declarations(
        &self,
        types: &mut StructTypes,
        names: &mut Names,
        remark: impl Fn(&Field) -> String,
    ) -> String {
        let mut text = String::new();
        let mut fields = self.fields.iter();
        for (name, member) in &self.members {
            let own: Vec<&Field> = fields.by_ref().take(member.count()).collect();
            let Some(first) = own.first() else { continue };
            let comment = remark(first);
            let (ty, sizes) = types.of(name, member, &own, names);
            let _ = writeln!(text, "    {ty} {name}{sizes};{comment}");
        }
        text
    }
}

impl Member {
    /// How many scalars it has.
    fn count(&self) -> usize {
        match self {
            Member::Scalar(_) => 1,
            Member::Array(elements) => elements.iter().map(Member::count).sum(),
            Member::Struct(parts) => parts.iter().map(|(_, part)| part.count()).sum(),
        }
    }

    /// All scalars with their paths.
    fn collect(&self, path: &str, found: &mut impl FnMut(VarId, String)) {
        match self {
            Member::Scalar(var) => found(*var, path.to_string()),
            Member::Array(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    element.collect(&format!("{path}[{index}]"), found);
                }
            }
            Member::Struct(parts) => {
                for (name, part) in parts {
                    part.collect(&format!("{path}.{name}"), found);
                }
            }
        }
    }

    /// How wide each of its scalars is: elements of an array have one type.
    fn widths(&self, widths: &Widths) -> Vec<IntWidth> {
        match self {
            Member::Scalar(var) => vec![widths.vars[*var]],
            Member::Struct(parts) => {
                parts.iter().flat_map(|(_, part)| part.widths(widths)).collect()
            }
            Member::Array(elements) => {
                let all: Vec<Vec<IntWidth>> =
                    elements.iter().map(|element| element.widths(widths)).collect();
                let widest = |place: usize| all.iter().map(|one| one[place]).max();
                let one: Vec<IntWidth> = (0..all[0].len()).filter_map(widest).collect();
                one.repeat(elements.len())
            }
        }
    }

    /// Whether two members are of the same type.
    fn is_like(&self, other: &Member, system: &System) -> bool {
        match (self, other) {
            (Member::Scalar(a), Member::Scalar(b)) => system.vars[*a].ty == system.vars[*b].ty,
            (Member::Array(a), Member::Array(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_like(b, system))
            }
            (Member::Struct(a), Member::Struct(b)) => {
                let alike = |((a, own), (b, others)): (&(String, Member), &(String, Member))| {
                    a == b && own.is_like(others, system)
                };
                a.len() == b.len() && a.iter().zip(b).all(alike)
            }
            _ => false,
        }
    }

    /// The values of its scalars as an initialiser of C.
    pub(crate) fn initialiser(&self, values: &mut impl Iterator<Item = String>) -> String {
        let parts: Vec<String> = match self {
            Member::Scalar(_) => return values.next().unwrap_or_default(),
            Member::Array(elements) => {
                elements.iter().map(|element| element.initialiser(values)).collect()
            }
            Member::Struct(parts) => {
                parts.iter().map(|(_, part)| part.initialiser(values)).collect()
            }
        };
        format!("{{ {} }}", parts.join(", "))
    }
}

impl StructTypes {
    /// The type of a member, and the sizes of its arrays.
    fn of(
        &mut self,
        name: &str,
        member: &Member,
        fields: &[&Field],
        names: &mut Names,
    ) -> (String, String) {
        match member {
            Member::Scalar(_) => (fields[0].ty.clone(), String::new()),
            Member::Array(elements) => {
                let (ty, sizes) = self.of(name, &elements[0], fields, names);
                (ty, format!("[{}]{sizes}", elements.len()))
            }
            Member::Struct(parts) => {
                let mut body = String::new();
                let mut from = 0;
                for (part, member) in parts {
                    let (ty, sizes) = self.of(part, member, &fields[from..], names);
                    let _ = writeln!(body, "    {ty} {part}{sizes};");
                    from += member.count();
                }
                (self.declared(name, body, names), String::new())
            }
        }
    }

    fn declared(&mut self, name: &str, body: String, names: &mut Names) -> String {
        if let Some((_, known)) = self.known.iter().find(|(held, _)| *held == body) {
            return known.clone();
        }
        let ty = names.taken.unused(&format!("{}_{name}", names.model));
        let _ = write!(self.text, "typedef struct {{\n{body}}} {ty};\n\n");
        self.known.push((body, ty.clone()));
        ty
    }
}

/// A name in front of the first `.` or `[`, and the rest.
fn split(name: &str) -> (&str, &str) {
    name.split_at(name.find(['.', '[']).unwrap_or(name.len()))
}

/// Scalars of one variable as what they are parts of; nothing if their names are of no such form.
fn assembled(system: &System, vars: &[VarId]) -> Option<Member> {
    let parts: Vec<(&str, VarId)> =
        vars.iter().map(|var| (split(&system.vars[*var].name).1, *var)).collect();
    assemble(system, &parts)
}

fn assemble(system: &System, parts: &[(&str, VarId)]) -> Option<Member> {
    if let [("", var)] = parts {
        return Some(Member::Scalar(*var));
    }
    let mut groups: Vec<(String, Vec<(&str, VarId)>)> = Vec::new();
    let is_array = parts.first()?.0.starts_with('[');
    for (suffix, var) in parts {
        let (key, rest) = match is_array {
            true => suffix.strip_prefix('[')?.split_once(']')?,
            false => split(suffix.strip_prefix('.')?),
        };
        match groups.last_mut().filter(|(last, _)| last == key) {
            Some((_, members)) => members.push((rest, *var)),
            None => groups.push((key.to_string(), vec![(rest, *var)])),
        }
    }
    let mut members = Vec::new();
    for (key, parts) in &groups {
        members.push((key.clone(), assemble(system, parts)?));
    }
    if !is_array {
        let mut taken = Taken::reserved();
        let named = |(name, member): (String, Member)| (taken.unused(&identifier(&name)), member);
        return Some(Member::Struct(members.into_iter().map(named).collect()));
    }
    let in_order = members.iter().enumerate().all(|(at, (key, _))| *key == at.to_string());
    let elements: Vec<Member> = members.into_iter().map(|(_, element)| element).collect();
    let alike = elements.iter().all(|element| element.is_like(&elements[0], system));
    (in_order && alike).then_some(Member::Array(elements))
}
