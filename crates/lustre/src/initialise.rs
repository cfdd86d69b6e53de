//! Warns of each `pre` that is looked at in the first step, when there is no step before.

use provoke_base::{Diagnostic, Span};
use rustc_hash::FxHashSet;

use crate::ast::{AstExprKind, AstProgram, ExprId};
use crate::parse::for_each_operand;
use crate::report::Report;

/// Warns in all nodes of a file.
pub(crate) fn warn_unguarded(program: &AstProgram, report: &mut Report) {
    for node in &program.nodes {
        let equations = node.equations.iter().map(|equation| equation.expr);
        let properties = node.properties.iter().map(|property| property.expr);
        for root in equations.chain(node.asserts.iter().copied()).chain(properties) {
            visit(program, root, report);
        }
    }
}

/// The first place in an expression where something is undefined in the first step: a `pre`, or a call
/// of one of some nodes.
pub(crate) fn first_unguarded(
    program: &AstProgram,
    root: ExprId,
    nodes: &FxHashSet<String>,
) -> Option<Span> {
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        let expr = &program.exprs[id];
        match &expr.kind {
            AstExprKind::Arrow(first, _) => open.push(*first),
            AstExprKind::Pre(_) => return Some(expr.span),
            AstExprKind::Call(name, _) if nodes.contains(&*name.text) => return Some(expr.span),
            kind => for_each_operand(kind, |operand| open.push(operand)),
        }
    }
    None
}

/// The right side of `->` is not looked at in the first step, and what stands under `pre`
/// is looked at one step earlier.
fn visit(program: &AstProgram, root: ExprId, report: &mut Report) {
    let mut open = vec![(root, false)];
    while let Some((id, guarded)) = open.pop() {
        let expr = &program.exprs[id];
        match &expr.kind {
            AstExprKind::Arrow(first, later) => open.extend([(*first, guarded), (*later, true)]),
            AstExprKind::Pre(operand) => {
                if !guarded {
                    report.add(
                        Diagnostic::warning("unguarded-pre", expr.span, "unguarded `pre`")
                            .label("undefined in the first step")
                            .help("give a first value with `->`: `value -> pre x`"),
                    );
                }
                open.push((*operand, false));
            }
            kind => for_each_operand(kind, |operand| open.push((operand, guarded))),
        }
    }
}
