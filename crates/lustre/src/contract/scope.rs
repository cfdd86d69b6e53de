//! What a contract says in the names of its node: ghosts renamed, imports expanded, references to modes
//! replaced by what the modes require.

use provoke_base::{Diagnostic, Span};
use rustc_hash::FxHashMap;

use crate::ast::{
    AstClause, AstContract, AstContractNode, AstEquation, AstExpr, AstExprKind, AstMode,
    AstProgram, Decl, ExprId, Name, TypeBase, TypeExpr,
};
use crate::parse::for_each_operand_mut;
use crate::report::Report;
use crate::sugar::TypeSugar;
use crate::sugar::{Pattern, Sugar};
use provoke_base::diagnostic::did_you_mean;
use provoke_model::BinaryOp;

/// Contracts import each other no deeper than this, and modes refer to each other no deeper.
const MAX_DEPTH: usize = 50;
/// A contract with its imports has no more expressions than this.
const MAX_EXPRS: usize = 1_000_000;

/// One thing that is said, in the names of the node.
pub(super) struct Clause {
    pub(super) name: Option<String>,
    pub(super) expr: ExprId,
    pub(super) span: Span,
}

/// A mode, in the names of the node.
pub(super) struct Mode {
    pub(super) path: String,
    pub(super) requires: Vec<ExprId>,
    pub(super) ensures: Vec<Clause>,
    pub(super) span: Span,
}

/// All that a contract and its imports say.
#[derive(Default)]
pub(super) struct Stated {
    pub(super) locals: Vec<Decl>,
    pub(super) equations: Vec<AstEquation>,
    pub(super) assumes: Vec<Clause>,
    pub(super) guarantees: Vec<Clause>,
    pub(super) modes: Vec<Mode>,
}

/// A contract where it is used.
struct Scope<'c> {
    contract: &'c AstContract,
    /// What its own names are called in the node.
    names: FxHashMap<String, Name>,
    /// How the user calls what is in it: `spec::`.
    path: String,
    imports: Vec<(String, Scope<'c>)>,
}

/// Expands the contract of one node.
pub(super) struct Expansion<'a, 'c> {
    program: &'a mut AstProgram,
    contracts: &'c [AstContractNode],
    node: usize,
    report: &'a mut Report,
    stated: Stated,
    too_large: bool,
}

/// What the parameters of an imported contract stand for.
#[derive(Default)]
struct Formals {
    /// What its inputs and outputs are called in the node.
    names: FxHashMap<String, Name>,
    types: Types,
}

/// The types that type parameters stand for.
#[derive(Default)]
struct Types(Vec<(Box<str>, TypeExpr)>);

impl Types {
    /// The type with its parameters replaced.
    fn put_into(&self, ty: &TypeExpr) -> TypeExpr {
        let mut ty = ty.clone();
        match &mut ty.base {
            TypeBase::Named(name) => {
                if let Some((_, found)) = self.0.iter().find(|(param, _)| *param == name.text) {
                    let sizes = [&found.sizes[..], &ty.sizes].concat();
                    return TypeExpr { base: found.base.clone(), sizes, span: ty.span };
                }
            }
            TypeBase::Sugar(sugar) => match &mut **sugar {
                TypeSugar::Tuple(items) | TypeSugar::Applied(_, items) => {
                    items.iter_mut().for_each(|item| *item = self.put_into(item));
                }
                TypeSugar::Refined(_, base, _) => *base = self.put_into(base),
                TypeSugar::Open(..) => {}
            },
            _ => {}
        }
        ty
    }
}

/// A copy of an expression.
pub(crate) fn copy(program: &mut AstProgram, id: ExprId) -> ExprId {
    stacker::maybe_grow(64 << 10, 1 << 20, || {
        let AstExpr { kind, span } = &program.exprs[id];
        let (mut kind, span) = (kind.clone(), *span);
        for_each_operand_mut(&mut kind, |operand| *operand = copy(program, *operand));
        program.exprs.push(AstExpr { kind, span })
    })
}

impl<'a, 'c> Expansion<'a, 'c> {
    pub(super) fn new(
        program: &'a mut AstProgram,
        contracts: &'c [AstContractNode],
        node: usize,
        report: &'a mut Report,
    ) -> Expansion<'a, 'c> {
        Expansion { program, contracts, node, report, stated: Stated::default(), too_large: false }
    }

