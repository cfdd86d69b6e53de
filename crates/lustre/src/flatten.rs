//! Node calls, structs, arrays and tuples to scalar equations.
//!
//! Each call becomes an instance whose variables carry its path in their names. Under
//! `condact` every variable of the instance holds its value while the clock is false, so
//! that `pre` sees the last active step; `->` asks a generated variable whether the node has
//! been active before. The result needs no clocks.

use std::ops::Range;

use provoke_base::{Diagnostic, SourceFile, Span};
use provoke_model::{
    Assumption, BinaryOp, Equation, ExprId, ExprKind, Instance, InstanceId, MachineInt, Origin,
    Property, Role, System, Type, UnaryOp, Value, Var, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast;
use crate::causality::allows_any_body;
use crate::check::{Checked, Use};
use crate::report::Report;
use crate::types::TypeForm;

mod choices;
mod clocks;

/// The largest flat system, in expressions: two calls in each of thirty nodes would
/// otherwise fill any memory.
const MAX_EXPRS: usize = 4_000_000;
const MAX_INSTANCES: usize = 100_000;
const MAX_CALL_DEPTH: usize = 200;

/// Expands `main` and all it calls; `None` if that is too large, which is reported. The
/// equations are in no particular order yet.
pub(crate) fn flatten(
    file: &SourceFile,
    checked: &Checked<'_>,
    main: usize,
    report: &mut Report,
) -> Option<System> {
    let mut flattener = Flattener {
        file,
        checked,
        system: System {
            name: checked.program.nodes[main].name.text.to_string(),
            enums: checked.types.enums.clone(),
            ..System::default()
        },
        names: FxHashSet::default(),
        choices: Vec::new(),
        constants: FxHashMap::default(),
        functions: Vec::new(),
        unknown_bodies: Vec::new(),
    };
    match flattener.main(main) {
        Ok(()) => {
            let Flattener { system, unknown_bodies, .. } = flattener;
            allows_any_body(file, &system, &unknown_bodies, report).then_some(system)
        }
        Err(TooLarge { span, what }) => {
            report.add(
                Diagnostic::error("model-too-large", span, format!("the model has {what}"))
                    .label("reached while expanding this call")
                    .help("test a smaller part: choose another main node with `--main NODE`"),
            );
            None
        }
    }
}

/// What `div` and `mod` are for operands of this type.
pub(crate) fn of_type(op: BinaryOp, ty: Option<MachineInt>) -> BinaryOp {
    match (op, ty) {
        (BinaryOp::IntDiv, Some(_)) => BinaryOp::Quotient,
        (BinaryOp::Mod, Some(_)) => BinaryOp::Remainder,
        _ => op,
    }
}

/// What a generated variable is of.
#[derive(Clone, Copy)]
struct Kind {
    ty: Type,
    machine: Option<MachineInt>,
}

impl Kind {
    const BOOL: Kind = Kind { ty: Type::Bool, machine: None };
}

struct TooLarge {
    span: Span,
    what: String,
}

type Flat<T> = Result<T, TooLarge>;

/// When an instance is active, and whether it is for the first time.
#[derive(Clone, Copy)]
struct Clock {
    /// Always, if there is no variable.
    active: Option<VarId>,
    first: VarId,
    /// True when it starts anew.
    reset: Option<VarId>,
}

/// A call of a function whose body is not known.
struct FunctionCall {
    node: usize,
    active: Option<VarId>,
    inputs: Vec<VarId>,
    outputs: Vec<VarId>,
}

/// A node instance that is being expanded.
struct Frame {
    node: usize,
    instance: InstanceId,
    depth: usize,
    clock: Option<Clock>,
    /// The scalars of each variable of the node.
    vars: Vec<Vec<VarId>>,
    /// The results of calls that were expanded already: an expression that is copied for
    /// each scalar of a tuple must not be called once for each.
    results: FxHashMap<ast::ExprId, Vec<VarId>>,
    /// What `pre` of a larger expression refers to while a clock may stop.
    held: FxHashMap<(ast::ExprId, usize), VarId>,
    /// The clocks of the branches of `when`.
    branches: FxHashMap<ast::ExprId, [Clock; 2]>,
    /// How many branches of `when` are open: their clocks are not those of the variables.
    open_branches: usize,
    /// Whether a `->` around keeps the first step out.
    guarded: bool,
}

struct Flattener<'a> {
    file: &'a SourceFile,
    checked: &'a Checked<'a>,
    system: System,
    names: FxHashSet<String>,
    choices: Vec<VarId>,
    /// The scalars of constants without a value.
    constants: FxHashMap<usize, Vec<VarId>>,
    functions: Vec<FunctionCall>,
    /// The inputs and outputs of calls whose bodies are not known.
    unknown_bodies: Vec<(Vec<VarId>, Vec<VarId>)>,
}

