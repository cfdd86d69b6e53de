//! The step function: one assignment for each variable, in the order of the equations.

use std::collections::BTreeSet;
use std::fmt::Write;

use provoke_analysis::Widths;
use provoke_base::{IndexVec, SourceFile, Span};
use provoke_model::{
    Arithmetic, BinaryOp, ExprId, ExprKind, IntWidth, MachineInt, Role, System, Type, UnaryOp,
    Value,
};

use crate::CodeOptions;
use crate::memory::Memory;
use crate::names::Names;
use crate::needed::Needed;
use crate::notation::{int_type, literal, real_type, type_name};
use crate::support::Support;

/// Expressions that take more characters get a variable of their own, so that lines stay
/// readable and no compiler meets its limit on nesting.
const LONG: usize = 88;

/// Writes the statements of a step.
pub(crate) struct StepWriter<'a> {
    pub(crate) system: &'a System,
    pub(crate) file: Option<&'a SourceFile>,
    pub(crate) options: &'a CodeOptions,
    pub(crate) widths: &'a Widths,
    pub(crate) names: Names,
    pub(crate) needed: &'a Needed,
    pub(crate) memory: &'a Memory,
    /// The functions that the statements call.
    pub(crate) support: BTreeSet<(Support, IntWidth)>,
    texts: IndexVec<ExprId, Option<String>>,
    body: String,
}

