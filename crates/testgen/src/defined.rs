//! Where values are known although an unguarded `pre` has none in the first step.
//!
//! A test may not depend on an undefined value: measurement counts only what is certain. So a
//! question asks for values that are known, by the same rules that the simulator follows
//! ([`provoke_model::operator`]). Where every `pre` is guarded this costs nothing.

use provoke_base::IndexVec;
use provoke_model::{BinaryOp, ExprId, ExprKind, System, Value};
use provoke_solve::{Encoder, Sort, StateVar, TermId, Terms};

/// Tells whether expressions have known values.
pub(crate) struct Defined {
    /// Whether an expression may be unknown in the first step, and later.
    doubtful: IndexVec<ExprId, [bool; 2]>,
    known: IndexVec<ExprId, Option<TermId>>,
}

impl Defined {
    pub(crate) fn new(encoder: &Encoder<'_>) -> Defined {
        let system = encoder.system();
        let doubtful = doubtful(system, encoder);
        Defined { doubtful, known: IndexVec::repeat(None, system.exprs.len()) }
    }

    /// Whether an expression is known in this step.
    pub(crate) fn known(
        &mut self,
        encoder: &mut Encoder<'_>,
        terms: &mut Terms,
        expr: ExprId,
    ) -> TermId {
        if self.doubtful[expr] == [false, false] {
            return terms.bool(true);
        }
        if let Some(known) = self.known[expr] {
            return known;
        }
        let known =
            stacker::maybe_grow(64 << 10, 1 << 20, || self.known_here(encoder, terms, expr));
        self.known[expr] = Some(known);
        known
    }

    fn known_here(&mut self, encoder: &mut Encoder<'_>, terms: &mut Terms, id: ExprId) -> TermId {
        match encoder.system().exprs[id].kind.clone() {
            ExprKind::Const(_) => terms.bool(true),
            ExprKind::Var(var) => match encoder.definition(var) {
                Some(root) => self.known(encoder, terms, root),
                None => terms.bool(true),
            },
            ExprKind::Unary(_, a) => self.known(encoder, terms, a),
            ExprKind::Binary(op, a, b) => self.binary(encoder, terms, op, a, b),
            ExprKind::If(c, a, b) => self.choice(encoder, terms, [c, a, b]),
            ExprKind::Arrow(a, b) => {
                let (a, b) = (self.known(encoder, terms, a), self.known(encoder, terms, b));
                terms.ite(encoder.first(), a, b)
            }
            ExprKind::Pre(operand) if self.doubtful[operand] == [false, false] => {
                terms.not(encoder.first())
            }
            ExprKind::Pre(_) => Defined::symbol(terms, id),
        }
    }

    /// The symbol that says whether what a `pre` remembers is known.
    pub(crate) fn symbol(terms: &mut Terms, pre: ExprId) -> TermId {
        terms.symbol(&name(pre), Sort::Bool)
    }

    /// Known if both operands are, or one that is known decides alone.
    fn binary(
        &mut self,
        encoder: &mut Encoder<'_>,
        terms: &mut Terms,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
    ) -> TermId {
        let known_a = self.known(encoder, terms, a);
        let known_b = self.known(encoder, terms, b);
        let (value_a, value_b) = (encoder.value(terms, a), encoder.value(terms, b));
        let mut ways = vec![terms.all(&[known_a, known_b])];
        let decides = |terms: &mut Terms, value: TermId, is: Value| {
            let constant = terms.constant(is);
            terms.binary(BinaryOp::Eq, value, constant)
        };
        let (alone_a, alone_b): (Vec<Value>, Vec<Value>) = match op {
            BinaryOp::And => (vec![false.into()], vec![false.into()]),
            BinaryOp::Or => (vec![true.into()], vec![true.into()]),
            BinaryOp::Implies => (vec![false.into()], vec![true.into()]),
            BinaryOp::Mul => {
                let zero = zero_like(encoder.system(), a);
                (vec![zero.clone()], vec![zero])
            }
            BinaryOp::Mod => (Vec::new(), vec![1.into(), (-1).into()]),
            _ => (Vec::new(), Vec::new()),
        };
        for (known, value, alone) in [(known_a, value_a, alone_a), (known_b, value_b, alone_b)] {
            for constant in alone {
                let decided = decides(terms, value, constant);
                ways.push(terms.all(&[known, decided]));
            }
        }
        terms.any(&ways)
    }

    /// Known if the condition and the chosen branch are, or if both branches are and agree.
    fn choice(
        &mut self,
        encoder: &mut Encoder<'_>,
        terms: &mut Terms,
        [c, a, b]: [ExprId; 3],
    ) -> TermId {
        let known = [c, a, b].map(|part| self.known(encoder, terms, part));
        let value = [c, a, b].map(|part| encoder.value(terms, part));
        let chosen = terms.ite(value[0], known[1], known[2]);
        let by_choice = terms.all(&[known[0], chosen]);
        let equal = terms.binary(BinaryOp::Eq, value[1], value[2]);
        let by_agreement = terms.all(&[known[1], known[2], equal]);
        terms.any(&[by_choice, by_agreement])
    }

    /// The state variable that a symbol of this file stands for.
    pub(crate) fn state_var(
        &mut self,
        encoder: &mut Encoder<'_>,
        terms: &mut Terms,
        symbol: TermId,
        symbol_name: &str,
    ) -> Option<StateVar> {
        let number = symbol_name.strip_prefix("known:")?.parse().ok()?;
        let pre: ExprId = provoke_base::index::Id::new(number);
        let ExprKind::Pre(operand) = encoder.system().exprs[pre].kind else { return None };
        let next = self.known(encoder, terms, operand);
        Some(StateVar { symbol, initial: Some(Value::Bool(false)), next })
    }
}

fn name(pre: ExprId) -> String {
    format!("known:{}", provoke_base::index::Id::index(pre))
}

fn zero_like(system: &System, expr: ExprId) -> Value {
    let zero = provoke_base::Int::ZERO;
    match system.exprs[expr].ty {
        provoke_model::Type::Real => Value::Real(provoke_base::Rational::from(&zero)),
        _ => Value::Int(zero),
    }
}

/// What may be unknown in the first step, and in later ones: the least solution, found by
/// going over all equations until nothing changes.
fn doubtful(system: &System, encoder: &Encoder<'_>) -> IndexVec<ExprId, [bool; 2]> {
    let mut all = IndexVec::repeat([false, false], system.exprs.len());
    loop {
        let mut changed = false;
        for (id, expr) in system.exprs.entries() {
            let new = match expr.kind {
                ExprKind::Const(_) => [false, false],
                ExprKind::Var(var) => encoder.definition(var).map_or([false; 2], |root| all[root]),
                ExprKind::Pre(operand) => [true, all[operand][0] || all[operand][1]],
                ExprKind::Arrow(first, later) => [all[first][0], all[later][1]],
                ref kind => {
                    let join = |sum: [bool; 2], operand: ExprId| {
                        [sum[0] || all[operand][0], sum[1] || all[operand][1]]
                    };
                    kind.operands().fold([false; 2], join)
                }
            };
            changed |= new != all[id];
            all[id] = new;
        }
        if !changed {
            return all;
        }
    }
}
