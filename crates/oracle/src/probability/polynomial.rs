//! Polynomials in one variable, in pieces.

use provoke_base::{Int, Rational};

/// A number.
pub(crate) fn rational(number: i64) -> Rational {
    Rational::from(&Int::from(number))
}

/// A straight line: a number that depends on the variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Line {
    /// The value at 0.
    pub(crate) at: Rational,
    /// What one unit of the variable adds.
    pub(crate) per: Rational,
}

impl Line {
    pub(crate) fn constant(at: Rational) -> Line {
        Line { at, per: rational(0) }
    }

    /// The variable itself.
    pub(crate) fn variable() -> Line {
        Line { at: rational(0), per: rational(1) }
    }

    pub(crate) fn minus(&self, other: &Line) -> Line {
        Line { at: self.at.sub(&other.at), per: self.per.sub(&other.per) }
    }

    pub(crate) fn plus_number(&self, number: i64) -> Line {
        Line { at: self.at.add(&rational(number)), per: self.per.clone() }
    }

    pub(crate) fn varies(&self) -> bool {
        !self.per.is_zero()
    }

    pub(crate) fn value(&self, x: &Rational) -> Rational {
        self.at.add(&self.per.mul(x))
    }
}

/// Coefficients, the constant one first.
type Polynomial = Vec<Rational>;

/// Polynomials on stretches that follow each other without gaps.
#[derive(Clone, Debug)]
pub(crate) struct Pieces(pub(crate) Vec<(Rational, Rational, Polynomial)>);

impl Pieces {
    /// The same number everywhere.
    pub(crate) fn constant(span: &(Rational, Rational), value: Rational) -> Pieces {
        Pieces(vec![(span.0.clone(), span.1.clone(), vec![value])])
    }

    /// What one stretch says, then what the next one says.
    pub(crate) fn followed_by(mut self, mut next: Pieces) -> Pieces {
        self.0.append(&mut next.0);
        self
    }

    pub(crate) fn times(self, factor: &Rational) -> Pieces {
        let scale = |p: Polynomial| p.iter().map(|c| c.mul(factor)).collect();
        Pieces(self.0.into_iter().map(|(from, to, p)| (from, to, scale(p))).collect())
    }

    /// Multiplied by a line.
    pub(crate) fn times_line(self, line: &Line) -> Pieces {
        let multiply = |p: Polynomial| {
            let mut product = vec![rational(0); p.len() + 1];
            for (power, c) in p.iter().enumerate() {
                product[power] = product[power].add(&c.mul(&line.at));
                product[power + 1] = product[power + 1].add(&c.mul(&line.per));
            }
            product
        };
        Pieces(self.0.into_iter().map(|(from, to, p)| (from, to, multiply(p))).collect())
    }

    /// The sum of two over the same span.
    pub(crate) fn plus(&self, other: &Pieces) -> Pieces {
        let mut cuts: Vec<Rational> = Vec::new();
        for (from, to, _) in self.0.iter().chain(&other.0) {
            cuts.extend([from.clone(), to.clone()]);
        }
        cuts.sort();
        cuts.dedup();
        if cuts.len() < 2 {
            cuts = vec![cuts[0].clone(), cuts[0].clone()];
        }
        let part = |pieces: &Pieces, from: &Rational, to: &Rational| {
            let holds =
                |piece: &&(Rational, Rational, Polynomial)| piece.0 <= *from && *to <= piece.1;
            pieces.0.iter().find(holds).map_or_else(Vec::new, |piece| piece.2.clone())
        };
        let sum = |pair: &[Rational]| {
            let (a, b) = (part(self, &pair[0], &pair[1]), part(other, &pair[0], &pair[1]));
            let at = |p: &Polynomial, i: usize| p.get(i).cloned().unwrap_or_else(|| rational(0));
            let added = (0..a.len().max(b.len())).map(|i| at(&a, i).add(&at(&b, i))).collect();
            (pair[0].clone(), pair[1].clone(), added)
        };
        Pieces(cuts.windows(2).map(sum).collect())
    }

    /// The area below.
    pub(crate) fn integral(&self) -> Rational {
        let mut sum = rational(0);
        for (from, to, p) in &self.0 {
            let (mut low, mut high) = (from.clone(), to.clone());
            for (power, c) in p.iter().enumerate() {
                let over = c.div(&rational(power as i64 + 1)).expect("not zero");
                sum = sum.add(&over.mul(&high.sub(&low)));
                low = low.mul(from);
                high = high.mul(to);
            }
        }
        sum
    }

    /// The value, where it is the same everywhere.
    pub(crate) fn first(&self) -> Rational {
        self.0.first().and_then(|piece| piece.2.first().cloned()).unwrap_or_else(|| rational(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_add_up_and_integrate() {
        let n = rational;
        // x on [0,2], and 1 on [0,1] then 3 on [1,2]: 2 + 1 + 3.
        let x = Pieces::constant(&(n(0), n(2)), n(1)).times_line(&Line::variable());
        let steps = Pieces::constant(&(n(0), n(1)), n(1))
            .followed_by(Pieces::constant(&(n(1), n(2)), n(3)));
        assert_eq!(x.integral(), n(2));
        let sum = x.plus(&steps);
        assert_eq!(sum.0.len(), 2);
        assert_eq!(sum.integral(), n(6));
        assert_eq!(sum.times(&n(2)).integral(), n(12));
    }
}
