//! Any bytes at all: the lexer and its recovery.

#![no_main]

use libfuzzer_sys::fuzz_target;
use provoke_base::SourceFile;

fuzz_target!(|bytes: &[u8]| {
    provoke_fuzz::exercise(&SourceFile::from_bytes("fuzz.lus", bytes.to_vec()));
});
