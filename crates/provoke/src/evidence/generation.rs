//! What `generate`, `prove` and `measure` left in a folder, measured again: a report claims only what it saw.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use provoke_base::{Error, SourceFile};
use provoke_criteria::{
    self as criteria, Counting, Criterion, EffectFate, Masking, Measurement, ObligationCoverage,
    ObligationKind, Oracle, SuiteCoverage, TestMoment, WhyNot,
};
use provoke_files::Model;
use provoke_model::{ExprId, Role, Suite, System, TestCase, Type, Value, VarId};
use provoke_results::{
    Contract, DesignErrorsResult, ExpectationDifference, Generation, GradeWord, IndependencePair,
    ObligationEvidence, Proof, PropertyResult, RoleWord, Settings, StateWord, Test, TypeWord,
    UndefinedResult, VerdictResult, VerdictWord, Verdicts, Visit, Wave, WaveSignal, WaveValue, Way,
    Witness, Word, run_lengths,
};
use provoke_sim::{CompactValue, Dense, SimProgram};
use provoke_testgen::fault_of;

use provoke_coverage::numbers::numbers_of_result;
use provoke_coverage::{check_expectations, design};

use crate::best_evidence::{ending, fates};
use crate::certificates::{self, claim};
use crate::evidence::{schema, text};
use crate::files;
use crate::property::{self, Violation};
use crate::tests;
use provoke_coverage::changed_run::{ChangedRun, only_in};

/// What `generate` or `prove` left in a folder.
pub struct GenerationRun {
    from: String,
    pub(crate) settings: Settings,
    /// The model, with the assumptions behind it.
    pub(crate) file: SourceFile,
    pub(crate) system: System,
    oracle: Oracle,
    masking: Masking,
    /// What was to be covered.
    pub obligations: Vec<criteria::Obligation>,
    verdicts: Vec<VerdictResult>,
    /// What has a certificate.
    certified: BTreeSet<String>,
    /// The design errors, those that are reached replayed.
    errors: Option<DesignErrorsResult>,
    suite: Suite,
    /// The inputs of each test.
    tests: Vec<Vec<Vec<Value>>>,
    /// The system as it is run.
    program: Arc<SimProgram>,
}

impl GenerationRun {
    /// Reads all that the folder holds.
    pub fn load(folder: &Path) -> Result<GenerationRun, Error> {
        let settings: Settings = parsed(folder, "settings.json")?;
        let model = folder.join("model.lus");
        let (main, assumed) = (Some(settings.main.as_str()), &settings.assumptions);
        let exact = files::model(&model, main, assumed)?;
        let Model { mut file, system } = numbers_of_result(settings.numbers).of(exact.clone())?;
        file.name.clone_from(&settings.model);
        let obligations = asked(&settings, &system, folder)?;
        let Verdicts { verdicts, errors, .. } = parsed(folder, "verdicts.json")?;
        let same = |(verdict, obligation): (&VerdictResult, &criteria::Obligation)| {
            verdict.id == obligation.id
        };
        if verdicts.len() != obligations.len() || !verdicts.iter().zip(&obligations).all(same) {
            return Err(mixed(folder, "verdicts.json is not about the obligations of model.lus"));
        }
        let certified = certificates::claimed(folder);
        let path = folder.join("suite.json");
        let bytes = files::read(&path, provoke_suite::MAX_BYTES)?;
        let suite = tests::read(&path.display().to_string(), &bytes, None, &system)?.suite;
        let tests = suite.tests.iter().map(tests::inputs).collect();
        let errors = errors.map(|errors| {
            let model = Model { file: file.clone(), system: exact.system.clone() };
            design::replayed(&model, &settings.assumptions, errors)
        });
        let monitored = settings.monitored.iter().map(String::as_str);
        let oracle = Oracle::named(&system, monitored)
            .map_err(|name| mixed(folder, &format!("model.lus has no variable `{name}`")))?;
        let masking = Masking::named(settings.masking.word()).expect("a word of the contract");
        let from = folder.display().to_string();
        let program = Arc::new(SimProgram::new(&system));
        Ok(GenerationRun {
            from,
            settings,
            file,
            system,
            oracle,
            masking,
            obligations,
            verdicts,
            certified,
            errors,
            suite,
            tests,
            program,
        })
    }

