//! Every broken model gets the diagnostics that stand beside it, and no valid one any error.

use provoke_base::SourceFile;
use provoke_lustre::{LoadedModel, load};
use provoke_testkit::{check_snapshot, files, repository, shared};

fn load_file(path: &std::path::Path) -> (SourceFile, LoadedModel) {
    let name = path.file_name().expect("a file").to_string_lossy().into_owned();
    let file = SourceFile::from_bytes(name, std::fs::read(path).expect("a readable file"));
    let loaded = load(&file, None);
    (file, loaded)
}

fn rendered(file: &SourceFile, loaded: &LoadedModel) -> String {
    let each = loaded.diagnostics.iter().map(|diagnostic| diagnostic.render(file, false));
    each.collect::<Vec<_>>().join("\n")
}

#[test]
fn broken_models_are_explained() {
    let models = files(&repository().join("testdata/err"), "lus");
    assert!(models.len() >= 30, "only {} broken models", models.len());
    for path in models {
        let (file, loaded) = load_file(&path);
        assert!(loaded.system.is_none(), "{} was accepted", path.display());
        check_snapshot(&path.with_extension("txt"), &rendered(&file, &loaded));
    }
}

#[test]
fn valid_corners_of_the_language_are_accepted() {
    let models = files(&repository().join("testdata/ok"), "lus");
    assert!(models.len() >= 25, "only {} models", models.len());
    for path in models {
        let (file, loaded) = load_file(&path);
        assert!(loaded.system.is_some(), "{}", rendered(&file, &loaded));
        let snapshot = path.with_extension("txt");
        if snapshot.exists() || !loaded.diagnostics.is_empty() {
            check_snapshot(&snapshot, &rendered(&file, &loaded));
        }
    }
}

#[test]
fn our_own_models_have_nothing_to_complain_about() {
    let models = files(&repository().join("models"), "lus");
    assert!(models.len() >= 8, "only {} models", models.len());
    for path in models {
        let (file, loaded) = load_file(&path);
        assert_eq!(rendered(&file, &loaded), "", "{}", path.display());
    }
}

/// `drivetrain` defines `gear_out` by its own current value, which no order of computation
/// can do.
#[test]
fn benchmark_models_are_accepted() {
    let Some(root) = shared("models/lustre") else { return };
    let mut accepted = 0;
    for folder in ["single_node", "multi_node", "jkind"] {
        for path in files(&root.join(folder), "lus") {
            let (file, loaded) = load_file(&path);
            if path.ends_with("jkind/drivetrain.lus") {
                let found = rendered(&file, &loaded);
                assert!(found.contains("`gear_out` depends on itself"), "{found}");
                continue;
            }
            assert!(loaded.system.is_some(), "{}", rendered(&file, &loaded));
            accepted += 1;
        }
    }
    assert!(accepted >= 80, "only {accepted} models");
}

#[test]
fn hostile_texts_are_answered_not_suffered() {
    let deep = |open: &str, close: &str, n: usize| {
        let (open, close) = (open.repeat(n), close.repeat(n));
        format!("node m(x: bool) returns (y: bool); let y = {open}x{close}; tel")
    };
    let wide: String = (0..40)
        .map(|i| {
            format!(
                "node n{}(x: bool) returns (y: bool); let y = n{i}(x) and n{i}(x); tel\n",
                i + 1
            )
        })
        .collect();
    let wide = format!("node n0(x: bool) returns (y: bool); let y = x; tel\n{wide}");
    let doubling = |kind: &str, first: &str| {
        let each = (1..60)
            .map(|i| kind.replace("NEW", &format!("t{i}")).replace("OLD", &format!("t{}", i - 1)));
        format!(
            "{first}\n{}\nnode main(x: t59) returns (y: bool); let y = true; tel",
            each.collect::<String>()
        )
    };
    let cases = [
        (doubling("type NEW = [OLD, OLD];\n", "type t0 = int;"), "type-too-large"),
        (
            doubling("type NEW = struct { a: OLD; b: OLD };\n", "type t0 = [int, int];"),
            "type-too-large",
        ),
        (doubling("datatype NEW = A~NEW (a: OLD, b: OLD);\n", "type t0 = int;"), "type-too-large"),
        (
            "node f<T>(x: T) returns (y: bool); let y = f@<[T, T]>('(x, x)); tel
             node main(x: int) returns (y: bool); let y = f(x); tel"
                .to_string(),
            "type-too-large",
        ),
        (
            "node f<T>(x: T) returns (y: bool); let y = f@<T^1>([x]); tel
             node main(x: int) returns (y: bool); let y = f(x); tel"
                .to_string(),
            "model-too-large",
        ),
        (
            "node main(x: int) returns (a: int^1000^1000); let a[i][j] = x; tel".to_string(),
            "type-too-large",
        ),
        (
            "node main(x: int) returns (y: bool);
             let y = forall (a, b, c: subrange [0, 999] of int) a + b + c <> x; tel"
                .to_string(),
            "model-too-large",
        ),
        (deep("'(", ")", 100_000), "too-deep"),
        (deep("match x with | a : ", " end", 30_000), "too-deep"),
        (deep("forall (i: bool) ", "", 30_000), "too-deep"),
        (deep("(", ")", 100_000), "too-deep"),
        (deep("not ", "", 100_000), "too-deep"),
        (deep("pre ", "", 100_000), "too-deep"),
        (deep("if x then x else ", "", 100_000), "too-deep"),
        (deep("x or ", "", 100_000), "too-deep"),
        (deep("[", "]", 100_000), "too-deep"),
        (deep("-", "", 30_001), "syntax"),
        (wide, "model-too-large"),
        ("\0\0\0".to_string(), "unexpected-character"),
        ("\u{feff}é".to_string(), "unexpected-character"),
        ("node".to_string(), "syntax"),
        ("(".repeat(1_000_000), "syntax"),
        ("\"".to_string(), "unterminated-text"),
        ("type t = int[1000000][1000000];".to_string(), "type-too-large"),
        (format!("const c = {};", "9".repeat(20_000)), "number-too-long"),
        ("const c = not 1; const d = not c;".to_string(), "type-mismatch"),
        ("const c: bool = 1; const d = not c;".to_string(), "type-mismatch"),
        ("type t = int[not 1];".to_string(), "type-mismatch"),
        ("const c = 1e999999999;".to_string(), "number-too-long"),
        ("x".repeat(SourceFile::MAX_BYTES + 1), "file-too-large"),
    ];
    for (text, code) in cases {
        let start: String = text.chars().take(60).collect();
        let loaded = load(&SourceFile::new("hostile.lus", text), None);
        let codes: Vec<_> = loaded.diagnostics.iter().map(|d| d.code).collect();
        assert!(loaded.system.is_none() && codes.contains(&code), "{start}: {codes:?}");
        for diagnostic in &loaded.diagnostics {
            assert!(diagnostic.render(&SourceFile::new("", ""), false).contains(diagnostic.code));
        }
    }
}
