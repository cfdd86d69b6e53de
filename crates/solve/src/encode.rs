//! A system as terms: what every expression is worth in a step, given the inputs of the step
//! and what is remembered from the step before.
//!
//! Terms are built when they are asked for and shared, so what nobody asks for costs nothing.
//! Enumerations are integers from zero; an unguarded `pre` is any value of its type.

use provoke_analysis::{first_copies, type_bounds};
use provoke_base::index::Id;
use provoke_base::{IndexVec, Int, Rational};
use provoke_model::{
    BinaryOp, ExprId, ExprKind, MachineInt, Range, RealWidth, System, Type, UnaryOp, Value, VarId,
};

use crate::defined::Defined;
use crate::faults::{Faults, Reading};
use crate::term::{Sort, TermId, Terms};
use crate::transition::StateVar;

/// Builds the terms of one system in one [`Terms`].
pub struct Encoder<'a> {
    system: &'a System,
    definitions: IndexVec<VarId, Option<ExprId>>,
    values: IndexVec<ExprId, Option<TermId>>,
    inputs: IndexVec<VarId, Option<TermId>>,
    /// The first copy of each `pre`: copies of one written `pre` remember the same.
    copies: IndexVec<ExprId, ExprId>,
    /// The bounds of integers that their types give them.
    bounds: IndexVec<ExprId, Option<Range>>,
    first: TermId,
    pub(crate) defined: Defined,
    pub(crate) faults: Faults,
    /// How many of the expressions, the first ones, are those of the model; others belong to a
    /// changed copy beside it.
    originals: usize,
}

/// The sort that stands for a type.
pub fn sort(ty: Type) -> Sort {
    match ty {
        Type::Bool => Sort::Bool,
        Type::Int | Type::Enum(_) => Sort::Int,
        Type::Real => Sort::Real,
    }
}

/// A value of a system as a literal; `None` if it is unknown.
pub fn literal(terms: &mut Terms, value: &Value) -> Option<TermId> {
    match value {
        Value::Unknown => None,
        Value::Enum(ordinal) => Some(terms.int(i64::from(*ordinal))),
        known => Some(terms.constant(known.clone())),
    }
}

/// A solver's value as one of a system's type.
pub fn value_of_type(value: Value, ty: Type) -> Value {
    match (value, ty) {
        (Value::Int(int), Type::Enum(_)) => {
            int.to_i64().and_then(|n| u32::try_from(n).ok()).map_or(Value::Unknown, Value::Enum)
        }
        (value, _) => value,
    }
}

impl<'a> Encoder<'a> {
    /// An encoder whose symbols are declared in `terms`.
    pub fn new(system: &'a System, terms: &mut Terms) -> Encoder<'a> {
        let mut definitions = IndexVec::repeat(None, system.vars.len());
        for equation in &system.equations {
            definitions[equation.var] = Some(equation.expr);
        }
        Encoder {
            system,
            defined: Defined::new(system, &definitions),
            faults: Faults::new(system),
            definitions,
            values: IndexVec::repeat(None, system.exprs.len()),
            inputs: IndexVec::repeat(None, system.vars.len()),
            copies: first_copies(system),
            bounds: type_bounds(system),
            first: terms.symbol("first", Sort::Bool),
            originals: system.exprs.len(),
        }
    }

    /// The same for a system that is `original` with a changed copy beside it, whose faults
    /// end no run.
    pub fn beside(self, original: &System) -> Encoder<'a> {
        self.with_originals(original.exprs.len())
    }

