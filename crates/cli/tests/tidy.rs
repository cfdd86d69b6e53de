//! Habits that are kept by a test rather than by memory.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use provoke_testkit::repository;

fn read(path: &str) -> String {
    std::fs::read_to_string(repository().join(path)).unwrap_or_else(|e| panic!("{path}: {e}"))
}

/// All files below a folder, without build products.
fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
    let skip = ["target", "corpus", ".git"];
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() && !skip.contains(&name.as_str()) {
            walk(&path, found);
        } else if path.is_file() {
            found.push(path);
        }
    }
}

fn sources() -> Vec<(String, String)> {
    rust_below(&["crates"])
}

fn rust_below(folders: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    folders.iter().for_each(|folder| walk(&repository().join(folder), &mut found));
    let rust = found.into_iter().filter(|path| path.extension().is_some_and(|e| e == "rs"));
    let relative = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a text");
        let name = path.strip_prefix(repository()).expect("inside").to_string_lossy().into_owned();
        (name, text)
    };
    rust.map(relative).collect()
}

#[test]
fn files_are_short_and_nothing_is_left_open() {
    for (name, text) in sources() {
        let lines = text.lines().count();
        assert!(lines <= 900, "{name} has {lines} lines: two rooms in one?");
        for word in [concat!("todo", "!("), concat!("unimplemented", "!("), concat!("FIX", "ME")] {
            assert!(!text.contains(word), "{name} says {word}");
        }
    }
}

#[test]
fn no_crate_is_a_dumping_ground() {
    let limits = [("cli", 5_000), ("provoke", 6_000)];
    for entry in std::fs::read_dir(repository().join("crates")).expect("crates") {
        let name = entry.expect("a crate").file_name().to_string_lossy().into_owned();
        let limit = limits.iter().find(|(limited, _)| *limited == name).map_or(15_000, |it| it.1);
        let lines: usize = rust_below(&[&format!("crates/{name}/src")])
            .iter()
            .map(|(_, text)| text.lines().count())
            .sum();
        assert!(lines <= limit, "{name} has {lines} lines, {limit} are allowed");
    }
}

#[test]
fn only_the_command_line_prints() {
    for (name, text) in sources() {
        let may_print = name.starts_with("crates/testkit/")
            || name.starts_with("crates/campaign/")
            || name.contains("/tests/")
            || name.contains("/benches/")
            || name.contains("/examples/")
            || name.ends_with("/build.rs");
        let prints = text
            .lines()
            .any(|line| line.contains("println!(") && !line.trim_start().starts_with("//"));
        assert!(may_print || !prints || name.ends_with("/tidy.rs"), "{name} prints");
    }
}

/// Names that crates of time, chance and plain data still share; a branch of its own renames them.
const EXEMPT: [&str; 23] = [
    "Comparison",
    "Effort",
    "Event",
    "Evidence",
    "Expr",
    "Fault",
    "Interval",
    "Method",
    "Mutant",
    "Oracle",
    "Place",
    "Reason",
    "Rule",
    "Session",
    "Settings",
    "Simulator",
    "Step",
    "Stop",
    "Trace",
    "Trouble",
    "Value",
    "Verdict",
    "Word",
];

/// The types that a file declares for others, without those of its tests.
fn public_types(text: &str) -> impl Iterator<Item = &str> {
    let own = text.split("#[cfg(test)]\nmod ").next().unwrap_or("");
    own.lines().filter_map(|line| {
        let declared = line.trim_start().strip_prefix("pub ")?;
        let declared = declared.strip_prefix("unsafe ").unwrap_or(declared);
        let kinds = ["struct ", "enum ", "trait ", "type "];
        let rest = kinds.iter().find_map(|kind| declared.strip_prefix(kind))?;
        let name = rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()?;
        (!name.is_empty()).then_some(name)
    })
}

#[test]
fn a_public_type_has_one_meaning() {
    let mut homes: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (name, text) in sources() {
        let mut parts = name.split('/').skip(1);
        let (Some(home), Some("src")) = (parts.next(), parts.next()) else { continue };
        if ["audit", "campaign", "testkit"].contains(&home) {
            continue;
        }
        for declared in public_types(&text) {
            homes.entry(declared.to_string()).or_default().insert(home.to_string());
        }
    }
    let shared: Vec<_> = homes
        .iter()
        .filter(|(name, homes)| homes.len() > 1 && !EXEMPT.contains(&name.as_str()))
        .collect();
    assert!(shared.is_empty(), "one name, several crates: {shared:#?}");
}

/// The paths in backticks that look like places of the repository.
fn paths(text: &str) -> Vec<&str> {
    let quoted = text.split('`').skip(1).step_by(2);
    let plain = |part: &&str| {
        part.contains('/')
            && !part.contains([' ', '*', '{', '<', '$', ':'])
            && !part.starts_with(['-', '/'])
    };
    quoted.filter(plain).collect()
}

