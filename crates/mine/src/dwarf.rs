//! The debug information of a compiled program: entries with a tag and a few attributes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use gimli::{AttributeValue, DebuggingInformationEntry, Dwarf, EndianSlice, RunTimeEndian, Unit};
use object::{Object, ObjectSection};

type Reader<'d> = EndianSlice<'d, RunTimeEndian>;

/// An entry of the debug information.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct DebugEntry {
    /// How deep it lies.
    pub(crate) depth: usize,
    /// Its kind, such as `variable`.
    pub(crate) tag: &'static str,
    /// Its name in the source.
    name: Option<String>,
    /// Whether other files can see it.
    pub(crate) is_external: bool,
    /// Whether it is declared here, and defined elsewhere.
    pub(crate) is_declaration: bool,
    /// Whether it has code of its own.
    pub(crate) has_code: bool,
    /// The line of its declaration.
    pub(crate) line: Option<u64>,
    /// How many bytes its values take.
    pub(crate) bytes: Option<u64>,
    /// How its values are encoded: `DW_ATE_...`.
    pub(crate) encoding: Option<gimli::DwAte>,
    /// Where its type is described.
    ty: Option<u64>,
}

impl DebugEntry {
    pub(crate) fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Whether it has a type; functions without one return nothing.
    pub(crate) fn has_type(&self) -> bool {
        self.ty.is_some()
    }
}

/// All entries of a program by their offset, which is how they name each other; why not, if it cannot
/// be read.
pub(crate) fn entries(program: &[u8]) -> Result<BTreeMap<u64, DebugEntry>, String> {
    let file = object::File::parse(program).map_err(|error| error.to_string())?;
    let endian = if file.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let data = |id: gimli::SectionId| {
        let section = file.section_by_name(id.name());
        let bytes = section.and_then(|section| section.uncompressed_data().ok());
        Ok::<_, gimli::Error>(bytes.unwrap_or(Cow::Borrowed(&[])))
    };
    let sections = gimli::DwarfSections::load(data).map_err(|error| error.to_string())?;
    let dwarf = sections.borrow(|section| EndianSlice::new(section, endian));
    all(&dwarf).map_err(|error| error.to_string())
}

fn all(dwarf: &Dwarf<Reader<'_>>) -> Result<BTreeMap<u64, DebugEntry>, gimli::Error> {
    let mut entries = BTreeMap::new();
    let mut units = dwarf.units();
    while let Some(header) = units.next()? {
        let unit = dwarf.unit(header)?;
        let mut cursor = unit.entries();
        while let Some(found) = cursor.next_dfs()? {
            if let Some(offset) = found.offset().to_debug_info_offset(&unit.header) {
                entries.insert(offset.0 as u64, entry(dwarf, &unit, found)?);
            }
        }
    }
    Ok(entries)
}

fn entry<'d>(
    dwarf: &Dwarf<Reader<'d>>,
    unit: &Unit<Reader<'d>>,
    found: &DebuggingInformationEntry<Reader<'d>>,
) -> Result<DebugEntry, gimli::Error> {
    let tag = found.tag().static_string().unwrap_or_default();
    let number = |name| found.attr_value(name).and_then(|value| value.udata_value());
    let is_set = |name| matches!(found.attr_value(name), Some(AttributeValue::Flag(true)));
    let name = match found.attr_value(gimli::DW_AT_name) {
        Some(value) => Some(dwarf.attr_string(unit, value)?.to_string_lossy().into_owned()),
        None => None,
    };
    let ty = match found.attr_value(gimli::DW_AT_type) {
        Some(AttributeValue::UnitRef(offset)) => offset.to_debug_info_offset(&unit.header),
        Some(AttributeValue::DebugInfoRef(offset)) => Some(offset),
        _ => None,
    };
    let encoding = match found.attr_value(gimli::DW_AT_encoding) {
        Some(AttributeValue::Encoding(encoding)) => Some(encoding),
        _ => None,
    };
    Ok(DebugEntry {
        depth: found.depth() as usize,
        tag: tag.strip_prefix("DW_TAG_").unwrap_or(tag),
        name,
        is_external: is_set(gimli::DW_AT_external),
        is_declaration: is_set(gimli::DW_AT_declaration),
        has_code: found.attr_value(gimli::DW_AT_low_pc).is_some(),
        line: number(gimli::DW_AT_decl_line),
        bytes: number(gimli::DW_AT_byte_size),
        encoding,
        ty: ty.map(|offset| offset.0 as u64),
    })
}

/// The entry that a type refers to.
pub(crate) fn type_of<'a>(
    entries: &'a BTreeMap<u64, DebugEntry>,
    entry: &DebugEntry,
) -> Option<(u64, &'a DebugEntry)> {
    let offset = entry.ty?;
    Some((offset, entries.get(&offset)?))
}

/// The type without its names and qualifiers.
pub(crate) fn resolved<'a>(
    entries: &'a BTreeMap<u64, DebugEntry>,
    entry: &DebugEntry,
) -> Option<(u64, &'a DebugEntry)> {
    let mut found = type_of(entries, entry)?;
    // A chain of names has an end, unless somebody wrote the program by hand.
    for _ in 0..64 {
        match found.1.tag {
            "typedef" | "const_type" | "volatile_type" => found = type_of(entries, found.1)?,
            _ => return Some(found),
        }
    }
    None
}

/// What lies directly inside an entry.
pub(crate) fn inside(entries: &BTreeMap<u64, DebugEntry>, offset: u64) -> Vec<&DebugEntry> {
    let Some(outer) = entries.get(&offset) else { return Vec::new() };
    entries
        .range(offset + 1..)
        .map(|(_, entry)| entry)
        .take_while(|entry| entry.depth > outer.depth)
        .filter(|entry| entry.depth == outer.depth + 1)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_program_is_refused() {
        assert!(entries(b"not a program").is_err());
        assert!(entries(&[]).is_err());
    }
}