    /// The same where the original has so many expressions.
    pub fn with_originals(self, originals: usize) -> Encoder<'a> {
        Encoder { originals, ..self }
    }

    /// The same step with the same state and inputs, if a Boolean expression had another value
    /// there: what a wrong value does at once.
    pub fn supposing(&self, terms: &mut Terms, expr: ExprId, value: bool) -> Encoder<'a> {
        let mut supposed = Encoder::new(self.system, terms).with_originals(self.originals);
        supposed.values[expr] = Some(terms.bool(value));
        supposed.faults.leave_out(terms, expr);
        supposed
    }

    /// The system.
    pub fn system(&self) -> &'a System {
        self.system
    }

    /// Whether this is the first step.
    pub fn first(&self) -> TermId {
        self.first
    }

    /// The definition of a variable; `None` for an input.
    pub fn definition(&self, var: VarId) -> Option<ExprId> {
        self.definitions[var]
    }

    /// The value of an input in this step.
    pub fn input(&mut self, terms: &mut Terms, var: VarId) -> TermId {
        if let Some(known) = self.inputs[var] {
            return known;
        }
        let declared = &self.system.vars[var];
        let term = terms.symbol(&format!("in:{}", declared.name), sort(declared.ty));
        self.inputs[var] = Some(term);
        term
    }

    /// What a `pre` remembers from the step before.
    pub fn memory(&self, terms: &mut Terms, pre: ExprId) -> TermId {
        terms.symbol(&memory_name(self.copies[pre]), sort(self.system.exprs[pre].ty))
    }

    /// The value of a variable in this step.
    pub fn var(&mut self, terms: &mut Terms, var: VarId) -> TermId {
        match self.definitions[var] {
            Some(expr) => self.value(terms, expr),
            None => self.input(terms, var),
        }
    }

    /// The value of an expression in this step.
    pub fn value(&mut self, terms: &mut Terms, id: ExprId) -> TermId {
        if let Some(known) = self.values[id] {
            return known;
        }
        // Definitions may lead to definitions, deeper than the thread's stack allows.
        let term = stacker::maybe_grow(64 << 10, 1 << 20, || self.value_here(terms, id));
        self.values[id] = Some(term);
        term
    }

    fn value_here(&mut self, terms: &mut Terms, id: ExprId) -> TermId {
        match self.system.exprs[id].kind.clone() {
            ExprKind::Const(value) => {
                literal(terms, &value).expect("constants of a system are known")
            }
            ExprKind::Var(var) => self.var(terms, var),
            ExprKind::Unary(op, a) => {
                let value = self.value(terms, a);
                match op {
                    UnaryOp::Wrap(ty) => terms.wrap(ty, value, self.bounds[a].as_ref()),
                    UnaryOp::BitNot(ty) if self.is_of(ty, a) => terms.bit_not(ty, value),
                    UnaryOp::Round(width) => self.rounded(terms, width, a, value),
                    _ => terms.unary(op, value),
                }
            }
            ExprKind::Binary(op, a, b) => {
                let values = [self.value(terms, a), self.value(terms, b)];
                self.binary(terms, op, [a, b], values)
            }
            ExprKind::If(c, a, b) => {
                let c = self.value(terms, c);
                let (a, b) = (self.value(terms, a), self.value(terms, b));
                terms.ite(c, a, b)
            }
            ExprKind::Arrow(a, b) => {
                let (a, b) = (self.value(terms, a), self.value(terms, b));
                terms.ite(self.first, a, b)
            }
            ExprKind::Pre(_) => self.memory(terms, id),
        }
    }

    /// Some number near the exact one. An input is any number, those of the machine among them.
    fn rounded(&self, terms: &mut Terms, width: RealWidth, exact: ExprId, value: TermId) -> TermId {
        match self.system.exprs[exact].kind {
            ExprKind::Var(var) if self.definitions[var].is_none() => value,
            _ => terms.near(width, value),
        }
    }

    fn binary(
        &self,
        terms: &mut Terms,
        op: BinaryOp,
        [a, b]: [ExprId; 2],
        [left, right]: [TermId; 2],
    ) -> TermId {
        use BinaryOp::{BitAnd, BitOr, ShiftLeft, ShiftRight};
        match op {
            BitAnd(ty) | BitOr(ty) if self.is_of(ty, a) && self.is_of(ty, b) => {
                terms.on_bits(op, left, right)
            }
            ShiftLeft(ty) | ShiftRight(ty) if self.is_of(ty, a) => terms.on_bits(op, left, right),
            _ => terms.binary(op, left, right),
        }
    }

    /// Whether an expression is known to have values of this type only.
    fn is_of(&self, ty: MachineInt, expr: ExprId) -> bool {
        let inside = |range: &Range| ty.contains(&range.low) && ty.contains(&range.high);
        self.bounds[expr].as_ref().is_some_and(inside)
    }

    /// What holds in every step of a run: assertions that are known hold, inputs are in their
    /// ranges, and nothing divides by zero; with [`Reading::Known`], not even perhaps.
    pub fn constraint(&mut self, terms: &mut Terms, reading: Reading) -> TermId {
        let mut all = vec![self.assumptions(terms)];
        for &var in &self.system.inputs {
            let input = self.input(terms, var);
            all.extend(self.domain(terms, var, input));
        }
        let computed = self.computed();
        let faults = self.any_faults(terms, &computed, reading);
        all.push(terms.not(faults));
        terms.all(&all)
    }

    /// That every assertion holds, or is unknown and so restricts nothing.
    pub fn assumptions(&mut self, terms: &mut Terms) -> TermId {
        let mut all = Vec::new();
        for assumption in &self.system.assumptions {
            let known = self.known(terms, assumption.expr, Reading::Known);
            let holds = self.value(terms, assumption.expr);
            all.push(terms.implies(known, holds));
        }
        terms.all(&all)
    }

    /// The expressions of the model that are computed in every step.
    pub fn computed(&self) -> Vec<ExprId> {
        let equations = self.system.equations.iter().map(|equation| equation.expr);
        let assumptions = self.system.assumptions.iter().map(|assumption| assumption.expr);
        let own = |expr: &ExprId| expr.index() < self.originals;
        let mut computed: Vec<ExprId> = equations.chain(assumptions).filter(own).collect();
        for pre in self.system.exprs.ids().filter(own) {
            if let ExprKind::Pre(operand) = self.system.exprs[pre].kind {
                computed.push(operand);
            }
        }
        computed
    }

    /// The values that a variable's type leaves it, if its sort has more.
    fn domain(&self, terms: &mut Terms, var: VarId, term: TermId) -> Option<TermId> {
        let declared = &self.system.vars[var];
        let (low, high) = match (&declared.range, declared.ty) {
            (Some(range), _) => (range.low.clone(), range.high.clone()),
            (None, Type::Enum(id)) => {
                let count = self.system.enums[id].constants.len() as i64;
                (Int::ZERO, Int::from(count - 1))
            }
            _ => return None,
        };
        Some(between(terms, term, low, high))
    }

    /// The state variable that a symbol stands for; `None` if it is an input or unknown here.
    pub fn state_var(&mut self, terms: &mut Terms, symbol: TermId) -> Option<StateVar> {
        if symbol == self.first {
            let next = terms.bool(false);
            return Some(StateVar { symbol, initial: Some(Value::Bool(true)), next });
        }
        if let Some(known) = self.known_var(terms, symbol) {
            return Some(known);
        }
        let crate::term::Term::Symbol(id) = terms.get(symbol) else { return None };
        let pre = memory_of(&terms.symbol_of(*id).name)?;
        let ExprKind::Pre(operand) = self.system.exprs[pre].kind else { return None };
        let next = self.value(terms, operand);
        Some(StateVar { symbol, initial: None, next })
    }

    /// What every remembered value obeys by its type alone.
    pub fn type_invariant(&self, terms: &mut Terms, pre: ExprId) -> Option<TermId> {
        let (low, high) = match (self.system.exprs[pre].ty, &self.bounds[pre]) {
            (Type::Enum(id), _) => {
                let count = self.system.enums[id].constants.len() as i64;
                (Int::ZERO, Int::from(count - 1))
            }
            (_, Some(range)) => (range.low.clone(), range.high.clone()),
            _ => return None,
        };
        let memory = self.memory(terms, pre);
        Some(between(terms, memory, low, high))
    }
}

fn between(terms: &mut Terms, term: TermId, low: Int, high: Int) -> TermId {
    use provoke_model::BinaryOp::Le;
    let (low, high) = (terms.constant(Value::Int(low)), terms.constant(Value::Int(high)));
    let (above, below) = (terms.binary(Le, low, term), terms.binary(Le, term, high));
    terms.all(&[above, below])
}

/// The zero of a type of numbers.
pub(crate) fn zero_like(ty: Type) -> Value {
    match ty {
        Type::Real => Value::Real(Rational::from(&Int::ZERO)),
        _ => Value::Int(Int::ZERO),
    }
}

fn memory_name(pre: ExprId) -> String {
    format!("pre:{}", pre.index())
}

fn memory_of(name: &str) -> Option<ExprId> {
    name.strip_prefix("pre:")?.parse().ok().map(Id::new)
}
