//! Any bytes as a certificate: it is read, or the line that cannot be read is named.

#![no_main]

use libfuzzer_sys::fuzz_target;
use provoke_audit::certificate::parse;

fuzz_target!(|bytes: &[u8]| {
    let lines = bytes.split(|byte| *byte == b'\n').count();
    match parse(bytes) {
        Ok(certificate) => {
            for claim in &certificate.claims {
                assert!((1..=lines).contains(&claim.line));
                assert!(claim.uses.iter().all(|group| *group < certificate.groups.len()));
            }
        }
        Err(malformed) => {
            assert!((1..=lines + 1).contains(&malformed.line), "{malformed}");
            assert!(!malformed.message.is_empty());
        }
    }
});
