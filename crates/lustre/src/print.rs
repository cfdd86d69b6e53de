//! A system as Lustre text: one node that reads back as an equal system.

use std::fmt::Write;

use provoke_analysis::machine_types;
use provoke_base::{IndexVec, Int, Rational};
use provoke_model::{
    BinaryOp, ExprId, ExprKind, MachineInt, PropertyGoal, Range, Role, System, Type, UnaryOp,
    Value, Var, VarId,
};
use rustc_hash::FxHashSet;

use crate::lex::reserved;

/// The longest text that is written, in expressions. Shared expressions are written out at
/// each place, so a small system can have a text that no disk holds.
pub const MAX_WRITTEN: u64 = 5_000_000;

/// The text would have more expressions than [`MAX_WRITTEN`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextTooLong {
    /// How many it would have, or the largest number.
    pub expressions: u64,
}

/// The system as a node, with names that Lustre allows.
pub fn print(system: &System) -> Result<String, TextTooLong> {
    let expressions = written_size(system);
    if expressions > MAX_WRITTEN {
        return Err(TextTooLong { expressions });
    }
    let system = with_plain_names(system);
    let types = machine_types(&system);
    let mut printer = Printer { system: &system, types, constants: Vec::new() };
    let body = printer.body();
    let mut text = printer.declarations();
    text.push_str(&printer.head());
    text.push_str(&body);
    Ok(text)
}

fn written_size(system: &System) -> u64 {
    let mut sizes: IndexVec<ExprId, u64> = IndexVec::new();
    for expr in system.exprs.iter() {
        let operands = expr.kind.operands().map(|operand| sizes[operand]);
        let size = operands.fold(1u64, u64::saturating_add);
        sizes.push(size);
    }
    system.roots().map(|root| sizes[root]).fold(0, u64::saturating_add)
}

/// The same system with variables called as Lustre allows: `pump.alarm#2.level[3]` becomes
/// `pump~alarm~2~level~3`.
pub fn with_plain_names(system: &System) -> System {
    let mut system = system.clone();
    let constants = system.enums.iter().flat_map(|ty| ty.constants.iter().cloned());
    let mut taken: FxHashSet<String> = constants.collect();
    // Names that are plain already keep what they are.
    let (plain, other): (Vec<VarId>, Vec<VarId>) =
        system.vars.ids().partition(|id| is_plain(&system.vars[*id].name));
    for id in plain.into_iter().chain(other) {
        let wanted = plain_name(&system.vars[id].name);
        let mut name = wanted.clone();
        let mut number = 2;
        while reserved(&name).is_some() || !taken.insert(name.clone()) {
            name = format!("{wanted}~{number}");
            number += 1;
        }
        system.vars[id].name = name;
    }
    system.name = plain_name(&system.name);
    system
}

fn is_plain(name: &str) -> bool {
    plain_name(name) == name
}

fn plain_name(name: &str) -> String {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_~!".contains(c);
    let plain = name.trim_end_matches(']').replace("].", ".").replace("][", "[");
    plain.chars().map(|c| if allowed(c) { c } else { '~' }).collect()
}

/// How tightly an expression binds; the numbers are those of the parser.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
struct Strength(u8);

const LOOSEST: Strength = Strength(0);
const ARROW: Strength = Strength(1);
const UNARY: Strength = Strength(11);
const TIGHTEST: Strength = Strength(12);
const ALWAYS: Strength = Strength(13);

fn strength(kind: &ExprKind) -> Strength {
    match kind {
        ExprKind::If(..) => LOOSEST,
        ExprKind::Arrow(..) => ARROW,
        ExprKind::Binary(op, ..) => Strength(match op {
            BinaryOp::Implies => 2,
            BinaryOp::Or | BinaryOp::Xor => 3,
            BinaryOp::And => 4,
            BinaryOp::Add | BinaryOp::Sub => 6,
            BinaryOp::Mul => 7,
            _ if op.divides() => 7,
            BinaryOp::BitOr(_) => 8,
            BinaryOp::BitAnd(_) => 9,
            BinaryOp::ShiftLeft(_) | BinaryOp::ShiftRight(_) => 10,
            _ => 5,
        }),
        ExprKind::Unary(UnaryOp::Not | UnaryOp::Neg | UnaryOp::BitNot(_), _) => UNARY,
        ExprKind::Pre(_) => UNARY,
        ExprKind::Const(value) if is_negative(value) => UNARY,
        _ => TIGHTEST,
    }
}

