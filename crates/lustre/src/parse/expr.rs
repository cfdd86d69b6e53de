//! Expressions, by operator precedence.

use provoke_base::{Diagnostic, Int, Rational, Span};
use provoke_model::{BinaryOp, MachineInt, UnaryOp};

use super::sugar::{hexadecimal, hexadecimal_real};
use super::{Failed, Parsed, Parser, describe, for_each_operand};
use crate::ast::{AstExpr, AstExprKind, BitOp, ExprId, Name};
use crate::lex::TokenKind;
use crate::lex::TokenKind::{Ident, Mark, Word};

/// The deepest expression that is read, in operators and parentheses.
pub(super) const MAX_DEPTH: u32 = 25_000;

/// An operator between two operands.
#[derive(Clone, Copy)]
enum Infix {
    Plain(BinaryOp),
    Bits(BitOp),
    LazyImplies,
    Concat,
}

/// Binding strength of the operators on bits, as Kind 2 has it.
fn on_bits(kind: TokenKind, text: &str) -> Option<(u8, BitOp)> {
    match (kind, text) {
        (Mark("||"), _) => Some((8, BitOp::Or)),
        (Mark("&&"), _) => Some((9, BitOp::And)),
        (Ident, "lsh") => Some((10, BitOp::ShiftLeft)),
        (Ident, "rsh") => Some((10, BitOp::ShiftRight)),
        _ => None,
    }
}

/// Binding strength of the binary operators, loosest first.
fn binary(kind: TokenKind) -> Option<(u8, BinaryOp)> {
    let found = match kind {
        Mark("=>") => (2, BinaryOp::Implies),
        Word("or") => (3, BinaryOp::Or),
        Word("xor") => (3, BinaryOp::Xor),
        Word("and") => (4, BinaryOp::And),
        Mark("=") => (5, BinaryOp::Eq),
        Mark("<>") => (5, BinaryOp::Ne),
        Mark("<") => (5, BinaryOp::Lt),
        Mark("<=") => (5, BinaryOp::Le),
        Mark(">") => (5, BinaryOp::Gt),
        Mark(">=") => (5, BinaryOp::Ge),
        Mark("+") => (6, BinaryOp::Add),
        Mark("-") => (6, BinaryOp::Sub),
        Mark("*") => (7, BinaryOp::Mul),
        Mark("/") => (7, BinaryOp::Div),
        Word("div") => (7, BinaryOp::IntDiv),
        Word("mod") => (7, BinaryOp::Mod),
        _ => return None,
    };
    Some(found)
}

const ARROW: u8 = 1;
pub(super) const IMPLIES: u8 = 2;
const SUM: u8 = 6;
const PRODUCT: u8 = 7;

