//! The functions against tables computed to forty digits; see `testdata/generate.py`.

use provoke_base::Random;
use provoke_stats::{
    Alternative, Arrangements, RankMethod, Sprt, StoppingRule, StoppingRuleKind, beta, binomial,
    clopper_pearson, ln_gamma, mann_whitney, mann_whitney_by, means_test, normal, runs_test,
    wilson,
};

/// The rows of a table, and what each says in the column of a name.
struct Table {
    name: &'static str,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn read(name: &'static str) -> Table {
        let path = format!("{}/testdata/{name}.csv", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        let cells = |line: &str| line.split(',').map(str::to_string).collect::<Vec<_>>();
        let mut lines = text.lines().map(cells);
        let header = lines.next().expect("a header");
        Table { name, header, rows: lines.collect() }
    }

    fn each(&self, mut check: impl FnMut(&Row)) {
        assert!(!self.rows.is_empty(), "{} is empty", self.name);
        self.rows.iter().for_each(|cells| check(&Row { table: self, cells }));
    }
}

struct Row<'a> {
    table: &'a Table,
    cells: &'a [String],
}

impl Row<'_> {
    fn text(&self, column: &str) -> &str {
        let at = self.table.header.iter().position(|name| name == column);
        &self.cells[at.unwrap_or_else(|| panic!("{} has no {column}", self.table.name))]
    }

    fn number(&self, column: &str) -> f64 {
        self.text(column).parse().unwrap_or_else(|e| panic!("{:?}: {e}", self.cells))
    }

    fn count(&self, column: &str) -> u64 {
        self.number(column) as u64
    }

    fn sample(&self, column: &str) -> Vec<f64> {
        self.text(column).split(' ').map(|value| value.parse().expect("a number")).collect()
    }

    /// The computed value is the column's, up to a relative error.
    fn expect(&self, column: &str, found: f64, accuracy: f64) {
        let expected = self.number(column);
        let error = if found == expected { 0.0 } else { ((found - expected) / expected).abs() };
        let row = self.cells.join(",");
        assert!(
            error <= accuracy,
            "{} {row}: {column} is {found}, off by {error:e}",
            self.table.name
        );
    }
}

#[test]
fn ln_gamma_to_the_last_digits() {
    Table::read("ln_gamma").each(|row| {
        let (found, expected) = (ln_gamma(row.number("x")).unwrap(), row.number("value"));
        let error = (found - expected).abs() / expected.abs().max(1.0);
        assert!(error <= 1e-14, "{}: {found}, off by {error:e}", row.number("x"));
    });
}

#[test]
fn normal_distribution() {
    Table::read("normal").each(|row| {
        row.expect("cdf", normal::at_most(row.number("x")).unwrap(), 1e-12);
    });
    Table::read("normal_quantile").each(|row| {
        row.expect("x", normal::quantile(row.number("q")).unwrap(), 1e-12);
    });
}

#[test]
fn beta_distribution() {
    Table::read("beta").each(|row| {
        let (a, b, x) = (row.number("a"), row.number("b"), row.number("x"));
        row.expect("lower", beta::at_most(a, b, x).unwrap(), 1e-12);
        row.expect("upper", beta::above(a, b, x).unwrap(), 1e-12);
    });
}

#[test]
fn binomial_distribution_up_to_a_million_trials() {
    Table::read("binomial").each(|row| {
        let (k, n, p) = (row.count("k"), row.count("n"), row.number("p"));
        row.expect("pmf", binomial::pmf(k, n, p).unwrap(), 1e-12);
        row.expect("at_most", binomial::at_most(k, n, p).unwrap(), 1e-11);
        row.expect("at_least", binomial::at_least(k, n, p).unwrap(), 1e-11);
    });
}

#[test]
fn intervals_for_a_proportion() {
    Table::read("proportion").each(|row| {
        let (k, n, alpha) = (row.count("k"), row.count("n"), row.number("alpha"));
        let (interval, accuracy) = match row.text("method") {
            "wilson" if k == 0 || k == n => return,
            "wilson" => (wilson(k, n, alpha).unwrap(), 1e-11),
            _ => (clopper_pearson(k, n, alpha).unwrap(), 1e-11),
        };
        row.expect("low", interval.low, accuracy);
        row.expect("high", interval.high, accuracy);
    });
}

#[test]
fn coverage_of_stopping_rules() {
    Table::read("stopping").each(|row| {
        let rule = match row.text("rule") {
            "uppaal-5" => StoppingRuleKind::Uppaal5,
            "uppaal-4.1" => StoppingRuleKind::Uppaal41,
            "wilson" => StoppingRuleKind::Wilson,
            _ => StoppingRuleKind::ClopperPearson,
        };
        let rule = StoppingRule::new(rule, row.number("alpha"), row.number("epsilon")).unwrap();
        let accuracy = rule.coverage(500).unwrap().at(row.number("p")).unwrap();
        row.expect("coverage", accuracy.coverage, 1e-11);
        row.expect("runs", accuracy.runs, 1e-11);
    });
}

#[test]
fn operation_of_sequential_tests() {
    Table::read("sprt").each(|row| {
        let test =
            Sprt::new(row.number("p0"), row.number("p1"), row.number("alpha"), row.number("beta"));
        let operation = test.unwrap().operation(row.number("p"), 1000).unwrap();
        row.expect("accept_h0", operation.accept_h0, 1e-11);
        row.expect("accept_h1", operation.accept_h1, 1e-11);
        row.expect("runs", operation.runs, 1e-11);
    });
}

#[test]
fn rank_sum_tests() {
    Table::read("mann_whitney").each(|row| {
        let (x, y) = (row.sample("x"), row.sample("y"));
        let method = row.text("method");
        for (column, alternative) in [
            ("less", Alternative::Less),
            ("greater", Alternative::Greater),
            ("two_sided", Alternative::TwoSided),
        ] {
            let test = match method {
                "enumerated" => mann_whitney_by(RankMethod::Exact, &x, &y, alternative),
                _ => mann_whitney(&x, &y, alternative),
            };
            let test = test.unwrap();
            row.expect("u", test.u, 0.0);
            row.expect(column, test.p_value, 1e-11);
            assert_eq!(test.method == RankMethod::Normal, method == "normal", "{method}");
        }
    });
}

#[test]
fn permutation_tests_of_all_arrangements() {
    Table::read("permutation").each(|row| {
        let (x, y) = (row.sample("x"), row.sample("y"));
        let test = means_test(&x, &y, 1, &mut Random::new(0)).unwrap();
        assert!(matches!(test.arrangements, Arrangements::All(_)));
        row.expect("p_value", test.p_value, 1e-14);
    });
}

#[test]
fn runs_tests() {
    Table::read("runs").each(|row| {
        let outcomes: Vec<bool> = row.text("outcomes").chars().map(|c| c == '1').collect();
        let test = runs_test(&outcomes).unwrap();
        assert_eq!(test.runs, row.count("runs"));
        row.expect("at_most", test.at_most, 1e-12);
        row.expect("at_least", test.at_least, 1e-12);
        row.expect("two_sided", test.p_value, 1e-12);
    });
}
