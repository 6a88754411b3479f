"""The programs of `tests/diagnosis` that need TensorFlow's namespace: asked what those of the engine alone are."""

from __future__ import annotations

import pytest

import tapeviz
from tests.diagnosis.programs import Pair, Ran, name_of
from tests.diagnosis.test_programs import *  # noqa: F403  # the tests, which read the programs given here
from tests.diagnosis.test_programs import FAULTY, HEALTHY, OWN, OWN_HEALTHY


@pytest.fixture(scope="module", params=[each for each in FAULTY if each not in OWN], ids=name_of)
def faulty(request: pytest.FixtureRequest) -> Pair:
    return Pair(request.param, tapeviz)


@pytest.fixture(scope="module", params=[name for name in HEALTHY if name not in OWN_HEALTHY])
def healthy(request: pytest.FixtureRequest) -> Ran:
    return Ran(HEALTHY[request.param], tapeviz)
