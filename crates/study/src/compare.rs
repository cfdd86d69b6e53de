//! How two samples are compared, and how numbers are written.

use provoke_stats::describe::mean;
use provoke_stats::{Alternative, mann_whitney};

/// Differences that chance makes less often than this are believed.
const ALPHA: f64 = 0.05;

/// Whether the first sample tends to larger values: a one-sided rank-sum test.
pub(crate) fn beats(first: &[f64], second: &[f64]) -> bool {
    let test = mann_whitney(first, second, Alternative::Greater);
    test.is_ok_and(|test| test.p_value < ALPHA)
}

/// By how much per cent of what it was a number has changed; None where it was nothing and is
/// something.
pub(crate) fn change(from: f64, to: f64) -> Option<f64> {
    match from == 0.0 {
        true => (to == 0.0).then_some(0.0),
        false => Some(100.0 * (to - from) / from),
    }
}

/// A mean change, and how many it is the mean of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MeanChange {
    pub(crate) percent: Option<f64>,
    pub(crate) of: usize,
}

impl MeanChange {
    /// Of those pairs that have a change.
    pub(crate) fn of(pairs: impl Iterator<Item = (f64, f64)>) -> MeanChange {
        let changes: Vec<f64> = pairs.filter_map(|(from, to)| change(from, to)).collect();
        MeanChange { percent: mean(&changes), of: changes.len() }
    }
}

/// Two digits, or a dash for what there is not.
pub(crate) fn two_digits(number: Option<f64>) -> String {
    // Rounding must not show a sign in front of nothing.
    let shown = number.map(|number| format!("{number:.2}"));
    shown.map_or("–".into(), |shown| if shown == "-0.00" { "0.00".into() } else { shown })
}

/// `part` in per cent of `whole`.
pub(crate) fn share(part: usize, whole: usize) -> String {
    two_digits((whole > 0).then(|| 100.0 * part as f64 / whole as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_from_nothing_has_no_percentage() {
        assert_eq!(change(50.0, 75.0), Some(50.0));
        assert_eq!(change(0.0, 0.0), Some(0.0));
        assert_eq!(change(0.0, 3.0), None);
        let mean = MeanChange::of([(1.0, 2.0), (0.0, 1.0), (4.0, 2.0)].into_iter());
        assert_eq!((mean.percent, mean.of), (Some(25.0), 2));
    }

    #[test]
    fn what_is_larger_beats_and_equal_samples_do_not() {
        let low: Vec<f64> = (0..10).map(f64::from).collect();
        let high: Vec<f64> = (10..20).map(f64::from).collect();
        assert!(beats(&high, &low) && !beats(&low, &high) && !beats(&low, &low));
        assert!(!beats(&[1.0; 10], &[1.0; 10]) && !beats(&[], &low));
        assert!(beats(&[2.0; 10], &[1.0; 10]));
    }

    #[test]
    fn numbers_have_two_digits() {
        assert_eq!(two_digits(Some(-0.001)), "0.00");
        assert_eq!(two_digits(None), "–");
        assert_eq!(share(1, 3), "33.33");
    }
}
