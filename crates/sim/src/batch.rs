//! 64 runs of a system side by side.
//!
//! A run in which a number leaves 64 bits, or which needs rationals, goes on exactly, in an
//! evaluator of its own; so every run is equal to the reference interpreter's, and tested
//! against it.

use std::sync::Arc;

use provoke_base::Int;
use provoke_base::index::Id;
use provoke_model::{System, Type, Value};

use crate::code::{Code, Place, Register, everywhere, fixed};
use crate::compact_value::CompactValue;
use crate::dense::Dense;
use crate::interpreter::{Breach, SimState};
use crate::lanes::{self, BitReg, Ints, LANES};
use crate::program::{NodeId, ProgramDelay, SimProgram};

/// A set of runs, one bit for each.
pub type RunSet = u64;

/// In which runs a truth value is true, and in which it is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Truth {
    /// Register of the runs in which it is true, if it is known.
    pub value: u32,
    /// Register of the runs in which it is known.
    pub known: u32,
}

/// Words with a fixed meaning, among those of [`Batch::words`].
pub mod word {
    use crate::code::fixed;
    /// No run.
    pub const NEVER: u32 = fixed::NEVER;
    /// All runs.
    pub const ALWAYS: u32 = fixed::ALWAYS;
    /// The runs in their first step.
    pub const FIRST: u32 = fixed::FIRST;
    /// The runs in a later step.
    pub const LATER: u32 = fixed::LATER;
}

/// 64 runs of one system, each in a state of its own.
#[derive(Clone, Debug)]
pub struct Batch {
    program: Arc<SimProgram>,
    code: Arc<Code>,
    bits: Vec<u64>,
    ints: Vec<Ints>,
    steps: [usize; LANES],
    exact: Vec<Option<Box<Exact>>>,
    /// The runs that nobody looks at.
    abandoned: RunSet,
    /// The runs that ended with a fault, or are outside what the model is for, in the last step.
    faulty: RunSet,
    outside: RunSet,
    /// The Boolean nodes with registers of their own.
    truths: Arc<Vec<(NodeId, BitReg, BitReg)>>,
    types: Arc<Vec<Type>>,
}

/// A run that needs exact numbers.
#[derive(Clone, Debug)]
struct Exact {
    dense: Dense,
    /// The state before the step that was evaluated last, while it is not yet taken.
    before: Option<SimState>,
    row: Vec<Value>,
}

impl Batch {
    /// All runs in the initial state. Inputs are known in every step.
    pub fn new(system: &System, program: &Arc<SimProgram>) -> Batch {
        Batch::of(system, program, false)
    }

    /// The same, for inputs that may also be unknown, which costs a little more.
    pub fn with_open_inputs(system: &System, program: &Arc<SimProgram>) -> Batch {
        Batch::of(system, program, true)
    }

    fn of(system: &System, program: &Arc<SimProgram>, open: bool) -> Batch {
        let code = Code::new(program, open);
        let mut ints = vec![everywhere(0); code.ints as usize];
        for (register, constant) in &code.constants {
            ints[*register as usize] = everywhere(*constant);
        }
        let truths = code.places.entries().filter_map(|(node, place)| match place.register {
            Register::Bits(register) => Some((node, register, place.known)),
            _ => None,
        });
        let mut batch = Batch {
            bits: vec![0; code.bits as usize],
            ints,
            steps: [0; LANES],
            exact: vec![None; LANES],
            abandoned: 0,
            faulty: 0,
            outside: 0,
            truths: Arc::new(truths.collect()),
            types: Arc::new(system.inputs.iter().map(|var| system.vars[*var].ty).collect()),
            program: Arc::clone(program),
            code: Arc::new(code),
        };
        batch.bits[fixed::ALWAYS as usize] = !0;
        (0..LANES).for_each(|lane| batch.reset(lane));
        batch
    }

    /// The program that all runs follow.
    pub fn program(&self) -> &Arc<SimProgram> {
        &self.program
    }

    /// Whether all runs need exact numbers, so that none gains from the others.
    pub fn is_exact(&self) -> bool {
        self.code.exact
    }