fn is_negative(value: &Value) -> bool {
    match value {
        Value::Int(int) => *int < Int::ZERO,
        Value::Real(real) => real.is_negative(),
        _ => false,
    }
}

struct Printer<'a> {
    system: &'a System,
    /// The machine's type of each expression.
    types: IndexVec<ExprId, Option<MachineInt>>,
    /// Reals without a finite decimal form, such as 1/3: each becomes a named constant.
    constants: Vec<Rational>,
}

impl Printer<'_> {
    fn declarations(&self) -> String {
        let mut text = String::new();
        for ty in self.system.enums.iter() {
            let constants = ty.constants.join(", ");
            let _ = writeln!(text, "type {} = enum {{ {constants} }};", ty.name);
        }
        for (number, constant) in self.constants.iter().enumerate() {
            let (numerator, denominator) = constant.parts();
            let name = constant_name(number);
            let _ = writeln!(text, "const {name} = {numerator}.0 / {denominator}.0;");
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text
    }

    fn head(&self) -> String {
        let mut text = format!("node {}(", self.system.name);
        text.push_str(&self.params(&self.system.inputs));
        text.push_str(")\nreturns (");
        text.push_str(&self.params(&self.system.outputs));
        text.push_str(");\n");
        let locals = self.system.vars.iter().filter(|var| var.role == Role::Local);
        let mut locals = locals.peekable();
        if locals.peek().is_some() {
            text.push_str("var\n");
        }
        for var in locals {
            let _ = writeln!(text, "  {};", self.declaration(var));
        }
        text
    }

    fn params(&self, vars: &[VarId]) -> String {
        let each = vars.iter().map(|var| self.declaration(&self.system.vars[*var]));
        each.collect::<Vec<_>>().join("; ")
    }

    fn declaration(&self, var: &Var) -> String {
        let ty = match (&var.range, var.ty) {
            _ if var.machine.is_some() => var.machine.map_or_else(String::new, |ty| ty.to_string()),
            (Some(Range { low, high }), _) => format!("subrange [{low}, {high}] of int"),
            (None, Type::Bool) => "bool".to_string(),
            (None, Type::Int) => "int".to_string(),
            (None, Type::Real) => "real".to_string(),
            (None, Type::Enum(id)) => self.system.enums[id].name.clone(),
        };
        format!("{}: {ty}", var.name)
    }

    fn body(&mut self) -> String {
        let mut text = "let\n".to_string();
        for equation in &self.system.equations {
            let _ = write!(text, "  {} = ", self.system.vars[equation.var].name);
            let ty = self.system.vars[equation.var].machine;
            self.typed(&mut text, equation.expr, ty, LOOSEST);
            text.push_str(";\n");
        }
        for assumption in &self.system.assumptions {
            text.push_str("  assert ");
            self.expr(&mut text, assumption.expr, LOOSEST);
            text.push_str(";\n");
        }
        for property in &self.system.properties {
            let to_reach = property.goal == PropertyGoal::Reachable;
            text.push_str(if to_reach { "  check reachable " } else { "  --%PROPERTY " });
            // A property that is called like its variable needs no name of its own.
            let bare = matches!(&self.system.exprs[property.expr].kind,
                ExprKind::Var(var) if self.system.vars[*var].name == property.name);
            if !bare {
                let _ = write!(text, "\"{}\" ", property.name.replace('"', "'"));
            }
            // What is to be reached is kept as its opposite.
            text.push_str(if to_reach { "not (" } else { "" });
            self.expr(&mut text, property.expr, LOOSEST);
            text.push_str(if to_reach { ");\n" } else { ";\n" });
        }
        text.push_str("tel\n");
        text
    }

    /// Writes an expression as one of this type, converted if it is of another.
    fn typed(
        &mut self,
        text: &mut String,
        id: ExprId,
        wanted: Option<MachineInt>,
        needed: Strength,
    ) {
        let word = match (self.types[id], wanted) {
            (own, wanted) if own == wanted => return self.expr(text, id, needed),
            (_, None) => "int".to_string(),
            (_, Some(wanted)) => conversion_word(wanted),
        };
        let _ = write!(text, "({word} ");
        self.expr(text, id, UNARY);
        text.push(')');
    }

    /// Writes an expression, in parentheses if it binds less tightly than `needed`.
    fn expr(&mut self, text: &mut String, id: ExprId, needed: Strength) {
        let system = self.system;
        let id = self.operation(id);
        let kind = &system.exprs[id].kind;
        let is_word = matches!(kind, ExprKind::Const(_)) && self.types[id].is_some();
        let own = if is_word { TIGHTEST } else { strength(kind) };
        let parentheses = own < needed;
        if parentheses {
            text.push('(');
        }
        stacker::maybe_grow(64 << 10, 1 << 20, || self.bare(text, id, kind));
        if parentheses {
            text.push(')');
        }
    }

    /// The operation whose result is wrapped, where that is what the operation means by itself.
    fn operation(&self, id: ExprId) -> ExprId {
        match self.system.exprs[id].kind {
            ExprKind::Unary(UnaryOp::Wrap(ty), of) if self.is_machine_operation(of, ty) => of,
            _ => id,
        }
    }

    fn is_machine_operation(&self, id: ExprId, ty: MachineInt) -> bool {
        use BinaryOp::{Add, Mul, Quotient, Remainder, Sub};
        let arithmetic = matches!(
            self.system.exprs[id].kind,
            ExprKind::Unary(UnaryOp::Neg, _)
                | ExprKind::Binary(Add | Sub | Mul | Quotient | Remainder, ..)
        );
        arithmetic && self.types[id] == Some(ty)
    }

    fn bare(&mut self, text: &mut String, id: ExprId, kind: &ExprKind) {
        let own = strength(kind);
        let tighter = Strength(own.0 + 1);
        match kind {
            ExprKind::Const(value) => {
                let constant = self.constant(value, self.system.exprs[id].ty);
                let _ = match self.types[id] {
                    Some(ty) => write!(text, "({} {constant})", conversion_word(ty)),
                    None => write!(text, "{constant}"),
                };
            }
            ExprKind::Var(var) => text.push_str(&self.system.vars[*var].name),
            ExprKind::Unary(op, operand) => self.unary(text, id, *op, *operand),
            ExprKind::Binary(op, left, right) => {
                let (left_needs, right_needs) = match op {
                    BinaryOp::Implies => (tighter, own),
                    // Other tools read `-a mod b` as `-(a mod b)`.
                    _ if op.divides() && self.starts_with_minus(*left) => (TIGHTEST, tighter),
                    // They do not chain shifts.
                    BinaryOp::ShiftLeft(_) | BinaryOp::ShiftRight(_) => (tighter, tighter),
                    _ => (own, tighter),
                };
                let [of_left, of_right] = self.operand_types(id, *op, [*left, *right]);
                self.typed(text, *left, of_left, left_needs);
                let _ = write!(text, " {} ", op.symbol());
                self.typed(text, *right, of_right, right_needs);
            }
            ExprKind::If(condition, then, otherwise) => {
                text.push_str("if ");
                self.expr(text, *condition, ARROW);
                text.push_str(" then ");
                self.typed(text, *then, self.types[id], ARROW);
                text.push_str(" else ");
                self.typed(text, *otherwise, self.types[id], LOOSEST);
            }
            ExprKind::Arrow(first, later) => {
                self.typed(text, *first, self.types[id], tighter);
                text.push_str(" -> ");
                self.typed(text, *later, self.types[id], own);
            }
            ExprKind::Pre(operand) => {
                text.push_str("pre ");
                self.typed(text, *operand, self.types[id], UNARY);
            }
        }
    }

    /// The types that an operator takes.
    fn operand_types(
        &self,
        id: ExprId,
        op: BinaryOp,
        [left, right]: [ExprId; 2],
    ) -> [Option<MachineInt>; 2] {
        match op {
            BinaryOp::BitAnd(ty) | BinaryOp::BitOr(ty) => [Some(ty); 2],
            BinaryOp::ShiftLeft(ty) | BinaryOp::ShiftRight(ty) => {
                [Some(ty), Some(MachineInt::unsigned(ty.bits))]
            }
            _ if op.is_relation() => {
                [self.types[left].filter(|_| self.types[left] == self.types[right]); 2]
            }
            _ => [self.types[id]; 2],
        }
    }

    fn unary(&mut self, text: &mut String, id: ExprId, op: UnaryOp, operand: ExprId) {
        match op {
            UnaryOp::Not => {
                text.push_str("not ");
                self.expr(text, operand, UNARY);
            }
            UnaryOp::Neg => {
                text.push('-');
                // `-5` is the number; the operator applied to 5 is `-(5)`. And `--` would
                // start a comment.
                let number = matches!(self.system.exprs[operand].kind, ExprKind::Const(_));
                self.typed(text, operand, self.types[id], if number { ALWAYS } else { TIGHTEST });
            }
            UnaryOp::BitNot(ty) => {
                text.push('!');
                self.typed(text, operand, Some(ty), TIGHTEST);
            }
            UnaryOp::Wrap(ty) => {
                let _ = write!(text, "({} ", conversion_word(ty));
                let direct = match self.types[operand] {
                    Some(from) => from.signed == ty.signed && from != ty,
                    // A number would be converted before anything runs.
                    None => !matches!(self.system.exprs[operand].kind, ExprKind::Const(_)),
                };
                if !direct {
                    text.push_str("int ");
                }
                self.expr(text, operand, UNARY);
                text.push(')');
            }
            // What a machine does with a result goes without saying.
            UnaryOp::Round(_) | UnaryOp::Clamp(_) => self.expr(text, operand, UNARY),
            UnaryOp::ToReal | UnaryOp::Floor => {
                let _ = write!(text, "{}(", op.symbol());
                self.typed(text, operand, None, LOOSEST);
                text.push(')');
            }
        }
    }

    fn starts_with_minus(&self, id: ExprId) -> bool {
        match &self.system.exprs[self.operation(id)].kind {
            ExprKind::Const(value) => is_negative(value) && self.types[id].is_none(),
            ExprKind::Unary(op, _) => *op == UnaryOp::Neg,
            _ => false,
        }
    }

    fn constant(&mut self, value: &Value, ty: Type) -> String {
        match value {
            Value::Real(real) => match decimal(real) {
                Some(decimal) => decimal,
                None => self.named_constant(real),
            },
            _ => value.show(ty, &self.system.enums),
        }
    }

    fn named_constant(&mut self, real: &Rational) -> String {
        let known = self.constants.iter().position(|constant| constant == real);
        let number = known.unwrap_or_else(|| {
            self.constants.push(real.clone());
            self.constants.len() - 1
        });
        constant_name(number)
    }
}

