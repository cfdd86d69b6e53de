//! What the samples suggest: terms that hold in all of them and might always.

use provoke_base::{Int, Rational};
use provoke_model::Value;
use rustc_hash::FxHashSet;

use super::affine::{Affine, number};
use super::later::{later, settled};
use super::samples::StateSamples;
use crate::term::{Sort, Term, TermId, Terms};
use crate::transition::Transition;
use crate::unroll::UnrollPolicy;

/// A bound is suggested by so many states that lie on it.
const ON_BOUND: usize = 3;
/// How many constants of the model beyond the samples are tried as bounds.
const THRESHOLDS: usize = 4;
/// More values are no set.
const SET_SIZE: usize = 6;
/// More columns than these have no pairs and no equations, so that there are not too many.
const MAX_COLUMNS: usize = 96;
/// How many clauses and how many differences are tried, the most surprising ones.
const MAX_CLAUSES: usize = 1000;
const MAX_DIFFERENCES: usize = 300;
/// So many samples suggest what holds where something else does.
const MIN_INSIDE: usize = 10;
/// How many clauses are tried where something else holds, the most surprising ones.
const MAX_GUARDED_CLAUSES: usize = 200;
/// With more of these, no other truth value is tried.
const MAX_GUARDED: usize = 1000;
/// How many sides of constants are tried.
const MAX_SIDES: usize = 16;

/// Candidates, by kind; later kinds are more and cost more.
#[derive(Clone, Debug, Default)]
pub(super) struct Candidates {
    /// Constants, bounds and sets of single variables.
    pub(super) single: Vec<TermId>,
    /// Equations between all numbers.
    pub(super) affine: Vec<Affine>,
    /// Clauses of two predicates, and bounds of differences.
    pub(super) pairs: Vec<TermId>,
    /// The first two kinds and differences again, for the states in which a truth value holds.
    pub(super) guarded: Vec<TermId>,
    pub(super) guarded_affine: Vec<Affine>,
}

/// A state variable that is not constant, with its values.
struct Column {
    symbol: TermId,
    sort: Sort,
    values: Vec<Rational>,
}

/// A truth value in each sample.
struct Predicate {
    term: TermId,
    about: TermId,
    truth: Vec<bool>,
}

impl Candidates {
    /// What `samples` suggest about the state of `transition`; less of it when `is_over` says so on
    /// the way, since many samples of many variables take their time.
    pub(super) fn new(
        terms: &mut Terms,
        transition: &Transition,
        samples: &StateSamples,
        is_over: &dyn Fn() -> bool,
    ) -> Candidates {
        let mut found = Candidates::default();
        if samples.rows.is_empty() {
            return found;
        }
        let thresholds = constants(terms, transition);
        let mut columns = Vec::new();
        for column in numeric_columns(terms, transition, samples) {
            match column.constant(terms) {
                Some(constant) => found.single.push(constant),
                None => {
                    found.single.extend(column.bounds(terms, &thresholds));
                    found.single.extend(column.set(terms));
                    columns.push(column);
                }
            }
        }
        columns.truncate(MAX_COLUMNS);
        found.affine = hulls(&columns, is_over);
        found.pairs = clauses(terms, &columns, 1.0, is_over);
        found.pairs.extend(differences(terms, &columns, is_over));
        let mut guards = truths(terms, &columns);
        guards.extend(sides(terms, transition, &columns, &thresholds));
        found.add_guarded(terms, &columns, &thresholds, guards, is_over);
        found
    }

    /// What holds as long as something else does, as numbers that are conserved until the
    /// environment breaks a promise.
    fn add_guarded(
        &mut self,
        terms: &mut Terms,
        columns: &[Column],
        thresholds: &[Rational],
        guards: Vec<(TermId, Vec<usize>)>,
        is_over: &dyn Fn() -> bool,
    ) {
        let numbers = columns.iter().filter(|column| column.sort != Sort::Bool).count();
        for (guard, inside) in guards.into_iter().take_while(|_| !is_over()) {
            if numbers == 0 || inside.len() < MIN_INSIDE || self.guarded.len() > MAX_GUARDED {
                continue;
            }
            let part: Vec<Column> = columns
                .iter()
                .filter(|other| other.sort != Sort::Bool)
                .map(|other| other.only(&inside))
                .collect();
            let mut facts: Vec<TermId> = Vec::new();
            for column in &part {
                match column.constant(terms) {
                    Some(constant) => facts.push(constant),
                    None => facts.extend(column.bounds(terms, thresholds)),
                }
            }
            facts.extend(differences(terms, &part, is_over));
            let clauses = clauses(terms, &part, 0.1, is_over);
            facts.extend(clauses.into_iter().take(MAX_GUARDED_CLAUSES));
            facts.retain(|fact| !self.single.contains(fact) && !self.pairs.contains(fact));
            self.guarded.extend(facts.into_iter().map(|fact| terms.implies(guard, fact)));
            let hulls = hulls(&part, is_over);
            self.guarded_affine.extend(hulls.into_iter().map(|hull| hull.under(guard)));
        }
    }
}