    /// Takes a run to the initial state.
    pub fn reset(&mut self, lane: usize) {
        self.restore(lane, &SimState::new(0, vec![Value::Unknown; self.code.slots.len()]));
    }

    /// Nobody looks at a run until it is reset: exact numbers are not computed for it.
    pub fn abandon(&mut self, lane: usize) {
        self.exact[lane] = None;
        self.abandoned |= 1 << lane;
    }

    /// Takes a run to a state of the system.
    pub fn restore(&mut self, lane: usize, state: &SimState) {
        self.exact[lane] = None;
        self.abandoned &= !(1 << lane);
        self.steps[lane] = state.steps_done();
        self.set_bit(fixed::FIRST, lane, state.steps_done() == 0);
        let code = Arc::clone(&self.code);
        if code.exact || !state.memory().iter().all(|value| fits(value) || !value.is_known()) {
            return self.make_exact(lane, state);
        }
        for ((memory, _), value) in code.slots.iter().zip(state.memory()) {
            self.write(*memory, lane, value);
        }
    }

    /// The state of a run between two steps.
    pub fn state(&self, lane: usize) -> SimState {
        match &self.exact[lane] {
            Some(exact) => exact.before.clone().unwrap_or_else(|| exact.dense.state()),
            None => {
                let slots = self.code.slots.iter().zip(&self.code.types);
                let value =
                    |((memory, _), ty): (&(Place, Place), &Type)| self.read(*memory, lane, *ty);
                SimState::new(self.steps[lane], slots.map(value).collect())
            }
        }
    }

    /// Sets an input of a run, by its position, to a value: a known one, unless the batch is
    /// for open inputs.
    pub fn set(&mut self, position: usize, lane: usize, value: &Value) {
        let place = self.code.places[NodeId::new(position)];
        let fits = fits(value) || !value.is_known();
        if !fits && self.exact[lane].is_none() && self.abandoned >> lane & 1 == 0 {
            let state = self.state(lane);
            self.make_exact(lane, &state);
        }
        if fits {
            self.write(place, lane, value);
        }
        if let Some(exact) = &mut self.exact[lane] {
            exact.row[position] = value.clone();
        }
    }

    /// Sets an input of every run.
    pub fn set_all(&mut self, position: usize, value: &Value) {
        let place = self.code.places[NodeId::new(position)];
        match (place.register, value) {
            (Register::Bits(register), Value::Bool(truth)) => {
                self.bits[register as usize] = if *truth { !0 } else { 0 };
            }
            (Register::Ints(register), Value::Int(Int::Small(number))) => {
                self.ints[register as usize] = everywhere(*number);
            }
            (Register::Ints(register), Value::Enum(ordinal)) => {
                self.ints[register as usize] = everywhere(i64::from(*ordinal));
            }
            _ => return (0..LANES).for_each(|lane| self.set(position, lane, value)),
        }
        if place.known >= fixed::COUNT {
            self.bits[place.known as usize] = !0;
        }
        for exact in self.exact.iter_mut().flatten() {
            exact.row[position] = value.clone();
        }
    }

    fn make_exact(&mut self, lane: usize, state: &SimState) {
        let mut dense = Dense::of(Arc::clone(&self.program));
        dense.restore(state);
        let row = (0..self.types.len()).map(|position| self.input(position, lane)).collect();
        self.exact[lane] = Some(Box::new(Exact { dense, before: None, row }));
    }

    fn input(&self, position: usize, lane: usize) -> Value {
        match self.types[position] {
            Type::Real => Value::Real(provoke_base::Rational::from(&Int::ZERO)),
            ty => self.read(self.code.places[NodeId::new(position)], lane, ty),
        }
    }

