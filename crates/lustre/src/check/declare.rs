//! Global declarations: types, constants, and the interfaces of nodes.

use provoke_base::diagnostic::did_you_mean;
use provoke_base::{Diagnostic, Span};
use provoke_model::{EnumType, MachineInt, Role};

use super::{Checker, ConstantValue, Lazy, NodeInfo, VarInfo};
use crate::ast::{Decl, ExprId, Name, TypeBase, TypeBody, TypeExpr};
use crate::types::{MAX_LEAVES, MAX_NESTING, StructType, TypeForm, TypeId};

impl<'a> Checker<'a, '_> {
    /// Notes where each global name is declared.
    pub(super) fn collect_globals(&mut self) {
        let program = self.program;
        for (index, def) in program.types.iter().enumerate() {
            if let Some(first) = self.type_names.insert(&def.name.text, index) {
                let first = program.types[first].name.span;
                self.declared_twice("type", &def.name.text, first, def.name.span);
            }
            if let TypeBody::Enum(constants) = &def.body {
                self.collect_enum(index, &def.name, constants);
            }
        }
        for (index, constant) in program.constants.iter().enumerate() {
            let name = &constant.name;
            if let Some(first) = self.constant_names.insert(&name.text, index) {
                let first = program.constants[first].name.span;
                self.declared_twice("constant", &name.text, first, name.span);
            }
            if let Some((_, _, first)) = self.enum_constants.get(&*name.text).copied() {
                self.declared_twice("constant", &name.text, first, name.span);
            }
        }
        for (index, node) in program.nodes.iter().enumerate() {
            if let Some(first) = self.node_names.insert(&node.name.text, index) {
                let first = program.nodes[first].name.span;
                self.declared_twice("node", &node.name.text, first, node.name.span);
            }
        }
    }

    fn collect_enum(&mut self, index: usize, name: &'a Name, constants: &'a [Name]) {
        let names = constants.iter().map(|constant| constant.text.to_string()).collect();
        let ty = EnumType { name: name.text.to_string(), constants: names };
        let id = self.types.enums.push(ty);
        self.type_values[index] = Lazy::Done(self.types.intern(TypeForm::Enum(id)));
        for (ordinal, constant) in constants.iter().enumerate() {
            let entry = (id, ordinal as u32, constant.span);
            if let Some((_, _, first)) = self.enum_constants.insert(&constant.text, entry) {
                self.declared_twice("constant", &constant.text, first, constant.span);
            }
        }
    }

    /// Works out every type and constant, used or not.
    pub(super) fn resolve_globals(&mut self) {
        for index in 0..self.program.types.len() {
            self.global_type(index);
        }
        for index in 0..self.program.constants.len() {
            self.global_constant(index);
        }
    }

    fn global_type(&mut self, index: usize) -> TypeId {
        let def = &self.program.types[index];
        match &self.type_values[index] {
            Lazy::Done(ty) => return *ty,
            Lazy::Busy => {
                let message = format!("type `{}` contains itself", def.name.text);
                self.error("recursive-type", def.name.span, message, "its size would be infinite");
                return self.types.error;
            }
            Lazy::Waiting => {}
        }
        self.type_values[index] = Lazy::Busy;
        let ty = stacker::maybe_grow(64 << 10, 1 << 20, || match &def.body {
            TypeBody::Alias(ty) => self.type_expr(ty),
            TypeBody::Struct(fields) => self.struct_type(&def.name, fields),
            TypeBody::Enum(_) => unreachable!("enumerations are done when they are collected"),
            TypeBody::Datatype(_) | TypeBody::Free => unreachable!("lowered before it is checked"),
        });
        self.type_values[index] = Lazy::Done(ty);
        ty
    }

    fn struct_type(&mut self, name: &Name, decls: &'a [Decl]) -> TypeId {
        let mut fields: Vec<(String, TypeId)> = Vec::new();
        for (position, decl) in decls.iter().enumerate() {
            let same = |other: &&Decl| other.name.text == decl.name.text;
            if let Some(first) = decls[..position].iter().find(same) {
                self.declared_twice("field", &decl.name.text, first.name.span, decl.name.span);
            }
            let ty = self.type_expr(&decl.ty);
            fields.push((decl.name.text.to_string(), ty));
        }
        let id = self.types.structs.push(StructType { name: name.text.to_string(), fields });
        let ty = self.types.intern(TypeForm::Struct(id));
        self.limited(ty, name.span)
    }

    /// The type, unless it is too large to be taken apart.
    fn limited(&mut self, ty: TypeId, span: Span) -> TypeId {
        let leaves = self.types.leaf_count(ty);
        if leaves > MAX_LEAVES {
            let message = format!("this type holds more than {MAX_LEAVES} scalars");
            self.error("type-too-large", span, message, "too large");
            return self.types.error;
        }
        if self.types.nesting(ty) > MAX_NESTING {
            let message = format!("this type is nested deeper than {MAX_NESTING} levels");
            self.error("type-too-large", span, message, "too deep");
            return self.types.error;
        }
        ty
    }

    pub(super) fn type_expr(&mut self, expr: &'a TypeExpr) -> TypeId {
        let mut ty = match &expr.base {
            TypeBase::Bool => self.types.bool,
            TypeBase::Int => self.types.int,
            TypeBase::Real => self.types.real,
            TypeBase::Subrange(low, high) => self.subrange(*low, *high, expr.span),
            TypeBase::Machine(ty) => self.types.intern(TypeForm::Machine(*ty)),
            TypeBase::Named(name) => self.named_type(name),
            TypeBase::Sugar(_) => unreachable!("lowered before it is checked"),
        };
        for &size in &expr.sizes {
            ty = match self.array_size(size) {
                Some(size) => {
                    let array = self.types.intern(TypeForm::Array(ty, size));
                    self.limited(array, expr.span)
                }
                None => self.types.error,
            };
        }
        ty
    }

    fn subrange(&mut self, low: ExprId, high: ExprId, span: Span) -> TypeId {
        let low = self.constant_int(low, "a bound of a subrange");
        let high = self.constant_int(high, "a bound of a subrange");
        match (low, high) {
            (Some(low), Some(high)) if low <= high => self.types.intern(TypeForm::Range(low, high)),
            (Some(low), Some(high)) => {
                let message = format!("the subrange [{low}, {high}] is empty");
                self.error("empty-range", span, message, "the first bound must not be larger");
                self.types.error
            }
            _ => self.types.error,
        }
    }

    fn array_size(&mut self, size: ExprId) -> Option<usize> {
        let value = self.constant_int(size, "the size of an array")?;
        let size_value = value.to_i64().and_then(|size| usize::try_from(size).ok());
        match size_value {
            Some(size_value) if size_value > 0 => Some(size_value.min(MAX_LEAVES + 1)),
            _ => {
                let span = self.program.exprs[size].span;
                let message = format!("an array cannot have {value} elements");
                self.error("array-size", span, message, "must be at least 1");
                None
            }
        }
    }

    fn named_type(&mut self, name: &Name) -> TypeId {
        if let Some(&index) = self.type_names.get(&*name.text) {
            return self.global_type(index);
        }
        // A file may declare a type of this name itself.
        if let Some(ty) = MachineInt::named(&name.text) {
            return self.types.intern(TypeForm::Machine(ty));
        }
        if self.incomplete {
            return self.types.error;
        }
        let known = self.program.types.iter().map(|def| &*def.name.text);
        let help = did_you_mean(&name.text, known.chain(["bool", "int", "real"]));
        let message = format!("unknown type `{}`", name.text);
        self.report.add(
            Diagnostic::error("unknown-type", name.span, message)
                .label("no such type")
                .maybe_help(help),
        );
        self.types.error
    }

    /// The type and scalars of a global constant; `None` if it has none.
    pub(super) fn global_constant(&mut self, index: usize) -> ConstantValue {
        let constant = &self.program.constants[index];
        match &self.constant_values[index] {
            Lazy::Done(value) => return value.clone(),
            Lazy::Busy => {
                let message = format!("constant `{}` depends on itself", constant.name.text);
                self.error("recursive-constant", constant.name.span, message, "needs itself");
                return None;
            }
            Lazy::Waiting => {}
        }
        self.constant_values[index] = Lazy::Busy;
        // A constant means the same whichever node asks for it first.
        let scope = std::mem::take(&mut self.scope);
        let current = self.current.take();
        let errors = self.report.errors();
        let declared = constant.ty.as_ref().map(|ty| self.type_expr(ty));
        let value = match constant.value {
            None => declared.map(|ty| (ty, Vec::new())),
            Some(value) => {
                let found = self.expr(value);
                if let Some(declared) = declared {
                    self.require_same(value, declared, found, constant.name.span);
                }
                // Only what is well-typed has a value.
                let well_typed = self.report.errors() == errors;
                let values = if well_typed { self.constant(value) } else { None };
                values.map(|values| (declared.unwrap_or(found), values))
            }
        };
        (self.scope, self.current) = (scope, current);
        self.constant_values[index] = Lazy::Done(value.clone());
        value
    }

    /// Gives every node its variables.
    pub(super) fn declare_nodes(&mut self) {
        for (index, node) in self.program.nodes.iter().enumerate() {
            self.declaring = Some(index);
            let mut info = NodeInfo {
                inputs: node.inputs.len(),
                outputs: node.outputs.len(),
                ..NodeInfo::default()
            };
            let groups = [
                (&node.inputs, Role::Input),
                (&node.outputs, Role::Output),
                (&node.locals, Role::Local),
            ];
            let mut seen: rustc_hash::FxHashMap<&str, Span> = rustc_hash::FxHashMap::default();
            for (decl, role) in
                groups.into_iter().flat_map(|(decls, role)| decls.iter().map(move |d| (d, role)))
            {
                let name = &decl.name;
                match seen.get(&*name.text) {
                    Some(&first) => {
                        self.declared_twice("variable", &name.text, first, name.span);
                    }
                    None => {
                        seen.insert(&name.text, name.span);
                    }
                }
                let ty = self.type_expr(&decl.ty);
                info.vars.push(VarInfo { name: name.text.to_string(), ty, role, span: name.span });
            }
            self.nodes.push(info);
        }
        self.declaring = None;
    }
}
