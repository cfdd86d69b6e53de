//! The types of a file, interned, and how each falls apart into scalars.

use provoke_base::{IndexVec, Int, define_id};
use provoke_model::{EnumId, EnumType, MachineInt, Range, Type};
use rustc_hash::FxHashMap;

define_id! {
    /// A type of a file.
    TypeId,
    /// A struct of a file.
    StructId,
}

/// The forms of types.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeForm {
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
    /// `int8`, `uint<12>`
    Machine(MachineInt),
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
    /// The bounds of a subrange or of a machine's type.
    pub range: Option<Range>,
    /// The machine's type, if it is one.
    pub machine: Option<MachineInt>,
}

/// The largest number of scalars that one variable may fall apart into.
pub(crate) const MAX_LEAVES: usize = 100_000;
/// The deepest nesting of structs and arrays.
pub(crate) const MAX_NESTING: usize = 64;

/// All types of a file.
#[derive(Debug)]
pub struct Types {
    forms: IndexVec<TypeId, TypeForm>,
    known: FxHashMap<TypeForm, TypeId>,
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
        types.error = types.intern(TypeForm::Error);
        types.bool = types.intern(TypeForm::Bool);
        types.int = types.intern(TypeForm::Int);
        types.real = types.intern(TypeForm::Real);
        types
    }

    pub(crate) fn intern(&mut self, form: TypeForm) -> TypeId {
        if let Some(&id) = self.known.get(&form) {
            return id;
        }
        let parts = self.parts(&form);
        let (leaves, nesting) = match &form {
            TypeForm::Array(element, size) => {
                (self.leaf_counts[*element].saturating_mul(*size), self.nesting[*element] + 1)
            }
            TypeForm::Struct(_) | TypeForm::Tuple(_) => {
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

    fn parts(&self, form: &TypeForm) -> Vec<TypeId> {
        match form {
            TypeForm::Struct(id) => self.structs[*id].fields.iter().map(|(_, ty)| *ty).collect(),
            TypeForm::Tuple(items) => items.clone(),
            _ => Vec::new(),
        }
    }

    /// What the type is.
    pub fn form(&self, id: TypeId) -> &TypeForm {
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
        if items.len() == 1 { items[0] } else { self.intern(TypeForm::Tuple(items)) }
    }

    /// Whether a value of one can stand for a value of the other; a subrange is an int.
    pub(crate) fn same(&self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        match (self.form(a), self.form(b)) {
            (TypeForm::Error, _) | (_, TypeForm::Error) => true,
            (TypeForm::Int | TypeForm::Range(..), TypeForm::Int | TypeForm::Range(..)) => true,
            (TypeForm::Array(a, n), TypeForm::Array(b, m)) => n == m && self.same(*a, *b),
            (TypeForm::Tuple(a), TypeForm::Tuple(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| self.same(*a, *b))
            }
            _ => false,
        }
    }

    pub(crate) fn is_error(&self, id: TypeId) -> bool {
        *self.form(id) == TypeForm::Error
    }

    pub(crate) fn is_int(&self, id: TypeId) -> bool {
        matches!(self.form(id), TypeForm::Int | TypeForm::Range(..))
    }

    /// The machine's type, if it is one.
    pub fn machine(&self, id: TypeId) -> Option<MachineInt> {
        match self.form(id) {
            TypeForm::Machine(ty) => Some(*ty),
            _ => None,
        }
    }

    /// The type as the user writes it.
    pub(crate) fn show(&self, id: TypeId) -> String {
        match self.form(id) {
            TypeForm::Error => "?".to_string(),
            TypeForm::Bool => "bool".to_string(),
            TypeForm::Int => "int".to_string(),
            TypeForm::Real => "real".to_string(),
            TypeForm::Range(low, high) => format!("subrange [{low}, {high}] of int"),
            TypeForm::Machine(ty) => ty.to_string(),
            TypeForm::Enum(id) => self.enums[*id].name.clone(),
            TypeForm::Struct(id) => self.structs[*id].name.clone(),
            TypeForm::Array(element, size) => format!("{}[{size}]", self.show(*element)),
            TypeForm::Tuple(items) => {
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
        let scalar = |ty, range| Leaf { suffix: suffix.clone(), ty, range, machine: None };
        match self.form(id) {
            TypeForm::Error => {}
            TypeForm::Bool => leaves.push(scalar(Type::Bool, None)),
            TypeForm::Int => leaves.push(scalar(Type::Int, None)),
            TypeForm::Real => leaves.push(scalar(Type::Real, None)),
            TypeForm::Range(low, high) => {
                let range = Range { low: low.clone(), high: high.clone() };
                leaves.push(scalar(Type::Int, Some(range)));
            }
            TypeForm::Machine(ty) => {
                let range = Some(Range::from(*ty));
                leaves.push(Leaf { machine: Some(*ty), ..scalar(Type::Int, range) });
            }
            TypeForm::Enum(id) => leaves.push(scalar(Type::Enum(*id), None)),
            TypeForm::Struct(id) => {
                for (field, ty) in &self.structs[*id].fields {
                    self.collect_leaves(*ty, format!("{suffix}.{field}"), leaves);
                }
            }
            TypeForm::Array(element, size) => {
                for index in 0..*size {
                    self.collect_leaves(*element, format!("{suffix}[{index}]"), leaves);
                }
            }
            TypeForm::Tuple(items) => {
                for item in items {
                    self.collect_leaves(*item, suffix.clone(), leaves);
                }
            }
        }
    }
}
