//! A system with one fault.

use provoke_base::{SourceFile, Span};
use provoke_model::{BinaryOp, Expr, ExprId, ExprKind, System, Type, UnaryOp, Value, VarId};

use crate::edit::edited;
use crate::enumerate::{GAP, MAX_TEXT, negated};
use crate::operator::MutationOperator;
use crate::place::local_name;

/// What becomes of an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MutantChange {
    /// Its operands are joined by another operator.
    Join(BinaryOp),
    /// It is negated.
    Negate,
    /// It is the value of one step ago.
    Delay {
        /// Whether it is looked at in the first step, where it has to be what it was.
        at_first: bool,
    },
    /// It is another constant.
    Constant(Value),
    /// It is another variable.
    Variable(VarId),
}

/// One expression of a system that a mutant changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MutationSite {
    /// The expression.
    pub expr: ExprId,
    /// What becomes of it.
    pub change: MutantChange,
}

/// A fault at one place of the source. A place inside a node that is called several times is an
/// expression in each instance, and the fault is in all of them, as it would be in the source.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mutant {
    /// The same for the same model: the variable, the operator, which place in the equation,
    /// and what stands there instead.
    pub id: String,
    /// The kind of fault.
    pub operator: MutationOperator,
    /// The expressions it changes.
    pub sites: Vec<MutationSite>,
    /// Where they are written.
    pub span: Span,
    /// What is written there, as far as it changes.
    pub original: String,
    /// What would be written instead.
    pub replacement: String,
    /// Why it is no program to be tested, where that is so.
    pub invalid: Option<InvalidReason>,
}

/// Why a mutant is not run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InvalidReason {
    /// A divisor is the constant zero.
    DividesByZero,
    /// A `pre` has no value in the first step of a node with a clock of its own.
    UnguardedPre,
}

impl InvalidReason {
    /// The reason as words.
    pub fn words(self) -> &'static str {
        match self {
            InvalidReason::DividesByZero => "divides by zero",
            InvalidReason::UnguardedPre => "unguarded `pre`",
        }
    }
}

/// A piece of a mutant's text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TextPiece {
    /// What the mutant adds.
    New(String),
    /// What is written in the source.
    Written(Span),
}

impl Mutant {
    /// The system with the fault, and its equations in an order that fits it.
    pub fn apply(&self, system: &System) -> System {
        let edit = |system: &mut System, original, copy| match self.change_of(original) {
            Some(change) => changed(system, copy, change),
            None => copy,
        };
        edited(system, edit).0
    }

    /// What the source would read at the place, in parentheses where they may be needed.
    pub fn rewritten(&self, system: &System, file: &SourceFile) -> String {
        let MutationSite { expr, change } = &self.sites[0];
        match (change, &system.exprs[*expr].kind) {
            (MutantChange::Join(op), ExprKind::Binary(_, left, right)) => {
                let (left, right) = (system.exprs[*left].span, system.exprs[*right].span);
                joined(file, self.span, *op, left, right)
            }
            (_, ExprKind::Var(var)) => {
                let written = file.slice(self.span);
                let name = written.trim_matches(|c: char| c.is_whitespace() || "()".contains(c));
                let part = local_name(system, *var).strip_prefix(name).unwrap_or("");
                match part {
                    "" if matches!(change, MutantChange::Variable(_)) => self.replacement.clone(),
                    "" => format!("({})", self.replacement),
                    // A whole struct or array is written of which one scalar changes.
                    part => updated(written, part, &self.replacement),
                }
            }
            (MutantChange::Negate, _) if self.replacement.contains(GAP) => {
                format!("({})", negated(file, self.span))
            }
            _ => format!("({})", self.replacement),
        }
    }

    /// The same text as [`Mutant::rewritten`] but for spaces, in pieces, where the place is long: the
    /// texts of all mutants of a wide decision would be as long as the square of its width.
    pub fn pieces(&self, system: &System, file: &SourceFile) -> Option<Vec<TextPiece>> {
        let MutationSite { expr, change } = &self.sites[0];
        let new = |text: &str| TextPiece::New(text.to_string());
        match (change, &system.exprs[*expr].kind) {
            _ if (self.span.end - self.span.start) as usize <= MAX_TEXT => None,
            (MutantChange::Join(op), ExprKind::Binary(_, left, right)) => {
                let (left, right) = (system.exprs[*left].span, system.exprs[*right].span);
                let (left, right) = operands(file, self.span, left, right);
                let between = TextPiece::New(format!(") {} (", op.symbol()));
                let (left, right) = (TextPiece::Written(left), TextPiece::Written(right));
                Some(vec![new("(("), left, between, right, new("))")])
            }
            (MutantChange::Negate, _) => {
                Some(vec![new("(not ("), TextPiece::Written(self.span), new("))")])
            }
            _ => None,
        }
    }

