//! All mutants of a system.

use std::collections::{BTreeMap, BTreeSet};

use provoke_base::index::Id;
use provoke_base::{IndexVec, Int, Random, Rational, SourceFile, Span};
use provoke_model::{
    BinaryOp, Expr, ExprId, ExprKind, InstanceId, MachineInt, Origin, System, Type, Value, VarId,
};

use crate::depend::Dependence;
use crate::mutant::{InvalidReason, Mutant, MutantChange, MutationSite};
use crate::operator::MutationOperator;
use crate::place::{Context, FIRST_STEP, Place, contexts, local_name, new_uses, places};

/// How many other variables usually are tried in place of one. All of them would be quadratic in
/// the size of the model, and would hide the other kinds of faults: 99 % of all mutants of a large
/// model.
pub const REPLACEMENTS: usize = 4;

/// Every mutant by which suites are scored: those of [`all_mutants`] without conditions that are stuck.
pub fn mutants(system: &System, file: Option<&SourceFile>, replacements: usize) -> Vec<Mutant> {
    let mut found = all_mutants(system, file, replacements);
    found.retain(|mutant| mutant.operator.scores());
    found
}

/// Every mutant of a system, in the order of their places. With the source, a place is one in
/// the source; without it, every expression is one. At most `replacements` other variables are
/// tried in place of one; which ones depends on the place alone.
pub fn all_mutants(system: &System, file: Option<&SourceFile>, replacements: usize) -> Vec<Mutant> {
    let contexts = contexts(system);
    let places = places(system, &contexts, file);
    let scope = Scope::new(system);
    let mut enumeration = Enumeration {
        system,
        file,
        contexts,
        types: provoke_analysis::machine_types(system),
        plain: system.numbers.map(|numbers| numbers.int.machine()),
        dependence: Dependence::new(system),
        scope: &scope,
        counts: BTreeMap::new(),
        replacements,
        found: Vec::new(),
    };
    for place in &places {
        enumeration.visit(place);
    }
    enumeration.found
}

/// The variables that can be written at a place.
struct Scope<'a> {
    declared: BTreeMap<InstanceId, Vec<VarId>>,
    named: BTreeMap<(InstanceId, &'a str), VarId>,
    /// The paths of instances with a clock.
    clocks: BTreeSet<&'a str>,
}

impl<'a> Scope<'a> {
    fn new(system: &'a System) -> Scope<'a> {
        let (mut declared, mut named) = (BTreeMap::<_, Vec<VarId>>::new(), BTreeMap::new());
        for (id, var) in system.vars.entries().filter(|(_, var)| var.origin == Origin::Declared) {
            declared.entry(var.instance).or_default().push(id);
            named.insert((var.instance, local_name(system, id)), id);
        }
        let generated = system.vars.iter().filter(|var| var.origin == Origin::Generated);
        let clocks = generated.filter_map(|var| var.name.strip_suffix(FIRST_STEP)).collect();
        Scope { declared, named, clocks }
    }
}

/// A change that is tried at a place.
struct Try {
    operator: MutationOperator,
    /// The end of the id: what stands there instead.
    mark: String,
    original: String,
    replacement: String,
}

struct Enumeration<'a> {
    system: &'a System,
    file: Option<&'a SourceFile>,
    contexts: IndexVec<ExprId, Option<Context>>,
    /// The machine's types of expressions, which mutants keep.
    types: IndexVec<ExprId, Option<MachineInt>>,
    /// The type that stands for plain integers: mutants are written for the model, which does not name it.
    plain: Option<MachineInt>,
    dependence: Dependence,
    scope: &'a Scope<'a>,
    /// How many places of an operator an equation had so far.
    counts: BTreeMap<(VarId, MutationOperator), usize>,
    replacements: usize,
    found: Vec<Mutant>,
}

