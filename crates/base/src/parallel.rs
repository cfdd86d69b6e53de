//! Independent work on several threads.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Does `work` for each of `count` items on so many threads; the results are in the order of the items,
/// whatever the number of threads.
pub fn in_parallel<T: Send>(jobs: usize, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            if at >= count {
                return done;
            }
            done.push((at, work(at)));
        }
    };
    let mut all: Vec<(usize, T)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (1..jobs.min(count)).map(|_| scope.spawn(worker)).collect();
        let own = worker();
        let others = threads.into_iter().flat_map(|thread| thread.join().expect("no panic"));
        own.into_iter().chain(others).collect()
    });
    all.sort_unstable_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, result)| result).collect()
}

/// Does `work` for each item on a thread of its own, or on this one if there is only one; the results are in
/// the order of the items.
pub fn on_threads<I: Send, T: Send>(
    items: impl IntoIterator<Item = I>,
    work: impl Fn(I) -> T + Sync,
) -> Vec<T> {
    let mut items: Vec<I> = items.into_iter().collect();
    if items.len() == 1 {
        return items.drain(..).map(work).collect();
    }
    let work = &work;
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            items.into_iter().map(|item| scope.spawn(move || work(item))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for jobs in [1, 2, 7] {
            assert_eq!(
                in_parallel(jobs, 20, |at| at * at),
                (0..20).map(|at| at * at).collect::<Vec<_>>()
            );
        }
        assert_eq!(in_parallel(4, 0, |at| at), []);
    }
}
