//! Text to tokens. Comments vanish here; what they announce (`--%MAIN`, `--main`) is kept
//! beside the tokens, because it may stand anywhere in a node.

use provoke_base::{Diagnostic, Span};

use crate::report::Report;

/// A token and where it stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// What a token is; the text of names and numbers is looked up by span.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    Ident,
    Int,
    Real,
    Text,
    /// `--%PROPERTY`
    Property,
    /// A reserved word.
    Word(&'static str),
    /// An operator or punctuation.
    Mark(&'static str),
    End,
}

/// The words that cannot be names. Everything else that some dialect reserves is used as a
/// name in real files.
const RESERVED: [&str; 30] = [
    "and", "assert", "bool", "condact", "const", "div", "else", "enum", "false", "floor",
    "function", "if", "int", "let", "mod", "node", "not", "of", "or", "pre", "real", "returns",
    "struct", "subrange", "tel", "then", "true", "type", "var", "xor",
];

/// Longest first, so that `->` is not read as `-`.
const MARKS: [&str; 36] = [
    "==>", "->", "=>", "<=", ">=", "<>", ":=", "&&", "||", "++", "::", "(", ")", "[", "]", "{",
    "}", ",", ";", ":", ".", "=", "<", ">", "+", "-", "*", "/", "^", "|", "#", "@", "!", "?", "'",
    "%",
];

/// The start of a contract inside a comment.
pub(crate) const CONTRACT: &str = "(*@contract";
/// Its end.
pub(crate) const CONTRACT_END: &str = "*)";

/// Habits from C, with what Lustre says instead.
const FOREIGN: [(&str, &str); 2] = [("==", "="), ("!=", "<>")];
/// What starts like a habit from C but is Lustre.
const LAZY_IMPLIES: &str = "==>";

/// The reserved word that `text` is, if it is one.
pub(crate) fn reserved(text: &str) -> Option<&'static str> {
    RESERVED.iter().find(|word| **word == text).copied()
}

/// The tokens of a file and what its comments announce.
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    /// Places of `--%MAIN`.
    pub(crate) mains: Vec<Span>,
    /// Places of `--main`.
    pub(crate) soft_mains: Vec<Span>,
}

pub(crate) fn lex(text: &str, report: &mut Report) -> Lexed {
    lex_from(text, 0, report)
}

/// The tokens from a byte of the text on.
pub(crate) fn lex_from(text: &str, start: usize, report: &mut Report) -> Lexed {
    let lexed = Lexed { tokens: Vec::new(), mains: Vec::new(), soft_mains: Vec::new() };
    let mut lexer = Lexer { text, at: start, report, lexed, annotation: None };
    while lexer.at < text.len() && !lexer.report.is_full() {
        lexer.next();
    }
    if let Some(Annotation { start, close, .. }) = lexer.annotation {
        let error = Diagnostic::error("unterminated-comment", start, "this comment does not end");
        lexer.report.add(error.label(format!("`{close}` is missing")));
    }
    let end = Span::new(text.len(), text.len());
    lexer.lexed.tokens.push(Token { kind: TokenKind::End, span: end });
    lexer.lexed
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    report: &'a mut Report,
    lexed: Lexed,
    /// What ends the comment whose contents are part of the model.
    annotation: Option<Annotation>,
}

/// A comment whose contents are part of the model.
#[derive(Clone, Copy)]
struct Annotation {
    close: &'static str,
    /// Whether the parser is told where it ends.
    is_contract: bool,
    start: Span,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn next(&mut self) {
        let rest = self.rest();
        let first = rest.as_bytes()[0];
        if first.is_ascii_whitespace() {
            self.at += 1;
        } else if let Some(annotation) = self.annotation
            && rest.starts_with(annotation.close)
        {
            self.end_annotation(annotation);
        } else if rest.starts_with("--") {
            self.line_comment();
        } else if rest.starts_with("(*") {
            self.block_comment("*)");
        } else if rest.starts_with("/*") {
            self.block_comment("*/");
        } else if first.is_ascii_alphabetic() || first == b'_' {
            self.word();
        } else if hexadecimal(rest) {
            self.hexadecimal();
        } else if first.is_ascii_digit() || begins_with_point(rest) {
            self.number();
        } else if first == b'"' {
            self.quoted();
        } else {
            self.mark();
        }
    }

