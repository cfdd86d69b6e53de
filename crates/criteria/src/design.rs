//! Design errors: operations of a model that may go wrong in the numbers of a machine.
//!
//! [`design_errors`] lists them, one for each operation of each node instance. [`watch`] builds a
//! system beside the model in which each is a truth value, so that every prover for properties can
//! decide it; [`DesignReplay`] says plainly what goes wrong in a run, and judges the others.
//!
//! An operation goes wrong only where its value matters: what `if`, `and`, `or` and `=>` skip cannot.
//! A run ends with the step of its first error, and what is computed from a wrong value is no
//! error of its own.

mod limits;
mod replay;
mod types;
mod watch;

use provoke_base::{IndexVec, Span};
use provoke_model::{BinaryOp, ExprId, ExprKind, Range, System, Type, UnaryOp, Value, VarId};
use rustc_hash::FxHashMap;

pub use limits::NumberLimits;
pub use replay::{DesignReplay, ReplayState};
use types::IntTypes;
pub use watch::{WatchedSystem, watch};

use crate::text;

/// The longest expression in the name of a design error, in bytes.
const TEXT_LIMIT: usize = 120;

/// How an operation goes wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum DesignErrorKind {
    /// An integer that does not fit.
    Overflow,
    /// An integer that leaves its machine's type and wraps around, as the model says.
    Wrap,
    /// A division by zero.
    DivisionByZero,
    /// An array index outside the array.
    Index,
    /// A variable outside the subrange it is declared with.
    Range,
    /// A real beyond the largest finite number.
    Infinity,
    /// An integer that becomes a real beyond the integers that are all exact.
    InexactCast,
    /// Reals so close that rounding decides whether they are equal.
    FloatEquality,
}

provoke_base::words!(DesignErrorKind {
    Overflow = "overflow",
    Wrap = "wrap",
    DivisionByZero = "div0",
    Index = "index",
    Range = "range",
    Infinity = "inf",
    InexactCast = "inexact_cast",
    FloatEquality = "float_eq",
});

impl DesignErrorKind {
    /// Whether a run ends there: what follows would be computed from a wrong value. The others lose
    /// digits, or bits that the model says are lost, and go on.
    pub fn ends_run(self) -> bool {
        use DesignErrorKind::{FloatEquality, InexactCast, Wrap};
        !matches!(self, Wrap | InexactCast | FloatEquality)
    }

    /// Whether the model itself has no value there, so that it matters in assertions and properties too,
    /// which no machine computes.
    fn is_of_model(self) -> bool {
        matches!(self, DesignErrorKind::DivisionByZero | DesignErrorKind::Index)
    }
}

/// An operation that may go wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DesignError {
    /// A name that is unique in the model, such as `overflow:a + b`.
    pub id: String,
    /// How it goes wrong.
    pub kind: DesignErrorKind,
    /// What is computed, as text.
    pub text: String,
    /// Where it is written.
    pub span: Span,
    /// The path of the node instance, empty for the main node.
    pub instance: String,
    /// The places in the system: several only where one expression of the text falls apart into scalars.
    pub sites: Vec<Site>,
}

impl DesignError {
    /// The operations in the system; none where a variable leaves its subrange.
    pub fn exprs(&self) -> impl Iterator<Item = ExprId> {
        self.sites.iter().filter_map(|site| match site {
            Site::Expr(expr) => Some(*expr),
            Site::Var(_) => None,
        })
    }
}

/// Where in a system something may go wrong.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Site {
    /// At an operation.
    Expr(ExprId),
    /// Where a variable gets its value.
    Var(VarId),
}

/// How many elements the arrays have whose index is computed, by the place of the access.
pub type ArraySizes = FxHashMap<Span, usize>;

/// All operations that may go wrong, in the order of the equations.
pub fn design_errors(
    system: &System,
    limits: &NumberLimits,
    sizes: &ArraySizes,
) -> Vec<DesignError> {
    let mut list = Listing { system, found: Vec::new(), known: FxHashMap::default() };
    let hazards = Hazards::new(system, limits, sizes);
    for (owner, root) in roots(system) {
        list.visit(&hazards, owner, root);
        if let Owner::Equation(var) = owner
            && hazards.of_var(var)
        {
            list.add(&hazards, DesignErrorKind::Range, owner, Site::Var(var));
        }
    }
    list.number_names();
    list.found
}

/// Whose text an expression belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Owner {
    Equation(VarId),
    Assumption(usize),
    Property(usize),
}

fn roots(system: &System) -> impl Iterator<Item = (Owner, ExprId)> {
    let equations = system.equations.iter();
    let assumptions = system.assumptions.iter().enumerate();
    let properties = system.properties.iter().enumerate();
    equations
        .map(|equation| (Owner::Equation(equation.var), equation.expr))
        .chain(assumptions.map(|(at, assumption)| (Owner::Assumption(at), assumption.expr)))
        .chain(properties.map(|(at, property)| (Owner::Property(at), property.expr)))
}