    /// All that the page shows of it.
    pub fn generation(&self) -> Generation {
        let seen = self.seen();
        let coverage = self.measured(&seen);
        let fates = fates(&self.system, self.masking, &self.oracle, &seen, &self.tests, &coverage);
        let mut shown = WaveVariables::new(self);
        let obligations: Vec<ObligationEvidence> = (0..self.obligations.len())
            .map(|at| self.obligation(at, &coverage.statuses[at], fates[at].as_ref(), &mut shown))
            .collect();
        let mut obligations = obligations;
        let pairs = self.independence_pairs(&coverage);
        obligations.iter_mut().zip(pairs).for_each(|(one, pair)| one.pair = pair);
        let source = self.source();
        let mut generation = Generation {
            from: self.from.clone(),
            model: self.settings.model.clone(),
            node: self.system.name.clone(),
            settings: self.settings.told(),
            source: source.to_string(),
            measured: self.settings.is_measured(),
            tests: self.shown_tests(&obligations, &shown),
            errors: self.errors.clone(),
            signals: shown.signals,
            obligations,
        };
        let says: Vec<Vec<String>> = generation
            .obligations
            .iter()
            .map(|obligation| provoke_report::explain(obligation, &generation))
            .collect();
        for (obligation, says) in generation.obligations.iter_mut().zip(says) {
            obligation.says = says;
        }
        generation
    }

    /// Whether it decided nothing but properties.
    pub(super) fn has_only_properties(&self) -> bool {
        self.obligations.iter().all(|obligation| obligation.kind == ObligationKind::Property)
    }

    /// For each test, the first step in which the model does not do what it expects, counted from 1.
    pub(super) fn failed_steps(&self) -> Vec<Option<usize>> {
        let mut differences = self.differences();
        let first = |test: &TestCase| {
            let found = differences.remove(&test.name)?;
            found.iter().map(|difference| difference.step).min()
        };
        self.suite.tests.iter().map(first).collect()
    }

    /// The text of the model alone.
    fn source(&self) -> &str {
        let behind: usize = self.settings.assumptions.iter().map(|text| text.len() + 1).sum();
        let text = &self.file.text;
        text.get(..text.len() - behind).unwrap_or(text)
    }

    /// The obligations with the demand that their effect is seen, also where the criterion asks
    /// for no such thing: what is covered but masked is worth knowing.
    fn seen(&self) -> Vec<criteria::Obligation> {
        let observable = |obligation: &criteria::Obligation| {
            let observable = obligation.kind != ObligationKind::Property;
            let criterion = Criterion { observable, ..obligation.criterion };
            criteria::Obligation { criterion, ..obligation.clone() }
        };
        self.obligations.iter().map(observable).collect()
    }

    fn measured(&self, seen: &[criteria::Obligation]) -> SuiteCoverage {
        let mut measurement = Measurement::new(&self.system, seen, self.masking, &self.oracle);
        self.tests.iter().for_each(|test| drop(measurement.run_test(test)));
        measurement.coverage().clone()
    }

    fn obligation(
        &self,
        at: usize,
        status: &ObligationCoverage,
        fate: Option<&EffectFate>,
        shown: &mut WaveVariables<'_>,
    ) -> ObligationEvidence {
        let (obligation, verdict) = (&self.obligations[at], &self.verdicts[at]);
        let described = tests::describe(&self.file, &self.system, obligation);
        let is_property = obligation.kind == ObligationKind::Property;
        let property = is_property.then(|| self.property(at));
        let mut reason = verdict.reason.clone().unwrap_or_default();
        if let (Some(EffectFate::Masked { losses, .. }), true) = (fate, reason.is_empty())
            && let Some(ending) = ending(&self.file, &self.system, losses)
        {
            reason = ending.words;
        }
        ObligationEvidence {
            criterion: if is_property { "properties" } else { obligation.criterion.word() }.into(),
            start: shown.units(obligation.span.start),
            end: shown.units(obligation.span.end),
            state: self.state(at, status),
            witness: self.witness(at, status, fate, property.as_ref(), shown),
            property,
            proof: proof(verdict, self.certified.contains(&claim(obligation))),
            reason,
            depth: verdict.depth,
            undefined: verdict.undefined.iter().map(undefined).collect(),
            grade: verdict.grade,
            step: verdict.step.clone(),
            stuck: verdict.stuck.clone(),
            redundant: verdict.redundant.clone(),
            last_differing: self.last_differing(at, fate),
            pair: None,
            says: Vec::new(),
            id: described.id,
            kind: described.kind,
            outcome: described.outcome,
            variable: described.variable,
            expression: described.expression,
            node: described.node,
            instance: described.instance,
            line: described.line,
            column: described.column,
        }
    }

