//! The equations that track observability inside a model, as the published tool adds them:
//! which variable is used unmasked by which, which is observed, and where the token may go
//! (seed 004, 3.4.1 and 3.4.2).
//!
//! For reading and for comparing with the papers. They are written out per occurrence, so a
//! system with much sharing gives long formulas; measurement does not use them.

use std::fmt::Write;

use provoke_model::{ExprId, ExprKind, System, VarId};

use crate::formula::Formula;
use crate::masking::{Masking, rule};
use crate::oracle::Oracle;

/// `name = formula;`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TrackingEquation {
    /// The variable that is introduced.
    pub name: String,
    /// Its definition.
    pub formula: Formula,
}

impl TrackingEquation {
    /// The line as Lustre text.
    pub fn show(&self, system: &System) -> String {
        format!("{} = {};", self.name, self.formula.show(system))
    }
}

/// A use of what carries tags (a variable, or a `pre` that is only part of an equation), with
/// the rules on the way to what uses it.
#[derive(Clone, Debug)]
struct Usage {
    carrier: String,
    formula: Formula,
}

/// A place where a token can be: a variable that is a delay as a whole, or a lone `pre`.
#[derive(Clone, Debug)]
struct Location {
    name: String,
    /// What is used by the operand of the `pre`.
    uses: Vec<Usage>,
}

/// An equation with what it uses in the same step.
#[derive(Clone, Debug)]
struct Definition {
    name: String,
    uses: Vec<Usage>,
}

/// The tracking equations of a system.
#[derive(Clone, Debug)]
pub struct TrackingEquations {
    definitions: Vec<Definition>,
    locations: Vec<Location>,
    monitored: Vec<String>,
}

impl TrackingEquations {
    /// The tracking equations for an oracle and a reading of masking.
    pub fn new(system: &System, masking: Masking, oracle: &Oracle) -> TrackingEquations {
        let mut tracking = TrackingEquations {
            definitions: Vec::new(),
            locations: Vec::new(),
            monitored: Vec::new(),
        };
        let mut equations = system.equations.clone();
        // As they are written, not as they are computed.
        equations.sort_by_key(|equation| system.exprs[equation.expr].span.start);
        for equation in equations {
            tracking.add_equation(system, masking, equation.var, equation.expr);
        }
        let name = |var: VarId| system.vars[var].name.clone();
        tracking.monitored = oracle.monitored(system).into_iter().map(name).collect();
        tracking
    }

    fn add_equation(&mut self, system: &System, masking: Masking, var: VarId, root: ExprId) {
        let name = system.vars[var].name.clone();
        let whole = whole_delay(system, root);
        let mut walk = Walk { system, masking, name: &name, whole, unnamed: 0, delays: Vec::new() };
        let uses = walk.uses(root);
        let mut open = std::mem::take(&mut walk.delays);
        // Delays inside delays are found on the way.
        let mut locations = Vec::new();
        while !open.is_empty() {
            let (location, operand) = open.remove(0);
            walk.delays = Vec::new();
            let uses = walk.uses(operand);
            open.append(&mut walk.delays);
            // Two occurrences of `pre x` remember the same.
            if locations.iter().all(|known: &Location| known.name != location) {
                locations.push(Location { name: location, uses });
            }
        }
        self.locations.extend(locations);
        self.definitions.push(Definition { name, uses });
    }

    /// `x_COMB_USED_BY_y`: x is unmasked in the equation of y (seed 004, figure 5).
    pub fn used_by(&self) -> Vec<TrackingEquation> {
        let lines = self.definitions.iter().flat_map(|definition| {
            definition.uses.iter().map(|usage| TrackingEquation {
                name: comb_used_by(&usage.carrier, &definition.name),
                formula: usage.formula.clone(),
            })
        });
        lines.collect()
    }

