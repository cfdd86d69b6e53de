//! One thread that stops checks whose time is over or that somebody interrupted, and records
//! which of the two it was: solvers only say that they were cancelled.

use std::sync::{Condvar, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::interrupter::Interrupter;
use crate::solver::UnknownReason;

/// How often a check that was told to stop is told again: the first time may have been before
/// the solver began to listen.
const REPEAT: Duration = Duration::from_millis(2);

/// A check that is being watched; dropping it ends the watch.
pub(crate) struct Watch {
    number: u64,
}

struct Watched {
    number: u64,
    deadline: Option<Instant>,
    interrupter: Interrupter,
    stop: Box<dyn Fn() + Send>,
    stopped: Option<UnknownReason>,
}

#[derive(Default)]
struct Watchdog {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    watched: Vec<Watched>,
    last_number: u64,
}

static WATCHDOG: LazyLock<&'static Watchdog> = LazyLock::new(|| {
    let watchdog: &'static Watchdog = Box::leak(Box::default());
    thread::Builder::new()
        .name("solver-watchdog".to_owned())
        .spawn(|| watchdog.run())
        .expect("a thread can be started");
    watchdog
});

/// Makes the watchdog notice an interrupt at once.
pub(crate) fn look_again() {
    // The lock orders this after a watch that is being set up, so that no wake-up is lost.
    drop(WATCHDOG.lock());
    WATCHDOG.changed.notify_all();
}

impl Watch {
    /// Calls `stop`, repeatedly, when the time is over or `interrupter` says so; never after
    /// the watch has ended.
    pub(crate) fn begin(
        time: Option<Duration>,
        interrupter: &Interrupter,
        stop: impl Fn() + Send + 'static,
    ) -> Watch {
        let mut state = WATCHDOG.lock();
        state.last_number += 1;
        let number = state.last_number;
        state.watched.push(Watched {
            number,
            // A time beyond what the clock can show is no limit.
            deadline: time.and_then(|time| Instant::now().checked_add(time)),
            interrupter: interrupter.clone(),
            stop: Box::new(stop),
            stopped: None,
        });
        drop(state);
        WATCHDOG.changed.notify_all();
        Watch { number }
    }

    /// Ends the watch and says why the check was stopped, if it was.
    pub(crate) fn end(self) -> Option<UnknownReason> {
        self.remove()
    }

    fn remove(&self) -> Option<UnknownReason> {
        let mut state = WATCHDOG.lock();
        let position = state.watched.iter().position(|watched| watched.number == self.number)?;
        state.watched.swap_remove(position).stopped
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.remove();
    }
}

impl Watchdog {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self) {
        let mut state = self.lock();
        loop {
            let now = Instant::now();
            let pause = state.watched.iter_mut().filter_map(|watched| watched.visit(now)).min();
            state = match pause {
                Some(pause) => {
                    let waited = self.changed.wait_timeout(state, pause);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

impl Watched {
    /// Stops the check if it must be stopped; returns when to come again.
    fn visit(&mut self, now: Instant) -> Option<Duration> {
        if self.stopped.is_none() {
            if self.interrupter.is_interrupted() {
                self.stopped = Some(UnknownReason::Interrupted);
            } else if self.deadline? <= now {
                self.stopped = Some(UnknownReason::Timeout);
            } else {
                return self.deadline.map(|deadline| deadline - now);
            }
        }
        (self.stop)();
        Some(REPEAT)
    }
}
