//! What the dialects add means what its hand-written translation says: each pair of nodes is
//! proven to give equal outputs for equal inputs.

use std::time::Duration;

use provoke_base::{Control, SourceFile};
use provoke_coverage::{WorkOptions, prove};
use provoke_files::Model;

/// Types and helpers, the inputs and outputs of both nodes, and their two bodies.
struct Twins {
    name: &'static str,
    shared: &'static str,
    inputs: &'static str,
    arguments: &'static str,
    output: &'static str,
    sugar: &'static str,
    plain: &'static str,
}

const TWINS: &[Twins] = &[
    Twins {
        name: "an array of equal elements, and hexadecimal numbers",
        shared: "const N: int = 3;",
        inputs: "x, i: int",
        arguments: "x, i",
        output: "int",
        sugar: "let y = ((x + 0x1F)^N)[i] + (0^2^N)[1][0]; tel",
        plain: "let y = x + 31; tel",
    },
    Twins {
        name: "records with several fields replaced",
        shared: "type P = struct { a: int; b: bool };",
        inputs: "x: int; c: bool",
        arguments: "x, c",
        output: "bool",
        sugar: "var p, q, r: P;
                let p = P { a = x; b = c };
                    q = p[a := x + 1; b := not c];
                    r = (q with .a = q.a + 1);
                    y = r.b and r.a = x + 2; tel",
        plain: "let y = not c; tel",
    },
    Twins {
        name: "updates along a path",
        shared: "type P = struct { a: int^3; b: bool };",
        inputs: "x, i: int",
        arguments: "x, i",
        output: "int",
        sugar: "var p, q: P;
                let p = P { a = [x, 2, 3]; b = true };
                    q = (p with .a[1] = x + 5);
                    y = q.a[0] + q.a[1] + q.a[2]; tel",
        plain: "let y = 2 * x + 8; tel",
    },
    Twins {
        name: "tuples in both syntaxes",
        shared: "type T = [int, [bool, int]];",
        inputs: "x: int; c: bool",
        arguments: "x, c",
        output: "bool",
        sugar: "var t, u: T;
                let t = '(x, '(c, 7)) -> pre u;
                    u = t[0 := x + 1];
                    y = t.%1[0] and t[1][1] = 7 and u[0] = x + 1 and t = '(t[0], t[1]); tel",
        plain: "let y = c -> pre y; tel",
    },
    Twins {
        name: "values in parentheses in a row",
        shared: "node three(a, b, c: int) returns (s: int); let s = a + 2 * b + 3 * c; tel",
        inputs: "x, z: int",
        arguments: "x, z",
        output: "int",
        sugar: "var a, b, c: int; let a, b, c = (x, (z, 1)); y = three(a, b, c); tel",
        plain: "let y = x + 2 * z + 3; tel",
    },
    Twins {
        name: "an array defined by the element before",
        shared: "const N: int = 4;",
        inputs: "x: int",
        arguments: "x",
        output: "int",
        sugar: "var A: int^N;
                let A[i] = if i = 0 then x else if i > 2 and A[i - 2] > 0 then 5
                           else A[i - 1] + (0 -> pre A[i]);
                    y = A[N - 1]; tel",
        plain: "var a0, a1, a2: int;
                let a0 = x; a1 = a0 + (0 -> pre a1); a2 = a1 + (0 -> pre a2);
                    y = if a1 > 0 then 5 else a2 + (0 -> pre y); tel",
    },
    Twins {
        name: "a matrix defined by its indices",
        shared: "",
        inputs: "x: int",
        arguments: "x",
        output: "int",
        sugar: "var A: int^3^2; let A[i][j] = x * i + j; y = A[1][2] - A[0][1]; tel",
        plain: "let y = x + 1; tel",
    },
    Twins {
        name: "quantifiers over what is bounded",
        shared: "const N: int = 3; type E = enum { E1, E2 };",
        inputs: "x, z, w: int; e: E",
        arguments: "x, z, w, e",
        output: "bool",
        sugar: "var A: int^N;
                let A = [x, z, w];
                    y = (forall (i: int) 0 <= i and i < N => A[i] > 0)
                        and (exists (i, j: subrange [0, 2] of int) i < j and A[i] = A[j])
                        and (exists (f: E; b: bool) f = e and b)
                        and (forall (k: int | k > 0 and k <= 2) A[k] >= k); tel",
        plain: "let y = x > 0 and z > 0 and w > 0 and (x = z or x = w or z = w)
                        and z >= 1 and w >= 2; tel",
    },
    Twins {
        name: "nodes with type parameters",
        shared: "type Pair<T; U> = struct { a: T; b: U };
                 node last<T>(now: T) returns (was: T); let was = now -> pre now; tel
                 node swap<T; U>(p: Pair<T; U>) returns (q: Pair<U; T>);
                 let q = Pair@<U; T> { a = p.b; b = p.a }; tel",
        inputs: "x: int; c: bool",
        arguments: "x, c",
        output: "bool",
        sugar: "var p: Pair<int; bool>; q: Pair<bool; int>;
                let p = Pair@<int; bool> { a = last(x); b = last@<bool>(c) };
                    q = swap(p);
                    y = q.a and q.b > 0; tel",
        plain: "let y = (c -> pre c) and (x -> pre x) > 0; tel",
    },
    Twins {
        name: "datatypes taken apart",
        shared: "datatype Shape = Dot | Circle (r: int) | Box (w: int, h: int);
                 datatype Opt<T> = None | Some (it: T);",
        inputs: "k, x, z: int",
        arguments: "k, x, z",
        output: "int",
        sugar: "var s: Shape; o: Opt<Shape>;
                let s = if k = 0 then Dot else if k = 1 then Circle(x) else Box(x, z);
                    o = if k < 0 then None@<Shape> else Some(s);
                    y = match o with
                        | None : -1
                        | Some(Box(a, b)) : a * 2 + b
                        | Some(Circle(a)) : if Circle?(s) then a else 0
                        | Some(_) : 0
                        end; tel",
        plain: "let y = if k < 0 then -1 else if k = 0 then 0 else if k = 1 then x
                        else x * 2 + z; tel",
    },
    Twins {
        name: "datatypes are equal when what they hold is",
        shared: "datatype D = A (a: int) | B (b: int, c: bool) | C;",
        inputs: "k, l, x, z: int; c: bool",
        arguments: "k, l, x, z, c",
        output: "bool",
        sugar: "var d, e: D^2;
                let d = [if k = 0 then A(x) else if k = 1 then B(x, c) else C, C];
                    e = [if l = 0 then A(z) else if l = 1 then B(z, true) else C, C];
                    y = d = e; tel",
        plain: "let y = if k = 0 then l = 0 and x = z
                        else if k = 1 then l = 1 and x = z and c
                        else l <> 0 and l <> 1; tel",
    },
    Twins {
        name: "cases that remember run only when they are taken",
        shared: "type M = enum { On, Off };
                 node was(s: int) returns (r: int); let r = 0 -> pre s; tel",
        inputs: "m: M; s: int",
        arguments: "m, s",
        output: "int",
        sugar: "let y = match m with | On : 0 -> pre s | Off : 9 end; tel",
        plain: "let y = if m = On then condact(m = On, was(s), 0) else 9; tel",
    },
    Twins {
        name: "bits taken out and put in a row",
        shared: "",
        inputs: "a: uint8; b: uint<4>",
        arguments: "a, b",
        output: "uint<10>",
        sugar: "let y = (a[5:2] ++ b) ++ a[1:0]; tel",
        plain: "let y = (uint@<10> (int (a rsh (uint8 2)) mod 16 * 64 + int b * 4
                        + int a mod 4)); tel",
    },
    Twins {
        name: "conversions bind more tightly than operators",
        shared: "",
        inputs: "x: int; r: real",
        arguments: "x, r",
        output: "bool",
        sugar: "var t: [int, int]; let t = '(int r + 1, x);
                y = real x + 1.0 > r and t[0] > x; tel",
        plain: "let y = real(x) + 1.0 > r and floor(r) + 1 > x; tel",
    },
    Twins {
        name: "nodes with constant inputs",
        shared: "node sum(const n: int; a: int^n) returns (s: int);
                 var t: int^n;
                 let t[i] = a[i] + (if i = 0 then 0 else t[i - 1]); s = t[n - 1]; tel",
        inputs: "x, z: int",
        arguments: "x, z",
        output: "int",
        sugar: "let y = sum(3, [x, z, 1]) + sum(1, [x]); tel",
        plain: "let y = 2 * x + z + 1; tel",
    },
    Twins {
        name: "types of which nothing is known",
        shared: "type Thing;",
        inputs: "a, b: Thing; c: bool",
        arguments: "a, b, c",
        output: "bool",
        sugar: "let y = (if c then a else b) = a; tel",
        plain: "let y = c or a = b; tel",
    },
];

