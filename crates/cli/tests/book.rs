//! Every command of the book, typed as a reader would: page by page, in a fresh folder with the
//! repository's models, with the files that the page shows.

#![allow(clippy::print_stdout, reason = "how long things take is worth seeing")]

mod support;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use provoke_testkit::repository;
use support::scratch;

/// What a page holds, in its order.
enum Item {
    /// A file to be written.
    File(String, String),
    /// A command.
    Command(String),
}

/// Fenced blocks: one that begins with a file's name (```` ```csv levels.csv ````) is that file;
/// in those called `console` or nothing, lines with a dollar sign are commands, in those called `sh` all are. A block that needs what a
/// desk does not have says so: ```` ```console board ````.
fn items(page: &str) -> Vec<Item> {
    let mut items = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let mut words = info.split_whitespace();
        let (language, name) = (words.next().unwrap_or(""), words.next());
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        match (language, name) {
            ("console" | "", None) => {
                let commands = body.iter().filter_map(|line| line.strip_prefix("$ "));
                items.extend(commands.map(|line| Item::Command(line.to_string())));
            }
            ("sh", None) => {
                items.extend(body.iter().map(|line| Item::Command(line.to_string())));
            }
            ("console" | "sh", Some(_)) | (_, None) => {}
            (_, Some(name)) => items.push(Item::File(name.to_string(), body.join("\n") + "\n")),
        }
    }
    items
}

/// Runs the commands of a page; gives how many there were.
fn follow(page: &Path, folder: &Path) -> usize {
    let text = std::fs::read_to_string(page).expect("a page");
    let provoke = Path::new(env!("CARGO_BIN_EXE_provoke"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", provoke.parent().expect("a folder").display());
    let mut count = 0;
    for item in items(&text) {
        match item {
            Item::File(name, text) => std::fs::write(folder.join(name), text).expect("writable"),
            Item::Command(line) => {
                let start = Instant::now();
                let ran = Command::new("sh")
                    .args(["-c", &line])
                    .current_dir(folder)
                    .env("PATH", &path)
                    .output()
                    .expect("a shell");
                let code = ran.status.code().unwrap_or(-1);
                println!("{:6.1} s, exit {code}: {line}", start.elapsed().as_secs_f64());
                // An answer may be negative or open; what is wrong or missing may not be.
                let answered = [0, 1, 5].contains(&code);
                let said = String::from_utf8_lossy(&ran.stderr);
                assert!(answered, "{}: {line}\nexit {code}: {said}", page.display());
                count += 1;
            }
        }
    }
    count
}

fn page(name: &str) -> usize {
    let folder = scratch(&format!("book-{name}"));
    std::os::unix::fs::symlink(repository().join("models"), folder.join("models")).expect("a link");
    follow(&repository().join("docs/book").join(format!("{name}.md")), &folder)
}

#[test]
fn the_tutorial_can_be_followed() {
    if support::solver_is_there() {
        assert!(page("tutorial") >= 8);
    }
}

#[test]
#[ignore = "takes minutes; run by make book"]
fn every_page_can_be_followed() {
    let mut names: Vec<String> = std::fs::read_dir(repository().join("docs/book"))
        .expect("the book")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".md").map(String::from))
        .collect();
    names.sort();
    let counts: Vec<usize> = names.iter().map(|name| page(name)).collect();
    assert!(counts.iter().sum::<usize>() > 40, "{counts:?}");
}

#[test]
#[ignore = "takes a minute; run by make book"]
fn the_demonstration_ends_with_a_report() {
    if !support::solver_is_there() {
        return;
    }
    let folder = scratch("demo");
    let result = support::json(&["demo", "-o", folder.to_str().expect("a path")], 0);
    let percent = |name: &str| result[name].as_f64().expect("a share");
    assert!(percent("mcdc_percent") < percent("omcdc_percent"), "{result}");
    assert!(result["missed_by_mcdc"].as_str().is_some_and(|fault| fault.starts_with("line ")));
    let page = std::fs::read_to_string(result["report"].as_str().expect("a path")).expect("a page");
    assert!(page.contains("Infusion pump"));
}
