//! Any bytes as lines of a target: they mean something or are refused, and no checksum passes that was
//! not written.

#![no_main]

use libfuzzer_sys::fuzz_target;
use provoke_exec::protocol::{Message, parse, parse_value, seal, shown, unseal, write_value};
use provoke_model::Type;

fn values(text: &str) {
    for ty in [Type::Bool, Type::Int, Type::Real] {
        if let Some(value) = parse_value(text, ty, 3) {
            assert!(value.fits(ty), "{text}");
            // A real is sent as a double, which may be a neighbour.
            let again = parse_value(&write_value(&value), ty, 3);
            assert!(ty == Type::Real || again == Some(value), "{text}");
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    for line in String::from_utf8_lossy(bytes).lines() {
        assert!(!shown(line).contains('\u{1b}'));
        let sealed = unseal(line, true);
        if let Ok(text) = sealed {
            assert!(seal(text).eq_ignore_ascii_case(line.trim_end()), "{line}");
        }
        let Ok(text) = unseal(line, false) else { continue };
        match parse(text) {
            Ok(Message::Out(name, value) | Message::In(name, value)) => {
                assert!(!name.is_empty());
                values(value);
            }
            Ok(Message::Step(_, pairs) | Message::Read(pairs)) => {
                pairs.iter().for_each(|(_, value)| values(value));
            }
            Ok(_) => {}
            Err(why) => assert!(!why.is_empty()),
        }
    }
});
