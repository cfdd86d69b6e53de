//! Runs of a [`Graph`]: the value of every occurrence in every step, with one of them changed if
//! that is asked for.

use provoke_base::IndexVec;
use provoke_model::Value;

use crate::graph::{CellId, Graph, Kind, NodeId};
use crate::operator::{Fault, binary, decided, unary};

/// An occurrence that has another value than the one computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Change {
    /// The occurrence.
    pub node: NodeId,
    /// Its value.
    pub value: bool,
}

/// A run in progress.
#[derive(Clone)]
pub struct GraphRun<'g> {
    graph: &'g Graph,
    steps: usize,
    /// What each `pre` reads; only those of `pre` nodes are used.
    memory: IndexVec<NodeId, Value>,
    values: IndexVec<NodeId, Result<Value, Fault>>,
    cells: IndexVec<CellId, Value>,
}

impl<'g> GraphRun<'g> {
    /// Before the first step.
    pub fn new(graph: &'g Graph) -> GraphRun<'g> {
        GraphRun {
            graph,
            steps: 0,
            memory: IndexVec::repeat(Value::Unknown, graph.nodes.len()),
            values: IndexVec::repeat(Ok(Value::Unknown), graph.nodes.len()),
            cells: IndexVec::repeat(Value::Unknown, graph.cells.len()),
        }
    }

    /// How many steps were done.
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// Gives a `pre` its value in the first step.
    pub fn set_undefined(&mut self, pre: NodeId, value: Value) {
        self.memory[pre] = value;
    }

    /// Computes the next step; the inputs in the order of [`Graph::inputs`].
    pub fn step(&mut self, inputs: &[Value], change: Option<Change>) -> Result<(), Fault> {
        let graph = self.graph;
        if self.steps > 0 {
            for &(pre, operand) in &graph.delays {
                self.memory[pre] = self.values[operand].clone()?;
            }
        }
        for (&cell, value) in graph.inputs.iter().zip(inputs) {
            self.cells[cell].clone_from(value);
        }
        for (&cell, needed) in graph.order.iter().zip(&graph.instant) {
            for &node in needed {
                self.compute(node, change);
            }
            let root = graph.cells[cell].root.expect("only what is computed is in order");
            self.cells[cell] = self.values[root].clone()?;
        }
        for &node in &graph.late {
            self.compute(node, change);
        }
        for node in graph.promises.clone() {
            self.compute(provoke_base::index::Id::new(node), change);
        }
        for &assertion in &graph.assertions {
            self.values[assertion].clone()?;
        }
        for &(_, operand) in &graph.delays {
            self.values[operand].clone()?;
        }
        self.steps += 1;
        Ok(())
    }

    fn compute(&mut self, node: NodeId, change: Option<Change>) {
        self.values[node] = match change {
            Some(change) if change.node == node => Ok(Value::Bool(change.value)),
            _ => self.value_of(node),
        };
    }

    fn value_of(&self, node: NodeId) -> Result<Value, Fault> {
        let value = |node: NodeId| self.values[node].clone();
        match &self.graph.nodes[node].kind {
            Kind::Const(constant) => Ok(constant.clone()),
            Kind::Use(cell) => Ok(self.cells[*cell].clone()),
            Kind::Unary(op, operand) => Ok(unary(*op, &value(*operand)?)),
            Kind::Binary(op, left, right) => {
                let left = value(*left)?;
                if let Some(value) = decided(*op, &left) {
                    return Ok(value);
                }
                let right = match value(*right) {
                    Err(_) if op.is_logical() && !left.is_known() => Value::Unknown,
                    outcome => outcome?,
                };
                binary(*op, &left, &right)
            }
            Kind::If(condition, then, otherwise) => match value(*condition)? {
                Value::Bool(true) => value(*then),
                Value::Bool(false) => value(*otherwise),
                _ => {
                    let one = value(*then).unwrap_or(Value::Unknown);
                    let other = value(*otherwise).unwrap_or(Value::Unknown);
                    Ok(if one == other { one } else { Value::Unknown })
                }
            },
            Kind::Arrow(first, later) => value(if self.steps == 0 { *first } else { *later }),
            Kind::Pre(_) => Ok(self.memory[node].clone()),
        }
    }

    /// Whether both remember the same, so that they go on alike.
    pub fn remembers_like(&self, other: &GraphRun<'_>) -> bool {
        self.graph.delays.iter().all(|(_, operand)| self.values[*operand] == other.values[*operand])
    }

    /// The value of an occurrence in the last step; none if it has none there.
    pub fn value(&self, node: NodeId) -> Option<&Value> {
        self.values[node].as_ref().ok()
    }

    /// The truth value of an occurrence in the last step, if it is known.
    pub fn truth(&self, node: NodeId) -> Option<bool> {
        self.value(node).and_then(Value::as_bool)
    }

    /// The value of a cell in the last step.
    pub fn cell(&self, cell: CellId) -> &Value {
        &self.cells[cell]
    }
}
