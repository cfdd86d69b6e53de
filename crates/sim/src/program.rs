//! A system laid out for evaluation: every expression once, each after what it uses.

use provoke_base::IndexVec;
use provoke_base::index::Id;
use provoke_model::{BinaryOp, ExprId, ExprKind, Range, System, Type, UnaryOp, VarId};

use crate::compact_value::CompactValue;
use crate::interpreter::delays;

provoke_base::define_id! {
    /// A place in a program: an expression or an input in the order of evaluation.
    NodeId,
}

/// What a node computes; operands are earlier nodes, apart from those of `pre`.
#[derive(Clone, PartialEq, Debug)]
pub enum ProgramNode {
    /// A literal.
    Const(CompactValue),
    /// The input at this position of [`System::inputs`].
    Input(u32),
    /// The value of another node: an occurrence of the variable which that node defines, or a
    /// variable whose defining expression is also used elsewhere.
    Use(NodeId),
    /// An operator with one operand.
    Unary(UnaryOp, NodeId),
    /// An operator with two operands.
    Binary(BinaryOp, NodeId, NodeId),
    /// `if _ then _ else _`
    If(NodeId, NodeId, NodeId),
    /// `_ -> _`
    Arrow(NodeId, NodeId),
    /// What was remembered in this slot of the memory.
    Pre(u32),
}

impl ProgramNode {
    /// The nodes whose values of the same step it may use, in the order they are written.
    pub fn operands(&self) -> impl Iterator<Item = NodeId> + use<> {
        let (a, b, c) = match *self {
            ProgramNode::Const(_) | ProgramNode::Input(_) | ProgramNode::Pre(_) => {
                (None, None, None)
            }
            ProgramNode::Use(a) | ProgramNode::Unary(_, a) => (Some(a), None, None),
            ProgramNode::Binary(_, a, b) | ProgramNode::Arrow(a, b) => (Some(a), Some(b), None),
            ProgramNode::If(a, b, c) => (Some(a), Some(b), Some(c)),
        };
        [a, b, c].into_iter().flatten()
    }
}

/// One `pre`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProgramDelay {
    /// The node of the `pre` itself.
    pub pre: NodeId,
    /// The node whose value it remembers.
    pub operand: NodeId,
}

/// A system ready for evaluation: nodes in order, the inputs first.
#[derive(Clone, Debug)]
pub struct SimProgram {
    pub(crate) nodes: IndexVec<NodeId, ProgramNode>,
    exprs: IndexVec<NodeId, Option<ExprId>>,
    types: IndexVec<NodeId, Type>,
    node_of: IndexVec<ExprId, NodeId>,
    definitions: IndexVec<VarId, NodeId>,
    delays: Vec<ProgramDelay>,
    pub(crate) inputs: usize,
    pub(crate) equations: Vec<NodeId>,
    pub(crate) assumptions: Vec<NodeId>,
    pub(crate) ranges: Vec<(VarId, Range)>,
    users: Users,
    /// Whether it is in a machine's numbers, so that an unknown real may be an infinity.
    pub(crate) has_infinities: bool,
}

impl SimProgram {
    /// Lays out `system`.
    pub fn new(system: &System) -> SimProgram {
        let mut layout = Layout::new(system);
        layout.place_inputs();
        layout.place_equations();
        // What stands under `pre` may use any variable of its step, so it comes last.
        layout.place_rest();
        layout.finish()
    }

    /// The nodes in the order of evaluation.
    pub fn nodes(&self) -> &IndexVec<NodeId, ProgramNode> {
        &self.nodes
    }

    /// The node of an expression.
    pub fn node_of(&self, expr: ExprId) -> NodeId {
        self.node_of[expr]
    }

    /// The expression of a node; inputs, and variables with a shared definition, have none.
    pub fn expr_of(&self, node: NodeId) -> Option<ExprId> {
        self.exprs[node]
    }

    /// The type of a node's values.
    pub fn type_of(&self, node: NodeId) -> Type {
        self.types[node]
    }

    /// The node that gives a variable its value.
    pub fn definition(&self, var: VarId) -> NodeId {
        self.definitions[var]
    }

    /// The `pre` expressions in the order of the memory.
    pub fn delays(&self) -> &[ProgramDelay] {
        &self.delays
    }

    /// The nodes that must have a value in every step: equations, assumptions, what is
    /// remembered, and all variables.
    pub(crate) fn roots(&self) -> impl Iterator<Item = NodeId> {
        self.named().chain(self.delays.iter().map(|delay| delay.operand))
    }

