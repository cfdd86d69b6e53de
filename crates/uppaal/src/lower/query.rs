//! Queries.

use super::operand::{Operand, negated};
use super::{Lowered, Lowerer, error};
use crate::ast::{self, Binary, Expr as Tree, PathKind};
use crate::network::{
    Chance, Condition, Extreme, ExtremeOperand, Number, PlottedValue, Query, Question, RunBound,
    RunMeasure,
};
use crate::parse;
use crate::text::Text;
use crate::xml::{Document, QueryText};

/// More runs than this are not believed to be meant.
const MAX_RUNS: i64 = 1_000_000_000;

impl Lowerer {
    pub(super) fn queries(&mut self, document: &Document) {
        for query in &document.queries {
            let query = self.query(query);
            self.network.queries.push(query);
        }
    }

    /// A query that is not in the file.
    pub(super) fn own_query(&mut self, query: &str) -> Option<provoke_base::Diagnostic> {
        let text = Text::plain(query);
        let question = self.question(&text);
        let diagnostic = question.as_ref().err().cloned();
        self.network.queries.push(Query {
            text: query.split_whitespace().collect::<Vec<_>>().join(" "),
            span: provoke_base::Span::default(),
            comment: String::new(),
            outcome: None,
            question: question.map_err(|diagnostic| diagnostic.message),
        });
        diagnostic
    }

    /// A query that cannot be asked is no error of the model: the answer says why.
    fn query(&mut self, query: &QueryText) -> Query {
        let text = &query.formula;
        let question = self.question(text);
        if let Err(diagnostic) = &question {
            let mut warning = diagnostic.clone();
            warning.severity = provoke_base::Severity::Warning;
            self.diagnostics.push(warning);
        }
        let shown = text.text.split_whitespace().collect::<Vec<_>>().join(" ");
        Query {
            text: shown,
            span: text.whole(),
            comment: query.comment.clone(),
            outcome: query.outcome.clone(),
            question: question.map_err(|diagnostic| diagnostic.message),
        }
    }

    fn question(&mut self, text: &Text) -> Lowered<Question> {
        let tree = parse::query(text)?;
        // What a query says of simulation concerns the query alone.
        let before = self.network.simulation_only.len();
        let question = self.asked(&tree, text);
        let found: Vec<_> = self.network.simulation_only.drain(before..).collect();
        let question = question?;
        let symbolic = matches!(
            question,
            Question::Possibly(_)
                | Question::Always(_)
                | Question::PotentiallyAlways(..)
                | Question::Eventually(..)
                | Question::LeadsTo(..)
                | Question::Extreme(_)
        );
        match found.into_iter().next() {
            Some((span, what)) if symbolic => {
                Err(error("unsupported", span, format!("{what} is for simulation only")))
            }
            _ => Ok(question),
        }
    }

    fn asked(&mut self, tree: &ast::Query, text: &Text) -> Lowered<Question> {
        Ok(match tree {
            ast::Query::Path(kind, tree) => {
                let condition = self.condition(tree)?;
                let opposite = negated(condition.clone());
                match kind {
                    PathKind::Possibly => Question::Possibly(condition),
                    PathKind::Always => Question::Always(opposite),
                    PathKind::PotentiallyAlways => Question::PotentiallyAlways(condition, opposite),
                    PathKind::Eventually => Question::Eventually(condition, opposite),
                }
            }
            ast::Query::LeadsTo(from, to) => {
                let (from, to) = (self.condition(from)?, self.condition(to)?);
                let opposite = negated(to.clone());
                Question::LeadsTo(from, to, opposite)
            }
            ast::Query::Bounds(sup, condition, of) => {
                let condition = match condition {
                    Some(condition) => self.condition(condition)?,
                    None => Condition::truth(),
                };
                let of = of.iter().map(|tree| self.measured(tree)).collect::<Lowered<_>>()?;
                Question::Extreme(Extreme { sup: *sup, condition, of })
            }
            ast::Query::Probability(chance, None) => Question::Probability(self.chance(chance)?),
            ast::Query::Probability(chance, Some((operator, bound))) => {
                if !(0.0..=1.0).contains(bound) {
                    let message = format!("{bound} is no probability");
                    return Err(error("range", text.whole(), message));
                }
                Question::Hypothesis(self.chance(chance)?, *operator == Binary::Ge, *bound)
            }
            ast::Query::Comparison(pair) => {
                Question::Comparison(self.chance(&pair.0)?, self.chance(&pair.1)?)
            }
            ast::Query::Expectation(bound, max, tree) => {
                let bound = self.run_bound(bound)?;
                Question::Expectation(bound, *max, self.number(tree)?)
            }
            ast::Query::Simulate(bound, shown) => {
                let bound = self.run_bound(bound)?;
                let shown =
                    shown.iter().map(|tree| self.shown(tree, text)).collect::<Lowered<_>>()?;
                Question::Simulate(bound, shown)
            }
        })
    }

    fn measured(&mut self, tree: &Tree) -> Lowered<ExtremeOperand> {
        match self.operand(tree)? {
            Operand::Int(expr) => Ok(ExtremeOperand::Int(expr)),
            Operand::Linear(mut plus, minus, crate::network::NetworkExpr::Int(0))
                if plus.len() == 1 && minus.is_empty() =>
            {
                Ok(ExtremeOperand::Clock(plus.remove(0)))
            }
            _ => Err(error("type", tree.span, "expected a clock or an integer")),
        }
    }

    fn chance(&mut self, tree: &ast::Chance) -> Lowered<Chance> {
        Ok(Chance {
            bound: self.run_bound(&tree.bound)?,
            eventually: tree.eventually,
            condition: self.condition(&tree.condition)?,
        })
    }

    fn run_bound(&mut self, tree: &ast::RunBound) -> Lowered<RunBound> {
        let measure = match &tree.measure {
            ast::Measure::Time => RunMeasure::Time,
            ast::Measure::Steps => RunMeasure::Steps,
            ast::Measure::Clock(clock) => RunMeasure::Clock(self.clock_ref(clock)?),
        };
        let limit = self.number(&tree.limit)?;
        let limit = self.known_number(&limit, tree.limit.span)?;
        let runs = match &tree.runs {
            Some(tree) => {
                let runs = self.constant(tree)?;
                if !(1..=MAX_RUNS).contains(&runs) {
                    return Err(error("range", tree.span, format!("{runs} runs")));
                }
                Some(runs as u64)
            }
            None => None,
        };
        Ok(RunBound { measure, limit, runs })
    }

    fn shown(&mut self, tree: &Tree, text: &Text) -> Lowered<PlottedValue> {
        let value: Number = self.number(tree)?;
        Ok(PlottedValue { name: text.shown(tree.span), value })
    }
}
