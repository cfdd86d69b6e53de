//! Every occurrence of an expression as a node of its own: what obligations are about.
//!
//! Coverage speaks of occurrences: one expression of one equation of one instance, scalar by
//! scalar, with the choices that a clock, a computed index or a comparison of structs stands for
//! spelled out. The graph is built from the instances; its runs are compared with the evaluator's
//! at every step, so that it cannot say anything else.

use std::collections::HashMap;

use provoke_base::{IndexVec, define_id};
use provoke_model::{BinaryOp, Range, Type, UnaryOp, Value};

use crate::instances::{
    ClockId, Definition, Delay, InstanceId, Model, Named, Promise, TooLarge, VarId,
};
use crate::shape::{Part, Shape, default_of, scalar_type};

define_id! {
    /// An occurrence of an expression.
    NodeId,
    /// Something with a name: a variable, or what a clock makes necessary.
    CellId,
}

/// What an occurrence is. Operands come before what they are part of.
#[derive(Clone, PartialEq, Debug)]
pub enum Kind {
    /// A constant.
    Const(Value),
    /// The value of a cell.
    Use(CellId),
    /// An operator with one operand.
    Unary(UnaryOp, NodeId),
    /// An operator with two operands.
    Binary(BinaryOp, NodeId, NodeId),
    /// `if _ then _ else _`
    If(NodeId, NodeId, NodeId),
    /// `_ -> _`
    Arrow(NodeId, NodeId),
    /// `pre _`
    Pre(NodeId),
}

impl Kind {
    /// The operands of the same step, in the order they are written.
    pub fn operands(&self) -> impl DoubleEndedIterator<Item = NodeId> + use<> {
        let (a, b, c) = match *self {
            Kind::Const(_) | Kind::Use(_) => (None, None, None),
            Kind::Unary(_, a) | Kind::Pre(a) => (Some(a), None, None),
            Kind::Binary(_, a, b) | Kind::Arrow(a, b) => (Some(a), Some(b), None),
            Kind::If(a, b, c) => (Some(a), Some(b), Some(c)),
        };
        [a, b, c].into_iter().flatten()
    }
}

/// An occurrence of an expression.
#[derive(Clone, Debug)]
pub struct Node {
    /// What it is.
    pub kind: Kind,
    /// Its type.
    pub ty: Type,
    /// The scalar of an expression it stands for; none for what a clock makes necessary.
    pub source: Option<(InstanceId, Part)>,
}

/// Something with a name.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The name.
    pub name: String,
    /// What it is.
    pub named: Named,
    /// Its type.
    pub ty: Type,
    /// Its bounds.
    pub range: Option<Range>,
    /// What defines it; none for inputs.
    pub root: Option<NodeId>,
}

impl Cell {
    /// Whether the user declared it.
    pub fn is_declared(&self) -> bool {
        matches!(self.named, Named::Var(_))
    }
}

/// All occurrences of a model.
pub struct Graph {
    /// The occurrences.
    pub nodes: IndexVec<NodeId, Node>,
    /// What has a name; the variables of the model first, with the same numbers.
    pub cells: IndexVec<CellId, Cell>,
    /// The cells of the main node's inputs.
    pub inputs: Vec<CellId>,
    /// The cells that are computed, each after those it needs.
    pub order: Vec<CellId>,
    /// The nodes that each computed cell needs in the same step, in the order of [`Graph::order`].
    pub instant: Vec<Vec<NodeId>>,
    /// The nodes under a `pre` of an equation, which may use any cell of their step.
    pub late: Vec<NodeId>,
    /// The assertions.
    pub assertions: Vec<NodeId>,
    /// The properties, in the order of the model's.
    pub properties: Vec<NodeId>,
    /// The nodes of assertions and properties.
    pub promises: std::ops::Range<usize>,
    /// Every `pre` with its operand.
    pub delays: Vec<(NodeId, NodeId)>,
}

const MAX_NODES: usize = 8_000_000;