    /// What the contract says.
    pub(super) fn stated(&mut self, contract: &'c AstContract) -> Stated {
        let scope = self.scope(contract, Formals::default(), "", "contract", 0);
        self.say(&scope, &scope);
        std::mem::take(&mut self.stated)
    }

    /// A contract with its names: those of `formals` are given, ghosts get new ones.
    fn scope(
        &mut self,
        contract: &'c AstContract,
        formals: Formals,
        path: &str,
        prefix: &str,
        depth: usize,
    ) -> Scope<'c> {
        let Formals { mut names, types } = formals;
        self.refuse_same_modes(contract);
        for decl in contract.ghosts.iter().flat_map(|(decls, _)| decls) {
            let name = renamed(&decl.name, prefix);
            if depth == 0 {
                self.refuse_hidden(decl);
            }
            if names.insert(decl.name.text.to_string(), name.clone()).is_some() {
                let message = format!("`{}` is declared twice in the contract", decl.name.text);
                let error = Diagnostic::error("declared-twice", decl.name.span, message);
                self.report.add(error.label("declared again here"));
            }
            self.stated.locals.push(Decl { name, ty: types.put_into(&decl.ty), ..decl.clone() });
        }
        let mut scope = Scope { contract, names, path: path.to_string(), imports: Vec::new() };
        for (position, import) in contract.imports.iter().enumerate() {
            if depth >= MAX_DEPTH || self.is_too_large(import.contract.span) {
                let message = "contracts import each other without end";
                let error = Diagnostic::error("recursive-contract", import.contract.span, message);
                self.report.add(error.label("this import closes the circle"));
                break;
            }
            let name = &*import.contract.text;
            let Some(found) = self.contracts.iter().find(|one| *one.name.text == *name) else {
                self.unknown_contract(&import.contract);
                continue;
            };
            let wanted = (found.inputs.len(), found.outputs.len());
            if wanted != (import.inputs.len(), import.outputs.len()) {
                let message = format!(
                    "contract `{name}` has {} inputs and {} outputs, {} and {} given",
                    wanted.0,
                    wanted.1,
                    import.inputs.len(),
                    import.outputs.len()
                );
                let error = Diagnostic::error("wrong-count", import.contract.span, message);
                self.report.add(error.label("used here").also(found.name.span, "declared here"));
                continue;
            }
            let inner = format!("{prefix}.{name}{}", position + 1);
            let given = import.types.iter().map(|ty| types.put_into(ty));
            let params = found.type_params.iter().map(|param| param.text.clone());
            let mut formals =
                Formals { types: Types(params.zip(given).collect()), ..Formals::default() };
            if found.type_params.len() != import.types.len() {
                let (needs, given) = (found.type_params.len(), import.types.len());
                let message = format!("contract `{name}` takes {needs} types, {given} given");
                let error = Diagnostic::error("wrong-count", import.contract.span, message);
                self.report.add(error.label("used here").also(found.name.span, "declared here"));
                continue;
            }
            let decls = found.inputs.iter().chain(&found.outputs);
            for (decl, actual) in decls.zip(import.inputs.iter().chain(&import.outputs)) {
                let own = renamed(&decl.name, &inner);
                formals.names.insert(decl.name.text.to_string(), own.clone());
                let expr = self.translated(&scope, &scope, *actual, 0);
                let (targets, targets_span) = (vec![own.clone()], own.span);
                let ty = formals.types.put_into(&decl.ty);
                self.stated.locals.push(Decl { name: own, ty, ..decl.clone() });
                self.stated.equations.push(AstEquation {
                    targets,
                    targets_span,
                    indices: Vec::new(),
                    expr,
                });
            }
            let path = format!("{path}{name}::");
            let imported = stacker::maybe_grow(64 << 10, 1 << 20, || {
                self.scope(&found.contract, formals, &path, &inner, depth + 1)
            });
            scope.imports.push((name.to_string(), imported));
        }
        scope
    }

    /// A reference to a mode means one.
    fn refuse_same_modes(&mut self, contract: &AstContract) {
        let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
        for AstMode { name, .. } in &contract.modes {
            if let Some(first) = seen.insert(&name.text, name.span) {
                let message = format!("mode `{}` is declared twice in the contract", name.text);
                self.report.add(
                    Diagnostic::error("declared-twice", name.span, message)
                        .label("declared again here")
                        .also(first, "first declared here")
                        .help("give each mode a name of its own"),
                );
            }
        }
    }

    /// A contract speaks of the node's inputs and outputs: no variable of its own may hide one.
    fn refuse_hidden(&mut self, ghost: &Decl) {
        let node = &self.program.nodes[self.node];
        let mut seen = node.inputs.iter().chain(&node.outputs);
        if let Some(first) = seen.find(|decl| decl.name.text == ghost.name.text) {
            let name = &ghost.name;
            let message =
                format!("`{}` is declared twice, in the node and its contract", name.text);
            self.report.add(
                Diagnostic::error("declared-twice", name.span, message)
                    .label("declared again here")
                    .also(first.name.span, "first declared here")
                    .help("give the variable of the contract another name"),
            );
        }
    }

    fn is_too_large(&mut self, span: Span) -> bool {
        let large = self.stated.locals.len() + self.program.exprs.len() > MAX_EXPRS;
        if large && !self.too_large {
            self.too_large = true;
            let message = format!("the contract has more than {MAX_EXPRS} expressions");
            let error = Diagnostic::error("model-too-large", span, message);
            self.report.add(error.label("reached here").help("import less, refer to fewer modes"));
        }
        large
    }

    fn unknown_contract(&mut self, name: &Name) {
        let known = self.contracts.iter().map(|one| &*one.name.text);
        let message = format!("unknown contract `{}`", name.text);
        self.report.add(
            Diagnostic::error("unknown-contract", name.span, message)
                .label("no such contract in this file")
                .maybe_help(did_you_mean(&name.text, known)),
        );
    }

    /// Adds what a contract says, and all it imports.
    fn say(&mut self, root: &Scope<'c>, scope: &Scope<'c>) {
        let contract = scope.contract;
        for (_, equation) in &contract.ghosts {
            let expr = self.translated(root, scope, equation.expr, 0);
            let targets: Vec<Name> =
                equation.targets.iter().map(|name| scope.names[&*name.text].clone()).collect();
            let targets_span = equation.targets_span;
            self.stated.equations.push(AstEquation {
                targets,
                targets_span,
                indices: Vec::new(),
                expr,
            });
        }
        for clause in &contract.assumes {
            let clause = self.clause(root, scope, clause);
            self.stated.assumes.push(clause);
        }
        for clause in &contract.guarantees {
            let clause = self.clause(root, scope, clause);
            self.stated.guarantees.push(clause);
        }
        for mode in &contract.modes {
            let mode = self.mode(root, scope, mode);
            self.stated.modes.push(mode);
        }
        for (_, inner) in &scope.imports {
            self.say(inner, inner);
        }
    }

    fn mode(&mut self, root: &Scope<'c>, scope: &Scope<'c>, mode: &AstMode) -> Mode {
        let requires = mode.requires.iter();
        let requires = requires.map(|one| self.translated(root, scope, one.expr, 0)).collect();
        let ensures = mode.ensures.iter().map(|one| self.clause(root, scope, one)).collect();
        let path = format!("{}{}", scope.path, mode.name.text);
        Mode { path, requires, ensures, span: mode.name.span }
    }

    fn clause(&mut self, root: &Scope<'c>, scope: &Scope<'c>, clause: &AstClause) -> Clause {
        let span = self.program.exprs[clause.expr].span;
        let expr = self.translated(root, scope, clause.expr, 0);
        Clause { name: clause.name.clone(), expr, span }
    }

    /// A copy of an expression in the names of the node.
    fn translated(
        &mut self,
        root: &Scope<'c>,
        scope: &Scope<'c>,
        id: ExprId,
        depth: usize,
    ) -> ExprId {
        stacker::maybe_grow(64 << 10, 1 << 20, || {
            let AstExpr { kind, span } = &self.program.exprs[id];
            let (mut kind, span) = (kind.clone(), *span);
            if let Some(bound) = bound_names(&kind)
                .into_iter()
                .find(|name| scope.names.contains_key(&**name) && !name.is_empty())
            {
                let message = format!("`{bound}` hides a variable of the contract");
                let error = Diagnostic::error("unsupported", span, message);
                self.report.add(error.label("bound here").help("choose another name"));
            }
            match &mut kind {
                AstExprKind::Name(name) => match scope.names.get(&*name.text) {
                    Some(own) => *name = Name { span: name.span, ..own.clone() },
                    None => self.refuse_local(name),
                },
                AstExprKind::Mode(path) => {
                    let path = path.clone();
                    return self.mode_active(root, &path, span, depth);
                }
                _ => {}
            }
            for_each_operand_mut(&mut kind, |operand| {
                *operand = self.translated(root, scope, *operand, depth);
            });
            self.program.exprs.push(AstExpr { kind, span })
        })
    }

    /// The body of a node is not seen by its contract.
    fn refuse_local(&mut self, name: &Name) {
        let node = &self.program.nodes[self.node];
        if let Some(local) = node.locals.iter().find(|decl| decl.name.text == name.text) {
            let message = format!("local variable `{}` in a contract", name.text);
            self.report.add(
                Diagnostic::error("local-in-contract", name.span, message)
                    .label("callers do not see it")
                    .also(local.name.span, "declared here")
                    .help("declare a variable in the contract: `var name: type = value;`"),
            );
        }
    }

    /// The conjunction of what a mode requires.
    fn mode_active(
        &mut self,
        scope: &Scope<'c>,
        path: &[Name],
        span: Span,
        depth: usize,
    ) -> ExprId {
        let (mut at, Some((last, imports))) = (scope, path.split_last()) else {
            return self.program.exprs.push(AstExpr { kind: AstExprKind::Bool(true), span });
        };
        for step in imports {
            let mut found = at.imports.iter().filter(|(name, _)| **name == *step.text);
            match (found.next(), found.next()) {
                (Some((_, inner)), None) => at = inner,
                (Some(_), Some(_)) => return self.ambiguous_import(step),
                (None, _) => return self.unknown_mode(step, "import"),
            }
        }
        let mode = at.contract.modes.iter().find(|mode| mode.name.text == last.text);
        let Some(mode) = mode else { return self.unknown_mode(last, "mode") };
        if depth >= MAX_DEPTH || self.is_too_large(last.span) {
            let message = format!("mode `{}` depends on itself", last.text);
            let error = Diagnostic::error("recursive-mode", last.span, message);
            self.report.add(error.label("this use closes the circle"));
            return self.program.exprs.push(AstExpr { kind: AstExprKind::Bool(true), span });
        }
        let mut result: Option<ExprId> = None;
        for clause in &mode.requires {
            let expr = self.translated(at, at, clause.expr, depth + 1);
            result = Some(match result {
                None => expr,
                Some(before) => {
                    let kind = AstExprKind::Binary(BinaryOp::And, before, expr);
                    self.program.exprs.push(AstExpr { kind, span })
                }
            });
        }
        let always = || AstExpr { kind: AstExprKind::Bool(true), span };
        result.unwrap_or_else(|| self.program.exprs.push(always()))
    }

    fn ambiguous_import(&mut self, name: &Name) -> ExprId {
        let message = format!("contract `{}` is imported twice", name.text);
        let error = Diagnostic::error("unknown-mode", name.span, message);
        let help = "write what the mode requires instead of its name";
        self.report.add(error.label("which import is meant is not clear").help(help));
        self.program.exprs.push(AstExpr { kind: AstExprKind::Bool(true), span: name.span })
    }

    fn unknown_mode(&mut self, name: &Name, what: &str) -> ExprId {
        let message = format!("unknown {what} `{}`", name.text);
        let error = Diagnostic::error("unknown-mode", name.span, message);
        self.report.add(error.label("not in this contract"));
        let kind = AstExprKind::Bool(true);
        self.program.exprs.push(AstExpr { kind, span: name.span })
    }
}

/// The names that an expression binds.
fn bound_names(kind: &AstExprKind) -> Vec<Box<str>> {
    fn of_pattern(pattern: &Pattern, names: &mut Vec<Box<str>>) {
        match pattern {
            Pattern::Anything(_) => {}
            Pattern::Name(name) => names.push(name.text.clone()),
            Pattern::Constructor(_, inner) => {
                inner.iter().for_each(|pattern| of_pattern(pattern, names));
            }
        }
    }
    let mut names = Vec::new();
    match kind {
        AstExprKind::Any(any) => names.push(any.decl.name.text.clone()),
        AstExprKind::Sugar(sugar) => match &**sugar {
            Sugar::Quantified(quantified) => {
                names.extend(quantified.variables.iter().map(|decl| decl.name.text.clone()));
            }
            Sugar::Match(_, cases) => {
                cases.iter().for_each(|(pattern, _)| of_pattern(pattern, &mut names));
            }
            _ => {}
        },
        _ => {}
    }
    names
}

/// A name that no text can have.
fn renamed(name: &Name, prefix: &str) -> Name {
    Name { text: format!("{prefix}.{}", name.text).into(), span: name.span }
}
