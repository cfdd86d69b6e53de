//! What was sent to a target and what came from it, from the table that `run -o` writes.

use std::path::Path;

use crate::files;
use crate::outcome::Failure;

/// The rows of the table without its heading; none if there is no table.
pub(crate) fn events(path: &Path) -> Result<Vec<Vec<String>>, Failure> {
    if !path.is_file() {
        return Ok(Vec::new());
    }
    let bytes = files::read(path, provoke_suite::MAX_BYTES)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().skip(1).map(cells).collect())
}

/// The cells of a line of CSV; what is quoted may hold commas.
pub(crate) fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut characters = line.trim_end_matches('\r').chars().peekable();
    while let Some(character) = characters.next() {
        let last = cells.last_mut().expect("there is one from the start");
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                last.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            other => last.push(other),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_hold_commas_and_quotes() {
        assert_eq!(cells(r#"t1,"a, ""b""",,3"#), ["t1", "a, \"b\"", "", "3"]);
    }
}
