//! What an obligation asks for, as a question to a solver.
//!
//! The tag of an obligation is a Boolean term for every expression it can come to: it starts
//! where the base holds, passes through unmasked uses, and waits in a Boolean state variable
//! beside each `pre`. That is what measurement does with values, so a solution of the question
//! is a test that measurement confirms, and no input is added to the model.

use provoke_base::IndexVec;
use provoke_criteria::masking::{Literal, rule};
use provoke_criteria::target::{decision_roots, is_connective};
use provoke_criteria::{Masking, MaskingRule, Obligation, ObligationKind, Oracle, TagCarrier};
use provoke_model::{BinaryOp, ExprId, ExprKind, System, Type, UnaryOp, Value, VarId};
use provoke_sim::SimState;
use provoke_sim::interpreter::delays;
use provoke_solve::encode::literal;
use provoke_solve::engine::constrain_types;
use provoke_solve::{Encoder, Reading, Sort, StateVar, Term, TermId, Terms, Transition};
use rustc_hash::FxHashMap;

use crate::read_sites::ReadSites;
use crate::state_regions::Region;
use crate::system_lemmas::SystemLemmas;
use crate::unobservable::ObservableRegions;
use crate::unobservable_under_assumption::LossUnderAssumption;

/// How many claims about tags are tried.
const MAX_CLAIMS: usize = 400;

/// Asks the questions about one system.
pub struct Goals<'a> {
    system: &'a System,
    encoder: Encoder<'a>,
    /// Whether what is asked for is to be certain.
    reading: Reading,
    /// Whether that made a difference so far.
    doubted: bool,
    masking: Masking,
    monitored: Vec<VarId>,
    uses: ReadSites,
    decisions: IndexVec<ExprId, bool>,
    /// Whether a chain leads on from an expression, for those that were asked about.
    deciding: FxHashMap<ExprId, TermId>,
    /// Whether a tag at an expression leaves the step, for those that were asked about.
    leaving: FxHashMap<ExprId, TermId>,
    constraint: Option<TermId>,
    /// Where tags are lost, and the delays in which they always are.
    observable: ObservableRegions,
    ends: IndexVec<ExprId, bool>,
    /// Where they are lost as well, with whether each promise is kept after this step.
    losses: Vec<(LossUnderAssumption, Vec<TermId>)>,
}

/// The ways on that a tag in a delay may have in one step.
pub(crate) struct WaysOn {
    /// To a monitored variable, or into a delay in which it may become visible.
    pub(crate) out: TermId,
    /// Into delays in which it is lost as long as promises are kept.
    pub(crate) into: Vec<(ExprId, TermId)>,
}

impl<'a> Goals<'a> {
    /// Questions about a system, with symbols in `terms`.
    pub fn new(system: &'a System, masking: Masking, oracle: &Oracle, terms: &mut Terms) -> Self {
        Goals {
            system,
            encoder: Encoder::new(system, terms),
            reading: Reading::Known,
            doubted: false,
            masking,
            monitored: oracle.monitored(system),
            uses: ReadSites::new(system),
            decisions: decision_roots(system),
            deciding: FxHashMap::default(),
            leaving: FxHashMap::default(),
            constraint: None,
            observable: ObservableRegions::none(system),
            ends: IndexVec::repeat(false, system.exprs.len()),
            losses: Vec::new(),
        }
    }

    /// Asks from now on for what is certain, as tests need it, or for what some values of what
    /// is undefined do, all of which a proof excludes.
    pub fn read(&mut self, reading: Reading) {
        self.reading = reading;
        self.constraint = None;
        self.deciding.clear();
        self.leaving.clear();
    }

    /// Whether some question so far may be another one when it is read the other way.
    pub(crate) fn doubted(&self) -> bool {
        self.doubted
    }

    /// Lets tags end where they are lost.
    pub(crate) fn end_tags_outside(&mut self, observable: &ObservableRegions) {
        self.observable.clone_from(observable);
        self.ends = observable.everywhere();
        self.leaving.clear();
    }

    /// Lets tags end where they are lost as long as promises are kept, too.
    pub(crate) fn end_tags_under_assumption(&mut self, terms: &mut Terms, facts: &SystemLemmas) {
        for loss in &facts.losses {
            let promises = loss.promises(terms, facts);
            let after = self.after(terms, &promises);
            self.losses.push((loss.clone(), after));
        }
        self.leaving.clear();
    }

