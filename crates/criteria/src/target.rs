//! What a criterion points at: the conditions, decisions and branches of an equation.
//!
//! The published counting gives the counts of seed 004's tool on all the benchmark models.

use provoke_base::IndexVec;
use provoke_model::{BinaryOp, Equation, ExprId, ExprKind, System, Type, UnaryOp};

/// Which occurrences count, and how often.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Counting {
    /// As the published tool counts: the operands of a Boolean `=` twice (it rewrites `a = b`
    /// to `(a and b) or (not a and not b)`), decisions by equation.
    #[default]
    Published,
    /// Each occurrence once, and each decision by its definition: a maximal Boolean
    /// expression that crosses no `if`, `->`, `pre`, relation or arithmetic.
    Precise,
}

provoke_base::words!(Counting {
    Published = "published",
    Precise = "precise",
});

/// An expression that obligations are about, and how many times it counts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ObligationTarget {
    /// The occurrence.
    pub expr: ExprId,
    /// How often it counts.
    pub copies: u32,
}

/// Whether the expression joins Boolean operands to a Boolean result, so that its operands
/// belong to the same decision.
///
/// On Booleans `=` and `<>` are such connectives: neither is a condition in the published
/// counts, but their operands are.
pub fn is_connective(system: &System, expr: ExprId) -> bool {
    match system.exprs[expr].kind {
        ExprKind::Unary(UnaryOp::Not, _) => true,
        ExprKind::Binary(BinaryOp::Eq | BinaryOp::Ne, left, _) => is_bool(system, left),
        ExprKind::Binary(op, ..) => op.is_logical(),
        _ => false,
    }
}

fn is_bool(system: &System, expr: ExprId) -> bool {
    system.exprs[expr].ty == Type::Bool
}

fn is_const(system: &System, expr: ExprId) -> bool {
    matches!(system.exprs[expr].kind, ExprKind::Const(_))
}

/// Walks over the expressions of equations in the order they are written, each once per
/// equation even if it is shared.
pub struct Walk<'a> {
    system: &'a System,
    counting: Counting,
    roots: IndexVec<ExprId, bool>,
    /// The equation in which an expression was last met.
    met_in: IndexVec<ExprId, u32>,
    equations: u32,
}

impl<'a> Walk<'a> {
    /// A walk that counts like `counting`.
    pub fn new(system: &'a System, counting: Counting) -> Walk<'a> {
        Walk {
            system,
            counting,
            roots: decision_roots(system),
            met_in: IndexVec::repeat(0, system.exprs.len()),
            equations: 0,
        }
    }

    /// The non-constant Boolean leaves of an equation: variables and relations.
    pub fn conditions(&mut self, equation: Equation) -> Vec<ObligationTarget> {
        let mut found = Vec::new();
        let (system, counting) = (self.system, self.counting);
        self.visit(equation.expr, |expr, copies| {
            let leaf = match system.exprs[expr].kind {
                ExprKind::Var(_) => is_bool(system, expr),
                ExprKind::Binary(op, ..) => op.is_relation() && !is_connective(system, expr),
                _ => false,
            };
            if leaf {
                found.push(ObligationTarget { expr, copies });
            }
            let doubles = counting == Counting::Published
                && matches!(system.exprs[expr].kind, ExprKind::Binary(BinaryOp::Eq, ..))
                && is_connective(system, expr);
            Some(if doubles { copies.saturating_mul(2) } else { copies })
        });
        found
    }

    /// The conditions of all `if`s of an equation, constant ones included.
    pub fn branches(&mut self, equation: Equation) -> Vec<ObligationTarget> {
        let mut found = Vec::new();
        let system = self.system;
        self.visit(equation.expr, |expr, copies| {
            if let ExprKind::If(condition, ..) = system.exprs[expr].kind {
                found.push(ObligationTarget { expr: condition, copies });
            }
            Some(copies)
        });
        found
    }

    /// The decisions of an equation.
    pub fn decisions(&mut self, equation: Equation) -> Vec<ObligationTarget> {
        let (system, root) = (self.system, equation.expr);
        match (self.counting, &system.exprs[root].kind) {
            (Counting::Precise, _) => self.maximal_decisions(equation),
            (Counting::Published, _) if !is_bool(system, root) => self.outer_conditions(equation),
            (Counting::Published, ExprKind::If(..)) => self.parts(equation),
            (Counting::Published, ExprKind::Const(_)) => Vec::new(),
            (Counting::Published, _) => vec![ObligationTarget { expr: root, copies: 1 }],
        }
    }

    fn maximal_decisions(&mut self, equation: Equation) -> Vec<ObligationTarget> {
        let mut all = Vec::new();
        self.visit(equation.expr, |expr, copies| {
            all.push(ObligationTarget { expr, copies });
            Some(copies)
        });
        all.retain(|target| self.roots[target.expr]);
        all
    }

    /// The non-constant `if` conditions, without a look inside them.
    fn outer_conditions(&mut self, equation: Equation) -> Vec<ObligationTarget> {
        let mut found = Vec::new();
        let system = self.system;
        self.visit(equation.expr, |expr, copies| {
            if is_bool(system, expr) {
                // Inside a number, a Boolean expression stands for an `if` condition only.
                if !is_const(system, expr) {
                    found.push(ObligationTarget { expr, copies });
                }
                return None;
            }
            Some(copies)
        });
        found
    }

    /// The non-constant parts of a Boolean `if`, through the `if`s among them.
    fn parts(&mut self, equation: Equation) -> Vec<ObligationTarget> {
        let mut found = Vec::new();
        let system = self.system;
        self.visit(equation.expr, |expr, copies| {
            if matches!(system.exprs[expr].kind, ExprKind::If(..)) {
                return Some(copies);
            }
            if !is_const(system, expr) {
                found.push(ObligationTarget { expr, copies });
            }
            None
        });
        found
    }

    /// Calls `f` with each expression and its copies; it answers with the copies of the
    /// operands, or with `None` to leave them out.
    fn visit(&mut self, root: ExprId, mut f: impl FnMut(ExprId, u32) -> Option<u32>) {
        self.equations += 1;
        let mut open = vec![(root, 1)];
        while let Some((expr, copies)) = open.pop() {
            if std::mem::replace(&mut self.met_in[expr], self.equations) == self.equations {
                continue;
            }
            if let Some(inner) = f(expr, copies) {
                let from = open.len();
                open.extend(self.system.exprs[expr].kind.operands().map(|o| (o, inner)));
                open[from..].reverse();
            }
        }
    }
}

/// For each expression, whether it is a decision as a whole.
pub fn decision_roots(system: &System) -> IndexVec<ExprId, bool> {
    let mut roots = IndexVec::repeat(false, system.exprs.len());
    let mut mark = |expr: ExprId| {
        let crosses = matches!(
            system.exprs[expr].kind,
            ExprKind::If(..) | ExprKind::Arrow(..) | ExprKind::Pre(_)
        );
        roots[expr] |= is_bool(system, expr) && !is_const(system, expr) && !crosses;
    };
    system.equations.iter().for_each(|equation| mark(equation.expr));
    for (expr, inside) in system.exprs.entries() {
        if !is_connective(system, expr) {
            inside.kind.operands().for_each(&mut mark);
        }
    }
    roots
}
