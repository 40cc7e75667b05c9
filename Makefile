# Two commands do everything on a machine with Python 3.11 and make: `make demo` and `make test`.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test test-quick test-oldest test-newest lint bench slow paper docs gallery quality speed reproduction mutants fuzz soak clean

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[dev]" --constraint constraints.txt
	touch $(READY)

# Other libraries, as peers and for adapters; where they cannot be installed, their tests are skipped.
$(VENV)/.peers: $(READY)
	$(BIN)/python -m pip install --quiet --editable ".[peers,adapters,dask]" --constraint constraints.txt || echo "peers, adapters, dask: not installed"
	touch $(VENV)/.peers

demo: $(READY)
	@echo "Designing an optimiser for rotated Rastrigin functions (some minutes on two cores) ..."
	$(BIN)/autov design rastrigin --family translate-rotate --preset quick --seed 1 --out runs/demo --resume
	@$(BIN)/autov open runs/demo
	@echo "The command autov is in $(BIN); '. $(BIN)/activate' lets you type it as it is."

lint: $(VENV)/.peers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

# On up to four cores; kernels that are not on disk yet are compiled once and shared by all processes.
TEST := $(BIN)/python -m pytest -n auto --maxprocesses 4 --dist worksteal

test: lint $(VENV)/.peers
	$(TEST)

# While you change something: linted by ruff alone, without the tests marked cold (see pyproject.toml).
test-quick: $(VENV)/.peers
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(TEST) -m "not cold and not slow"

# The lowest version of every dependency that pyproject.toml allows, and the newest of all. The fast backend is not used
# with the lowest Numba.
FOR_VERSIONS := -m pytest -n auto --maxprocesses 4 tests/golden tests/kernels tests/compiler

build/oldest/.ready: pyproject.toml tests/oldest.py
	$(PYTHON) -m venv build/oldest
	$(PYTHON) tests/oldest.py > build/oldest/constraints.txt
	build/oldest/bin/python -m pip install --quiet --editable . pytest pytest-xdist hypothesis --constraint build/oldest/constraints.txt
	touch $@

test-oldest: build/oldest/.ready
	build/oldest/bin/autov minimize --help > /dev/null
	AUTOV_COMPILER=plain build/oldest/bin/python $(FOR_VERSIONS)

test-newest:
	$(PYTHON) -m venv --clear build/newest
	build/newest/bin/python -m pip install --quiet --upgrade --editable . pytest pytest-xdist hypothesis
	AUTOV_COMPILER=plain build/newest/bin/python $(FOR_VERSIONS)
	AUTOV_COMPILER=fast build/newest/bin/python $(FOR_VERSIONS)

slow: $(VENV)/.peers
	$(BIN)/python -m pytest -m slow

# Named edits of the source, each of which some test must catch (about a quarter of an hour).
mutants: $(VENV)/.peers
	$(BIN)/python -m tests.mutants.run

# Damaged files of every kind that autov reads (a few minutes).
fuzz: $(READY)
	$(BIN)/python -m tests.fuzz.run 1500

# Twenty minutes of work that is killed, resumed and moved to other engines; its outcome is results/soak.json.
soak: $(READY)
	$(BIN)/python -m pip install --quiet --editable ".[dask]" --constraint constraints.txt || echo "dask: not installed"
	$(BIN)/python -m tests.soak.run 1200

bench: $(READY)
	$(BIN)/python -m benchmarks kernel
	$(BIN)/python -m benchmarks design
	$(BIN)/python -m benchmarks lsgo
	$(BIN)/python -m benchmarks compare
	$(BIN)/python -m benchmarks scale
	$(BIN)/python -m benchmarks peers

# Run the examples of docs/gallery.md and write the page anew (some minutes).
gallery: $(VENV)/.peers
	$(BIN)/python docs/make_gallery.py

# docs/quality.md, docs/specialists.md, docs/engineering.md and the last section of docs/noise.md from stored figures, which
# `python -m benchmarks quality`, `specialists`, `engineering` and `noise` make (hours).
quality: $(READY)
	$(BIN)/python -c "from benchmarks.quality_markdown import quality_page; quality_page('results/quality', 'docs/quality.md')"
	$(BIN)/python -c "from benchmarks.specialists import specialists_page as p; p('results/specialists', 'docs/specialists.md')"
	$(BIN)/python -c "from benchmarks.noise import noise_page as p; p('results/noise.json', 'docs/noise.md')"
	$(BIN)/python -c "from benchmarks.engineering import engineering_page as p; p('results/engineering.json', 'docs/engineering.md')"

# docs/speed.md from the figures in results/bench; `python -m benchmarks NAME --json` makes those.
speed: $(READY)
	$(BIN)/python -c "from benchmarks.speed import speed_page; speed_page('results', 'docs/speed.md')"

# docs/reproduce.md from results/paper; `autov reproduce NAME --save FILE` makes those.
reproduction: $(READY)
	$(BIN)/autov reproduce --docs results/paper > docs/reproduce.md

# The site, in build/site; warnings are errors. Nothing is loaded from elsewhere, neither here nor by its pages.
docs: $(READY)
	$(BIN)/python -m pip install --quiet --editable ".[docs]" --constraint constraints.txt
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

paper: $(READY)
	$(BIN)/autov reproduce all

clean:
	rm -rf $(VENV) runs build dist .pytest_cache .ruff_cache .hypothesis
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +
