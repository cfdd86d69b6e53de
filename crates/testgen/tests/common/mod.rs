//! What the tests of the generator share.
#![allow(dead_code, reason = "each test uses a part")]

use provoke_base::rounds::NoLedger;
use provoke_criteria::{Masking, Obligation, Oracle};
use provoke_model::{ExprId, ExprKind, System, Value};
use provoke_sim::interpreter::delays;
use provoke_solve::Effort;
use provoke_solve::Limit;
use provoke_solve::engine::{Backend, Engine};
use provoke_solve::z3::Z3Library;
use provoke_testgen::{
    EvidenceRule, GenerationMethod, GenerationResult, StrategyOptions, generate,
};

/// The solver; says why and returns `None` where there is none, which fails with `CI` set.
pub(crate) fn backend() -> Option<Backend> {
    let library = Z3Library::load();
    library
        .map_err(|missing| provoke_testkit::skip(&missing.to_string()))
        .ok()
        .map(|l| Backend::new(&l))
}

pub(crate) fn options(method: GenerationMethod, jobs: usize) -> StrategyOptions {
    let effort = |depth, k, work| Effort { depth, k, limit: Limit::work(work) };
    StrategyOptions {
        method,
        masking: Masking::Strict,
        oracle: Oracle::Outputs,
        evidence: EvidenceRule::Tags,
        fill: Default::default(),
        fallback: true,
        seed: 3,
        jobs,
        given: Vec::new(),
        simulated_steps: 60,
        steps_found: Default::default(),
        engine: Engine::All,
        learning: Limit::work(1_000_000),
        efforts: vec![effort(6, 2, 200_000), effort(40, 8, 20_000_000)],
    }
}

pub(crate) fn run(
    system: &System,
    wanted: &[Obligation],
    backend: &Backend,
    options: &StrategyOptions,
) -> GenerationResult {
    generate(system, wanted, options, Some(backend), &NoLedger, &|| false, &mut |_| {})
}

/// All rows of Boolean inputs.
pub(crate) fn rows(system: &System) -> Vec<Vec<Value>> {
    let count = system.inputs.len();
    let row = |bits: usize| (0..count).map(|i| Value::Bool(bits >> i & 1 == 1)).collect();
    (0..1 << count).map(row).collect()
}

/// How many random systems are tried; more with `PROVOKE_SYSTEMS`.
pub(crate) fn systems(usual: u64) -> u64 {
    std::env::var("PROVOKE_SYSTEMS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// For each delay whether the first step looks at it, so that it has some value there: it does not
/// stand right of an arrow.
pub(crate) fn undefined(system: &System) -> Vec<bool> {
    let mut looked_at: Vec<ExprId> = Vec::new();
    let mut open: Vec<ExprId> = system.roots().collect();
    for expr in system.exprs.iter() {
        if let ExprKind::Pre(operand) = expr.kind {
            open.push(operand);
        }
    }
    while let Some(expr) = open.pop() {
        if looked_at.contains(&expr) {
            continue;
        }
        looked_at.push(expr);
        match system.exprs[expr].kind {
            ExprKind::Pre(_) => {}
            ExprKind::Arrow(first, _) => open.push(first),
            ref kind => open.extend(kind.operands()),
        }
    }
    delays(system).iter().map(|pre| looked_at.contains(pre)).collect()
}