/// Instances and their variables.
impl Flattener<'_> {
    fn main(&mut self, node: usize) -> Flat<()> {
        let span = self.checked.program.nodes[node].name.span;
        let mut frame = self.declare(node, String::new(), span, 0, None);
        let info = &self.checked.nodes[node];
        self.system.inputs = frame.vars[..info.inputs].concat();
        self.system.outputs = frame.vars[info.inputs..info.inputs + info.outputs].concat();
        self.body(&mut frame)?;
        self.agree()?;
        self.some_variable(frame.instance, span)?;
        self.system.inputs.append(&mut self.choices);
        Ok(())
    }

    fn declare(
        &mut self,
        node: usize,
        path: String,
        span: Span,
        depth: usize,
        clock: Option<Clock>,
    ) -> Frame {
        let name = self.checked.program.nodes[node].name.text.to_string();
        let prefix = if path.is_empty() { path.clone() } else { format!("{path}.") };
        let instance = self.system.instances.push(Instance { path, node: name, span });
        let mut vars = Vec::new();
        for var in &self.checked.nodes[node].vars {
            let role = if depth == 0 { var.role } else { Role::Local };
            let mut scalars = Vec::new();
            for leaf in self.checked.types.leaves(var.ty) {
                let name = self.fresh_name(format!("{prefix}{}{}", var.name, leaf.suffix));
                scalars.push(self.system.vars.push(Var {
                    name,
                    ty: leaf.ty,
                    range: leaf.range,
                    machine: leaf.machine,
                    role,
                    origin: Origin::Declared,
                    instance,
                    span: var.span,
                }));
            }
            vars.push(scalars);
        }
        Frame {
            node,
            instance,
            depth,
            clock,
            vars,
            results: FxHashMap::default(),
            held: FxHashMap::default(),
            branches: FxHashMap::default(),
            open_branches: 0,
            guarded: false,
        }
    }

    /// A name that no other variable has: a field of a variable may be called like a
    /// variable of a node.
    fn fresh_name(&mut self, name: String) -> String {
        let mut fresh = name.clone();
        let mut number = 2;
        while !self.names.insert(fresh.clone()) {
            fresh = format!("{name}~{number}");
            number += 1;
        }
        fresh
    }

    fn generate(&mut self, instance: InstanceId, name: &str, kind: Kind, span: Span) -> VarId {
        let path = &self.system.instances[instance].path;
        let full = if path.is_empty() { name.to_string() } else { format!("{path}.{name}") };
        let name = self.fresh_name(full);
        let (role, origin) = (Role::Local, Origin::Generated);
        let Kind { ty, machine } = kind;
        let range = machine.map(provoke_model::Range::from);
        self.system.vars.push(Var { name, ty, range, machine, role, origin, instance, span })
    }

    fn body(&mut self, frame: &mut Frame) -> Flat<()> {
        let node = &self.checked.program.nodes[frame.node];
        let info = &self.checked.nodes[frame.node];
        for (equation, targets) in node.equations.iter().zip(&info.targets) {
            let exprs = self.all(frame, equation.expr)?;
            let vars: Vec<VarId> =
                targets.iter().flat_map(|target| frame.vars[*target].iter().copied()).collect();
            for (var, expr) in vars.into_iter().zip(exprs) {
                self.define(frame.clock, var, expr)?;
            }
        }
        self.free_variables(frame)?;
        for &assertion in node.asserts.iter().chain(&node.constraints) {
            let known = self.system.vars.len();
            let first = self.system.equations.len();
            let expr = self.scalar(frame, assertion)?;
            self.order_choice(frame, assertion, expr, (known, first));
            let expr = self.while_active(frame, expr)?;
            let span = self.checked.program.exprs[assertion].span;
            self.system.assumptions.push(Assumption { expr, span });
        }
        for property in &node.properties {
            let name = self.property_name(frame, property);
            let expr = self.scalar(frame, property.expr)?;
            let expr = self.while_active(frame, expr)?;
            let span = self.checked.program.exprs[property.expr].span;
            let goal = property.goal;
            self.system.properties.push(Property { name, expr, goal, span });
        }
        Ok(())
    }

    fn property_name(&self, frame: &Frame, property: &ast::AstProperty) -> String {
        let path = &self.system.instances[frame.instance].path;
        let span = self.checked.program.exprs[property.expr].span;
        let text = || self.file.slice(span).split_whitespace().collect::<Vec<_>>().join(" ");
        let own = property.name.clone().unwrap_or_else(text);
        if path.is_empty() { own } else { format!("{path}.{own}") }
    }

    /// A promise of a node holds while the node is active.
    fn while_active(&mut self, frame: &Frame, expr: ExprId) -> Flat<ExprId> {
        let Some(active) = frame.clock.and_then(|clock| clock.active) else { return Ok(expr) };
        let span = self.system.exprs[expr].span;
        let active = self.var(active, span)?;
        self.add(ExprKind::Binary(BinaryOp::Implies, active, expr), Type::Bool, span)
    }

    /// Adds the equation of a variable, which holds its value while the clock is false.
    fn define(&mut self, clock: Option<Clock>, var: VarId, expr: ExprId) -> Flat<()> {
        let expr = match clock.and_then(|clock| clock.active) {
            None => expr,
            Some(active) => {
                let span = self.system.exprs[expr].span;
                let active = self.var(active, span)?;
                // Nobody has written this use of it, though an argument may have the same name.
                let held = self.var(var, self.system.vars[var].span)?;
                let ty = self.system.vars[var].ty;
                let held = self.add(ExprKind::Pre(held), ty, span)?;
                self.add(ExprKind::If(active, expr, held), ty, span)?
            }
        };
        self.system.equations.push(Equation { var, expr });
        Ok(())
    }
}

