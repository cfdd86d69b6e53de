//! Datatypes as structs: a `tag` that says which constructor built the value, and the fields of
//! every constructor, of which only those of the tag mean anything.

use std::rc::Rc;

use provoke_base::{Int, Rational, Span};
use provoke_model::BinaryOp;

use super::Lowering;
use super::expr::Typed;
use super::ty::{DataTy, Ty};
use crate::ast::{AstExprKind, ExprId, Name, TypeBody, TypeDef};

/// The field that holds the constructor.
const TAG: &str = "tag";

impl<'a> Lowering<'a, '_> {
    /// Declares the struct of a datatype and the enumeration of its constructors.
    pub(super) fn declare_data(&mut self, ty: &DataTy, span: Span) {
        let tag = self.tag_type(ty);
        if self.emitted.insert(tag.clone()) {
            let constant = |(name, _): &(String, _)| Name { text: name.as_str().into(), span };
            let body = TypeBody::Enum(ty.constructors.iter().map(constant).collect());
            let name = Name { text: tag.as_str().into(), span };
            self.new.types.push(TypeDef { name, params: Vec::new(), body });
        }
        if ty.is_plain() {
            return;
        }
        let mut fields = vec![(TAG.to_string(), Ty::Enum(tag.as_str().into()))];
        for (constructor, own) in &ty.constructors {
            fields.extend(own.iter().map(|(field, ty)| (place(constructor, field), ty.clone())));
        }
        self.declare_plain_struct(&ty.name, &fields, span);
    }

    /// The enumeration of the constructors, which all uses of a datatype share.
    pub(super) fn tag_type(&self, ty: &DataTy) -> String {
        let declared = &self.old.types[ty.origin.0].name.text;
        if ty.is_plain() { declared.to_string() } else { format!("{declared}~{TAG}") }
    }

    /// `C(a, b)`
    pub(super) fn constructed(
        &mut self,
        name: &Name,
        types: Option<Vec<Ty>>,
        arguments: &'a [ExprId],
        want: Option<&Ty>,
        span: Span,
    ) -> Typed {
        let Some(&(index, position)) = self.constructors.get(&*name.text) else {
            let message = format!("`{}` is not a constructor of a datatype", name.text);
            self.error("unknown-name", span, message, "no such constructor", "check its name");
            return (self.bool(true, span), Ty::Unknown);
        };
        let wanted = match want.map(Ty::base) {
            Some(Ty::Data(data)) if data.origin.0 == index && types.is_none() => Some(data.clone()),
            _ => None,
        };
        let hints: Vec<Ty> = wanted.iter().flat_map(|data| types_of(data, position)).collect();
        let mut values: Vec<Typed> = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            values.push(self.expr(*argument, hints.get(at)));
        }
        let data = match (wanted, types) {
            (Some(data), _) => data,
            (None, Some(types)) => match self.global_type(&self.type_name(index, span), types) {
                Ty::Data(data) => data,
                _ => return (self.bool(true, span), Ty::Unknown),
            },
            (None, None) => match self.inferred_data(index, position, &values, span) {
                Some(data) => data,
                None => return (self.bool(true, span), Ty::Unknown),
            },
        };
        let values: Vec<ExprId> = values.into_iter().map(|(value, _)| value).collect();
        self.construct(&data, position, &values, span)
    }

    fn type_name(&self, index: usize, span: Span) -> Name {
        Name { text: self.old.types[index].name.text.clone(), span }
    }

    fn inferred_data(
        &mut self,
        index: usize,
        position: usize,
        values: &[Typed],
        span: Span,
    ) -> Option<Rc<DataTy>> {
        let def = &self.old.types[index];
        let TypeBody::Datatype(items) = &def.body else { return None };
        let declared: Vec<_> = items[position].1.iter().map(|field| &field.ty).collect();
        let given: Vec<Ty> = values.iter().map(|(_, ty)| ty.clone()).collect();
        let types = self.inferred(&def.params, &declared, &given, &items[position].0, span)?;
        match self.global_type(&self.type_name(index, span), types) {
            Ty::Data(data) => Some(data),
            _ => None,
        }
    }

    fn construct(
        &mut self,
        data: &Rc<DataTy>,
        position: usize,
        values: &[ExprId],
        span: Span,
    ) -> Typed {
        let ty = Ty::Data(data.clone());
        self.declare_data(data, span);
        let (name, own) = &data.constructors[position];
        if own.len() != values.len() {
            let (needs, given) = (own.len(), values.len());
            let message = format!("`{name}` takes {needs} arguments, {given} given");
            let help = "give one value for each field of the constructor";
            self.error("wrong-count", span, message, "wrong number of values", help);
            return (self.bool(true, span), ty);
        }
        let tag = self.tag_constant(name, span);
        if data.is_plain() {
            return (tag, ty);
        }
        let mut fields = vec![(TAG.to_string(), tag)];
        for (at, (constructor, others)) in data.constructors.iter().enumerate() {
            for (number, (field, field_ty)) in others.iter().enumerate() {
                let value = match at == position {
                    true => values[number],
                    false => self.some_value(field_ty, span),
                };
                fields.push((place(constructor, field), value));
            }
        }
        (self.record(&data.name, fields, span), ty)
    }

    fn tag_constant(&mut self, constructor: &str, span: Span) -> ExprId {
        let taken = |making: &super::Making| making.declared.contains(constructor);
        if self.making.as_ref().is_some_and(taken) {
            let message = format!("`{constructor}` is a constructor and a variable");
            let help = "rename the variable";
            self.error("declared-twice", span, message, "the constructor is meant", help);
        }
        self.name(constructor, span)
    }

    /// Whether a value was built by a constructor.
    pub(super) fn is_built_by(
        &mut self,
        value: ExprId,
        data: &DataTy,
        position: usize,
        span: Span,
    ) -> ExprId {
        if data.constructors.len() == 1 {
            return self.bool(true, span);
        }
        let tag = if data.is_plain() { value } else { self.field(value, TAG, span) };
        let constant = self.tag_constant(&data.constructors[position].0, span);
        self.binary(BinaryOp::Eq, tag, constant, span)
    }

    /// A field of a value that a constructor built.
    pub(super) fn payload(
        &mut self,
        value: ExprId,
        data: &DataTy,
        position: usize,
        number: usize,
        span: Span,
    ) -> Typed {
        let (constructor, fields) = &data.constructors[position];
        let (field, ty) = &fields[number];
        (self.field(value, &place(constructor, field), span), ty.clone())
    }

    /// `C?(e)`
    pub(super) fn tester(&mut self, constructor: &Name, value: ExprId, span: Span) -> Typed {
        let (value, ty) = self.expr(value, None);
        let position = match ty.base() {
            Ty::Data(data) => {
                let found =
                    data.constructors.iter().position(|(name, _)| **name == *constructor.text);
                found.map(|position| (data.clone(), position))
            }
            _ => None,
        };
        let Some((data, position)) = position else {
            let message = format!("`{}` builds no value of type `{}`", constructor.text, ty.show());
            let help = "ask for a constructor of the value's own datatype";
            self.error("unknown-name", constructor.span, message, "not a constructor of it", help);
            return (value, Ty::Bool);
        };
        let value = self.stable(value, &ty);
        (self.is_built_by(value, &data, position, span), Ty::Bool)
    }

    /// `e.f` for a value of a datatype: what it is for a value that was built otherwise, nobody says.
    pub(super) fn selected(
        &mut self,
        value: ExprId,
        data: &Rc<DataTy>,
        field: &Name,
        span: Span,
    ) -> Typed {
        let owners: Vec<(usize, usize)> = data
            .constructors
            .iter()
            .enumerate()
            .filter_map(|(at, (_, fields))| {
                let number = fields.iter().position(|(name, _)| **name == *field.text)?;
                Some((at, number))
            })
            .collect();
        let &[(position, number)] = &owners[..] else {
            let message = match owners.is_empty() {
                true => format!("`{}` has no field `{}`", data.name, field.text),
                false => format!("several constructors have a field `{}`", field.text),
            };
            let help = "take the value apart with `match`";
            self.error("unknown-field", field.span, message, "no single such field", help);
            return (value, Ty::Unknown);
        };
        let built_so = match &self.new.exprs[value].kind {
            AstExprKind::Record(_, fields) => {
                let tag = fields.iter().find(|(name, _)| &*name.text == TAG).map(|(_, tag)| *tag);
                let constructor = &*data.constructors[position].0;
                tag.is_some_and(|tag| match &self.new.exprs[tag].kind {
                    AstExprKind::Name(name) => *name.text == *constructor,
                    _ => false,
                })
            }
            _ => data.constructors.len() == 1,
        };
        if built_so {
            return self.payload(value, data, position, number, span);
        }
        if self.making.is_none() {
            let construct = "a field of a value that another constructor may have built";
            let help = "take the value apart with `match`, which says what it is then";
            self.unsupported(field.span, construct, help);
            return (value, Ty::Unknown);
        }
        let value = self.stable(value, &Ty::Data(data.clone()));
        let built = self.is_built_by(value, data, position, span);
        let (part, ty) = self.payload(value, data, position, number, span);
        // Equal values have equal fields, whatever they are.
        let key = self.path(part);
        let known = key.as_ref().and_then(|key| self.made().selected.get(key).cloned());
        let any = match known {
            Some(known) => self.name(&known, span),
            None => self.anything(&ty, span),
        };
        if let (Some(key), AstExprKind::Name(name)) = (key, &self.new.exprs[any].kind) {
            let name = name.text.clone();
            self.made().selected.insert(key, name);
        }
        (self.add(AstExprKind::If(built, part, any), span), ty.base().clone())
    }

    /// Equality, which of datatypes compares only what means something.
    pub(super) fn equality(
        &mut self,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
        ty: &Ty,
        span: Span,
    ) -> ExprId {
        if !holds_data(ty) {
            return self.binary(op, left, right, span);
        }
        let (left, right) = (self.stable(left, ty), self.stable(right, ty));
        let equal = self.equal(left, right, ty, span);
        match op {
            BinaryOp::Ne => {
                let not = provoke_model::UnaryOp::Not;
                self.add(AstExprKind::Unary(not, equal), span)
            }
            _ => equal,
        }
    }

    fn equal(&mut self, left: ExprId, right: ExprId, ty: &Ty, span: Span) -> ExprId {
        if !holds_data(ty) || self.too_large {
            return self.binary(BinaryOp::Eq, left, right, span);
        }
        let mut parts = Vec::new();
        match ty.base() {
            Ty::Struct(found) => {
                for (field, ty) in &found.fields {
                    let (a, b) = (self.field(left, field, span), self.field(right, field, span));
                    parts.push(self.equal(a, b, ty, span));
                }
            }
            Ty::Array(element, size) => {
                for at in 0..*size {
                    let index = self.int(at as i64, span);
                    let a = self.add(AstExprKind::Index(left, index), span);
                    let b = self.add(AstExprKind::Index(right, index), span);
                    parts.push(self.equal(a, b, element, span));
                }
            }
            Ty::Data(data) => return self.equal_data(left, right, &data.clone(), span),
            _ => return self.binary(BinaryOp::Eq, left, right, span),
        }
        self.join(BinaryOp::And, parts, true, span)
    }

    fn equal_data(&mut self, left: ExprId, right: ExprId, data: &DataTy, span: Span) -> ExprId {
        let (a, b) = (self.field(left, TAG, span), self.field(right, TAG, span));
        let mut parts = vec![self.binary(BinaryOp::Eq, a, b, span)];
        for (position, (_, fields)) in data.constructors.iter().enumerate() {
            let mut same = Vec::new();
            for number in 0..fields.len() {
                let (a, ty) = self.payload(left, data, position, number, span);
                let (b, _) = self.payload(right, data, position, number, span);
                same.push(self.equal(a, b, &ty, span));
            }
            if !same.is_empty() {
                let same = self.join(BinaryOp::And, same, true, span);
                let built = self.is_built_by(left, data, position, span);
                parts.push(self.binary(BinaryOp::Implies, built, same, span));
            }
        }
        self.join(BinaryOp::And, parts, true, span)
    }

    /// Any value of a type, where none means anything.
    pub(super) fn some_value(&mut self, ty: &Ty, span: Span) -> ExprId {
        match ty {
            Ty::Bool | Ty::Unknown | Ty::Group(_) | Ty::Named(_) => self.bool(false, span),
            Ty::Int => self.int(0, span),
            Ty::Real => {
                let zero = Rational::new(&Int::ZERO, &Int::from(1));
                self.add(AstExprKind::Real(zero.expect("one is not zero")), span)
            }
            Ty::Machine(ty) => self.machine_int(*ty, 0, span),
            Ty::Range(low, high) => {
                let value = low.clone().or_else(|| high.clone());
                self.int(value.unwrap_or(Int::ZERO), span)
            }
            Ty::Refined(refined) => self.some_value(&refined.base, span),
            Ty::Enum(name) => self.some_constant(name, span),
            Ty::Array(element, size) => {
                let element = self.some_value(element, span);
                self.add(AstExprKind::Array(vec![element; *size]), span)
            }
            Ty::Struct(found) => {
                self.emit(ty, span);
                let values = found.fields.iter();
                let values = values.map(|(field, ty)| (field.clone(), self.some_value(ty, span)));
                let values = values.collect();
                self.record(&found.name, values, span)
            }
            Ty::Data(data) => {
                let fields = &data.constructors[0].1;
                let values: Vec<ExprId> =
                    fields.iter().map(|(_, ty)| self.some_value(ty, span)).collect();
                self.construct(data, 0, &values, span).0
            }
        }
    }

    fn some_constant(&mut self, name: &str, span: Span) -> ExprId {
        let def = self.type_names.get(name).map(|index| &self.old.types[*index].body);
        let text = match def {
            Some(TypeBody::Enum(constants)) => constants.first().map(|constant| &*constant.text),
            _ => None,
        };
        self.name(text.unwrap_or(name), span)
    }
}

fn types_of(data: &DataTy, position: usize) -> Vec<Ty> {
    data.constructors[position].1.iter().map(|(_, ty)| ty.clone()).collect()
}

/// The field of the struct that holds a field of a constructor.
fn place(constructor: &str, field: &str) -> String {
    format!("{constructor}.{field}")
}

/// Whether values hold a datatype whose equality is not that of all its scalars.
fn holds_data(ty: &Ty) -> bool {
    match ty.base() {
        Ty::Data(data) => !data.is_plain(),
        Ty::Array(element, _) => holds_data(element),
        Ty::Struct(found) => found.fields.iter().any(|(_, ty)| holds_data(ty)),
        _ => false,
    }
}
