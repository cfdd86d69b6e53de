//! Tokens to trees, by recursive descent. A text ends at its first error.

mod declaration;
mod expression;
mod query;
mod statement;

use provoke_base::{Diagnostic, Span};

use crate::ast::{Declaration, Declarator, Expr, ExprKind, Instance, Name, Sync, System};
use crate::lex::{Placed, Token, lex};
use crate::text::Text;

pub(crate) use query::query;

/// Deeper nesting is refused, so that nothing that walks a tree can run out of stack.
pub(crate) const MAX_DEPTH: u32 = 100;

/// With less stack than the first, the second is added.
pub(crate) const RED_ZONE: usize = 128 << 10;
pub(crate) const STACK: usize = 1 << 20;

pub(crate) type Parsed<T> = Result<T, Diagnostic>;

pub(crate) struct Parser {
    tokens: Vec<Placed>,
    at: usize,
    depth: u32,
}

/// All of a text as declarations.
pub(crate) fn declarations(text: &Text) -> Parsed<Vec<Declaration>> {
    whole(text, |parser| {
        let mut found = Vec::new();
        while !parser.at_end() {
            parser.declaration(&mut found)?;
        }
        Ok(found)
    })
}

/// All of a text as parameters.
pub(crate) fn parameters(text: &Text) -> Parsed<Vec<Declarator>> {
    whole(text, |parser| parser.parameter_list(Token::End))
}

/// All of a text as one expression.
pub(crate) fn expression(text: &Text) -> Parsed<Expr> {
    whole(text, Parser::expression)
}

/// All of a text as expressions separated by commas.
pub(crate) fn updates(text: &Text) -> Parsed<Vec<Expr>> {
    whole(text, |parser| {
        let mut found = Vec::new();
        while !parser.at_end() {
            found.push(parser.expression()?);
            // Some editors leave a separator at the end.
            if !parser.accept(",") && !parser.accept(";") && !parser.at_end() {
                return Err(parser.expected("`,` or the end"));
            }
        }
        Ok(found)
    })
}

/// `i : T, j : U`
pub(crate) fn selections(text: &Text) -> Parsed<Vec<(Name, crate::ast::TypeExpr)>> {
    whole(text, |parser| {
        let mut found = Vec::new();
        while !parser.at_end() {
            let name = parser.name()?;
            parser.expect(":")?;
            found.push((name, parser.type_expr()?));
            if !parser.accept(",") && !parser.at_end() {
                return Err(parser.expected("`,` or the end"));
            }
        }
        Ok(found)
    })
}

/// `c!` or `c?`
pub(crate) fn synchronisation(text: &Text) -> Parsed<Sync> {
    whole(text, |parser| {
        let channel = parser.postfix()?;
        let sends = if parser.accept("!") {
            true
        } else if parser.accept("?") {
            false
        } else {
            return Err(parser.expected("`!` to send or `?` to receive"));
        };
        Ok(Sync { channel, sends })
    })
}

/// A rate: `r`, or `a : b` for a / b.
pub(crate) fn rate(text: &Text) -> Parsed<(Expr, Option<Expr>)> {
    whole(text, |parser| {
        let rate = parser.expression()?;
        let divisor = if parser.accept(":") { Some(parser.expression()?) } else { None };
        Ok((rate, divisor))
    })
}

/// The sections that say which processes there are.
pub(crate) fn system(text: &Text) -> Parsed<System> {
    whole(text, Parser::system)
}

fn whole<T>(text: &Text, parse: impl FnOnce(&mut Parser) -> Parsed<T>) -> Parsed<T> {
    let mut parser = Parser { tokens: lex(text)?, at: 0, depth: 0 };
    let tree = parse(&mut parser)?;
    if !parser.at_end() {
        return Err(parser.expected("the end of this text"));
    }
    Ok(tree)
}

impl Parser {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn peek_after(&self, count: usize) -> &Token {
        let last = self.tokens.len() - 1;
        &self.tokens[(self.at + count).min(last)].0
    }