    /// What a property says, and how the test that its verdict names violates it.
    fn property(&self, at: usize) -> PropertyResult {
        let (property, verdict) = (&self.obligations[at], &self.verdicts[at]);
        let name = verdict.test.as_deref().filter(|_| verdict.verdict == VerdictWord::Violated);
        let test = self.suite.tests.iter().position(|test| Some(test.name.as_str()) == name);
        let undefined = property::undefined_in(&self.file, &self.system, &verdict.undefined);
        let monitored = self.oracle.monitored(&self.system);
        let violation = test.map(|test| Violation {
            inputs: &self.tests[test],
            undefined: &undefined,
            monitored: &monitored,
        });
        property::described(&self.file, &self.system, property, violation.as_ref())
    }

    fn state(&self, at: usize, status: &ObligationCoverage) -> StateWord {
        let is_property = self.obligations[at].kind == ObligationKind::Property;
        let to_reach = property::is_to_be_reached(&self.system, &self.obligations[at]);
        match self.verdicts[at].verdict {
            VerdictWord::Covered if to_reach => StateWord::Holds,
            VerdictWord::Infeasible if to_reach => StateWord::Violated,
            VerdictWord::Violated => StateWord::Violated,
            VerdictWord::Covered if is_property => StateWord::Violated,
            VerdictWord::Holds => StateWord::Holds,
            VerdictWord::Infeasible if is_property => StateWord::Holds,
            VerdictWord::Excluded => StateWord::Excluded,
            VerdictWord::Unknown if is_property => StateWord::Unknown,
            _ if let Some(grade) = self.verdicts[at].grade => StateWord::of(grade.word()),
            VerdictWord::Covered if status.covered.is_some() => StateWord::Visible,
            VerdictWord::Covered => StateWord::Masked,
            VerdictWord::Infeasible => StateWord::Infeasible,
            VerdictWord::Redundant => StateWord::Redundant,
            VerdictWord::TagOnly => StateWord::TagOnly,
            VerdictWord::Unknown if status.reached.is_some() => StateWord::Masked,
            VerdictWord::Unknown => StateWord::Unknown,
        }
    }

    fn witness(
        &self,
        at: usize,
        status: &ObligationCoverage,
        fate: Option<&EffectFate>,
        property: Option<&PropertyResult>,
        shown: &mut WaveVariables<'_>,
    ) -> Option<Witness> {
        if let Some(witness) = self.effect_witness(at, shown) {
            return Some(witness);
        }
        // What a constant can replace, no test makes visible.
        if self.verdicts[at].grade == Some(GradeWord::Redundant) {
            return None;
        }
        let reached = status.reached.map_or(1, |moment| moment.step);
        match (status.why_not(), fate) {
            (None, Some(EffectFate::Visible(path))) => {
                let test = status.covered?.test;
                let visits =
                    path.visits.iter().map(|visit| Visit(shown.signal(visit.var), visit.step));
                let way = Way::Path(visits.collect());
                Some(Witness { test, exercised: path.base_step, way, changed: Vec::new() })
            }
            (None, _) => {
                let covered = status.covered?;
                let way = Way::Path(Vec::new());
                Some(Witness {
                    test: covered.test,
                    exercised: covered.step,
                    way,
                    changed: Vec::new(),
                })
            }
            (Some(WhyNot::Masked(moment)), fate) => {
                let (step, line) = match fate {
                    Some(EffectFate::Masked { step, losses }) => {
                        let ending = ending(&self.file, &self.system, losses);
                        (*step, ending.map(|ending| ending.line))
                    }
                    _ => (moment.step, None),
                };
                let way = Way::Masked { step, line };
                Some(Witness {
                    test: moment.test,
                    exercised: moment.step.min(step),
                    way,
                    changed: Vec::new(),
                })
            }
            (Some(WhyNot::TooLate(moment)), _) => {
                let way = Way::Waiting { step: self.tests[moment.test].len() };
                Some(Witness {
                    test: moment.test,
                    exercised: reached.min(moment.step),
                    way,
                    changed: Vec::new(),
                })
            }
            (Some(WhyNot::NeverReached), _) => {
                let name = self.verdicts[at].test.as_deref()?;
                let test = self.suite.tests.iter().position(|test| test.name == name)?;
                // What rests on undefined values is not measured, but replayed with them.
                let exercised = property.and_then(|property| property.step).unwrap_or(1);
                Some(Witness { test, exercised, way: Way::Path(Vec::new()), changed: Vec::new() })
            }
        }
    }

