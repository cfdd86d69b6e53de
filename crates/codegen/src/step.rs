//! A function of the code: one statement for each variable, and a call for each node instance inside.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use provoke_analysis::Widths;
use provoke_base::{SourceFile, Span};
use provoke_model::{
    Arithmetic, BinaryOp, ExprId, ExprKind, InstanceId, IntWidth, MachineInt, System, Type,
    UnaryOp, Value, VarId,
};

use crate::functions::{Function, Statement};
use crate::layout::{fits, folded, remarked};
use crate::memory::Memory;
use crate::names::{Names, Taken, identifier};
use crate::needed::{Needed, relative};
use crate::notation::{int_type, literal, real_type, type_name};
use crate::support::Support;
use crate::{CodeOptions, comment_safe};

/// Expressions that take more characters get a variable of their own, so that no compiler meets its
/// limit on nesting.
const LONG: usize = 300;

/// So many cases are written as `if` and `else`: C promises 127 levels of blocks.
const MOST_CASES: usize = 100;

/// Arguments that take more characters get a variable of their own.
const LONG_ARGUMENT: usize = 48;

/// What all functions of a system have in common.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    pub(crate) system: &'a System,
    pub(crate) file: Option<&'a SourceFile>,
    pub(crate) options: &'a CodeOptions,
    pub(crate) widths: &'a Widths,
    pub(crate) needed: &'a Needed,
    pub(crate) definitions: &'a BTreeMap<VarId, ExprId>,
}

/// What callers know of a function.
#[derive(Clone, Debug)]
pub(crate) struct Callee {
    /// Its name.
    pub(crate) name: String,
    /// The type of what it remembers, if it remembers anything.
    pub(crate) state: Option<String>,
    pub(crate) parameters: Vec<VarId>,
    pub(crate) results: Vec<VarId>,
}

/// Values with what each is chosen by: a choice, its condition (none for the first step), the value.
struct Cases {
    tests: Vec<(ExprId, Option<ExprId>, ExprId)>,
    otherwise: ExprId,
}

/// Writes the statements of a function.
pub(crate) struct StepWriter<'a> {
    context: Context<'a>,
    system: &'a System,
    options: &'a CodeOptions,
    widths: &'a Widths,
    names: &'a Names,
    function: &'a Function,
    callees: &'a BTreeMap<InstanceId, Callee>,
    /// Where variables are that are no variables of the function: the inputs of the main node.
    places: BTreeMap<VarId, String>,
    pub(crate) memory: Memory,
    /// The fields of the callees' memory.
    pub(crate) inner: Vec<(InstanceId, String)>,
    /// The functions that the statements call.
    pub(crate) support: BTreeSet<(Support, IntWidth)>,
    taken: Taken,
    locals: BTreeMap<VarId, String>,
    /// Arguments that are written where they are passed.
    passed: BTreeSet<VarId>,
    /// Variables that are only another name of a result.
    copies: BTreeSet<VarId>,
    /// What parts of an expression are called after.
    subject: String,
    texts: BTreeMap<ExprId, String>,
    body: String,
}

