//! Assumptions that are given beside the file, as if its main node asserted them.
//!
//! Their texts are put behind that of the file, so that every place of the system is a place of
//! one text; what is said about them is moved back to where the user wrote it.

use std::ops::Range;

use provoke_base::{Diagnostic, SourceFile, Span};
use provoke_model::System;

use crate::LoadedModel;
use crate::ast::AstProgram;
use crate::lex::lex_from;
use crate::parse::parse_expr;
use crate::report::Report;

/// What became of a file and the assumptions beside it.
#[derive(Debug)]
pub struct ModelWithAssumptions {
    /// The file with the assumptions behind it: what places in the system refer to.
    pub file: SourceFile,
    /// The flat system, unless something is wrong.
    pub system: Option<System>,
    /// What there is to say about the file.
    pub diagnostics: Vec<Diagnostic>,
    /// What there is to say about each assumption, with places in its own text.
    pub about_assumptions: Vec<Vec<Diagnostic>>,
}

/// Reads a file whose main node also asserts `assumptions`, each one Boolean expression.
pub fn load_assuming(
    file: &SourceFile,
    main: Option<&str>,
    assumptions: &[String],
) -> ModelWithAssumptions {
    let (extended, places) = extend(file, assumptions);
    let mut report = Report::default();
    let view = Extended { file: &extended, length: file.text.len(), assumptions: &places };
    let system = crate::passes(&view, main, &mut report);
    let LoadedModel { system, diagnostics } = LoadedModel::new(system, report);
    let (diagnostics, about_assumptions) = divide(diagnostics, &places);
    ModelWithAssumptions { file: extended, system, diagnostics, about_assumptions }
}

/// The file with the assumptions behind it, and where each of them stands.
pub(crate) fn extend(file: &SourceFile, assumptions: &[String]) -> (SourceFile, Vec<Range<usize>>) {
    let mut text = file.text.clone();
    let mut places = Vec::new();
    for assumption in assumptions {
        text.push('\n');
        places.push(text.len()..text.len() + assumption.len());
        text += assumption;
    }
    (SourceFile::new(file.name.clone(), text), places)
}

/// A file with assumptions behind its text.
pub(crate) struct Extended<'a> {
    pub(crate) file: &'a SourceFile,
    pub(crate) length: usize,
    pub(crate) assumptions: &'a [Range<usize>],
}

impl<'a> Extended<'a> {
    /// A file without any.
    pub(crate) fn plain(file: &'a SourceFile) -> Extended<'a> {
        Extended { file, length: file.text.len(), assumptions: &[] }
    }

    /// The text of the model alone.
    pub(crate) fn model(&self) -> &'a str {
        &self.file.text[..self.length]
    }

    /// Lets the main node assert the assumptions.
    pub(crate) fn add_assertions(
        &self,
        program: &mut AstProgram,
        main: Option<usize>,
        report: &mut Report,
    ) {
        for place in self.assumptions {
            let text = &self.file.text[..place.end];
            let lexed = lex_from(text, place.start, report);
            let assertion = parse_expr(text, &lexed.tokens, program, report);
            if let (Some(assertion), Some(main)) = (assertion, main) {
                program.nodes[main].asserts.push(assertion);
            }
        }
    }
}

/// What is about the file, and what is about each of the places behind it.
fn divide(
    diagnostics: Vec<Diagnostic>,
    places: &[Range<usize>],
) -> (Vec<Diagnostic>, Vec<Vec<Diagnostic>>) {
    let (mut about_file, mut about_places) = (Vec::new(), vec![Vec::new(); places.len()]);
    for diagnostic in diagnostics {
        let start = diagnostic.primary.span.start as usize;
        match places.iter().position(|place| place.start <= start && start <= place.end) {
            Some(position) => {
                about_places[position].push(moved(diagnostic, &places[position]));
            }
            None => about_file.push(diagnostic),
        }
    }
    (about_file, about_places)
}

/// The diagnostic with places inside the text at `place`; other places are left out.
fn moved(mut diagnostic: Diagnostic, place: &Range<usize>) -> Diagnostic {
    let inside = |span: Span| place.start <= span.start as usize && span.end as usize <= place.end;
    let shift = |span: Span| {
        let end = (span.end as usize).clamp(place.start, place.end);
        Span::new(span.start as usize - place.start, end - place.start)
    };
    diagnostic.secondary.retain(|label| inside(label.span));
    diagnostic.secondary.iter_mut().for_each(|label| label.span = shift(label.span));
    diagnostic.primary.span = shift(diagnostic.primary.span);
    // Nothing can be declared in an assumption.
    if diagnostic.help.as_ref().is_some_and(|help| help.starts_with("declare it")) {
        diagnostic.help = Some("`provoke check MODEL` shows the names of the inputs".to_string());
    }
    diagnostic.message = diagnostic.message.replace("the end of the file", "the end");
    diagnostic
}
