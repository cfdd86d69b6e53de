//! From the model to the board: code is generated, built, calibrated and tested, over a serial line
//! where there is one; a fault in the C code is found.

mod support;

use std::path::Path;
use std::process::Command;
use std::sync::Mutex;

use support::{json, provoke, scratch};

/// Boards are simulated in real time: one at a time.
static ONE: Mutex<()> = Mutex::new(());

/// A suite of at least 50 interactions.
fn suite(model: &str, folder: &Path) -> String {
    let out = folder.join("suite");
    let arguments = ["generate", model, "-c", "mcdc", "--method", "random", "--reduce", "none"];
    let made = provoke(&[&arguments[..], &["--effort", "1", "-o", out.to_str().unwrap()]].concat());
    assert!([0, 5].contains(&made.code), "{}", made.stderr);
    let path = out.join("suite.json");
    let mut suite: serde_json::Value =
        serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let tests = suite["tests"].as_array_mut().unwrap();
    let mut steps = 0;
    tests.retain(|test| {
        let wanted = steps < 50;
        steps += if wanted { test["steps"].as_array().unwrap().len() } else { 0 };
        wanted
    });
    assert!(steps >= 50, "{steps}");
    std::fs::write(&path, suite.to_string()).unwrap();
    path.display().to_string()
}

fn make(folder: &Path) {
    let made = Command::new("make").arg("-s").current_dir(folder).output().expect("make runs");
    let said = String::from_utf8_lossy(&made.stderr);
    assert!(made.status.success() && said.is_empty(), "{said}");
}

/// `output` is a Boolean one, which the fault turns around.
fn from_model_to_board(name: &str, output: &str, target: &str, step: &str) {
    let _alone = ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let folder = scratch(&format!("board-{target}"));
    let model = format!("models/{name}.lus");
    let suite = suite(&model, &folder);
    let board = folder.join("c");
    let out = board.display().to_string();
    let written = ["codegen", &model, "--target", target, "--step", step, "-o", &out];
    assert_eq!(json(&written, 0)["name"], name);
    make(&board);
    let on = board.join("target.toml").display().to_string();
    let measured = json(&["calibrate", "--on", &on, "--samples", "10", "--settle", "300ms"], 0);
    assert!(measured["signals"].as_array().unwrap().len() > 5, "{measured}");
    let ran = json(&["run", &suite, "--on", &on], 0);
    assert_eq!(ran["passed"], ran["interactions"], "{target}");
    seed_a_fault(&board.join(format!("{name}.c")), output);
    make(&board);
    let ran = provoke(&["run", &suite, "--on", &on]);
    assert_eq!(ran.code, 1, "{}", ran.stdout);
    for part in ["first failure: test", &format!("{output} = "), "<-- here"] {
        assert!(ran.stdout.contains(part), "{part}: {}", ran.stdout);
    }
}

fn seed_a_fault(source: &Path, output: &str) {
    let text = std::fs::read_to_string(source).unwrap();
    let right = format!("out->{output} = {output};");
    let faulty = text.replace(&right, &format!("out->{output} = !{output};"));
    assert_ne!(text, faulty);
    std::fs::write(source, faulty).unwrap();
}

/// Says what is missing, if something is; with `CI` set that is a failure.
fn installed(programs: &[&str], install: &str) -> bool {
    for program in programs {
        if Command::new(program).arg("--version").output().is_err() {
            provoke_testkit::skip(&format!("{program} is missing; install it with: {install}"));
            return false;
        }
    }
    true
}

#[test]
fn the_pump_runs_as_a_process() {
    from_model_to_board("ward_pump", "red", "linux", "100ms");
}

#[test]
#[ignore = "needs emulators; make test and make boards install them and run it"]
fn the_pump_runs_on_a_cortex_m3_in_qemu() {
    let install = "apt-get install qemu-system-arm gcc-arm-none-eabi";
    if installed(&["qemu-system-arm", "arm-none-eabi-gcc"], install) {
        from_model_to_board("ward_pump", "red", "arm-qemu", "150ms");
    }
}

#[test]
#[ignore = "needs emulators; make test and make boards install them and run it"]
fn the_pump_runs_on_an_atmega_in_simavr() {
    let install = "apt-get install gcc-avr avr-libc libsimavr-dev libelf-dev";
    if !Path::new("/usr/include/simavr/sim_avr.h").exists() {
        provoke_testkit::skip(&format!("simavr is missing; install it with: {install}"));
        return;
    }
    if installed(&["avr-gcc"], install) {
        // At 115,200 baud the reports of a step take up to 150 ms.
        from_model_to_board("ward_pump", "red", "avr", "400ms");
    }
}
