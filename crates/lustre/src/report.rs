//! Collects diagnostics while the passes go on.

use provoke_base::{Diagnostic, Span};

/// What has been found so far. Errors beyond the limit end the work: a file that is no
/// Lustre at all would otherwise be answered with one error for each of its bytes.
#[derive(Default)]
pub(crate) struct Report {
    diagnostics: Vec<Diagnostic>,
    errors: usize,
    warnings: usize,
}

/// More errors than anyone reads in one go.
const MAX_ERRORS: usize = 100;
/// More warnings than anyone reads in one go.
const MAX_WARNINGS: usize = 1000;

impl Report {
    /// Adds a diagnostic, unless there are too many already.
    pub(crate) fn add(&mut self, diagnostic: Diagnostic) {
        let (count, max) = if diagnostic.is_error() {
            (&mut self.errors, MAX_ERRORS)
        } else {
            (&mut self.warnings, MAX_WARNINGS)
        };
        *count += 1;
        if *count <= max {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Whether no more errors are wanted.
    pub(crate) fn is_full(&self) -> bool {
        self.errors >= MAX_ERRORS
    }

    /// How many errors there are.
    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    /// Whether there is any error.
    pub(crate) fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// The diagnostics in the order of their places, with a last one that says what was cut.
    pub(crate) fn finish(mut self) -> Vec<Diagnostic> {
        self.diagnostics.sort_by_key(|diagnostic| (diagnostic.severity, diagnostic.primary.span));
        self.diagnostics.dedup();
        let cut = |count: usize, max: usize| count.saturating_sub(max);
        if self.errors >= MAX_ERRORS {
            let message = format!("stopped after {MAX_ERRORS} errors");
            self.diagnostics.push(Diagnostic::error("too-many", Span::default(), message));
        }
        let warnings = cut(self.warnings, MAX_WARNINGS);
        if warnings > 0 {
            let message = format!("{warnings} more warnings are not shown");
            self.diagnostics.push(Diagnostic::warning("too-many", Span::default(), message));
        }
        self.diagnostics
    }
}
