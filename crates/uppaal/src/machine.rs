//! What expressions and statements do: written once, for zones and for simulation. Integers are
//! here, statements and numbers beside it.

mod number;
mod statement;

use provoke_base::{Random, Span};

use crate::network::{
    Address, Base, CellKind, ClockComparison, ClockRef, Index, IntOp, Network, NetworkExpr, Number,
    Subscript,
};

/// Why a computation has no result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetworkFault {
    /// What happened.
    pub message: String,
    /// Where it is written.
    pub span: Span,
}

impl NetworkFault {
    /// What happened, and where it is written.
    #[cold]
    pub fn new(span: Span, message: impl Into<String>) -> Box<NetworkFault> {
        Box::new(NetworkFault { message: message.into(), span })
    }
}

/// The result of a computation. Faults are rare and may be slow; results are small.
pub type Computed<T> = Result<T, Box<NetworkFault>>;

/// A computation takes no more steps than this; what takes longer has most likely no end.
const MAX_STEPS: u32 = 2_000_000;

/// The bits that tell where an address points.
const FRAME: i64 = 1 << 40;
const CONSTANT: i64 = 1 << 41;

/// Computes over one state. It is kept from state to state, since it owns memory.
pub struct NetworkMachine<'n> {
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

impl<'n> NetworkMachine<'n> {
    /// A machine in the initial state.
    pub fn new(network: &'n Network) -> NetworkMachine<'n> {
        NetworkMachine {
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
    pub fn value(&mut self, expr: &NetworkExpr) -> Computed<i64> {
        if let NetworkExpr::Int(value) = expr {
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
            return Err(NetworkFault::new(span, format!("no end after {MAX_STEPS} steps")));
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
                return Err(NetworkFault::new(subscript.span, message));
            }
            position += from_first * subscript.stride;
        }
        Ok(position as usize)
    }

    fn address(&mut self, place: &Address) -> Computed<i64> {
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

    fn load(&mut self, place: &Address) -> Computed<i64> {
        if let (Base::Cell(first), Index::At(position)) = (place.base, &place.index) {
            return Ok(self.cells[first as usize + position]);
        }
        let address = self.address(place)?;
        Ok(self.load_address(address))
    }

    fn store(&mut self, place: &Address, value: i64) -> Computed<()> {
        let fits = match place.kind {
            CellKind::Bool => value == 0 || value == 1,
            CellKind::Int(low, high) => low <= value && value <= high,
            CellKind::Double => true,
        };
        if !fits {
            return Err(outside(place, value));
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

    fn truth(&mut self, expr: &NetworkExpr) -> Computed<bool> {
        Ok(self.int(expr)? != 0)
    }

    #[inline(always)]
    fn int(&mut self, expr: &NetworkExpr) -> Computed<i64> {
        match expr {
            NetworkExpr::Int(value) => Ok(*value),
            NetworkExpr::At(process, location) => {
                Ok(i64::from(self.locations[*process as usize] == *location))
            }
            NetworkExpr::Load(place) => self.load(place),
            _ => self.composed(expr),
        }
    }

    fn composed(&mut self, expr: &NetworkExpr) -> Computed<i64> {
        Ok(match expr {
            NetworkExpr::Not(inside) => i64::from(self.int(inside)? == 0),
            NetworkExpr::Binary(operator, operands, span) => {
                let left = self.int(&operands.0)?;
                let right = self.int(&operands.1)?;
                binary(*operator, left, right, *span)?
            }
            NetworkExpr::And(parts) => {
                for part in parts {
                    if self.int(part)? == 0 {
                        return Ok(0);
                    }
                }
                1
            }
            NetworkExpr::Or(parts) => {
                for part in parts {
                    if self.int(part)? != 0 {
                        return Ok(1);
                    }
                }
                0
            }
            NetworkExpr::Store(place, value) => {
                let value = self.int(value)?;
                self.store(place, value)?;
                value
            }
            _ => self.seldom(expr)?,
        })
    }

    /// Apart from the others, so that these are short.
    #[inline(never)]
    fn seldom(&mut self, expr: &NetworkExpr) -> Computed<i64> {
        Ok(match expr {
            NetworkExpr::Minus(inside) => -self.int(inside)?,
            NetworkExpr::Choice(parts) => {
                if self.truth(&parts.0)? {
                    self.int(&parts.1)?
                } else {
                    self.int(&parts.2)?
                }
            }
            NetworkExpr::Call(function, arguments, span) => {
                self.call(*function, arguments, *span)?
            }
            NetworkExpr::Step(place, by, old) => {
                let value = self.load(place)?;
                self.store(place, value + by)?;
                if *old { value } else { value + by }
            }
            NetworkExpr::SameWords(places, count) => {
                let (a, b) = (self.address(&places.0)?, self.address(&places.1)?);
                let same =
                    |i| self.load_address(a + i64::from(i)) == self.load_address(b + i64::from(i));
                i64::from((0..*count).all(same))
            }
            NetworkExpr::Compare(comparison, operands) => {
                let left = self.number(&operands.0)?;
                let right = self.number(&operands.1)?;
                i64::from(compare(*comparison, left, right))
            }
            NetworkExpr::Truncate(number) => self.number(number)?.trunc() as i32 as i64,
            NetworkExpr::Holds(condition) => i64::from(self.holds(condition)?),
            _ => unreachable!("met before"),
        })
    }
}

#[cold]
fn outside(place: &Address, value: i64) -> Box<NetworkFault> {
    let (low, high) = match place.kind {
        CellKind::Int(low, high) => (low, high),
        _ => (0, 1),
    };
    NetworkFault::new(place.span, format!("the value {value} is outside [{low},{high}]"))
}

/// Values stay within 32 bits, so 64 bits are enough to see that a result does not.
pub(crate) fn binary(operator: IntOp, a: i64, b: i64, span: Span) -> Computed<i64> {
    let zero = |what: &str| NetworkFault::new(span, format!("{what} by zero"));
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
            return Err(NetworkFault::new(span, format!("a shift by {b} bits")));
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
        return Err(NetworkFault::new(span, format!("the result {result} does not fit an int")));
    }
    Ok(result)
}

/// Compares two numbers.
pub fn compare(comparison: ClockComparison, left: f64, right: f64) -> bool {
    match comparison {
        ClockComparison::Lt => left < right,
        ClockComparison::Le => left <= right,
        ClockComparison::Eq => left == right,
        ClockComparison::Ne => left != right,
        ClockComparison::Ge => left >= right,
        ClockComparison::Gt => left > right,
    }
}
