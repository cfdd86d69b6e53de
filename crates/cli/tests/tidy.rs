//! Habits that are kept by a test rather than by memory.

use std::collections::BTreeSet;
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
    let mut found = Vec::new();
    walk(&repository().join("crates"), &mut found);
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
fn only_the_command_line_prints() {
    for (name, text) in sources() {
        let may_print = name.starts_with("crates/testkit/")
            || name.contains("/tests/")
            || name.contains("/benches/");
        let prints = text
            .lines()
            .any(|line| line.contains("println!(") && !line.trim_start().starts_with("//"));
        assert!(may_print || !prints || name.ends_with("/tidy.rs"), "{name} prints");
    }
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
        .filter(|name| !name.starts_with("provoke-"))
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
fn crates_depend_only_on_what_the_architecture_allows() {
    let table = crate_table();
    let folders: BTreeSet<String> = std::fs::read_dir(repository().join("crates"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    let listed: BTreeSet<String> = table.iter().map(|(name, _)| name.clone()).collect();
    assert_eq!(listed, folders, "docs/ARCHITECTURE.md (left) and crates/ (right) differ");
    for (name, allowed) in table {
        let manifest = read(&format!("crates/{name}/Cargo.toml"));
        for dependency in names_in(&manifest, "dependencies") {
            if let Some(ours) = dependency.strip_prefix("provoke-") {
                assert!(
                    allowed.contains(ours) || allowed.contains("all"),
                    "{name} may not depend on {ours}"
                );
            }
        }
    }
}
