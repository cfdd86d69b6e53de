//! Violated properties: a run, with values for what is undefined in its first step.

use std::collections::BTreeMap;

use provoke_base::index::Id;
use provoke_model::Value;

use crate::folder::Undefined;
use crate::graph::{Graph, Kind, NodeId};
use crate::instances::{InstanceId, Model};
use crate::run::GraphRun;
use crate::shape::Part;

/// The first step of a run in which a property is false if what is undefined has these values; else why
/// there is none.
pub(crate) fn violated(
    model: &Model,
    graph: &Graph,
    property: usize,
    steps: &[&[Value]],
    undefined: &[Undefined],
) -> Result<usize, String> {
    // An assertion that is undefined restricts nothing, whatever values are chosen.
    let (mut certain, mut run) = (GraphRun::new(graph), GraphRun::new(graph));
    let mut used: Vec<NodeId> = Vec::new();
    let mut chosen: BTreeMap<(InstanceId, Part), Value> = BTreeMap::new();
    for given in undefined {
        let place = format!("line {}, column {}", given.line, given.column);
        let pre = find(model, graph, given, &used)
            .ok_or_else(|| format!("no undefined value stands in {place}"))?;
        let ty = graph.nodes[pre].ty;
        let value = Value::parse(&given.value, ty, &model.tree.types.enums);
        let value = value.ok_or_else(|| format!("`{}` is no value in {place}", given.value))?;
        used.push(pre);
        if let Some(source) = graph.nodes[pre].source
            && chosen.insert(source, value.clone()).is_some_and(|before| before != value)
        {
            return Err(format!("one `pre` has two values, in {place}"));
        }
        run.set_undefined(pre, value);
    }
    for (at, inputs) in steps.iter().enumerate() {
        for run in [&mut certain, &mut run] {
            run.step(inputs, None).map_err(|fault| format!("step {}: {fault}", at + 1))?;
        }
        let broken = |assertion: &NodeId| certain.truth(*assertion) == Some(false);
        if graph.assertions.iter().any(broken) {
            return Err(format!("step {} breaks an assertion", at + 1));
        }
        // One that divides by zero has no value, and does not hold.
        let holds = run.value(graph.properties[property]);
        if holds.is_none_or(|value| *value == Value::Bool(false)) {
            return Ok(at + 1);
        }
    }
    Err("it is not false in any step of the test".to_string())
}

/// The `pre` at a place of the text, in the definition of a variable; what no text says, a value
/// that is held until a clock is true, is found by the variable alone.
fn find(model: &Model, graph: &Graph, given: &Undefined, used: &[NodeId]) -> Option<NodeId> {
    let inside: Vec<NodeId> = match graph.cell_named(&given.variable) {
        Some(cell) => below(graph, graph.cells[cell].root?),
        None => graph.promises.clone().map(NodeId::new).collect(),
    };
    let is_free =
        |node: &NodeId| matches!(graph.nodes[*node].kind, Kind::Pre(_)) && !used.contains(node);
    let written = |node: &NodeId| {
        graph.nodes[*node].source.is_some_and(|(_, part)| {
            let start = model.tree.program.exprs[part.expr].span.start;
            let place = model.tree.file.line_column(start);
            (place.line, place.column) == (given.line, given.column)
        })
    };
    let mut free = inside.iter().copied().filter(is_free);
    let held = |node: &NodeId| graph.nodes[*node].source.is_none();
    free.clone().find(written).or_else(|| free.find(held))
}

/// All occurrences of an equation.
fn below(graph: &Graph, root: NodeId) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        found.push(node);
        open.extend(graph.nodes[node].kind.operands());
    }
    found
}
