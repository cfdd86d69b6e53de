//! What has to hold for all arguments, checked on grids and random ones.

use provoke_base::Random;
use provoke_stats::{
    Alternative, Arrangements, ConfidenceInterval, Decision, PairedSprt, RankMethod, Sprt,
    StoppingRule, StoppingRuleKind, TwoSided, autocorrelation, beta, binomial, clopper_pearson,
    describe, hoeffding, hoeffding_runs, ln_choose, ln_gamma, mann_whitney, mann_whitney_by,
    means_test, normal, runs_test, wilson,
};

/// A number between 0 and 1, neither included.
fn share(random: &mut Random) -> f64 {
    (random.below(1 << 52) as f64 + 0.5) / (1u64 << 52) as f64
}

fn close(found: f64, expected: f64, accuracy: f64) -> bool {
    (found - expected).abs() <= accuracy * expected.abs()
}

#[test]
fn quantiles_undo_distributions() {
    let mut random = Random::new(1);
    for _ in 0..2000 {
        let magnitude = 10f64.powf(6.0 * share(&mut random));
        let (a, b) = (1.0 + magnitude * share(&mut random), 1.0 + magnitude * share(&mut random));
        let q = share(&mut random).powi(4);
        let x = beta::quantile(a, b, q).unwrap();
        let back = beta::at_most(a, b, x).unwrap();
        assert!(close(back, q, 1e-9), "beta {a} {b} {q}: {back} at {x}");
        let x = beta::upper_quantile(a, b, q).unwrap();
        let back = beta::above(a, b, x).unwrap();
        // Close to 1, neighbouring x are far apart for the tail above them.
        assert!(x > 0.999 || close(back, q, 1e-9), "above beta {a} {b} {q}: {back} at {x}");
        let back = normal::at_most(normal::quantile(q).unwrap()).unwrap();
        assert!(close(back, q, 1e-12), "normal {q}: {back}");
    }
}

#[test]
fn parameters_below_one_have_quantiles_too() {
    for a in [1e-3, 0.1, 0.5, 0.9] {
        for b in [1e-3, 0.2, 0.5, 3.0] {
            for q in [0.01, 0.3, 0.5, 0.8] {
                let x = beta::quantile(a, b, q).unwrap();
                let back = beta::at_most(a, b, x).unwrap();
                let extreme = !(1e-290..=1.0 - 1e-12).contains(&x);
                assert!(extreme || close(back, q, 1e-6), "beta {a} {b} {q}: {back} at {x}");
            }
        }
    }
}

#[test]
fn distributions_are_symmetric() {
    let mut random = Random::new(2);
    for _ in 0..500 {
        let (a, b) = (0.5 + 50.0 * share(&mut random), 0.5 + 50.0 * share(&mut random));
        let x = share(&mut random);
        let mirrored = beta::above(b, a, 1.0 - x).unwrap();
        assert!(close(beta::at_most(a, b, x).unwrap(), mirrored, 1e-10), "{a} {b} {x}");
        let n = 1 + random.below(200) as u64;
        let k = random.below(n as usize + 1) as u64;
        let pmf = binomial::pmf(k, n, x).unwrap();
        assert!(close(pmf, binomial::pmf(n - k, n, 1.0 - x).unwrap(), 1e-10), "{k} {n} {x}");
        let both = binomial::at_most(k, n, x).unwrap() + binomial::at_least(k, n, x).unwrap();
        assert!(close(both, 1.0 + pmf, 1e-12), "{k} {n} {x}");
    }
}

#[test]
fn binomial_tails_are_sums_of_terms() {
    for n in [1, 2, 7, 30] {
        for p in [0.0, 0.01, 0.4, 0.5, 0.93, 1.0] {
            let mut sum = 0.0;
            for k in 0..=n {
                sum += binomial::pmf(k, n, p).unwrap();
                assert!((binomial::at_most(k, n, p).unwrap() - sum).abs() < 1e-13, "{k} {n} {p}");
            }
        }
    }
}

#[test]
fn gamma_has_its_recurrence_and_choices_are_counted() {
    let mut random = Random::new(3);
    for _ in 0..500 {
        let x = 30.0 * share(&mut random);
        let step = ln_gamma(x + 1.0).unwrap() - ln_gamma(x).unwrap() - x.ln();
        assert!(step.abs() < 1e-13, "{x}: {step:e}");
    }
    assert!((ln_choose(20, 10).exp() - 184_756.0).abs() < 1e-7);
    assert_eq!(ln_choose(3, 4), f64::NEG_INFINITY);
}

