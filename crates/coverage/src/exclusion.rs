//! Obligations that the user leaves out, each with a reason.

use provoke_base::diagnostic::did_you_mean;
use provoke_base::{Error, ErrorCode};
use provoke_criteria::Obligation;

/// The reason for each obligation that one of the patterns names; the first pattern counts.
pub fn reasons(
    obligations: &[Obligation],
    excluded: &[(String, String)],
) -> Result<Vec<Option<String>>, Error> {
    let mut reasons: Vec<Option<String>> = vec![None; obligations.len()];
    for (pattern, reason) in excluded {
        let mut named = false;
        for (obligation, found) in obligations.iter().zip(&mut reasons) {
            if matches(pattern, &obligation.id) {
                named = true;
                found.get_or_insert_with(|| reason.clone());
            }
        }
        if !named {
            return Err(names_nothing(pattern, obligations));
        }
    }
    Ok(reasons)
}

/// The error about a pattern that names no obligation.
pub fn names_nothing(pattern: &str, obligations: &[Obligation]) -> Error {
    let known = obligations.iter().map(|obligation| obligation.id.as_str());
    let message = format!("no obligation is called `{pattern}`");
    let error = Error::new(ErrorCode::UnknownObligation, message);
    match did_you_mean(pattern, known) {
        Some(hint) => error.hint(hint),
        None => error,
    }
}

/// Whether a text is what a pattern says, with `*` for any text.
pub fn matches(pattern: &str, text: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut rest) = text.strip_prefix(before) else { return false };
    let mut parts: Vec<&str> = after.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn a_star_stands_for_any_text() {
        let id = "pump.level:omcdc:3T";
        for pattern in ["pump.level:omcdc:3T", "*", "pump.*", "*:3T", "p*:*T", "*level*3*", "**"] {
            assert!(matches(pattern, id), "{pattern}");
        }
        for pattern in ["pump", "*:3", "level*", "pump.level:omcdc:3T*T", "*x*", ""] {
            assert!(!matches(pattern, id), "{pattern}");
        }
    }
}
