//! A system: typed scalar equations over inputs, locals and delays.

use provoke_base::{IndexVec, Int, Span, define_id};

use crate::fixed::Arithmetic;
use crate::machine::MachineInt;
use crate::operator::{BinaryOp, UnaryOp};
use crate::value::Value;

define_id! {
    /// A variable of a system.
    VarId,
    /// One occurrence of an expression in a system.
    ExprId,
    /// An enumeration.
    EnumId,
    /// An instance of a node.
    InstanceId,
}

/// The type of a variable or expression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// Truth values.
    Bool,
    /// Unbounded integers.
    Int,
    /// Exact rationals.
    Real,
    /// The constants of an enumeration.
    Enum(EnumId),
}

/// A named list of constants.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct EnumType {
    /// The type's name.
    pub name: String,
    /// The constants in the order of their declaration.
    pub constants: Vec<String>,
}

/// What a variable is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// Set by the environment at each step.
    Input,
    /// Shown to the environment.
    Output,
    /// Neither.
    Local,
    /// Set by nobody that is known, within what the assumptions allow: a tester cannot choose it.
    Choice,
}

impl Role {
    /// Whether no equation defines variables of this role.
    pub fn is_from_outside(self) -> bool {
        matches!(self, Role::Input | Role::Choice)
    }
}

/// Who introduced a variable.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Origin {
    /// The user declared it.
    Declared,
    /// The translation needed it, for instance to hold a value while a clock is false.
    Generated,
}

/// Bounds of a subrange type, both included.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Range {
    /// The smallest value.
    pub low: Int,
    /// The largest value.
    pub high: Int,
}

impl From<MachineInt> for Range {
    fn from(ty: MachineInt) -> Range {
        Range { low: Int::from_i128(ty.low()), high: Int::from_i128(ty.high()) }
    }
}

impl Range {
    /// Whether `value` is unknown or lies inside.
    pub fn contains(&self, value: &Value) -> bool {
        match value {
            Value::Int(int) => self.low <= *int && *int <= self.high,
            _ => true,
        }
    }
}

/// A scalar variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Var {
    /// The hierarchical name, unique in the system: `pump.alarm.level`.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its bounds, when it was declared with a subrange or as a machine's integer.
    pub range: Option<Range>,
    /// The machine's type it was declared with. No definition leaves its bounds: that is so by
    /// construction and assumed of nobody but the environment.
    pub machine: Option<MachineInt>,
    /// What it is for.
    pub role: Role,
    /// Who introduced it.
    pub origin: Origin,
    /// The node instance it belongs to.
    pub instance: InstanceId,
    /// Where it was declared.
    pub span: Span,
}

/// A node instance; the first one is the main node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Instance {
    /// The path of instance names from the main node, empty for the main node itself.
    pub path: String,
    /// The name of the node.
    pub node: String,
    /// Where it is called.
    pub span: Span,
}

/// One occurrence of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type.
    pub ty: Type,
    /// Where it is written.
    pub span: Span,
}

/// The forms of expressions. Operands always have smaller ids than what they are part of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// A literal or a named constant.
    Const(Value),
    /// The current value of a variable.
    Var(VarId),
    /// An operator with one operand.
    Unary(UnaryOp, ExprId),
    /// An operator with two operands.
    Binary(BinaryOp, ExprId, ExprId),
    /// `if _ then _ else _`
    If(ExprId, ExprId, ExprId),
    /// `_ -> _`: the first at the first step, the second afterwards.
    Arrow(ExprId, ExprId),
    /// The operand's value one step ago.
    Pre(ExprId),
}

impl ExprKind {
    /// The operands in the order they are written.
    pub fn operands(&self) -> impl Iterator<Item = ExprId> + use<> {
        let (a, b, c) = match *self {
            ExprKind::Const(_) | ExprKind::Var(_) => (None, None, None),
            ExprKind::Unary(_, a) | ExprKind::Pre(a) => (Some(a), None, None),
            ExprKind::Binary(_, a, b) | ExprKind::Arrow(a, b) => (Some(a), Some(b), None),
            ExprKind::If(a, b, c) => (Some(a), Some(b), Some(c)),
        };
        [a, b, c].into_iter().flatten()
    }