#[test]
fn published_intervals() {
    let rounded = |value: f64, digits: i32| (value * 10f64.powi(digits)).round();
    let interval = clopper_pearson(0, 72, 0.05).unwrap();
    assert_eq!(rounded(interval.high, 7), 499_441.0);
    let interval = clopper_pearson(9, 153, 0.05).unwrap();
    assert_eq!(rounded(interval.centre(), 7), 679_872.0);
    assert_eq!(rounded(interval.width() / 2.0, 7), 407_395.0);
    let interval = clopper_pearson(3, 14670, 0.0005).unwrap();
    assert_eq!((rounded(interval.low, 10), rounded(interval.high, 8)), (80363.0, 100_802.0));
    let rule = StoppingRule::new(StoppingRuleKind::Uppaal41, 0.05, 0.05).unwrap();
    assert!(!rule.is_met(0, 28).unwrap() && rule.is_met(0, 29).unwrap());
    assert_eq!(rounded(rule.interval(0, 29).unwrap().high, 7), 981_446.0);
    assert_eq!(hoeffding_runs(0.05, 0.05), Ok(738));
}

/// How often an interval made of n trials contains p.
fn coverage(n: u64, p: f64, interval: impl Fn(u64) -> ConfidenceInterval) -> f64 {
    let inside = (0..=n).filter(|&k| interval(k).contains(p));
    inside.map(|k| binomial::pmf(k, n, p).unwrap()).sum()
}

#[test]
fn exact_intervals_cover_what_they_promise() {
    for n in 1..=30 {
        for alpha in [0.01, 0.05, 0.2] {
            let exact: Vec<ConfidenceInterval> =
                (0..=n).map(|k| clopper_pearson(k, n, alpha).unwrap()).collect();
            for step in 0..=200 {
                let p = f64::from(step) / 200.0;
                let covered = coverage(n, p, |k| exact[k as usize]);
                assert!(covered >= 1.0 - alpha - 1e-12, "{n} {alpha} {p}: {covered}");
                let covered = coverage(n, p, |k| hoeffding(k, n, alpha).unwrap());
                assert!(covered >= 1.0 - alpha - 1e-12, "{n} {alpha} {p}: {covered}");
            }
        }
    }
}

#[test]
fn intervals_mirror_and_contain_the_frequency() {
    let methods: [fn(u64, u64, f64) -> _; 3] = [clopper_pearson, wilson, hoeffding];
    for method in methods {
        for n in [1, 2, 9, 100, 5000] {
            for k in [0, 1, n / 3, n / 2, n] {
                let (here, there) = (method(k, n, 0.05).unwrap(), method(n - k, n, 0.05).unwrap());
                assert!((here.low + there.high - 1.0).abs() < 1e-12, "{k} of {n}");
                assert!(here.low >= 0.0 && here.high <= 1.0, "{k} of {n}");
                let frequency = k as f64 / n as f64;
                assert!(here.low <= frequency + 1e-12 && frequency <= here.high + 1e-12);
            }
        }
        assert_eq!(method(0, 0, 0.05), Ok(ConfidenceInterval::ALL));
    }
}

/// The share of outcomes of 100 trials whose Wilson interval misses the model's interval.
fn detected(p: f64, model: ConfidenceInterval) -> f64 {
    let misses = |k: &u64| !wilson(*k, 100, 0.05).unwrap().overlaps(&model);
    (0..=100).filter(misses).map(|k| binomial::pmf(k, 100, p).unwrap()).sum()
}

#[test]
fn the_power_of_overlap_is_as_published() {
    let (wide, narrow) = (
        ConfidenceInterval { low: 0.45, high: 0.55 },
        ConfidenceInterval { low: 0.495, high: 0.505 },
    );
    let percent = |share: f64| (share * 100.0).round();
    assert_eq!((percent(detected(0.4, wide)), percent(detected(0.327, wide))), (18.0, 73.0));
    assert_eq!(percent(detected(0.4, narrow)), 46.0);
    assert!((detected(0.327, narrow) - 0.925).abs() < 5e-4);
    assert!((detected(0.25, wide) - 0.991).abs() < 5e-4);
    assert!(detected(0.2, wide) > 0.9998);
}

