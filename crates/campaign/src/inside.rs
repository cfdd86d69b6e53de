//! One system through the libraries: everything that is said of it is held against the judge.

use provoke_base::rounds::NoLedger;
use provoke_base::{Random, SourceFile};
use provoke_criteria::{
    Counting, Criterion, ExactChange, ExactMeasurement, Masking, Measurement, Obligation,
    ObligationKind, Oracle, obligations, properties,
};
use provoke_lustre::{load, print, transform};
use provoke_model::{ExprId, System, Value};
use provoke_mutate::FaultForm;
use provoke_sim::interpreter::delays;
use provoke_sim::{Breach, Dense, SimState, Simulator, run};
use provoke_solve::Effort;
use provoke_solve::Limit;
use provoke_solve::engine::{Backend, Engine};
use provoke_testgen::{
    EvidenceRule, GenerationMethod, GenerationResult, ObligationVerdict, Redundancy,
    StrategyOptions, generate,
};
use provoke_testkit::random_model::Model;

use crate::chain;
use crate::counts::Counts;
use crate::judge::{Goal, Reading, Space, Verdicts, judge};
use crate::mutants;

/// Which engines are asked how often: those that start no solver are the quickest.
const ENGINES: [Engine; 8] = {
    use Engine::{All, Bmc, Explicit, KInduction, Pdr};
    [Bmc, KInduction, Pdr, All, Explicit, Explicit, Explicit, Explicit]
};

/// How many obligations of a system are asked for.
const OBLIGATIONS: usize = 5;
/// How many characters are told of what is wrong.
const MAX_DETAIL: usize = 4_000;

/// Something that is wrong: what kind of thing, and what exactly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Wrong {
    pub(crate) kind: String,
    pub(crate) detail: String,
    /// What a user types to see it, without the name of the model.
    pub(crate) command: String,
}

impl Wrong {
    pub(crate) fn new(kind: &str, command: &str, detail: impl Into<String>) -> Wrong {
        let mut detail: String = detail.into();
        // Numbers can have thousands of digits.
        if let Some((end, _)) = detail.char_indices().nth(MAX_DETAIL) {
            detail.truncate(end);
            detail.push_str(" ...");
        }
        Wrong { kind: kind.to_string(), command: command.to_string(), detail }
    }
}

/// What is done with a system; the same for the same number.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Course {
    pub(crate) seed: u64,
    pub(crate) engine: Engine,
    pub(crate) proving_engine: Engine,
    pub(crate) proving_method: GenerationMethod,
    pub(crate) method: GenerationMethod,
    pub(crate) criterion: Criterion,
    pub(crate) evidence: EvidenceRule,
    pub(crate) mutants: bool,
    pub(crate) chain: bool,
}

impl Course {
    pub(crate) fn draw(seed: u64) -> Course {
        let mut random = Random::for_part(seed, "course");
        let criterion = *random.pick(&Criterion::ALL);
        let effects = |step, stuck| EvidenceRule::Effects { step, stuck };
        let evidence =
            [EvidenceRule::Tags, effects(true, true), effects(true, false), effects(false, true)];
        let evidence = *random.pick(&evidence);
        Course {
            seed,
            engine: *random.pick(&ENGINES),
            proving_engine: *random.pick(&ENGINES),
            proving_method: *random.pick(&[GenerationMethod::Hybrid, GenerationMethod::Regular]),
            method: *random.pick(&GenerationMethod::ALL),
            criterion,
            evidence: if criterion.observable { evidence } else { EvidenceRule::Tags },
            mutants: random.chance(1, 50),
            chain: random.chance(1, 30),
        }
    }
}

/// Does the course with a model.
pub(crate) fn check(
    model: &Model,
    course: Course,
    backend: &Backend,
    counts: &mut Counts,
) -> Result<(), Wrong> {
    let file = SourceFile::new("model.lus", model.to_string());
    let loaded = load(&file, None);
    let Some(system) = loaded.system else {
        let message = loaded.diagnostics.first().map(|d| d.render(&file, false));
        return Err(Wrong::new("rejected", "check", message.unwrap_or_default()));
    };
    counts.add("systems");
    counts.add_features(model);
    let mut random = Random::for_part(course.seed, "inputs");
    counts.timed("simulate", |_| simulators_agree(&system, &mut random))?;
    counts.timed("transform", |_| transformed_alike(&system, &mut random))?;
    let space = Space::new(&system, &mut random);
    let claims = properties(&system);
    let wanted = some(obligations(&system, course.criterion, Counting::Published), &mut random);
    let goals: Vec<Goal> = claims.iter().chain(&wanted).map(Goal::of).collect();
    let verdicts = counts.timed("judge", |_| judge(&space, &goals));
    counts.add_if(space.has_undefined, "with undefined values");
    counts.add_if(verdicts.has_dead_end, "with dead ends");
    counts.add_if(verdicts.has_fault, "with faults");
    counts.add_if(verdicts.is_complete, "enumerated completely");
    let subject = Subject { system: &system, space: &space, verdicts: &verdicts, course, backend };
    counts.timed("prove", |counts| subject.prove(&claims, counts))?;
    counts.timed("generate", |counts| subject.generate(&wanted, claims.len(), counts))?;
    if course.mutants {
        counts.timed("mutate", |counts| mutants::check(&subject, &file, counts))?;
    }
    if course.chain {
        chain::check(&subject, &file, counts)?;
    }
    Ok(())
}

