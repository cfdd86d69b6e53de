//! Tokens to a tree, by recursive descent. Every construct that cannot be read is reported
//! and skipped, so that one run tells of several mistakes.

use provoke_base::{Diagnostic, IndexVec, Int, Rational, Span};
use provoke_model::{BinaryOp, UnaryOp};

use crate::ast::{
    Constant, Decl, Equation, Expr, ExprId, ExprKind, Name, Node, Program, Property, TypeBase,
    TypeBody, TypeDef, TypeExpr,
};
use crate::lex::TokenKind::{End, Ident, Mark, Property as PropertyMark, Text, Word};
use crate::lex::{Token, TokenKind};
use crate::report::Report;

/// An error was reported; the caller skips to where it can go on.
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// The deepest expression that is read, in operators and parentheses.
const MAX_DEPTH: u32 = 20_000;

/// Reads a whole file.
pub(crate) fn parse(text: &str, tokens: &[Token], report: &mut Report) -> Program {
    let mut parser = Parser {
        text,
        tokens,
        at: 0,
        nesting: 0,
        depths: IndexVec::new(),
        program: Program::default(),
        report,
    };
    parser.items();
    parser.program
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
    /// How many calls of `expr` are open.
    nesting: u32,
    /// The height of each expression's tree.
    depths: IndexVec<ExprId, u32>,
    program: Program,
    report: &'a mut Report,
}

/// Tokens.
impl Parser<'_> {
    fn kind(&self) -> TokenKind {
        self.tokens[self.at].kind
    }

    fn span(&self) -> Span {
        self.tokens[self.at].span
    }

    fn kind_after(&self, ahead: usize) -> TokenKind {
        self.tokens.get(self.at + ahead).map_or(End, |token| token.kind)
    }

    fn slice(&self, span: Span) -> &str {
        &self.text[span.range()]
    }

    fn last_span(&self) -> Span {
        self.tokens[self.at.saturating_sub(1)].span
    }

    fn bump(&mut self) -> Span {
        let span = self.span();
        if self.kind() != End {
            self.at += 1;
        }
        span
    }

    fn eat(&mut self, kind: TokenKind) -> bool {
        let found = self.kind() == kind;
        if found {
            self.bump();
        }
        found
    }

    fn expect(&mut self, kind: TokenKind, why: &str) -> Parsed<Span> {
        if self.kind() == kind {
            return Ok(self.bump());
        }
        Err(self.unexpected(&format!("{}{why}", describe(kind))))
    }

    fn describe_current(&self) -> String {
        match self.kind() {
            End => "the end of the file".to_string(),
            _ => format!("`{}`", self.slice(self.span())),
        }
    }

    /// Reports that something else was expected here. A missing `;` or `)` is shown behind
    /// the token before, where it belongs.
    fn unexpected(&mut self, expected: &str) -> Failed {
        let found = self.describe_current();
        let message = format!("expected {expected}, found {found}");
        let error = Diagnostic::error("syntax", self.span(), message);
        let closes = ["`;`", "`)`", "`]`", "`}`"].iter().any(|mark| expected.starts_with(mark));
        let error = if closes && self.at > 0 {
            let place = self.last_span().after();
            let short = expected.split(' ').next().unwrap_or(expected);
            Diagnostic { primary: Diagnostic::error("syntax", place, "").primary, ..error }
                .label(format!("{short} is missing here"))
                .also(self.span(), "found this instead")
        } else {
            error.label(format!("expected {expected}"))
        };
        self.report.add(error);
        Failed
    }

    fn unsupported(&mut self, span: Span, construct: &str, instead: &str) -> Failed {
        self.report.add(
            Diagnostic::error("unsupported", span, format!("{construct} is not supported yet"))
                .label("this construct")
                .help(instead),
        );
        Failed
    }

    fn name(&mut self, what: &str) -> Parsed<Name> {
        if self.kind() == Ident {
            let span = self.bump();
            return Ok(Name { text: self.slice(span).into(), span });
        }
        if let Word(word) = self.kind() {
            let message = format!("`{word}` is a reserved word and cannot name {what}");
            self.report.add(
                Diagnostic::error("syntax", self.span(), message)
                    .label(format!("expected the name of {what}"))
                    .help(format!("choose another name, for instance `{word}_`")),
            );
            return Err(Failed);
        }
        Err(self.unexpected(&format!("the name of {what}")))
    }

    fn names(&mut self, what: &str) -> Parsed<Vec<Name>> {
        let mut names = vec![self.name(what)?];
        while self.eat(Mark(",")) {
            names.push(self.name(what)?);
        }
        Ok(names)
    }

    /// Whether the current token is the contextual keyword `word`.
    fn at_word(&self, word: &str) -> bool {
        self.kind() == Ident && self.slice(self.span()) == word
    }

    /// Skips to the next token that `stop` accepts, or the end.
    fn skip_until(&mut self, stop: impl Fn(TokenKind) -> bool) {
        while self.kind() != End && !stop(self.kind()) {
            self.bump();
        }
    }
}

