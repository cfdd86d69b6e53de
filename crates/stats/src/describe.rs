//! What a sample looks like. A sample without values has no description: None. Values are
//! finite; with others the answers mean nothing, but nothing panics.

/// The arithmetic mean; rounding is that of the sum of the values' distances from the first
/// guess, so that large values with small differences lose nothing.
pub fn mean(values: &[f64]) -> Option<f64> {
    let size = values.len() as f64;
    let guess = values.iter().sum::<f64>() / size;
    let correction = values.iter().map(|value| value - guess).sum::<f64>() / size;
    (!values.is_empty()).then_some(guess + correction)
}

/// The variance of the population that the sample comes from: with n - 1 for the divisor. None
/// for fewer than two values.
pub fn variance(values: &[f64]) -> Option<f64> {
    let centre = mean(values).filter(|_| values.len() >= 2)?;
    let squares: f64 = values.iter().map(|value| (value - centre).powi(2)).sum();
    Some(squares / (values.len() - 1) as f64)
}

/// The square root of the [`variance`].
pub fn standard_deviation(values: &[f64]) -> Option<f64> {
    variance(values).map(f64::sqrt)
}

/// The mean distance from the mean.
pub fn mean_absolute_deviation(values: &[f64]) -> Option<f64> {
    let centre = mean(values)?;
    mean(&values.iter().map(|value| (value - centre).abs()).collect::<Vec<_>>())
}

/// The value in the middle, or the mean of the two there.
pub fn median(values: &[f64]) -> Option<f64> {
    quantile(values, 0.5)
}

/// The value below which a share of `level` lies, by linear interpolation between neighbours
/// (type 7 of Hyndman and Fan, the default of R and NumPy). None if level is not from 0 to 1.
pub fn quantile(values: &[f64], level: f64) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    quantile_of_sorted(&sorted, level)
}

/// The same for values that are in ascending order already.
pub fn quantile_of_sorted(sorted: &[f64], level: f64) -> Option<f64> {
    let last = sorted.len().checked_sub(1).filter(|_| (0.0..=1.0).contains(&level))?;
    let place = level * last as f64;
    let (below, part) = (place.floor() as usize, place.fract());
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    Some(if part == 0.0 { low } else { low + part * (high - low) })
}

/// The level of a distribution at which the earliest of that many independent draws has its
/// median: 1 - 0.5^(1/n). None for no draws.
pub fn median_level_of_first(draws: u64) -> Option<f64> {
    (draws > 0).then(|| -(0.5_f64.ln() / draws as f64).exp_m1())
}
