//! Statements and calls of functions.

use provoke_base::Span;

use super::{Computed, NetworkFault, NetworkMachine};
use crate::network::{Argument, CellKind, Function, NetworkExpr, Stmt};
use crate::parse::{RED_ZONE, STACK};

/// More calls inside each other are refused.
const MAX_CALLS: u32 = 100;

/// More words for the variables of functions are refused.
const MAX_WORDS: usize = 1 << 20;

enum Flow {
    On,
    Break,
    Continue,
    Return(i64),
}

impl NetworkMachine<'_> {
    /// Does statements, from the beginning of a computation.
    pub fn perform(&mut self, statements: &[Stmt]) -> Computed<()> {
        self.restart();
        self.run(statements).map(drop)
    }

    pub(super) fn call(
        &mut self,
        function: u32,
        arguments: &[Argument],
        span: Span,
    ) -> Computed<i64> {
        let network = self.network;
        let function = &network.functions[function as usize];
        let (caller, first) = (self.base, self.end);
        let end = first + function.words as usize;
        if self.calls >= MAX_CALLS || end > MAX_WORDS {
            return Err(NetworkFault::new(span, "too many calls inside each other"));
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
            _ if function.result.is_some() => Err(NetworkFault::new(
                function.span,
                format!("`{}` ends without `return`", function.name),
            )),
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

    fn repeat(&mut self, condition: &NetworkExpr, body: &[Stmt], step: &[Stmt]) -> Computed<Flow> {
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
            Err(NetworkFault::new(function.span, message))
        }
        _ => Ok(value),
    }
}
