//! Whether bytes are JSON, without building a value of them.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};

/// Whether the bytes can be read as a `serde_json::Value`. A store is read far more often
/// than most of its payloads, and this takes no memory.
pub(crate) fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Seen>(bytes).is_ok()
}

/// A value that was read and forgotten. `serde::de::IgnoredAny` will not do: what it skips
/// may be nested too deeply, too large a number or half a surrogate pair.
struct Seen;

impl<'de> Deserialize<'de> for Seen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seen, D::Error> {
        deserializer.deserialize_any(SeenVisitor)
    }
}

struct SeenVisitor;

impl<'de> Visitor<'de> for SeenVisitor {
    type Value = Seen;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E: Error>(self) -> Result<Seen, E> {
        Ok(Seen)
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<Seen, E> {
        Ok(Seen)
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<Seen, E> {
        Ok(Seen)
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<Seen, E> {
        Ok(Seen)
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<Seen, E> {
        Ok(Seen)
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<Seen, E> {
        Ok(Seen)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Seen, A::Error> {
        while items.next_element::<Seen>()?.is_some() {}
        Ok(Seen)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Seen, A::Error> {
        while members.next_entry::<Seen, Seen>()?.is_some() {}
        Ok(Seen)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::Value;

    #[track_caller]
    fn check(bytes: &[u8]) {
        let expected = serde_json::from_slice::<Value>(bytes).is_ok();
        assert_eq!(is_json(bytes), expected, "{}", String::from_utf8_lossy(bytes));
    }

    #[test]
    fn what_is_accepted_is_what_can_be_read_as_a_value() {
        let texts = [
            "",
            " ",
            "null",
            "nul",
            "1",
            "01",
            "-",
            "1e999",
            "-0.0",
            "1.5e-400",
            "[",
            "[1,]",
            "[1,2]",
            "{}",
            "{1:2}",
            "{\"a\":1}",
            "{\"a\":1,\"a\":2}",
            "{\"a\":1,}",
            "1 2",
            "\"a",
            "\"\\ud800\"",
            "\"\\ud83d\\ude00\"",
            "\"\\x\"",
            "\"\n\"",
            "99999999999999999999999",
        ];
        texts.iter().for_each(|text| check(text.as_bytes()));
        check(b"\"\xff\"");
        check(b"{\"\xff\":1}");
        for depth in [100, 126, 127, 128, 129, 100_000] {
            check(&[vec![b'['; depth], vec![b']'; depth]].concat());
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

        #[test]
        fn random_texts_are_judged_as_the_reader_of_values_judges_them(
            text in r#"[\[\]{}",:0-9eE.\\u-]{0,12}"#
        ) {
            check(text.as_bytes());
        }
    }
}
