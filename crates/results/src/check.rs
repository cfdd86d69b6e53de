//! What `check` says of a model.

use provoke_base::diagnostic::Label;
use provoke_base::{Diagnostic, SourceFile, Span};
use provoke_model::{System, Type, VarId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::contract::Schema;
use crate::word::{AssumptionsWord, SeverityWord, Word};

/// A model's interface and what there is to say about it.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Check {
    /// The name of the contract.
    pub schema: Schema<Check>,
    /// The file's name.
    pub model: String,
    /// Whether the model can be used.
    pub ok: bool,
    /// The main node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub main: Option<String>,
    /// What the environment sets.
    pub inputs: Vec<SignalResult>,
    /// What the environment sees.
    pub outputs: Vec<SignalResult>,
    /// How many other variables there are.
    pub locals: usize,
    /// How many equations there are.
    pub equations: usize,
    /// How many values are remembered from one step to the next.
    pub delays: usize,
    /// How many node instances there are, the main one included.
    pub instances: usize,
    /// How many assumptions there are.
    pub assumptions: usize,
    /// What they do to the runs of the model; absent where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumption_analysis: Option<AssumptionsResult>,
    /// The names of the properties.
    pub properties: Vec<String>,
    /// Errors, then warnings.
    pub diagnostics: Vec<DiagnosticResult>,
}

impl Check {
    /// Describes a model that was read, or could not be.
    pub fn new(file: &SourceFile, system: Option<&System>, found: &[Diagnostic]) -> Check {
        let empty = System::default();
        let known = system.unwrap_or(&empty);
        let is_delay =
            |kind: &provoke_model::ExprKind| matches!(kind, provoke_model::ExprKind::Pre(_));
        Check {
            schema: Schema::default(),
            model: file.name.clone(),
            ok: system.is_some(),
            main: system.map(|system| system.name.clone()),
            inputs: signals(known, &known.inputs),
            outputs: signals(known, &known.outputs),
            locals: known.vars.len() - known.inputs.len() - known.outputs.len(),
            equations: known.equations.len(),
            delays: known.exprs.iter().filter(|expr| is_delay(&expr.kind)).count(),
            instances: known.instances.len(),
            assumptions: known.assumptions.len(),
            assumption_analysis: None,
            properties: known.properties.iter().map(|property| property.name.clone()).collect(),
            diagnostics: found.iter().map(|d| DiagnosticResult::new(file, d)).collect(),
        }
    }
}

/// What assumptions do to the runs of a model.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Eq)]
pub struct AssumptionsResult {
    /// Whether runs can go on.
    pub verdict: AssumptionsWord,
    /// How many steps lead to a dead end, or were searched for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub steps: Option<usize>,
    /// Why they were not analysed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl AssumptionsResult {
    /// No input leads on after so many steps of a run.
    pub fn dead_end(steps: usize) -> AssumptionsResult {
        AssumptionsResult { verdict: AssumptionsWord::RunsEnd, steps: Some(steps), reason: None }
    }

    /// No run comes to a dead end; of those that were searched, in so many steps.
    pub fn no_dead_end(steps: Option<usize>) -> AssumptionsResult {
        let verdict = match steps {
            None => AssumptionsWord::NoDeadEnd,
            Some(0) => AssumptionsWord::NotDecided,
            Some(_) => AssumptionsWord::NoDeadEndFound,
        };
        AssumptionsResult { verdict, steps: steps.filter(|steps| *steps > 0), reason: None }
    }

    /// They exclude every run.
    pub fn no_run() -> AssumptionsResult {
        AssumptionsResult { verdict: AssumptionsWord::NoRun, steps: None, reason: None }
    }

    /// What is needed to analyse them is missing.
    pub fn missing(reason: &str) -> AssumptionsResult {
        let (verdict, reason) = (AssumptionsWord::NotAnalysed, Some(reason.to_string()));
        AssumptionsResult { verdict, steps: None, reason }
    }
}

/// A variable with its type as text.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct SignalResult {
    /// The variable's name.
    pub name: String,
    /// `bool`, `int`, `real`, `subrange [0, 9] of int` or `enum {A, B}`.
    #[serde(rename = "type")]
    pub ty: String,
}

fn signals(system: &System, vars: &[VarId]) -> Vec<SignalResult> {
    vars.iter().map(|var| SignalResult::new(system, *var)).collect()
}

impl SignalResult {
    /// Describes a variable.
    pub fn new(system: &System, var: VarId) -> SignalResult {
        let var = &system.vars[var];
        let ty = match (&var.range, var.ty) {
            _ if var.machine.is_some() => var.machine.map_or_else(String::new, |ty| ty.to_string()),
            (Some(range), _) => format!("subrange [{}, {}] of int", range.low, range.high),
            (None, Type::Bool) => "bool".to_string(),
            (None, Type::Int) => "int".to_string(),
            (None, Type::Real) => "real".to_string(),
            (None, Type::Enum(id)) => {
                format!("enum {{{}}}", system.enums[id].constants.join(", "))
            }
        };
        SignalResult { name: var.name.clone(), ty }
    }
}

/// A message about a source file.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct DiagnosticResult {
    /// How grave it is.
    pub severity: SeverityWord,
    /// A stable word for the kind of message.
    pub code: String,
    /// What was found.
    pub message: String,
    /// Where it starts and ends.
    #[serde(flatten)]
    pub place: Place,
    /// What was expected there.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Other places that matter.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
    /// What to do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

impl DiagnosticResult {
    /// The message with its places counted in lines and columns.
    pub fn new(file: &SourceFile, diagnostic: &Diagnostic) -> DiagnosticResult {
        let related = |label: &Label| Related {
            message: label.text.clone(),
            place: Place::new(file, label.span),
        };
        DiagnosticResult {
            severity: SeverityWord::of(diagnostic.severity.word()),
            code: diagnostic.code.to_string(),
            message: diagnostic.message.clone(),
            place: Place::new(file, diagnostic.primary.span),
            label: diagnostic.primary.text.clone(),
            related: diagnostic.secondary.iter().map(related).collect(),
            help: diagnostic.help.clone(),
        }
    }
}

/// A further place of a message.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug)]
pub struct Related {
    /// What is to be said of it.
    pub message: String,
    /// The place.
    #[serde(flatten)]
    pub place: Place,
}

/// A place in a file, counted from 1.
#[derive(Serialize, Deserialize, JsonSchema, Clone, PartialEq, Debug, Copy)]
pub struct Place {
    /// The line it starts on.
    pub line: usize,
    /// The column it starts at.
    pub column: usize,
    /// The line it ends on.
    pub end_line: usize,
    /// The column behind it.
    pub end_column: usize,
}

impl Place {
    /// The lines and columns of a span.
    pub fn new(file: &SourceFile, span: Span) -> Place {
        let (start, end) = (file.line_column(span.start), file.line_column(span.end));
        Place { line: start.line, column: start.column, end_line: end.line, end_column: end.column }
    }
}
