//! A program in words, without the nodes that only repeat a variable, and with one memory for all
//! delays that remember the same.

use std::sync::Arc;

use provoke_base::index::Id;
use provoke_model::{BinaryOp, Type, UnaryOp};

use crate::program::{NodeId, ProgramNode, SimProgram, agreed, small, small_unary, unary};
use crate::word::{Wides, Word};

/// How a node is computed, and from which nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    /// Not at all: an input, a constant, a memory.
    Given,
    Copy([u32; 1]),
    Unary(UnaryOp, [u32; 1]),
    Binary(BinaryOp, [u32; 2]),
    If([u32; 3]),
    Arrow([u32; 2]),
}

impl Op {
    pub(crate) fn operands(&mut self) -> &mut [u32] {
        match self {
            Op::Given => &mut [],
            Op::Copy(of) | Op::Unary(_, of) => of,
            Op::Binary(_, of) | Op::Arrow(of) => of,
            Op::If(of) => of,
        }
    }
}

/// What all delays of the same node share: a node behind those of the program.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    /// Where what is remembered is found.
    pub(crate) operand: u32,
    /// The `pre`s.
    pub(crate) pres: Vec<NodeId>,
}

/// The nodes of a program with their operations. An occurrence of a variable which is nothing
/// else is not computed: what uses it uses the variable's own node, its home; that of a `pre` is
/// the memory.
#[derive(Clone, Debug)]
pub(crate) struct Wiring {
    pub(crate) program: Arc<SimProgram>,
    pub(crate) ops: Vec<Op>,
    /// Where the value of a node is found.
    pub(crate) home: Vec<u32>,
    types: Vec<Type>,
    pub(crate) memories: Vec<Memory>,
    starts: Vec<u32>,
    users: Vec<u32>,
}

impl Wiring {
    /// The values of the `watched` nodes can be looked at.
    pub(crate) fn new(program: Arc<SimProgram>, watched: &[NodeId]) -> Wiring {
        let (home, memories) = homes(&program, watched);
        let at = |node: NodeId| home[node.index()];
        let nodes = program.nodes().len();
        let mut memory_of = vec![0; program.delays().len()];
        for (memory, Memory { pres, .. }) in memories.iter().enumerate() {
            for pre in pres {
                if let ProgramNode::Pre(slot) = program.nodes()[*pre] {
                    memory_of[slot as usize] = (nodes + memory) as u32;
                }
            }
        }
        let op = |node: &ProgramNode| match *node {
            ProgramNode::Const(_) | ProgramNode::Input(_) => Op::Given,
            ProgramNode::Pre(slot) => Op::Copy([memory_of[slot as usize]]),
            ProgramNode::Use(a) => Op::Copy([at(a)]),
            ProgramNode::Unary(op, a) => Op::Unary(op, [at(a)]),
            ProgramNode::Binary(op, a, b) => Op::Binary(op, [a, b].map(at)),
            ProgramNode::If(a, b, c) => Op::If([a, b, c].map(at)),
            ProgramNode::Arrow(a, b) => Op::Arrow([a, b].map(at)),
        };
        let mut ops: Vec<Op> = program.nodes().iter().map(op).collect();
        ops.resize(nodes + memories.len(), Op::Given);
        let mut types: Vec<Type> = program.nodes().ids().map(|id| program.type_of(id)).collect();
        let (mut starts, mut users) = (vec![0], Vec::new());
        let mut add = |used: &[NodeId]| {
            for &user in used {
                match at(user) as usize == user.index() {
                    true => users.push(user.index() as u32),
                    false => users.extend(program.users_of(user).iter().map(|u| u.index() as u32)),
                }
            }
            starts.push(users.len() as u32);
        };
        program.nodes().ids().for_each(|node| add(program.users_of(node)));
        for Memory { operand, pres } in &memories {
            types.push(types[*operand as usize]);
            add(pres);
        }
        Wiring { ops, home, types, memories, starts, users, program }
    }

    /// The memory that a `pre` shares.
    pub(crate) fn memory_of(&self, pre: NodeId) -> u32 {
        let shares = |memory: &Memory| memory.pres.contains(&pre);
        let memory = self.memories.iter().position(shares).expect("every `pre` has one");
        (self.program.nodes().len() + memory) as u32
    }

    /// The type of a node, which may be a memory.
    pub(crate) fn type_of(&self, node: usize) -> Type {
        self.types[node]
    }

    /// Whether a node is a truth value.
    pub(crate) fn is_bool(&self, node: usize) -> bool {
        self.types[node] == Type::Bool
    }

    /// Whether a node is no home of its own.
    pub(crate) fn only_repeats(&self, node: NodeId) -> bool {
        self.home[node.index()] as usize != node.index()
    }

