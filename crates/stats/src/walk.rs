//! All outcomes of independent trials at once: the exact law of a sequential rule.

/// Follows the probability of `k` successes after `n` trials, from no trial to `limit`. Where
/// `stop` answers, the walk ends: `ended` is told the trials, the probability of ending there,
/// and the answer. Returns the probability of having reached no end.
pub(crate) fn walk<T>(
    p: f64,
    limit: u64,
    mut stop: impl FnMut(u64, u64) -> Option<T>,
    mut ended: impl FnMut(u64, f64, T),
) -> f64 {
    // The probabilities of `first`, `first` + 1, ... successes.
    let (mut first, mut row) = (0, vec![1.0]);
    for n in 1..=limit {
        row = next_row(&row, p);
        for (k, mass) in (first..).zip(row.iter_mut()).filter(|(_, mass)| **mass > 0.0) {
            if let Some(answer) = stop(k, n) {
                ended(n, *mass, answer);
                *mass = 0.0;
            }
        }
        first += trim(&mut row);
        if row.is_empty() {
            break;
        }
    }
    row.iter().sum()
}

fn next_row(row: &[f64], p: f64) -> Vec<f64> {
    let mut next = vec![0.0; row.len() + 1];
    for (at, mass) in row.iter().enumerate() {
        next[at] += mass * (1.0 - p);
        next[at + 1] += mass * p;
    }
    next
}

/// Drops zeros at both ends; returns how many at the front.
fn trim(row: &mut Vec<f64>) -> u64 {
    let kept = row.iter().rposition(|&mass| mass > 0.0).map_or(0, |last| last + 1);
    row.truncate(kept);
    let front = row.iter().take_while(|&&mass| mass == 0.0).count();
    row.drain(..front);
    front as u64
}
