//! Expressions: Lustre with all its parentheses and variables in backquotes.

use provoke_base::{IndexVec, Int, Rational};
use provoke_model::{BinaryOp, UnaryOp};
use rustc_hash::FxHashMap;

use super::{Node, Term, short};

/// The deepest text that is read, and the deepest expression that shared ones add up to.
const MAX_DEPTH: u32 = 20_000;
/// The longest number, in characters.
const MAX_NUMBER: usize = 10_000;

type Read<T> = Result<T, String>;

/// Reads expressions into one arena.
#[derive(Default)]
pub(super) struct Reader<'a> {
    pub(super) terms: IndexVec<Term, Node>,
    depths: IndexVec<Term, u32>,
    names: FxHashMap<&'a str, Term>,
}

impl<'a> Reader<'a> {
    /// Lets `name` stand for an expression from here on.
    pub(super) fn name(&mut self, name: &'a str, term: Term) -> Read<()> {
        if !is_word(name) {
            return Err(format!("`{}` is no name", short(name)));
        }
        match self.names.insert(name, term) {
            Some(_) => Err(format!("`{}` is named twice", short(name))),
            None => Ok(()),
        }
    }

    /// Reads a text that is one expression.
    pub(super) fn read(&mut self, text: &'a str) -> Read<Term> {
        let mut cursor = Cursor { text, depth: 0 };
        let term = self.expression(&mut cursor)?;
        match cursor.peek() {
            None => Ok(term),
            Some(_) => Err(format!("`{}` follows the expression", short(cursor.text))),
        }
    }

    fn add(&mut self, node: Node) -> Read<Term> {
        let depth = |term: &Term| self.depths[*term];
        let deepest = match &node {
            Node::Unary(_, a) | Node::Pre(a) => depth(a),
            Node::Binary(_, a, b) | Node::Arrow(a, b) => depth(a).max(depth(b)),
            Node::If(a, b, c) => depth(a).max(depth(b)).max(depth(c)),
            _ => 0,
        };
        if deepest >= MAX_DEPTH {
            return Err(format!("nested deeper than {MAX_DEPTH} levels"));
        }
        self.depths.push(deepest + 1);
        Ok(self.terms.push(node))
    }

    fn expression(&mut self, cursor: &mut Cursor<'a>) -> Read<Term> {
        if cursor.depth >= MAX_DEPTH {
            return Err(format!("nested deeper than {MAX_DEPTH} levels"));
        }
        cursor.depth += 1;
        let term = stacker::maybe_grow(64 << 10, 1 << 20, || self.expression_here(cursor))?;
        cursor.depth -= 1;
        Ok(term)
    }

    fn expression_here(&mut self, cursor: &mut Cursor<'a>) -> Read<Term> {
        match cursor.token()? {
            Token::Open => {
                let term = self.compound(cursor)?;
                cursor.expect(&Token::Close)?;
                Ok(term)
            }
            Token::Quoted(name) => {
                let (name, mutant) = match name.strip_prefix("mutant:") {
                    Some(name) => (name, true),
                    None => (name, false),
                };
                self.add(Node::Var { name: name.to_string(), mutant })
            }
            Token::Number(text) => self.number(text),
            Token::Word("true") => self.add(Node::Bool(true)),
            Token::Word("false") => self.add(Node::Bool(false)),
            Token::Word(word) => match self.names.get(word) {
                Some(term) => Ok(*term),
                None => self.add(Node::Constant(word.to_string())),
            },
            token => Err(format!("unexpected {token}")),
        }
    }