/// Gathers design errors; operations that are copies of one in the text share one.
struct Listing<'a> {
    system: &'a System,
    found: Vec<DesignError>,
    known: FxHashMap<(DesignErrorKind, String, Span), usize>,
}

impl Listing<'_> {
    /// Lists what may go wrong in an expression, operands first.
    fn visit(&mut self, hazards: &Hazards<'_>, owner: Owner, root: ExprId) {
        let mut inside: Vec<ExprId> = Vec::new();
        let mut open = vec![root];
        while let Some(at) = open.pop() {
            inside.push(at);
            open.extend(self.system.exprs[at].kind.operands());
        }
        inside.sort_unstable();
        for expr in inside {
            for &kind in hazards.of_expr(expr) {
                self.add(hazards, kind, owner, Site::Expr(expr));
            }
        }
    }

    fn add(&mut self, hazards: &Hazards<'_>, kind: DesignErrorKind, owner: Owner, site: Site) {
        let system = self.system;
        let instance = match owner {
            Owner::Equation(var) => system.instances[system.vars[var].instance].path.clone(),
            Owner::Assumption(_) | Owner::Property(_) => String::new(),
        };
        let (text, span) = match site {
            Site::Expr(expr) => {
                let shown = hazards.index_at(expr).map_or(expr, |(index, _)| index);
                (text::of_expr(system, shown, TEXT_LIMIT), system.exprs[expr].span)
            }
            Site::Var(var) => (system.vars[var].name.clone(), system.vars[var].span),
        };
        // Variables of an array type are declared at one place, and what no text has written is nobody's
        // copy.
        let is_alone = matches!(site, Site::Var(_)) || span == Span::default();
        let next = self.found.len();
        let at = match is_alone {
            true => next,
            false => *self.known.entry((kind, instance.clone(), span)).or_insert(next),
        };
        match self.found.get_mut(at) {
            Some(error) => error.sites.push(site),
            None => {
                let id = format!("{kind}:{text}");
                self.found.push(DesignError { id, kind, text, span, instance, sites: vec![site] });
            }
        }
    }

    /// Equal texts get numbers.
    fn number_names(&mut self) {
        let mut seen: FxHashMap<String, usize> = FxHashMap::default();
        for error in &mut self.found {
            let count = seen.entry(error.id.clone()).or_insert(0);
            *count += 1;
            if *count > 1 {
                error.id = format!("{}#{count}", error.id);
            }
        }
    }
}

/// What may go wrong at each place of a system.
pub(crate) struct Hazards<'a> {
    system: &'a System,
    types: IntTypes,
    kinds: IndexVec<ExprId, Vec<DesignErrorKind>>,
    /// For each comparison of a computed index with a position, the index and the size of the array.
    indices: FxHashMap<ExprId, (ExprId, usize)>,
}

impl<'a> Hazards<'a> {
    pub(crate) fn new(system: &'a System, limits: &NumberLimits, sizes: &ArraySizes) -> Self {
        let computed = computed_by_code(system);
        let indices = accesses(system, sizes);
        let types = IntTypes::new(system, limits);
        let kinds = system.exprs.ids().map(|id| {
            let mut kinds = of_operation(system, limits, &types, id);
            if indices.contains_key(&id) {
                kinds.push(DesignErrorKind::Index);
            }
            kinds.retain(|kind| computed[id] || kind.is_of_model());
            kinds
        });
        let mut kinds: IndexVec<ExprId, Vec<DesignErrorKind>> = kinds.collect();
        // A number with a sign is one number: 128 need not fit where -128 does.
        for expr in system.exprs.iter() {
            if let ExprKind::Unary(UnaryOp::Neg, operand) = expr.kind
                && let ExprKind::Const(_) = system.exprs[operand].kind
            {
                kinds[operand].clear();
            }
        }
        Hazards { system, types, kinds, indices }
    }

    /// The ways in which an operation may go wrong.
    pub(crate) fn of_expr(&self, expr: ExprId) -> &[DesignErrorKind] {
        &self.kinds[expr]
    }

    /// Whether a variable may leave its subrange; inputs are trusted, and what leaves a machine's type
    /// has wrapped around before.
    pub(crate) fn of_var(&self, var: VarId) -> bool {
        let var = &self.system.vars[var];
        var.range.is_some() && var.machine.is_none() && !var.role.is_from_outside()
    }

    /// The operands that may be no `int` of the machine where they become one.
    pub(crate) fn wide_operands(&self, expr: ExprId) -> Vec<ExprId> {
        self.types.wide_operands(self.system, expr)
    }

    /// The values that an integer may have where nothing else is known.
    pub(crate) fn values(&self, expr: ExprId) -> Option<Range> {
        self.types.values(self.system, expr)
    }

    /// The index that an access to an array computes, and how many elements there are.
    pub(crate) fn index_at(&self, expr: ExprId) -> Option<(ExprId, usize)> {
        self.indices.get(&expr).copied()
    }
}

