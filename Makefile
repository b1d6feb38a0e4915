# Two commands do everything: `make book` and `make test`. The rest are their parts, or for people who change the book.

SHELL := /bin/sh
.DEFAULT_GOAL := help
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000
SERVE ?= 1
# One thread a process: chapters and tests run side by side, and numbers do not depend on how many cores there are.
export OPENBLAS_NUM_THREADS := 1
export OMP_NUM_THREADS := 1
export PYTHONHASHSEED := 0
# Many processes import the package: Python keeps what it has compiled, whatever the caller's settings.
unexport PYTHONDONTWRITEBYTECODE

# Tests run on as many workers as there are processors, at least two and at most four: each starts browsers, kernels and sandboxes.
WORKERS ?= $(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2); [ "$$n" -gt 4 ] && n=4; [ "$$n" -lt 2 ] && n=2; echo "$$n")

# The package and the questions, without the book, the grader and the notebooks.
CHECKED := tests/basics tests/fast tests/trees tests/importance tests/plots tests/data tests/course/questions \
  $(wildcard tests/test_*.py) fi_teach/basics fi_teach/trees fi_teach/importance fi_teach/worlds* fi_teach/plots

# The environment is up to date when a stamp named after the lock and the package's description lies in it.
key = $(shell cat $(1) pyproject.toml fi_course/pyproject.toml | cksum | cut -d ' ' -f 1)
BOOK_STAMP := $(VENV)/book-$(call key,requirements.lock).stamp
TEST_STAMP := $(VENV)/test-$(call key,requirements-test.lock).stamp
WASM_STAMP := $(VENV)/wasm-$(call key,requirements-wasm.lock).stamp
BENCH_STAMP := $(VENV)/bench-$(call key,requirements-bench.lock).stamp

.PHONY: help book pdf check test tools test-walls coverage check-wasm live-check audit-truth luck lab tidy exercises lock oracles linkcheck bench bench-grade clean

help: ## list all targets (this list)
	@sed -n '/^[a-z-]*:.*## /{s/:.*## /            /;s/^\(.\{12\}\) */  make \1 /p;}' Makefile

book: $(BOOK_STAMP) $(if $(LIVE),$(WASM_STAMP)) ## build the book and serve it; SERVE=0 only builds, PORT=8000 chooses the port, LIVE=1 lets its pages run Python
	$(BIN)/python book/tools/build.py $(if $(LIVE),--live)
	@if [ "$(SERVE)" != 0 ]; then $(BIN)/python book/tools/serve.py $(PORT); fi

pdf: $(TEST_STAMP) tools ## print the whole book as one PDF, with the system's Chromium: _build/which-features-matter.pdf
	$(BIN)/python book/tools/build.py
	$(BIN)/python book/tools/pdf.py

check: $(TEST_STAMP) ## what one runs often, a minute and a half: lint, types, the package and its questions
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -p no:nbval -m "not slow" --doctest-modules $(CHECKED)

test: ## run everything: lint, types, unit tests, notebooks, the book under -W, the pages in a browser
	@$(MAKE) --no-print-directory -j 2 $(TEST_STAMP) tools
	$(BIN)/python book/tools/exercises.py --expected _build/expected
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --durations 10 \
	  --doctest-modules --nbval --nbval-current-env tests fi_teach fi_audit fi_course fi_grader solutions _build/expected

tools: ## install the two programs that pip cannot, Chromium and bubblewrap
	@sh .ci/tools

test-walls: $(TEST_STAMP) ## the whole corpus of submissions in the WebAssembly sandbox (make test tries fifteen)
	FI_TEACH_WALLS=wasm $(BIN)/python -m pytest --durations 10 tests/grader/test_corpus.py

coverage: $(TEST_STAMP) ## which lines and branches of fi_teach no test runs
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --doctest-modules --cov fi_teach --cov fi_audit --cov fi_course --cov fi_grader --cov-branch \
	  --cov-report term-missing:skip-covered $(CHECKED) tests/course tests/audit

check-wasm: $(BOOK_STAMP) $(WASM_STAMP) ## the package's tests under a WebAssembly Python, whose indices have 32 bits
	@$(UV) install --upgrade --target $(VENV)/wasm-site "pytest<10" "hypothesis==6.130.0"
	$(BIN)/python tests/on_wasm.py $(VENV)/wasm-site

live-check: $(TEST_STAMP) tools ## run every chapter and the proof of every question in the browser's Python; ONLY=03 (a chapter), ENGINE=firefox or webkit
	$(BIN)/python book/tools/build.py --live
	$(BIN)/python book/tools/live_check.py $(ONLY) $(if $(ENGINE),--engine $(ENGINE))
	$(if $(ONLY)$(ENGINE),,FI_TEACH_LIVE=all $(BIN)/python -m pytest tests/book/test_live_exercises.py)

