# Every target sets up what it needs: `make demo` and `make test` start from a bare clone.
# It takes git, make and Python 3.11 or later; another interpreter: make demo PYTHON=python3.11

SHELL := bash
.SHELLFLAGS := -o pipefail -c
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
DEVELOPED := $(VENV)/.developed
BENCHED := $(VENV)/.benched
COMPILED := $(VENV)/.compiled
KERNELS := $(wildcard server/passageway_server/engine/kernels/*.py)
LOWEST := .venv-lowest

# Files of tests are given to as many processes as there are processors: JOBS=0 runs them in one, as a debugger needs it.
JOBS ?= auto
PYTEST := -m pytest -n $(JOBS) --maxprocesses=8 --max-worker-restart=0 --dist loadfile \
	--no-loadscope-reorder -rfEs

.DEFAULT_GOAL := help
.PHONY: help demo test check nightly lowest bench generate kernels clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(COMPILED) ## Serve a real graph and show what two callers get from it
	@$(BIN)/python -m passageway_server.demo

test: $(DEVELOPED) $(COMPILED) ## Run the tests (fewer random graphs: PASSAGEWAY_GRAPHS=100 make test)
	@$(BIN)/python $(PYTEST)

nightly: $(DEVELOPED) $(COMPILED) ## Run the tests with more and other random graphs, and on the lowest versions
	@HYPOTHESIS_PROFILE=nightly PASSAGEWAY_GRAPHS=$${PASSAGEWAY_GRAPHS:-5000} \
		PASSAGEWAY_SEED=$${PASSAGEWAY_SEED:-$$(date +%s)} $(BIN)/python $(PYTEST)
	@$(MAKE) --no-print-directory lowest

lowest: $(LOWEST)/.compiled ## Run the tests on the lowest versions that pyproject.toml admits
	@PASSAGEWAY_GRAPHS=50 NUMBA_CACHE_DIR=$(CURDIR)/$(LOWEST)/kernels \
		$(LOWEST)/bin/python $(PYTEST) -p no:cacheprovider

check: $(DEVELOPED) ## Check generated files, style, types, layers and the contract
	$(BIN)/python proto/generate.py --check
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/lint-imports
	$(BIN)/python proto/generate.py --descriptors | $(BIN)/buf lint - --config proto/buf.yaml --path passageway

bench: $(BENCHED) $(COMPILED) ## Measure, and write the figures as JSON with the machine
	@$(BIN)/python -m bench

generate: $(DEVELOPED) ## Write the generated files from proto/
	@$(BIN)/python proto/generate.py

kernels: $(COMPILED) ## Compile the kernels

clean: ## Remove the environment, caches and what demo and bench left
	rm -rf $(VENV) $(LOWEST) .demo .bench build dist .hypothesis .pytest_cache .mypy_cache .ruff_cache .import_linter_cache
	find client server proto tests bench -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "passageway needs Python 3.11 or later, and $(PYTHON) is $$($(PYTHON) -V 2>/dev/null || echo missing);" \
			"name another one: make $(MAKECMDGOALS) PYTHON=python3.11" >&2; exit 1; }
	@test -x $(BIN)/python || { echo "Creating $(VENV)"; $(PYTHON) -m venv $(VENV); }
	@echo "Installing passageway with its server into $(VENV) (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[server]'
	@touch $@

$(DEVELOPED): $(INSTALLED)
	@echo "Installing the development tools into $(VENV) (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[server,dev]'
	@touch $@

$(BENCHED): $(DEVELOPED)
	@echo "Installing the yardsticks of the benches into $(VENV) (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[server,bench]'
	@touch $@

$(LOWEST)/.installed: pyproject.toml requirements/lowest.py
	@echo "Installing the lowest versions of all requirements into $(LOWEST) (once)"
	@test -x $(LOWEST)/bin/python || { $(PYTHON) -m venv $(LOWEST) && echo '*' > $(LOWEST)/.gitignore; }
	@$(PYTHON) requirements/lowest.py > $(LOWEST)/lowest.txt
	@$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check \
		-c $(LOWEST)/lowest.txt -e '.[server,test]'
	@touch $@

$(COMPILED): $(INSTALLED) $(KERNELS)
	@echo "Compiling the kernels (once; they are cached beside their sources)"
	@$(BIN)/python -m passageway_server.engine.kernels
	@touch $@

# Kernels of the lowest versions are cached apart: a cache holds those of one version of numba.
$(LOWEST)/.compiled: $(LOWEST)/.installed $(KERNELS)
	@rm -rf $(LOWEST)/kernels
	@NUMBA_CACHE_DIR=$(CURDIR)/$(LOWEST)/kernels $(LOWEST)/bin/python -m passageway_server.engine.kernels
	@touch $@
