//! What a suite covers of generated C.

mod support;

use support::{json, provoke, scratch};

/// A model whose function divides, so that the code has conditions that the model does not have.
const SHARES: &str = "node share(x : int; on : bool) returns (y : int);\nlet\n  \
                      y = if on and x > 3 then x div 2 else 0;\ntel;\n";

#[test]
#[ignore = "needs clang-19; run by make clang"]
fn coverage_of_the_code_is_told_by_lines_of_both() {
    let folder = scratch("code-coverage");
    let out = folder.to_str().unwrap();
    let (model, suite) = (folder.join("share.lus"), folder.join("tests.csv"));
    std::fs::write(&model, SHARES).unwrap();
    std::fs::write(&suite, "x,on\n5,1\n5,0\n").unwrap();
    let (model, suite) = (model.to_str().unwrap(), suite.to_str().unwrap());
    let asked = ["codegen", model, "--suite", suite, "--coverage", "-o", out];
    let result = json(&asked, 0);
    let coverage = &result["coverage"];
    assert_eq!(coverage["passed"], true);
    let gaps = coverage["gaps"].as_array().unwrap();
    let of = |condition: &str| gaps.iter().find(|gap| gap["condition"] == condition);
    let compared = of("in->x > 3").expect("it is never false");
    assert_eq!((&compared["lack"], &compared["model_line"]), (&"never false".into(), &3.into()));
    assert_eq!(compared["reason"], serde_json::Value::Null);
    let guard = of("b == -1").expect("nothing is divided by -1");
    assert_eq!(guard["function"], "share_div");
    assert!(guard["reason"].as_str().unwrap().starts_with("guards a division"));
    let required = [&asked[..], &["--require", "90%"]].concat();
    assert_eq!(provoke(&required).code, 1);
    assert_eq!(provoke(&[&asked[..], &["--require", "10%"]].concat()).code, 0);
}
