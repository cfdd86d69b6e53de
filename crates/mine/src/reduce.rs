//! Smaller suites: by the code they reach, by what they show, or by the published rule.

use std::collections::{BTreeMap, BTreeSet};

use provoke_cover::{ReductionMatrix, Row, greedy};

use crate::compile::MiningError;
use crate::run::{ProgramRun, StepFailure, Vector};
use crate::search::{InputSequence, ProgramFinding, RunningProgram};
use crate::seed::seed_reduction;

/// What a smaller suite keeps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SuiteReduction {
    /// Everything.
    None,
    /// What the published rule keeps.
    Seed,
    /// The code that is reached, where it is known; the behaviour where conditions are not.
    Items,
    /// Every change of an output, and every vector of outputs.
    Behaviour,
}

provoke_base::words!(SuiteReduction {
    Items = "items",
    Behaviour = "behaviour",
    Seed = "seed",
    None = "none",
});

/// Work on one test: tries before it stays as it is.
const MAX_TRIES: usize = 400;
/// The longest stretch of a test that is tried at every place.
const LONGEST_STRETCH: usize = 4;

/// Numbers of what is seen at the outputs, where those of code stand beside them.
const BEHAVIOUR: u32 = 1 << 31;

/// What tests are needed for: numbers of things that they show.
type Items = Vec<u32>;

struct Reducer<'a> {
    subject: &'a mut RunningProgram,
    by_code: bool,
    behaviour: BTreeMap<(usize, i64, i64), u32>,
    states: BTreeMap<Vector, u32>,
}

/// Reduces a suite, and shortens what stays. Tests that the program does not survive are not among
/// the tests.
pub fn reduce(
    subject: &mut RunningProgram,
    tests: &[InputSequence],
    reduction: SuiteReduction,
) -> Result<Vec<InputSequence>, MiningError> {
    match reduction {
        SuiteReduction::None => return Ok(tests.to_vec()),
        SuiteReduction::Seed => {
            let runs: Result<Vec<(InputSequence, ProgramRun)>, MiningError> =
                tests.iter().map(|test| Ok((test.clone(), subject.run(test)?))).collect();
            let runs = runs?;
            return Ok(seed_reduction(&runs).into_iter().map(|test| tests[test].clone()).collect());
        }
        SuiteReduction::Items | SuiteReduction::Behaviour => {}
    }
    let by_code =
        reduction == SuiteReduction::Items && matches!(subject, RunningProgram::Library(_));
    let mut reducer =
        Reducer { subject, by_code, behaviour: BTreeMap::new(), states: BTreeMap::new() };
    reducer.reduce(tests)
}

