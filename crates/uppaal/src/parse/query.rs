//! Queries.

use super::{Parsed, Parser, whole};
use crate::ast::{Binary, Chance, Expr, Measure, PathKind, Query, RunBound};
use crate::lex::Token;
use crate::text::Text;

/// All of a text as one query.
pub(crate) fn query(text: &Text) -> Parsed<Query> {
    whole(text, Parser::query)
}

impl Parser {
    fn query(&mut self) -> Parsed<Query> {
        if let Some(kind) = self.path() {
            return Ok(Query::Path(kind, self.expression()?));
        }
        let span = self.span();
        for word in ["sup", "inf"] {
            if self.is_word(word) && matches!(self.peek_after(1), Token::Sign("{" | ":")) {
                self.advance();
                return self.bounds(word == "sup");
            }
        }
        for word in [
            "control",
            "strategy",
            "saveStrategy",
            "loadStrategy",
            "minE",
            "maxE",
            "minPr",
            "maxPr",
            "bounds",
            "control_t",
            "bounded",
        ] {
            if self.is_word(word) && !matches!(self.peek_after(1), Token::Sign("." | "-->")) {
                return Err(self.unsupported(span, &format!("a query with `{word}`")));
            }
        }
        if self.accept_word("Pr") {
            return self.probability();
        }
        if self.is_word("E") && *self.peek_after(1) == Token::Sign("[") {
            self.advance();
            return self.expectation();
        }
        if self.is_word("simulate") {
            self.advance();
            return self.simulation();
        }
        let first = self.expression()?;
        if !self.accept("-->") {
            return Err(
                self.expected("`-->`, or `E<>`, `A[]`, `E[]`, `A<>`, `sup`, `inf`, `Pr` in front")
            );
        }
        Ok(Query::LeadsTo(first, self.expression()?))
    }

    /// `E<>` and its like; `E[` alone begins an expectation.
    fn path(&mut self) -> Option<PathKind> {
        let Token::Word(word) = self.peek() else { return None };
        let first = word.as_str();
        let kind = match (first, self.peek_after(1), self.peek_after(2)) {
            ("E", Token::Sign("<"), Token::Sign(">")) => PathKind::Possibly,
            ("A", Token::Sign("<"), Token::Sign(">")) => PathKind::Eventually,
            ("E", Token::Sign("["), Token::Sign("]")) => PathKind::PotentiallyAlways,
            ("A", Token::Sign("["), Token::Sign("]")) => PathKind::Always,
            _ => return None,
        };
        (0..3).for_each(|_| drop(self.advance()));
        Some(kind)
    }

    fn bounds(&mut self, sup: bool) -> Parsed<Query> {
        let mut condition = None;
        if self.accept("{") {
            condition = Some(self.expression()?);
            self.expect("}")?;
        }
        self.expect(":")?;
        let mut found = vec![self.expression()?];
        while self.accept(",") {
            found.push(self.expression()?);
        }
        Ok(Query::Bounds(sup, condition, found))
    }

    /// `[<=T]`, `[x<=T]`, `[#<=N]`, each with `; N` for the number of runs.
    fn run_bound(&mut self) -> Parsed<RunBound> {
        self.expect("[")?;
        let measure = if self.accept("#") {
            Measure::Steps
        } else if self.is_sign("<=") {
            Measure::Time
        } else {
            Measure::Clock(self.postfix()?)
        };
        self.expect("<=")?;
        let limit = self.expression()?;
        let runs = if self.accept(";") { Some(self.expression()?) } else { None };
        self.expect("]")?;
        Ok(RunBound { measure, limit, runs })
    }

    fn chance(&mut self) -> Parsed<Chance> {
        if self.is_sign("(") {
            return Err(self.unsupported(self.span(), "a probability of a timed temporal formula"));
        }
        let bound = self.run_bound()?;
        self.expect("(")?;
        let eventually = match (self.peek(), self.peek_after(1)) {
            (Token::Sign("<"), Token::Sign(">")) => true,
            (Token::Sign("["), Token::Sign("]")) => false,
            _ => {
                return Err(self.unsupported(self.span(), "a path formula other than `<>` or `[]`"));
            }
        };
        self.advance();
        self.advance();
        if self.is_sign("[") {
            return Err(self.unsupported(self.span(), "a time interval behind `<>` or `[]`"));
        }
        let condition = self.expression()?;
        self.expect(")")?;
        Ok(Chance { bound, eventually, condition })
    }

    fn probability(&mut self) -> Parsed<Query> {
        let chance = self.chance()?;
        let operator = if self.accept(">=") {
            Binary::Ge
        } else if self.accept("<=") {
            Binary::Le
        } else if self.at_end() {
            return Ok(Query::Probability(Box::new(chance), None));
        } else {
            return Err(self.expected("`>=`, `<=` or the end"));
        };
        if self.accept_word("Pr") {
            let other = self.chance()?;
            let swap = operator == Binary::Le;
            let pair = if swap { (other, chance) } else { (chance, other) };
            return Ok(Query::Comparison(Box::new(pair)));
        }
        let bound = match self.advance().0 {
            Token::Int(value) => value as f64,
            Token::Double(value) => value,
            _ => {
                self.at -= 1;
                return Err(self.expected("a number from 0 to 1, or `Pr`"));
            }
        };
        Ok(Query::Probability(Box::new(chance), Some((operator, bound))))
    }

    fn expectation(&mut self) -> Parsed<Query> {
        let bound = self.run_bound()?;
        self.expect("(")?;
        let max = if self.accept_word("max") {
            true
        } else if self.accept_word("min") {
            false
        } else {
            return Err(self.expected("`max:` or `min:`"));
        };
        self.expect(":")?;
        let expr = self.expression()?;
        self.expect(")")?;
        Ok(Query::Expectation(Box::new(bound), max, expr))
    }

    fn simulation(&mut self) -> Parsed<Query> {
        let count: Option<Expr> = if self.is_sign("[") { None } else { Some(self.primary()?) };
        let mut bound = self.run_bound()?;
        bound.runs = bound.runs.or(count);
        self.expect("{")?;
        let mut shown = Vec::new();
        while !self.accept("}") {
            shown.push(self.expression()?);
            if !self.is_sign("}") {
                self.expect(",")?;
            }
        }
        if self.is_sign(":") {
            return Err(self.unsupported(self.span(), "a filter of simulated runs"));
        }
        Ok(Query::Simulate(Box::new(bound), shown))
    }
}