impl Graph {
    /// The graph of a model.
    pub fn new(model: &Model) -> Result<Graph, TooLarge> {
        let mut builder = Builder::new(model);
        builder.equations()?;
        let start = builder.graph.nodes.len();
        for promise in &model.assertions {
            let node = builder.promise(promise)?;
            builder.graph.assertions.push(node);
        }
        for promise in &model.properties {
            let node = builder.promise(promise)?;
            builder.graph.properties.push(node);
        }
        let mut graph = builder.graph;
        graph.promises = start..graph.nodes.len();
        for (id, node) in graph.nodes.entries() {
            if let Kind::Pre(operand) = node.kind {
                graph.delays.push((id, operand));
            }
        }
        graph.sort();
        graph.divide();
        Ok(graph)
    }

    /// The cell of this name.
    pub fn cell_named(&self, name: &str) -> Option<CellId> {
        self.cells.entries().find(|(_, cell)| cell.name == name).map(|(id, _)| id)
    }

    /// Puts the cells into an order in which they can be computed.
    fn sort(&mut self) {
        let mut done = vec![false; self.cells.len()];
        let mut order = Vec::new();
        for start in self.cells.ids() {
            let mut open = vec![(start, self.needs(start))];
            if std::mem::replace(&mut done[id(start)], true) {
                continue;
            }
            while let Some((cell, needs)) = open.last_mut() {
                match needs.pop() {
                    Some(next) => {
                        if !std::mem::replace(&mut done[id(next)], true) {
                            open.push((next, self.needs(next)));
                        }
                    }
                    None => {
                        if self.cells[*cell].root.is_some() {
                            order.push(*cell);
                        }
                        open.pop();
                    }
                }
            }
        }
        self.order = order;
    }

    /// Tells what an equation needs at once from what it remembers for the next step.
    fn divide(&mut self) {
        let mut late = vec![false; self.nodes.len()];
        for position in 0..self.order.len() {
            let root = self.cells[self.order[position]].root.expect("only what is computed");
            let mut instant = Vec::new();
            let mut open = vec![(root, false)];
            while let Some((node, remembered)) = open.pop() {
                if remembered {
                    late[provoke_base::index::Id::index(node)] = true;
                } else {
                    instant.push(node);
                }
                let kind = &self.nodes[node].kind;
                let remembered = remembered || matches!(kind, Kind::Pre(_));
                open.extend(kind.operands().map(|operand| (operand, remembered)));
            }
            instant.sort_unstable();
            self.instant.push(instant);
        }
        self.late =
            self.nodes.ids().filter(|node| late[provoke_base::index::Id::index(*node)]).collect();
    }

    /// The cells whose values of the same step a cell's equation may use.
    fn needs(&self, cell: CellId) -> Vec<CellId> {
        let mut found = Vec::new();
        let mut open: Vec<NodeId> = self.cells[cell].root.into_iter().collect();
        while let Some(node) = open.pop() {
            match &self.nodes[node].kind {
                Kind::Use(used) => found.push(*used),
                Kind::Pre(_) => {}
                kind => open.extend(kind.operands()),
            }
        }
        found
    }
}

fn id(cell: CellId) -> usize {
    provoke_base::index::Id::index(cell)
}

struct Builder<'m> {
    model: &'m Model,
    graph: Graph,
    active: IndexVec<ClockId, CellId>,
    first: IndexVec<ClockId, CellId>,
    held: HashMap<(InstanceId, Part), CellId>,
    kept: HashMap<(InstanceId, Part), CellId>,
}

