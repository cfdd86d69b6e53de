//! Functions have no memory: nothing in one may depend on earlier steps or on chance.

use provoke_base::Diagnostic;
use rustc_hash::FxHashSet;

use crate::ast::{AstExprKind, AstNode, AstProgram, ExprId};
use crate::parse::for_each_operand;
use crate::report::Report;

/// Reports what a function must not have, in its body and in its contract.
pub(crate) fn check(program: &AstProgram, report: &mut Report) {
    let nodes = program.nodes.iter().filter(|node| !node.function);
    let nodes: FxHashSet<&str> = nodes.map(|node| &*node.name.text).collect();
    for function in program.nodes.iter().filter(|node| node.function) {
        for root in roots(function) {
            if let Some(error) = first_memory(program, root, &nodes) {
                report.add(error);
            }
        }
    }
}

fn roots(node: &AstNode) -> Vec<ExprId> {
    let mut roots: Vec<ExprId> = node.equations.iter().map(|equation| equation.expr).collect();
    roots.extend(node.properties.iter().map(|property| property.expr));
    roots.extend(&node.asserts);
    roots.extend(node.contract.iter().flat_map(|contract| contract.exprs()));
    roots
}

fn first_memory(program: &AstProgram, root: ExprId, nodes: &FxHashSet<&str>) -> Option<Diagnostic> {
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        let expr = &program.exprs[id];
        let found = match &expr.kind {
            AstExprKind::Pre(_) => Some("`pre`".to_string()),
            AstExprKind::Arrow(..) => Some("`->`".to_string()),
            AstExprKind::Any(_) => Some("`any`".to_string()),
            AstExprKind::Condact(..) | AstExprKind::Restart(..) => Some("a clocked call".into()),
            AstExprKind::Call(name, _) if nodes.contains(&*name.text) => {
                Some(format!("a call of node `{}`", name.text))
            }
            _ => None,
        };
        if let Some(what) = found {
            return Some(
                Diagnostic::error("function-memory", expr.span, format!("{what} in a function"))
                    .label("functions have no memory")
                    .help("declare it as a `node`"),
            );
        }
        for_each_operand(&expr.kind, |operand| open.push(operand));
    }
    None
}