#[test]
fn every_path_in_the_documentation_exists() {
    let mut pages = vec!["README.md".to_string()];
    let mut found = Vec::new();
    walk(&repository().join("docs"), &mut found);
    let markdown = found.iter().filter(|path| path.extension().is_some_and(|e| e == "md"));
    pages.extend(
        markdown
            .map(|path| path.strip_prefix(repository()).unwrap().to_string_lossy().into_owned()),
    );
    for page in pages {
        let text = read(&page);
        for path in paths(&text) {
            let first = path.split('/').next().unwrap_or("");
            let ours = ["crates", "docs", "fuzz", "models", "testdata", "scripts"].contains(&first);
            assert!(
                !ours || repository().join(path).exists(),
                "{page} names {path}, which is not there"
            );
        }
        let folder = repository().join(Path::new(&page).parent().expect("a folder"));
        // What is quoted as code is no link.
        let prose: String = text.split('`').step_by(2).collect();
        for link in prose.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let local = !link.contains("://") && !link.starts_with('#');
            let target = link.split('#').next().unwrap_or("");
            assert!(!local || folder.join(target).exists(), "{page} links to {link}");
        }
    }
}

/// The names in a table of Cargo.toml.
fn names_in(manifest: &str, table: &str) -> BTreeSet<String> {
    let lines = manifest.lines().skip_while(|line| line.trim() != format!("[{table}]")).skip(1);
    let inside = lines.take_while(|line| !line.starts_with('['));
    let names = inside.filter_map(|line| line.split(['=', '.']).next());
    names
        .map(|name| name.trim().to_string())
        .filter(|name| !name.is_empty() && !name.starts_with('#'))
        .collect()
}

#[test]
fn every_dependency_has_its_reason() {
    let documented: BTreeSet<String> = read("docs/DEPENDENCIES.md")
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next().map(str::to_string))
        .collect();
    let used: BTreeSet<String> = names_in(&read("Cargo.toml"), "workspace.dependencies")
        .into_iter()
        .filter(|name| name != "provoke" && !name.starts_with("provoke-"))
        .collect();
    assert_eq!(documented, used, "docs/DEPENDENCIES.md (left) and Cargo.toml (right) differ");
}

/// The rows of the crate table: name, and what it may depend on.
fn crate_table() -> Vec<(String, BTreeSet<String>)> {
    let page = read("docs/ARCHITECTURE.md");
    let rows = page.lines().filter(|line| line.starts_with("| `crates/"));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let name = cells[1].trim_matches('`').trim_start_matches("crates/").to_string();
        let allowed = cells[3].split(',').map(|name| name.trim().to_string());
        (name, allowed.filter(|name| !name.is_empty() && name != "–").collect())
    })
    .collect()
}

#[test]
fn crates_depend_on_what_the_architecture_says() {
    let table = crate_table();
    let folders: BTreeSet<String> = std::fs::read_dir(repository().join("crates"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    let listed: BTreeSet<String> = table.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(listed, folders, "docs/ARCHITECTURE.md (left) and crates/ (right) differ");
    for (name, allowed) in table {
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        let dependencies = names_in(&manifest, "dependencies");
        let ours = dependencies.iter().filter_map(|name| name.strip_prefix("provoke-"));
        let ours: BTreeSet<String> = ours.map(str::to_string).collect();
        let all = allowed.contains("all");
        assert!(all || ours == allowed, "{name} depends on {ours:?}, the table says {allowed:?}");
    }
}

/// Whether the comment above a line, or above the statement that it ends, gives a reason.
fn is_justified(lines: &[&str], at: usize) -> bool {
    let near = lines[at.saturating_sub(5)..at].iter().rev();
    // A line that ends a statement ends the search: what is above it speaks of something else.
    let mut above = near.take_while(|line| !line.trim_end().ends_with([';', '}']));
    above.any(|line| line.trim_start().starts_with("// SAFETY: "))
}

#[test]
fn every_unsafe_block_says_why_it_is_sound() {
    let mut blocks = 0;
    for (name, text) in rust_below(&["crates", "fuzz"]) {
        let lines: Vec<&str> = text.lines().collect();
        for (at, line) in lines.iter().enumerate() {
            let is_code = !line.trim_start().starts_with("//") && !name.ends_with("/tidy.rs");
            if is_code && (line.contains("unsafe {") || line.contains("unsafe impl")) {
                blocks += 1;
                assert!(is_justified(&lines, at), "{name}:{}: no `// SAFETY: ` above", at + 1);
            }
            let allows = is_code && line.contains("allow(unsafe_code");
            assert!(!allows || line.contains("reason = "), "{name}:{}: no reason", at + 1);
        }
    }
    assert!(blocks > 50, "{blocks}");
}

/// A function of a test program.
struct Function<'a> {
    name: &'a str,
    is_test: bool,
    first: usize,
    lines: Vec<&'a str>,
}

/// The functions of a file as `cargo fmt` leaves it: each ends with a brace where it began.
fn functions(text: &str) -> Vec<Function<'_>> {
    let lines: Vec<&str> = text.lines().collect();
    let mut functions = Vec::new();
    for (first, line) in lines.iter().enumerate() {
        let code = line.trim_start();
        let opened = ["pub(crate) fn ", "pub(super) fn ", "pub fn ", "fn "]
            .iter()
            .find_map(|p| code.strip_prefix(p));
        let Some(rest) = opened else { continue };
        let name = rest.split(['(', '<']).next().unwrap_or("");
        let end = format!("{}}}", &line[..line.len() - code.len()]);
        let body = lines[first..].iter().take_while(|line| **line != end).copied().collect();
        let attributes =
            lines[..first].iter().rev().take_while(|line| line.trim().starts_with("#["));
        // What a parent starts is no check of its own.
        let is_test = attributes.clone().any(|line| line.trim() == "#[test]")
            && !attributes.clone().any(|line| line.contains("\"the child of"));
        functions.push(Function { name, is_test, first, lines: body });
    }
    functions
}

