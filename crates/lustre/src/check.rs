//! Names and types: every name gets its meaning, every expression its type, and every
//! variable exactly one definition.

mod constant;
mod declare;
mod expr;
mod merge;

use provoke_base::{Diagnostic, IndexVec, Span};
use provoke_model::{EnumId, Role, Value};
use rustc_hash::FxHashMap;

use crate::ast::{self, AstProgram, ExprId};
use crate::report::Report;
use crate::types::{TypeId, Types};

/// What a name, a call or a record stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Nothing, or something that was reported.
    Nothing,
    /// A variable of the node, by position.
    Var(usize),
    /// A global constant, by position.
    Constant(usize),
    /// A constant of an enumeration.
    Enum(EnumId, u32),
    /// A call of a node, by position. Several calls of the same node in one node are
    /// numbered from 1; a single one has number 0.
    Node {
        /// The position of the node.
        node: usize,
        /// Which of the calls it is.
        number: u32,
    },
}

/// A checked file: the tree with the meaning of its parts.
pub(crate) struct Checked<'a> {
    pub(crate) program: &'a AstProgram,
    pub(crate) types: Types,
    pub(crate) expr_types: IndexVec<ExprId, TypeId>,
    pub(crate) uses: IndexVec<ExprId, Use>,
    /// The scalars of each global constant.
    pub(crate) constants: Vec<Vec<Value>>,
    pub(crate) nodes: Vec<NodeInfo>,
}

/// A node's variables: inputs, then outputs, then locals.
#[derive(Default)]
pub struct NodeInfo {
    /// All its variables.
    pub vars: Vec<VarInfo>,
    /// How many of them are inputs.
    pub inputs: usize,
    /// How many of them are outputs.
    pub outputs: usize,
    /// The variables that each equation defines.
    pub targets: Vec<Vec<usize>>,
    /// The calls in the body, in the order they are written.
    calls: Vec<(ExprId, usize)>,
}

impl NodeInfo {
    /// The inputs.
    pub fn input_vars(&self) -> &[VarInfo] {
        &self.vars[..self.inputs]
    }

    /// The outputs.
    pub fn output_vars(&self) -> &[VarInfo] {
        &self.vars[self.inputs..self.inputs + self.outputs]
    }

    /// The nodes that are called, each once per call.
    pub(crate) fn callees(&self) -> impl Iterator<Item = usize> + '_ {
        self.calls.iter().map(|(_, node)| *node)
    }
}

/// A declared variable.
pub struct VarInfo {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
    /// What it is for.
    pub role: Role,
    /// Where it is declared.
    pub span: Span,
}

/// A global that is worked out when it is first needed.
#[derive(Clone, PartialEq)]
enum Lazy<T> {
    Waiting,
    Busy,
    Done(T),
}

/// Checks a whole file.
pub(crate) fn check<'a>(program: &'a AstProgram, report: &mut Report) -> Checked<'a> {
    let mut checker = Checker::new(program, report);
    checker.collect_globals();
    checker.resolve_globals();
    checker.declare_nodes();
    for node in 0..program.nodes.len() {
        checker.node_body(node);
    }
    checker.reject_recursion();
    checker.merges();
    checker.finish()
}

/// The type and scalars of a constant, `None` if it has an error.
type ConstantValue = Option<(TypeId, Vec<Value>)>;

struct Checker<'a, 'r> {
    program: &'a AstProgram,
    report: &'r mut Report,
    types: Types,
    expr_types: IndexVec<ExprId, TypeId>,
    uses: IndexVec<ExprId, Use>,
    type_names: FxHashMap<&'a str, usize>,
    type_values: Vec<Lazy<TypeId>>,
    constant_names: FxHashMap<&'a str, usize>,
    constant_values: Vec<Lazy<ConstantValue>>,
    enum_constants: FxHashMap<&'a str, (EnumId, u32, Span)>,
    node_names: FxHashMap<&'a str, usize>,
    nodes: Vec<NodeInfo>,
    /// The names of the node that is being checked; empty in global declarations.
    scope: FxHashMap<&'a str, usize>,
    current: Option<usize>,
    /// The node whose variables are being declared.
    declaring: Option<usize>,
    /// Parts of the file could not be read, so what is not there may just be unread.
    incomplete: bool,
}