/// Each truth value and its negation, with the samples in which it holds.
fn truths(terms: &mut Terms, columns: &[Column]) -> Vec<(TermId, Vec<usize>)> {
    let truths = columns.iter().filter(|column| column.sort == Sort::Bool);
    let sides = truths.flat_map(|column| [(column, true), (column, false)]);
    let mut guard = |(column, wanted): (&Column, bool)| {
        let guard = if wanted { column.symbol } else { terms.not(column.symbol) };
        (guard, column.rows(wanted))
    };
    sides.map(&mut guard).collect()
}

/// On which side of a constant of the model a number is that never changes, as a parameter that
/// is read once; with the samples in which it is there.
fn sides(
    terms: &mut Terms,
    transition: &Transition,
    columns: &[Column],
    thresholds: &[Rational],
) -> Vec<(TermId, Vec<usize>)> {
    let mut steps = later(terms, transition, UnrollPolicy::Inline);
    let mut found: Vec<(TermId, Vec<usize>)> = Vec::new();
    for column in columns.iter().filter(|column| column.sort != Sort::Bool) {
        if steps.at(terms, column.symbol, 0) != steps.at(terms, column.symbol, 1) {
            continue;
        }
        for constant in thresholds {
            let (above, below): (Vec<usize>, Vec<usize>) =
                (0..column.values.len()).partition(|row| column.values[*row] >= *constant);
            if above.is_empty() || below.is_empty() || found.len() >= MAX_SIDES {
                continue;
            }
            let limit = column.literal(terms, constant);
            let is_above = terms.le(limit, column.symbol);
            let is_below = terms.not(is_above);
            found.extend([(is_above, above), (is_below, below)]);
        }
    }
    found
}

fn numeric_columns(terms: &Terms, transition: &Transition, samples: &StateSamples) -> Vec<Column> {
    let settled: FxHashSet<_> = settled(terms, transition).into_iter().map(|(s, _)| s).collect();
    let state: FxHashSet<_> = transition.state.iter().map(|var| var.symbol).collect();
    let mut columns = Vec::new();
    for (index, &symbol) in samples.symbols.iter().enumerate() {
        if !state.contains(&symbol) || settled.contains(&symbol) {
            continue;
        }
        let Some(values) = samples.column(index) else { continue };
        let values: Option<Vec<_>> = values.into_iter().map(number).collect();
        let sort = terms.sort(symbol);
        columns.extend(values.map(|values| Column { symbol, sort, values }));
    }
    columns
}

/// The numbers that the steps mention, in order.
fn constants(terms: &Terms, transition: &Transition) -> Vec<Rational> {
    let roots: Vec<_> = transition.state.iter().map(|var| var.next).collect();
    let all = terms.reachable(&roots, |_| false).into_iter();
    let mut constants: Vec<_> = all
        .filter_map(|id| match terms.get(id) {
            Term::Const(value @ (Value::Int(_) | Value::Real(_))) => number(value),
            _ => None,
        })
        .collect();
    constants.sort_unstable();
    constants.dedup();
    constants
}

impl Column {
    /// The samples in which a truth value is as wanted.
    fn rows(&self, wanted: bool) -> Vec<usize> {
        let is = |row: &usize| self.values[*row].is_zero() != wanted;
        (0..self.values.len()).filter(is).collect()
    }

    /// The same column in some samples.
    fn only(&self, rows: &[usize]) -> Column {
        let values = rows.iter().map(|row| self.values[*row].clone()).collect();
        Column { symbol: self.symbol, sort: self.sort, values }
    }

    fn literal(&self, terms: &mut Terms, value: &Rational) -> TermId {
        literal(terms, value, self.sort)
    }

    fn is(&self, terms: &mut Terms, value: &Rational) -> TermId {
        let literal = self.literal(terms, value);
        terms.eq(self.symbol, literal)
    }

    fn constant(&self, terms: &mut Terms) -> Option<TermId> {
        let first = &self.values[0];
        self.values.iter().all(|value| value == first).then(|| self.is(terms, first))
    }

    /// The values on both ends and how many samples have them.
    fn ends(&self) -> [(&Rational, usize); 2] {
        let count = |end| self.values.iter().filter(|value| *value == end).count();
        let low = self.values.iter().min().expect("there are samples");
        let high = self.values.iter().max().expect("there are samples");
        [(low, count(low)), (high, count(high))]
    }

    /// Bounds on which several samples lie, and those that the model's constants suggest: a
    /// counter that is compared with 20 may stop at 20 or 21 though it was only seen at 13.
    fn bounds(&self, terms: &mut Terms, thresholds: &[Rational]) -> Vec<TermId> {
        if self.sort == Sort::Bool {
            return Vec::new();
        }
        let one = Rational::from(&Int::from(1));
        let [(low, low_count), (high, high_count)] = self.ends();
        let mut lows: Vec<_> = (low_count >= ON_BOUND).then(|| low.clone()).into_iter().collect();
        let mut highs: Vec<_> =
            (high_count >= ON_BOUND).then(|| high.clone()).into_iter().collect();
        for below in thresholds.iter().rev().filter(|constant| *constant <= low).take(THRESHOLDS) {
            lows.extend([below.clone(), below.sub(&one)]);
        }
        for above in thresholds.iter().filter(|constant| *constant >= high).take(THRESHOLDS) {
            highs.extend([above.clone(), above.add(&one)]);
        }
        let mut bounds = Vec::new();
        for low in lows {
            let low = self.literal(terms, &low);
            bounds.push(terms.le(low, self.symbol));
        }
        for high in highs {
            let high = self.literal(terms, &high);
            bounds.push(terms.le(self.symbol, high));
        }
        bounds
    }

    /// The values in order, if they are few.
    fn few(&self, most: usize) -> Option<Vec<&Rational>> {
        let mut seen: Vec<&Rational> = Vec::new();
        for value in &self.values {
            if !seen.contains(&value) {
                seen.push(value);
            }
            if seen.len() > most {
                return None;
            }
        }
        seen.sort_unstable();
        Some(seen)
    }

    /// The few values that it has, if they leave gaps.
    fn set(&self, terms: &mut Terms) -> Option<TermId> {
        if self.sort == Sort::Bool {
            return None;
        }
        let few = self.few(SET_SIZE)?;
        let one = Rational::from(&Int::from(1));
        let gap = |pair: &[&Rational]| self.sort == Sort::Real || pair[0].add(&one) != *pair[1];
        if !few.windows(2).any(gap) {
            return None;
        }
        let cases: Vec<_> = few.into_iter().map(|value| self.is(terms, value)).collect();
        Some(terms.any(&cases))
    }

    /// What clauses are made of: truth values, few values each, ends of longer ranges.
    fn predicates(&self, terms: &mut Terms) -> Vec<Predicate> {
        let values = match (self.sort, self.few(4)) {
            (Sort::Bool, _) => {
                let one = Rational::from(&Int::from(1));
                let truth = self.values.iter().map(|value| *value == one).collect();
                return vec![Predicate { term: self.symbol, about: self.symbol, truth }];
            }
            (_, Some(few)) => few,
            (_, None) => {
                let often = |(end, count)| (count >= ON_BOUND).then_some(end);
                self.ends().into_iter().filter_map(often).collect()
            }
        };
        let predicate = |value: &Rational| Predicate {
            term: self.is(terms, value),
            about: self.symbol,
            truth: self.values.iter().map(|other| other == value).collect(),
        };
        values.into_iter().map(predicate).collect()
    }
}

fn literal(terms: &mut Terms, value: &Rational, sort: Sort) -> TermId {
    match sort {
        Sort::Bool => terms.bool(!value.is_zero()),
        Sort::Int => terms.constant(Value::Int(value.parts().0)),
        Sort::Real => terms.real(value.clone()),
    }
}

