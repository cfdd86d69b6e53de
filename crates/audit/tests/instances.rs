//! Instances are expanded from the tree; the names must be those of the flat system all the same.

mod support;

use std::collections::BTreeMap;

use support::{file, model, models};

#[test]
fn names_are_those_of_the_flat_system() {
    let mut compared = 0;
    for path in models() {
        let file = file(&path);
        let Some(system) = provoke_lustre::load(&file, None).system else { continue };
        let model = model(&file);
        // A flat system has at least one variable, even if nobody declared any.
        if model.vars.is_empty() {
            continue;
        }
        let here = path.display();
        let flat: BTreeMap<&str, _> = system
            .vars
            .iter()
            .map(|var| (var.name.as_str(), (var.ty, var.range.clone())))
            .collect();
        for var in model.vars.iter() {
            let found = flat.get(var.name.as_str());
            assert_eq!(found, Some(&(var.ty, var.range.clone())), "{here}: {}", var.name);
        }
        for name in flat.keys() {
            assert!(model.named(name).is_some(), "{here}: {name} is missing");
        }
        let paths = |paths: &mut dyn Iterator<Item = String>| -> Vec<String> { paths.collect() };
        assert_eq!(
            paths(&mut model.instances.iter().map(|instance| instance.path.clone())),
            paths(&mut system.instances.iter().map(|instance| instance.path.clone())),
            "{here}"
        );
        assert_eq!(
            paths(&mut model.properties.iter().map(|promise| promise.name.clone())),
            paths(&mut system.properties.iter().map(|property| property.name.clone())),
            "{here}"
        );
        assert_eq!(
            model.assertions.iter().map(|promise| promise.span).collect::<Vec<_>>(),
            system.assumptions.iter().map(|assumption| assumption.span).collect::<Vec<_>>(),
            "{here}"
        );
        compared += 1;
    }
    assert!(compared >= 20, "only {compared} models");
}