    /// `x_COMB_OBSERVED`: x reaches a monitored variable in the same step (figure 5).
    pub fn observed(&self) -> Vec<TrackingEquation> {
        let mut lines: Vec<TrackingEquation> = Vec::new();
        for name in &self.monitored {
            let formula = Formula::Constant(true);
            lines.push(TrackingEquation { name: comb_observed(name), formula });
        }
        for carrier in self.carriers() {
            if !self.monitored.contains(&carrier) {
                let formula = self.observation(&carrier);
                lines.push(TrackingEquation { name: comb_observed(&carrier), formula });
            }
        }
        lines
    }

    fn observation(&self, carrier: &str) -> Formula {
        let users = self.definitions.iter().filter(|d| d.uses.iter().any(|u| u.carrier == carrier));
        Formula::any(users.map(|user| {
            Formula::all([
                Formula::Named(comb_used_by(carrier, &user.name)),
                Formula::Named(comb_observed(&user.name)),
            ])
        }))
    }

    /// All that carries tags, in the order of first use, then what is never used.
    fn carriers(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let in_equations = self.definitions.iter().flat_map(|definition| &definition.uses);
        let in_delays = self.locations.iter().flat_map(|location| &location.uses);
        let used = in_equations.chain(in_delays).map(|usage| &usage.carrier);
        let defined = self.definitions.iter().map(|definition| &definition.name);
        for name in used.chain(defined) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// `x_SEQ_USED_BY_d`: x reaches the delay d in the same step (seed 004, figure 7): first
    /// what the delays use themselves, then what that uses.
    pub fn used_by_delay(&self) -> Vec<TrackingEquation> {
        let mut direct = Vec::new();
        let mut derived = Vec::new();
        for location in &self.locations {
            for (carrier, formula, is_direct) in self.feeders(location) {
                let name = seq_used_by(&carrier, &location.name);
                let lines = if is_direct { &mut direct } else { &mut derived };
                lines.push(TrackingEquation { name, formula });
            }
        }
        direct.append(&mut derived);
        direct
    }

    /// What reaches a delay in the same step, nearest first, and whether the delay uses it
    /// itself.
    fn feeders(&self, location: &Location) -> Vec<(String, Formula, bool)> {
        let direct = |usage: &Usage| (usage.carrier.clone(), usage.formula.clone(), true);
        let mut found: Vec<(String, Formula, bool)> = location.uses.iter().map(direct).collect();
        let mut next = 0;
        while next < found.len() {
            let via = found[next].0.clone();
            next += 1;
            for usage in self.uses_of(&via) {
                let step = Formula::all([
                    Formula::Named(comb_used_by(&usage.carrier, &via)),
                    Formula::Named(seq_used_by(&via, &location.name)),
                ]);
                match found.iter_mut().find(|(carrier, ..)| *carrier == usage.carrier) {
                    Some((_, formula, _)) => *formula = Formula::any([formula.clone(), step]),
                    None => found.push((usage.carrier.clone(), step, false)),
                }
            }
        }
        found
    }

    fn uses_of(&self, name: &str) -> &[Usage] {
        let definition = self.definitions.iter().find(|definition| definition.name == name);
        definition.map_or(&[], |definition| &definition.uses)
    }

    /// The token machine (seed 004, figure 9): from each delay to a monitored variable, to
    /// another delay, or to the error state.
    pub fn token(&self) -> String {
        let mut text = String::from("token_next = ");
        let fixed = [
            ("TOKEN_INIT_STATE", "token_first"),
            ("TOKEN_ERROR_STATE", "TOKEN_ERROR_STATE"),
            ("TOKEN_OUTPUT_STATE", "TOKEN_OUTPUT_STATE"),
        ];
        for (state, next) in fixed {
            write!(text, "(if ((pre token) = {state}) then {next}\n  else ").expect("a string");
        }
        for (index, location) in self.locations.iter().enumerate() {
            let step = self.token_step(location);
            let place = index + 1;
            write!(text, "(if ((pre token) = TOKEN_D{place}) then\n    {step}\n  else ")
                .expect("a string");
        }
        text.push_str("TOKEN_ERROR_STATE");
        text.push_str(&")".repeat(fixed.len() + self.locations.len()));
        text.push(';');
        text
    }

    fn token_step(&self, from: &Location) -> String {
        let mut text =
            format!("(if {} then TOKEN_OUTPUT_STATE\n    else ", comb_observed(&from.name));
        let mut open = 1;
        for (index, to) in self.locations.iter().enumerate() {
            let place = index + 1;
            if self.feeders(to).iter().any(|(carrier, ..)| *carrier == from.name) {
                let used = seq_used_by(&from.name, &to.name);
                write!(
                    text,
                    "(if ((token_nondet = TOKEN_D{place}) and {used}) then TOKEN_D{place} else "
                )
                .expect("a string");
                open += 1;
            }
        }
        text + "TOKEN_ERROR_STATE" + &")".repeat(open)
    }
}

fn comb_used_by(carrier: &str, user: &str) -> String {
    format!("{carrier}_COMB_USED_BY_{user}")
}

fn comb_observed(carrier: &str) -> String {
    format!("{carrier}_COMB_OBSERVED")
}

fn seq_used_by(carrier: &str, location: &str) -> String {
    format!("{carrier}_SEQ_USED_BY_{location}")
}

/// The `pre` of an equation that is nothing but a delay: `pre e` or `i -> pre e`.
fn whole_delay(system: &System, root: ExprId) -> Option<ExprId> {
    match system.exprs[root].kind {
        ExprKind::Pre(_) => Some(root),
        ExprKind::Arrow(_, later) if matches!(system.exprs[later].kind, ExprKind::Pre(_)) => {
            Some(later)
        }
        _ => None,
    }
}

/// A walk down an equation with the rules on the way.
struct Walk<'a> {
    system: &'a System,
    masking: Masking,
    name: &'a str,
    /// The `pre` that goes by the name of the equation's variable.
    whole: Option<ExprId>,
    /// How many delays had no variable to be called after.
    unnamed: usize,
    /// The delays that were met, with what they remember.
    delays: Vec<(String, ExprId)>,
}

