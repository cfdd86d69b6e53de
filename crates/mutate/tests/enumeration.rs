//! What mutants there are.

use std::collections::BTreeSet;

use provoke_analysis::schedule;
use provoke_base::{Random, SourceFile};
use provoke_model::{BinaryOp, ExprKind, System, Type};
use provoke_mutate::{
    InvalidReason, Mutant, MutationOperator, REPLACEMENTS, TextPiece, mutants, reference, sample,
};
use provoke_testkit::random_system::{self, Shape};
use provoke_testkit::wide;

fn load(text: &str) -> (SourceFile, System) {
    let file = SourceFile::new("model.lus", text);
    let loaded = provoke_lustre::load(&file, None);
    let system = loaded.system.unwrap_or_else(|| panic!("{:?}\n{text}", loaded.diagnostics));
    (file, system)
}

fn models() -> Vec<(SourceFile, System)> {
    let paths = provoke_testkit::files(&provoke_testkit::repository().join("models"), "lus");
    paths.iter().map(|path| load(&std::fs::read_to_string(path).unwrap())).collect()
}

/// Whether every expression has the type that its parts give it.
fn is_well_typed(system: &System) -> bool {
    let ty = |expr| system.exprs[expr].ty;
    let fits = |id, kind: &ExprKind| match kind {
        ExprKind::Const(value) => value.fits(ty(id)),
        ExprKind::Var(var) => system.vars[*var].ty == ty(id),
        ExprKind::Unary(op, a) => op.result_type(ty(*a)) == ty(id),
        ExprKind::Binary(op, a, b) => {
            let allowed = match ty(*a) {
                Type::Bool => op.is_logical() || matches!(op, BinaryOp::Eq | BinaryOp::Ne),
                Type::Enum(_) => matches!(op, BinaryOp::Eq | BinaryOp::Ne),
                Type::Int => !op.is_logical() && *op != BinaryOp::Div,
                Type::Real => !op.is_logical() && !matches!(op, BinaryOp::IntDiv | BinaryOp::Mod),
            };
            allowed && ty(*a) == ty(*b) && op.result_type(ty(*a)) == ty(id)
        }
        ExprKind::If(c, a, b) => ty(*c) == Type::Bool && ty(*a) == ty(id) && ty(*b) == ty(id),
        ExprKind::Arrow(a, b) => ty(*a) == ty(id) && ty(*b) == ty(id),
        ExprKind::Pre(a) => ty(*a) == ty(id),
    };
    system
        .exprs
        .entries()
        .all(|(id, expr)| fits(id, &expr.kind) && expr.kind.operands().all(|operand| operand < id))
}

#[test]
fn every_mutant_of_a_model_is_a_system_with_one_changed_place() {
    for (file, system) in models() {
        let found = mutants(&system, Some(&file), usize::MAX);
        let ids: BTreeSet<&str> = found.iter().map(|mutant| mutant.id.as_str()).collect();
        assert_eq!(ids.len(), found.len(), "{}: ids are unique", system.name);
        for mutant in &found {
            let mutated = mutant.apply(&system);
            assert!(is_well_typed(&mutated), "{}", mutant.id);
            assert!(schedule::order(&mutated).is_ok(), "{}", mutant.id);
            assert_eq!(mutated.equations.len(), system.equations.len());
            // The sites of a mutant are one place of the source, once for each instance.
            let spans: BTreeSet<_> =
                mutant.sites.iter().map(|site| system.exprs[site.expr].span).collect();
            assert_eq!(spans.len(), 1, "{}", mutant.id);
        }
    }
}