impl Reducer<'_> {
    /// What a test shows; nothing if the program does not survive it.
    fn items(&mut self, test: &[Vector]) -> Result<Items, MiningError> {
        if self.by_code
            && let RunningProgram::Library(program) = &mut *self.subject
        {
            program.forget();
            let run = program.run(test);
            if run.stop.as_ref().is_some_and(StepFailure::is_finding) {
                return Ok(Items::new());
            }
            let mut items = program.items();
            // Edges alone do not tell which values a condition had: what was seen must tell.
            if !program.sees_conditions {
                items.extend(self.shown(&run).into_iter().map(|item| item | BEHAVIOUR));
            }
            return Ok(items);
        }
        let run = self.subject.run(test)?;
        Ok(self.shown(&run))
    }

    /// What a run shows at the outputs.
    fn shown(&mut self, run: &ProgramRun) -> Items {
        let mut items = BTreeSet::new();
        let mut before = &run.initial;
        for after in &run.outputs {
            for (place, (old, new)) in before.iter().zip(after).enumerate() {
                let next = self.behaviour.len() as u32 * 2;
                items.insert(*self.behaviour.entry((place, *old, *new)).or_insert(next));
            }
            let next = self.states.len() as u32 * 2 + 1;
            items.insert(*self.states.entry(after.clone()).or_insert(next));
            before = after;
        }
        items.into_iter().collect()
    }

    fn reduce(&mut self, tests: &[InputSequence]) -> Result<Vec<InputSequence>, MiningError> {
        let mut rows = Vec::new();
        for test in tests {
            rows.push(Row::new(self.items(test)?.into_iter().collect(), test.len() as u32));
        }
        let matrix = ReductionMatrix { tests: rows };
        let mut kept: Vec<InputSequence> =
            greedy(&matrix).into_iter().map(|test| tests[test].clone()).collect();
        // Short tests are the better ones to keep; long ones are shortened first.
        kept.sort_by_key(|test| std::cmp::Reverse(test.len()));
        let mut items: Vec<Items> = Vec::new();
        let mut count: BTreeMap<u32, usize> = BTreeMap::new();
        for test in &kept {
            let own = self.items(test)?;
            own.iter().for_each(|item| *count.entry(*item).or_default() += 1);
            items.push(own);
        }
        let mut shortened = Vec::new();
        for (test, own) in kept.into_iter().zip(items) {
            let needed: Items = own.iter().copied().filter(|item| count[item] == 1).collect();
            own.iter().for_each(|item| *count.entry(*item).or_default() -= 1);
            if needed.is_empty() {
                continue;
            }
            let test = self.shorten(test, &needed)?;
            for item in self.items(&test)? {
                *count.entry(item).or_default() += 1;
            }
            shortened.push(test);
        }
        let mut joined = self.join(shortened)?;
        joined.reverse();
        Ok(joined)
    }

    /// Lets tests go on where others end, so that a long way to the same place is gone once.
    fn join(&mut self, tests: Vec<InputSequence>) -> Result<Vec<InputSequence>, MiningError> {
        let mut known = Vec::new();
        for test in tests {
            let items = self.items(&test)?;
            known.push((test, items));
        }
        let mut first = 0;
        while first < known.len() {
            let mut second = first + 1;
            while second < known.len() {
                if let Some(both) = self.both(&known, first, second)? {
                    let items = self.items(&both)?;
                    known[first] = (both, items);
                    known.remove(second);
                } else {
                    second += 1;
                }
            }
            first += 1;
        }
        Ok(known.into_iter().map(|(test, _)| test).collect())
    }

    /// One test that shows what only these two show, if it saves half of the shorter one: joining
    /// makes tests harder to understand, so it must be worth it.
    fn both(
        &mut self,
        known: &[(InputSequence, Items)],
        first: usize,
        second: usize,
    ) -> Result<Option<InputSequence>, MiningError> {
        let ((a, a_items), (b, b_items)) = (&known[first], &known[second]);
        let others = known.iter().enumerate().filter(|(place, _)| ![first, second].contains(place));
        let elsewhere: BTreeSet<u32> = others.flat_map(|(_, (_, items))| items).copied().collect();
        let own = a_items.iter().chain(b_items).copied();
        let needed: Items = own.filter(|item| !elsewhere.contains(item)).collect();
        let candidate: InputSequence = a.iter().chain(b).cloned().collect();
        let shown = self.items(&candidate)?;
        if !needed.iter().all(|item| shown.binary_search(item).is_ok()) {
            return Ok(None);
        }
        let both = self.shorten(candidate, &needed)?;
        Ok((both.len() + a.len().min(b.len()) / 2 <= a.len() + b.len()).then_some(both))
    }

    /// Leaves out whatever is not needed (delta debugging).
    fn shorten(
        &mut self,
        test: InputSequence,
        needed: &[u32],
    ) -> Result<InputSequence, MiningError> {
        shorten(test, |candidate| {
            let items = self.items(candidate)?;
            Ok(needed.iter().all(|item| items.binary_search(item).is_ok()))
        })
    }
}

/// The shortest part of a test that a series of cuts finds for which `good` still holds.
pub fn shorten(
    mut test: InputSequence,
    mut good: impl FnMut(&[Vector]) -> Result<bool, MiningError>,
) -> Result<InputSequence, MiningError> {
    // What follows the last step that matters goes first: a search by halves, because a longer
    // beginning shows whatever a shorter one does.
    let (mut low, mut high) = (0, test.len());
    while low < high {
        let middle = low.midpoint(high);
        if good(&test[..middle])? { high = middle } else { low = middle + 1 }
    }
    if high < test.len() && good(&test[..high])? {
        test.truncate(high);
    }
    let mut cuts = Cuts { test, tries: MAX_TRIES, good };
    let mut size = cuts.test.len() / 2;
    while size >= 1 {
        cuts.of(size, size)?;
        size /= 2;
    }
    Ok(cuts.test)
}

/// The same for a test that people will read: steps that undo each other can only go together, so
/// short stretches are tried wherever they begin.
fn shorten_well(
    test: InputSequence,
    mut good: impl FnMut(&[Vector]) -> Result<bool, MiningError>,
) -> Result<InputSequence, MiningError> {
    let test = shorten(test, &mut good)?;
    let mut cuts = Cuts { test, tries: MAX_TRIES, good };
    while (1..=LONGEST_STRETCH).try_fold(false, |any, size| Ok(cuts.of(size, 1)? || any))? {}
    Ok(cuts.test)
}

