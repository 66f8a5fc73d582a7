# `make demo` and `make test` set up what they need in virtual environments of their own.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
MINUTES ?= 10
# Commands that tests start read what was compiled before, wherever the environment forbids to write it.
unexport PYTHONDONTWRITEBYTECODE
STAMP := $(VENV)/.installed
# What a user installs: a twentieth of what development takes.
DEMO := .venv-demo

# Types are checked by two processes. What they know is kept in .mypy_cache: only what changed is checked again.
export MYPY_NUM_WORKERS ?= 2
# Each process begins with its half of the tests, so that a file's fixtures are made once, and takes from the other's in the end.
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal

# The one package of the playground that is compiled, for the Python of the browser.
WHEEL := msgspec-0.22.0-cp314-cp314-pyemscripten_2026_0_wasm32.whl

.PHONY: languages demo test test-changed test-full matrix release check lint docs playground site vscode web fuzz benchmark clean

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	# OpenSpiel is not built for every platform: without it the classics are not compared.
	-$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[classics]'
	touch $(STAMP)

$(DEMO)/.installed: pyproject.toml
	$(PYTHON) -m venv $(DEMO)
	$(DEMO)/bin/python -m pip install --quiet --no-compile --disable-pip-version-check -e .
	touch $@

demo: $(DEMO)/.installed
	@echo '$$ pwtool check examples/records/clean.json'
	@$(DEMO)/bin/pwtool check examples/records/clean.json
	@echo
	@echo '$$ pwtool check examples/records/illegal.json'
	@$(DEMO)/bin/pwtool check examples/records/illegal.json; test $$? -eq 1

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(PYTEST) -m "not slow"

# The tests nearest to what changed since a commit: `make test-changed SINCE=main`
test-changed: lint
	$(BIN)/python -m tests.changed $(if $(SINCE),--since $(SINCE))

# The long tests take hours; `make test-full PART=2/8` runs the second of eight parts.
test-full: lint
	$(PYTEST) $(if $(PART),--part $(PART))

check: test

# What is uploaded to a package index: dist/. Refused as long as an address leads nowhere or the changelog has no date.
release: $(STAMP)
	$(BIN)/python -m tests.release.ready
	$(BIN)/python -m pytest tests/release
	rm -rf dist
	$(BIN)/python -m build --quiet
	$(BIN)/python -m twine check --strict dist/*

# The documentation as a site: docs/_build/html/index.html
docs: $(STAMP)
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html

# The playground: the studio as static files, in docs/_build/html/playground. Needs Node.
playground: $(STAMP) web/node_modules/pyodide/$(WHEEL)
	$(BIN)/python -m pwtool studio --export docs/_build/html/playground --pyodide web/node_modules/pyodide

web/node_modules/pyodide/$(WHEEL): web/package-lock.json $(STAMP)
	cd web && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	$(BIN)/python -m pip download --quiet --disable-pip-version-check --no-deps --only-binary :all: --python-version 3.14 --implementation cp --abi cp314 --platform pyemscripten_2026_0_wasm32 --dest web/node_modules/pyodide msgspec==0.22.0
	touch $@

# The documentation with the playground beside it: whole rules files on its pages open there.
site: $(STAMP)
	$(BIN)/python -m sphinx -W --keep-going -q -D pwtool_playground=1 -b html docs docs/_build/html
	$(MAKE) playground

# The extension for VS Code: editors/vscode/pwtool.vsix. Needs Node.
vscode:
	cd editors/vscode && npm install --no-audit --no-fund --no-package-lock && npm run package

# The page of the studio, built into pwtool/studio/static. Needs Node.
web:
	cd web && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error && npm run --silent build

# A sample of the tests under other Pythons and the lowest versions of packages: `make matrix MATRIX="--python 3.13 --all"`
matrix: $(STAMP)
	$(BIN)/python -m tests.matrix $(MATRIX)

# Bring the catalogs of messages up to date, and name what is not translated yet.
languages: $(STAMP)
	$(BIN)/python -m tests.languages.catalogs

# Inputs at random for so many minutes: `make fuzz MINUTES=120 FUZZ="--target rules --seed 7"`
fuzz: $(STAMP)
	$(BIN)/python -m tests.fuzz --minutes $(MINUTES) $(FUZZ)

benchmark: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[benchmark]'
	$(BIN)/python benchmarks/check_records.py --rounds 2
	$(BIN)/python benchmarks/archives.py --rounds 1
	$(BIN)/python benchmarks/formats.py --games 1000 --rounds 2
	$(BIN)/python benchmarks/random_play.py --rounds 3
	$(BIN)/python benchmarks/simulate.py --rounds 3
	$(BIN)/python benchmarks/waiting.py
	$(BIN)/python benchmarks/evaluate_objectives.py
	$(BIN)/python benchmarks/analyze_objectives.py
	$(BIN)/python benchmarks/language_server.py

clean:
	rm -rf web/node_modules editors/vscode/node_modules editors/vscode/dist $(VENV) $(DEMO) dist build docs/_build docs/library .pytest_cache .mypy_cache .ruff_cache
