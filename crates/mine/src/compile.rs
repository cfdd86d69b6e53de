//! The program and the driver, compiled for one purpose each.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use provoke_base::{Error, ErrorCode};
use provoke_model::Suite;

use crate::target::MineTargetFile;
use crate::wrapper::wrapper;

const DRIVER: &str = include_str!("driver.c");

/// What a build is for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Build {
    /// A library that is fast and tells nothing: what `provoke run` loads.
    Plain,
    /// A library that tells which edges were taken, with gcc.
    Edges,
    /// The same, and which vectors decisions had, with clang.
    Vectors,
    /// A server that gives each test a process.
    Server,
    /// The same with the address and undefined behaviour sanitizers.
    Sanitized,
    /// A server whose uninitialised memory is zero.
    Zeros,
    /// A server whose uninitialised memory is full of a pattern.
    Pattern,
    /// A server that measures MC/DC with clang.
    ClangCoverage,
    /// A server that measures branches with gcc.
    GccCoverage,
}

/// Why something could not be done, and what to do about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MiningError {
    /// What happened.
    pub reason: String,
    /// What to do.
    pub hint: String,
    /// Whether something is not installed.
    pub missing: bool,
}

impl MiningError {
    pub(crate) fn new(reason: impl Into<String>, hint: impl Into<String>) -> MiningError {
        MiningError { reason: reason.into(), hint: hint.into(), missing: false }
    }
}

impl fmt::Display for MiningError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl From<MiningError> for Error {
    fn from(trouble: MiningError) -> Error {
        match trouble.missing {
            true => Error::new(ErrorCode::ToolMissing, trouble.reason).hint(trouble.hint),
            false => Error::input(trouble.reason, trouble.hint),
        }
    }
}

/// The first line that a tool says about its version; nothing where it is not installed.
pub fn version_of(tool: &str) -> Option<String> {
    let said = Command::new(tool).arg("--version").output().ok()?;
    String::from_utf8_lossy(&said.stdout).lines().next().map(str::to_string)
}

/// Compiles C sources of a folder into a shared library beside them.
pub fn shared_library(folder: &Path, sources: &[&str], name: &str) -> Result<(), MiningError> {
    let mut gcc = Command::new(Build::Plain.compiler());
    gcc.current_dir(folder).args(["-std=c99", "-O1", "-ffp-contract=off", "-shared", "-fPIC"]);
    let missing = |why: String| MiningError {
        missing: true,
        ..MiningError::new(format!("the code cannot be compiled: {why}"), "apt-get install gcc")
    };
    let compiled = gcc.args(sources).arg("-o").arg(name).output();
    let compiled = compiled.map_err(|error| missing(error.to_string()))?;
    match compiled.status.success() {
        true => Ok(()),
        false => Err(missing(String::from_utf8_lossy(&compiled.stderr).into_owned())),
    }
}

/// The compiler with MC/DC.
pub const CLANG: &str = "clang-19";

/// How it is installed.
pub const INSTALL_CLANG: &str = "apt-get install clang-19 llvm-19 libclang-rt-19-dev";

/// Whether clang with MC/DC is installed, with its runtime and tools.
pub fn has_clang() -> bool {
    let runs =
        |tool: &str| Command::new(tool).arg("--version").output().is_ok_and(|o| o.status.success());
    let runtime = Command::new(CLANG).arg("-print-file-name=libclang_rt.profile.a").output();
    let other = Command::new(CLANG).arg("-print-resource-dir").output();
    let found = |out: std::io::Result<std::process::Output>| {
        out.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string()).unwrap_or_default()
    };
    let folder = PathBuf::from(found(other)).join("lib/linux/libclang_rt.profile-x86_64.a");
    runs(CLANG)
        && runs("llvm-profdata-19")
        && runs("llvm-cov-19")
        && (folder.exists() || Path::new(&found(runtime)).exists())
}

/// What the driver takes from the program, so that it cannot end or outgrow more than itself.
const WRAPPED: [&str; 14] = [
    "exit",
    "_exit",
    "fork",
    "pthread_create",
    "system",
    "malloc",
    "calloc",
    "realloc",
    "free",
    "scanf",
    "__isoc99_scanf",
    "printf",
    "puts",
    "putchar",
];