    /// The changed run that a grade rests on: its way is what really differs.
    fn effect_witness(&self, at: usize, shown: &mut WaveVariables<'_>) -> Option<Witness> {
        let effect = self.verdicts[at].best_effect()?;
        let test = self.test_named(effect.test.as_deref()?)?;
        let (exercised, seen_at) = (effect.changed_at?, effect.seen_at?);
        let output = self.system.var_named(effect.output.as_deref()?)?;
        let fault = fault_of(&self.obligations[at]);
        let run = ChangedRun::new(
            &self.system,
            &self.program,
            &self.tests[test],
            fault,
            only_in(effect),
            seen_at,
        );
        let run = run.ending_in(output, seen_at);
        let visits = run.differs.iter().map(|(var, step)| Visit(shown.signal(*var), *step));
        let way = Way::Path(visits.collect());
        let wave = |((var, _), values): (&(VarId, usize), &Vec<Value>)| {
            let values = values.iter().map(|value| self.shown(value, *var));
            Wave(shown.signal(*var), run_lengths(values))
        };
        let changed = run.differs.iter().zip(&run.values).map(wave).collect();
        Some(Witness { test, exercised, way, changed })
    }

    fn test_named(&self, name: &str) -> Option<usize> {
        self.suite.tests.iter().position(|test| test.name == name)
    }

    /// The last variable that differs when a condition is wrong whose tag arrives, but no effect.
    fn last_differing(&self, at: usize, fate: Option<&EffectFate>) -> Option<String> {
        let verdict = &self.verdicts[at];
        let Some(EffectFate::Visible(path)) = fate else { return None };
        let tag = verdict.tag.as_ref().filter(|_| verdict.grade == Some(GradeWord::TagOnly))?;
        let test = &self.tests[self.test_named(&tag.test)?];
        let fault = fault_of(&self.obligations[at]);
        let (system, program) = (&self.system, &self.program);
        let only_in = Some(path.base_step);
        let run = ChangedRun::new(system, program, test, fault, only_in, test.len());
        run.last.map(|(var, _)| self.system.vars[var].name.clone())
    }

    /// For each condition of MC/DC the two steps in which it decides, true and false.
    fn independence_pairs(&self, coverage: &SuiteCoverage) -> Vec<Option<IndependencePair>> {
        let decided = |at: usize| -> Option<TestMoment> {
            let shown = self.verdicts[at].step.as_ref().filter(|step| step.test.is_some());
            match shown {
                Some(step) => {
                    let test = self.test_named(step.test.as_deref()?)?;
                    Some(TestMoment { test, step: step.changed_at? })
                }
                None => coverage.statuses[at].reached,
            }
        };
        let mut sides: BTreeMap<(ExprId, VarId, bool), TestMoment> = BTreeMap::new();
        for (at, obligation) in self.obligations.iter().enumerate() {
            if obligation.needs_independence()
                && let Some(moment) = decided(at)
            {
                let key = (obligation.expr, obligation.variable, obligation.outcome);
                sides.entry(key).or_insert(moment);
            }
        }
        let pair = |obligation: &criteria::Obligation| {
            let side =
                |outcome| sides.get(&(obligation.expr, obligation.variable, outcome)).copied();
            let (yes, no) = (side(true)?, side(false)?);
            let named =
                |moment: TestMoment| (self.suite.tests[moment.test].name.clone(), moment.step);
            let unique_cause = self.others_agree(obligation, yes, no);
            Some(IndependencePair { when_true: named(yes), when_false: named(no), unique_cause })
        };
        let pair = |obligation| {
            Some(obligation)
                .filter(|one: &&criteria::Obligation| one.needs_independence())
                .and_then(pair)
        };
        self.obligations.iter().map(pair).collect()
    }