#[test]
fn what_a_clock_holds_is_not_written_though_an_argument_is_called_like_it() {
    let (file, system) = load(
        "const K = true;
        node helper(i: bool) returns (o: int); let o = if i then 1 else 0; tel
        node main(i: bool) returns (o: bool; p: int);
        let o = not i; p = condact(K, helper(i), 0); tel",
    );
    let found = mutants(&system, Some(&file), usize::MAX);
    let argument = system.vars.entries().find(|(_, var)| var.name == "helper.i");
    let (argument, _) = argument.expect("the callee's input");
    let owned: Vec<&Mutant> =
        found.iter().filter(|mutant| mutant.id.starts_with("helper.i:")).collect();
    assert!(owned.iter().any(|mutant| mutant.id == "helper.i:variable:1:o"), "{owned:?}");
    for mutant in &found {
        assert!(is_well_typed(&mutant.apply(&system)), "{}", mutant.id);
        assert_eq!(mutant.sites.len(), 1, "{}", mutant.id);
    }
    for mutant in owned {
        let site = &system.exprs[mutant.sites[0].expr].kind;
        assert_ne!(*site, ExprKind::Var(argument), "{}", mutant.id);
    }
}

/// The equations of a system as Lustre writes them, one in each line, in no order.
fn equations(system: &System) -> (String, Vec<String>) {
    let text = provoke_lustre::print::print(system).expect("a short text");
    let body = text.lines().skip_while(|line| *line != "let").skip(1);
    let mut lines: Vec<String> = body.map(String::from).collect();
    lines.sort_unstable();
    (text, lines)
}

/// How many equations hold one of the mutant's sites.
fn holders(system: &System, mutant: &Mutant) -> usize {
    let holds = |root| {
        let mut open = vec![root];
        while let Some(expr) = open.pop() {
            if mutant.sites.iter().any(|site| site.expr == expr) {
                return true;
            }
            open.extend(system.exprs[expr].kind.operands());
        }
        false
    };
    system.equations.iter().filter(|equation| holds(equation.expr)).count()
}

#[test]
fn every_mutant_written_as_lustre_is_a_model_with_one_equation_changed_in_each_instance() {
    let mut seen = 0;
    for (file, system) in models() {
        let (_, original) = equations(&system);
        for mutant in mutants(&system, Some(&file), REPLACEMENTS) {
            let mutated = mutant.apply(&system);
            let (text, lines) = equations(&mutated);
            let found = provoke_lustre::load(&SourceFile::new("mutant.lus", text), None);
            assert!(found.system.is_some(), "{}: {:?}", mutant.id, found.diagnostics);
            let is_new = |line: &&String| original.binary_search(line).is_err();
            let changed = lines.iter().filter(is_new).count();
            assert_eq!(lines.len(), original.len(), "{}", mutant.id);
            assert_eq!(changed, holders(&system, &mutant), "{}: {}", system.name, mutant.id);
            assert!(changed >= 1 && changed <= mutant.sites.len(), "{}", mutant.id);
            seen += 1;
        }
    }
    assert!(seen > 3_000, "{seen} mutants");
}

/// The model with the fault written into its text.
fn in_the_text(file: &SourceFile, system: &System, mutant: &Mutant) -> String {
    let (start, end) = (mutant.span.start as usize, mutant.span.end as usize);
    let rewritten = mutant.rewritten(system, file);
    format!("{}{rewritten}{}", &file.text[..start], &file.text[end..])
}

#[test]
fn a_mutant_does_what_its_text_says() {
    let mut compared = 0;
    for (file, system) in models() {
        let all = mutants(&system, Some(&file), usize::MAX);
        for mutant in sample(all, 60, 3).iter().filter(|mutant| mutant.invalid.is_none()) {
            let text = SourceFile::new("mutant.lus", in_the_text(&file, &system, mutant));
            let loaded = provoke_lustre::load(&text, None);
            let written =
                loaded.system.unwrap_or_else(|| panic!("{}: {:?}", mutant.id, loaded.diagnostics));
            let mut random = Random::new(compared);
            let row = |random: &mut Random| random_system::inputs(random, &system);
            let steps: Vec<_> = (0..20).map(|_| row(&mut random)).collect();
            let end = reference::run(&mutant.apply(&system), &written, &steps, &system.outputs);
            assert_eq!(end, reference::MutantRunEnd::Alike, "{}: {}", system.name, mutant.id);
            compared += 1;
        }
    }
    assert!(compared > 300, "{compared}");
}

