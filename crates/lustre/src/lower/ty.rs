//! The types of a sugared program, and how they are declared in the plain one.

use std::rc::Rc;

use provoke_base::{Int, Span};
use provoke_model::MachineInt;

use super::Lowering;
use crate::ast::{Decl, ExprId, Name, TypeBase, TypeBody, TypeDef, TypeExpr};
use crate::sugar::TypeSugar;
use crate::types::MAX_LEAVES;

/// A type.
#[derive(Clone, Debug)]
pub(super) enum Ty {
    /// Of something that the checker will report.
    Unknown,
    Bool,
    Int,
    Real,
    Machine(MachineInt),
    Enum(Rc<str>),
    /// A struct or a tuple.
    Struct(Rc<StructTy>),
    Array(Rc<Ty>, usize),
    Data(Rc<DataTy>),
    /// Integers between bounds, where there are any.
    Range(Option<Int>, Option<Int>),
    Refined(Rc<RefinedTy>),
    /// Several values in a row.
    Group(Vec<Ty>),
    /// A name that the checker will look up.
    Named(Name),
}

/// A struct, or a tuple whose fields are called `0`, `1`, ...
#[derive(Debug)]
pub(super) struct StructTy {
    pub(super) name: String,
    pub(super) tuple: bool,
    pub(super) fields: Vec<(String, Ty)>,
    /// The declared type and its arguments.
    pub(super) origin: Option<(usize, Vec<Ty>)>,
    /// How many scalars it holds.
    pub(super) leaves: usize,
}

/// A datatype: which constructor a value was built with, and the fields of each of them.
#[derive(Debug)]
pub(super) struct DataTy {
    pub(super) name: String,
    pub(super) constructors: Vec<(String, Vec<(String, Ty)>)>,
    /// The declared type and its arguments.
    pub(super) origin: (usize, Vec<Ty>),
    /// How many scalars it holds.
    pub(super) leaves: usize,
}

impl DataTy {
    /// Whether no constructor has a field: then it is an enumeration.
    pub(super) fn is_plain(&self) -> bool {
        self.constructors.iter().all(|(_, fields)| fields.is_empty())
    }
}

/// Values of a type for which a condition holds.
#[derive(Debug)]
pub(super) struct RefinedTy {
    pub(super) base: Ty,
    pub(super) variable: Name,
    pub(super) condition: ExprId,
    /// What the condition's type parameters stand for, if it is part of a global declaration.
    pub(super) global: Option<Vec<(Box<str>, Ty)>>,
}

impl Ty {
    /// The type without conditions on the whole value.
    pub(super) fn base(&self) -> &Ty {
        match self {
            Ty::Range(..) => &Ty::Int,
            Ty::Refined(refined) => refined.base.base(),
            _ => self,
        }
    }

    /// The type as it is written, without conditions: equal for types whose values fit together.
    pub(super) fn show(&self) -> String {
        match self.base() {
            Ty::Unknown | Ty::Refined(_) => "?".to_string(),
            Ty::Bool => "bool".to_string(),
            Ty::Int | Ty::Range(..) => "int".to_string(),
            Ty::Real => "real".to_string(),
            Ty::Machine(ty) => ty.to_string(),
            Ty::Enum(name) => name.to_string(),
            Ty::Struct(ty) => ty.name.clone(),
            Ty::Array(element, size) => format!("{}^{size}", element.show()),
            Ty::Data(ty) => ty.name.clone(),
            Ty::Named(name) => name.text.to_string(),
            Ty::Group(items) => {
                let items: Vec<String> = items.iter().map(Ty::show).collect();
                format!("({})", items.join(", "))
            }
        }
    }

    /// The type without conditions on it or its elements.
    fn without_ranges(&self) -> Ty {
        match self.base() {
            Ty::Array(element, size) => Ty::Array(Rc::new(element.without_ranges()), *size),
            ty => ty.clone(),
        }
    }

    /// How many scalars it holds.
    fn leaves(&self) -> usize {
        match self.base() {
            Ty::Struct(found) => found.leaves,
            Ty::Data(found) => found.leaves,
            Ty::Array(element, size) => element.leaves().saturating_mul(*size),
            _ => 1,
        }
    }

    /// A tuple of these types.
    pub(super) fn tuple(items: Vec<Ty>) -> Ty {
        let shown: Vec<String> = items.iter().map(Ty::show).collect();
        let name = format!("[{}]", shown.join(", "));
        let fields: Vec<_> =
            items.into_iter().enumerate().map(|(at, ty)| (at.to_string(), ty)).collect();
        let leaves = leaves(&fields);
        Ty::Struct(Rc::new(StructTy { name, tuple: true, fields, origin: None, leaves }))
    }

    /// The type of a field.
    pub(super) fn field(&self, name: &str) -> Ty {
        let found = match self.base() {
            Ty::Struct(ty) => ty.fields.iter().find(|(field, _)| field == name),
            _ => None,
        };
        found.map_or(Ty::Unknown, |(_, ty)| ty.clone())
    }
}

