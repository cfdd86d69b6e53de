//! Where values are known although an unguarded `pre` has none in the first step.
//!
//! The rules are those of the simulator ([`provoke_model::operator`]): a value is known where
//! it is the same for every value of what is undefined. A test may rest on known values only,
//! and an assertion that is not known restricts nothing. Where every `pre` is guarded this
//! costs nothing.

use provoke_base::IndexVec;
use provoke_model::{BinaryOp, ExprId, ExprKind, System, Value, VarId};

use crate::encode::{Encoder, zero_like};
use crate::faults::Reading;
use crate::term::{Sort, TermId, Terms};
use crate::transition::StateVar;

/// What is found out about where values are known.
pub(crate) struct Defined {
    /// Whether an expression may be unknown in the first step, and later.
    doubtful: IndexVec<ExprId, [bool; 2]>,
    known: IndexVec<ExprId, Option<TermId>>,
}

impl Defined {
    pub(crate) fn new(system: &System, definitions: &IndexVec<VarId, Option<ExprId>>) -> Defined {
        let doubtful = doubtful(system, definitions);
        Defined { doubtful, known: IndexVec::repeat(None, system.exprs.len()) }
    }
}

impl Encoder<'_> {
    /// Whether an expression may be unknown, in the first step and in later ones.
    pub fn may_be_unknown(&self, expr: ExprId) -> [bool; 2] {
        self.defined.doubtful[expr]
    }

    /// Whether an expression is known in this step.
    pub fn known(&mut self, terms: &mut Terms, expr: ExprId) -> TermId {
        if self.may_be_unknown(expr) == [false, false] {
            return terms.bool(true);
        }
        if let Some(known) = self.defined.known[expr] {
            return known;
        }
        let known = stacker::maybe_grow(64 << 10, 1 << 20, || self.known_here(terms, expr));
        self.defined.known[expr] = Some(known);
        known
    }

    fn known_here(&mut self, terms: &mut Terms, id: ExprId) -> TermId {
        match self.system().exprs[id].kind.clone() {
            ExprKind::Const(_) => terms.bool(true),
            ExprKind::Var(var) => match self.definition(var) {
                Some(root) => self.known(terms, root),
                None => terms.bool(true),
            },
            ExprKind::Unary(_, a) => self.known(terms, a),
            ExprKind::Binary(op, a, b) => self.known_binary(terms, op, a, b),
            ExprKind::If(c, a, b) => self.known_choice(terms, [c, a, b]),
            ExprKind::Arrow(a, b) => {
                let (a, b) = (self.known(terms, a), self.known(terms, b));
                terms.ite(self.first(), a, b)
            }
            ExprKind::Pre(operand) if self.may_be_unknown(operand) == [false, false] => {
                terms.not(self.first())
            }
            ExprKind::Pre(_) => self.known_memory(terms, id),
        }
    }

    /// The symbol that says whether what a `pre` remembers is known.
    pub fn known_memory(&self, terms: &mut Terms, pre: ExprId) -> TermId {
        terms.symbol(&name(pre), Sort::Bool)
    }

    /// Known if both operands are, or one that is known decides alone.
    fn known_binary(&mut self, terms: &mut Terms, op: BinaryOp, a: ExprId, b: ExprId) -> TermId {
        let known_a = self.known(terms, a);
        let mut known_b = self.known(terms, b);
        let both = terms.all(&[known_a, known_b]);
        if op.is_logical() {
            // Where the left side is unknown, a right side that faults is no more than unknown.
            let faults = self.faults(terms, b, Reading::Known);
            let works = terms.not(faults);
            known_b = terms.all(&[known_b, works]);
        }
        let (value_a, value_b) = (self.value(terms, a), self.value(terms, b));
        let (alone_a, alone_b): (Vec<Value>, Vec<Value>) = match op {
            BinaryOp::And => (vec![false.into()], vec![false.into()]),
            BinaryOp::Or => (vec![true.into()], vec![true.into()]),
            BinaryOp::Implies => (vec![false.into()], vec![true.into()]),
            BinaryOp::Mul => {
                let zero = zero_like(self.system().exprs[a].ty);
                (vec![zero.clone()], vec![zero])
            }
            BinaryOp::Mod => (Vec::new(), vec![1.into(), (-1).into()]),
            _ => (Vec::new(), Vec::new()),
        };
        let mut ways = vec![both];
        for (known, value, alone) in [(known_a, value_a, alone_a), (known_b, value_b, alone_b)] {
            for constant in alone {
                let constant = terms.constant(constant);
                let decided = terms.eq(value, constant);
                ways.push(terms.all(&[known, decided]));
            }
        }
        terms.any(&ways)
    }

    /// Known if the condition and the chosen branch are, or if both branches are and agree.
    fn known_choice(&mut self, terms: &mut Terms, [c, a, b]: [ExprId; 3]) -> TermId {
        let known = [c, a, b].map(|part| self.known(terms, part));
        let value = [c, a, b].map(|part| self.value(terms, part));
        let chosen = terms.ite(value[0], known[1], known[2]);
        let by_choice = terms.all(&[known[0], chosen]);
        let equal = terms.eq(value[1], value[2]);
        let mut agree = vec![known[1], known[2], equal];
        for branch in [a, b] {
            let faults = self.faults(terms, branch, Reading::Known);
            agree.push(terms.not(faults));
        }
        let by_agreement = terms.all(&agree);
        terms.any(&[by_choice, by_agreement])
    }

    /// The state variable that a symbol of this file stands for.
    pub(crate) fn known_var(&mut self, terms: &mut Terms, symbol: TermId) -> Option<StateVar> {
        let crate::term::Term::Symbol(id) = terms.get(symbol) else { return None };
        let number = terms.symbol_of(*id).name.strip_prefix("known:")?.parse().ok()?;
        let pre: ExprId = provoke_base::index::Id::new(number);
        let ExprKind::Pre(operand) = self.system().exprs[pre].kind else { return None };
        let next = self.known(terms, operand);
        Some(StateVar { symbol, initial: Some(Value::Bool(false)), next })
    }
}

fn name(pre: ExprId) -> String {
    format!("known:{}", provoke_base::index::Id::index(pre))
}

/// What may be unknown in the first step, and in later ones: the least solution, found by
/// going over all equations until nothing changes.
fn doubtful(
    system: &System,
    definitions: &IndexVec<VarId, Option<ExprId>>,
) -> IndexVec<ExprId, [bool; 2]> {
    let mut all = IndexVec::repeat([false, false], system.exprs.len());
    loop {
        let mut changed = false;
        for (id, expr) in system.exprs.entries() {
            let new = match expr.kind {
                ExprKind::Const(_) => [false, false],
                ExprKind::Var(var) => definitions[var].map_or([false; 2], |root| all[root]),
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
