//! Solvers that end when the work does.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use provoke_solve::engine::Backend;

/// How often it is asked whether to stop.
const PAUSE: Duration = Duration::from_millis(20);

/// Does `work`, ending its solvers' checks as soon as `stop` says so.
pub fn stoppable<T>(
    backend: Option<&Backend>,
    stop: &(dyn Fn() -> bool + Sync),
    work: impl FnOnce() -> T,
) -> T {
    let Some(backend) = backend else { return work() };
    let (done, wait) = channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
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