impl Enumeration<'_> {
    fn visit(&mut self, place: &Place) {
        let first = place.exprs[0];
        let Expr { kind, ty, .. } = self.system.exprs[first].clone();
        match kind {
            ExprKind::Binary(op, left, _) => {
                let machine = self.types[first].filter(|ty| Some(*ty) != self.plain);
                self.binary(place, op, (self.system.exprs[left].ty, machine));
            }
            ExprKind::Const(value) => self.constant(place, &value),
            ExprKind::Var(var) => self.variable(place, var, ty),
            _ => {}
        }
    }

    fn binary(
        &mut self,
        place: &Place,
        op: BinaryOp,
        (operand, machine): (Type, Option<MachineInt>),
    ) {
        use BinaryOp::{Add, And, Div, Eq, Ge, Gt, IntDiv, Le, Lt, Mod, Mul, Ne, Or, Sub, Xor};
        use BinaryOp::{BitAnd, BitOr, Quotient, Remainder, ShiftLeft, ShiftRight};
        let (operator, others): (MutationOperator, &[BinaryOp]) = match (op, operand) {
            // The amount of a shift is of another type than what bits are joined with.
            (BitAnd(ty) | BitOr(ty), _) => (MutationOperator::Arithmetic, &[BitAnd(ty), BitOr(ty)]),
            (ShiftLeft(ty) | ShiftRight(ty), _) => {
                (MutationOperator::Arithmetic, &[ShiftLeft(ty), ShiftRight(ty)])
            }
            (Eq | Ne, Type::Bool | Type::Enum(_)) => (MutationOperator::Relational, &[Eq, Ne]),
            _ if op.is_relation() => (MutationOperator::Relational, &[Eq, Ne, Lt, Le, Gt, Ge]),
            _ if op.is_logical() => (MutationOperator::Boolean, &[And, Or, Xor]),
            (_, Type::Real) => (MutationOperator::Arithmetic, &[Add, Sub, Mul, Div]),
            _ if machine.is_some() => {
                (MutationOperator::Arithmetic, &[Add, Sub, Mul, Quotient, Remainder])
            }
            _ => (MutationOperator::Arithmetic, &[Add, Sub, Mul, IntDiv, Mod]),
        };
        let ordinal = self.next_place(place, operator);
        for &other in others.iter().filter(|other| **other != op) {
            let [original, mark] = [op, other].map(|op| op.symbol().to_string());
            let attempt = Try { operator, replacement: mark.clone(), mark, original };
            self.add(place, ordinal, attempt, &MutantChange::Join(other));
        }
        if op.is_logical() {
            self.negation(place, self.text(place));
        }
        if op.is_relation() && operand != Type::Bool {
            self.stuck(place, &self.text(place));
        }
    }

    fn stuck(&mut self, place: &Place, original: &str) {
        let ordinal = self.next_place(place, MutationOperator::Stuck);
        for value in [true, false] {
            let attempt = Try {
                operator: MutationOperator::Stuck,
                mark: value.to_string(),
                replacement: value.to_string(),
                original: original.to_string(),
            };
            self.add(place, ordinal, attempt, &MutantChange::Constant(Value::Bool(value)));
        }
    }

    fn negation(&mut self, place: &Place, original: String) {
        let ordinal = self.next_place(place, MutationOperator::Negation);
        let attempt = Try {
            operator: MutationOperator::Negation,
            mark: "not".to_string(),
            replacement: format!("not {}", in_parentheses(&original)),
            original,
        };
        self.add(place, ordinal, attempt, &MutantChange::Negate);
    }

    fn constant(&mut self, place: &Place, value: &Value) {
        let ordinal = self.next_place(place, MutationOperator::Constant);
        let text = self.text(place);
        let changed: Vec<(String, String, Value)> = match value {
            Value::Bool(truth) => {
                vec![((!truth).to_string(), (!truth).to_string(), Value::Bool(!truth))]
            }
            Value::Int(int) => [("+1", 1), ("-1", -1)]
                .map(|(mark, step)| {
                    let changed = int.add(&Int::from(step));
                    match self.types[place.exprs[0]] {
                        Some(ty) if Some(ty) == self.plain => {
                            let changed = ty.wrap(&changed);
                            (mark.to_string(), changed.to_string(), Value::Int(changed))
                        }
                        Some(ty) => {
                            let changed = ty.wrap(&changed);
                            let text = format!("({ty} {changed})");
                            (mark.to_string(), text, Value::Int(changed))
                        }
                        None => (mark.to_string(), changed.to_string(), Value::Int(changed)),
                    }
                })
                .to_vec(),
            Value::Real(real) => [("+1", " + 1.0", 1), ("-1", " - 1.0", -1)]
                .map(|(mark, more, step)| {
                    let changed = real.add(&Rational::from(&Int::from(step)));
                    (mark.to_string(), format!("{text}{more}"), Value::Real(changed))
                })
                .to_vec(),
            Value::Enum(_) | Value::Unknown => Vec::new(),
        };
        for (mark, replacement, value) in changed {
            let (operator, original) = (MutationOperator::Constant, text.clone());
            let attempt = Try { operator, mark, original, replacement };
            self.add(place, ordinal, attempt, &MutantChange::Constant(value));
        }
    }

    fn variable(&mut self, place: &Place, var: VarId, ty: Type) {
        let name = local_name(self.system, var).to_string();
        if ty == Type::Bool {
            self.negation(place, name.clone());
            self.stuck(place, &name);
        }
        self.delay(place, &name);
        self.other_variables(place, var, &name);
    }

    /// `pre x`, or `x -> pre x` where there is no step before.
    fn delay(&mut self, place: &Place, name: &str) {
        let ordinal = self.next_place(place, MutationOperator::Delay);
        let at_first = !place.exprs.iter().all(|expr| self.context(*expr).guarded);
        let replacement =
            if at_first { format!("{name} -> pre {name}") } else { format!("pre {name}") };
        let delay = Try {
            operator: MutationOperator::Delay,
            mark: "pre".to_string(),
            original: name.to_string(),
            replacement,
        };
        self.add(place, ordinal, delay, &MutantChange::Delay { at_first });
    }

    fn other_variables(&mut self, place: &Place, var: VarId, name: &str) {
        let (system, scope) = (self.system, self.scope);
        let declared = &scope.declared[&system.vars[var].instance];
        let kind = |var: VarId| (system.vars[var].ty, system.vars[var].machine);
        let fits = |other: &VarId| *other != var && kind(*other) == kind(var);
        let mut left: Vec<VarId> = declared.iter().copied().filter(fits).collect();
        let ordinal = self.next_place(place, MutationOperator::Variable);
        let owner = &system.vars[self.owner(place)].name;
        let mut random = Random::for_part(0, &format!("{owner}:{ordinal}"));
        let mut chosen: Vec<(VarId, Vec<MutationSite>)> = Vec::new();
        while chosen.len() < self.replacements && !left.is_empty() {
            // In order if all can be taken, else at random.
            let all = left.len() + chosen.len() <= self.replacements;
            let other = left.swap_remove(if all { 0 } else { random.below(left.len()) });
            chosen.extend(self.replaced(place, other).map(|sites| (other, sites)));
        }
        chosen.sort_by_key(|(other, _)| *other);
        for (other, sites) in chosen {
            let other = local_name(system, other).to_string();
            let (operator, original) = (MutationOperator::Variable, name.to_string());
            let attempt = Try { operator, mark: other.clone(), original, replacement: other };
            self.push(place, ordinal, attempt, sites);
        }
    }

    /// The sites at which another variable stands, unless that would close a cycle.
    fn replaced(&self, place: &Place, other: VarId) -> Option<Vec<MutationSite>> {
        let other = local_name(self.system, other);
        let site = |&expr: &ExprId| match self.system.exprs[expr].kind {
            ExprKind::Var(var) => {
                let there = self.scope.named.get(&(self.system.vars[var].instance, other))?;
                Some(MutationSite { expr, change: MutantChange::Variable(*there) })
            }
            _ => None,
        };
        let sites: Vec<MutationSite> = place.exprs.iter().map(site).collect::<Option<_>>()?;
        let possible = !self.dependence.closes_cycle(&new_uses(&self.contexts, &sites));
        possible.then_some(sites)
    }

    /// Counts the places of an operator in the equation where a place is written first.
    fn next_place(&mut self, place: &Place, operator: MutationOperator) -> usize {
        let count = self.counts.entry((self.owner(place), operator)).or_default();
        *count += 1;
        *count
    }

    fn owner(&self, place: &Place) -> VarId {
        self.context(place.exprs[0]).owners[0]
    }

    fn context(&self, expr: ExprId) -> &Context {
        self.contexts[expr].as_ref().expect("places belong to equations")
    }

    /// What is written at a place.
    fn text(&self, place: &Place) -> String {
        match self.file.map(|file| file.slice(place.span)) {
            Some(text) if text.len() > MAX_TEXT => shortened(text),
            Some(text) => in_one_line(text),
            None => format!("e{}", place.exprs[0].index()),
        }
    }

    /// Adds a mutant that changes all expressions of a place alike.
    fn add(&mut self, place: &Place, ordinal: usize, attempt: Try, change: &MutantChange) {
        let site = |&expr: &ExprId| MutationSite { expr, change: change.clone() };
        let sites = place.exprs.iter().map(site).collect();
        self.push(place, ordinal, attempt, sites);
    }

    fn push(&mut self, place: &Place, ordinal: usize, attempt: Try, sites: Vec<MutationSite>) {
        let Try { operator, mark, original, replacement } = attempt;
        let owner = &self.system.vars[self.owner(place)].name;
        self.found.push(Mutant {
            id: format!("{owner}:{}:{ordinal}:{mark}", operator.word()),
            operator,
            span: place.span,
            original,
            replacement,
            invalid: sites.iter().find_map(|site| self.trouble(site)),
            sites,
        });
    }

    fn trouble(&self, site: &MutationSite) -> Option<InvalidReason> {
        let context = self.context(site.expr);
        let divides_by_zero = match (&site.change, &self.system.exprs[site.expr].kind) {
            (MutantChange::Join(op), ExprKind::Binary(_, _, divisor)) if op.divides() => {
                matches!(&self.system.exprs[*divisor].kind, ExprKind::Const(v) if is_zero(v))
            }
            (MutantChange::Constant(value), _) => context.divisor && is_zero(value),
            _ => false,
        };
        // The first step of a node with a clock may be any step of the system.
        let unguarded = match (&site.change, &self.system.exprs[site.expr].kind) {
            (MutantChange::Delay { at_first: true }, ExprKind::Var(var)) => self.has_clock(*var),
            _ => false,
        };
        match unguarded {
            true => Some(InvalidReason::UnguardedPre),
            false => divides_by_zero.then_some(InvalidReason::DividesByZero),
        }
    }

    /// Whether a variable is one of a node that is not active in every step.
    fn has_clock(&self, var: VarId) -> bool {
        let path = &self.system.instances[self.system.vars[var].instance].path;
        let ends = path.match_indices('.').map(|(at, _)| at).chain([path.len()]);
        ends.into_iter().any(|end| self.scope.clocks.contains(&path[..end]))
    }
}

