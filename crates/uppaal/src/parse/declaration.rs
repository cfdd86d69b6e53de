//! Declarations and types.

use super::{Parsed, Parser};
use crate::ast::{
    Declaration, Declarator, Dimension, Expr, ExprKind, Function, Prefix, TypeExpr, TypeKind,
};
use crate::lex::Token;

impl Parser {
    /// One declaration; several names make several.
    pub(super) fn declaration(&mut self, found: &mut Vec<Declaration>) -> Parsed<()> {
        if self.accept(";") {
            return Ok(());
        }
        if self.accept_word("typedef") {
            let ty = self.type_expr()?;
            return self.declarators(ty, Declaration::Type, found);
        }
        if self.is_word("chan") && *self.peek_after(1) == Token::Word("priority".to_string()) {
            found.push(self.priorities()?);
            return Ok(());
        }
        for word in ["import", "dynamic", "before_update", "after_update"] {
            if self.is_word(word) {
                return Err(self.unsupported(self.span(), &format!("`{word}`")));
            }
        }
        let ty = self.type_expr()?;
        if matches!(self.peek(), Token::Word(_)) && *self.peek_after(1) == Token::Sign("(") {
            found.push(Declaration::Function(self.function(ty)?));
            return Ok(());
        }
        self.declarators(ty, Declaration::Variable, found)
    }

    fn declarators(
        &mut self,
        ty: TypeExpr,
        make: fn(Declarator) -> Declaration,
        found: &mut Vec<Declaration>,
    ) -> Parsed<()> {
        loop {
            found.push(make(self.declarator(ty.clone(), false)?));
            if !self.accept(",") {
                return self.expect(";").map(drop);
            }
        }
    }

    /// A name with array sizes and an initial value.
    fn declarator(&mut self, ty: TypeExpr, reference: bool) -> Parsed<Declarator> {
        let name = self.name()?;
        let dimensions = self.dimensions()?;
        let init = if self.accept("=") || self.accept(":=") {
            Some(self.nested(Parser::initial_value)?)
        } else {
            None
        };
        Ok(Declarator { ty, reference, name, dimensions, init })
    }

    fn dimensions(&mut self) -> Parsed<Vec<Dimension>> {
        let mut found = Vec::new();
        while self.accept("[") {
            let is_type = ["int", "scalar", "bool"].iter().any(|word| self.is_word(word));
            found.push(if is_type {
                Dimension::Type(self.type_expr()?)
            } else {
                Dimension::Count(self.expression()?)
            });
            self.expect("]")?;
        }
        Ok(found)
    }

    fn initial_value(&mut self) -> Parsed<Expr> {
        let start = self.span();
        if !self.accept("{") {
            return self.expression();
        }
        let mut items = Vec::new();
        while !self.is_sign("}") {
            // `{field: value}` is read in order, as the tool that introduced it does.
            if *self.peek_after(1) == Token::Sign(":") {
                self.advance();
                self.advance();
            }
            items.push(self.nested(Parser::initial_value)?);
            if !self.is_sign("}") {
                self.expect(",")?;
            }
        }
        let span = start.to(self.expect("}")?);
        self.make(ExprKind::List(items), span)
    }

    pub(super) fn type_expr(&mut self) -> Parsed<TypeExpr> {
        let start = self.span();
        let mut prefix = Prefix::default();
        while let Token::Word(word) = self.peek() {
            match word.as_str() {
                "const" => prefix.constant = true,
                "meta" => prefix.meta = true,
                "urgent" => prefix.urgent = true,
                "broadcast" => prefix.broadcast = true,
                // For zones a hybrid clock would be abstracted away; here it is a clock.
                "hybrid" => {}
                _ => break,
            }
            self.advance();
        }
        let kind = self.type_kind(prefix)?;
        Ok(TypeExpr { kind, prefix, span: start.to(self.last_span()) })
    }

    fn type_kind(&mut self, prefix: Prefix) -> Parsed<TypeKind> {
        let Token::Word(word) = self.peek().clone() else {
            return Err(self.expected("a type"));
        };
        self.advance();
        Ok(match word.as_str() {
            "void" => TypeKind::Void,
            "bool" => TypeKind::Bool,
            "double" => TypeKind::Double,
            "string" => TypeKind::Text,
            "clock" => TypeKind::Clock,
            "chan" => TypeKind::Chan,
            "int" if self.accept("[") => {
                let low = self.expression()?;
                self.expect(",")?;
                let high = self.expression()?;
                self.expect("]")?;
                TypeKind::Range(Box::new(low), Box::new(high))
            }
            "int" => TypeKind::Int,
            "scalar" => {
                self.expect("[")?;
                let count = self.expression()?;
                self.expect("]")?;
                TypeKind::Scalar(Box::new(count))
            }
            "struct" => TypeKind::Struct(self.fields()?),
            // Old files leave out `int` behind `const`.
            _ if prefix.constant && matches!(self.peek(), Token::Sign("=" | ":=")) => {
                self.at -= 1;
                TypeKind::Int
            }
            _ if super::RESERVED.contains(&word.as_str()) => {
                self.at -= 1;
                return Err(self.expected("a type"));
            }
            _ => TypeKind::Named(word),
        })
    }

    fn fields(&mut self) -> Parsed<Vec<Declarator>> {
        self.nested(|parser| {
            parser.expect("{")?;
            let mut found = Vec::new();
            while !parser.accept("}") {
                let ty = parser.type_expr()?;
                loop {
                    found.push(parser.declarator(ty.clone(), false)?);
                    if !parser.accept(",") {
                        break;
                    }
                }
                parser.expect(";")?;
            }
            Ok(found)
        })
    }

    /// Parameters up to, but without, `end`.
    pub(super) fn parameter_list(&mut self, end: Token) -> Parsed<Vec<Declarator>> {
        let mut found = Vec::new();
        while *self.peek() != end {
            let ty = self.type_expr()?;
            let reference = self.accept("&");
            found.push(self.declarator(ty, reference)?);
            if *self.peek() != end {
                // Old files separate groups of parameters by semicolons.
                if !self.accept(";") {
                    self.expect(",")?;
                }
            }
        }
        Ok(found)
    }

    fn function(&mut self, result: TypeExpr) -> Parsed<Function> {
        let name = self.name()?;
        self.expect("(")?;
        let parameters = self.parameter_list(Token::Sign(")"))?;
        self.expect(")")?;
        let body = self.block()?;
        Ok(Function { result, name, parameters, body })
    }

    fn priorities(&mut self) -> Parsed<Declaration> {
        let start = self.span();
        self.advance();
        self.advance();
        let mut levels = vec![Vec::new()];
        loop {
            let channel = if self.accept_word("default") { None } else { Some(self.postfix()?) };
            levels.last_mut().expect("one level at least").push(channel);
            if self.accept("<") {
                levels.push(Vec::new());
            } else if !self.accept(",") {
                break;
            }
        }
        let span = start.to(self.expect(";")?);
        Ok(Declaration::Priorities(levels, span))
    }
}