fn proven(text: &str) -> (usize, Vec<String>) {
    let file = SourceFile::new("twins.lus", text);
    let model = Model::read(&file, None, &[]).unwrap_or_else(|rejected| {
        let first = rejected.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
        panic!("{}", first.expect("a reason").render(&file, false))
    });
    let work = WorkOptions {
        budget: Some(Duration::from_secs(20)),
        jobs: Some(1),
        ..WorkOptions::default()
    };
    let outcome = prove(&model, None, None, &work, &Control::default()).expect("an answer");
    let found = outcome.result.properties;
    let names = model.system.properties.iter().map(|property| property.name.clone()).collect();
    assert_eq!(found.unknown, 0, "{text}");
    (found.holds, names)
}

#[test]
fn each_construct_equals_its_translation() {
    if provoke_solve::z3::find().is_err() {
        return provoke_testkit::skip("no solver to prove models equivalent");
    }
    for twins in TWINS {
        let Twins { shared, inputs, arguments, output, sugar, plain, .. } = twins;
        let text = |plain: &str, relation: &str| {
            format!(
                "{shared}\nnode sugar({inputs}) returns (y: {output});\n{sugar}\n\
                 node plain({inputs}) returns (y: {output});\n{plain}\n\
                 node main({inputs}) returns (ok: bool);\n\
                 let ok = sugar({arguments}) {relation} plain({arguments}); --%PROPERTY ok;\ntel\n"
            )
        };
        let (holds, names) = proven(&text(plain, "="));
        assert_eq!((holds, names.len()), (1, 1), "{}", twins.name);
        // The same question the other way round has the other answer.
        assert_eq!(proven(&text(plain, "<>")).0, 0, "{}", twins.name);
    }
}

