# `make demo` and `make test` need Python 3.11 or newer and a package registry, nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test soak bench experiments clean

demo: $(VENV)/.installed
	@$(BIN)/covey demo

test: $(VENV)/.installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not soak"

soak: $(VENV)/.installed-test
	$(BIN)/python -m pytest -n 2 --dist worksteal -m soak

bench: $(VENV)/.installed-test
	$(BIN)/python benchmarks/run.py

# needs COVEY_DATA, and says so without it
experiments: $(VENV)/.installed-test
	$(BIN)/python experiments/run.py

$(VENV)/.created: constraints.txt
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.created pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

$(VENV)/.installed-test: $(VENV)/.created pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e ".[test]"
	@touch $@ $(VENV)/.installed

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
