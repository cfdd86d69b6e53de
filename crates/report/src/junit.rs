//! Evidence for continuous integration: one case for each obligation, test, question or mutant run.
//!
//! What is left open is a skipped case; only a negative answer is a failure, and what could not be
//! run is an error.

use provoke_results::{
    AnswerResult, AnswerWord, Evidence, ExpectationDifference, Generation, ObligationEvidence,
    Report, Run, StateWord, Test, TestResult, TestVerdictWord, TimedVerdict, TimedVerdictWord,
};
use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

/// How a case ended.
enum Ending {
    Passed,
    Failed(String),
    /// It could not be run.
    Erred(String),
    Skipped(String),
}

struct Case {
    class: String,
    name: String,
    ending: Ending,
}

/// JUnit XML with one suite for each run; mutants and estimates are no cases.
pub fn junit(report: &Report) -> String {
    let suites = report.evidence.iter().filter_map(evidence_cases);
    written(&report.title, suites.map(|(name, cases)| suite(name, cases)))
}

/// JUnit XML of one run on a target.
pub fn run_junit(run: &Run) -> String {
    written(&run.suite, [suite(&run.suite, run_cases(&run.suite, run))])
}

fn written(name: &str, suites: impl IntoIterator<Item = TestSuite>) -> String {
    let mut all = quick_junit::Report::new(name);
    all.add_test_suites(suites);
    all.to_string().expect("a text in memory")
}

fn evidence_cases(evidence: &Evidence) -> Option<(&str, Vec<Case>)> {
    Some(match evidence {
        Evidence::Generate(generation) => {
            let wrong = generation.tests.iter().filter_map(|test| wrong_test(generation, test));
            let obligations = generation.obligations.iter().map(obligation_case);
            (&generation.from, obligations.chain(wrong).collect())
        }
        Evidence::Run { from, result, .. } => (from, run_cases(&result.suite, result)),
        Evidence::Verify { from, result, .. } => {
            (from, result.answers.iter().map(answer_case).collect())
        }
        Evidence::Judge { from, result } => {
            (from, result.verdicts.iter().map(judged_case).collect())
        }
        Evidence::Mutate { .. }
        | Evidence::Mine { .. }
        | Evidence::Audit { .. }
        | Evidence::Estimate { .. } => return None,
    })
}

/// The attribute that readers count by; `disabled`, which the crate writes, is of another dialect.
const SKIPPED: &str = "skipped";

fn suite(name: &str, cases: Vec<Case>) -> TestSuite {
    let mut suite = TestSuite::new(name);
    let skipped = cases.iter().filter(|case| matches!(case.ending, Ending::Skipped(_))).count();
    suite.add_test_cases(cases.into_iter().map(test_case));
    suite.extra.insert(SKIPPED.into(), skipped.to_string().into());
    suite
}

fn test_case(case: Case) -> TestCase {
    let because = |mut status: TestCaseStatus, why: String| {
        status.set_message(why);
        status
    };
    let status = match case.ending {
        Ending::Passed => TestCaseStatus::success(),
        Ending::Failed(why) => because(TestCaseStatus::non_success(NonSuccessKind::Failure), why),
        Ending::Erred(why) => because(TestCaseStatus::non_success(NonSuccessKind::Error), why),
        Ending::Skipped(why) => because(TestCaseStatus::skipped(), why),
    };
    let mut one = TestCase::new(case.name, status);
    one.set_classname(case.class);
    one
}

/// A test that expects something else than the model computes.
fn wrong_test(generation: &Generation, test: &Test) -> Option<Case> {
    let ExpectationDifference { step, variable, expected, computed, .. } =
        test.differences.first()?;
    let mut why = format!("step {step}: `{variable}` is {computed}, the test expects {expected}");
    if test.differences.len() > 1 {
        why += &format!(", and {} more differences", test.differences.len() - 1);
    }
    let (class, name) = (generation.node.clone(), format!("test {}", test.name));
    Some(Case { class, name, ending: Ending::Failed(why) })
}

fn obligation_case(obligation: &ObligationEvidence) -> Case {
    Case {
        class: obligation.node.clone(),
        name: obligation.id.clone(),
        ending: obligation_ending(obligation),
    }
}

fn obligation_ending(obligation: &ObligationEvidence) -> Ending {
    let says = || obligation.says.get(1..).unwrap_or_default().join(" ");
    let plain = !obligation.criterion.starts_with('o');
    match obligation.state {
        StateWord::Violated => Ending::Failed(obligation.says.join(" ")),
        StateWord::Visible | StateWord::Infeasible | StateWord::Holds => Ending::Passed,
        StateWord::Masked if plain => Ending::Passed,
        _ => Ending::Skipped(says()),
    }
}

