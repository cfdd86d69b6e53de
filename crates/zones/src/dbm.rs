//! Zones: sets of clock values given by bounds on differences, as matrices.
//!
//! Entry (i, j) bounds clock i minus clock j; clock 0 is always 0. A bound is `c << 1`, plus one
//! if it may be reached: so `<` is less than `<=`, and adding is adding. All functions but `close`
//! expect matrices in closed form, and leave them so.

/// No bound.
pub const INFINITY: i32 = i32::MAX;
/// `<= 0`
pub const ZERO: i32 = 1;
/// Constants beyond this would overflow when added up.
pub const LARGEST: i64 = 1 << 28;

/// `<= c`
pub fn at_most(c: i64) -> i32 {
    (c.clamp(-LARGEST, LARGEST) as i32) << 1 | 1
}

/// `< c`
pub fn below(c: i64) -> i32 {
    (c.clamp(-LARGEST, LARGEST) as i32) << 1
}

/// The constant of a bound.
pub fn constant(bound: i32) -> i32 {
    bound >> 1
}

/// Whether the constant itself is allowed.
pub fn is_weak(bound: i32) -> bool {
    bound & 1 == 1
}

/// The sum of two bounds.
#[inline]
pub fn add(a: i32, b: i32) -> i32 {
    if a == INFINITY || b == INFINITY { INFINITY } else { a + b - ((a | b) & 1) }
}

/// The bound of the opposite: not `x - y <= c` is `y - x < -c`.
pub fn opposite(bound: i32) -> i32 {
    1 - bound
}

/// A bound on a difference of two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constraint {
    /// The clock, 0 for none.
    pub left: u16,
    /// What is subtracted, 0 for nothing.
    pub right: u16,
    /// The bound.
    pub bound: i32,
}

/// The zone in which all clocks are 0.
pub fn origin(n: usize) -> Vec<i32> {
    vec![ZERO; n * n]
}

/// Brings a matrix into closed form; false if the zone is empty.
pub fn close(zone: &mut [i32], n: usize) -> bool {
    for k in 0..n {
        // No path leads through a clock without bounds.
        let known = zone[k * n..(k + 1) * n].iter().filter(|entry| **entry != INFINITY).count();
        if known <= 1 && zone[k * n + k] == ZERO {
            continue;
        }
        for i in 0..n {
            let first = zone[i * n + k];
            if first == INFINITY || i == k {
                continue;
            }
            let (row, via) = rows(zone, n, i, k);
            for (entry, &second) in row.iter_mut().zip(via) {
                *entry = (*entry).min(add(first, second));
            }
        }
        if zone[k * n + k] < ZERO {
            return false;
        }
    }
    (0..n).all(|i| zone[i * n + i] >= ZERO)
}

/// Row i to be changed, and row k.
fn rows(zone: &mut [i32], n: usize, i: usize, k: usize) -> (&mut [i32], &[i32]) {
    if i < k {
        let (low, high) = zone.split_at_mut(k * n);
        (&mut low[i * n..(i + 1) * n], &high[..n])
    } else {
        let (low, high) = zone.split_at_mut(i * n);
        (&mut high[..n], &low[k * n..(k + 1) * n])
    }
}

/// Keeps what meets the constraint; false if that is nothing, and the zone is then of no use.
pub fn constrain(zone: &mut [i32], n: usize, constraint: Constraint) -> bool {
    let (i, j) = (constraint.left as usize, constraint.right as usize);
    let bound = constraint.bound;
    if i == j {
        return bound >= ZERO;
    }
    if zone[i * n + j] <= bound {
        return true;
    }
    if add(zone[j * n + i], bound) < ZERO {
        return false;
    }
    zone[i * n + j] = bound;
    // Every path through the new bound, in one pass.
    for a in 0..n {
        let to_i = zone[a * n + i];
        if to_i == INFINITY {
            continue;
        }
        let first = add(to_i, bound);
        if a != j && first < zone[a * n + j] {
            zone[a * n + j] = first;
        } else if a != i {
            // Row a gains nothing at j, so it gains nothing behind it either.
            continue;
        }
        let (row, via) = rows(zone, n, a, j);
        for (entry, &second) in row.iter_mut().zip(via) {
            *entry = (*entry).min(add(first, second));
        }
    }
    true
}

/// Lets time pass.
pub fn up(zone: &mut [i32], n: usize) {
    for i in 1..n {
        zone[i * n] = INFINITY;
    }
}

