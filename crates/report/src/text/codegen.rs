//! What a suite covers of generated C.

use std::path::Path;

use provoke_results::{CodeGap, CodeShare, Codegen, ReplayedCode};

/// More lines hide what matters.
const MAX_LISTED: usize = 20;

/// What generated code is there for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodePurpose {
    /// A program that replays a suite.
    Replay,
    /// A program that runs by itself, with a target file.
    Target,
    /// A shared library.
    Library,
    /// A part of something larger.
    Object,
}

/// The next thing to type once code is written.
pub fn how_to_build(folder: &Path, name: &str, purpose: CodePurpose) -> String {
    let folder = folder.display();
    let (gcc, code) = ("gcc -std=c99 -O2 -ffp-contract=off", format!("{folder}/{name}.c"));
    let command = match purpose {
        CodePurpose::Replay => {
            let test = format!("{folder}/{name}_test");
            format!("{gcc} {code} {test}.c -o {test} && {test}")
        }
        CodePurpose::Target => {
            format!("make -C {folder} && provoke calibrate --on {folder}/target.toml")
        }
        CodePurpose::Library => {
            format!("{gcc} -shared -fPIC {code} {folder}/{name}_library.c -o {folder}/{name}.so")
        }
        CodePurpose::Object => format!("{gcc} -c {code} -o {folder}/{name}.o"),
    };
    format!("try: {command}\n")
}

/// The coverage of the code for people; nothing if it was not measured.
pub fn code_coverage(result: &Codegen) -> String {
    let Some(coverage) = &result.coverage else { return String::new() };
    let ReplayedCode { tool, said, branches, mcdc, gaps, .. } = coverage;
    let (name, model) = (&result.name, result.model.rsplit('/').next().unwrap_or(&result.model));
    let mut text = format!("{said}\n");
    text += &format!("{name}.c, by {tool}: {} branches, MC/DC {}\n", share(branches), share(mcdc));
    let line = |gap: &CodeGap| {
        let place = gap.model_line.map_or(gap.function.clone(), |line| format!("{model}:{line}"));
        let reason = gap.reason.as_ref().map_or(String::new(), |why| format!("; it {why}"));
        format!("  {name}.c:{} ({place}): `{}` is {}{reason}\n", gap.line, gap.condition, gap.lack)
    };
    gaps.iter().take(MAX_LISTED).for_each(|gap| text += &line(gap));
    if gaps.len() > MAX_LISTED {
        text += &format!("  ... and {} more: --format json lists all\n", gaps.len() - MAX_LISTED);
    }
    let explained = gaps.iter().filter(|gap| gap.reason.is_some()).count();
    if explained > 0 {
        text += &format!(
            "{explained} of {} gaps are of conditions that only the code has\n",
            gaps.len()
        );
    }
    text
}

fn share(share: &CodeShare) -> String {
    format!("{} of {} ({:.1} %)", share.covered, share.total, share.percent)
}