/// How a conversion begins: types without a word of their own have another form there.
fn conversion_word(ty: MachineInt) -> String {
    match MachineInt::named(ty.word()) {
        Some(_) => ty.word().to_string(),
        None => format!("{}@<{}>", ty.word(), ty.bits),
    }
}

fn constant_name(number: usize) -> String {
    format!("real~constant~{}", number + 1)
}

/// The decimal form with a point, if it is finite and not too long.
fn decimal(real: &Rational) -> Option<String> {
    const MAX_PLACES: usize = 400;
    let (numerator, denominator) = real.parts();
    let (negative, mut digits) = match numerator < Int::ZERO {
        true => (true, numerator.neg()),
        false => (false, numerator),
    };
    let (one, ten) = (Int::from(1), Int::from(10));
    let mut denominator = denominator;
    let mut places = 0;
    while denominator != one {
        // Multiplying both by ten and dividing out what they share removes 2s and 5s.
        let scaled = Rational::new(&digits.mul(&ten), &denominator)?;
        (digits, denominator) = scaled.parts();
        places += 1;
        if places > MAX_PLACES {
            return None;
        }
    }
    let text = format!("{:0>width$}", digits.to_string(), width = places + 1);
    let (whole, fraction) = text.split_at(text.len() - places);
    let fraction = if fraction.is_empty() { "0" } else { fraction };
    let sign = if negative { "-" } else { "" };
    Some(format!("{sign}{whole}.{fraction}"))
}
