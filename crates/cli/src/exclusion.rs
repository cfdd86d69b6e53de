//! Obligations that the user leaves out, each with a reason.

use provoke_base::diagnostic::did_you_mean;
use provoke_criteria::Obligation;

use crate::outcome::Failure;

/// The reason for each obligation that one of the patterns names; the first pattern counts.
pub(crate) fn reasons(
    obligations: &[Obligation],
    patterns: &[String],
    because: &[String],
) -> Result<Vec<Option<String>>, Failure> {
    require_pairs(patterns, because)?;
    let mut reasons: Vec<Option<String>> = vec![None; obligations.len()];
    for (pattern, reason) in patterns.iter().zip(because) {
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

fn require_pairs(patterns: &[String], because: &[String]) -> Result<(), Failure> {
    if let Some(pattern) = patterns.get(because.len()) {
        return Err(Failure::Usage {
            message: format!("`--exclude {pattern}` has no reason"),
            hint: format!("type --exclude '{pattern}' --because 'why no test is needed'"),
        });
    }
    if let Some(reason) = because.get(patterns.len()) {
        return Err(Failure::Usage {
            message: format!("`--because` belongs to an `--exclude` before it: {reason}"),
            hint: format!("type --exclude ID --because '{reason}'"),
        });
    }
    match because.iter().position(|reason| reason.trim().is_empty()) {
        None => Ok(()),
        Some(position) => Err(Failure::Usage {
            message: format!("the reason for `--exclude {}` is empty", patterns[position]),
            hint: "say why no test is needed: --because 'TEXT'".to_string(),
        }),
    }
}

pub(crate) fn names_nothing(pattern: &str, obligations: &[Obligation]) -> Failure {
    let known = obligations.iter().map(|obligation| obligation.id.as_str());
    let hint = did_you_mean(pattern, known).unwrap_or_else(|| {
        "`provoke obligations MODEL -c CRITERIA` lists the ids; * stands for any text".to_string()
    });
    Failure::input(format!("no obligation is called `{pattern}`"), hint)
}

/// Whether a text is what a pattern says, with `*` for any text.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
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
