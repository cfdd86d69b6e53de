//! What a model is made of.

use provoke_base::IndexVec;
use provoke_model::{ExprId, ExprKind, System, Type, UnaryOp};
use provoke_stats::describe::mean;

use crate::case::ModelForm;

/// The numbers that the papers give of a model (seed 004, tables 4 to 6).
#[derive(Clone, PartialEq, Debug)]
pub struct Anatomy {
    /// The model's name.
    pub model: String,
    /// Its shape.
    pub form: ModelForm,
    /// How many inputs it has.
    pub inputs: usize,
    /// How many variables are neither inputs nor outputs.
    pub locals: usize,
    /// How many outputs.
    pub outputs: usize,
    /// How many connectives, relations and `if`s an equation has on average, of those that have
    /// any: so most of the papers' numbers come out.
    pub complexity: f64,
}

impl Anatomy {
    /// The numbers of a system.
    pub fn of(model: &str, form: ModelForm, system: &System) -> Anatomy {
        let (inputs, outputs) = (system.inputs.len(), system.outputs.len());
        let operators = operators(system);
        let counts = system.equations.iter().map(|equation| operators[equation.expr]);
        let counts: Vec<f64> = counts.filter(|count| *count > 0.0).collect();
        Anatomy {
            model: model.to_string(),
            form,
            inputs,
            locals: system.vars.len() - inputs - outputs,
            outputs,
            complexity: mean(&counts).unwrap_or(0.0),
        }
    }
}

/// How many of these operators are written in each expression. What is shared is written at each
/// place, so the numbers may outgrow integers.
fn operators(system: &System) -> IndexVec<ExprId, f64> {
    let mut counts: IndexVec<ExprId, f64> = IndexVec::new();
    for expr in system.exprs.iter() {
        let own = f64::from(u8::from(is_counted(&expr.kind)));
        let inside: f64 = expr.kind.operands().map(|operand| counts[operand]).sum();
        counts.push(own + inside);
    }
    counts
}

fn is_counted(kind: &ExprKind) -> bool {
    match kind {
        ExprKind::If(..) | ExprKind::Unary(UnaryOp::Not, _) => true,
        ExprKind::Binary(op, ..) => op.is_logical() || op.result_type(Type::Int) == Type::Bool,
        _ => false,
    }
}
