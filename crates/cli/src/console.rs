//! What goes on while a command works, on the terminal: warnings, notes, and one line that changes.
//!
//! Ctrl-C ends the work gently the first time, and at once the second.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Instant;

use provoke_base::{Control, Event};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::crash;
use crate::outcome::Outcome;
use crate::output::Output;
use crate::progress::ProgressLine;

/// The variable that names how many megabytes a command may hold.
const MEMORY: &str = "PROVOKE_MEMORY";

/// The control over a command's work: signals end it, the terminal shows what happens.
pub(crate) fn control(output: &Output) -> Control {
    crash::on_purpose_elsewhere("thread");
    let control = listener(output).cancelled_by(signals());
    let megabytes = std::env::var(MEMORY).ok().and_then(|text| text.trim().parse().ok());
    match megabytes {
        Some(megabytes) => control.within_memory(megabytes),
        None => control,
    }
}

/// The same, for work that is too short to be ended.
pub(crate) fn listener(output: &Output) -> Control {
    let line = Mutex::new(ProgressLine::new(output, Instant::now()));
    let output = output.clone();
    Control::new().listening(move |event| {
        let mut line = line.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match event {
            Event::Warning(message) => output.warning(&message),
            Event::Note(text) => output.note(&format!("{text}\n")),
            Event::Progress(progress) => line.show(&progress),
            Event::ProgressEnded => line.clear(),
            Event::MemoryLimit(megabytes) => output.warning(&format!(
                "stopped at {megabytes} MB of memory; what was found is kept, and {MEMORY}={} allows \
                 twice as much",
                megabytes * 2
            )),
            Event::TaskStarted(_) => crash::on_purpose("worker"),
            Event::WorkerFault(what) => {
                if crash::note(&what) {
                    crash::tell(&output, &what);
                }
            }
        }
    })
}

/// Set by the first signal; the second one ends the program.
fn signals() -> Arc<AtomicBool> {
    let noted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order the first signal does not see its own note. Where a signal cannot be caught
        // it does what it always does.
        let code = Outcome::Interrupted as i32;
        let _ = flag::register_conditional_shutdown(signal, code, Arc::clone(&noted));
        let _ = flag::register(signal, Arc::clone(&noted));
    }
    noted
}
