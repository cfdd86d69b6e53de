//! Time for threads that must not be late.

#![allow(unsafe_code, reason = "the one system call that no safe crate offers")]

use std::time::{Duration, Instant};

use rustix::mm::{MlockAllFlags, mlockall};
use rustix::thread::{ClockId, clock_nanosleep_absolute};
use rustix::time::{Timespec, clock_gettime};

/// The priority asked for, in the middle of what there is.
const PRIORITY: i32 = 50;

/// Lets the calling thread run before all ordinary ones, and keeps its memory at hand. Says why if
/// the system refuses; the thread then runs as it did.
pub fn hurry() -> Result<(), String> {
    let parameters = libc::sched_param { sched_priority: PRIORITY };
    // SAFETY: the call reads one structure that lives here; 0 stands for the calling thread.
    let refused = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const parameters) };
    if refused != 0 {
        let error = std::io::Error::last_os_error();
        return Err(format!("real-time scheduling is refused ({error})"));
    }
    mlockall(MlockAllFlags::CURRENT | MlockAllFlags::FUTURE)
        .map_err(|error| format!("memory cannot be locked ({error})"))
}

/// Sleeps until a point in time. An absolute time does not add up what each sleep is late.
pub fn sleep_until(deadline: Instant) {
    let wait = deadline.saturating_duration_since(Instant::now());
    if wait.is_zero() {
        return;
    }
    let now = clock_gettime(rustix::time::ClockId::Monotonic);
    let at = Duration::new(now.tv_sec as u64, now.tv_nsec as u32) + wait;
    let request = Timespec { tv_sec: at.as_secs() as i64, tv_nsec: i64::from(at.subsec_nanos()) };
    // A signal ends the sleep early; then it is continued.
    while clock_nanosleep_absolute(ClockId::Monotonic, &request).is_err()
        && Instant::now() < deadline
    {}
}
