//! Reports in a real browser: clicked, filtered and stepped as a reader does.

#![allow(clippy::print_stdout, reason = "how long things take is worth seeing")]

mod support;

#[path = "support/browser.rs"]
mod browser;

use std::path::{Path, PathBuf};

use browser::Browser;
use support::{provoke, scratch};

fn run(arguments: &[&str], codes: &[i32]) -> String {
    let ran = provoke(arguments);
    assert!(codes.contains(&ran.code), "{arguments:?}: {}", ran.stderr);
    ran.stdout
}

/// A report of what is in a folder and in its parts.
fn report(folder: &Path, results: &[&str], more: &[&str]) -> PathBuf {
    let page = folder.join("report.html");
    let results: Vec<String> =
        results.iter().map(|name| folder.join(name).display().to_string()).collect();
    let mut arguments = vec!["report"];
    arguments.extend(results.iter().map(String::as_str));
    arguments.extend(["-o", page.to_str().unwrap()]);
    arguments.extend(more);
    run(&arguments, &[0]);
    page
}

fn generate(folder: &Path, model: &str, criterion: &str) {
    let out = folder.join("tests");
    let out = out.to_str().unwrap();
    run(&["generate", model, "-c", criterion, "--method", "random", "-o", out], &[0, 5]);
}

/// Goes to a page of the report, and waits until it is shown.
fn turn_to(browser: &Browser, link: &str) {
    browser.click(&format!("#nav a{link}"));
    let current = format!("#nav a{link}[aria-current]");
    browser.wait(&format!("return document.querySelector({current:?}) !== null"));
}

/// Nothing left the file, and nothing went wrong.
fn is_quiet(browser: &Browser, page: &Path) {
    let own = format!("file://{}", page.display());
    for url in browser.requests() {
        let inside = url.split('#').next() == Some(&own) || url.starts_with("data:");
        assert!(inside, "the page asked for {url}");
    }
    assert_eq!(browser.errors(), Vec::<String>::new());
}

#[test]
#[ignore = "needs Chromium and chromedriver; run by make browser"]
fn tests_and_mutants_are_looked_through() {
    let folder = scratch("browser-tests");
    generate(&folder, "models/traffic_light.lus", "omcdc");
    let (suite, mutants) = (folder.join("tests/suite.json"), folder.join("mutants"));
    let (suite, mutants) = (suite.to_str().unwrap(), mutants.to_str().unwrap());
    run(&["mutate", "models/traffic_light.lus", suite, "-o", mutants], &[0]);
    let page = report(&folder, &["tests", "mutants"], &[]);
    let browser = Browser::start();
    browser.open(&page);
    assert_eq!(browser.count(".card"), 2);

    // An obligation: choose it, see its witness with the way drawn.
    turn_to(&browser, "[data-path='0/obligations']");
    browser.click(".chips button[data-filter='shown']");
    let shown = browser.text(".filters [role=status]");
    assert!(shown.contains("of 94 rows"), "{shown}");
    browser.click(".grid .row");
    let id = browser.text(".detail h2 .mono");
    assert!(id.contains(":omcdc:"), "{id}");
    assert!(
        browser.count(".detail .wave svg .way") > 0 || browser.count(".detail .wave svg .stop") > 0
    );
    assert!(browser.text(".detail .say").contains("decides alone"));

    // Search narrows; what was typed is in every row.
    browser.type_into("input[type=search]", "request");
    browser.wait("return [...document.querySelectorAll('.grid .row')].every((row) => [...row.children].some((cell) => cell.title.includes('request')))");

    // Sorting by line.
    browser.script("document.querySelector('input[type=search]').value = ''; document.querySelector('input[type=search]').dispatchEvent(new Event('input'))");
    browser.click(".grid .head button:nth-child(2)");
    let sorted = browser.script("const lines = [...document.querySelectorAll('.grid .row')].map((row) => Number(row.children[1].textContent)); return lines.every((line, at) => !at || lines[at - 1] <= line)");
    assert_eq!(sorted, true);

    // The source: a marked condition opens its obligation.
    turn_to(&browser, "[data-path='0/source']");
    browser.wait("return document.querySelectorAll('.source mark').length > 10");
    browser.script("document.querySelector('.source mark').scrollIntoView({block: 'center'})");
    browser.click(".source mark");
    assert!(browser.text(".detail h2 .mono").contains(":omcdc:"));

    // Mutants: survivors first.
    turn_to(&browser, "[data-path='1/mutants']");
    assert_eq!(browser.text(".grid .row .state").replace('?', ""), "survived");
    assert!(browser.count(".detail .ladder li") == 4);
    browser.click(".filters button:nth-child(2)");
    browser.wait("return document.querySelectorAll('.source mark').length > 10");

    // The dark theme, and paper.
    let before = browser.script("return document.documentElement.dataset.theme");
    browser.click("#top .tools button");
    assert_ne!(browser.script("return document.documentElement.dataset.theme"), before);
    is_quiet(&browser, &page);
}

