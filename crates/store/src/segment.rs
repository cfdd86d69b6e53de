//! Reading a segment: records where frames are intact, damage where they are not.

use std::io::{self, BufRead, ErrorKind};
use std::path::Path;

use crate::damage::{Damage, DamageKind};
use crate::frame::{self, END, MAX_FRAME_BYTES, START};
use crate::record::Record;

/// What a segment holds.
#[derive(Debug, Default)]
pub(crate) struct Segment {
    pub(crate) records: Vec<Record>,
    pub(crate) damage: Vec<Damage>,
    /// Where the last whole line ends: what is behind it may still be written.
    pub(crate) settled: u64,
}

/// Reads all of a segment; `path` is what damage is reported for.
pub(crate) fn read(mut reader: impl BufRead, path: &Path) -> io::Result<Segment> {
    let mut segment = Segment::default();
    let (mut chunk, mut offset) = (Vec::new(), 0);
    loop {
        let bytes = next_chunk(&mut reader, &mut chunk)?;
        if bytes == 0 {
            return Ok(segment);
        }
        match frame::decode(&chunk) {
            Some(record) => segment.records.push(record),
            None => {
                let last = chunk.last() != Some(&END) && at_end(&mut reader)?;
                let kind = if last { DamageKind::Truncated } else { DamageKind::Corrupted };
                segment.note(path, offset, bytes, kind, chunk.first() == Some(&START));
            }
        }
        offset += bytes;
        if chunk.last() == Some(&END) || !at_end(&mut reader)? {
            segment.settled = offset;
        }
    }
}

impl Segment {
    /// Adjacent damage is one: a line feed that appears inside a frame makes two bad chunks.
    fn note(&mut self, path: &Path, offset: u64, bytes: u64, kind: DamageKind, starts: bool) {
        if let Some(last) = self.damage.last_mut()
            && last.offset + last.bytes == offset
            && kind == DamageKind::Corrupted
        {
            last.bytes += bytes;
            last.records_lost += usize::from(starts);
            return;
        }
        self.damage.push(Damage { segment: path.into(), offset, bytes, records_lost: 1, kind });
    }
}

/// Reads up to and with the next END, or up to the next START: an intact frame is always
/// exactly one chunk, whatever surrounds it. Returns the chunk's length, 0 at the end. Of a
/// chunk longer than any frame only the beginning is kept.
fn next_chunk(reader: &mut impl BufRead, chunk: &mut Vec<u8>) -> io::Result<u64> {
    chunk.clear();
    let mut bytes = 0;
    loop {
        let buffer = match reader.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            buffer => buffer?,
        };
        let (length, ended) = chunk_part(buffer, bytes == 0);
        let room = (MAX_FRAME_BYTES + 1 - chunk.len()).min(length);
        chunk.extend_from_slice(&buffer[..room]);
        reader.consume(length);
        bytes += length as u64;
        if ended {
            return Ok(bytes);
        }
    }
}

fn at_end(reader: &mut impl BufRead) -> io::Result<bool> {
    loop {
        match reader.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            buffer => return Ok(buffer?.is_empty()),
        }
    }
}

/// How much of the buffer belongs to the chunk, and whether the chunk ends there.
fn chunk_part(buffer: &[u8], first: bool) -> (usize, bool) {
    let skip = usize::from(first && buffer.first() == Some(&START));
    let mark = buffer[skip..].iter().position(|&byte| byte == START || byte == END);
    match mark.map(|at| at + skip) {
        Some(at) => (at + usize::from(buffer[at] == END), true),
        None => (buffer.len(), buffer.is_empty()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::KeyBuilder;
    use serde_json::json;
    use std::io::{BufReader, Read};

    fn record(number: usize) -> Record {
        let key = KeyBuilder::new("s").part("number", number.to_string()).finish();
        Record::new(key, &json!({"number": number})).unwrap()
    }

    fn frame_of(record: &Record) -> Vec<u8> {
        frame::encode(&record.key, &record.payload)
    }

    fn frames(numbers: std::ops::Range<usize>) -> Vec<u8> {
        numbers.flat_map(|number| frame_of(&record(number))).collect()
    }

    fn read_bytes(bytes: &[u8]) -> Segment {
        // A tiny buffer makes every chunk span several reads.
        read(BufReader::with_capacity(7, bytes), Path::new("s.seg")).unwrap()
    }

    #[test]
    fn all_records_of_an_intact_segment_are_read_in_order() {
        let segment = read_bytes(&frames(0..5));
        assert_eq!(segment.records, (0..5).map(record).collect::<Vec<_>>());
        assert_eq!(segment.damage, []);
    }

    #[test]
    fn garbage_between_frames_is_one_damage_and_costs_no_record() {
        let garbage = b"\n\nfoo\x1e\x1e\nbar";
        let bytes = [&frames(0..2)[..], garbage, &frames(2..3)].concat();
        let segment = read_bytes(&bytes);
        assert_eq!(segment.records, (0..3).map(record).collect::<Vec<_>>());
        let [damage] = &segment.damage[..] else { panic!("{:?}", segment.damage) };
        assert_eq!(
            (damage.offset, damage.bytes),
            (frames(0..2).len() as u64, garbage.len() as u64)
        );
        assert_eq!(damage.kind, DamageKind::Corrupted);
    }

    #[test]
    fn the_number_of_lost_records_is_counted_by_their_beginnings() {
        let mut bytes = frames(0..4);
        let frame = frames(0..1).len();
        bytes[frame + 5] = b'x';
        bytes[2 * frame + 5] = b'x';
        let segment = read_bytes(&bytes);
        assert_eq!(segment.records, [record(0), record(3)]);
        assert_eq!(segment.damage[0].records_lost, 2);
        let expected =
            format!("s.seg is damaged at byte {frame} ({} bytes, 2 records lost)", 2 * frame);
        assert_eq!(segment.damage[0].to_string(), expected);
    }

    #[test]
    fn a_line_longer_than_any_frame_is_skipped_without_being_kept() {
        let long = io::repeat(b'x').take(MAX_FRAME_BYTES as u64 + 10);
        let bytes = frames(0..1);
        let segment = read(BufReader::new(long.chain(&bytes[..])), Path::new("s.seg")).unwrap();
        assert_eq!(segment.records, [record(0)]);
        assert_eq!(segment.damage[0].bytes, MAX_FRAME_BYTES as u64 + 10);
    }

    /// A payload may hold the text of a frame; RS and line feed are escaped there.
    #[test]
    fn a_frame_inside_a_payload_is_not_taken_for_one() {
        let inner = String::from_utf8(frames(1..2)).unwrap();
        let outer = Record::new(record(0).key, &json!({ "quoted": inner })).unwrap();
        let mut bytes = frame_of(&outer);
        assert_eq!(read_bytes(&bytes).records, [outer]);
        bytes[3] ^= 1;
        assert_eq!(read_bytes(&bytes).records, []);
    }
}