    /// The nodes that are computed from a node.
    pub(crate) fn users_of(&self, node: usize) -> &[u32] {
        &self.users[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// The result of one node, by the rules of [`SimProgram::evaluate`].
    #[inline]
    pub(crate) fn compute(
        &self,
        wides: &mut Wides,
        node: usize,
        first_step: bool,
        at: impl Fn(u32) -> Word,
    ) -> Word {
        match self.quick(node, first_step, &at) {
            Some(word) => word,
            None => self.compute_exactly(wides, node, at),
        }
    }

    /// The result where words are enough for it.
    #[inline]
    pub(crate) fn quick(
        &self,
        node: usize,
        first_step: bool,
        at: impl Fn(u32) -> Word,
    ) -> Option<Word> {
        match self.ops[node] {
            Op::Given => Some(at(node as u32)),
            Op::Copy([a]) => Some(at(a)),
            Op::Unary(UnaryOp::Not, [a]) => Some(not(at(a))),
            Op::Unary(op, [a]) => Word::of(small_unary(op, at(a).number()?)?),
            Op::Binary(op, [a, b]) => quick(op, at(a), at(b)),
            Op::If([condition, then, otherwise]) => match at(condition) {
                Word::TRUE => Some(at(then)),
                Word::FALSE => Some(at(otherwise)),
                Word::UNKNOWN => None,
                fault => Some(fault),
            },
            Op::Arrow([first, later]) => Some(at(if first_step { first } else { later })),
        }
    }

    #[cold]
    fn compute_exactly(&self, wides: &mut Wides, node: usize, at: impl Fn(u32) -> Word) -> Word {
        let cell = |operand: u32| wides.cell(at(operand), self.type_of(operand as usize));
        let result = match self.ops[node] {
            Op::Unary(op, [a]) => unary(op, &cell(a)),
            Op::Binary(op, [a, b]) => {
                self.program.binary(NodeId::new(node), op, &cell(a), &cell(b))
            }
            Op::If([_, then, otherwise]) => agreed(&cell(then), &cell(otherwise)),
            Op::Given | Op::Copy(_) | Op::Arrow(_) => unreachable!("words are enough for these"),
        };
        wides.word(result)
    }

    /// The result of an operator with the operands of a node.
    #[inline]
    pub(crate) fn join(
        &self,
        wides: &mut Wides,
        node: usize,
        op: BinaryOp,
        operands: [u32; 2],
        [a, b]: [Word; 2],
    ) -> Word {
        quick(op, a, b).unwrap_or_else(|| self.join_exactly(wides, node, op, operands, [a, b]))
    }

    #[cold]
    fn join_exactly(
        &self,
        wides: &mut Wides,
        node: usize,
        op: BinaryOp,
        operands: [u32; 2],
        words: [Word; 2],
    ) -> Word {
        let ty = |operand: u32| self.type_of(operand as usize);
        let [a, b] = [0, 1].map(|side| wides.cell(words[side], ty(operands[side])));
        wides.word(self.program.binary(NodeId::new(node), op, &a, &b))
    }
}

/// What is unknown or a fault stays what it is.
pub(crate) fn not(word: Word) -> Word {
    match word {
        Word::FALSE => Word::TRUE,
        Word::TRUE => Word::FALSE,
        other => other,
    }
}

/// The result for operands that are words, where it is one.
#[inline]
pub(crate) fn quick(op: BinaryOp, a: Word, b: Word) -> Option<Word> {
    Word::of(small(op, a.number()?, b.number()?)?)
}

/// Where each node's value is found: with itself, unless it is only an occurrence of a variable or
/// what a memory holds; and the memories.
fn homes(program: &SimProgram, watched: &[NodeId]) -> (Vec<u32>, Vec<Memory>) {
    let nodes = program.nodes().len();
    let mut needed = vec![false; nodes];
    let named = program.named().chain(watched.iter().copied());
    named.for_each(|node| needed[node.index()] = true);
    for node in program.nodes().iter() {
        if let ProgramNode::Use(of) = node {
            needed[of.index()] = true;
        }
    }
    for delay in program.delays() {
        needed[delay.operand.index()] |=
            matches!(program.nodes()[delay.operand], ProgramNode::Pre(_));
    }
    let home = |(id, node): (NodeId, &ProgramNode)| match node {
        ProgramNode::Use(of) if !needed[id.index()] => of.index() as u32,
        _ => id.index() as u32,
    };
    let mut homes: Vec<u32> = program.nodes().entries().map(home).collect();
    let mut memories: Vec<Memory> = Vec::new();
    let mut memory_of: Vec<Option<usize>> = vec![None; nodes];
    for delay in program.delays() {
        let operand = homes[delay.operand.index()];
        let memory = *memory_of[operand as usize].get_or_insert(memories.len());
        if memory == memories.len() {
            memories.push(Memory { operand, pres: Vec::new() });
        }
        memories[memory].pres.push(delay.pre);
        if !needed[delay.pre.index()] {
            homes[delay.pre.index()] = (nodes + memory) as u32;
        }
    }
    homes.extend((nodes..nodes + memories.len()).map(|memory| memory as u32));
    (homes, memories)
}
