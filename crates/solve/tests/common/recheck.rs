//! Certificates read from their text and checked by plain queries, with nothing that found them:
//! no lemmas, no merged copies, no slices.
#![allow(dead_code, reason = "each test uses a part")]

use std::rc::Rc;

use provoke_base::{Int, Rational};
use provoke_model::{BinaryOp, ExprId, ExprKind, System, Type, UnaryOp, Value};
use provoke_solve::engine::Backend;
use provoke_solve::{Encoder, Limit, Reading, Solver, SolverAnswer, TermId, Terms};
use rustc_hash::FxHashMap;

/// An expression of a certificate.
#[derive(Debug)]
enum Expr {
    Literal(Value),
    /// A constant of an enumeration.
    Constant(String),
    Var(String),
    Unary(UnaryOp, Rc<Expr>),
    Binary(BinaryOp, Rc<Expr>, Rc<Expr>),
    If(Rc<Expr>, Rc<Expr>, Rc<Expr>),
    Arrow(Rc<Expr>, Rc<Expr>),
    Pre(Rc<Expr>),
}

#[derive(Default)]
struct Group {
    uses: Vec<String>,
    facts: Vec<Rc<Expr>>,
}

#[derive(Default)]
struct Claim {
    text: String,
    k: usize,
    uses: Vec<String>,
    invariant: Option<Rc<Expr>>,
    distinct: bool,
}

/// A certificate without its header.
#[derive(Default)]
pub(crate) struct Certificate {
    lets: FxHashMap<String, Rc<Expr>>,
    groups: Vec<(String, Group)>,
    claims: Vec<Claim>,
}

impl Certificate {
    pub(crate) fn parse(text: &str) -> Certificate {
        let mut read = Certificate::default();
        for line in text.lines() {
            let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
            match word {
                "let" => {
                    let (name, expr) = rest.split_once(" = ").expect("let NAME = EXPR");
                    let expr = read.expr(expr);
                    read.lets.insert(name.to_string(), expr);
                }
                "group" => {
                    let rest = rest.split_once(" on ").map_or(rest, |(rest, _)| rest);
                    let (name, uses) = rest.split_once(" uses ").unwrap_or((rest, ""));
                    let group = Group { uses: names(uses), facts: Vec::new() };
                    read.groups.push((name.to_string(), group));
                }
                "fact" => {
                    let fact = read.expr(rest);
                    read.groups.last_mut().expect("a group").1.facts.push(fact);
                }
                "claim" => {
                    read.claims.push(Claim { text: rest.to_string(), ..Claim::default() });
                }
                "engine" | "end" => {}
                _ => {
                    let invariant = (word == "invariant").then(|| read.expr(rest));
                    let claim = read.claims.last_mut().expect("a claim");
                    match word {
                        "k" => claim.k = rest.parse().expect("a number"),
                        "uses" => claim.uses = names(rest),
                        "invariant" => claim.invariant = invariant,
                        "distinct" => claim.distinct = true,
                        _ => panic!("unexpected line: {line}"),
                    }
                }
            }
        }
        read
    }

    pub(crate) fn claims(&self) -> impl Iterator<Item = &str> {
        self.claims.iter().map(|claim| claim.text.as_str())
    }

    fn expr(&self, text: &str) -> Rc<Expr> {
        let mut reader = Reader { rest: text, lets: &self.lets };
        let expr = reader.expr();
        assert_eq!(reader.rest, "", "{text}");
        expr
    }

    fn facts_of(&self, names: &[String]) -> Vec<Rc<Expr>> {
        let group = |name: &String| {
            let found = self.groups.iter().find(|(other, _)| other == name);
            found.expect("a group above").1.facts.clone()
        };
        names.iter().flat_map(group).collect()
    }

    /// What does not hold of it. `goal` gives the goal of a claim, over the symbols of a step.
    pub(crate) fn complaints(
        &self,
        system: &System,
        backend: &Backend,
        mut goal: impl FnMut(&str, &mut Terms) -> TermId,
    ) -> Vec<String> {
        let mut check = Check { system, backend, wrong: Vec::new() };
        for (name, group) in &self.groups {
            check.inductive(name, &group.facts, &self.facts_of(&group.uses));
        }
        for claim in &self.claims {
            let used = self.facts_of(&claim.uses);
            match &claim.invariant {
                None => check.window(claim, &used, &mut goal),
                Some(invariant) => {
                    let own = [invariant.clone()];
                    check.inductive(&claim.text, &own, &used);
                    check.window(claim, &[&used[..], &own].concat(), &mut goal);
                }
            }
        }
        check.wrong
    }
}

