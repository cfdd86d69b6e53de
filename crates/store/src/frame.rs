//! The bytes of one record in a segment.

use sha2::{Digest, Sha256};

use crate::key::Key;
use crate::record::Record;

/// The largest frame that is written or read.
pub const MAX_FRAME_BYTES: usize = 64 << 20;

/// What a frame begins with: the record separator of RFC 7464.
pub(crate) const START: u8 = 0x1e;

/// What a frame ends with.
pub(crate) const END: u8 = b'\n';

/// `START key ␣ checksum ␣ length ␣`
const HEADER_BYTES: usize = 1 + Key::DIGITS + 1 + 16 + 1 + 8 + 1;

/// What a frame takes besides its payload.
pub(crate) const FRAME_OVERHEAD: usize = HEADER_BYTES + 1;

/// The frame of a record, given its key and its canonical payload.
pub(crate) fn encode(key: &Key, payload: &[u8]) -> Vec<u8> {
    let (sum, length) = (checksum(key, payload), payload.len());
    let mut bytes = Vec::with_capacity(length + FRAME_OVERHEAD);
    bytes.push(START);
    bytes.extend_from_slice(format!("{key} {sum:016x} {length:08x} ").as_bytes());
    bytes.extend_from_slice(payload);
    bytes.push(END);
    bytes
}

/// The record of a frame, or nothing if a single byte is not as it was written.
pub(crate) fn decode(bytes: &[u8]) -> Option<Record> {
    let end = bytes.len().checked_sub(1)?;
    let key = Key::from_hex(bytes.get(1..=Key::DIGITS)?)?;
    let payload = bytes.get(HEADER_BYTES..end)?;
    // Comparing whole frames leaves no second way to write a length or a checksum.
    let intact = bytes.len() <= MAX_FRAME_BYTES && encode(&key, payload) == bytes;
    if intact { Record::from_bytes(key, payload) } else { None }
}

/// Key and payload together: a payload must not be taken for the answer to another key.
fn checksum(key: &Key, payload: &[u8]) -> u64 {
    let hash = Sha256::new().chain_update(key.bytes()).chain_update(payload).finalize();
    let (first, _) = hash.split_first_chunk().expect("32 bytes hold 8");
    u64::from_be_bytes(*first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::KeyBuilder;
    use expect_test::expect;
    use serde_json::json;

    fn example() -> Record {
        let key = KeyBuilder::new("s").part("obligation", "x:1").finish();
        Record::new(key, &json!({"verdict": "covered", "text": "a\nb"})).unwrap()
    }

    fn example_frame() -> Vec<u8> {
        encode(&example().key, &example().payload)
    }

    /// Stores of older versions hold these.
    #[test]
    fn the_frame_of_a_record_never_changes() {
        let text = String::from_utf8(example_frame()).unwrap();
        expect![[r#"
            ^4d6cd000e8457988a966bdb2f49f7178bebf4962462fdb3416ecfa1e548e982b 1aa30996bfa9ba13 00000023 {"text":"a\nb","verdict":"covered"}
        "#]]
        .assert_eq(&text.replace('\u{1e}', "^"));
    }

    #[test]
    fn a_frame_is_read_back_and_no_changed_byte_is_overlooked() {
        let frame = example_frame();
        assert_eq!(decode(&frame), Some(example()));
        for at in 0..frame.len() {
            for flip in 1..=255 {
                let mut changed = frame.clone();
                changed[at] ^= flip;
                assert_eq!(decode(&changed), None, "byte {at} ^ {flip}");
            }
        }
    }

    #[test]
    fn a_part_of_a_frame_is_no_frame() {
        let frame = example_frame();
        for cut in 0..frame.len() {
            assert_eq!(decode(&frame[..cut]), None);
            assert_eq!(decode(&frame[cut + 1..]), None);
        }
    }

    #[test]
    fn a_correct_checksum_does_not_make_a_record_of_what_is_not_json() {
        assert_eq!(decode(&encode(&example().key, b"{oops")), None);
    }
}
