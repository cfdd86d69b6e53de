# Everything a newcomer types: make demo, make test.

CARGO ?= cargo

.PHONY: demo test lint bench fuzz setup boards browser book agreement clang slurm campaign numbers audit nightly

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

# All of one workspace and one profile: nothing is built twice.
TEST = $(CARGO) test --workspace

BOARDS = $(TEST) --test boards --quiet -- --ignored --test-threads 1

# The lints, then unit, property, snapshot and golden tests, then the boards: as root on Debian their
# emulators are installed. It ends with a count of what was skipped and why; with CI set nothing optional
# may be missing, and with PROVOKE_REQUIRE_SHARED=1 neither may the benchmark collection.
test: setup lint
	@rm -f target/skipped.txt
	$(TEST) --quiet
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
	$(TEST) --test browser --quiet -- --include-ignored --test-threads 1

# Work on a cluster: installs Slurm on Debian, starts one node on the loopback device, and stops it.
slurm: setup
	scripts/install-slurm.sh
	$(TEST) --test slurm --quiet -- --include-ignored --nocapture --test-threads 1

# Every command of the book and the README, typed as a reader would; what they print is compared.
# PROVOKE_UPDATE=1 writes it into the pages.
book: setup
	$(TEST) --test book --quiet -- --include-ignored --nocapture

# Every model and benchmark as C under the sanitizers: 100,000 random steps against the interpreters, and
# a generated suite.
agreement:
	$(CARGO) bench --profile dev --workspace --bench agreement --quiet
	$(TEST) --test code --quiet -- --include-ignored

# MC/DC of mined and of generated C, which wants clang-19: installs it on Debian.
clang:
	scripts/install-clang.sh
	$(TEST) --test clang --quiet -- --include-ignored

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings

# Ratios and times on fixed workloads, release build.
bench:
	$(CARGO) bench --workspace --quiet

# A few seconds of each fuzz target; fuzz/run.sh takes longer times.
FUZZ_SECONDS ?= 5
fuzz:
	fuzz/run.sh $(FUZZ_SECONDS)

# Random models through everything, judged by trying all their runs; failures are below target/campaign.
# ONLY=N does the N-th system of a seed again.
SECONDS ?= 60
SEED ?= 1
campaign: setup
	$(CARGO) build --workspace --quiet --bin provoke --bin campaign
	MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=1000000000 MALLOC_TOP_PAD_=67108864 \
		$${CARGO_TARGET_DIR:-target}/debug/campaign \
		--seconds $(SECONDS) --seed $(SEED) $(if $(ONLY),--only $(ONLY))

# Random systems with values at the edges of their types: interpreter, solver, simulated machine and C agree. A
# hundred systems are one C file, compiled at -O0, -O2 and with the sanitizers or other options in turn.
SYSTEMS ?= 2000
numbers: setup
	PROVOKE_NUMBERS_SYSTEMS=$(SYSTEMS) PROVOKE_NUMBERS_SEED=$(SEED) \
		$(CARGO) test --quiet -p provoke-codegen --test numbers -- --nocapture

# Suites, proofs and mutants of our models, each re-checked by `provoke audit`; nothing may be refuted.
audit: setup
	$(CARGO) build --workspace --quiet --bin provoke
	scripts/audit-models.sh

# What takes longer than continuous integration may; the last result is in docs/NIGHTLY.md.
nightly: setup
	scripts/nightly.sh
