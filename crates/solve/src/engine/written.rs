//! Lemmas as text, for other processes: a line for each term, operands first, then a line for each
//! lemma. Terms are called by their line numbers.

use std::fmt::Write;

use provoke_base::{Int, Rational};
use provoke_model::{BinaryOp, UnaryOp, Value};
use rustc_hash::FxHashMap;

use super::lemmas::Lemmas;
use crate::term::{Sort, Term, TermId, Terms};

const UNARY: [UnaryOp; 4] = [UnaryOp::Not, UnaryOp::Neg, UnaryOp::ToReal, UnaryOp::Floor];

impl Lemmas {
    /// Writes the lemmas, which are terms of `terms`.
    pub fn write(&self, terms: &Terms) -> String {
        let mut used = Terms::new();
        let lemmas = self.import(terms, &mut used);
        let roots: Vec<TermId> = lemmas.roots().collect();
        let all = used.reachable(&roots, |_| false);
        let numbers: FxHashMap<TermId, usize> = all.iter().copied().zip(0..).collect();
        let mut lines = String::new();
        for id in all {
            write_term(&mut lines, &used, used.get(id), |operand| numbers[&operand]);
        }
        for lemma in &lemmas.terms {
            let _ = writeln!(lines, "lemma {}", numbers[lemma]);
        }
        for (copy, original) in &lemmas.copies {
            let _ = writeln!(lines, "copy {} {}", numbers[copy], numbers[original]);
        }
        lines
    }

    /// Reads lines that [`Lemmas::write`] has written, as terms of `terms`; `None` for what is
    /// nothing of that kind.
    pub fn read<'a>(lines: impl Iterator<Item = &'a str>, terms: &mut Terms) -> Option<Lemmas> {
        let (mut lemmas, mut known) = (Lemmas::default(), Vec::new());
        for line in lines {
            let words: Vec<&str> = line.split(' ').collect();
            let term = |word: &str| known.get(word.parse::<usize>().ok()?).copied();
            match words[..] {
                ["lemma", lemma] => {
                    let is_claim = |term: &TermId| terms.sort(*term) == Sort::Bool;
                    lemmas.terms.push(term(lemma).filter(is_claim)?);
                }
                ["copy", copy, original] => lemmas.copies.push((term(copy)?, term(original)?)),
                _ => {
                    let new = read_term(&words, terms, term)?;
                    known.push(new);
                }
            }
        }
        Some(lemmas)
    }

    fn roots(&self) -> impl Iterator<Item = TermId> {
        let copies = self.copies.iter().flat_map(|(copy, original)| [*copy, *original]);
        self.terms.iter().copied().chain(copies)
    }
}

/// Writes a line for a term, whose operands have numbers.
pub(crate) fn write_term(
    lines: &mut String,
    terms: &Terms,
    term: &Term,
    number: impl Fn(TermId) -> usize,
) {
    // Writing into a text does not fail.
    let _ = match term {
        Term::Const(value) => match value {
            Value::Bool(value) => writeln!(lines, "bool {value}"),
            Value::Int(value) => writeln!(lines, "int {value}"),
            Value::Real(value) => writeln!(lines, "real {value}"),
            Value::Unknown | Value::Enum(_) => unreachable!("no literal of a term: {value:?}"),
        },
        Term::Symbol(id) => {
            let symbol = terms.symbol_of(*id);
            writeln!(lines, "symbol {:?} {}", symbol.sort, symbol.name)
        }
        Term::Unary(op, a) => writeln!(lines, "{op:?} {}", number(*a)),
        Term::Binary(op, a, b) => writeln!(lines, "{op:?} {} {}", number(*a), number(*b)),
        Term::Ite(a, b, c) => {
            writeln!(lines, "ite {} {} {}", number(*a), number(*b), number(*c))
        }
    };
}

