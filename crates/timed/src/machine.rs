//! What expressions and statements do: written once, for zones and for simulation.

use provoke_base::{Random, Span};

use crate::network::{
    Argument, Base, CellKind, ClockRef, Comparison, Condition, Draw, Expr, Function, Index, IntOp,
    Math, Network, Number, Place, Stmt, Subscript,
};

use crate::parse::{RED_ZONE, STACK};

/// Why a computation has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What happened.
    pub message: String,
    /// Where it is written.
    pub span: Span,
}

impl Fault {
    fn new(span: Span, message: impl Into<String>) -> Fault {
        Fault { message: message.into(), span }
    }
}

/// The result of a computation.
pub type Computed<T> = Result<T, Fault>;

/// A computation takes no more steps than this; what takes longer has most likely no end.
const MAX_STEPS: u32 = 2_000_000;

/// More calls inside each other are refused.
const MAX_CALLS: u32 = 100;

/// More words for the variables of functions are refused.
const MAX_WORDS: usize = 1 << 20;

/// The bits that tell where an address points.
const FRAME: i64 = 1 << 40;
const CONSTANT: i64 = 1 << 41;

/// Computes over one state. It is kept from state to state, since it owns memory.
pub struct Machine<'n> {
    network: &'n Network,
    /// The variables.
    pub cells: Vec<i64>,
    /// Where each process is.
    pub locations: Vec<u32>,
    /// The clocks, in simulation; empty for zones.
    pub clocks: Vec<f64>,
    /// Clocks set by the statements, in order.
    pub resets: Vec<(u32, f64)>,
    /// Where chance comes from, in simulation.
    pub random: Random,
    words: Vec<i64>,
    /// Where the words of the running function start and end.
    base: usize,
    end: usize,
    steps: u32,
    calls: u32,
}

enum Flow {
    On,
    Break,
    Continue,
    Return(i64),
}