/// Integers, with the truth values, and reals.
fn hulls(columns: &[Column], is_over: &dyn Fn() -> bool) -> Vec<Affine> {
    let mut hulls = Vec::new();
    for sort in [Sort::Int, Sort::Real] {
        let among = |column: &&Column| {
            column.sort == sort || (sort == Sort::Int && column.sort == Sort::Bool)
        };
        let chosen: Vec<_> = columns.iter().filter(among).collect();
        if chosen.len() < 2 {
            continue;
        }
        let mut hull = Affine::new(chosen.iter().map(|column| column.symbol).collect(), sort);
        for row in 0..chosen[0].values.len() {
            // Without all samples it would claim too much.
            if is_over() {
                return hulls;
            }
            let values: Vec<_> =
                chosen.iter().map(|column| Value::Real(column.values[row].clone())).collect();
            hull.add(&values);
        }
        hulls.push(hull);
    }
    hulls
}

/// The columns that are not another one plus a constant, about which equations say all.
fn without_shifted<'c>(columns: &'c [Column], is_over: &dyn Fn() -> bool) -> Vec<&'c Column> {
    let mut kept: Vec<&Column> = Vec::new();
    for column in columns.iter().take_while(|_| !is_over()) {
        let shifted = |other: &&Column| {
            let difference = column.values[0].sub(&other.values[0]);
            let mut pairs = column.values.iter().zip(&other.values);
            column.sort == other.sort && pairs.all(|(x, y)| x.sub(y) == difference)
        };
        if !kept.iter().any(shifted) {
            kept.push(column);
        }
    }
    kept
}

/// For two predicates about different variables, each combination that was never seen though
/// `surprise` or more of them would be expected if they were independent.
fn clauses(
    terms: &mut Terms,
    columns: &[Column],
    surprise: f64,
    is_over: &dyn Fn() -> bool,
) -> Vec<TermId> {
    let columns = without_shifted(columns, is_over);
    let predicates: Vec<_> = columns.iter().flat_map(|column| column.predicates(terms)).collect();
    let mut found = Vec::new();
    for (index, a) in predicates.iter().enumerate().take_while(|_| !is_over()) {
        for b in predicates[..index].iter().filter(|b| b.about != a.about) {
            let mut counts = [[0_usize; 2]; 2];
            for (x, y) in a.truth.iter().zip(&b.truth) {
                counts[usize::from(*x)][usize::from(*y)] += 1;
            }
            for (x, y) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let expected = (counts[x][0] + counts[x][1]) * (counts[0][y] + counts[1][y]);
                if counts[x][y] == 0 && expected as f64 >= surprise * a.truth.len() as f64 {
                    found.push((expected, (a.term, x == 0), (b.term, y == 0)));
                }
            }
        }
    }
    found.sort_by_key(|(expected, ..)| std::cmp::Reverse(*expected));
    found.truncate(MAX_CLAUSES);
    let mut clause = |(_, a, b): (usize, (TermId, bool), (TermId, bool))| {
        let [a, b] = [a, b].map(|(term, positive)| if positive { term } else { terms.not(term) });
        terms.or(a, b)
    };
    found.into_iter().map(&mut clause).collect()
}

/// Bounds of `x - y` on which several samples lie and that the bounds of `x` and `y` do not
/// give; constant differences are equations already.
fn differences(terms: &mut Terms, columns: &[Column], is_over: &dyn Fn() -> bool) -> Vec<TermId> {
    let mut found = Vec::new();
    for x in columns.iter().filter(|x| x.sort != Sort::Bool).take_while(|_| !is_over()) {
        for y in columns.iter().filter(|y| y.sort == x.sort && y.symbol != x.symbol) {
            let all: Vec<_> = x.values.iter().zip(&y.values).map(|(x, y)| x.sub(y)).collect();
            let most = all.iter().max().expect("there are samples").clone();
            let count = all.iter().filter(|difference| **difference == most).count();
            let trivial = x.ends()[1].0.sub(y.ends()[0].0) == most;
            if count >= ON_BOUND && count < all.len() && !trivial {
                found.push((count, x.symbol, y.symbol, most, x.sort));
            }
        }
    }
    found.sort_by_key(|(count, ..)| std::cmp::Reverse(*count));
    found.truncate(MAX_DIFFERENCES);
    let mut bound = |(_, x, y, most, sort): (usize, TermId, TermId, Rational, Sort)| {
        let most = literal(terms, &most, sort);
        let sum = terms.add(y, most);
        terms.le(x, sum)
    };
    found.into_iter().map(&mut bound).collect()
}