/// The properties of a model that hold, of all by name.
fn verdicts(text: &str) -> String {
    let (holds, names) = proven(text);
    format!("{holds} of {}: {}", names.len(), names.join("; "))
}

#[test]
fn types_with_conditions_are_promises_of_the_environment_and_duties_of_the_model() {
    if provoke_solve::z3::find().is_err() {
        return provoke_testkit::skip("no solver to prove properties");
    }
    let types = "type Nat = subrange [0, *] of int; type Even = subtype { n: Nat | n mod 2 = 0 };
                 type R = struct { e: Even; d: subrange [0, 9] of int };";
    let check = |nodes: &str, expected: &str| {
        assert_eq!(verdicts(&format!("{types} {nodes}")), expected, "{nodes}");
    };
    // Assumed of the main node's inputs, shown of its outputs.
    check(
        "node m(x: Even) returns (y: Even; z: Even); let y = x + 2; z = x + 1; tel",
        "1 of 2: y: Even; z: Even",
    );
    // An argument must be of the type, at each call.
    check(
        "node f(x: Even) returns (y: int); let y = x; tel
         node m(x: Even; i: int) returns (y, z: int); let y = f(2 * x); z = f(i); tel",
        "1 of 2: f#1.x: Even; f#2.x: Even",
    );
    // Parts of records, arrays and tuples too.
    check(
        "node m(r: R) returns (s: R; a: Nat^2; t: [Nat, bool]);
         let s = R { e = r.e; d = r.d + 1 }; a = [r.e, r.d]; t = '(r.d, true); tel",
        "2 of 3: s: R; a: Nat^2; t: [Nat, bool]",
    );
    // A value that is said to be of a type, a constant, and a type with memory.
    check(
        "const C: Even = 3;
         node m(x: Nat) returns (y: int; u: int | true -> u > pre u);
         let y = (x + 1 : subtype { k: int | k > 0 }); u = 0 -> pre u + 1; tel",
        "2 of 3: (x + 1 : subtype { k: int | k > 0 }); u: int | true -> u > pre u; C: Even",
    );
    // Conditions of one constructor bind only values that it built.
    check(
        "datatype D = A (n: Nat) | B (i: int);
         node m(d: D; i: int) returns (e: D; f: D); let e = d; f = A(i); tel",
        "1 of 2: e: D; f: D",
    );
}

