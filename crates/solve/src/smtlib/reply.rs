//! What a solver says, as nested lists of words.

use std::io::{self, BufRead};

use provoke_base::{Int, Rational};
use provoke_model::Value;

use crate::term::Sort;

/// The deepest list that is read: values need three levels, and a list is taken apart by recursion.
const MAX_DEPTH: usize = 1000;

/// A word or a list.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Reply {
    Atom(String),
    List(Vec<Reply>),
}

impl Reply {
    /// The next reply; `None` at the end of the input.
    pub(super) fn read(input: &mut impl BufRead) -> io::Result<Option<Reply>> {
        let mut open: Vec<Vec<Reply>> = Vec::new();
        while let Some(byte) = next_byte(input)? {
            let done = match byte {
                b'(' if open.len() == MAX_DEPTH => return Err(io::ErrorKind::InvalidData.into()),
                b'(' => {
                    open.push(Vec::new());
                    continue;
                }
                b')' => Reply::List(open.pop().ok_or(io::ErrorKind::InvalidData)?),
                b'"' => Reply::Atom(quoted(input)?),
                byte if byte.is_ascii_whitespace() => continue,
                byte => Reply::Atom(word(byte, input)?),
            };
            match open.last_mut() {
                Some(list) => list.push(done),
                None => return Ok(Some(done)),
            }
        }
        Ok(None)
    }

    /// The word, if it is one.
    pub(super) fn as_atom(&self) -> Option<&str> {
        match self {
            Reply::Atom(word) => Some(word),
            Reply::List(_) => None,
        }
    }

    /// The elements, none if it is a word.
    pub(super) fn items(&self) -> &[Reply] {
        match self {
            Reply::Atom(_) => &[],
            Reply::List(items) => items,
        }
    }

    /// The message of `(error "...")`.
    pub(super) fn error(&self) -> Option<String> {
        match self.items() {
            [Reply::Atom(error), Reply::Atom(message)] if error == "error" => Some(message.clone()),
            _ => None,
        }
    }

    /// The value of this sort that it stands for; none if it is a decimal and those are not
    /// exact.
    pub(super) fn value(&self, sort: Sort, decimals_are_exact: bool) -> Option<Value> {
        match (sort, self) {
            (Sort::Bool, Reply::Atom(word)) => word.parse().ok().map(Value::Bool),
            (Sort::Bool, Reply::List(_)) => None,
            (Sort::Int, _) => {
                let (numerator, denominator) = self.number(decimals_are_exact)?.parts();
                (denominator == Int::from(1)).then_some(Value::Int(numerator))
            }
            (Sort::Real, _) => self.number(decimals_are_exact).map(Value::Real),
        }
    }

    fn number(&self, decimals_are_exact: bool) -> Option<Rational> {
        let number = |reply: &Reply| reply.number(decimals_are_exact);
        match self {
            Reply::Atom(word) if word.contains('.') && !decimals_are_exact => None,
            Reply::Atom(word) => Rational::parse(word),
            Reply::List(items) => match items.as_slice() {
                [Reply::Atom(minus), a] if minus == "-" => Some(number(a)?.neg()),
                [Reply::Atom(over), a, b] if over == "/" => number(a)?.div(&number(b)?),
                _ => None,
            },
        }
    }
}

fn next_byte(input: &mut impl BufRead) -> io::Result<Option<u8>> {
    let next = input.fill_buf()?.first().copied();
    if next.is_some() {
        input.consume(1);
    }
    Ok(next)
}

/// The rest of a string, in which `""` stands for one quotation mark.
fn quoted(input: &mut impl BufRead) -> io::Result<String> {
    let mut bytes = Vec::new();
    loop {
        match next_byte(input)?.ok_or(io::ErrorKind::UnexpectedEof)? {
            b'"' => match input.fill_buf()?.first() {
                Some(b'"') => {
                    input.consume(1);
                    bytes.push(b'"');
                }
                _ => return Ok(String::from_utf8_lossy(&bytes).into_owned()),
            },
            byte => bytes.push(byte),
        }
    }
}

fn word(first: u8, input: &mut impl BufRead) -> io::Result<String> {
    let mut bytes = vec![first];
    while let Some(&byte) = input.fill_buf()?.first() {
        if byte.is_ascii_whitespace() || matches!(byte, b'(' | b')' | b'"') {
            break;
        }
        input.consume(1);
        bytes.push(byte);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Reply {
        Reply::read(&mut text.as_bytes()).unwrap().unwrap()
    }

    #[test]
    fn numbers_are_read_in_every_notation() {
        let real = |text, exact| {
            read(text).value(Sort::Real, exact).map(|value| match value {
                Value::Real(real) => real.to_string(),
                _ => panic!("no real: {value:?}"),
            })
        };
        for text in ["(/ (- 1) 3)", "(- (/ 1 3))", "(- (/ 1.0 3.0))", "-1/3"] {
            assert_eq!(real(text, true).as_deref(), Some("-1/3"), "{text}");
        }
        assert_eq!(real("1.50", true).as_deref(), Some("3/2"));
        assert_eq!(real("-1.414214", false), None);
        assert_eq!(read("(- 5)").value(Sort::Int, true), Some(Value::from(-5)));
        assert_eq!(read("(/ 1 2)").value(Sort::Int, true), None);
        assert_eq!(read("true").value(Sort::Bool, true), Some(Value::Bool(true)));
    }

    #[test]
    fn replies_follow_one_another() {
        let mut input = "sat\n((a \"x\"\"(\") (b\n2)) (error \"no\")".as_bytes();
        assert_eq!(Reply::read(&mut input).unwrap().unwrap().as_atom(), Some("sat"));
        let list = Reply::read(&mut input).unwrap().unwrap();
        assert_eq!(list.items()[0].items()[1].as_atom(), Some("x\"("));
        assert_eq!(list.items()[1].items()[1].as_atom(), Some("2"));
        assert_eq!(Reply::read(&mut input).unwrap().unwrap().error().as_deref(), Some("no"));
        assert_eq!(Reply::read(&mut input).unwrap(), None);
        assert!(Reply::read(&mut ")".as_bytes()).is_err());
    }

    #[test]
    fn a_list_that_is_too_deep_is_refused() {
        let nested = |depth: usize| "(".repeat(depth) + &")".repeat(depth);
        assert!(Reply::read(&mut nested(MAX_DEPTH).as_bytes()).is_ok());
        assert!(Reply::read(&mut nested(1_000_000).as_bytes()).is_err());
    }
}