impl Build {
    fn stem(self) -> &'static str {
        match self {
            Build::Plain => "program",
            Build::Edges => "edges",
            Build::Vectors => "vectors",
            Build::Server => "server",
            Build::Sanitized => "sanitized",
            Build::Zeros => "zeros",
            Build::Pattern => "pattern",
            Build::ClangCoverage => "clang-coverage",
            Build::GccCoverage => "gcc-coverage",
        }
    }

    fn is_library(self) -> bool {
        matches!(self, Build::Plain | Build::Edges | Build::Vectors)
    }

    fn compiler(self) -> &'static str {
        match self {
            Build::Vectors | Build::ClangCoverage => CLANG,
            _ => "gcc",
        }
    }

    /// Options for the program's own sources.
    fn program_flags(self) -> &'static [&'static str] {
        match self {
            Build::Plain | Build::Server => &["-O2"],
            Build::Edges => &["-O0", "-fsanitize-coverage=trace-pc"],
            Build::Vectors => &[
                "-O0",
                "-fsanitize-coverage=edge,trace-pc-guard",
                "-fprofile-instr-generate",
                "-fcoverage-mapping",
                "-fcoverage-mcdc",
            ],
            Build::Sanitized => {
                &["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
            }
            Build::Zeros => &["-O0", "-ftrivial-auto-var-init=zero"],
            Build::Pattern => &["-O0", "-ftrivial-auto-var-init=pattern"],
            Build::ClangCoverage => {
                &["-O0", "-fprofile-instr-generate", "-fcoverage-mapping", "-fcoverage-mcdc"]
            }
            Build::GccCoverage => &["-O0", "--coverage"],
        }
    }

    fn driver_flags(self) -> &'static [&'static str] {
        match self {
            Build::Plain | Build::Edges => &[],
            Build::Vectors => &["-DPROVOKE_NO_PROFILE"],
            Build::Pattern => &["-DPROVOKE_MAIN", "-DPROVOKE_FILL=0xA5"],
            _ => &["-DPROVOKE_MAIN"],
        }
    }

    fn link_flags(self) -> &'static [&'static str] {
        match self {
            Build::ClangCoverage => &["-fprofile-instr-generate"],
            Build::Sanitized => &["-fsanitize=address,undefined"],
            Build::GccCoverage => &["--coverage"],
            _ => &[],
        }
    }
}

/// Where a program's builds are, and what they are made of.
#[derive(Clone, Debug)]
pub struct ProgramBuilder {
    /// Where builds are written.
    pub folder: PathBuf,
    /// What paths in the target are relative to.
    pub home: PathBuf,
    target: MineTargetFile,
}

impl ProgramBuilder {
    /// Writes the driver and the program's wrapper into a folder.
    pub fn new(
        target: &MineTargetFile,
        suite: &Suite,
        home: &Path,
        folder: &Path,
    ) -> Result<ProgramBuilder, MiningError> {
        let failed = |error: std::io::Error| {
            MiningError::new(
                format!("cannot write {}: {error}", folder.display()),
                "name a folder that may be written to",
            )
        };
        std::fs::create_dir_all(folder).map_err(failed)?;
        let absolute =
            |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
        let (folder, home) = (absolute(folder), absolute(home));
        std::fs::write(folder.join("driver.c"), DRIVER).map_err(failed)?;
        std::fs::write(folder.join("program.c"), wrapper(target, suite, &home)).map_err(failed)?;
        Ok(ProgramBuilder { folder, home, target: target.clone() })
    }

    /// The sources as they are on disk.
    pub fn sources(&self) -> Vec<PathBuf> {
        self.target.program.sources.iter().map(|source| self.home.join(source)).collect()
    }

    /// The program as the compiler sees it, with all that it includes, and a library as it is:
    /// what is equal in these behaves equally.
    pub fn content(&self) -> Result<Vec<Vec<u8>>, MiningError> {
        let mut content = Vec::new();
        let others = self.sources().into_iter().skip(1);
        for unit in std::iter::once(self.folder.join("program.c")).chain(others) {
            let mut command = Command::new(Build::Plain.compiler());
            command.args(["-E", "-P", "-w"]).arg(unit).arg("-I").arg(&self.home);
            command.args(&self.target.program.flags).current_dir(&self.folder);
            content.push(run(command, Build::Plain)?);
        }
        if let Some(library) = &self.target.program.library {
            let path = self.home.join(library);
            content.push(std::fs::read(&path).map_err(|error| {
                let reason = format!("cannot read {}: {error}", path.display());
                MiningError::new(reason, "check `library` in the file")
            })?);
        }
        Ok(content)
    }

