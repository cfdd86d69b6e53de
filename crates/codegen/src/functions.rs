//! The functions of the code: each node instance is one, with the statements in an order in which they
//! can be computed. The flat system says what is computed; here it is only put into groups.
//!
//! A function is called once, when all its parameters are known. An instance of which a result is needed
//! to compute a parameter, as `y = f(y)` where `f` delays its input, is written into its caller instead.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use provoke_base::IndexVec;
use provoke_base::index::Id;
use provoke_model::{ExprId, ExprKind, InstanceId, System, VarId};

use crate::needed::{Needed, Peers};

/// What a function does, one after the other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Statement {
    /// Computes a variable.
    Equation(VarId),
    /// Calls the function of an instance.
    Call(InstanceId),
}

/// A function that computes a node instance, and those inside it that have no function of their own.
#[derive(Clone, Debug)]
pub(crate) struct Function {
    /// The instance.
    pub(crate) instance: InstanceId,
    /// What it does.
    pub(crate) statements: Vec<Statement>,
    /// The variables of others that it reads, in the order of their declaration.
    pub(crate) parameters: Vec<VarId>,
    /// Its variables that others read, in the order of their declaration.
    pub(crate) results: Vec<VarId>,
    /// The instances that are written into it although they might be functions: their results are needed
    /// to compute their parameters.
    pub(crate) inlined: Vec<InstanceId>,
}

/// The functions of a system, each after those it calls; the main node's is the last. With `inline`
/// there is no other.
pub(crate) fn functions(
    system: &System,
    needed: &Needed,
    peers: &Peers,
    inline: bool,
) -> Vec<Function> {
    let mut grouping = Grouping::new(system, needed, inline);
    let statements = grouping.statements();
    let results = grouping.results(peers);
    let mut done: BTreeMap<InstanceId, Function> = BTreeMap::new();
    // Callers have smaller ids than what they call.
    for (instance, statements) in statements.iter().rev() {
        let function = grouping.function(*instance, statements, &results, &done);
        done.insert(*instance, function);
    }
    let mut order = Vec::new();
    callees_first(grouping.main(), &mut done, &mut order);
    order
}

/// Moves a function, and before it those that it calls, to the others.
fn callees_first(
    instance: InstanceId,
    done: &mut BTreeMap<InstanceId, Function>,
    order: &mut Vec<Function>,
) {
    let Some(function) = done.remove(&instance) else { return };
    for statement in &function.statements {
        if let Statement::Call(callee) = statement {
            callees_first(*callee, done, order);
        }
    }
    order.push(function);
}

/// The variables that a definition reads: in the same step, and for the step after it.
#[derive(Clone, Default)]
struct Reads {
    now: BTreeSet<VarId>,
    later: BTreeSet<VarId>,
}

impl Reads {
    fn of(system: &System, root: ExprId) -> Reads {
        let mut reads = Reads::default();
        let mut met = BTreeSet::new();
        let mut open = vec![(root, false)];
        while let Some((id, delayed)) = open.pop() {
            if !met.insert((id, delayed)) {
                continue;
            }
            match &system.exprs[id].kind {
                ExprKind::Var(var) if delayed => {
                    reads.later.insert(*var);
                }
                ExprKind::Var(var) => {
                    reads.now.insert(*var);
                }
                ExprKind::Pre(operand) => open.push((*operand, true)),
                kind => open.extend(kind.operands().map(|operand| (operand, delayed))),
            }
        }
        reads
    }

    fn all(&self) -> impl Iterator<Item = VarId> + '_ {
        self.now.iter().chain(&self.later).copied()
    }
}

type Statements = BTreeMap<InstanceId, Vec<Statement>>;

struct Grouping<'a> {
    system: &'a System,
    definition: IndexVec<VarId, Option<ExprId>>,
    /// What the definitions of needed variables read.
    reads: BTreeMap<VarId, Reads>,
    parent: IndexVec<InstanceId, Option<InstanceId>>,
    children: IndexVec<InstanceId, Vec<InstanceId>>,
    /// The instance that computes a variable: arguments are computed by the caller.
    home: IndexVec<VarId, InstanceId>,
    /// The needed variables by their homes.
    computed: IndexVec<InstanceId, Vec<VarId>>,
    is_function: IndexVec<InstanceId, bool>,
    inlined: BTreeSet<InstanceId>,
}