    /// What terms about the state before this step say about the state after it.
    pub(crate) fn after(&mut self, terms: &mut Terms, states: &[TermId]) -> Vec<TermId> {
        let Goals { encoder, system, .. } = self;
        let mentioned: Vec<TermId> =
            terms.symbols_in(states).into_iter().map(|id| terms.symbol_term(id)).collect();
        let mut next = FxHashMap::default();
        for delay in delays(system) {
            let memory = encoder.memory(terms, delay);
            if let ExprKind::Pre(operand) = system.exprs[delay].kind
                && mentioned.contains(&memory)
            {
                next.insert(memory, encoder.value(terms, operand));
            }
        }
        states.iter().map(|state| terms.substitute(*state, &next)).collect()
    }

    /// Whether the state before this step is in a region.
    pub(crate) fn in_region(&self, terms: &mut Terms, region: &Region) -> TermId {
        in_region(terms, region, |terms, delay| self.encoder.memory(terms, delay))
    }

    /// Whether a tag that goes into a delay in this step may become visible, by the state after
    /// it.
    fn may_show_after(&mut self, terms: &mut Terms, delay: ExprId) -> TermId {
        let Goals { encoder, observable, system, .. } = self;
        let mut all = vec![in_region(terms, observable.region(delay), |terms, delay| {
            let ExprKind::Pre(operand) = system.exprs[delay].kind else { unreachable!("a delay") };
            encoder.value(terms, operand)
        })];
        for (loss, after) in &self.losses {
            if let Some(needed) = loss.needed(delay) {
                let kept: Vec<TermId> = needed.iter().map(|promise| after[*promise]).collect();
                let kept = terms.all(&kept);
                all.push(terms.not(kept));
            }
        }
        terms.all(&all)
    }

