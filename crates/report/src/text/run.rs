//! What came of a suite on a target.

use provoke_base::table::aligned;
use provoke_results::Run;

/// How many interactions have which verdict.
pub fn run(result: &Run) -> String {
    let Run { interactions, passed, failed, inconclusive, error, mode, target, .. } = result;
    let mut text = format!("{target}: {} tests, {mode}\n", result.tests.len());
    let heads = ["interactions", "pass", "fail", "inconclusive", "error"].map(String::from);
    let counts = [interactions, passed, failed, inconclusive, error].map(|count| count.to_string());
    text += &aligned(&[heads.to_vec(), counts.to_vec()]);
    let all = result.tests.iter().flat_map(|test| &test.interactions);
    let elsewhere = all.filter(|interaction| interaction.exercised == Some(false)).count();
    if elsewhere > 0 {
        text += &format!("{elsewhere} interactions read other inputs than their test wants\n");
    }
    text
}