    /// The same form with every operand replaced.
    pub fn map(&self, mut f: impl FnMut(ExprId) -> ExprId) -> ExprKind {
        match self {
            ExprKind::Const(value) => ExprKind::Const(value.clone()),
            ExprKind::Var(var) => ExprKind::Var(*var),
            ExprKind::Unary(op, a) => ExprKind::Unary(*op, f(*a)),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(*op, f(*a), f(*b)),
            ExprKind::If(a, b, c) => ExprKind::If(f(*a), f(*b), f(*c)),
            ExprKind::Arrow(a, b) => ExprKind::Arrow(f(*a), f(*b)),
            ExprKind::Pre(a) => ExprKind::Pre(f(*a)),
        }
    }
}

/// The definition of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Equation {
    /// What is defined.
    pub var: VarId,
    /// By what.
    pub expr: ExprId,
}

/// Something the environment promises at every step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// A Boolean expression.
    pub expr: ExprId,
    /// Where it is written.
    pub span: Span,
}

/// What is asked of a property.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum PropertyGoal {
    /// It is true at every step of every run.
    #[default]
    Always,
    /// Some run reaches a step in which it is false.
    Reachable,
}

/// Something the model promises.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// The name given or the text of the expression.
    pub name: String,
    /// A Boolean expression.
    pub expr: ExprId,
    /// What is asked of it.
    pub goal: PropertyGoal,
    /// Where it is written.
    pub span: Span,
}

/// A function whose body is not known: equal arguments give equal results, in all steps and instances.
/// The assumptions say so for each step; runs that are shown must do so over all steps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownFunction {
    /// Its name.
    pub name: String,
    /// Its calls.
    pub uses: Vec<FunctionUse>,
}

/// A call of a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionUse {
    /// Whether it counts; always, if there is no variable.
    pub active: Option<VarId>,
    /// The arguments.
    pub inputs: Vec<VarId>,
    /// The results.
    pub outputs: Vec<VarId>,
}

/// A complete, causal, well-typed system. Built by front ends, changed by none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct System {
    /// The main node's name.
    pub name: String,
    /// The machine's numbers that it computes with; exact ones if nothing is said.
    pub numbers: Option<Arithmetic>,
    /// The enumerations.
    pub enums: IndexVec<EnumId, EnumType>,
    /// The node instances, the main one first.
    pub instances: IndexVec<InstanceId, Instance>,
    /// The variables.
    pub vars: IndexVec<VarId, Var>,
    /// The expressions, operands before what they are part of.
    pub exprs: IndexVec<ExprId, Expr>,
    /// What drives a run: the inputs in order of declaration, then the choices.
    pub inputs: Vec<VarId>,
    /// The outputs in order of declaration.
    pub outputs: Vec<VarId>,
    /// One equation for every variable that is no input, each after those whose current
    /// values it uses.
    pub equations: Vec<Equation>,
    /// What the environment promises.
    pub assumptions: Vec<Assumption>,
    /// What the model promises.
    pub properties: Vec<Property>,
    /// Functions whose bodies are not known.
    pub functions: Vec<UnknownFunction>,
}

impl System {
    /// The variable called `name`.
    pub fn var_named(&self, name: &str) -> Option<VarId> {
        self.vars.entries().find(|(_, var)| var.name == name).map(|(id, _)| id)
    }

    /// The variables that have any value within what the assumptions allow.
    pub fn choices(&self) -> impl Iterator<Item = VarId> + '_ {
        self.inputs.iter().copied().filter(|var| self.vars[*var].role == Role::Choice)
    }

    /// Adds an expression whose operands are there already.
    pub fn add_expr(&mut self, kind: ExprKind, ty: Type, span: Span) -> ExprId {
        self.exprs.push(Expr { kind, ty, span })
    }

    /// The expressions that equations, assumptions and properties stand on.
    pub fn roots(&self) -> impl Iterator<Item = ExprId> {
        let equations = self.equations.iter().map(|equation| equation.expr);
        let assumptions = self.assumptions.iter().map(|assumption| assumption.expr);
        let properties = self.properties.iter().map(|property| property.expr);
        equations.chain(assumptions).chain(properties)
    }
}
