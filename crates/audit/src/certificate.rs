//! Certificates as they are written: claims, what they rest on, and shared expressions.
//!
//! Expressions are kept in one arena, operands before what they are part of. A `let` stands for
//! the expression itself, so a file of shared expressions stays as small in memory as on disk.

mod expression;
mod line;

use std::fmt;

use provoke_base::{IndexVec, Int, Rational, define_id};
use provoke_model::{BinaryOp, UnaryOp};
use rustc_hash::FxHashMap;

use expression::Reader;
use line::Lines;

define_id! {
    /// An expression of a certificate.
    Term,
}

/// The largest file that is read.
pub const MAX_BYTES: usize = 64 << 20;
/// The largest window that is unrolled.
pub const MAX_K: usize = 1_000;
const VERSION: &str = "provoke-cert 1";

/// What a certificate says, nothing of which is believed yet.
#[derive(Debug)]
pub struct Certificate {
    /// The hash of the model's text, as hexadecimal digits.
    pub model: String,
    /// The main node.
    pub node: String,
    /// What numbers it speaks about.
    pub numbers: String,
    /// Assumptions beside those of the model, as the user wrote them.
    pub assumptions: Vec<String>,
    /// Groups of facts, in the order of the file.
    pub groups: Vec<Group>,
    /// Claims, in the order of the file.
    pub claims: Vec<Claim>,
    /// All expressions.
    pub terms: IndexVec<Term, Node>,
}

/// Facts that are inductive together.
#[derive(Debug)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Earlier groups that it rests on, by position.
    pub uses: Vec<usize>,
    /// The mutant whose variables it may speak about.
    pub mutant: Option<String>,
    /// What holds before every step but the first.
    pub facts: Vec<Term>,
    /// The line that it starts in.
    pub line: usize,
}

/// What a claim is about.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Subject {
    /// No test covers an obligation.
    Infeasible {
        /// The criterion, by its name.
        criterion: String,
        /// The obligation, by its id.
        obligation: String,
    },
    /// The condition of an obligation never has its value, whether or not it decides. No certificate
    /// states it: what is stated about the obligation has to show it.
    Never {
        /// The criterion, by its name.
        criterion: String,
        /// The obligation, by its id.
        obligation: String,
    },
    /// A property of this name is true in every step of every run.
    Holds(String),
    /// No run tells this mutant from the model.
    Equivalent(String),
    /// A constant can replace the condition of an obligation.
    Redundant {
        /// The criterion, by its name.
        criterion: String,
        /// The obligation, by its id.
        obligation: String,
    },
    /// It is never seen when the condition of an obligation is wrong in one step.
    Once {
        /// The criterion, by its name.
        criterion: String,
        /// The obligation, by its id.
        obligation: String,
    },
}

/// One claim and how it is to be shown.
#[derive(Clone, Debug)]
pub struct Claim {
    /// What is claimed.
    pub subject: Subject,
    /// How many later steps come before the one asked about.
    pub k: usize,
    /// The groups that it rests on, by position.
    pub uses: Vec<usize>,
    /// One more inductive fact, which excludes the goal.
    pub invariant: Option<Term>,
    /// Whether the `k` later steps start in different states: a shortest run to what must not
    /// happen comes to none twice.
    pub distinct: bool,
    /// The line that it starts in.
    pub line: usize,
}

/// One expression.
#[derive(Clone, PartialEq, Debug)]
pub enum Node {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(Int),
    /// A real.
    Real(Rational),
    /// A constant of an enumeration.
    Constant(String),
    /// A variable of the flat system.
    Var {
        /// Its name.
        name: String,
        /// Whether that of the mutant is meant.
        mutant: bool,
    },
    /// An operator with one operand.
    Unary(UnaryOp, Term),
    /// An operator with two operands.
    Binary(BinaryOp, Term, Term),
    /// `if _ then _ else _`
    If(Term, Term, Term),
    /// `_ -> _`: the first in the first step of a run, the second afterwards.
    Arrow(Term, Term),
    /// The operand's value one step ago.
    Pre(Term),
}