/// Expressions.
impl Parser<'_> {
    pub(super) fn add(&mut self, kind: AstExprKind, span: Span) -> Parsed<ExprId> {
        let mut depth = 0;
        for_each_operand(&kind, |operand| depth = depth.max(self.depths[operand]));
        if depth >= MAX_DEPTH {
            return Err(self.too_deep(span));
        }
        self.depths.push(depth + 1);
        Ok(self.program.exprs.push(AstExpr { kind, span }))
    }

    fn too_deep(&mut self, span: Span) -> Failed {
        let message = format!("this expression is nested deeper than {MAX_DEPTH} levels");
        self.report.add(
            Diagnostic::error("too-deep", Span { end: span.start, ..span }, message)
                .label("too deep from here")
                .help("name parts of it with local variables"),
        );
        // Whatever surrounds it is as deep; do not try to make sense of the rest.
        self.at = self.tokens.len() - 1;
        self.gave_up = true;
        Failed
    }

    pub(super) fn span_of(&self, id: ExprId) -> Span {
        self.program.exprs[id].span
    }

    pub(super) fn expr(&mut self) -> Parsed<ExprId> {
        self.nested(|parser| parser.binary_expr(ARROW))
    }

    pub(super) fn nested(
        &mut self,
        parse: impl FnOnce(&mut Self) -> Parsed<ExprId>,
    ) -> Parsed<ExprId> {
        if self.nesting >= MAX_DEPTH {
            return Err(self.too_deep(self.span()));
        }
        self.nesting += 1;
        let result = stacker::maybe_grow(64 << 10, 1 << 20, || parse(self));
        self.nesting -= 1;
        result
    }

    /// An expression whose outermost operators bind at least as tightly as `strength`.
    pub(super) fn binary_expr(&mut self, strength: u8) -> Parsed<ExprId> {
        let mut left = self.unary_expr()?;
        loop {
            if self.kind() == Mark("->") && strength <= ARROW {
                self.bump();
                let right = self.nested(|parser| parser.binary_expr(ARROW))?;
                let span = self.span_of(left).to(self.span_of(right));
                return self.add(AstExprKind::Arrow(left, right), span);
            }
            let Some((level, op)) = self.infix().filter(|(level, _)| *level >= strength) else {
                return Ok(left);
            };
            self.bump();
            // `=>` groups to the right, all others to the left.
            let right_level = if level == IMPLIES { level } else { level + 1 };
            let right = self.nested(|parser| parser.binary_expr(right_level))?;
            let span = self.span_of(left).to(self.span_of(right));
            let kind = match op {
                Infix::LazyImplies => {
                    left = self.lazy_implication(left, right)?;
                    continue;
                }
                Infix::Plain(op) => {
                    if level == PRODUCT {
                        self.warn_ambiguous_minus(op, left);
                    }
                    AstExprKind::Binary(op, left, right)
                }
                Infix::Bits(op) => AstExprKind::Bits(op, left, right),
                Infix::Concat => {
                    left = self.concat(left, right)?;
                    continue;
                }
            };
            left = self.add(kind, span)?;
        }
    }

    fn infix(&self) -> Option<(u8, Infix)> {
        if self.kind() == Mark("==>") {
            return Some((IMPLIES, Infix::LazyImplies));
        }
        let plain = binary(self.kind()).map(|(level, op)| (level, Infix::Plain(op)));
        let bits = || on_bits(self.kind(), self.slice(self.span()));
        let concat = (self.kind() == Mark("++")).then_some((SUM, Infix::Concat));
        plain.or(concat).or_else(|| bits().map(|(level, op)| (level, Infix::Bits(op))))
    }

    /// Kind 2 reads `-a mod b` as `-(a mod b)`.
    fn warn_ambiguous_minus(&mut self, op: BinaryOp, left: ExprId) {
        let expr = &self.program.exprs[left];
        let minus = self.slice(expr.span).starts_with('-');
        if minus && matches!(op, BinaryOp::IntDiv | BinaryOp::Mod) {
            let symbol = op.symbol();
            self.report.add(
                Diagnostic::warning(
                    "ambiguous-minus",
                    expr.span,
                    format!("this is read as `(-a) {symbol} b`"),
                )
                .label(format!("other tools read `-(a {symbol} b)`"))
                .help("add parentheses to make the meaning plain"),
            );
        }
    }

    fn unary_expr(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        match self.kind() {
            Mark("-") => {
                self.bump();
                self.negation(start)
            }
            Word("not") => {
                self.bump();
                let operand = self.nested(Self::unary_expr)?;
                let span = start.to(self.span_of(operand));
                self.add(AstExprKind::Unary(UnaryOp::Not, operand), span)
            }
            Mark("!") => {
                self.bump();
                let operand = self.nested(Self::unary_expr)?;
                self.add(AstExprKind::Flip(operand), start.to(self.span_of(operand)))
            }
            Word("int") => {
                self.program.sugared = true;
                self.bump();
                let operand = self.nested(Self::unary_expr)?;
                self.add(AstExprKind::Convert(None, operand), start.to(self.span_of(operand)))
            }
            Ident if self.at_conversion() => self.conversion(),
            Word("pre") => {
                self.bump();
                let operand = self.nested(Self::unary_expr)?;
                self.add(AstExprKind::Pre(operand), start.to(self.span_of(operand)))
            }
            Word("real") if self.kind_after(1) != Mark("(") => {
                self.program.sugared = true;
                self.bump();
                let operand = self.nested(Self::unary_expr)?;
                let span = start.to(self.span_of(operand));
                self.add(AstExprKind::Unary(UnaryOp::ToReal, operand), span)
            }
            Word("if") => self.if_expr(),
            Ident if self.at_quantifier() => self.quantified(),
            _ => self.postfix_expr(),
        }
    }

    /// Whether a type of a machine stands here, and something to convert behind it.
    fn at_conversion(&self) -> bool {
        let text = self.slice(self.span());
        if matches!(text, "sint" | "uint") {
            return self.kind_after(1) == Mark("@");
        }
        let begins = match self.kind_after(1) {
            Ident => on_bits(Ident, self.slice(self.tokens[self.at + 1].span)).is_none(),
            TokenKind::Int | TokenKind::Real | Mark("(" | "-" | "!") => true,
            Word(word) => matches!(
                word,
                "true" | "false" | "not" | "pre" | "if" | "int" | "real" | "floor" | "condact"
            ),
            _ => false,
        };
        let is_node = || self.program.nodes.iter().any(|node| &*node.name.text == text);
        begins && MachineInt::named(text).is_some() && !is_node()
    }

    /// `int8 e` takes all that follows, as in Kind 2; `uint@<8> e` stops before comparisons.
    fn conversion(&mut self) -> Parsed<ExprId> {
        let start = self.bump();
        let (ty, operand) = match MachineInt::named(self.slice(start)) {
            Some(ty) => (ty, self.expr()?),
            None => {
                let signed = self.slice(start) == "sint";
                self.expect(Mark("@"), " and the number of bits")?;
                let ty = self.machine_width(signed)?;
                (ty, self.nested(|parser| parser.binary_expr(SUM))?)
            }
        };
        self.add(AstExprKind::Convert(Some(ty), operand), start.to(self.span_of(operand)))
    }

    /// A minus in front of a number belongs to the number.
    fn negation(&mut self, start: Span) -> Parsed<ExprId> {
        let literal = matches!(self.kind(), TokenKind::Int | TokenKind::Real);
        let operand = self.nested(Self::unary_expr)?;
        let span = start.to(self.span_of(operand));
        let kind = match &self.program.exprs[operand].kind {
            AstExprKind::Int(value) if literal => AstExprKind::Int(value.neg()),
            AstExprKind::Real(value) if literal => AstExprKind::Real(value.neg()),
            _ => AstExprKind::Unary(UnaryOp::Neg, operand),
        };
        self.add(kind, span)
    }

    fn if_expr(&mut self) -> Parsed<ExprId> {
        let start = self.bump();
        let condition = self.expr()?;
        self.expect(Word("then"), " after the condition")?;
        let then = self.expr()?;
        self.expect(Word("else"), ": every `if` needs both branches")?;
        let otherwise = self.expr()?;
        let span = start.to(self.span_of(otherwise));
        self.add(AstExprKind::If(condition, then, otherwise), span)
    }

    fn postfix_expr(&mut self) -> Parsed<ExprId> {
        let mut expr = self.primary()?;
        loop {
            let kind = match self.kind() {
                Mark(".") if self.kind_after(1) == Ident => {
                    self.bump();
                    AstExprKind::Field(expr, self.name("a field")?)
                }
                Mark(".") if self.kind_after(1) == Mark("%") => {
                    expr = self.projection(expr)?;
                    continue;
                }
                Mark("^") => {
                    expr = self.repeat(expr)?;
                    continue;
                }
                Mark("[") => {
                    expr = self.index_suffix(expr)?;
                    continue;
                }
                Mark("{") => self.field_update(expr)?,
                _ => return Ok(expr),
            };
            let span = self.span_of(expr).to(self.last_span());
            expr = self.add(kind, span)?;
        }
    }

    fn index_suffix(&mut self, array: ExprId) -> Parsed<ExprId> {
        self.bump();
        let index = self.expr()?;
        match self.kind() {
            Mark(":=") => return self.update(array, index),
            Mark(":") => return self.bits(array, index),
            _ => {}
        }
        let end = self.expect(Mark("]"), " after the index")?;
        self.add(AstExprKind::Index(array, index), self.span_of(array).to(end))
    }

    fn field_update(&mut self, record: ExprId) -> Parsed<AstExprKind> {
        self.bump();
        let field = self.name("a field")?;
        self.expect(Mark(":="), " and the new value")?;
        let value = self.expr()?;
        self.expect(Mark("}"), " after the update")?;
        Ok(AstExprKind::WithField(record, field, value))
    }

    pub(super) fn primary(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        match self.kind() {
            TokenKind::Int => self.int_literal(),
            TokenKind::Real => self.real_literal(),
            Word(word @ ("true" | "false")) => {
                self.bump();
                self.add(AstExprKind::Bool(word == "true"), start)
            }
            Word(word @ ("real" | "floor")) => self.cast(word),
            Word("condact") => self.condact(),
            Mark("::") => self.mode_reference(),
            Ident if self.at_clocked() => self.clocked(),
            Ident if self.at_match() => self.match_expr(),
            Ident => self.named(),
            Mark("'") => self.tuple_value(),
            Mark("{") => Err(self.braces()),
            Mark("(") if self.at_modified_call() => self.modified_call(),
            Mark("(") => self.parenthesised(),
            Mark("[") => {
                self.bump();
                let elements = self.list(Mark("]"), "an element")?;
                self.add(AstExprKind::Array(elements), start.to(self.last_span()))
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn int_literal(&mut self) -> Parsed<ExprId> {
        let span = self.bump();
        let text = self.slice(span);
        let hexadecimal = hexadecimal(text);
        let value = hexadecimal.clone().or_else(|| Int::parse(text));
        self.program.sugared |= hexadecimal.is_some();
        match value {
            Some(value) => self.add(AstExprKind::Int(value), span),
            None => {
                let message = format!("this number has more than {} digits", Int::MAX_DIGITS);
                self.report.add(Diagnostic::error("number-too-long", span, message));
                Err(Failed)
            }
        }
    }

    fn real_literal(&mut self) -> Parsed<ExprId> {
        let span = self.bump();
        let text = self.slice(span);
        let plain = || Rational::parse(&format!("0{text}")).filter(|_| text.starts_with('.'));
        let decimal = || plain().or_else(|| Rational::parse(text));
        let hexadecimal = hexadecimal_real(text);
        let value = hexadecimal.clone().or_else(decimal);
        self.program.sugared |= hexadecimal.is_some();
        match value {
            Some(value) => self.add(AstExprKind::Real(value), span),
            None => {
                let digits = Int::MAX_DIGITS;
                let exponent = Rational::MAX_EXPONENT;
                let message = "this number is too long or its exponent too large";
                self.report.add(
                    Diagnostic::error("number-too-long", span, message)
                        .help(format!("at most {digits} digits and exponents up to {exponent}")),
                );
                Err(Failed)
            }
        }
    }

    fn cast(&mut self, word: &str) -> Parsed<ExprId> {
        let start = self.bump();
        self.expect(Mark("("), " before the value to convert")?;
        let operand = self.expr()?;
        let end = self.expect(Mark(")"), " after the value to convert")?;
        let op = if word == "real" { UnaryOp::ToReal } else { UnaryOp::Floor };
        self.add(AstExprKind::Unary(op, operand), start.to(end))
    }

    fn condact(&mut self) -> Parsed<ExprId> {
        let start = self.bump();
        self.expect(Mark("("), " and the clock")?;
        let clock = self.expr()?;
        self.expect(Mark(","), " and the node call")?;
        let call = self.expr()?;
        if !matches!(self.program.exprs[call].kind, AstExprKind::Call(..)) {
            self.report.add(
                Diagnostic::error("syntax", self.span_of(call), "`condact` needs a node call here")
                    .label("not a node call")
                    .help("write `condact(clock, node(arguments), defaults)`"),
            );
            return Err(Failed);
        }
        let defaults = if self.eat(Mark(",")) {
            self.list(Mark(")"), "a default")?
        } else {
            self.expect(Mark(")"), " after the node call")?;
            Vec::new()
        };
        self.add(AstExprKind::Condact(clock, call, defaults), start.to(self.last_span()))
    }

    /// Expressions separated by commas, and the closing mark.
    pub(super) fn list(&mut self, close: TokenKind, what: &str) -> Parsed<Vec<ExprId>> {
        let mut items = Vec::new();
        while self.kind() != close {
            items.push(self.expr()?);
            if !self.eat(Mark(",")) && self.kind() != close {
                return Err(self.unexpected(&format!("{} or `,` after {what}", describe(close))));
            }
        }
        self.bump();
        Ok(items)
    }

    fn named(&mut self) -> Parsed<ExprId> {
        let name = self.name("a variable")?;
        let start = name.span;
        match self.kind() {
            Mark("(") => {
                self.reject_clocked_call(&name)?;
                self.bump();
                let arguments = self.list(Mark(")"), "an argument")?;
                self.add(AstExprKind::Call(name, arguments), start.to(self.last_span()))
            }
            Mark("?") => self.tester(name),
            Mark("@") => self.typed(name),
            Mark("{") if self.kind_after(2) == Mark("=") => self.record(name),
            _ => self.add(AstExprKind::Name(name), start),
        }
    }

    fn reject_clocked_call(&mut self, name: &Name) -> Parsed<()> {
        let construct = match &*name.text {
            word @ ("merge" | "activate" | "restart" | "current") => format!("`{word}`"),
            _ => return Ok(()),
        };
        if self.program.nodes.iter().any(|node| node.name.text == name.text) {
            return Ok(());
        }
        let help = "use `condact` to run a node only when a condition holds";
        Err(self.unsupported(name.span, &construct, help))
    }

    fn record(&mut self, name: Name) -> Parsed<ExprId> {
        let start = name.span;
        let fields = self.record_fields()?;
        self.add(AstExprKind::Record(name, fields), start.to(self.last_span()))
    }

    /// `{ x = a; y = b }`
    pub(super) fn record_fields(&mut self) -> Parsed<Vec<(Name, ExprId)>> {
        self.bump();
        let mut fields = Vec::new();
        while self.kind() != Mark("}") {
            let field = self.name("a field")?;
            self.expect(Mark("="), " and the field's value")?;
            fields.push((field, self.expr()?));
            let separated = self.eat(Mark(";")) || self.eat(Mark(","));
            if !separated && self.kind() != Mark("}") {
                return Err(self.unexpected("`}` or `;` after the field"));
            }
        }
        self.bump();
        Ok(fields)
    }

    fn parenthesised(&mut self) -> Parsed<ExprId> {
        let start = self.bump();
        let mut items = Vec::new();
        if self.kind() != Mark(")") {
            let first = self.expr()?;
            match self.kind() {
                Mark(":") => return self.ascription(start, first),
                Ident if self.at_word("with") => return self.with(start, first),
                Mark(",") => {
                    self.bump();
                }
                Mark(")") => {}
                _ => return Err(self.unexpected("`)` or `,` after an expression")),
            }
            items.push(first);
        }
        items.extend(self.list(Mark(")"), "an expression")?);
        let span = start.to(self.last_span());
        match items.len() {
            1 => {
                let inner = items.remove(0);
                self.program.exprs[inner].span = span;
                Ok(inner)
            }
            _ => {
                let nested =
                    |item: &ExprId| matches!(self.program.exprs[*item].kind, AstExprKind::Tuple(_));
                self.program.sugared |= items.iter().any(nested);
                self.add(AstExprKind::Tuple(items), span)
            }
        }
    }
}
