//! The picture of the automata that answers are about.

use std::path::PathBuf;

use provoke_results::TimedVerify;
use provoke_timed::draw;

use crate::files;
use crate::output::Output;

/// The automata as a picture and the template of each process; nothing, with a warning, if the
/// model's file is not where it was.
pub(crate) fn picture(result: &TimedVerify, output: &Output) -> (String, Vec<(String, String)>) {
    let name = &result.model;
    let file = files::model_source(&PathBuf::from(name)).ok();
    let network = file.and_then(|file| provoke_timed::load(&file).network);
    let Some(network) = network else {
        output.warning(&format!("the model `{name}` cannot be read: there is no picture of it"));
        return Default::default();
    };
    let template = |process: &provoke_timed::network::Process| {
        (process.name.clone(), process.template.clone())
    };
    (draw::svg(&network), network.processes.iter().map(template).collect())
}
