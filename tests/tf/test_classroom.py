"""Programs as books, papers and courses have them, run whole: tapeviz prints and leaves what TensorFlow does."""

from __future__ import annotations

import importlib
import warnings
from pathlib import Path

import numpy as np
import pytest

from tests.oracle import Outcome, Program, Tolerance, differences, read_program, run

PROGRAMS = {path.stem: read_program(path) for path in sorted((Path(__file__).parents[1] / "classroom").glob("*.py"))}

# Some tens of steps: roundings of the last bit have added up.
TRAINED = Tolerance(rtol=2e-4, atol=2e-5, last_digit=True, as_values=True)


@pytest.mark.tensorflow
@pytest.mark.parametrize("name", PROGRAMS)
def test_program_does_what_tensorflow_does(name: str) -> None:
    ours, theirs = (_outcome(PROGRAMS[name], framework) for framework in ("tapeviz", "tensorflow"))
    assert theirs.error is None, "the program itself is wrong"
    assert differences(ours, theirs, TRAINED) == []


def _outcome(program: Program, framework: str) -> Outcome:
    module = importlib.import_module(framework)
    module.keras.backend.clear_session(free_memory=False)
    module.random.set_seed(1)
    np.random.seed(0)
    with warnings.catch_warnings(), np.printoptions():
        warnings.simplefilter("ignore")
        return run(program, framework, shared=False)
