//! How many resets and steps a second each way to run a program allows.

#![allow(unsafe_code, reason = "loading a library again and again")]

use provoke_model::Suite;

use crate::alphabet::Alphabet;
use crate::compile::{Build, MiningError, ProgramBuilder};
use crate::library::LoadedProgram;
use crate::run::Vector;
use crate::server::{Server, TestEnding};
use crate::target::Limits;

/// A way to run a program, and how often a second a reset and a step can be done with it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rate {
    /// The way.
    pub way: &'static str,
    /// Resets with a step.
    pub per_second: f64,
}

/// Measures all ways, each for about as long as `seconds`; `clock` tells seconds.
pub fn throughput(
    builder: &ProgramBuilder,
    suite: &Suite,
    alphabet: &Alphabet,
    limits: &Limits,
    seconds: f64,
    clock: &dyn Fn() -> f64,
) -> Result<Vec<Rate>, MiningError> {
    let (inputs, outputs) = (suite.inputs.len(), suite.outputs.len());
    let mut random = provoke_base::Random::new(0);
    let vector = alphabet.vector(&mut random);
    let test = [vector.clone()];
    let mut rates = Vec::new();
    let library = builder.build(Build::Plain)?;
    let mut program = LoadedProgram::load(&library, inputs, outputs, limits.step_ms)?;
    let (saved, mut out) = (program.save(), Vector::new());
    rates.push(rate("snapshot", 1000, seconds, clock, || {
        program.restore(&saved);
        program.step(&vector, &mut out);
        Ok(())
    })?);
    // A copy, because the one above stays loaded.
    let copy = library.with_extension("again.so");
    std::fs::copy(&library, &copy).map_err(|error| {
        MiningError::new(format!("cannot copy {}: {error}", library.display()), "check the folder")
    })?;
    rates.push(rate("dlopen", 10, seconds, clock, || load_and_step(&copy, &vector, outputs))?);
    let server = builder.build(Build::Server)?;
    let mut forking = Server::new(&server, outputs, limits, TestEnding::Quick);
    rates.push(rate("fork", 10, seconds, clock, || forking.run(&test).map(drop))?);
    rates.push(rate("spawn", 3, seconds, clock, || {
        Server::new(&server, outputs, limits, TestEnding::Quick).run(&test).map(drop)
    })?);
    Ok(rates)
}

fn rate(
    way: &'static str,
    at_once: u32,
    seconds: f64,
    clock: &dyn Fn() -> f64,
    mut once: impl FnMut() -> Result<(), MiningError>,
) -> Result<Rate, MiningError> {
    let start = clock();
    let mut count = 0u64;
    loop {
        for _ in 0..at_once {
            once()?;
        }
        count += u64::from(at_once);
        let passed = clock() - start;
        if passed >= seconds {
            return Ok(Rate { way, per_second: count as f64 / passed });
        }
    }
}

fn load_and_step(
    path: &std::path::Path,
    vector: &[i64],
    outputs: usize,
) -> Result<(), MiningError> {
    let failed = |error: libloading::Error| {
        MiningError::new(format!("cannot load {}: {error}", path.display()), "check the folder")
    };
    let mut out = vec![0i64; outputs.max(1)];
    // SAFETY: a library that was built from our driver; it is unloaded before anything else runs.
    unsafe {
        let library = provoke_exec::library::load(path).map_err(failed)?;
        let reset = library.get::<unsafe extern "C" fn()>(b"provoke_reset\0").map_err(failed)?;
        let step = library
            .get::<unsafe extern "C" fn(*const i64, *mut i64) -> i64>(b"provoke_guarded_step\0")
            .map_err(failed)?;
        reset();
        step(vector.as_ptr(), out.as_mut_ptr());
    }
    Ok(())
}
