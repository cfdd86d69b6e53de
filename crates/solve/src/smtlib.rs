//! Any solver that is a process and speaks SMT-LIB 2; Yices unless told otherwise.

mod print;
mod process;
mod reply;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use provoke_base::index::Id;
use provoke_model::Value;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::interrupter::Interrupter;
use crate::missing::{AvailableSolver, MissingSolver, data_folder};
use crate::solver::{Limit, Solver, SolverAnswer, UnknownReason};
use crate::term::{Sort, SymbolId, TermId, Terms};
use crate::watchdog::Watch;
use print::{Printer, is_nonlinear};
use process::{Died, Process};
use reply::Reply;

/// The version that scripts/install-yices.sh installs (requirements-yices.txt).
const PINNED_YICES: &str = "2.6.5.post24";

/// Which Yices is used, or where it was looked for: the program that `PROVOKE_YICES` names, else the one
/// that scripts/install-yices.sh installed, else `yices-smt2`.
pub fn find_yices() -> Result<AvailableSolver, MissingSolver> {
    let mut tried = Vec::new();
    for path in places(|name| std::env::var_os(name)) {
        match version_of(&path) {
            Ok(version) => return Ok(AvailableSolver { path, version }),
            Err(why) => tried.push((path, why)),
        }
    }
    Err(MissingSolver { solver: "Yices", tried, command: "scripts/install-yices.sh" })
}

/// Where Yices may be, best first. A path that the user gives is the only one.
fn places(variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    if let Some(path) = variable("PROVOKE_YICES").filter(|path| !path.is_empty()) {
        return vec![PathBuf::from(path)];
    }
    let pinned = data_folder(variable).map(|data| data.join("yices").join(PINNED_YICES));
    let pinned = pinned.map(|folder| folder.join("yices-smt2"));
    pinned.into_iter().chain([PathBuf::from("yices-smt2")]).collect()
}

/// How long a program may think about its version.
const PATIENCE: Duration = Duration::from_secs(5);