    /// The encoder of the system.
    pub fn encoder(&mut self) -> &mut Encoder<'a> {
        &mut self.encoder
    }

    /// What holds in every step.
    pub fn constraint(&mut self, terms: &mut Terms) -> TermId {
        if let Some(known) = self.constraint {
            return known;
        }
        let constraint = self.encoder.constraint(terms, self.reading);
        // A proof is about more runs than a test may be.
        self.doubted |= constraint != self.encoder.constraint(terms, Reading::Possible);
        self.constraint = Some(constraint);
        constraint
    }

    /// What the environment promises of its inputs, beyond their types.
    pub fn promises(&mut self, terms: &mut Terms) -> TermId {
        self.encoder.assumptions(terms)
    }

    /// Whether a symbol says that the tag of an obligation waits in a `pre`.
    pub fn is_tag(terms: &Terms, symbol: TermId) -> bool {
        matches!(terms.get(symbol), Term::Symbol(id) if waiting_at(&terms.symbol_of(*id).name).is_some())
    }

    /// What may hold wherever the tag of an obligation waits: that it never does; that truth
    /// values, its own delay's above all, are as they were when it came there; that what the
    /// lemmas say under a guard still holds, though the guard may not.
    pub(crate) fn about_tags(
        &self,
        terms: &mut Terms,
        question: &Transition,
        lemmas: &[TermId],
    ) -> Vec<TermId> {
        let symbols: Vec<TermId> = question.state.iter().map(|var| var.symbol).collect();
        let (tags, others): (Vec<TermId>, Vec<TermId>) =
            symbols.into_iter().partition(|symbol| Goals::is_tag(terms, *symbol));
        let is_truth = |symbol: &TermId| terms.sort(*symbol) == Sort::Bool;
        let mut truths: Vec<TermId> = others.into_iter().filter(is_truth).collect();
        truths.truncate(MAX_CLAIMS / (2 * tags.len().max(1)));
        let mut claims = Vec::new();
        for tag in tags {
            let absent = terms.not(tag);
            claims.push(absent);
            for lemma in lemmas.iter().take(MAX_CLAIMS) {
                if let Some((_, guarded)) = guarded(terms, *lemma) {
                    claims.push(terms.or(absent, guarded));
                }
            }
            for &truth in truths.iter().chain(&self.own_truth(terms, tag)) {
                let negation = terms.not(truth);
                claims.extend([terms.or(absent, truth), terms.or(absent, negation)]);
            }
        }
        claims
    }

    /// The Boolean delay that a tag waits in.
    fn own_truth(&self, terms: &mut Terms, tag: TermId) -> Option<TermId> {
        let Term::Symbol(id) = *terms.get(tag) else { return None };
        let pre = waiting_at(&terms.symbol_of(id).name)?;
        (self.system.exprs[pre].ty == Type::Bool).then(|| self.encoder.memory(terms, pre))
    }

    /// The values of all symbols in a later state of the system, in which tags wait in some
    /// delays, given by their places in the memory.
    pub fn symbols_at(
        &self,
        terms: &mut Terms,
        state: &SimState,
        waiting: &[usize],
    ) -> Vec<(TermId, Value)> {
        let mut values = vec![(self.encoder.first(), Value::Bool(false))];
        for (slot, pre) in delays(self.system).into_iter().enumerate() {
            let value = &state.memory()[slot];
            values.push((self.encoder.memory(terms, pre), value.clone()));
            let tag = terms.symbol(&name(pre), Sort::Bool);
            values.push((tag, Value::Bool(waiting.contains(&slot))));
            let known = self.encoder.known_memory(terms, pre);
            values.push((known, Value::Bool(value.is_known())));
        }
        values
    }

    /// The question whether an expression can be true in some step.
    pub fn reach(&mut self, terms: &mut Terms, expr: ExprId, wanted: bool) -> Transition {
        let goal = self.literal(terms, expr, wanted);
        self.plain(terms, goal)
    }

    /// A question about the system alone.
    fn plain(&mut self, terms: &mut Terms, goal: TermId) -> Transition {
        let constraint = self.constraint(terms);
        self.sliced(terms, goal, constraint)
    }

    fn sliced(&mut self, terms: &mut Terms, goal: TermId, constraint: TermId) -> Transition {
        let mut slice = Transition::slice(terms, goal, constraint, |terms, symbol| {
            self.encoder.state_var(terms, symbol)
        });
        constrain_types(&self.encoder, terms, &mut slice);
        slice
    }

    /// The question whether an obligation can be fulfilled.
    pub fn question(&mut self, terms: &mut Terms, obligation: &Obligation) -> Transition {
        if obligation.kind == ObligationKind::Property {
            return self.violation(terms, obligation);
        }
        let base = self.base(terms, obligation);
        let Some(origin) = self.origin(obligation) else { return self.plain(terms, base) };
        let constraint = self.constraint(terms);
        let mut tags = Tags::new(self, origin, base, true);
        let goal = tags.visible(terms);
        let mut slice = Transition::slice(terms, goal, constraint, |terms, symbol| {
            tags.state_var(terms, symbol)
        });
        constrain_types(&self.encoder, terms, &mut slice);
        slice
    }

    /// The question whether a property can be false for some values of what is undefined. A run
    /// that shows it must not divide by zero for these values.
    fn violation(&mut self, terms: &mut Terms, obligation: &Obligation) -> Transition {
        let reading = std::mem::replace(&mut self.reading, Reading::Possible);
        let broken = self.base(terms, obligation);
        self.reading = reading;
        let constraint = self.encoder.constraint(terms, Reading::Possible);
        self.sliced(terms, broken, constraint)
    }

    /// The question whether the tag of an obligation can leave the step it starts in: into a
    /// monitored variable or a delay in which it is not lost. `None` if there is no tag.
    pub(crate) fn gets_out(
        &mut self,
        terms: &mut Terms,
        obligation: &Obligation,
    ) -> Option<Transition> {
        self.origin(obligation)?;
        let goal = self.needed(terms, obligation);
        Some(self.plain(terms, goal))
    }

    /// What must hold in some step if an obligation is to be fulfilled: without a tag, that it
    /// is; with one, that the tag leaves the step it starts in.
    pub(crate) fn needed(&mut self, terms: &mut Terms, obligation: &Obligation) -> TermId {
        let base = self.base(terms, obligation);
        match self.origin(obligation) {
            None => base,
            Some(origin) => {
                let leaves = self.leaves(terms, origin);
                terms.all(&[base, leaves])
            }
        }
    }

    /// Whether a tag that waits in a delay leaves it as [`Goals::gets_out`] wants.
    pub(crate) fn comes_out(&mut self, terms: &mut Terms, pre: ExprId) -> TermId {
        let waits = terms.not(self.encoder.first());
        Tags::new(self, pre, waits, false).visible_or_delayed(terms)
    }

    /// The ways on of a tag that waits in a delay, where some delays lose tags as long as promises are
    /// kept.
    pub(crate) fn ways_on(
        &mut self,
        terms: &mut Terms,
        pre: ExprId,
        loss: &LossUnderAssumption,
    ) -> WaysOn {
        let waits = terms.not(self.encoder.first());
        let mut tags = Tags::new(self, pre, waits, false);
        let (mut out, mut into) = (tags.visible(terms), Vec::new());
        for (delay, operand) in tags.open_delays() {
            let way = tags.waits_after(terms, delay, operand);
            match loss.needed(delay) {
                None => out = terms.any(&[out, way]),
                Some(_) if terms.is_bool(way, false) => {}
                Some(_) => into.push((delay, way)),
            }
        }
        WaysOn { out, into }
    }

    /// The part of the system that several goals depend on.
    pub(crate) fn part(&mut self, terms: &mut Terms, goals: &[TermId]) -> Transition {
        let (any, constraint) = (terms.any(goals), self.constraint(terms));
        let roots = [goals, &[constraint]].concat();
        let mut part = Transition::over(terms, &roots, any, constraint, |terms, symbol| {
            self.encoder.state_var(terms, symbol)
        });
        constrain_types(&self.encoder, terms, &mut part);
        part
    }

    /// The expression that is tagged.
    fn origin(&self, obligation: &Obligation) -> Option<ExprId> {
        obligation.tagged().map(|tagged| match tagged {
            TagCarrier::Expr(expr) => expr,
            TagCarrier::Var(var) => {
                self.encoder.definition(var).expect("obligations are about equations")
            }
        })
    }

    /// What must hold before anything has to become visible.
    fn base(&mut self, terms: &mut Terms, obligation: &Obligation) -> TermId {
        let value = self.literal(terms, obligation.expr, obligation.outcome);
        if obligation.kind == ObligationKind::Property {
            // A property that divides by zero does not hold.
            let faults = self.encoder.faults(terms, obligation.expr, Reading::Possible);
            return terms.any(&[value, faults]);
        }
        if !obligation.needs_independence() {
            return value;
        }
        let decides = self.decides(terms, obligation.expr);
        terms.all(&[value, decides])
    }

    /// Whether a Boolean expression has a value.
    fn literal(&mut self, terms: &mut Terms, expr: ExprId, value: bool) -> TermId {
        let term = self.encoder.value(terms, expr);
        let term = if value { term } else { terms.not(term) };
        let certain = self.certain(terms, expr);
        terms.all(&[certain, term])
    }

    /// Whether an expression has a value at all, as it is read.
    fn certain(&mut self, terms: &mut Terms, expr: ExprId) -> TermId {
        let known = self.encoder.known(terms, expr, Reading::Known);
        let faults = self.encoder.faults(terms, expr, self.reading);
        self.doubted |= !terms.is_bool(known, true) || !terms.is_bool(faults, false);
        let valued = self.encoder.known(terms, expr, self.reading);
        let works = terms.not(faults);
        terms.all(&[valued, works])
    }

    /// Whether an unmasked chain leads to the top of the decision. The conditions of one decision
    /// share their ways up, so all of them together cost no more than the decision is wide.
    fn decides(&mut self, terms: &mut Terms, expr: ExprId) -> TermId {
        if let Some(&known) = self.deciding.get(&expr) {
            return known;
        }
        let decides = self.decides_here(terms, expr);
        self.deciding.insert(expr, decides);
        decides
    }

    fn decides_here(&mut self, terms: &mut Terms, expr: ExprId) -> TermId {
        let mut any = terms.bool(self.decisions[expr]);
        for (user, position) in self.uses.users[expr].clone() {
            if is_connective(self.system, user) {
                let passes = self.passes(terms, user, position);
                let further = stacker::maybe_grow(64 << 10, 1 << 20, || self.decides(terms, user));
                let both = terms.all(&[passes, further]);
                any = terms.any(&[any, both]);
            }
        }
        any
    }

    /// Whether a tag at an expression leaves the step: to a monitored variable, or into a delay in
    /// which it is not lost. The tags of all obligations share their ways out, as chains in
    /// [`Goals::decides`] do.
    fn leaves(&mut self, terms: &mut Terms, expr: ExprId) -> TermId {
        if let Some(&known) = self.leaving.get(&expr) {
            return known;
        }
        let leaves = stacker::maybe_grow(64 << 10, 1 << 20, || self.leaves_here(terms, expr));
        self.leaving.insert(expr, leaves);
        leaves
    }

    fn leaves_here(&mut self, terms: &mut Terms, expr: ExprId) -> TermId {
        let variables = self.uses.defines[expr].clone();
        if variables.iter().any(|var| self.monitored.contains(var)) {
            return terms.bool(true);
        }
        let mut any = Vec::new();
        for (user, position) in self.uses.users[expr].clone() {
            any.push(match self.system.exprs[user].kind {
                ExprKind::Pre(_) if self.ends[user] => continue,
                ExprKind::Pre(_) => self.may_show_after(terms, user),
                _ => {
                    let passes = self.passes(terms, user, position);
                    let further = self.leaves(terms, user);
                    terms.all(&[passes, further])
                }
            });
        }
        for var in variables {
            for occurrence in self.uses.occurrences[var].clone() {
                any.push(self.leaves(terms, occurrence));
            }
        }
        terms.any(&any)
    }

    /// Whether the operand at a position is unmasked.
    fn passes(&mut self, terms: &mut Terms, user: ExprId, position: u8) -> TermId {
        let kind = self.system.exprs[user].kind.clone();
        let operands: Vec<ExprId> = kind.operands().collect();
        let rule = rule(self.masking, &kind, position);
        let mut literal = |terms: &mut Terms, Literal { operand, value }: Literal| {
            self.literal(terms, operands[operand as usize], value)
        };
        match rule {
            MaskingRule::Always => terms.bool(true),
            MaskingRule::When(one) => literal(terms, one),
            MaskingRule::Either(one, other) => {
                let (one, other) = (literal(terms, one), literal(terms, other));
                terms.any(&[one, other])
            }
            MaskingRule::Differ(a, b) => {
                let (a, b) = (operands[a as usize], operands[b as usize]);
                let (value_a, value_b) =
                    (self.encoder.value(terms, a), self.encoder.value(terms, b));
                let differ = terms.binary(BinaryOp::Ne, value_a, value_b);
                let (certain_a, certain_b) = (self.certain(terms, a), self.certain(terms, b));
                terms.all(&[certain_a, certain_b, differ])
            }
            MaskingRule::FirstStep => self.encoder.first(),
            MaskingRule::LaterSteps => terms.not(self.encoder.first()),
        }
    }
}

