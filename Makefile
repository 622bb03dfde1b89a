# Each target sets up .venv by itself; all that is needed is Python 3.11 or newer with pip and venv.
PYTHON ?= python3
BIN := .venv/bin
export PYTHONUNBUFFERED = 1

.PHONY: demo test test-browser bench bench-cold lint docs margins sweep mutants dist dist-test clean

demo: .venv/demo  ## the passive walker; writes pictures and a report to demo/
	$(BIN)/regraft demo walker

test: .venv/test .venv/lint  ## lint, types, layers, tests and doctests
	$(MAKE) --no-print-directory lint
	$(BIN)/python -m regraft.warmup
	$(BIN)/python -m pytest -n 2

CHROMIUM = command -v chromium || command -v chromium-browser || command -v google-chrome
AS_ROOT = $(if $(filter 0,$(shell id -u)),,sudo )

test-browser: .venv/test  ## pages in Debian's Chromium, which is installed where it is not there
	@$(CHROMIUM) || { command -v apt-get && $(AS_ROOT)apt-get update && $(AS_ROOT)apt-get install --yes chromium; } \
	  || { echo "install Chromium (on Debian the package chromium), so that one of chromium, chromium-browser, google-chrome starts it"; exit 1; }
	$(BIN)/python -m pytest -m browser tests/browser

# What the compiler may use: nothing special, wider vectors with fused operations, and all that this processor has.
V3 := +sse3,+ssse3,+sse4.1,+sse4.2,+popcnt,+cx16,+avx,+avx2,+bmi,+bmi2,+fma,+f16c,+lzcnt,+movbe,+xsave
MARGINS = PYTHONPATH=tests PYTHONPYCACHEPREFIX=build/margins $(BIN)/python -m pytest -n 2 -p margins -o enable_assertion_pass_hook=true

margins: .venv/test  ## the suite for three kinds of processors, and the tests' tightest bounds on any of them
	rm -rf build/margins && mkdir -p build/margins
	NUMBA_CPU_NAME=generic $(BIN)/python -m regraft.warmup
	NUMBA_CPU_NAME=generic $(MARGINS) --margins=build/margins/generic
	NUMBA_CPU_NAME=x86-64-v3 NUMBA_CPU_FEATURES=$(V3) $(BIN)/python -m regraft.warmup
	NUMBA_CPU_NAME=x86-64-v3 NUMBA_CPU_FEATURES=$(V3) $(MARGINS) --margins=build/margins/x86-64-v3
	$(BIN)/python -m regraft.warmup
	$(MARGINS) --margins=build/margins/host
	$(BIN)/python tests/margins.py build/margins/*.gw*

sweep: .venv/sweep  ## the slow property sweeps
	$(BIN)/python -m pytest -n 2 -m slow

mutants: .venv/test  ## mistakes put into plain Python code on purpose, and how many of them the tests see
	$(BIN)/python -m regraft.warmup
	$(BIN)/python tests/mutants -n 2

bench: .venv/bench  ## speed against Pinocchio and MuJoCo, as ratios within one run
	$(BIN)/python -m regraft.warmup
	$(BIN)/python benchmarks/run.py

bench-cold: .venv/demo  ## how long a new user waits; ARGS="main --demo" for another revision beside it, and `make demo`
	$(BIN)/python benchmarks/cold.py $(ARGS)

lint: .venv/lint  ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: export NO_MKDOCS_2_WARNING = 1
docs: .venv/docs  ## build the pages in site/
	$(BIN)/mkdocs build --strict

dist: .venv/dist  ## the source distribution and a wheel that brings its kernels, in dist/
	$(BIN)/python tools/dist.py

dist-test: dist  ## the wheel in a fresh environment: nothing is compiled, and each first use takes two seconds at most
	$(BIN)/python tools/try_wheel.py

clean:
	rm -rf .venv site demo build dist *.egg-info src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

.venv/demo: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable .[cli,show]
	@touch $@

.venv/%: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable .[$*]
	@touch $@
