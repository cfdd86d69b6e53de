//! Contracts become part of the nodes that have them.
//!
//! Ghost variables become local variables with names that no text can have. The main node's assumptions
//! are those of the model; a called node's are properties where it is called. What is guaranteed is a
//! property of a node with a body, and all that is known of a node without one, as long as its
//! assumptions were met.

mod scope;

use provoke_base::{Diagnostic, Span};
use provoke_model::{BinaryOp, PropertyGoal, UnaryOp};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ast::{
    AstContract, AstContractNode, AstEquation, AstExpr, AstExprKind, AstNode, AstProgram,
    AstProperty, Body, Decl, ExprId, Name, TypeBase, TypeExpr,
};
use crate::division::{dividing_nodes, refuse};
use crate::initialise::first_unguarded;
use crate::parse::for_each_operand;
use crate::report::Report;
use crate::sugar::Sugar;
pub(crate) use scope::copy;
use scope::{Expansion, Stated};

/// Puts every contract into its node. `text` is the model's.
pub(crate) fn expand(
    program: &mut AstProgram,
    main: Option<usize>,
    text: &str,
    report: &mut Report,
) {
    let contracts = std::mem::take(&mut program.contracts);
    refuse_same_names(&contracts, report);
    refuse_called_opaque(program, main, report);
    refuse_divisions(program, &contracts, report);
    let unguarded = nodes_with_unguarded_pre(program);
    for node in 0..program.nodes.len() {
        let contract = program.nodes[node].contract.take();
        let is_main = main == Some(node);
        if is_main {
            freeze_constants(program, node);
        }
        if program.nodes[node].body == Body::Opaque && contract.is_none() {
            report.add(opaque_without_contract(&program.nodes[node].name));
        }
        let mut expansion = Expansion::new(program, &contracts, node, report);
        let stated = contract.as_ref().map(|contract| expansion.stated(contract));
        if let Some(contract) = &contract {
            refuse_unguarded(program, contract, &contracts, &unguarded, report);
        }
        if let Some(stated) = &stated {
            refuse_outputs_in_assumptions(&program.nodes[node], program, stated, report);
        }
        forget_body(&mut program.nodes[node], is_main);
        if let Some(stated) = stated {
            Placement { program, node, text }.place(stated, is_main);
        }
    }
}

fn refuse_same_names(contracts: &[AstContractNode], report: &mut Report) {
    let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
    for contract in contracts {
        if let Some(first) = seen.insert(&contract.name.text, contract.name.span) {
            let message = format!("contract `{}` is declared twice", contract.name.text);
            report.add(
                Diagnostic::error("declared-twice", contract.name.span, message)
                    .label("declared again here")
                    .also(first, "first declared here"),
            );
        }
    }
}

fn opaque_without_contract(name: &Name) -> Diagnostic {
    let message = format!("opaque node `{}` has no contract", name.text);
    Diagnostic::error("opaque-node", name.span, message)
        .label("nothing is known of it")
        .help("add a contract, or remove `opaque`")
}

/// Nothing shows the contract of an opaque node where only its callers are looked at.
fn refuse_called_opaque(program: &AstProgram, main: Option<usize>, report: &mut Report) {
    for (index, node) in program.nodes.iter().enumerate() {
        if node.body != Body::Opaque || node.contract.is_none() || main == Some(index) {
            continue;
        }
        let name = &node.name;
        let call = program.exprs.iter().find(|expr| called(&expr.kind) == Some(&*name.text));
        if let Some(call) = call {
            let message = format!("a call of opaque node `{}` is not supported yet", name.text);
            let help = format!(
                "remove `opaque`; or prove `{0}` with `--main {0}`, then declare it `imported`, without its body",
                name.text
            );
            report.add(
                Diagnostic::error("unsupported", call.span, message)
                    .label("this call would rely on a contract that nobody has shown")
                    .also(name.span, "declared `opaque` here")
                    .help(help),
            );
        }
    }
}

