//! No variable may depend on its own value in the same step.

use provoke_analysis::schedule::{Cycle, order};
use provoke_base::{Diagnostic, SourceFile};
use provoke_model::{System, VarId};

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
