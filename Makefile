# Everything runs in .venv, which the first target that needs it sets up.

PYTHON ?= python3
ARGS ?=

BIN := .venv/bin
DEV := .venv/.dev-installed
DEMO := .venv/.demo-installed
# what runs our commands: the development tools bring all of it
RUN = $(or $(wildcard $(DEV)),$(DEMO))
BENCH := .venv/.bench-installed
DOCS := .venv/.docs-installed
ENGINES := .venv/.engines-installed
LOG := .venv/install.log
comma := ,

# Build backends, pinned in constraints.txt. Builds are not isolated: pip does not apply constraints to
# isolated ones. hatchling builds this package; setuptools builds pyspark, which has no wheel on PyPI.
BACKENDS := hatchling setuptools

# Install quietly; show pip's output only if it fails.
PIP := $(BIN)/python -m pip install --disable-pip-version-check --no-input -c constraints.txt
define install
@{ $(PIP) $(BACKENDS) && $(PIP) --no-build-isolation -e '.[$(1)]'; } >$(LOG) 2>&1 \
	|| { cat $(LOG); echo "Setting up .venv failed; the lines above say why."; exit 1; }
@touch $@
endef

.DEFAULT_GOAL := help
.PHONY: help demo reproduce test test-signals test-serve test-engines lint docs bench bench-scale dist format clean

help: ## Show this list
	@echo "make <target>, with more arguments for its command in ARGS=\"...\""
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(RUN) ## Learn topics of real tweets, then the paper's hard problem, with its figure
	@$(BIN)/python -m study demo $(ARGS)

reproduce: $(RUN) ## Rerun the paper's study, with a verdict on every claim (ARGS=--quick: a look)
	@$(BIN)/python -m study reproduce $(ARGS)

test: $(DEV) ## Run the tests and doctests, with branch coverage; list what was skipped
	@$(BIN)/python -m pytest -n auto --dist loadgroup --cov -rs $(ARGS)

test-signals: $(DEV) ## Send 60 signals to each of our commands, at random moments (ARGS="200 7": 200, seed 7)
	@$(BIN)/python -m tests.robustness.bombardment $(ARGS)

test-serve: $(DEV) ## Put load on a service for ten minutes: answers, memory (ARGS="--seconds 60": one minute)
	@$(BIN)/python -m tests.serve.load $(ARGS)

test-engines: $(ENGINES) ## Run the tests on Dask and Spark, none skipped; needs Java 17
	@$(BIN)/python -m pytest tests/engines -rs --no-skips $(ARGS)

lint: $(DEV) ## Check style, format, types, the direction of imports and the rules of the house
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo
	@$(BIN)/python -m tools.house

docs: $(DOCS) ## Build the documentation site in build/site, from a clean slate and without a network
	@$(BIN)/python -m tools.commands
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --clean --quiet $(ARGS)
	@echo "The site: build/site/index.html"

bench: $(BENCH) ## Measure ours and the peers' in one run (ARGS=--quick: a look)
	@$(BIN)/python -m benchmarks $(ARGS)

bench-scale: $(ENGINES) ## Measure Dask, Spark and Spark's LDA from 10^5 documents on (ARGS=--quick: a look)
	@$(BIN)/python -m benchmarks.scale $(ARGS)

dist: $(DEV) ## Build wheel and sdist twice, compare, try the wheel (ARGS="--python python3.14": with it, too)
	@$(BIN)/python -m tools.dist $(ARGS)

format: $(DEV) ## Format the code and mend what can be mended
	@$(BIN)/ruff check --fix-only
	@$(BIN)/ruff format

clean: ## Remove .venv, caches and build output
	@rm -rf .venv build dist .coverage .coverage.* htmlcov \
		.pytest_cache .hypothesis .mypy_cache .ruff_cache .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Python 3.11 or newer is needed; say which: make PYTHON=python3.12 ..."; exit 1; }
	@echo "Making .venv with $$($(PYTHON) --version) ..."
	@$(PYTHON) -m venv .venv

# No test tools, and of the build backends ours alone: half a minute less before there is something
# to see.
$(DEMO): BACKENDS := hatchling
$(DEMO): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing spectralleader ..."
	$(call install,study)

$(DEV): pyproject.toml constraints.txt | $(BIN)/python
	@echo "Installing spectralleader and its development tools ..."
	$(call install,dev)

$(BENCH): $(DEV)
	@echo "Installing the peers to compare with ..."
	$(call install,dev$(comma)bench)

$(DOCS): $(DEV)
	@echo "Installing what builds the documentation ..."
	$(call install,dev$(comma)docs)

$(ENGINES): $(DEV)
	@echo "Installing the engines ..."
	$(call install,dev$(comma)bench$(comma)dask$(comma)spark)