/// The tags of one obligation.
struct Tags<'g, 'a> {
    goals: &'g mut Goals<'a>,
    origin: ExprId,
    base: TermId,
    /// Whether tags of earlier steps wait in delays.
    waiting: bool,
    cone: IndexVec<ExprId, bool>,
    known: FxHashMap<ExprId, TermId>,
}

impl<'g, 'a> Tags<'g, 'a> {
    fn new(goals: &'g mut Goals<'a>, origin: ExprId, base: TermId, waiting: bool) -> Self {
        let cone = goals.uses.cone(origin, &goals.ends);
        Tags { goals, origin, base, waiting, cone, known: FxHashMap::default() }
    }

    /// Whether a tag is at a monitored variable.
    fn visible(&mut self, terms: &mut Terms) -> TermId {
        let mut goal = terms.bool(false);
        for var in self.goals.monitored.clone() {
            let root = self.goals.encoder.definition(var).expect("inputs are not monitored");
            let tag = self.tag(terms, root);
            goal = terms.any(&[goal, tag]);
        }
        goal
    }

    /// Whether a tag is at a monitored variable, or will wait in a delay from which it may become
    /// visible.
    fn visible_or_delayed(&mut self, terms: &mut Terms) -> TermId {
        let mut goal = self.visible(terms);
        for (pre, operand) in self.open_delays() {
            let waits = self.waits_after(terms, pre, operand);
            goal = terms.any(&[goal, waits]);
        }
        goal
    }

