//! A model in Lustre as a program to be mined: the C code that Provoke writes for it.

use std::path::{Path, PathBuf};

use provoke_base::{Diagnostic, SourceFile};
use provoke_codegen::{Options, generate, library};
use provoke_mine::Target;
use provoke_mine::target::{Entry, EntryKind, Program, Variable, Word};
use provoke_model::{System, Type, VarId};

use crate::files::{make_folder, read, write_together};
use crate::mining_target::TargetFault;
use crate::model::Model;

/// The target with the model's code in place of the model.
pub(crate) fn as_program(
    target: &Target,
    model: &Path,
    build: &Path,
) -> Result<Target, TargetFault> {
    let text = read(model, SourceFile::MAX_BYTES)?;
    let file = SourceFile::from_bytes(model.display().to_string(), text);
    let rejected = |file: SourceFile, diagnostics| TargetFault::Rejected { file, diagnostics };
    let Model { file, system } = match Model::read(&file, target.program.main.as_deref(), &[]) {
        Ok(model) => model,
        Err(why) => {
            let errors = why.diagnostics.into_iter().filter(Diagnostic::is_error);
            return Err(rejected(file, errors.collect()));
        }
    };
    let code = generate(&system, Some(&file), &Options::default())
        .map_err(|found| rejected(file.clone(), found))?;
    make_folder(build)?;
    let absolute = std::path::absolute(build).unwrap_or_else(|_| build.to_path_buf());
    let written = [
        (format!("{}.h", code.name), code.header.clone()),
        (format!("{}.c", code.name), code.source.clone()),
        (format!("{}_library.c", code.name), library(&system, &code)),
    ];
    let whole = |(name, text): &(String, String)| -> (PathBuf, Vec<u8>) {
        (absolute.join(name), text.clone().into_bytes())
    };
    write_together(&written.iter().map(whole).collect::<Vec<_>>())?;
    let path = |name: &str| absolute.join(name).display().to_string();
    let given = |name: &str| target.inputs.iter().find(|input| input.name == name);
    let variable = |var: &VarId| {
        let mut variable = variable(&system, *var);
        // The file may narrow what the model leaves open.
        if let Some(given) = given(&variable.name) {
            variable.range = given.range.or(variable.range);
            variable.values.clone_from(&given.values);
        }
        variable
    };
    Ok(Target {
        program: Program {
            sources: vec![path(&written[2].0), path(&written[1].0)],
            ..Program::default()
        },
        entry: Entry { kind: EntryKind::Words, ..Entry::default() },
        inputs: system.inputs.iter().map(variable).collect(),
        outputs: system.outputs.iter().map(variable).collect(),
        search: target.search.clone(),
        limits: target.limits.clone(),
    })
}

fn variable(system: &System, var: VarId) -> Variable {
    let var = &system.vars[var];
    let mut variable = Variable { name: var.name.clone(), ..Variable::default() };
    match var.ty {
        Type::Bool => variable.ty = Some(Word::Bool),
        Type::Int => {
            variable.ty = Some(Word::Int);
            let bounds = var.range.as_ref().and_then(|r| Some([r.low.to_i64()?, r.high.to_i64()?]));
            variable.range = bounds;
        }
        Type::Real => variable.ty = Some(Word::Real),
        Type::Enum(id) => variable.constants.clone_from(&system.enums[id].constants),
    }
    variable
}
