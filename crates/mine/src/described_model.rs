//! A model in Lustre as a program to be mined: the C code that Provoke writes for it.

use std::path::Path;

use provoke_base::Error;
use provoke_codegen::{CodeOptions, generate, library};
use provoke_model::{System, Type, VarId};

use crate::target::{
    EntryKind, MineTargetFile, ProgramEntry, ProgramSource, Variable, VariableType,
};

/// The target with the model's code in place of the model.
pub(crate) fn as_program(
    target: &MineTargetFile,
    model: &Path,
    build: &Path,
) -> Result<MineTargetFile, Error> {
    let provoke_files::Model { file, system } =
        provoke_files::model(model, target.program.main.as_deref(), &[])?;
    let options = CodeOptions::default();
    let code =
        generate(&system, Some(&file), &options).map_err(|found| Error::in_text(&file, found))?;
    provoke_files::make_folder(build)?;
    let absolute = std::path::absolute(build).unwrap_or_else(|_| build.to_path_buf());
    let written = [
        (format!("{}.h", code.name), code.header.clone()),
        (format!("{}.c", code.name), code.source.clone()),
        (format!("{}_library.c", code.name), library(&system, &code)),
    ];
    let file_of =
        |(name, text): &(String, String)| (absolute.join(name), text.clone().into_bytes());
    provoke_files::write_together(&written.each_ref().map(file_of))?;
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
    Ok(MineTargetFile {
        program: ProgramSource {
            sources: vec![path(&written[2].0), path(&written[1].0)],
            ..ProgramSource::default()
        },
        entry: ProgramEntry { kind: EntryKind::Words, ..ProgramEntry::default() },
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
        Type::Bool => variable.ty = Some(VariableType::Bool),
        Type::Int => {
            variable.ty = Some(VariableType::Int);
            let bounds = var.range.as_ref().and_then(|r| Some([r.low.to_i64()?, r.high.to_i64()?]));
            variable.range = bounds;
        }
        Type::Real => variable.ty = Some(VariableType::Real),
        Type::Enum(id) => variable.constants.clone_from(&system.enums[id].constants),
    }
    variable
}
