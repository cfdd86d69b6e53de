//! How far a search is, for whoever watches.

use provoke_base::{Control, Event, Progress as Standing};
use provoke_testgen::GenerationProgress;

/// Tells how far the search is.
pub(crate) fn tell(control: &Control, progress: GenerationProgress) {
    let GenerationProgress { phase, covered, infeasible, open, .. } = progress;
    control.tell(Event::Progress(Standing::Obligations { phase, covered, infeasible, open }));
}

/// The same where nothing but properties is decided.
pub(crate) fn tell_properties(control: &Control, progress: &GenerationProgress) {
    let GenerationProgress { phase, covered, infeasible, open, .. } = progress;
    let text = format!("{phase}: {covered} violated, {infeasible} hold, {open} open");
    control.tell(Event::Progress(Standing::Text(text)));
}

/// The same where design errors are decided.
pub(crate) fn tell_errors(control: &Control, progress: &GenerationProgress) {
    let GenerationProgress { phase, covered, infeasible, open, .. } = progress;
    let text =
        format!("{phase}: design errors: {covered} reached, {infeasible} absent, {open} open");
    control.tell(Event::Progress(Standing::Text(text)));
}
