//! What proofs of equivalence leave behind: plain queries about the model beside its mutant, built
//! from the text alone, confirm it.

#[path = "../../solve/tests/common/recheck.rs"]
mod recheck;

use provoke_analysis::schedule;
use provoke_base::rounds::NoLedger;
use provoke_base::{Random, SourceFile, Span};
use provoke_model::{
    BinaryOp, Equation, ExprId, ExprKind, Origin, Role, System, Type, Value, Var, VarId,
};
use provoke_mutate::{Mutant, SurvivorFinding, SurvivorSearch, TestInputs, mutants};
use provoke_solve::Effort;
use provoke_solve::certificate::{CertifiedVerdict, Sheet};
use provoke_solve::engine::{Backend, Engine, SolverChoice};
use provoke_solve::{Encoder, Limit};
use provoke_testkit::random_system::{self, Shape};

/// A system with all variables of its mutant; those that the fault cannot come to are the same.
struct Product {
    system: System,
    differs: ExprId,
}

impl Product {
    fn new(original: &System, mutant: &System) -> Product {
        let reached = reached(original, mutant);
        let mut system = original.clone();
        let twins: Vec<VarId> = original
            .vars
            .entries()
            .map(|(id, var)| match var.role {
                Role::Input => id,
                _ => {
                    let (name, role) = (format!("mutant:{}", var.name), Role::Local);
                    let origin = Origin::Generated;
                    system.vars.push(Var { name, role, origin, range: None, ..var.clone() })
                }
            })
            .collect();
        let at = |var: VarId| twins[provoke_base::index::Id::index(var)];
        let mut places = Vec::new();
        for expr in mutant.exprs.iter() {
            if let ExprKind::Pre(operand) = expr.kind
                && let Some(same) = same_memory(original, (mutant, operand), &reached)
            {
                places.push(same);
                continue;
            }
            let kind = match expr.kind {
                ExprKind::Var(var) => ExprKind::Var(at(var)),
                ref kind => kind.map(|operand| places[provoke_base::index::Id::index(operand)]),
            };
            places.push(system.add_expr(kind, expr.ty, expr.span));
        }
        for Equation { var, expr } in &mutant.equations {
            let expr = match reached.contains(var) {
                true => places[provoke_base::index::Id::index(*expr)],
                false => {
                    let ty = original.vars[*var].ty;
                    system.add_expr(ExprKind::Var(*var), ty, Span::default())
                }
            };
            system.equations.push(Equation { var: at(*var), expr });
        }
        let mut add = |kind, ty| system.add_expr(kind, ty, Span::default());
        let mut differs = add(ExprKind::Const(Value::Bool(false)), Type::Bool);
        for &output in &original.outputs {
            let ty = original.vars[output].ty;
            let (here, there) =
                (add(ExprKind::Var(output), ty), add(ExprKind::Var(at(output)), ty));
            let differ = add(ExprKind::Binary(BinaryOp::Ne, here, there), Type::Bool);
            differs = add(ExprKind::Binary(BinaryOp::Or, differs, differ), Type::Bool);
        }
        system.equations = schedule::order(&system).expect("no cycle");
        Product { system, differs }
    }
}

/// The original's `pre` of an operand that the fault does not come to: both remember the same.
fn same_memory(original: &System, operand: (&System, ExprId), reached: &[VarId]) -> Option<ExprId> {
    let mut delays = original.exprs.entries().filter_map(|(id, expr)| match expr.kind {
        ExprKind::Pre(remembered) => Some((id, remembered)),
        _ => None,
    });
    delays.find(|(_, one)| alike((original, *one), operand, reached)).map(|(id, _)| id)
}

/// The variables that are defined in another way, or by such variables.
fn reached(original: &System, mutant: &System) -> Vec<VarId> {
    let mut reached = Vec::new();
    loop {
        let before = reached.len();
        for equation in &original.equations {
            let other = mutant.equations.iter().find(|other| other.var == equation.var);
            let other = other.expect("mutants define the same variables");
            let same = alike((original, equation.expr), (mutant, other.expr), &reached);
            if !same && !reached.contains(&equation.var) {
                reached.push(equation.var);
            }
        }
        if reached.len() == before {
            return reached;
        }
    }
}