    fn push(&mut self, kind: TokenKind, length: usize) {
        let span = Span::new(self.at, self.at + length);
        self.lexed.tokens.push(Token { kind, span });
        self.at += length;
    }

    fn line_comment(&mut self) {
        let line = self.rest().split('\n').next().unwrap_or("");
        let span = Span::new(self.at, self.at + line.trim_end().len());
        if let Some(pragma) = line.strip_prefix("--%") {
            let word = leading(pragma, |c| c.is_ascii_alphanumeric() || c == '_');
            let length = "--%".len() + word.len();
            match word {
                "MAIN" => self.lexed.mains.push(span),
                "PROPERTY" => return self.push(TokenKind::Property, length),
                "" => {}
                _ => self.ignored_pragma(word, Span::new(self.at, self.at + length)),
            }
        } else if let Some(pragma) = line.strip_prefix("--!") {
            let word = leading(pragma, |c| c.is_ascii_alphanumeric() || c == '_');
            let length = "--!".len() + word.len();
            match word {
                "MAIN" => self.lexed.mains.push(span),
                "PROPERTY" => return self.property(length),
                "" => {}
                _ => self.ignored_pragma(word, Span::new(self.at, self.at + length)),
            }
        } else if line.trim_end() == "--main" {
            self.lexed.soft_mains.push(span);
        }
        self.at += line.len();
    }

    fn ignored_pragma(&mut self, word: &str, span: Span) {
        self.report.add(
            Diagnostic::warning("ignored-pragma", span, format!("pragma `{word}` is ignored"))
                .label("not known here")
                .help("known pragmas are `--%MAIN` and `--%PROPERTY`"),
        );
    }

    fn block_comment(&mut self, close: &'static str) {
        let rest = self.rest();
        let start = Span::new(self.at, self.at + 2);
        let word = leading(&rest[2..], |c| "@%!".contains(c) || c.is_alphabetic());
        let annotation = Annotation { close, is_contract: word == "@contract", start };
        match word {
            _ if !rest[2..].contains(close) => {
                self.report.add(
                    Diagnostic::error("unterminated-comment", start, "this comment does not end")
                        .label(format!("`{close}` is missing")),
                );
                self.at = self.text.len();
            }
            "@contract" => {
                self.push(TokenKind::Mark(CONTRACT), 2 + word.len());
                self.annotation = Some(annotation);
            }
            "%PROPERTY" | "!PROPERTY" => {
                self.property(2 + word.len());
                self.annotation = Some(annotation);
            }
            _ => {
                let length = 2 + rest[2..].find(close).unwrap_or(0) + close.len();
                let span = Span::new(self.at, self.at + length);
                match word {
                    "%MAIN" | "!MAIN" => self.lexed.mains.push(span),
                    word if word.len() > 1 && word.starts_with(['%', '!', '@']) => {
                        self.ignored_pragma(&word[1..], span);
                    }
                    _ => {}
                }
                self.at += length;
            }
        }
    }

    /// `PROPERTY` as Kind 2 has it in all kinds of comments; a `:` may stand behind it.
    fn property(&mut self, length: usize) {
        self.push(TokenKind::Property, length);
        let blank = leading(self.rest(), |c| c == ' ').len();
        if self.rest()[blank..].starts_with(':') {
            self.at += blank + 1;
        }
    }

    fn end_annotation(&mut self, annotation: Annotation) {
        self.annotation = None;
        match annotation.is_contract {
            true => self.push(TokenKind::Mark(CONTRACT_END), annotation.close.len()),
            false => self.at += annotation.close.len(),
        }
    }

    fn word(&mut self) {
        let rest = self.rest();
        let mut word = leading(rest, |c| c.is_ascii_alphanumeric() || "_~!".contains(c));
        // `x!=y` is a C-style comparison, not the name `x!`.
        while word.ends_with('!') && rest[word.len()..].starts_with('=') {
            word = &word[..word.len() - 1];
        }
        let kind = reserved(word).map_or(TokenKind::Ident, TokenKind::Word);
        self.push(kind, word.len());
    }

