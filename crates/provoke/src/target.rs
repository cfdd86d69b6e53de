//! A target file, the model it names, and the way to the target.

use std::path::{Path, PathBuf};

use provoke_base::{Error, SourceFile};
use provoke_exec::target::{Link, Simulation, TargetNumbers};
use provoke_exec::{
    Adapter, Board, Connection, LibraryController, LineTarget, ModelController, Platform, Stream,
    TargetFile,
};
use provoke_model::{Arithmetic, Suite, System, Value};

use crate::files;

/// Target files are small.
const MAX_BYTES: usize = 16 << 20;

/// A system under test: what its file says, and what that stands on.
pub struct TestTarget {
    /// The file.
    pub file: SourceFile,
    /// What it says.
    pub target: TargetFile,
    /// What paths in the file are relative to.
    pub folder: PathBuf,
    /// The model that it names.
    pub system: Option<System>,
}

impl TestTarget {
    /// Reads a target file, and the model that it names.
    pub fn open(path: &Path) -> Result<TestTarget, Error> {
        let file = files::source(path, MAX_BYTES)?;
        let target = TargetFile::parse(&file).map_err(|found| Error::in_text(&file, found))?;
        let folder = path.parent().map(Path::to_path_buf).unwrap_or_default();
        let model = target
            .model
            .as_ref()
            .map(|model| files::model(&folder.join(model), target.main.as_deref(), &[]));
        let system = model.transpose()?.map(|model| model.system);
        Ok(TestTarget { file, target, folder, system })
    }

    /// The signals for a suite.
    pub fn board(&self, suite: &Suite) -> Result<Board, Error> {
        Board::new(&self.target, suite, &self.file)
            .map_err(|found| Error::in_text(&self.file, found))
    }

    /// The model, or what to do without one.
    pub fn need_model(&self, what: &str) -> Result<&System, Error> {
        self.system.as_ref().ok_or_else(|| {
            let message = format!("{what} needs the model");
            Error::input(message, format!("add `model = \"FILE.lus\"` to {}", self.file.name))
        })
    }

    /// The numbers that the target computes with, where that is known: a model computes with exact ones.
    pub fn numbers(&self) -> Option<Option<Arithmetic>> {
        let told = self.target.numbers.map(|TargetNumbers { int, real }| Arithmetic { int, real });
        match self.target.connection {
            Connection::Simulated(_) => Some(None),
            _ => told.map(Some),
        }
    }

    /// How the line to the target behaves, if there is one.
    pub fn link(&self) -> Link {
        match &self.target.connection {
            Connection::Simulated(_) | Connection::Library { .. } => Link::default(),
            Connection::Process { link, .. }
            | Connection::Pty { link, .. }
            | Connection::Tcp { link, .. }
            | Connection::Serial { link, .. } => *link,
        }
    }

    /// Goes to the target. With `trace`, a simulated one tells what it reads.
    pub fn connect(
        &self,
        board: &Board,
        suite: &Suite,
        seed: u64,
        trace: bool,
    ) -> Result<Box<dyn Adapter>, Error> {
        let lines = |lines: &Simulation| {
            let trace = lines.trace || trace;
            // The lines stay what they are; only what happens on them depends on the run.
            (Simulation { trace, ..lines.clone() }, lines.seed ^ seed)
        };
        let stream = match &self.target.connection {
            Connection::Simulated(simulation) => {
                let (simulation, seed) = lines(simulation);
                let controller = ModelController::new(self.need_model("a simulated target")?);
                let mut platform = Platform::new(controller, board, &simulation);
                platform.reseed(seed);
                return Ok(Box::new(platform));
            }
            Connection::Library { path, lines: simulation } => {
                let (simulation, seed) = lines(simulation);
                let path =
                    std::path::absolute(self.folder.join(path)).unwrap_or_else(|_| path.into());
                let controller = LibraryController::load(&path, suite)?;
                let mut platform = Platform::new(controller, board, &simulation);
                platform.reseed(seed);
                return Ok(Box::new(platform));
            }
            Connection::Process { command, .. } => Stream::process(command, &self.folder),
            Connection::Pty { command, .. } => Stream::pty(command, &self.folder),
            Connection::Tcp { address, command, .. } => Stream::tcp(address, command, &self.folder),
            Connection::Serial { port, baud, command, .. } => {
                Stream::serial(port, *baud, command, &self.folder)
            }
        };
        let stream = stream?;
        Ok(Box::new(LineTarget::new(stream, self.link(), suite.enums.clone())))
    }
}

/// The suite over all outputs of the model, in its order; what it does not expect is open.
pub fn arrange_outputs(suite: &Suite, system: &System) -> Suite {
    let mut arranged = Suite::for_system(system, &system.outputs);
    arranged.numbers = suite.numbers;
    let place = |name: &str| suite.outputs.iter().position(|output| output.name == name);
    let places: Vec<Option<usize>> =
        arranged.outputs.iter().map(|output| place(&output.name)).collect();
    arranged.tests.clone_from(&suite.tests);
    for step in arranged.tests.iter_mut().flat_map(|test| &mut test.steps) {
        let value =
            |place: &Option<usize>| place.map_or(Value::Unknown, |p| step.outputs[p].clone());
        step.outputs = places.iter().map(value).collect();
    }
    arranged
}
