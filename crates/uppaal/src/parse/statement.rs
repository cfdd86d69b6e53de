//! Statements of functions.

use super::{Parsed, Parser};
use crate::ast::{Block, Statement};
use crate::lex::Token;

impl Parser {
    pub(super) fn block(&mut self) -> Parsed<Block> {
        self.nested(|parser| {
            parser.expect("{")?;
            let mut block = Block::default();
            while !parser.accept("}") {
                if parser.is_declaration() {
                    // Declarations may stand between statements; they hold from there on, and
                    // a block of its own keeps their order.
                    if block.statements.is_empty() {
                        parser.declaration(&mut block.declarations)?;
                    } else {
                        let rest = parser.rest_of_block()?;
                        block.statements.push(Statement::Block(rest));
                        return Ok(block);
                    }
                } else {
                    let statement = parser.statement()?;
                    block.statements.push(statement);
                }
            }
            Ok(block)
        })
    }

    fn rest_of_block(&mut self) -> Parsed<Block> {
        self.nested(|parser| {
            let mut block = Block::default();
            while !parser.accept("}") {
                if parser.is_declaration() && block.statements.is_empty() {
                    parser.declaration(&mut block.declarations)?;
                } else if parser.is_declaration() {
                    let rest = parser.rest_of_block()?;
                    block.statements.push(Statement::Block(rest));
                    return Ok(block);
                } else {
                    let statement = parser.statement()?;
                    block.statements.push(statement);
                }
            }
            Ok(block)
        })
    }

    /// A type, or a name followed by a name.
    fn is_declaration(&self) -> bool {
        const TYPES: [&str; 11] = [
            "int", "bool", "double", "clock", "chan", "const", "meta", "struct", "scalar",
            "typedef", "string",
        ];
        match self.peek() {
            Token::Word(word) if TYPES.contains(&word.as_str()) => true,
            Token::Word(word) if super::RESERVED.contains(&word.as_str()) => false,
            Token::Word(_) => matches!(self.peek_after(1), Token::Word(next)
                if !super::RESERVED.contains(&next.as_str())),
            _ => false,
        }
    }

    fn statement(&mut self) -> Parsed<Statement> {
        self.nested(Parser::statement_here)
    }

    fn statement_here(&mut self) -> Parsed<Statement> {
        let span = self.span();
        if self.is_sign("{") {
            return Ok(Statement::Block(self.block()?));
        }
        if self.accept(";") {
            return Ok(Statement::Empty);
        }
        if self.accept_word("if") {
            return self.conditional();
        }
        if self.accept_word("for") {
            return self.for_loop();
        }
        if self.accept_word("while") {
            let condition = self.parenthesised()?;
            return Ok(Statement::While(condition, Box::new(self.statement()?)));
        }
        if self.accept_word("do") {
            let body = self.statement()?;
            if !self.accept_word("while") {
                return Err(self.expected("`while`"));
            }
            let condition = self.parenthesised()?;
            self.expect(";")?;
            return Ok(Statement::DoWhile(Box::new(body), condition));
        }
        let statement = if self.accept_word("return") {
            let value = if self.is_sign(";") { None } else { Some(self.expression()?) };
            Statement::Return(value, span)
        } else if self.accept_word("break") {
            Statement::Break(span)
        } else if self.accept_word("continue") {
            Statement::Continue(span)
        } else {
            Statement::Expr(self.expression()?)
        };
        // `a = 1, b = 2;`
        if self.is_sign(",") && matches!(statement, Statement::Expr(_)) {
            let mut statements = vec![statement];
            while self.accept(",") {
                statements.push(Statement::Expr(self.expression()?));
            }
            self.expect(";")?;
            return Ok(Statement::Block(Block { declarations: Vec::new(), statements }));
        }
        self.expect(";")?;
        Ok(statement)
    }

    fn parenthesised(&mut self) -> Parsed<crate::ast::Expr> {
        self.expect("(")?;
        let inside = self.expression()?;
        self.expect(")")?;
        Ok(inside)
    }

    fn conditional(&mut self) -> Parsed<Statement> {
        let condition = self.parenthesised()?;
        let then = Box::new(self.statement()?);
        let otherwise =
            if self.accept_word("else") { Some(Box::new(self.statement()?)) } else { None };
        Ok(Statement::If(condition, then, otherwise))
    }

    fn for_loop(&mut self) -> Parsed<Statement> {
        self.expect("(")?;
        let named = matches!(self.peek(), Token::Word(_));
        if named && *self.peek_after(1) == Token::Sign(":") {
            let name = self.name()?;
            self.advance();
            let ty = self.type_expr()?;
            self.expect(")")?;
            return Ok(Statement::Each(name, ty, Box::new(self.statement()?)));
        }
        let part = |parser: &mut Parser, end: &str| {
            let empty = parser.is_sign(end);
            let part = if empty { None } else { Some(parser.expression()?) };
            parser.expect(end).map(|_| part)
        };
        let first = part(self, ";")?;
        let condition = part(self, ";")?;
        let step = part(self, ")")?;
        let head = Box::new([first, condition, step]);
        Ok(Statement::For(head, Box::new(self.statement()?)))
    }
}