/// What defines a variable of a contract is computed in every run, and what is known of an imported node
/// restricts the runs: no division by zero may end one there.
fn refuse_divisions(program: &AstProgram, contracts: &[AstContractNode], report: &mut Report) {
    let dividing = dividing_nodes(program);
    let of_nodes = program.nodes.iter().filter_map(|node| node.contract.as_ref());
    for contract in of_nodes.chain(contracts.iter().map(|one| &one.contract)) {
        let imports = contract.imports.iter().flat_map(|one| one.inputs.iter().chain(&one.outputs));
        let ghosts = contract.ghosts.iter().map(|(_, equation)| equation.expr);
        for root in ghosts.chain(imports.copied()) {
            refuse(program, root, &dividing, "a variable of a contract", report);
        }
    }
    let imported = program.nodes.iter().filter(|node| node.body == Body::Imported);
    let imported: Vec<&AstContract> = imported.filter_map(|node| node.contract.as_ref()).collect();
    let reached = contracts
        .iter()
        .map(|one| &one.contract)
        .filter(|_| imported.iter().any(|contract| !contract.imports.is_empty()));
    for contract in imported.iter().copied().chain(reached) {
        let clauses = contract.assumes.iter().chain(&contract.guarantees);
        let modes = contract.modes.iter();
        let modes = modes.flat_map(|mode| mode.requires.iter().chain(&mode.ensures));
        for clause in clauses.chain(modes) {
            let place = "the contract of an imported node";
            refuse(program, clause.expr, &dividing, place, report);
        }
    }
}

/// The node that an expression calls.
pub(crate) fn called(kind: &AstExprKind) -> Option<&str> {
    match kind {
        AstExprKind::Call(name, _) => Some(&name.text),
        AstExprKind::Sugar(sugar) => match &**sugar {
            Sugar::TypedCall(name, ..) => Some(&name.text),
            _ => None,
        },
        _ => None,
    }
}

/// A constant parameter of the main node has the same value in every step.
fn freeze_constants(program: &mut AstProgram, node: usize) {
    let constants: Vec<Name> = program.nodes[node]
        .inputs
        .iter()
        .filter(|decl| decl.constant)
        .map(|decl| decl.name.clone())
        .collect();
    for name in constants {
        let mut add = |kind| program.exprs.push(AstExpr { kind, span: name.span });
        let (now, then) =
            (add(AstExprKind::Name(name.clone())), add(AstExprKind::Name(name.clone())));
        let before = add(AstExprKind::Pre(then));
        let same = add(AstExprKind::Binary(BinaryOp::Eq, now, before));
        let first = add(AstExprKind::Bool(true));
        let frozen = add(AstExprKind::Arrow(first, same));
        program.nodes[node].asserts.push(frozen);
    }
}

/// Whether the body of a node is relied on.
fn is_known(node: &AstNode, is_main: bool) -> bool {
    node.body == Body::Known || (node.body == Body::Opaque && is_main)
}

/// Outputs of a node whose body callers do not know have any value.
fn forget_body(node: &mut AstNode, is_main: bool) {
    if !is_known(node, is_main) {
        node.constraints.clear();
        node.equations.clear();
        node.locals.clear();
        node.properties.clear();
        node.asserts.clear();
        node.free = node.outputs.iter().map(|decl| decl.name.clone()).collect();
    }
}

/// Nodes of which something is undefined in the first step.
fn nodes_with_unguarded_pre(program: &AstProgram) -> FxHashSet<String> {
    let mut found = FxHashSet::default();
    loop {
        let before = found.len();
        for node in &program.nodes {
            let mut roots = node.equations.iter().map(|equation| equation.expr);
            if roots.any(|root| first_unguarded(program, root, &found).is_some()) {
                found.insert(node.name.text.to_string());
            }
        }
        if found.len() == before {
            return found;
        }
    }
}

