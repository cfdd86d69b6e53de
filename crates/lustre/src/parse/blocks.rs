//! Blocks of equations: `if ... fi`, `when ... end` and `frame ... tel`, taken apart into one equation for
//! each variable.
//!
//! A guard is evaluated once for all variables, by a local variable of its own. What a branch does not
//! define holds its last value, which only a `frame` can give it.

use provoke_base::{Diagnostic, Span};

use super::{Failed, Parsed, Parser};
use crate::ast::{
    AstEquation, AstExpr, AstExprKind, AstNode, Decl, ExprId, Name, TypeBase, TypeExpr,
};
use crate::lex::TokenKind::{End, Ident, Mark, Word};

/// Equations that belong together.
#[derive(Default)]
struct Branch {
    equations: Vec<AstEquation>,
    blocks: Vec<Block>,
}

/// A choice between two branches.
struct Block {
    guard: ExprId,
    lazy: bool,
    then: Branch,
    otherwise: Branch,
    span: Span,
}

/// The frame around a block: its variables, with what they are at first.
#[derive(Default)]
struct FrameBlock {
    vars: Vec<Name>,
    initial: Vec<AstEquation>,
}

/// A guard on the way to an equation: its name, whether time stops without it, and whether it must hold.
#[derive(Clone)]
struct Guard {
    name: Name,
    lazy: bool,
    holds: bool,
}

impl Branch {
    /// The variables that are defined, each once, in the order they are written.
    fn defined(&self, found: &mut Vec<Name>) {
        let equations = self.equations.iter().flat_map(|equation| &equation.targets);
        for name in equations {
            if !found.iter().any(|other| other.text == name.text) {
                found.push(name.clone());
            }
        }
        for block in &self.blocks {
            block.then.defined(found);
            block.otherwise.defined(found);
        }
    }
}

impl Parser<'_> {
    /// Whether a block starts here: these words are names elsewhere.
    pub(super) fn at_block(&self) -> bool {
        match self.kind() {
            Word("if") => true,
            Ident if self.at_word("frame") => self.kind_after(1) == Mark("("),
            Ident if self.at_word("when") => {
                !matches!(self.kind_after(1), Mark("=" | "," | "[" | ":="))
            }
            _ => false,
        }
    }

    /// A block, as equations of the node.
    pub(super) fn block(&mut self, node: &mut AstNode) -> Parsed<()> {
        self.program.sugared = true;
        if self.at_word("frame") {
            return self.frame(node);
        }
        let mut branch = Branch::default();
        let block = self.choice_block()?;
        branch.blocks.push(block);
        self.lower(node, branch, None)
    }

    fn frame(&mut self, node: &mut AstNode) -> Parsed<()> {
        self.bump();
        self.expect(Mark("("), " before the variables of the frame")?;
        let mut frame = FrameBlock { vars: self.names("a variable")?, initial: Vec::new() };
        self.expect(Mark(")"), " after the variables of the frame")?;
        while self.kind() != Word("let") {
            if self.kind() == End {
                return Err(self.unexpected("`let` and the equations of the frame"));
            }
            if !self.eat(Mark(";")) {
                let equation = self.plain_equation()?;
                self.refuse_time_in_frame(equation.expr)?;
                frame.initial.push(equation);
            }
        }
        self.bump();
        self.in_frame = true;
        let branch = self.branch(&["tel"]);
        self.in_frame = false;
        let branch = branch?;
        self.expect(Word("tel"), " to end the frame")?;
        self.eat(Mark(";"));
        self.lower(node, branch, Some(&frame))
    }

    fn refuse_time_in_frame(&mut self, expr: ExprId) -> Parsed<()> {
        let mut open = vec![expr];
        while let Some(id) = open.pop() {
            let kind = &self.program.exprs[id].kind;
            if matches!(kind, AstExprKind::Pre(_) | AstExprKind::Arrow(..)) {
                let message = "a frame's first value cannot depend on the past";
                self.report.add(
                    Diagnostic::error("frame-initial", self.program.exprs[id].span, message)
                        .label("there is no step before the first")
                        .help("move it into the body of the frame"),
                );
                return Err(Failed);
            }
            super::for_each_operand(kind, |operand| open.push(operand));
        }
        Ok(())
    }

    /// `if guard then ... elsif guard then ... else ... fi`, and the same with `when` and `end`.
    fn choice_block(&mut self) -> Parsed<Block> {
        let lazy = self.kind() == Ident;
        let start = self.bump();
        self.choice_after_word(lazy, start)
    }

    fn choice_after_word(&mut self, lazy: bool, start: Span) -> Parsed<Block> {
        let close = if lazy { "end" } else { "fi" };
        let guard = self.expr()?;
        self.expect(Word("then"), " after the guard")?;
        let then = self.branch(&["else", "elsif", close])?;
        let mut otherwise = Branch::default();
        if self.at_word("elsif") {
            let span = self.bump();
            let inner = self.choice_after_word(lazy, span)?;
            otherwise.blocks.push(inner);
        } else {
            if self.eat(Word("else")) {
                otherwise = self.branch(&[close])?;
            }
            if !self.at_word(close) {
                return Err(self.unexpected(&format!("`{close}` to end the block")));
            }
            self.bump();
            self.eat(Mark(";"));
        }
        let span = start.to(self.last_span());
        Ok(Block { guard, lazy, then, otherwise, span })
    }

    /// Equations and blocks up to one of some words, which is not consumed.
    fn branch(&mut self, close: &[&str]) -> Parsed<Branch> {
        let mut branch = Branch::default();
        loop {
            let word = self.slice(self.span());
            if close.contains(&word) {
                return Ok(branch);
            }
            match self.kind() {
                End => return Err(self.unexpected(&format!("`{}`", close[0]))),
                Mark(";") => {
                    self.bump();
                }
                _ if self.at_word("frame") && self.kind_after(1) == Mark("(") => {
                    let help = "write the frame around the blocks";
                    return Err(self.unsupported(self.span(), "a frame inside a block", help));
                }
                _ if self.at_block() => {
                    let block = self.nested_block()?;
                    branch.blocks.push(block);
                }
                _ => {
                    let equation = self.plain_equation()?;
                    branch.equations.push(equation);
                }
            }
        }
    }

    fn nested_block(&mut self) -> Parsed<Block> {
        stacker::maybe_grow(64 << 10, 1 << 20, || {
            if self.nesting >= super::expr::MAX_DEPTH {
                return Err(self.unexpected("fewer nested blocks"));
            }
            self.nesting += 1;
            let block = self.choice_block();
            self.nesting -= 1;
            block
        })
    }
}

