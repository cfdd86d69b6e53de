//! A program as operations on 64 runs at once.
//!
//! A value that may be unknown, because an unguarded `pre` has none in the first step, has a
//! second word that says in which runs it is known, by the rules of
//! [`provoke_model::operator`]. Where every `pre` is guarded there are no such words.

use provoke_base::IndexVec;
use provoke_model::{BinaryOp, Type, UnaryOp};

use crate::compact_value::CompactValue;
use crate::doubt::{Doubts, doubtful, may_fail};
use crate::lanes::{BitReg, IntReg, LANES, Op};
use crate::program::{NodeId, ProgramNode, SimProgram};

/// Registers with a fixed meaning.
pub(crate) mod fixed {
    use super::BitReg;
    pub(crate) const NEVER: BitReg = 0;
    pub(crate) const ALWAYS: BitReg = 1;
    /// The runs whose next or current step is the first.
    pub(crate) const FIRST: BitReg = 2;
    pub(crate) const LATER: BitReg = 3;
    pub(crate) const COUNT: u32 = 4;
}

/// Where a node's values are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Register {
    Bits(BitReg),
    Ints(IntReg),
    /// Nowhere: exact numbers do not fit.
    None,
}

/// A register, and the word of the runs in which its value is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Place {
    pub(crate) register: Register,
    pub(crate) known: BitReg,
}

/// Operations for a whole program.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) ops: Vec<Op>,
    pub(crate) bits: u32,
    pub(crate) ints: u32,
    /// What integer registers of constants hold.
    pub(crate) constants: Vec<(IntReg, i64)>,
    pub(crate) places: IndexVec<NodeId, Place>,
    /// For each delay, where it is remembered and where the value to be remembered is.
    pub(crate) slots: Vec<(Place, Place)>,
    /// The type of each delay.
    pub(crate) types: Vec<Type>,
    /// Whether a node is of an enumeration.
    pub(crate) enums: IndexVec<NodeId, bool>,
    /// Whether there are numbers that no register holds, so that every run must be exact.
    pub(crate) exact: bool,
}

impl Code {
    /// `open` says that inputs may be unknown.
    pub(crate) fn new(program: &SimProgram, open: bool) -> Code {
        let types: Vec<Type> = program.nodes().ids().map(|node| program.type_of(node)).collect();
        let mut compiler = Compiler {
            program,
            doubtful: doubtful(program, Doubts { inputs: open, divisions: true, infinities: true }),
            code: Code {
                ops: Vec::new(),
                bits: fixed::COUNT,
                ints: 0,
                constants: Vec::new(),
                places: IndexVec::new(),
                slots: Vec::new(),
                types: program.delays().iter().map(|delay| program.type_of(delay.pre)).collect(),
                enums: types.iter().map(|ty| matches!(ty, Type::Enum(_))).collect(),
                exact: types.contains(&Type::Real),
            },
        };
        for (id, node) in program.nodes().entries() {
            let place = compiler.place(id, node);
            compiler.code.places.push(place);
        }
        for delay in program.delays() {
            let memory = compiler.code.places[delay.pre];
            let operand = compiler.apart(delay.operand);
            compiler.code.slots.push((memory, operand));
        }
        compiler.code
    }
}

struct Compiler<'p> {
    program: &'p SimProgram,
    doubtful: IndexVec<NodeId, [bool; 2]>,
    code: Code,
}

