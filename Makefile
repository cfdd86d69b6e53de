# Everything a newcomer types: make demo, make test.

CARGO ?= cargo

.PHONY: demo test lint bench fuzz

demo:
	$(CARGO) run --release --quiet --bin provoke -- demo

# Unit, property, snapshot and golden tests, then the lints.
test: lint
	$(CARGO) test --workspace --quiet

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings

# Ratios and times on fixed workloads, release build.
bench:
	$(CARGO) bench --workspace --quiet

# Ten seconds of each fuzz target; fuzz/run.sh takes longer times.
fuzz:
	fuzz/run.sh 10
