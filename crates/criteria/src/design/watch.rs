//! A system beside the model in which every design error is a truth value.
//!
//! Integers that come from outside are limited to what the machine holds, and so are values that are
//! undefined in the first step. Nothing divides by zero there, so that a run is seen to its error;
//! an assertion lets no run go on behind one.

use provoke_base::index::Id;
use provoke_base::{IndexVec, Int, Rational, Span};
use provoke_model::{
    Assumption, BinaryOp, Equation, Expr, ExprId, ExprKind, InstanceId, Origin, Property,
    PropertyGoal, Range, Role, System, Type, UnaryOp, Value, Var, VarId,
};
use rustc_hash::FxHashMap;

use super::{ArraySizes, DesignError, DesignErrorKind, Hazards, NumberLimits, Site};

/// A system that watches for design errors.
#[derive(Clone, Debug)]
pub struct WatchedSystem {
    /// Has the inputs of the model, and a property for each design error, in their order: that it does
    /// not occur.
    pub system: System,
}

/// The system in which provers look for design errors.
pub fn watch(
    system: &System,
    errors: &[DesignError],
    limits: &NumberLimits,
    sizes: &ArraySizes,
) -> WatchedSystem {
    let mut watcher = Watcher::new(system, errors, limits, sizes);
    watcher.copy_values();
    watcher.limit_inputs();
    watcher.equations();
    watcher.remembered();
    watcher.assertions();
    watcher.properties();
    watcher.finish(errors);
    WatchedSystem { system: watcher.new }
}

/// A condition that may be left out: `None` is true for what is needed, and false for what goes wrong.
type Condition = Option<ExprId>;

struct Watcher<'a> {
    model: &'a System,
    limits: &'a NumberLimits,
    hazards: Hazards<'a>,
    new: System,
    /// The value of each expression of the model, where every division has one.
    values: IndexVec<ExprId, ExprId>,
    /// Whether the computation of a variable went wrong in this step.
    wrong: IndexVec<VarId, Option<VarId>>,
    /// The design error at each place.
    errors: FxHashMap<(DesignErrorKind, Site), usize>,
    /// When each of them occurs.
    found: Vec<Vec<ExprId>>,
}

