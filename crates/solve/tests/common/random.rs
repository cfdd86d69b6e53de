//! Random terms, built twice: as terms and by applying the operators of the model.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use provoke_base::Rational;
use provoke_model::{BinaryOp, MachineInt, UnaryOp, Value};
use provoke_solve::{Sort, SymbolId, Term, TermId, Terms};

/// So many cases, the same ones in every run unless PROPTEST_RNG_SEED is set.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    let given = ProptestConfig::default();
    let rng_seed = match given.rng_seed {
        RngSeed::Random => RngSeed::Fixed(1),
        fixed => fixed,
    };
    ProptestConfig { cases, failure_persistence: None, rng_seed, ..given }
}

/// One more term: an operator and which of the terms there are it is applied to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    op: u8,
    operands: [u16; 3],
}

/// Small ones, so that solvers are asked about all bits.
const MACHINES: [MachineInt; 4] = [
    MachineInt::signed(3),
    MachineInt::unsigned(4),
    MachineInt::signed(8),
    MachineInt::unsigned(8),
];

/// Random steps.
pub(crate) fn steps(most: usize) -> impl Strategy<Value = Vec<Step>> {
    let step = (any::<u8>(), any::<[u16; 3]>()).prop_map(|(op, operands)| Step { op, operands });
    prop::collection::vec(step, 1..most)
}

/// Random values of the symbols of [`Built`].
pub(crate) fn assignment() -> impl Strategy<Value = Vec<Value>> {
    let int = prop_oneof![8 => -9i64..10, 1 => any::<i64>()].prop_map(Value::from);
    let real = (-30i64..31, 1i64..7).prop_map(|(a, b)| real(&format!("{a}/{b}")));
    let bools = prop::collection::vec(any::<bool>().prop_map(Value::Bool), 2);
    let ints = prop::collection::vec(int, 3);
    let reals = prop::collection::vec(real, 2);
    (bools, ints, reals).prop_map(|(bools, ints, reals)| [bools, ints, reals].concat())
}

/// Terms and, for an assignment, what the operators of the model say their values are.
pub(crate) struct Built {
    pub(crate) terms: Terms,
    pub(crate) symbols: Vec<TermId>,
    pub(crate) all: Vec<(TermId, Value)>,
}

impl Built {
    /// The terms that `steps` describe. Those of a linear problem multiply by literals and
    /// divide by literals other than zero.
    pub(crate) fn new(steps: &[Step], values: &[Value], linear: bool) -> Built {
        let mut built = Built { terms: Terms::new(), symbols: Vec::new(), all: Vec::new() };
        for (number, value) in values.iter().enumerate() {
            let sort = sort_of(value);
            let symbol = built.terms.symbol(&format!("{sort:?}{number}"), sort);
            built.symbols.push(symbol);
            built.all.push((symbol, value.clone()));
        }
        for literal in literals() {
            built.all.push((built.terms.constant(literal.clone()), literal));
        }
        for step in steps {
            built.take(*step, linear);
        }
        built
    }

    fn take(&mut self, step: Step, linear: bool) {
        const UNARY: [UnaryOp; 4] = [UnaryOp::Not, UnaryOp::Neg, UnaryOp::ToReal, UnaryOp::Floor];
        let machine = MACHINES[usize::from(step.operands[2]) % MACHINES.len()];
        match usize::from(step.op) % 31 {
            index @ 0..18 => self.take_binary(BinaryOp::ALL[index], step, linear),
            index @ 18..22 => self.take_unary(UNARY[index - 18], step),
            index @ 22..26 => {
                self.take_binary(BinaryOp::on_bits(machine)[index - 22], step, linear);
            }
            26 => self.take_unary(UnaryOp::Wrap(machine), step),
            27 => self.take_unary(UnaryOp::BitNot(machine), step),
            _ => self.take_ite(step),
        }
    }