fn names(text: &str) -> Vec<String> {
    text.split_whitespace().map(String::from).collect()
}

struct Reader<'a> {
    rest: &'a str,
    lets: &'a FxHashMap<String, Rc<Expr>>,
}

impl<'a> Reader<'a> {
    fn word(&mut self) -> &'a str {
        let text = self.rest;
        let end = match &text[..1] {
            "(" | ")" => 1,
            "`" => 2 + text[1..].find('`').expect("a closing backquote"),
            _ => text.find([' ', ')']).unwrap_or(text.len()),
        };
        let (word, rest) = text.split_at(end);
        self.rest = rest.strip_prefix(' ').unwrap_or(rest);
        word
    }

    fn expr(&mut self) -> Rc<Expr> {
        let word = self.word();
        if let Some(known) = self.lets.get(word) {
            return known.clone();
        }
        if let Some(name) = word.strip_prefix('`') {
            return Rc::new(Expr::Var(name.trim_end_matches('`').to_string()));
        }
        Rc::new(match word {
            "(" => {
                let expr = self.compound();
                assert_eq!(self.word(), ")");
                expr
            }
            "true" | "false" => Expr::Literal(Value::Bool(word == "true")),
            _ if word.contains('.') => Expr::Literal(Value::Real(Rational::parse(word).unwrap())),
            _ => match Int::parse(word) {
                Some(int) => Expr::Literal(Value::Int(int)),
                None => Expr::Constant(word.to_string()),
            },
        })
    }

    fn compound(&mut self) -> Expr {
        let before = self.rest;
        let unary = [UnaryOp::Not, UnaryOp::Neg, UnaryOp::ToReal, UnaryOp::Floor];
        match self.word() {
            "pre" => return Expr::Pre(self.expr()),
            "if" => {
                let condition = self.expr();
                assert_eq!(self.word(), "then");
                let then = self.expr();
                assert_eq!(self.word(), "else");
                return Expr::If(condition, then, self.expr());
            }
            word => {
                if let Some(op) = unary.into_iter().find(|op| op.symbol() == word) {
                    return Expr::Unary(op, self.expr());
                }
            }
        }
        self.rest = before;
        let left = self.expr();
        let symbol = self.word();
        if symbol == "->" {
            return Expr::Arrow(left, self.expr());
        }
        let op = BinaryOp::ALL.into_iter().find(|op| op.symbol() == symbol).expect("an operator");
        Expr::Binary(op, left, self.expr())
    }
}

struct Check<'a> {
    system: &'a System,
    backend: &'a Backend,
    wrong: Vec<String>,
}

impl Check<'_> {
    fn inductive(&mut self, name: &str, facts: &[Rc<Expr>], used: &[Rc<Expr>]) {
        for fact in facts {
            let mut base = Run::new(self.system, true);
            base.steps(1);
            let fact = base.state(fact, 1);
            self.excluded(base, vec![], fact, false, &format!("{name}: base"));
        }
        let mut run = Run::new(self.system, false);
        run.steps(2);
        let before: Vec<TermId> = facts.iter().chain(used).map(|fact| run.state(fact, 1)).collect();
        let after: Vec<TermId> = facts.iter().map(|fact| run.state(fact, 2)).collect();
        let after = run.terms.all(&after);
        self.excluded(run, before, after, false, &format!("{name}: step"));
    }

    fn window(
        &mut self,
        claim: &Claim,
        facts: &[Rc<Expr>],
        goal: &mut dyn FnMut(&str, &mut Terms) -> TermId,
    ) {
        for last in 0..=claim.k {
            let mut run = Run::new(self.system, true);
            run.steps(last + 1);
            let goal = goal(&claim.text, &mut run.terms);
            let goal = run.at(goal, last);
            self.excluded(run, vec![], goal, true, &format!("{}: base {last}", claim.text));
        }
        let mut run = Run::new(self.system, false);
        run.steps(claim.k + 2);
        let goal = goal(&claim.text, &mut run.terms);
        let mut before = Vec::new();
        for step in 1..claim.k + 2 {
            before.extend(facts.iter().map(|fact| run.state(fact, step)));
            if step <= claim.k {
                let here = run.at(goal, step);
                before.push(run.terms.not(here));
            }
            if claim.distinct {
                before.extend((1..step).map(|earlier| run.differs(earlier, step)));
            }
        }
        let goal = run.at(goal, claim.k + 1);
        self.excluded(run, before, goal, true, &format!("{}: step", claim.text));
    }

    /// Notes what does not hold: that `term` cannot be `value` after the steps of a run.
    fn excluded(
        &mut self,
        mut run: Run<'_>,
        before: Vec<TermId>,
        term: TermId,
        value: bool,
        what: &str,
    ) {
        let mut solver = self.backend.solver();
        for step in 0..run.maps.len() {
            let constraint = run.encoder.constraint(&mut run.terms, Reading::Possible);
            let holds = run.at(constraint, step);
            solver.assert(&run.terms, holds);
        }
        before.into_iter().for_each(|term| solver.assert(&run.terms, term));
        let wanted = if value { term } else { run.terms.not(term) };
        let answer = solver.check(&run.terms, &[wanted], Limit::work(50_000_000));
        if answer != SolverAnswer::Unsat {
            self.wrong.push(format!("{what}: {answer:?}"));
        }
    }
}