    /// The same without what is remembered.
    pub(crate) fn named(&self) -> impl Iterator<Item = NodeId> {
        let named = self.equations.iter().chain(&self.assumptions).chain(self.definitions.iter());
        named.copied()
    }

    /// The nodes that have `node` as an operand, in order.
    pub fn users_of(&self, node: NodeId) -> &[NodeId] {
        self.users.of(node)
    }
}

/// The nodes that use each node, one after the other in one vector.
#[derive(Clone, Debug)]
struct Users {
    starts: Vec<u32>,
    users: Vec<NodeId>,
}

impl Users {
    fn new(nodes: &IndexVec<NodeId, ProgramNode>) -> Users {
        let mut starts = vec![0_u32; nodes.len() + 1];
        let uses = || nodes.entries().flat_map(|(id, node)| node.operands().map(move |o| (o, id)));
        uses().for_each(|(operand, _)| starts[operand.index() + 1] += 1);
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut users = vec![NodeId::new(0); starts[nodes.len()] as usize];
        for (operand, user) in uses() {
            users[next[operand.index()] as usize] = user;
            next[operand.index()] += 1;
        }
        Users { starts, users }
    }

    fn of(&self, node: NodeId) -> &[NodeId] {
        let range = self.starts[node.index()] as usize..self.starts[node.index() + 1] as usize;
        &self.users[range]
    }
}

/// A program in the making.
struct Layout<'a> {
    system: &'a System,
    nodes: IndexVec<NodeId, ProgramNode>,
    exprs: IndexVec<NodeId, Option<ExprId>>,
    node_of: IndexVec<ExprId, Option<NodeId>>,
    definitions: IndexVec<VarId, Option<NodeId>>,
    slots: IndexVec<ExprId, u32>,
    /// How many times an expression is an operand or a definition.
    uses: IndexVec<ExprId, u32>,
}

impl<'a> Layout<'a> {
    fn new(system: &'a System) -> Layout<'a> {
        let mut slots = IndexVec::repeat(0, system.exprs.len());
        for (slot, delay) in delays(system).into_iter().enumerate() {
            slots[delay] = slot as u32;
        }
        Layout {
            system,
            nodes: IndexVec::new(),
            exprs: IndexVec::new(),
            node_of: IndexVec::repeat(None, system.exprs.len()),
            definitions: IndexVec::repeat(None, system.vars.len()),
            slots,
            uses: uses(system),
        }
    }

    fn push(&mut self, node: ProgramNode, expr: Option<ExprId>) -> NodeId {
        self.exprs.push(expr);
        self.nodes.push(node)
    }

    fn place_inputs(&mut self) {
        for (position, &var) in self.system.inputs.iter().enumerate() {
            let node = self.push(ProgramNode::Input(position as u32), None);
            self.definitions[var] = Some(node);
        }
    }

    fn place_equations(&mut self) {
        for equation in &self.system.equations {
            self.place(equation.expr);
            let root = self.node_of[equation.expr].expect("just placed");
            // A variable is a node of its own, so that it can be told from its definition.
            let shared = self.uses[equation.expr] > 1;
            let node = if shared { self.push(ProgramNode::Use(root), None) } else { root };
            self.definitions[equation.var] = Some(node);
        }
    }

    fn place_rest(&mut self) {
        for expr in self.system.exprs.ids() {
            self.place(expr);
        }
    }

    /// Places `root` after its operands, with a stack of its own because expressions may be
    /// nested deeply.
    fn place(&mut self, root: ExprId) {
        let mut open = vec![root];
        while let Some(&expr) = open.last() {
            let missing = open.len();
            if self.node_of[expr].is_none() && !matches!(self.kind(expr), ExprKind::Pre(_)) {
                let operands = self.kind(expr).operands();
                open.extend(operands.filter(|operand| self.node_of[*operand].is_none()));
            }
            if open.len() == missing {
                open.pop();
                if self.node_of[expr].is_none() {
                    let node = self.node(expr);
                    self.node_of[expr] = Some(self.push(node, Some(expr)));
                }
            }
        }
    }

    fn kind(&self, expr: ExprId) -> &'a ExprKind {
        &self.system.exprs[expr].kind
    }