/// From what is written to types.
impl<'a> Lowering<'a, '_> {
    pub(super) fn ty(&mut self, expr: &TypeExpr) -> Ty {
        let mut ty = match &expr.base {
            TypeBase::Bool => Ty::Bool,
            TypeBase::Int => Ty::Int,
            TypeBase::Real => Ty::Real,
            TypeBase::Machine(ty) => Ty::Machine(*ty),
            TypeBase::Named(name) => self.global_type(name, Vec::new()),
            TypeBase::Subrange(low, high) => {
                match (self.constant_int(*low), self.constant_int(*high)) {
                    (Some(low), Some(high)) if low <= high => Ty::Range(Some(low), Some(high)),
                    (Some(low), Some(high)) => {
                        let message = format!("the subrange [{low}, {high}] is empty");
                        let label = "the first bound must not be larger";
                        let help = "change one of the bounds";
                        self.error("empty-range", expr.span, message, label, help);
                        Ty::Unknown
                    }
                    _ => Ty::Unknown,
                }
            }
            TypeBase::Sugar(sugar) => self.sugared_type(sugar),
        };
        for &size in &expr.sizes {
            ty = match self.array_size(size) {
                Some(size) => self.limited(Ty::Array(Rc::new(ty), size), expr.span),
                None => Ty::Unknown,
            };
        }
        ty
    }

    fn sugared_type(&mut self, sugar: &TypeSugar) -> Ty {
        match sugar {
            TypeSugar::Tuple(items) => {
                let span = items.first().map_or(Span::default(), |item| item.span);
                let tuple = Ty::tuple(items.iter().map(|item| self.ty(item)).collect());
                self.limited(tuple, span)
            }
            TypeSugar::Refined(variable, ty, condition) => {
                let base = self.ty(ty);
                let global = (self.making.is_none() || !self.resolving.is_empty())
                    .then(|| self.scope.type_arguments.clone());
                let (variable, condition) = (variable.clone(), *condition);
                Ty::Refined(Rc::new(RefinedTy { base, variable, condition, global }))
            }
            TypeSugar::Open(low, high) => {
                let low = low.and_then(|low| self.constant_int(low));
                let high = high.and_then(|high| self.constant_int(high));
                Ty::Range(low, high)
            }
            TypeSugar::Applied(name, arguments) => {
                let arguments = arguments.iter().map(|argument| self.ty(argument)).collect();
                self.global_type(name, arguments)
            }
        }
    }

    /// The type, unless it is larger than anyone writes: types can double from one to the next.
    pub(super) fn limited(&mut self, ty: Ty, span: Span) -> Ty {
        const MAX_NAME: usize = 4_000;
        let name = match &ty {
            Ty::Struct(found) => found.name.len(),
            Ty::Data(found) => found.name.len(),
            _ => 0,
        };
        if name > MAX_NAME || ty.leaves() > MAX_LEAVES {
            let message = format!("this type is too large: at most {MAX_LEAVES} scalars");
            let help = "use smaller arrays and fewer types in types";
            self.error("type-too-large", span, message, "too large", help);
            return Ty::Unknown;
        }
        ty
    }

    /// A declared type with its arguments, or the argument that a parameter stands for.
    pub(super) fn global_type(&mut self, name: &Name, arguments: Vec<Ty>) -> Ty {
        let own = &self.scope.type_arguments;
        if let Some((_, ty)) = own.iter().find(|(param, _)| *param == name.text) {
            return ty.clone();
        }
        let Some(&index) = self.type_names.get(&*name.text) else {
            return match MachineInt::named(&name.text) {
                Some(ty) => Ty::Machine(ty),
                None => Ty::Named(name.clone()),
            };
        };
        let def = &self.old.types[index];
        if def.params.len() != arguments.len() {
            let (needs, given) = (def.params.len(), arguments.len());
            let message = format!("`{}` takes {needs} types, {given} given", name.text);
            let help = format!("write `{}<...>` with {needs} types", name.text);
            self.error("wrong-count", name.span, message, "wrong number of types", &help);
            return Ty::Unknown;
        }
        self.applied(index, name, arguments)
    }

    /// A declared type with as many arguments as it needs.
    pub(super) fn applied(&mut self, index: usize, name: &Name, arguments: Vec<Ty>) -> Ty {
        const MAX_DEPTH: usize = 60;
        if let Some(known) = self.known_types.get(&index)
            && arguments.is_empty()
        {
            return known.clone();
        }
        let def = &self.old.types[index];
        if self.resolving.contains(&&*def.name.text) || self.resolving.len() >= MAX_DEPTH {
            let message = format!("the type `{}` contains itself", name.text);
            let help = "values of it have no bounded size; unfold it as deeply as is needed, with \
                        one type for each level";
            self.error("recursive-type", name.span, message, "here it is part of itself", help);
            return Ty::Unknown;
        }
        self.resolving.push(&def.name.text);
        let params = def.params.iter().map(|param| param.text.clone());
        let inner = params.zip(arguments.iter().cloned()).collect();
        let outer = std::mem::replace(&mut self.scope.type_arguments, inner);
        let ty = self.type_body(def, index, &arguments);
        self.scope.type_arguments = outer;
        self.resolving.pop();
        let ty = self.limited(ty, name.span);
        if arguments.is_empty() {
            self.known_types.insert(index, ty.clone());
        }
        ty
    }

    fn type_body(&mut self, def: &'a TypeDef, index: usize, arguments: &[Ty]) -> Ty {
        let name = applied_name(&def.name.text, arguments);
        match &def.body {
            TypeBody::Alias(ty) => self.ty(ty),
            TypeBody::Enum(_) => Ty::Enum(Rc::from(&*def.name.text)),
            TypeBody::Struct(fields) => {
                let fields = self.fields(fields);
                let origin = Some((index, arguments.to_vec()));
                let leaves = leaves(&fields);
                Ty::Struct(Rc::new(StructTy { name, tuple: false, fields, origin, leaves }))
            }
            TypeBody::Datatype(items) => {
                let fields = |(item, fields): &'a (Name, Vec<Decl>)| {
                    (item.text.to_string(), self.fields(fields))
                };
                let constructors: Vec<(String, Vec<(String, Ty)>)> =
                    items.iter().map(fields).collect();
                let own = constructors.iter().map(|(_, fields)| leaves(fields));
                let leaves = own.fold(1, usize::saturating_add);
                let origin = (index, arguments.to_vec());
                Ty::Data(Rc::new(DataTy { name, constructors, origin, leaves }))
            }
            TypeBody::Free => self.open_type(&def.name),
        }
    }

    fn fields(&mut self, fields: &[Decl]) -> Vec<(String, Ty)> {
        fields.iter().map(|field| (field.name.text.to_string(), self.ty(&field.ty))).collect()
    }
}