    /// Compiles for a purpose; returns the library or program.
    pub fn build(&self, build: Build) -> Result<PathBuf, MiningError> {
        let stem = build.stem();
        let mut objects = Vec::new();
        let mut units =
            vec![(self.folder.join("program.c"), true), (self.folder.join("driver.c"), false)];
        units.extend(self.sources().into_iter().skip(1).map(|source| (source, true)));
        for (index, (source, of_program)) in units.iter().enumerate() {
            let object = self.folder.join(format!("{stem}-{index}.o"));
            let mut command = Command::new(build.compiler());
            command.arg("-c").arg("-fPIC").arg("-g").arg(source).arg("-o").arg(&object);
            command.current_dir(&self.folder);
            if *of_program {
                command.arg("-I").arg(&self.home).args(build.program_flags());
                command.args(&self.target.program.flags);
                // What a wrapper does is not the user's to be warned of.
                command.arg("-w");
            } else {
                command.arg("-O2").args(build.driver_flags());
            }
            run(command, build)?;
            objects.push(object);
        }
        let path = self.folder.join(if build.is_library() {
            format!("{stem}.so")
        } else {
            stem.to_string()
        });
        let mut command = Command::new(build.compiler());
        command.args(build.link_flags()).args(&objects).arg("-o").arg(&path);
        if build.is_library() {
            // A name of the program means its own, also where a library of the system has it too.
            command.args(["-shared", "-Wl,-Bsymbolic"]);
        }
        let wraps: Vec<String> = WRAPPED.iter().map(|name| format!("--wrap={name}")).collect();
        command.arg(format!("-Wl,-z,now,{}", wraps.join(",")));
        if let Some(library) = &self.target.program.library {
            let library = self.home.join(library);
            command.arg(&library);
            if let Some(parent) = library.parent() {
                command.arg(format!("-Wl,-rpath,{}", parent.display()));
            }
        }
        command.args(["-lm", "-lpthread"]);
        run(command, build)?;
        Ok(path)
    }

    /// The functions of others that the program itself calls, after a build.
    pub fn foreign_functions(&self, build: Build) -> Vec<String> {
        let objects = (0..=self.target.program.sources.len()).filter(|unit| *unit != 1);
        let objects: Vec<PathBuf> = objects
            .map(|unit| self.folder.join(format!("{}-{unit}.o", build.stem())))
            .filter(|object| object.exists())
            .collect();
        let listed = |defined: bool| -> Vec<String> {
            let option = if defined { "--defined-only" } else { "--undefined-only" };
            let output = Command::new("nm").args(["-P", option]).args(&objects).output();
            let text =
                output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
            text.lines()
                .filter_map(|line| line.split_whitespace().next())
                .map(str::to_string)
                .collect()
        };
        let own = listed(true);
        let mut names = listed(false);
        names.retain(|name| {
            !own.contains(name) && name != "_GLOBAL_OFFSET_TABLE_" && !name.ends_with(".o:")
        });
        names.sort();
        names.dedup();
        names
    }
}

/// What a compiler writes to its standard output.
fn run(mut command: Command, build: Build) -> Result<Vec<u8>, MiningError> {
    let compiler = build.compiler();
    let output = command.output().map_err(|error| {
        let hint = if compiler == CLANG { INSTALL_CLANG } else { "apt-get install gcc" };
        MiningError {
            reason: format!("cannot start {compiler}: {error}"),
            hint: hint.into(),
            missing: true,
        }
    })?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let errors: Vec<&str> =
        text.lines().filter(|line| line.contains("error") || line.contains("undefined")).collect();
    let shown = if errors.is_empty() { text.lines().take(12).collect() } else { errors };
    let more = shown.len().saturating_sub(12);
    let mut reason = format!(
        "{compiler} cannot build the program:\n  {}",
        shown[..shown.len().min(12)].join("\n  ")
    );
    if more > 0 {
        reason += &format!("\n  ... and {more} more lines");
    }
    Err(MiningError::new(
        reason,
        "check `sources`, `flags`, and the names of inputs and outputs in the file",
    ))
}