/// A few obligations: many systems tell more than many obligations of one.
fn some(mut all: Vec<Obligation>, random: &mut Random) -> Vec<Obligation> {
    while all.len() > OBLIGATIONS {
        all.swap_remove(random.below(all.len()));
    }
    all
}

/// A system with all that is known of it.
pub(crate) struct Subject<'a> {
    pub(crate) system: &'a System,
    pub(crate) space: &'a Space<'a>,
    pub(crate) verdicts: &'a Verdicts,
    pub(crate) course: Course,
    pub(crate) backend: &'a Backend,
}

impl Subject<'_> {
    fn options(
        &self,
        method: GenerationMethod,
        engine: Engine,
        evidence: EvidenceRule,
    ) -> StrategyOptions {
        StrategyOptions {
            method,
            masking: Masking::Strict,
            oracle: Oracle::Outputs,
            evidence,
            fill: Default::default(),
            fallback: true,
            seed: self.course.seed,
            jobs: 1,
            given: Vec::new(),
            simulated_steps: 40,
            steps_found: Default::default(),
            engine,
            learning: limit(50_000),
            efforts: efforts(self.course.seed.is_multiple_of(4)),
        }
    }

    fn run(&self, wanted: &[Obligation], options: &StrategyOptions) -> GenerationResult {
        let backend = Some(self.backend);
        generate(self.system, wanted, options, backend, &NoLedger, &|| false, &mut |_| {})
    }

    fn prove(&self, claims: &[Obligation], counts: &mut Counts) -> Result<(), Wrong> {
        let Course { proving_engine: engine, proving_method, .. } = self.course;
        let command = format!("prove --prover {}", engine.word());
        let found = self.run(claims, &self.options(proving_method, engine, EvidenceRule::Tags));
        for (at, outcome) in found.outcomes.iter().enumerate() {
            match outcome {
                ObligationVerdict::Covered(_) => counts.add("properties violated"),
                ObligationVerdict::Infeasible(proof) => {
                    counts.add("properties that hold");
                    counts.add_proof(&proof.engine);
                }
                ObligationVerdict::Unknown { .. } => counts.add("properties unknown"),
            }
            self.compare(at, &claims[at], outcome, "property", &command)?;
        }
        self.replay(claims, &found, "property", &command)
    }

    fn generate(
        &self,
        wanted: &[Obligation],
        offset: usize,
        counts: &mut Counts,
    ) -> Result<(), Wrong> {
        let Course { method, engine, evidence, criterion, .. } = self.course;
        let command = format!(
            "generate -c {criterion} --method {} --prover {}{}",
            method.word(),
            engine.word(),
            match evidence {
                EvidenceRule::Tags => " --as-published",
                EvidenceRule::Effects { step: true, stuck: true } => "",
                EvidenceRule::Effects { step: true, .. } => " --exact step",
                EvidenceRule::Effects { .. } => " --exact stuck",
            }
        );
        counts.add(&format!("generated by {}", method.word()));
        let found = self.run(wanted, &self.options(method, engine, evidence));
        for (at, outcome) in found.outcomes.iter().enumerate() {
            match outcome {
                ObligationVerdict::Covered(_) => counts.add("obligations covered"),
                ObligationVerdict::Infeasible(proof) => {
                    counts.add("obligations infeasible");
                    counts.add_proof(&proof.engine);
                }
                ObligationVerdict::Unknown { .. } => counts.add("obligations unknown"),
            }
            if !criterion.observable {
                self.compare(offset + at, &wanted[at], outcome, "obligation", &command)?;
            }
        }
        match evidence {
            EvidenceRule::Tags => {
                self.replay(wanted, &found, "obligation", &command)?;
                self.no_test_covers_the_infeasible(wanted, &found, &command)
            }
            EvidenceRule::Effects { .. } => self.replay_effects(wanted, &found, &command, counts),
        }
    }

    /// Holds an outcome against the judge's answer.
    fn compare(
        &self,
        goal: usize,
        obligation: &Obligation,
        outcome: &ObligationVerdict,
        what: &str,
        command: &str,
    ) -> Result<(), Wrong> {
        let answer = &self.verdicts.answers[goal];
        // A property is violated if some value breaks it; a test covers what is certain.
        let (reading, shown) = match obligation.kind {
            ObligationKind::Property => (Reading::Possible, &answer.possible),
            _ => (Reading::Known, &answer.known),
        };
        let wrong = |kind: &str, detail: String| {
            let kind = format!("{what} {kind}");
            Err(Wrong::new(&kind, command, format!("{}: {detail}", obligation.id)))
        };
        match (outcome, &answer.possible, shown) {
            (ObligationVerdict::Infeasible(proof), Some(path), _) => {
                let by = format!("{}, k = {}", proof.engine, proof.k);
                wrong("proven although a run shows it", format!("{by}, {}", self.show(path)))
            }
            (ObligationVerdict::Covered(_), _, None) if self.verdicts.never(goal, reading) => {
                wrong("covered although no run does", String::new())
            }
            (ObligationVerdict::Unknown { depth, reason }, _, Some(path))
                if path.rows.len() <= *depth =>
            {
                let run = self.show(path);
                wrong("excluded too far", format!("{depth} steps ({reason}), {run}"))
            }
            _ => Ok(()),
        }
    }

    /// A run as text.
    pub(crate) fn show(&self, path: &crate::judge::Path) -> String {
        let rows: Vec<&Vec<Value>> = path.rows.iter().map(|row| &self.space.rows[*row]).collect();
        format!("from {:?} with {rows:?}", path.start)
    }

    /// Every test is a run, and covers what it is said to cover.
    fn replay(
        &self,
        wanted: &[Obligation],
        found: &GenerationResult,
        what: &str,
        command: &str,
    ) -> Result<(), Wrong> {
        let mut measurement =
            Measurement::new(self.system, wanted, Masking::Strict, &Oracle::Outputs)
                .of_every_test();
        let mut covered = vec![false; wanted.len()];
        for test in &found.tests {
            let run = measurement.run_test(&test.steps);
            self.is_run(&test.steps, what, command)?;
            run.covered.iter().for_each(|at| covered[*at] = true);
            let broken = |at: &&usize| self.breaks(&wanted[**at], test);
            test.covers.iter().filter(broken).for_each(|at| covered[*at] = true);
        }
        self.all_told(wanted, found, &covered, what, command)
    }

    /// Whether the last step of a test breaks a property, given the values that it names for
    /// what is undefined.
    fn breaks(&self, property: &Obligation, test: &provoke_testgen::GeneratedTest) -> bool {
        if property.kind != ObligationKind::Property {
            return false;
        }
        let chosen = |pre: ExprId| test.undefined.iter().find(|(other, _)| *other == pre);
        let value = |pre: ExprId| chosen(pre).map_or(Value::Unknown, |(_, value)| value.clone());
        let memory = delays(self.system).into_iter().map(value).collect();
        let mut simulator = Simulator::new(self.system);
        let mut before = SimState::new(0, memory);
        simulator.restore(&before);
        for row in &test.steps {
            before = simulator.state().clone();
            if simulator.step(row).is_err() {
                return false;
            }
        }
        // What divides by zero does not hold.
        simulator.value_of(property.expr, &before).map_or(true, |value| value == Value::Bool(false))
    }

    /// Tests show what they are said to show, and no run shows what is proven never to be seen.
    fn replay_effects(
        &self,
        wanted: &[Obligation],
        found: &GenerationResult,
        command: &str,
        counts: &mut Counts,
    ) -> Result<(), Wrong> {
        let EvidenceRule::Effects { step, stuck } = self.course.evidence else { return Ok(()) };
        let measurement = |change: ExactChange| {
            let oracle = &Oracle::Outputs;
            ExactMeasurement::new(self.system, wanted, change, Masking::Strict, oracle)
                .of_every_test()
        };
        let kinds = [(step, ExactChange::Step), (stuck, ExactChange::Stuck)];
        let mut covered = vec![false; wanted.len()];
        for (_, change) in kinds.into_iter().filter(|(is_wanted, _)| *is_wanted) {
            let mut measurement = measurement(change);
            for test in &found.tests {
                self.is_run(&test.steps, "obligation", command)?;
                let run = measurement.run_test(&test.steps);
                run.covered.iter().for_each(|at| covered[*at] = true);
            }
        }
        self.all_told(wanted, found, &covered, "obligation", command)?;
        for facts in &found.effects {
            if let Some(redundant) = &facts.redundant {
                counts.add(&format!("redundant, {}", redundant.form));
            }
        }
        for (_, change) in kinds {
            let mut measurement = measurement(change);
            let tests = found.tests.iter().map(|test| test.steps.clone());
            for test in tests.chain(self.random_runs()) {
                let shown = measurement.run_test(&test).covered;
                self.none_is_never_seen(wanted, found, change, &shown, &test, command)?;
            }
        }
        Ok(())
    }

    /// A proof that a wrong value is never seen, and a run that shows one.
    fn none_is_never_seen(
        &self,
        wanted: &[Obligation],
        found: &GenerationResult,
        change: ExactChange,
        shown: &[usize],
        test: &[Vec<Value>],
        command: &str,
    ) -> Result<(), Wrong> {
        for at in shown {
            let facts = &found.effects[*at];
            let is_free = |redundant: &Redundancy| redundant.form == FaultForm::Free;
            let is_excluded = match change {
                ExactChange::Stuck => facts.redundant.is_some(),
                ExactChange::Step => {
                    facts.redundant.as_ref().is_some_and(is_free)
                        || facts.never_in_one_step.is_some()
                }
            };
            if is_excluded {
                let detail = format!("{}, {change}: {test:?}", wanted[*at].id);
                return Err(Wrong::new("redundant although a run shows it", command, detail));
            }
        }
        Ok(())
    }

    /// What the tests cover is what the outcomes say.
    fn all_told(
        &self,
        wanted: &[Obligation],
        found: &GenerationResult,
        covered: &[bool],
        what: &str,
        command: &str,
    ) -> Result<(), Wrong> {
        for ((outcome, obligation), covered) in found.outcomes.iter().zip(wanted).zip(covered) {
            let kind = match (outcome, covered) {
                (ObligationVerdict::Covered(_), false) => "not covered by the test that is said to",
                (ObligationVerdict::Infeasible(_), true) => {
                    "infeasible although a test of the suite covers it"
                }
                (ObligationVerdict::Unknown { .. }, true) => "unknown although the suite covers it",
                _ => continue,
            };
            return Err(Wrong::new(&format!("{what} {kind}"), command, obligation.id.clone()));
        }
        Ok(())
    }

    fn is_run(&self, steps: &[Vec<Value>], what: &str, command: &str) -> Result<(), Wrong> {
        let run = run(self.system, steps.iter().map(Vec::as_slice));
        let left = run.breaches.iter().any(|(_, breach)| match breach {
            Breach::Assumption(_) => true,
            Breach::Range(var) => self.system.inputs.contains(var),
        });
        if left || run.error.is_some() {
            let kind = format!("test for a {what} is no run");
            let detail = format!("{steps:?}: {:?} {:?}", run.breaches, run.error);
            return Err(Wrong::new(&kind, command, detail));
        }
        Ok(())
    }

    /// Random runs inside the assumptions cover nothing that is infeasible.
    fn no_test_covers_the_infeasible(
        &self,
        wanted: &[Obligation],
        found: &GenerationResult,
        command: &str,
    ) -> Result<(), Wrong> {
        if !self.course.criterion.observable {
            return Ok(());
        }
        let oracle = &Oracle::Outputs;
        let mut measurement =
            Measurement::new(self.system, wanted, Masking::Strict, oracle).of_every_test();
        for test in self.random_runs() {
            let run = measurement.run_test(&test);
            self.none_is_infeasible(wanted, found, &run.covered, &test, command)?;
        }
        Ok(())
    }

    fn none_is_infeasible(
        &self,
        wanted: &[Obligation],
        found: &GenerationResult,
        covered: &[usize],
        test: &[Vec<Value>],
        command: &str,
    ) -> Result<(), Wrong> {
        for &at in covered {
            let kind = match &found.outcomes[at] {
                ObligationVerdict::Infeasible(proof) => format!("proven by {}", proof.engine),
                ObligationVerdict::Unknown { depth, .. } if test.len() <= *depth => {
                    format!("excluded in {depth} steps")
                }
                _ => continue,
            };
            let detail = format!("{}: {kind}; {test:?}", wanted[at].id);
            return Err(Wrong::new(
                "obligation infeasible although a run covers it",
                command,
                detail,
            ));
        }
        Ok(())
    }

    /// Runs inside the assumptions, over the judge's rows.
    pub(crate) fn random_runs(&self) -> Vec<Vec<Vec<Value>>> {
        let mut random = Random::for_part(self.course.seed, "runs");
        let mut runs = Vec::new();
        for _ in 0..12 {
            let (mut simulator, mut steps) = (Simulator::new(self.system), Vec::new());
            for _ in 0..8 {
                let before = simulator.state().clone();
                let row = (0..8).find_map(|_| {
                    let row = random.pick(&self.space.rows);
                    simulator.restore(&before);
                    let inside = simulator.step(row).is_ok_and(|breaches| {
                        !breaches.iter().any(|breach| matches!(breach, Breach::Assumption(_)))
                    });
                    inside.then(|| row.clone())
                });
                let Some(row) = row else { break };
                steps.push(row);
            }
            runs.push(steps);
        }
        runs
    }
}

