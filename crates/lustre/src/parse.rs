//! Tokens to a tree, by recursive descent. Every construct that cannot be read is reported
//! and skipped, so that one run tells of several mistakes.

mod blocks;
mod clocked;
mod contract;
mod expr;
mod sugar;

use provoke_base::{Diagnostic, IndexVec, Span};
use provoke_model::{BinaryOp, MachineInt, PropertyGoal, UnaryOp};

use crate::ast::{
    AstEquation, AstExprKind, AstNode, AstProgram, AstProperty, Body, Constant, Decl, ExprId, Name,
    TypeBase, TypeBody, TypeDef, TypeExpr,
};
use crate::lex::TokenKind::{End, Ident, Mark, Property as PropertyMark, Text, Word};
use crate::lex::{CONTRACT, Token, TokenKind};
use crate::report::Report;
use crate::sugar::TypeSugar;

/// An error was reported; the caller skips to where it can go on.
struct Failed;

type Parsed<T> = Result<T, Failed>;

/// Reads a whole file.
pub(crate) fn parse(text: &str, tokens: &[Token], report: &mut Report) -> AstProgram {
    let mut parser = Parser::new(text, tokens, AstProgram::default(), report);
    parser.items();
    parser.program
}

/// Reads one expression into the arena of a program; nothing may follow it.
pub(crate) fn parse_expr(
    text: &str,
    tokens: &[Token],
    program: &mut AstProgram,
    report: &mut Report,
) -> Option<ExprId> {
    let mut parser = Parser::new(text, tokens, std::mem::take(program), report);
    let expr = parser.expr().and_then(|expr| match parser.kind() {
        End => Ok(expr),
        _ => Err(parser.unexpected("an operator or the end of the expression")),
    });
    *program = parser.program;
    expr.ok()
}

struct Parser<'a> {
    text: &'a str,
    tokens: &'a [Token],
    at: usize,
    /// How many calls of `expr` are open.
    nesting: u32,
    /// The height of each expression's tree.
    depths: IndexVec<ExprId, u32>,
    program: AstProgram,
    /// The rest of the file is not read; what is missing there is no error.
    gave_up: bool,
    /// Whether `last` has a meaning here.
    in_frame: bool,
    report: &'a mut Report,
}