/// Calls.
impl Flattener<'_> {
    fn call(&mut self, frame: &mut Frame, id: ast::ExprId) -> Flat<Vec<VarId>> {
        if let Some(results) = frame.results.get(&id) {
            return Ok(results.clone());
        }
        let results = self.expand(frame, id, frame.clock)?;
        frame.results.insert(id, results.clone());
        Ok(results)
    }

    fn expand(
        &mut self,
        caller: &mut Frame,
        id: ast::ExprId,
        clock: Option<Clock>,
    ) -> Flat<Vec<VarId>> {
        let call = &self.checked.program.exprs[id];
        let (ast::AstExprKind::Call(_, arguments), Use::Node { node, .. }) =
            (&call.kind, self.checked.uses[id])
        else {
            unreachable!("the checker resolved every call");
        };
        self.check_limits(caller.depth, call.span)?;
        let path = self.call_path(caller, id);
        let mut inner = self.declare(node, path, call.span, caller.depth + 1, clock);
        let info = &self.checked.nodes[node];
        let mut given = Vec::new();
        for &argument in arguments {
            given.extend(self.all(caller, argument)?);
        }
        for (var, expr) in inner.vars[..info.inputs].concat().into_iter().zip(given) {
            self.define(clock, var, expr)?;
        }
        let called = &self.checked.program.nodes[node];
        if called.body != ast::Body::Known {
            let inputs = inner.vars[..info.inputs].concat();
            let outputs = inner.vars[info.inputs..info.inputs + info.outputs].concat();
            self.unknown_bodies.push((inputs.clone(), outputs.clone()));
            if called.function {
                let active = clock.and_then(|clock| clock.active);
                self.functions.push(FunctionCall { node, active, inputs, outputs });
            }
        }
        stacker::maybe_grow(64 << 10, 1 << 20, || self.body(&mut inner))?;
        Ok(inner.vars[info.inputs..info.inputs + info.outputs].concat())
    }

    fn check_limits(&self, depth: usize, span: Span) -> Flat<()> {
        if depth >= MAX_CALL_DEPTH {
            let what = format!("calls nested deeper than {MAX_CALL_DEPTH} levels");
            return Err(TooLarge { span, what });
        }
        if self.system.instances.len() >= MAX_INSTANCES {
            return Err(TooLarge { span, what: format!("more than {MAX_INSTANCES} node calls") });
        }
        Ok(())
    }

    fn call_path(&self, caller: &Frame, id: ast::ExprId) -> String {
        let Use::Node { node, number } = self.checked.uses[id] else { return String::new() };
        let name = &self.checked.program.nodes[node].name.text;
        let own = if number == 0 { name.to_string() } else { format!("{name}#{number}") };
        let path = &self.system.instances[caller.instance].path;
        if path.is_empty() { own } else { format!("{path}.{own}") }
    }

    fn condact(&mut self, frame: &mut Frame, id: ast::ExprId) -> Flat<Vec<VarId>> {
        let ast::AstExprKind::Condact(clock, call, defaults) = &self.checked.program.exprs[id].kind
        else {
            unreachable!("called for `condact` only");
        };
        if self.constant_bool(*clock) == Some(true) {
            return self.called(frame, *call, frame.clock);
        }
        if let Some(results) = frame.results.get(&id) {
            return Ok(results.clone());
        }
        let inner = self.clock(frame, *clock, *call)?;
        let outputs = self.called(frame, *call, Some(inner))?;
        let mut given = Vec::new();
        for &default in defaults {
            given.extend(self.all(frame, default)?.into_iter().map(Some));
        }
        given.resize(outputs.len(), None);
        let mut results = Vec::new();
        for (output, default) in outputs.into_iter().zip(given) {
            results.push(self.condact_result(frame, inner, output, default)?);
        }
        frame.results.insert(id, results.clone());
        Ok(results)
    }

    /// The clock of an instance: active when its caller is and the condition holds.
    fn clock(&mut self, frame: &mut Frame, clock: ast::ExprId, call: ast::ExprId) -> Flat<Clock> {
        let path = self.call_path(frame, self.inner_call(call));
        let own = path.rsplit('.').next().unwrap_or("").to_string();
        let span = self.checked.program.exprs[clock].span;
        let active = self.generate(frame.instance, &format!("{own}.active"), Kind::BOOL, span);
        let first = self.generate(frame.instance, &format!("{own}.first"), Kind::BOOL, span);
        let condition = self.scalar(frame, clock)?;
        self.tick(frame.clock, (active, first), condition)
    }

    /// A clock that ticks when another one does and a condition holds.
    fn tick(
        &mut self,
        outer: Option<Clock>,
        (active, first): (VarId, VarId),
        mut condition: ExprId,
    ) -> Flat<Clock> {
        let span = self.system.vars[active].span;
        if let Some(outer) = outer.and_then(|outer| outer.active) {
            let outer = self.var(outer, span)?;
            condition =
                self.add(ExprKind::Binary(BinaryOp::And, outer, condition), Type::Bool, span)?;
        }
        self.system.equations.push(Equation { var: active, expr: condition });
        // first = true -> (pre first and not pre active)
        let initially =
            self.add(ExprKind::Const(Value::Bool(true)), Type::Bool, Span::default())?;
        let was_first = self.var(first, span)?;
        let was_first = self.add(ExprKind::Pre(was_first), Type::Bool, span)?;
        let was_active = self.var(active, span)?;
        let was_active = self.add(ExprKind::Pre(was_active), Type::Bool, span)?;
        let was_idle = self.add(ExprKind::Unary(UnaryOp::Not, was_active), Type::Bool, span)?;
        let still =
            self.add(ExprKind::Binary(BinaryOp::And, was_first, was_idle), Type::Bool, span)?;
        let mut expr = self.add(ExprKind::Arrow(initially, still), Type::Bool, span)?;
        let reset = outer.and_then(|outer| outer.reset);
        if let Some(reset) = reset {
            let reset = self.var(reset, span)?;
            expr = self.add(ExprKind::Binary(BinaryOp::Or, reset, expr), Type::Bool, span)?;
        }
        self.system.equations.push(Equation { var: first, expr });
        Ok(Clock { active: Some(active), first, reset })
    }

    /// result = if active then output else (default -> pre result), in the caller's time.
    fn condact_result(
        &mut self,
        frame: &Frame,
        inner: Clock,
        output: VarId,
        default: Option<ExprId>,
    ) -> Flat<VarId> {
        let Var { ty, machine, span, .. } = self.system.vars[output];
        let prefix = self.system.instances[frame.instance].path.len();
        let name = format!("{}.held", &self.system.vars[output].name[prefix..]);
        let result =
            self.generate(frame.instance, name.trim_start_matches('.'), Kind { ty, machine }, span);
        let active = inner.active.expect("a `condact` has a clock");
        let active = self.var(active, span)?;
        let output = self.var(output, span)?;
        let held = self.var(result, span)?;
        let held = self.add(ExprKind::Pre(held), ty, span)?;
        let idle = match default {
            Some(default) => self.arrow(frame, default, held)?,
            None => held,
        };
        let expr = self.add(ExprKind::If(active, output, idle), ty, span)?;
        self.define(frame.clock, result, expr)?;
        Ok(result)
    }
}

