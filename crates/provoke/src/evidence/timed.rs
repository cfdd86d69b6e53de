//! The picture of the automata that answers are about.

use std::path::PathBuf;

use provoke_base::{Control, SourceFile};
use provoke_results::TimedVerify;
use provoke_uppaal::draw;

use crate::files;

/// The automata as a picture and the template of each process; nothing, with a warning, if the
/// model's file is not where it was.
pub(super) fn picture(result: &TimedVerify, control: &Control) -> (String, Vec<(String, String)>) {
    let name = &result.model;
    let file = files::source(&PathBuf::from(name), SourceFile::MAX_BYTES).ok();
    let network = file.and_then(|file| provoke_uppaal::load(&file).network);
    let Some(network) = network else {
        control.warn(format!("the model `{name}` cannot be read: there is no picture of it"));
        return Default::default();
    };
    let template = |process: &provoke_uppaal::network::Process| {
        (process.name.clone(), process.template.clone())
    };
    (draw::svg(&network), network.processes.iter().map(template).collect())
}
