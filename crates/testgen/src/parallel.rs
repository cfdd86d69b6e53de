//! Independent work on several threads.

use provoke_base::parallel::in_parallel;

/// Does `work` for every item on so many threads; the results are in the order of the items.
pub(crate) fn each_in_parallel<I: Sync, T: Send>(
    jobs: usize,
    items: &[I],
    work: impl Fn(usize, &I) -> T + Sync,
) -> Vec<T> {
    in_parallel(jobs, items.len(), |at| work(at, &items[at]))
}