    /// Computes the next step of every run; it can be computed again with other inputs until
    /// it is taken.
    pub fn evaluate(&mut self) {
        (self.faulty, self.outside) = (0, 0);
        self.bits[fixed::NEVER as usize] = 0;
        self.bits[fixed::ALWAYS as usize] = !0;
        self.bits[fixed::LATER as usize] = !self.bits[fixed::FIRST as usize];
        if !self.code.exact {
            let trouble = lanes::run(&self.code.ops, &mut self.bits, &mut self.ints);
            let mut trouble = trouble & !self.abandoned;
            while trouble != 0 {
                let lane = trouble.trailing_zeros() as usize;
                trouble &= trouble - 1;
                if self.exact[lane].is_none() {
                    let state = self.state(lane);
                    self.make_exact(lane, &state);
                }
            }
        }
        for &assumption in &self.program.assumptions {
            if let Register::Bits(register) = self.code.places[assumption].register {
                let known = self.bits[self.code.places[assumption].known as usize];
                self.outside |= !self.bits[register as usize] & known;
            }
        }
        (0..LANES).for_each(|lane| self.evaluate_exactly(lane));
    }

    fn evaluate_exactly(&mut self, lane: usize) {
        let Some(mut exact) = self.exact[lane].take() else { return };
        if let Some(before) = exact.before.take() {
            exact.dense.restore(&before);
        }
        let before = exact.dense.state();
        let bit = 1 << lane;
        self.outside &= !bit;
        match exact.dense.step(&exact.row) {
            Err(_) => self.faulty |= bit,
            Ok(breaches) => {
                if breaches.iter().any(|breach| matches!(breach, Breach::Assumption(_))) {
                    self.outside |= bit;
                }
            }
        }
        for &(node, value, known) in self.truths.clone().iter() {
            let truth = exact.dense.cell(node).as_bool();
            if value >= fixed::COUNT {
                self.set_bit(value, lane, truth == Some(true));
            }
            if known >= fixed::COUNT {
                self.set_bit(known, lane, truth.is_some());
            }
        }
        exact.before = Some(before);
        self.exact[lane] = Some(exact);
    }

    /// Takes the step that was computed.
    pub fn take(&mut self) {
        for (memory, operand) in &self.code.slots {
            match (memory.register, operand.register) {
                (Register::Bits(to), Register::Bits(from)) => {
                    self.bits[to as usize] = self.bits[from as usize];
                }
                (Register::Ints(to), Register::Ints(from)) => {
                    self.ints[to as usize] = self.ints[from as usize];
                }
                _ => {}
            }
            if memory.known >= fixed::COUNT {
                self.bits[memory.known as usize] = self.bits[operand.known as usize];
            }
        }
        self.bits[fixed::FIRST as usize] = 0;
        self.steps.iter_mut().for_each(|steps| *steps += 1);
        for exact in self.exact.iter_mut().flatten() {
            exact.before = None;
        }
    }

    /// How many bits the longest number has that a run remembers after the last computed step; 0
    /// where all fit into a machine's.
    pub fn longest(&self, lane: usize) -> usize {
        let Some(exact) = &self.exact[lane] else { return 0 };
        let bits = |delay: &ProgramDelay| match exact.dense.cell(delay.operand) {
            CompactValue::Wide(value) => match &**value {
                Value::Int(number) => number.bits(),
                Value::Real(number) => number.bits(),
                _ => 0,
            },
            _ => 0,
        };
        self.program.delays().iter().map(bits).max().unwrap_or(0)
    }

    /// The runs whose last computed step had no result.
    pub fn faulty(&self) -> RunSet {
        self.faulty
    }

    /// The runs whose last computed step breaks an assumption.
    pub fn outside(&self) -> RunSet {
        self.outside
    }

    /// All words of the last computed step; [`Batch::truth`] tells which is which.
    pub fn words(&self) -> &[u64] {
        &self.bits
    }

    /// Where the words of a Boolean node are.
    pub fn truth(&self, node: NodeId) -> Option<Truth> {
        let place = self.code.places[node];
        match place.register {
            Register::Bits(value) => Some(Truth { value, known: place.known }),
            _ => None,
        }
    }