    /// Whether all other conditions of an equation have the same values in two steps.
    fn others_agree(
        &self,
        obligation: &criteria::Obligation,
        one: TestMoment,
        other: TestMoment,
    ) -> bool {
        let is_other = |of: &&criteria::Obligation| {
            of.variable == obligation.variable
                && of.expr != obligation.expr
                && of.needs_independence()
        };
        let values = |moment: TestMoment| -> Vec<CompactValue> {
            let mut dense = Dense::of(Arc::clone(&self.program));
            for inputs in &self.tests[moment.test][..moment.step] {
                let _ = dense.step(inputs);
            }
            let others = self.obligations.iter().filter(is_other);
            others.map(|of| dense.cell(self.program.node_of(of.expr)).clone()).collect()
        };
        values(one) == values(other)
    }

    /// The tests with the values of inputs, of what is monitored, and of what lies on ways.
    fn shown_tests(
        &self,
        obligations: &[ObligationEvidence],
        shown: &WaveVariables<'_>,
    ) -> Vec<Test> {
        let positions: BTreeMap<&str, usize> =
            self.obligations.iter().enumerate().map(|(at, one)| (one.id.as_str(), at)).collect();
        let mut wanted = vec![shown.always(); self.tests.len()];
        for witness in obligations.iter().filter_map(|obligation| obligation.witness.as_ref()) {
            if let Way::Path(visits) = &witness.way {
                wanted[witness.test].extend(visits.iter().map(|visit| visit.0));
            }
        }
        let mut differences = self.differences();
        let mut dense = Dense::new(&self.system);
        let mut tests = Vec::new();
        for ((case, inputs), mut signals) in self.suite.tests.iter().zip(&self.tests).zip(wanted) {
            signals.sort_unstable();
            signals.dedup();
            let covers = case.covers.iter().filter_map(|id| positions.get(id.as_str()).copied());
            tests.push(Test {
                name: case.name.clone(),
                steps: inputs.len(),
                covers: covers.collect(),
                requirements: case.requirements.clone(),
                differences: differences.remove(&case.name).unwrap_or_default(),
                waves: self.waves(&mut dense, inputs, &signals, shown),
            });
        }
        tests
    }

    /// Where each test expects something else than the model computes.
    fn differences(&self) -> BTreeMap<String, Vec<ExpectationDifference>> {
        let mut by_test: BTreeMap<String, Vec<ExpectationDifference>> = BTreeMap::new();
        for difference in check_expectations(&self.suite, &self.system).differences {
            by_test.entry(difference.test.clone()).or_default().push(difference);
        }
        by_test
    }

    fn waves(
        &self,
        dense: &mut Dense,
        inputs: &[Vec<Value>],
        signals: &[usize],
        shown: &WaveVariables<'_>,
    ) -> Vec<Wave> {
        let mut values: Vec<Vec<WaveValue>> = vec![Vec::new(); signals.len()];
        dense.reset();
        for step in inputs {
            // A test that ends in a fault has no values from there on.
            let defined = dense.step(step).is_ok();
            for (signal, values) in signals.iter().zip(&mut values) {
                let var = shown.vars[*signal];
                let value = if defined { dense.var(var).to_value() } else { Value::Unknown };
                values.push(self.shown(&value, var));
            }
        }
        let wave = |(signal, values): (&usize, Vec<_>)| Wave(*signal, run_lengths(values));
        signals.iter().zip(values).map(wave).collect()
    }

    fn shown(&self, value: &Value, var: VarId) -> WaveValue {
        /// Integers up to here are exact in browsers.
        const EXACT: i64 = 1 << 53;
        match value {
            Value::Unknown => WaveValue::Unknown(()),
            Value::Bool(value) => WaveValue::Number((*value).into()),
            Value::Int(value) => match value.to_i64() {
                Some(small) if small.abs() <= EXACT => WaveValue::Number(small),
                _ => WaveValue::Text(value.to_string()),
            },
            other => WaveValue::Text(other.show(self.system.vars[var].ty, &self.system.enums)),
        }
    }
}