fn describe(kind: TokenKind) -> String {
    match kind {
        Word(text) | Mark(text) => format!("`{text}`"),
        Ident => "a name".to_string(),
        End => "the end of the file".to_string(),
        TokenKind::Int | TokenKind::Real => "a number".to_string(),
        Text => "a quoted text".to_string(),
        PropertyMark => "`--%PROPERTY`".to_string(),
    }
}

fn starts_item(kind: TokenKind) -> bool {
    matches!(kind, Word("node" | "type" | "const" | "function"))
}

/// Items.
impl Parser<'_> {
    fn items(&mut self) {
        while self.kind() != End && !self.report.is_full() {
            let before = self.at;
            if self.item().is_err() {
                self.skip_until(starts_item);
            }
            if self.at == before {
                self.bump();
            }
        }
    }

    fn item(&mut self) -> Parsed<()> {
        match self.kind() {
            Word("type") => self.type_defs(),
            Word("const") => self.constants(),
            Word("node") => self.node(),
            Word("function") => {
                let help = "give it a body as a `node`, or make its result an input";
                Err(self.unsupported(self.span(), "an uninterpreted `function`", help))
            }
            Ident if self.at_word("contract") => {
                let help = "state assumptions with `assert` and guarantees with `--%PROPERTY`";
                Err(self.unsupported(self.span(), "a `contract`", help))
            }
            Mark(";") => {
                self.bump();
                Ok(())
            }
            _ => Err(self.unexpected("`node`, `type` or `const`")),
        }
    }

    fn type_defs(&mut self) -> Parsed<()> {
        self.bump();
        loop {
            let name = self.name("a type")?;
            self.expect(Mark("="), " and the type's definition")?;
            let body = match self.kind() {
                Word("struct") => self.struct_body()?,
                Word("enum") => self.enum_body()?,
                _ => TypeBody::Alias(self.type_expr()?),
            };
            self.program.types.push(TypeDef { name, body });
            self.expect(Mark(";"), " after the type")?;
            if self.kind() != Ident {
                return Ok(());
            }
        }
    }

    fn struct_body(&mut self) -> Parsed<TypeBody> {
        self.bump();
        self.expect(Mark("{"), " before the fields")?;
        let fields = self.decls(Mark("}"), "a field")?;
        self.expect(Mark("}"), " after the fields")?;
        Ok(TypeBody::Struct(fields))
    }

    fn enum_body(&mut self) -> Parsed<TypeBody> {
        self.bump();
        self.expect(Mark("{"), " before the constants")?;
        let names = self.names("a constant")?;
        self.expect(Mark("}"), " after the constants")?;
        Ok(TypeBody::Enum(names))
    }

    fn constants(&mut self) -> Parsed<()> {
        self.bump();
        loop {
            let name = self.name("a constant")?;
            let ty = if self.eat(Mark(":")) { Some(self.type_expr()?) } else { None };
            if self.kind() == Mark(";") {
                let help = "give it a value, or make it an input of the main node";
                return Err(self.unsupported(name.span, "a constant without a value", help));
            }
            self.expect(Mark("="), " and the constant's value")?;
            let value = self.expr()?;
            self.program.constants.push(Constant { name, ty, value });
            self.expect(Mark(";"), " after the constant")?;
            if self.kind() != Ident {
                return Ok(());
            }
        }
    }

    fn type_expr(&mut self) -> Parsed<TypeExpr> {
        let start = self.span();
        let base = match self.kind() {
            Word("bool") => self.base(TypeBase::Bool),
            Word("int") => self.base(TypeBase::Int),
            Word("real") => self.base(TypeBase::Real),
            Word("subrange") => self.subrange()?,
            Ident => TypeBase::Named(self.name("a type")?),
            Word("struct" | "enum") => {
                self.report.add(
                    Diagnostic::error("syntax", start, "this type needs a name of its own")
                        .label("only allowed in `type NAME = ...;`")
                        .help("declare it with `type NAME = ...;` and use NAME here"),
                );
                return Err(Failed);
            }
            _ => return Err(self.unexpected("a type")),
        };
        let mut sizes = Vec::new();
        loop {
            if self.eat(Mark("[")) {
                sizes.push(self.expr()?);
                self.expect(Mark("]"), " after the array's size")?;
            } else if self.eat(Mark("^")) {
                sizes.push(self.primary()?);
            } else {
                return Ok(TypeExpr { base, sizes, span: start.to(self.last_span()) });
            }
        }
    }

    fn base(&mut self, base: TypeBase) -> TypeBase {
        self.bump();
        base
    }

    fn subrange(&mut self) -> Parsed<TypeBase> {
        self.bump();
        self.expect(Mark("["), " before the bounds of the subrange")?;
        let low = self.expr()?;
        self.expect(Mark(","), " between the bounds of the subrange")?;
        let high = self.expr()?;
        self.expect(Mark("]"), " after the bounds of the subrange")?;
        self.expect(Word("of"), " and `int` after the bounds")?;
        self.expect(Word("int"), ": only integers have subranges")?;
        Ok(TypeBase::Subrange(low, high))
    }

    /// Declarations up to `close`, which is not consumed.
    fn decls(&mut self, close: TokenKind, what: &str) -> Parsed<Vec<Decl>> {
        let mut decls = Vec::new();
        while self.kind() != close {
            if self.kind() == Word("const") {
                let help = "use a global `const` or an input";
                return Err(self.unsupported(self.span(), "a constant parameter", help));
            }
            self.decl_group(what, &mut decls)?;
            if !self.eat(Mark(";")) && self.kind() != close {
                return Err(self.unexpected(&format!("`;` or {}", describe(close))));
            }
        }
        Ok(decls)
    }

    fn decl_group(&mut self, what: &str, decls: &mut Vec<Decl>) -> Parsed<()> {
        let names = self.names(what)?;
        self.expect(Mark(":"), " and a type")?;
        let ty = self.type_expr()?;
        self.reject_clock()?;
        decls.extend(names.into_iter().map(|name| Decl { name, ty: ty.clone() }));
        Ok(())
    }

    fn reject_clock(&mut self) -> Parsed<()> {
        if self.at_word("when") {
            let help = "use `condact` to run a node only when a condition holds";
            return Err(self.unsupported(self.span(), "`when`", help));
        }
        Ok(())
    }
}

