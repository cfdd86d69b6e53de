//! How whoever asked for work watches it and ends it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Something that happened while work went on. Events may come from any thread.
#[derive(Clone, PartialEq, Debug)]
pub enum Event {
    /// Something that may matter to whoever reads the result.
    Warning(String),
    /// A finished part, in a line for people.
    Note(String),
    /// How far the work is.
    Progress(Progress),
    /// The work that was last reported as [`Event::Progress`] is over.
    ProgressEnded,
    /// This process begins a task, of this key.
    TaskStarted(String),
    /// Another process ended with an internal error, described here.
    WorkerFault(String),
    /// The work ended because this process held more than so many megabytes; what was found is kept.
    MemoryLimit(u64),
}

/// How far work is.
#[derive(Clone, PartialEq, Debug)]
pub enum Progress {
    /// Tasks of one kind, such as the cases of a study.
    Tasks {
        /// The kind, in a few words.
        name: String,
        /// How many are done.
        done: usize,
        /// How many there are.
        total: usize,
        /// Who does them, if not this process.
        workers: Option<String>,
    },
    /// Anything else, in a few words.
    Text(String),
    /// Obligations on their way to a test or a proof.
    Obligations {
        /// What is done at the moment.
        phase: &'static str,
        /// How many have a test.
        covered: usize,
        /// How many were proven to have none.
        infeasible: usize,
        /// How many are still looked for.
        open: usize,
    },
}

type Listener = dyn Fn(Event) + Send + Sync;

/// Whether work goes on, and who hears of it. A clone belongs to the same work.
#[derive(Clone)]
pub struct Control {
    cancelled: Arc<AtomicBool>,
    deadline: Option<Instant>,
    megabytes: Option<u64>,
    listener: Arc<Listener>,
}

impl Control {
    /// Work that nobody watches, and that goes on to its end unless it is cancelled.
    pub fn new() -> Control {
        Control {
            cancelled: Arc::default(),
            deadline: None,
            megabytes: None,
            listener: Arc::new(|_| {}),
        }
    }

    /// The same work, whose events are told to `listener`. It must not block.
    pub fn listening(self, listener: impl Fn(Event) + Send + Sync + 'static) -> Control {
        Control { listener: Arc::new(listener), ..self }
    }

    /// The same work, cancelled as soon as `flag` is set, by a signal handler for example.
    pub fn cancelled_by(self, flag: Arc<AtomicBool>) -> Control {
        Control { cancelled: flag, ..self }
    }

    /// The same work, which ends at `deadline` if it is not over before.
    pub fn until(self, deadline: Instant) -> Control {
        Control { deadline: Some(deadline), ..self }
    }

    /// The same work, which ends when this process holds more than so many megabytes. Without a limit, long
    /// work ends at three quarters of the memory that was free when it began.
    pub fn within_memory(self, megabytes: u64) -> Control {
        Control { megabytes: Some(megabytes), ..self }
    }

    /// How many megabytes this process may hold, if the caller says so.
    pub fn memory_limit(&self) -> Option<u64> {
        self.megabytes
    }

    /// Asks for an early end: what was found until then is the result.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::SeqCst);
    }

    /// Whether somebody asked for an early end.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::SeqCst)
    }

    /// Whether the work has to end now, because it was cancelled or is late.
    pub fn is_over(&self) -> bool {
        self.is_cancelled() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Tells an event.
    pub fn tell(&self, event: Event) {
        (self.listener)(event);
    }

    /// Tells something that may matter.
    pub fn warn(&self, message: impl Into<String>) {
        self.tell(Event::Warning(message.into()));
    }
}

impl Default for Control {
    fn default() -> Control {
        Control::new()
    }
}

impl std::fmt::Debug for Control {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let cancelled = self.is_cancelled();
        f.debug_struct("Control").field("cancelled", &cancelled).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_clone_belongs_to_the_same_work() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ears = Arc::clone(&heard);
        let control = Control::new().listening(move |event| ears.lock().unwrap().push(event));
        let other = control.clone();
        other.warn("late");
        assert_eq!(*heard.lock().unwrap(), [Event::Warning("late".to_string())]);
        assert!(!control.is_over());
        other.cancel();
        assert!(control.is_cancelled() && control.is_over());
    }

    #[test]
    fn a_deadline_ends_work_without_cancelling_it() {
        let control = Control::new().until(Instant::now() - Duration::from_millis(1));
        assert!(control.is_over() && !control.is_cancelled());
    }
}
