# Two commands: `make demo` shows tapeviz in JupyterLab, `make test` runs every test.
#   PYTHON=python3.12   the Python to build the environment with (3.11 or newer)
#   ARGS="-k wheel"     options for pytest

.PHONY: demo test

demo:
	@.ci/environment .venv jupyter
	@exec .ci/demo

test:
	@.ci/setup
	@exec .venv-test/bin/python -m pytest $(ARGS)
