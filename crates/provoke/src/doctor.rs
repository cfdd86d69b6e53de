//! What is installed, what is missing, how to get it.

use provoke_mine::compile::{INSTALL_CLANG, has_clang, version_of};
use provoke_results::{Doctor, Schema, ToolResult};

/// A program that some part of Provoke can use.
struct Tool {
    name: &'static str,
    command: &'static str,
    needed_for: &'static str,
    install: &'static str,
    /// Without it a part of the answers is missing, no command.
    optional: bool,
}

const TOOLS: [Tool; 3] = [
    Tool {
        name: "gcc",
        command: "gcc",
        needed_for: "building Provoke, mine",
        install: "apt-get install gcc",
        optional: false,
    },
    Tool {
        name: "python3",
        command: "python3",
        needed_for: "setting up optional parts",
        install: "apt-get install python3 python3-pip",
        optional: false,
    },
    Tool {
        name: "clang-19",
        command: "clang-19",
        needed_for: "MC/DC of C in mine and codegen (optional)",
        install: INSTALL_CLANG,
        optional: true,
    },
];

/// Looks for everything that some part of Provoke can use.
pub fn doctor() -> Doctor {
    let mut tools = vec![solver(), checker()];
    tools.extend(TOOLS.iter().map(look));
    Doctor { schema: Schema::default(), version: env!("CARGO_PKG_VERSION").to_string(), tools }
}

/// The solver is a library, found in the same order as when it is used.
fn solver() -> ToolResult {
    let z3 = provoke_solve::z3::find();
    let version = z3.as_ref().ok().map(|z3| format!("{} ({})", z3.version, z3.path.display()));
    ToolResult {
        name: "z3".to_string(),
        found: version.is_some(),
        version,
        needed_for: "generate, prove".to_string(),
        install: z3.err().map_or("make setup", |missing| missing.command).to_string(),
        optional: false,
    }
}

/// The solver of `audit`, found in the same order as when it is used.
fn checker() -> ToolResult {
    let cvc5 = provoke_audit::solver::Cvc5::find();
    let version =
        cvc5.as_ref().ok().map(|cvc5| format!("{} ({})", cvc5.version, cvc5.path.display()));
    ToolResult {
        name: "cvc5".to_string(),
        found: version.is_some(),
        version,
        needed_for: "audit of proofs (optional)".to_string(),
        install: cvc5.err().map_or("make setup", |missing| missing.command).to_string(),
        optional: true,
    }
}

fn look(tool: &Tool) -> ToolResult {
    let version = version_of(tool.command);
    // The compiler alone is not enough: the runtime and its tools come in packages of their own.
    let complete = tool.name != "clang-19" || has_clang();
    let version = version.filter(|_| complete);
    ToolResult {
        name: tool.name.to_string(),
        found: version.is_some(),
        version,
        needed_for: tool.needed_for.to_string(),
        install: tool.install.to_string(),
        optional: tool.optional,
    }
}
