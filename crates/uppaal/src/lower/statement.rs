//! Statements and updates.

use provoke_base::Span;

use super::operand::{Operand, truth_value};
use super::target::Target;
use super::{Lowered, Lowerer, error, limit, too_large};
use crate::ast::{Block, Declaration, Declarator, Expr as Tree, ExprKind, Statement};
use crate::network::{Address, Base, CellKind, ClockRef, Index, IntOp, NetworkExpr, Number, Stmt};
use crate::types::{Entity, Type};

impl Lowerer {
    /// Words of the running function.
    pub(super) fn allocate(&mut self, words: i64, span: Span) -> Lowered<u32> {
        let frame = self.frame.as_mut().expect("only functions have words");
        let slot = frame.next;
        if i64::from(slot) + words > limit::CELLS {
            return Err(too_large(span, "a function with too many variables"));
        }
        frame.next += words as u32;
        frame.most = frame.most.max(frame.next);
        Ok(slot)
    }

    /// A variable of a function; `variable` binds names outside of functions.
    pub(super) fn local(&mut self, declarator: &Declarator, ty: Type) -> Lowered<()> {
        let slot = self.allocate(ty.size(), declarator.name.span)?;
        let entity = Entity::Variable { ty, base: Base::Frame(slot), constant: false };
        self.bind(&declarator.name, entity)
    }

    pub(super) fn function_body(&mut self, block: &Block) -> Lowered<Vec<Stmt>> {
        let mut body = Vec::new();
        self.statements(block, &mut body)?;
        Ok(body)
    }

    fn statements(&mut self, block: &Block, out: &mut Vec<Stmt>) -> Lowered<()> {
        for declaration in &block.declarations {
            self.local_declaration(declaration, out)?;
        }
        block.statements.iter().try_for_each(|statement| self.statement(statement, out))
    }

    fn local_declaration(&mut self, declaration: &Declaration, out: &mut Vec<Stmt>) -> Lowered<()> {
        let declarator = match declaration {
            Declaration::Variable(declarator) => declarator,
            Declaration::Type(declarator) => {
                let ty = self.declared_type(declarator)?;
                return self.bind(&declarator.name, Entity::Type(ty));
            }
            Declaration::Function(function) => {
                return Err(error("syntax", function.name.span, "a function inside a function"));
            }
            Declaration::Priorities(_, span) => {
                return Err(error("syntax", *span, "priorities inside a function"));
            }
        };
        let ty = self.declared_type(declarator)?;
        let span = declarator.name.span;
        if ty.holds_clocks() || ty == Type::Void {
            let message = format!("a function cannot have a variable of type `{}`", ty.show());
            return Err(error("type", span, message));
        }
        if matches!(ty.element(), Type::Double) {
            self.only_simulated(span, "a variable of type double");
        }
        // The value is computed before the name is known: `int i = i;` means the outer one.
        let mut words = Vec::new();
        let listed =
            matches!(&declarator.init, Some(tree) if matches!(tree.kind, ExprKind::List(_)));
        let mut value = None;
        match &declarator.init {
            Some(tree) if listed => self.listed(tree, &ty, &mut words)?,
            Some(tree) => value = Some(self.value_for(&ty, tree)?),
            None => {}
        }
        self.local(declarator, ty.clone())?;
        let Some((Entity::Variable { base: Base::Frame(slot), .. }, _)) =
            self.scopes.last().and_then(|scope| scope.get(&declarator.name.text)).cloned()
        else {
            unreachable!("declared one line above");
        };
        let place = |offset: usize, kind: CellKind| Address {
            base: Base::Frame(slot),
            index: Index::At(offset),
            kind,
            span,
        };
        match value {
            Some(Operand::Int(expr)) => {
                let place = place(0, ty.kind().unwrap_or(CellKind::Bool));
                out.push(Stmt::Do(NetworkExpr::Store(Box::new(place), Box::new(expr))));
            }
            Some(Operand::Number(number)) => {
                let place = place(0, CellKind::Double);
                out.push(Stmt::DoNumber(Number::Store(Box::new(place), Box::new(number))));
            }
            Some(Operand::Block(from, _)) => {
                let to = place(0, CellKind::Bool);
                out.push(Stmt::Copy(Box::new((to, from)), ty.size() as u32));
            }
            _ if listed => {
                for (offset, (kind, operand)) in words.into_iter().enumerate() {
                    let place = Box::new(place(offset, kind));
                    out.push(match operand {
                        Operand::Number(number) => {
                            Stmt::DoNumber(Number::Store(place, Box::new(number)))
                        }
                        Operand::Int(expr) => Stmt::Do(NetworkExpr::Store(place, Box::new(expr))),
                        _ => continue,
                    });
                }
            }
            _ => out.push(Stmt::Clear(slot, ty.size() as u32)),
        }
        Ok(())
    }