/// The first line of `path --version`, without the name.
fn version_of(path: &Path) -> Result<String, String> {
    let mut command = Command::new(path);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let start = Instant::now();
    while let Ok(None) = child.try_wait() {
        if start.elapsed() > PATIENCE {
            // It may have ended just now, which is as good.
            let _ = child.kill();
            let _ = child.wait();
            return Err(format!("does not tell its version within {} s", PATIENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.lines().next() {
        Some(line) if output.status.success() => {
            Ok(line.trim_start_matches("Yices").trim().to_owned())
        }
        _ => Err("does not tell its version".to_owned()),
    }
}

/// The values of a sort that the replies of a solver stand for, none where one stands for no value.
pub fn values(
    mut replies: &[u8],
    sort: Sort,
    decimals_are_exact: bool,
) -> std::io::Result<Vec<Option<Value>>> {
    let mut values = Vec::new();
    while let Some(reply) = Reply::read(&mut replies)? {
        values.push(reply.value(sort, decimals_are_exact));
    }
    Ok(values)
}

/// A solver in another process. It counts no work: give it time limits.
///
/// A problem with products of unknowns is put to it in a logic in which Yices names no
/// contradicting assumptions, so that [`Solver::core`] returns all of them.
pub struct SmtLib {
    program: PathBuf,
    arguments: Vec<OsString>,
    interrupter: Interrupter,
    asserted: Vec<TermId>,
    nonlinear: bool,
    session: Option<Session>,
    core: Vec<TermId>,
    solution: Option<FxHashMap<SymbolId, Value>>,
}

/// A running process and what it was told.
struct Session {
    process: Process,
    printer: Printer,
    asserted: usize,
    named: FxHashSet<TermId>,
    answered_sat: bool,
}

impl SmtLib {
    /// Yices at `path`.
    pub fn yices(path: &Path) -> SmtLib {
        SmtLib::new(path, [OsString::from("--incremental")])
    }

    /// A program that reads SMT-LIB 2 commands from its standard input.
    pub fn new(program: &Path, arguments: impl IntoIterator<Item = OsString>) -> SmtLib {
        SmtLib {
            program: program.to_owned(),
            arguments: arguments.into_iter().collect(),
            interrupter: Interrupter::new(),
            asserted: Vec::new(),
            nonlinear: false,
            session: None,
            core: Vec::new(),
            solution: None,
        }
    }

    /// The same, stopped by `interrupter`.
    pub fn with_interrupter(self, interrupter: Interrupter) -> SmtLib {
        SmtLib { interrupter, ..self }
    }

    fn try_check(
        &mut self,
        terms: &Terms,
        assumptions: &[TermId],
        limit: Limit,
    ) -> Result<SolverAnswer, Died> {
        self.choose_logic(terms, assumptions);
        let session = match &mut self.session {
            Some(session) => session,
            none => none.insert(Session::start(&self.program, &self.arguments, self.nonlinear)?),
        };
        let stop = session.process.killer();
        let watch = Watch::begin(limit.time, &self.interrupter, stop);
        let reply = session.check(terms, &self.asserted, assumptions);
        if let Some(stopped) = watch.end() {
            self.session = None;
            return Ok(SolverAnswer::Unknown(stopped));
        }
        match reply?.as_atom() {
            Some("sat") => {
                session.answered_sat = true;
                Ok(SolverAnswer::Sat)
            }
            Some("unsat") => {
                self.core = session.core(terms, assumptions, self.nonlinear)?;
                Ok(SolverAnswer::Unsat)
            }
            _ => {
                self.session = None;
                Ok(SolverAnswer::Unknown(UnknownReason::Incomplete("unknown".to_owned())))
            }
        }
    }

    /// Starts the process anew when the problem first needs products of unknowns: the logic
    /// is chosen at the start, and the one that has them is slower and explains less.
    fn choose_logic(&mut self, terms: &Terms, assumptions: &[TermId]) {
        if self.nonlinear {
            return;
        }
        let told = self.session.as_ref().map_or(0, |session| session.asserted);
        let new = [&self.asserted[told..], assumptions].concat();
        let defined = |id| self.session.as_ref().is_some_and(|s| s.printer.has(id));
        if terms.reachable(&new, defined).into_iter().any(|id| is_nonlinear(terms, id)) {
            self.nonlinear = true;
            self.session = None;
        }
    }

    fn read_solution(&mut self, terms: &Terms) -> Option<FxHashMap<SymbolId, Value>> {
        let session = self.session.as_mut().filter(|session| session.answered_sat)?;
        // Yices writes irrational numbers as decimals, cut off and unmarked.
        let solution = session.solution(terms, !self.nonlinear);
        if solution.is_err() {
            self.session = None;
        }
        solution.ok()
    }
}

impl Solver for SmtLib {
    fn assert(&mut self, _terms: &Terms, term: TermId) {
        self.asserted.push(term);
    }

    fn check(&mut self, terms: &Terms, assumptions: &[TermId], limit: Limit) -> SolverAnswer {
        self.core.clear();
        self.solution = None;
        if self.interrupter.is_interrupted() {
            return SolverAnswer::Unknown(UnknownReason::Interrupted);
        }
        self.try_check(terms, assumptions, limit).unwrap_or_else(|Died(why)| {
            self.session = None;
            SolverAnswer::Unknown(UnknownReason::Crashed(why))
        })
    }

    fn value(&mut self, terms: &Terms, term: TermId) -> Option<Value> {
        if self.solution.is_none() {
            self.solution = self.read_solution(terms);
        }
        let solution = self.solution.as_ref()?;
        let value = |symbol: SymbolId| match solution.get(&symbol) {
            Some(value) => value.clone(),
            None => any_value(terms.symbol_of(symbol).sort),
        };
        Some(terms.evaluate(term, value)).filter(Value::is_known)
    }

    fn core(&self) -> Vec<TermId> {
        self.core.clone()
    }

    fn interrupter(&self) -> Interrupter {
        self.interrupter.clone()
    }

    fn spent(&self) -> Option<u64> {
        None
    }
}

impl Session {
    fn start(program: &Path, arguments: &[OsString], nonlinear: bool) -> Result<Session, Died> {
        let mut process = Process::start(program, arguments)?;
        let options = ["print-success false", "produce-models true"];
        let core = (!nonlinear).then_some("produce-unsat-assumptions true");
        for option in options.into_iter().chain(core) {
            process.send(&format!("(set-option :{option})\n"))?;
        }
        process
            .send(&format!("(set-logic {})\n", if nonlinear { "QF_NIRA" } else { "QF_LIRA" }))?;
        Ok(Session {
            process,
            printer: Printer::default(),
            asserted: 0,
            named: FxHashSet::default(),
            answered_sat: false,
        })
    }

    fn check(
        &mut self,
        terms: &Terms,
        asserted: &[TermId],
        assumptions: &[TermId],
    ) -> Result<Reply, Died> {
        self.answered_sat = false;
        let mut text = String::new();
        for &term in &asserted[self.asserted..] {
            self.printer.define(&mut text, terms, term);
            text += &format!("(assert {})\n", self.printer.name(terms, term));
        }
        self.asserted = asserted.len();
        for &term in assumptions {
            if self.named.insert(term) {
                self.printer.define(&mut text, terms, term);
                let (label, name) = (label(term), self.printer.name(terms, term));
                text += &format!("(declare-fun {label} () Bool)\n(assert (=> {label} {name}))\n");
            }
        }
        let labels: Vec<_> = assumptions.iter().map(|term| label(*term)).collect();
        text += &format!("(check-sat-assuming ({}))\n", labels.join(" "));
        self.process.ask(&text)
    }

    fn core(
        &mut self,
        terms: &Terms,
        assumptions: &[TermId],
        nonlinear: bool,
    ) -> Result<Vec<TermId>, Died> {
        let all = assumptions.iter().copied().filter(|term| !terms.is_bool(*term, true));
        if nonlinear || assumptions.is_empty() {
            return Ok(all.collect());
        }
        let reply = self.process.ask("(get-unsat-assumptions)\n")?;
        let labels: FxHashSet<_> = reply.items().iter().filter_map(Reply::as_atom).collect();
        let contained = |term: &TermId| labels.contains(label(*term).as_str());
        Ok(assumptions.iter().copied().filter(contained).collect())
    }

    /// The values of all symbols that the process knows.
    fn solution(
        &mut self,
        terms: &Terms,
        decimals_are_exact: bool,
    ) -> Result<FxHashMap<SymbolId, Value>, Died> {
        let symbols = self.printer.symbols();
        if symbols.is_empty() {
            return Ok(FxHashMap::default());
        }
        let names: Vec<_> = symbols.iter().map(|symbol| print::symbol(*symbol)).collect();
        let reply = self.process.ask(&format!("(get-value ({}))\n", names.join(" ")))?;
        let value = |(symbol, pair): (&SymbolId, &Reply)| {
            let sort = terms.symbol_of(*symbol).sort;
            let value = pair.items().get(1).and_then(|text| text.value(sort, decimals_are_exact));
            (*symbol, value.unwrap_or(Value::Unknown))
        };
        Ok(symbols.iter().zip(reply.items()).map(value).collect())
    }
}

/// The constant that stands for an assumption.
fn label(term: TermId) -> String {
    format!("a{}", term.index())
}

/// A value for a symbol that no assertion mentions.
fn any_value(sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(false),
        Sort::Int => Value::from(0),
        Sort::Real => provoke_model::UnaryOp::ToReal.apply(&Value::from(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_users_choice_is_alone_and_the_pinned_program_comes_before_the_systems() {
        let chosen = places(|name| (name == "PROVOKE_YICES").then(|| "/opt/yices".into()));
        assert_eq!(chosen, [PathBuf::from("/opt/yices")]);
        let pinned = format!("/home/ann/.local/share/provoke/yices/{PINNED_YICES}/yices-smt2");
        let at_home = places(|name| (name == "HOME").then(|| "/home/ann".into()));
        assert_eq!(at_home, [pinned, "yices-smt2".to_string()].map(PathBuf::from));
    }

    #[test]
    fn the_pinned_version_is_that_of_the_requirements_file() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../requirements-yices.txt");
        let requirements = std::fs::read_to_string(file).unwrap();
        assert!(requirements.contains(&format!("\nyices-solver=={PINNED_YICES} ")));
    }
}
