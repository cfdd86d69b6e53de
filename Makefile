# Everything a newcomer types: make demo, make test.

CARGO ?= cargo

.PHONY: demo test lint bench fuzz setup boards browser book agreement clang slurm campaign

# The pinned solvers, for this user only: without Z3 everything but proofs works, without cvc5 an audit
# has nobody but Z3 to ask, Yices is a second opinion.
setup:
	scripts/install-z3.sh
	-scripts/install-cvc5.sh
	-scripts/install-yices.sh

demo:
	-scripts/install-z3.sh
	-scripts/install-cvc5.sh
	$(CARGO) run --release --quiet --bin provoke -- demo

BOARDS = $(CARGO) test -p provoke-cli --test boards --quiet -- --ignored --test-threads 1

# The lints, then unit, property, snapshot and golden tests, then the boards: as root on Debian their
# emulators are installed. It ends with a count of what was skipped and why; with CI set nothing optional
# may be missing, and with PROVOKE_REQUIRE_SHARED=1 neither may the benchmark collection.
test: setup lint
	@rm -f target/skipped.txt
	$(CARGO) test --workspace --quiet
	-scripts/install-boards.sh
	$(BOARDS)
	@scripts/skipped.sh

# The same code on emulated boards: installs the emulators on Debian.
boards:
	scripts/install-boards.sh
	$(BOARDS)

# Reports in a real browser, without a screen: installs Chromium on Debian.
browser:
	scripts/install-browser.sh
	$(CARGO) test -p provoke-cli --test browser --quiet -- --include-ignored --test-threads 1

# Work on a cluster: installs Slurm on Debian, starts one node on the loopback device, and stops it.
slurm: setup
	scripts/install-slurm.sh
	$(CARGO) test -p provoke-cli --test slurm --quiet -- --include-ignored --nocapture --test-threads 1

# Every command of the book, typed as a reader would.
book: setup
	$(CARGO) test --release -p provoke-cli --test book --quiet -- --include-ignored --nocapture

# Every model and benchmark as C under the sanitizers: 100,000 random steps against the interpreters, and
# a generated suite.
agreement:
	$(CARGO) bench -p provoke-codegen --bench agreement --quiet
	$(CARGO) test -p provoke-cli --test code --quiet -- --include-ignored

# MC/DC of mined C programs, which wants clang-19: installs it on Debian.
clang:
	scripts/install-clang.sh
	$(CARGO) test -p provoke-mine --test clang --quiet -- --include-ignored

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings

# Ratios and times on fixed workloads, release build.
bench:
	$(CARGO) bench --workspace --quiet

# Ten seconds of each fuzz target; fuzz/run.sh takes longer times.
fuzz:
	fuzz/run.sh 10

# Random models through everything, judged by trying all their runs; failures are below target/campaign.
# ONLY=N does the N-th system of a seed again.
SECONDS ?= 60
SEED ?= 1
campaign: setup
	$(CARGO) bench --profile dev -p provoke-cli --bench campaign --quiet -- \
		--seconds $(SECONDS) --seed $(SEED) $(if $(ONLY),--only $(ONLY))