/// Whether generated code computes an expression: assertions and properties are not part of it.
fn computed_by_code(system: &System) -> IndexVec<ExprId, bool> {
    let mut computed = IndexVec::repeat(false, system.exprs.len());
    for equation in &system.equations {
        computed[equation.expr] = true;
    }
    // Operands have smaller ids than what they are part of.
    for id in system.exprs.ids().rev() {
        if computed[id] {
            system.exprs[id].kind.operands().for_each(|operand| computed[operand] = true);
        }
    }
    computed
}

/// The ways in which an operation may go wrong by what it is and what its operands are.
fn of_operation(
    system: &System,
    limits: &NumberLimits,
    types: &IntTypes,
    id: ExprId,
) -> Vec<DesignErrorKind> {
    use DesignErrorKind::{Overflow, Wrap};
    let mut kinds = match system.exprs[id].kind {
        ExprKind::Unary(UnaryOp::Wrap(ty), operand) if types.may_wrap(system, ty, operand) => {
            vec![Wrap]
        }
        _ => of_operator(system, limits, types, id),
    };
    // What a machine's operation gives is looked at where it wraps around.
    if types.is_of_machine(id) {
        kinds.retain(|kind| *kind != Overflow);
    }
    let takes_wide = types.narrows(system, id) || !types.wide_operands(system, id).is_empty();
    if takes_wide && !kinds.contains(&Overflow) {
        kinds.push(Overflow);
    }
    kinds
}

/// The ways in which an operation may go wrong by its operator.
fn of_operator(
    system: &System,
    limits: &NumberLimits,
    types: &IntTypes,
    id: ExprId,
) -> Vec<DesignErrorKind> {
    use DesignErrorKind::{DivisionByZero, FloatEquality, InexactCast, Infinity, Overflow};
    let fits = |number: Option<Value>| number.is_some_and(|number| limits.holds(&number));
    match (&system.exprs[id].kind, system.exprs[id].ty) {
        (ExprKind::Const(value), _) if limits.holds(value) => Vec::new(),
        (ExprKind::Const(Value::Int(_)), _) => vec![Overflow],
        (ExprKind::Const(_), _) => vec![Infinity],
        (ExprKind::Unary(UnaryOp::Neg, _), _) if fits(constant(system, id)) => Vec::new(),
        (ExprKind::Unary(UnaryOp::Neg, _), Type::Int) => vec![Overflow],
        (ExprKind::Unary(UnaryOp::Floor, _), _) => vec![Overflow],
        (ExprKind::Unary(UnaryOp::ToReal, a), _)
            if types.values(system, *a).is_some_and(|all| limits.are_exact(&all)) =>
        {
            Vec::new()
        }
        (ExprKind::Unary(UnaryOp::ToReal, _), _) => vec![InexactCast],
        (ExprKind::Binary(op, a, b), _) => match (op, system.exprs[*a].ty) {
            (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, Type::Int) => vec![Overflow],
            (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, _) => vec![Infinity],
            (BinaryOp::IntDiv, _) => match constant(system, *b).map(|value| is_zero(&value)) {
                None => vec![DivisionByZero, Overflow],
                Some(true) => vec![DivisionByZero],
                Some(false) if constant(system, *b) == Some(Value::from(-1)) => vec![Overflow],
                Some(false) => Vec::new(),
            },
            (BinaryOp::Mod | BinaryOp::Div | BinaryOp::Quotient | BinaryOp::Remainder, ty) => {
                let divides = constant(system, *b).is_none_or(|value| is_zero(&value));
                let zero = divides.then_some(DivisionByZero);
                let infinity = (ty == Type::Real).then_some(Infinity);
                zero.into_iter().chain(infinity).collect()
            }
            (BinaryOp::Eq | BinaryOp::Ne, Type::Real) => vec![FloatEquality],
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The number that an expression is, with its sign.
fn constant(system: &System, id: ExprId) -> Option<Value> {
    match &system.exprs[id].kind {
        ExprKind::Const(value) => Some(value.clone()),
        ExprKind::Unary(UnaryOp::Neg, operand) => match &system.exprs[*operand].kind {
            ExprKind::Const(value) => Some(UnaryOp::Neg.apply(value)),
            _ => None,
        },
        _ => None,
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Int(int) => int.is_zero(),
        Value::Real(real) => real.is_zero(),
        _ => false,
    }
}

/// The comparisons of computed indices with positions, which the front end writes for an access to an
/// array: `if index = 0 then .. else ..`, all at the place of the access.
fn accesses(system: &System, sizes: &ArraySizes) -> FxHashMap<ExprId, (ExprId, usize)> {
    let found = |id: ExprId| Some((id, index_at(system, id, sizes)?));
    system.exprs.ids().filter_map(found).collect()
}

/// The index that a comparison is about, and how many elements the array has, if it is one of those.
pub fn index_at(system: &System, id: ExprId, sizes: &ArraySizes) -> Option<(ExprId, usize)> {
    let expr = &system.exprs[id];
    let ExprKind::Binary(BinaryOp::Eq, index, at) = expr.kind else { return None };
    let is_position = matches!(system.exprs[at].kind, ExprKind::Const(_));
    let is_here = is_position && system.exprs[at].span == expr.span;
    sizes.get(&expr.span).filter(|_| is_here).map(|size| (index, *size))
}
