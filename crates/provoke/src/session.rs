//! A model with everything that the verbs about it have in common.

use provoke_base::{Control, Error};
use provoke_coverage::{
    CoverageTarget, GenerateOptions, GenerateOutcome, MeasureOptions, MutateOptions, MutateOutcome,
    ProveOutcome, ReduceOptions, SimulateOutcome, TestedModel, WorkOptions,
};
use provoke_criteria::Counting;
use provoke_files::Model;
use provoke_model::Suite;
use provoke_results::{Codegen, Measure, Obligations, Reduce};

use crate::codegen::CodegenOptions;

/// A model that is worked on, by whom and for how long, and who watches.
///
/// ```
/// use provoke::{Control, GenerateOptions, GenerationMethod, Model, Session, SourceFile};
///
/// let text = "node n(a, b: bool) returns (c: bool); let c = a and b; tel";
/// let model = Model::read(&SourceFile::new("n.lus", text), None, &[]).expect("a correct model");
/// let session = Session::new(model).watched_by(Control::new());
/// let options = GenerateOptions { method: GenerationMethod::Random, ..session.generate_options() };
/// let generated = session.generate(None, &options).expect("a suite");
/// let measured = session.measure(generated.suite, &Default::default()).expect("coverage");
/// assert_eq!(measured.percent, 100.0);
/// ```
pub struct Session {
    /// The model.
    pub model: Model,
    /// How much work is done for each verb, and by whom.
    pub work: WorkOptions,
    control: Control,
}

impl Session {
    /// A session that nobody watches, with the usual amount of work.
    pub fn new(model: Model) -> Session {
        Session { model, work: WorkOptions::default(), control: Control::new() }
    }

    /// The same session with another amount of work, or other workers.
    pub fn working(self, work: WorkOptions) -> Session {
        Session { work, ..self }
    }

    /// The same session, watched and ended by a control.
    pub fn watched_by(self, control: Control) -> Session {
        Session { control, ..self }
    }

    /// The usual options of [`Session::generate`], with the work of the session.
    pub fn generate_options(&self) -> GenerateOptions {
        GenerateOptions { work: self.work.clone(), ..GenerateOptions::default() }
    }

    /// The usual options of [`Session::mutate`], with the work of the session.
    pub fn mutate_options(&self) -> MutateOptions {
        MutateOptions { work: self.work.clone(), ..MutateOptions::default() }
    }

    /// What is to be covered.
    pub fn obligations(
        &self,
        targets: &[CoverageTarget],
        counting: Counting,
    ) -> Result<Obligations, Error> {
        provoke_coverage::obligations(&self.model, targets, counting)
    }

    /// What the model does on tests; `show` is `outputs`, `all`, or names separated by commas.
    pub fn simulate(&self, tests: &Suite, show: &str) -> Result<SimulateOutcome, Error> {
        provoke_coverage::simulate(&self.model, tests, show, None)
    }

    /// Tests and proofs; `given` are tests that are kept.
    pub fn generate(
        &self,
        given: Option<Suite>,
        options: &GenerateOptions,
    ) -> Result<GenerateOutcome, Error> {
        provoke_coverage::generate(&self.model, given, options, &self.control)
    }

    /// What becomes of the model's properties.
    pub fn prove(&self) -> Result<ProveOutcome, Error> {
        provoke_coverage::prove(&self.model, None, None, &self.work, &self.control)
    }

    /// What a suite covers of observable MC/DC.
    pub fn measure(&self, suite: Suite, options: &MeasureOptions) -> Result<Measure, Error> {
        provoke_coverage::measure(&self.tested(suite)?, options)
    }

    /// A smaller suite that covers as much of observable MC/DC.
    pub fn reduce(&self, suite: Suite, options: &ReduceOptions) -> Result<(Reduce, Suite), Error> {
        Ok(provoke_coverage::reduce(&self.tested(suite)?, options))
    }

    /// What becomes of mutants on a suite.
    pub fn mutate<'o>(
        &self,
        suite: Suite,
        options: &'o MutateOptions,
    ) -> Result<MutateOutcome<'o>, Error> {
        provoke_coverage::mutate(self.model.clone(), suite, options, &self.control)
    }

    /// The model as C code, with a program that replays a suite if one is given.
    pub fn codegen(
        &self,
        suite: Option<Suite>,
        options: &CodegenOptions,
    ) -> Result<Codegen, Error> {
        crate::codegen::codegen(&self.model, suite, options, &self.control)
    }

    fn tested(&self, suite: Suite) -> Result<TestedModel, Error> {
        let GenerateOptions { targets, counting, oracle, .. } = GenerateOptions::default();
        TestedModel::new(self.model.clone(), suite, &targets, counting, &oracle)
    }
}
