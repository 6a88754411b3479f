"""The tape, its variables and its errors against real TensorFlow, program by program."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tapeviz
from tapeviz.events.defaults import Defaults
from tests.engine import tape_programs
from tests.framework_programs import is_marked_to_fail, programs_of
from tests.outcomes import Raised, outcome_of, same

PROGRAMS = programs_of(tape_programs)


@pytest.fixture(params=["kept", "none"])
def values(request: Any) -> Iterator[str]:
    """Whether logs keep values: where none are kept, the backward pass may write over what it alone has."""
    before = Defaults.values
    tapeviz.configure(values=request.param)
    yield request.param
    tapeviz.configure(values=before)


@pytest.mark.tensorflow
@pytest.mark.parametrize("name", PROGRAMS)
def test_as_tensorflow(name: str, values: str) -> None:
    import tensorflow

    ours, theirs = outcome_of(PROGRAMS[name], tapeviz), outcome_of(PROGRAMS[name], tensorflow)
    assert same(ours, theirs), f"tapeviz: {ours}\ntensorflow: {theirs}"
    assert isinstance(theirs, Raised) is is_marked_to_fail(PROGRAMS[name]), theirs


def test_what_cannot_be_configured_changes_nothing() -> None:
    before = Defaults.values
    with pytest.raises(ValueError, match="ring=1"):
        tapeviz.configure(values="none" if before == "kept" else "kept", ring=1)
    assert Defaults.values == before
