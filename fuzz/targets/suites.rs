//! Any bytes as a suite, in every format that is read; what is read can be written.

#![no_main]

use libfuzzer_sys::fuzz_target;
use provoke_suite::{Format, Typing, read, write};

fuzz_target!(|bytes: &[u8]| {
    let Some((first, rest)) = bytes.split_first() else { return };
    let formats: Vec<Format> = Format::ALL.iter().copied().filter(|f| f.is_read()).collect();
    let format = formats[*first as usize % formats.len()];
    match read("fuzz", rest, Some(format), Typing::Infer) {
        Ok(read) => {
            let _ = write(&read.suite, Format::Json);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
