//! `provoke doctor`: what is installed, what is missing, how to get it.

use std::process::Command;

use serde::Serialize;

use crate::outcome::{Failure, Outcome};
use crate::output::Output;
use crate::table::aligned;

/// A program that some part of Provoke can use.
struct Tool {
    name: &'static str,
    command: &'static str,
    arguments: &'static [&'static str],
    needed_for: &'static str,
    install: &'static str,
    /// Without it a part of the answers is missing, no command.
    optional: bool,
}

const TOOLS: [Tool; 3] = [
    Tool {
        name: "gcc",
        command: "gcc",
        arguments: &["--version"],
        needed_for: "building Provoke, mine",
        install: "apt-get install gcc",
        optional: false,
    },
    Tool {
        name: "python3",
        command: "python3",
        arguments: &["--version"],
        needed_for: "setting up optional parts",
        install: "apt-get install python3 python3-pip",
        optional: false,
    },
    Tool {
        name: "clang-19",
        command: "clang-19",
        arguments: &["--version"],
        needed_for: "MC/DC of C in mine (optional)",
        install: provoke_mine::compile::INSTALL_CLANG,
        optional: true,
    },
];

#[derive(Serialize)]
struct Found {
    name: &'static str,
    found: bool,
    version: Option<String>,
    needed_for: &'static str,
    install: &'static str,
    optional: bool,
}

pub(crate) fn run(output: &Output) -> Result<Outcome, Failure> {
    let mut found = vec![solver(), checker()];
    found.extend(TOOLS.iter().map(look));
    if output.is_json() {
        let result = serde_json::json!({
            "schema": "provoke/doctor/1", "version": env!("CARGO_PKG_VERSION"), "tools": found,
        });
        output.result(&provoke_results::to_json(&result));
    } else {
        output.result(&describe(&found));
    }
    let complete = found.iter().all(|tool| tool.found || tool.optional);
    Ok(if complete { Outcome::Well } else { Outcome::Missing })
}

/// The solver is a library, found in the same order as when it is used.
fn solver() -> Found {
    let needed_for = "generate, prove";
    match provoke_solve::z3::find() {
        Ok(library) => {
            let version = Some(format!("{} ({})", library.version, library.path.display()));
            Found {
                name: "z3",
                found: true,
                version,
                needed_for,
                install: "make setup",
                optional: false,
            }
        }
        Err(missing) => {
            let install = missing.command;
            Found { name: "z3", found: false, version: None, needed_for, install, optional: false }
        }
    }
}

/// The solver of `audit`, found in the same order as when it is used.
fn checker() -> Found {
    let cvc5 = provoke_audit::solver::Cvc5::find();
    let version =
        cvc5.as_ref().ok().map(|cvc5| format!("{} ({})", cvc5.version, cvc5.path.display()));
    Found {
        name: "cvc5",
        found: version.is_some(),
        version,
        needed_for: "audit of proofs (optional)",
        install: cvc5.err().map_or("make setup", |missing| missing.command),
        optional: true,
    }
}

fn look(tool: &Tool) -> Found {
    let version = Command::new(tool.command).args(tool.arguments).output().ok().and_then(|out| {
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        text.lines().next().map(str::to_string)
    });
    let Tool { name, needed_for, install, optional, .. } = *tool;
    // The compiler alone is not enough: the runtime and its tools come in packages of their own.
    let complete = name != "clang-19" || provoke_mine::compile::has_clang();
    let version = version.filter(|_| complete);
    Found { name, found: version.is_some(), version, needed_for, install, optional }
}

fn describe(found: &[Found]) -> String {
    let mut rows = vec![["", "part", "found", "needed for"].map(String::from).to_vec()];
    for tool in found {
        let mark = if tool.found { "ok" } else { "--" };
        let what = tool.version.clone().unwrap_or_else(|| format!("missing: {}", tool.install));
        rows.push(vec![mark.into(), tool.name.into(), what, tool.needed_for.into()]);
    }
    format!("provoke {}\n{}", env!("CARGO_PKG_VERSION"), aligned(&rows))
}
