//! The types of a file, interned, and how each falls apart into scalars.

use provoke_base::{IndexVec, Int, define_id};
use provoke_model::{EnumId, EnumType, Range, Type};
use rustc_hash::FxHashMap;

define_id! {
    /// A type of a file.
    TypeId,
    /// A struct of a file.
    StructId,
}

/// The forms of types.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// Of something that was reported already; fits everything.
    Error,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `real`
    Real,
    /// `subrange [low, high] of int`
    Range(Int, Int),
    /// An enumeration.
    Enum(EnumId),
    /// A struct.
    Struct(StructId),
    /// So many elements of a type.
    Array(TypeId, usize),
    /// Several values in a row.
    Tuple(Vec<TypeId>),
}

/// A struct type.
#[derive(Debug)]
pub struct StructType {
    /// Its name.
    pub name: String,
    /// Its fields in the order of declaration.
    pub fields: Vec<(String, TypeId)>,
}

/// A scalar part of a variable: the end of its name, and its type.
pub struct Leaf {
    /// What the name of the variable gets behind it: `.x[2]`.
    pub suffix: String,
    /// The scalar's type.
    pub ty: Type,
    /// The bounds of a subrange.
    pub range: Option<Range>,
}

/// The largest number of scalars that one variable may fall apart into.
pub(crate) const MAX_LEAVES: usize = 100_000;
/// The deepest nesting of structs and arrays.
pub(crate) const MAX_NESTING: usize = 64;

/// All types of a file.
#[derive(Debug)]
pub struct Types {
    forms: IndexVec<TypeId, Form>,
    known: FxHashMap<Form, TypeId>,
    leaf_counts: IndexVec<TypeId, usize>,
    nesting: IndexVec<TypeId, usize>,
    /// The struct types.
    pub structs: IndexVec<StructId, StructType>,
    /// The enumerations.
    pub enums: IndexVec<EnumId, EnumType>,
    pub(crate) error: TypeId,
    pub(crate) bool: TypeId,
    pub(crate) int: TypeId,
    pub(crate) real: TypeId,
}

impl Types {
    pub(crate) fn new() -> Types {
        let none = provoke_base::index::Id::new(0);
        let mut types = Types {
            forms: IndexVec::new(),
            known: FxHashMap::default(),
            leaf_counts: IndexVec::new(),
            nesting: IndexVec::new(),
            structs: IndexVec::new(),
            enums: IndexVec::new(),
            error: none,
            bool: none,
            int: none,
            real: none,
        };
        types.error = types.intern(Form::Error);
        types.bool = types.intern(Form::Bool);
        types.int = types.intern(Form::Int);
        types.real = types.intern(Form::Real);
        types
    }

    pub(crate) fn intern(&mut self, form: Form) -> TypeId {
        if let Some(&id) = self.known.get(&form) {
            return id;
        }
        let parts = self.parts(&form);
        let (leaves, nesting) = match &form {
            Form::Array(element, size) => {
                (self.leaf_counts[*element].saturating_mul(*size), self.nesting[*element] + 1)
            }
            Form::Struct(_) | Form::Tuple(_) => {
                let sum = |sum: usize, part: &TypeId| sum.saturating_add(self.leaf_counts[*part]);
                let deepest = parts.iter().map(|part| self.nesting[*part]).max();
                (parts.iter().fold(0, sum), deepest.unwrap_or(0) + 1)
            }
            _ => (1, 0),
        };
        self.leaf_counts.push(leaves);
        self.nesting.push(nesting);
        let id = self.forms.push(form.clone());
        self.known.insert(form, id);
        id
    }

    fn parts(&self, form: &Form) -> Vec<TypeId> {
        match form {
            Form::Struct(id) => self.structs[*id].fields.iter().map(|(_, ty)| *ty).collect(),
            Form::Tuple(items) => items.clone(),
            _ => Vec::new(),
        }
    }

    /// What the type is.
    pub fn form(&self, id: TypeId) -> &Form {
        &self.forms[id]
    }

    /// How many scalars it falls apart into.
    pub fn leaf_count(&self, id: TypeId) -> usize {
        self.leaf_counts[id]
    }

    /// How deeply structs and arrays are nested in it.
    pub(crate) fn nesting(&self, id: TypeId) -> usize {
        self.nesting[id]
    }

    /// One type for several values in a row.
    pub(crate) fn tuple(&mut self, items: Vec<TypeId>) -> TypeId {
        if items.len() == 1 { items[0] } else { self.intern(Form::Tuple(items)) }
    }

    /// Whether a value of one can stand for a value of the other; a subrange is an int.
    pub(crate) fn same(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        match (self.form(a), self.form(b)) {
            (Form::Error, _) | (_, Form::Error) => true,
            (Form::Int | Form::Range(..), Form::Int | Form::Range(..)) => true,
            (Form::Array(a, n), Form::Array(b, m)) => n == m && self.same(*a, *b),
            (Form::Tuple(a), Form::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same(*a, *b))
            }
            _ => false,
        }
    }

    pub(crate) fn is_error(&self, id: TypeId) -> bool {
        *self.form(id) == Form::Error
    }

    pub(crate) fn is_int(&self, id: TypeId) -> bool {
        matches!(self.form(id), Form::Int | Form::Range(..))
    }

    /// The type as the user writes it.
    pub(crate) fn show(&self, id: TypeId) -> String {
        match self.form(id) {
            Form::Error => "?".to_string(),
            Form::Bool => "bool".to_string(),
            Form::Int => "int".to_string(),
            Form::Real => "real".to_string(),
            Form::Range(low, high) => format!("subrange [{low}, {high}] of int"),
            Form::Enum(id) => self.enums[*id].name.clone(),
            Form::Struct(id) => self.structs[*id].name.clone(),
            Form::Array(element, size) => format!("{}[{size}]", self.show(*element)),
            Form::Tuple(items) => {
                let shown: Vec<String> = items.iter().map(|item| self.show(*item)).collect();
                format!("({})", shown.join(", "))
            }
        }
    }

    /// The scalars it falls apart into, in order.
    pub fn leaves(&self, id: TypeId) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        self.collect_leaves(id, String::new(), &mut leaves);
        leaves
    }

    fn collect_leaves(&self, id: TypeId, suffix: String, leaves: &mut Vec<Leaf>) {
        let scalar = |ty, range| Leaf { suffix: suffix.clone(), ty, range };
        match self.form(id) {
            Form::Error => {}
            Form::Bool => leaves.push(scalar(Type::Bool, None)),
            Form::Int => leaves.push(scalar(Type::Int, None)),
            Form::Real => leaves.push(scalar(Type::Real, None)),
            Form::Range(low, high) => {
                let range = Range { low: low.clone(), high: high.clone() };
                leaves.push(scalar(Type::Int, Some(range)));
            }
            Form::Enum(id) => leaves.push(scalar(Type::Enum(*id), None)),
            Form::Struct(id) => {
                for (field, ty) in &self.structs[*id].fields {
                    self.collect_leaves(*ty, format!("{suffix}.{field}"), leaves);
                }
            }
            Form::Array(element, size) => {
                for index in 0..*size {
                    self.collect_leaves(*element, format!("{suffix}[{index}]"), leaves);
                }
            }
            Form::Tuple(items) => {
                for item in items {
                    self.collect_leaves(*item, suffix.clone(), leaves);
                }
            }
        }
    }
}
