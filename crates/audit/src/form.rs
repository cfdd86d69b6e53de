//! A model as equations between scalars, worked out where they are asked for.
//!
//! This is how the encoder sees the tree: what a call, a `condact` or an array becomes in a step is
//! said here, once, over few operators. Nothing is simplified.

use provoke_base::IndexVec;
use provoke_model::{BinaryOp, Range, Type, UnaryOp, Value};

use crate::graph::{Graph, Kind, NodeId};
use crate::instances::{ClockId, Definition, InstanceId, Model, Named, VarId, WrongValue};
use crate::shape::{Part, Shape, default_of, machine_range, scalar_type};

/// A scalar that has a value in every step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Node {
    /// A variable.
    Var(VarId),
    /// Whether a clock is true.
    Active(ClockId),
    /// Whether a clock was never true before.
    First(ClockId),
    /// What a `condact` returns: the part of the expression.
    Held(InstanceId, Part),
    /// What a `pre` under a clock will read, by the part of the `pre`.
    Memory(InstanceId, Part),
    /// A part of an expression.
    Part(InstanceId, Part),
    /// Whether the occurrence that may be wrong once has its own value: anything.
    Right,
    /// Whether it was wrong before.
    Over,
}

/// Why a value of an earlier step is needed; each has a free value of its own in the first step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Occurrence {
    /// A `pre` that is written.
    Written(InstanceId, Part),
    /// A node that stands still, by what holds its value.
    Still(Node),
    /// What a `condact` returns while its clock is false.
    Idle(InstanceId, Part),
    /// What a clock needs to know whether it was true before.
    Clock(Node),
}

/// An expression over nodes.
#[derive(Clone, PartialEq, Debug)]
pub enum Form {
    /// A constant.
    Const(Value),
    /// An input of the main node.
    Input(VarId),
    /// The value of a node in the same step.
    Node(Node),
    /// An operator with one operand.
    Unary(UnaryOp, Box<Form>),
    /// An operator with two operands.
    Binary(BinaryOp, Box<Form>, Box<Form>),
    /// `if _ then _ else _`
    If(Box<Form>, Box<Form>, Box<Form>),
    /// Whether this is the first step of the run.
    FirstStep,
    /// A truth value that nothing determines.
    Anything,
    /// The value of a node in the step before.
    Pre(Node, Occurrence),
}

impl Form {
    fn boxed(self) -> Box<Form> {
        Box::new(self)
    }

    fn and(self, other: Form) -> Form {
        Form::Binary(BinaryOp::And, self.boxed(), other.boxed())
    }

    /// Whether something in it is wrong once.
    pub fn speaks_of_one_step(&self) -> bool {
        match self {
            Form::Node(node) | Form::Pre(node, _) => matches!(node, Node::Right | Node::Over),
            Form::Unary(_, a) => a.speaks_of_one_step(),
            Form::Binary(_, a, b) => a.speaks_of_one_step() || b.speaks_of_one_step(),
            Form::If(a, b, c) => [a, b, c].into_iter().any(|part| part.speaks_of_one_step()),
            Form::Const(_) | Form::Input(_) | Form::FirstStep | Form::Anything => false,
        }
    }

    fn choose(self, then: Form, otherwise: Form) -> Form {
        Form::If(self.boxed(), then.boxed(), otherwise.boxed())
    }
}

/// What a node is in a step.
pub fn form(model: &Model, node: Node) -> Form {
    if let Some(form) = model.equation_of(node) {
        return form.clone();
    }
    match node {
        Node::Var(var) => variable(model, var),
        Node::Active(clock) => {
            let found = &model.clocks[clock];
            let condition = Form::Node(Node::Part(found.caller, found.condition));
            match found.outer {
                None => condition,
                Some(outer) => Form::Node(Node::Active(outer)).and(condition),
            }
        }
        Node::First(clock) => {
            let before = |node| Form::Pre(node, Occurrence::Clock(node));
            let idle = Form::Unary(UnaryOp::Not, before(Node::Active(clock)).boxed());
            let still = before(node).and(idle);
            Form::FirstStep.choose(Form::Const(Value::Bool(true)), still)
        }
        Node::Held(instance, part) => held(model, instance, part),
        Node::Memory(instance, part) => {
            let Shape::Pre(operand) = model.shape(part) else { unreachable!("memory of a `pre`") };
            still(model, instance, node, Form::Node(Node::Part(instance, operand)))
        }
        Node::Part(instance, part) => {
            let written = expression(model, instance, part);
            match model.wrong_at(instance, part) {
                Some(wrong) => changed(written, wrong),
                None => written,
            }
        }
        Node::Right => Form::Anything,
        Node::Over => {
            let before = |node| Form::Pre(node, Occurrence::Clock(node));
            let was_wrong = Form::Unary(UnaryOp::Not, before(Node::Right).boxed());
            let is_over = Form::Binary(BinaryOp::Or, before(Node::Over).boxed(), was_wrong.boxed());
            Form::FirstStep.choose(Form::Const(Value::Bool(false)), is_over)
        }
    }
}