    fn node(&self, expr: ExprId) -> ProgramNode {
        let placed = |operand: &ExprId| self.node_of[*operand].expect("operands come first");
        match self.kind(expr) {
            ExprKind::Const(value) => ProgramNode::Const(CompactValue::from(value)),
            ExprKind::Var(var) => ProgramNode::Use(
                self.definitions[*var].expect("equations come after what they use"),
            ),
            ExprKind::Unary(op, a) => ProgramNode::Unary(*op, placed(a)),
            ExprKind::Binary(op, a, b) => ProgramNode::Binary(*op, placed(a), placed(b)),
            ExprKind::If(a, b, c) => ProgramNode::If(placed(a), placed(b), placed(c)),
            ExprKind::Arrow(a, b) => ProgramNode::Arrow(placed(a), placed(b)),
            ExprKind::Pre(_) => ProgramNode::Pre(self.slots[expr]),
        }
    }

    fn finish(self) -> SimProgram {
        let node_of: IndexVec<ExprId, NodeId> =
            self.node_of.iter().map(|node| node.expect("all are placed")).collect();
        let delay = |pre: ExprId| match self.system.exprs[pre].kind {
            ExprKind::Pre(operand) => ProgramDelay { pre: node_of[pre], operand: node_of[operand] },
            _ => unreachable!("delays are `pre` expressions"),
        };
        let ranges = self.system.vars.entries();
        let ranges = ranges.filter_map(|(var, declared)| Some((var, declared.range.clone()?)));
        let definitions = self.definitions.iter().map(|node| node.expect("all are defined"));
        SimProgram {
            has_infinities: self.system.numbers.is_some(),
            users: Users::new(&self.nodes),
            types: types(self.system, &self.nodes, &self.exprs),
            exprs: self.exprs,
            definitions: definitions.collect(),
            delays: delays(self.system).into_iter().map(delay).collect(),
            inputs: self.system.inputs.len(),
            equations: self.system.equations.iter().map(|e| node_of[e.expr]).collect(),
            assumptions: self.system.assumptions.iter().map(|a| node_of[a.expr]).collect(),
            ranges: ranges.collect(),
            nodes: self.nodes,
            node_of,
        }
    }
}

fn types(
    system: &System,
    nodes: &IndexVec<NodeId, ProgramNode>,
    exprs: &IndexVec<NodeId, Option<ExprId>>,
) -> IndexVec<NodeId, Type> {
    let mut types: IndexVec<NodeId, Type> = IndexVec::new();
    for (id, node) in nodes.entries() {
        let ty = match (node, exprs[id]) {
            (_, Some(expr)) => system.exprs[expr].ty,
            (ProgramNode::Input(position), None) => {
                system.vars[system.inputs[*position as usize]].ty
            }
            (ProgramNode::Use(root), None) => types[*root],
            _ => unreachable!("only inputs and shared definitions are no expressions"),
        };
        types.push(ty);
    }
    types
}

fn uses(system: &System) -> IndexVec<ExprId, u32> {
    let mut uses = IndexVec::repeat(0, system.exprs.len());
    let operands = system.exprs.iter().flat_map(|expr| expr.kind.operands());
    for expr in operands.chain(system.roots()) {
        uses[expr] += 1;
    }
    uses
}