#[test]
#[ignore = "needs Chromium and chromedriver; run by make browser"]
fn a_target_and_requirements_are_looked_through() {
    let folder = scratch("browser-target");
    generate(&folder, "models/wiper.lus", "obranch");
    let target = folder.join("target.toml");
    let model = provoke_testkit::repository().join("models/wiper.lus");
    let text = format!(
        "step_ms = 100\nmodel = {model:?}\n[connection]\nkind = \"simulated\"\n\
         [defaults]\ndelay_ms = 20\nsd_ms = 2\n"
    );
    std::fs::write(&target, text).unwrap();
    let (suite, run_folder) = (folder.join("tests/suite.json"), folder.join("run"));
    let arguments = ["run", suite.to_str().unwrap(), "--on", target.to_str().unwrap(), "-o"];
    run(&[&arguments[..], &[run_folder.to_str().unwrap()]].concat(), &[0, 1, 5]);
    let table = folder.join("requirements.csv");
    std::fs::write(&table, "requirement,about,text\nREQ-1,*,everything\nREQ-2,,nothing yet\n")
        .unwrap();
    let page = report(&folder, &["tests", "run"], &["--requirements", table.to_str().unwrap()]);
    let browser = Browser::start();
    browser.open(&page);
    turn_to(&browser, "[data-path='requirements']");
    assert_eq!(browser.count(".matrix tbody tr"), 2);
    assert!(browser.count(".matrix tbody .s-pass") > 0);
    turn_to(&browser, "[data-path='1/timelines']");
    assert!(browser.count(".detail svg circle") > 0, "what came");
    assert!(browser.count(".detail svg rect.bus") > 0, "windows");
    is_quiet(&browser, &page);
}

#[test]
#[ignore = "needs Chromium and chromedriver; run by make browser"]
fn properties_have_verdicts_and_no_bar() {
    let folder = scratch("browser-properties");
    std::fs::create_dir_all(&folder).unwrap();
    let model = folder.join("pump.lus");
    let text = "node pump(full, start: bool) returns (run, alarm: bool);
let
  run = if full then false else start;
  --@ REQ-1: no alarm
  --%PROPERTY \"quiet\" not alarm;
  --@ REQ-2
  alarm = if full and start then true else false;
tel;
";
    std::fs::write(&model, text).unwrap();
    let (model, out) = (model.to_str().unwrap(), folder.join("tests"));
    let asked = ["-c", "obranch,properties", "--method", "random", "-o", out.to_str().unwrap()];
    run(&[&["generate", model][..], &asked].concat(), &[1]);
    let page = report(&folder, &["tests"], &[]);
    let browser = Browser::start();
    browser.open(&page);
    // Two cards, one with a bar: that of coverage, which is complete without the property.
    assert_eq!((browser.count(".card"), browser.count(".card .bar")), (2, 1));
    assert_eq!(browser.text(".card .big").replace(['✗', '\n'], ""), "1 violated");
    turn_to(&browser, "[data-path='0/properties']");
    assert_eq!(browser.text(".detail h2 .mono"), "quiet");
    assert_eq!(browser.count("main .bar"), 0);
    let table = browser.text(".counterexample");
    assert!(table.contains("alarm") && table.contains("false"), "{table}");
    assert_eq!(browser.count(".counterexample tbody tr:last-child td.last"), 1);
    assert!(browser.count(".detail .wave svg") > 0);
    turn_to(&browser, "[data-path='requirements']");
    let cells =
        |row: usize| -> String { browser.text(&format!(".matrix tbody tr:nth-child({row})")) };
    assert!(cells(1).contains("violated 1") && cells(1).contains("none"), "{}", cells(1));
    assert!(cells(2).contains("passed") && cells(2).contains("none"), "{}", cells(2));
    is_quiet(&browser, &page);
}

