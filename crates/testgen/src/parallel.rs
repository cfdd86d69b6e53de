//! Independent work on several threads.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Does `work` for every item on so many threads; the results are in the order of the items.
pub(crate) fn in_parallel<I: Sync, T: Send>(
    jobs: usize,
    items: &[I],
    work: impl Fn(usize, &I) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<T>>> = items.iter().map(|_| Mutex::new(None)).collect();
    let worker = || {
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && let Some(item) = items.get(index)
        {
            let result = work(index, item);
            *results[index].lock().expect("no worker panicked") = Some(result);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..jobs.clamp(1, items.len().max(1)) {
            scope.spawn(worker);
        }
        worker();
    });
    let taken = |slot: Mutex<Option<T>>| {
        slot.into_inner().expect("no worker panicked").expect("every slot was filled")
    };
    results.into_iter().map(taken).collect()
}