/// What stands in place of an occurrence that is wrong.
pub fn changed(written: Form, wrong: WrongValue) -> Form {
    match wrong {
        WrongValue::Always(value) => Form::Const(Value::Bool(value)),
        WrongValue::Once(value) => {
            let [right, over] = [Node::Right, Node::Over].map(|node| Form::Node(node).boxed());
            let as_written = Form::Binary(BinaryOp::Or, right, over);
            as_written.choose(written, Form::Const(Value::Bool(value)))
        }
    }
}

/// The value of a node while its instance is active; else the one it had.
fn still(model: &Model, instance: InstanceId, node: Node, active: Form) -> Form {
    match model.instances[instance].clock {
        None => active,
        Some(clock) => {
            Form::Node(Node::Active(clock)).choose(active, Form::Pre(node, Occurrence::Still(node)))
        }
    }
}

fn variable(model: &Model, var: VarId) -> Form {
    let found = &model.vars[var];
    let body = match found.definition {
        Definition::Input => return Form::Input(var),
        Definition::Argument(caller, part) => Node::Part(caller, part),
        Definition::Equation(part) => Node::Part(found.instance, part),
    };
    still(model, found.instance, Node::Var(var), Form::Node(body))
}

/// The output while the clock is true, else the default and then what was returned last.
fn held(model: &Model, instance: InstanceId, part: Part) -> Form {
    let node = Node::Held(instance, part);
    let clock = model.instances[instance].condacts[&part.expr];
    let output = model.instances[model.clocks[clock].callee].outputs[part.position];
    let default = default_of(&model.tree, part).expect("a `condact` has a default for each output");
    let default = Form::Node(Node::Part(instance, default));
    let last = Form::Pre(node, Occurrence::Idle(instance, part));
    let idle = first_step(model, instance).choose(default, last);
    let active = Form::Node(Node::Active(clock));
    still(model, instance, node, active.choose(Form::Node(Node::Var(output)), idle))
}

/// Whether an instance is active for the first time.
fn first_step(model: &Model, instance: InstanceId) -> Form {
    match model.instances[instance].clock {
        None => Form::FirstStep,
        Some(clock) => Form::Node(Node::First(clock)),
    }
}

/// What a `pre` reads of an occurrence that is wrong; in the first step nobody knows.
fn wrongly_remembered(before: Form, wrong: WrongValue) -> Form {
    let later = match wrong {
        WrongValue::Always(value) => Form::Const(Value::Bool(value)),
        WrongValue::Once(value) => {
            let [right, over] = [Node::Right, Node::Over]
                .map(|node| Form::Pre(node, Occurrence::Clock(node)).boxed());
            let as_written = Form::Binary(BinaryOp::Or, right, over);
            as_written.choose(before.clone(), Form::Const(Value::Bool(value)))
        }
    };
    Form::FirstStep.choose(before, later)
}