/// A duty of a subrange is one in every file of the dialects, whatever makes it one.
#[test]
fn types_are_shown_beside_every_construct_of_the_dialects() {
    if provoke_solve::z3::find().is_err() {
        return provoke_testkit::skip("no solver to prove properties");
    }
    const MAIN: &str = "node m(c: bool; x: int) returns (y: subrange [0, 9] of int)";
    let duty = "y: subrange [0, 9] of int";
    let bodies = [
        "let y = x; check true; tel",
        "let y = x; --%PROPERTY reachable true;\n tel",
        "con guarantee true; noc let y = x; tel",
        "(*@contract assume true; *) let y = x; tel",
        "let y = any { v: int | v > x }; tel",
        "let if c then y = x; else y = 0; fi tel",
        "let when c then y = x; else y = 0; end tel",
        "let frame (y) y = 0; let y = x; tel tel",
        "let y = when c then x else 0; tel",
        "let y = if (c ==> c) then x else 0; tel",
        "let y = merge c (true -> x) (false -> 0); tel",
        "let y = x + 0x1F; tel",
        "let y = int real(x); tel",
        "let y = (restart id every c)(x); tel",
        "let y = (activate id every c initial default (0))(x); tel",
        "let y = x + n; tel",
        "let y = got(x); tel",
        "let y = far(x); tel",
    ];
    let id = "node id(x: int) returns (y: int); let y = x; tel";
    for body in bodies {
        let others = match body {
            _ if body.contains(" n;") => "const n: int;",
            _ if body.contains("got") => "node imported got(x: int) returns (y: int);",
            _ if body.contains("far") => "function imported far(x: int) returns (y: int);",
            _ => "",
        };
        let (holds, names) = proven(&format!("{others} {id} {MAIN}; {body}"));
        assert!(names.iter().any(|name| name == duty), "{body}: {names:?}");
        assert_eq!(holds, names.len() - 1, "{body}: {names:?}");
    }
    // Plain Lustre knows no such duty: whoever wants it asks for design errors.
    assert_eq!(verdicts(&format!("{MAIN}; let y = x; --%PROPERTY true;\n tel")), "1 of 1: true");
}

#[test]
fn what_nobody_knows_is_any_value() {
    if provoke_solve::z3::find().is_err() {
        return provoke_testkit::skip("no solver to prove properties");
    }
    let check = |text: &str, expected: &str| assert_eq!(verdicts(text), expected, "{text}");
    // A field of a value that another constructor built, twice the same.
    check(
        "datatype D = A (n: int) | B;
         node m(d: D) returns (e: D);
         let e = B; --%PROPERTY \"own\" A?(d) => d = A(d.n);
             --%PROPERTY \"foreign\" e.n = 0; --%PROPERTY \"same\" e.n = e.n; tel",
        "2 of 3: own; foreign; same",
    );
    // What is said of all integers is said of any one.
    check(
        "node m(x: int) returns (y: int);
         let y = x + 1; --%PROPERTY \"between\" forall (n: int) n > x => n >= y;
             --%PROPERTY \"never\" forall (n: int) n <> x;
             --%PROPERTY \"natural\" x > 5 => forall (n: subrange [0, *] of int) n + x > 5; tel",
        "2 of 3: between; never; natural",
    );
}