impl<'a> Parser<'a> {
    fn new(
        text: &'a str,
        tokens: &'a [Token],
        program: AstProgram,
        report: &'a mut Report,
    ) -> Self {
        // What is in the arena already is part of nothing that is read from here on.
        let depths = IndexVec::repeat(0, program.exprs.len());
        let (at, nesting, gave_up, in_frame) = (0, 0, false, false);
        Parser { text, tokens, at, nesting, depths, program, gave_up, in_frame, report }
    }
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
        if self.gave_up {
            return Failed;
        }
        let found = self.describe_current();
        let message = format!("expected {expected}, found {found}");
        let closes = ["`;`", "`)`", "`]`", "`}`"].iter().any(|mark| expected.starts_with(mark));
        let error = if closes && self.at > 0 {
            let place = self.last_span().after();
            let short = expected.split(' ').next().unwrap_or(expected);
            let missing = format!("{short} is missing here");
            let error = Diagnostic::error("syntax", place, message).label(missing);
            let adjacent = self.span().start == place.start;
            if adjacent { error } else { error.also(self.span(), "found this instead") }
        } else {
            let error = Diagnostic::error("syntax", self.span(), message);
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
            // It was meant as a name; do not take it for the start of something else.
            if matches!(self.kind_after(1), Mark(":" | "," | "=" | ")")) {
                self.bump();
            }
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
            Ident if self.at_word("datatype") => self.datatype(),
            Word("const") => self.constants(),
            Word("node" | "function") => self.node(),
            Ident if self.at_word("transparent") => {
                self.bump();
                self.node()
            }
            Ident if self.at_word("contract") => self.contract_node(),
            Mark(CONTRACT) => self.contract_node_in_comment(),
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
            let params = self.type_params()?;
            if self.eat(Mark(";")) {
                self.program.sugared = true;
                self.program.types.push(TypeDef { name, params, body: TypeBody::Free });
                return Ok(());
            }
            self.expect(Mark("="), " and the type's definition")?;
            let body = match self.kind() {
                Word("struct") => self.struct_body()?,
                Word("enum") => self.enum_body()?,
                _ => TypeBody::Alias(self.type_expr()?),
            };
            self.program.types.push(TypeDef { name, params, body });
            self.expect(Mark(";"), " after the type")?;
            if self.kind() != Ident || !matches!(self.kind_after(1), Mark("=" | "<" | ";")) {
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
            let mut names = self.names("a constant")?;
            let ty = if self.eat(Mark(":")) { Some(self.type_expr()?) } else { None };
            if self.kind() == Mark(";") && ty.is_some() {
                self.program.sugared = true;
                for name in names {
                    self.program.constants.push(Constant { name, ty: ty.clone(), value: None });
                }
            } else {
                self.expect(Mark("="), " and the constant's value")?;
                let value = Some(self.expr()?);
                let Some(name) = names.pop().filter(|_| names.is_empty()) else {
                    return Err(self.unexpected("one name for one value"));
                };
                self.program.constants.push(Constant { name, ty, value });
            }
            self.expect(Mark(";"), " after the constant")?;
            if self.kind() != Ident || !matches!(self.kind_after(1), Mark(":" | "=" | ",")) {
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
            Ident if self.at_machine() => TypeBase::Machine(self.sized_machine()?),
            Ident if self.kind_after(1) == Mark("<") => self.applied_type()?,
            Ident if self.at_word("subtype") && self.kind_after(1) == Mark("{") => {
                self.refined_type()?
            }
            Mark("[") => self.tuple_type()?,
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

    /// `uint<12>`, `sint<5>`
    fn sized_machine(&mut self) -> Parsed<MachineInt> {
        let name = self.name("a type")?;
        let signed = match &*name.text {
            "sint" => true,
            "uint" => false,
            _ => return Err(self.unexpected("no `<`: only `sint` and `uint` have a width")),
        };
        self.machine_width(signed)
    }

    /// The number of bits between `<` and `>`.
    pub(super) fn machine_width(&mut self, signed: bool) -> Parsed<MachineInt> {
        self.expect(Mark("<"), " before the number of bits")?;
        let span = self.expect(TokenKind::Int, ", the number of bits")?;
        self.expect(Mark(">"), " after the number of bits")?;
        let bits = self.slice(span).parse::<u8>().ok();
        match bits.filter(|bits| (1..=MachineInt::MAX_BITS).contains(bits)) {
            Some(bits) => Ok(MachineInt { bits, signed }),
            None => {
                let message = format!("machine integers have 1 to {} bits", MachineInt::MAX_BITS);
                self.report.add(
                    Diagnostic::error("machine-width", span, message)
                        .label("not a width that is supported")
                        .help("use `int` for integers without bounds"),
                );
                Err(Failed)
            }
        }
    }

    fn subrange(&mut self) -> Parsed<TypeBase> {
        self.bump();
        self.expect(Mark("["), " before the bounds of the subrange")?;
        let low = self.bound()?;
        self.expect(Mark(","), " between the bounds of the subrange")?;
        let high = self.bound()?;
        self.expect(Mark("]"), " after the bounds of the subrange")?;
        self.expect(Word("of"), " and `int` after the bounds")?;
        self.expect(Word("int"), ": only integers have subranges")?;
        Ok(match (low, high) {
            (Some(low), Some(high)) => TypeBase::Subrange(low, high),
            (low, high) => self.type_sugar(TypeSugar::Open(low, high)),
        })
    }

    /// Declarations up to `close`, which is not consumed.
    fn decls(&mut self, close: TokenKind, what: &str) -> Parsed<Vec<Decl>> {
        let mut decls = Vec::new();
        while self.kind() != close {
            let constant = self.eat(Word("const"));
            self.program.sugared |= constant;
            let before = decls.len();
            self.decl_group(what, &mut decls)?;
            decls[before..].iter_mut().for_each(|decl| decl.constant = constant);
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
        let ty = self.refined_decl(&names, ty)?;
        self.reject_clock()?;
        decls.extend(names.into_iter().map(|name| Decl { name, ty: ty.clone(), constant: false }));
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
        let function = self.kind() == Word("function");
        let start = self.bump();
        let body = self.node_body();
        if self.at_word("rec") && self.kind_after(1) == Ident {
            let help = "unfold it by hand to the depth that is needed";
            return Err(self.unsupported(self.span(), "recursion", help));
        }
        let name = self.name(if function { "a function" } else { "a node" })?;
        let type_params = self.type_params()?;
        let inputs = self.params("the inputs")?;
        self.expect(Word("returns"), " and the outputs")?;
        let outputs = self.params("the outputs")?;
        self.eat(Mark(";"));
        let mut node = AstNode {
            name,
            type_params,
            inputs,
            outputs,
            locals: Vec::new(),
            equations: Vec::new(),
            asserts: Vec::new(),
            properties: Vec::new(),
            contract: None,
            function,
            body,
            free: Vec::new(),
            constraints: Vec::new(),
            span: start,
        };
        self.program.sugared |= function || body != Body::Known;
        self.node_contract(&mut node)?;
        let mut complete = Ok(());
        // A function without a body is one whose results nobody knows.
        if function && (self.kind() == End || starts_item(self.kind())) && body == Body::Known {
            node.body = Body::Imported;
        }
        if node.body != Body::Imported {
            self.locals(&mut node)?;
            self.expect(Word("let"), " and the equations")?;
            complete = self.body(&mut node);
        }
        node.span = start.to(self.last_span());
        self.program.nodes.push(node);
        complete
    }

    /// `imported`, `opaque`; these words are names elsewhere.
    fn node_body(&mut self) -> Body {
        let body = match self.slice(self.span()) {
            _ if self.kind_after(1) != Ident => Body::Known,
            "imported" => Body::Imported,
            "opaque" => Body::Opaque,
            _ => Body::Known,
        };
        if body != Body::Known || (self.at_word("transparent") && self.kind_after(1) == Ident) {
            self.bump();
        }
        body
    }

    fn params(&mut self, what: &str) -> Parsed<Vec<Decl>> {
        self.expect(Mark("("), &format!(" before {what}"))?;
        let decls = self.decls(Mark(")"), "a variable")?;
        self.expect(Mark(")"), &format!(" after {what}"))?;
        Ok(decls)
    }

    fn locals(&mut self, node: &mut AstNode) -> Parsed<()> {
        loop {
            if self.kind() == Word("const") {
                self.local_constants(node)?;
            }
            if !self.eat(Word("var")) {
                break;
            }
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

    /// `const n: int = 3;` inside a node: a variable that is always the same.
    fn local_constants(&mut self, node: &mut AstNode) -> Parsed<()> {
        while self.eat(Word("const")) {
            self.program.sugared = true;
            while self.kind() == Ident {
                let name = self.name("a constant")?;
                let span = name.span;
                let ty = if self.eat(Mark(":")) { Some(self.type_expr()?) } else { None };
                if let Some(ty) = ty.clone().filter(|_| self.kind() == Mark(";")) {
                    self.bump();
                    self.free_local_constant(node, name, ty)?;
                    continue;
                }
                self.expect(Mark("="), " and the constant's value")?;
                let expr = self.expr()?;
                let literal = |base| TypeExpr { base, sizes: Vec::new(), span };
                let Some(ty) = ty.or_else(|| self.literal_type(expr).map(literal)) else {
                    let help = "write the type: `const name: type = value;`";
                    return Err(self.unsupported(span, "a constant without a type here", help));
                };
                self.expect(Mark(";"), " after the constant")?;
                node.locals.push(Decl { name: name.clone(), ty, constant: true });
                node.equations.push(AstEquation {
                    targets: vec![name],
                    targets_span: span,
                    indices: Vec::new(),
                    expr,
                });
            }
        }
        Ok(())
    }

    /// `const n: int;` inside a node: nobody knows its value, but it is always the same.
    fn free_local_constant(&mut self, node: &mut AstNode, name: Name, ty: TypeExpr) -> Parsed<()> {
        let span = name.span;
        let now = self.add(AstExprKind::Name(name.clone()), span)?;
        let before = self.add(AstExprKind::Name(name.clone()), span)?;
        let before = self.add(AstExprKind::Pre(before), span)?;
        let same = self.add(AstExprKind::Binary(BinaryOp::Eq, now, before), span)?;
        let first = self.add(AstExprKind::Bool(true), span)?;
        let frozen = self.add(AstExprKind::Arrow(first, same), span)?;
        node.constraints.push(frozen);
        node.free.push(name.clone());
        node.locals.push(Decl { name, ty, constant: true });
        Ok(())
    }

    fn body(&mut self, node: &mut AstNode) -> Parsed<()> {
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
                self.skip_statement();
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

    /// Skips to where the next statement seems to start; a `;` inside parentheses is not it.
    fn skip_statement(&mut self) {
        while self.kind() != End && self.kind() != Word("tel") && !starts_item(self.kind()) {
            if self.bump_is_semicolon() && self.at_statement() {
                return;
            }
        }
    }

    fn bump_is_semicolon(&mut self) -> bool {
        let semicolon = self.kind() == Mark(";");
        self.bump();
        semicolon
    }

    fn at_statement(&self) -> bool {
        match self.kind() {
            Word("tel" | "assert") | PropertyMark | Mark("(") | End => true,
            Ident => matches!(self.kind_after(1), Mark("=" | "," | ":=" | "[")) || self.at_check(),
            kind => starts_item(kind),
        }
    }

    /// The `;` that ends a statement. A missing one is reported, and if the next statement
    /// follows at once, nothing else is lost.
    fn end_statement(&mut self, why: &str) -> Parsed<()> {
        if self.eat(Mark(";")) {
            return Ok(());
        }
        if self.kind() == Mark(")") {
            let span = self.bump();
            let error = Diagnostic::error("syntax", span, "this `)` closes nothing");
            self.report.add(error.label("one `)` too many"));
            return Err(Failed);
        }
        let failed = self.unexpected(&format!("`;`{why}"));
        if self.at_statement() { Ok(()) } else { Err(failed) }
    }

    fn statement(&mut self, node: &mut AstNode) -> Parsed<()> {
        match self.kind() {
            Mark(";") => {
                self.bump();
            }
            PropertyMark => self.property(node)?,
            Ident if self.at_check() => self.property(node)?,
            _ if self.at_block() => self.block(node)?,
            Word("assert") => {
                self.bump();
                let expr = self.expr()?;
                node.asserts.push(expr);
                self.end_statement(" after the assertion")?;
            }
            _ => self.equation(node)?,
        }
        Ok(())
    }

    /// Whether `check` starts a statement here: it is a name elsewhere.
    fn at_check(&self) -> bool {
        let is_name = matches!(self.kind_after(1), Mark("=" | "," | ":="));
        self.at_word("check") && !is_name
    }

    /// `--%PROPERTY "name" expr;`, `check "name" expr;`, `check reachable expr;`,
    /// `check expr provided condition;`
    fn property(&mut self, node: &mut AstNode) -> Parsed<()> {
        self.program.sugared |= self.kind() != PropertyMark;
        self.bump();
        let is_name = matches!(self.kind_after(1), Mark(_)) && self.kind_after(1) != Mark("(");
        let reachable = self.at_word("reachable") && !is_name;
        if reachable {
            self.program.sugared = true;
            self.bump();
        }
        let name = self.quoted_name();
        let expr = self.expr()?;
        if reachable {
            self.refuse_bounds()?;
            self.reachable(node, name, expr)?;
        } else if self.at_word("provided") {
            self.program.sugared = true;
            self.bump();
            let condition = self.expr()?;
            let span = self.program.exprs[expr].span;
            let kind = AstExprKind::Binary(BinaryOp::Implies, condition, expr);
            let expr = self.add(kind, span)?;
            node.properties.push(AstProperty {
                name: name.clone(),
                expr,
                goal: PropertyGoal::Always,
            });
            self.reachable(node, name.map(|name| format!("{name} provided")), condition)?;
        } else {
            node.properties.push(AstProperty { name, expr, goal: PropertyGoal::Always });
        }
        self.end_statement(" after the property")
    }

    /// Something to be reached: its opposite is not to hold always.
    fn reachable(&mut self, node: &mut AstNode, name: Option<String>, expr: ExprId) -> Parsed<()> {
        let span = self.program.exprs[expr].span;
        let expr = self.add(AstExprKind::Unary(UnaryOp::Not, expr), span)?;
        node.properties.push(AstProperty { name, expr, goal: PropertyGoal::Reachable });
        Ok(())
    }

    fn refuse_bounds(&mut self) -> Parsed<()> {
        if ["at", "from", "within"].iter().any(|word| self.at_word(word)) {
            let help = "count steps with a variable, `n = 0 -> pre n + 1`, and ask for them";
            return Err(self.unsupported(self.span(), "a step bound of `reachable`", help));
        }
        Ok(())
    }

    fn equation(&mut self, node: &mut AstNode) -> Parsed<()> {
        let equation = self.equation_before_end()?;
        node.equations.push(equation);
        self.reject_clock()?;
        self.end_statement(" after the equation")
    }

    /// An equation with its `;`.
    fn plain_equation(&mut self) -> Parsed<AstEquation> {
        let equation = self.equation_before_end()?;
        self.expect(Mark(";"), " after the equation")?;
        Ok(equation)
    }

    fn equation_before_end(&mut self) -> Parsed<AstEquation> {
        let start = self.span();
        let targets = if self.eat(Mark("(")) {
            let close = self.kind() == Mark(")");
            let names = if close { Vec::new() } else { self.names("a variable")? };
            self.expect(Mark(")"), " after the variables")?;
            names
        } else {
            self.names("a variable")?
        };
        let indices = self.indices(&targets)?;
        let targets_span = start.to(self.last_span());
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
        Ok(AstEquation { targets, targets_span, indices, expr })
    }
}

/// Calls `visit` for each operand of an expression, in the order they are written.
pub fn for_each_operand(kind: &AstExprKind, mut visit: impl FnMut(ExprId)) {
    match kind {
        AstExprKind::Bool(_)
        | AstExprKind::Int(_)
        | AstExprKind::Real(_)
        | AstExprKind::Mode(_)
        | AstExprKind::Name(_) => {}
        AstExprKind::Unary(_, a)
        | AstExprKind::Flip(a)
        | AstExprKind::Convert(_, a)
        | AstExprKind::Pre(a)
        | AstExprKind::Field(a, _) => visit(*a),
        AstExprKind::Sugar(sugar) => sugar::for_each_operand(sugar, visit),
        AstExprKind::Binary(_, a, b)
        | AstExprKind::Bits(_, a, b)
        | AstExprKind::Arrow(a, b)
        | AstExprKind::Index(a, b)
        | AstExprKind::Restart(a, b)
        | AstExprKind::WithField(a, _, b) => [*a, *b].into_iter().for_each(visit),
        AstExprKind::Any(any) => any.condition.into_iter().for_each(visit),
        AstExprKind::If(a, b, c) | AstExprKind::When(a, b, c) | AstExprKind::WithIndex(a, b, c) => {
            [*a, *b, *c].into_iter().for_each(visit);
        }
        AstExprKind::Call(_, items) | AstExprKind::Tuple(items) | AstExprKind::Array(items) => {
            items.iter().copied().for_each(visit);
        }
        AstExprKind::Record(_, fields) => fields.iter().for_each(|(_, value)| visit(*value)),
        AstExprKind::Condact(clock, call, defaults) => {
            visit(*clock);
            visit(*call);
            defaults.iter().copied().for_each(visit);
        }
    }
}

/// The same for operands that are to be replaced.
pub(crate) fn for_each_operand_mut(kind: &mut AstExprKind, mut visit: impl FnMut(&mut ExprId)) {
    match kind {
        AstExprKind::Bool(_)
        | AstExprKind::Int(_)
        | AstExprKind::Real(_)
        | AstExprKind::Mode(_)
        | AstExprKind::Name(_) => {}
        AstExprKind::Unary(_, a)
        | AstExprKind::Flip(a)
        | AstExprKind::Convert(_, a)
        | AstExprKind::Pre(a)
        | AstExprKind::Field(a, _) => visit(a),
        AstExprKind::Binary(_, a, b)
        | AstExprKind::Bits(_, a, b)
        | AstExprKind::Arrow(a, b)
        | AstExprKind::Index(a, b)
        | AstExprKind::Restart(a, b)
        | AstExprKind::WithField(a, _, b) => [a, b].into_iter().for_each(visit),
        AstExprKind::Any(any) => any.condition.iter_mut().for_each(visit),
        AstExprKind::If(a, b, c) | AstExprKind::When(a, b, c) | AstExprKind::WithIndex(a, b, c) => {
            [a, b, c].into_iter().for_each(visit)
        }
        AstExprKind::Call(_, items) | AstExprKind::Tuple(items) | AstExprKind::Array(items) => {
            items.iter_mut().for_each(visit);
        }
        AstExprKind::Record(_, fields) => fields.iter_mut().for_each(|(_, value)| visit(value)),
        AstExprKind::Sugar(sugar) => sugar::for_each_operand_mut(sugar, visit),
        AstExprKind::Condact(clock, call, defaults) => {
            visit(clock);
            visit(call);
            defaults.iter_mut().for_each(visit);
        }
    }
}