impl SimProgram {
    /// The result of one node, given those of its operands, the memory and the step.
    ///
    /// It follows the reference interpreter: an operand that `if`, `and`, `or`, `=>` and
    /// `->` leave out may be a fault, any other fault goes on to the result.
    pub(crate) fn evaluate<'v>(
        &self,
        id: NodeId,
        first_step: bool,
        cell: impl Fn(NodeId) -> &'v CompactValue,
        memory: impl Fn(u32) -> CompactValue,
    ) -> CompactValue {
        match self.nodes[id] {
            ProgramNode::Const(ref value) => value.clone(),
            ProgramNode::Input(_) => cell(id).clone(),
            ProgramNode::Use(definition) => cell(definition).clone(),
            ProgramNode::Unary(op, operand) => unary(op, cell(operand)),
            ProgramNode::Binary(op, left, right) => self.binary(id, op, cell(left), cell(right)),
            ProgramNode::If(condition, then, otherwise) => match cell(condition) {
                CompactValue::Bool(true) => cell(then).clone(),
                CompactValue::Bool(false) => cell(otherwise).clone(),
                fault @ CompactValue::Fault(..) => fault.clone(),
                _ => agreed(cell(then), cell(otherwise)),
            },
            ProgramNode::Arrow(first, later) => {
                cell(if first_step { first } else { later }).clone()
            }
            ProgramNode::Pre(slot) => memory(slot),
        }
    }

    pub(crate) fn binary(
        &self,
        id: NodeId,
        op: BinaryOp,
        left: &CompactValue,
        right: &CompactValue,
    ) -> CompactValue {
        let quick = match (left, right) {
            (CompactValue::Bool(a), CompactValue::Bool(b)) => {
                return CompactValue::Bool(op.apply_bools(*a, *b));
            }
            (CompactValue::Int(a), CompactValue::Int(b)) => small(op, *a, *b),
            _ => None,
        };
        match quick {
            Some(truth) if op.is_relation() => CompactValue::Bool(truth != 0),
            Some(number) => CompactValue::Int(number),
            None => self.binary_exact(id, op, left, right),
        }
    }

    /// The operators' own definition, for all that the short cuts above leave open.
    #[cold]
    fn binary_exact(
        &self,
        id: NodeId,
        op: BinaryOp,
        left: &CompactValue,
        right: &CompactValue,
    ) -> CompactValue {
        if let fault @ CompactValue::Fault(..) = left {
            return fault.clone();
        }
        let left = left.to_value();
        if let Some(decided) = op.decided_by_left(&left) {
            return CompactValue::from(&decided);
        }
        let may_be_left_out = op.is_logical() && !left.is_known();
        if let fault @ CompactValue::Fault(..) = right
            && !may_be_left_out
        {
            return fault.clone();
        }
        let right = right.to_value();
        if self.has_infinities && op.is_open_to_infinity(&left, &right) {
            return CompactValue::Unknown;
        }
        match op.apply(&left, &right) {
            Ok(value) => CompactValue::from(&value),
            Err(fault) => {
                CompactValue::Fault(fault, self.exprs[id].expect("operators are expressions"))
            }
        }
    }
}

pub(crate) fn unary(op: UnaryOp, operand: &CompactValue) -> CompactValue {
    match (op, operand) {
        (UnaryOp::Not, CompactValue::Bool(value)) => CompactValue::Bool(!value),
        (_, CompactValue::Int(value)) if let Some(small) = small_unary(op, *value) => {
            CompactValue::Int(small)
        }
        (_, fault @ CompactValue::Fault(..)) => fault.clone(),
        _ => CompactValue::from(&op.apply(&operand.to_value())),
    }
}

/// The result for an integer; `None` where it may need more than 64 bits or is none.
#[inline]
pub(crate) fn small_unary(op: UnaryOp, a: i64) -> Option<i64> {
    match op {
        UnaryOp::Neg => a.checked_neg(),
        UnaryOp::Wrap(ty) => i64::try_from(ty.low_bits(a.into())).ok(),
        UnaryOp::Clamp(ty) => i64::try_from(i128::from(a).clamp(ty.low(), ty.high())).ok(),
        UnaryOp::BitNot(ty) => i64::try_from(ty.low_bits((!a).into())).ok(),
        UnaryOp::Not | UnaryOp::ToReal | UnaryOp::Floor | UnaryOp::Round(_) => None,
    }
}

/// What an `if` gives when its condition is unknown.
pub(crate) fn agreed(then: &CompactValue, otherwise: &CompactValue) -> CompactValue {
    if then == otherwise && then.is_known() { then.clone() } else { CompactValue::Unknown }
}

/// The result for integers, and for truth values as 0 and 1; `None` where it may need more than
/// 64 bits or has no value.
#[inline]
pub(crate) fn small(op: BinaryOp, a: i64, b: i64) -> Option<i64> {
    match op {
        BinaryOp::And => Some(a & b),
        BinaryOp::Or => Some(a | b),
        BinaryOp::Xor => Some(a ^ b),
        BinaryOp::Implies => Some((a ^ 1) | b),
        BinaryOp::Add => a.checked_add(b),
        BinaryOp::Sub => a.checked_sub(b),
        BinaryOp::Mul => a.checked_mul(b),
        BinaryOp::IntDiv => a.checked_div_euclid(b),
        BinaryOp::Mod => a.checked_rem_euclid(b),
        BinaryOp::Div => None,
        BinaryOp::Quotient => a.checked_div(b),
        BinaryOp::Remainder => a.checked_rem(b),
        BinaryOp::BitAnd(_)
        | BinaryOp::BitOr(_)
        | BinaryOp::ShiftLeft(_)
        | BinaryOp::ShiftRight(_) => {
            op.apply_words(a.into(), b.into()).and_then(|word| i64::try_from(word).ok())
        }
        relation => Some(relation.compare(&a, &b).into()),
    }
}
