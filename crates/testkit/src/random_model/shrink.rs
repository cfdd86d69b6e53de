//! Makes a model smaller while it keeps showing what it was drawn to show.

use super::{Equation, Expr, Model, Node, Ty};

/// The smallest model that can be reached by steps of [`smaller`] for which `still` holds, with at
/// most so many tries.
pub fn smallest(model: &Model, tries: usize, still: &mut dyn FnMut(&Model) -> bool) -> Model {
    let (mut best, mut left) = (model.clone(), tries);
    let mut from = 0;
    loop {
        let candidates = smaller(&best);
        // What failed a moment ago is tried last.
        let order = (from..candidates.len()).chain(0..from.min(candidates.len()));
        let mut found = None;
        for at in order {
            if left == 0 {
                return best;
            }
            left -= 1;
            if still(&candidates[at]) {
                found = Some(at);
                break;
            }
        }
        let Some(at) = found else { return best };
        from = at;
        best = candidates[at].clone();
    }
}

/// Models that are a little smaller.
pub fn smaller(model: &Model) -> Vec<Model> {
    let mut found = Vec::new();
    for (at, node) in model.nodes.iter().enumerate() {
        let is_main = at + 1 == model.nodes.len();
        if !is_main && !calls(model, &node.name) {
            let mut fewer = model.clone();
            fewer.nodes.remove(at);
            found.push(fewer);
            continue;
        }
        for node in smaller_nodes(node, is_main) {
            let mut changed = model.clone();
            changed.nodes[at] = node;
            found.push(changed);
        }
    }
    found
}

fn calls(model: &Model, name: &str) -> bool {
    let call = format!("{name}(");
    let mut called = false;
    for node in &model.nodes {
        let exprs = node.equations.iter().map(|equation| &equation.expr).chain(&node.assertions);
        exprs.for_each(|expr| {
            expr.each(&mut |inner| called |= inner.texts.iter().any(|text| text.contains(&call)));
        });
    }
    called
}

fn smaller_nodes(node: &Node, is_main: bool) -> Vec<Node> {
    let mut found = Vec::new();
    for at in 0..node.assertions.len() {
        let mut fewer = node.clone();
        fewer.assertions.remove(at);
        found.push(fewer);
    }
    for at in 0..node.properties.len() {
        let mut fewer = node.clone();
        fewer.properties.remove(at);
        found.push(fewer);
    }
    let names = |vars: &[super::Var]| vars.iter().map(|var| var.name.clone()).collect::<Vec<_>>();
    let mut removable = names(&node.locals);
    if is_main {
        removable.extend(names(&node.inputs));
        removable.extend(names(&node.outputs));
    }
    found.extend(removable.iter().filter_map(|name| without(node, name)));
    for at in 0..node.equations.len() {
        for expr in smaller_exprs(&node.equations[at].expr) {
            let mut changed = node.clone();
            changed.equations[at].expr = expr;
            found.push(changed);
        }
    }
    for at in 0..node.assertions.len() {
        for expr in smaller_exprs(&node.assertions[at]) {
            let mut changed = node.clone();
            changed.assertions[at] = expr;
            found.push(changed);
        }
    }
    found
}

/// The node without a variable, the plainest value in its place. Not without its last input or
/// output, nor without one of several that a call defines.
fn without(node: &Node, name: &str) -> Option<Node> {
    let is_it = |var: &super::Var| var.name == name;
    let ty =
        [&node.inputs, &node.outputs, &node.locals].into_iter().flatten().find(|v| is_it(v))?;
    let plain = Expr::plain(&ty.ty);
    let mut fewer = node.clone();
    for vars in [&mut fewer.inputs, &mut fewer.outputs, &mut fewer.locals] {
        vars.retain(|var| !is_it(var));
    }
    let alone = |equation: &Equation| equation.targets.len() == 1;
    let defines = |equation: &Equation| equation.targets.iter().any(|target| target == name);
    if fewer.inputs.is_empty()
        || fewer.outputs.is_empty()
        || node.equations.iter().any(|equation| defines(equation) && !alone(equation))
    {
        return None;
    }
    fewer.equations.retain(|equation| !defines(equation));
    fewer.properties.retain(|property| property != name);
    for equation in &mut fewer.equations {
        replace(&mut equation.expr, name, &plain);
    }
    for assertion in &mut fewer.assertions {
        replace(assertion, name, &plain);
    }
    Some(fewer)
}

fn replace(expr: &mut Expr, name: &str, plain: &Expr) {
    if expr.is_var(name) {
        *expr = plain.clone();
    }
    expr.operands.iter_mut().for_each(|operand| replace(operand, name, plain));
}

/// Expressions of the same type with one part replaced by one of its operands or by something
/// plain; large steps first.
fn smaller_exprs(expr: &Expr) -> Vec<Expr> {
    let mut found = Vec::new();
    let plain = Expr::plain(&expr.ty);
    if !matches!(expr.ty, Ty::Tuple(_)) && *expr != plain {
        found.push(plain);
    }
    found.extend(expr.operands.iter().filter(|operand| operand.ty == expr.ty).cloned());
    for (at, operand) in expr.operands.iter().enumerate() {
        for smaller in smaller_exprs(operand) {
            let mut changed = expr.clone();
            changed.operands[at] = smaller;
            found.push(changed);
        }
    }
    found
}