    /// The delays that do not lose tags in every state, and what they delay.
    fn open_delays(&self) -> Vec<(ExprId, ExprId)> {
        let operand = |pre: ExprId| match self.goals.system.exprs[pre].kind {
            ExprKind::Pre(operand) if !self.goals.ends[pre] => Some((pre, operand)),
            _ => None,
        };
        delays(self.goals.system).into_iter().filter_map(operand).collect()
    }

    /// Whether a tag goes into a delay in this step and is not lost there.
    fn waits_after(&mut self, terms: &mut Terms, pre: ExprId, operand: ExprId) -> TermId {
        let tag = self.tag(terms, operand);
        if terms.is_bool(tag, false) {
            return tag;
        }
        let in_region = self.goals.may_show_after(terms, pre);
        terms.all(&[tag, in_region])
    }

    /// Whether a tag is at an expression in this step.
    fn tag(&mut self, terms: &mut Terms, expr: ExprId) -> TermId {
        if !self.cone[expr] {
            return terms.bool(false);
        }
        if let Some(&known) = self.known.get(&expr) {
            return known;
        }
        let tag = stacker::maybe_grow(64 << 10, 1 << 20, || self.tag_here(terms, expr));
        self.known.insert(expr, tag);
        tag
    }

    fn tag_here(&mut self, terms: &mut Terms, expr: ExprId) -> TermId {
        let kind = self.goals.system.exprs[expr].kind.clone();
        let arriving = match kind {
            ExprKind::Const(_) => terms.bool(false),
            ExprKind::Var(var) => match self.goals.encoder.definition(var) {
                Some(root) => self.tag(terms, root),
                None => terms.bool(false),
            },
            ExprKind::Pre(operand)
                if self.waiting && self.cone[operand] && !self.goals.ends[expr] =>
            {
                terms.symbol(&name(expr), Sort::Bool)
            }
            ExprKind::Pre(_) => terms.bool(false),
            _ => {
                let mut any = terms.bool(false);
                for (position, operand) in kind.operands().enumerate() {
                    let tag = self.tag(terms, operand);
                    if terms.value(tag) == Some(&Value::Bool(false)) {
                        continue;
                    }
                    let passes = self.goals.passes(terms, expr, position as u8);
                    let both = terms.all(&[tag, passes]);
                    any = terms.any(&[any, both]);
                }
                any
            }
        };
        if expr == self.origin { terms.any(&[arriving, self.base]) } else { arriving }
    }