audit-truth: $(BOOK_STAMP) ## hold an audit's sentences against worlds whose truth is known; DRAWS=10 FIRST=0 (seed) JOBS=2
	PYTHONPATH=. $(BIN)/python tests/audit/truth.py $(if $(DRAWS),--draws $(DRAWS)) $(if $(FIRST),--first $(FIRST)) $(if $(JOBS),--jobs $(JOBS))

luck: $(BOOK_STAMP) ## run chapters under other draws and count what holds; ONLY=03 DRAWS=20 JOBS=2 CELL=ch03-039 AGAIN=1
	$(BIN)/python book/tools/seed_robustness.py $(ONLY) $(if $(DRAWS),--draws $(DRAWS)) $(if $(JOBS),--jobs $(JOBS)) \
	  $(if $(CELL),--cell $(CELL)) $(if $(AGAIN),--again)

lab: $(BOOK_STAMP) ## open JupyterLab where a student begins: lab/, with copies of chapters and sets
	$(BIN)/python book/tools/lab.py

tidy: $(BOOK_STAMP) ## strip outputs from the notebooks and put their metadata in order
	$(BIN)/python book/tools/tidy.py

exercises: $(BOOK_STAMP) ## make exercises/ from solutions/, and renew the verdicts that pytest --nbval compares
	$(BIN)/python book/tools/exercises.py

COMPILE = $(UV) compile --universal --python-version 3.11 --no-header --no-emit-index-url $(UPGRADE) pyproject.toml
lock: $(BIN)/uv ## resolve the pinned versions anew; UPGRADE=--upgrade takes the newest
	@$(COMPILE) --extra test -o requirements-test.lock
	@$(COMPILE) --extra book --extra grade -c requirements-test.lock -o requirements.lock
	@$(COMPILE) --extra wasm --generate-hashes -c requirements-test.lock -o requirements-wasm.lock
	@$(COMPILE) --extra bench -c requirements-test.lock -o requirements-bench.lock
	@for python in 3.11 3.12 3.13 3.14; do for lock in requirements*.lock; do \
	  $(UV) compile --no-deps --only-binary :all: --python-version $$python --python-platform linux $$lock >/dev/null || exit 1; done; done

oracles: $(BIN)/uv ## compute again the stored figures of knockpy and lifelines that tests compare with (needs a C compiler)
	$(BIN)/python -m venv --clear $(VENV)/oracles
	@$(UV) install --python $(VENV)/oracles/bin/python -c requirements-test.lock -r pyproject.toml --extra oracles
	PYTHONPATH=. $(VENV)/oracles/bin/python tests/oracles.py

linkcheck: $(BOOK_STAMP) ## follow every outside link of the book (needs a network)
	$(BIN)/jupyter-book build . --builder linkcheck

bench: $(BENCH_STAMP) ## time fi_teach against its peers; QUICK=1 in under three minutes; KNOCKPY=1 adds this peer (needs a C compiler)
	@$(if $(KNOCKPY),$(UV) install --python $(BIN)/python -c requirements-test.lock -r pyproject.toml --extra oracles)
	$(BIN)/python -m benchmarks $(if $(QUICK),--quick)

bench-grade: $(TEST_STAMP) ## time the autograder with and without its sandbox, and nbgrader on the same files
	$(BIN)/python -m benchmarks.grading

clean: ## remove the built book and its caches (the environment stays)
	rm -rf _build .pytest_cache .ruff_cache

$(BIN)/python:
	@for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	  if $$python -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null; then \
	    $$python -m venv $(VENV) && exit 0; \
	    rm -rf $(VENV); echo "$$python cannot make a virtual environment: install its venv module (Debian: python3-venv)." >&2; exit 1; \
	  fi; \
	done; \
	echo "Python 3.11, 3.12, 3.13 or 3.14 is needed, and none was found on the path as python3 or python3.1x." >&2; exit 1

# uv does what pip does, in a third of the time. It does not read pip's settings, so an index named there is passed on. A lock names
# everything, so no dependency is looked up. On Linux x86-64 all of it comes as wheels (make lock checks this): nothing is compiled.
INDEX = $${UV_DEFAULT_INDEX:-$$($(BIN)/python -m pip config list | sed -n "/[.]index-url=/{s/[^']*'//;s/'$$//;p;q;}")}
UV = UV_DEFAULT_INDEX="$(INDEX)" $(BIN)/uv --quiet pip
WHEELS = $(if $(filter Linux-x86_64,$(shell uname -s)-$(shell uname -m)),--only-binary :all:)

$(BIN)/uv: | $(BIN)/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: uv==0.13.9

LOCK = $(or $(wildcard requirements-$(firstword $(subst -, ,$*)).lock),requirements.lock)
$(VENV)/%.stamp: | $(BIN)/uv
	@echo "Installing the packages of $(LOCK) ..."
	@$(UV) install --python $(BIN)/python --no-deps $(WHEELS) -r $(LOCK)
	@$(UV) install --python $(BIN)/python --no-deps --no-build-isolation -e . -e ./fi_course
	@rm -f $(VENV)/$(firstword $(subst -, ,$*))-*.stamp && touch $@
