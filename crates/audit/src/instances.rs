//! The main node expanded into node instances, over the tree: nothing is rewritten, an instance
//! only says which node it is, who calls it, under which clock, and how its variables are called.
//!
//! Names are those that users see: `pump.alarm#2.level`, `limits.low[3]`. What holds a value while
//! a clock is false has a name too: `pump.active` and `pump.first` for the clock of a `condact`,
//! `pump.level.held` for what it returns, `pump.held#1` for what `pre` of a larger expression
//! remembers.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use provoke_base::{IndexVec, Span, define_id};
use provoke_lustre::tree::{AstExprKind, CheckedTree, ExprId, Use};
use provoke_model::{Range, Role, Type};

use crate::form::{Form, Node};
use crate::shape::{Part, Shape, count, scalar_type, shape};

define_id! {
    /// A node instance.
    InstanceId,
    /// A scalar variable of an instance.
    VarId,
    /// The clock of a `condact`.
    ClockId,
}

/// A model, ready to be run or encoded.
pub struct Model {
    /// What is written.
    pub tree: CheckedTree,
    /// The node instances, the main one first.
    pub instances: IndexVec<InstanceId, Instance>,
    /// The scalar variables of all instances.
    pub vars: IndexVec<VarId, Var>,
    /// The clocks, outer ones before inner ones.
    pub clocks: IndexVec<ClockId, Clock>,
    /// The scalar inputs of the main node, in order.
    pub inputs: Vec<VarId>,
    /// The scalar outputs of the main node, in order.
    pub outputs: Vec<VarId>,
    /// What the environment promises while the instance is active.
    pub assertions: Vec<Promise>,
    /// What the model promises while the instance is active.
    pub properties: Vec<Promise>,
    /// Which of several copies of one written expression with memory it is; the first has no entry.
    copies: HashMap<ExprId, usize>,
    names: HashMap<String, Named>,
    /// The names of what nobody declared, in the order they were made.
    made: Vec<String>,
    /// An occurrence that is wrong.
    wrong: Option<(InstanceId, Part, WrongValue)>,
    /// Something with a name, and what it is instead of what is written.
    equation: Option<(Node, Form)>,
}

/// A value that an occurrence should not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WrongValue {
    /// It has it in every step.
    Always(bool),
    /// It has it in at most one step, which may be any.
    Once(bool),
}

/// A node instance.
#[derive(Debug)]
pub struct Instance {
    /// The path of instance names from the main node; empty for the main node.
    pub path: String,
    /// The position of its node in the tree.
    pub node: usize,
    /// Who calls it and where; none for the main node.
    pub call: Option<Call>,
    /// The innermost clock it runs under; none if it is always active.
    pub clock: Option<ClockId>,
    /// The scalars of each variable of the node.
    pub vars: Vec<Vec<VarId>>,
    /// The scalars of its outputs, in a row.
    pub outputs: Vec<VarId>,
    /// What its `pre` remember.
    pub delays: Vec<Delay>,
    /// The `condact` expressions with a clock that may be false.
    pub condacts: BTreeMap<ExprId, ClockId>,
    /// The instances that its calls run.
    pub calls: BTreeMap<ExprId, InstanceId>,
}

/// Where an instance is called.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The calling instance.
    pub caller: InstanceId,
    /// The call in its node.
    pub expr: ExprId,
}

/// One scalar of a `pre` of an instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Delay {
    /// The scalar of the `pre` expression.
    pub part: Part,
    /// The scalar of its operand, which is computed in every step in which the instance is active.
    pub operand: Part,
}

/// A scalar variable of an instance.
#[derive(Debug)]
pub struct Var {
    /// The whole name, unique in the model.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its bounds, if it was declared with a subrange or as a machine's integer.
    pub range: Option<Range>,
    /// Whether it is a machine's integer, which nothing leads out of its bounds.
    pub is_machine: bool,
    /// Input and output only if it is one of the main node.
    pub role: Role,
    /// The instance it belongs to.
    pub instance: InstanceId,
    /// How it gets its value while its instance is active.
    pub definition: Definition,
}

/// How a variable gets its value. Under a clock that is false it holds the one it had.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Definition {
    /// From outside.
    Input,
    /// From an argument, an expression of the caller.
    Argument(InstanceId, Part),
    /// From an equation of its node.
    Equation(Part),
}

