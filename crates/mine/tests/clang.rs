//! MC/DC of the example programs, measured with clang.

mod support;

use provoke_mine::compile::{INSTALL_CLANG, has_clang};
use provoke_mine::{Closure, Method};
use support::{mine, model, models, plan};

#[test]
#[ignore = "needs clang-19; run by make clang"]
fn the_archive_covers_the_wiper_wholly_and_reaches_the_rings_ceiling() {
    assert!(has_clang(), "install it with: {INSTALL_CLANG}");
    let mut archive = plan(Method::Archive, 2_000_000);
    archive.coverage = true;
    let wiper = mine(&model("wiper"), "wiper-clang", &models(), &archive);
    let coverage = wiper.coverage.expect("measured");
    assert_eq!(coverage.missing, Vec::<String>::new());
    assert_eq!(coverage.outcomes.covered, coverage.outcomes.total);
    let mcdc = coverage.mcdc.expect("clang tells");
    assert!(mcdc.total > 20 && mcdc.covered == mcdc.total, "{mcdc:?}");
    let mut exhaustive = plan(Method::Exhaustive, 50_000_000);
    exhaustive.coverage = true;
    // With two of the stations the search closes soon.
    let mut ring = model("token_ring");
    ring.inputs[0].range = Some([0, 1]);
    let ceiling = mine(&ring, "ring-clang-all", &models(), &exhaustive);
    assert_eq!(ceiling.found.closure, Closure::Proven);
    let reached = mine(&ring, "ring-clang", &models(), &archive);
    assert_eq!(reached.coverage, ceiling.coverage);
}

#[test]
#[ignore = "needs clang-19; run by make clang"]
fn both_ways_to_measure_agree_where_they_can() {
    assert!(has_clang(), "install it with: {INSTALL_CLANG}");
    let target = model("token_ring");
    let workshop = support::workshop(&target, "ring-both", &models());
    let test = vec![vec![0, 0, 0]; 5];
    let clang =
        provoke_mine::coverage::by_clang(&workshop, std::slice::from_ref(&test), 3, &target.limits)
            .expect("measured");
    let gcc =
        provoke_mine::coverage::by_gcc(&workshop, &[test], 3, &target.limits).expect("measured");
    // gcc sees the branches it makes of a switch, clang its labels: alike, not equal.
    assert!(clang.outcomes.percent() > 20.0 && gcc.outcomes.percent() > 20.0);
    assert!((clang.outcomes.percent() - gcc.outcomes.percent()).abs() < 15.0, "{clang:?} {gcc:?}");
    assert_eq!((gcc.mcdc, gcc.tool), (None, "gcov"));
}