/// Steps one after the other; the first of them is the first of a run, or any.
struct Run<'a> {
    terms: Terms,
    encoder: Encoder<'a>,
    initial: bool,
    maps: Vec<FxHashMap<TermId, TermId>>,
}

impl<'a> Run<'a> {
    fn new(system: &'a System, initial: bool) -> Run<'a> {
        let mut terms = Terms::new();
        let encoder = Encoder::new(system, &mut terms);
        Run { terms, encoder, initial, maps: Vec::new() }
    }

    fn steps(&mut self, count: usize) {
        let system = self.encoder.system();
        for step in 0..count {
            let mut map = FxHashMap::default();
            let first = match (step, self.initial) {
                (0, false) => self.terms.symbol("first@", provoke_solve::Sort::Bool),
                (0, true) => self.terms.bool(true),
                _ => self.terms.bool(false),
            };
            map.insert(self.encoder.first(), first);
            for &var in &system.inputs {
                let input = self.encoder.input(&mut self.terms, var);
                map.insert(input, self.fresh(input, step));
            }
            for (id, expr) in system.exprs.entries() {
                let ExprKind::Pre(operand) = expr.kind else { continue };
                let memory = self.encoder.memory(&mut self.terms, id);
                let value = match step {
                    0 => self.fresh(memory, 0),
                    _ => {
                        let operand = self.encoder.value(&mut self.terms, operand);
                        self.at(operand, step - 1)
                    }
                };
                map.insert(memory, value);
            }
            self.maps.push(map);
        }
    }

    /// That something else is remembered before one step than before another.
    fn differs(&mut self, one: usize, other: usize) -> TermId {
        let delays = self.encoder.system().exprs.entries();
        let delays: Vec<ExprId> = delays
            .filter(|(_, expr)| matches!(expr.kind, ExprKind::Pre(_)))
            .map(|(id, _)| id)
            .collect();
        let mut differences = Vec::new();
        for delay in delays {
            let memory = self.encoder.memory(&mut self.terms, delay);
            let (one, other) = (self.at(memory, one), self.at(memory, other));
            differences.push(self.terms.ne(one, other));
        }
        self.terms.any(&differences)
    }

    fn fresh(&mut self, symbol: TermId, step: usize) -> TermId {
        let sort = self.terms.sort(symbol);
        self.terms.symbol(&format!("{symbol:?}@{step}"), sort)
    }

    fn at(&mut self, term: TermId, step: usize) -> TermId {
        let map = self.maps[step].clone();
        self.terms.substitute(term, &map)
    }

    /// A fact about the state before a step.
    fn state(&mut self, expr: &Expr, step: usize) -> TermId {
        match expr {
            Expr::Pre(operand) => self.now(operand, step - 1),
            Expr::Var(name) => panic!("{name} is not below a `pre`"),
            _ => self.compound(expr, &mut |run, operand| run.state(operand, step)),
        }
    }

    /// The value of an expression in a step.
    fn now(&mut self, expr: &Expr, step: usize) -> TermId {
        match expr {
            Expr::Arrow(first, later) => {
                let (first, later) = (self.now(first, step), self.now(later, step));
                let is_first = self.at(self.encoder.first(), step);
                self.terms.ite(is_first, first, later)
            }
            Expr::Pre(operand) if step > 0 => self.now(operand, step - 1),
            Expr::Pre(operand) => self.remembered(operand),
            Expr::Var(name) => {
                let var = self.encoder.system().var_named(name);
                let var = var.unwrap_or_else(|| panic!("no variable {name}"));
                let term = self.encoder.var(&mut self.terms, var);
                self.at(term, step)
            }
            _ => self.compound(expr, &mut |run, operand| run.now(operand, step)),
        }
    }

    /// What a `pre` inside another has in the first encoded step: what a `pre` of the system over
    /// the same operand has. In the first step of a run each has a value of its own.
    fn remembered(&mut self, operand: &Expr) -> TermId {
        let system = self.encoder.system();
        let is_it = |expr: &ExprId| match system.exprs[*expr].kind {
            ExprKind::Pre(of) => is_written(system, of, operand),
            _ => false,
        };
        let found: Vec<ExprId> = system.exprs.ids().filter(is_it).collect();
        let memory = self.encoder.memory(&mut self.terms, found[0]);
        let here = self.at(memory, 0);
        if found.len() == 1 {
            return here;
        }
        let (first, any) = (self.at(self.encoder.first(), 0), self.fresh(memory, 99));
        self.terms.ite(first, any, here)
    }

    fn compound(
        &mut self,
        expr: &Expr,
        operand: &mut dyn FnMut(&mut Run<'a>, &Expr) -> TermId,
    ) -> TermId {
        match expr {
            Expr::Literal(value) => self.terms.constant(value.clone()),
            Expr::Constant(name) => {
                let enums = self.encoder.system().enums.iter();
                let found = enums.flat_map(|of| of.constants.iter().position(|one| one == name));
                self.terms.int(found.last().expect("a constant") as i64)
            }
            Expr::Unary(op, a) => {
                let a = operand(self, a);
                self.terms.unary(*op, a)
            }
            Expr::Binary(op, a, b) => {
                let (a, b) = (operand(self, a), operand(self, b));
                self.terms.binary(*op, a, b)
            }
            Expr::If(c, a, b) => {
                let (c, a, b) = (operand(self, c), operand(self, a), operand(self, b));
                self.terms.ite(c, a, b)
            }
            Expr::Var(_) | Expr::Pre(_) | Expr::Arrow(..) => panic!("not in a state: {expr:?}"),
        }
    }
}

/// Whether an expression of a system is what is written.
fn is_written(system: &System, id: ExprId, written: &Expr) -> bool {
    let both = |pairs: &[(ExprId, &Rc<Expr>)]| {
        pairs.iter().all(|(id, written)| is_written(system, *id, written))
    };
    match (&system.exprs[id].kind, written) {
        (ExprKind::Const(Value::Enum(ordinal)), Expr::Constant(name)) => {
            let Type::Enum(of) = system.exprs[id].ty else { return false };
            system.enums[of].constants[*ordinal as usize] == *name
        }
        // Negative numbers and fractions are written with operators.
        (ExprKind::Const(value), _) => literal(written).as_ref() == Some(value),
        (ExprKind::Var(var), Expr::Var(name)) => system.vars[*var].name == *name,
        (ExprKind::Unary(op, a), Expr::Unary(other, b)) => op == other && both(&[(*a, b)]),
        (ExprKind::Binary(op, a, b), Expr::Binary(other, c, d)) => {
            op == other && both(&[(*a, c), (*b, d)])
        }
        (ExprKind::If(a, b, c), Expr::If(d, e, f)) => both(&[(*a, d), (*b, e), (*c, f)]),
        (ExprKind::Arrow(a, b), Expr::Arrow(c, d)) => both(&[(*a, c), (*b, d)]),
        (ExprKind::Pre(a), Expr::Pre(b)) => both(&[(*a, b)]),
        _ => false,
    }
}

fn literal(written: &Expr) -> Option<Value> {
    match written {
        Expr::Literal(value) => Some(value.clone()),
        Expr::Unary(UnaryOp::Neg, a) => literal(a).map(|value| UnaryOp::Neg.apply(&value)),
        Expr::Binary(BinaryOp::Div, a, b) => BinaryOp::Div.apply(&literal(a)?, &literal(b)?).ok(),
        _ => None,
    }
}