impl<'a> Grouping<'a> {
    fn new(system: &'a System, needed: &Needed, inline: bool) -> Grouping<'a> {
        let count = system.instances.len();
        let mut grouping = Grouping {
            system,
            definition: IndexVec::repeat(None, system.vars.len()),
            reads: BTreeMap::new(),
            parent: parents(system),
            children: IndexVec::repeat(Vec::new(), count),
            home: system.vars.iter().map(|var| var.instance).collect(),
            computed: IndexVec::repeat(Vec::new(), count),
            is_function: IndexVec::repeat(false, count),
            inlined: BTreeSet::new(),
        };
        for (child, parent) in grouping.parent.entries() {
            if let Some(parent) = parent {
                grouping.children[*parent].push(child);
            }
        }
        for equation in &system.equations {
            let (var, expr) = (equation.var, equation.expr);
            grouping.definition[var] = Some(expr);
            if grouping.is_argument(var, expr) {
                let caller = grouping.parent[system.vars[var].instance];
                grouping.home[var] = caller.unwrap_or(grouping.main());
            }
            if needed.vars[var] {
                grouping.reads.insert(var, Reads::of(system, expr));
                grouping.computed[grouping.home[var]].push(var);
            }
        }
        for instance in system.instances.ids() {
            grouping.is_function[instance] = !inline && !grouping.computed[instance].is_empty();
        }
        let main = grouping.main();
        grouping.is_function[main] = true;
        grouping
    }

    fn main(&self) -> InstanceId {
        InstanceId::new(0)
    }

    /// An argument is written where the node is called, everything else inside the node. A variable that is
    /// taken for the other kind is computed elsewhere, with the same value.
    fn is_argument(&self, var: VarId, expr: ExprId) -> bool {
        let call = self.system.instances[self.system.vars[var].instance].span;
        let span = self.system.exprs[expr].span;
        call.start <= span.start && span.end <= call.end && span.start < span.end
    }

    /// The function that computes what an instance does.
    fn function_of(&self, instance: InstanceId) -> InstanceId {
        let mut at = instance;
        while !self.is_function[at] {
            at = self.parent[at].expect("the main node is a function");
        }
        at
    }

    /// The instances below a function, each with the function it calls to compute them, if any.
    fn below(&self, function: InstanceId) -> BTreeMap<InstanceId, Option<InstanceId>> {
        let mut found = BTreeMap::new();
        let mut open = vec![(function, None)];
        while let Some((instance, callee)) = open.pop() {
            found.insert(instance, callee);
            for &child in &self.children[instance] {
                let own = self.is_function[child].then_some(child);
                open.push((child, callee.or(own)));
            }
        }
        found
    }

    /// The statements of all functions; instances that cannot be called are written into their callers.
    fn statements(&mut self) -> Statements {
        let mut found = BTreeMap::new();
        // Callers have smaller ids than what they call.
        for instance in self.system.instances.ids() {
            while self.is_function[instance] {
                match self.ordered(instance) {
                    Ok(statements) => {
                        found.insert(instance, statements);
                        break;
                    }
                    Err(callee) => {
                        self.is_function[callee] = false;
                        self.inlined.insert(callee);
                    }
                }
            }
        }
        found
    }

    /// The statements of a function, as they are written in the model where that can be computed; else an
    /// instance that cannot be called.
    fn ordered(&self, function: InstanceId) -> Result<Vec<Statement>, InstanceId> {
        let below = self.below(function);
        let statement = |var: VarId| match below.get(&self.home[var]) {
            Some(None) if self.reads.contains_key(&var) => Some(Statement::Equation(var)),
            Some(Some(callee)) => Some(Statement::Call(*callee)),
            _ => None,
        };
        let mut before: BTreeMap<Statement, BTreeSet<Statement>> = BTreeMap::new();
        for var in below.keys().flat_map(|instance| &self.computed[*instance]) {
            let Some(reader) = statement(*var) else { continue };
            let reads = &self.reads[var];
            // What a function remembers must be known when it is called.
            let called = matches!(reader, Statement::Call(_));
            let later = reads.later.iter().filter(|_| called);
            let sources = reads.now.iter().chain(later).filter_map(|read| statement(*read));
            let before = before.entry(reader).or_default();
            before.extend(sources.filter(|source| *source != reader));
        }
        self.sorted(before)
    }

    /// Where a statement comes from.
    fn place(&self, statement: Statement) -> (u32, Statement) {
        let span = match statement {
            Statement::Equation(var) => {
                self.system.exprs[self.definition[var].expect("it is defined")].span
            }
            Statement::Call(instance) => self.system.instances[instance].span,
        };
        (span.start, statement)
    }

    fn sorted(
        &self,
        before: BTreeMap<Statement, BTreeSet<Statement>>,
    ) -> Result<Vec<Statement>, InstanceId> {
        let mut after: BTreeMap<Statement, Vec<Statement>> = BTreeMap::new();
        let mut missing: BTreeMap<Statement, usize> = BTreeMap::new();
        let mut ready = BinaryHeap::new();
        for (statement, sources) in &before {
            missing.insert(*statement, sources.len());
            sources.iter().for_each(|source| after.entry(*source).or_default().push(*statement));
            if sources.is_empty() {
                ready.push(Reverse(self.place(*statement)));
            }
        }
        let mut sorted = Vec::new();
        while let Some(Reverse((_, statement))) = ready.pop() {
            sorted.push(statement);
            missing.remove(&statement);
            for next in after.get(&statement).into_iter().flatten() {
                let open = missing.get_mut(next).expect("it waits");
                *open -= 1;
                if *open == 0 {
                    ready.push(Reverse(self.place(*next)));
                }
            }
        }
        match missing.is_empty() {
            true => Ok(sorted),
            false => Err(self.on_a_cycle(missing.into_keys().collect(), &after)),
        }
    }

    /// The first call among statements that wait for each other.
    fn on_a_cycle(
        &self,
        mut waiting: BTreeSet<Statement>,
        after: &BTreeMap<Statement, Vec<Statement>>,
    ) -> InstanceId {
        // Those that only wait for a cycle are followed by nothing that waits.
        loop {
            let is_waited_for = |statement: &Statement| {
                after.get(statement).into_iter().flatten().any(|next| waiting.contains(next))
            };
            let (kept, dropped): (BTreeSet<_>, BTreeSet<_>) =
                waiting.iter().partition(|statement| is_waited_for(statement));
            if dropped.is_empty() {
                break;
            }
            waiting = kept;
        }
        let mut calls: Vec<_> =
            waiting.into_iter().map(|statement| self.place(statement)).collect();
        calls.sort_unstable();
        let call = calls.into_iter().find_map(|(_, statement)| match statement {
            Statement::Call(instance) => Some(instance),
            Statement::Equation(_) => None,
        });
        call.expect("the equations of a system can be ordered")
    }

    /// The variables of each function that others read; where one instance of a node has a result, all have
    /// it, so that they can share a function.
    fn results(&self, peers: &Peers) -> BTreeMap<InstanceId, BTreeSet<VarId>> {
        let mut results: BTreeMap<InstanceId, BTreeSet<VarId>> = BTreeMap::new();
        for (reader, reads) in &self.reads {
            for read in reads.all() {
                let mut at = self.function_of(self.home[read]);
                while !self.is_inside(self.home[*reader], at) {
                    results.entry(at).or_default().insert(read);
                    at = self.caller(at);
                }
            }
        }
        let own: Vec<VarId> = results.values().flatten().copied().collect();
        for peer in own.iter().flat_map(|var| peers.of(*var)) {
            let instance = self.home[*peer];
            let alike = self.is_function[instance] && self.reads.contains_key(peer);
            if alike && self.system.vars[*peer].instance == instance {
                results.entry(instance).or_default().insert(*peer);
            }
        }
        results.entry(self.main()).or_default().extend(&self.system.outputs);
        results
    }

    /// The function that calls another one.
    fn caller(&self, function: InstanceId) -> InstanceId {
        self.function_of(self.parent[function].expect("nothing is outside of the main node"))
    }

    /// Whether an instance is another one, or a part of it.
    fn is_inside(&self, instance: InstanceId, outer: InstanceId) -> bool {
        let mut at = Some(instance);
        while let Some(inner) = at {
            if inner == outer {
                return true;
            }
            at = self.parent[inner];
        }
        false
    }

    /// A function without what does not contribute to its results, given those that it calls.
    fn function(
        &self,
        instance: InstanceId,
        statements: &[Statement],
        results: &BTreeMap<InstanceId, BTreeSet<VarId>>,
        done: &BTreeMap<InstanceId, Function>,
    ) -> Function {
        let below = self.below(instance);
        let results: Vec<VarId> = results.get(&instance).into_iter().flatten().copied().collect();
        let mut kept: BTreeSet<Statement> = BTreeSet::new();
        let mut parameters = BTreeSet::new();
        let mut open = results.clone();
        while let Some(var) = open.pop() {
            let statement = match below.get(&self.home[var]) {
                None => {
                    parameters.insert(var);
                    continue;
                }
                Some(Some(callee)) => Statement::Call(*callee),
                Some(None) => Statement::Equation(var),
            };
            if !kept.insert(statement) {
                continue;
            }
            match statement {
                Statement::Equation(var) => {
                    open.extend(self.reads.get(&var).into_iter().flat_map(Reads::all));
                }
                Statement::Call(callee) => open.extend(&done[&callee].parameters),
            }
        }
        let inlined = self.inlined.iter().copied();
        Function {
            instance,
            statements: statements.iter().copied().filter(|s| kept.contains(s)).collect(),
            parameters: parameters.into_iter().collect(),
            results,
            inlined: inlined.filter(|inner| self.function_of(*inner) == instance).collect(),
        }
    }
}

/// The instance that calls each instance: that at the longest path which its own begins with.
fn parents(system: &System) -> IndexVec<InstanceId, Option<InstanceId>> {
    let at: BTreeMap<&str, InstanceId> =
        system.instances.entries().map(|(id, instance)| (instance.path.as_str(), id)).collect();
    let main = InstanceId::new(0);
    let parent = |(id, instance): (InstanceId, &provoke_model::Instance)| {
        let mut path = instance.path.as_str();
        while let Some((outer, _)) = path.rsplit_once('.') {
            if let Some(parent) = at.get(outer).filter(|parent| **parent < id) {
                return Some(*parent);
            }
            path = outer;
        }
        (id != main).then_some(main)
    };
    system.instances.entries().map(parent).collect()
}
