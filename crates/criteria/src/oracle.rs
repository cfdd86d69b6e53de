//! The variables whose values a test compares.

use provoke_model::{System, VarId};

/// Which variables are monitored.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Oracle {
    /// The outputs.
    #[default]
    Outputs,
    /// Every variable.
    Maximum,
    /// These.
    Chosen(Vec<VarId>),
}

impl Oracle {
    /// The oracle of the variables called so, or the first name that none has.
    pub fn named<'n>(
        system: &System,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<Oracle, String> {
        let find = |name: &'n str| system.var_named(name).ok_or_else(|| name.to_owned());
        names.into_iter().map(find).collect::<Result<_, _>>().map(Oracle::Chosen)
    }

    /// The monitored variables; inputs are left out, since nothing can change them.
    pub fn monitored(&self, system: &System) -> Vec<VarId> {
        let computed = |var: &VarId| !system.vars[*var].role.is_from_outside();
        match self {
            Oracle::Outputs => system.outputs.clone(),
            Oracle::Maximum => system.vars.ids().filter(computed).collect(),
            Oracle::Chosen(vars) => vars.iter().copied().filter(computed).collect(),
        }
    }
}