/// One round, or two: what comes between them takes most of the time.
fn efforts(twice: bool) -> Vec<Effort> {
    let mut all = vec![Effort { depth: 8, k: 3, limit: limit(200_000) }];
    if twice {
        all.insert(0, Effort { depth: 4, k: 1, limit: limit(30_000) });
    }
    all
}

pub(crate) fn limit(units: u64) -> Limit {
    // The clock is for what the solver does not count; what it ends is unknown.
    Limit { time: Some(std::time::Duration::from_secs(5)), ..Limit::work(units) }
}

fn random_rows(system: &System, random: &mut Random) -> Vec<Vec<Value>> {
    (0..10).map(|_| provoke_testkit::random_system::inputs(random, system)).collect()
}

/// The dense evaluator does what the interpreter does.
fn simulators_agree(system: &System, random: &mut Random) -> Result<(), Wrong> {
    let (mut slow, mut fast) = (Simulator::new(system), Dense::new(system));
    for row in random_rows(system, random) {
        let (one, other) = (slow.step(&row), fast.step(&row));
        if one != other {
            let detail = format!("{row:?}: {one:?} and {other:?}");
            return Err(Wrong::new("simulators disagree", "simulate", detail));
        }
        if one.is_err() {
            return Ok(());
        }
        for (id, var) in system.vars.entries() {
            let (one, other) = (&slow.values()[id], fast.var(id).to_value());
            if *one != other {
                let detail = format!("{} is {one:?} and {other:?}", var.name);
                return Err(Wrong::new("simulators disagree", "simulate", detail));
            }
        }
    }
    Ok(())
}