/// Keeps what meets an invariant, and lets time pass as long as it is met, if it may; false if
/// that is nothing.
pub fn settle(zone: &mut [i32], n: usize, invariant: &[Constraint], delay: bool) -> bool {
    // What is met later under upper bounds alone was met before.
    if delay && invariant.iter().all(|c| c.right == 0 && c.left != 0) {
        return up_to(zone, n, invariant);
    }
    let meets = |zone: &mut [i32]| invariant.iter().all(|c| constrain(zone, n, *c));
    if !meets(zone) {
        return false;
    }
    if delay {
        up(zone, n);
        meets(zone);
    }
    true
}

/// Lets time pass up to upper bounds of clocks; false if one of them is exceeded already.
fn up_to(zone: &mut [i32], n: usize, limits: &[Constraint]) -> bool {
    for i in 1..n {
        let row = &mut zone[i * n..(i + 1) * n];
        // Clock i is bounded by every limit, through its difference to the clock of that limit.
        let bounds = limits.iter().map(|c| add(row[c.left as usize], c.bound));
        row[0] = bounds.min().unwrap_or(INFINITY);
        if row[0] == INFINITY {
            continue;
        }
        let (first, rest) = zone.split_at_mut(i * n);
        let row = &mut rest[..n];
        let bound = row[0];
        if add(bound, first[i]) < ZERO {
            return false;
        }
        // Every path through the new bound and clock 0.
        for (entry, &from_zero) in row[1..].iter_mut().zip(&first[1..n]) {
            *entry = (*entry).min(add(bound, from_zero));
        }
    }
    true
}

/// The states from which time leads into the zone.
pub fn down(zone: &mut [i32], n: usize) {
    for j in 1..n {
        zone[j] = ZERO;
        for i in 1..n {
            zone[j] = zone[j].min(zone[i * n + j]);
        }
    }
}

/// Sets a clock.
pub fn reset(zone: &mut [i32], n: usize, clock: usize, value: i64) {
    let (plus, minus) = (at_most(value), at_most(-value));
    for j in 0..n {
        zone[clock * n + j] = add(plus, zone[j]);
        zone[j * n + clock] = add(zone[j * n], minus);
    }
    zone[clock * n + clock] = ZERO;
}

/// Whether all of the first zone lies in the second.
#[inline]
pub fn is_inside(inner: &[i32], outer: &[i32]) -> bool {
    // Some entries at a time: most zones differ early, and comparing without asking is fast.
    let (some, rest) = inner.as_chunks::<8>();
    let (others, last) = outer.as_chunks::<8>();
    let each =
        |a: &[i32; 8], b: &[i32; 8]| a.iter().zip(b).fold(true, |all, (a, b)| all & (a <= b));
    some.iter().zip(others).all(|(a, b)| each(a, b)) && rest.iter().zip(last).all(|(a, b)| a <= b)
}

/// The intersection; false if it is empty.
pub fn intersect(zone: &mut [i32], n: usize, other: &[i32]) -> bool {
    let mut changed = false;
    for (entry, bound) in zone.iter_mut().zip(other) {
        if bound < entry {
            *entry = *bound;
            changed = true;
        }
    }
    !changed || close(zone, n)
}

/// What is in the zone and not in the other, as zones that do not overlap.
pub fn subtract(zone: &[i32], n: usize, other: &[i32], found: &mut Vec<Vec<i32>>) {
    let mut rest = zone.to_vec();
    for i in 0..n {
        for j in 0..n {
            let bound = other[i * n + j];
            if i == j || bound == INFINITY || rest[i * n + j] <= bound {
                continue;
            }
            let mut piece = rest.clone();
            let outside = Constraint { left: j as u16, right: i as u16, bound: opposite(bound) };
            if constrain(&mut piece, n, outside) {
                found.push(piece);
            }
            let inside = Constraint { left: i as u16, right: j as u16, bound };
            if !constrain(&mut rest, n, inside) {
                return;
            }
        }
    }
}

/// What is in one of the zones and not in the other.
pub fn subtract_from_all(zones: Vec<Vec<i32>>, n: usize, other: &[i32]) -> Vec<Vec<i32>> {
    let mut found = Vec::new();
    for zone in &zones {
        subtract(zone, n, other, &mut found);
    }
    found
}

/// The largest constants that clocks are compared with from below (`x > c`) and above (`x < c`);
/// `i32::MIN` where there is no comparison.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// For each clock from 1.
    pub lower: Vec<i32>,
    /// For each clock from 1.
    pub upper: Vec<i32>,
}