/// A contract says what it says from the first step on.
fn refuse_unguarded(
    program: &AstProgram,
    contract: &AstContract,
    contracts: &[AstContractNode],
    unguarded: &FxHashSet<String>,
    report: &mut Report,
) {
    for root in contract.exprs().chain(contracts.iter().flat_map(|one| one.contract.exprs())) {
        if let Some(span) = first_unguarded(program, root, unguarded) {
            report.add(
                Diagnostic::error("unguarded-pre", span, "unguarded `pre` in a contract")
                    .label("undefined in the first step")
                    .help("give a first value with `->`: `value -> pre x`"),
            );
        }
    }
}

impl AstContract {
    /// All expressions that are written in it.
    pub(crate) fn exprs(&self) -> impl Iterator<Item = ExprId> + '_ {
        let clauses = self.assumes.iter().chain(&self.guarantees);
        let modes = self.modes.iter().flat_map(|mode| mode.requires.iter().chain(&mode.ensures));
        let ghosts = self.ghosts.iter().map(|(_, equation)| equation.expr);
        let imports = self.imports.iter().flat_map(|one| one.inputs.iter().chain(&one.outputs));
        clauses.chain(modes).map(|clause| clause.expr).chain(ghosts).chain(imports.copied())
    }
}

/// What is assumed must not depend on what the node does about it in the same step.
fn refuse_outputs_in_assumptions(
    node: &AstNode,
    program: &AstProgram,
    stated: &Stated,
    report: &mut Report,
) {
    let outputs: FxHashSet<&str> = node.outputs.iter().map(|decl| &*decl.name.text).collect();
    let mut equations: FxHashMap<&str, ExprId> = FxHashMap::default();
    for equation in &stated.equations {
        equations.extend(equation.targets.iter().map(|target| (&*target.text, equation.expr)));
    }
    for clause in &stated.assumes {
        let (mut open, mut seen) = (vec![clause.expr], FxHashSet::default());
        while let Some(id) = open.pop() {
            match &program.exprs[id].kind {
                AstExprKind::Pre(_) => {}
                AstExprKind::Name(name) if outputs.contains(&*name.text) => {
                    let message = format!("this assumption depends on output `{}`", name.text);
                    report.add(
                        Diagnostic::error(
                            "assumed-output",
                            program.exprs[clause.expr].span,
                            message,
                        )
                        .label("what the environment promises cannot wait for the node")
                        .help(format!("refer to the step before: `true -> pre {}`", name.text)),
                    );
                    break;
                }
                AstExprKind::Name(name) => {
                    if let Some(&expr) = equations.get(&*name.text)
                        && seen.insert(expr)
                    {
                        open.push(expr);
                    }
                }
                kind => for_each_operand(kind, |operand| open.push(operand)),
            }
        }
    }
}

/// Puts what a contract says into its node.
struct Placement<'a> {
    program: &'a mut AstProgram,
    node: usize,
    text: &'a str,
}