#[test]
#[ignore = "needs Chromium and chromedriver; run by make browser"]
fn a_run_of_automata_is_stepped_through() {
    let folder = scratch("browser-timed");
    let model = "models/timed/lamp.xml";
    for command in ["verify", "estimate"] {
        let answers = run(&["timed", command, model, "--format", "json"], &[0, 1, 5]);
        std::fs::write(folder.join(format!("{command}.json")), answers).unwrap();
    }
    let page = report(&folder, &["estimate.json", "verify.json"], &["--title", "Lamp"]);
    let browser = Browser::start();
    browser.open(&page);
    turn_to(&browser, "[data-path$='/answers']");
    let first = browser.text(".steps output");
    assert!(first.starts_with("0 of "), "{first}");
    let places = || {
        browser.script("return [...document.querySelectorAll('.location.at')].map((at) => at.dataset.name).join()")
    };
    let before = places();
    browser.click(".steps .next");
    assert!(browser.text(".steps output").starts_with("1 of "));
    assert_ne!(places(), before, "the picture follows the run");
    assert!(browser.count(".edge.at") > 0);
    turn_to(&browser, "[data-path$='/estimates']");
    assert!(browser.count("#main table svg") > 0, "intervals");
    is_quiet(&browser, &page);
}

#[test]
#[ignore = "needs Chromium and chromedriver; run by make browser"]
fn requests_and_errors_would_be_noticed() {
    let folder = scratch("browser-noisy");
    let page = folder.join("noisy.html");
    std::fs::write(
        &page,
        "<html data-ready=1><img src='http://127.0.0.1:9/x.png'><script>console.error('no')</script>",
    )
    .unwrap();
    let browser = Browser::start();
    browser.open(&page);
    assert!(browser.requests().iter().any(|url| url.contains("127.0.0.1:9")));
    assert!(!browser.errors().is_empty());
}

#[test]
#[ignore = "needs Chromium and chromedriver; run by make browser"]
fn the_largest_model_is_ready_at_once() {
    let Some(models) = provoke_testkit::shared("models/lustre/single_node") else { return };
    let model = models.join("DockingApproach.lus");
    let folder = scratch("browser-large");
    generate(&folder, model.to_str().unwrap(), "omcdc");
    let page = report(&folder, &["tests"], &[]);
    let bytes = std::fs::metadata(&page).unwrap().len();
    assert!(bytes < 15 << 20, "{bytes} bytes");
    let browser = Browser::start();
    let ready_ms = browser.open(&page);
    let busy_ms = browser.busy_ms();
    println!("{bytes} bytes, ready after {ready_ms} ms; {busy_ms:.0} ms of work");
    assert!(0.0 < busy_ms && busy_ms < 2000.0, "{busy_ms} ms");
    turn_to(&browser, "[data-path='0/source']");
    browser.wait("return document.querySelectorAll('.source .ln').length > 0");
    turn_to(&browser, "[data-path='0/obligations']");
    browser.wait("return document.querySelectorAll('.grid .row').length > 0");
    is_quiet(&browser, &page);
}
