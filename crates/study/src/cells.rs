//! All that is known of a study.

use provoke_criteria::{Criterion, Host};

use crate::case::{Group, StudyCase};
use crate::outcome::CaseOutcome;

/// A case and what came of it.
#[derive(Clone, PartialEq, Debug)]
pub struct StudyCell {
    /// What was studied.
    pub case: StudyCase,
    /// What came of it.
    pub outcome: CaseOutcome,
}

/// The finished cells, in the order of the plan.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct StudyCells(pub Vec<StudyCell>);

/// The criteria in the order of the papers' tables.
const ORDER: [Host; 4] = [Host::Mcdc, Host::Condition, Host::Decision, Host::Branch];

impl StudyCells {
    /// What came of a criterion on a model; None where it is not done or asks for nothing.
    pub fn outcome(&self, model: &str, group: Group, criterion: Criterion) -> Option<&CaseOutcome> {
        let group = StudyCase::shared(group, criterion);
        let is_it = |cell: &&StudyCell| {
            let StudyCase { model: of, group: with, criterion: by, .. } = &cell.case;
            of == model && *with == group && *by == criterion
        };
        let found = self.0.iter().find(is_it).map(|cell| &cell.outcome);
        found.filter(|outcome| outcome.obligations.total > 0 && outcome.mutants > 0)
    }

    /// The models, each once, in order.
    pub fn models(&self) -> Vec<&str> {
        let mut models: Vec<&str> = Vec::new();
        for cell in &self.0 {
            if !models.contains(&cell.case.model.as_str()) {
                models.push(&cell.case.model);
            }
        }
        models
    }

    /// The groups that are compared, in order: those of observable criteria, since the others
    /// are shared; all where there are no observable ones.
    pub fn groups(&self) -> Vec<Group> {
        let observable = self.0.iter().any(|cell| cell.case.criterion.observable);
        let mut groups = Vec::new();
        for cell in self.0.iter().filter(|cell| !observable || cell.case.criterion.observable) {
            if !groups.contains(&cell.case.group) {
                groups.push(cell.case.group);
            }
        }
        groups.sort_by_key(|group| group.form);
        groups
    }

    /// The criteria of some cell, each observable one before its host.
    pub fn criteria(&self) -> Vec<Criterion> {
        let pairs = ORDER.into_iter().flat_map(|host| [true, false].map(|o| (host, o)));
        let all = pairs.map(|(host, observable)| Criterion { host, observable });
        all.filter(|criterion| self.0.iter().any(|cell| cell.case.criterion == *criterion))
            .collect()
    }

    /// The hosts that were studied with and without observability: the one with it first.
    pub fn pairs(&self) -> Vec<(Criterion, Criterion)> {
        let criteria = self.criteria();
        let pair = |host| {
            let with = Criterion { host, observable: true };
            let without = Criterion { host, observable: false };
            (criteria.contains(&with) && criteria.contains(&without)).then_some((with, without))
        };
        ORDER.into_iter().filter_map(pair).collect()
    }

    /// What came of two criteria on each model on which both ask for something.
    pub fn on_both(
        &self,
        group: Group,
        first: Criterion,
        second: Criterion,
    ) -> Vec<(&str, &CaseOutcome, &CaseOutcome)> {
        let both = |model| {
            let one = self.outcome(model, group, first)?;
            Some((model, one, self.outcome(model, group, second)?))
        };
        self.models().into_iter().filter_map(both).collect()
    }

    /// What came of a criterion on each model on which it asks for something.
    pub fn of(&self, group: Group, criterion: Criterion) -> Vec<(&str, &CaseOutcome)> {
        let one = |model| Some((model, self.outcome(model, group, criterion)?));
        self.models().into_iter().filter_map(one).collect()
    }
}