/// Extra⁺LU of Behrmann, Bouyer, Larsen and Pelánek: forgets differences that no comparison can
/// see, so that there are finitely many zones. With equal bounds it changes nothing that a
/// comparison can see in either direction.
pub fn extrapolate(zone: &mut [i32], n: usize, bounds: &Bounds) {
    let mut changed = false;
    let (first, rest) = zone.split_at_mut(n);
    for (i, row) in rest.chunks_exact_mut(n).enumerate() {
        let low = bounds.lower[i];
        let all = -constant(first[i + 1]) > low;
        for (j, entry) in row.iter_mut().enumerate() {
            if *entry == INFINITY || j == i + 1 {
                continue;
            }
            let hidden = || j > 0 && -constant(first[j]) > bounds.upper[j - 1];
            if all || constant(*entry) > low || hidden() {
                *entry = INFINITY;
                changed = true;
            }
        }
    }
    // The rows above have looked at the lower bounds, so these are changed last.
    for j in 1..n {
        let up = bounds.upper[j - 1];
        if least(zone, j) > up {
            zone[j] = if up < 0 { ZERO } else { below(-i64::from(up)) };
            changed = true;
        }
    }
    if changed {
        close(zone, n);
    }
}

/// The largest number that a clock is not below.
fn least(zone: &[i32], clock: usize) -> i32 {
    -constant(zone[clock])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const N: usize = 4;
    /// Points are on every second step, four to a unit, so that there are some between the
    /// integers; time passes in single steps, so that there is some between the points.
    const SCALE: i64 = 8;
    const MOST: i64 = 5;

    /// All points of a grid, which is fine enough to tell zones with small constants apart.
    fn points() -> Vec<[i64; N]> {
        let range = (0..=MOST * SCALE).step_by(2);
        let mut found = Vec::new();
        for x in range.clone() {
            for y in range.clone() {
                for z in range.clone() {
                    found.push([0, x, y, z]);
                }
            }
        }
        found
    }

    fn meets(point: &[i64; N], constraint: Constraint) -> bool {
        let difference = point[constraint.left as usize] - point[constraint.right as usize];
        let limit = i64::from(self::constant(constraint.bound)) * SCALE;
        if is_weak(constraint.bound) { difference <= limit } else { difference < limit }
    }

    fn contains(zone: &[i32], point: &[i64; N]) -> bool {
        (0..N * N).filter(|at| zone[*at] != INFINITY).all(|at| {
            let (left, right) = ((at / N) as u16, (at % N) as u16);
            meets(point, Constraint { left, right, bound: zone[at] })
        })
    }

    fn constraint() -> impl Strategy<Value = Constraint> {
        (0..N as u16, 0..N as u16, -3..=3_i64, any::<bool>()).prop_map(|(left, right, c, weak)| {
            Constraint { left, right, bound: if weak { at_most(c) } else { below(c) } }
        })
    }

    fn constraints() -> impl Strategy<Value = Vec<Constraint>> {
        prop::collection::vec(constraint(), 0..5)
    }

    fn anywhere() -> Vec<i32> {
        let mut zone = vec![INFINITY; N * N];
        (0..N).for_each(|i| (zone[i], zone[i * N + i]) = (ZERO, ZERO));
        zone
    }

    fn zone_of(constraints: &[Constraint]) -> Option<Vec<i32>> {
        let mut zone = anywhere();
        constraints.iter().all(|c| constrain(&mut zone, N, *c)).then_some(zone)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        #[test]
        fn constraints_keep_the_points_that_meet_them(list in constraints()) {
            let mut slow = anywhere();
            for c in &list {
                let at = c.left as usize * N + c.right as usize;
                slow[at] = slow[at].min(c.bound);
            }
            let nonempty = close(&mut slow, N);
            let zone = zone_of(&list);
            prop_assert_eq!(zone.is_some(), nonempty);
            if let Some(zone) = zone {
                prop_assert_eq!(&zone, &slow);
                for point in points() {
                    let met = list.iter().all(|c| meets(&point, *c));
                    prop_assert_eq!(contains(&zone, &point), met);
                }
            }
        }

        #[test]
        fn resets_time_and_its_past_move_points(list in constraints(), clock in 1..N, value in 0..3_i64) {
            if let Some(zone) = zone_of(&list) {
                let (mut set, mut later, mut earlier) = (zone.clone(), zone.clone(), zone.clone());
                reset(&mut set, N, clock, value);
                up(&mut later, N);
                down(&mut earlier, N);
                let uppers: Vec<Constraint> = list.iter().filter(|c| c.left != 0).map(|c| Constraint { right: 0, ..*c }).collect();
                for list in [&list, &uppers] {
                    let (mut fast, mut slow) = (zone.clone(), zone.clone());
                    let all = |zone: &mut Vec<i32>| list.iter().all(|c| constrain(zone, N, *c));
                    let nonempty = all(&mut slow);
                    up(&mut slow, N);
                    all(&mut slow);
                    prop_assert_eq!(settle(&mut fast, N, list, true), nonempty);
                    prop_assert!(!nonempty || fast == slow);
                }
                for zone in [&set, &later, &earlier] {
                    let mut again = zone.clone();
                    prop_assert!(close(&mut again, N));
                    prop_assert_eq!(&again, zone);
                }
                for point in points().into_iter().filter(|p| contains(&zone, p)) {
                    let mut moved = point;
                    moved[clock] = value * SCALE;
                    prop_assert!(contains(&set, &moved));
                    for delay in 0..9 {
                        let by = |d: i64| [0, point[1] + d, point[2] + d, point[3] + d];
                        prop_assert!(contains(&later, &by(delay)));
                        if by(-delay).iter().all(|v| *v >= 0) {
                            prop_assert!(contains(&earlier, &by(-delay)));
                        }
                    }
                }
                for point in points() {
                    let by = |d: i64| [0, point[1] + d, point[2] + d, point[3] + d];
                    let past = (0..=MOST * SCALE).map(|d| by(-d)).take_while(|p| p[1..].iter().all(|v| *v >= 0));
                    prop_assert_eq!(contains(&later, &point), past.into_iter().any(|p| contains(&zone, &p)));
                    let mut future = (0..=2 * MOST * SCALE).map(by);
                    prop_assert_eq!(contains(&earlier, &point), future.any(|p| contains(&zone, &p)));
                }
            }
        }

        #[test]
        fn sets_are_compared_and_subtracted(a in constraints(), b in constraints()) {
            if let (Some(a), Some(b)) = (zone_of(&a), zone_of(&b)) {
                let mut both = a.clone();
                let meet = intersect(&mut both, N, &b);
                let mut rest = Vec::new();
                subtract(&a, N, &b, &mut rest);
                let mut inside = true;
                for point in points() {
                    let (in_a, in_b) = (contains(&a, &point), contains(&b, &point));
                    inside &= !in_a || in_b;
                    prop_assert_eq!(meet && contains(&both, &point), in_a && in_b);
                    let pieces = rest.iter().filter(|piece| contains(piece, &point)).count();
                    prop_assert_eq!(pieces, usize::from(in_a && !in_b));
                }
                prop_assert!(!is_inside(&a, &b) || inside);
                prop_assert_eq!(is_inside(&a, &b), rest.is_empty());
            }
        }

        #[test]
        fn extrapolation_only_adds_points_that_no_comparison_tells_apart(
            list in constraints(), limits in prop::collection::vec(-1..4_i32, 3)
        ) {
            if let Some(zone) = zone_of(&list) {
                let limit: Vec<i32> = limits.iter().map(|l| if *l < 0 { i32::MIN } else { *l }).collect();
                let bounds = Bounds { lower: limit.clone(), upper: limit.clone() };
                let mut larger = zone.clone();
                extrapolate(&mut larger, N, &bounds);
                prop_assert!(is_inside(&zone, &larger));
                // The same up to what lies beyond the largest constants: each clock keeps its
                // value, or both values are beyond. The twin may lie outside of the grid.
                let twin = |point: &[i64; N]| {
                    let mut twins = zone.clone();
                    (1..N).all(|i| {
                        let max = i64::from(limit[i - 1]);
                        let value = point[i];
                        if limit[i - 1] == i32::MIN { return true; }
                        if value > max * SCALE {
                            return constrain(&mut twins, N, Constraint { left: 0, right: i as u16, bound: below(-max) });
                        }
                        // Exactly this value, which may lie between two integers.
                        let floor = value.div_euclid(SCALE);
                        let exact = value.rem_euclid(SCALE) == 0;
                        let (low, high) = if exact { (at_most(-floor), at_most(floor)) } else { (below(-floor), below(floor + 1)) };
                        constrain(&mut twins, N, Constraint { left: 0, right: i as u16, bound: low })
                            && constrain(&mut twins, N, Constraint { left: i as u16, right: 0, bound: high })
                    })
                };
                for point in points() {
                    prop_assert!(!contains(&larger, &point) || twin(&point), "{:?}", point);
                }
            }
        }
    }
}