/// Nodes.
impl Parser<'_> {
    fn node(&mut self) -> Parsed<()> {
        let start = self.bump();
        let name = self.name("a node")?;
        let inputs = self.params("the inputs")?;
        self.expect(Word("returns"), " and the outputs")?;
        let outputs = self.params("the outputs")?;
        self.eat(Mark(";"));
        let mut node = Node {
            name,
            inputs,
            outputs,
            locals: Vec::new(),
            equations: Vec::new(),
            asserts: Vec::new(),
            properties: Vec::new(),
            span: start,
        };
        self.locals(&mut node)?;
        self.expect(Word("let"), " and the equations")?;
        let complete = self.body(&mut node);
        node.span = start.to(self.last_span());
        self.program.nodes.push(node);
        complete
    }

    fn params(&mut self, what: &str) -> Parsed<Vec<Decl>> {
        self.expect(Mark("("), &format!(" before {what}"))?;
        let decls = self.decls(Mark(")"), "a variable")?;
        self.expect(Mark(")"), &format!(" after {what}"))?;
        Ok(decls)
    }

    fn locals(&mut self, node: &mut Node) -> Parsed<()> {
        while self.eat(Word("var")) {
            while self.kind() == Ident {
                if self.decl_group("a variable", &mut node.locals).is_err() {
                    self.skip_until(|kind| matches!(kind, Mark(";") | Word("let" | "var")));
                }
                if !self.eat(Mark(";")) && !matches!(self.kind(), Word("let" | "var")) {
                    return Err(self.unexpected("`;` after the variable"));
                }
            }
        }
        Ok(())
    }

    fn body(&mut self, node: &mut Node) -> Parsed<()> {
        while self.kind() != Word("tel") {
            if self.kind() == End || starts_item(self.kind()) {
                let _ = self.unexpected("`tel` to end the node, or an equation");
                return if self.kind() == End { Err(Failed) } else { Ok(()) };
            }
            if self.report.is_full() {
                return Err(Failed);
            }
            let before = self.at;
            if self.statement(node).is_err() {
                let stop = |kind| matches!(kind, Mark(";") | Word("tel" | "let"));
                self.skip_until(|kind| stop(kind) || starts_item(kind));
                self.eat(Mark(";"));
            }
            if self.at == before {
                self.bump();
            }
        }
        self.bump();
        if !self.eat(Mark(";")) {
            self.eat(Mark("."));
        }
        Ok(())
    }

    fn statement(&mut self, node: &mut Node) -> Parsed<()> {
        match self.kind() {
            Mark(";") => {
                self.bump();
            }
            PropertyMark => self.property(node)?,
            Word("assert") => {
                self.bump();
                let expr = self.expr()?;
                node.asserts.push(expr);
                self.expect(Mark(";"), " after the assertion")?;
            }
            _ => self.equation(node)?,
        }
        Ok(())
    }

    fn property(&mut self, node: &mut Node) -> Parsed<()> {
        self.bump();
        let name = (self.kind() == Text).then(|| {
            let span = self.bump();
            self.slice(span).trim_matches('"').to_string()
        });
        let expr = self.expr()?;
        node.properties.push(Property { name, expr });
        self.expect(Mark(";"), " after the property").map(drop)
    }

    fn equation(&mut self, node: &mut Node) -> Parsed<()> {
        let start = self.span();
        let targets = if self.eat(Mark("(")) {
            let close = self.kind() == Mark(")");
            let names = if close { Vec::new() } else { self.names("a variable")? };
            self.expect(Mark(")"), " after the variables")?;
            names
        } else {
            self.names("a variable")?
        };
        let targets_span = start.to(self.last_span());
        if self.kind() == Mark("[") {
            let help = "write the whole array: `a = [e0, e1, ...];`";
            return Err(self.unsupported(self.span(), "an equation for one array element", help));
        }
        if self.kind() == Mark(":=") {
            self.report.add(
                Diagnostic::error("syntax", self.span(), "expected `=`, found `:=`")
                    .label("an equation is written with `=`"),
            );
            self.bump();
        } else {
            self.expect(Mark("="), " after the variables of an equation")?;
        }
        let expr = self.expr()?;
        node.equations.push(Equation { targets, targets_span, expr });
        self.reject_clock()?;
        self.expect(Mark(";"), " after the equation").map(drop)
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
const IMPLIES: u8 = 2;
const PRODUCT: u8 = 7;

/// Expressions.
impl Parser<'_> {
    fn add(&mut self, kind: ExprKind, span: Span) -> Parsed<ExprId> {
        let mut depth = 0;
        for_each_operand(&kind, |operand| depth = depth.max(self.depths[operand]));
        if depth >= MAX_DEPTH {
            return Err(self.too_deep(span));
        }
        self.depths.push(depth + 1);
        Ok(self.program.exprs.push(Expr { kind, span }))
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
        Failed
    }

    fn span_of(&self, id: ExprId) -> Span {
        self.program.exprs[id].span
    }

    fn expr(&mut self) -> Parsed<ExprId> {
        self.nested(|parser| parser.binary_expr(ARROW))
    }

    fn nested(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<ExprId>) -> Parsed<ExprId> {
        if self.nesting >= MAX_DEPTH {
            return Err(self.too_deep(self.span()));
        }
        self.nesting += 1;
        let result = stacker::maybe_grow(64 << 10, 1 << 20, || parse(self));
        self.nesting -= 1;
        result
    }

    /// An expression whose outermost operators bind at least as tightly as `strength`.
    fn binary_expr(&mut self, strength: u8) -> Parsed<ExprId> {
        let mut left = self.unary_expr()?;
        loop {
            if self.kind() == Mark("->") && strength <= ARROW {
                self.bump();
                let right = self.nested(|parser| parser.binary_expr(ARROW))?;
                let span = self.span_of(left).to(self.span_of(right));
                return self.add(ExprKind::Arrow(left, right), span);
            }
            let Some((level, op)) = binary(self.kind()).filter(|(level, _)| *level >= strength)
            else {
                return Ok(left);
            };
            self.bump();
            // `=>` groups to the right, all others to the left.
            let right_level = if level == IMPLIES { level } else { level + 1 };
            let right = self.nested(|parser| parser.binary_expr(right_level))?;
            if level == PRODUCT {
                self.warn_ambiguous_minus(op, left);
            }
            let span = self.span_of(left).to(self.span_of(right));
            left = self.add(ExprKind::Binary(op, left, right), span)?;
        }
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
                self.add(ExprKind::Unary(UnaryOp::Not, operand), span)
            }
            Word("pre") => {
                self.bump();
                let operand = self.nested(Self::unary_expr)?;
                self.add(ExprKind::Pre(operand), start.to(self.span_of(operand)))
            }
            Word("if") => self.if_expr(),
            _ => self.postfix_expr(),
        }
    }

    /// A minus in front of a number belongs to the number.
    fn negation(&mut self, start: Span) -> Parsed<ExprId> {
        let literal = matches!(self.kind(), TokenKind::Int | TokenKind::Real);
        let operand = self.nested(Self::unary_expr)?;
        let span = start.to(self.span_of(operand));
        let kind = match &self.program.exprs[operand].kind {
            ExprKind::Int(value) if literal => ExprKind::Int(value.neg()),
            ExprKind::Real(value) if literal => ExprKind::Real(value.neg()),
            _ => ExprKind::Unary(UnaryOp::Neg, operand),
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
        self.add(ExprKind::If(condition, then, otherwise), span)
    }

    fn postfix_expr(&mut self) -> Parsed<ExprId> {
        let mut expr = self.primary()?;
        loop {
            let kind = match self.kind() {
                Mark(".") if self.kind_after(1) == Ident => {
                    self.bump();
                    ExprKind::Field(expr, self.name("a field")?)
                }
                Mark("[") => self.index_suffix(expr)?,
                Mark("{") => self.field_update(expr)?,
                _ => return Ok(expr),
            };
            let span = self.span_of(expr).to(self.last_span());
            expr = self.add(kind, span)?;
        }
    }

    fn index_suffix(&mut self, array: ExprId) -> Parsed<ExprKind> {
        self.bump();
        let index = self.expr()?;
        if self.eat(Mark(":=")) {
            let value = self.expr()?;
            self.expect(Mark("]"), " after the update")?;
            return Ok(ExprKind::WithIndex(array, index, value));
        }
        self.expect(Mark("]"), " after the index")?;
        Ok(ExprKind::Index(array, index))
    }

    fn field_update(&mut self, record: ExprId) -> Parsed<ExprKind> {
        self.bump();
        let field = self.name("a field")?;
        self.expect(Mark(":="), " and the new value")?;
        let value = self.expr()?;
        self.expect(Mark("}"), " after the update")?;
        Ok(ExprKind::WithField(record, field, value))
    }

    fn primary(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        match self.kind() {
            TokenKind::Int => self.int_literal(),
            TokenKind::Real => self.real_literal(),
            Word(word @ ("true" | "false")) => {
                self.bump();
                self.add(ExprKind::Bool(word == "true"), start)
            }
            Word(word @ ("real" | "floor")) => self.cast(word),
            Word("int") => {
                let help = "use `floor(e)`, which rounds down";
                Err(self.unsupported(start, "the cast `int(e)`", help))
            }
            Word("condact") => self.condact(),
            Ident => self.named(),
            Mark("(") => self.parenthesised(),
            Mark("[") => {
                self.bump();
                let elements = self.list(Mark("]"), "an element")?;
                self.add(ExprKind::Array(elements), start.to(self.last_span()))
            }
            _ => Err(self.unexpected("an expression")),
        }
    }

    fn int_literal(&mut self) -> Parsed<ExprId> {
        let span = self.bump();
        match Int::parse(self.slice(span)) {
            Some(value) => self.add(ExprKind::Int(value), span),
            None => {
                let message = format!("this number has more than {} digits", Int::MAX_DIGITS);
                self.report.add(Diagnostic::error("number-too-long", span, message));
                Err(Failed)
            }
        }
    }

    fn real_literal(&mut self) -> Parsed<ExprId> {
        let span = self.bump();
        match Rational::parse(self.slice(span)) {
            Some(value) => self.add(ExprKind::Real(value), span),
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
        self.add(ExprKind::Unary(op, operand), start.to(end))
    }

    fn condact(&mut self) -> Parsed<ExprId> {
        let start = self.bump();
        self.expect(Mark("("), " and the clock")?;
        let clock = self.expr()?;
        self.expect(Mark(","), " and the node call")?;
        let call = self.expr()?;
        if !matches!(self.program.exprs[call].kind, ExprKind::Call(..)) {
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
        self.add(ExprKind::Condact(clock, call, defaults), start.to(self.last_span()))
    }

    /// Expressions separated by commas, and the closing mark.
    fn list(&mut self, close: TokenKind, what: &str) -> Parsed<Vec<ExprId>> {
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
                self.add(ExprKind::Call(name, arguments), start.to(self.last_span()))
            }
            Mark("{") if self.kind_after(2) == Mark("=") => self.record(name),
            _ => self.add(ExprKind::Name(name), start),
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
        let end = self.bump();
        self.add(ExprKind::Record(name, fields), start.to(end))
    }

    fn parenthesised(&mut self) -> Parsed<ExprId> {
        let start = self.bump();
        let mut items = self.list(Mark(")"), "an expression")?;
        let span = start.to(self.last_span());
        match items.len() {
            1 => {
                let inner = items.remove(0);
                self.program.exprs[inner].span = span;
                Ok(inner)
            }
            _ => self.add(ExprKind::Tuple(items), span),
        }
    }
}

/// Calls `visit` for each operand of an expression, in the order they are written.
pub(crate) fn for_each_operand(kind: &ExprKind, mut visit: impl FnMut(ExprId)) {
    match kind {
        ExprKind::Bool(_) | ExprKind::Int(_) | ExprKind::Real(_) | ExprKind::Name(_) => {}
        ExprKind::Unary(_, a) | ExprKind::Pre(a) | ExprKind::Field(a, _) => visit(*a),
        ExprKind::Binary(_, a, b)
        | ExprKind::Arrow(a, b)
        | ExprKind::Index(a, b)
        | ExprKind::WithField(a, _, b) => [*a, *b].into_iter().for_each(visit),
        ExprKind::If(a, b, c) | ExprKind::WithIndex(a, b, c) => {
            [*a, *b, *c].into_iter().for_each(visit);
        }
        ExprKind::Call(_, items) | ExprKind::Tuple(items) | ExprKind::Array(items) => {
            items.iter().copied().for_each(visit);
        }
        ExprKind::Record(_, fields) => fields.iter().for_each(|(_, value)| visit(*value)),
        ExprKind::Condact(clock, call, defaults) => {
            visit(*clock);
            visit(*call);
            defaults.iter().copied().for_each(visit);
        }
    }
}
