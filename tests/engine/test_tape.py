"""The tape, its variables and its errors against real TensorFlow, program by program."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapeviz
from tapeviz.events.defaults import Defaults
from tests.engine import tape_programs

PROGRAMS = [
    function
    for name, function in inspect.getmembers(tape_programs, inspect.isfunction)
    if function.__module__ == tape_programs.__name__
]


def outcome(program: Any, module: Any) -> Any:
    """The program's results as plain values, or the class of its error."""
    try:
        return plain(program(module))
    except Exception as error:
        return type(error).__name__


def plain(result: Any) -> Any:
    """Tensors as (dtype, array); structures kept."""
    if isinstance(result, dict):
        return {key: plain(value) for key, value in result.items()}
    if isinstance(result, (list, tuple)):
        return [plain(each) for each in result]
    if hasattr(result, "dense_shape"):
        return ["slices", plain(result.indices), plain(result.values), plain(result.dense_shape)]
    if hasattr(result, "numpy"):
        return (result.dtype.name, np.asarray(result.numpy()))
    return result


def same(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and ours.keys() == theirs.keys() and all(same(ours[k], theirs[k]) for k in ours)
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(theirs, tuple):
        (our_dtype, our_value), (dtype, value) = ours, theirs
        return our_dtype == dtype and our_value.shape == value.shape and np.allclose(our_value, value, equal_nan=True)
    return bool(ours == theirs)


@pytest.fixture(params=["kept", "none"])
def values(request: Any) -> Iterator[str]:
    """Whether logs keep values: where none are kept, the backward pass may write over what it alone has."""
    before = Defaults.values
    tapeviz.configure(values=request.param)
    yield request.param
    tapeviz.configure(values=before)


@pytest.mark.tensorflow
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_as_tensorflow(program: Any, values: str) -> None:
    import tensorflow

    ours, theirs = outcome(program, tapeviz), outcome(program, tensorflow)
    assert same(ours, theirs), f"tapeviz: {ours}\ntensorflow: {theirs}"


def test_a_constraint_that_nobody_would_keep_is_refused() -> None:
    with pytest.raises(ValueError, match=r"v\.assign"):
        tapeviz.Variable(1.0, constraint=tapeviz.nn.relu)