    /// The runs in which two nodes of the same type are known to differ.
    pub fn differ(&self, one: NodeId, other: NodeId) -> RunSet {
        let (a, b) = (self.code.places[one], self.code.places[other]);
        let known = self.bits[a.known as usize] & self.bits[b.known as usize];
        let mut differ = known
            & match (a.register, b.register) {
                (Register::Bits(a), Register::Bits(b)) => {
                    self.bits[a as usize] ^ self.bits[b as usize]
                }
                (Register::Ints(a), Register::Ints(b)) => {
                    lanes::differ(&self.ints[a as usize], &self.ints[b as usize])
                }
                _ => 0,
            };
        for (lane, exact) in self.exact.iter().enumerate() {
            if let Some(exact) = exact {
                let differs = exact.dense.cell(one).certainly_differs(exact.dense.cell(other));
                differ = differ & !(1 << lane) | u64::from(differs) << lane;
            }
        }
        differ
    }

    /// The runs in which a node is known to differ from what it is in the run `lane`.
    pub fn differ_from(&self, node: NodeId, lane: usize) -> RunSet {
        let place = self.code.places[node];
        let spread = |word: u64| 0_u64.wrapping_sub(word >> lane & 1);
        let known = self.bits[place.known as usize];
        let mut differ = known
            & spread(known)
            & match place.register {
                Register::Bits(register) => {
                    let word = self.bits[register as usize];
                    word ^ spread(word)
                }
                Register::Ints(register) => {
                    let ints = &self.ints[register as usize];
                    lanes::differ(ints, &everywhere(ints[lane]))
                }
                Register::None => 0,
            };
        if self.exact.iter().all(Option::is_none) {
            return differ;
        }
        let one = self.cell(node, lane);
        for other in
            (0..LANES).filter(|other| self.exact[lane].is_some() || self.exact[*other].is_some())
        {
            let differs = self.cell(node, other).certainly_differs(&one);
            differ = differ & !(1 << other) | u64::from(differs) << other;
        }
        differ
    }

    /// The value of a node in the last computed step of a run.
    pub fn cell(&self, node: NodeId, lane: usize) -> CompactValue {
        if let Some(exact) = &self.exact[lane] {
            return exact.dense.cell(node).clone();
        }
        let place = self.code.places[node];
        if self.bits[place.known as usize] >> lane & 1 == 0 {
            return CompactValue::Unknown;
        }
        match place.register {
            Register::Bits(register) => {
                CompactValue::Bool(self.bits[register as usize] >> lane & 1 != 0)
            }
            Register::Ints(register) if self.code.enums[node] => {
                CompactValue::Enum(self.ints[register as usize][lane] as u32)
            }
            Register::Ints(register) => CompactValue::Int(self.ints[register as usize][lane]),
            Register::None => CompactValue::Unknown,
        }
    }

    fn set_bit(&mut self, register: BitReg, lane: usize, value: bool) {
        let word = &mut self.bits[register as usize];
        *word = *word & !(1 << lane) | u64::from(value) << lane;
    }

    fn write(&mut self, place: Place, lane: usize, value: &Value) {
        match (place.register, value) {
            (Register::Bits(register), Value::Bool(value)) => {
                self.set_bit(register, lane, *value);
            }
            (Register::Ints(register), Value::Int(Int::Small(number))) => {
                self.ints[register as usize][lane] = *number;
            }
            (Register::Ints(register), Value::Enum(ordinal)) => {
                self.ints[register as usize][lane] = i64::from(*ordinal);
            }
            _ => {}
        }
        if place.known >= fixed::COUNT {
            self.set_bit(place.known, lane, value.is_known());
        }
    }

    /// What a place holds between two steps.
    fn read(&self, place: Place, lane: usize, ty: Type) -> Value {
        let known = match place.known {
            fixed::LATER => self.steps[lane] > 0,
            register => self.bits[register as usize] >> lane & 1 != 0,
        };
        match place.register {
            _ if !known => Value::Unknown,
            Register::Bits(register) => Value::Bool(self.bits[register as usize] >> lane & 1 != 0),
            Register::Ints(register) => {
                let number = self.ints[register as usize][lane];
                match ty {
                    Type::Enum(_) => Value::Enum(number as u32),
                    _ => Value::Int(Int::Small(number)),
                }
            }
            Register::None => Value::Unknown,
        }
    }
}

fn fits(value: &Value) -> bool {
    matches!(value, Value::Int(Int::Small(_)) | Value::Bool(_) | Value::Enum(_))
}
