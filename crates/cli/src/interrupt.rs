//! Ctrl-C: the first one ends the work gently, the second at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use provoke_solve::engine::Backend;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::crash;
use crate::outcome::Outcome;

/// How often it is asked whether to stop.
const PAUSE: Duration = Duration::from_millis(20);

/// Whether the user wants the work to end.
#[derive(Clone)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// From now on a first signal is noted, and a second one ends the program.
    pub(crate) fn listen() -> Interrupt {
        let noted = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            // In this order the first signal does not see its own note. Where a signal cannot
            // be caught it does what it always does.
            let code = Outcome::Interrupted as i32;
            let _ = flag::register_conditional_shutdown(signal, code, Arc::clone(&noted));
            let _ = flag::register(signal, Arc::clone(&noted));
        }
        Interrupt(noted)
    }

    /// Whether a signal came.
    pub(crate) fn came(&self) -> bool {
        self.0.load(Ordering::SeqCst)
    }
}

/// Does `work`, ending its solvers' checks as soon as `stop` says so.
pub(crate) fn stoppable<T>(
    backend: Option<&Backend>,
    stop: &(dyn Fn() -> bool + Sync),
    work: impl FnOnce() -> T,
) -> T {
    let Some(backend) = backend else { return work() };
    let (done, wait) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            crash::on_purpose("thread");
            while wait.recv_timeout(PAUSE) == Err(RecvTimeoutError::Timeout) {
                if stop() {
                    return backend.interrupter.interrupt();
                }
            }
        });
        let result = work();
        drop(done);
        result
    })
}