#[test]
fn stopping_rules_cover_what_was_published() {
    // The least coverage over p = 0.002, 0.004, ... as in research/timed.md, and over all p.
    for (rule, published, least, runs) in [
        (StoppingRuleKind::Uppaal41, 0.9225, 0.919_044, [37.0, 146.0, 401.0]),
        (StoppingRuleKind::ClopperPearson, 0.9412, 0.935_902, [43.0, 148.0, 401.0]),
        (StoppingRuleKind::Uppaal5, 0.9511, 0.949_997, [84.0, 198.0, 403.0]),
        (StoppingRuleKind::Wilson, 0.9323, 0.885_457, [41.0, 132.0, 380.0]),
    ] {
        let table = StoppingRule::new(rule, 0.05, 0.05).unwrap().coverage(500).unwrap();
        let at = |p: f64| table.at(p).unwrap();
        assert_eq!([0.01, 0.1, 0.5].map(|p| at(p).runs.round()), runs, "{rule:?}");
        let on_grid = (1..500).map(|step| at(f64::from(step) / 500.0).coverage);
        let on_grid = on_grid.fold(1.0, f64::min);
        assert!((on_grid - published).abs() < 5e-5, "{rule:?}: {on_grid}");
        let (found, p) = table.least().unwrap();
        assert!((found - least).abs() < 1e-6 && found <= on_grid, "{rule:?}: {found} at {p}");
        if rule == StoppingRuleKind::Wilson {
            assert_eq!((table.fewest_runs(), table.most_runs()), (35, 381));
        }
    }
}

#[test]
fn fixed_numbers_of_runs_end_there() {
    for (rule, runs) in [(StoppingRuleKind::Fixed(20), 20), (StoppingRuleKind::Hoeffding, 185)] {
        let rule = StoppingRule::new(rule, 0.05, 0.1).unwrap();
        let table = rule.coverage(200).unwrap();
        assert_eq!((table.fewest_runs(), table.most_runs()), (runs, runs));
        assert!(table.least().unwrap().0 >= 0.95);
        assert!(rule.coverage(runs - 1).is_err());
    }
}

#[test]
fn a_running_estimate_stops_where_the_rule_does() {
    let mut random = Random::new(4);
    for rule in [
        StoppingRuleKind::Uppaal5,
        StoppingRuleKind::Uppaal41,
        StoppingRuleKind::ClopperPearson,
        StoppingRuleKind::Wilson,
        StoppingRuleKind::Fixed(7),
    ] {
        for epsilon in [0.03, 0.05, 0.1, 0.2] {
            let rule = StoppingRule::new(rule, 0.05, epsilon).unwrap();
            for _ in 0..12 {
                let p = share(&mut random);
                let mut estimation = rule.start();
                loop {
                    let stopped = estimation.push(share(&mut random) < p);
                    let (k, n) = (estimation.successes(), estimation.trials());
                    let met = rule.is_met(k, n).unwrap();
                    assert_eq!(stopped.is_some(), met, "{rule:?} {k} of {n}");
                    if met {
                        assert_eq!(stopped, rule.interval(k, n).ok());
                        break;
                    }
                }
            }
        }
    }
}

#[test]
fn sequential_tests_decide_and_stay_decided() {
    let mut test = Sprt::new(0.9, 0.5, 0.05, 0.05).unwrap();
    while test.push(true) == Decision::Continue {}
    assert_eq!((test.decision(), test.trials()), (Decision::AcceptH0, 6));
    assert_eq!(test.push(false), Decision::AcceptH0);
    assert_eq!(test.trials(), 6);
    // A failure of what cannot fail decides at once, a success of what cannot succeed as well.
    let mut sure = Sprt::new(1.0, 0.9, 0.05, 0.05).unwrap();
    assert_eq!((sure.push(true), sure.push(false)), (Decision::Continue, Decision::AcceptH1));
    let mut never = Sprt::new(0.1, 0.0, 0.05, 0.05).unwrap();
    assert_eq!((never.push(false), never.push(true)), (Decision::Continue, Decision::AcceptH0));
    assert!(Sprt::around(0.99, 0.05, 0.05, 0.05).is_ok());
}