/// From blocks to equations.
impl Parser<'_> {
    fn lower(
        &mut self,
        node: &mut AstNode,
        mut branch: Branch,
        frame: Option<&FrameBlock>,
    ) -> Parsed<()> {
        self.refuse_mixed(&branch)?;
        let mut defined = Vec::new();
        if let Some(frame) = frame {
            defined.clone_from(&frame.vars);
            self.last_values(node, frame)?;
        }
        let in_header = defined.len();
        branch.defined(&mut defined);
        if let (Some(_), Some(foreign)) = (frame, defined.get(in_header)) {
            let message = format!("`{}` is defined in a frame that does not name it", foreign.text);
            self.report.add(
                Diagnostic::error("frame-variables", foreign.span, message)
                    .label("not a variable of this frame")
                    .help("add it between the parentheses after `frame`"),
            );
            return Err(Failed);
        }
        self.name_guards(node, &mut branch, &[])?;
        self.single_targets(node, &mut branch, &[])?;
        for name in defined {
            let expr = self.value(&branch, &name, frame.is_some())?;
            let (targets_span, targets) = (name.span, vec![name]);
            node.equations.push(AstEquation { targets, targets_span, indices: Vec::new(), expr });
        }
        Ok(())
    }

    /// A branch of one kind of block runs always, of the other only when it is taken.
    fn refuse_mixed(&mut self, branch: &Branch) -> Parsed<()> {
        let mut open: Vec<(&Block, bool)> =
            branch.blocks.iter().map(|block| (block, block.lazy)).collect();
        while let Some((block, lazy)) = open.pop() {
            if block.lazy != lazy {
                let (inner, outer) = if lazy { ("if", "when") } else { ("when", "if") };
                let message = format!("an `{inner}` block inside a `{outer}` block");
                self.report.add(
                    Diagnostic::error("mixed-blocks", block.span, message)
                        .label("the two must not be mixed")
                        .help(format!("use `{outer}` for both")),
                );
                return Err(Failed);
            }
            let inner = block.then.blocks.iter().chain(&block.otherwise.blocks);
            open.extend(inner.map(|inner| (inner, lazy)));
        }
        Ok(())
    }

    /// A variable for the last value of each variable of a frame: `initial -> pre x`.
    fn last_values(&mut self, node: &mut AstNode, frame: &FrameBlock) -> Parsed<()> {
        for equation in &frame.initial {
            let targets = &equation.targets;
            let inside = |name: &Name| frame.vars.iter().any(|var| var.text == name.text);
            if let Some(foreign) = targets.iter().find(|name| !inside(name)) {
                let message = format!("`{}` is not a variable of this frame", foreign.text);
                let error = Diagnostic::error("frame-variables", foreign.span, message);
                self.report.add(error.label("not between the parentheses after `frame`"));
                return Err(Failed);
            }
            let lasts: Vec<Name> = targets.iter().map(last_name).collect();
            let span = equation.targets_span;
            let mut held = Vec::new();
            for name in targets {
                held.push(self.previous(name, &equation.indices)?);
            }
            let held = self.row(held, span)?;
            let expr = self.add(AstExprKind::Arrow(equation.expr, held), span)?;
            let indices = equation.indices.clone();
            node.equations.push(AstEquation { targets: lasts, targets_span: span, indices, expr });
        }
        for name in &frame.vars {
            let Some(mut decl) = self.declared(node, name) else { return Err(Failed) };
            let initialised = |equation: &AstEquation| {
                equation.targets.iter().any(|target| target.text == name.text)
            };
            decl.name = last_name(name);
            if !frame.initial.iter().any(initialised) {
                let expr = self.previous(name, &[])?;
                let (targets, targets_span) = (vec![decl.name.clone()], name.span);
                node.equations.push(AstEquation {
                    targets,
                    targets_span,
                    indices: Vec::new(),
                    expr,
                });
            }
            node.locals.push(decl);
        }
        Ok(())
    }

    /// The value of a variable, or of an element of it, in the step before.
    fn previous(&mut self, name: &Name, indices: &[Name]) -> Parsed<ExprId> {
        let mut now = self.add(AstExprKind::Name(name.clone()), name.span)?;
        for index in indices {
            let at = self.add(AstExprKind::Name(index.clone()), index.span)?;
            now = self.add(AstExprKind::Index(now, at), name.span)?;
        }
        self.add(AstExprKind::Pre(now), name.span)
    }

    /// One expression, or a tuple of several.
    fn row(&mut self, mut items: Vec<ExprId>, span: Span) -> Parsed<ExprId> {
        match items.len() {
            1 => Ok(items.remove(0)),
            _ => self.add(AstExprKind::Tuple(items), span),
        }
    }

    /// The declaration of an output or local variable.
    fn declared(&mut self, node: &AstNode, name: &Name) -> Option<Decl> {
        let mut decls = node.outputs.iter().chain(&node.locals);
        let found = decls.find(|decl| decl.name.text == name.text).cloned();
        if found.is_none() {
            let message = format!("`{}` is no output or local variable", name.text);
            self.report.add(
                Diagnostic::error("unknown-name", name.span, message)
                    .label("not declared in this node, or an input"),
            );
        }
        found
    }

    /// Gives every guard a variable, computed when the guards around it hold.
    fn name_guards(
        &mut self,
        node: &mut AstNode,
        branch: &mut Branch,
        around: &[Guard],
    ) -> Parsed<()> {
        for block in &mut branch.blocks {
            let span = self.program.exprs[block.guard].span;
            let text = format!("guard#{}", node.locals.len());
            let name = Name { text: text.into(), span };
            let never = self.add(AstExprKind::Bool(false), span)?;
            let expr = self.under(around, block.guard, never)?;
            let ty = TypeExpr { base: TypeBase::Bool, sizes: Vec::new(), span };
            node.locals.push(Decl { name: name.clone(), ty, constant: false });
            let targets = vec![name.clone()];
            node.equations.push(AstEquation {
                targets,
                targets_span: span,
                indices: Vec::new(),
                expr,
            });
            block.guard = self.add(AstExprKind::Name(name.clone()), span)?;
            for holds in [true, false] {
                let guard = Guard { name: name.clone(), lazy: block.lazy, holds };
                let path = [around, &[guard]].concat();
                let branch = if holds { &mut block.then } else { &mut block.otherwise };
                self.name_guards(node, branch, &path)?;
            }
        }
        Ok(())
    }

    /// An expression that is computed when all guards that stop time hold; else another one.
    fn under(&mut self, around: &[Guard], expr: ExprId, otherwise: ExprId) -> Parsed<ExprId> {
        let mut expr = expr;
        for guard in around.iter().rev().filter(|guard| guard.lazy) {
            let span = guard.name.span;
            let condition = self.add(AstExprKind::Name(guard.name.clone()), span)?;
            let otherwise = self.copied(otherwise)?;
            expr = match guard.holds {
                true => self.lazy_choice(condition, expr, otherwise, span)?,
                false => self.lazy_choice(condition, otherwise, expr, span)?,
            };
        }
        Ok(expr)
    }

    /// An equation of several variables in a branch defines new variables once and for all.
    fn single_targets(
        &mut self,
        node: &mut AstNode,
        branch: &mut Branch,
        around: &[Guard],
    ) -> Parsed<()> {
        let mut single = Vec::new();
        for equation in std::mem::take(&mut branch.equations) {
            if equation.targets.len() == 1 && equation.indices.is_empty() {
                single.push(equation);
                continue;
            }
            let mut held = Vec::new();
            let mut targets = Vec::new();
            for target in &equation.targets {
                let Some(mut decl) = self.declared(node, target) else { return Err(Failed) };
                let text = format!("{}#{}", target.text, node.locals.len());
                decl.name = Name { text: text.into(), span: target.span };
                held.push(self.previous(&decl.name, &equation.indices)?);
                let expr = self.add(AstExprKind::Name(decl.name.clone()), target.span)?;
                let (own, targets_span) = (vec![target.clone()], target.span);
                single.push(AstEquation { targets: own, targets_span, indices: Vec::new(), expr });
                targets.push(decl.name.clone());
                node.locals.push(decl);
            }
            let held = self.row(held, equation.targets_span)?;
            let expr = self.under(around, equation.expr, held)?;
            let AstEquation { targets_span, indices, .. } = equation;
            node.equations.push(AstEquation { targets, targets_span, indices, expr });
        }
        branch.equations = single;
        for block in &mut branch.blocks {
            let AstExprKind::Name(name) = self.program.exprs[block.guard].kind.clone_name() else {
                continue;
            };
            for holds in [true, false] {
                let guard = Guard { name: name.clone(), lazy: block.lazy, holds };
                let path = [around, &[guard]].concat();
                let branch = if holds { &mut block.then } else { &mut block.otherwise };
                self.single_targets(node, branch, &path)?;
            }
        }
        Ok(())
    }

    /// What a variable is worth at the end of a branch.
    fn value(&mut self, branch: &Branch, name: &Name, framed: bool) -> Parsed<ExprId> {
        let defines = |equation: &&AstEquation| equation.targets[0].text == name.text;
        let mut equations = branch.equations.iter().filter(defines);
        let blocks: Vec<&Block> =
            branch.blocks.iter().filter(|block| block.defines(name)).collect();
        match (equations.next(), equations.next(), &blocks[..]) {
            (Some(equation), None, []) => Ok(equation.expr),
            (None, None, [block]) => {
                let then = self.value(&block.then, name, framed)?;
                let otherwise = self.value(&block.otherwise, name, framed)?;
                let AstExprKind::Name(guard) = self.program.exprs[block.guard].kind.clone_name()
                else {
                    return Err(Failed);
                };
                let condition = self.add(AstExprKind::Name(guard), block.span)?;
                match block.lazy {
                    true => self.lazy_choice(condition, then, otherwise, block.span),
                    false => self.add(AstExprKind::If(condition, then, otherwise), block.span),
                }
            }
            (None, None, []) if framed => self.add(AstExprKind::Name(last_name(name)), name.span),
            (None, None, []) => {
                let message = format!("`{}` is not defined in every branch", name.text);
                self.report.add(
                    Diagnostic::error("missing-branch", name.span, message)
                        .label("defined here, but not in another branch")
                        .help("define it in every branch, or put a `frame` around the block"),
                );
                Err(Failed)
            }
            _ => {
                let message = format!("`{}` is defined twice", name.text);
                let error = Diagnostic::error("defined-twice", name.span, message);
                self.report.add(error.label("in this block"));
                Err(Failed)
            }
        }
    }
}

