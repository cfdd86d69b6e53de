//! What is installed.

use provoke_base::table::aligned;
use provoke_results::Doctor;

/// Each tool with its version, or how to get it.
pub fn doctor(result: &Doctor) -> String {
    let mut rows = vec![["", "part", "found", "needed for"].map(String::from).to_vec()];
    for tool in &result.tools {
        let mark = if tool.found { "ok" } else { "--" };
        let what = tool.version.clone().unwrap_or_else(|| format!("missing: {}", tool.install));
        rows.push(vec![mark.into(), tool.name.clone(), what, tool.needed_for.clone()]);
    }
    format!("provoke {}\n{}", result.version, aligned(&rows))
}