impl<'n> Machine<'n> {
    /// A machine in the initial state.
    pub fn new(network: &'n Network) -> Machine<'n> {
        Machine {
            network,
            cells: network.cells.iter().map(|cell| cell.initial).collect(),
            locations: network.processes.iter().map(|p| p.initial as u32).collect(),
            clocks: Vec::new(),
            resets: Vec::new(),
            random: Random::new(0),
            words: Vec::new(),
            base: 0,
            end: 0,
            steps: 0,
            calls: 0,
        }
    }

    /// An integer, from the beginning of a computation.
    pub fn value(&mut self, expr: &Expr) -> Computed<i64> {
        if let Expr::Int(value) = expr {
            return Ok(*value);
        }
        self.restart();
        self.int(expr)
    }

    /// A floating-point number, from the beginning of a computation.
    pub fn number_value(&mut self, number: &Number) -> Computed<f64> {
        self.restart();
        self.number(number)
    }

    /// Does statements, from the beginning of a computation.
    pub fn perform(&mut self, statements: &[Stmt]) -> Computed<()> {
        self.restart();
        self.run(statements).map(drop)
    }

    /// The position of an element.
    pub fn position(&mut self, index: &Index) -> Computed<usize> {
        match index {
            Index::At(position) => Ok(*position),
            Index::Computed(subscripts) => {
                self.restart();
                self.computed(subscripts)
            }
        }
    }

    /// Which clock is meant.
    pub fn clock(&mut self, clock: &ClockRef) -> Computed<u32> {
        let position = match &clock.index {
            Index::At(position) => *position,
            Index::Computed(subscripts) => self.computed(subscripts)?,
        };
        Ok(match clock.first {
            Ok(first) => first + position as u32,
            Err(slot) => self.words[self.base + slot as usize] as u32 + position as u32,
        })
    }

    fn restart(&mut self) {
        self.steps = 0;
        self.calls = 0;
        self.base = 0;
        self.end = 0;
    }

    fn tick(&mut self, span: Span) -> Computed<()> {
        self.steps += 1;
        if self.steps > MAX_STEPS {
            return Err(Fault::new(span, format!("no end after {MAX_STEPS} steps")));
        }
        Ok(())
    }

    fn computed(&mut self, subscripts: &[Subscript]) -> Computed<usize> {
        let mut position = 0;
        for subscript in subscripts {
            let index = self.int(&subscript.index)?;
            let from_first = index - subscript.low;
            if from_first < 0 || from_first >= subscript.count {
                let last = subscript.low + subscript.count - 1;
                let message = format!("index {index} is outside {}..{last}", subscript.low);
                return Err(Fault::new(subscript.span, message));
            }
            position += from_first * subscript.stride;
        }
        Ok(position as usize)
    }

    fn address(&mut self, place: &Place) -> Computed<i64> {
        let position = match &place.index {
            Index::At(position) => *position as i64,
            Index::Computed(subscripts) => self.computed(subscripts)? as i64,
        };
        Ok(position
            + match place.base {
                Base::Cell(first) => i64::from(first),
                Base::Constant(first) => i64::from(first) | CONSTANT,
                Base::Frame(first) => (self.base as i64 + i64::from(first)) | FRAME,
                Base::Through(slot) => self.words[self.base + slot as usize],
            })
    }

    fn load_address(&self, address: i64) -> i64 {
        if address & FRAME != 0 {
            self.words[(address & !FRAME) as usize]
        } else if address & CONSTANT != 0 {
            self.network.constants[(address & !CONSTANT) as usize]
        } else {
            self.cells[address as usize]
        }
    }

    fn load(&mut self, place: &Place) -> Computed<i64> {
        if let (Base::Cell(first), Index::At(position)) = (place.base, &place.index) {
            return Ok(self.cells[first as usize + position]);
        }
        let address = self.address(place)?;
        Ok(self.load_address(address))
    }

    fn store(&mut self, place: &Place, value: i64) -> Computed<()> {
        let fits = match place.kind {
            CellKind::Bool => value == 0 || value == 1,
            CellKind::Int(low, high) => low <= value && value <= high,
            CellKind::Double => true,
        };
        if !fits {
            let (low, high) = match place.kind {
                CellKind::Int(low, high) => (low, high),
                _ => (0, 1),
            };
            let message = format!("the value {value} is outside [{low},{high}]");
            return Err(Fault::new(place.span, message));
        }
        let address = self.address(place)?;
        self.store_address(address, value);
        Ok(())
    }

    fn store_address(&mut self, address: i64, value: i64) {
        if address & FRAME != 0 {
            self.words[(address & !FRAME) as usize] = value;
        } else {
            self.cells[address as usize] = value;
        }
    }

    fn truth(&mut self, expr: &Expr) -> Computed<bool> {
        Ok(self.int(expr)? != 0)
    }

    fn int(&mut self, expr: &Expr) -> Computed<i64> {
        Ok(match expr {
            Expr::Int(value) => *value,
            Expr::Load(place) => self.load(place)?,
            Expr::At(process, location) => {
                i64::from(self.locations[*process as usize] == *location)
            }
            Expr::Not(inside) => i64::from(self.int(inside)? == 0),
            Expr::Minus(inside) => -self.int(inside)?,
            Expr::Binary(operator, operands, span) => {
                let left = self.int(&operands.0)?;
                let right = self.int(&operands.1)?;
                binary(*operator, left, right, *span)?
            }
            Expr::And(parts) => {
                for part in parts {
                    if self.int(part)? == 0 {
                        return Ok(0);
                    }
                }
                1
            }
            Expr::Or(parts) => {
                for part in parts {
                    if self.int(part)? != 0 {
                        return Ok(1);
                    }
                }
                0
            }
            Expr::Choice(parts) => {
                if self.truth(&parts.0)? {
                    self.int(&parts.1)?
                } else {
                    self.int(&parts.2)?
                }
            }
            Expr::Call(function, arguments, span) => self.call(*function, arguments, *span)?,
            Expr::Store(place, value) => {
                let value = self.int(value)?;
                self.store(place, value)?;
                value
            }
            Expr::Step(place, by, old) => {
                let value = self.load(place)?;
                self.store(place, value + by)?;
                if *old { value } else { value + by }
            }
            Expr::SameWords(places, count) => {
                let (a, b) = (self.address(&places.0)?, self.address(&places.1)?);
                let same =
                    |i| self.load_address(a + i64::from(i)) == self.load_address(b + i64::from(i));
                i64::from((0..*count).all(same))
            }
            Expr::Compare(comparison, operands) => {
                let left = self.number(&operands.0)?;
                let right = self.number(&operands.1)?;
                i64::from(compare(*comparison, left, right))
            }
            Expr::Truncate(number) => self.number(number)?.trunc() as i32 as i64,
            Expr::Holds(condition) => i64::from(self.holds(condition)?),
        })
    }

    /// Whether a condition holds with the clocks at hand; only in simulation.
    pub fn holds(&mut self, condition: &Condition) -> Computed<bool> {
        Ok(match condition {
            Condition::Int(expr) => self.truth(expr)?,
            Condition::Clock(bound) => {
                let mut difference = 0.0;
                if let Some(clock) = &bound.left {
                    let clock = self.clock(clock)? as usize;
                    difference += self.clocks[clock];
                }
                if let Some(clock) = &bound.right {
                    let clock = self.clock(clock)? as usize;
                    difference -= self.clocks[clock];
                }
                let limit = self.int(&bound.bound)? as f64;
                compare(bound.comparison, difference, limit)
            }
            Condition::Number(comparison, operands) => {
                compare(*comparison, self.number(&operands.0)?, self.number(&operands.1)?)
            }
            Condition::And(parts) => {
                for part in parts {
                    if !self.holds(part)? {
                        return Ok(false);
                    }
                }
                true
            }
            Condition::Or(parts) => {
                for part in parts {
                    if self.holds(part)? {
                        return Ok(true);
                    }
                }
                false
            }
            // Queries with deadlocks are for zones; the front end says so.
            Condition::Deadlock(_) => false,
        })
    }

    fn number(&mut self, number: &Number) -> Computed<f64> {
        Ok(match number {
            Number::Value(value) => *value,
            Number::Int(expr) => self.int(expr)? as f64,
            Number::Load(place) => f64::from_bits(self.load(place)? as u64),
            Number::Clock(clock) => {
                let clock = self.clock(clock)?;
                self.clocks.get(clock as usize).copied().unwrap_or(0.0)
            }
            Number::Binary(operator, operands) => {
                let (left, right) = (self.number(&operands.0)?, self.number(&operands.1)?);
                match operator {
                    IntOp::Add => left + right,
                    IntOp::Sub => left - right,
                    IntOp::Mul => left * right,
                    IntOp::Div => left / right,
                    IntOp::Min => left.min(right),
                    IntOp::Max => left.max(right),
                    IntOp::Mod => left % right,
                    _ => left.powf(right),
                }
            }
            Number::Choice(parts) => {
                if self.truth(&parts.0)? {
                    self.number(&parts.1)?
                } else {
                    self.number(&parts.2)?
                }
            }
            Number::Call(function, arguments, span) => {
                f64::from_bits(self.call(*function, arguments, *span)? as u64)
            }
            Number::Store(place, value) => {
                let value = self.number(value)?;
                self.store(place, value.to_bits() as i64)?;
                value
            }
            Number::Math(function, arguments) => self.math(*function, arguments)?,
            Number::Random(draw, arguments) => self.draw(*draw, arguments)?,
        })
    }

    fn math(&mut self, function: Math, arguments: &[Number]) -> Computed<f64> {
        let x = self.number(&arguments[0])?;
        let y = match arguments.get(1) {
            Some(second) => self.number(second)?,
            None => 0.0,
        };
        Ok(match function {
            Math::Abs => x.abs(),
            Math::Sqrt => x.sqrt(),
            Math::Exp => x.exp(),
            Math::Ln => x.ln(),
            Math::Log10 => x.log10(),
            Math::Sin => x.sin(),
            Math::Cos => x.cos(),
            Math::Tan => x.tan(),
            Math::Floor => x.floor(),
            Math::Ceil => x.ceil(),
            Math::Round => x.round(),
            Math::Trunc => x.trunc(),
            Math::Pow => x.powf(y),
            Math::Min => x.min(y),
            Math::Max => x.max(y),
        })
    }

    fn draw(&mut self, draw: Draw, arguments: &[Number]) -> Computed<f64> {
        let x = self.number(&arguments[0])?;
        let y = match arguments.get(1) {
            Some(second) => self.number(second)?,
            None => 0.0,
        };
        Ok(match draw {
            Draw::Uniform => x * self.unit(),
            Draw::Exponential => -(1.0 - self.unit()).ln() / x,
            Draw::Normal => {
                // Box and Muller's transformation of two uniform numbers.
                let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
                x + y * radius * (std::f64::consts::TAU * self.unit()).cos()
            }
            Draw::Poisson => {
                let (limit, mut product, mut count) = ((-x.min(700.0)).exp(), self.unit(), 0.0);
                while product > limit {
                    product *= self.unit();
                    count += 1.0;
                }
                count
            }
        })
    }

    /// A number from 0 up to, not including, 1.
    pub fn unit(&mut self) -> f64 {
        (self.random.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn call(&mut self, function: u32, arguments: &[Argument], span: Span) -> Computed<i64> {
        let network = self.network;
        let function = &network.functions[function as usize];
        let (caller, first) = (self.base, self.end);
        let end = first + function.words as usize;
        if self.calls >= MAX_CALLS || end > MAX_WORDS {
            return Err(Fault::new(span, "too many calls inside each other"));
        }
        self.words.resize(self.words.len().max(end), 0);
        self.calls += 1;
        self.tick(span)?;
        // Arguments are computed over the caller's words; calls in them stand behind the new ones.
        self.end = end;
        for (slot, argument) in function.parameters.iter().zip(arguments) {
            self.pass(first + *slot as usize, argument)?;
        }
        self.base = first;
        let flow = stacker::maybe_grow(RED_ZONE, STACK, || self.run(&function.body));
        (self.base, self.end) = (caller, first);
        self.calls -= 1;
        match flow? {
            Flow::Return(value) => within(function, value),
            _ if function.result.is_some() => {
                Err(Fault::new(function.span, format!("`{}` ends without `return`", function.name)))
            }
            _ => Ok(0),
        }
    }

    fn pass(&mut self, slot: usize, argument: &Argument) -> Computed<()> {
        self.words[slot] = match argument {
            Argument::Int(expr) => self.int(expr)?,
            Argument::Number(number) => self.number(number)?.to_bits() as i64,
            Argument::Reference(place) => self.address(place)?,
            Argument::Clock(clock) => i64::from(self.clock(clock)?),
            Argument::Words(place, count) => {
                let address = self.address(place)?;
                for word in 0..*count as usize {
                    self.words[slot + word] = self.load_address(address + word as i64);
                }
                return Ok(());
            }
        };
        Ok(())
    }

    fn run(&mut self, statements: &[Stmt]) -> Computed<Flow> {
        for statement in statements {
            match self.statement(statement)? {
                Flow::On => {}
                other => return Ok(other),
            }
        }
        Ok(Flow::On)
    }

    fn statement(&mut self, statement: &Stmt) -> Computed<Flow> {
        match statement {
            Stmt::Do(expr) => drop(self.int(expr)?),
            Stmt::DoNumber(number) => drop(self.number(number)?),
            Stmt::Copy(places, count) => {
                let (to, from) = (self.address(&places.0)?, self.address(&places.1)?);
                let words: Vec<i64> =
                    (0..*count).map(|i| self.load_address(from + i64::from(i))).collect();
                for (i, word) in words.into_iter().enumerate() {
                    self.store_address(to + i as i64, word);
                }
            }
            Stmt::Clear(first, count) => {
                let start = self.base + *first as usize;
                self.words[start..start + *count as usize].fill(0);
            }
            Stmt::Reset(clock, value) => {
                let clock = self.clock(clock)?;
                let value = self.int(value)?;
                self.reset(clock, value as f64);
            }
            Stmt::ResetNumber(clock, value) => {
                let clock = self.clock(clock)?;
                let value = self.number(value)?;
                self.reset(clock, value);
            }
            Stmt::While(condition, body, step) => return self.repeat(condition, body, step),
            Stmt::DoWhile(body, condition) => loop {
                match self.run(body)? {
                    Flow::Break => break,
                    Flow::Return(value) => return Ok(Flow::Return(value)),
                    Flow::On | Flow::Continue => {}
                }
                self.tick(Span::default())?;
                if !self.truth(condition)? {
                    break;
                }
            },
            Stmt::If(condition, then, otherwise) => {
                let chosen = if self.truth(condition)? { then } else { otherwise };
                return self.run(chosen);
            }
            Stmt::Return(value) => {
                return Ok(Flow::Return(match value {
                    Some(value) => self.int(value)?,
                    None => 0,
                }));
            }
            Stmt::ReturnNumber(value) => {
                return Ok(Flow::Return(self.number(value)?.to_bits() as i64));
            }
            Stmt::Break => return Ok(Flow::Break),
            Stmt::Continue => return Ok(Flow::Continue),
        }
        Ok(Flow::On)
    }

    fn reset(&mut self, clock: u32, value: f64) {
        self.resets.push((clock, value));
        if let Some(known) = self.clocks.get_mut(clock as usize) {
            *known = value;
        }
    }

    fn repeat(&mut self, condition: &Expr, body: &[Stmt], step: &[Stmt]) -> Computed<Flow> {
        while self.truth(condition)? {
            match self.run(body)? {
                Flow::Break => break,
                Flow::Return(value) => return Ok(Flow::Return(value)),
                Flow::On | Flow::Continue => {}
            }
            self.run(step)?;
            self.tick(Span::default())?;
        }
        Ok(Flow::On)
    }
}

fn within(function: &Function, value: i64) -> Computed<i64> {
    match function.result {
        Some(CellKind::Int(low, high)) if !(low..=high).contains(&value) => {
            let name = &function.name;
            let message = format!("`{name}` returns {value}, which is outside [{low},{high}]");
            Err(Fault::new(function.span, message))
        }
        _ => Ok(value),
    }
}

/// Values stay within 32 bits, so 64 bits are enough to see that a result does not.
pub(crate) fn binary(operator: IntOp, a: i64, b: i64, span: Span) -> Computed<i64> {
    let zero = |what: &str| Fault::new(span, format!("{what} by zero"));
    let result = match operator {
        IntOp::Add => a + b,
        IntOp::Sub => a - b,
        IntOp::Mul => a * b,
        IntOp::Div => a.checked_div(b).ok_or_else(|| zero("division"))?,
        IntOp::Mod => a.checked_rem(b).ok_or_else(|| zero("remainder of a division"))?,
        IntOp::Min => a.min(b),
        IntOp::Max => a.max(b),
        IntOp::BitAnd => a & b,
        IntOp::BitOr => a | b,
        IntOp::BitXor => a ^ b,
        IntOp::ShiftLeft | IntOp::ShiftRight if !(0..32).contains(&b) => {
            return Err(Fault::new(span, format!("a shift by {b} bits")));
        }
        IntOp::ShiftLeft => a << b,
        IntOp::ShiftRight => a >> b,
        IntOp::Pow => u32::try_from(b).ok().and_then(|b| a.checked_pow(b)).unwrap_or(i64::MAX),
        IntOp::Eq => i64::from(a == b),
        IntOp::Ne => i64::from(a != b),
        IntOp::Lt => i64::from(a < b),
        IntOp::Le => i64::from(a <= b),
    };
    if i32::try_from(result).is_err() && result != i64::from(i32::MAX) + 1 {
        return Err(Fault::new(span, format!("the result {result} does not fit an int")));
    }
    Ok(result)
}

/// Compares two numbers.
pub fn compare(comparison: Comparison, left: f64, right: f64) -> bool {
    match comparison {
        Comparison::Lt => left < right,
        Comparison::Le => left <= right,
        Comparison::Eq => left == right,
        Comparison::Ne => left != right,
        Comparison::Ge => left >= right,
        Comparison::Gt => left > right,
    }
}
