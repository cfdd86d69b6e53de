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

/// What is found out about where values are known, for each [`Reading`].
pub(crate) struct Defined([Doubts; 2]);

struct Doubts {
    /// Whether an expression may be unknown in the first step, and later.
    doubtful: IndexVec<ExprId, [bool; 2]>,
    known: IndexVec<ExprId, Option<TermId>>,
}

impl Defined {
    pub(crate) fn new(system: &System, definitions: &IndexVec<VarId, Option<ExprId>>) -> Defined {
        let looked_at = looked_at_first(system, definitions);
        let doubts = |reading: Reading| Doubts {
            doubtful: doubtful(system, definitions, &|pre| {
                reading == Reading::Known || !looked_at[pre]
            }),
            known: IndexVec::repeat(None, system.exprs.len()),
        };
        Defined([doubts(Reading::Known), doubts(Reading::Possible)])
    }
}

impl Encoder<'_> {
    /// Whether an expression may be unknown, in the first step and in later ones.
    pub fn may_be_unknown(&self, expr: ExprId) -> [bool; 2] {
        self.doubts(expr, Reading::Known)
    }

    fn doubts(&self, expr: ExprId, reading: Reading) -> [bool; 2] {
        self.defined.0[reading as usize].doubtful[expr]
    }

    /// Whether an expression is known in this step; with [`Reading::Possible`], whether it has a
    /// value when every `pre` that the first step looks at has one there.
    pub fn known(&mut self, terms: &mut Terms, expr: ExprId, reading: Reading) -> TermId {
        if self.doubts(expr, reading) == [false, false] {
            return terms.bool(true);
        }
        if let Some(known) = self.defined.0[reading as usize].known[expr] {
            return known;
        }
        let known =
            stacker::maybe_grow(64 << 10, 1 << 20, || self.known_here(terms, expr, reading));
        self.defined.0[reading as usize].known[expr] = Some(known);
        known
    }

    fn known_here(&mut self, terms: &mut Terms, id: ExprId, reading: Reading) -> TermId {
        match self.system().exprs[id].kind.clone() {
            ExprKind::Const(_) => terms.bool(true),
            ExprKind::Var(var) => match self.definition(var) {
                Some(root) => self.known(terms, root, reading),
                None => terms.bool(true),
            },
            ExprKind::Unary(_, a) => self.known(terms, a, reading),
            ExprKind::Binary(op, a, b) => self.known_binary(terms, op, [a, b], reading),
            ExprKind::If(c, a, b) => self.known_choice(terms, [c, a, b], reading),
            ExprKind::Arrow(a, b) => {
                let [a, b] = [a, b].map(|part| self.known(terms, part, reading));
                terms.ite(self.first(), a, b)
            }
            // What a step remembers is something that it looks at, and so has a value.
            ExprKind::Pre(_) if reading == Reading::Possible => match self.doubts(id, reading)[0] {
                true => terms.not(self.first()),
                false => terms.bool(true),
            },
            ExprKind::Pre(operand) if self.doubts(operand, reading) == [false, false] => {
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
    fn known_binary(
        &mut self,
        terms: &mut Terms,
        op: BinaryOp,
        [a, b]: [ExprId; 2],
        reading: Reading,
    ) -> TermId {
        let known_a = self.known(terms, a, reading);
        let mut known_b = self.known(terms, b, reading);
        let both = terms.all(&[known_a, known_b]);
        if op.is_logical() {
            // Where the left side is unknown, a right side that faults is no more than unknown.
            let faults = self.faults(terms, b, reading);
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
    fn known_choice(
        &mut self,
        terms: &mut Terms,
        [c, a, b]: [ExprId; 3],
        reading: Reading,
    ) -> TermId {
        let known = [c, a, b].map(|part| self.known(terms, part, reading));
        let value = [c, a, b].map(|part| self.value(terms, part));
        let chosen = terms.ite(value[0], known[1], known[2]);
        let by_choice = terms.all(&[known[0], chosen]);
        let equal = terms.eq(value[1], value[2]);
        let mut agree = vec![known[1], known[2], equal];
        for branch in [a, b] {
            let faults = self.faults(terms, branch, reading);
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
        let next = self.known(terms, operand, Reading::Known);
        Some(StateVar { symbol, initial: Some(Value::Bool(false)), next })
    }
}

fn name(pre: ExprId) -> String {
    format!("known:{}", provoke_base::index::Id::index(pre))
}

/// The expressions that the first step looks at: all but what stands right of an arrow, or of
/// what becomes one under a clock. What is remembered is looked at in every step.
fn looked_at_first(
    system: &System,
    definitions: &IndexVec<VarId, Option<ExprId>>,
) -> IndexVec<ExprId, bool> {
    let mut looked_at = IndexVec::repeat(false, system.exprs.len());
    let mut open: Vec<ExprId> = system.roots().collect();
    let remembered = system.exprs.iter().filter_map(|expr| match expr.kind {
        ExprKind::Pre(operand) => Some(operand),
        _ => None,
    });
    open.extend(remembered);
    while let Some(expr) = open.pop() {
        if std::mem::replace(&mut looked_at[expr], true) {
            continue;
        }
        match system.exprs[expr].kind {
            ExprKind::Pre(_) => {}
            ExprKind::Arrow(first, _) => open.push(first),
            ExprKind::If(c, a, b) => match at_first(system, definitions, c) {
                Some(chosen) => open.extend([c, if chosen { a } else { b }]),
                None => open.extend([c, a, b]),
            },
            ref kind => open.extend(kind.operands()),
        }
    }
    looked_at
}

/// What a variable is in the first step that is defined as a constant there.
fn at_first(
    system: &System,
    definitions: &IndexVec<VarId, Option<ExprId>>,
    condition: ExprId,
) -> Option<bool> {
    let ExprKind::Var(var) = system.exprs[condition].kind else { return None };
    let ExprKind::Arrow(first, _) = system.exprs[definitions[var]?].kind else { return None };
    match &system.exprs[first].kind {
        ExprKind::Const(value) => value.as_bool(),
        _ => None,
    }
}

/// What may be unknown in the first step, and in later ones, where some `pre` have no value at
/// first: the least solution, found by going over all equations until nothing changes.
fn doubtful(
    system: &System,
    definitions: &IndexVec<VarId, Option<ExprId>>,
    has_none: &dyn Fn(ExprId) -> bool,
) -> IndexVec<ExprId, [bool; 2]> {
    let mut all = IndexVec::repeat([false, false], system.exprs.len());
    loop {
        let mut changed = false;
        for (id, expr) in system.exprs.entries() {
            let new = match expr.kind {
                ExprKind::Const(_) => [false, false],
                ExprKind::Var(var) => definitions[var].map_or([false; 2], |root| all[root]),
                ExprKind::Pre(operand) => [has_none(id), all[operand][0] || all[operand][1]],
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
