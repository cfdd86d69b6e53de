//! Instances are expanded from the tree; the names must be those of the flat system all the same.

use std::collections::BTreeMap;
use std::path::PathBuf;

use provoke_audit::Model;
use provoke_base::SourceFile;
use provoke_lustre::tree;
use provoke_testkit::{files, repository, shared};

/// Every Lustre file at hand that the front end reads.
fn models() -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in ["models", "testdata/ok"] {
        found.extend(files(&repository().join(folder), "lus"));
    }
    for folder in [
        "lustre/single_node",
        "lustre/multi_node",
        "lustre/jkind",
        "kind2/falsifiable",
        "kind2/success",
    ] {
        if let Some(path) = shared(&format!("models/{folder}")) {
            found.extend(files(&path, "lus"));
        }
    }
    found
}

#[test]
fn names_are_those_of_the_flat_system() {
    let mut compared = 0;
    for path in models() {
        let file = SourceFile::from_bytes("model.lus", std::fs::read(&path).expect("a file"));
        let Some(system) = provoke_lustre::load(&file, None).system else { continue };
        let tree = tree::read(&file, None, &[]).expect("what is flat is a tree");
        let model = Model::new(tree).expect("small enough");
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