/// Why a certificate cannot be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Malformed {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for Malformed {}

type Parsed<T> = Result<T, Malformed>;

/// Reads a certificate.
pub fn parse(bytes: &[u8]) -> Parsed<Certificate> {
    let fail = |message: &str| Malformed { line: 1, message: message.to_string() };
    if bytes.len() > MAX_BYTES {
        return Err(fail("the certificate is larger than 64 MB"));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| fail("the certificate is not UTF-8"))?;
    let mut lines = Lines::new(text)?;
    lines.expect_exactly(VERSION)?;
    let mut certificate = header(&mut lines)?;
    let mut body = Body { lines, reader: Reader::default(), groups: FxHashMap::default() };
    body.read(&mut certificate)?;
    certificate.terms = body.reader.terms;
    Ok(certificate)
}

/// `model sha256:HEX node NAME numbers WORD`
fn header(lines: &mut Lines<'_>) -> Parsed<Certificate> {
    let rest = lines.expect("model")?;
    let words: Vec<&str> = rest.split(' ').collect();
    let [hash, "node", node, "numbers", numbers] = words[..] else {
        return Err(lines.wrong("expected `model sha256:HEX node NAME numbers exact`"));
    };
    let hexadecimal = |text: &&str| text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit());
    let Some(model) = hash.strip_prefix("sha256:").filter(hexadecimal) else {
        return Err(lines.wrong("expected `sha256:` and 64 hexadecimal digits"));
    };
    Ok(Certificate {
        model: model.to_ascii_lowercase(),
        node: node.to_string(),
        numbers: numbers.to_string(),
        assumptions: Vec::new(),
        groups: Vec::new(),
        claims: Vec::new(),
        terms: IndexVec::new(),
    })
}

/// Everything behind the header.
struct Body<'a> {
    lines: Lines<'a>,
    reader: Reader<'a>,
    /// The groups that were read, by name.
    groups: FxHashMap<&'a str, usize>,
}

impl<'a> Body<'a> {
    fn read(&mut self, into: &mut Certificate) -> Parsed<()> {
        let mut in_group = false;
        while let Some((word, rest)) = self.lines.next() {
            in_group = word == "group" || in_group && matches!(word, "fact" | "let");
            match word {
                "assume" => into.assumptions.push(rest.to_string()),
                "let" => self.shared(rest)?,
                "group" => {
                    let group = self.group(rest, into.groups.len())?;
                    into.groups.push(group);
                }
                "fact" => {
                    let fact = self.expression(rest)?;
                    match into.groups.last_mut().filter(|_| in_group) {
                        Some(group) => group.facts.push(fact),
                        None => return Err(self.lines.wrong("a fact outside a group")),
                    }
                }
                "claim" => into.claims.push(self.claim(rest)?),
                _ => return Err(self.lines.wrong(&format!("unexpected `{}`", short(word)))),
            }
        }
        self.lines.complete()
    }

    fn expression(&mut self, text: &'a str) -> Parsed<Term> {
        self.reader.read(text).map_err(|message| self.lines.wrong(&message))
    }

    /// `let NAME = EXPR`
    fn shared(&mut self, rest: &'a str) -> Parsed<()> {
        let Some((name, text)) = rest.split_once(" = ") else {
            return Err(self.lines.wrong("expected `let NAME = EXPR`"));
        };
        let term = self.expression(text)?;
        let named = self.reader.name(name, term);
        named.map_err(|message| self.lines.wrong(&message))
    }

