//! Between what bounds every integer of a system stays, at every step of every run: intervals
//! that a step from them does not leave, so a proof by induction, not an observation.
//!
//! A condition narrows what is computed under it: in `if pre n < 9 then pre n + 1 else 0` the sum is
//! at most 9. Inputs are taken to be in their declared ranges and as assumptions promise.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use provoke_base::IndexVec;
use provoke_model::operator::{BinaryOp, UnaryOp};
use provoke_model::system::{Equation, ExprId, ExprKind, System, Type, VarId};
use provoke_model::value::Value;

use crate::interval::Interval;
use crate::machine::{machine_types, operation_type};

/// How often intervals of remembered values just grow before they jump to the next constant.
const PATIENT_PASSES: usize = 4;

/// How often they do before those that still grow may be anything.
const PASSES: usize = 60;

/// How deep below a condition its effect is looked for.
const DEPTH: usize = 64;

/// How many expressions are looked at under conditions, for each expression of the system and each
/// pass. What comes after that is taken without its conditions, which is right but coarser.
const EFFORT: usize = 200;

/// Expressions of the same shape have the same value within a step.
type Shape = usize;

/// What is known of some expressions where others are computed.
type Facts = Rc<BTreeMap<Shape, Interval>>;

/// The bounds of each integer expression wherever its value matters.
pub fn ranges(system: &System) -> IndexVec<ExprId, Interval> {
    let mut analysis = Analysis::new(system);
    analysis.promise();
    analysis.stabilise();
    analysis.spread()
}

struct Analysis<'a> {
    system: &'a System,
    definitions: IndexVec<VarId, Option<ExprId>>,
    shapes: IndexVec<ExprId, Shape>,
    /// Whether each is computed in a machine's type, or else in 64 bits with a sign.
    of_machine: IndexVec<ExprId, bool>,
    /// The expressions in an order in which they can be computed.
    order: Vec<ExprId>,
    /// Where bounds that grow stop first.
    stops: BTreeSet<i128>,
    /// What assumptions say.
    promised: Facts,
    /// The bounds of each expression under no condition.
    plain: IndexVec<ExprId, Interval>,
    /// The bounds of what each `pre` remembers.
    memory: BTreeMap<Shape, Interval>,
    effort: usize,
}