    fn take_binary(&mut self, op: BinaryOp, step: Step, linear: bool) {
        let sort = match op {
            BinaryOp::Div => Sort::Real,
            _ if op.is_integral() => Sort::Int,
            BinaryOp::Eq | BinaryOp::Ne => {
                [Sort::Bool, Sort::Int, Sort::Real][step.operands[2] as usize % 3]
            }
            _ if op.is_logical() => Sort::Bool,
            _ => [Sort::Int, Sort::Real][step.operands[2] as usize % 2],
        };
        let (a, left) = self.pick(sort, step.operands[0], |_, _| true);
        let restricted = linear && (op.divides() || op == BinaryOp::Mul);
        let (b, right) = self
            .pick(sort, step.operands[1], |terms, id| !restricted || is_nonzero_literal(terms, id));
        let value = op.apply(&left, &right).unwrap_or(Value::Unknown);
        self.all.push((self.terms.binary(op, a, b), value));
    }

    fn take_unary(&mut self, op: UnaryOp, step: Step) {
        let sort = match op {
            UnaryOp::Not => Sort::Bool,
            UnaryOp::Neg => [Sort::Int, Sort::Real][step.operands[2] as usize % 2],
            UnaryOp::ToReal | UnaryOp::Wrap(_) | UnaryOp::BitNot(_) | UnaryOp::Clamp(_) => {
                Sort::Int
            }
            UnaryOp::Floor | UnaryOp::Round(_) => Sort::Real,
        };
        let (a, value) = self.pick(sort, step.operands[0], |_, _| true);
        self.all.push((self.terms.unary(op, a), op.apply(&value)));
    }

    fn take_ite(&mut self, step: Step) {
        let sort = [Sort::Bool, Sort::Int, Sort::Real][usize::from(step.op) % 3];
        let (a, condition) = self.pick(Sort::Bool, step.operands[0], |_, _| true);
        let (b, yes) = self.pick(sort, step.operands[1], |_, _| true);
        let (c, no) = self.pick(sort, step.operands[2], |_, _| true);
        let value = match condition {
            Value::Bool(true) => yes,
            Value::Bool(false) => no,
            _ => Value::Unknown,
        };
        self.all.push((self.terms.ite(a, b, c), value));
    }

    /// One of the terms of this sort, the latest ones more often than the first.
    fn pick(
        &self,
        sort: Sort,
        seed: u16,
        allowed: impl Fn(&Terms, TermId) -> bool,
    ) -> (TermId, Value) {
        let fits =
            |(id, _): &&(TermId, Value)| self.terms.sort(*id) == sort && allowed(&self.terms, *id);
        let fitting: Vec<_> = self.all.iter().filter(fits).collect();
        let recent = if seed.is_multiple_of(2) { fitting.len() } else { fitting.len().min(3) };
        fitting[fitting.len() - 1 - usize::from(seed / 2) % recent].clone()
    }

    /// The truth-valued terms.
    pub(crate) fn formulas(&self) -> Vec<TermId> {
        let ids = self.all.iter().map(|(id, _)| *id);
        ids.filter(|id| self.terms.sort(*id) == Sort::Bool).collect()
    }

    /// The position of a symbol among the symbols.
    pub(crate) fn position(&self, symbol: SymbolId) -> usize {
        let same = |id: &TermId| *self.terms.get(*id) == Term::Symbol(symbol);
        self.symbols.iter().position(same).expect("the symbol is one of them")
    }
}

fn is_nonzero_literal(terms: &Terms, id: TermId) -> bool {
    match terms.value(id) {
        Some(Value::Int(int)) => !int.is_zero(),
        Some(Value::Real(real)) => !real.is_zero(),
        _ => false,
    }
}

fn sort_of(value: &Value) -> Sort {
    match value {
        Value::Bool(_) => Sort::Bool,
        Value::Int(_) => Sort::Int,
        _ => Sort::Real,
    }
}

fn real(text: &str) -> Value {
    Value::Real(Rational::parse(text).unwrap())
}

fn literals() -> Vec<Value> {
    let ints = [0, 1, -1, 2, -3, 7, i64::MIN].map(Value::from);
    let reals = ["0", "1", "-1", "1/3", "-5/2"].map(real);
    let bools = [false, true].map(Value::Bool);
    [bools.as_slice(), ints.as_slice(), reals.as_slice()].concat()
}
