//! The solver trait over Z3.

use provoke_base::index::Id;
use provoke_model::{UnaryOp, Value};
use rustc_hash::FxHashMap;

use super::ffi::{self, Ast, Context, Failure, Model};
use super::library::Z3Library;
use super::translate::{Translator, literal};
use crate::interrupter::Interrupter;
use crate::solver::{Limit, Solver, SolverAnswer, UnknownReason};
use crate::term::{Sort, Term, TermId, Terms};

/// How Z3 works. What is best depends on how the problem is built, sometimes by a factor of
/// thirty: on a made-up system of timers, terms inlined down to the inputs were best with
/// relevancy and a solver for each check, and terms over named state variables with one solver
/// for all checks, whatever the relevancy.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Z3Options {
    /// Whether it considers only what can matter for the assumptions at hand.
    pub relevancy: bool,
    /// After so many checks the solver is made anew: it keeps what each left behind, and grows
    /// slower.
    pub checks_per_solver: u32,
}

impl Default for Z3Options {
    fn default() -> Z3Options {
        Z3Options { relevancy: true, checks_per_solver: 200 }
    }
}

/// Z3 in this process. One is used by one thread; several may run side by side.
pub struct Z3 {
    library: Z3Library,
    options: Z3Options,
    interrupter: Interrupter,
    asserted: Vec<TermId>,
    session: Option<Session>,
    core: Vec<TermId>,
    spent: u64,
}

/// What is lost when Z3 must start afresh.
struct Session {
    translator: Translator,
    solver: Option<LoadedSolver>,
    model: Option<Model>,
}

/// A solver and what it knows.
struct LoadedSolver {
    solver: ffi::Solver,
    asserted: usize,
    /// How many of the translator's definitions it knows.
    defined: usize,
    names: FxHashMap<TermId, Ast>,
    checks: u32,
}

impl Z3 {
    /// A solver without assertions.
    pub fn new(library: &Z3Library) -> Z3 {
        Z3::with_options(library, Z3Options::default(), Interrupter::new())
    }

    /// A solver without assertions that `interrupter` stops.
    pub fn with_options(library: &Z3Library, options: Z3Options, interrupter: Interrupter) -> Z3 {
        Z3 {
            library: library.clone(),
            options,
            interrupter,
            asserted: Vec::new(),
            session: None,
            core: Vec::new(),
            spent: 0,
        }
    }

    fn try_check(
        &mut self,
        terms: &Terms,
        assumptions: &[TermId],
        limit: Limit,
    ) -> Result<SolverAnswer, Failure> {
        let session = match &mut self.session {
            Some(session) => session,
            none => none.insert(Session::new(&self.library)?),
        };
        let mut loaded = session.load(terms, &self.asserted, self.options)?;
        let literals = loaded.literals(&mut session.translator, terms, assumptions)?;
        loaded.define(&session.translator)?;
        let asts: Vec<_> = literals.iter().map(|(_, ast)| ast.clone()).collect();
        let outcome = loaded.solver.check(&asts, limit, &self.interrupter)?;
        self.spent += u64::from(outcome.work);
        match outcome.verdict {
            Some(true) => {
                session.model = Some(loaded.solver.model()?);
                session.solver = Some(loaded);
                Ok(SolverAnswer::Sat)
            }
            Some(false) => {
                let core = loaded.solver.core()?;
                let contained = literals.into_iter().filter(|(_, ast)| core.contains(ast));
                self.core = contained.map(|(id, _)| id).collect();
                session.solver = Some(loaded);
                Ok(SolverAnswer::Unsat)
            }
            // The solver is not used again: a second try on it may end for another reason.
            None => {
                // After an interrupt not even the context is: what it left undone is unclear.
                if !matches!(outcome.reason, UnknownReason::Budget | UnknownReason::Incomplete(_)) {
                    self.session = None;
                }
                Ok(SolverAnswer::Unknown(outcome.reason))
            }
        }
    }
}

