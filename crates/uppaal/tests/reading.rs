//! What is read, what is refused, and what is said about it.

use expect_test::{Expect, expect};
use provoke_base::SourceFile;
use provoke_testkit::timed_texts::{model, template};
use provoke_uppaal::Network;

/// The network of a file without errors.
fn load(file: &SourceFile) -> Network {
    let loaded = provoke_uppaal::load(file);
    let shown: Vec<String> = loaded.diagnostics.iter().map(|d| d.render(file, false)).collect();
    loaded.network.unwrap_or_else(|| panic!("{}", shown.concat()))
}

/// What is said of a file, one line each: severity, code, place, message.
fn said(file: &SourceFile) -> String {
    let loaded = provoke_uppaal::load(file);
    let errors = loaded.diagnostics.iter().any(|d| d.is_error());
    assert_eq!(errors, loaded.network.is_none(), "a network, or an error that says why not");
    let mut text = String::new();
    for d in &loaded.diagnostics {
        let at = file.slice(d.primary.span);
        text += &format!("{}[{}] at `{at}`: {}\n", d.severity.word(), d.code, d.message);
    }
    text
}

fn plain(lines: &[&str]) -> Vec<String> {
    vec![template("T", "", "", lines)]
}

/// What is said of declarations in front of an automaton that does nothing.
fn declared(declarations: &str, expected: Expect) {
    expected.assert_eq(&said(&model(declarations, &plain(&["loc A"]), "system T;", &[])));
}

/// What is said of an edge.
fn edge(declarations: &str, labels: &str, expected: Expect) {
    let line = format!("edge A A | {labels}");
    let file = model(declarations, &plain(&["loc A", &line]), "system T;", &[]);
    expected.assert_eq(&said(&file));
}

#[test]
fn declarations_of_all_kinds_are_read() {
    let declarations = "
        const int N = 3; typedef int[0,N-1] id_t; typedef struct { id_t a; bool b[2]; } pair;
        const pair P = {1, {true, false}}; pair q = P; int m[id_t][2] = {{1,2},{3,4},{5,6}};
        meta int t; scalar[3] s; clock x, y[N]; urgent broadcast chan c[N], d; chan e;
        int sum3() { int i; int r = 0; for (i = 0; i < N; i++) r += m[i][1]; return r; }
        bool any(bool v[2]) { for (k : int[0,1]) if (v[k]) return true; return false; }
        void swap(int &a, int &b) { int h = a; a = b; b = h; }
        void zero(clock &z) { z = 0; }
        int w() { int a = 5; while (true) { a--; if (a < 2) break; else continue; } return a; }
        int u() { int a = 0; do { a += 2; } while (a < 5); return a; }
        const int K = 1 << 4 | 3; const bool B = forall (i : id_t) i < N and not (i == N);
        const int S = sum (i : id_t) i * 2; const int C = B ? K >? 40 : K <? 3;
        int f = sum3(), g = w(), h = u();";
    let file = model(declarations, &plain(&["loc A"]), "system T;", &[]);
    let network = load(&file);
    let cell = |name: &str| network.cells.iter().find(|c| c.name == name).unwrap().initial;
    assert_eq!([cell("f"), cell("g"), cell("h"), cell("m[2][0]")], [12, 1, 6, 5]);
    assert_eq!([cell("q.a"), cell("q.b[0]"), cell("q.b[1]")], [1, 1, 0]);
    assert_eq!(network.clocks.len(), 4);
    assert_eq!(network.channels[3].name, "d");
    assert!(network.channels[0].urgent && network.channels[0].broadcast);
}

#[test]
fn parameters_make_processes() {
    let one = template(
        "T",
        "const id_t i, int &v, clock &z, chan &c, int n",
        "int own = i + n;",
        &["loc A", "edge A A | guard z > i | sync c! | do v = i, n++"],
    );
    let system = "P(const id_t j) = T(j, v[j], z[1], c[j], 7); Q = P(1); system P, Q;";
    let declarations = "typedef int[0,1] id_t; int v[id_t]; clock z[3]; chan c[2];";
    let network = load(&model(declarations, &[one], system, &[]));
    let names: Vec<&str> = network.processes.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["P(0)", "P(1)", "Q"]);
    let cells: Vec<String> =
        network.cells.iter().map(|c| format!("{}={}", c.name, c.initial)).collect();
    assert_eq!(
        cells.join(" "),
        "v[0]=0 v[1]=0 P(0).n=7 P(0).own=7 P(1).n=7 P(1).own=8 Q.n=7 Q.own=8"
    );
}

#[test]
fn selections_are_multiplied_out_and_impossible_ones_left_out() {
    let lines = ["loc A", "edge A A | select i : int[0,3], j : int[0,3] | guard i != j"];
    let network = load(&model("", &plain(&lines), "system T;", &[]));
    assert_eq!(network.processes[0].edges.len(), 12);
    assert_eq!(network.processes[0].edges[0].selected, [("i".into(), 0), ("j".into(), 1)]);
}

