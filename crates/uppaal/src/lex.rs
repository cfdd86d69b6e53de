//! Texts to tokens.

use provoke_base::{Diagnostic, Span};

use crate::text::Text;

/// What a token is.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Token {
    /// A name or a keyword.
    Word(String),
    Int(i64),
    Double(f64),
    Text(String),
    /// An operator or a bracket.
    Sign(&'static str),
    End,
}

impl Token {
    /// How it is quoted in messages.
    pub(crate) fn show(&self) -> String {
        match self {
            Token::Word(word) => format!("`{word}`"),
            Token::Int(value) => format!("`{value}`"),
            Token::Double(value) => format!("`{value}`"),
            Token::Text(_) => "a text".to_string(),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::End => "the end".to_string(),
        }
    }
}

/// Longer ones first, so that the first that fits is the right one. The modalities of queries
/// are put together by the parser: `E<>` is also what `E < > x` would be.
const SIGNS: [&str; 58] = [
    "<<=", ">>=", "-->", "<<", ">>", "<=", ">=", "==", "!=", ":=", "+=", "-=", "*=", "/=", "%=",
    "&=", "|=", "^=", "&&", "||", "++", "--", "<?", ">?", "**", "->", "<", ">", "=", "+", "-", "*",
    "/", "%", "&", "|", "^", "!", "?", ":", ";", ",", ".", "(", ")", "[", "]", "{", "}", "'", "#",
    "@", "~", "$", "\\", "`", "≤", "≥",
];

/// More tokens than this in one text are refused.
const MAX_TOKENS: usize = 1_000_000;

/// A token with its place in the file.
pub(crate) type Placed = (Token, Span);

pub(crate) fn lex(text: &Text) -> Result<Vec<Placed>, Diagnostic> {
    let mut lexer = Lexer { text, at: 0 };
    let mut tokens = Vec::new();
    while lexer.skip_blank()? {
        let start = lexer.at;
        let token = lexer.token()?;
        tokens.push((token, text.span(start, lexer.at)));
        if tokens.len() > MAX_TOKENS {
            let message = format!("this text has more than {MAX_TOKENS} words and signs");
            return Err(Diagnostic::error("too-large", text.span(start, lexer.at), message));
        }
    }
    let end = text.whole().after();
    tokens.push((Token::End, end));
    Ok(tokens)
}

struct Lexer<'a> {
    text: &'a Text,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text.text[self.at..]
    }

    fn error(&self, start: usize, end: usize, message: impl Into<String>) -> Diagnostic {
        Diagnostic::error("syntax", self.text.span(start, end), message)
    }

    /// Passes over white space and comments; false at the end.
    fn skip_blank(&mut self) -> Result<bool, Diagnostic> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            if blank > 0 {
                self.at += blank;
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(inside) = rest.strip_prefix("/*") {
                let Some(length) = inside.find("*/") else {
                    return Err(self
                        .error(self.at, self.at + 2, "this comment does not end")
                        .help("end it with */"));
                };
                self.at += length + 4;
            } else {
                return Ok(!rest.is_empty());
            }
        }
    }

    fn token(&mut self) -> Result<Token, Diagnostic> {
        let rest = self.rest();
        let first = rest.chars().next().expect("not at the end");
        if first.is_alphabetic() || first == '_' {
            let inside = |c: char| c.is_alphanumeric() || c == '_';
            let length = rest.find(|c| !inside(c)).unwrap_or(rest.len());
            self.at += length;
            return Ok(Token::Word(rest[..length].to_string()));
        }
        let fraction = |rest: &str| rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        if first.is_ascii_digit() || (first == '.' && fraction(rest)) {
            return self.number();
        }
        if first == '"' {
            return self.quoted();
        }
        let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) else {
            let end = self.at + first.len_utf8();
            return Err(self.error(self.at, end, format!("`{first}` has no meaning here")));
        };
        self.at += sign.len();
        Ok(Token::Sign(match *sign {
            "≤" => "<=",
            "≥" => ">=",
            other => other,
        }))
    }

    fn number(&mut self) -> Result<Token, Diagnostic> {
        let rest = self.rest();
        let bytes = rest.as_bytes();
        let digits = |from: usize| {
            from + bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count()
        };
        let mut end = digits(0);
        let mut whole = true;
        if bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.') {
            end = digits(end + 1);
            whole = false;
        }
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits(end + 1 + sign);
            if exponent > end + 1 + sign {
                (end, whole) = (exponent, false);
            }
        }
        let (start, text) = (self.at, &rest[..end]);
        self.at += end;
        if !whole {
            return match text.parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(Token::Double(value)),
                _ => Err(self.error(start, self.at, format!("`{text}` is too large a number"))),
            };
        }
        match text.parse::<i64>() {
            Ok(value) if value <= i64::from(i32::MAX) + 1 => Ok(Token::Int(value)),
            _ => Err(self
                .error(start, self.at, format!("`{text}` does not fit an int"))
                .help("integers go up to 2147483647")),
        }
    }

    fn quoted(&mut self) -> Result<Token, Diagnostic> {
        let rest = &self.rest()[1..];
        let Some(length) = rest.find('"') else {
            return Err(self.error(self.at, self.at + 1, "this text does not end"));
        };
        self.at += length + 2;
        Ok(Token::Text(rest[..length].to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> String {
        match lex(&Text::plain(text)) {
            Ok(tokens) => tokens.iter().map(|t| t.0.show()).collect::<Vec<_>>().join(" "),
            Err(error) => error.message,
        }
    }

    #[test]
    fn words_numbers_signs_and_comments() {
        assert_eq!(
            shown("x<=3 // c\n /* d */ y:=1.5e3--"),
            "`x` `<=` `3` `y` `:=` `1500` `--` the end"
        );
        assert_eq!(shown("a/*"), "this comment does not end");
        assert_eq!(shown("99999999999"), "`99999999999` does not fit an int");
        assert_eq!(shown("é€"), "`€` has no meaning here");
    }
}