impl Solver for Z3 {
    fn assert(&mut self, _terms: &Terms, term: TermId) {
        self.asserted.push(term);
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId], limit: Limit) -> SolverAnswer {
        self.core.clear();
        if let Some(session) = &mut self.session {
            session.model = None;
        }
        if self.interrupter.is_interrupted() {
            return SolverAnswer::Unknown(UnknownReason::Interrupted);
        }
        if limit.rlimit == Some(0) {
            return SolverAnswer::Unknown(UnknownReason::Budget);
        }
        self.try_check(terms, assumptions, limit).unwrap_or_else(|failure| {
            self.session = None;
            SolverAnswer::Unknown(failure.into())
        })
    }

    fn value(&mut self, terms: &Terms, term: TermId) -> Option<Value> {
        let session = self.session.as_mut()?;
        let model = session.model.as_ref()?;
        let ast = session.translator.term(terms, term).ok()?;
        literal(&model.value(&ast).ok()?)
    }

    fn core(&self) -> Vec<TermId> {
        self.core.clone()
    }

    fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    fn spent(&self) -> Option<u64> {
        Some(self.spent)
    }
}

impl Session {
    fn new(library: &Z3Library) -> Result<Session, Failure> {
        let translator = Translator::new(Context::new(library.api, 0)?).naming_chains();
        Ok(Session { translator, solver: None, model: None })
    }

    /// A solver that knows all of `asserted`; the one of the last check when that still serves.
    fn load(
        &mut self,
        terms: &Terms,
        asserted: &[TermId],
        options: Z3Options,
    ) -> Result<LoadedSolver, Failure> {
        let mut loaded = match self.solver.take() {
            Some(loaded) if loaded.checks < options.checks_per_solver => loaded,
            _ => LoadedSolver::new(&self.translator.context, options)?,
        };
        for &term in &asserted[loaded.asserted..] {
            loaded.solver.assert(&self.translator.term(terms, term)?)?;
        }
        loaded.asserted = asserted.len();
        loaded.checks += 1;
        Ok(loaded)
    }
}

impl LoadedSolver {
    fn new(context: &Context, options: Z3Options) -> Result<LoadedSolver, Failure> {
        let solver = ffi::Solver::new(context, options.relevancy)?;
        Ok(LoadedSolver { solver, asserted: 0, defined: 0, names: FxHashMap::default(), checks: 0 })
    }

    /// Tells what the constants for long chains mean.
    fn define(&mut self, translator: &Translator) -> Result<(), Failure> {
        let definitions = &translator.definitions()[self.defined..];
        definitions.iter().try_for_each(|definition| self.solver.assert(definition))?;
        self.defined += definitions.len();
        Ok(())
    }

    /// The assumptions as Z3 takes them: constants and their negations. Others get a constant
    /// that implies them.
    fn literals(
        &mut self,
        translator: &mut Translator,
        terms: &Terms,
        assumptions: &[TermId],
    ) -> Result<Vec<(TermId, Ast)>, Failure> {
        let mut literals: Vec<(TermId, Ast)> = Vec::with_capacity(assumptions.len());
        for &id in assumptions {
            let ast = translator.term(terms, id)?;
            let literal = if is_literal(terms, id) { ast } else { self.name(translator, id, ast)? };
            literals.push((id, literal));
        }
        Ok(literals)
    }

    fn name(&mut self, translator: &Translator, id: TermId, ast: Ast) -> Result<Ast, Failure> {
        if let Some(name) = self.names.get(&id) {
            return Ok(name.clone());
        }
        let context = &translator.context;
        let name = context.named_bool(&format!("assume{}", id.index()))?;
        self.solver.assert(&context.implies(&name, &ast)?)?;
        self.names.insert(id, name.clone());
        Ok(name)
    }
}

fn is_literal(terms: &Terms, id: TermId) -> bool {
    match *terms.get(id) {
        Term::Symbol(_) => terms.sort(id) == Sort::Bool,
        Term::Unary(UnaryOp::Not, a) => matches!(terms.get(a), Term::Symbol(_)),
        _ => false,
    }
}