fn run_cases(class: &str, run: &Run) -> Vec<Case> {
    let case = |test: &TestResult| {
        let reason = test.reason().map_or_else(String::new, |(interaction, reason)| {
            format!("interaction {interaction}: {reason}")
        });
        let ending = match test.verdict {
            TestVerdictWord::Pass => Ending::Passed,
            TestVerdictWord::Fail => Ending::Failed(reason),
            TestVerdictWord::Error => Ending::Erred(reason),
            // Inconclusive tests are skipped ones; they change the exit code all the same.
            TestVerdictWord::Inconclusive => Ending::Skipped(format!("inconclusive: {reason}")),
        };
        Case { class: class.to_string(), name: test.name.clone(), ending }
    };
    run.tests.iter().map(case).collect()
}

fn answer_case(answer: &AnswerResult) -> Case {
    let why = because(answer.verdict.to_string(), answer.reason.as_deref());
    let ending = match answer.verdict {
        AnswerWord::Satisfied => Ending::Passed,
        AnswerWord::NotSatisfied => Ending::Failed(why),
        AnswerWord::Unknown => Ending::Skipped(why),
    };
    Case { class: "provoke".to_string(), name: answer.query.clone(), ending }
}

fn judged_case(judged: &TimedVerdict) -> Case {
    let why = because(judged.verdict.to_string(), judged.reason.as_deref());
    let ending = match judged.verdict {
        TimedVerdictWord::Pass => Ending::Passed,
        TimedVerdictWord::Fail | TimedVerdictWord::Illegal => Ending::Failed(why),
        TimedVerdictWord::Error => Ending::Erred(why),
    };
    Case { class: "provoke".to_string(), name: judged.test.clone(), ending }
}

/// A verdict with its reason, if it has one.
fn because(verdict: String, reason: Option<&str>) -> String {
    match reason {
        Some(reason) => format!("{verdict}: {reason}"),
        None => verdict,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use provoke_results::{InteractionResult, ModeWord, Schema, TimedVerify};

    use super::*;

    fn report(evidence: Evidence) -> Report {
        Report {
            schema: Schema::default(),
            provoke: "0".into(),
            title: "Lamp & User".into(),
            evidence: vec![evidence],
            requirements: Vec::new(),
        }
    }

    #[test]
    fn answers_become_cases() {
        let answer = |query: &str, verdict, reason: Option<&str>| AnswerResult {
            verdict,
            reason: reason.map(String::from),
            ..AnswerResult::refused(query, "")
        };
        let answers = vec![
            answer("E<> a", AnswerWord::Satisfied, None),
            answer("A[] b", AnswerWord::NotSatisfied, None),
            answer("Pr[<=1](<> c)", AnswerWord::Unknown, Some("a \"probability\"")),
        ];
        let verify = Evidence::Verify {
            from: "lamp.json".into(),
            picture: String::new(),
            templates: Vec::new(),
            result: TimedVerify { schema: Schema::default(), model: "lamp.xml".into(), answers },
        };
        expect![[r#"
            <?xml version="1.0" encoding="UTF-8"?>
            <testsuites name="Lamp &amp; User" tests="3" failures="1" errors="0">
                <testsuite name="lamp.json" tests="3" disabled="1" errors="0" failures="1" skipped="1">
                    <testcase name="E&lt;&gt; a" classname="provoke">
                    </testcase>
                    <testcase name="A[] b" classname="provoke">
                        <failure message="not satisfied"/>
                    </testcase>
                    <testcase name="Pr[&lt;=1](&lt;&gt; c)" classname="provoke">
                        <skipped message="unknown: a &quot;probability&quot;"/>
                    </testcase>
                </testsuite>
            </testsuites>
        "#]].assert_eq(&junit(&report(verify)));
    }

    #[test]
    fn a_run_that_erred_is_an_error_wherever_it_is_written() {
        let erred = InteractionResult {
            verdict: TestVerdictWord::Error,
            reason: "nobody answers".into(),
            exercised: None,
        };
        let test = TestResult {
            name: "t1".into(),
            verdict: TestVerdictWord::Error,
            runs: 0,
            interactions: vec![erred],
        };
        let run = Run {
            schema: Schema::default(),
            suite: "suite.json".into(),
            target: "target.toml".into(),
            mode: ModeWord::Direct,
            interactions: 1,
            passed: 0,
            failed: 0,
            inconclusive: 0,
            error: 1,
            tests: vec![test],
        };
        let error = "<error message=\"interaction 1: nobody answers\"/>";
        assert!(run_junit(&run).contains(error), "{}", run_junit(&run));
        let (from, events) = ("run/results.json".to_string(), Vec::new());
        let shown = junit(&report(Evidence::Run { from, result: run, events }));
        assert!(shown.contains(error) && !shown.contains("<failure"), "{shown}");
    }
}
