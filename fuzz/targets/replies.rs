//! Any bytes as what a solver says: values of each sort, or nothing.

#![no_main]

use libfuzzer_sys::fuzz_target;
use provoke_solve::{Sort, smtlib};

fuzz_target!(|bytes: &[u8]| {
    for sort in [Sort::Bool, Sort::Int, Sort::Real] {
        for exact in [true, false] {
            if let Ok(values) = smtlib::values(bytes, sort, exact) {
                assert!(values.len() <= bytes.len());
            }
        }
    }
});
