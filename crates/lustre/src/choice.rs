//! Every `any` becomes a variable that nothing defines, with what is known of it as a constraint.

use provoke_base::{Diagnostic, Span};

use crate::ast::{AstAny, AstExpr, AstExprKind, AstProgram, Decl, ExprId, Name};
use crate::division::{dividing_nodes, refuse};
use crate::parse::for_each_operand;
use crate::report::Report;
use crate::sugar::Sugar;

/// A condition of a `when` around an expression, and whether it must hold.
#[derive(Clone, Copy)]
struct Branch {
    condition: ExprId,
    holds: bool,
}

/// Takes `any` out of all nodes of a file.
pub(crate) fn lift(program: &mut AstProgram, report: &mut Report) {
    let dividing = dividing_nodes(program);
    for expr in program.exprs.iter() {
        if let AstExprKind::Any(any) = &expr.kind
            && let Some(condition) = any.condition
        {
            refuse(program, condition, &dividing, "the condition of `any`", report);
        }
    }
    for node in 0..program.nodes.len() {
        refuse_repeated(program, node, report);
        for root in roots(program, node) {
            lift_from(program, node, root);
        }
    }
    for constant in &program.constants {
        if let Some(value) = constant.value
            && let Some(span) = first_any(program, value)
        {
            report.add(
                Diagnostic::error("not-constant", span, "`any` in a constant")
                    .label("a constant has one value")
                    .help("declare the constant without a value"),
            );
        }
    }
}

fn first_any(program: &AstProgram, root: ExprId) -> Option<Span> {
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        let expr = &program.exprs[id];
        if matches!(expr.kind, AstExprKind::Any(_)) {
            return Some(expr.span);
        }
        for_each_operand(&expr.kind, |operand| open.push(operand));
    }
    None
}

/// What is written once for many elements would be one value for all of them.
fn refuse_repeated(program: &AstProgram, node: usize, report: &mut Report) {
    let mut found = Vec::new();
    for equation in program.nodes[node].equations.iter().filter(|one| !one.indices.is_empty()) {
        found.extend(first_any(program, equation.expr));
    }
    for root in roots(program, node) {
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            let kind = &program.exprs[id].kind;
            if let AstExprKind::Sugar(sugar) = kind
                && matches!(**sugar, Sugar::Quantified(_) | Sugar::Match(..) | Sugar::Repeat(..))
            {
                found.extend(first_any(program, id));
            }
            for_each_operand(kind, |operand| open.push(operand));
        }
    }
    for span in found {
        report.add(
            Diagnostic::error("unsupported", span, "`any` for many values at once")
                .label("each of them may be another value")
                .help("write `any` for the whole value: `any { a: T | ... }`"),
        );
    }
}

fn roots(program: &AstProgram, node: usize) -> Vec<ExprId> {
    let node = &program.nodes[node];
    let equations = node.equations.iter().map(|equation| equation.expr);
    let properties = node.properties.iter().map(|property| property.expr);
    let promises = node.asserts.iter().chain(&node.constraints).copied();
    equations.chain(properties).chain(promises).collect()
}

fn lift_from(program: &mut AstProgram, node: usize, root: ExprId) {
    let mut open: Vec<(ExprId, Vec<Branch>)> = vec![(root, Vec::new())];
    while let Some((id, branches)) = open.pop() {
        if let AstExprKind::Any(any) = &program.exprs[id].kind {
            let any = any.clone();
            open.extend(any.condition.map(|condition| (condition, branches.clone())));
            replace(program, node, id, *any, &branches);
            continue;
        }
        match &program.exprs[id].kind {
            AstExprKind::When(condition, then, otherwise) => {
                let condition = *condition;
                open.push((condition, branches.clone()));
                for (branch, holds) in [(*then, true), (*otherwise, false)] {
                    let inner = [&branches[..], &[Branch { condition, holds }]].concat();
                    open.push((branch, inner));
                }
            }
            kind => for_each_operand(kind, |operand| open.push((operand, branches.clone()))),
        }
    }
}

fn replace(program: &mut AstProgram, node: usize, id: ExprId, any: AstAny, branches: &[Branch]) {
    let span = program.exprs[id].span;
    let number = program.nodes[node].free.len() + 1;
    let name = Name { text: format!("any#{number}").into(), span };
    let AstAny { decl, condition } = any;
    program.exprs[id].kind = AstExprKind::Name(name.clone());
    if let Some(condition) = condition {
        rename(program, condition, &decl.name, &name);
        let constraint = taken(program, condition, branches);
        program.nodes[node].constraints.push(constraint);
    }
    let target = &mut program.nodes[node];
    target.locals.push(Decl { name: name.clone(), ..decl });
    target.free.push(name);
}

/// What is known of a value in branches of `when` is known when they are taken.
fn taken(program: &mut AstProgram, condition: ExprId, branches: &[Branch]) -> ExprId {
    let span = program.exprs[condition].span;
    let mut result = condition;
    for branch in branches.iter().rev() {
        let guard = crate::contract::copy(program, branch.condition);
        let free = program.exprs.push(AstExpr { kind: AstExprKind::Bool(true), span });
        let kind = match branch.holds {
            true => AstExprKind::When(guard, result, free),
            false => AstExprKind::When(guard, free, result),
        };
        result = program.exprs.push(AstExpr { kind, span });
    }
    result
}

/// Gives the value its name in the whole node.
fn rename(program: &mut AstProgram, root: ExprId, from: &Name, to: &Name) {
    let mut open = vec![root];
    while let Some(id) = open.pop() {
        let expr = &mut program.exprs[id];
        match &mut expr.kind {
            AstExprKind::Name(name) if name.text == from.text => name.text.clone_from(&to.text),
            AstExprKind::Any(any) if any.decl.name.text == from.text => {}
            kind => for_each_operand(kind, |operand| open.push(operand)),
        }
    }
}