impl<'a, 'r> Checker<'a, 'r> {
    fn new(program: &'a AstProgram, report: &'r mut Report) -> Checker<'a, 'r> {
        let types = Types::new();
        let incomplete = report.has_errors();
        let count = program.exprs.len();
        Checker {
            program,
            report,
            expr_types: IndexVec::repeat(types.error, count),
            uses: IndexVec::repeat(Use::Nothing, count),
            types,
            type_names: FxHashMap::default(),
            type_values: vec![Lazy::Waiting; program.types.len()],
            constant_names: FxHashMap::default(),
            constant_values: vec![Lazy::Waiting; program.constants.len()],
            enum_constants: FxHashMap::default(),
            node_names: FxHashMap::default(),
            nodes: Vec::new(),
            scope: FxHashMap::default(),
            current: None,
            declaring: None,
            incomplete,
        }
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>, label: &str) {
        self.report.add(Diagnostic::error(code, span, message).label(label));
    }

    fn declared_twice(&mut self, what: &str, name: &str, first: Span, second: Span) {
        let message = format!("{what} `{name}` is declared twice");
        self.report.add(
            Diagnostic::error("declared-twice", second, message)
                .label("declared again here")
                .also(first, "first declared here")
                .help("remove or rename one of them"),
        );
    }

    fn node_body(&mut self, index: usize) {
        let node = &self.program.nodes[index];
        self.current = Some(index);
        self.scope = self.scope_of(index);
        for equation in &node.equations {
            let targets = self.equation(index, equation);
            self.nodes[index].targets.push(targets);
        }
        self.require_definitions(index);
        for &assertion in &node.asserts {
            self.expect_bool(assertion, "an assertion");
        }
        for &constraint in &node.constraints {
            self.expect_bool(constraint, "what is known of a value");
        }
        for property in &node.properties {
            self.expect_bool(property.expr, "a property");
        }
        self.number_calls(index);
        self.scope.clear();
        self.current = None;
    }

