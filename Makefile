# Two commands: `make demo` shows tapeviz in JupyterLab, `make test` runs every test.
#   PYTHON=python3.12   the Python to build the environment with (3.11 or newer)
#   ARGS="-k wheel"     options for pytest
#   WORKERS=0           how many processes run tests: 0 is this one; each other takes some 3 GB

WORKERS ?= 2

.PHONY: demo test

demo:
	@.ci/environment .venv jupyter
	@exec .ci/demo

# One thread in each of these processes: more would wait for each other.
test: export OMP_NUM_THREADS = 1
test:
	@.ci/setup
	@exec .venv-test/bin/python -m pytest --numprocesses=$(WORKERS) --dist=worksteal $(ARGS)
