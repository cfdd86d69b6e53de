//! Traces computed by an independent implementation are reproduced, value by value.

mod support;

use support::provoke;

#[test]
fn reference_traces_are_reproduced() {
    let Some(golden) = provoke_testkit::shared("golden") else { return };
    let Some(models) = provoke_testkit::shared("models/lustre") else { return };
    let mut compared = 0;
    for trace in provoke_testkit::files(&golden, "csv") {
        let stem = trace.file_stem().expect("a file").to_string_lossy().into_owned() + ".lus";
        let folders = ["single_node", "multi_node", "jkind"];
        let candidates = folders.iter().map(|folder| models.join(folder).join(&stem));
        let model = candidates.into_iter().find(|path| path.exists()).expect("a model");
        let (model, trace) = (model.to_str().unwrap(), trace.to_str().unwrap());
        let ran = provoke(&["simulate", model, "-i", trace, "--expect", trace]);
        assert_eq!(ran.code, 0, "{stem}: {}{}", ran.stdout, ran.stderr);
        compared += 1;
    }
    assert!(compared >= 50, "only {compared} traces");
}