fn expression(model: &Model, instance: InstanceId, part: Part) -> Form {
    let sub = |part| Form::Node(Node::Part(instance, part));
    let equals = |index: Part, at: usize| {
        let at = Form::Const(Value::from(at as i64));
        Form::Binary(BinaryOp::Eq, sub(index).boxed(), at.boxed())
    };
    match model.shape(part) {
        Shape::Const(value) => Form::Const(value),
        Shape::Var { .. } | Shape::Call => {
            Form::Node(Node::Var(model.var_of(instance, part).expect("a variable")))
        }
        Shape::Unary(op, operand) => Form::Unary(op, sub(operand).boxed()),
        Shape::Binary(op, left, right) => Form::Binary(op, sub(left).boxed(), sub(right).boxed()),
        Shape::Compare { unequal, left, right, count } => {
            let (op, join) =
                if unequal { (BinaryOp::Ne, BinaryOp::Or) } else { (BinaryOp::Eq, BinaryOp::And) };
            let scalar = |position| {
                let side = |expr| sub(Part { expr, position }).boxed();
                Form::Binary(op, side(left), side(right))
            };
            let join = |all: Form, next| Form::Binary(join, all.boxed(), Form::boxed(next));
            let all = (0..count).map(scalar).reduce(join);
            all.unwrap_or(Form::Const(Value::Bool(!unequal)))
        }
        Shape::If(condition, then, otherwise) => sub(condition).choose(sub(then), sub(otherwise)),
        Shape::Arrow(first, later) => first_step(model, instance).choose(sub(first), sub(later)),
        Shape::Pre(operand) => {
            let remembered = remembered(model, instance, part, operand);
            let before = Form::Pre(remembered, Occurrence::Written(instance, part));
            match (remembered, model.wrong_at(instance, operand)) {
                // A variable remembers itself, whatever stands for it here.
                (Node::Var(_), Some(wrong)) => wrongly_remembered(before, wrong),
                _ => before,
            }
        }
        Shape::Condact => Form::Node(Node::Held(instance, part)),
        Shape::Same(same) => sub(same),
        Shape::Element { index, first, size, stride } => {
            let element = |at| sub(Shape::element(first, stride, at));
            let choose = |rest, at| equals(index, at).choose(element(at), rest);
            (0..size - 1).rev().fold(element(size - 1), choose)
        }
        Shape::Update { index, at, new, old } => equals(index, at).choose(sub(new), sub(old)),
    }
}

/// The node whose last value a `pre` reads: a variable holds its value by itself while a clock is
/// false, a larger expression does not.
fn remembered(model: &Model, instance: InstanceId, part: Part, operand: Part) -> Node {
    let plain = matches!(model.shape(operand), Shape::Var { .. });
    match model.instances[instance].clock {
        _ if plain => Node::Var(model.var_of(instance, operand).expect("a variable")),
        None => Node::Part(instance, operand),
        Some(_) => Node::Memory(instance, part),
    }
}

/// The node that a name of the flat system stands for.
pub fn named(model: &Model, name: &str) -> Option<Node> {
    model.named(name).map(node_of)
}

/// The node of something with a name.
pub fn node_of(named: Named) -> Node {
    match named {
        Named::Var(var) => Node::Var(var),
        Named::Active(clock) => Node::Active(clock),
        Named::First(clock) => Node::First(clock),
        Named::Held(instance, part) => Node::Held(instance, part),
        Named::Memory(instance, delay) => Node::Memory(instance, delay.part),
    }
}

/// Every `pre` that is written, with the node that it remembers.
pub fn delays_of(model: &Model) -> Vec<(Node, Occurrence)> {
    let mut found = Vec::new();
    for (id, instance) in model.instances.entries() {
        for delay in &instance.delays {
            let node = remembered(model, id, delay.part, delay.operand);
            found.push((node, Occurrence::Written(id, delay.part)));
        }
    }
    found
}

/// The type of a node, with the bounds of a subrange.
pub fn type_of(model: &Model, node: Node) -> (Type, Option<Range>) {
    match node {
        Node::Var(var) => (model.vars[var].ty, model.vars[var].range.clone()),
        Node::Active(_) | Node::First(_) | Node::Right | Node::Over => (Type::Bool, None),
        Node::Held(_, part) | Node::Memory(_, part) | Node::Part(_, part) => {
            scalar_type(&model.tree, part)
        }
    }
}

/// The type of what is undefined in the first step. A subrange does not restrict it, since a variable may
/// leave its own; no value leaves the type of a machine.
pub fn undefined_type(model: &Model, node: Node) -> (Type, Option<Range>) {
    (type_of(model, node).0, machine_range_of(model, node))
}

/// The bounds of a node of a machine's type.
pub fn machine_range_of(model: &Model, node: Node) -> Option<Range> {
    match node {
        Node::Var(var) => model.vars[var].range.clone().filter(|_| model.vars[var].is_machine),
        Node::Active(_) | Node::First(_) | Node::Right | Node::Over => None,
        Node::Held(_, part) | Node::Memory(_, part) | Node::Part(_, part) => {
            machine_range(&model.tree, part)
        }
    }
}

/// The clock that a node runs under: what it depends on stands still while that is false.
pub fn clock_of(model: &Model, node: Node) -> Option<ClockId> {
    match node {
        Node::Var(var) => model.instances[model.vars[var].instance].clock,
        Node::Active(clock) | Node::First(clock) => model.clocks[clock].outer,
        Node::Held(instance, _) | Node::Memory(instance, _) | Node::Part(instance, _) => {
            model.instances[instance].clock
        }
        Node::Right | Node::Over => None,
    }
}

