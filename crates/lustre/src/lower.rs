//! What the dialects add, expressed in plain Lustre: tuples and datatypes as structs, array
//! definitions and quantifiers element by element, refinements as properties and assertions,
//! nodes with type parameters as one node for each use.
//!
//! The result has no sugar left, so that everything after it knows one language only. Places
//! stay those of the text. Names that the user did not write hold a `~`.

mod array;
mod datatype;
mod expr;
mod fold;
mod generic;
mod machine;
mod match_case;
mod quantifier;
mod refinement;
mod ty;
mod update;

use std::rc::Rc;

use provoke_base::{Diagnostic, Int, Span};
use provoke_model::{BinaryOp, PropertyGoal, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use self::ty::Ty;
use crate::ast::{
    AstEquation, AstExpr, AstExprKind, AstNode, AstProgram, AstProperty, Constant, Decl, ExprId,
    Name, TypeBody, TypeDef,
};
use crate::division::{dividing_nodes, refuse_in_type};
use crate::parse::{for_each_operand, for_each_operand_mut};
use crate::report::Report;

/// The largest result, in expressions.
const MAX_EXPRS: usize = 2_000_000;

/// Expresses a program in plain Lustre; `main` is the position of its main node, before and after.
pub(crate) fn lower(
    text: &str,
    program: AstProgram,
    main: Option<usize>,
    report: &mut Report,
) -> (AstProgram, Option<usize>) {
    if !program.sugared {
        return (program, main);
    }
    let mut lowering = Lowering::new(text, &program, main, report);
    lowering.globals();
    let main = lowering.nodes();
    (lowering.new, main)
}

/// What a name stands for where it is bound, not declared.
#[derive(Clone)]
enum Binding {
    /// A number that is known here: an index, a quantified variable.
    Value(Int),
    /// An expression of the result, of which each use is a copy.
    Expr(ExprId, Ty),
}

/// What is known where an expression stands.
#[derive(Default)]
struct Scope {
    vars: FxHashMap<Box<str>, Ty>,
    /// Innermost last.
    bindings: Vec<(Box<str>, Binding)>,
    type_arguments: Vec<(Box<str>, Ty)>,
    /// How many of the bindings are constant inputs.
    parameters: usize,
}

/// A node of the result that is being made.
#[derive(Default)]
struct Making {
    name: String,
    /// All names that are declared in it.
    declared: FxHashSet<Box<str>>,
    locals: Vec<Decl>,
    equations: Vec<AstEquation>,
    asserts: Vec<ExprId>,
    properties: Vec<AstProperty>,
    /// Variables that nothing defines.
    free: Vec<Name>,
    /// What is known of them.
    constraints: Vec<ExprId>,
    /// Those that stand for fields of values which another constructor built.
    selected: FxHashMap<String, Box<str>>,
    fresh: usize,
}

struct Lowering<'a, 'r> {
    text: &'a str,
    old: &'a AstProgram,
    new: AstProgram,
    report: &'r mut Report,
    main: Option<usize>,
    type_names: FxHashMap<&'a str, usize>,
    constant_names: FxHashMap<&'a str, usize>,
    enum_constants: FxHashMap<&'a str, usize>,
    /// The type and the position of each constructor.
    constructors: FxHashMap<&'a str, (usize, usize)>,
    node_names: FxHashMap<&'a str, usize>,
    /// Types without parameters, once they are resolved.
    known_types: FxHashMap<usize, Ty>,
    /// Types that are being resolved.
    resolving: Vec<&'a str>,
    /// Types of the result, by name.
    emitted: FxHashSet<String>,
    /// Constants that are being evaluated or typed.
    visiting: Vec<usize>,
    constant_values: FxHashMap<usize, Option<Value>>,
    constant_types: FxHashMap<usize, Ty>,
    scope: Scope,
    making: Option<Making>,
    /// Nodes with type arguments that are called, and are still to be made.
    wanted: Vec<generic::Instance>,
    /// The outputs and local variables of the node that is being made.
    outside_inputs: FxHashSet<Box<str>>,
    instances: FxHashMap<String, String>,
    too_large: bool,
    /// How many branches of `when` are open: what stands in one has a time of its own.
    branches: usize,
    /// Which `merge` a clock belongs to.
    merge_clocks: FxHashMap<ExprId, usize>,
}

impl<'a, 'r> Lowering<'a, 'r> {
    fn new(
        text: &'a str,
        old: &'a AstProgram,
        main: Option<usize>,
        report: &'r mut Report,
    ) -> Lowering<'a, 'r> {
        let mut enum_constants = FxHashMap::default();
        let mut constructors = FxHashMap::default();
        for (index, def) in old.types.iter().enumerate() {
            match &def.body {
                TypeBody::Enum(names) => {
                    enum_constants.extend(names.iter().map(|name| (&*name.text, index)));
                }
                TypeBody::Datatype(items) => {
                    let items = items.iter().enumerate();
                    constructors.extend(items.map(|(at, (name, _))| (&*name.text, (index, at))));
                }
                _ => {}
            }
        }
        let types = old.types.iter().enumerate();
        let constants = old.constants.iter().enumerate();
        let nodes = old.nodes.iter().enumerate();
        Lowering {
            text,
            old,
            new: AstProgram { merges: old.merges.clone(), ..AstProgram::default() },
            report,
            main,
            type_names: types.map(|(index, def)| (&*def.name.text, index)).collect(),
            constant_names: constants.map(|(index, item)| (&*item.name.text, index)).collect(),
            enum_constants,
            constructors,
            node_names: nodes.map(|(index, node)| (&*node.name.text, index)).collect(),
            known_types: FxHashMap::default(),
            resolving: Vec::new(),
            emitted: FxHashSet::default(),
            visiting: Vec::new(),
            constant_values: FxHashMap::default(),
            constant_types: FxHashMap::default(),
            scope: Scope::default(),
            making: None,
            wanted: Vec::new(),
            outside_inputs: FxHashSet::default(),
            instances: FxHashMap::default(),
            too_large: false,
            branches: 0,
            merge_clocks: old.merges.iter().enumerate().map(|(at, one)| (one.clock, at)).collect(),
        }
    }

    fn error(&mut self, code: &'static str, span: Span, message: String, label: &str, help: &str) {
        self.report.add(Diagnostic::error(code, span, message).label(label).help(help));
    }

    fn unsupported(&mut self, span: Span, construct: &str, help: &str) {
        let message = format!("{construct} is not supported yet");
        self.error("unsupported", span, message, "this construct", help);
    }

    /// Types and constants that are the same for all nodes.
    fn globals(&mut self) {
        let old = self.old;
        for def in &old.types {
            if let TypeBody::Enum(names) = &def.body {
                let body = TypeBody::Enum(names.clone());
                let (name, params) = (def.name.clone(), Vec::new());
                self.new.types.push(TypeDef { name, params, body });
            }
        }
        for def in old.types.iter().filter(|def| def.params.is_empty()) {
            let ty = self.global_type(&def.name, Vec::new());
            self.emit(&ty, def.name.span);
        }
        for constant in &old.constants {
            let ty = constant.ty.as_ref().map(|ty| self.ty(ty));
            let value = constant.value.map(|value| self.expr(value, ty.as_ref()).0);
            let span = constant.name.span;
            let ty = ty.map(|ty| self.emit(&ty, span));
            self.new.constants.push(Constant { name: constant.name.clone(), ty, value });
        }
    }

    /// Makes all nodes; the new position of the main one.
    fn nodes(&mut self) -> Option<usize> {
        let mut main = None;
        for (index, node) in self.old.nodes.iter().enumerate() {
            let is_main = self.main == Some(index);
            let special = !node.type_params.is_empty() || node.inputs.iter().any(|i| i.constant);
            if !special || is_main {
                let arguments = node.type_params.iter().map(|name| self.open_type(name)).collect();
                let name = node.name.text.to_string();
                let instance =
                    generic::Instance { node: index, arguments, constants: Vec::new(), name };
                self.node(instance, is_main);
            }
            if is_main {
                main = Some(self.new.nodes.len() - 1);
            }
        }
        while let Some(instance) = self.wanted.pop() {
            self.node(instance, false);
        }
        main
    }

    fn node(&mut self, instance: generic::Instance, is_main: bool) {
        let node = &self.old.nodes[instance.node];
        self.scope = self.instance_scope(&instance);
        let name = instance.name;
        let decls = || node.inputs.iter().chain(&node.outputs).chain(&node.locals);
        let declared = decls().map(|decl| decl.name.text.clone()).collect();
        self.making = Some(Making { name: name.clone(), declared, ..Making::default() });
        let others = node.outputs.iter().chain(&node.locals);
        self.outside_inputs = others.map(|decl| decl.name.text.clone()).collect();
        let types: Vec<Ty> = decls().map(|decl| self.ty(&decl.ty)).collect();
        let names = decls().map(|decl| decl.name.text.clone());
        self.scope.vars = names.zip(types.iter().cloned()).collect();
        let mut new: Vec<Decl> = Vec::new();
        for (decl, ty) in decls().zip(&types) {
            let ty = self.emit(ty, decl.ty.span);
            new.push(Decl { name: decl.name.clone(), ty, constant: decl.constant });
        }
        for equation in &node.equations {
            self.equation(equation);
        }
        for &assertion in &node.asserts {
            let expr = self.expr(assertion, Some(&Ty::Bool)).0;
            self.made().asserts.push(expr);
        }
        for property in &node.properties {
            let expr = match property.goal {
                PropertyGoal::Always => self.asserted(property.expr).0,
                PropertyGoal::Reachable => self.expr(property.expr, Some(&Ty::Bool)).0,
            };
            let (name, goal) = (property.name.clone(), property.goal);
            self.made().properties.push(AstProperty { name, expr, goal });
        }
        let mut constraints = Vec::new();
        for &constraint in &node.constraints {
            constraints.push(self.expr(constraint, Some(&Ty::Bool)).0);
        }
        for (position, (decl, ty)) in decls().zip(&types).enumerate() {
            let is_free = node.free.iter().any(|free| free.text == decl.name.text);
            let assumed = is_main && position < node.inputs.len();
            match is_free {
                true => {
                    let known = self.known_of(decl, ty);
                    if let Some(known) = known {
                        let dividing = dividing_nodes(self.old);
                        refuse_in_type(&self.new, known, &dividing, self.report);
                    }
                    constraints.extend(known);
                }
                false => self.obligation(decl, ty, assumed),
            }
        }
        if is_main {
            self.constants_obligations();
        }
        let (inputs, outputs) = (node.inputs.len(), node.inputs.len() + node.outputs.len());
        let mut locals = new.split_off(outputs);
        let outputs = new.split_off(inputs);
        let made = self.making.take().expect("set above");
        locals.extend(made.locals);
        constraints.extend(made.constraints);
        self.new.nodes.push(AstNode {
            name: Name { text: name.into(), span: node.name.span },
            type_params: Vec::new(),
            inputs: new,
            outputs,
            locals,
            equations: made.equations,
            asserts: made.asserts,
            properties: made.properties,
            contract: None,
            function: node.function,
            body: node.body,
            free: node.free.iter().cloned().chain(made.free).collect(),
            constraints,
            span: node.span,
        });
        self.scope = Scope::default();
    }

    fn equation(&mut self, equation: &'a AstEquation) {
        let targets = equation.targets.clone();
        let expr = match (&equation.indices[..], &targets[..]) {
            ([], [target]) => {
                let want = self.scope.vars.get(&*target.text).cloned();
                self.expr(equation.expr, want.as_ref()).0
            }
            ([], _) => self.expr(equation.expr, None).0,
            _ => self.array_definition(equation),
        };
        let targets_span = equation.targets_span;
        let equation = AstEquation { targets, targets_span, indices: Vec::new(), expr };
        self.made().equations.push(equation);
    }

    fn made(&mut self) -> &mut Making {
        self.making.get_or_insert_default()
    }
}

/// Building the result.
impl Lowering<'_, '_> {
    fn add(&mut self, kind: AstExprKind, span: Span) -> ExprId {
        if self.new.exprs.len() >= MAX_EXPRS && !self.too_large {
            self.too_large = true;
            let message = format!("the model has more than {MAX_EXPRS} expressions");
            let help = "use smaller arrays and ranges of quantified variables";
            self.error("model-too-large", span, message, "reached while expanding this", help);
        }
        self.new.exprs.push(AstExpr { kind, span })
    }

    fn bool(&mut self, value: bool, span: Span) -> ExprId {
        self.add(AstExprKind::Bool(value), span)
    }

    fn int(&mut self, value: impl Into<Int>, span: Span) -> ExprId {
        self.add(AstExprKind::Int(value.into()), span)
    }

    fn name(&mut self, text: &str, span: Span) -> ExprId {
        self.add(AstExprKind::Name(Name { text: text.into(), span }), span)
    }

    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: Span) -> ExprId {
        self.add(AstExprKind::Binary(op, left, right), span)
    }

    /// All of them joined by `op`; `empty` if there are none.
    fn join(&mut self, op: BinaryOp, items: Vec<ExprId>, empty: bool, span: Span) -> ExprId {
        let joined = items.into_iter().reduce(|left, right| self.binary(op, left, right, span));
        joined.unwrap_or_else(|| self.bool(empty, span))
    }

    fn field(&mut self, of: ExprId, field: &str, span: Span) -> ExprId {
        if let AstExprKind::Record(_, fields) = &self.new.exprs[of].kind
            && let Some((_, value)) = fields.iter().find(|(name, _)| *name.text == *field)
        {
            return *value;
        }
        self.add(AstExprKind::Field(of, Name { text: field.into(), span }), span)
    }

    fn record(&mut self, name: &str, fields: Vec<(String, ExprId)>, span: Span) -> ExprId {
        let named = |text: &str| Name { text: text.into(), span };
        let fields = fields.into_iter().map(|(field, value)| (named(&field), value)).collect();
        self.add(AstExprKind::Record(named(name), fields), span)
    }

    /// An expression of the result once more: what a name stands for depends on the node that the
    /// expression is part of, so that no two nodes may share one.
    fn copy(&mut self, id: ExprId) -> ExprId {
        let AstExpr { mut kind, span } = self.new.exprs[id].clone();
        for_each_operand_mut(&mut kind, |operand| *operand = self.copy(*operand));
        self.add(kind, span)
    }

    /// An expression that may be used several times: it itself, if it is only a way to a value, else
    /// a local variable that it defines.
    fn stable(&mut self, id: ExprId, ty: &Ty) -> ExprId {
        // What may divide by zero is computed where it stands, or not at all, and what an arrow
        // guards stays guarded; only a call is never computed twice.
        let stays = |kind: &AstExprKind| match kind {
            AstExprKind::Binary(op, ..) => op.divides(),
            AstExprKind::Pre(_) => true,
            _ => false,
        };
        if self.making.is_none() || (self.holds(id, &stays) && !self.holds(id, &calls)) {
            return id;
        }
        self.named(id, ty)
    }

    /// A variable of a new name that nothing defines: any value of the type, in every step.
    fn anything(&mut self, ty: &Ty, span: Span) -> ExprId {
        let text = self.fresh("any");
        let name = Name { text: text.clone(), span };
        let declared = self.emit(ty, span);
        self.scope.vars.insert(text.clone(), ty.clone());
        let making = self.made();
        making.locals.push(Decl { name: name.clone(), ty: declared, constant: false });
        making.free.push(name);
        self.name(&text, span)
    }

    /// The expression if it is only a way to a value, else a local variable that it defines.
    fn named(&mut self, id: ExprId, ty: &Ty) -> ExprId {
        if self.making.is_none() || self.is_path(id) {
            return id;
        }
        let span = self.new.exprs[id].span;
        let has_time = |kind: &AstExprKind| {
            calls(kind) || matches!(kind, AstExprKind::Pre(_) | AstExprKind::Arrow(..))
        };
        if self.branches > 0 && self.holds(id, &has_time) {
            let help = "name the value by an equation outside of the branch";
            self.unsupported(span, "a value that is used several times in a branch", help);
            return id;
        }
        let name = self.local("value", ty, span, id);
        self.name(&name, span)
    }

    fn is_path(&self, id: ExprId) -> bool {
        match &self.new.exprs[id].kind {
            AstExprKind::Bool(_)
            | AstExprKind::Int(_)
            | AstExprKind::Real(_)
            | AstExprKind::Name(_) => true,
            AstExprKind::Field(of, _) => self.is_path(*of),
            AstExprKind::Index(of, index) => self.is_path(*of) && self.is_path(*index),
            AstExprKind::Record(_, fields) => fields.iter().all(|(_, value)| self.is_path(*value)),
            _ => false,
        }
    }

    /// How a way to a value is written; `None` if it is something else.
    fn path(&self, id: ExprId) -> Option<String> {
        match &self.new.exprs[id].kind {
            AstExprKind::Name(name) => Some(name.text.to_string()),
            AstExprKind::Int(value) => Some(value.to_string()),
            AstExprKind::Field(of, name) => Some(format!("{}.{}", self.path(*of)?, name.text)),
            AstExprKind::Index(of, index) => {
                Some(format!("{}[{}]", self.path(*of)?, self.path(*index)?))
            }
            _ => None,
        }
    }

    /// Whether a form occurs in an expression of the result.
    fn holds(&self, id: ExprId, form: &dyn Fn(&AstExprKind) -> bool) -> bool {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            let kind = &self.new.exprs[id].kind;
            if form(kind) {
                return true;
            }
            for_each_operand(kind, |operand| open.push(operand));
        }
        false
    }

    /// A name that nothing in the node has yet.
    fn fresh(&mut self, stem: &str) -> Box<str> {
        let making = self.made();
        loop {
            making.fresh += 1;
            let name: Box<str> = format!("{stem}~{}", making.fresh).into();
            if making.declared.insert(name.clone()) {
                return name;
            }
        }
    }

    /// A new local variable with its definition.
    fn local(&mut self, stem: &str, ty: &Ty, span: Span, definition: ExprId) -> Box<str> {
        let text = self.fresh(stem);
        let name = Name { text: text.clone(), span };
        let declared = self.emit(ty, span);
        self.scope.vars.insert(text.clone(), ty.clone());
        let making = self.made();
        making.locals.push(Decl { name: name.clone(), ty: declared, constant: false });
        making.equations.push(AstEquation {
            targets: vec![name],
            targets_span: span,
            indices: Vec::new(),
            expr: definition,
        });
        text
    }

    /// Does something with a variable bound.
    fn bound<T>(&mut self, name: &str, binding: Binding, work: impl FnOnce(&mut Self) -> T) -> T {
        self.scope.bindings.push((name.into(), binding));
        let result = work(self);
        self.scope.bindings.pop();
        result
    }

    fn binding(&self, name: &str) -> Option<&Binding> {
        self.scope.bindings.iter().rev().find(|(bound, _)| **bound == *name).map(|(_, b)| b)
    }

    /// A type of which nothing is known but whether two values are equal.
    fn open_type(&mut self, name: &Name) -> Ty {
        let fields = vec![("value".to_string(), Ty::Int)];
        Ty::Struct(Rc::new(ty::StructTy {
            name: name.text.to_string(),
            tuple: false,
            fields,
            origin: None,
            leaves: 1,
        }))
    }
}

/// Whether an expression runs a node, or has a time of its own.
fn calls(kind: &AstExprKind) -> bool {
    use AstExprKind::{Call, Condact, Restart, When};
    matches!(kind, Call(..) | Condact(..) | Restart(..) | When(..))
}
