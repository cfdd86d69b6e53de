//! Expressions that run at times of their own: `when ... then ... else`, `merge`, `activate`, `restart`;
//! and `any`, `last` and references to modes.

use provoke_base::{Diagnostic, Span};
use provoke_model::{BinaryOp, UnaryOp};

use super::blocks::last_name;
use super::{Failed, Parsed, Parser, for_each_operand};
use crate::ast::{AstAny, AstExprKind, AstMerge, Decl, ExprId, Name};
use crate::lex::TokenKind::{self, Ident, Mark, Word};

impl Parser<'_> {
    /// Whether one of the words that are names elsewhere starts an expression here.
    pub(super) fn at_clocked(&self) -> bool {
        let next = self.kind_after(1);
        let starts = |kind: TokenKind| {
            matches!(kind, Ident | Mark("(") | Word("not" | "true" | "false" | "pre" | "if"))
        };
        match self.slice(self.span()) {
            "when" => starts(next),
            "merge" => matches!(next, Mark("(") | Ident) && !self.is_node("merge"),
            "any" | "choose" => {
                matches!(next, Mark("{" | "@"))
                    || (next == Word("int") || next == Word("bool") || next == Word("real"))
            }
            "last" => next == Ident,
            _ => false,
        }
    }

    pub(super) fn clocked(&mut self) -> Parsed<ExprId> {
        self.program.sugared = true;
        match self.slice(self.span()) {
            "when" => self.when(),
            "merge" => self.merge(),
            "last" => self.last(),
            _ => self.any(),
        }
    }

    /// `when condition then a else b`
    fn when(&mut self) -> Parsed<ExprId> {
        let start = self.bump();
        let condition = self.expr()?;
        self.expect(Word("then"), " after the condition")?;
        let then = self.expr()?;
        self.expect(Word("else"), ": every `when` needs both branches")?;
        let otherwise = self.expr()?;
        let span = start.to(self.span_of(otherwise));
        self.lazy_choice(condition, then, otherwise, span)
    }

    /// A choice in whose branches time passes only when they are taken; the same as `if` where that
    /// makes no difference.
    pub(super) fn lazy_choice(
        &mut self,
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
        span: Span,
    ) -> Parsed<ExprId> {
        let kind = match self.has_time(then) || self.has_time(otherwise) {
            true => AstExprKind::When(condition, then, otherwise),
            false => AstExprKind::If(condition, then, otherwise),
        };
        self.add(kind, span)
    }

    /// Whether it matters when an expression is computed.
    fn has_time(&self, root: ExprId) -> bool {
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            let kind = &self.program.exprs[id].kind;
            if matches!(
                kind,
                AstExprKind::Pre(_)
                    | AstExprKind::Arrow(..)
                    | AstExprKind::Call(..)
                    | AstExprKind::Condact(..)
                    | AstExprKind::Restart(..)
                    | AstExprKind::When(..)
                    | AstExprKind::Any(_)
            ) {
                return true;
            }
            for_each_operand(kind, |operand| open.push(operand));
        }
        false
    }

    /// `a ==> b`: b counts only when a holds.
    pub(super) fn lazy_implication(&mut self, left: ExprId, right: ExprId) -> Parsed<ExprId> {
        self.program.sugared = true;
        let span = self.span_of(left).to(self.span_of(right));
        if !self.has_time(right) {
            return self.add(AstExprKind::Binary(BinaryOp::Implies, left, right), span);
        }
        let holds = self.add(AstExprKind::Bool(true), span)?;
        self.lazy_choice(left, right, holds, span)
    }

    /// `last x`
    fn last(&mut self) -> Parsed<ExprId> {
        let start = self.bump();
        let name = self.name("a variable")?;
        let span = start.to(name.span);
        if !self.in_frame {
            self.report.add(
                Diagnostic::error("last", span, "`last` outside of a frame")
                    .label("only a frame keeps last values")
                    .help("use `pre`"),
            );
            return Err(Failed);
        }
        self.add(AstExprKind::Name(Name { span, ..last_name(&name) }), span)
    }

    /// `merge (clock; e1; e2)`, `merge clock (A -> e1) (B -> e2)`
    fn merge(&mut self) -> Parsed<ExprId> {
        let start = self.bump();
        if self.kind() == Ident {
            return self.merge_by_name(start);
        }
        self.bump();
        let clock = self.name("a clock")?;
        self.merge_mark()?;
        let then = self.merge_case(&|parser| parser.clock_name(&clock))?;
        self.merge_mark()?;
        let otherwise = self.merge_case(&|parser| {
            let name = parser.clock_name(&clock)?;
            parser.add(AstExprKind::Unary(UnaryOp::Not, name), clock.span)
        })?;
        let end = self.expect(Mark(")"), " after the cases")?;
        let condition = self.clock_name(&clock)?;
        self.add(AstExprKind::If(condition, then, otherwise), start.to(end))
    }

    fn merge_mark(&mut self) -> Parsed<()> {
        if self.eat(Mark(",")) {
            return Ok(());
        }
        self.expect(Mark(";"), " before the next case")?;
        Ok(())
    }

    fn clock_name(&mut self, clock: &Name) -> Parsed<ExprId> {
        self.add(AstExprKind::Name(clock.clone()), clock.span)
    }

    /// The expression of a case. A bare call runs only in its case; all else runs always.
    fn merge_case(&mut self, active: &dyn Fn(&mut Self) -> Parsed<ExprId>) -> Parsed<ExprId> {
        let expr = self.expr()?;
        if self.at_word("when") {
            self.bump();
            self.expr()?;
            return Ok(expr);
        }
        match self.program.exprs[expr].kind {
            AstExprKind::Call(..) => {
                let (condition, span) = (active(self)?, self.span_of(expr));
                self.add(AstExprKind::Condact(condition, expr, Vec::new()), span)
            }
            _ => Ok(expr),
        }
    }

    fn merge_by_name(&mut self, start: Span) -> Parsed<ExprId> {
        let clock = self.name("a clock")?;
        let mut cases: Vec<(ExprId, ExprId, String, Span)> = Vec::new();
        while self.kind() == Mark("(") {
            let open = self.bump();
            let value = self.merge_value()?;
            self.expect(Mark("->"), " and the expression of the case")?;
            let text = self.slice(self.span_of(value)).to_string();
            let is_it = |parser: &mut Self| {
                let name = parser.clock_name(&clock)?;
                let value = parser.repeated_value(value)?;
                parser.add(AstExprKind::Binary(BinaryOp::Eq, name, value), open)
            };
            let expr = self.merge_case(&is_it)?;
            self.expect(Mark(")"), " after the case")?;
            let condition = is_it(self)?;
            if let Some((.., first)) = cases.iter().find(|(_, _, other, _)| *other == text) {
                let message = format!("`{text}` has two cases");
                let span = self.span_of(value);
                let error = Diagnostic::error("merge-cases", span, message);
                self.report.add(error.label("again here").also(*first, "first here"));
                return Err(Failed);
            }
            cases.push((condition, expr, text, self.span_of(value)));
        }
        let span = start.to(self.last_span());
        if cases.len() < 2 {
            return Err(self.unexpected("`(` and at least two cases"));
        }
        let names: Vec<Name> = cases
            .iter()
            .map(|(_, _, text, span)| Name { text: text.as_str().into(), span: *span })
            .collect();
        let first = cases[0].0;
        let Some((_, mut result, ..)) = cases.pop() else { return Err(Failed) };
        while let Some((condition, expr, ..)) = cases.pop() {
            result = self.add(AstExprKind::If(condition, expr, result), span)?;
        }
        if let AstExprKind::Binary(_, clock, _) = self.program.exprs[first].kind {
            self.program.merges.push(AstMerge { clock, cases: names, span });
        }
        Ok(result)
    }

    fn merge_value(&mut self) -> Parsed<ExprId> {
        let span = self.span();
        match self.kind() {
            Word(word @ ("true" | "false")) => {
                self.bump();
                self.add(AstExprKind::Bool(word == "true"), span)
            }
            _ => {
                let name = self.name("a value of the clock")?;
                self.add(AstExprKind::Name(name), span)
            }
        }
    }

    fn repeated_value(&mut self, value: ExprId) -> Parsed<ExprId> {
        let span = self.span_of(value);
        let kind = match &self.program.exprs[value].kind {
            AstExprKind::Bool(value) => AstExprKind::Bool(*value),
            AstExprKind::Name(name) => AstExprKind::Name(name.clone()),
            _ => return Err(Failed),
        };
        self.add(kind, span)
    }

    /// Whether `(activate` or `(restart` stands here, and not a variable of that name.
    pub(super) fn at_modified_call(&self) -> bool {
        let word = |ahead: usize| {
            let token = self.tokens.get(self.at + ahead);
            token.map_or("", |token| self.slice(token.span))
        };
        self.kind() == Mark("(")
            && matches!(word(1), "activate" | "restart")
            && self.kind_after(2) == Ident
            && matches!(word(3), "every" | "restart")
    }

    /// `(activate N every c initial default (d))(args)`, `(restart N every c)(args)`, and both:
    /// `(activate N every c initial default (d) restart every r)(args)`
    pub(super) fn modified_call(&mut self) -> Parsed<ExprId> {
        self.program.sugared = true;
        let start = self.bump();
        let activates = self.at_word("activate");
        self.bump();
        let name = self.name("a node")?;
        self.expect_word("every")?;
        let condition = self.expr()?;
        let mut defaults = Vec::new();
        let mut restart = None;
        if activates && self.at_word("initial") {
            self.bump();
            self.expect_word("default")?;
            defaults = self.defaults()?;
        }
        if activates && self.at_word("restart") {
            self.bump();
            self.expect_word("every")?;
            restart = Some(self.expr()?);
        }
        self.expect(Mark(")"), " and the arguments of the call")?;
        self.expect(Mark("("), " and the arguments of the call")?;
        let arguments = self.list(Mark(")"), "an argument")?;
        let span = start.to(self.last_span());
        let mut call = self.add(AstExprKind::Call(name, arguments), span)?;
        if let Some(restart) = restart {
            call = self.add(AstExprKind::Restart(restart, call), span)?;
        }
        match activates {
            true => self.add(AstExprKind::Condact(condition, call, defaults), span),
            false => self.add(AstExprKind::Restart(condition, call), span),
        }
    }

    fn defaults(&mut self) -> Parsed<Vec<ExprId>> {
        if self.kind() == Mark("(") {
            self.bump();
            return self.list(Mark(")"), "a default");
        }
        let mut defaults = vec![self.expr()?];
        while self.eat(Mark(",")) {
            defaults.push(self.expr()?);
        }
        Ok(defaults)
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        if self.at_word(word) {
            self.bump();
            return Ok(());
        }
        Err(self.unexpected(&format!("`{word}`")))
    }

    /// `any { x: T | P }`, `any@<T>`, `any T`
    fn any(&mut self) -> Parsed<ExprId> {
        let word = self.slice(self.span()).to_string();
        let start = self.bump();
        if word == "choose" {
            let help = "use `any`, which may have another value each time";
            return Err(self.unsupported(start, "`choose`", help));
        }
        let unnamed = Name { text: "any".into(), span: start };
        let (decl, condition) = if self.eat(Mark("{")) {
            let name = self.name("the value")?;
            self.expect(Mark(":"), " and a type")?;
            let ty = self.type_expr()?;
            let condition = if self.eat(Mark("|")) { Some(self.expr()?) } else { None };
            self.expect(Mark("}"), " after the condition")?;
            (Decl { name, ty, constant: false }, condition)
        } else if self.eat(Mark("@")) {
            self.expect(Mark("<"), " before the type")?;
            let ty = self.type_expr()?;
            self.expect(Mark(">"), " after the type")?;
            (Decl { name: unnamed, ty, constant: false }, None)
        } else {
            let ty = self.type_expr()?;
            (Decl { name: unnamed, ty, constant: false }, None)
        };
        let span = start.to(self.last_span());
        self.add(AstExprKind::Any(Box::new(AstAny { decl, condition })), span)
    }

    /// `::contract::mode`
    pub(super) fn mode_reference(&mut self) -> Parsed<ExprId> {
        let start = self.span();
        let mut path = Vec::new();
        while self.eat(Mark("::")) {
            path.push(self.name("a mode")?);
        }
        self.add(AstExprKind::Mode(path), start.to(self.last_span()))
    }
}
