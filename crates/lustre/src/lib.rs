//! Lustre text to a flat [`System`], one pass per file, and back.

mod array_access;
mod assume;
mod ast;
mod causality;
mod check;
mod choice;
mod contract;
mod division;
mod flatten;
mod function;
mod initialise;
mod lex;
mod lower;
mod main_node;
mod parse;
pub mod print;
mod report;
mod sugar;
pub mod transform;
pub mod tree;
mod types;

use provoke_base::{Diagnostic, SourceFile, Span};
use provoke_model::System;

use crate::assume::Extended;
use crate::ast::AstProgram;
use crate::check::Checked;
use crate::report::Report;

pub use array_access::{ArrayAccess, array_accesses};
pub use assume::{ModelWithAssumptions, load_assuming};

/// What became of a file: a system if it has no errors, and what there is to say.
#[derive(Debug)]
pub struct LoadedModel {
    /// The flat system of the main node.
    pub system: Option<System>,
    /// Errors first, then warnings, each in the order of their places.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads a file. The main node is `main`, else the one marked in the file, else the last.
pub fn load(file: &SourceFile, main: Option<&str>) -> LoadedModel {
    let mut report = Report::default();
    let system = passes(&Extended::plain(file), main, &mut report);
    LoadedModel::new(system, report)
}

impl LoadedModel {
    fn new(system: Option<System>, report: Report) -> LoadedModel {
        let system = system.filter(|_| !report.has_errors());
        LoadedModel { system, diagnostics: report.finish() }
    }
}

/// The names of the nodes to look at where all of a file is meant: those marked with `--%MAIN`,
/// else those that nobody calls; none if nothing could be read.
pub fn roots(file: &SourceFile) -> Vec<String> {
    let mut report = Report::default();
    let lexed = lex::lex(&file.text, &mut report);
    let program = parse::parse(&file.text, &lexed.tokens, &mut report);
    let roots = main_node::roots(&program, &lexed);
    roots.into_iter().map(|node| program.nodes[node].name.text.to_string()).collect()
}

/// The front end from first to last.
fn passes(extended: &Extended<'_>, main: Option<&str>, report: &mut Report) -> Option<System> {
    let file = extended.file;
    let (program, main) = syntax(extended, main, report)?;
    let checked = check::check(&program, report);
    initialise::warn_unguarded(&program, report);
    if report.has_errors() {
        return None;
    }
    let system = flatten::flatten(file, &checked, main?, report)?;
    let system = causality::schedule(file, system, report)?;
    check_other_nodes(file, &checked, main?, report);
    Some(system)
}

/// The tree as it is written, with the position of the main node.
fn syntax(
    extended: &Extended<'_>,
    main: Option<&str>,
    report: &mut Report,
) -> Option<(AstProgram, Option<usize>)> {
    let text = extended.model();
    if text.len() > SourceFile::MAX_BYTES {
        report.add(too_large(text.len()));
        return None;
    }
    let lexed = lex::lex(text, report);
    let mut program = parse::parse(text, &lexed.tokens, report);
    let main = main_node::choose(&program, &lexed, main, report);
    function::check(&program, report);
    contract::expand(&mut program, main, text, report);
    choice::lift(&mut program, report);
    extended.add_assertions(&mut program, main, report);
    let lowered = program.sugared;
    if lowered && report.has_errors() {
        return None;
    }
    let (program, main) = lower::lower(&extended.file.text, program, main, report);
    (!report.has_errors() || !lowered).then_some((program, main))
}

/// The diagnostic for a file of `bytes` bytes that is not read.
pub fn too_large(bytes: usize) -> Diagnostic {
    let megabytes = |bytes: usize| bytes.div_ceil(1 << 20);
    let (found, limit) = (megabytes(bytes), megabytes(SourceFile::MAX_BYTES));
    let message = format!("the file has {found} MB; models up to {limit} MB are read");
    Diagnostic::error("file-too-large", Span::default(), message)
        .help("split the model, or leave out what the main node does not use")
}

/// Nodes that the main node does not reach are checked for cycles too.
fn check_other_nodes(file: &SourceFile, checked: &Checked<'_>, main: usize, report: &mut Report) {
    let mut reached = vec![false; checked.nodes.len()];
    for root in std::iter::once(main).chain((0..checked.nodes.len()).rev()) {
        if reached[root] {
            continue;
        }
        if root != main
            && let Some(system) = flatten::flatten(file, checked, root, report)
        {
            causality::schedule(file, system, report);
        }
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            if !std::mem::replace(&mut reached[node], true) {
                open.extend(checked.nodes[node].callees());
            }
        }
    }
}