fn is_zero(value: &Value) -> bool {
    match value {
        Value::Int(int) => int.is_zero(),
        Value::Real(real) => real.is_zero(),
        _ => false,
    }
}

/// A long text without its middle: a decision with thousands of conditions has as many parts
/// that are as long.
fn shortened(text: &str) -> String {
    let begin = text.floor_char_boundary(MAX_TEXT / 2);
    let end = text.ceil_char_boundary(text.len() - MAX_TEXT / 4);
    format!("{} {GAP} {}", in_one_line(&text[..begin]), in_one_line(&text[end..]))
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How long the text of a mutant is at most, in bytes.
pub(crate) const MAX_TEXT: usize = 1_000;
/// What stands for what was left out.
pub(crate) const GAP: &str = "...";

/// The negation of what is written at a place.
pub(crate) fn negated(file: &SourceFile, span: Span) -> String {
    format!("not {}", in_parentheses(&in_one_line(file.slice(span))))
}

fn in_parentheses(text: &str) -> String {
    let plain = text.chars().all(|c| c.is_alphanumeric() || "_~.[]".contains(c));
    if plain || is_enclosed(text) { text.to_string() } else { format!("({text})") }
}

/// Whether the first parenthesis is closed by the last character, as in `(a)`, not `(a) + (b)`.
fn is_enclosed(text: &str) -> bool {
    let mut depth = 0;
    let closes = |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        depth == 0
    };
    text.starts_with('(') && text.chars().position(closes) == Some(text.chars().count() - 1)
}
