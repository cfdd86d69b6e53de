//! Every command of the book, typed as a reader would: page by page, in a fresh folder with the
//! repository's models, with the files that the page shows.

#![allow(clippy::print_stdout, reason = "how long things take is worth seeing")]

#[path = "support/page.rs"]
mod page;
mod support;

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use page::{Item, Shown, agrees, items, renewed, with_outputs};
use provoke_testkit::repository;
use support::scratch;

/// Runs a command as a reader would; gives all that it prints, in its order.
fn run(shown: &Shown, folder: &Path) -> Vec<String> {
    let provoke = Path::new(env!("CARGO_BIN_EXE_provoke"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", provoke.parent().expect("a folder").display());
    let start = Instant::now();
    let ran = Command::new("sh")
        .args(["-c", &format!("exec 2>&1\n{}", shown.line)])
        .current_dir(folder)
        .env("PATH", &path)
        .output()
        .expect("a shell");
    let code = ran.status.code().unwrap_or(-1);
    let printed = String::from_utf8_lossy(&ran.stdout);
    println!("{:6.1} s, exit {code}: {}", start.elapsed().as_secs_f64(), shown.line);
    // An answer may be negative or open; what is wrong or missing may not be, unless the page says so.
    let answered: &[i32] = if shown.is_refused { &[2, 3] } else { &[0, 1, 5] };
    assert!(answered.contains(&code), "{}\nexit {code}: {printed}", shown.line);
    printed.trim_end().lines().map(|line| line.trim_end().to_string()).collect()
}

/// Runs the commands of a page and compares what they print with what it shows; with
/// `PROVOKE_UPDATE` set, writes it. Gives how many commands and outputs there were.
fn follow(page: &Path, folder: &Path) -> (usize, usize) {
    let text = std::fs::read_to_string(page).expect("a page");
    let (mut count, mut outputs, mut wrong) = (0, 0, Vec::new());
    for item in items(&text) {
        match item {
            Item::File(name, text) => std::fs::write(folder.join(name), text).expect("writable"),
            Item::Command(shown) => {
                let printed = run(&shown, folder);
                count += 1;
                outputs += usize::from(!shown.output.is_empty());
                if !shown.output.is_empty() && !agrees(&shown.output, &printed) {
                    let renewed = renewed(&shown.output, &printed);
                    wrong.push((shown, renewed));
                }
            }
        }
    }
    if std::env::var_os("PROVOKE_UPDATE").is_some() {
        std::fs::write(page, with_outputs(&text, &wrong)).expect("a writable page");
        return (count, outputs);
    }
    let told = |(shown, printed): &(Shown, Vec<String>)| {
        format!(
            "$ {}\n{}\n--- but the page shows\n{}\n",
            shown.line,
            printed.join("\n"),
            shown.output.join("\n")
        )
    };
    let all: String = wrong.iter().map(told).collect();
    assert!(wrong.is_empty(), "{}, PROVOKE_UPDATE=1 writes it:\n{all}", page.display());
    (count, outputs)
}

fn try_page(path: &str) -> (usize, usize) {
    let name = path.replace(['/', '.'], "-");
    let folder = scratch(&format!("book-{name}"));
    std::os::unix::fs::symlink(repository().join("models"), folder.join("models")).expect("a link");
    follow(&repository().join(path), &folder)
}

#[test]
fn outputs_are_compared_line_by_line() {
    let page =
        "text\n```console\n$ first\none 0.3 s\n...\nlast\n\n$ second\n```\n```sh\nthird\n```\n";
    let found = items(page);
    let Item::Command(first) = &found[0] else { panic!("{found:?}") };
    assert_eq!(found.len(), 3);
    assert_eq!(first.output, ["one 0.3 s", "...", "last"]);
    let lines = |text: &str| text.lines().map(String::from).collect::<Vec<String>>();
    assert!(agrees(&first.output, &lines("one 17 s\ntwo\nlast")));
    assert!(agrees(&first.output, &lines("one 0 s\nlast")));
    for other in ["one 17 s\ntwo", "two 0.3 s\nlast", "one 0.3 s\nlast\nmore", "one 3 m\nlast", ""]
    {
        assert!(!agrees(&first.output, &lines(other)), "{other}");
    }
    assert_eq!(renewed(&first.output, &lines("a\nb\nc\nd")), ["a", "...", "d"]);
    let renewed = with_outputs(page, &[(first.clone(), vec!["a".into()])]);
    assert!(renewed.starts_with("text\n```console\n$ first\na\n\n$ second\n"), "{renewed}");
}

#[test]
fn the_tutorial_can_be_followed() {
    if support::solver_is_there() {
        let (commands, outputs) = try_page("docs/book/tutorial.md");
        assert!(commands >= 8 && outputs >= 5, "{commands} commands, {outputs} outputs");
    }
}

#[test]
#[ignore = "takes minutes; run by make book"]
fn every_page_can_be_followed() {
    let mut pages: Vec<String> = std::fs::read_dir(repository().join("docs/book"))
        .expect("the book")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".md"))
        .map(|name| format!("docs/book/{name}"))
        .collect();
    pages.push("README.md".to_string());
    pages.sort();
    let counts: Vec<(usize, usize)> = pages.iter().map(|name| try_page(name)).collect();
    let commands: usize = counts.iter().map(|(commands, _)| commands).sum();
    let outputs: usize = counts.iter().map(|(_, outputs)| outputs).sum();
    println!("{commands} commands, {outputs} outputs compared");
    assert!(commands > 40 && outputs > 30, "{counts:?}");
}

#[test]
#[ignore = "takes a minute; run by make book"]
fn the_demonstration_ends_with_a_report() {
    if !support::solver_is_there() {
        return;
    }
    let folder = scratch("demo");
    let result = support::json(&["demo", "-o", folder.to_str().expect("a path")], 0);
    let demo: provoke_results::Demo = serde_json::from_value(result.clone()).expect("a demo");
    assert_eq!(serde_json::to_value(&demo).expect("JSON"), result);
    let percent = |name: &str| result[name].as_f64().expect("a share");
    assert!(percent("mcdc_percent") < percent("omcdc_percent"), "{result}");
    assert!(result["missed_by_mcdc"].as_str().is_some_and(|fault| fault.starts_with("line ")));
    let page = std::fs::read_to_string(result["report"].as_str().expect("a path")).expect("a page");
    assert!(page.contains("Infusion pump"));
}
