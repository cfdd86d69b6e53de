//! Design errors decided: each is reached by a run that was replayed, proven absent, or unknown.
//!
//! The provers for properties do the work, on a system in which each design error is a truth value. What
//! they find is believed only if the model's own run shows it: exactly, by [`DesignReplay`], and for
//! numbers of 32 and 64 bits also by the [`FixedSimulator`], which computes what generated C does.

use std::time::Instant;

use provoke_analysis::machine_types;
use provoke_base::rounds::NoLedger;
use provoke_base::{Control, Error, IndexVec, SourceFile};
use provoke_criteria::design::{ArraySizes, watch};
use provoke_criteria::{
    DesignError, DesignErrorKind, DesignReplay, NumberLimits, design_errors, properties,
};
use provoke_files::Model;
use provoke_model::fixed::{Arithmetic, FixedValue};
use provoke_model::{
    ExprId, ExprKind, IntWidth, Step, Suite, System, TestCase, Type, Value, VarId,
};
use provoke_results::{
    DesignErrorInput, DesignErrorResult, DesignErrorWord, DesignErrorsResult, DesignVerdictWord,
    ListedDesignError, MachineIntWord, MachineRealWord, Word,
};
use provoke_sim::FixedSimulator;
use provoke_testgen::{GenerationResult, ObligationVerdict, ProofSummary};

use crate::generation::{GenerationJob, before_assumptions};
use crate::options::{IntegerWidth, MachineNumbers, MachineReal, WorkOptions};
use crate::tests::TestedModel;

/// What stands for a criterion where design errors are decided.
pub(crate) const ERRORS: &str = "errors";

/// How many last steps of a run are tried alone.
const MAX_SHORT: usize = 10;

/// What became of a design error.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DesignVerdict {
    /// It occurs in the last step of this run.
    Reached(Vec<Vec<Value>>),
    /// No run reaches it.
    Absent(ProofSummary),
    /// Neither is known.
    Unknown {
        /// Why, in a few words.
        reason: String,
        /// In this many first steps it does not occur.
        depth: usize,
    },
}

/// The design errors of a model, and what became of each.
#[derive(Clone, Debug)]
pub struct DesignFindings {
    /// The operations that may go wrong.
    pub errors: Vec<DesignError>,
    /// What became of each.
    pub verdicts: Vec<DesignVerdict>,
    /// The inputs without a range that errors which were reached depend on.
    pub unlimited: Vec<VarId>,
}

impl DesignFindings {
    /// A test for each design error that is reached; nothing is expected of it, since the model itself may
    /// have no value in its last step.
    pub fn suite(&self, system: &System) -> Suite {
        let mut suite = Suite::for_system(system, &[]);
        for (error, verdict) in self.errors.iter().zip(&self.verdicts) {
            if let DesignVerdict::Reached(steps) = verdict {
                let step =
                    |inputs: &Vec<Value>| Step { inputs: inputs.clone(), outputs: Vec::new() };
                suite.tests.push(TestCase {
                    name: format!("e{}", suite.tests.len() + 1),
                    covers: vec![error.id.clone()],
                    requirements: Vec::new(),
                    steps: steps.iter().map(step).collect(),
                });
            }
        }
        suite
    }

    /// What is told of it all.
    pub fn result(
        &self,
        file: &SourceFile,
        system: &System,
        numbers: MachineNumbers,
    ) -> DesignErrorsResult {
        let mut tests = 0;
        let mut list = Vec::new();
        for (error, verdict) in self.errors.iter().zip(&self.verdicts) {
            let mut result = described(file, error);
            match verdict {
                DesignVerdict::Reached(steps) => {
                    tests += 1;
                    result.verdict = DesignVerdictWord::Reached;
                    result.test = Some(format!("e{tests}"));
                    result.step = Some(steps.len());
                    result.inputs = inputs_shown(system, steps);
                }
                DesignVerdict::Absent(proof) => {
                    result.verdict = DesignVerdictWord::Absent;
                    result.engine = Some(proof.engine.clone());
                    (result.k, result.lemmas) = (Some(proof.k), Some(proof.lemmas));
                }
                DesignVerdict::Unknown { reason, depth } => {
                    (result.reason, result.depth) = (Some(reason.clone()), Some(*depth));
                }
            }
            list.push(result);
        }
        let (int, real) = (numbers.int.word(), numbers.real.word());
        let (int, real) = (MachineIntWord::of(int), MachineRealWord::of(real));
        let mut result = DesignErrorsResult::new(int, real, list);
        let name = |var: &VarId| system.vars[*var].name.clone();
        result.unlimited_inputs = self.unlimited.iter().map(name).collect();
        result
    }
}