/// The nodes that are computed in every step, whoever asks: variables, clocks, what is held, and
/// the operands of `pre`.
pub fn roots(model: &Model) -> Vec<Node> {
    let mut roots: Vec<Node> = model.vars.ids().map(Node::Var).collect();
    roots.extend(model.clocks.ids().map(Node::Active));
    for (id, instance) in model.instances.entries() {
        for (&expr, &clock) in &instance.condacts {
            let outputs = model.instances[model.clocks[clock].callee].outputs.len();
            roots.extend((0..outputs).map(|position| Node::Held(id, Part { expr, position })));
        }
        for delay in &instance.delays {
            roots.push(remembered(model, id, delay.part, delay.operand));
        }
    }
    roots.sort_unstable();
    roots.dedup();
    roots
}

/// The cell whose equation holds an occurrence, and the equation in which it is wrong; why
/// not, if the occurrence is remembered as a part of something larger.
pub fn changed_equation(
    graph: &Graph,
    occurrence_at: NodeId,
    wrong: WrongValue,
) -> Result<(Node, Form), String> {
    let mut users: IndexVec<NodeId, Option<NodeId>> = IndexVec::repeat(None, graph.nodes.len());
    for (user, node) in graph.nodes.entries() {
        node.kind.operands().for_each(|operand| users[operand] = Some(user));
    }
    let mut form = changed(occurrence(graph, occurrence_at), wrong);
    let mut at = occurrence_at;
    while let Some(user) = users[at] {
        form = match graph.nodes[user] {
            // What a clock holds is remembered by name.
            crate::graph::Node { kind: Kind::Pre(held), source: None, .. }
                if held == occurrence_at =>
            {
                wrongly_remembered(held_by(graph, held), wrong)
            }
            crate::graph::Node { kind: Kind::Pre(_), .. } => {
                return Err("it is remembered as a part of something larger".to_string());
            }
            _ => around(graph, user, at, form),
        };
        at = user;
    }
    let cell = graph.cells.iter().find(|cell| cell.root == Some(at));
    let cell = cell.ok_or("it is no part of an equation")?;
    Ok((node_of(cell.named), form))
}

/// An occurrence with something else in place of one of its operands.
fn around(graph: &Graph, node: NodeId, operand: NodeId, other: Form) -> Form {
    let mut other = Some(other);
    let mut sub = |node: NodeId| match node == operand {
        true => other.take().expect("an operand stands once").boxed(),
        false => occurrence(graph, node).boxed(),
    };
    match graph.nodes[node].kind.clone() {
        Kind::Unary(op, a) => Form::Unary(op, sub(a)),
        Kind::Binary(op, a, b) => Form::Binary(op, sub(a), sub(b)),
        Kind::If(a, b, c) => Form::If(sub(a), sub(b), sub(c)),
        Kind::Arrow(a, b) => Form::If(Form::FirstStep.boxed(), sub(a), sub(b)),
        Kind::Const(_) | Kind::Use(_) | Kind::Pre(_) => unreachable!("no such operand"),
    }
}

/// An occurrence as a form over nodes.
pub fn occurrence(graph: &Graph, node: NodeId) -> Form {
    let found = &graph.nodes[node];
    if let Some((instance, part)) = found.source {
        return Form::Node(Node::Part(instance, part));
    }
    let sub = |node| occurrence(graph, node).boxed();
    match &found.kind {
        Kind::Const(value) => Form::Const(value.clone()),
        Kind::Use(cell) => Form::Node(node_of(graph.cells[*cell].named)),
        Kind::Unary(op, operand) => Form::Unary(*op, sub(*operand)),
        Kind::Binary(op, left, right) => Form::Binary(*op, sub(*left), sub(*right)),
        Kind::If(a, b, c) => Form::If(sub(*a), sub(*b), sub(*c)),
        Kind::Arrow(first, later) => Form::FirstStep.choose(*sub(*first), *sub(*later)),
        Kind::Pre(operand) => held_by(graph, *operand),
    }
}

/// A `pre` that no user has written reads what a node held.
fn held_by(graph: &Graph, operand: NodeId) -> Form {
    match &graph.nodes[operand].kind {
        Kind::Use(cell) => {
            let node = node_of(graph.cells[*cell].named);
            Form::Pre(node, Occurrence::Still(node))
        }
        _ => unreachable!("what a clock makes necessary is remembered by name"),
    }
}
