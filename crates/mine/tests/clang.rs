//! MC/DC of the example programs, measured with clang.

mod support;

use provoke_mine::compile::{INSTALL_CLANG, has_clang};
use provoke_mine::{Closure, MiningMethod, MiningResult, SuiteReduction};
use support::{mine, model, models, plan};

/// Tests run side by side, so each has a `place` of its own.
fn measured(
    place: &str,
    name: &str,
    method: MiningMethod,
    steps: u64,
    reduction: SuiteReduction,
) -> MiningResult {
    let mut plan = plan(method, steps);
    plan.coverage = true;
    plan.reduction = reduction;
    plan.random = (100, 100);
    mine(&model(name), &format!("{name}-{}-{place}", method.word()), &models(), &plan)
}

fn vectors(mined: &MiningResult) -> usize {
    mined.suite.tests.iter().map(|test| test.steps.len()).sum()
}

#[test]
#[ignore = "needs clang-19; run by make clang"]
fn the_archive_reaches_the_ceiling_of_searches_that_close() {
    assert!(has_clang(), "install it with: {INSTALL_CLANG}");
    for (name, closure) in [("token_ring", Closure::Proven), ("wiper", Closure::OverValues)] {
        let ceiling =
            measured("ceiling", name, MiningMethod::Exhaustive, 50_000_000, SuiteReduction::Items);
        assert_eq!(ceiling.found.closure, closure, "{name}");
        let reached =
            measured("ceiling", name, MiningMethod::Archive, 2_000_000, SuiteReduction::Items);
        assert_eq!(reached.coverage, ceiling.coverage, "{name}");
    }
}

#[test]
#[ignore = "needs clang-19; run by make clang"]
fn the_archive_covers_more_than_the_published_method_with_a_tenth_of_its_vectors() {
    assert!(has_clang(), "install it with: {INSTALL_CLANG}");
    for name in ["light", "memory_slave", "token_ring", "turn_indicator", "wiper"] {
        let published =
            measured("tenth", name, MiningMethod::Mine, 2_000_000, SuiteReduction::Seed);
        let archive =
            measured("tenth", name, MiningMethod::Archive, 2_000_000, SuiteReduction::Items);
        let sizes = (vectors(&archive), vectors(&published));
        assert!(sizes.0 * 10 <= sizes.1, "{name}: {sizes:?}");
        let of = |mined: &MiningResult| {
            let coverage = mined.coverage.clone().expect("measured");
            (coverage.outcomes, coverage.mcdc.expect("clang tells"), coverage.missing)
        };
        let (more, less) = (of(&archive), of(&published));
        assert!(more.0.covered >= less.0.covered && more.1.covered >= less.1.covered, "{name}");
        // What is left cannot be reached: labels and conditions that other code makes impossible.
        let left = match name {
            "wiper" | "turn_indicator" => 0,
            "memory_slave" => 2,
            _ => 3,
        };
        assert_eq!(more.2.len(), left, "{name}: {:?}", more.2);
    }
}

#[test]
#[ignore = "needs clang-19; run by make clang"]
fn both_ways_to_measure_agree_where_they_can() {
    assert!(has_clang(), "install it with: {INSTALL_CLANG}");
    let target = model("token_ring");
    let builder = support::builder(&target, "ring-both", &models());
    let test = vec![vec![0, 0, 0]; 5];
    let clang =
        provoke_mine::coverage::by_clang(&builder, std::slice::from_ref(&test), 3, &target.limits)
            .expect("measured");
    let gcc =
        provoke_mine::coverage::by_gcc(&builder, &[test], 3, &target.limits).expect("measured");
    // gcc sees the branches it makes of a switch, clang its labels: alike, not equal.
    assert!(clang.outcomes.percent() > 20.0 && gcc.outcomes.percent() > 20.0);
    assert!((clang.outcomes.percent() - gcc.outcomes.percent()).abs() < 15.0, "{clang:?} {gcc:?}");
    assert_eq!((gcc.mcdc, gcc.tool), (None, "gcov"));
}
