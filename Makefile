# make run: set everything up and run the referee.   make test: set everything up and pass the tests.
# The venv is rebuilt whenever the project's needs change.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# On a Raspberry Pi the GPIO library comes from Debian (python3-lgpio), so the venv must see it.
ON_PI := $(shell grep -qs Raspberry /proc/device-tree/model && echo yes)
VENV_FLAGS := $(if $(ON_PI),--system-site-packages)
PI := $(if $(ON_PI),[pi])
PIP := $(BIN)/pip install --quiet --disable-pip-version-check --constraint constraints.txt
# Windows first: their few, long tests must not be left for the end.
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

.PHONY: run test lint bench pictures docs soak pi clean

run: $(VENV)/runs
	$(BIN)/referee serve $(ARGS)

# Hundreds of servers and commands are started: none should compile everything again.
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

# On fresh Debian roots: needs root, debootstrap and the network.
pi: $(VENV)/tests
	$(BIN)/python -m tests.systemd.fresh $(ROOTS)

.PHONY: tools
tools:
	sh tests/tools.sh

$(VENV)/runs: pyproject.toml constraints.txt
	$(PYTHON) -m venv --clear $(VENV_FLAGS) $(VENV)
	$(PIP) --editable '.$(PI)'
	touch $@

$(VENV)/tests: $(VENV)/runs
	$(PIP) --editable '.[test]'
	touch $@

clean:
	rm -rf $(VENV) build *.egg-info