#[test]
fn errors_point_into_the_label() {
    edge(
        "clock x;",
        "guard x >= yy",
        expect![[r#"
        error[unknown-name] at `yy`: unknown name `yy`
    "#]],
    );
    edge(
        "int v;",
        "guard v >=",
        expect![[r#"
        error[syntax] at ``: found the end, expected an expression
    "#]],
    );
    edge(
        "int v;",
        "sync v!",
        expect![[r#"
        error[type] at `v`: this is not a channel
    "#]],
    );
    edge(
        "const int v = 1;",
        "do v = 2",
        expect![[r#"
        error[constant] at `v`: a constant cannot be changed
    "#]],
    );
    edge(
        "clock x; int v;",
        "do v = x",
        expect![[r#"
        error[type] at `x`: found a clock, expected an integer or a truth value
    "#]],
    );
    edge(
        "int a[3];",
        "guard a[3] == 0",
        expect![[r#"
        error[range] at `3`: index 3 is outside 0..2
    "#]],
    );
    edge(
        "",
        "guard 1 / 0 == 1",
        expect![[r#"
        error[run-time] at `1 / 0`: division by zero
    "#]],
    );
    edge(
        "chan c[2];",
        "sync c!",
        expect![[r#"
        error[type] at `c`: `chan[2]` is an array of channels
    "#]],
    );
    edge(
        "",
        "do spawn T()",
        expect![[r#"
        error[unsupported] at `spawn`: `spawn` (dynamic templates) is not supported
    "#]],
    );
}

#[test]
fn hostile_declarations_are_refused_in_bounded_time() {
    declared(
        "int f(int n) { return n == 0 ? 1 : n * f(n - 1); }",
        expect![[r#"
        error[recursion] at `f(n - 1)`: `f` calls itself
    "#]],
    );
    declared(
        "int f() { while (true) { } return 1; } int x = f();",
        expect![[r#"
        error[run-time] at `f()`: no end after 2000000 steps
    "#]],
    );
    declared(
        "int a[100000][100000];",
        expect![[r#"
        error[too-large] at `a`: `a` has more than 1048576 elements
    "#]],
    );
    declared(
        "clock x[2000000];",
        expect![[r#"
        error[too-large] at `x`: `x` has more than 1048576 elements
    "#]],
    );
    declared(
        "clock x[2000];",
        expect![[r#"
        error[too-large] at `x`: the model has more than 1000 clocks
    "#]],
    );
    declared(
        "const int x = 2147483647 + 2;",
        expect![[r#"
        error[run-time] at `2147483647 + 2`: the result 2147483649 does not fit an int
    "#]],
    );
    declared(
        "int x = 40000;",
        expect![[r#"
        error[range] at `40000`: the value 40000 is outside [-32768,32767]
    "#]],
    );
    declared(
        "int f() { return 70000; } int x = f();",
        expect![[r#"
        error[run-time] at `f()`: `f` returns 70000, which is outside [-32768,32767]
    "#]],
    );
    declared(
        "int[3,1] x;",
        expect![[r#"
        error[type] at `int[3,1]`: the range [3,1] is empty
    "#]],
    );
    declared(
        "int x; bool x;",
        expect![[r#"
        error[declared-twice] at `x`: `x` is declared twice
    "#]],
    );
    declared(
        "typedef struct { clock c; } s; s v;",
        expect![[r#"
        error[unsupported] at `v`: a clock or channel inside a struct is not supported
    "#]],
    );
    let deep = format!("int x = {}1{};", "(".repeat(5000), ")".repeat(5000));
    declared(
        &deep,
        expect![[r#"
            error[too-deep] at `(`: nested more than 100 deep
        "#]],
    );
    let long = format!("const int x = 1{};", " + 1".repeat(5000));
    assert!(said(&model(&long, &plain(&["loc A"]), "system T;", &[])).contains("nested more"));
}

#[test]
fn refusals_say_what_to_do() {
    let refused = [
        "int f(int n) { return n == 0 ? 1 : n * f(n - 1); }",
        "int f() { while (true) { } return 1; } int x = f();",
        "int a[100000][100000];",
        "const int x = 2147483647 + 2;",
        "int x = 40000;",
        "int x = 1 / 0;",
        "int z = 0; int x = 1 % z;",
        "int x = nowhere;",
        "int a[3]; int x = a[3];",
        "chan a, b; chan priority a < b;",
    ];
    for declarations in refused {
        let file = model(declarations, &plain(&["loc A"]), "system T;", &[]);
        let loaded = provoke_uppaal::load(&file);
        assert!(loaded.network.is_none(), "{declarations}");
        for diagnostic in &loaded.diagnostics {
            assert!(diagnostic.help.is_some(), "{}", diagnostic.render(&file, false));
        }
    }
    let no_init = "<nta><template><name>T</name><location id=\"a\"/></template><system>system T;</system></nta>";
    let loaded = provoke_uppaal::load(&SourceFile::new("m.xml", no_init));
    assert!(loaded.diagnostics.iter().all(|diagnostic| diagnostic.help.is_some()));
}

#[test]
fn hostile_structure_is_refused() {
    let check = |file: &SourceFile, expected: Expect| expected.assert_eq(&said(file));
    check(
        &SourceFile::new("m.xml", "<nta><system>"),
        expect![[r#"
        error[xml] at ``: not well-formed XML: the root node was opened but never closed
    "#]],
    );
    check(
        &SourceFile::new("m.xml", "<html/>"),
        expect![[r#"
        error[not-a-model] at `<`: the root of this file is `html`, not `nta`
    "#]],
    );
    let no_init = "<nta><template><name>T</name><location id=\"a\"/></template><system>system T;</system></nta>";
    check(
        &SourceFile::new("m.xml", no_init),
        expect![[r#"
        error[no-initial] at `<template>`: the template `T` has no initial location
    "#]],
    );
    check(
        &model("", &plain(&["loc A"]), "", &[]),
        expect![[r#"
        error[no-system] at ``: there is no `system` line
    "#]],
    );
    check(
        &model("", &plain(&["loc A"]), "P = P(); system P;", &[]),
        expect![[r#"
        error[recursion] at `P`: this is made of itself
    "#]],
    );
    check(
        &model("", &plain(&["loc A"]), "P = Q(); Q = P(); system P;", &[]),
        expect![[r#"
        error[recursion] at `P`: this is made of itself
    "#]],
    );
    let free = vec![template("T", "int i", "", &["loc A"])];
    check(
        &model("", &free, "system T;", &[]),
        expect![[r#"
        error[arguments] at `T`: `T` needs a value for `i`
    "#]],
    );
    let many = vec![template("T", "int[0,999] i, int[0,999] j", "", &["loc A"])];
    check(
        &model("", &many, "system T;", &[]),
        expect![[r#"
        error[too-large] at `T`: the system has more than 10000 processes
    "#]],
    );
    let edges = ["loc A", "edge A A | select i : int[0,999], j : int[0,999]"];
    check(
        &model("", &plain(&edges), "system T;", &[]),
        expect![[r#"
        error[too-large] at `<transition>`: the selections make more than 200000 edges
    "#]],
    );
    let sum = "const int s = sum (i : int[0,9999]) sum (j : int[0,9999]) i;";
    check(
        &model(sum, &plain(&["loc A"]), "system T;", &[]),
        expect![[r#"
        error[too-large] at `i`: the model has more than 4000000 operations
    "#]],
    );
}

#[test]
fn a_query_that_cannot_be_asked_is_a_warning() {
    let file = model(
        "",
        &plain(&["loc A"]),
        "system T;",
        &[
            "E<> T.A",
            "E<> T.B",
            "A[] (T.A imply A<> T.A)",
            "Pr(<>[0,5] T.A)",
            "strategy S = control: A[] T.A",
            "E<> random(1) > 0.5",
        ],
    );
    expect![[r#"
        warning[unknown-name] at `B`: `T` has no `B`
        warning[syntax] at `&gt;`: found `>`, expected an expression
        warning[unsupported] at `(`: a probability of a timed temporal formula is not supported
        warning[unsupported] at `strategy`: a query with `strategy` is not supported
        warning[unsupported] at `random`: `random` is for simulation only
    "#]]
    .assert_eq(&said(&file));
    let askable = load(&file).queries.iter().filter(|q| q.question.is_ok()).count();
    assert_eq!(askable, 1);
}

/// Every file of the collection is read; what is beyond the engines is named.
#[test]
fn public_models_are_read() {
    let Some(folder) = provoke_testkit::shared("models/uppaal") else { return };
    let mut files = provoke_testkit::files(&folder, "xml");
    files.extend(provoke_testkit::files(&folder.join("public"), "xml"));
    assert!(files.len() > 60, "{} files", files.len());
    let mut text = String::new();
    for path in files {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).expect("a readable file");
        let file = SourceFile::from_bytes(name.clone(), bytes);
        let network = load(&file);
        let first = |found: &[(provoke_base::Span, String)]| found.first().map(|f| f.1.clone());
        let short = name.split("__").last().unwrap_or(&name).to_string();
        if let Some(what) = first(&network.not_followed) {
            text += &format!("{short}: not followed: {what}\n");
        }
        if let Some(what) = first(&network.simulation_only) {
            text += &format!("{short}: simulation only: {what}\n");
        }
        if network.priorities.is_some() {
            text += &format!("{short}: verification only: priorities\n");
        }
    }
    expect![[r#"
        ball.xml: not followed: a clock rate that depends on a clock
        ball.xml: simulation only: a clock that does not begin at 0
        ex-proba2.xml: simulation only: a clock rate other than 1
        simulazione_1.xml: simulation only: a variable of type double
        simulazione_1.xml: verification only: priorities
        simulazione_2.xml: simulation only: a variable of type double
        simulazione_2.xml: verification only: priorities
        stochastic_simulation_assignment.xml: simulation only: `random_normal`
        copy_top_c.xml: simulation only: a variable of type double
        cps_smc.xml: simulation only: a variable of type double
        cps_smc_attack_3.xml: simulation only: a variable of type double
        legal_symbolic_rates.xml: simulation only: a clock rate other than 1
        simpleSMCSystem.xml: simulation only: a variable of type double
    "#]]
    .assert_eq(&text);
}