    /// The fault in a few words: `line 41: 'and' -> 'or'`.
    pub fn describe(&self, file: &SourceFile) -> String {
        let line = file.line_column(self.span.start).line;
        format!("line {line}: '{}' -> '{}'", self.original, self.replacement)
    }

    fn change_of(&self, expr: ExprId) -> Option<&MutantChange> {
        self.sites.iter().find(|site| site.expr == expr).map(|site| &site.change)
    }
}

/// Both operands of an operator with another one between them.
fn joined(file: &SourceFile, whole: Span, op: BinaryOp, left: Span, right: Span) -> String {
    let (left, right) = operands(file, whole, left, right);
    format!("(({}) {} ({}))", file.slice(left), op.symbol(), file.slice(right))
}

/// Where the operands of an operator are written. Where they end is known only towards the
/// operator, and the parentheses around the whole belong to its place.
fn operands(file: &SourceFile, whole: Span, left: Span, right: Span) -> (Span, Span) {
    let before = file.slice(Span { end: left.end, ..whole });
    let after = file.slice(Span { start: right.start, ..whole });
    let count = |one: u8| before.bytes().filter(|byte| *byte == one).count();
    let (mut inner_left, mut inner_right) = (before, after);
    // What is long is looked at as a whole only where it may matter.
    let mut depth = match before.trim_start().starts_with('(') {
        true => count(b'(').saturating_sub(count(b')')),
        false => 0,
    };
    while depth > 0 && inner_left.trim_start().starts_with('(') {
        depth -= 1;
        inner_left = &inner_left.trim_start()[1..];
        inner_right = inner_right.trim_end().strip_suffix(')').unwrap_or(inner_right);
    }
    let start = left.end - inner_left.len() as u32;
    let end = right.start + inner_right.len() as u32;
    (Span { start, end: left.end }, Span { start: right.start, end })
}

/// `whole` with the scalar that `part` selects, such as `[2].x`, replaced by `value`.
fn updated(whole: &str, part: &str, value: &str) -> String {
    let end = part[1..].find(['.', '[']).map_or(part.len(), |at| at + 1);
    let (selector, rest) = part.split_at(end);
    let inner = match rest {
        "" => value.to_string(),
        rest => updated(&format!("{whole}{selector}"), rest, value),
    };
    match selector.strip_prefix('.') {
        Some(field) => format!("{whole}{{{field} := {inner}}}"),
        None => format!("{whole}[{} := {inner}]", selector.trim_matches(['[', ']'])),
    }
}

/// Adds what becomes of an expression, beside the expression.
pub(crate) fn changed(system: &mut System, expr: ExprId, change: &MutantChange) -> ExprId {
    let Expr { kind, ty, span } = system.exprs[expr].clone();
    let (kind, ty) = match (change, kind) {
        (MutantChange::Join(op), ExprKind::Binary(_, a, b)) => {
            let operand = system.exprs[a].ty;
            (ExprKind::Binary(*op, a, b), op.result_type(operand))
        }
        (MutantChange::Join(_), _) => {
            unreachable!("only what has two operands gets another operator")
        }
        (MutantChange::Negate, _) => (ExprKind::Unary(UnaryOp::Not, expr), Type::Bool),
        (MutantChange::Delay { at_first: false }, _) => (ExprKind::Pre(expr), ty),
        (MutantChange::Delay { at_first: true }, _) => {
            let pre = system.add_expr(ExprKind::Pre(expr), ty, span);
            (ExprKind::Arrow(expr, pre), ty)
        }
        (MutantChange::Constant(value), _) => (ExprKind::Const(value.clone()), ty),
        (MutantChange::Variable(var), _) => (ExprKind::Var(*var), system.vars[*var].ty),
    };
    system.add_expr(kind, ty, span)
}