/// Whether a text calls one of the functions; methods, such as `skip` of iterators, are others.
fn calls(text: &str, names: &BTreeSet<String>) -> bool {
    text.match_indices('(').any(|(end, _)| {
        let before = &text[..end];
        let other = |c: char| !(c.is_alphanumeric() || c == '_');
        let start = before.rfind(other).map_or(0, |at| at + 1);
        !before[..start].ends_with('.') && names.contains(&before[start..])
    })
}

/// The helpers through which a test learns that something is missing: those of the testkit, and what is
/// built on them.
fn gates(files: &[(String, String)]) -> BTreeSet<String> {
    let mut gates: BTreeSet<String> = ["shared", "skip"].map(String::from).into();
    loop {
        let before = gates.len();
        for (_, text) in files {
            for function in functions(text).iter().filter(|function| !function.is_test) {
                if calls(&function.lines[1..].join("\n"), &gates) {
                    gates.insert(function.name.to_string());
                }
            }
        }
        if gates.len() == before {
            return gates;
        }
    }
}

fn is_test(name: &str) -> bool {
    name.contains("/tests/") || name.ends_with("/tests.rs")
}

#[test]
fn a_test_ends_early_only_where_that_is_counted() {
    let mut sources = sources();
    sources.retain(|(name, _)| !name.ends_with("/tidy.rs"));
    let crates: BTreeSet<&str> =
        sources.iter().filter_map(|(name, _)| name.split('/').nth(1)).collect();
    let mut returns = 0;
    for one in crates {
        let prefix = format!("crates/{one}/");
        let files: Vec<(String, String)> =
            sources.iter().filter(|(name, _)| name.starts_with(&prefix)).cloned().collect();
        let tests: Vec<(String, String)> =
            files.iter().filter(|(name, _)| is_test(name)).cloned().collect();
        let gates = gates(&tests);
        for (name, text) in &files {
            for test in functions(text).iter().filter(|function| function.is_test) {
                for (at, line) in test.lines.iter().enumerate() {
                    if !line.contains("return;") && !line.contains("{ return }") {
                        continue;
                    }
                    returns += 1;
                    // The condition, which `cargo fmt` may have broken into lines.
                    let condition = test.lines[at.saturating_sub(2)..=at].join("\n");
                    let place = test.first + at + 1;
                    assert!(
                        calls(&condition, &gates),
                        "{name}:{place}: ask `shared` or `skip` of the testkit, which count it"
                    );
                }
            }
        }
    }
    assert!(returns > 50, "{returns}");
}

#[test]
fn only_the_testkit_knows_where_the_benchmarks_are_and_says_that_something_is_skipped() {
    for (name, text) in sources() {
        let ours = name.starts_with("crates/testkit/") || name.ends_with("/tidy.rs");
        let may_name = ours || name.ends_with("/absent_data.rs");
        for word in ["PROVOKE_SHARED", "PROVOKE_REQUIRE_SHARED", "join(\"shared\")", "(\"skipped"] {
            assert!(may_name || !text.contains(word), "{name} says {word}: use the testkit");
        }
    }
}

#[test]
fn the_library_names_no_options_of_the_command_line() {
    let library = ["base", "coverage", "files", "provoke", "study"];
    let library = library.map(|name| format!("crates/{name}/src"));
    for (name, text) in rust_below(&library.each_ref().map(String::as_str)) {
        for (at, line) in text.lines().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let quoted = code.split('"').skip(1).step_by(2);
            let is_option = |word: &str| {
                word.strip_prefix("--")
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_lowercase()))
            };
            let named = quoted
                .flat_map(str::split_whitespace)
                .find(|word| is_option(word.trim_matches('`')));
            assert!(named.is_none(), "{name}:{}: {named:?}", at + 1);
        }
    }
}
