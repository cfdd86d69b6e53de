//! Which node is the main one.

use provoke_base::diagnostic::did_you_mean;
use provoke_base::{Diagnostic, Span};
use rustc_hash::FxHashSet;

use crate::ast::{AstExprKind, AstProgram};
use crate::lex::Lexed;
use crate::report::Report;
use crate::sugar::Sugar;

/// The position of the main node: the `wanted` one, else the one with `--%MAIN`, else the one
/// with `--main`, else the last.
pub(crate) fn choose(
    program: &AstProgram,
    lexed: &Lexed,
    wanted: Option<&str>,
    report: &mut Report,
) -> Option<usize> {
    if program.nodes.is_empty() {
        report_no_node(report);
        return None;
    }
    if let Some(wanted) = wanted {
        return named(program, wanted, report);
    }
    if let [first, again, ..] = lexed.mains[..]
        && marked(program, first) != marked(program, again)
    {
        report.add(
            Diagnostic::error("two-mains", again, "two nodes are marked as the main node")
                .label("marked again here")
                .also(first, "first marked here")
                .help("remove one of the marks, or choose with `--main NODE`"),
        );
    }
    let mark = lexed.mains.first().or(lexed.soft_mains.first());
    mark.and_then(|mark| marked(program, *mark)).or(Some(program.nodes.len() - 1))
}

fn report_no_node(report: &mut Report) {
    if !report.has_errors() {
        report.add(
            Diagnostic::error("no-node", Span::default(), "the file declares no node").help(
                "a model needs at least one: node main(x: bool) returns (y: bool); let y = x; tel",
            ),
        );
    }
}

fn named(program: &AstProgram, wanted: &str, report: &mut Report) -> Option<usize> {
    let found = program.nodes.iter().position(|node| *node.name.text == *wanted);
    if found.is_none() {
        let names = program.nodes.iter().map(|node| &*node.name.text);
        let help = did_you_mean(wanted, names.clone()).unwrap_or_else(|| {
            let listed: Vec<&str> = names.take(10).collect();
            format!("the nodes are `{}`", listed.join("`, `"))
        });
        let message = format!("there is no node `{wanted}` to be the main one");
        report.add(Diagnostic::error("unknown-node", Span::default(), message).help(help));
    }
    found
}

/// The nodes to look at where all of a file is meant: those marked with `--%MAIN`, else those that
/// nobody calls.
pub(crate) fn roots(program: &AstProgram, lexed: &Lexed) -> Vec<usize> {
    let mut roots: Vec<usize> =
        lexed.mains.iter().filter_map(|mark| marked(program, *mark)).collect();
    if roots.is_empty() {
        let called: FxHashSet<&str> = program
            .exprs
            .iter()
            .filter_map(|expr| match &expr.kind {
                AstExprKind::Call(name, _) => Some(&*name.text),
                AstExprKind::Sugar(sugar) => match &**sugar {
                    Sugar::TypedCall(name, ..) => Some(&*name.text),
                    _ => None,
                },
                _ => None,
            })
            .collect();
        let nobody_calls = |node: &usize| !called.contains(&*program.nodes[*node].name.text);
        roots = (0..program.nodes.len()).filter(nobody_calls).collect();
    }
    roots.dedup();
    roots
}

/// The node that a mark stands in, or else the next one.
fn marked(program: &AstProgram, mark: Span) -> Option<usize> {
    program.nodes.iter().position(|node| mark.start < node.span.end)
}
