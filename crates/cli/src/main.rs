//! The program `provoke`.

fn main() -> std::process::ExitCode {
    provoke_cli::run()
}