/// The variables that waves are drawn of, in the order in which they are first needed.
struct WaveVariables<'a> {
    system: &'a System,
    text: &'a str,
    monitored: Vec<VarId>,
    vars: Vec<VarId>,
    signals: Vec<WaveSignal>,
    positions: BTreeMap<VarId, usize>,
    /// Places that were asked for, in bytes and in UTF-16 units.
    units: BTreeMap<u32, usize>,
}

impl<'a> WaveVariables<'a> {
    /// The inputs and what is monitored.
    fn new(run: &'a GenerationRun) -> WaveVariables<'a> {
        let monitored = run.oracle.monitored(&run.system);
        let (system, text) = (&run.system, run.file.text.as_str());
        let (vars, signals, positions) = (Vec::new(), Vec::new(), BTreeMap::new());
        let units = BTreeMap::from([(0, 0)]);
        let mut shown =
            WaveVariables { system, text, monitored: Vec::new(), vars, signals, positions, units };
        shown.monitored.clone_from(&monitored);
        for var in system.inputs.iter().chain(&monitored) {
            shown.signal(*var);
        }
        shown
    }

    /// The positions that every test has values of.
    fn always(&self) -> Vec<usize> {
        (0..self.vars.len()).filter(|at| self.signals[*at].role != RoleWord::Local).collect()
    }

    fn signal(&mut self, var: VarId) -> usize {
        if let Some(position) = self.positions.get(&var) {
            return *position;
        }
        let known = &self.system.vars[var];
        let role = match known.role {
            Role::Input | Role::Choice => RoleWord::In,
            _ if self.monitored.contains(&var) => RoleWord::Out,
            _ => RoleWord::Local,
        };
        let ty = match known.ty {
            Type::Bool => TypeWord::Bool,
            Type::Int => TypeWord::Int,
            Type::Real => TypeWord::Real,
            Type::Enum(_) => TypeWord::Enum,
        };
        self.signals.push(WaveSignal { name: known.name.clone(), ty, role });
        self.vars.push(var);
        self.positions.insert(var, self.vars.len() - 1);
        self.vars.len() - 1
    }

    /// A place as browsers count; what lies before it was mostly counted before.
    fn units(&mut self, offset: u32) -> usize {
        let (&from, &before) = self.units.range(..=offset).next_back().expect("0 is there");
        let between = self.text.get(from as usize..offset as usize).unwrap_or("");
        let units = before + between.encode_utf16().count();
        self.units.insert(offset, units);
        units
    }
}

fn proof(verdict: &VerdictResult, certified: bool) -> Option<Proof> {
    Some(Proof {
        engine: verdict.engine.clone()?,
        k: verdict.k.unwrap_or(0),
        lemmas: verdict.lemmas.unwrap_or(0),
        certified,
    })
}

/// The obligations that the settings ask for.
fn asked(
    settings: &Settings,
    system: &System,
    folder: &Path,
) -> Result<Vec<criteria::Obligation>, Error> {
    let counting = Counting::named(settings.counting.word()).expect("a word of the contract");
    let mut all = Vec::new();
    for word in settings.criterion.split(',') {
        match (word, Criterion::named(word)) {
            (_, Some(criterion)) => all.extend(criteria::obligations(system, criterion, counting)),
            ("property" | "properties", _) => all.extend(criteria::properties(system)),
            // What became of them is in mutants.json, or in a list of its own.
            ("mutants" | "errors", _) => {}
            _ => return Err(mixed(folder, &format!("`{word}` is no criterion"))),
        }
    }
    Ok(all)
}

fn parsed<T: Contract>(folder: &Path, name: &str) -> Result<T, Error> {
    let text = text(&folder.join(name))?;
    schema(&folder.join(name), &text)?;
    serde_json::from_str(&text)
        .map_err(|error| mixed(folder, &format!("{name} is not as written: {error}")))
}

/// The files of a folder do not belong together.
fn mixed(folder: &Path, what: &str) -> Error {
    let message = format!("{}: {what}", folder.display());
    Error::input(message, "write the folder again with `provoke generate MODEL -o FOLDER`")
}

fn undefined(undefined: &UndefinedResult) -> String {
    let UndefinedResult { expression, variable, line, value, .. } = undefined;
    // An assertion or a property has no name.
    let inside = match variable.as_str() {
        "" => String::new(),
        variable => format!(" in `{variable}`"),
    };
    format!("`{expression}`{inside} is {value} (line {line})")
}
