//! The debug information of an object, as `objdump` shows it: entries with a tag and attributes.

use std::collections::BTreeMap;

/// An entry of the debug information.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Entry {
    /// How deep it lies.
    pub(crate) depth: usize,
    /// Its kind, such as `variable`.
    pub(crate) tag: String,
    /// Its attributes, such as `name`.
    pub(crate) attributes: BTreeMap<String, String>,
}

impl Entry {
    pub(crate) fn name(&self) -> Option<&str> {
        self.attributes.get("name").map(String::as_str)
    }

    pub(crate) fn has(&self, attribute: &str) -> bool {
        self.attributes.contains_key(attribute)
    }

    pub(crate) fn number(&self, attribute: &str) -> Option<i64> {
        let text = self.attributes.get(attribute)?.split_whitespace().next()?;
        match text.strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16).ok(),
            None => text.parse().ok(),
        }
    }
}

/// All entries by their offset, which is how they name each other.
pub(crate) fn entries(text: &str) -> BTreeMap<u64, Entry> {
    let mut entries: BTreeMap<u64, Entry> = BTreeMap::new();
    let mut current = None;
    for line in text.lines() {
        let line = line.trim_start();
        let Some(rest) = line.strip_prefix('<') else { continue };
        if let Some((depth, rest)) = rest.split_once("><")
            && let Some((offset, rest)) = rest.split_once(">: Abbrev Number: ")
        {
            let tag = rest.split_once("(DW_TAG_").and_then(|(_, tag)| tag.strip_suffix(')'));
            let (Ok(depth), Ok(offset), Some(tag)) =
                (depth.parse(), u64::from_str_radix(offset, 16), tag)
            else {
                current = None;
                continue;
            };
            entries.insert(offset, Entry { depth, tag: tag.to_string(), ..Entry::default() });
            current = Some(offset);
        } else if let Some((_, attribute)) = rest.split_once("DW_AT_")
            && let Some((name, value)) = attribute.split_once(':')
            && let Some(entry) = current.and_then(|offset| entries.get_mut(&offset))
        {
            // Strings that lie elsewhere come with the place they lie at.
            let value = value.trim();
            let value = match value.strip_prefix("(indirect") {
                Some(elsewhere) => elsewhere.split_once("): ").map_or("", |(_, value)| value),
                None => value,
            };
            entry.attributes.insert(name.trim().to_string(), value.trim().to_string());
        }
    }
    entries
}

/// The entry that a type refers to.
pub(crate) fn type_of<'a>(
    entries: &'a BTreeMap<u64, Entry>,
    entry: &Entry,
) -> Option<(u64, &'a Entry)> {
    let text = entry.attributes.get("type")?;
    let offset = u64::from_str_radix(text.strip_prefix("<0x")?.strip_suffix('>')?, 16).ok()?;
    Some((offset, entries.get(&offset)?))
}

/// The type without its names and qualifiers.
pub(crate) fn resolved<'a>(
    entries: &'a BTreeMap<u64, Entry>,
    entry: &Entry,
) -> Option<(u64, &'a Entry)> {
    let mut found = type_of(entries, entry)?;
    // A chain of names has an end, unless somebody wrote the object by hand.
    for _ in 0..64 {
        match found.1.tag.as_str() {
            "typedef" | "const_type" | "volatile_type" => found = type_of(entries, found.1)?,
            _ => return Some(found),
        }
    }
    None
}

/// What lies directly inside an entry.
pub(crate) fn inside(entries: &BTreeMap<u64, Entry>, offset: u64) -> Vec<&Entry> {
    let Some(outer) = entries.get(&offset) else { return Vec::new() };
    entries
        .range(offset + 1..)
        .map(|(_, entry)| entry)
        .take_while(|entry| entry.depth > outer.depth)
        .filter(|entry| entry.depth == outer.depth + 1)
        .collect()
}
