# make run: set everything up and run the referee.   make test: set everything up and pass the tests.
# The venv is rebuilt whenever the dependencies change. Packages are installed only with the hashes in the lock files.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# On a Raspberry Pi the GPIO library comes from Debian (python3-lgpio), so the venv must see it.
ON_PI := $(shell grep -qs Raspberry /proc/device-tree/model && echo yes)
VENV_FLAGS := $(if $(ON_PI),--system-site-packages)
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
LOCKED := $(PIP) --require-hashes --only-binary :all: --requirement
# Browser tests first (files in the order of their names): these few, long files must not be left for the end.
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

.PHONY: run test lint bench pictures docs soak pi locks clean

run: $(VENV)/runs
	$(BIN)/referee serve $(ARGS)

# Write bytecode: the tests start hundreds of processes, and none should compile everything again.
test soak: export PYTHONDONTWRITEBYTECODE :=
test: $(VENV)/tests tools
	$(PYTEST) tests

lint: $(VENV)/tests
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(VENV)/tests
	$(BIN)/python -m tests.bench

pictures: $(VENV)/tests tools
	$(BIN)/python -m tests.pictures

docs: $(VENV)/tests
	$(BIN)/python -m tests.docs

soak: $(VENV)/tests tools
	REFEREE_SOAK=1 $(PYTEST) tests

# On fresh Debian roots: needs root, debootstrap, systemd-nspawn and the network.
pi: $(VENV)/tests
	$(BIN)/python -m tests.systemd.fresh $(ROOTS)

.PHONY: tools
tools:
	sh tests/tools.sh

$(VENV)/runs: pyproject.toml requirements.txt
	$(PYTHON) -m venv --clear $(VENV_FLAGS) $(VENV)
	$(LOCKED) requirements.txt
	$(PIP) --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/tests: $(VENV)/runs tests/requirements.txt
	$(LOCKED) tests/requirements.txt
	touch $@

# Writes both lock files, for every system and Python. Versions stay where pyproject.toml allows; ARGS=--upgrade takes
# the newest.
COMPILE = $(VENV)/locks/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-annotate --custom-compile-command 'make locks' $(ARGS)
locks:
	$(PYTHON) -m venv $(VENV)/locks
	$(VENV)/locks/bin/pip install --quiet --disable-pip-version-check uv
	echo 'setuptools>=77' | $(COMPILE) pyproject.toml - --output-file requirements.txt
	$(COMPILE) pyproject.toml --extra test --constraint requirements.txt --output-file tests/requirements.txt

clean:
	rm -rf $(VENV) build *.egg-info