impl Compiler<'_> {
    fn place(&mut self, id: NodeId, node: &ProgramNode) -> Place {
        let is_const = matches!(node, ProgramNode::Const(_));
        if let ProgramNode::Use(definition) = node {
            return self.code.places[*definition];
        }
        let register = match self.program.type_of(id) {
            Type::Bool if !is_const => Register::Bits(self.truth(node)),
            _ if is_const => self.constant(node),
            Type::Int | Type::Enum(_) => self.number(node),
            _ => Register::None,
        };
        Place { register, known: self.known(id, node) }
    }

    /// A node's place, or a copy of what is itself a memory there: what is remembered must
    /// outlast the writing of all memories.
    fn apart(&mut self, node: NodeId) -> Place {
        let Place { mut register, mut known } = self.code.places[node];
        let memories = || self.program.delays().iter().map(|delay| self.code.places[delay.pre]);
        let (is_memory, is_mark) = (
            memories().any(|memory| memory.register == register),
            known >= fixed::COUNT && memories().any(|memory| memory.known == known),
        );
        if is_memory {
            register = match register {
                Register::Bits(from) => Register::Bits(self.emit(|to| Op::Or(to, from, from))),
                Register::Ints(from) => {
                    let to = self.new_ints();
                    self.code.ops.push(Op::Select(to, fixed::ALWAYS, from, from));
                    Register::Ints(to)
                }
                Register::None => Register::None,
            };
        }
        if is_mark {
            known = self.emit(|to| Op::Or(to, known, known));
        }
        Place { register, known }
    }

    fn new_bits(&mut self) -> BitReg {
        self.code.bits += 1;
        self.code.bits - 1
    }

    fn new_ints(&mut self) -> IntReg {
        self.code.ints += 1;
        self.code.ints - 1
    }

    fn constant(&mut self, node: &ProgramNode) -> Register {
        let number = match node {
            ProgramNode::Const(CompactValue::Bool(value)) => {
                return Register::Bits(if *value { fixed::ALWAYS } else { fixed::NEVER });
            }
            ProgramNode::Const(CompactValue::Int(number)) => *number,
            ProgramNode::Const(CompactValue::Enum(ordinal)) => i64::from(*ordinal),
            _ => {
                self.code.exact = true;
                return Register::None;
            }
        };
        let known = self.code.constants.iter().find(|(_, constant)| *constant == number);
        if let Some((register, _)) = known {
            return Register::Ints(*register);
        }
        let register = self.new_ints();
        self.code.constants.push((register, number));
        Register::Ints(register)
    }

    fn bits(&self, node: NodeId) -> Option<BitReg> {
        match self.code.places[node].register {
            Register::Bits(register) => Some(register),
            _ => None,
        }
    }

    /// The register of an operand; where it has none, some register will do, since runs are
    /// exact then.
    fn ints(&self, node: NodeId) -> Option<IntReg> {
        match self.code.places[node].register {
            Register::Ints(register) => Some(register),
            _ => None,
        }
    }

    fn emit(&mut self, op: impl FnOnce(BitReg) -> Op) -> BitReg {
        let to = self.new_bits();
        self.code.ops.push(op(to));
        to
    }

    /// The operations for a Boolean node.
    fn truth(&mut self, node: &ProgramNode) -> BitReg {
        match *node {
            ProgramNode::Unary(UnaryOp::Not, a) => {
                let a = self.bits(a).expect("well-typed");
                self.not(a)
            }
            ProgramNode::Binary(op, a, b) => self.connective(op, a, b),
            ProgramNode::If(c, a, b) => {
                let [c, a, b] = [c, a, b].map(|part| self.bits(part).expect("well-typed"));
                self.choose(c, a, b)
            }
            ProgramNode::Arrow(a, b) => {
                let [a, b] = [a, b].map(|part| self.bits(part).expect("well-typed"));
                self.choose(fixed::FIRST, a, b)
            }
            // An input or a memory: written from outside.
            _ => self.new_bits(),
        }
    }

    fn connective(&mut self, op: BinaryOp, a: NodeId, b: NodeId) -> BitReg {
        if let (Some(a), Some(b)) = (self.bits(a), self.bits(b)) {
            return match op {
                BinaryOp::And => self.and(a, b),
                BinaryOp::Or => self.or(a, b),
                BinaryOp::Xor | BinaryOp::Ne => self.emit(|to| Op::Xor(to, a, b)),
                BinaryOp::Implies => {
                    let not_a = self.not(a);
                    self.or(not_a, b)
                }
                _ => {
                    let differ = self.emit(|to| Op::Xor(to, a, b));
                    self.not(differ)
                }
            };
        }
        let (Some(a), Some(b)) = (self.ints(a), self.ints(b)) else { return self.new_bits() };
        match op {
            BinaryOp::Lt => self.emit(|to| Op::Less(to, a, b)),
            BinaryOp::Le => self.emit(|to| Op::LessEqual(to, a, b)),
            BinaryOp::Gt => self.emit(|to| Op::Less(to, b, a)),
            BinaryOp::Ge => self.emit(|to| Op::LessEqual(to, b, a)),
            BinaryOp::Ne => {
                let equal = self.emit(|to| Op::Equal(to, a, b));
                self.not(equal)
            }
            _ => self.emit(|to| Op::Equal(to, a, b)),
        }
    }

    /// The operations for a number or a constant of an enumeration.
    fn number(&mut self, node: &ProgramNode) -> Register {
        let op: Box<dyn Fn(IntReg) -> Op> = match *node {
            ProgramNode::Unary(op, a) => {
                let Some(a) = self.ints(a) else { return Register::None };
                match op {
                    UnaryOp::Neg => Box::new(move |to| Op::Neg(to, a)),
                    _ => Box::new(move |to| Op::Unary(to, op, a)),
                }
            }
            ProgramNode::Binary(op, a, b) => {
                let (Some(a), Some(b)) = (self.ints(a), self.ints(b)) else {
                    return Register::None;
                };
                match op {
                    BinaryOp::Add => Box::new(move |to| Op::Add(to, a, b)),
                    BinaryOp::Sub => Box::new(move |to| Op::Sub(to, a, b)),
                    BinaryOp::Mul => Box::new(move |to| Op::Mul(to, a, b)),
                    BinaryOp::IntDiv => Box::new(move |to| Op::Div(to, a, b)),
                    BinaryOp::Mod => Box::new(move |to| Op::Mod(to, a, b)),
                    _ => Box::new(move |to| Op::Binary(to, op, a, b)),
                }
            }
            ProgramNode::If(c, a, b) => {
                let c = self.bits(c).expect("well-typed");
                let (Some(a), Some(b)) = (self.ints(a), self.ints(b)) else {
                    return Register::None;
                };
                Box::new(move |to| Op::Select(to, c, a, b))
            }
            ProgramNode::Arrow(a, b) => {
                let (Some(a), Some(b)) = (self.ints(a), self.ints(b)) else {
                    return Register::None;
                };
                Box::new(move |to| Op::Select(to, fixed::FIRST, a, b))
            }
            _ => return Register::Ints(self.new_ints()),
        };
        let to = self.new_ints();
        self.code.ops.push(op(to));
        Register::Ints(to)
    }

    /// The word of the runs in which a node is known.
    fn known(&mut self, id: NodeId, node: &ProgramNode) -> BitReg {
        if self.doubtful[id] == [false, false] {
            return fixed::ALWAYS;
        }
        let operands: Vec<NodeId> = node.operands().collect();
        match *node {
            // Exact runs say whether there is a nearest number.
            ProgramNode::Input(_) | ProgramNode::Unary(UnaryOp::Round(_), _) => self.new_bits(),
            ProgramNode::Pre(slot) => {
                let operand = self.program.delays()[slot as usize].operand;
                let sure = self.doubtful[operand] == [false, false];
                if sure { fixed::LATER } else { self.new_bits() }
            }
            ProgramNode::Arrow(a, b) => {
                let (a, b) = (self.code.places[a].known, self.code.places[b].known);
                self.choose(fixed::FIRST, a, b)
            }
            ProgramNode::If(..) => self.known_choice([operands[0], operands[1], operands[2]]),
            ProgramNode::Binary(op, a, b) => self.known_binary(op, a, b),
            _ => self.code.places[operands[0]].known,
        }
    }

    /// Known if both operands are, or one that is known decides alone.
    fn known_binary(&mut self, op: BinaryOp, a: NodeId, b: NodeId) -> BitReg {
        let known = [a, b].map(|operand| self.code.places[operand].known);
        let mut ways = self.and(known[0], known[1]);
        let (alone_a, alone_b): (&[i64], &[i64]) = match op {
            BinaryOp::And => (&[0], &[0]),
            BinaryOp::Or => (&[1], &[1]),
            BinaryOp::Implies => (&[0], &[1]),
            BinaryOp::Mul => (&[0], &[0]),
            BinaryOp::Mod => (&[], &[1, -1]),
            _ => (&[], &[]),
        };
        for (operand, known, alone) in [(a, known[0], alone_a), (b, known[1], alone_b)] {
            for &value in alone {
                let decided = self.equals(operand, value);
                let way = self.and(known, decided);
                ways = self.or(ways, way);
            }
        }
        if may_fail(self.program, op, b) {
            let zero = self.equals(b, 0);
            let divides = self.not(zero);
            ways = self.and(ways, divides);
        }
        // A word of its own, so that exact runs can say what they know.
        if ways < fixed::COUNT { self.emit(|to| Op::Or(to, ways, ways)) } else { ways }
    }

    /// Where an operand has a value.
    fn equals(&mut self, operand: NodeId, value: i64) -> BitReg {
        match self.code.places[operand].register {
            Register::Bits(bits) if value == 0 => self.not(bits),
            Register::Bits(bits) => bits,
            Register::Ints(ints) => {
                let Register::Ints(constant) =
                    self.constant(&ProgramNode::Const(CompactValue::Int(value)))
                else {
                    unreachable!("a number has a register")
                };
                // Constants are set beforehand, so the order of the registers does not matter.
                self.emit(|to| Op::Equal(to, ints, constant))
            }
            Register::None => fixed::NEVER,
        }
    }

    /// Known if the condition and the chosen branch are, or if both branches are and agree.
    fn known_choice(&mut self, [c, a, b]: [NodeId; 3]) -> BitReg {
        let known = [c, a, b].map(|part| self.code.places[part].known);
        let condition = self.bits(c).expect("well-typed");
        let chosen = self.choose(condition, known[1], known[2]);
        let by_choice = self.and(known[0], chosen);
        let agree = match (self.code.places[a].register, self.code.places[b].register) {
            (Register::Bits(a), Register::Bits(b)) => {
                let differ = self.emit(|to| Op::Xor(to, a, b));
                self.not(differ)
            }
            (Register::Ints(a), Register::Ints(b)) => self.emit(|to| Op::Equal(to, a, b)),
            _ => fixed::NEVER,
        };
        let both = self.and(known[1], known[2]);
        let by_agreement = self.and(both, agree);
        self.or(by_choice, by_agreement)
    }

    fn not(&mut self, a: BitReg) -> BitReg {
        match a {
            fixed::NEVER => fixed::ALWAYS,
            fixed::ALWAYS => fixed::NEVER,
            fixed::FIRST => fixed::LATER,
            fixed::LATER => fixed::FIRST,
            _ => self.emit(|to| Op::Not(to, a)),
        }
    }

    fn and(&mut self, a: BitReg, b: BitReg) -> BitReg {
        match (a, b) {
            (fixed::NEVER, _) | (_, fixed::NEVER) => fixed::NEVER,
            (fixed::ALWAYS, same) | (same, fixed::ALWAYS) => same,
            _ if a == b => a,
            _ => self.emit(|to| Op::And(to, a, b)),
        }
    }

    fn or(&mut self, a: BitReg, b: BitReg) -> BitReg {
        match (a, b) {
            (fixed::ALWAYS, _) | (_, fixed::ALWAYS) => fixed::ALWAYS,
            (fixed::NEVER, same) | (same, fixed::NEVER) => same,
            _ if a == b => a,
            _ => self.emit(|to| Op::Or(to, a, b)),
        }
    }

    fn choose(&mut self, c: BitReg, a: BitReg, b: BitReg) -> BitReg {
        match c {
            fixed::ALWAYS => a,
            fixed::NEVER => b,
            _ if a == b => a,
            _ => self.emit(|to| Op::Choose(to, c, a, b)),
        }
    }
}

/// The same number in every run.
pub(crate) fn everywhere(number: i64) -> [i64; LANES] {
    [number; LANES]
}