impl Placement<'_> {
    fn place(&mut self, stated: Stated, is_main: bool) {
        let Stated { locals, equations, assumes, guarantees, modes } = stated;
        let node = &mut self.program.nodes[self.node];
        node.locals.extend(locals);
        node.equations.extend(equations);
        let has_body = is_known(node, is_main);
        let mut promises = guarantees;
        for mode in &modes {
            for ensure in &mode.ensures {
                let active = self.all(&mode.requires, ensure.span);
                let kind = AstExprKind::Binary(BinaryOp::Implies, active, ensure.expr);
                let expr = self.add(kind, ensure.span);
                let own = ensure.name.clone().unwrap_or_else(|| self.words(ensure.span));
                let name = Some(format!("{}: {own}", mode.path));
                promises.push(scope::Clause { name, expr, span: ensure.span });
            }
        }
        if is_main {
            self.program.nodes[self.node].asserts.extend(assumes.iter().map(|one| one.expr));
            self.mode_queries(&modes);
        }
        match has_body {
            true => promises.into_iter().for_each(|one| self.promise(one)),
            false => self.constrain(&assumes, promises, is_main),
        }
        if !is_main {
            for one in assumes {
                let own = one.name.clone().unwrap_or_else(|| self.words(one.span));
                self.promise(scope::Clause { name: Some(format!("assumed: {own}")), ..one });
            }
        }
    }

    fn promise(&mut self, clause: scope::Clause) {
        let scope::Clause { name, expr, .. } = clause;
        let goal = PropertyGoal::Always;
        self.program.nodes[self.node].properties.push(AstProperty { name, expr, goal });
    }

    /// Every mode is reached, and in every step there is one.
    fn mode_queries(&mut self, modes: &[scope::Mode]) {
        let mut any: Option<ExprId> = None;
        for mode in modes {
            let active = self.all(&mode.requires, mode.span);
            let never = self.add(AstExprKind::Unary(UnaryOp::Not, active), mode.span);
            let name = Some(format!("mode {}", mode.path));
            let goal = PropertyGoal::Reachable;
            let properties = &mut self.program.nodes[self.node].properties;
            properties.push(AstProperty { name, expr: never, goal });
            let active = self.all(&mode.requires, mode.span);
            any = Some(match any {
                None => active,
                Some(before) => {
                    self.add(AstExprKind::Binary(BinaryOp::Or, before, active), mode.span)
                }
            });
        }
        if let Some(expr) = any {
            let span = self.program.exprs[expr].span;
            self.promise(scope::Clause { name: Some("some mode is active".into()), expr, span });
        }
    }

    /// What is promised is known as long as the assumptions were met.
    fn constrain(&mut self, assumes: &[scope::Clause], promises: Vec<scope::Clause>, main: bool) {
        let span = self.program.nodes[self.node].name.span;
        let so_far = (!main && !assumes.is_empty()).then(|| self.so_far(assumes, span));
        for promise in promises {
            let expr = match &so_far {
                None => promise.expr,
                Some(name) => {
                    let met = self.add(AstExprKind::Name(name.clone()), promise.span);
                    let kind = AstExprKind::Binary(BinaryOp::Implies, met, promise.expr);
                    self.add(kind, promise.span)
                }
            };
            self.program.nodes[self.node].constraints.push(expr);
        }
    }

    /// A variable that is true as long as the assumptions were: `A and (true -> pre it)`. A function has
    /// no past.
    fn so_far(&mut self, assumes: &[scope::Clause], span: Span) -> Name {
        let name = Name { text: "contract.met".into(), span };
        let exprs: Vec<ExprId> = assumes.iter().map(|one| one.expr).collect();
        let copies: Vec<ExprId> =
            exprs.into_iter().map(|expr| scope::copy(self.program, expr)).collect();
        let mut expr = self.all(&copies, span);
        if !self.program.nodes[self.node].function {
            let now = self.add(AstExprKind::Name(name.clone()), span);
            let before = self.add(AstExprKind::Pre(now), span);
            let first = self.add(AstExprKind::Bool(true), span);
            let past = self.add(AstExprKind::Arrow(first, before), span);
            expr = self.add(AstExprKind::Binary(BinaryOp::And, expr, past), span);
        }
        let ty = TypeExpr { base: TypeBase::Bool, sizes: Vec::new(), span };
        let node = &mut self.program.nodes[self.node];
        node.locals.push(Decl { name: name.clone(), ty, constant: false });
        let targets = vec![name.clone()];
        node.equations.push(AstEquation { targets, targets_span: span, indices: Vec::new(), expr });
        name
    }

    /// The conjunction of copies of some expressions.
    fn all(&mut self, exprs: &[ExprId], span: Span) -> ExprId {
        let mut result: Option<ExprId> = None;
        for &expr in exprs {
            let copy = scope::copy(self.program, expr);
            result = Some(match result {
                None => copy,
                Some(before) => self.add(AstExprKind::Binary(BinaryOp::And, before, copy), span),
            });
        }
        result.unwrap_or_else(|| self.add(AstExprKind::Bool(true), span))
    }

    fn add(&mut self, kind: AstExprKind, span: Span) -> ExprId {
        self.program.exprs.push(AstExpr { kind, span })
    }

    fn words(&self, span: Span) -> String {
        self.text[span.range()].split_whitespace().collect::<Vec<_>>().join(" ")
    }
}