/// The model behaves alike inlined, split and printed.
fn transformed_alike(system: &System, random: &mut Random) -> Result<(), Wrong> {
    let rows = random_rows(system, random);
    for (word, new) in [("full", transform::inline(system)), ("none", transform::split(system))] {
        let command = format!("transform --inline {word}");
        alike(system, &new, &rows).map_err(|detail| Wrong::new("transformed", &command, detail))?;
        let text = print::print(&new).map_err(|_| Wrong::new("too long", &command, ""))?;
        let file = SourceFile::new("printed.lus", text);
        let loaded = load(&file, None);
        let Some(again) = loaded.system else {
            let message = loaded.diagnostics.first().map(|d| d.render(&file, false));
            return Err(Wrong::new("printed text rejected", &command, message.unwrap_or_default()));
        };
        alike(&new, &again, &rows)
            .map_err(|detail| Wrong::new("printed text differs", &command, detail))?;
    }
    Ok(())
}

fn alike(old: &System, new: &System, rows: &[Vec<Value>]) -> Result<(), String> {
    let (mut one, mut other) = (Simulator::new(old), Simulator::new(new));
    for (step, row) in rows.iter().enumerate() {
        let Ok(breaches) = one.step(row) else { return Ok(()) };
        let assumptions = |breaches: Vec<Breach>| {
            breaches.into_iter().any(|breach| matches!(breach, Breach::Assumption(_)))
        };
        match other.step(row) {
            Err(error) => return Err(format!("step {step}: {error} with {rows:?}")),
            Ok(others) => {
                if assumptions(others) != assumptions(breaches) {
                    return Err(format!("step {step}: assumptions differ with {rows:?}"));
                }
            }
        }
        for (a, b) in old.outputs.iter().zip(&new.outputs) {
            let (left, right) = (&one.values()[*a], &other.values()[*b]);
            if left != right {
                let name = &old.vars[*a].name;
                return Err(format!("step {step}: {name} is {left:?}, then {right:?}: {rows:?}"));
            }
        }
    }
    Ok(())
}
