//! Spacer, the engine of Z3 that decides reachability.

use provoke_base::IndexVec;
use provoke_base::index::Id;

use super::ffi::{Ast, Context, Failure, Fixedpoint, rlimit_of};
use super::library::Z3Library;
use super::translate::{Reader, Translator, facts};
use crate::horn::{Atom, Fact, Horn, HornAnswer, HornRule, RelationId};
use crate::interrupter::Interrupter;
use crate::solver::{Limit, UnknownReason};
use crate::term::{TermId, Terms};

/// Answers queries about [`Horn`], each from scratch.
pub struct Spacer {
    library: Z3Library,
    interrupter: Interrupter,
    spent: u64,
}

/// A problem as Z3 has it.
struct Problem {
    fixedpoint: Fixedpoint,
    translator: Translator,
    relations: IndexVec<RelationId, Ast>,
}

impl Spacer {
    /// An engine that `interrupter` stops.
    pub fn new(library: &Z3Library, interrupter: Interrupter) -> Spacer {
        Spacer { library: library.clone(), interrupter, spent: 0 }
    }

    /// The work done so far, in the units of [`Limit::work`].
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Whether `goal` holds for some arguments. Invariants are added to `terms`.
    pub fn query(
        &mut self,
        horn: &Horn,
        terms: &mut Terms,
        goal: RelationId,
        limit: Limit,
    ) -> HornAnswer {
        if self.interrupter.is_interrupted() {
            return HornAnswer::Unknown(UnknownReason::Interrupted);
        }
        if limit.rlimit == Some(0) {
            return HornAnswer::Unknown(UnknownReason::Budget);
        }
        self.try_query(horn, terms, goal, limit)
            .unwrap_or_else(|failure| HornAnswer::Unknown(failure.into()))
    }

    fn try_query(
        &mut self,
        horn: &Horn,
        terms: &mut Terms,
        goal: RelationId,
        limit: Limit,
    ) -> Result<HornAnswer, Failure> {
        // A context for each query: an interrupt would stay pending in it. The limit is
        // given to the context because old versions know no other place for it.
        let context = Context::new(self.library.api, rlimit_of(limit))?;
        let mut problem = Problem::new(context, horn, terms)?;
        problem.add_rules(horn, terms)?;
        let query = problem.some(goal, &horn.relations[goal], terms)?;
        let outcome = problem.fixedpoint.query(&query, limit, &self.interrupter);
        self.spent += u64::from(outcome.work);
        Ok(match outcome.verdict {
            Some(true) => HornAnswer::Reachable(problem.path(horn).unwrap_or_default()),
            Some(false) => HornAnswer::Unreachable(problem.invariants(horn, terms)?),
            None => HornAnswer::Unknown(outcome.reason),
        })
    }
}

impl Problem {
    fn new(context: Context, horn: &Horn, terms: &Terms) -> Result<Problem, Failure> {
        let fixedpoint = Fixedpoint::new(&context)?;
        let declare = |(id, parameters): (RelationId, &Vec<TermId>)| {
            let sorts: Vec<_> = parameters.iter().map(|term| terms.sort(*term)).collect();
            let relation = context.relation(id.index() as u32, &sorts)?;
            fixedpoint.register(&relation)?;
            Ok(relation)
        };
        let relations = horn.relations.entries().map(declare).collect::<Result<_, _>>()?;
        Ok(Problem { fixedpoint, translator: Translator::new(context), relations })
    }

    fn add_rules(&mut self, horn: &Horn, terms: &mut Terms) -> Result<(), Failure> {
        for (number, rule) in horn.rules.iter().enumerate() {
            let rule = self.rule(rule, terms)?;
            self.fixedpoint.add_rule(&rule, number as u32)?;
        }
        Ok(())
    }

    fn rule(&mut self, rule: &HornRule, terms: &mut Terms) -> Result<Ast, Failure> {
        let mut roots = vec![rule.condition];
        roots.extend(rule.premises.iter().chain([&rule.conclusion]).flat_map(|a| &a.arguments));
        let symbols = terms.symbols_in(&roots);
        let symbols: Vec<_> = symbols.into_iter().map(|id| terms.symbol_term(id)).collect();
        let mut body = vec![self.translator.term(terms, rule.condition)?];
        for premise in &rule.premises {
            body.push(self.atom(premise, terms)?);
        }
        let head = self.atom(&rule.conclusion, terms)?;
        let bound = self.translator.terms(terms, &symbols)?;
        let context = &self.translator.context;
        let implication = context.implies(&context.all(&body)?, &head)?;
        context.forall(&bound, implication)
    }

    fn atom(&mut self, atom: &Atom, terms: &Terms) -> Result<Ast, Failure> {
        let arguments = self.translator.terms(terms, &atom.arguments)?;
        self.translator.context.apply(&self.relations[atom.relation], &arguments)
    }

    /// `relation` holds for some values of its parameters.
    fn some(
        &mut self,
        relation: RelationId,
        parameters: &[TermId],
        terms: &Terms,
    ) -> Result<Ast, Failure> {
        let bound = self.translator.terms(terms, parameters)?;
        let context = &self.translator.context;
        context.exists(&bound, context.apply(&self.relations[relation], &bound)?)
    }

    fn path(&self, horn: &Horn) -> Result<Vec<Fact>, Failure> {
        facts(&self.fixedpoint.answer()?, horn)
    }

    fn invariants(
        &self,
        horn: &Horn,
        terms: &mut Terms,
    ) -> Result<IndexVec<RelationId, TermId>, Failure> {
        let read = |(id, parameters): (RelationId, &Vec<TermId>)| {
            let invariant = self.fixedpoint.invariant(&self.relations[id])?;
            Reader::new(terms, parameters).term(&invariant)
        };
        horn.relations.entries().map(read).collect()
    }
}
