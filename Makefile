# Each target sets up .venv by itself; all that is needed is Python 3.11 or newer with pip and venv.
PYTHON ?= python3
BIN := .venv/bin
export PYTHONUNBUFFERED = 1

.PHONY: demo test bench lint docs sweep clean

demo: .venv/core  ## the passive walker; writes pictures and a report to demo/
	$(BIN)/regraft demo walker

test: .venv/test .venv/lint  ## lint, types, layers, tests and doctests
	$(MAKE) --no-print-directory lint
	$(BIN)/python -m regraft.warmup
	$(BIN)/python -m pytest -n 2

sweep: .venv/test  ## the slow property sweeps
	$(BIN)/python -m pytest -n 2 -m slow

bench: .venv/test  ## speed against Pinocchio and MuJoCo, as ratios within one run
	$(BIN)/python -m regraft.warmup
	$(BIN)/python benchmarks/run.py

lint: .venv/lint  ## style, types and layers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: export NO_MKDOCS_2_WARNING = 1
docs: .venv/docs  ## build the pages in site/
	$(BIN)/mkdocs build --strict

clean:
	rm -rf .venv site demo build *.egg-info src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

.venv/bin/python:
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip

.venv/core: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

.venv/%: pyproject.toml | .venv/bin/python
	$(BIN)/python -m pip install --quiet --editable .[$*]
	@touch $@
