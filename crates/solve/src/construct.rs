//! The constructors of terms, which simplify what is cheap to see: literals are folded by the
//! operators of the model, neutral elements and repeated operands vanish.

use provoke_model::operator::Fault;
use provoke_model::{BinaryOp, UnaryOp, Value};

use crate::term::{Sort, Term, TermId, Terms};

macro_rules! binary_constructors {
    ($($(#[$doc:meta])* $name:ident = $op:ident;)+) => {$(
        $(#[$doc])*
        pub fn $name(&mut self, a: TermId, b: TermId) -> TermId {
            self.binary(BinaryOp::$op, a, b)
        }
    )+};
}

impl Terms {
    binary_constructors! {
        /// Both hold.
        and = And;
        /// One holds, or both.
        or = Or;
        /// Exactly one holds.
        xor = Xor;
        /// The second holds where the first does.
        implies = Implies;
        /// They are the same.
        eq = Eq;
        /// They differ.
        ne = Ne;
        /// `a < b`
        lt = Lt;
        /// `a <= b`
        le = Le;
        /// `a > b`
        gt = Gt;
        /// `a >= b`
        ge = Ge;
        /// The sum.
        add = Add;
        /// The difference.
        sub = Sub;
        /// The product.
        mul = Mul;
        /// The quotient of reals.
        div = Div;
        /// The Euclidean quotient of integers.
        int_div = IntDiv;
        /// The Euclidean remainder of integers.
        modulo = Mod;
    }

    /// It does not hold.
    pub fn not(&mut self, a: TermId) -> TermId {
        self.unary(UnaryOp::Not, a)
    }

    /// The opposite number.
    pub fn neg(&mut self, a: TermId) -> TermId {
        self.unary(UnaryOp::Neg, a)
    }

    /// The integer as a real.
    pub fn to_real(&mut self, a: TermId) -> TermId {
        self.unary(UnaryOp::ToReal, a)
    }

    /// The largest integer that is not larger than the real.
    pub fn floor(&mut self, a: TermId) -> TermId {
        self.unary(UnaryOp::Floor, a)
    }

    /// All of them hold; a balanced tree, so that long lists do not nest deeply.
    pub fn all(&mut self, terms: &[TermId]) -> TermId {
        self.balanced(BinaryOp::And, terms)
    }

    /// One of them holds.
    pub fn any(&mut self, terms: &[TermId]) -> TermId {
        self.balanced(BinaryOp::Or, terms)
    }

    fn balanced(&mut self, op: BinaryOp, terms: &[TermId]) -> TermId {
        match terms {
            [] => self.bool(op == BinaryOp::And),
            [only] => *only,
            _ => {
                let (left, right) = terms.split_at(terms.len() / 2);
                let (left, right) = (self.balanced(op, left), self.balanced(op, right));
                self.binary(op, left, right)
            }
        }
    }

    /// `op` applied to `a`.
    pub fn unary(&mut self, op: UnaryOp, a: TermId) -> TermId {
        let sort = self.unary_sort(op, a);
        match (op, self.get(a)) {
            (UnaryOp::Round(width), _) => self.near(width, a),
            (_, Term::Const(value)) => {
                let folded = op.apply(value);
                self.constant(folded)
            }
            (UnaryOp::Not, Term::Unary(UnaryOp::Not, inner))
            | (UnaryOp::Neg, Term::Unary(UnaryOp::Neg, inner))
            | (UnaryOp::Floor, Term::Unary(UnaryOp::ToReal, inner)) => *inner,
            (UnaryOp::Wrap(ty), _) => self.wrap(ty, a, None),
            (UnaryOp::Clamp(ty), _) => self.clamp(ty, a),
            (UnaryOp::BitNot(ty), _) => {
                let a = self.wrap(ty, a, None);
                self.bit_not(ty, a)
            }
            _ => self.intern(Term::Unary(op, a), sort),
        }
    }

    fn unary_sort(&self, op: UnaryOp, a: TermId) -> Sort {
        match (op, self.sort(a)) {
            (UnaryOp::Not, Sort::Bool) => Sort::Bool,
            (UnaryOp::Neg, sort @ (Sort::Int | Sort::Real)) => sort,
            (UnaryOp::ToReal, Sort::Int) => Sort::Real,
            (UnaryOp::Floor, Sort::Real) => Sort::Int,
            (UnaryOp::Wrap(_) | UnaryOp::BitNot(_) | UnaryOp::Clamp(_), Sort::Int) => Sort::Int,
            (UnaryOp::Round(_), Sort::Real) => Sort::Real,
            (_, sort) => panic!("ill-sorted term: {} of {sort:?}", op.symbol()),
        }
    }

    /// `op` applied to `a` and `b`.
    pub fn binary(&mut self, op: BinaryOp, a: TermId, b: TermId) -> TermId {
        let sort = self.binary_sort(op, a, b);
        match self.fold(op, a, b) {
            Ok(Some(folded)) => return self.constant(folded),
            Err(Fault::NumberTooLarge) => self.outgrown += 1,
            Ok(None) | Err(Fault::DivisionByZero) => {}
        }
        match op {
            BinaryOp::Ne | BinaryOp::Xor => {
                let same = self.eq(a, b);
                self.not(same)
            }
            BinaryOp::Implies => {
                let not_a = self.not(a);
                self.or(not_a, b)
            }
            BinaryOp::Gt => self.lt(b, a),
            BinaryOp::Ge => self.le(b, a),
            BinaryOp::Quotient => self.quotient(a, b),
            BinaryOp::Remainder => self.remainder(a, b),
            BinaryOp::BitAnd(ty) | BinaryOp::BitOr(ty) => {
                let [a, b] = [a, b].map(|word| self.wrap(ty, word, None));
                self.on_bits(op, a, b)
            }
            BinaryOp::ShiftLeft(ty) | BinaryOp::ShiftRight(ty) => {
                let a = self.wrap(ty, a, None);
                self.on_bits(op, a, b)
            }
            _ => match self.simplify(op, a, b) {
                Some(simpler) => simpler,
                None => {
                    let (a, b) = if commutes(op) && b < a { (b, a) } else { (a, b) };
                    self.intern(Term::Binary(op, a, b), sort)
                }
            },
        }
    }

    fn binary_sort(&self, op: BinaryOp, a: TermId, b: TermId) -> Sort {
        let (sort, other) = (self.sort(a), self.sort(b));
        let allowed = match op {
            BinaryOp::Eq | BinaryOp::Ne => true,
            BinaryOp::Div => sort == Sort::Real,
            _ if op.is_integral() => sort == Sort::Int,
            _ => (sort == Sort::Bool) == op.is_logical(),
        };
        assert!(sort == other && allowed, "ill-sorted term: {sort:?} {} {other:?}", op.symbol());
        if op.is_logical() || op.is_relation() { Sort::Bool } else { sort }
    }

    /// The value of the term when its literals alone decide it. A division by zero has none.
    fn fold(&self, op: BinaryOp, a: TermId, b: TermId) -> Result<Option<Value>, Fault> {
        let known = |id| self.value(id).unwrap_or(&Value::Unknown);
        op.apply(known(a), known(b)).map(|value| Some(value).filter(Value::is_known))
    }

    fn simplify(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        match op {
            BinaryOp::And | BinaryOp::Or => self.simplify_junction(op, a, b),
            BinaryOp::Eq => self.simplify_eq(a, b),
            BinaryOp::Le if a == b => Some(self.bool(true)),
            BinaryOp::Lt if a == b => Some(self.bool(false)),
            BinaryOp::Sub if a == b => Some(self.zero(self.sort(a))),
            BinaryOp::Add if self.is_zero(a) => Some(b),
            BinaryOp::Add | BinaryOp::Sub if self.is_zero(b) => Some(a),
            BinaryOp::Mul if self.is_one(a) => Some(b),
            BinaryOp::Mul | BinaryOp::Div | BinaryOp::IntDiv if self.is_one(b) => Some(a),
            _ => None,
        }
    }

    fn simplify_junction(&mut self, op: BinaryOp, a: TermId, b: TermId) -> Option<TermId> {
        let neutral = op == BinaryOp::And;
        if self.is_bool(a, neutral) || a == b {
            Some(b)
        } else if self.is_bool(b, neutral) {
            Some(a)
        } else if self.opposite(a, b) {
            Some(self.bool(!neutral))
        } else {
            None
        }
    }

    fn simplify_eq(&mut self, a: TermId, b: TermId) -> Option<TermId> {
        if a == b {
            return Some(self.bool(true));
        }
        if self.opposite(a, b) {
            return Some(self.bool(false));
        }
        for (literal, other) in [(a, b), (b, a)] {
            match self.value(literal) {
                Some(Value::Bool(true)) => return Some(other),
                Some(Value::Bool(false)) => return Some(self.not(other)),
                _ => {}
            }
        }
        None
    }

    /// Whether one is the negation of the other.
    fn opposite(&self, a: TermId, b: TermId) -> bool {
        *self.get(a) == Term::Unary(UnaryOp::Not, b) || *self.get(b) == Term::Unary(UnaryOp::Not, a)
    }

    fn zero(&mut self, sort: Sort) -> TermId {
        let zero = self.int(0);
        if sort == Sort::Real { self.to_real(zero) } else { zero }
    }

    /// `a` where `condition` holds, `b` where it does not.
    pub fn ite(&mut self, condition: TermId, a: TermId, b: TermId) -> TermId {
        let sort = self.sort(a);
        assert!(
            self.sort(condition) == Sort::Bool && sort == self.sort(b),
            "ill-sorted term: ite {:?} {sort:?} {:?}",
            self.sort(condition),
            self.sort(b)
        );
        match *self.get(condition) {
            Term::Const(Value::Bool(true)) => return a,
            Term::Const(Value::Bool(false)) => return b,
            Term::Unary(UnaryOp::Not, inner) => return self.ite(inner, b, a),
            _ if a == b => return a,
            _ => {}
        }
        match self.ite_as_junction(condition, a, b) {
            Some(junction) => junction,
            None => self.intern(Term::Ite(condition, a, b), sort),
        }
    }

    /// A choice between truth values, one of them a literal or the condition itself.
    fn ite_as_junction(&mut self, condition: TermId, a: TermId, b: TermId) -> Option<TermId> {
        if self.is_bool(a, true) || a == condition {
            Some(self.or(condition, b))
        } else if self.is_bool(b, false) || b == condition {
            Some(self.and(condition, a))
        } else if self.is_bool(a, false) {
            let otherwise = self.not(condition);
            Some(self.and(otherwise, b))
        } else if self.is_bool(b, true) {
            let otherwise = self.not(condition);
            Some(self.or(otherwise, a))
        } else {
            None
        }
    }
}

fn commutes(op: BinaryOp) -> bool {
    use BinaryOp::{Add, And, Eq, Mul, Or};
    matches!(op, And | Or | Eq | Add | Mul)
}