/// Expressions. An expression of a struct, array or tuple type falls apart into scalars;
/// only those that are asked for are built.
impl Flattener<'_> {
    fn add(&mut self, kind: ExprKind, ty: Type, span: Span) -> Flat<ExprId> {
        if self.system.exprs.len() >= MAX_EXPRS {
            let what = format!("more than {MAX_EXPRS} expressions once its calls are expanded");
            return Err(TooLarge { span, what });
        }
        Ok(self.system.add_expr(kind, ty, span))
    }

    fn var(&mut self, var: VarId, span: Span) -> Flat<ExprId> {
        let ty = self.system.vars[var].ty;
        self.add(ExprKind::Var(var), ty, span)
    }

    fn ty(&self, id: ExprId) -> Type {
        self.system.exprs[id].ty
    }

    /// The machine's type of a scalar expression.
    fn machine(&self, id: ast::ExprId) -> Option<MachineInt> {
        self.checked.types.machine(self.checked.expr_types[id])
    }

    /// The machine's type of one scalar of an expression.
    fn machine_at(&self, id: ast::ExprId, position: usize) -> Option<MachineInt> {
        self.checked.types.leaves(self.checked.expr_types[id])[position].machine
    }

    fn count(&self, id: ast::ExprId) -> usize {
        self.checked.types.leaf_count(self.checked.expr_types[id])
    }

    fn scalar(&mut self, frame: &mut Frame, id: ast::ExprId) -> Flat<ExprId> {
        self.one(frame, id, 0)
    }

    fn one(&mut self, frame: &mut Frame, id: ast::ExprId, position: usize) -> Flat<ExprId> {
        Ok(self.part(frame, id, position..position + 1)?[0])
    }

    /// All scalars; a call without any is expanded all the same, for what it promises.
    fn all(&mut self, frame: &mut Frame, id: ast::ExprId) -> Flat<Vec<ExprId>> {
        self.part(frame, id, 0..self.count(id))
    }

    fn part(
        &mut self,
        frame: &mut Frame,
        id: ast::ExprId,
        wanted: Range<usize>,
    ) -> Flat<Vec<ExprId>> {
        stacker::maybe_grow(64 << 10, 1 << 20, || self.part_here(frame, id, wanted))
    }

    fn part_here(
        &mut self,
        frame: &mut Frame,
        id: ast::ExprId,
        wanted: Range<usize>,
    ) -> Flat<Vec<ExprId>> {
        use ast::AstExprKind as Ast;
        let checked = self.checked;
        let expr = &checked.program.exprs[id];
        let span = expr.span;
        match &expr.kind {
            Ast::Bool(value) => {
                Ok(vec![self.add(ExprKind::Const(Value::Bool(*value)), Type::Bool, span)?])
            }
            Ast::Int(value) => {
                Ok(vec![self.add(ExprKind::Const(Value::Int(value.clone())), Type::Int, span)?])
            }
            Ast::Real(value) => {
                Ok(vec![self.add(ExprKind::Const(Value::Real(value.clone())), Type::Real, span)?])
            }
            Ast::Name(_) => self.name(frame, id, wanted),
            Ast::Unary(op, operand) => {
                let operand = self.scalar(frame, *operand)?;
                let ty = op.result_type(self.ty(operand));
                let result = self.add(ExprKind::Unary(*op, operand), ty, span)?;
                Ok(vec![self.wrapped(self.machine(id), result)?])
            }
            Ast::Binary(op, left, right) => {
                let op = of_type(*op, self.machine(*left));
                let result = self.binary(frame, op, *left, *right, span)?;
                Ok(vec![self.wrapped(self.machine(id), result)?])
            }
            Ast::Bits(op, left, right) => {
                let ty = self.machine(id).expect("the checker found a machine's type");
                let operands = (self.scalar(frame, *left)?, self.scalar(frame, *right)?);
                let kind = ExprKind::Binary(op.of_type(ty), operands.0, operands.1);
                Ok(vec![self.add(kind, Type::Int, span)?])
            }
            Ast::Flip(operand) => {
                let ty = self.machine(id).expect("the checker found a machine's type");
                let operand = self.scalar(frame, *operand)?;
                let kind = ExprKind::Unary(UnaryOp::BitNot(ty), operand);
                Ok(vec![self.add(kind, Type::Int, span)?])
            }
            Ast::Convert(to, operand) => Ok(vec![self.convert(frame, *to, *operand, span)?]),
            Ast::When(condition, then, otherwise) => {
                self.when(frame, id, [*condition, *then, *otherwise], wanted)
            }
            Ast::Restart(..) => {
                let results = self.called(frame, id, frame.clock)?;
                results[wanted].iter().map(|var| self.var(*var, span)).collect()
            }
            Ast::Any(_) | Ast::Mode(_) => unreachable!("taken out before names are resolved"),
            Ast::If(condition, then, otherwise) => wanted
                .map(|i| self.choice(frame, [*condition, *then, *otherwise], i, span))
                .collect(),
            Ast::Arrow(first, later) => wanted
                .map(|i| {
                    let first = self.one(frame, *first, i)?;
                    let outside = std::mem::replace(&mut frame.guarded, true);
                    let later = self.one(frame, *later, i);
                    frame.guarded = outside;
                    let later = later?;
                    let arrow = self.arrow(frame, first, later)?;
                    self.system.exprs[arrow].span = span;
                    Ok(arrow)
                })
                .collect(),
            Ast::Pre(operand) => {
                let guarded = std::mem::replace(&mut frame.guarded, false);
                let delays: Flat<Vec<ExprId>> =
                    wanted.map(|i| self.delay(frame, *operand, i, span)).collect();
                frame.guarded = guarded;
                delays?.into_iter().map(|delay| self.anew(frame, delay)).collect()
            }
            Ast::Call(..) => {
                let results = self.call(frame, id)?;
                results[wanted].iter().map(|var| self.var(*var, span)).collect()
            }
            Ast::Condact(..) => {
                let results = self.condact(frame, id)?;
                results[wanted].iter().map(|var| self.var(*var, span)).collect()
            }
            Ast::Tuple(items) | Ast::Array(items) => self.concat(frame, items, wanted),
            Ast::Record(_, fields) => {
                let ordered = self.in_declared_order(id, fields);
                self.concat(frame, &ordered, wanted)
            }
            Ast::Field(record, name) => {
                let start = self.field_start(*record, &name.text);
                self.part(frame, *record, start + wanted.start..start + wanted.end)
            }
            Ast::Index(array, index) => {
                wanted.map(|i| self.element(frame, *array, *index, i, span)).collect()
            }
            Ast::WithField(record, name, value) => {
                let start = self.field_start(*record, &name.text);
                let field = start..start + self.count(*value);
                wanted
                    .map(|i| match field.contains(&i) {
                        true => self.one(frame, *value, i - start),
                        false => self.one(frame, *record, i),
                    })
                    .collect()
            }
            Ast::WithIndex(array, index, value) => {
                wanted.map(|i| self.updated(frame, [*array, *index, *value], i, span)).collect()
            }
            Ast::Sugar(_) => unreachable!("lowered before it is checked"),
        }
    }

    fn name(&mut self, frame: &Frame, id: ast::ExprId, wanted: Range<usize>) -> Flat<Vec<ExprId>> {
        let span = self.checked.program.exprs[id].span;
        match self.checked.uses[id] {
            Use::Var(position) => {
                frame.vars[position][wanted].iter().map(|var| self.var(*var, span)).collect()
            }
            Use::Enum(enumeration, ordinal) => {
                let kind = ExprKind::Const(Value::Enum(ordinal));
                Ok(vec![self.add(kind, Type::Enum(enumeration), span)?])
            }
            Use::Constant(index) if self.checked.program.constants[index].value.is_none() => {
                let scalars = self.free_constant(id, index)?;
                scalars[wanted].iter().map(|var| self.var(*var, span)).collect()
            }
            Use::Constant(index) => {
                let leaves = self.checked.types.leaves(self.checked.expr_types[id]);
                let values = &self.checked.constants[index];
                wanted
                    .map(|i| self.add(ExprKind::Const(values[i].clone()), leaves[i].ty, span))
                    .collect()
            }
            Use::Nothing | Use::Node { .. } => unreachable!("the checker resolved every name"),
        }
    }

    /// A machine's operation is an exact one, of whose result the low bits are kept.
    fn wrapped(&mut self, ty: Option<MachineInt>, result: ExprId) -> Flat<ExprId> {
        let span = self.system.exprs[result].span;
        match ty {
            Some(ty) => self.add(ExprKind::Unary(UnaryOp::Wrap(ty), result), Type::Int, span),
            None => Ok(result),
        }
    }

    /// Numbers are converted here, once and for all; an integer of any type is an `int` as it is.
    fn convert(
        &mut self,
        frame: &mut Frame,
        to: Option<MachineInt>,
        operand: ast::ExprId,
        span: Span,
    ) -> Flat<ExprId> {
        if let (Some(to), ast::AstExprKind::Int(value)) =
            (to, &self.checked.program.exprs[operand].kind)
        {
            let value = Value::Int(to.wrap(value));
            return self.add(ExprKind::Const(value), Type::Int, span);
        }
        let from = self.machine(operand);
        let value = self.scalar(frame, operand)?;
        match (to, self.ty(value)) {
            (None, Type::Real) => self.add(ExprKind::Unary(UnaryOp::Floor, value), Type::Int, span),
            (Some(to), _) if from != Some(to) => {
                self.add(ExprKind::Unary(UnaryOp::Wrap(to), value), Type::Int, span)
            }
            _ => Ok(value),
        }
    }

    /// Structs, arrays and tuples are equal when all their scalars are.
    fn binary(
        &mut self,
        frame: &mut Frame,
        op: BinaryOp,
        left: ast::ExprId,
        right: ast::ExprId,
        span: Span,
    ) -> Flat<ExprId> {
        let join = if op == BinaryOp::Ne { BinaryOp::Or } else { BinaryOp::And };
        let mut result = None;
        for i in 0..self.count(left) {
            let (a, b) = (self.one(frame, left, i)?, self.one(frame, right, i)?);
            let ty = op.result_type(self.ty(a));
            let next = self.add(ExprKind::Binary(op, a, b), ty, span)?;
            result = Some(match result {
                None => next,
                Some(before) => self.add(ExprKind::Binary(join, before, next), Type::Bool, span)?,
            });
        }
        match result {
            Some(result) => Ok(result),
            None => self.add(ExprKind::Const(Value::Bool(op != BinaryOp::Ne)), Type::Bool, span),
        }
    }

    fn choice(
        &mut self,
        frame: &mut Frame,
        [condition, then, otherwise]: [ast::ExprId; 3],
        position: usize,
        span: Span,
    ) -> Flat<ExprId> {
        let condition = self.scalar(frame, condition)?;
        let then = self.one(frame, then, position)?;
        let otherwise = self.one(frame, otherwise, position)?;
        let ty = self.ty(then);
        self.add(ExprKind::If(condition, then, otherwise), ty, span)
    }

    fn arrow(&mut self, frame: &Frame, first: ExprId, later: ExprId) -> Flat<ExprId> {
        let span = self.system.exprs[later].span;
        let ty = self.ty(first);
        match frame.clock {
            None => self.add(ExprKind::Arrow(first, later), ty, span),
            Some(clock) => {
                let is_first = self.var(clock.first, span)?;
                self.add(ExprKind::If(is_first, first, later), ty, span)
            }
        }
    }

    /// Under a clock, `pre` is the value at the last active step. A variable holds that
    /// value by itself; a larger expression gets a variable that does.
    fn delay(
        &mut self,
        frame: &mut Frame,
        operand: ast::ExprId,
        position: usize,
        span: Span,
    ) -> Flat<ExprId> {
        let plain = matches!(self.checked.uses[operand], Use::Var(_)) && frame.open_branches == 0;
        let holds = frame.clock.is_some_and(|clock| clock.active.is_some());
        let of = if !holds || plain {
            self.one(frame, operand, position)?
        } else if let Some(&held) = frame.held.get(&(operand, position)) {
            self.var(held, span)?
        } else {
            let expr = self.one(frame, operand, position)?;
            let name = format!("held#{}", frame.held.len() + 1);
            let kind = Kind { ty: self.ty(expr), machine: self.machine_at(operand, position) };
            let held = self.generate(frame.instance, &name, kind, span);
            frame.held.insert((operand, position), held);
            self.define(frame.clock, held, expr)?;
            self.var(held, span)?
        };
        let ty = self.ty(of);
        self.add(ExprKind::Pre(of), ty, span)
    }

    /// The wanted scalars of several expressions in a row.
    fn concat(
        &mut self,
        frame: &mut Frame,
        items: &[ast::ExprId],
        wanted: Range<usize>,
    ) -> Flat<Vec<ExprId>> {
        let mut exprs = Vec::new();
        let mut start = 0;
        for &item in items {
            let count = self.count(item);
            let from = wanted.start.clamp(start, start + count) - start;
            let to = wanted.end.clamp(start, start + count) - start;
            if from < to {
                exprs.extend(self.part(frame, item, from..to)?);
            }
            start += count;
        }
        Ok(exprs)
    }

    fn in_declared_order(
        &self,
        record: ast::ExprId,
        given: &[(ast::Name, ast::ExprId)],
    ) -> Vec<ast::ExprId> {
        let value = |field: &str| given.iter().find(|(name, _)| *name.text == *field);
        match self.checked.types.form(self.checked.expr_types[record]) {
            TypeForm::Struct(id) => {
                let fields = self.checked.types.structs[*id].fields.iter();
                fields.filter_map(|(field, _)| value(field)).map(|(_, value)| *value).collect()
            }
            _ => Vec::new(),
        }
    }

    fn field_start(&self, record: ast::ExprId, name: &str) -> usize {
        match self.checked.types.form(self.checked.expr_types[record]) {
            TypeForm::Struct(id) => {
                let fields = self.checked.types.structs[*id].fields.iter();
                let before = fields.take_while(|(field, _)| field != name);
                before.map(|(_, ty)| self.checked.types.leaf_count(*ty)).sum()
            }
            _ => 0,
        }
    }

    /// An index that is a number or the name of a constant.
    fn plain_index(&self, index: ast::ExprId) -> Option<usize> {
        let value = match (&self.checked.program.exprs[index].kind, self.checked.uses[index]) {
            (ast::AstExprKind::Int(value), _) => value,
            (_, Use::Constant(constant)) => match self.checked.constants[constant].first()? {
                Value::Int(value) => value,
                _ => return None,
            },
            _ => return None,
        };
        usize::try_from(value.to_i64()?).ok()
    }

    /// How many elements an array has, and how many scalars each of them.
    fn shape(&self, array: ast::ExprId) -> (usize, usize) {
        match self.checked.types.form(self.checked.expr_types[array]) {
            TypeForm::Array(element, size) => (*size, self.checked.types.leaf_count(*element)),
            _ => (1, 1),
        }
    }

    /// A scalar of the element at an index, outside the array of the last one.
    fn element(
        &mut self,
        frame: &mut Frame,
        array: ast::ExprId,
        index: ast::ExprId,
        position: usize,
        span: Span,
    ) -> Flat<ExprId> {
        let (size, length) = self.shape(array);
        if let Some(at) = self.plain_index(index) {
            return self.one(frame, array, at.min(size - 1) * length + position);
        }
        let mut result = self.one(frame, array, (size - 1) * length + position)?;
        for at in (0..size - 1).rev() {
            let hit = self.index_is(frame, index, at, span)?;
            let element = self.one(frame, array, at * length + position)?;
            let ty = self.ty(element);
            result = self.add(ExprKind::If(hit, element, result), ty, span)?;
        }
        Ok(result)
    }

    /// A scalar of an array with one element replaced.
    fn updated(
        &mut self,
        frame: &mut Frame,
        [array, index, value]: [ast::ExprId; 3],
        position: usize,
        span: Span,
    ) -> Flat<ExprId> {
        let (_, length) = self.shape(array);
        let (at, offset) = (position / length, position % length);
        match self.plain_index(index) {
            Some(plain) if plain == at => self.one(frame, value, offset),
            Some(_) => self.one(frame, array, position),
            None => {
                let hit = self.index_is(frame, index, at, span)?;
                let new = self.one(frame, value, offset)?;
                let old = self.one(frame, array, position)?;
                let ty = self.ty(new);
                self.add(ExprKind::If(hit, new, old), ty, span)
            }
        }
    }

    fn index_is(
        &mut self,
        frame: &mut Frame,
        index: ast::ExprId,
        at: usize,
        span: Span,
    ) -> Flat<ExprId> {
        let index = self.scalar(frame, index)?;
        let at = self.add(ExprKind::Const(Value::from(at as i64)), Type::Int, span)?;
        self.add(ExprKind::Binary(BinaryOp::Eq, index, at), Type::Bool, span)
    }
}
