//! Divisions by what may be zero, where a run without a value would not be looked at any further.

use provoke_base::{Diagnostic, Span};
use provoke_model::UnaryOp;
use rustc_hash::FxHashSet;

use crate::ast::{AstExprKind, AstProgram, ExprId};
use crate::contract::called;
use crate::parse::for_each_operand;
use crate::report::Report;

const LABEL: &str = "runs that divide by zero here would not be looked at";
const HELP: &str = "divide by a constant; or name the quotient by an equation of the body, \
                    as an output if a contract needs it";

/// The nodes that divide by what may be zero, themselves or by a call.
pub(crate) fn dividing_nodes(program: &AstProgram) -> FxHashSet<String> {
    let mut found = FxHashSet::default();
    loop {
        let before = found.len();
        for node in &program.nodes {
            let equations = node.equations.iter().map(|equation| equation.expr);
            let mut roots = equations.chain(node.constraints.iter().copied());
            if roots.any(|root| first_division(program, root, &found).is_some()) {
                found.insert(node.name.text.to_string());
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// Refuses a division in an expression that restricts which runs are looked at.
pub(crate) fn refuse(
    program: &AstProgram,
    root: ExprId,
    dividing: &FxHashSet<String>,
    place: &str,
    report: &mut Report,
) {
    if let Some(span) = first_division(program, root, dividing) {
        let message = format!("a division by what may be zero is not supported yet in {place}");
        report.add(Diagnostic::error("unsupported", span, message).label(LABEL).help(HELP));
    }
}

/// Refuses every division by something else than a number in what a type says of a value that nobody
/// defines.
pub(crate) fn refuse_in_type(
    program: &AstProgram,
    root: ExprId,
    dividing: &FxHashSet<String>,
    report: &mut Report,
) {
    let numbers_only = |by: ExprId| match &program.exprs[by].kind {
        AstExprKind::Int(value) => !value.is_zero(),
        AstExprKind::Real(value) => !value.is_zero(),
        _ => false,
    };
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        let expr = &program.exprs[id];
        let divides = match &expr.kind {
            AstExprKind::Binary(op, _, by) => op.divides() && !numbers_only(*by),
            kind => called(kind).is_some_and(|name| dividing.contains(name)),
        };
        if divides {
            let message = "a division by what may be zero is not supported yet in the type of a \
                           value that nothing defines";
            report
                .add(Diagnostic::error("unsupported", expr.span, message).label(LABEL).help(HELP));
            return;
        }
        for_each_operand(&expr.kind, |operand| open.push(operand));
    }
}

/// Where an expression divides by something else than a constant that is not zero, or calls a node that
/// does.
fn first_division(
    program: &AstProgram,
    root: ExprId,
    dividing: &FxHashSet<String>,
) -> Option<Span> {
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        let expr = &program.exprs[id];
        match &expr.kind {
            AstExprKind::Binary(op, _, by) if op.divides() && !is_never_zero(program, *by) => {
                return Some(expr.span);
            }
            kind if called(kind).is_some_and(|name| dividing.contains(name)) => {
                return Some(expr.span);
            }
            kind => for_each_operand(kind, |operand| open.push(operand)),
        }
    }
    None
}

/// Whether an expression is a number other than zero, or a constant of the file with such a value.
fn is_never_zero(program: &AstProgram, id: ExprId) -> bool {
    let mut at = id;
    // A constant may be named by another one; none is longer than the list of all.
    for _ in 0..=program.constants.len() {
        at = match &program.exprs[at].kind {
            AstExprKind::Int(value) => return !value.is_zero(),
            AstExprKind::Real(value) => return !value.is_zero(),
            AstExprKind::Unary(UnaryOp::Neg | UnaryOp::ToReal, of)
            | AstExprKind::Convert(None, of)
                if matches!(program.exprs[*of].kind, AstExprKind::Int(_)) =>
            {
                *of
            }
            AstExprKind::Name(name) => {
                let hides = |node: &crate::ast::AstNode| {
                    let decls = node.inputs.iter().chain(&node.outputs).chain(&node.locals);
                    decls.into_iter().any(|decl| decl.name.text == name.text)
                };
                let constant = program.constants.iter().find(|one| one.name.text == name.text);
                match constant.and_then(|constant| constant.value) {
                    Some(value) if !program.nodes.iter().any(hides) => value,
                    _ => return false,
                }
            }
            _ => return false,
        };
    }
    false
}