/// The clock of a `condact`: true when the caller is active and the condition holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    /// The caller's clock.
    pub outer: Option<ClockId>,
    /// The instance in which the `condact` is written.
    pub caller: InstanceId,
    /// The `condact` expression.
    pub condact: ExprId,
    /// The condition, an expression of the caller.
    pub condition: Part,
    /// The instance that it activates.
    pub callee: InstanceId,
}

/// An assertion or a property of an instance.
#[derive(Clone, Debug)]
pub struct Promise {
    /// Whose it is.
    pub instance: InstanceId,
    /// A Boolean expression of its node.
    pub part: Part,
    /// A property's name, with the path before it.
    pub name: String,
    /// Where it is written.
    pub span: Span,
}

/// What a name of the flat system stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Named {
    /// A scalar variable.
    Var(VarId),
    /// Whether a clock is true.
    Active(ClockId),
    /// Whether a clock was never true before this step.
    First(ClockId),
    /// A scalar of what a `condact` returns: an expression of this instance.
    Held(InstanceId, Part),
    /// What a `pre` under a clock remembers after this step: the operand while active, else what
    /// it was before.
    Memory(InstanceId, Delay),
}

/// A model that is larger than what is checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TooLarge {
    /// What there is too much of.
    pub what: String,
}

const MAX_INSTANCES: usize = 100_000;
const MAX_PARTS: usize = 8_000_000;

impl Model {
    /// What each property is called: those of the same name are numbered.
    pub fn property_ids(&self) -> Vec<String> {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        let id = |property: &'_ Promise, count: usize| match count {
            1 => property.name.to_string(),
            _ => format!("{}#{count}", property.name),
        };
        let mut ids = Vec::new();
        for property in &self.properties {
            let count = seen.entry(&property.name).or_default();
            *count += 1;
            ids.push(id(property, *count));
        }
        ids
    }

    /// Expands the main node.
    pub fn new(tree: CheckedTree) -> Result<Model, TooLarge> {
        let copies = copies(&tree);
        let model = Model {
            tree,
            copies,
            instances: IndexVec::new(),
            vars: IndexVec::new(),
            clocks: IndexVec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            assertions: Vec::new(),
            properties: Vec::new(),
            names: HashMap::new(),
            made: Vec::new(),
            wrong: None,
            equation: None,
        };
        let mut expansion = Expansion { model, parts: 0 };
        let main = expansion.declare(expansion.model.tree.main, String::new(), None, None);
        expansion.body(main)?;
        let mut model = expansion.model;
        let inputs = model.tree.nodes[model.tree.main].inputs;
        model.inputs = model.instances[main].vars[..inputs].concat();
        model.outputs = model.instances[main].outputs.clone();
        Ok(model)
    }

    /// Which copy of a written expression with memory it is: an array's definition is written once
    /// for all elements.
    pub fn copy(&self, expr: ExprId) -> usize {
        self.copies.get(&expr).copied().unwrap_or(0)
    }

    /// The model in which an occurrence is wrong.
    pub fn with_wrong(self, instance: InstanceId, part: Part, wrong: WrongValue) -> Model {
        Model { wrong: Some((instance, part, wrong)), ..self }
    }

    /// The model in which something with a name is something else.
    pub fn with_equation(self, node: Node, form: Form) -> Model {
        Model { equation: Some((node, form)), ..self }
    }

    /// What stands in place of what is written, if something does.
    pub fn equation_of(&self, node: Node) -> Option<&Form> {
        self.equation.as_ref().filter(|(changed, _)| *changed == node).map(|(_, form)| form)
    }

    /// Whether something in it may be wrong once.
    pub fn may_be_wrong_once(&self) -> bool {
        let at_once =
            |wrong: &(InstanceId, Part, WrongValue)| matches!(wrong.2, WrongValue::Once(_));
        self.wrong.as_ref().is_some_and(at_once)
            || self.equation.as_ref().is_some_and(|(_, form)| form.speaks_of_one_step())
    }

    /// How an occurrence is wrong, if it is.
    pub fn wrong_at(&self, instance: InstanceId, part: Part) -> Option<WrongValue> {
        let (place, of, wrong) = self.wrong?;
        ((place, of) == (instance, part)).then_some(wrong)
    }

    /// What a name of the flat system stands for.
    pub fn named(&self, name: &str) -> Option<Named> {
        self.names.get(name).copied()
    }

    /// The type of anything with a name.
    pub fn type_of(&self, named: Named) -> Type {
        match named {
            Named::Var(var) => self.vars[var].ty,
            Named::Active(_) | Named::First(_) => Type::Bool,
            Named::Held(_, part) => scalar_type(&self.tree, part).0,
            Named::Memory(_, delay) => scalar_type(&self.tree, delay.operand).0,
        }
    }

    /// What clocks make necessary, with the names it has in the flat system.
    pub fn made_names(&self) -> impl Iterator<Item = (&str, Named)> {
        self.made.iter().map(|name| (name.as_str(), self.names[name]))
    }

    /// The variable of this name.
    pub fn var_named(&self, name: &str) -> Option<VarId> {
        match self.named(name)? {
            Named::Var(var) => Some(var),
            _ => None,
        }
    }

    /// The form of a scalar of an expression.
    pub fn shape(&self, part: Part) -> Shape {
        shape(&self.tree, part)
    }

    /// The variable behind a [`Shape::Var`] or [`Shape::Call`] part of an instance.
    pub fn var_of(&self, instance: InstanceId, part: Part) -> Option<VarId> {
        let here = &self.instances[instance];
        match self.shape(part) {
            Shape::Var { var, position } => Some(here.vars[var][position]),
            Shape::Call => Some(self.instances[here.calls[&part.expr]].outputs[part.position]),
            _ => None,
        }
    }

    /// A name that nothing else has: a field may be called like a variable of a called node.
    fn name(&mut self, name: String, named: Named) -> String {
        let mut fresh = name.clone();
        let mut number = 2;
        while self.names.contains_key(&fresh) {
            fresh = format!("{name}~{number}");
            number += 1;
        }
        if !matches!(named, Named::Var(_)) {
            self.made.push(fresh.clone());
        }
        self.names.insert(fresh.clone(), named);
        fresh
    }
}