impl<'a> Watcher<'a> {
    fn new(
        model: &'a System,
        errors: &[DesignError],
        limits: &'a NumberLimits,
        sizes: &ArraySizes,
    ) -> Watcher<'a> {
        let mut places = FxHashMap::default();
        for (position, error) in errors.iter().enumerate() {
            places.extend(error.sites.iter().map(|site| ((error.kind, *site), position)));
        }
        let new = System {
            exprs: IndexVec::new(),
            equations: Vec::new(),
            assumptions: Vec::new(),
            properties: Vec::new(),
            ..model.clone()
        };
        Watcher {
            model,
            limits,
            hazards: Hazards::new(model, limits, sizes),
            new,
            values: IndexVec::new(),
            wrong: IndexVec::repeat(None, model.vars.len()),
            errors: places,
            found: vec![Vec::new(); errors.len()],
        }
    }

    /// Copies every expression.
    fn copy_values(&mut self) {
        let guarded = never_first(self.model);
        for (id, expr) in self.model.exprs.entries() {
            let kind = expr.kind.map(|operand| self.values[operand]);
            let value = match kind {
                ExprKind::Binary(op, _, by) if op.divides() => {
                    let quotient = kind.clone();
                    self.divided(expr, quotient, by)
                }
                ExprKind::Pre(_) if !guarded[id] => self.remembered_value(id),
                kind => self.new.add_expr(kind, expr.ty, expr.span),
            };
            self.values.push(value);
        }
    }

    /// A quotient, or zero where there is none.
    fn divided(&mut self, expr: &Expr, quotient: ExprKind, by: ExprId) -> ExprId {
        let zero = self.number(zero(expr.ty));
        let none = self.binary(BinaryOp::Eq, by, zero);
        let quotient = self.new.add_expr(quotient, expr.ty, expr.span);
        let kind = ExprKind::If(none, zero, quotient);
        self.new.add_expr(kind, expr.ty, expr.span)
    }

    /// A `pre` whose undefined value in the first step is one of its type.
    fn remembered_value(&mut self, id: ExprId) -> ExprId {
        let Expr { ty, span, ref kind } = self.model.exprs[id];
        let kind = kind.map(|operand| self.values[operand]);
        let value = self.new.add_expr(kind, ty, span);
        if ty != Type::Int {
            return value;
        }
        // A subrange does not restrict what is undefined: it is shown of what a variable is defined as.
        let Range { low, high } = self.hazards.values(id).unwrap_or_else(|| self.limits.ints());
        let (low, high) = (self.number(Value::Int(low)), self.number(Value::Int(high)));
        let (below, above) =
            (self.binary(BinaryOp::Lt, value, low), self.binary(BinaryOp::Gt, value, high));
        let limited = self.choice(above, high, value, ty);
        let limited = self.choice(below, low, limited, ty);
        self.new.add_expr(ExprKind::Arrow(limited, value), ty, Span::default())
    }

    /// Inputs are what the machine holds; subranges of others are not trusted.
    fn limit_inputs(&mut self) {
        let ints = self.limits.ints();
        for id in self.model.vars.ids() {
            let var = &mut self.new.vars[id];
            var.range = match (var.role, var.ty) {
                (Role::Input | Role::Choice, Type::Int) if var.machine.is_some() => continue,
                (Role::Input | Role::Choice, Type::Int) => {
                    Some(var.range.as_ref().map_or(ints.clone(), |range| common(range, &ints)))
                }
                _ => None,
            };
        }
        for input in self.model.inputs.clone() {
            if self.model.vars[input].ty == Type::Real {
                let value = self.var(input);
                let infinite = self.beyond_reals(value);
                let expr = self.not(infinite);
                self.new.assumptions.push(Assumption { expr, span: Span::default() });
            }
        }
    }

    fn equations(&mut self) {
        for Equation { var, expr } in self.model.equations.clone() {
            self.new.equations.push(Equation { var, expr: self.values[expr] });
            let mut wrong = self.inside(expr, None);
            if self.hazards.of_var(var)
                && let Some(range) = &self.model.vars[var].range
            {
                let range = range.clone();
                let value = self.var(var);
                let mut outside = self.outside(value, &range);
                if let Some(active) = self.clock_of(var, expr) {
                    outside = self.binary(BinaryOp::And, self.values[active], outside);
                }
                wrong = self.note(DesignErrorKind::Range, Site::Var(var), None, wrong, outside);
            }
            if let Some(wrong) = wrong {
                let instance = self.model.vars[var].instance;
                let name = format!("{}?", self.model.vars[var].name);
                self.wrong[var] = Some(self.define(name, wrong, instance));
            }
        }
    }

    /// What must hold for a variable to be computed anew, if it only holds its value otherwise: nobody
    /// wrote that it does, so the use of itself has no other place than its declaration.
    fn clock_of(&self, var: VarId, expr: ExprId) -> Option<ExprId> {
        let exprs = &self.model.exprs;
        let ExprKind::If(active, _, held) = exprs[expr].kind else { return None };
        let ExprKind::Pre(itself) = exprs[held].kind else { return None };
        let is_held = exprs[itself].kind == ExprKind::Var(var)
            && exprs[itself].span == self.model.vars[var].span;
        is_held.then_some(active)
    }

    /// The operand of every `pre` is computed in every step.
    fn remembered(&mut self) {
        for expr in self.model.exprs.iter() {
            if let ExprKind::Pre(operand) = expr.kind {
                self.inside(operand, None);
            }
        }
    }

    /// A step in which an assertion has no value is the last one of a run.
    fn assertions(&mut self) {
        for Assumption { expr, span } in self.model.assumptions.clone() {
            let wrong = self.inside(expr, None);
            let holds = self.values[expr];
            let expr = wrong.map_or(holds, |wrong| self.binary(BinaryOp::Or, wrong, holds));
            self.new.assumptions.push(Assumption { expr, span });
        }
    }

    fn properties(&mut self) {
        for property in &self.model.properties {
            self.inside(property.expr, None);
        }
    }

    /// Makes each design error a property, and lets no run go on behind one.
    fn finish(&mut self, errors: &[DesignError]) {
        let mut ends = None;
        for (position, error) in errors.iter().enumerate() {
            let found = std::mem::take(&mut self.found[position]);
            let never = self.truth(false);
            let occurs = found.into_iter().fold(None, |all, one| self.either(all, Some(one)));
            let name = format!("error#{}", position + 1);
            let occurs = self.define(name, occurs.unwrap_or(never), Id::new(0));
            let occurs = self.var(occurs);
            let expr = self.not(occurs);
            self.new.properties.push(Property {
                name: error.id.clone(),
                expr,
                goal: PropertyGoal::Always,
                span: error.span,
            });
            if error.kind.ends_run() {
                ends = self.either(ends, Some(occurs));
            }
        }
        let Some(ends) = ends else { return };
        let ended = self.define("ended?".to_string(), ends, Id::new(0));
        let ended = self.var(ended);
        let ended = self.new.add_expr(ExprKind::Pre(ended), Type::Bool, Span::default());
        let (goes_on, first) = (self.not(ended), self.truth(true));
        let kind = ExprKind::Arrow(first, goes_on);
        let expr = self.new.add_expr(kind, Type::Bool, Span::default());
        self.new.assumptions.push(Assumption { expr, span: Span::default() });
    }

    /// Notes what goes wrong inside an expression that is computed when `active`, and says when anything does
    /// that ends a run.
    fn inside(&mut self, id: ExprId, active: Condition) -> Condition {
        // Expressions may be nested deeper than the thread's stack allows.
        stacker::maybe_grow(64 << 10, 1 << 20, || self.inside_here(id, active))
    }

    fn inside_here(&mut self, id: ExprId, active: Condition) -> Condition {
        let operands = match self.model.exprs[id].kind {
            ExprKind::Const(_) | ExprKind::Pre(_) => None,
            ExprKind::Var(var) => self.wrong[var].map(|wrong| self.var(wrong)),
            ExprKind::Unary(_, a) => self.inside(a, active),
            ExprKind::Binary(BinaryOp::And | BinaryOp::Implies, a, b) => {
                let needed = self.values[a];
                self.skipping(a, b, needed, active)
            }
            ExprKind::Binary(BinaryOp::Or, a, b) => {
                let needed = self.not(self.values[a]);
                self.skipping(a, b, needed, active)
            }
            ExprKind::Binary(_, a, b) => {
                let (a, b) = (self.inside(a, active), self.inside(b, active));
                self.either(a, b)
            }
            ExprKind::If(c, a, b) => self.branches([c, a, b], active),
            ExprKind::Arrow(a, b) => self.first_and_later(a, b, active),
        };
        let mut wrong = operands;
        for kind in self.hazards.of_expr(id).to_vec() {
            let occurs = self.occurs(kind, id);
            wrong = self.note(kind, Site::Expr(id), active, wrong, occurs);
        }
        wrong
    }

    /// An operator whose second operand is computed only if it is needed.
    fn skipping(&mut self, a: ExprId, b: ExprId, needed: ExprId, active: Condition) -> Condition {
        let first = self.inside(a, active);
        let reached = self.right(active, first);
        let reached = self.both(reached, Some(needed));
        let second = self.inside(b, reached);
        let second = second.map(|second| self.binary(BinaryOp::And, needed, second));
        self.either(first, second)
    }

    fn branches(&mut self, [c, a, b]: [ExprId; 3], active: Condition) -> Condition {
        let condition = self.values[c];
        let otherwise = self.not(condition);
        let decided = self.inside(c, active);
        let reached = self.right(active, decided);
        let (then, not_then) =
            (self.both(reached, Some(condition)), self.both(reached, Some(otherwise)));
        let (a, b) = (self.inside(a, then), self.inside(b, not_then));
        let a = a.map(|a| self.binary(BinaryOp::And, condition, a));
        let b = b.map(|b| self.binary(BinaryOp::And, otherwise, b));
        let branch = self.either(a, b);
        self.either(decided, branch)
    }

    fn first_and_later(&mut self, a: ExprId, b: ExprId, active: Condition) -> Condition {
        let (yes, no) = (self.truth(true), self.truth(false));
        let first = self.new.add_expr(ExprKind::Arrow(yes, no), Type::Bool, Span::default());
        let later = self.not(first);
        let (at_first, afterwards) =
            (self.both(active, Some(first)), self.both(active, Some(later)));
        let (a, b) = (self.inside(a, at_first), self.inside(b, afterwards));
        let a = a.map(|a| self.binary(BinaryOp::And, first, a));
        let b = b.map(|b| self.binary(BinaryOp::And, later, b));
        self.either(a, b)
    }

    /// Notes that something occurs where a place is reached and nothing was wrong before; says what is
    /// wrong then.
    fn note(
        &mut self,
        kind: DesignErrorKind,
        site: Site,
        active: Condition,
        before: Condition,
        occurs: ExprId,
    ) -> Condition {
        let reached = self.right(active, before);
        let here = self.both(reached, Some(occurs));
        if let Some(&error) = self.errors.get(&(kind, site)) {
            self.found[error].extend(here);
        }
        if kind.ends_run() { self.either(before, Some(occurs)) } else { before }
    }

    /// When an operation goes wrong, as long as its operands are right.
    fn occurs(&mut self, kind: DesignErrorKind, id: ExprId) -> ExprId {
        let value = self.values[id];
        match (kind, &self.model.exprs[id].kind) {
            (DesignErrorKind::Overflow, _) => self.overflows(id),
            (DesignErrorKind::Wrap, ExprKind::Unary(UnaryOp::Wrap(ty), exact)) => {
                self.outside(self.values[*exact], &Range::from(*ty))
            }
            (DesignErrorKind::DivisionByZero, ExprKind::Binary(_, _, by)) => {
                let (by, zero) = (self.values[*by], self.number(zero(self.model.exprs[*by].ty)));
                self.binary(BinaryOp::Eq, by, zero)
            }
            (DesignErrorKind::Index, _) => match self.hazards.index_at(id) {
                Some((index, size)) => {
                    let range = Range { low: Int::ZERO, high: Int::from(size as i64 - 1) };
                    self.outside(self.values[index], &range)
                }
                None => self.truth(false),
            },
            (DesignErrorKind::InexactCast, ExprKind::Unary(_, int)) => {
                let most = self.limits.exact_ints();
                self.outside(self.values[*int], &Range { low: most.neg(), high: most })
            }
            (DesignErrorKind::FloatEquality, ExprKind::Binary(_, a, b)) => {
                self.close(self.values[*a], self.values[*b])
            }
            (DesignErrorKind::Infinity, _) => self.beyond_reals(value),
            _ => self.truth(false),
        }
    }

    /// When a result is no integer of the machine, or an operand of a wider type is none.
    fn overflows(&mut self, id: ExprId) -> ExprId {
        let ints = self.limits.ints();
        let result = match self.model.exprs[id].kind {
            // All other quotients are closer to zero than what is divided.
            ExprKind::Binary(BinaryOp::IntDiv, a, b) => {
                let (a, b) = (self.values[a], self.values[b]);
                let least = self.number(Value::Int(ints.low.clone()));
                let minus_one = self.number(Value::from(-1));
                let (a, b) =
                    (self.binary(BinaryOp::Eq, a, least), self.binary(BinaryOp::Eq, b, minus_one));
                Some(self.binary(BinaryOp::And, a, b))
            }
            _ if self.model.exprs[id].ty == Type::Int => Some(self.outside(self.values[id], &ints)),
            _ => None,
        };
        let wide = self.hazards.wide_operands(id);
        let wide = wide.into_iter().fold(None, |found, operand| {
            let outside = self.outside(self.values[operand], &ints);
            self.either(found, Some(outside))
        });
        let found = self.either(wide, result);
        found.unwrap_or_else(|| self.truth(false))
    }

    fn beyond_reals(&mut self, value: ExprId) -> ExprId {
        let limit = self.limits.infinity();
        let least = self.number(Value::Real(limit.neg()));
        let most = self.number(Value::Real(limit));
        let (below, above) =
            (self.binary(BinaryOp::Le, value, least), self.binary(BinaryOp::Ge, value, most));
        self.binary(BinaryOp::Or, below, above)
    }

    /// Whether reals are not both zero and differ by no more than a part of their size.
    fn close(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let difference = self.arithmetic(BinaryOp::Sub, a, b);
        let difference = self.size(difference);
        let (size_a, size_b) = (self.size(a), self.size(b));
        let size = self.arithmetic(BinaryOp::Add, size_a, size_b);
        let part = self.number(Value::Real(self.limits.closeness()));
        let part = self.arithmetic(BinaryOp::Mul, part, size);
        let zero = self.number(zero(Type::Real));
        let close = self.binary(BinaryOp::Le, difference, part);
        let nonzero = self.binary(BinaryOp::Gt, size, zero);
        self.binary(BinaryOp::And, close, nonzero)
    }

    fn size(&mut self, real: ExprId) -> ExprId {
        let zero = self.number(zero(Type::Real));
        let negative = self.binary(BinaryOp::Lt, real, zero);
        let kind = ExprKind::Unary(UnaryOp::Neg, real);
        let opposite = self.new.add_expr(kind, Type::Real, Span::default());
        self.choice(negative, opposite, real, Type::Real)
    }

    fn outside(&mut self, value: ExprId, range: &Range) -> ExprId {
        let low = self.number(Value::Int(range.low.clone()));
        let high = self.number(Value::Int(range.high.clone()));
        let (below, above) =
            (self.binary(BinaryOp::Lt, value, low), self.binary(BinaryOp::Gt, value, high));
        self.binary(BinaryOp::Or, below, above)
    }
}

