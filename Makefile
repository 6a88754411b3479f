# Four commands: `make demo` shows tapeviz in JupyterLab, `make check` runs, in less than a minute, the tests of what
# reads the event log, `make test` runs every test, `make site` builds the documentation in build/site.
#   PYTHON=python3.12   the Python to build the environment with (3.11 or newer)
#   ARGS="-k wheel"     options for pytest
#   WORKERS=0           how many processes run tests: 0 is this one; each other takes some 3 GB

# The event log and who reads it, and what holds for all code: what needs Python alone, and takes no more than seconds.
CHECKED = $(addprefix tests/,diagnosis events markup source views test_code_style.py test_docs.py test_graph.py \
	test_import_is_light.py test_layers.py test_public_api.py test_replay.py)
QUICK = not (slow or browser or node or graphviz or tensorflow or torch or jax or autograd or tinygrad)

.PHONY: demo check test site

demo:
	@.ci/environment .venv jupyter
	@exec .ci/demo

# One thread in each of these processes: more would wait for each other. And some hundreds are started, which share what
# the first has compiled, also where containers are told to keep no bytecode.
check test: export OMP_NUM_THREADS = 1
check: WORKERS ?= 2
# On two cores: while a test waits for the browser, or for a process of its own, another one runs.
test: WORKERS ?= 3
check test: export PYTHONDONTWRITEBYTECODE =

check:
	@.ci/environment .venv-check check
	@exec .venv-check/bin/python -m pytest --numprocesses=$(WORKERS) --dist=worksteal -m "$(QUICK)" $(CHECKED) $(ARGS)

test:
	@.ci/setup
	@exec .venv-test/bin/python -m pytest --numprocesses=$(WORKERS) --dist=worksteal $(ARGS)

site:
	@.ci/setup
	@exec .venv-test/bin/python -W ignore -m docs.site