    fn state_var(&mut self, terms: &mut Terms, symbol: TermId) -> Option<StateVar> {
        if let Term::Symbol(id) = terms.get(symbol)
            && let Some(pre) = waiting_at(&terms.symbol_of(*id).name)
            && let ExprKind::Pre(operand) = self.goals.system.exprs[pre].kind
        {
            let next = self.tag(terms, operand);
            return Some(StateVar { symbol, initial: Some(Value::Bool(false)), next });
        }
        self.goals.encoder.state_var(terms, symbol)
    }
}

/// Whether the state is in a region, given what delays remember in it.
fn in_region(
    terms: &mut Terms,
    region: &Region,
    mut memory: impl FnMut(&mut Terms, ExprId) -> TermId,
) -> TermId {
    let Region::Where(memories) = region else { return terms.bool(false) };
    let mut all = Vec::with_capacity(memories.len());
    for (delay, values) in memories {
        let memory = memory(terms, *delay);
        all.push(one_of(terms, memory, values));
    }
    terms.all(&all)
}

fn one_of(terms: &mut Terms, memory: TermId, values: &[Value]) -> TermId {
    let mut any = Vec::with_capacity(values.len());
    for value in values {
        let value = literal(terms, value).expect("regions are about known values");
        any.push(terms.eq(memory, value));
    }
    terms.any(&any)
}

/// The negated guard of a lemma, and what it says where a truth value is as the guard wants.
pub(crate) fn guarded(terms: &Terms, lemma: TermId) -> Option<(TermId, TermId)> {
    let is_literal = |term: TermId| match *terms.get(term) {
        Term::Symbol(_) => true,
        Term::Unary(UnaryOp::Not, a) => matches!(terms.get(a), Term::Symbol(_)),
        _ => false,
    };
    match *terms.get(lemma) {
        Term::Binary(BinaryOp::Or, a, b) if is_literal(a) && !is_literal(b) => Some((a, b)),
        Term::Binary(BinaryOp::Or, a, b) if is_literal(b) && !is_literal(a) => Some((b, a)),
        _ => None,
    }
}

/// The symbol that says whether a tag waits in a `pre`.
fn name(pre: ExprId) -> String {
    format!("tag:{}", provoke_base::index::Id::index(pre))
}

fn waiting_at(name: &str) -> Option<ExprId> {
    name.strip_prefix("tag:")?.parse().ok().map(provoke_base::index::Id::new)
}