fn texts(text: &str) -> Vec<String> {
    let (file, system) = load(text);
    let shown = |mutant: &Mutant| {
        let invalid = mutant.invalid.map(|why| format!(" ({})", why.words())).unwrap_or_default();
        format!("{} {}{invalid}", mutant.id, mutant.describe(&file))
    };
    mutants(&system, Some(&file), usize::MAX).iter().map(shown).collect()
}

#[test]
fn all_operators_are_there() {
    let text =
        "node n(a, b: bool; x: int) returns (y: bool);\nlet\n  y = (a and x < 3) -> pre b;\ntel";
    let expected = "\
y:boolean:1:or line 3: 'and' -> 'or'
y:boolean:1:xor line 3: 'and' -> 'xor'
y:negation:1:not line 3: '(a and x < 3)' -> 'not (a and x < 3)'
y:negation:2:not line 3: 'a' -> 'not a'
y:delay:1:pre line 3: 'a' -> 'a -> pre a'
y:variable:1:b line 3: 'a' -> 'b'
y:delay:2:pre line 3: 'x' -> 'x -> pre x'
y:relational:1:= line 3: '<' -> '='
y:relational:1:<> line 3: '<' -> '<>'
y:relational:1:<= line 3: '<' -> '<='
y:relational:1:> line 3: '<' -> '>'
y:relational:1:>= line 3: '<' -> '>='
y:constant:1:+1 line 3: '3' -> '4'
y:constant:1:-1 line 3: '3' -> '2'
y:negation:3:not line 3: 'b' -> 'not b'
y:delay:3:pre line 3: 'b' -> 'b -> pre b'
y:variable:3:a line 3: 'b' -> 'a'
y:variable:3:y line 3: 'b' -> 'y'";
    assert_eq!(texts(text), expected.lines().collect::<Vec<_>>());
}

#[test]
fn a_node_called_twice_is_mutated_in_all_its_instances() {
    let text = "node inc(x: int) returns (y: int); let y = x + 1; tel\n\
        node main(a: int) returns (b: int); let b = inc(inc(a)); tel";
    let (file, system) = load(text);
    let found = mutants(&system, Some(&file), usize::MAX);
    let sum = found.iter().find(|mutant| mutant.replacement == "*").unwrap();
    assert_eq!(sum.sites.len(), 2);
}

#[test]
fn what_divides_by_the_constant_zero_is_invalid() {
    let text = "node n(x: int) returns (y, z: int); let y = x div 1; z = x + 0; tel";
    let (file, system) = load(text);
    let found = mutants(&system, Some(&file), usize::MAX);
    let invalid = |mutant: &&Mutant| mutant.invalid == Some(InvalidReason::DividesByZero);
    let ids: Vec<&str> = found.iter().filter(invalid).map(|m| m.id.as_str()).collect();
    assert_eq!(ids, ["y:constant:1:-1", "z:arithmetic:1:div", "z:arithmetic:1:mod"]);
}

#[test]
fn a_delay_is_guarded_where_there_is_no_step_before() {
    let text = "node inner(x: int) returns (y: int); let y = x; tel\n\
        node main(c: bool; a: int) returns (b, d: int);\n\
        let b = condact(c, inner(a), 0); d = 0 -> a; tel";
    let delays: Vec<String> = texts(text).into_iter().filter(|t| t.contains(":delay:")).collect();
    let expected = [
        "inner.y:delay:1:pre line 1: 'x' -> 'x -> pre x' (unguarded `pre`)",
        "inner.active:delay:1:pre line 3: 'c' -> 'c -> pre c'",
        "inner.x:delay:1:pre line 3: 'a' -> 'a -> pre a'",
        "d:delay:1:pre line 3: 'a' -> 'pre a'",
    ];
    assert_eq!(delays, expected);
}

#[test]
fn replacements_are_as_many_as_asked_for_and_always_the_same() {
    let (file, system) = load("node n(a, b, c, d, e: bool) returns (y: bool); let y = a or b; tel");
    let variables = |replacements: usize| -> Vec<String> {
        let all = mutants(&system, Some(&file), replacements);
        let of = all.into_iter().filter(|mutant| mutant.operator == MutationOperator::Variable);
        of.map(|mutant| mutant.id).collect()
    };
    assert_eq!([0, 1, 3, 4, 9].map(|at| variables(at).len()), [0, 2, 6, 8, 8]);
    let (few, all) = (variables(2), variables(4));
    assert_eq!(few, variables(2));
    assert!(few.iter().all(|id| all.contains(id)), "{few:?}");
}