fn alike(one: (&System, ExprId), other: (&System, ExprId), reached: &[VarId]) -> bool {
    let (a, b) = (&one.0.exprs[one.1].kind, &other.0.exprs[other.1].kind);
    match (a, b) {
        (ExprKind::Var(a), ExprKind::Var(b)) => a == b && !reached.contains(a),
        (ExprKind::Const(a), ExprKind::Const(b)) => a == b,
        _ => {
            let same_form = a.map(|_| one.1) == b.map(|_| one.1);
            let mut pairs = a.operands().zip(b.operands());
            same_form && pairs.all(|(a, b)| alike((one.0, a), (other.0, b), reached))
        }
    }
}

/// How many mutants are equivalent, and how many of these have a certificate that is confirmed.
fn confirmed(
    system: &System,
    (all, every): (&[Mutant], usize),
    tests: &[TestInputs],
    backend: &Backend,
    context: &str,
) -> (usize, usize) {
    let valid = all.iter().filter(|mutant| mutant.invalid.is_none());
    let valid: Vec<&Mutant> = valid.step_by(every).collect();
    let efforts = [(20, 2, 100_000), (20, 4, 200_000)];
    let efforts = efforts.map(|(depth, k, work)| Effort { depth, k, limit: Limit::work(work) });
    let search = SurvivorSearch {
        system,
        monitored: &system.outputs,
        tests,
        backend,
        engine: Engine::All,
        learning: Limit::work(2_000_000),
        efforts: &efforts,
        seed: 0,
        jobs: 2,
        ledger: &NoLedger,
    };
    let found = search.run(&valid, &|| false, &mut |_| {});
    let (mut equivalent, mut certified) = (0, 0);
    for (mutant, finding) in valid.iter().zip(&found.of) {
        let SurvivorFinding::Equivalent { engine, k, certificate } = finding else { continue };
        equivalent += 1;
        let Some(certificate) = certificate else { continue };
        certified += 1;
        let (mut sheet, id) = (Sheet::new(system), Some(&mutant.id[..]));
        let (claim, k) = (&mutant.id[..], *k);
        assert!(sheet.state(&CertifiedVerdict { claim, mutant: id, engine, k, certificate }));
        let text = sheet.text();
        let product = Product::new(system, &mutant.apply(system));
        let complaints =
            recheck::Certificate::parse(&text).complaints(&product.system, backend, |_, terms| {
                Encoder::new(&product.system, terms).value(terms, product.differs)
            });
        assert_eq!(complaints, Vec::<String>::new(), "{context}, {}\n{text}", mutant.id);
    }
    (equivalent, certified)
}

fn backend() -> Option<Backend> {
    Backend::find(SolverChoice::Z3)
        .map_err(|missing| provoke_testkit::skip(&missing.to_string()))
        .ok()
}

fn random_tests(system: &System) -> Vec<TestInputs> {
    let mut random = Random::new(1);
    let mut row = || random_system::inputs(&mut random, system);
    (0..4).map(|_| (0..10).map(|_| row()).collect()).collect()
}

#[test]
fn certificates_of_a_models_equivalent_mutants_are_confirmed() {
    let Some(backend) = backend() else { return };
    let path = "models/voter.lus";
    let text = std::fs::read_to_string(provoke_testkit::repository().join(path)).unwrap();
    let file = SourceFile::new(path, text);
    let system = provoke_lustre::load(&file, None).system.expect("a model");
    let all = mutants(&system, Some(&file), 1);
    let (equivalent, certified) =
        confirmed(&system, (&all, 5), &random_tests(&system), &backend, path);
    assert!(certified > 0 && certified * 10 >= equivalent * 9, "{certified} of {equivalent}");
}

#[test]
fn certificates_of_random_systems_equivalent_mutants_are_confirmed() {
    let Some(backend) = backend() else { return };
    let (mut equivalent, mut certified) = (0, 0);
    for seed in 0..12 {
        let system = random_system::system(&mut Random::new(seed), Shape::BOOLEAN);
        let all = mutants(&system, None, 1);
        let context = format!("seed {seed}");
        let (more, of_these) =
            confirmed(&system, (&all, 3), &random_tests(&system), &backend, &context);
        equivalent += more;
        certified += of_these;
    }
    assert!(certified > 20 && certified * 10 >= equivalent * 9, "{certified} of {equivalent}");
}
