//! All functions of the code, written one after the other. Instances of a node share a function where
//! its text is the same.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use provoke_model::{FixedValue, InstanceId, IntWidth, Origin, Type, VarId};

use crate::functions::Function;
use crate::interface::Interface;
use crate::layout::folded;
use crate::names::{Names, identifier};
use crate::notation::{literal, type_name};
use crate::step::{Callee, Context, StepWriter, place};
use crate::support::Support;

/// Stands for the name of a function in its own text.
const SELF: &str = "$self";

/// What the functions of a system are in C.
#[derive(Default)]
pub(crate) struct Source {
    /// The types of what node functions remember, for the header.
    pub(crate) states: String,
    /// The members of the main node's state.
    pub(crate) members: String,
    /// The node functions.
    pub(crate) nodes: String,
    /// The body of the main node's `reset`.
    pub(crate) reset: String,
    /// The body of the main node's `step`.
    pub(crate) step: String,
    /// What all of them call.
    pub(crate) support: BTreeSet<(Support, IntWidth)>,
}

/// A function as text, in which it is called [`SELF`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Text {
    members: String,
    reset: String,
    head: String,
    body: String,
}

impl Source {
    /// Writes functions that each come after those they call; the last one is the main node's.
    pub(crate) fn new(
        context: Context<'_>,
        functions: &[Function],
        [inputs, outputs]: [&Interface; 2],
        names: &mut Names,
    ) -> Source {
        let mut source = Source::default();
        let mut callees: BTreeMap<InstanceId, Callee> = BTreeMap::new();
        let mut known: BTreeMap<Text, String> = BTreeMap::new();
        let (main, nodes) = functions.split_last().expect("a system has a main node");
        for function in nodes {
            let mut writer = StepWriter::new(context, names, function, &callees, BTreeMap::new());
            let text = node(&mut writer, context, function, &callees, names);
            source.support.append(&mut writer.support);
            let name = match known.get(&text) {
                Some(name) => name.clone(),
                None => {
                    let name = source.add_node(context, function, &text, names);
                    known.insert(text.clone(), name.clone());
                    name
                }
            };
            let state = (!text.members.is_empty()).then(|| format!("{name}_state"));
            let (parameters, results) = (function.parameters.clone(), function.results.clone());
            callees.insert(function.instance, Callee { name, state, parameters, results });
        }
        source.add_main(context, main, [inputs, outputs], &callees, names);
        source
    }

    /// Gives a function its name, and adds it to the others.
    fn add_node(
        &mut self,
        context: Context<'_>,
        function: &Function,
        text: &Text,
        names: &mut Names,
    ) -> String {
        let node = &context.system.instances[function.instance].node;
        let wanted = format!("{}_{}", names.model, identifier(node));
        let name = names.taken.unused_family(&wanted, &["state", "reset"]);
        if !text.members.is_empty() {
            let _ = write!(
                self.states,
                "/* What {name} remembers. */\ntypedef struct {{\n{}}} {name}_state;\n\n",
                text.members
            );
            let _ = write!(
                self.nodes,
                "static void {name}_reset({name}_state *state)\n{{\n{}}}\n\n",
                text.reset
            );
        }
        let about = crate::comment_safe(node);
        let declared = context
            .system
            .vars
            .iter()
            .find(|var| var.instance == function.instance && var.origin == Origin::Declared);
        let line = declared.zip(context.file).map(|(var, file)| place(file, var.span));
        let line = line.map_or(String::new(), |line| format!(", {line}"));
        let head = folded(0, &text.head.replace(SELF, &name));
        let _ = write!(self.nodes, "/* Node {about}{line} */\n{head}{}\n", text.body);
        name
    }

    fn add_main(
        &mut self,
        context: Context<'_>,
        main: &Function,
        [inputs, outputs]: [&Interface; 2],
        callees: &BTreeMap<InstanceId, Callee>,
        names: &Names,
    ) {
        let place = |path: &String| format!("in->{path}");
        let places = inputs.fields.iter().map(|field| (field.var, place(&field.name))).collect();
        let mut writer = StepWriter::new(context, names, main, callees, places);
        writer.write();
        writer.blank_line();
        for field in &outputs.fields {
            let value = writer.result(field.var);
            writer.add(&format!("out->{} = {value};", field.name));
        }
        writer.memory.first = true;
        self.step = writer.remember(true);
        for side in ["in", "out"] {
            if !self.step.contains(&format!("{side}->")) {
                self.step.insert_str(0, &format!("    (void){side};\n"));
            }
        }
        (self.members, self.reset) = state(&writer, context, callees, names);
        self.support.append(&mut writer.support);
    }
}

/// A node's function, its memory and how that is reset.
fn node(
    writer: &mut StepWriter<'_>,
    context: Context<'_>,
    function: &Function,
    callees: &BTreeMap<InstanceId, Callee>,
    names: &Names,
) -> Text {
    let (members, reset) = state(writer, context, callees, names);
    let mut parameters = Vec::new();
    if !members.is_empty() {
        parameters.push(format!("{SELF}_state *state"));
    }
    parameters.extend(writer.parameters());
    writer.write();
    let mut returned = ("void".to_string(), String::new());
    if let [result] = function.results.as_slice() {
        returned = (writer.type_of(*result), format!("    return {};\n", writer.result(*result)));
    } else {
        for &result in &function.results {
            let value = writer.result(result);
            let pointer = writer.new_name(&format!("{value}_out"));
            parameters.push(format!("{} *{pointer}", writer.type_of(result)));
            writer.add(&format!("*{pointer} = {value};"));
        }
    }
    let body = writer.remember(writer.memory.first);
    let (ty, last) = returned;
    let list = if parameters.is_empty() { "void".to_string() } else { parameters.join(", ") };
    let head = format!("static {ty} {SELF}({list})");
    Text { members, reset, head, body: format!("{{\n{body}{last}}}\n") }
}

/// The members of a function's memory, and how they are reset.
fn state(
    writer: &StepWriter<'_>,
    context: Context<'_>,
    callees: &BTreeMap<InstanceId, Callee>,
    names: &Names,
) -> (String, String) {
    let (mut members, mut reset) = (String::new(), String::new());
    if writer.memory.first {
        members.push_str("    bool first;\n");
        reset.push_str("    state->first = true;\n");
    }
    for slot in &writer.memory.slots {
        let ty = type_name(slot.ty, context.widths.exprs[slot.operand], names, context.options);
        let _ = writeln!(members, "    {ty} {};", slot.field);
        let zero = match slot.ty {
            Type::Enum(id) if names.constants[id].is_empty() => format!("{}_none", names.enums[id]),
            ty => literal(FixedValue::zero(ty), ty, names, context.options),
        };
        let _ = writeln!(reset, "    state->{} = {zero};", slot.field);
    }
    for (instance, field) in &writer.inner {
        let callee = &callees[instance];
        if let Some(ty) = &callee.state {
            let _ = writeln!(members, "    {ty} {field};");
            let _ = writeln!(reset, "    {}_reset(&state->{field});", callee.name);
        }
    }
    (members, reset)
}

/// The definitions of a system's variables.
pub(crate) fn definitions(
    system: &provoke_model::System,
) -> BTreeMap<VarId, provoke_model::ExprId> {
    system.equations.iter().map(|equation| (equation.var, equation.expr)).collect()
}