/// An instance whose body is being expanded.
struct Frame {
    instance: InstanceId,
    seen: BTreeSet<Part>,
    /// How many operands of `pre` got a name.
    held: usize,
}

struct Expansion {
    model: Model,
    parts: usize,
}

impl Expansion {
    fn declare(
        &mut self,
        node: usize,
        path: String,
        call: Option<Call>,
        clock: Option<ClockId>,
    ) -> InstanceId {
        let model = &mut self.model;
        let instance = model.instances.push(Instance {
            path: path.clone(),
            node,
            call,
            clock,
            vars: Vec::new(),
            outputs: Vec::new(),
            delays: Vec::new(),
            condacts: BTreeMap::new(),
            calls: BTreeMap::new(),
        });
        let mut vars = Vec::new();
        for position in 0..model.tree.nodes[node].vars.len() {
            let info = &model.tree.nodes[node].vars[position];
            let role = if call.is_none() { info.role } else { Role::Local };
            let stem = join(&path, &info.name);
            let mut scalars = Vec::new();
            for leaf in model.tree.types.leaves(info.ty) {
                let id = provoke_base::index::Id::new(model.vars.len());
                let name = model.name(format!("{stem}{}", leaf.suffix), Named::Var(id));
                let (ty, range, definition) = (leaf.ty, leaf.range, Definition::Input);
                let is_machine = leaf.machine.is_some();
                model.vars.push(Var { name, ty, range, is_machine, role, instance, definition });
                scalars.push(id);
            }
            vars.push(scalars);
        }
        let info = &model.tree.nodes[node];
        model.instances[instance].outputs = vars[info.inputs..info.inputs + info.outputs].concat();
        model.instances[instance].vars = vars;
        instance
    }

