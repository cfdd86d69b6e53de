//! The commands of the book and of the README are commands that exist.

use std::path::PathBuf;

use provoke_cli::command;

/// The pages with their names.
fn pages() -> Vec<(String, String)> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let book = std::fs::read_dir(root.join("docs/book")).expect("the book");
    let mut paths: Vec<PathBuf> = book.map(|entry| entry.expect("a page").path()).collect();
    paths.push(root.join("README.md"));
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "md"));
    paths.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a text");
        (path.display().to_string(), text)
    };
    paths.into_iter().map(read).collect()
}

/// The words of a line, as a shell divides them.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            other => words.last_mut().expect("there is one").push(other),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The commands of a page: behind a dollar sign, or in blocks called `sh`.
fn typed(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut block = None;
    for line in text.lines() {
        if let Some(info) = line.strip_prefix("```") {
            block = if block.is_none() { Some(info) } else { None };
        } else if let Some(command) =
            line.strip_prefix("$ ").or(block.filter(|info| *info == "sh").map(|_| line))
        {
            found.extend(command.starts_with("provoke").then_some(command));
        }
    }
    found
}

fn check(name: &str, line: &str) {
    let typed = line.split(" > ").next().unwrap_or(line);
    if let Err(error) = command().try_get_matches_from(words(typed)) {
        let helps = matches!(
            error.kind(),
            clap::error::ErrorKind::DisplayHelp | clap::error::ErrorKind::DisplayVersion
        );
        assert!(helps, "{name}: {line}\n{error}");
    }
}

#[test]
fn every_command_of_the_book_can_be_typed() {
    let mut commands = 0;
    for (name, text) in pages() {
        for line in typed(&text) {
            check(&name, line);
            commands += 1;
        }
    }
    assert!(commands > 30, "{commands} commands were found");
}

#[test]
fn every_example_in_the_help_can_be_typed() {
    let mut examples = 0;
    let mut open = vec![command()];
    while let Some(command) = open.pop() {
        open.extend(command.get_subcommands().cloned());
        if command.has_subcommands() {
            continue;
        }
        let help = command.get_after_help();
        let help = help.unwrap_or_else(|| panic!("{} has no example", command.get_name()));
        for line in help.to_string().lines() {
            let line = line.trim().trim_start_matches("Example: ");
            if line.starts_with("provoke") {
                check(command.get_name(), line);
                examples += 1;
            }
        }
    }
    assert!(examples > 40, "{examples} examples were found");
}

#[test]
fn the_command_line_is_consistent() {
    command().debug_assert();
}

/// One file for the program and one for each command, with all that `--help` says.
#[test]
fn helps_are_as_they_were() {
    fn visit(command: &mut clap::Command, name: &str, folder: &std::path::Path) {
        let help = command.render_long_help().to_string();
        provoke_testkit::check_snapshot(&folder.join(format!("{name}.txt")), &help);
        for inner in command.get_subcommands_mut() {
            let inner_name = format!("{name}-{}", inner.get_name());
            if inner.get_name() != "help" {
                visit(inner, &inner_name, folder);
            }
        }
    }
    let folder = provoke_testkit::repository().join("crates/cli/tests/snapshots/help");
    let mut command = command().term_width(100);
    command.build();
    visit(&mut command, "provoke", &folder);
}
