//! Any bytes at all as an UPPAAL file: XML, labels, structure.

#![no_main]

use libfuzzer_sys::fuzz_target;
use provoke_base::SourceFile;

fuzz_target!(|bytes: &[u8]| {
    provoke_fuzz::exercise_timed(&SourceFile::from_bytes("fuzz.xml", bytes.to_vec()));
});