/// The design errors that the tests of a suite reach; tests say nothing about the others.
pub(crate) fn reached_by_tests(
    subject: &TestedModel,
    numbers: MachineNumbers,
) -> DesignErrorsResult {
    let TestedModel { file, system, tests, .. } = subject;
    let (limits, sizes) = (numbers.limits(), array_sizes(file, &WorkOptions::default()));
    let errors = design_errors(system, &limits, &sizes);
    let unknown = DesignVerdict::Unknown { reason: NOT_REACHED.to_string(), depth: 0 };
    let mut verdicts = vec![unknown; errors.len()];
    let mut names: Vec<Option<String>> = vec![None; errors.len()];
    let mut replay = DesignReplay::new(system, &errors, &limits, &sizes);
    for (inputs, test) in tests.iter().zip(&subject.suite.tests) {
        for (step, error) in replay.run(inputs) {
            if names[error].is_none() {
                names[error] = Some(test.name.clone());
                verdicts[error] = DesignVerdict::Reached(inputs[..step].to_vec());
            }
        }
    }
    let findings = DesignFindings { errors, verdicts, unlimited: Vec::new() };
    let mut result = findings.result(file, system, numbers);
    for (error, name) in result.list.iter_mut().zip(names) {
        error.test = name;
        error.depth = None;
    }
    result
}

/// What a folder says of design errors, where each that is reached is reached again: a report claims only
/// what it saw.
pub fn replayed(
    model: &Model,
    assumptions: &[String],
    mut told: DesignErrorsResult,
) -> DesignErrorsResult {
    let Model { file, system } = model;
    let int = IntegerWidth::named(told.int.word()).unwrap_or_default();
    let real = MachineReal::named(told.real.word()).unwrap_or_default();
    let limits = MachineNumbers { int, real }.limits();
    let work = WorkOptions { assume: assumptions.to_vec(), ..WorkOptions::default() };
    let sizes = array_sizes(file, &work);
    let errors = design_errors(system, &limits, &sizes);
    let mut replay = DesignReplay::new(system, &errors, &limits, &sizes);
    for result in told.list.iter_mut().filter(|one| one.verdict == DesignVerdictWord::Reached) {
        let steps = steps_told(system, &result.inputs, result.step.unwrap_or(0));
        let seen = steps.map(|steps| replay.run(&steps));
        let is_it = |(step, error): &(usize, usize)| {
            Some(*step) == result.step && errors[*error].id == result.id
        };
        if !seen.unwrap_or_default().iter().any(is_it) {
            result.verdict = DesignVerdictWord::Unknown;
            result.reason = Some("its run does not show it".to_string());
        }
    }
    let counted = DesignErrorsResult::new(told.int, told.real, told.list);
    let DesignErrorsResult { unlimited_inputs, suite, .. } = told;
    DesignErrorsResult { unlimited_inputs, suite, ..counted }
}

/// The steps of a run as it is told; `None` if it is no run of the model.
fn steps_told(
    system: &System,
    inputs: &[DesignErrorInput],
    length: usize,
) -> Option<Vec<Vec<Value>>> {
    let value = |step: usize, (var, input): (&VarId, &DesignErrorInput)| {
        let var = &system.vars[*var];
        let told = input.values.get(step).filter(|_| var.name == input.name)?;
        Value::parse(told, var.ty, &system.enums)
    };
    let row = |step: usize| -> Option<Vec<Value>> {
        system.inputs.iter().zip(inputs).map(|both| value(step, both)).collect()
    };
    let is_whole = inputs.len() == system.inputs.len();
    (0..length).map(row).collect::<Option<_>>().filter(|_| is_whole)
}

/// The operations that may go wrong in a machine's numbers.
pub(crate) fn listed_errors(
    file: &SourceFile,
    system: &System,
    numbers: MachineNumbers,
) -> Vec<ListedDesignError> {
    let sizes = array_sizes(file, &WorkOptions::default());
    let errors = design_errors(system, &numbers.limits(), &sizes);
    let listed = |error: &DesignError| {
        let DesignErrorResult { id, kind, expression, line, column, instance, .. } =
            described(file, error);
        ListedDesignError { id, kind, expression, line, column, instance }
    };
    errors.iter().map(listed).collect()
}

/// Why a design error is unknown that no test reaches.
const NOT_REACHED: &str = "no test of the suite reaches it";