    fn body(&mut self, instance: InstanceId) -> Result<(), TooLarge> {
        let mut frame = Frame { instance, seen: BTreeSet::new(), held: 0 };
        let node = self.model.instances[instance].node;
        for equation in 0..self.model.tree.program.nodes[node].equations.len() {
            let expr = self.model.tree.program.nodes[node].equations[equation].expr;
            self.all(&mut frame, expr)?;
            let here = &self.model.instances[instance];
            let targets = &self.model.tree.nodes[node].targets[equation];
            let targets: Vec<VarId> =
                targets.iter().flat_map(|target| here.vars[*target].iter().copied()).collect();
            for (position, var) in targets.into_iter().enumerate() {
                self.model.vars[var].definition = Definition::Equation(Part { expr, position });
            }
        }
        for position in 0..self.model.tree.program.nodes[node].asserts.len() {
            let expr = self.model.tree.program.nodes[node].asserts[position];
            self.part(&mut frame, Part::of(expr))?;
            let promise = self.promise(instance, expr, None);
            self.model.assertions.push(promise);
        }
        for position in 0..self.model.tree.program.nodes[node].properties.len() {
            let property = &self.model.tree.program.nodes[node].properties[position];
            let (expr, name) = (property.expr, property.name.clone());
            self.part(&mut frame, Part::of(expr))?;
            let promise = self.promise(instance, expr, name);
            self.model.properties.push(promise);
        }
        Ok(())
    }

    /// A property without a name is called by its text.
    fn promise(&self, instance: InstanceId, expr: ExprId, name: Option<String>) -> Promise {
        let span = self.model.tree.program.exprs[expr].span;
        let text = || {
            let words = self.model.tree.file.slice(span).split_whitespace();
            words.collect::<Vec<_>>().join(" ")
        };
        let own = name.unwrap_or_else(text);
        let name = join(&self.model.instances[instance].path, &own);
        Promise { instance, part: Part::of(expr), name, span }
    }

    /// All scalars of an expression; a call without outputs runs too, for what it promises.
    fn all(&mut self, frame: &mut Frame, expr: ExprId) -> Result<(), TooLarge> {
        let count = count(&self.model.tree, expr);
        if count == 0 {
            return match shape(&self.model.tree, Part::of(expr)) {
                Shape::Call => self.call(frame, expr, None),
                Shape::Condact => self.condact(frame, expr),
                _ => Ok(()),
            };
        }
        (0..count).try_for_each(|position| self.part(frame, Part { expr, position }))
    }

    /// Visits what a scalar needs: calls become instances, `pre` become delays. What no scalar
    /// needs, such as the other fields of a record of which one is read, is not there.
    fn part(&mut self, frame: &mut Frame, part: Part) -> Result<(), TooLarge> {
        if !frame.seen.insert(part) {
            return Ok(());
        }
        self.parts += 1;
        if self.parts > MAX_PARTS {
            return Err(TooLarge { what: format!("more than {MAX_PARTS} expressions") });
        }
        stacker::maybe_grow(64 << 10, 1 << 20, || self.part_here(frame, part))
    }

    fn part_here(&mut self, frame: &mut Frame, part: Part) -> Result<(), TooLarge> {
        match shape(&self.model.tree, part) {
            Shape::Const(_) | Shape::Var { .. } => Ok(()),
            Shape::Unary(_, operand) | Shape::Same(operand) => self.part(frame, operand),
            Shape::Binary(_, left, right) | Shape::Arrow(left, right) => {
                self.part(frame, left)?;
                self.part(frame, right)
            }
            Shape::Compare { left, right, count, .. } => (0..count).try_for_each(|position| {
                self.part(frame, Part { expr: left, position })?;
                self.part(frame, Part { expr: right, position })
            }),
            Shape::If(condition, then, otherwise) => {
                self.part(frame, condition)?;
                self.part(frame, then)?;
                self.part(frame, otherwise)
            }
            Shape::Pre(operand) => self.delay(frame, Delay { part, operand }),
            Shape::Call => self.call(frame, part.expr, None),
            Shape::Condact => self.condact(frame, part.expr),
            Shape::Element { index, first, size, stride } => {
                self.part(frame, Shape::element(first, stride, size - 1))?;
                if size > 1 {
                    self.part(frame, index)?;
                }
                (0..size - 1)
                    .rev()
                    .try_for_each(|at| self.part(frame, Shape::element(first, stride, at)))
            }
            Shape::Update { index, new, old, .. } => {
                self.part(frame, index)?;
                self.part(frame, new)?;
                self.part(frame, old)
            }
        }
    }

    fn delay(&mut self, frame: &mut Frame, delay: Delay) -> Result<(), TooLarge> {
        self.part(frame, delay.operand)?;
        let here = &mut self.model.instances[frame.instance];
        here.delays.push(delay);
        let plain = matches!(self.model.tree.uses[delay.operand.expr], Use::Var(_));
        if here.clock.is_some() && !plain {
            frame.held += 1;
            let name = join(&here.path, &format!("held#{}", frame.held));
            self.model.name(name, Named::Memory(frame.instance, delay));
        }
        Ok(())
    }