/// New expressions, which are written nowhere.
impl Watcher<'_> {
    fn number(&mut self, value: Value) -> ExprId {
        let ty = if matches!(value, Value::Real(_)) { Type::Real } else { Type::Int };
        self.new.add_expr(ExprKind::Const(value), ty, Span::default())
    }

    fn truth(&mut self, value: bool) -> ExprId {
        self.new.add_expr(ExprKind::Const(Value::Bool(value)), Type::Bool, Span::default())
    }

    fn var(&mut self, var: VarId) -> ExprId {
        let ty = self.new.vars[var].ty;
        self.new.add_expr(ExprKind::Var(var), ty, Span::default())
    }

    fn not(&mut self, a: ExprId) -> ExprId {
        let kind = ExprKind::Unary(UnaryOp::Not, a);
        self.new.add_expr(kind, Type::Bool, Span::default())
    }

    fn binary(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.new.add_expr(ExprKind::Binary(op, a, b), Type::Bool, Span::default())
    }

    fn arithmetic(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        self.new.add_expr(ExprKind::Binary(op, a, b), Type::Real, Span::default())
    }

    fn choice(&mut self, c: ExprId, a: ExprId, b: ExprId, ty: Type) -> ExprId {
        self.new.add_expr(ExprKind::If(c, a, b), ty, Span::default())
    }

    /// Both of two conditions that are true if they are left out.
    fn both(&mut self, a: Condition, b: Condition) -> Condition {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.binary(BinaryOp::And, a, b)),
            (one, other) => one.or(other),
        }
    }

    /// One of two conditions that are false if they are left out.
    fn either(&mut self, a: Condition, b: Condition) -> Condition {
        match (a, b) {
            (Some(a), Some(b)) => Some(self.binary(BinaryOp::Or, a, b)),
            (one, other) => one.or(other),
        }
    }

    /// Whether a place is reached and nothing that it needs is wrong.
    fn right(&mut self, active: Condition, wrong: Condition) -> Condition {
        let right = wrong.map(|wrong| self.not(wrong));
        self.both(active, right)
    }

    fn define(&mut self, name: String, expr: ExprId, instance: InstanceId) -> VarId {
        let (role, origin, span) = (Role::Local, Origin::Generated, Span::default());
        let var =
            Var { name, ty: Type::Bool, range: None, machine: None, role, origin, instance, span };
        let var = self.new.vars.push(var);
        self.new.equations.push(Equation { var, expr });
        var
    }
}

/// Whether an expression is computed in later steps only: it is the second operand of `->`, or part
/// of it.
fn never_first(system: &System) -> IndexVec<ExprId, bool> {
    let mut guarded = IndexVec::repeat(false, system.exprs.len());
    // Operands have smaller ids, so going down meets each expression after its users.
    for id in system.exprs.ids().rev() {
        match system.exprs[id].kind {
            ExprKind::Arrow(first, later) => {
                guarded[later] = true;
                guarded[first] = guarded[id];
            }
            // What is remembered is computed in every step.
            ExprKind::Pre(_) => {}
            ref kind => kind.operands().for_each(|operand| guarded[operand] = guarded[id]),
        }
    }
    guarded
}

fn zero(ty: Type) -> Value {
    match ty {
        Type::Real => Value::Real(Rational::from(&Int::ZERO)),
        _ => Value::Int(Int::ZERO),
    }
}

/// What two ranges have in common; the first one if that is nothing.
fn common(a: &Range, b: &Range) -> Range {
    let low = (&a.low).max(&b.low).clone();
    let high = (&a.high).min(&b.high).clone();
    if low <= high { Range { low, high } } else { a.clone() }
}