/// Reads the line of a term, whose operands are known.
pub(crate) fn read_term(
    words: &[&str],
    terms: &mut Terms,
    term: impl Fn(&str) -> Option<TermId>,
) -> Option<TermId> {
    Some(match *words {
        ["bool", value] => terms.bool(value.parse().ok()?),
        ["int", value] => terms.constant(Value::Int(Int::parse(value)?)),
        ["real", value] => terms.real(Rational::parse(value)?),
        ["symbol", sort, ref name @ ..] => {
            let sort = [Sort::Bool, Sort::Int, Sort::Real]
                .into_iter()
                .find(|known| format!("{known:?}") == sort)?;
            let name = name.join(" ");
            if terms.declared(&name).is_some_and(|declared| declared != sort) {
                return None;
            }
            terms.symbol(&name, sort)
        }
        ["ite", a, b, c] => {
            let (a, b, c) = (term(a)?, term(b)?, term(c)?);
            let fits = terms.sort(a) == Sort::Bool && terms.sort(b) == terms.sort(c);
            fits.then(|| terms.ite(a, b, c))?
        }
        [word, a] => {
            let op = UNARY.into_iter().find(|op| format!("{op:?}") == word)?;
            let a = term(a)?;
            takes_one(op, terms.sort(a)).then(|| terms.unary(op, a))?
        }
        [word, a, b] => {
            let op = BinaryOp::ALL.into_iter().find(|op| format!("{op:?}") == word)?;
            let (a, b) = (term(a)?, term(b)?);
            let fits = terms.sort(a) == terms.sort(b) && takes_two(op, terms.sort(a));
            fits.then(|| terms.binary(op, a, b))?
        }
        _ => return None,
    })
}

fn takes_one(op: UnaryOp, sort: Sort) -> bool {
    match op {
        UnaryOp::Not => sort == Sort::Bool,
        UnaryOp::Neg => sort != Sort::Bool,
        UnaryOp::ToReal => sort == Sort::Int,
        UnaryOp::Floor => sort == Sort::Real,
        // Terms are not made of these.
        UnaryOp::Wrap(_) | UnaryOp::BitNot(_) | UnaryOp::Clamp(_) | UnaryOp::Round(_) => false,
    }
}

fn takes_two(op: BinaryOp, sort: Sort) -> bool {
    match op {
        BinaryOp::And | BinaryOp::Or => sort == Sort::Bool,
        BinaryOp::Eq => true,
        BinaryOp::Div => sort == Sort::Real,
        BinaryOp::IntDiv | BinaryOp::Mod => sort == Sort::Int,
        BinaryOp::Lt | BinaryOp::Le | BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => {
            sort != Sort::Bool
        }
        // Terms are not made of these.
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn some_lemmas(terms: &mut Terms) -> Lemmas {
        let [x, y] = ["a b", "y"].map(|name| terms.symbol(name, Sort::Int));
        let flag = terms.symbol("flag", Sort::Bool);
        let third = terms.real(Rational::parse("-1/3").expect("a number"));
        let (seven, real) = (terms.int(-7), terms.unary(UnaryOp::ToReal, y));
        let (sum, quotient) =
            (terms.binary(BinaryOp::Add, x, seven), terms.binary(BinaryOp::Mod, x, y));
        let less = terms.binary(BinaryOp::Lt, sum, quotient);
        let chosen = terms.ite(flag, third, real);
        let equal = terms.binary(BinaryOp::Eq, chosen, real);
        let not = terms.unary(UnaryOp::Not, flag);
        let guarded = terms.binary(BinaryOp::Or, not, less);
        Lemmas { terms: vec![equal, guarded], copies: vec![(y, x)] }
    }

    #[test]
    fn lemmas_are_read_as_they_are_written() {
        let (mut terms, mut read) = (Terms::new(), Terms::new());
        let lemmas = some_lemmas(&mut terms);
        let text = lemmas.write(&terms);
        let again = Lemmas::read(text.lines(), &mut read).expect("lemmas");
        assert_eq!(again.write(&read), text);
        // Whoever imports them gets the same terms in the same order.
        let imported = |lemmas: &Lemmas, from: &Terms| {
            let mut into = Terms::new();
            let lemmas = lemmas.import(from, &mut into);
            let all = into.reachable(&lemmas.roots().collect::<Vec<_>>(), |_| false);
            (lemmas, all.iter().map(|id| into.get(*id).clone()).collect::<Vec<_>>())
        };
        assert_eq!(imported(&lemmas, &terms), imported(&again, &read));
    }

    #[test]
    fn what_is_no_lemma_is_refused() {
        let wrong = [
            "lemma 0",
            "int 1\nlemma 0",
            "int x",
            "symbol Int x\nsymbol Real x",
            "int 1\nbool true\nAdd 0 1",
            "int 1\nNot 0",
            "int 1\nAdd 0 7",
            "bool true\nXor 0 0",
            "",
            "\n",
        ];
        for text in wrong {
            let read = Lemmas::read(text.lines(), &mut Terms::new());
            assert_eq!(read, text.is_empty().then(Lemmas::default), "{text:?}");
        }
    }
}