#[test]
fn no_mutant_needs_itself_in_the_same_step() {
    let text = "node n(a: bool) returns (x, y, z: bool);\n\
        let x = a; y = x; z = y -> pre a; tel";
    let all = texts(text);
    assert!(!all.iter().any(|t| t.starts_with("x:variable")), "{all:?}");
    assert!(all.iter().any(|t| t.starts_with("z:variable:2:z")), "under pre: {all:?}");
}

#[test]
fn a_sample_keeps_the_shares_of_the_operators() {
    let mut random = Random::new(1);
    let shape = Shape { inputs: 8, defined: 30, ..Shape::MIXED };
    let all = mutants(&random_system::system(&mut random, shape), None, usize::MAX);
    let count =
        |all: &[Mutant], operator| all.iter().filter(|mutant| mutant.operator == operator).count();
    let (total, size) = (all.len(), 100);
    let part = sample(all.clone(), size, 5);
    assert_eq!(part.len(), size);
    for operator in MutationOperator::ALL {
        let exact = count(&all, operator) * size;
        let chosen = count(&part, operator);
        assert!((chosen * total).abs_diff(exact) < total, "{operator:?}: {chosen}");
    }
    assert_eq!(sample(all.clone(), size, 5), part);
    assert_ne!(sample(all.clone(), size, 6), part);
    assert_eq!(sample(all.clone(), total, 5), all);
}

#[test]
fn the_texts_of_a_wide_decision_are_as_long_as_it_is_wide() {
    let bytes = |size: usize| {
        let model = wide::Shape::And.model(size);
        let file = SourceFile::new("wide.lus", model);
        let system = provoke_lustre::load(&file, None).system.expect("a correct model");
        let found = mutants(&system, Some(&file), REPLACEMENTS);
        let negated = found.iter().filter(|mutant| mutant.operator == MutationOperator::Negation);
        let long = negated.max_by_key(|mutant| mutant.span.end - mutant.span.start).unwrap();
        let written = long.rewritten(&system, &file);
        assert!(written.starts_with("(not (x <> 0 and x <> 1"), "{}", &written[..60]);
        assert!(written.len() > size * 10, "{}", written.len());
        let lengths = found.iter().map(|mutant| mutant.original.len() + mutant.replacement.len());
        lengths.sum::<usize>()
    };
    let (narrow, wide) = (bytes(1_000), bytes(2_000));
    assert!(wide * 10 < narrow * 26, "{narrow} bytes, then {wide}");
}

#[test]
fn the_pieces_of_a_long_place_say_what_its_text_says() {
    // What is in parentheses already need not be put there again.
    let bare = |text: &str| text.replace(|c: char| c.is_whitespace() || "()".contains(c), "");
    for model in [wide::Shape::And.model(300), wide::Shape::Mixed.model(200)] {
        let file = SourceFile::new("wide.lus", model);
        let system = provoke_lustre::load(&file, None).system.expect("a correct model");
        let mut long = 0;
        for mutant in mutants(&system, Some(&file), REPLACEMENTS) {
            let Some(pieces) = mutant.pieces(&system, &file) else { continue };
            let text = |piece: &TextPiece| match piece {
                TextPiece::New(text) => text.clone(),
                TextPiece::Written(span) => file.slice(*span).to_string(),
            };
            let whole: String = pieces.iter().map(text).collect();
            assert_eq!(bare(&whole), bare(&mutant.rewritten(&system, &file)));
            let sizes = pieces.iter().map(|piece| match piece {
                TextPiece::New(text) => text.len(),
                TextPiece::Written(_) => 8,
            });
            assert!(sizes.sum::<usize>() < 100);
            long += 1;
        }
        assert!(long > 50, "{long} long places");
    }
}