/// A design error of which nothing is known.
pub(crate) fn described(file: &SourceFile, error: &DesignError) -> DesignErrorResult {
    let place = file.line_column(error.span.start);
    DesignErrorResult {
        id: error.id.clone(),
        kind: DesignErrorWord::of(error.kind.word()),
        expression: error.text.clone(),
        line: place.line,
        column: place.column,
        instance: error.instance.clone(),
        verdict: DesignVerdictWord::Unknown,
        test: None,
        step: None,
        inputs: Vec::new(),
        engine: None,
        k: None,
        lemmas: None,
        reason: None,
        depth: None,
    }
}

fn inputs_shown(system: &System, steps: &[Vec<Value>]) -> Vec<DesignErrorInput> {
    let shown = |(position, var): (usize, &VarId)| {
        let var = &system.vars[*var];
        let value = |row: &Vec<Value>| row[position].show(var.ty, &system.enums);
        DesignErrorInput { name: var.name.clone(), values: steps.iter().map(value).collect() }
    };
    system.inputs.iter().enumerate().map(shown).collect()
}

/// Decides the design errors of a model.
pub fn decide_design_errors(
    model: &Model,
    limits: &NumberLimits,
    work: &WorkOptions,
    control: &Control,
) -> Result<DesignFindings, Error> {
    let sizes = array_sizes(&model.file, work);
    let errors = design_errors(&model.system, limits, &sizes);
    if errors.is_empty() {
        return Ok(DesignFindings { errors, verdicts: Vec::new(), unlimited: Vec::new() });
    }
    let watched = watch(&model.system, &errors, limits, &sizes).system;
    let found = search(&model.file, watched, work, control)?;
    let mut check = ReachedCheck::new(&model.system, &errors, limits, &sizes);
    let verdicts: Vec<DesignVerdict> =
        (0..errors.len()).map(|position| check.verdict(&found, position)).collect();
    let reached = (0..errors.len()).filter(|at| matches!(verdicts[*at], DesignVerdict::Reached(_)));
    let unlimited = unlimited_inputs(&model.system, reached.map(|at| &errors[at]));
    Ok(DesignFindings { errors, verdicts, unlimited })
}

/// How many elements arrays have whose index is computed.
pub fn array_sizes(file: &SourceFile, work: &WorkOptions) -> ArraySizes {
    let text = before_assumptions(&file.text, &work.assume);
    let accesses = provoke_lustre::array_accesses(&SourceFile::new(file.name.as_str(), text));
    accesses.into_iter().map(|access| (access.span, access.size)).collect()
}

fn search(
    file: &SourceFile,
    watched: System,
    work: &WorkOptions,
    control: &Control,
) -> Result<GenerationResult, Error> {
    // They need no workers: most are decided together.
    let work = WorkOptions { workers: None, store: None, ..work.clone() };
    let mut job = GenerationJob::new(file.clone(), watched, &work);
    job.obligations = properties(&job.system);
    job.criterion = ERRORS.to_string();
    job.generate(Instant::now(), control, &NoLedger)
}

/// Believes that an error is reached only after the model's own run showed it.
struct ReachedCheck<'a> {
    system: &'a System,
    errors: &'a [DesignError],
    limits: &'a NumberLimits,
    replay: DesignReplay<'a>,
}