#[test]
fn sequential_tests_keep_their_errors_and_their_expected_length() {
    for (p0, p1) in [(0.5, 0.4), (0.4, 0.5), (0.95, 0.9), (0.02, 0.05)] {
        let test = Sprt::new(p0, p1, 0.05, 0.1).unwrap();
        let (good, bad) =
            (test.operation(p0, 20_000).unwrap(), test.operation(p1, 20_000).unwrap());
        // Wald: the two errors together stay below the sum of what was asked for.
        assert!(good.accept_h1 + bad.accept_h0 <= 0.15, "{p0} {p1}");
        for p in [p0, p1, (p0 + p1) / 2.0, 0.3] {
            let exact = test.operation(p, 20_000).unwrap().runs;
            let approximate = test.expected_runs(p).unwrap();
            assert!(close(approximate, exact, 0.2), "{p0} {p1} {p}: {approximate} for {exact}");
        }
        assert!(test.expected_runs(0.0).is_some() && test.expected_runs(1.0).is_some());
        // The approximation is smooth where the drift changes its sign.
        let near = |p: f64| test.expected_runs(p).unwrap();
        for step in 1..1000 {
            let p = f64::from(step) / 1000.0;
            assert!(near(p) > 0.0 && close(near(p), near(p + 1e-7), 1e-3), "{p0} {p1} {p}");
        }
    }
}

/// How often H1 is accepted in 2000 tests, in per cent, and the trials per test.
fn two_sided(p: f64, seed: u64) -> (f64, f64) {
    let mut random = Random::new(seed);
    let (mut rejected, mut trials) = (0, 0);
    for _ in 0..2000 {
        let mut test = TwoSided::new(0.5, 0.1, 0.05, 0.05).unwrap();
        while test.push(share(&mut random) < p) == Decision::Continue {}
        rejected += u64::from(test.decision() == Decision::AcceptH1);
        trials += test.trials();
    }
    (rejected as f64 / 20.0, trials as f64 / 2000.0)
}

#[test]
fn deviations_in_both_directions_are_detected() {
    let (false_alarms, _) = two_sided(0.5, 5);
    assert!(false_alarms <= 6.0, "{false_alarms} %");
    for p in [0.4, 0.6, 0.327] {
        let (detected, _) = two_sided(p, 6);
        assert!(detected >= 94.0, "{p}: {detected} %");
    }
    // No room above: only one side is tested.
    let mut test = TwoSided::new(1.0, 0.1, 0.05, 0.05).unwrap();
    while test.push(true) == Decision::Continue {}
    assert_eq!((test.decision(), test.trials()), (Decision::AcceptH0, 28));
}

#[test]
fn the_larger_of_two_probabilities_is_found() {
    let mut random = Random::new(7);
    let mut right = 0;
    for _ in 0..500 {
        let mut test = PairedSprt::new(1.1, 0.9, 0.05, 0.05).unwrap();
        while test.push(share(&mut random) < 0.55, share(&mut random) < 0.4) == Decision::Continue {
        }
        right += u64::from(test.decision() == Decision::AcceptH0);
        assert!(test.pairs() > 10);
    }
    assert!(right >= 475, "{right} of 500");
}

#[test]
fn rank_tests_mirror_and_agree_across_methods() {
    let mut random = Random::new(8);
    for round in 0..60 {
        let (n, m) = (5 + random.below(30), 5 + random.below(30));
        let values = if round % 2 == 0 { 12 } else { 1_000_000_000 };
        let mut draw =
            |count| -> Vec<f64> { (0..count).map(|_| random.below(values) as f64).collect() };
        let (x, y) = (draw(n), draw(m));
        let by = |method, x: &[f64], y: &[f64], a| mann_whitney_by(method, x, y, a).unwrap();
        for method in [RankMethod::Exact, RankMethod::Normal] {
            let greater = by(method, &x, &y, Alternative::Greater);
            let less = by(method, &y, &x, Alternative::Less);
            assert_eq!(greater.u + less.u, (n * m) as f64);
            assert!(close(greater.p_value, less.p_value, 1e-9), "{greater:?} {less:?}");
        }
        for a in [Alternative::Less, Alternative::Greater, Alternative::TwoSided] {
            let (exact, normal) =
                (by(RankMethod::Exact, &x, &y, a), by(RankMethod::Normal, &x, &y, a));
            assert!((exact.p_value - normal.p_value).abs() < 0.04, "{exact:?} {normal:?}");
        }
    }
    let same = mann_whitney(&[1.0; 5], &[1.0; 4], Alternative::TwoSided).unwrap();
    assert_eq!((same.p_value, same.superiority), (1.0, 0.5));
}