impl<'a> StepWriter<'a> {
    pub(crate) fn new(
        system: &'a System,
        file: Option<&'a SourceFile>,
        (options, widths): (&'a CodeOptions, &'a Widths),
        names: Names,
        needed: &'a Needed,
        memory: &'a Memory,
    ) -> StepWriter<'a> {
        let texts = IndexVec::repeat(None, system.exprs.len());
        let support = BTreeSet::new();
        StepWriter {
            system,
            file,
            options,
            widths,
            names,
            needed,
            memory,
            support,
            texts,
            body: String::new(),
        }
    }

    /// The statements.
    pub(crate) fn write(&mut self) -> &str {
        if !self.system.inputs.iter().any(|input| self.needed.vars[*input]) {
            self.body.push_str("    (void)in;\n");
        }
        for equation in &self.system.equations {
            if self.needed.vars[equation.var] {
                let var = &self.system.vars[equation.var];
                let comment = self.place(&var.name, self.system.exprs[equation.expr].span);
                let value = self.expression(equation.expr);
                let (from, to) = (self.widths.exprs[equation.expr], self.widths.vars[equation.var]);
                let value = self.narrowed(value, var.ty, from, to);
                let name = self.names.vars[equation.var].clone();
                self.declare(var.ty, to, &name, &value, &comment);
            }
        }
        self.body.push('\n');
        for output in &self.system.outputs {
            let is_input = self.system.vars[*output].role == Role::Input;
            let from = if is_input { "in->" } else { "" };
            let name = &self.names.vars[*output];
            let _ = writeln!(self.body, "    out->{name} = {from}{name};");
        }
        for index in 0..self.memory.slots.len() {
            let slot = &self.memory.slots[index];
            let value = self.expression(slot.operand);
            let _ = writeln!(self.body, "    state->{} = {value};", slot.field);
        }
        self.body.push_str("    state->first = false;\n");
        &self.body
    }

    /// Where in the model something comes from.
    fn place(&self, name: &str, span: Span) -> String {
        match self.file {
            Some(file) => format!("{name}, line {}", file.line_column(span.start).line),
            None => name.to_string(),
        }
    }

    /// The text of an integer in so many bits, where it may have more.
    fn narrowed(&self, text: String, ty: Type, from: IntWidth, to: IntWidth) -> String {
        match ty == Type::Int && to < from {
            true => format!("(({}){text})", int_type(to)),
            false => text,
        }
    }

    fn declare(&mut self, ty: Type, width: IntWidth, name: &str, value: &str, comment: &str) {
        let ty = type_name(ty, width, &self.names, self.options);
        let comment = if comment.is_empty() { String::new() } else { format!(" /* {comment} */") };
        let _ = writeln!(self.body, "    const {ty} {name} = {};{comment}", bare(value));
    }

    /// The text of an expression, after the statements it needs.
    fn expression(&mut self, root: ExprId) -> String {
        for id in self.open_below(root) {
            let (ty, width) = (self.system.exprs[id].ty, self.widths.exprs[id]);
            let mut text = self.compose(id);
            text = self.narrowed(text, ty, self.widths.operations[id], width);
            let leaf = self.system.exprs[id].kind.operands().next().is_none();
            let shared = self.needed.uses[id] > 1 && !leaf;
            if shared || (text.len() > LONG && id != root) {
                let name = self.names.unused("part");
                self.declare(ty, width, &name, &text, "");
                text = name;
            }
            self.texts[id] = Some(text);
        }
        self.text(root)
    }

    /// The expressions of `root` that have no text yet, operands first.
    fn open_below(&self, root: ExprId) -> BTreeSet<ExprId> {
        let mut found = BTreeSet::new();
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            if self.texts[id].is_none() && found.insert(id) {
                match &self.system.exprs[id].kind {
                    ExprKind::Pre(_) => {}
                    kind => open.extend(kind.operands()),
                }
            }
        }
        found
    }

    fn text(&self, id: ExprId) -> String {
        self.texts[id].clone().expect("operands come first")
    }

    fn compose(&mut self, id: ExprId) -> String {
        let expr = &self.system.exprs[id];
        match &expr.kind {
            ExprKind::Const(value) => {
                let machine = match self.widths.exprs[id] {
                    int @ IntWidth::Machine(_) => Arithmetic { int, ..self.options.arithmetic },
                    _ => self.options.arithmetic,
                };
                let word = machine.word(value).expect("constants were checked");
                literal(word, expr.ty, &self.names, self.options)
            }
            ExprKind::Var(var) => {
                let input = self.system.vars[*var].role == Role::Input;
                format!("{}{}", if input { "in->" } else { "" }, self.names.vars[*var])
            }
            ExprKind::Unary(op, operand) => self.unary(id, *op, *operand),
            ExprKind::Binary(op, left, right) => self.binary(id, *op, *left, *right),
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.text(*condition);
                let [then, otherwise] = [then, otherwise].map(|branch| self.operand(id, *branch));
                format!("({condition} ? {then} : {otherwise})")
            }
            ExprKind::Arrow(first, later) => {
                let [first, later] = [first, later].map(|side| self.operand(id, *side));
                format!("(state->first ? {first} : {later})")
            }
            ExprKind::Pre(_) => {
                format!("state->{}", self.memory.slots[self.memory.slot_of[&id]].field)
            }
        }
    }

    /// The text of an operand; a machine's integer beside unbounded ones becomes one of them.
    fn operand(&self, id: ExprId, operand: ExprId) -> String {
        let text = self.text(operand);
        match (self.widths.operations[id], self.widths.exprs[operand]) {
            (IntWidth::Machine(_), _) => text,
            (width, IntWidth::Machine(_)) => format!("(({}){text})", int_type(width)),
            _ => text,
        }
    }

    fn unary(&mut self, id: ExprId, op: UnaryOp, operand: ExprId) -> String {
        if let UnaryOp::Wrap(ty) = op {
            return self.wrapped(ty, operand);
        }
        let text = self.operand(id, operand);
        match (op, self.system.exprs[operand].ty) {
            (UnaryOp::Not, _) => format!("(!{text})"),
            (UnaryOp::Neg, Type::Int) => self.call(Support::Neg, id, &[&text]),
            (UnaryOp::Neg, _) => format!("(-{text})"),
            (UnaryOp::ToReal, _) => {
                format!("(({}){text})", real_type(self.options.arithmetic.real))
            }
            (UnaryOp::Floor, _) => self.call(Support::Floor, id, &[&text]),
            (UnaryOp::BitNot(_), _) => self.call(Support::BitNot, id, &[&text]),
            (UnaryOp::Wrap(_), _) => text,
        }
    }

    /// What is computed in the type already has no other bits.
    fn wrapped(&mut self, ty: MachineInt, operand: ExprId) -> String {
        let text = self.text(operand);
        if self.widths.exprs[operand] == IntWidth::Machine(ty) {
            return text;
        }
        let width = IntWidth::Machine(ty);
        self.support.insert((Support::Wrap, width));
        let name = Support::Wrap.name(&self.names.model, width, self.options);
        format!("{name}((uint64_t){text})")
    }

    fn binary(&mut self, id: ExprId, op: BinaryOp, left: ExprId, right: ExprId) -> String {
        let ty = self.system.exprs[left].ty;
        let is_literal = matches!(self.system.exprs[left].kind, ExprKind::Const(_));
        // Compilers warn of comparing something with the end of its type.
        if let Some((holds, other)) = self.decided_by_type(id, op, left, right) {
            return format!("(((void){}, {holds}))", self.text(other));
        }
        let (left, right) = (self.operand(id, left), self.operand(id, right));
        let support = match (op, ty) {
            (BinaryOp::Add, Type::Int) => Some(Support::Add),
            (BinaryOp::Sub, Type::Int) => Some(Support::Sub),
            (BinaryOp::Mul, Type::Int) => Some(Support::Mul),
            (BinaryOp::IntDiv, _) => Some(Support::Div),
            (BinaryOp::Mod, _) => Some(Support::Mod),
            (BinaryOp::Quotient, _) => Some(Support::Quotient),
            (BinaryOp::Remainder, _) => Some(Support::Remainder),
            (BinaryOp::BitAnd(_), _) => Some(Support::BitAnd),
            (BinaryOp::BitOr(_), _) => Some(Support::BitOr),
            (BinaryOp::ShiftLeft(_), _) => Some(Support::ShiftLeft),
            (BinaryOp::ShiftRight(_), _) => Some(Support::ShiftRight),
            _ => None,
        };
        if let Some(support) = support {
            return self.call(support, id, &[&left, &right]);
        }
        if op == BinaryOp::Implies {
            return format!("((!{left}) || {right})");
        }
        // Compilers warn of comparing something with itself, except where it may be no number.
        if left == right && op.is_relation() && ty != Type::Real {
            let holds = matches!(op, BinaryOp::Eq | BinaryOp::Le | BinaryOp::Ge);
            // They warn of what is never used as well.
            return match is_literal {
                true => holds.to_string(),
                false => format!("(((void){left}, {holds}))"),
            };
        }
        format!("({left} {} {right})", operator(op))
    }

    /// What a comparison with the smallest or largest number of a machine's type always says, and
    /// what is compared.
    fn decided_by_type(
        &self,
        id: ExprId,
        op: BinaryOp,
        left: ExprId,
        right: ExprId,
    ) -> Option<(bool, ExprId)> {
        use BinaryOp::{Ge, Gt, Le, Lt};
        let IntWidth::Machine(ty) = self.widths.operations[id] else { return None };
        let constant = |id: ExprId| match &self.system.exprs[id].kind {
            ExprKind::Const(Value::Int(int)) => int.to_i128(),
            _ => None,
        };
        let (op, bound, other) = match (constant(left), constant(right)) {
            (None, Some(bound)) => (op, bound, left),
            (Some(bound), None) => {
                let turned = match op {
                    Lt => Gt,
                    Le => Ge,
                    Gt => Lt,
                    Ge => Le,
                    _ => return None,
                };
                (turned, bound, right)
            }
            _ => return None,
        };
        match op {
            Ge if bound == ty.low() => Some((true, other)),
            Lt if bound == ty.low() => Some((false, other)),
            Le if bound == ty.high() => Some((true, other)),
            Gt if bound == ty.high() => Some((false, other)),
            _ => None,
        }
    }

    fn call(&mut self, support: Support, id: ExprId, arguments: &[&str]) -> String {
        let width = self.widths.operations[id];
        self.support.insert((support, width));
        let arguments: Vec<&str> = arguments.iter().map(|text| bare(text)).collect();
        format!(
            "{}({})",
            support.name(&self.names.model, width, self.options),
            arguments.join(", ")
        )
    }
}

/// The text without the parentheses around all of it.
fn bare(text: &str) -> &str {
    let Some(inner) = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')) else {
        return text;
    };
    let mut depth = 0_i32;
    let closes_early = inner.chars().any(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth < 0
    });
    if closes_early { text } else { inner }
}

fn operator(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::And => "&&",
        BinaryOp::Or => "||",
        BinaryOp::Eq => "==",
        BinaryOp::Xor | BinaryOp::Ne => "!=",
        BinaryOp::Lt => "<",
        BinaryOp::Le => "<=",
        BinaryOp::Gt => ">",
        BinaryOp::Ge => ">=",
        BinaryOp::Add => "+",
        BinaryOp::Sub => "-",
        BinaryOp::Mul => "*",
        BinaryOp::Div => "/",
        _ => {
            unreachable!("`{}` is written in its own way", op.symbol())
        }
    }
}