impl<'a> Analysis<'a> {
    fn new(system: &'a System) -> Analysis<'a> {
        let mut definitions = IndexVec::repeat(None, system.vars.len());
        for Equation { var, expr } in &system.equations {
            definitions[*var] = Some(*expr);
        }
        let types = machine_types(system);
        let of_machine = |id| operation_type(system, &types, id).is_some();
        Analysis {
            system,
            definitions,
            shapes: shapes(system),
            of_machine: system.exprs.ids().map(of_machine).collect(),
            order: order(system),
            stops: stops(system),
            promised: Facts::default(),
            plain: IndexVec::repeat(Interval::ALL, system.exprs.len()),
            memory: BTreeMap::new(),
            effort: 0,
        }
    }

    /// Takes in what assumptions say, while nothing else is known.
    fn promise(&mut self) {
        self.replenish();
        let mut facts = Facts::default();
        for assumption in &self.system.assumptions {
            facts = self.under(assumption.expr, true, &facts, 0);
        }
        // What a `pre` gives at the first step is not promised.
        let is_input = |id: &ExprId| match self.system.exprs[*id].kind {
            ExprKind::Var(var) => self.definitions[var].is_none(),
            _ => false,
        };
        let inputs = self.order.iter().copied().filter(is_input);
        let inputs: BTreeSet<Shape> = inputs.map(|id| self.shapes[id]).collect();
        Rc::make_mut(&mut facts).retain(|shape, _| inputs.contains(shape));
        self.promised = facts;
    }

    fn replenish(&mut self) {
        self.effort = EFFORT * self.system.exprs.len();
    }

    /// Finds bounds of remembered values that a step does not leave.
    fn stabilise(&mut self) {
        for (id, expr) in self.system.exprs.entries() {
            if matches!(expr.kind, ExprKind::Pre(_)) && expr.ty == Type::Int {
                // Memory is zero before the first step.
                self.memory.insert(self.shapes[id], Interval::only(0));
            }
        }
        for pass in 0.. {
            let next = self.pass();
            let mut grown = false;
            for (shape, next) in next {
                let known = self.memory[&shape];
                if !known.contains(next) {
                    grown = true;
                    self.memory.insert(shape, self.widened(known, known.join(next), pass));
                }
            }
            if !grown {
                return;
            }
        }
    }

    /// Bounds that grew go further the longer it takes, so that it ends.
    fn widened(&self, known: Interval, next: Interval, pass: usize) -> Interval {
        if pass < PATIENT_PASSES {
            return next;
        }
        let (mut low, mut high) = (next.low, next.high);
        let last = pass >= PASSES;
        if low < known.low {
            let stop = self.stops.range(..=low).next_back().filter(|_| !last);
            low = stop.copied().unwrap_or(Interval::ALL.low.min(low));
        }
        if high > known.high {
            let stop = self.stops.range(high..).next().filter(|_| !last);
            high = stop.copied().unwrap_or(Interval::ALL.high.max(high));
        }
        Interval { low, high }
    }

    /// Computes all expressions from what is remembered; returns what will be.
    fn pass(&mut self) -> BTreeMap<Shape, Interval> {
        self.replenish();
        for index in 0..self.order.len() {
            let id = self.order[index];
            if self.system.exprs[id].ty == Type::Int {
                let facts = Rc::clone(&self.promised);
                self.plain[id] = self.compute(id, &facts, 0);
            }
        }
        let mut next = BTreeMap::new();
        for (id, expr) in self.system.exprs.entries() {
            if let ExprKind::Pre(operand) = expr.kind
                && expr.ty == Type::Int
            {
                let remembered: &mut Interval =
                    next.entry(self.shapes[id]).or_insert(Interval::only(0));
                *remembered = remembered.join(self.plain[operand]);
            }
        }
        next
    }

    /// The bounds of an expression where these facts hold.
    fn bounds(&mut self, id: ExprId, facts: &Facts, depth: usize) -> Interval {
        let plain = self.plain[id];
        if Rc::ptr_eq(facts, &self.promised) || depth > DEPTH || self.effort == 0 {
            return plain;
        }
        self.effort -= 1;
        self.compute(id, facts, depth).meet(plain)
    }

    /// The bounds of what an operation sees of its operand: numbers beyond 64 bits with a sign, which only
    /// a machine's types have, wrap around where others are computed.
    fn operand(&mut self, id: ExprId, operand: ExprId, facts: &Facts, depth: usize) -> Interval {
        let bounds = self.bounds(operand, facts, depth);
        if self.of_machine[id] { bounds } else { bounds.wrapped() }
    }

    fn compute(&mut self, id: ExprId, facts: &Facts, depth: usize) -> Interval {
        let system = self.system;
        let bounds = match &system.exprs[id].kind {
            ExprKind::Const(Value::Int(int)) => {
                int.to_i128().map_or(Interval::ALL, |int| Interval::only(int).meet(Interval::ANY))
            }
            ExprKind::Const(_) => Interval::ALL,
            ExprKind::Var(var) => match (self.definitions[*var], &system.vars[*var].range) {
                (Some(definition), _) => {
                    let bounds = self.bounds(definition, facts, depth + 1);
                    if system.vars[*var].machine.is_some() { bounds } else { bounds.wrapped() }
                }
                (None, _) if system.vars[*var].machine.is_some() => {
                    system.vars[*var].machine.map_or(Interval::ALL, Interval::of)
                }
                (None, Some(range)) => {
                    let low = range.low.to_i64().unwrap_or(i64::MIN);
                    let high = range.high.to_i64().unwrap_or(i64::MAX);
                    Interval { low: i128::from(low), high: i128::from(high) }
                }
                (None, None) => Interval::ALL,
            },
            // Conversions between types take what there is.
            ExprKind::Unary(op @ (UnaryOp::Wrap(_) | UnaryOp::BitNot(_)), operand) => {
                Interval::apply_unary(*op, self.bounds(*operand, facts, depth + 1))
            }
            ExprKind::Unary(op, operand) => {
                Interval::apply_unary(*op, self.operand(id, *operand, facts, depth + 1))
            }
            ExprKind::Binary(op, left, right) => {
                let left = self.operand(id, *left, facts, depth + 1);
                let right = self.operand(id, *right, facts, depth + 1);
                Interval::apply(*op, left, right)
            }
            ExprKind::If(condition, then, otherwise) => {
                let yes = self.under(*condition, true, facts, depth);
                let no = self.under(*condition, false, facts, depth);
                let then = self.operand(id, *then, &yes, depth + 1);
                then.join(self.operand(id, *otherwise, &no, depth + 1))
            }
            ExprKind::Arrow(first, later) => {
                let first = self.operand(id, *first, facts, depth + 1);
                first.join(self.operand(id, *later, facts, depth + 1))
            }
            ExprKind::Pre(_) => self.memory.get(&self.shapes[id]).copied().unwrap_or(Interval::ALL),
        };
        match facts.get(&self.shapes[id]) {
            Some(known) => bounds.meet(*known),
            None => bounds,
        }
    }

    /// The facts, and what follows from a condition that holds or does not.
    fn under(&mut self, condition: ExprId, holds: bool, facts: &Facts, depth: usize) -> Facts {
        let mut found = Rc::clone(facts);
        let mut open = vec![(condition, holds)];
        while let Some((id, holds)) = open.pop() {
            if self.effort == 0 {
                break;
            }
            self.effort -= 1;
            match (&self.system.exprs[id].kind, holds) {
                (ExprKind::Var(var), _) => {
                    open.extend(self.definitions[*var].map(|definition| (definition, holds)));
                }
                (ExprKind::Unary(UnaryOp::Not, operand), _) => open.push((*operand, !holds)),
                (ExprKind::Binary(BinaryOp::And, a, b), true)
                | (ExprKind::Binary(BinaryOp::Or, a, b), false) => {
                    open.extend([(*b, holds), (*a, holds)]);
                }
                (ExprKind::Binary(BinaryOp::Implies, a, b), false) => {
                    open.extend([(*b, false), (*a, true)]);
                }
                (ExprKind::Binary(op, a, b), _) if self.system.exprs[*a].ty == Type::Int => {
                    if let Some(op) = if holds { Some(*op) } else { opposite(*op) } {
                        self.compare((id, op), (*a, *b), &mut found, depth + 1);
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Takes in that one integer compares so with another.
    fn compare(
        &mut self,
        (id, op): (ExprId, BinaryOp),
        (a, b): (ExprId, ExprId),
        facts: &mut Facts,
        depth: usize,
    ) {
        let left = self.bounds(a, facts, depth);
        let right = self.bounds(b, facts, depth);
        // Of numbers that wrap around before they are compared, nothing follows.
        let wraps = !self.of_machine[id] && !Interval::ALL.contains(left.join(right));
        if left.is_none() || right.is_none() || wraps {
            return;
        }
        let (Interval { low: min, high: max }, all) = (Interval::ANY, Interval::ANY);
        let (of_left, of_right) = match op {
            BinaryOp::Lt => (
                Interval { low: min, high: right.high - 1 },
                Interval { low: left.low + 1, high: max },
            ),
            BinaryOp::Le => {
                (Interval { low: min, high: right.high }, Interval { low: left.low, high: max })
            }
            BinaryOp::Gt => (
                Interval { low: right.low + 1, high: max },
                Interval { low: min, high: left.high - 1 },
            ),
            BinaryOp::Ge => {
                (Interval { low: right.low, high: max }, Interval { low: min, high: left.high })
            }
            BinaryOp::Eq => (right, left),
            BinaryOp::Ne => (without(left, right), without(right, left)),
            _ => (all, all),
        };
        self.learn(a, of_left, facts, depth);
        self.learn(b, of_right, facts, depth);
    }

    /// Takes in the bounds of an expression, and of what it is made of.
    fn learn(&mut self, id: ExprId, bounds: Interval, facts: &mut Facts, depth: usize) {
        let (mut id, mut bounds) = (id, bounds);
        for _ in 0..DEPTH {
            let known = facts.get(&self.shapes[id]).copied().unwrap_or(Interval::ANY);
            Rc::make_mut(facts).insert(self.shapes[id], known.meet(bounds));
            let next = match &self.system.exprs[id].kind {
                ExprKind::Var(var) => {
                    let is_kept = |definition: &ExprId| {
                        let is_machine = self.system.vars[*var].machine.is_some();
                        is_machine || Interval::ALL.contains(self.plain[*definition])
                    };
                    let definition = self.definitions[*var].filter(is_kept);
                    definition.map(|definition| (definition, bounds))
                }
                ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub), a, b) => {
                    self.constant(*b).and_then(|by| {
                        let by = if *op == BinaryOp::Add { by } else { -by };
                        self.shifted_back(*a, by, bounds, (facts, depth))
                    })
                }
                _ => None,
            };
            match next {
                Some(next) => (id, bounds) = next,
                None => return,
            }
        }
    }

    fn constant(&self, id: ExprId) -> Option<i128> {
        match &self.system.exprs[id].kind {
            ExprKind::Const(Value::Int(int)) => int.to_i64().map(i128::from),
            _ => None,
        }
    }

    /// The bounds of an operand to which a constant is added, if the sum cannot wrap.
    fn shifted_back(
        &mut self,
        id: ExprId,
        by: i128,
        sum: Interval,
        (facts, depth): (&Facts, usize),
    ) -> Option<(ExprId, Interval)> {
        let operand = self.bounds(id, facts, depth + 1);
        let exact = Interval { low: operand.low + by, high: operand.high + by };
        let bounds = Interval { low: sum.low - by, high: sum.high - by };
        Interval::ALL.contains(exact).then_some((id, bounds))
    }

    /// The bounds of each expression under all conditions that it is computed under.
    fn spread(&mut self) -> IndexVec<ExprId, Interval> {
        self.replenish();
        let mut found = IndexVec::repeat(Interval::NONE, self.system.exprs.len());
        let mut seen: IndexVec<ExprId, bool> = IndexVec::repeat(false, self.system.exprs.len());
        let promised = Rc::clone(&self.promised);
        let mut open: Vec<(ExprId, Facts)> =
            self.system.roots().map(|root| (root, Rc::clone(&promised))).collect();
        while let Some((id, mut facts)) = open.pop() {
            if self.effort == 0 {
                facts = Rc::clone(&promised);
            }
            if Rc::ptr_eq(&facts, &promised) && std::mem::replace(&mut seen[id], true) {
                continue;
            }
            if self.system.exprs[id].ty == Type::Int {
                found[id] = found[id].join(self.bounds(id, &facts, 0));
            }
            match &self.system.exprs[id].kind {
                ExprKind::Pre(operand) => open.push((*operand, Rc::clone(&promised))),
                ExprKind::If(condition, then, otherwise) => {
                    let yes = self.under(*condition, true, &facts, 0);
                    let no = self.under(*condition, false, &facts, 0);
                    open.extend([(*condition, facts), (*then, yes), (*otherwise, no)]);
                }
                ExprKind::Binary(op, a, b) => {
                    let right = match op {
                        BinaryOp::And | BinaryOp::Implies => self.under(*a, true, &facts, 0),
                        BinaryOp::Or => self.under(*a, false, &facts, 0),
                        _ => Rc::clone(&facts),
                    };
                    open.extend([(*a, facts), (*b, right)]);
                }
                kind => open.extend(kind.operands().map(|operand| (operand, Rc::clone(&facts)))),
            }
        }
        found
    }
}

/// All numbers but one, if that one is at an end.
fn without(numbers: Interval, other: Interval) -> Interval {
    if other.low != other.high {
        return Interval::ANY;
    }
    let low = if numbers.low == other.low { numbers.low + 1 } else { numbers.low };
    let high = if numbers.high == other.low { numbers.high - 1 } else { numbers.high };
    Interval { low, high }
}

/// What holds where a comparison does not.
fn opposite(op: BinaryOp) -> Option<BinaryOp> {
    Some(match op {
        BinaryOp::Lt => BinaryOp::Ge,
        BinaryOp::Le => BinaryOp::Gt,
        BinaryOp::Gt => BinaryOp::Le,
        BinaryOp::Ge => BinaryOp::Lt,
        BinaryOp::Eq => BinaryOp::Ne,
        BinaryOp::Ne => BinaryOp::Eq,
        _ => return None,
    })
}

/// The same number for expressions that are written alike, whatever their places.
fn shapes(system: &System) -> IndexVec<ExprId, Shape> {
    let mut known: BTreeMap<String, Shape> = BTreeMap::new();
    let mut shapes: IndexVec<ExprId, Shape> = IndexVec::new();
    for expr in system.exprs.iter() {
        let key = match &expr.kind {
            ExprKind::Const(value) => format!("{:?} {value:?}", expr.ty),
            ExprKind::Var(var) => format!("{var:?}"),
            kind => {
                let word = match kind {
                    ExprKind::Unary(op, _) => format!("{op:?}"),
                    ExprKind::Binary(op, ..) => format!("{op:?}"),
                    ExprKind::If(..) => "if".to_string(),
                    ExprKind::Arrow(..) => "->".to_string(),
                    _ => "pre".to_string(),
                };
                let operands: Vec<Shape> = kind.operands().map(|id| shapes[id]).collect();
                format!("{word} {operands:?}")
            }
        };
        let next = known.len();
        shapes.push(*known.entry(key).or_insert(next));
    }
    shapes
}

/// All expressions, operands and definitions first.
fn order(system: &System) -> Vec<ExprId> {
    let mut seen: IndexVec<ExprId, bool> = IndexVec::repeat(false, system.exprs.len());
    let mut order = Vec::new();
    let remembered = system.exprs.iter().filter_map(|expr| match expr.kind {
        ExprKind::Pre(operand) => Some(operand),
        _ => None,
    });
    for root in system.roots().chain(remembered) {
        let mut found = BTreeSet::new();
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            if std::mem::replace(&mut seen[id], true) {
                continue;
            }
            found.insert(id);
            match &system.exprs[id].kind {
                ExprKind::Pre(_) => {}
                kind => open.extend(kind.operands()),
            }
        }
        order.extend(found);
    }
    order
}

/// The constants of a system and their neighbours.
fn stops(system: &System) -> BTreeSet<i128> {
    let mut stops = BTreeSet::from([i128::from(i32::MIN), i128::from(i32::MAX)]);
    let mut add = |int: Option<i64>| {
        let int = int.map(i128::from);
        stops.extend(int.into_iter().flat_map(|int| [int - 1, int, int + 1, -int]));
    };
    for expr in system.exprs.iter() {
        if let ExprKind::Const(Value::Int(int)) = &expr.kind {
            add(int.to_i64());
        }
    }
    for range in system.vars.iter().filter_map(|var| var.range.as_ref()) {
        add(range.low.to_i64());
        add(range.high.to_i64());
    }
    stops.retain(|stop| Interval::ALL.contains(Interval::only(*stop)));
    stops
}