impl Block {
    fn defines(&self, name: &Name) -> bool {
        let mut found = Vec::new();
        self.then.defined(&mut found);
        self.otherwise.defined(&mut found);
        found.iter().any(|other| other.text == name.text)
    }
}

/// The name of what a variable was worth in the step before.
pub(crate) fn last_name(name: &Name) -> Name {
    Name { text: format!("{}.last", name.text).into(), span: name.span }
}

impl AstExprKind {
    /// A copy, if it is a name; else a truth value.
    fn clone_name(&self) -> AstExprKind {
        match self {
            AstExprKind::Name(name) => AstExprKind::Name(name.clone()),
            _ => AstExprKind::Bool(false),
        }
    }
}

/// An expression with its place.
impl Parser<'_> {
    /// A copy of an expression that has no parts of its own but names and `pre`.
    fn copied(&mut self, id: ExprId) -> Parsed<ExprId> {
        let AstExpr { kind, span } = &self.program.exprs[id];
        let span = *span;
        let kind = match kind {
            AstExprKind::Name(name) => AstExprKind::Name(name.clone()),
            AstExprKind::Bool(value) => AstExprKind::Bool(*value),
            AstExprKind::Pre(operand) => {
                let operand = *operand;
                AstExprKind::Pre(self.copied(operand)?)
            }
            AstExprKind::Index(array, index) => {
                let (array, index) = (*array, *index);
                AstExprKind::Index(self.copied(array)?, self.copied(index)?)
            }
            AstExprKind::Tuple(items) => {
                let items = items.clone();
                let mut copies = Vec::new();
                for item in items {
                    copies.push(self.copied(item)?);
                }
                AstExprKind::Tuple(copies)
            }
            _ => return Ok(id),
        };
        self.add(kind, span)
    }
}
