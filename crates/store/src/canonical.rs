//! One text for one JSON value.

use serde_json::Value;

/// The bytes of a value with sorted keys and no blanks: equal values have equal bytes, which
/// can be hashed and compared.
///
/// Keys are sorted by their UTF-8 bytes. Control characters are escaped, so the bytes hold
/// none; the frames of a segment rely on that.
pub fn canonical_json(value: &Value) -> Vec<u8> {
    let mut sorted = value.clone();
    sorted.sort_all_objects();
    serde_json::to_vec(&sorted).expect("a JSON value has a JSON text")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(value: Value, expected: &str) {
        assert_eq!(String::from_utf8(canonical_json(&value)).unwrap(), expected);
    }

    #[test]
    fn keys_are_sorted_at_every_depth_and_blanks_left_out() {
        check(
            json!({"b": [{"d": 1, "c": null}], "a": true}),
            r#"{"a":true,"b":[{"c":null,"d":1}]}"#,
        );
        check(json!({"é": 1, "z": 2, "Z": 3}), r#"{"Z":3,"z":2,"é":1}"#);
    }

    #[test]
    fn numbers_keep_their_kind_and_every_digit() {
        check(
            json!([1, 1.0, -0.0, u64::MAX, 0.1, 1e300]),
            "[1,1.0,-0.0,18446744073709551615,0.1,1e+300]",
        );
    }

    #[test]
    fn control_characters_are_escaped() {
        check(json!("a\n\u{1e}\u{0}b"), r#""a\n\u001e\u0000b""#);
    }
}
