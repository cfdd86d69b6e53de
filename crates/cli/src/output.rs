//! The only place that prints: results on standard output, everything else on standard error.

use std::io::{IsTerminal, Write};

use clap::ValueEnum;

/// How results are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Human,
    /// For programs.
    Json,
}

/// When colours are used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Where and how a command shows what it has to say.
#[derive(Clone)]
pub(crate) struct Output {
    format: Format,
    color: Color,
    with_results: bool,
}

impl Output {
    pub(crate) fn new(format: Format, color: Color) -> Output {
        Output { format, color, with_results: true }
    }

    /// For a command that is a part of another one, which has a result of its own.
    pub(crate) fn without_results(&self) -> Output {
        Output { with_results: false, ..*self }
    }

    /// Whether a program reads the result.
    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    fn color_on(&self, terminal: bool) -> bool {
        let unwanted = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && !unwanted,
        }
    }

    /// Whether messages are coloured.
    pub(crate) fn color_on_stderr(&self) -> bool {
        self.color_on(std::io::stderr().is_terminal())
    }

    /// Writes a result.
    pub(crate) fn result(&self, text: &str) {
        self.result_bytes(text.as_bytes());
    }

    /// Writes a result that may not be text.
    pub(crate) fn result_bytes(&self, bytes: &[u8]) {
        if !self.with_results {
            return;
        }
        let mut stdout = std::io::stdout().lock();
        if let Err(error) = stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            // A reader that has seen enough, such as `head`, is no error.
            let enough = error.kind() == std::io::ErrorKind::BrokenPipe;
            std::process::exit(if enough { 0 } else { 70 });
        }
    }

    /// Writes something beside the result.
    pub(crate) fn note(&self, text: &str) {
        // There is nowhere left to say that standard error is closed.
        let _ = std::io::stderr().write_all(text.as_bytes());
    }

    /// Says what is wrong and what to do.
    pub(crate) fn error(&self, message: &str, hint: Option<&str>) {
        let (red, bold, plain) = if self.color_on_stderr() {
            ("\x1b[1;31m", "\x1b[1m", "\x1b[0m")
        } else {
            ("", "", "")
        };
        self.note(&format!("{red}error{plain}{bold}: {message}{plain}\n"));
        if let Some(hint) = hint {
            self.note(&format!("  = {bold}help{plain}: {hint}\n"));
        }
    }

    /// Says something that may matter.
    pub(crate) fn warning(&self, message: &str) {
        let (yellow, plain) =
            if self.color_on_stderr() { ("\x1b[1;33m", "\x1b[0m") } else { ("", "") };
        self.note(&format!("{yellow}warning{plain}: {message}\n"));
    }
}
