//! Trees to a network: names, types, sizes, parameters, selections. One file per kind of tree.

mod automaton;
mod call;
mod declare;
mod expression;
mod instance;
mod operand;
mod query;
mod statement;
mod target;

use std::rc::Rc;

use provoke_base::diagnostic::did_you_mean;
use provoke_base::{Diagnostic, Span};

use crate::ast::{Name, TypeExpr};
use crate::lower::instance::Maker;
use crate::machine::{NetworkFault, NetworkMachine};
use crate::network::{Network, NetworkExpr, Number};
use crate::types::{Entity, Scope, Type};
use crate::xml::Document;

pub use operand::negated;

/// Sizes that are refused: what is larger does not fit memory, or nobody can wait for it.
mod limit {
    pub(super) const CELLS: i64 = 1 << 20;
    pub(super) const CLOCKS: usize = 1000;
    pub(super) const CHANNELS: i64 = 1 << 20;
    pub(super) const PROCESSES: usize = 10_000;
    pub(super) const EDGES: usize = 200_000;
    /// Parts of expressions, in all.
    pub(super) const NODES: usize = 4_000_000;
}

type Lowered<T> = Result<T, Diagnostic>;

/// Makes a network of a document; without errors it can be used.
pub(crate) fn lower(
    document: &Document,
    queries: &[String],
) -> (Network, Vec<Diagnostic>, Vec<Option<Diagnostic>>) {
    let mut lowerer = Lowerer {
        network: Network::default(),
        scopes: vec![Scope::new()],
        diagnostics: Vec::new(),
        prefix: String::new(),
        frame: None,
        nodes: 0,
        edges: 0,
        depth_of_instances: 0,
        makers: Vec::new(),
        process_scopes: Vec::new(),
    };
    for (span, what) in &document.unsupported {
        let message = format!("{what} are not read");
        let warning = Diagnostic::warning("ignored", *span, message);
        lowerer.diagnostics.push(warning.help("the rest of the model is used without them"));
    }
    if let Err(diagnostic) = lowerer.document(document) {
        lowerer.diagnostics.push(diagnostic);
    }
    let asked = match queries {
        [] => {
            lowerer.queries(document);
            Vec::new()
        }
        queries => queries.iter().map(|query| lowerer.own_query(query)).collect(),
    };
    let mut diagnostics = lowerer.diagnostics;
    // Each instance of a template finds the same errors again.
    let mut seen = std::collections::BTreeSet::new();
    diagnostics.retain(|d| seen.insert((d.primary.span, d.code, d.message.clone())));
    (lowerer.network, diagnostics, asked)
}

/// The words of the function that is being read.
#[derive(Default)]
struct Frame {
    next: u32,
    most: u32,
    result: Option<Type>,
    in_loop: u32,
    simulation_only: Option<String>,
}

struct Lowerer {
    network: Network,
    scopes: Vec<Scope>,
    diagnostics: Vec<Diagnostic>,
    /// The process that is being made, with a full stop.
    prefix: String,
    frame: Option<Frame>,
    nodes: usize,
    edges: usize,
    depth_of_instances: u32,
    /// What processes can be made of.
    makers: Vec<Rc<Maker>>,
    /// The names inside of each process.
    process_scopes: Vec<Scope>,
}

fn error(code: &'static str, span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::error(code, span, message)
}

fn too_large(span: Span, what: impl Into<String>) -> Diagnostic {
    error("too-large", span, what).help("make the model smaller")
}

fn fault(fault: NetworkFault) -> Diagnostic {
    error("run-time", fault.span, fault.message)
        .help("this is computed when the model is read: change what it is computed from")
}

impl Lowerer {
    fn find(&self, name: &str) -> Option<&Entity> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).map(|(entity, _)| entity)
    }

    fn unknown(&self, name: &str, span: Span) -> Diagnostic {
        let known = || self.scopes.iter().flat_map(|scope| scope.keys().map(String::as_str));
        let some: Vec<&str> = known().take(8).collect();
        let help = match some.len() {
            0 => "declare it".to_string(),
            8 => format!("declare it, or use one of {}, ...", some.join(", ")),
            _ => format!("declare it, or use one of {}", some.join(", ")),
        };
        error("unknown-name", span, format!("unknown name `{name}`"))
            .label("not declared")
            .help(help)
            .maybe_help(did_you_mean(name, known()))
    }

    fn bind(&mut self, name: &Name, entity: Entity) -> Lowered<()> {
        let scope = self.scopes.last_mut().expect("there is always a scope");
        if let Some((_, other)) = scope.get(&name.text) {
            let message = format!("`{}` is declared twice", name.text);
            return Err(error("declared-twice", name.span, message).also(*other, "first here"));
        }
        scope.insert(name.text.clone(), (entity, name.span));
        Ok(())
    }

    /// Does `work` with names of its own.
    fn scoped<T>(&mut self, work: impl FnOnce(&mut Lowerer) -> Lowered<T>) -> Lowered<T> {
        self.scopes.push(Scope::new());
        let result = work(self);
        self.scopes.pop();
        result
    }

    /// Keeps an error and goes on.
    fn note<T>(&mut self, result: Lowered<T>) -> Option<T> {
        result.map_err(|diagnostic| self.diagnostics.push(diagnostic)).ok()
    }

    /// Counts parts of expressions.
    fn count(&mut self, span: Span) -> Lowered<()> {
        self.nodes += 1;
        if self.nodes > limit::NODES {
            let message = format!("the model has more than {} operations", limit::NODES);
            return Err(too_large(span, message));
        }
        Ok(())
    }

    /// Something that zones cannot follow.
    fn only_simulated(&mut self, span: Span, what: &str) {
        if let Some(frame) = &mut self.frame {
            frame.simulation_only.get_or_insert_with(|| what.to_string());
        } else {
            self.network.simulation_only.push((span, what.to_string()));
        }
    }

    /// Computes a value that is needed while the network is made.
    fn known(&mut self, expr: &NetworkExpr, span: Span) -> Lowered<i64> {
        if let NetworkExpr::Int(value) = expr {
            return Ok(*value);
        }
        let mut machine = NetworkMachine::new(&self.network);
        machine.value(expr).map_err(|found| fault(NetworkFault { span, ..*found }))
    }

    fn known_number(&mut self, number: &Number, span: Span) -> Lowered<f64> {
        if let Number::Value(value) = number {
            return Ok(*value);
        }
        let mut machine = NetworkMachine::new(&self.network);
        machine.number_value(number).map_err(|found| fault(NetworkFault { span, ..*found }))
    }

    /// A range that something runs through.
    fn range_of(&mut self, ty: &TypeExpr) -> Lowered<(i64, i64)> {
        let found = self.type_of(ty)?;
        found.range().ok_or_else(|| {
            let message = format!("`{}` has no values to run through", found.show());
            error("type", ty.span, message).help("write a range such as int[0,3]")
        })
    }
}
