//! What the outputs depend on, now or later. The rest is not written.

use std::collections::BTreeMap;

use provoke_base::IndexVec;
use provoke_model::{ExprId, ExprKind, InstanceId, System, VarId};

/// What has to be computed.
pub(crate) struct Needed {
    /// The variables.
    pub(crate) vars: IndexVec<VarId, bool>,
    /// How many expressions, equations and outputs use each expression.
    pub(crate) uses: IndexVec<ExprId, u32>,
}

impl Needed {
    /// What `system` needs; if instances are to be alike, what one instance of a node needs is computed in
    /// all its instances that are needed at all, so that they can share a function.
    pub(crate) fn new(system: &System, peers: Option<&Peers>) -> Needed {
        let mut definition = IndexVec::repeat(None, system.vars.len());
        for equation in &system.equations {
            definition[equation.var] = Some(equation.expr);
        }
        let mut vars: IndexVec<VarId, bool> = IndexVec::repeat(false, system.vars.len());
        let mut uses: IndexVec<ExprId, u32> = IndexVec::repeat(0, system.exprs.len());
        let mut alive: IndexVec<InstanceId, bool> = IndexVec::repeat(false, system.instances.len());
        let mut open_vars = system.outputs.clone();
        while let Some(var) = open_vars.pop() {
            if std::mem::replace(&mut vars[var], true) {
                continue;
            }
            if let Some(peers) = peers {
                let instance = system.vars[var].instance;
                if !std::mem::replace(&mut alive[instance], true) {
                    let asked = |own: &&VarId| peers.of(**own).iter().any(|peer| vars[*peer]);
                    open_vars.extend(peers.members[instance].iter().filter(asked));
                }
                let peers = peers.of(var).iter();
                open_vars.extend(peers.filter(|peer| alive[system.vars[**peer].instance]));
            }
            let mut open: Vec<ExprId> = definition[var].into_iter().collect();
            while let Some(expr) = open.pop() {
                uses[expr] += 1;
                if uses[expr] > 1 {
                    continue;
                }
                match &system.exprs[expr].kind {
                    ExprKind::Var(used) => open_vars.push(*used),
                    kind => open.extend(kind.operands()),
                }
            }
        }
        Needed { vars, uses }
    }
}

/// The variables that are the same one of a node, in all its instances.
pub(crate) struct Peers {
    groups: Vec<Vec<VarId>>,
    group_of: IndexVec<VarId, usize>,
    /// The variables of each instance.
    pub(crate) members: IndexVec<InstanceId, Vec<VarId>>,
}

impl Peers {
    pub(crate) fn new(system: &System) -> Peers {
        let mut groups: Vec<Vec<VarId>> = Vec::new();
        let mut group_of = IndexVec::repeat(0, system.vars.len());
        let mut members = IndexVec::repeat(Vec::new(), system.instances.len());
        let mut numbers: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for (id, var) in system.vars.entries() {
            let instance = &system.instances[var.instance];
            let key = (instance.node.as_str(), relative(&var.name, &instance.path));
            let number = *numbers.entry(key).or_insert(groups.len());
            if number == groups.len() {
                groups.push(Vec::new());
            }
            groups[number].push(id);
            group_of[id] = number;
            members[var.instance].push(id);
        }
        Peers { groups, group_of, members }
    }

    /// The variable itself, and those that it is in other instances.
    pub(crate) fn of(&self, var: VarId) -> &[VarId] {
        &self.groups[self.group_of[var]]
    }
}

/// A name as it is said inside the instance at `path`.
pub(crate) fn relative<'n>(name: &'n str, path: &str) -> &'n str {
    let inside = name.strip_prefix(path).filter(|_| !path.is_empty());
    inside.and_then(|rest| rest.strip_prefix('.')).unwrap_or(name)
}
