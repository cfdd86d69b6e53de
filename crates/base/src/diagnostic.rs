//! Messages about a user's input: what was found, where, and what to do.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::source::{SourceFile, Span};

/// How serious a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input can be used, but may not mean what was intended.
    Warning,
    /// Something worth knowing.
    Note,
}

crate::words!(Severity {
    Error = "error",
    Warning = "warning",
    Note = "note",
});

/// A marked place with a few words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is to be said of it; may be empty.
    pub text: String,
}

/// One message about a source file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How serious it is.
    pub severity: Severity,
    /// A stable kebab-case word for scripts, such as `unknown-name`.
    pub code: &'static str,
    /// One sentence without a full stop.
    pub message: String,
    /// The place it is about, with what was expected there.
    pub primary: Label,
    /// Other places that matter.
    pub secondary: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, span, message.into())
    }

    /// A warning at `span`.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, span, message.into())
    }

    fn new(severity: Severity, code: &'static str, span: Span, message: String) -> Diagnostic {
        let primary = Label { span, text: String::new() };
        Diagnostic { severity, code, message, primary, secondary: Vec::new(), help: None }
    }

    /// Says `text` at the primary place.
    pub fn label(mut self, text: impl Into<String>) -> Diagnostic {
        self.primary.text = text.into();
        self
    }

    /// Marks a further place.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Says what to do.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }

    /// Says what to do, if there is anything to say.
    pub fn maybe_help(mut self, text: Option<String>) -> Diagnostic {
        self.help = text.or(self.help);
        self
    }

    /// Whether the input cannot be used.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The message as text with the source lines it is about, the way rustc shows it.
    pub fn render(&self, file: &SourceFile, color: bool) -> String {
        let level = match self.severity {
            Severity::Error => Level::ERROR,
            Severity::Warning => Level::WARNING,
            Severity::Note => Level::NOTE,
        };
        let excerpt = Excerpt::new(self, file);
        let primary = AnnotationKind::Primary.span(excerpt.place(self.primary.span));
        let mut snippet = Snippet::source(excerpt.text)
            .line_start(excerpt.first_line)
            .path(file.name.as_str())
            .annotation(labelled(primary, &self.primary.text));
        for label in &self.secondary {
            let context = AnnotationKind::Context.span(excerpt.place(label.span));
            snippet = snippet.annotation(labelled(context, &label.text));
        }
        let title = level.primary_title(self.message.as_str()).id(self.code);
        let mut report: Vec<Group<'_>> = vec![title.element(snippet)];
        if let Some(help) = &self.help {
            let last = report.pop().expect("the group just made");
            report.push(last.element(Level::HELP.message(help.as_str())));
        }
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        renderer.decor_style(DecorStyle::Ascii).render(&report) + "\n"
    }
}

fn labelled<'a>(
    annotation: annotate_snippets::Annotation<'a>,
    text: &'a str,
) -> annotate_snippets::Annotation<'a> {
    if text.is_empty() { annotation } else { annotation.label(text) }
}

/// The lines that a diagnostic touches: the renderer reads all the text it is given, so it
/// is given no more than that.
struct Excerpt<'a> {
    text: &'a str,
    start: usize,
    first_line: usize,
}

impl<'a> Excerpt<'a> {
    fn new(diagnostic: &Diagnostic, file: &'a SourceFile) -> Excerpt<'a> {
        let all = diagnostic.secondary.iter().map(|label| label.span);
        let span = all.fold(diagnostic.primary.span, Span::to);
        let length = file.text.len();
        let (first, last) = ((span.start as usize).min(length), (span.end as usize).min(length));
        let start = file.text[..first].rfind('\n').map_or(0, |newline| newline + 1);
        let end = file.text[last..].find('\n').map_or(length, |newline| last + newline);
        let first_line = file.line_column(start as u32).line;
        Excerpt { text: &file.text[start..end], start, first_line }
    }

    fn place(&self, span: Span) -> std::ops::Range<usize> {
        let clip = |offset: u32| (offset as usize).saturating_sub(self.start).min(self.text.len());
        clip(span.start)..clip(span.end)
    }
}

/// A hint that names the candidate nearest to a mistyped `name`, if one is near.
pub fn did_you_mean<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let allowed = ((name.chars().count() + 1) / 3).max(1);
    let near = candidates
        .into_iter()
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= allowed)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|&(distance, _)| distance <= allowed);
    near.min().map(|(_, candidate)| format!("did you mean `{candidate}`?"))
}

/// Two swapped letters count as one mistake, a wrong capital as none.
fn distance(name: &str, candidate: &str) -> usize {
    strsim::osa_distance(&name.to_lowercase(), &candidate.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_name_the_nearest_candidate_only_if_it_is_near() {
        let names = ["alarm", "pressure", "a"];
        assert_eq!(did_you_mean("alram", names).unwrap(), "did you mean `alarm`?");
        assert_eq!(did_you_mean("Pressure", names).unwrap(), "did you mean `pressure`?");
        assert_eq!(did_you_mean("temperature", names), None);
    }

    #[test]
    fn rendering_shows_the_line_the_caret_and_the_help() {
        let file = SourceFile::new("m.lus", "let\n  x = yy;\ntel\n");
        let diagnostic = Diagnostic::error("unknown-name", Span::new(10, 12), "unknown name `yy`")
            .label("not declared")
            .help("did you mean `y`?");
        let text = diagnostic.render(&file, false);
        for part in ["error[unknown-name]: unknown name `yy`", "m.lus:2:7", "^^ not declared"] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn places_outside_the_text_are_clipped() {
        let file = SourceFile::new("m.lus", "ab");
        let diagnostic = Diagnostic::error("end", Span::new(90, 95), "too far");
        assert!(diagnostic.render(&file, false).contains("too far"));
    }
}
