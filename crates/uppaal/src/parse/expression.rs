//! Expressions, by precedence.

use super::{Parsed, Parser};
use crate::ast::{Binary, Expr, ExprKind, Quantifier, Unary};
use crate::lex::Token;

/// The operators from the loosest to the tightest; all are left-associative.
const LEVELS: [&[(&str, Binary)]; 13] = [
    &[("imply", Binary::Imply)],
    &[("||", Binary::Or), ("or", Binary::Or)],
    &[("&&", Binary::And), ("and", Binary::And), ("xor", Binary::Xor)],
    &[("|", Binary::BitOr)],
    &[("^", Binary::BitXor)],
    &[("&", Binary::BitAnd)],
    &[("==", Binary::Eq), ("!=", Binary::Ne)],
    &[("<=", Binary::Le), (">=", Binary::Ge), ("<", Binary::Lt), (">", Binary::Gt)],
    &[("<?", Binary::Min), (">?", Binary::Max)],
    &[("<<", Binary::ShiftLeft), (">>", Binary::ShiftRight)],
    &[("+", Binary::Add), ("-", Binary::Sub)],
    &[("*", Binary::Mul), ("/", Binary::Div), ("%", Binary::Mod)],
    &[("**", Binary::Pow)],
];

const ASSIGNMENTS: [(&str, Option<Binary>); 12] = [
    ("=", None),
    (":=", None),
    ("+=", Some(Binary::Add)),
    ("-=", Some(Binary::Sub)),
    ("*=", Some(Binary::Mul)),
    ("/=", Some(Binary::Div)),
    ("%=", Some(Binary::Mod)),
    ("|=", Some(Binary::BitOr)),
    ("&=", Some(Binary::BitAnd)),
    ("^=", Some(Binary::BitXor)),
    ("<<=", Some(Binary::ShiftLeft)),
    (">>=", Some(Binary::ShiftRight)),
];

impl Parser {
    pub(super) fn expression(&mut self) -> Parsed<Expr> {
        self.nested(Parser::assignment)
    }

    fn assignment(&mut self) -> Parsed<Expr> {
        let left = self.choice()?;
        let Some(&(sign, operator)) = ASSIGNMENTS.iter().find(|(sign, _)| self.is_sign(sign))
        else {
            return Ok(left);
        };
        self.expect(sign)?;
        let right = self.expression()?;
        let span = left.span.to(right.span);
        self.make(ExprKind::Assign(operator, Box::new(left), Box::new(right)), span)
    }

    fn choice(&mut self) -> Parsed<Expr> {
        let condition = self.binary(0)?;
        if !self.accept("?") {
            return Ok(condition);
        }
        let then = self.expression()?;
        self.expect(":")?;
        let otherwise = self.nested(Parser::choice)?;
        let span = condition.span.to(otherwise.span);
        let kind = ExprKind::Choice(Box::new(condition), Box::new(then), Box::new(otherwise));
        self.make(kind, span)
    }

    /// The operator that comes next, with how tightly it binds.
    fn operator(&self) -> Option<(usize, Binary)> {
        let found = match self.peek() {
            Token::Sign(sign) => sign,
            Token::Word(word) => word.as_str(),
            _ => return None,
        };
        let find = |level: &&[(&str, Binary)]| {
            level.iter().find(|(sign, _)| *sign == found).map(|(_, operator)| *operator)
        };
        LEVELS.iter().enumerate().find_map(|(level, all)| find(all).map(|found| (level, found)))
    }

    /// Operands joined by operators that bind at least as tightly as `least`.
    fn binary(&mut self, least: usize) -> Parsed<Expr> {
        let mut left = self.unary()?;
        while let Some((level, operator)) = self.operator().filter(|(level, _)| *level >= least) {
            self.advance();
            let right = self.binary(level + 1)?;
            let span = left.span.to(right.span);
            left = self.make(ExprKind::Binary(operator, Box::new(left), Box::new(right)), span)?;
        }
        Ok(left)
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let start = self.span();
        let operator = if self.accept("-") {
            Some(Unary::Minus)
        } else if self.accept("!") || self.accept_word("not") {
            Some(Unary::Not)
        } else if self.accept("+") {
            None
        } else if let Some(step) = self.step() {
            let operand = self.nested(Parser::unary)?;
            let span = start.to(operand.span);
            return self.make(ExprKind::Step(step, false, Box::new(operand)), span);
        } else {
            return self.postfix();
        };
        let operand = self.nested(Parser::unary)?;
        let span = start.to(operand.span);
        match operator {
            Some(operator) => self.make(ExprKind::Unary(operator, Box::new(operand)), span),
            None => Ok(operand),
        }
    }

    fn step(&mut self) -> Option<i64> {
        if self.accept("++") {
            Some(1)
        } else if self.accept("--") {
            Some(-1)
        } else {
            None
        }
    }

    pub(super) fn postfix(&mut self) -> Parsed<Expr> {
        let mut expr = self.primary()?;
        loop {
            let start = expr.span;
            let kind = if self.accept("[") {
                let index = self.expression()?;
                self.expect("]")?;
                ExprKind::Index(Box::new(expr), Box::new(index))
            } else if self.accept("(") {
                ExprKind::Call(Box::new(expr), self.arguments()?)
            } else if self.accept(".") {
                ExprKind::Field(Box::new(expr), self.name()?)
            } else if self.accept("'") {
                ExprKind::Rate(Box::new(expr))
            } else if let Some(step) = self.step() {
                ExprKind::Step(step, true, Box::new(expr))
            } else {
                return Ok(expr);
            };
            expr = self.make(kind, start.to(self.last_span()))?;
        }
    }

    /// What follows `(`, up to and with `)`.
    pub(super) fn arguments(&mut self) -> Parsed<Vec<Expr>> {
        let mut found = Vec::new();
        while !self.accept(")") {
            found.push(self.expression()?);
            if !self.is_sign(")") {
                self.expect(",")?;
            }
        }
        Ok(found)
    }

    pub(super) fn primary(&mut self) -> Parsed<Expr> {
        let span = self.span();
        let kind = match self.peek().clone() {
            Token::Int(value) => ExprKind::Int(value),
            Token::Double(value) => ExprKind::Double(value),
            Token::Word(word) => match word.as_str() {
                "true" => ExprKind::Bool(true),
                "false" => ExprKind::Bool(false),
                "deadlock" => ExprKind::Deadlock,
                "forall" => return self.quantified(Quantifier::ForAll),
                "exists" => return self.quantified(Quantifier::Exists),
                "sum" => return self.quantified(Quantifier::Sum),
                "spawn" | "exit" | "numOf" | "foreach" => {
                    return Err(self.unsupported(span, &format!("`{word}` (dynamic templates)")));
                }
                _ => {
                    return self.name().and_then(|name| self.make(ExprKind::Name(name.text), span));
                }
            },
            Token::Sign("(") => {
                self.advance();
                let mut inside = self.expression()?;
                inside.span = span.to(self.expect(")")?);
                return Ok(inside);
            }
            Token::Text(_) => return Err(self.unsupported(span, "a text")),
            _ => return Err(self.expected("an expression")),
        };
        self.advance();
        self.make(kind, span)
    }

    fn quantified(&mut self, quantifier: Quantifier) -> Parsed<Expr> {
        let start = self.span();
        self.advance();
        self.expect("(")?;
        let name = self.name()?;
        self.expect(":")?;
        let ty = self.type_expr()?;
        self.expect(")")?;
        let body = self.expression()?;
        let span = start.to(body.span);
        self.make(ExprKind::Quantified(quantifier, name, ty, Box::new(body)), span)
    }
}