#[test]
fn sampled_permutations_come_close_to_all_of_them() {
    let mut random = Random::new(9);
    let mut draw = |count: usize, shift: f64| -> Vec<f64> {
        (0..count).map(|_| share(&mut random) + shift).collect()
    };
    let (x, y) = (draw(12, 0.0), draw(13, 0.3));
    let sampled = means_test(&x, &y, 20_000, &mut Random::new(1)).unwrap();
    assert_eq!(sampled.arrangements, Arrangements::Sampled(20_000));
    assert_eq!(sampled, means_test(&x, &y, 20_000, &mut Random::new(1)).unwrap());
    // Nine values less, and all arrangements are tried.
    let (x, y) = (&x[..8], &y[..8]);
    let all = means_test(x, y, 1, &mut Random::new(1)).unwrap();
    assert_eq!(all.arrangements, Arrangements::All(12870));
    let mirrored = means_test(y, x, 1, &mut Random::new(1)).unwrap();
    assert_eq!((all.p_value, all.difference), (mirrored.p_value, -mirrored.difference));
    let equal = means_test(&[2.5; 40], &[2.5; 50], 100, &mut Random::new(1)).unwrap();
    assert_eq!(equal.p_value, 1.0);
}

#[test]
fn dependence_is_noticed() {
    let mut random = Random::new(10);
    let independent: Vec<bool> = (0..1000).map(|_| random.chance(3, 10)).collect();
    assert!(runs_test(&independent).unwrap().p_value > 0.01);
    let sticky: Vec<bool> = independent.iter().flat_map(|&outcome| [outcome; 2]).collect();
    let clustered = runs_test(&sticky).unwrap();
    assert!(clustered.at_most < 1e-9 && clustered.at_least > 0.999, "{clustered:?}");
    let alternating: Vec<bool> = (0..40).map(|i| i % 2 == 0).collect();
    assert!(runs_test(&alternating).unwrap().at_least < 1e-9);
    assert_eq!(runs_test(&[true; 50]).unwrap().p_value, 1.0);
    let numbers: Vec<f64> = sticky.iter().map(|&outcome| f64::from(u8::from(outcome))).collect();
    assert!((autocorrelation(&numbers).unwrap() - 0.5).abs() < 0.05);
    assert_eq!((autocorrelation(&[1.0]), autocorrelation(&[2.0, 2.0])), (None, None));
}

#[test]
fn samples_are_described() {
    let values = [4.0, 1.0, 3.0, 2.0];
    assert_eq!(describe::mean(&values), Some(2.5));
    assert_eq!(describe::variance(&values), Some(5.0 / 3.0));
    assert_eq!(describe::median(&values), Some(2.5));
    assert_eq!(describe::quantile(&values, 0.25), Some(1.75));
    assert_eq!(describe::quantile(&values, 1.0), Some(4.0));
    assert_eq!(describe::mean_absolute_deviation(&values), Some(1.0));
    assert_eq!(describe::variance(&[1e9 + 1.0, 1e9 + 2.0]), Some(0.5));
    assert_eq!((describe::mean(&[]), describe::median(&[])), (None, None));
    assert_eq!((describe::variance(&[1.0]), describe::quantile(&values, 1.5)), (None, None));
    assert_eq!(describe::median_level_of_first(1), Some(0.5));
    assert_eq!(describe::median_level_of_first(0), None);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let nan = f64::NAN;
    assert!(ln_gamma(0.0).is_err() && ln_gamma(nan).is_err());
    assert!(beta::at_most(0.0, 1.0, 0.5).is_err() && beta::quantile(1.0, nan, 0.5).is_err());
    assert!(normal::quantile(0.0).is_err() && normal::at_most(nan).is_err());
    assert!(binomial::pmf(3, 2, 0.5).is_err() && binomial::at_most(1, 2, 1.5).is_err());
    assert!(clopper_pearson(1, 2, 0.0).is_err() && wilson(3, 2, 0.05).is_err());
    assert!(hoeffding_runs(0.0, 0.05).is_err());
    assert!(StoppingRule::new(StoppingRuleKind::Fixed(0), 0.05, 0.05).is_err());
    assert!(Sprt::new(0.5, 0.5, 0.05, 0.05).is_err() && Sprt::new(0.5, 0.4, 0.5, 0.5).is_err());
    assert!(TwoSided::new(0.5, 0.6, 0.05, 0.05).is_err());
    assert!(PairedSprt::new(0.0, 1.0, 0.05, 0.05).is_err());
    assert!(mann_whitney(&[], &[1.0], Alternative::Less).is_err());
    assert!(mann_whitney(&[nan], &[1.0], Alternative::Less).is_err());
    assert!(means_test(&[1.0], &[f64::INFINITY], 10, &mut Random::new(0)).is_err());
    assert!(runs_test(&[]).is_err());
    let error = clopper_pearson(3, 2, 0.05).unwrap_err();
    assert_eq!(error.to_string(), "k is 3, expected at most n successes in n trials");
}