    /// The values of a list for each word of a variable.
    fn listed(
        &mut self,
        tree: &Tree,
        ty: &Type,
        words: &mut Vec<(CellKind, Operand)>,
    ) -> Lowered<()> {
        let wrong = |found: usize, wanted: usize| {
            error("type", tree.span, format!("found {found} values, expected {wanted}"))
        };
        match (&tree.kind, ty) {
            (ExprKind::List(items), Type::Array(element, _, count)) => {
                if items.len() as i64 != *count {
                    return Err(wrong(items.len(), *count as usize));
                }
                items.iter().try_for_each(|item| self.listed(item, element, words))
            }
            (ExprKind::List(items), Type::Struct(fields)) => {
                if items.len() != fields.len() {
                    return Err(wrong(items.len(), fields.len()));
                }
                let pairs = items.iter().zip(fields.iter());
                pairs.into_iter().try_for_each(|(item, field)| self.listed(item, &field.1, words))
            }
            _ => match ty.kind() {
                Some(kind) => {
                    let value = self.value_for(ty, tree)?;
                    words.push((kind, value));
                    Ok(())
                }
                None => Err(crate::parse::unsupported(tree.span, "a copy inside a list")),
            },
        }
    }

    fn value_for(&mut self, ty: &Type, tree: &Tree) -> Lowered<Operand> {
        match ty {
            Type::Double => self.number(tree).map(Operand::Number),
            Type::Bool => self.int(tree).map(truth_value).map(Operand::Int),
            Type::Int(..) => self.int(tree).map(Operand::Int),
            _ => {
                let (place, found) = self.block(tree)?;
                if !found.same_shape(ty) {
                    let message = format!("found `{}`, expected `{}`", found.show(), ty.show());
                    return Err(error("type", tree.span, message));
                }
                Ok(Operand::Block(place, found))
            }
        }
    }

    fn body(&mut self, statement: &Statement, in_loop: bool) -> Lowered<Vec<Stmt>> {
        let mut out = Vec::new();
        let frame = self.frame.as_mut().expect("statements belong to functions");
        frame.in_loop += u32::from(in_loop);
        let result = self.scoped(|this| this.statement(statement, &mut out));
        let frame = self.frame.as_mut().expect("statements belong to functions");
        frame.in_loop -= u32::from(in_loop);
        result.map(|()| out)
    }

    fn statement(&mut self, statement: &Statement, out: &mut Vec<Stmt>) -> Lowered<()> {
        match statement {
            Statement::Empty => {}
            Statement::Block(block) => {
                return self.scoped(|this| this.statements(block, out));
            }
            Statement::Expr(tree) => return self.effect(tree, out),
            Statement::While(condition, body) => {
                let condition = self.int(condition)?;
                out.push(Stmt::While(condition, self.body(body, true)?, Vec::new()));
            }
            Statement::DoWhile(body, condition) => {
                let body = self.body(body, true)?;
                out.push(Stmt::DoWhile(body, self.int(condition)?));
            }
            Statement::If(condition, then, otherwise) => {
                let condition = self.int(condition)?;
                let then = self.body(then, false)?;
                let otherwise = match otherwise {
                    Some(otherwise) => self.body(otherwise, false)?,
                    None => Vec::new(),
                };
                out.push(Stmt::If(condition, then, otherwise));
            }
            Statement::For(head, body) => {
                let [first, condition, step] = &**head;
                if let Some(first) = first {
                    self.effect(first, out)?;
                }
                let condition = match condition {
                    Some(condition) => self.int(condition)?,
                    None => NetworkExpr::Int(1),
                };
                let body = self.body(body, true)?;
                let mut after = Vec::new();
                if let Some(step) = step {
                    self.effect(step, &mut after)?;
                }
                out.push(Stmt::While(condition, body, after));
            }
            Statement::Each(name, ty, body) => return self.each(name, ty, body, out),
            Statement::Return(value, span) => out.push(self.returned(value.as_ref(), *span)?),
            Statement::Break(span) => {
                self.inside_loop(*span, "break")?;
                out.push(Stmt::Break);
            }
            Statement::Continue(span) => {
                self.inside_loop(*span, "continue")?;
                out.push(Stmt::Continue);
            }
        }
        Ok(())
    }