impl<'m> Builder<'m> {
    fn new(model: &'m Model) -> Builder<'m> {
        let graph = Graph {
            nodes: IndexVec::new(),
            cells: IndexVec::new(),
            inputs: Vec::new(),
            order: Vec::new(),
            instant: Vec::new(),
            late: Vec::new(),
            assertions: Vec::new(),
            properties: Vec::new(),
            promises: 0..0,
            delays: Vec::new(),
        };
        let (active, first) = (IndexVec::new(), IndexVec::new());
        let (held, kept) = (HashMap::new(), HashMap::new());
        let mut builder = Builder { model, graph, active, first, held, kept };
        builder.name_cells();
        builder
    }

    fn name_cells(&mut self) {
        for (id, var) in self.model.vars.entries() {
            let (name, range) = (var.name.clone(), var.range.clone());
            let cell = Cell { name, named: Named::Var(id), ty: var.ty, range, root: None };
            self.graph.cells.push(cell);
        }
        self.graph.inputs = self.model.inputs.iter().map(|var| cell_of(*var)).collect();
        let mut clocks: Vec<(ClockId, Option<CellId>, Option<CellId>)> =
            self.model.clocks.ids().map(|clock| (clock, None, None)).collect();
        for (name, named) in self.model.made_names() {
            let ty = self.model.type_of(named);
            let cell = Cell { name: name.to_string(), named, ty, range: None, root: None };
            let id = self.graph.cells.push(cell);
            match named {
                Named::Active(clock) => clocks[index(clock)].1 = Some(id),
                Named::First(clock) => clocks[index(clock)].2 = Some(id),
                Named::Held(instance, part) => drop(self.held.insert((instance, part), id)),
                Named::Memory(instance, delay) => {
                    self.kept.insert((instance, delay.part), id);
                }
                Named::Var(_) => {}
            }
        }
        for (_, active, first) in clocks {
            self.active.push(active.expect("every clock has a name"));
            self.first.push(first.expect("every clock has a name"));
        }
    }

    fn equations(&mut self) -> Result<(), TooLarge> {
        for cell in self.graph.cells.ids() {
            let root = match self.graph.cells[cell].named {
                Named::Var(var) => self.variable(var, cell)?,
                Named::Active(clock) => Some(self.is_active(clock)?),
                Named::First(clock) => Some(self.is_first(clock)?),
                Named::Held(instance, part) => Some(self.result(instance, part, cell)?),
                Named::Memory(instance, delay) => Some(self.memory(instance, delay, cell)?),
            };
            self.graph.cells[cell].root = root;
        }
        Ok(())
    }

    fn variable(&mut self, var: VarId, cell: CellId) -> Result<Option<NodeId>, TooLarge> {
        let found = &self.model.vars[var];
        let (instance, part) = match found.definition {
            Definition::Input => return Ok(None),
            Definition::Equation(part) => (found.instance, part),
            Definition::Argument(caller, part) => (caller, part),
        };
        let node = self.node(instance, part)?;
        let clock = self.model.instances[found.instance].clock;
        self.holding(clock, cell, node).map(Some)
    }

    /// `if active then node else pre cell`, under a clock.
    fn holding(
        &mut self,
        clock: Option<ClockId>,
        cell: CellId,
        node: NodeId,
    ) -> Result<NodeId, TooLarge> {
        let Some(clock) = clock else { return Ok(node) };
        let active = self.using(self.active[clock])?;
        let before = self.using(cell)?;
        let ty = self.graph.cells[cell].ty;
        let before = self.add(Kind::Pre(before), ty)?;
        self.add(Kind::If(active, node, before), ty)
    }

    fn is_active(&mut self, clock: ClockId) -> Result<NodeId, TooLarge> {
        let found = self.model.clocks[clock];
        let condition = self.node(found.caller, found.condition)?;
        match found.outer {
            None => Ok(condition),
            Some(outer) => {
                let outer = self.using(self.active[outer])?;
                self.add(Kind::Binary(BinaryOp::And, outer, condition), Type::Bool)
            }
        }
    }

    /// `true -> (pre first and not pre active)`
    fn is_first(&mut self, clock: ClockId) -> Result<NodeId, TooLarge> {
        let start = self.add(Kind::Const(Value::Bool(true)), Type::Bool)?;
        let first = self.using(self.first[clock])?;
        let first = self.add(Kind::Pre(first), Type::Bool)?;
        let active = self.using(self.active[clock])?;
        let active = self.add(Kind::Pre(active), Type::Bool)?;
        let idle = self.add(Kind::Unary(UnaryOp::Not, active), Type::Bool)?;
        let still = self.add(Kind::Binary(BinaryOp::And, first, idle), Type::Bool)?;
        self.add(Kind::Arrow(start, still), Type::Bool)
    }

    /// `if active then output else (default -> pre result)`, in the caller's time.
    fn result(
        &mut self,
        instance: InstanceId,
        part: Part,
        cell: CellId,
    ) -> Result<NodeId, TooLarge> {
        let here = &self.model.instances[instance];
        let clock = here.condacts[&part.expr];
        let callee = &self.model.instances[self.model.clocks[clock].callee];
        let output = callee.outputs[part.position];
        let ty = self.graph.cells[cell].ty;
        let default = default_of(&self.model.tree, part).expect("a clock that may be false");
        let default = self.node(instance, default)?;
        let active = self.using(self.active[clock])?;
        let output = self.using(cell_of(output))?;
        let before = self.using(cell)?;
        let before = self.add(Kind::Pre(before), ty)?;
        let idle = self.arrow(here.clock, default, before)?;
        let node = self.add(Kind::If(active, output, idle), ty)?;
        self.holding(here.clock, cell, node)
    }

    fn memory(
        &mut self,
        instance: InstanceId,
        delay: Delay,
        cell: CellId,
    ) -> Result<NodeId, TooLarge> {
        let node = self.node(instance, delay.operand)?;
        self.holding(self.model.instances[instance].clock, cell, node)
    }

    fn promise(&mut self, promise: &Promise) -> Result<NodeId, TooLarge> {
        let node = self.node(promise.instance, promise.part)?;
        match self.model.instances[promise.instance].clock {
            None => Ok(node),
            Some(clock) => {
                let active = self.using(self.active[clock])?;
                self.add(Kind::Binary(BinaryOp::Implies, active, node), Type::Bool)
            }
        }
    }

    fn add(&mut self, kind: Kind, ty: Type) -> Result<NodeId, TooLarge> {
        if self.graph.nodes.len() >= MAX_NODES {
            return Err(TooLarge { what: format!("more than {MAX_NODES} expressions") });
        }
        Ok(self.graph.nodes.push(Node { kind, ty, source: None }))
    }

    fn using(&mut self, cell: CellId) -> Result<NodeId, TooLarge> {
        let ty = self.graph.cells[cell].ty;
        self.add(Kind::Use(cell), ty)
    }

    /// `->` in the time of a clock.
    fn arrow(
        &mut self,
        clock: Option<ClockId>,
        first: NodeId,
        later: NodeId,
    ) -> Result<NodeId, TooLarge> {
        let ty = self.graph.nodes[first].ty;
        match clock {
            None => self.add(Kind::Arrow(first, later), ty),
            Some(clock) => {
                let is_first = self.using(self.first[clock])?;
                self.add(Kind::If(is_first, first, later), ty)
            }
        }
    }

    fn node(&mut self, instance: InstanceId, part: Part) -> Result<NodeId, TooLarge> {
        let node = stacker::maybe_grow(64 << 10, 1 << 20, || self.node_here(instance, part))?;
        self.graph.nodes[node].source.get_or_insert((instance, part));
        Ok(node)
    }

    fn node_here(&mut self, instance: InstanceId, part: Part) -> Result<NodeId, TooLarge> {
        let clock = self.model.instances[instance].clock;
        match self.model.shape(part) {
            Shape::Const(value) => {
                let ty = scalar_type(&self.model.tree, part).0;
                self.add(Kind::Const(value), ty)
            }
            Shape::Var { .. } | Shape::Call => {
                let var = self.model.var_of(instance, part).expect("a variable");
                self.using(cell_of(var))
            }
            Shape::Condact => self.using(self.held[&(instance, part)]),
            Shape::Same(same) => self.node(instance, same),
            Shape::Unary(op, operand) => {
                let operand = self.node(instance, operand)?;
                let ty = op.result_type(self.graph.nodes[operand].ty);
                self.add(Kind::Unary(op, operand), ty)
            }
            Shape::Binary(op, left, right) => self.binary(instance, op, left, right),
            Shape::Compare { unequal, left, right, count } => {
                self.compare(instance, unequal, left, right, count)
            }
            Shape::If(condition, then, otherwise) => {
                let condition = self.node(instance, condition)?;
                let then = self.node(instance, then)?;
                let otherwise = self.node(instance, otherwise)?;
                let ty = self.graph.nodes[then].ty;
                self.add(Kind::If(condition, then, otherwise), ty)
            }
            Shape::Arrow(first, later) => {
                let first = self.node(instance, first)?;
                let later = self.node(instance, later)?;
                self.arrow(clock, first, later)
            }
            Shape::Pre(operand) => {
                let operand = match self.kept.get(&(instance, part)) {
                    Some(&kept) => self.using(kept)?,
                    None => self.node(instance, operand)?,
                };
                let ty = self.graph.nodes[operand].ty;
                self.add(Kind::Pre(operand), ty)
            }
            Shape::Element { index, first, size, stride } => {
                let mut node = self.node(instance, Shape::element(first, stride, size - 1))?;
                for at in (0..size - 1).rev() {
                    let hit = self.hits(instance, index, at)?;
                    let element = self.node(instance, Shape::element(first, stride, at))?;
                    let ty = self.graph.nodes[element].ty;
                    node = self.add(Kind::If(hit, element, node), ty)?;
                }
                Ok(node)
            }
            Shape::Update { index, at, new, old } => {
                let hit = self.hits(instance, index, at)?;
                let new = self.node(instance, new)?;
                let old = self.node(instance, old)?;
                let ty = self.graph.nodes[new].ty;
                self.add(Kind::If(hit, new, old), ty)
            }
        }
    }

    fn binary(
        &mut self,
        instance: InstanceId,
        op: BinaryOp,
        left: Part,
        right: Part,
    ) -> Result<NodeId, TooLarge> {
        let left = self.node(instance, left)?;
        let right = self.node(instance, right)?;
        let ty = op.result_type(self.graph.nodes[left].ty);
        self.add(Kind::Binary(op, left, right), ty)
    }

    fn compare(
        &mut self,
        instance: InstanceId,
        unequal: bool,
        left: provoke_lustre::tree::ExprId,
        right: provoke_lustre::tree::ExprId,
        count: usize,
    ) -> Result<NodeId, TooLarge> {
        let (op, join) =
            if unequal { (BinaryOp::Ne, BinaryOp::Or) } else { (BinaryOp::Eq, BinaryOp::And) };
        let mut all = None;
        for position in 0..count {
            let (a, b) = (Part { expr: left, position }, Part { expr: right, position });
            let next = self.binary(instance, op, a, b)?;
            all = Some(match all {
                None => next,
                Some(before) => self.add(Kind::Binary(join, before, next), Type::Bool)?,
            });
        }
        match all {
            Some(node) => Ok(node),
            None => self.add(Kind::Const(Value::Bool(!unequal)), Type::Bool),
        }
    }

    fn hits(&mut self, instance: InstanceId, index: Part, at: usize) -> Result<NodeId, TooLarge> {
        let index = self.node(instance, index)?;
        let at = self.add(Kind::Const(Value::from(at as i64)), Type::Int)?;
        self.add(Kind::Binary(BinaryOp::Eq, index, at), Type::Bool)
    }
}

fn cell_of(var: VarId) -> CellId {
    provoke_base::index::Id::new(provoke_base::index::Id::index(var))
}

fn index(clock: ClockId) -> usize {
    provoke_base::index::Id::index(clock)
}
