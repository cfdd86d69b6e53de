//! Which further variables to monitor: those that the tags of uncovered obligations reached.

use provoke_base::IndexVec;
use provoke_model::{Equation, Origin, System, Value, VarId};
use provoke_sim::Dense;

use crate::base::Base;
use crate::coverage::SuiteCoverage;
use crate::masking::Masking;
use crate::net::{Net, Sight, fact};
use crate::obligation::Obligation;
use crate::oracle::Oracle;
use crate::tags::{Tags, ones};

/// A variable worth monitoring.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Suggestion {
    /// The variable.
    pub var: VarId,
    /// The positions of the uncovered obligations that it would make visible and that the
    /// suggestions before it do not.
    pub gains: Vec<usize>,
}

/// Up to `n` variables, best first, that would make the most of the uncovered obligations
/// visible in the given tests; each is counted for what those before it leave.
pub fn suggest_oracle<'t>(
    system: &System,
    obligations: &[Obligation],
    coverage: &SuiteCoverage,
    masking: Masking,
    tests: impl IntoIterator<Item = &'t [Vec<Value>]>,
    n: usize,
) -> Vec<Suggestion> {
    let observable = |&position: &usize| obligations[position].criterion.observable;
    let wanted: Vec<usize> = coverage.uncovered().filter(observable).collect();
    let mut record = Record::new(system, obligations, &wanted, masking);
    for test in tests {
        record.run_test(test);
    }
    let candidates: Vec<VarId> = candidates(system).collect();
    best(&record.reached, &candidates, n)
        .into_iter()
        .map(|(var, tags)| Suggestion { var, gains: tags.into_iter().map(|t| wanted[t]).collect() })
        .collect()
}

fn candidates(system: &System) -> impl Iterator<Item = VarId> {
    let declared = |equation: &&Equation| system.vars[equation.var].origin == Origin::Declared;
    system.equations.iter().filter(declared).map(|equation| equation.var)
}

/// The variables that tags came to.
struct Record {
    net: Net,
    dense: Dense,
    sight: Sight,
    tags: Tags,
    bases: Vec<Base>,
    all: Vec<u64>,
    reached: IndexVec<VarId, Vec<u64>>,
    defined: Vec<VarId>,
}

impl Record {
    fn new(
        system: &System,
        obligations: &[Obligation],
        wanted: &[usize],
        masking: Masking,
    ) -> Record {
        // Every variable is looked at, as if it were monitored.
        let net = Net::new(system, masking, &Oracle::Maximum.monitored(system));
        let words = wanted.len().div_ceil(64).max(1);
        let base = |&position: &usize| Base::new(&net.program, &obligations[position]);
        Record {
            dense: Dense::of(net.program.clone()),
            sight: Sight::new(&net),
            tags: Tags::new(&net),
            bases: wanted.iter().map(base).collect(),
            all: vec![u64::MAX; words],
            reached: IndexVec::repeat(vec![0; words], system.vars.len()),
            defined: candidates(system).collect(),
            net,
        }
    }

    fn run_test(&mut self, steps: &[Vec<Value>]) {
        self.dense.reset();
        self.tags.clear(self.bases.len());
        for inputs in steps {
            if self.dense.step(inputs).is_err() {
                break;
            }
            self.sight.look(&self.net, &self.dense);
            self.start_tags();
            let facts = fact::VISIBLE | fact::DELAYED;
            self.tags.advance(&self.net, &self.sight, facts, &self.all);
            self.note();
        }
    }

    fn start_tags(&mut self) {
        for (tag, base) in self.bases.iter().enumerate() {
            if let Some(node) = base.tagged
                && base.holds(&self.dense, &self.sight)
            {
                self.tags.start(node, tag);
            }
        }
    }

    fn note(&mut self) {
        for &var in &self.defined {
            let here = self.tags.at(self.net.program.definition(var));
            for (word, tags) in self.reached[var].iter_mut().zip(here) {
                *word |= tags;
            }
        }
    }
}

/// Greedy choice by marginal gain; of equals the one that comes first.
fn best(
    reached: &IndexVec<VarId, Vec<u64>>,
    candidates: &[VarId],
    n: usize,
) -> Vec<(VarId, Vec<usize>)> {
    let mut seen: Vec<u64> = reached.iter().next().map_or(Vec::new(), |set| vec![0; set.len()]);
    let mut chosen = Vec::new();
    while chosen.len() < n {
        let fresh = |var: VarId| -> Vec<u64> {
            reached[var].iter().zip(&seen).map(|(set, seen)| set & !seen).collect()
        };
        let gain = |set: &[u64]| set.iter().map(|word| word.count_ones()).sum::<u32>();
        let sets = candidates.iter().map(|&var| (var, fresh(var)));
        let best =
            sets.reduce(|best, next| if gain(&next.1) > gain(&best.1) { next } else { best });
        let Some((var, set)) = best.filter(|(_, set)| gain(set) > 0) else { break };
        seen.iter_mut().zip(&set).for_each(|(seen, word)| *seen |= word);
        chosen.push((var, ones(&set).collect()));
    }
    chosen
}