impl Walk<'_> {
    /// What is used under `root` in the same step, in the order of first use.
    fn uses(&mut self, root: ExprId) -> Vec<Usage> {
        let mut uses: Vec<Usage> = Vec::new();
        let mut open = vec![(root, Formula::Constant(true))];
        while let Some((expr, formula)) = open.pop() {
            match &self.system.exprs[expr].kind {
                ExprKind::Var(var) => {
                    let carrier = self.system.vars[*var].name.clone();
                    add_use(&mut uses, Usage { carrier, formula });
                }
                ExprKind::Pre(operand) => {
                    let carrier = self.delay_name(expr);
                    self.delays.push((carrier.clone(), *operand));
                    if self.whole != Some(expr) {
                        add_use(&mut uses, Usage { carrier, formula });
                    }
                }
                kind => {
                    let from = open.len();
                    for (position, operand) in kind.operands().enumerate() {
                        let step = rule(self.masking, kind, position as u8);
                        let step = Formula::of_rule(step, kind);
                        open.push((operand, Formula::all([step, formula.clone()])));
                    }
                    open[from..].reverse();
                }
            }
        }
        uses
    }

    fn delay_name(&mut self, pre: ExprId) -> String {
        if self.whole == Some(pre) {
            return self.name.to_owned();
        }
        let ExprKind::Pre(operand) = self.system.exprs[pre].kind else {
            unreachable!("asked for delays only");
        };
        match self.system.exprs[operand].kind {
            ExprKind::Var(var) => format!("pre_{}_IN_{}", self.system.vars[var].name, self.name),
            _ => {
                self.unnamed += 1;
                format!("pre_{}_IN_{}", self.unnamed, self.name)
            }
        }
    }
}

fn add_use(uses: &mut Vec<Usage>, usage: Usage) {
    match uses.iter_mut().find(|known| known.carrier == usage.carrier) {
        Some(known) => known.formula = Formula::any([known.formula.clone(), usage.formula]),
        None => uses.push(usage),
    }
}
