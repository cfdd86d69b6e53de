//! The places of a system that can be mutated, as they are written in the source.

use std::collections::BTreeMap;

use provoke_base::index::Id;
use provoke_base::{IndexVec, SourceFile, Span};
use provoke_model::{Expr, ExprId, ExprKind, Origin, System, Value, VarId};

use crate::mutant::{MutantChange, MutationSite};

/// How the front end calls the variable that tells the first active step of an instance,
/// behind the path of the instance.
pub(crate) const FIRST_STEP: &str = ".first";

/// An operator, constant or variable as it stands in the source, with the expressions it has
/// become: one for each instance of its node, and one for each scalar of a larger type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) exprs: Vec<ExprId>,
    pub(crate) span: Span,
}

/// What is around an expression.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Context {
    /// The variables in whose equations it stands.
    pub(crate) owners: Vec<VarId>,
    /// Whether an equation needs it in the same step: it is not under `pre`.
    pub(crate) instant: bool,
    /// Whether it is never looked at in the first step.
    pub(crate) guarded: bool,
    /// Whether something is divided by it.
    pub(crate) divisor: bool,
}

/// The context of each expression that belongs to an equation.
pub(crate) fn contexts(system: &System) -> IndexVec<ExprId, Option<Context>> {
    let mut all: IndexVec<ExprId, Option<Context>> = IndexVec::repeat(None, system.exprs.len());
    for equation in &system.equations {
        let owners = vec![equation.var];
        let root = Context { owners, instant: true, guarded: false, divisor: false };
        add(&mut all[equation.expr], root);
    }
    // Operands have smaller ids, so whatever an expression is part of comes before it here.
    for id in system.exprs.ids().rev() {
        let Some(context) = all[id].clone() else { continue };
        let kind = &system.exprs[id].kind;
        for (position, operand) in kind.operands().enumerate() {
            add(&mut all[operand], inside(system, kind, position, &context));
        }
    }
    all
}

/// An expression that is used several times is guarded if all its uses are.
fn add(context: &mut Option<Context>, new: Context) {
    let Some(old) = context else {
        *context = Some(new);
        return;
    };
    old.owners.extend(new.owners);
    old.owners.sort_unstable();
    old.owners.dedup();
    old.instant |= new.instant;
    old.guarded &= new.guarded;
    old.divisor |= new.divisor;
}

fn inside(system: &System, kind: &ExprKind, position: usize, context: &Context) -> Context {
    let mut inside = Context { divisor: false, ..context.clone() };
    match kind {
        ExprKind::Pre(_) => (inside.instant, inside.guarded) = (false, false),
        ExprKind::Arrow(..) => inside.guarded |= position == 1,
        ExprKind::If(condition, ..) => {
            inside.guarded |= position == 2 && tells_first_step(system, *condition);
        }
        ExprKind::Binary(op, ..) if op.divides() => inside.divisor = position == 1,
        _ => {}
    }
    inside
}

/// Under a clock `a -> b` has become an `if` over a variable that tells the first active step.
fn tells_first_step(system: &System, condition: ExprId) -> bool {
    match system.exprs[condition].kind {
        ExprKind::Var(var) => {
            let var = &system.vars[var];
            var.origin == Origin::Generated && var.name.ends_with(FIRST_STEP)
        }
        _ => false,
    }
}

/// The variables that equations come to use in the same step when sites are changed: who uses,
/// and what.
pub(crate) fn new_uses(
    contexts: &IndexVec<ExprId, Option<Context>>,
    sites: &[MutationSite],
) -> Vec<(VarId, VarId)> {
    let mut uses = Vec::new();
    for site in sites {
        if let (MutantChange::Variable(used), Some(context)) = (&site.change, &contexts[site.expr])
            && context.instant
        {
            uses.extend(context.owners.iter().map(|owner| (*owner, *used)));
        }
    }
    uses
}

/// The name of a variable inside its node.
pub(crate) fn local_name(system: &System, var: VarId) -> &str {
    let var = &system.vars[var];
    let path = &system.instances[var.instance].path;
    let local = var.name.strip_prefix(path.as_str()).unwrap_or(&var.name);
    if path.is_empty() { local } else { local.strip_prefix('.').unwrap_or(local) }
}

/// The places of a system, in the order they are written. Without a source every expression is
/// a place of its own.
pub(crate) fn places(
    system: &System,
    contexts: &IndexVec<ExprId, Option<Context>>,
    file: Option<&SourceFile>,
) -> Vec<Place> {
    let mut found: BTreeMap<(Span, String), Vec<ExprId>> = BTreeMap::new();
    for id in system.exprs.ids().filter(|id| contexts[*id].is_some()) {
        let Some(word) = word(system, id) else { continue };
        let key = match file {
            None => (Span::new(id.index(), id.index()), word),
            Some(file) => match written(system, file, id, &word) {
                Some(span) => (span, word),
                None => continue,
            },
        };
        found.entry(key).or_default().push(id);
    }
    found.into_iter().map(|((span, _), exprs)| Place { exprs, span }).collect()
}

/// What tells a place from others with the same span; `None` where there is nothing to mutate.
fn word(system: &System, id: ExprId) -> Option<String> {
    let Expr { kind, ty, .. } = &system.exprs[id];
    match kind {
        ExprKind::Const(Value::Enum(_)) => None,
        ExprKind::Const(value) => Some(value.show(*ty, &system.enums)),
        ExprKind::Var(var) if system.vars[*var].origin == Origin::Declared => {
            Some(local_name(system, *var).to_string())
        }
        ExprKind::Binary(op, ..) => Some(op.symbol().to_string()),
        _ => None,
    }
}

/// Where the expression itself is written; `None` if the translation has made it of something
/// else, such as a call, the clock of a node, or the comparison of two structs.
fn written(system: &System, file: &SourceFile, id: ExprId, word: &str) -> Option<Span> {
    let Expr { kind, ty, span } = &system.exprs[id];
    let text = bare(file.slice(*span));
    match kind {
        ExprKind::Const(value) => {
            let literal = Value::parse(text, *ty, &system.enums).as_ref() == Some(value);
            let named = is_name(text) && system.vars.ids().all(|v| local_name(system, v) != text);
            (literal || named).then_some(*span)
        }
        ExprKind::Var(var) => {
            let part = word.strip_prefix(text)?;
            let is_declaration = system.vars[*var].span == *span;
            let is_part = !is_declaration && (part.is_empty() || part.starts_with(['.', '[']));
            let follows = file.text.get(span.end as usize..)?.starts_with(part);
            let more = if follows { part.len() } else { 0 };
            is_part.then(|| Span { end: span.end + more as u32, ..*span })
        }
        ExprKind::Binary(_, left, right) => {
            let (left, right) = (system.exprs[*left].span, system.exprs[*right].span);
            let between = file.text.get(left.end as usize..right.start as usize)?;
            (without_comments(between) == word).then_some(*span)
        }
        _ => None,
    }
}

/// The text without the parentheses around it.
fn bare(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '(' || c == ')')
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || "_~".contains(c))
}

fn without_comments(text: &str) -> String {
    let code = |line: &str| line.split("--").next().unwrap_or("").trim().to_string();
    text.lines().map(code).collect()
}
