//! Tests from automata.

use provoke_base::{Control, Error, ErrorCode, Progress, Pulse};
use provoke_oracle::timed_tests::{GenerationRequest, generate_until};
use provoke_oracle::{Interface, TimedSuite, unfit};
use provoke_results::{Schema, TimedGenerate};

use super::NetworkModel;
use super::options::TimedGenerateOptions;

/// Timed tests that were generated.
#[derive(Clone, Debug)]
pub struct GeneratedTests {
    /// The tests.
    pub suite: TimedSuite,
    /// What there is to say of them; where they are written is left to whoever writes them.
    pub result: TimedGenerate,
}

/// Generates tests for a network; nothing if somebody cancels it.
pub fn generate(
    model: &NetworkModel,
    options: &TimedGenerateOptions,
    control: &Control,
) -> Result<Option<GeneratedTests>, Error> {
    let NetworkModel { file, network, .. } = model;
    let observe = match options.observe.is_empty() {
        true => Interface::new(network).usual_outputs(),
        false => options.observe.clone(),
    };
    if observe.is_empty() {
        let message = format!("nothing can be seen of {}", file.name);
        return Err(Error::new(ErrorCode::NotObservable, message));
    }
    let TimedGenerateOptions { method, tests, length, seed, .. } = *options;
    let pulse = Pulse::new(control);
    let stop = |done, total| {
        let name = || "tests".to_string();
        pulse.tell(|| Progress::Tasks { name: name(), done, total, workers: None });
        control.is_cancelled()
    };
    let generated =
        generate_until(network, &observe, GenerationRequest { method, tests, length, seed }, &stop);
    let generated = generated.map_err(|message| unfit(&file.name, &message))?;
    let Some(generated) = generated else { return Ok(None) };
    let suite = TimedSuite { model: file.name.clone(), ..generated.suite };
    let result = TimedGenerate {
        schema: Schema::default(),
        model: file.name.clone(),
        method: method.word().to_string(),
        tests: suite.tests.len(),
        steps: suite.tests.iter().map(|test| test.steps.len()).sum(),
        open: generated.open,
        suite: String::new(),
    };
    Ok(Some(GeneratedTests { suite, result }))
}