    fn scope_of(&self, index: usize) -> FxHashMap<&'a str, usize> {
        let node = &self.program.nodes[index];
        let decls = node.inputs.iter().chain(&node.outputs).chain(&node.locals);
        let mut scope = FxHashMap::default();
        for (position, decl) in decls.enumerate() {
            scope.entry(&*decl.name.text).or_insert(position);
        }
        scope
    }

    fn equation(&mut self, node: usize, equation: &'a ast::AstEquation) -> Vec<usize> {
        let mut targets = Vec::new();
        let mut wanted = Vec::new();
        let mut complete = true;
        for name in &equation.targets {
            match self.scope.get(&*name.text) {
                Some(&position) => {
                    wanted.push(self.nodes[node].vars[position].ty);
                    targets.push(position);
                    self.refuse_input_target(node, position, name);
                }
                None => {
                    complete = false;
                    self.unknown_variable(name);
                }
            }
        }
        let found = self.expr(equation.expr);
        if complete {
            let wanted = self.types.tuple(wanted);
            self.require_equation_type(equation, wanted, found);
        }
        targets
    }

    fn refuse_input_target(&mut self, node: usize, position: usize, name: &ast::Name) {
        let var = &self.nodes[node].vars[position];
        if var.role == Role::Input {
            let message = format!("input `{}` cannot be defined", name.text);
            let declared = var.span;
            self.report.add(
                Diagnostic::error("input-defined", name.span, message)
                    .label("its value comes from outside")
                    .also(declared, "declared as an input here")
                    .help("define a local variable instead"),
            );
        }
    }

    fn require_equation_type(
        &mut self,
        equation: &ast::AstEquation,
        wanted: TypeId,
        found: TypeId,
    ) {
        if self.types.same(wanted, found) {
            return;
        }
        let count = |ty| match self.types.form(ty) {
            crate::types::TypeForm::Tuple(items) => items.len(),
            _ => 1,
        };
        let (left, right) = (count(wanted), count(found));
        if left == right {
            return self.mismatch(equation.expr, wanted, found, Some(equation.targets_span));
        }
        let plural = |n: usize| if n == 1 { "1 value".into() } else { format!("{n} values") };
        let message = format!("{} on the left, {} on the right", plural(left), plural(right));
        let span = self.program.exprs[equation.expr].span;
        self.report.add(
            Diagnostic::error("wrong-count", span, message)
                .label(format!("this gives {}", plural(right)))
                .also(equation.targets_span, format!("this takes {}", plural(left))),
        );
    }

    fn require_definitions(&mut self, index: usize) {
        let info = &self.nodes[index];
        let mut defined: Vec<Option<Span>> = vec![None; info.vars.len()];
        let equations = &self.program.nodes[index].equations;
        let mut errors = Vec::new();
        for (equation, targets) in equations.iter().zip(&info.targets) {
            for &target in targets {
                let place = |name: &&ast::Name| *name.text == *info.vars[target].name;
                let here = equation.targets.iter().find(place).map(|name| name.span);
                match (defined[target], here) {
                    (Some(first), Some(again)) => {
                        let message = format!("`{}` is defined twice", info.vars[target].name);
                        errors.push(
                            Diagnostic::error("defined-twice", again, message)
                                .label("defined again here")
                                .also(first, "first defined here"),
                        );
                    }
                    _ => defined[target] = here,
                }
            }
        }
        for (position, (var, defined)) in info.vars.iter().zip(defined).enumerate() {
            let first = self.scope.get(var.name.as_str()) == Some(&position);
            let free = &self.program.nodes[index].free;
            let is_free = free.iter().any(|free| *free.text == *var.name);
            let needed = var.role != Role::Input && !is_free;
            if defined.is_none() && needed && first && !self.incomplete {
                let message = format!("`{}` is never defined", var.name);
                errors.push(
                    Diagnostic::error("never-defined", var.span, message)
                        .label("declared here, but no equation defines it")
                        .help(format!("add an equation `{} = ...;`", var.name)),
                );
            }
        }
        errors.into_iter().for_each(|error| self.report.add(error));
    }

    /// Numbers the calls of nodes that are called more than once.
    fn number_calls(&mut self, index: usize) {
        let mut calls = std::mem::take(&mut self.nodes[index].calls);
        calls.sort_by_key(|(call, _)| (self.program.exprs[*call].span.start, *call));
        // An expression may be part of several others.
        calls.dedup();
        let mut totals: FxHashMap<usize, u32> = FxHashMap::default();
        for (_, callee) in &calls {
            *totals.entry(*callee).or_default() += 1;
        }
        let mut seen: FxHashMap<usize, u32> = FxHashMap::default();
        for &(call, node) in calls.iter().filter(|(_, callee)| totals[callee] > 1) {
            let number = seen.entry(node).or_default();
            *number += 1;
            self.uses[call] = Use::Node { node, number: *number };
        }
        self.nodes[index].calls = calls;
    }

    /// A node that calls itself, directly or through others, has no finite expansion.
    fn reject_recursion(&mut self) {
        let mut state = vec![Lazy::Waiting; self.nodes.len()];
        for start in 0..self.nodes.len() {
            let mut path: Vec<(usize, usize)> = Vec::new();
            if state[start] == Lazy::Waiting {
                state[start] = Lazy::Busy;
                path.push((start, 0));
            }
            while let Some((node, next)) = path.last_mut() {
                let Some(&(call, callee)) = self.nodes[*node].calls.get(*next) else {
                    state[*node] = Lazy::Done(());
                    path.pop();
                    continue;
                };
                *next += 1;
                match state[callee] {
                    Lazy::Waiting => {
                        state[callee] = Lazy::Busy;
                        path.push((callee, 0));
                    }
                    Lazy::Busy => return self.recursion(&path, callee, call),
                    Lazy::Done(()) => {}
                }
            }
        }
    }

    fn recursion(&mut self, path: &[(usize, usize)], callee: usize, call: ExprId) {
        let name = |node: usize| &*self.program.nodes[node].name.text;
        let on_cycle = path.iter().map(|(node, _)| *node).skip_while(|node| *node != callee);
        let chain: Vec<&str> = on_cycle.chain([callee]).map(name).collect();
        let message = format!("node `{}` calls itself", name(callee));
        let chain = chain.join(" -> ");
        let span = self.program.exprs[call].span;
        self.report.add(
            Diagnostic::error("recursive-node", span, message)
                .label("this call closes the circle")
                .help(format!("the chain of calls is {chain}; use `pre` to refer to the past")),
        );
    }

    fn finish(self) -> Checked<'a> {
        let value = |constant| match constant {
            Lazy::Done(Some((_, values))) => values,
            _ => Vec::new(),
        };
        Checked {
            program: self.program,
            types: self.types,
            expr_types: self.expr_types,
            uses: self.uses,
            constants: self.constant_values.into_iter().map(value).collect(),
            nodes: self.nodes,
        }
    }
}