    fn number(&mut self) {
        let rest = self.rest();
        let digits = |text: &str| leading(text, |c| c.is_ascii_digit()).len();
        let mut length = digits(rest);
        let mut kind = TokenKind::Int;
        if rest[length..].starts_with('.') {
            length += 1 + digits(&rest[length + 1..]);
            kind = TokenKind::Real;
        }
        if rest[length..].starts_with(['e', 'E']) {
            let signed = rest[length + 1..].starts_with(['+', '-']);
            let exponent_at = length + 1 + usize::from(signed);
            let exponent = digits(&rest[exponent_at..]);
            if exponent > 0 {
                length = exponent_at + exponent;
                kind = TokenKind::Real;
            }
        }
        self.push(kind, length);
    }

    /// `0x1F`, and `0x3.1p-5` with an exponent of two.
    fn hexadecimal(&mut self) {
        let rest = self.rest();
        let digits = |text: &str| leading(text, |c| c.is_ascii_hexdigit()).len();
        let mut length = 2 + digits(&rest[2..]);
        let mut kind = TokenKind::Int;
        if rest[length..].starts_with('.') {
            length += 1 + digits(&rest[length + 1..]);
            kind = TokenKind::Real;
        }
        if rest[length..].starts_with(['p', 'P']) {
            let signed = rest[length + 1..].starts_with(['+', '-']);
            length += 1 + usize::from(signed);
            length += leading(&rest[length..], |c| c.is_ascii_digit()).len();
            kind = TokenKind::Real;
        }
        self.push(kind, length);
    }

    fn quoted(&mut self) {
        let line = self.rest().split('\n').next().unwrap_or("");
        match line[1..].find('"') {
            Some(length) => self.push(TokenKind::Text, length + 2),
            None => {
                let span = Span::new(self.at, self.at + line.len());
                self.report.add(
                    Diagnostic::error("unterminated-text", span, "this text does not end")
                        .label("`\"` is missing on this line"),
                );
                self.at += line.len();
            }
        }
    }

    fn mark(&mut self) {
        let rest = self.rest();
        let foreign = FOREIGN.iter().find(|(word, _)| rest.starts_with(word));
        if let Some((foreign, ours)) = foreign.filter(|_| !rest.starts_with(LAZY_IMPLIES)) {
            return self.foreign(foreign, ours);
        }
        match MARKS.iter().find(|mark| rest.starts_with(**mark)) {
            Some(mark) => self.push(TokenKind::Mark(mark), mark.len()),
            None => self.unexpected(),
        }
    }

    /// Reads a C-style operator as what was meant, and says so.
    fn foreign(&mut self, found: &'static str, ours: &'static str) {
        let span = Span::new(self.at, self.at + found.len());
        self.report.add(
            Diagnostic::error("foreign-operator", span, format!("`{found}` is not Lustre"))
                .label(format!("write `{ours}`")),
        );
        let kind = reserved(ours).map_or(TokenKind::Mark(ours), TokenKind::Word);
        self.push(kind, found.len());
    }

    fn unexpected(&mut self) {
        let strange = |c: char| !c.is_ascii_graphic() && !c.is_ascii_whitespace();
        let run = leading(self.rest(), strange);
        let first = self.rest().chars().next().unwrap_or(' ');
        let length = if run.is_empty() { first.len_utf8() } else { run.len() };
        let span = Span::new(self.at, self.at + length);
        let shown = first.escape_default();
        self.report.add(
            Diagnostic::error("unexpected-character", span, format!("unexpected `{shown}`"))
                .label("not part of any Lustre token"),
        );
        self.at += length;
    }
}

/// `0x` and a digit.
fn hexadecimal(text: &str) -> bool {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    digits.is_some_and(|digits| digits.starts_with(|c: char| c.is_ascii_hexdigit()))
}

/// `.5`, though no field is called with a digit.
fn begins_with_point(text: &str) -> bool {
    text.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The longest start of `text` whose characters all fit.
fn leading(text: &str, fits: impl Fn(char) -> bool) -> &str {
    &text[..text.find(|c| !fits(c)).unwrap_or(text.len())]
}