/// A test from which stretches are cut while it stays good.
struct Cuts<G> {
    test: InputSequence,
    /// How many more candidates may be tried.
    tries: usize,
    good: G,
}

impl<G: FnMut(&[Vector]) -> Result<bool, MiningError>> Cuts<G> {
    /// Cuts out each stretch of a size that is not needed, looking at every `stride`-th place; whether
    /// there was one.
    fn of(&mut self, size: usize, stride: usize) -> Result<bool, MiningError> {
        let (mut start, before) = (0, self.test.len());
        while start < self.test.len() && self.tries > 0 {
            let end = (start + size).min(self.test.len());
            let candidate = [&self.test[..start], &self.test[end..]].concat();
            self.tries -= 1;
            if (self.good)(&candidate)? {
                self.test = candidate;
            } else {
                start += stride;
            }
        }
        Ok(self.test.len() < before)
    }
}

/// The finding with a test as short as it was found to be.
pub fn shorten_finding(
    subject: &mut RunningProgram,
    finding: &ProgramFinding,
) -> Result<ProgramFinding, MiningError> {
    let wanted: StepFailure = finding.stop.clone();
    let mut shows = |candidate: &[Vector]| -> Result<bool, MiningError> {
        let run = subject.run(candidate)?;
        Ok(run.stop.as_ref() == Some(&wanted) && run.outputs.len() + 1 == candidate.len())
    };
    // A step that hangs takes its time limit: only a few ends of the test are tried.
    if matches!(wanted, StepFailure::Hang | StepFailure::Silent(_)) {
        let mut length = 1;
        while length < finding.test.len() && length <= 64 {
            let end = &finding.test[finding.test.len() - length..];
            if shows(end)? {
                return Ok(ProgramFinding { stop: wanted, test: end.to_vec() });
            }
            length *= 4;
        }
        return Ok(finding.clone());
    }
    let test = shorten_well(finding.test.clone(), &mut shows)?;
    Ok(ProgramFinding { stop: wanted, test })
}

/// Puts back what a reduction lost of what `reach` counts. Reduction goes by the edges of machine
/// code, which has none where the source chooses between two constants.
pub(crate) fn restore(
    kept: &mut Vec<InputSequence>,
    tests: &[InputSequence],
    reach: impl Fn(&[InputSequence]) -> Result<usize, MiningError>,
) -> Result<(), MiningError> {
    let whole = reach(tests)?;
    let mut now = reach(kept)?;
    // Each turn puts back a test, so there are no more turns than tests.
    for _ in 0..tests.len() {
        if now >= whole {
            break;
        }
        let with = |more: &[InputSequence]| reach(&[kept.as_slice(), more].concat());
        // The first tests that add something: the last of them is needed.
        let count = least(tests.len(), |count| Ok(with(&tests[..count])? > now))?;
        let needed = &tests[count - 1];
        // It may be needed with another one only; then it stays as it is, and that one is next.
        let length = match with(std::slice::from_ref(needed))? > now {
            true => least(needed.len(), |n| Ok(with(&[needed[..n].to_vec()])? > now))?,
            false => needed.len(),
        };
        let restored = needed[..length].to_vec();
        kept.push(restored);
        now = reach(kept)?;
    }
    Ok(())
}

/// The least number from 1 to `most` for which something holds that holds for `most`, and for all
/// numbers above one for which it does.
fn least(
    most: usize,
    holds: impl Fn(usize) -> Result<bool, MiningError>,
) -> Result<usize, MiningError> {
    let (mut low, mut high) = (1, most);
    while low < high {
        let middle = (low + high) / 2;
        match holds(middle)? {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    Ok(low)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lock that opens with 3, 5, 2; any other key starts over.
    fn opens(keys: &[Vector]) -> bool {
        let mut right = 0;
        for (at, key) in keys.iter().enumerate() {
            right = if key[0] == [3, 5, 2][right] { right + 1 } else { 0 };
            if right == 3 {
                return at + 1 == keys.len();
            }
        }
        false
    }

    #[test]
    fn steps_that_undo_each_other_are_cut_together() {
        let keys = |keys: &[i64]| keys.iter().map(|key| vec![*key]).collect::<InputSequence>();
        for long in [&[3, 3, 3, 5, 2][..], &[3, 5, 3, 3, 5, 2], &[1, 3, 5, 3, 3, 5, 5, 3, 5, 2]] {
            let short = shorten_well(keys(long), |keys| Ok(opens(keys)));
            assert_eq!(short.expect("no program runs"), keys(&[3, 5, 2]), "{long:?}");
        }
    }
}