    /// What stands between parentheses.
    fn compound(&mut self, cursor: &mut Cursor<'a>) -> Read<Term> {
        let prefix = match cursor.clone().token()? {
            Token::Word("not") => Some(UnaryOp::Not),
            Token::Word("real") => Some(UnaryOp::ToReal),
            Token::Word("floor") => Some(UnaryOp::Floor),
            Token::Mark("-") => Some(UnaryOp::Neg),
            Token::Word("pre") => {
                cursor.token()?;
                let operand = self.expression(cursor)?;
                return self.add(Node::Pre(operand));
            }
            Token::Word("if") => return self.choice(cursor),
            _ => None,
        };
        if let Some(op) = prefix {
            cursor.token()?;
            let operand = self.expression(cursor)?;
            return self.add(Node::Unary(op, operand));
        }
        let left = self.expression(cursor)?;
        if cursor.clone().token()? == Token::Close {
            return Ok(left);
        }
        let (Token::Word(symbol) | Token::Mark(symbol)) = cursor.token()? else {
            return Err("expected an operator".to_string());
        };
        if symbol == "->" {
            let right = self.expression(cursor)?;
            return self.add(Node::Arrow(left, right));
        }
        let named = BinaryOp::ALL.into_iter().find(|op| op.symbol() == symbol);
        let op = named.ok_or_else(|| format!("`{}` is no operator", short(symbol)))?;
        let right = self.expression(cursor)?;
        self.add(Node::Binary(op, left, right))
    }

    fn choice(&mut self, cursor: &mut Cursor<'a>) -> Read<Term> {
        cursor.expect(&Token::Word("if"))?;
        let condition = self.expression(cursor)?;
        cursor.expect(&Token::Word("then"))?;
        let then = self.expression(cursor)?;
        cursor.expect(&Token::Word("else"))?;
        let otherwise = self.expression(cursor)?;
        self.add(Node::If(condition, then, otherwise))
    }

    fn number(&mut self, text: &str) -> Read<Term> {
        let wrong = || format!("`{}` is no number", short(text));
        if text.len() > MAX_NUMBER {
            return Err(format!("a number of more than {MAX_NUMBER} digits"));
        }
        if text.contains('.') {
            let value = Rational::parse(text).ok_or_else(wrong)?;
            return self.add(Node::Real(value));
        }
        let value = Int::parse(text).ok_or_else(wrong)?;
        self.add(Node::Int(value))
    }
}

#[derive(Clone, Copy, PartialEq, Debug)]
enum Token<'a> {
    Open,
    Close,
    Quoted(&'a str),
    Number(&'a str),
    Word(&'a str),
    Mark(&'a str),
}

impl std::fmt::Display for Token<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = match self {
            Token::Open => "(",
            Token::Close => ")",
            Token::Quoted(text) | Token::Number(text) | Token::Word(text) | Token::Mark(text) => {
                text
            }
        };
        write!(f, "`{}`", short(text))
    }
}

/// What is left of a text.
#[derive(Clone)]
struct Cursor<'a> {
    text: &'a str,
    depth: u32,
}

impl<'a> Cursor<'a> {
    fn peek(&mut self) -> Option<char> {
        self.text = self.text.trim_start_matches(' ');
        self.text.chars().next()
    }

    fn expect(&mut self, wanted: &Token<'_>) -> Read<()> {
        let found = self.token()?;
        if found == *wanted { Ok(()) } else { Err(format!("expected {wanted}, found {found}")) }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.text.split_at(length);
        self.text = rest;
        taken
    }

    fn take_while(&mut self, inside: impl Fn(char) -> bool) -> &'a str {
        let length = self.text.find(|c| !inside(c)).unwrap_or(self.text.len());
        self.take(length)
    }

    fn token(&mut self) -> Read<Token<'a>> {
        let Some(first) = self.peek() else { return Err("the expression is cut".to_string()) };
        match first {
            '(' => Ok((self.take(1), Token::Open).1),
            ')' => Ok((self.take(1), Token::Close).1),
            '`' => {
                self.take(1);
                let end = self.text.find('`').ok_or("a name without its closing backquote")?;
                let name = self.take(end);
                self.take(1);
                Ok(Token::Quoted(name))
            }
            '0'..='9' => Ok(Token::Number(self.take_while(|c| c.is_ascii_digit() || c == '.'))),
            _ if is_word_char(first) => Ok(Token::Word(self.take_while(is_word_char))),
            _ => {
                let mark = self.take_while(|c| "+-*/<>=".contains(c));
                if mark.is_empty() {
                    return Err(format!("unexpected `{first}`"));
                }
                Ok(Token::Mark(mark))
            }
        }
    }
}

/// What names of Lustre are made of.
fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '~' || c == '!' || c == '\''
}

fn is_word(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(is_word_char)
        && !name.starts_with(|c: char| c.is_ascii_digit())
}
