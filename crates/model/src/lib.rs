//! Plain data that the engines share: systems of typed scalar equations, values, traces,
//! tests and suites. Nothing here reads, writes or decides.

pub mod fixed;
pub mod machine;
pub mod operator;
pub mod suite;
pub mod system;
pub mod trace;
pub mod value;

pub use fixed::{Arithmetic, FixedValue, IntWidth, RealWidth};
pub use machine::MachineInt;
pub use operator::{BinaryOp, Fault, UnaryOp};
pub use suite::{Signal, Step, Suite, TestCase};
pub use system::{
    Assumption, EnumId, EnumType, Equation, Expr, ExprId, ExprKind, FunctionUse, Instance,
    InstanceId, Origin, Property, PropertyGoal, Range, Role, System, Type, UnknownFunction, Var,
    VarId,
};
pub use trace::Trace;
pub use value::Value;
