//! What the symbols of a state are called in a certificate.

use std::cell::RefCell;

use provoke_base::Rational;
use provoke_base::index::Id;
use provoke_model::{EnumId, ExprId, ExprKind, System, Type, Value};
use rustc_hash::FxHashMap;

use crate::term::Sort;

/// An operand that is written longer than this says nothing to anybody.
const MAX_TEXT: usize = 10_000;

/// The names of a system's memories.
pub struct CertificateNames<'a> {
    pub(super) system: &'a System,
    /// Each `pre` of the system that has one in a mutant beside it, with that one.
    memories: &'a [(ExprId, ExprId)],
    /// An expression of the copy that is written as a constant.
    constant: Option<(ExprId, bool)>,
    /// What was written already.
    known: RefCell<FxHashMap<ExprId, Option<String>>>,
}

impl<'a> CertificateNames<'a> {
    /// The names in a system.
    pub fn new(system: &'a System) -> CertificateNames<'a> {
        CertificateNames::of_product(system, &[])
    }

    /// The names in a system that stands beside its mutant. Until the mutant's `pre` of a pair
    /// has a value it has that of the original, so they are written as one.
    pub fn of_product(
        system: &'a System,
        memories: &'a [(ExprId, ExprId)],
    ) -> CertificateNames<'a> {
        CertificateNames { system, memories, constant: None, known: RefCell::default() }
    }

    /// The same, with a constant in place of an expression: what holds wherever it is wrong holds where it
    /// always is.
    pub fn with_constant(self, constant: Option<(ExprId, bool)>) -> CertificateNames<'a> {
        CertificateNames { constant, ..self }
    }

    /// The `pre` that a symbol stands for, as text and with its type; `None` for symbols that
    /// mean nothing outside.
    pub(super) fn memory(&self, symbol: &str) -> Option<(String, Type)> {
        let number: usize = symbol.strip_prefix("pre:")?.parse().ok()?;
        let pre: ExprId = (number < self.system.exprs.len()).then(|| Id::new(number))?;
        let ExprKind::Pre(_) = self.system.exprs[pre].kind else { return None };
        let mut known = self.known.borrow_mut();
        let text = known.entry(pre).or_insert_with(|| self.text(pre)).clone()?;
        Some((text, self.system.exprs[pre].ty))
    }

    fn text(&self, expr: ExprId) -> Option<String> {
        let mut text = String::new();
        self.write(&mut text, expr)?;
        Some(text)
    }

    /// The name of a constant of an enumeration.
    pub(super) fn constant(&self, id: EnumId, ordinal: usize) -> &str {
        &self.system.enums[id].constants[ordinal]
    }

    fn write(&self, text: &mut String, id: ExprId) -> Option<()> {
        if text.len() > MAX_TEXT {
            return None;
        }
        stacker::maybe_grow(64 << 10, 1 << 20, || self.write_here(text, id))
    }

    fn write_here(&self, text: &mut String, id: ExprId) -> Option<()> {
        let expr = &self.system.exprs[id];
        if let Some((_, value)) = self.constant.filter(|(changed, _)| *changed == id) {
            text.push_str(if value { "true" } else { "false" });
            return Some(());
        }
        match &expr.kind {
            ExprKind::Const(Value::Enum(ordinal)) => {
                let Type::Enum(of) = expr.ty else { return None };
                text.push_str(self.constant(of, *ordinal as usize));
            }
            ExprKind::Const(value) => text.push_str(&literal(value)?),
            ExprKind::Var(var) => {
                text.push('`');
                text.push_str(&self.system.vars[*var].name);
                text.push('`');
            }
            ExprKind::Unary(op, a) => self.joined(text, &[op.symbol()], &[*a])?,
            ExprKind::Pre(a) => self.joined(text, &["pre"], &[*a])?,
            ExprKind::Binary(op, a, b) => self.joined(text, &["", op.symbol()], &[*a, *b])?,
            ExprKind::Arrow(a, b) if self.memories.contains(&(*a, *b)) => self.write(text, *b)?,
            ExprKind::Arrow(a, b) => self.joined(text, &["", "->"], &[*a, *b])?,
            ExprKind::If(c, a, b) => self.joined(text, &["if", "then", "else"], &[*c, *a, *b])?,
        }
        Some(())
    }

    /// Operands with a word before each, in parentheses.
    fn joined(&self, text: &mut String, words: &[&str], operands: &[ExprId]) -> Option<()> {
        text.push('(');
        for (at, (word, operand)) in words.iter().zip(operands).enumerate() {
            if at > 0 {
                text.push(' ');
            }
            text.push_str(word);
            if !word.is_empty() {
                text.push(' ');
            }
            self.write(text, *operand)?;
        }
        text.push(')');
        Some(())
    }
}

/// The sort of what a type's values are in facts; an enumeration has none.
pub(super) fn sort(ty: Type) -> Option<Sort> {
    match ty {
        Type::Bool => Some(Sort::Bool),
        Type::Int => Some(Sort::Int),
        Type::Real => Some(Sort::Real),
        Type::Enum(_) => None,
    }
}

/// A literal of a certificate; `None` for what is unknown.
pub(super) fn literal(value: &Value) -> Option<String> {
    let whole = |text: String| match text.strip_prefix('-') {
        Some(digits) => format!("(- {digits})"),
        None => text,
    };
    match value {
        Value::Bool(value) => Some(value.to_string()),
        Value::Int(value) => Some(whole(value.to_string())),
        Value::Real(value) => Some(real(value, whole)),
        Value::Unknown | Value::Enum(_) => None,
    }
}

fn real(value: &Rational, whole: impl Fn(String) -> String) -> String {
    let (numerator, denominator) = value.parts();
    let above = whole(format!("{numerator}.0"));
    match denominator.to_i64() {
        Some(1) => above,
        _ => format!("({above} / {denominator}.0)"),
    }
}
