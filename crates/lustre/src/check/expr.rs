//! The types of expressions.

use provoke_base::diagnostic::did_you_mean;
use provoke_base::{Diagnostic, Int, Span};
use provoke_model::{BinaryOp, MachineInt, UnaryOp, Value};

use super::{Checker, Use};
use crate::ast::{AstExprKind, BitOp, ExprId, Name};
use crate::types::{TypeForm, TypeId};

impl<'a> Checker<'a, '_> {
    /// Finds the type of an expression, and reports what is wrong with it.
    pub(super) fn expr(&mut self, id: ExprId) -> TypeId {
        let ty = stacker::maybe_grow(64 << 10, 1 << 20, || self.expr_here(id));
        self.expr_types[id] = ty;
        ty
    }

    fn span(&self, id: ExprId) -> Span {
        self.program.exprs[id].span
    }

    fn expr_here(&mut self, id: ExprId) -> TypeId {
        let program = self.program;
        match &program.exprs[id].kind {
            AstExprKind::Bool(_) => self.types.bool,
            AstExprKind::Int(_) => self.types.int,
            AstExprKind::Real(_) => self.types.real,
            AstExprKind::Name(name) => self.name(id, name),
            AstExprKind::Unary(op, operand) => self.unary(*op, *operand),
            AstExprKind::Binary(op, left, right) => self.binary(id, *op, *left, *right),
            AstExprKind::Bits(op, left, right) => self.bits(id, *op, *left, *right),
            AstExprKind::Flip(operand) => self.flip(id, *operand),
            AstExprKind::Convert(ty, operand) => self.convert(id, *ty, *operand),
            AstExprKind::If(condition, then, otherwise) => {
                self.expect_bool(*condition, "the condition of `if`");
                self.alternatives(*then, *otherwise, "the branches of `if`")
            }
            AstExprKind::When(condition, then, otherwise) => {
                self.expect_bool(*condition, "the condition of `when`");
                self.alternatives(*then, *otherwise, "the branches of `when`")
            }
            AstExprKind::Restart(condition, call) => {
                self.expect_bool(*condition, "the condition of `restart`");
                self.expr(*call)
            }
            AstExprKind::Any(_) => {
                let message = "`any` in a type";
                self.error("unsupported", self.span(id), message, "types have known bounds");
                self.types.error
            }
            AstExprKind::Mode(_) => {
                let message = "a mode is referred to outside of a contract";
                self.error("unknown-mode", self.span(id), message, "not in a contract");
                self.types.error
            }
            AstExprKind::Arrow(first, later) => {
                self.alternatives(*first, *later, "the two sides of `->`")
            }
            AstExprKind::Pre(operand) => self.expr(*operand),
            AstExprKind::Call(name, arguments) => self.call(id, name, arguments),
            AstExprKind::Condact(clock, call, defaults) => self.condact(*clock, *call, defaults),
            AstExprKind::Tuple(items) => {
                let types = items.iter().map(|item| self.expr(*item)).collect();
                self.types.tuple(types)
            }
            AstExprKind::Array(items) => self.array(id, items),
            AstExprKind::Record(name, fields) => self.record(id, name, fields),
            AstExprKind::Field(record, name) => self.field(*record, name),
            AstExprKind::Index(array, index) => self.index(*array, *index),
            AstExprKind::WithField(record, name, value) => {
                let field = self.field(*record, name);
                let found = self.expr(*value);
                self.require_same(*value, field, found, name.span);
                self.expr_types[*record]
            }
            AstExprKind::WithIndex(array, index, value) => {
                let element = self.index(*array, *index);
                let found = self.expr(*value);
                self.require_same(*value, element, found, self.span(*array));
                self.expr_types[*array]
            }
            AstExprKind::Sugar(_) => unreachable!("lowered before it is checked"),
        }
    }

    fn name(&mut self, id: ExprId, name: &Name) -> TypeId {
        if let (Some(&position), Some(node)) = (self.scope.get(&*name.text), self.current) {
            self.uses[id] = Use::Var(position);
            return self.nodes[node].vars[position].ty;
        }
        if let Some(&index) = self.constant_names.get(&*name.text) {
            self.uses[id] = Use::Constant(index);
            return self.global_constant(index).map_or(self.types.error, |(ty, _)| ty);
        }
        if let Some(&(enumeration, ordinal, _)) = self.enum_constants.get(&*name.text) {
            self.uses[id] = Use::Enum(enumeration, ordinal);
            return self.types.intern(TypeForm::Enum(enumeration));
        }
        self.unknown_variable(name);
        self.types.error
    }

    pub(super) fn unknown_variable(&mut self, name: &Name) {
        if let Some(node) = self.declaring {
            let node = &self.program.nodes[node];
            let decls = node.inputs.iter().chain(&node.outputs).chain(&node.locals);
            if let Some(decl) = decls.into_iter().find(|decl| decl.name.text == name.text) {
                let message = format!("`{}` is a variable, a constant is needed here", name.text);
                self.report.add(
                    Diagnostic::error("not-constant", name.span, message)
                        .label("its value is not known before the model runs")
                        .also(decl.name.span, "declared here")
                        .help("use a number or a name declared with `const`"),
                );
                return;
            }
        }
        if let Some(of) = name.text.strip_suffix(".last") {
            let message = format!("`{of}` has no last value here");
            self.report.add(
                Diagnostic::error("last", name.span, message)
                    .label("not a variable of a frame")
                    .help("use `pre`, or name it between the parentheses after `frame`"),
            );
            return;
        }
        let mut known: Vec<&str> = self.scope.keys().copied().collect();
        known.extend(self.program.constants.iter().map(|constant| &*constant.name.text));
        known.extend(self.types.enums.iter().flat_map(|ty| &ty.constants).map(String::as_str));
        let help = match did_you_mean(&name.text, known) {
            Some(help) => Some(help),
            None if self.node_names.contains_key(&*name.text) => {
                Some(format!("`{}` is a node; call it with `{0}(...)`", name.text))
            }
            None => Some(format!("declare it, for instance with `var {}: bool;`", name.text)),
        };
        let message = format!("unknown name `{}`", name.text);
        self.report.add(
            Diagnostic::error("unknown-name", name.span, message)
                .label("not declared in this node")
                .maybe_help(help),
        );
    }

    /// Reports that `id` has type `found` where `wanted` is needed.
    pub(super) fn mismatch(
        &mut self,
        id: ExprId,
        wanted: TypeId,
        found: TypeId,
        because: Option<Span>,
    ) {
        let (wanted_name, found_name) = (self.types.show(wanted), self.types.show(found));
        let message = format!("expected `{wanted_name}`, found `{found_name}`");
        let mut error = Diagnostic::error("type-mismatch", self.span(id), message)
            .label(format!("this is `{found_name}`"))
            .maybe_help(self.conversion(id, wanted, found));
        if let Some(span) = because {
            error = error.also(span, format!("this is `{wanted_name}`"));
        }
        self.report.add(error);
    }

    fn conversion(&self, id: ExprId, wanted: TypeId, found: TypeId) -> Option<String> {
        let real = |ty| *self.types.form(ty) == TypeForm::Real;
        if real(wanted) && self.types.is_int(found) {
            return Some(match &self.program.exprs[id].kind {
                AstExprKind::Int(value) => format!("write the real number `{value}.0`"),
                _ => "convert it with `real(...)`".to_string(),
            });
        }
        if self.types.is_int(wanted) && real(found) {
            return Some("convert it with `floor(...)`, which rounds down".to_string());
        }
        match (self.types.machine(wanted), self.types.machine(found)) {
            (Some(wanted), None) if self.types.is_int(found) => {
                Some(match &self.program.exprs[id].kind {
                    AstExprKind::Int(value) => format!("write `({wanted} {value})`"),
                    _ => format!("convert it with `({wanted} ...)`, which keeps the low bits"),
                })
            }
            (Some(wanted), Some(found)) if wanted.signed == found.signed => {
                Some(format!("convert it with `({wanted} ...)`"))
            }
            (Some(wanted), Some(_)) => Some(format!("convert it with `({wanted} (int ...))`")),
            (None, Some(_)) if self.types.is_int(wanted) => {
                Some("convert it with `(int ...)`".to_string())
            }
            _ => None,
        }
    }

    pub(super) fn require_same(&mut self, id: ExprId, wanted: TypeId, found: TypeId, at: Span) {
        if !self.types.same(wanted, found) {
            self.mismatch(id, wanted, found, Some(at));
        }
    }

    /// Reports an expression that is not Boolean; tells whether it is.
    pub(super) fn expect_bool(&mut self, id: ExprId, what: &str) -> bool {
        self.expect(id, self.types.bool, what)
    }

    fn expect(&mut self, id: ExprId, wanted: TypeId, what: &str) -> bool {
        let found = self.expr(id);
        let fits = self.types.same(wanted, found);
        if !fits {
            let (wanted, shown) = (self.types.show(wanted), self.types.show(found));
            let message = format!("{what} must be `{wanted}`, found `{shown}`");
            let label = format!("this is `{shown}`");
            self.error("type-mismatch", self.span(id), message, &label);
        }
        fits
    }

    fn unary(&mut self, op: UnaryOp, operand: ExprId) -> TypeId {
        let found = self.expr(operand);
        let (int, real, bool) = (self.types.int, self.types.real, self.types.bool);
        let (wanted, result) = match op {
            UnaryOp::Not => (bool, bool),
            UnaryOp::ToReal => (int, real),
            UnaryOp::Round(_) => (real, real),
            UnaryOp::Floor => (real, int),
            UnaryOp::Neg if self.types.same(real, found) => (real, real),
            UnaryOp::Neg if self.types.machine(found).is_some() => (found, found),
            UnaryOp::Neg | UnaryOp::Wrap(_) | UnaryOp::BitNot(_) | UnaryOp::Clamp(_) => (int, int),
        };
        if self.types.is_error(found) {
            return if op == UnaryOp::Neg { found } else { result };
        }
        if !self.types.same(wanted, found) {
            self.mismatch(operand, wanted, found, None);
        }
        result
    }

    fn binary(&mut self, id: ExprId, op: BinaryOp, left: ExprId, right: ExprId) -> TypeId {
        if op.is_logical() {
            let what = format!("an operand of `{}`", op.symbol());
            let left_fits = self.expect_bool(left, &what);
            let right_fits = self.expect_bool(right, &what);
            return if left_fits && right_fits { self.types.bool } else { self.types.error };
        }
        let (a, b) = (self.expr(left), self.expr(right));
        if self.types.is_error(a) || self.types.is_error(b) {
            return self.unknown_result(op, a, b);
        }
        if !self.types.same(a, b) || !self.operand_fits(op, a) {
            self.operand_error(id, op, (left, a), (right, b));
            return if op.is_relation() { self.types.bool } else { self.types.error };
        }
        match op {
            _ if op.is_relation() => self.types.bool,
            _ if self.types.is_int(a) => self.types.int,
            _ => a,
        }
    }

    /// Bits have machine integers only; how far they are shifted has no sign.
    fn bits(&mut self, id: ExprId, op: BitOp, left: ExprId, right: ExprId) -> TypeId {
        let (a, b) = (self.expr(left), self.expr(right));
        if self.types.is_error(a) || self.types.is_error(b) {
            return self.types.error;
        }
        let Some(ty) = self.types.machine(a) else { return self.no_bits(id, op.symbol(), a) };
        let wanted = match op {
            BitOp::And | BitOp::Or => ty,
            BitOp::ShiftLeft | BitOp::ShiftRight => MachineInt::unsigned(ty.bits),
        };
        let wanted = self.types.intern(TypeForm::Machine(wanted));
        if !self.types.same(wanted, b) {
            self.mismatch(right, wanted, b, Some(self.span(left)).filter(|_| wanted == a));
        }
        a
    }

    fn flip(&mut self, id: ExprId, operand: ExprId) -> TypeId {
        let found = self.expr(operand);
        match self.types.machine(found) {
            Some(_) => found,
            None if self.types.is_error(found) => found,
            None => self.no_bits(id, "!", found),
        }
    }

    fn no_bits(&mut self, id: ExprId, symbol: &str, found: TypeId) -> TypeId {
        let shown = self.types.show(found);
        let instead = match symbol {
            "&&" => "and",
            "||" => "or",
            "!" => "not",
            _ => "",
        };
        let help = match (found == self.types.bool, instead) {
            (true, "") => None,
            (true, instead) => Some(format!("for truth values, write `{instead}`")),
            _ => Some("convert integers, for instance with `(uint8 ...)`".to_string()),
        };
        let message = format!("`{symbol}` works on the bits of machine integers, found `{shown}`");
        self.report.add(
            Diagnostic::error("foreign-operator", self.span(id), message)
                .label(format!("`{shown}` has no bits"))
                .maybe_help(help),
        );
        if found == self.types.bool { found } else { self.types.error }
    }

    /// A conversion keeps the low bits, so signs do not change unseen.
    fn convert(&mut self, id: ExprId, to: Option<MachineInt>, operand: ExprId) -> TypeId {
        let found = self.expr(operand);
        let from = self.types.machine(found);
        let wanted = to.map_or(self.types.int, |to| self.types.intern(TypeForm::Machine(to)));
        let is_real = *self.types.form(found) == TypeForm::Real;
        let fits = match (to, from) {
            (Some(to), Some(from)) => to.signed == from.signed,
            (None, Some(_)) => true,
            (None, None) if is_real => true,
            (_, None) => self.types.is_int(found) || self.types.is_error(found),
        };
        if !fits {
            let (wanted, found) = (self.types.show(wanted), self.types.show(found));
            let help = match (to, from, is_real) {
                (Some(to), Some(_), _) => {
                    Some(format!("convert it to `int` first: `{to} (int ...)`"))
                }
                (Some(to), _, true) => Some(format!("round it down first: `{to} (floor(...))`")),
                _ => None,
            };
            let message = format!("`{found}` cannot be converted to `{wanted}`");
            self.report.add(
                Diagnostic::error("conversion", self.span(id), message)
                    .label(format!("this is `{found}`"))
                    .maybe_help(help),
            );
        }
        wanted
    }

    /// The type of the result when an operand was reported already.
    fn unknown_result(&self, op: BinaryOp, a: TypeId, b: TypeId) -> TypeId {
        match op {
            _ if op.is_relation() => self.types.bool,
            BinaryOp::Div => self.types.real,
            _ if self.types.is_error(a) => b,
            _ => a,
        }
    }

    fn operand_fits(&self, op: BinaryOp, ty: TypeId) -> bool {
        let int = self.types.is_int(ty) || self.types.machine(ty).is_some();
        let real = *self.types.form(ty) == TypeForm::Real;
        match op {
            BinaryOp::Eq | BinaryOp::Ne => true,
            BinaryOp::IntDiv | BinaryOp::Mod => int,
            BinaryOp::Div => real,
            _ => int || real,
        }
    }

    fn operand_error(
        &mut self,
        id: ExprId,
        op: BinaryOp,
        left: (ExprId, TypeId),
        right: (ExprId, TypeId),
    ) {
        let (a, b) = (self.types.show(left.1), self.types.show(right.1));
        let needs = match op {
            BinaryOp::Eq | BinaryOp::Ne => "two values of the same type",
            BinaryOp::IntDiv | BinaryOp::Mod => "two ints",
            BinaryOp::Div => "two reals",
            _ => "two ints or two reals",
        };
        let machine = |ty| self.types.machine(ty).is_some();
        let integer = |ty| machine(ty) || self.types.is_int(ty);
        let both_int = integer(left.1) && integer(right.1);
        let mixed = both_int && (machine(left.1) || machine(right.1)) && op != BinaryOp::Div;
        let needs = if mixed { "two integers of one type" } else { needs };
        let message = format!("`{}` needs {needs}, found `{a}` and `{b}`", op.symbol());
        let help = match op {
            BinaryOp::Div if both_int => Some("use `div` to divide ints".to_string()),
            BinaryOp::IntDiv if a == "real" && b == "real" => {
                Some("use `/` to divide reals".to_string())
            }
            BinaryOp::Mod if a == "real" && b == "real" => {
                Some("convert them with `floor(...)`, which rounds down".to_string())
            }
            _ => self
                .conversion(left.0, right.1, left.1)
                .filter(|_| self.types.is_int(left.1))
                .or_else(|| self.conversion(right.0, left.1, right.1)),
        };
        self.report.add(
            Diagnostic::error("type-mismatch", self.span(id), message)
                .also(self.span(left.0), format!("this is `{a}`"))
                .also(self.span(right.0), format!("this is `{b}`"))
                .maybe_help(help),
        );
    }

    fn alternatives(&mut self, first: ExprId, second: ExprId, what: &str) -> TypeId {
        let (a, b) = (self.expr(first), self.expr(second));
        if !self.types.same(a, b) {
            let (a_name, b_name) = (self.types.show(a), self.types.show(b));
            let message = format!("{what} differ: `{a_name}` and `{b_name}`");
            let help = self
                .conversion(first, b, a)
                .filter(|_| self.types.is_int(a))
                .or_else(|| self.conversion(second, a, b));
            self.report.add(
                Diagnostic::error("type-mismatch", self.span(second), message)
                    .label(format!("this is `{b_name}`"))
                    .also(self.span(first), format!("this is `{a_name}`"))
                    .maybe_help(help),
            );
        }
        if self.types.is_error(a) { b } else { a }
    }

    fn call(&mut self, id: ExprId, name: &Name, arguments: &[ExprId]) -> TypeId {
        let found: Vec<TypeId> = arguments.iter().map(|argument| self.expr(*argument)).collect();
        let Some(&node) = self.node_names.get(&*name.text) else {
            if !self.incomplete {
                self.unknown_node(name);
            }
            return self.types.error;
        };
        let Some(current) = self.current else {
            self.not_constant(id);
            return self.types.error;
        };
        self.uses[id] = Use::Node { node, number: 0 };
        self.nodes[current].calls.push((id, node));
        let wanted: Vec<TypeId> = self.nodes[node].input_vars().iter().map(|var| var.ty).collect();
        self.arguments(id, node, arguments, &wanted, &found);
        let outputs = self.nodes[node].output_vars().iter().map(|var| var.ty).collect();
        self.types.tuple(outputs)
    }

    fn unknown_node(&mut self, name: &Name) {
        let known = self.program.nodes.iter().map(|node| &*node.name.text);
        let help = did_you_mean(&name.text, known);
        let message = format!("unknown node `{}`", name.text);
        self.report.add(
            Diagnostic::error("unknown-node", name.span, message)
                .label("no such node in this file")
                .maybe_help(help),
        );
    }

    /// A call may also give its arguments as one tuple, such as the results of another call.
    fn arguments(
        &mut self,
        call: ExprId,
        node: usize,
        arguments: &[ExprId],
        wanted: &[TypeId],
        found: &[TypeId],
    ) {
        if let [only] = found
            && wanted.len() != 1
            && let TypeForm::Tuple(items) = self.types.form(*only)
            && items.len() == wanted.len()
            && items.iter().zip(wanted).all(|(item, wanted)| self.types.same(*item, *wanted))
        {
            return;
        }
        if wanted.len() != found.len() {
            let plural = if wanted.len() == 1 { "argument" } else { "arguments" };
            let (needs, given) = (wanted.len(), found.len());
            let name = &self.program.nodes[node].name.text;
            let message = format!("`{name}` takes {needs} {plural}, {given} given");
            let label = format!("{given} given");
            self.error("wrong-count", self.span(call), message, &label);
            return;
        }
        for (position, &argument) in arguments.iter().enumerate() {
            let parameter = self.nodes[node].vars[position].span;
            self.require_same(argument, wanted[position], found[position], parameter);
        }
    }

    fn condact(&mut self, clock: ExprId, call: ExprId, defaults: &[ExprId]) -> TypeId {
        self.expect_bool(clock, "the clock of `condact`");
        let result = self.expr(call);
        let found: Vec<TypeId> = defaults.iter().map(|default| self.expr(*default)).collect();
        let defaults_type = self.types.tuple(found);
        if !defaults.is_empty() && !self.types.same(result, defaults_type) {
            let (needs, given) = (self.types.show(result), self.types.show(defaults_type));
            let message = format!("defaults for `{needs}` needed, found `{given}`");
            self.report.add(
                Diagnostic::error("condact-defaults", self.span(call), message)
                    .label(format!("this call gives `{needs}`"))
                    .help("give one default of the same type for each output of the node"),
            );
        }
        result
    }

    fn array(&mut self, id: ExprId, items: &[ExprId]) -> TypeId {
        let Some((&first, rest)) = items.split_first() else {
            self.error("array-size", self.span(id), "an array needs at least one element", "empty");
            return self.types.error;
        };
        let element = self.expr(first);
        for &item in rest {
            let found = self.expr(item);
            self.require_same(item, element, found, self.span(first));
        }
        self.types.intern(TypeForm::Array(element, items.len()))
    }

    fn record(&mut self, id: ExprId, name: &Name, given: &'a [(Name, ExprId)]) -> TypeId {
        let ty = self.record_type(name);
        let TypeForm::Struct(struct_id) = *self.types.form(ty) else {
            for (_, value) in given {
                self.expr(*value);
            }
            return self.types.error;
        };
        let mut seen: Vec<&Name> = Vec::new();
        for (field, value) in given {
            if let Some(first) = seen.iter().find(|other| other.text == field.text) {
                self.declared_twice("field", &field.text, first.span, field.span);
            }
            seen.push(field);
            let wanted = self.field_type(ty, field);
            let found = self.expr(*value);
            self.require_same(*value, wanted, found, field.span);
        }
        let fields = &self.types.structs[struct_id].fields;
        let absent = |name: &&str| !seen.iter().any(|given| *given.text == **name);
        let missing: Vec<&str> =
            fields.iter().map(|(field, _)| field.as_str()).filter(absent).collect();
        if !missing.is_empty() {
            let list = missing.join("`, `");
            let message = format!("`{}` needs a value for `{list}`", name.text);
            self.error("missing-field", self.span(id), message, "incomplete");
        }
        ty
    }

    fn record_type(&mut self, name: &Name) -> TypeId {
        let known: Vec<&str> = self.types.structs.iter().map(|ty| ty.name.as_str()).collect();
        let index = self.type_names.get(&*name.text).copied();
        let ty = index.map(|index| match &self.type_values[index] {
            super::Lazy::Done(ty) => *ty,
            _ => self.types.error,
        });
        match ty {
            Some(ty) if matches!(self.types.form(ty), TypeForm::Struct(_) | TypeForm::Error) => ty,
            _ => {
                let message = format!("`{}` is not a struct type", name.text);
                let help = did_you_mean(&name.text, known);
                self.report.add(
                    Diagnostic::error("unknown-type", name.span, message)
                        .label("no struct of this name")
                        .maybe_help(help),
                );
                self.types.error
            }
        }
    }

    fn field(&mut self, record: ExprId, name: &Name) -> TypeId {
        let ty = self.expr(record);
        self.field_type(ty, name)
    }

    fn field_type(&mut self, ty: TypeId, name: &Name) -> TypeId {
        let struct_id = match self.types.form(ty) {
            TypeForm::Struct(id) => *id,
            TypeForm::Error => return ty,
            _ => {
                let shown = self.types.show(ty);
                let message = format!("`{shown}` has no fields");
                self.error("unknown-field", name.span, message, "only structs have fields");
                return self.types.error;
            }
        };
        let found = &self.types.structs[struct_id];
        if let Some((_, ty)) = found.fields.iter().find(|(field, _)| **field == *name.text) {
            return *ty;
        }
        let names = found.fields.iter().map(|(field, _)| field.as_str());
        let listed: Vec<&str> = names.clone().collect();
        let help = did_you_mean(&name.text, names)
            .unwrap_or_else(|| format!("its fields are `{}`", listed.join("`, `")));
        let message = format!("`{}` has no field `{}`", found.name, name.text);
        self.report.add(
            Diagnostic::error("unknown-field", name.span, message)
                .label("no such field")
                .help(help),
        );
        self.types.error
    }

    /// Where the scalars of a field start among those of its struct, and how many they are.
    pub(super) fn field_place(&self, ty: TypeId, name: &str) -> Option<(usize, usize)> {
        let TypeForm::Struct(id) = self.types.form(ty) else { return None };
        let mut start = 0;
        for (field, ty) in &self.types.structs[*id].fields {
            let length = self.types.leaf_count(*ty);
            if field == name {
                return Some((start, length));
            }
            start += length;
        }
        None
    }

    fn index(&mut self, array: ExprId, index: ExprId) -> TypeId {
        let ty = self.expr(array);
        let is_int = self.expect(index, self.types.int, "an index");
        let (element, size) = match self.types.form(ty) {
            TypeForm::Array(element, size) => (*element, *size),
            TypeForm::Error => return ty,
            _ => {
                let shown = self.types.show(ty);
                let message = format!("`{shown}` cannot be indexed");
                self.error("not-an-array", self.span(array), message, "not an array");
                return self.types.error;
            }
        };
        match self.plain_index(index) {
            Some(value) if value < 0 || value >= size as i64 => {
                let message = format!("index {value} is outside the array");
                let label = format!("the array has elements 0 to {}", size - 1);
                self.error("index-range", self.span(index), message, &label);
            }
            Some(_) => {}
            None if is_int => self.warn_index(index, size),
            None => {}
        }
        element
    }

    /// The value of an index that is a number or the name of a constant.
    fn plain_index(&mut self, index: ExprId) -> Option<i64> {
        let has_value = |index: usize| self.program.constants[index].value.is_some();
        let plain = matches!(self.program.exprs[index].kind, AstExprKind::Int(_))
            || matches!(self.uses[index], Use::Constant(index) if has_value(index));
        match plain.then(|| self.constant(index))??.first() {
            Some(Value::Int(value)) => Some(value.to_i64().unwrap_or(-1)),
            _ => None,
        }
    }

    fn warn_index(&mut self, index: ExprId, size: usize) {
        if let TypeForm::Range(low, high) = self.types.form(self.expr_types[index])
            && *low >= Int::ZERO
            && *high < Int::from(size as i64)
        {
            return;
        }
        let last = size - 1;
        self.report.add(
            Diagnostic::warning("index-range", self.span(index), "this index may be out of range")
                .label(format!("the array has elements 0 to {last}"))
                .help(format!(
                    "reading outside gives element {last}, updating outside changes nothing"
                )),
        );
    }
}
