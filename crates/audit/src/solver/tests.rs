use super::*;

const LIMIT: QueryLimit = QueryLimit { milliseconds: 2_000 };

fn solvers() -> Vec<Box<dyn Solver>> {
    let mut found: Vec<Box<dyn Solver>> = Vec::new();
    if let Ok(cvc5) = Cvc5::find() {
        found.push(Box::new(cvc5));
    }
    if let Ok(z3) = Z3::find() {
        found.push(Box::new(z3));
    }
    found
}

#[test]
fn text_goes_in_and_answers_come_out() {
    for solver in solvers() {
        let mut talk = Dialogue::start(&*solver, Logic::Any, LIMIT).unwrap();
        talk.tell("(declare-const |in a#2| Int)\n(define-fun b () Int (+ |in a#2| 1))\n").unwrap();
        talk.tell("(assert (= b 9))\n").unwrap();
        assert_eq!(talk.check(), Ok(Answer::Sat), "{}", solver.name());
        let values = talk.values(&["|in a#2|".to_string(), "b".to_string()]).unwrap();
        let words: String = values.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words, "((|in a#2| 8) (b 9))", "{}", solver.name());
        talk.tell("(push 1)\n(assert (> b 9))\n").unwrap();
        assert_eq!(talk.check(), Ok(Answer::Unsat), "{}", solver.name());
        talk.tell("(pop 1)\n").unwrap();
        assert_eq!(talk.check(), Ok(Answer::Sat), "{}", solver.name());
    }
}

#[test]
fn what_is_not_understood_is_an_error() {
    for solver in solvers() {
        let mut talk = Dialogue::start(&*solver, Logic::Any, LIMIT).unwrap();
        for wrong in ["(assert nobody)\n", "(assert 3)\n", "(assert\n", "nonsense\n"] {
            assert!(talk.tell(wrong).is_err(), "{} takes {wrong}", solver.name());
        }
    }
}

#[test]
fn a_query_that_takes_too_long_is_given_up() {
    let cubes = "(declare-const a Int)(declare-const b Int)(declare-const c Int)
        (assert (= (+ (* a a a) (* b b b) (* c c c)) 114))";
    for solver in solvers() {
        let mut talk =
            Dialogue::start(&*solver, Logic::Any, QueryLimit { milliseconds: 200 }).unwrap();
        talk.tell(cubes).unwrap();
        assert_eq!(talk.check(), Ok(Answer::Unknown), "{}", solver.name());
    }
}
