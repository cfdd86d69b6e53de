//! Kind 2's regression suite: what is read, and whether the verdicts are those of the folders.
//!
//! `PROVOKE_KIND2_SECONDS=20` gives each main node that much time; `PROVOKE_KIND2_LIST=1` tells of each file.

#![allow(clippy::print_stdout, reason = "the table of verdicts is worth seeing")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use provoke_base::{Control, SourceFile};
use provoke_coverage::{WorkOptions, prove};
use provoke_files::Model;
use provoke_testkit::{files, shared};

/// What became of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Ending {
    /// It is not read, for this reason.
    Refused(String),
    /// Every property holds and everything to be reached is, or there is nothing to decide.
    Holds,
    /// Something does not hold.
    Violated(String),
    /// The time was too short.
    Undecided(String),
}

fn seconds() -> u64 {
    std::env::var("PROVOKE_KIND2_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// What became of a file: of all main nodes, or of all nodes that nobody calls.
fn ending(path: &Path) -> Ending {
    let text = std::fs::read(path).expect("a readable file");
    let file = SourceFile::new("model.lus", String::from_utf8_lossy(&text).into_owned());
    let roots = provoke_lustre::roots(&file);
    let roots: Vec<Option<&str>> = match &roots[..] {
        [] => vec![None],
        roots => roots.iter().map(|root| Some(root.as_str())).collect(),
    };
    let mut undecided = None;
    for root in roots {
        match ending_of(&file, root) {
            Ending::Holds => {}
            Ending::Undecided(why) => undecided = Some(why),
            // What is not read decides nothing, whatever is found before.
            found @ Ending::Refused(_) => return found,
            found @ Ending::Violated(_) => {
                let rest = provoke_lustre::roots(&file);
                let refused = rest.iter().map(|root| read(&file, Some(root))).find_map(Result::err);
                return refused.map_or(found, Ending::Refused);
            }
        }
    }
    undecided.map_or(Ending::Holds, Ending::Undecided)
}

fn read(file: &SourceFile, root: Option<&str>) -> Result<Model, String> {
    Model::read(file, root, &[]).map_err(|rejected| {
        let first = rejected.diagnostics.iter().find(|diagnostic| diagnostic.is_error());
        let first = first.expect("a reason");
        format!("{}: {}", first.code, first.message)
    })
}

fn ending_of(file: &SourceFile, root: Option<&str>) -> Ending {
    let model = match read(file, root) {
        Ok(model) => model,
        Err(why) => return Ending::Refused(why),
    };
    if model.system.properties.is_empty() {
        return Ending::Holds;
    }
    let budget = Some(Duration::from_secs(seconds()));
    let work = WorkOptions { budget, jobs: Some(1), ..WorkOptions::default() };
    let name = root.unwrap_or("main");
    match prove(&model, None, None, &work, &Control::default()) {
        Err(error) => Ending::Undecided(format!("{name}: {error}")),
        Ok(outcome) => match outcome.result.properties {
            totals if totals.violated > 0 => Ending::Violated(name.to_string()),
            totals if totals.unknown > 0 => Ending::Undecided(name.to_string()),
            _ => Ending::Holds,
        },
    }
}

/// The endings of all files of a folder, in the order of their names.
fn endings(folder: &Path) -> Vec<(String, Ending)> {
    let paths: Vec<PathBuf> = files(folder, "lus");
    let next = AtomicUsize::new(0);
    let found = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
                    let ending = ending(path);
                    found.lock().expect("no panic").insert(name, ending);
                }
            });
        }
    });
    found.into_inner().expect("no panic").into_iter().collect()
}

/// How many files of a folder ended how.
#[derive(Default, Debug)]
struct Totals {
    read: usize,
    right: usize,
    contradicting: Vec<String>,
}

fn judge(folder: &str, expected: impl Fn(&Ending) -> Option<bool>) -> Option<Totals> {
    let path = shared(&format!("models/kind2/{folder}"))?;
    let listed = std::env::var_os("PROVOKE_KIND2_LIST").is_some();
    let (mut totals, mut reasons) = (Totals::default(), BTreeMap::<String, usize>::new());
    let endings = endings(&path);
    for (name, ending) in &endings {
        if let Ending::Refused(why) = ending {
            *reasons.entry(why.clone()).or_default() += 1;
        } else {
            totals.read += 1;
        }
        match expected(ending) {
            Some(true) => totals.right += 1,
            Some(false) => totals.contradicting.push(format!("{name}: {ending:?}")),
            None => {}
        }
        if listed {
            println!("{folder}/{name}: {ending:?}");
        }
    }
    let (all, read, right) = (endings.len(), totals.read, totals.right);
    let (wrong, refused) = (totals.contradicting.len(), all - read);
    let undecided = all - right - wrong - if folder == "error" { 0 } else { refused };
    println!(
        "{folder}: {all} files, {read} read, {refused} refused, {right} as the folder says, \
         {wrong} contradicting, {undecided} undecided"
    );
    if folder != "error" {
        reasons.iter().for_each(|(why, count)| println!("  {count:>3} {why}"));
    }
    Some(totals)
}

/// Compares a folder with what was reached before: so many files read, so many decided.
fn check(folder: &str, read: usize, right: usize, expected: impl Fn(&Ending) -> Option<bool>) {
    if provoke_solve::z3::find().is_err() {
        return provoke_testkit::skip("no solver for Kind 2's regression suite");
    }
    let Some(totals) = judge(folder, expected) else { return };
    assert!(totals.contradicting.is_empty(), "{:#?}", totals.contradicting);
    assert!(totals.read >= read, "{} files are read, {read} were", totals.read);
    assert!(totals.right >= right, "{} files are decided, {right} were", totals.right);
}

#[test]
fn models_that_succeed_are_never_refuted() {
    check("success", 105, 80, |ending| match ending {
        Ending::Holds => Some(true),
        Ending::Violated(_) => Some(false),
        Ending::Refused(_) | Ending::Undecided(_) => None,
    });
}

#[test]
fn models_that_can_be_falsified_are_never_proven() {
    check("falsifiable", 53, 44, |ending| match ending {
        Ending::Violated(_) => Some(true),
        Ending::Holds => Some(false),
        Ending::Refused(_) | Ending::Undecided(_) => None,
    });
}

#[test]
fn wrong_models_are_refused() {
    check("error", 0, 8, |ending| Some(matches!(ending, Ending::Refused(_))));
}