    /// `group NAME [uses NAME...] [on MUTANT]`
    fn group(&mut self, rest: &'a str, position: usize) -> Parsed<Group> {
        let (rest, mutant) = match rest.split_once(" on ") {
            Some((rest, mutant)) => (rest, Some(mutant.to_string())),
            None => (rest, None),
        };
        let (name, uses) = match rest.split_once(" uses ") {
            Some((name, uses)) => (name, self.used(uses)?),
            None => (rest, Vec::new()),
        };
        if name.is_empty() || name.contains(' ') {
            return Err(self.lines.wrong("expected `group NAME [uses NAME ...] [on MUTANT]`"));
        }
        if self.groups.insert(name, position).is_some() {
            return Err(self.lines.wrong(&format!("group `{}` is there twice", short(name))));
        }
        let line = self.lines.number;
        Ok(Group { name: name.to_string(), uses, mutant, facts: Vec::new(), line })
    }

    /// Groups by name; only those that were read already can be meant, so there are no circles.
    fn used(&self, names: &str) -> Parsed<Vec<usize>> {
        let find = |name: &str| {
            let unknown = || format!("`{}` is no group above this line", short(name));
            self.groups.get(name).copied().ok_or_else(|| self.lines.wrong(&unknown()))
        };
        let mut used: Vec<usize> = names.split(' ').map(find).collect::<Parsed<_>>()?;
        used.sort_unstable();
        used.dedup();
        Ok(used)
    }

    fn claim(&mut self, rest: &'a str) -> Parsed<Claim> {
        let line = self.lines.number;
        let subject = self.subject(rest)?;
        let mut claim =
            Claim { subject, k: 0, uses: Vec::new(), invariant: None, distinct: false, line };
        let mut seen: Vec<&str> = Vec::new();
        while let Some((word, rest)) = self.lines.next() {
            if seen.contains(&word) {
                return Err(self.lines.wrong(&format!("`{}` is there twice", short(word))));
            }
            seen.push(word);
            match word {
                "engine" => {}
                "k" => claim.k = self.window(rest)?,
                "uses" if rest.is_empty() => {}
                "uses" => claim.uses = self.used(rest)?,
                "invariant" => claim.invariant = Some(self.expression(rest)?),
                "distinct" if rest.is_empty() => claim.distinct = true,
                "end" if rest.is_empty() => return Ok(claim),
                _ => return Err(self.lines.wrong(&format!("unexpected `{}`", short(word)))),
            }
        }
        Err(self.lines.wrong("the file ends inside a claim"))
    }

    fn subject(&self, rest: &str) -> Parsed<Subject> {
        let wrong = || {
            self.lines.wrong(
                "expected `claim infeasible CRITERION ID`, `claim redundant CRITERION ID`, \
                 `claim once CRITERION ID`, `claim holds NAME` or `claim equivalent MUTANT`",
            )
        };
        let (kind, name) = rest.split_once(' ').ok_or_else(wrong)?;
        match kind {
            "holds" => Ok(Subject::Holds(name.to_string())),
            "equivalent" => Ok(Subject::Equivalent(name.to_string())),
            "infeasible" | "redundant" | "once" => {
                let (criterion, obligation) = name.split_once(' ').ok_or_else(wrong)?;
                let (criterion, obligation) = (criterion.to_string(), obligation.to_string());
                Ok(match kind {
                    "infeasible" => Subject::Infeasible { criterion, obligation },
                    "once" => Subject::Once { criterion, obligation },
                    _ => Subject::Redundant { criterion, obligation },
                })
            }
            _ => Err(wrong()),
        }
    }

    fn window(&self, text: &str) -> Parsed<usize> {
        let plain = text.bytes().all(|byte| byte.is_ascii_digit());
        let k = text.parse().ok().filter(|k| plain && *k <= MAX_K);
        k.ok_or_else(|| self.lines.wrong(&format!("expected a number from 0 to {MAX_K}")))
    }
}

/// The beginning of a word that is shown in a message.
fn short(word: &str) -> String {
    match word.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &word[..end]),
        None => word.to_string(),
    }
}

#[cfg(test)]
mod tests;
