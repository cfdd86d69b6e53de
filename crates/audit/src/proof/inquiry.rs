//! Questions to several solvers about one growing set of assertions.

use crate::solver::{Answer, Dialogue, Logic, QueryLimit, Solver};

/// Two solvers that answer the same question differently.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Disagreement {
    /// For each of them its name, its answer, and all that it was told.
    pub queries: Vec<(String, Answer, String)>,
}

/// What is known after a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Reply {
    /// Nothing fulfils it; the position of the solver that says so.
    Unsat(usize),
    /// Something does, with these values of what was asked for.
    Sat(String),
    /// Nobody can tell; why.
    Unknown(String),
    /// There is no time left.
    Stopped,
}

/// One set of assertions, told to a solver when it is first asked.
pub(super) struct Inquiry<'a> {
    solvers: &'a [Box<dyn Solver>],
    /// What the solvers were promised so far.
    logic: Logic,
    limit: QueryLimit,
    stop: &'a dyn Fn() -> bool,
    told: String,
    /// A dialogue with each solver that was asked, and how much of `told` it knows.
    dialogues: Vec<Option<(Dialogue, usize)>>,
}

impl<'a> Inquiry<'a> {
    pub(super) fn new(
        solvers: &'a [Box<dyn Solver>],
        logic: Logic,
        limit: QueryLimit,
        stop: &'a dyn Fn() -> bool,
    ) -> Inquiry<'a> {
        let dialogues = solvers.iter().map(|_| None).collect();
        Inquiry { solvers, logic, limit, stop, told: String::new(), dialogues }
    }

    /// Adds definitions and assertions that all questions from here on rest on.
    pub(super) fn tell(&mut self, text: &str) {
        self.told.push_str(text);
    }

    /// Adds assertions.
    pub(super) fn assert(&mut self, terms: &[String]) {
        for term in terms {
            self.told.push_str("(assert ");
            self.told.push_str(term);
            self.told.push_str(")\n");
        }
    }

    /// Whether `question` can hold, with the values of `names` if it can. An answer that confirms
    /// is believed from one solver, in their order; any other is asked of all of them.
    pub(super) fn ask(&mut self, question: &str, names: &[String]) -> Result<Reply, Disagreement> {
        if (self.stop)() {
            return Ok(Reply::Stopped);
        }
        let mut found: Option<(usize, String)> = None;
        let mut why = String::new();
        for solver in 0..self.solvers.len() {
            match self.ask_one(solver, question, names) {
                Ok((Answer::Unsat, _)) => match found {
                    None => return Ok(Reply::Unsat(solver)),
                    Some((first, _)) => return Err(self.disagreement(question, first, solver)),
                },
                Ok((Answer::Sat, values)) => {
                    found.get_or_insert((solver, values));
                }
                Ok((Answer::Unknown, _)) => why = "no solver could tell in time".to_string(),
                Err(wrong) => why = format!("{}: {wrong}", self.solvers[solver].name()),
            }
        }
        Ok(found.map_or(Reply::Unknown(why), |(_, values)| Reply::Sat(values)))
    }

    /// Asks one solver. If it was promised less than there is, such as a product of variables where
    /// all was to be linear, it says so, and is asked again without promises.
    fn ask_one(
        &mut self,
        solver: usize,
        question: &str,
        names: &[String],
    ) -> Result<(Answer, String), String> {
        let mut reply = self.try_one(solver, question, names);
        if reply.is_err() {
            self.dialogues[solver] = None;
            if self.logic != Logic::Any {
                self.logic = Logic::Any;
                reply = self.try_one(solver, question, names);
            }
        }
        reply
    }

    fn try_one(
        &mut self,
        solver: usize,
        question: &str,
        names: &[String],
    ) -> Result<(Answer, String), String> {
        let dialogue = &mut self.dialogues[solver];
        if dialogue.is_none() {
            *dialogue = Some((Dialogue::start(&*self.solvers[solver], self.logic, self.limit)?, 0));
        }
        let Some((talk, known)) = dialogue else { unreachable!("it was just started") };
        talk.tell(&self.told[*known..])?;
        *known = self.told.len();
        talk.tell(&format!("(push 1)\n(assert {question})\n"))?;
        let answer = talk.check()?;
        let values = match answer {
            Answer::Sat if !names.is_empty() => talk.values(names)?,
            _ => String::new(),
        };
        talk.tell("(pop 1)\n")?;
        Ok((answer, values))
    }

    fn disagreement(&self, question: &str, sat: usize, unsat: usize) -> Disagreement {
        let text = format!("{}(assert {question})\n(check-sat)\n", self.told);
        let one = |solver: usize, answer| (self.solvers[solver].name(), answer, text.clone());
        Disagreement { queries: vec![one(sat, Answer::Sat), one(unsat, Answer::Unsat)] }
    }

    /// Whether none of the alternatives can hold together with `common`; each gets a reply. They
    /// are asked about together first, and apart only where that does not settle them.
    pub(super) fn none_of(
        &mut self,
        common: &str,
        alternatives: &[String],
    ) -> Result<Vec<Reply>, Disagreement> {
        let mut replies = Vec::with_capacity(alternatives.len());
        for chunk in alternatives.chunks(CHUNK) {
            self.none_of_few(common, chunk, &mut replies)?;
        }
        Ok(replies)
    }

    fn none_of_few(
        &mut self,
        common: &str,
        alternatives: &[String],
        replies: &mut Vec<Reply>,
    ) -> Result<(), Disagreement> {
        if alternatives.is_empty() {
            return Ok(());
        }
        let question = format!("(and {common} (or false {}))", alternatives.join(" "));
        let reply = match alternatives {
            [_] => self.ask(&question, &[])?,
            _ => self.ask_first(&question)?,
        };
        match reply {
            Reply::Unsat(_) | Reply::Stopped => {
                replies.extend(alternatives.iter().map(|_| reply.clone()))
            }
            _ if alternatives.len() == 1 => replies.push(reply),
            _ => {
                let (left, right) = alternatives.split_at(alternatives.len() / 2);
                self.none_of_few(common, left, replies)?;
                self.none_of_few(common, right, replies)?;
            }
        }
        Ok(())
    }

    /// Asks the best solver alone: what it cannot tell is asked again in smaller parts.
    fn ask_first(&mut self, question: &str) -> Result<Reply, Disagreement> {
        if (self.stop)() {
            return Ok(Reply::Stopped);
        }
        match self.ask_one(0, question, &[]) {
            Ok((Answer::Unsat, _)) => Ok(Reply::Unsat(0)),
            Ok(_) => Ok(Reply::Unknown(String::new())),
            Err(wrong) => Ok(Reply::Unknown(wrong)),
        }
    }
}

/// How many alternatives are asked about together.
const CHUNK: usize = 64;