    fn inside_loop(&self, span: Span, word: &str) -> Lowered<()> {
        match &self.frame {
            Some(frame) if frame.in_loop > 0 => Ok(()),
            _ => Err(error("syntax", span, format!("`{word}` outside of a loop"))),
        }
    }

    /// `for (i : T)`: a loop over a word that nothing else writes.
    fn each(
        &mut self,
        name: &crate::ast::Name,
        ty: &crate::ast::TypeExpr,
        body: &Statement,
        out: &mut Vec<Stmt>,
    ) -> Lowered<()> {
        let (low, high) = self.range_of(ty)?;
        let slot = self.allocate(1, name.span)?;
        let kind = CellKind::Int(low, high + 1);
        let place = Address { base: Base::Frame(slot), index: Index::At(0), kind, span: name.span };
        let store = |value| Stmt::Do(NetworkExpr::Store(Box::new(place.clone()), Box::new(value)));
        let body = self.scoped(|this| {
            let ty = Type::Int(low, high);
            let entity = Entity::Variable { ty, base: Base::Frame(slot), constant: true };
            this.bind(name, entity)?;
            this.body(body, true)
        })?;
        let index = NetworkExpr::Load(Box::new(place.clone()));
        let condition =
            NetworkExpr::Binary(IntOp::Le, Box::new((index, NetworkExpr::Int(high))), name.span);
        let step = Stmt::Do(NetworkExpr::Step(Box::new(place.clone()), 1, false));
        out.push(store(NetworkExpr::Int(low)));
        out.push(Stmt::While(condition, body, vec![step]));
        Ok(())
    }

    fn returned(&mut self, value: Option<&Tree>, span: Span) -> Lowered<Stmt> {
        let result = self.frame.as_ref().and_then(|frame| frame.result.clone());
        match (value, result) {
            (None, Some(Type::Void) | None) => Ok(Stmt::Return(None)),
            (None, Some(ty)) => {
                Err(error("type", span, format!("`return` needs a value of type `{}`", ty.show())))
            }
            (Some(tree), Some(Type::Double)) => Ok(Stmt::ReturnNumber(self.number(tree)?)),
            // Calling something for its effect behind `return` is common in void functions.
            (Some(tree), Some(Type::Void) | None) => {
                Err(error("type", tree.span, "a void function returns no value"))
            }
            (Some(tree), Some(Type::Bool)) => Ok(Stmt::Return(Some(truth_value(self.int(tree)?)))),
            (Some(tree), Some(_)) => Ok(Stmt::Return(Some(self.int(tree)?))),
        }
    }

    /// An expression for its effect: an assignment, a step, a call.
    pub(super) fn effect(&mut self, tree: &Tree, out: &mut Vec<Stmt>) -> Lowered<()> {
        if let ExprKind::Assign(None, to, from) = &tree.kind {
            match self.target(to)? {
                Target::Clock { first, path, ty: Type::Clock } => {
                    let clock = ClockRef { first, index: path.index(to.span) };
                    out.push(self.reset(clock, from)?);
                    return Ok(());
                }
                Target::Words { base, path, ty, constant: false } if ty.kind().is_none() => {
                    let (from, found) = self.block(from)?;
                    if !found.same_shape(&ty) {
                        let message = format!("found `{}`, expected `{}`", found.show(), ty.show());
                        return Err(error("type", tree.span, message));
                    }
                    let index = path.index(to.span);
                    let to = Address { base, index, kind: CellKind::Bool, span: to.span };
                    out.push(Stmt::Copy(Box::new((to, from)), ty.size() as u32));
                    return Ok(());
                }
                _ => {}
            }
        }
        match self.operand(tree)? {
            Operand::Int(expr) | Operand::Void(expr) => out.push(Stmt::Do(expr)),
            Operand::Number(number) => out.push(Stmt::DoNumber(number)),
            _ => return Err(error("no-effect", tree.span, "this has no effect")),
        }
        Ok(())
    }

    fn reset(&mut self, clock: ClockRef, from: &Tree) -> Lowered<Stmt> {
        let number = self.number(from)?;
        Ok(match number {
            Number::Value(value) if value.fract() == 0.0 && (0.0..1e9).contains(&value) => {
                Stmt::Reset(Box::new(clock), NetworkExpr::Int(value as i64))
            }
            Number::Int(expr) => Stmt::Reset(Box::new(clock), *expr),
            other => {
                self.only_simulated(from.span, "a clock set to a number that is not a natural one");
                Stmt::ResetNumber(Box::new(clock), other)
            }
        })
    }
}