impl<'a> ReachedCheck<'a> {
    fn new(
        system: &'a System,
        errors: &'a [DesignError],
        limits: &'a NumberLimits,
        sizes: &ArraySizes,
    ) -> ReachedCheck<'a> {
        let replay = DesignReplay::new(system, errors, limits, sizes);
        ReachedCheck { system, errors, limits, replay }
    }

    fn verdict(&mut self, found: &GenerationResult, position: usize) -> DesignVerdict {
        let unknown =
            |reason: &str| DesignVerdict::Unknown { reason: reason.to_string(), depth: 0 };
        match &found.outcomes[position] {
            ObligationVerdict::Infeasible(proof) => DesignVerdict::Absent(proof.clone()),
            ObligationVerdict::Unknown { reason, depth } => {
                DesignVerdict::Unknown { reason: reason.clone(), depth: *depth }
            }
            ObligationVerdict::Covered(test) => {
                let steps = &found.tests[*test].steps;
                let seen = self.replay.run(steps).into_iter().find(|(_, error)| *error == position);
                match seen {
                    None => unknown("it occurs only for some values of what is undefined"),
                    Some((step, _)) if !self.machine_agrees(&steps[..step], position) => {
                        unknown("it occurs with exact reals, and rounding hides it")
                    }
                    Some((step, _)) => {
                        DesignVerdict::Reached(self.shortened(&steps[..step], position))
                    }
                }
            }
        }
    }

    /// The last few steps of a run, if they reach an error from the initial state as well.
    fn shortened(&mut self, steps: &[Vec<Value>], position: usize) -> Vec<Vec<Value>> {
        for length in 1..steps.len().min(MAX_SHORT) {
            let last = &steps[steps.len() - length..];
            let is_seen = self.replay.run(last).contains(&(length, position));
            if is_seen && self.machine_agrees(last, position) {
                return last.to_vec();
            }
        }
        steps.to_vec()
    }

    /// Whether the machine's numbers show the same error in the last of some steps, where they can.
    fn machine_agrees(&self, steps: &[Vec<Value>], position: usize) -> bool {
        let error = &self.errors[position];
        let is_seen = matches!(
            error.kind,
            DesignErrorKind::Overflow | DesignErrorKind::DivisionByZero | DesignErrorKind::Infinity
        );
        let Some(arithmetic) =
            arithmetic(self.limits).filter(|it| is_seen && fits(self.system, *it))
        else {
            return true;
        };
        let is_computed = self.system.equations.iter().map(|equation| equation.expr);
        let computed: Vec<ExprId> = is_computed.collect();
        let is_here = |site: &ExprId| contains(self.system, &computed, *site);
        let sites: Vec<ExprId> = error.exprs().filter(is_here).collect();
        if sites.is_empty() {
            return true;
        }
        let mut machine = FixedSimulator::new(self.system, arithmetic);
        let width =
            |var: &VarId| self.system.vars[*var].machine.map_or(arithmetic.int, IntWidth::Machine);
        let word = |(var, value): (&VarId, &Value)| {
            Arithmetic { int: width(var), ..arithmetic }.word(value)
        };
        for row in steps {
            let words: Option<Vec<FixedValue>> =
                self.system.inputs.iter().zip(row).map(word).collect();
            let Some(words) = words else { return false };
            machine.step(&words);
        }
        let shown = |site: &ExprId| {
            machine.all_inexact().iter().any(|it| it.expr == *site && it.step == steps.len())
        };
        sites.iter().any(shown)
    }
}

/// The machine's numbers, for widths that machines have.
fn arithmetic(limits: &NumberLimits) -> Option<Arithmetic> {
    let int = [IntWidth::Bits32, IntWidth::Bits64];
    let int = int.into_iter().find(|width| u32::from(width.machine().bits) == limits.int_bits)?;
    Some(Arithmetic { int, real: limits.real })
}

/// Whether the machine holds all constants of a model.
fn fits(system: &System, arithmetic: Arithmetic) -> bool {
    let types = machine_types(system);
    system.exprs.entries().all(|(id, expr)| match &expr.kind {
        ExprKind::Const(value) => {
            let int = types[id].map_or(arithmetic.int, IntWidth::Machine);
            Arithmetic { int, ..arithmetic }.word(value).is_some()
        }
        _ => true,
    })
}

/// Whether an expression is part of one of these, or of what they remember.
fn contains(system: &System, roots: &[ExprId], expr: ExprId) -> bool {
    let mut open = roots.to_vec();
    while let Some(at) = open.pop() {
        if at == expr {
            return true;
        }
        // Operands come before what they are part of.
        open.extend(system.exprs[at].kind.operands().filter(|operand| *operand >= expr));
    }
    false
}

/// The integers and reals without limits among the inputs that errors depend on: to declare a range, or
/// to assume one, may be all that is missing.
fn unlimited_inputs<'e>(
    system: &System,
    errors: impl Iterator<Item = &'e DesignError>,
) -> Vec<VarId> {
    let mut definitions: IndexVec<VarId, Option<ExprId>> =
        IndexVec::repeat(None, system.vars.len());
    for equation in &system.equations {
        definitions[equation.var] = Some(equation.expr);
    }
    let mut open: Vec<ExprId> = errors.flat_map(DesignError::exprs).collect();
    let mut seen: IndexVec<ExprId, bool> = IndexVec::repeat(false, system.exprs.len());
    let mut read: IndexVec<VarId, bool> = IndexVec::repeat(false, system.vars.len());
    while let Some(at) = open.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        match system.exprs[at].kind {
            ExprKind::Var(var) => {
                read[var] = true;
                open.extend(definitions[var]);
            }
            ref kind => open.extend(kind.operands()),
        }
    }
    let is_unlimited = |var: &VarId| {
        let declared = &system.vars[*var];
        let is_number = matches!(declared.ty, Type::Int | Type::Real);
        read[*var] && is_number && declared.range.is_none()
    };
    system.inputs.iter().copied().filter(is_unlimited).collect()
}
