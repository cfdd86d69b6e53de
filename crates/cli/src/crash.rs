//! A fault in Provoke itself: one message with what to report, and an exit code of its own.
//!
//! What was stored before stays as it is: records are appended and checksummed, and files are
//! written whole or not at all.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind};
use std::sync::Mutex;

use crate::outcome::Outcome;
use crate::output::Output;

/// What went wrong first; whatever follows from it is not told.
static FIRST: Mutex<Option<String>> = Mutex::new(None);

/// Names a place where a test wants a panic, see [`on_purpose`].
const ON_PURPOSE: &str = "PROVOKE_PANIC_AT";

/// Carries out a command; a panic in any of its threads becomes a message and an exit code.
pub(crate) fn told(output: Output, command: impl FnOnce() -> Outcome) -> Outcome {
    std::panic::set_hook(Box::new(move |info| {
        let what = described(info);
        if note(&what) {
            tell(&output, &what);
        }
    }));
    let outcome = catch_unwind(AssertUnwindSafe(command));
    match (outcome, first()) {
        (Ok(outcome), None) => outcome,
        _ => Outcome::Internal,
    }
}

/// What went wrong in this process, if anything did.
pub(crate) fn first() -> Option<String> {
    FIRST.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).clone()
}

/// Notes that this run shall end as one with an internal error; whether it is the first.
pub(crate) fn note(what: &str) -> bool {
    let mut first = FIRST.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let is_first = first.is_none();
    first.get_or_insert_with(|| what.to_string());
    is_first
}

/// Says what happened and what to report.
pub(crate) fn tell(output: &Output, what: &str) {
    let words: Vec<String> =
        std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let hint = format!(
        "this is a fault in Provoke, not in your files; what was stored before is intact. Please \
         report this message with the version ({}), the command (`{}`) and the files it reads",
        env!("CARGO_PKG_VERSION"),
        words.join(" ")
    );
    output.error(what, Some(&hint));
}

fn described(info: &PanicHookInfo<'_>) -> String {
    let payload = info.payload();
    let message = payload
        .downcast_ref::<&str>()
        .map(|text| (*text).to_string())
        .or_else(|| payload.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "a panic without words".to_string());
    let place = info.location().map_or_else(String::new, |place| format!(" ({place})"));
    format!("{INTERNAL}{message}{place}")
}

/// How every message about a fault in Provoke begins.
pub(crate) const INTERNAL: &str = "internal error: ";

/// Panics if a test asks for it here: the variable PROVOKE_PANIC_AT names the place.
pub(crate) fn on_purpose(place: &str) {
    if is_wanted(place) {
        panic!("asked for by {ON_PURPOSE}={place}");
    }
}

/// The same in a thread of its own, while the command works.
pub(crate) fn on_purpose_elsewhere(place: &'static str) {
    if is_wanted(place) {
        std::thread::spawn(|| on_purpose(place));
    }
}

fn is_wanted(place: &str) -> bool {
    std::env::var_os(ON_PURPOSE).is_some_and(|wanted| wanted == place)
}
