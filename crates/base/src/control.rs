//! How whoever asked for work watches it and ends it.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

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
    /// Sets of states of a timed network that are searched.
    Zones {
        /// How many are stored.
        stored: usize,
        /// How many of these are still to be looked at.
        waiting: usize,
    },
    /// Random runs whose number is not known before.
    Runs {
        /// How many are done.
        done: u64,
    },
}

/// Why work ended before it was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StopReason {
    /// Somebody asked for an early end.
    Cancelled,
    /// The time for it is over.
    Time,
    /// Zones need more than these megabytes, which they were given.
    Memory(usize),
    /// So many random runs, which are as many as were allowed, did not decide.
    Runs(u64),
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StopReason::Cancelled => f.write_str("interrupted"),
            StopReason::Time => f.write_str("the budget is used up"),
            StopReason::Memory(megabytes) => {
                write!(f, "the zones need more than {megabytes} MB")
            }
            StopReason::Runs(count) => write!(f, "{count} runs were not enough"),
        }
    }
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

    /// Why the work has to end now, if it has to.
    pub fn stop_reason(&self) -> Option<StopReason> {
        match self.is_cancelled() {
            true => Some(StopReason::Cancelled),
            false => self.is_over().then_some(StopReason::Time),
        }
    }

    /// The same work, which ends when a budget is used up that begins to be used at `started`.
    pub fn within(self, started: Instant, budget: Option<Duration>) -> Control {
        match budget.and_then(|budget| started.checked_add(budget)) {
            Some(deadline) => self.until(deadline),
            None => self,
        }
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

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cancelled = self.is_cancelled();
        f.debug_struct("Control").field("cancelled", &cancelled).finish_non_exhaustive()
    }
}

/// Tells how far work is, but not more often than people can read it. Where it ends, so does what was
/// told.
pub struct Pulse<'a> {
    control: &'a Control,
    last: Mutex<Instant>,
}

impl<'a> Pulse<'a> {
    /// How often progress is told.
    const PAUSE: Duration = Duration::from_millis(500);

    /// Work that has just begun.
    pub fn new(control: &'a Control) -> Pulse<'a> {
        Pulse { control, last: Mutex::new(Instant::now()) }
    }

    /// Tells how far the work is, if that was not told a moment ago.
    pub fn tell(&self, progress: impl FnOnce() -> Progress) {
        let mut last = self.last.lock().expect("no thread panicked");
        if last.elapsed() >= Pulse::PAUSE {
            *last = Instant::now();
            self.control.tell(Event::Progress(progress()));
        }
    }
}

impl Drop for Pulse<'_> {
    fn drop(&mut self) {
        self.control.tell(Event::ProgressEnded);
    }
}

#[cfg(test)]
mod tests {
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
    fn progress_is_not_told_too_often_and_ends_with_the_work() {
        let heard = Arc::new(Mutex::new(Vec::new()));
        let ears = Arc::clone(&heard);
        let control = Control::new().listening(move |event| ears.lock().unwrap().push(event));
        let pulse = Pulse::new(&control);
        (0..100).for_each(|done| pulse.tell(|| Progress::Runs { done }));
        drop(pulse);
        assert_eq!(*heard.lock().unwrap(), [Event::ProgressEnded]);
    }

    #[test]
    fn a_deadline_ends_work_without_cancelling_it() {
        let started = Instant::now() - Duration::from_millis(2);
        let control = Control::new().within(started, Some(Duration::from_millis(1)));
        assert!(control.is_over() && !control.is_cancelled());
        assert_eq!(control.stop_reason(), Some(StopReason::Time));
        control.cancel();
        assert_eq!(control.stop_reason(), Some(StopReason::Cancelled));
        assert!(!Control::new().within(started, Some(Duration::MAX)).is_over());
    }
}
