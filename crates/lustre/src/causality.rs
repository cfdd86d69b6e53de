//! No variable may depend on its own value in the same step.

use provoke_analysis::schedule::{Cycle, order};
use provoke_base::{Diagnostic, SourceFile};
use provoke_model::{BinaryOp, Equation, ExprKind, System, Type, VarId};

use crate::report::Report;

/// How many variables of a long cycle are shown.
const SHOWN: usize = 8;

/// Puts the equations into an order in which they can be computed; reports the cycle and
/// returns `None` if there is none.
pub(crate) fn schedule(
    file: &SourceFile,
    mut system: System,
    report: &mut Report,
) -> Option<System> {
    match order(&system) {
        Ok(equations) => {
            system.equations = equations;
            Some(system)
        }
        Err(cycle) => {
            report.add(describe(file, &system, &cycle));
            None
        }
    }
}

/// Whether no variable depends on itself if every output of a call whose body is not known depends on
/// every input of it: whatever the body is, the order must be right. A cycle is reported.
pub(crate) fn allows_any_body(
    file: &SourceFile,
    system: &System,
    calls: &[(Vec<VarId>, Vec<VarId>)],
    report: &mut Report,
) -> bool {
    if calls.is_empty() {
        return true;
    }
    let mut dependent = system.clone();
    for (inputs, outputs) in calls {
        for position in 0..dependent.equations.len() {
            let Equation { var, mut expr } = dependent.equations[position];
            if !outputs.contains(&var) {
                continue;
            }
            let (ty, span) = (dependent.exprs[expr].ty, system.vars[var].span);
            for &input in inputs {
                let read = |system: &mut System| {
                    let ty = system.vars[input].ty;
                    system.add_expr(ExprKind::Var(input), ty, span)
                };
                let (a, b) = (read(&mut dependent), read(&mut dependent));
                let kind = ExprKind::Binary(BinaryOp::Eq, a, b);
                let same = dependent.add_expr(kind, Type::Bool, span);
                expr = dependent.add_expr(ExprKind::If(same, expr, expr), ty, span);
            }
            dependent.equations[position].expr = expr;
        }
    }
    match order(&dependent) {
        Ok(_) => true,
        Err(cycle) => {
            report.add(describe(file, &dependent, &cycle));
            false
        }
    }
}

fn describe(file: &SourceFile, system: &System, cycle: &Cycle) -> Diagnostic {
    let name = |var: VarId| &system.vars[var].name;
    let line = |span: provoke_base::Span| file.line_column(span.start).line;
    let first = cycle.links[0].0;
    let mut chain = String::new();
    for &(var, used_at) in cycle.links.iter().take(SHOWN) {
        let line = line(system.exprs[used_at].span);
        chain += &format!("{} (line {line}) -> ", name(var));
    }
    if cycle.links.len() > SHOWN {
        chain += &format!("... {} more -> ", cycle.links.len() - SHOWN);
    }
    chain += name(first);
    let message = format!("`{}` depends on itself in the same step", name(first));
    let next = |position: usize| name(cycle.links[(position + 1) % cycle.links.len()].0);
    let span = system.exprs[cycle.links[0].1].span;
    let mut diagnostic = Diagnostic::error("instant-cycle", span, message)
        .label(format!("`{}` needs `{}`", name(first), next(0)))
        .help(format!("the cycle is {chain}; put `pre` in front of one of these uses"));
    for (position, &(var, used_at)) in cycle.links.iter().enumerate().take(SHOWN).skip(1) {
        let text = format!("`{}` needs `{}`", name(var), next(position));
        diagnostic = diagnostic.also(system.exprs[used_at].span, text);
    }
    diagnostic
}