impl<'a> StepWriter<'a> {
    pub(crate) fn new(
        context: Context<'a>,
        names: &'a Names,
        function: &'a Function,
        callees: &'a BTreeMap<InstanceId, Callee>,
        places: BTreeMap<VarId, String>,
    ) -> StepWriter<'a> {
        let Context { system, options, widths, .. } = context;
        let path = &system.instances[function.instance].path;
        let own_name = |var: VarId| identifier(relative(&system.vars[var].name, path));
        let equations = function.statements.iter().filter_map(|statement| match statement {
            Statement::Equation(var) => Some((own_name(*var), context.definitions[var])),
            Statement::Call(_) => None,
        });
        let equations: Vec<(String, ExprId)> = equations.collect();
        let mut fields = Taken::reserved();
        let memory = Memory::new(system, &equations, own_name, &mut fields);
        let mut inner = Vec::new();
        for statement in &function.statements {
            let Statement::Call(callee) = statement else { continue };
            if callees[callee].state.is_some() {
                let name = relative(&system.instances[*callee].path, path);
                inner.push((*callee, fields.unused(&identifier(name))));
            }
        }
        let mut writer = StepWriter {
            context,
            system,
            options,
            widths,
            names,
            function,
            callees,
            places,
            memory,
            inner,
            support: BTreeSet::new(),
            taken: names.taken.clone(),
            locals: BTreeMap::new(),
            passed: BTreeSet::new(),
            copies: BTreeSet::new(),
            subject: String::new(),
            texts: BTreeMap::new(),
            body: String::new(),
        };
        writer.find_passed();
        writer.name_results();
        writer
    }

    /// Arguments that only one call reads need no variable.
    fn find_passed(&mut self) {
        let mut read: BTreeMap<VarId, usize> = BTreeMap::new();
        for statement in &self.function.statements {
            let vars = match statement {
                Statement::Call(callee) => self.callees[callee].parameters.clone(),
                // Read by an equation: it is counted as if it were read by many.
                Statement::Equation(var) => {
                    let vars = self.read_by(*var);
                    vars.iter().chain(&vars).copied().collect()
                }
            };
            vars.into_iter().for_each(|var| *read.entry(var).or_default() += 1);
        }
        for statement in &self.function.statements {
            let Statement::Equation(var) = statement else { continue };
            let is_argument = self.system.vars[*var].instance != self.function.instance;
            let is_result = self.function.results.contains(var);
            if is_argument && !is_result && read.get(var) == Some(&1) {
                self.passed.insert(*var);
            }
        }
    }

    /// The variables in an equation, those under `pre` as well.
    fn read_by(&self, var: VarId) -> Vec<VarId> {
        let mut found = Vec::new();
        let mut met = BTreeSet::new();
        let mut open = vec![self.context.definitions[&var]];
        while let Some(id) = open.pop() {
            if !met.insert(id) {
                continue;
            }
            match &self.system.exprs[id].kind {
                ExprKind::Var(read) => found.push(*read),
                kind => open.extend(kind.operands()),
            }
        }
        found
    }

    /// A result that the caller only gives another name has that name.
    fn name_results(&mut self) {
        let calls = self.function.statements.iter().filter_map(|statement| match statement {
            Statement::Call(callee) => Some(&self.callees[callee].results),
            Statement::Equation(_) => None,
        });
        let mut open: BTreeSet<VarId> = calls.flatten().copied().collect();
        for statement in &self.function.statements {
            let Statement::Equation(var) = statement else { continue };
            let definition = self.context.definitions[var];
            let ExprKind::Var(result) = self.system.exprs[definition].kind else { continue };
            let alike = self.widths.vars[*var] == self.widths.vars[result];
            if alike && !self.passed.contains(var) && open.remove(&result) {
                let name = self.name(*var);
                self.locals.insert(result, name);
                self.copies.insert(*var);
            }
        }
    }

    /// What a variable is called in this function.
    fn name(&mut self, var: VarId) -> String {
        if let Some(name) = self.locals.get(&var) {
            return name.clone();
        }
        let path = &self.system.instances[self.function.instance].path;
        let name = self.taken.unused(&identifier(relative(&self.system.vars[var].name, path)));
        self.locals.insert(var, name.clone());
        name
    }

    /// The text of a variable's current value.
    fn variable(&mut self, var: VarId) -> String {
        match self.places.get(&var) {
            Some(place) => place.clone(),
            None => self.name(var),
        }
    }

    /// The parameters as they are declared, without the state.
    pub(crate) fn parameters(&mut self) -> Vec<String> {
        let mut declared = Vec::new();
        for &var in &self.function.parameters {
            let name = self.name(var);
            declared.push(format!("{} {name}", self.type_of(var)));
        }
        declared
    }

    /// The C type of a variable.
    pub(crate) fn type_of(&self, var: VarId) -> String {
        type_name(self.system.vars[var].ty, self.widths.vars[var], self.names, self.options)
    }

    /// A name for something that is no variable of the model.
    pub(crate) fn new_name(&mut self, wanted: &str) -> String {
        self.taken.unused(wanted)
    }

    /// The statements up to the results; results are read with [`StepWriter::result`].
    pub(crate) fn write(&mut self) {
        for inlined in &self.function.inlined {
            let name = comment_safe(&self.system.instances[*inlined].path);
            let why = "is computed here: its inputs need its outputs";
            let _ = writeln!(self.body, "    /* {name} {why}. */");
        }
        for statement in &self.function.statements {
            match statement {
                Statement::Equation(var) => self.equation(*var),
                Statement::Call(callee) => self.call_node(*callee),
            }
        }
    }

    /// The current value of a result.
    pub(crate) fn result(&mut self, var: VarId) -> String {
        self.variable(var)
    }

    /// The statements that remember what the next step needs, after all others.
    pub(crate) fn remember(&mut self, has_first: bool) -> String {
        self.subject = "next".to_string();
        for index in 0..self.memory.slots.len() {
            let operand = self.memory.slots[index].operand;
            let value = self.expression(operand);
            let statement =
                format!("state->{} = {};", self.memory.slots[index].field, bare(&value));
            let comment = match self.system.exprs[operand].kind {
                ExprKind::Var(_) => String::new(),
                _ => self.place(self.system.exprs[operand].span),
            };
            self.body.push_str(&remarked(4, &statement, &comment));
        }
        if has_first {
            self.body.push_str("    state->first = false;\n");
        }
        std::mem::take(&mut self.body)
    }

    /// Separates what was written from what comes.
    pub(crate) fn blank_line(&mut self) {
        if !self.body.is_empty() {
            self.body.push('\n');
        }
    }

    /// Adds a statement that is written elsewhere.
    pub(crate) fn add(&mut self, statement: &str) {
        self.body.push_str(&folded(4, statement));
    }

    fn equation(&mut self, var: VarId) {
        if self.passed.contains(&var) || self.copies.contains(&var) {
            return;
        }
        let name = self.name(var);
        self.subject.clone_from(&name);
        let definition = self.context.definitions[&var];
        let comment = self.remark(var, &name, self.system.exprs[definition].span);
        let head = format!("{} {name}", self.type_of(var));
        let cases = self.cases(definition);
        let value = match self.choice(&cases) {
            Some(text) => self.as_wide_as(var, text),
            None => self.value(var),
        };
        let statement = format!("const {head} = {};", bare(&value));
        if cases.tests.is_empty() || fits(4, &statement) {
            self.body.push_str(&remarked(4, &statement, &comment));
        } else {
            self.body.push_str(&remarked(4, &format!("{head};"), &comment));
            self.conditional(var, &name, &cases);
        }
    }

    /// Where an equation chooses between values: `if` or `->`, and again in what is left.
    fn cases(&mut self, definition: ExprId) -> Cases {
        let mut cases = Cases { tests: Vec::new(), otherwise: definition };
        if self.context.needed.uses[definition] > 1 {
            return cases;
        }
        loop {
            let id = cases.otherwise;
            let (test, value, rest) = match self.system.exprs[id].kind {
                _ if self.context.needed.uses[id] > 1 || cases.tests.len() == MOST_CASES => break,
                ExprKind::If(condition, then, otherwise) => (Some(condition), then, otherwise),
                ExprKind::Arrow(first, later) => (None, first, later),
                _ => break,
            };
            cases.tests.push((id, test, value));
            cases.otherwise = rest;
        }
        cases
    }

    /// The cases as one expression; nothing if there is only one.
    fn choice(&mut self, cases: &Cases) -> Option<String> {
        let tests: Vec<(ExprId, String, String)> = cases
            .tests
            .iter()
            .map(|(id, test, value)| (*id, self.test(*test), self.expression(*value)))
            .collect();
        if tests.is_empty() {
            return None;
        }
        let mut text = self.expression(cases.otherwise);
        for (id, test, value) in tests.into_iter().rev() {
            text = self.as_declared(id, format!("({test} ? {value} : {text})"));
        }
        Some(text)
    }

    fn test(&mut self, condition: Option<ExprId>) -> String {
        condition.map_or_else(|| "state->first".to_string(), |id| self.expression(id))
    }

    /// The cases as `if` and `else`.
    fn conditional(&mut self, var: VarId, name: &str, cases: &Cases) {
        let last = cases.tests.len();
        for place in 0..=last {
            let value = match cases.tests.get(place) {
                Some((_, test, value)) => {
                    let test = self.test(*test);
                    let word = if place == 0 { "if" } else { "} else if" };
                    self.body.push_str(&folded(4, &format!("{word} ({}) {{", bare(&test))));
                    *value
                }
                None => {
                    self.body.push_str("    } else {\n");
                    cases.otherwise
                }
            };
            let mut text = self.expression(value);
            // What is chosen has been as wide as each of the choices that it went through.
            for (id, _, _) in cases.tests.iter().take(place + 1).rev() {
                text = self.as_declared(*id, text);
            }
            let text = self.as_wide_as(var, text);
            self.body.push_str(&folded(8, &format!("{name} = {};", bare(&text))));
        }
        self.body.push_str("    }\n");
    }

    /// The text of an operation's result, as wide as the expression is.
    fn as_declared(&self, id: ExprId, text: String) -> String {
        let (from, to) = (self.widths.operations[id], self.widths.exprs[id]);
        self.narrowed(text, self.system.exprs[id].ty, from, to)
    }

    /// The value of a variable's definition, as wide as the variable is.
    fn as_wide_as(&self, var: VarId, text: String) -> String {
        let definition = self.context.definitions[&var];
        let (from, to) = (self.widths.exprs[definition], self.widths.vars[var]);
        self.narrowed(text, self.system.vars[var].ty, from, to)
    }

    /// The value that an equation gives its variable.
    fn value(&mut self, var: VarId) -> String {
        let text = self.expression(self.context.definitions[&var]);
        self.as_wide_as(var, text)
    }

    /// Calls the function of a node instance.
    fn call_node(&mut self, instance: InstanceId) {
        let callee = &self.callees[&instance];
        let field = self.inner.iter().find(|(inner, _)| *inner == instance);
        let mut arguments: Vec<String> =
            field.iter().map(|(_, field)| format!("&state->{field}")).collect();
        for &parameter in &callee.parameters {
            let argument = self.argument(parameter);
            arguments.push(argument);
        }
        let comment = self.place(self.system.instances[instance].span);
        let statement = match callee.results.as_slice() {
            [result] => {
                let (ty, name) = (self.type_of(*result), self.name(*result));
                format!("const {ty} {name} = {}({});", callee.name, arguments.join(", "))
            }
            results => {
                for &result in results {
                    let (ty, name) = (self.type_of(result), self.name(result));
                    let _ = writeln!(self.body, "    {ty} {name};");
                    arguments.push(format!("&{name}"));
                }
                format!("{}({});", callee.name, arguments.join(", "))
            }
        };
        self.body.push_str(&remarked(4, &statement, &comment));
    }

    /// The text of an argument.
    fn argument(&mut self, parameter: VarId) -> String {
        if !self.passed.contains(&parameter) {
            return self.variable(parameter);
        }
        self.subject = self.name(parameter);
        let text = self.value(parameter);
        if bare(&text).len() <= LONG_ARGUMENT {
            return bare(&text).to_string();
        }
        let name = self.name(parameter);
        let statement = format!("const {} {name} = {};", self.type_of(parameter), bare(&text));
        let span = self.system.exprs[self.context.definitions[&parameter]].span;
        let comment = self.remark(parameter, &name, span);
        self.body.push_str(&remarked(4, &statement, &comment));
        name
    }

    /// The model's name of a variable, if it has another one here, and its place.
    fn remark(&self, var: VarId, name: &str, span: Span) -> String {
        let path = &self.system.instances[self.function.instance].path;
        let shown = comment_safe(relative(&self.system.vars[var].name, path));
        let place = self.place(span);
        match (shown == name, place.is_empty()) {
            (true, _) => place,
            (false, true) => shown,
            (false, false) => format!("{shown}, {place}"),
        }
    }

    /// Where in the model something comes from.
    fn place(&self, span: Span) -> String {
        self.context.file.map_or(String::new(), |file| place(file, span))
    }

    /// The text of an integer in so many bits, where it may have more.
    fn narrowed(&self, text: String, ty: Type, from: IntWidth, to: IntWidth) -> String {
        match ty == Type::Int && to < from {
            true => format!("(({}){text})", int_type(to)),
            false => text,
        }
    }

    /// A part of an expression, which has a line of the model like what it is part of.
    fn declare(&mut self, id: ExprId, name: &str, value: &str) {
        let expr = &self.system.exprs[id];
        let ty = type_name(expr.ty, self.widths.exprs[id], self.names, self.options);
        let statement = format!("const {ty} {name} = {};", bare(value));
        self.body.push_str(&remarked(4, &statement, &self.place(expr.span)));
    }

    /// The text of an expression, after the statements it needs.
    fn expression(&mut self, root: ExprId) -> String {
        for id in self.open_below(root) {
            let text = self.compose(id);
            let mut text = self.as_declared(id, text);
            let leaf = self.system.exprs[id].kind.operands().next().is_none();
            let shared = self.context.needed.uses[id] > 1 && !leaf;
            if shared || (text.len() > LONG && id != root) {
                let name = self.taken.unused(&format!("{}_part", self.subject));
                self.declare(id, &name, &text);
                text = name;
            }
            self.texts.insert(id, text);
        }
        self.text(root)
    }

    /// The expressions of `root` that have no text yet, operands first.
    fn open_below(&self, root: ExprId) -> BTreeSet<ExprId> {
        let mut found = BTreeSet::new();
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            if !self.texts.contains_key(&id) && found.insert(id) {
                match &self.system.exprs[id].kind {
                    ExprKind::Pre(_) => {}
                    kind => open.extend(kind.operands()),
                }
            }
        }
        found
    }

    fn text(&self, id: ExprId) -> String {
        self.texts.get(&id).cloned().expect("operands come first")
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
                literal(word, expr.ty, self.names, self.options)
            }
            ExprKind::Var(var) => self.variable(*var),
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
            (UnaryOp::Wrap(_) | UnaryOp::Round(_) | UnaryOp::Clamp(_), _) => text,
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
        let compares = op.is_relation() || op == BinaryOp::Xor;
        if left == right && compares && ty != Type::Real {
            let holds = matches!(op, BinaryOp::Eq | BinaryOp::Le | BinaryOp::Ge);
            // They warn of what is never used as well.
            return match is_literal {
                true => holds.to_string(),
                false => format!("(((void){left}, {holds}))"),
            };
        }
        // A row of `&&` or of `||` reads better without parentheses.
        let joined = matches!(op, BinaryOp::And | BinaryOp::Or) && is_row(&left, operator(op));
        let left = if joined { bare(&left) } else { &left };
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

/// A place in the model: file and line.
pub(crate) fn place(file: &SourceFile, span: Span) -> String {
    let name = file.name.rsplit('/').next().unwrap_or(&file.name);
    format!("{}:{}", comment_safe(name), file.line_column(span.start).line)
}

/// Whether a text consists of operands of this operator, in parentheses.
fn is_row(text: &str, operator: &str) -> bool {
    let inner = bare(text);
    let mut depth = 0_i32;
    let mut outside = String::new();
    for c in inner.chars() {
        depth += i32::from(c == '(');
        if depth == 0 {
            outside.push(c);
        }
        depth -= i32::from(c == ')');
    }
    let mut words = outside.split(' ').filter(|word| is_operator(word)).peekable();
    inner.len() < text.len() && words.peek().is_some() && words.all(|word| word == operator)
}

fn is_operator(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|c| "&|=!<>+-*/?:,".contains(c))
}

/// The text without the parentheses around all of it.
pub(crate) fn bare(text: &str) -> &str {
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