    /// Expands a call, once however many of its scalars are needed; under `clock` if it stands
    /// in a `condact`.
    fn call(
        &mut self,
        frame: &mut Frame,
        expr: ExprId,
        clock: Option<ClockId>,
    ) -> Result<(), TooLarge> {
        let here = &self.model.instances[frame.instance];
        if here.calls.contains_key(&expr) {
            return Ok(());
        }
        let (AstExprKind::Call(_, arguments), Use::Node { node, .. }) =
            (&self.model.tree.program.exprs[expr].kind, self.model.tree.uses[expr])
        else {
            unreachable!("a call of a checked tree");
        };
        let arguments = arguments.clone();
        let path = self.path(frame.instance, expr);
        let inner = clock.or(here.clock);
        let call = Call { caller: frame.instance, expr };
        if self.model.instances.len() >= MAX_INSTANCES {
            return Err(TooLarge { what: format!("more than {MAX_INSTANCES} node calls") });
        }
        let callee = self.declare(node, path, Some(call), inner);
        self.model.instances[frame.instance].calls.insert(expr, callee);
        let mut given = Vec::new();
        for argument in arguments {
            self.all(frame, argument)?;
            let count = count(&self.model.tree, argument);
            given.extend((0..count).map(|position| Part { expr: argument, position }));
        }
        let inputs = self.model.tree.nodes[node].inputs;
        let inputs = self.model.instances[callee].vars[..inputs].concat();
        for (var, part) in inputs.into_iter().zip(given) {
            self.model.vars[var].definition = Definition::Argument(frame.instance, part);
        }
        stacker::maybe_grow(64 << 10, 1 << 20, || self.body(callee))
    }

    /// The name of the called node, with a number if it is called more than once.
    fn path(&self, caller: InstanceId, call: ExprId) -> String {
        let Use::Node { node, number } = self.model.tree.uses[call] else {
            unreachable!("a call of a checked tree");
        };
        let name = &self.model.tree.program.nodes[node].name.text;
        let own = if number == 0 { name.to_string() } else { format!("{name}#{number}") };
        join(&self.model.instances[caller].path, &own)
    }

    fn condact(&mut self, frame: &mut Frame, expr: ExprId) -> Result<(), TooLarge> {
        if self.model.instances[frame.instance].condacts.contains_key(&expr) {
            return Ok(());
        }
        let AstExprKind::Condact(condition, call, defaults) =
            &self.model.tree.program.exprs[expr].kind
        else {
            unreachable!("called for `condact` only");
        };
        let (condition, call, defaults) = (Part::of(*condition), *call, defaults.clone());
        let path = self.path(frame.instance, call);
        let outer = self.model.instances[frame.instance].clock;
        // The callee's id is known once it is declared.
        let clock = self.model.clocks.push(Clock {
            outer,
            caller: frame.instance,
            condact: expr,
            condition,
            callee: frame.instance,
        });
        self.model.name(join(&path, "active"), Named::Active(clock));
        self.model.name(join(&path, "first"), Named::First(clock));
        self.model.instances[frame.instance].condacts.insert(expr, clock);
        self.part(frame, condition)?;
        self.call(frame, call, Some(clock))?;
        let callee = self.model.instances[frame.instance].calls[&call];
        self.model.clocks[clock].callee = callee;
        for default in defaults {
            self.all(frame, default)?;
        }
        let outputs = self.model.instances[callee].outputs.clone();
        for (position, output) in outputs.into_iter().enumerate() {
            let name = format!("{}.held", self.model.vars[output].name);
            let held = Named::Held(frame.instance, Part { expr, position });
            self.model.name(name, held);
        }
        Ok(())
    }
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}

fn copies(tree: &CheckedTree) -> HashMap<ExprId, usize> {
    let mut found = HashMap::new();
    let mut seen: HashMap<u32, usize> = HashMap::new();
    for (id, expr) in tree.program.exprs.entries() {
        if matches!(expr.kind, AstExprKind::Pre(_) | AstExprKind::Condact(..)) {
            let before = seen.entry(expr.span.start).or_default();
            if *before > 0 {
                found.insert(id, *before);
            }
            *before += 1;
        }
    }
    found
}