    fn span(&self) -> Span {
        self.tokens[self.at].1
    }

    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].1
    }

    fn at_end(&self) -> bool {
        *self.peek() == Token::End
    }

    fn advance(&mut self) -> Placed {
        let token = self.tokens[self.at].clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn is_sign(&self, sign: &str) -> bool {
        matches!(self.peek(), Token::Sign(found) if *found == sign)
    }

    fn is_word(&self, word: &str) -> bool {
        matches!(self.peek(), Token::Word(found) if found == word)
    }

    fn accept(&mut self, sign: &str) -> bool {
        let found = self.is_sign(sign);
        if found {
            self.advance();
        }
        found
    }

    fn accept_word(&mut self, word: &str) -> bool {
        let found = self.is_word(word);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, sign: &str) -> Parsed<Span> {
        let span = self.span();
        if self.accept(sign) { Ok(span) } else { Err(self.expected(&format!("`{sign}`"))) }
    }

    fn expected(&self, what: &str) -> Diagnostic {
        let found = self.peek().show();
        let message = format!("found {found}, expected {what}");
        Diagnostic::error("syntax", self.span(), message).label(format!("expected {what}"))
    }

    fn unsupported(&self, span: Span, what: &str) -> Diagnostic {
        unsupported(span, what)
    }

    fn name(&mut self) -> Parsed<Name> {
        match self.peek() {
            Token::Word(word) if !RESERVED.contains(&word.as_str()) => {
                let (token, span) = self.advance();
                let Token::Word(text) = token else { unreachable!("a word was seen") };
                Ok(Name { text, span })
            }
            _ => Err(self.expected("a name")),
        }
    }

    /// Does `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Parser) -> Parsed<T>) -> Parsed<T> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(too_deep(self.span()));
        }
        let result = stacker::maybe_grow(RED_ZONE, STACK, || parse(self));
        self.depth -= 1;
        result
    }

    fn make(&self, kind: ExprKind, span: Span) -> Parsed<Expr> {
        let height = 1 + children_height(&kind);
        if height > MAX_DEPTH * 2 { Err(too_deep(span)) } else { Ok(Expr { kind, span, height }) }
    }

    fn system(&mut self) -> Parsed<System> {
        let mut system = System::default();
        while !self.at_end() {
            if self.accept_word("system") {
                self.process_list(&mut system)?;
            } else if self.is_word("progress") || self.is_word("gantt") {
                self.skipped_section(&mut system)?;
            } else if self.is_instance() {
                system.instances.push(self.instance()?);
            } else {
                self.declaration(&mut system.declarations)?;
            }
        }
        Ok(system)
    }

    fn process_list(&mut self, system: &mut System) -> Parsed<()> {
        let mut level = vec![self.name()?];
        loop {
            if self.accept(",") {
                level.push(self.name()?);
            } else if self.accept("<") {
                system.processes.push(std::mem::replace(&mut level, vec![self.name()?]));
            } else {
                self.expect(";")?;
                system.processes.push(level);
                return Ok(());
            }
        }
    }

    /// `progress { .. }` and `gantt { .. }` say what to draw; they change nothing.
    fn skipped_section(&mut self, system: &mut System) -> Parsed<()> {
        let (word, span) = self.advance();
        let gantt = word == Token::Word("gantt".to_string());
        system.ignored.push((span, if gantt { "gantt" } else { "progress" }));
        self.expect("{")?;
        while !self.is_sign("}") {
            if self.at_end() {
                return Err(self.expected("`}`"));
            }
            self.advance();
        }
        self.advance();
        Ok(())
    }

    /// A name, possibly with parameters, and `=`.
    fn is_instance(&self) -> bool {
        if !matches!(self.peek(), Token::Word(_)) {
            return false;
        }
        match self.peek_after(1) {
            Token::Sign("=" | ":=") => true,
            Token::Sign("(") => {
                let mut depth = 0;
                for count in 1..self.tokens.len() - self.at {
                    match self.peek_after(count) {
                        Token::Sign("(") => depth += 1,
                        Token::Sign(")") => depth -= 1,
                        _ => {}
                    }
                    if depth == 0 {
                        let after = self.peek_after(count + 1);
                        return matches!(after, Token::Sign("=" | ":="));
                    }
                }
                false
            }
            _ => false,
        }
    }

    fn instance(&mut self) -> Parsed<Instance> {
        let name = self.name()?;
        let mut parameters = Vec::new();
        if self.accept("(") {
            parameters = self.parameter_list(Token::Sign(")"))?;
            self.expect(")")?;
        }
        if !self.accept("=") && !self.accept(":=") {
            return Err(self.expected("`=`"));
        }
        let template = self.name()?;
        self.expect("(")?;
        let arguments = self.arguments()?;
        self.expect(";")?;
        Ok(Instance { name, parameters, template, arguments })
    }
}

/// What this program cannot read yet, by name.
pub(crate) fn unsupported(span: Span, what: &str) -> Diagnostic {
    Diagnostic::error("unsupported", span, format!("{what} is not supported"))
        .label("not supported")
        .help("leave it out, or write it with what is supported: see docs/book/timed.md")
}

fn too_deep(span: Span) -> Diagnostic {
    Diagnostic::error("too-deep", span, format!("nested more than {MAX_DEPTH} deep"))
        .help("give parts of it a name, for example with a function")
}

fn children_height(kind: &ExprKind) -> u32 {
    match kind {
        ExprKind::Index(a, b) | ExprKind::Binary(_, a, b) | ExprKind::Assign(_, a, b) => {
            a.height.max(b.height)
        }
        ExprKind::Field(a, _)
        | ExprKind::Unary(_, a)
        | ExprKind::Step(_, _, a)
        | ExprKind::Quantified(_, _, _, a)
        | ExprKind::Rate(a) => a.height,
        ExprKind::Choice(a, b, c) => a.height.max(b.height).max(c.height),
        ExprKind::Call(a, list) => list.iter().map(|e| e.height).fold(a.height, u32::max),
        ExprKind::List(list) => list.iter().map(|e| e.height).max().unwrap_or(0),
        _ => 0,
    }
}

/// Words that cannot be names.
pub(crate) const RESERVED: [&str; 41] = [
    "and",
    "or",
    "not",
    "imply",
    "xor",
    "true",
    "false",
    "int",
    "bool",
    "double",
    "clock",
    "chan",
    "void",
    "const",
    "meta",
    "urgent",
    "broadcast",
    "hybrid",
    "typedef",
    "struct",
    "scalar",
    "string",
    "for",
    "while",
    "do",
    "if",
    "else",
    "return",
    "break",
    "continue",
    "forall",
    "exists",
    "sum",
    "foreach",
    "deadlock",
    "system",
    "dynamic",
    "spawn",
    "exit",
    "import",
    "numOf",
];