fn leaves(fields: &[(String, Ty)]) -> usize {
    fields.iter().map(|(_, ty)| ty.leaves()).fold(0, usize::saturating_add)
}

fn applied_name(name: &str, arguments: &[Ty]) -> String {
    if arguments.is_empty() {
        return name.to_string();
    }
    let shown: Vec<String> = arguments.iter().map(Ty::show).collect();
    format!("{name}<{}>", shown.join("; "))
}

/// From types to declarations of the plain program.
impl Lowering<'_, '_> {
    /// The type as it is written in the plain program, with what must be declared for it.
    pub(super) fn emit(&mut self, ty: &Ty, span: Span) -> TypeExpr {
        let plain = |base| TypeExpr { base, sizes: Vec::new(), span };
        let named = |text: &str| plain(TypeBase::Named(Name { text: text.into(), span }));
        match ty {
            Ty::Bool => plain(TypeBase::Bool),
            Ty::Int => plain(TypeBase::Int),
            Ty::Real => plain(TypeBase::Real),
            Ty::Machine(ty) => plain(TypeBase::Machine(*ty)),
            Ty::Enum(name) => named(name),
            Ty::Named(name) => plain(TypeBase::Named(name.clone())),
            // Whoever made it unknown has reported why.
            Ty::Unknown | Ty::Group(_) => plain(TypeBase::Bool),
            Ty::Range(Some(low), Some(high)) => {
                let (low, high) = (self.int(low.clone(), span), self.int(high.clone(), span));
                plain(TypeBase::Subrange(low, high))
            }
            Ty::Range(..) => plain(TypeBase::Int),
            Ty::Refined(refined) => self.emit(&refined.base, span),
            Ty::Array(element, size) => {
                let mut array = self.emit(element, span);
                array.sizes.push(self.int(*size as i64, span));
                array
            }
            Ty::Struct(found) => {
                self.declare_any_struct(found, ty.keeps_ranges(), span);
                named(&found.name)
            }
            Ty::Data(ty) => {
                self.declare_data(ty, span);
                if ty.is_plain() { named(&self.tag_type(ty)) } else { named(&ty.name) }
            }
        }
    }

    fn declare_any_struct(&mut self, ty: &StructTy, keeps_ranges: bool, span: Span) {
        match keeps_ranges {
            true => self.declare_struct(&ty.name, &ty.fields, span),
            false => self.declare_plain_struct(&ty.name, &ty.fields, span),
        }
    }

    /// A struct whose fields are what they are for every use of the type.
    pub(super) fn declare_plain_struct(&mut self, name: &str, fields: &[(String, Ty)], span: Span) {
        let fields: Vec<(String, Ty)> =
            fields.iter().map(|(field, ty)| (field.clone(), ty.without_ranges())).collect();
        self.declare_struct(name, &fields, span);
    }

    fn declare_struct(&mut self, name: &str, fields: &[(String, Ty)], span: Span) {
        if !self.emitted.insert(name.to_string()) {
            return;
        }
        let fields = fields
            .iter()
            .map(|(field, ty)| {
                let name = Name { text: field.as_str().into(), span };
                Decl { name, ty: self.emit(ty, span), constant: false }
            })
            .collect();
        let name = Name { text: name.into(), span };
        self.new.types.push(TypeDef { name, params: Vec::new(), body: TypeBody::Struct(fields) });
    }
}
