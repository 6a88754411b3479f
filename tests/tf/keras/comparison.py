"""A program that takes a framework -> its results under tapeviz and under TensorFlow, and whether they agree."""

from __future__ import annotations

from typing import Any

import numpy as np

import tapeviz
from tests.framework_programs import Program
from tests.outcomes import Raised, outcome_of

NEAR = {"rtol": 2e-5, "atol": 2e-6}
DIGITS = 4 * float(np.finfo(np.float32).eps)
"""How near two sums come where large terms cancel, as a part of the largest number beside them: it depends on the
processor which terms are added first, and each step rounds."""


def assert_agreement(program: Program, fails: bool | None = None) -> None:
    """A program gives the same under both; `fails` says whether that is an error, where that is known beforehand."""
    import tensorflow

    ours, theirs = outcome(program, tapeviz), outcome(program, tensorflow)
    assert agree(ours, theirs), f"tapeviz: {ours}\ntensorflow: {theirs}"
    assert fails in (None, isinstance(theirs, Raised)), theirs


def outcome(program: Program, framework: Any) -> Any:
    """The program's results as arrays, numbers and texts; or the class of its error, as TensorFlow calls it."""
    framework.keras.backend.clear_session(free_memory=False)
    return outcome_of(program, framework, plain)


def plain(result: Any) -> Any:
    if isinstance(result, dict):
        return {key: plain(value) for key, value in result.items()}
    if isinstance(result, (list, tuple)):
        return [plain(each) for each in result]
    if hasattr(result, "numpy"):
        return np.asarray(result.numpy())
    if isinstance(result, np.generic):
        return np.asarray(result)
    return result


def agree(ours: Any, theirs: Any) -> bool:
    """Equal structures, types, dtypes and texts; numbers up to roundings."""
    if isinstance(theirs, dict):
        return isinstance(ours, dict) and list(ours) == list(theirs) and all(agree(ours[k], theirs[k]) for k in theirs)
    if isinstance(theirs, list):
        return isinstance(ours, list) and len(ours) == len(theirs) and all(map(agree, ours, theirs))
    if isinstance(theirs, np.ndarray):
        if not isinstance(ours, np.ndarray) or (ours.dtype, ours.shape) != (theirs.dtype, theirs.shape):
            return False
        return near(ours, theirs) if ours.dtype.kind in "fc" else np.array_equal(ours, theirs)
    if isinstance(theirs, float):
        return isinstance(ours, float) and bool(np.isclose(ours, theirs, **NEAR, equal_nan=True))
    return type(ours) is type(theirs) and bool(ours == theirs)


def near(ours: Any, theirs: Any) -> bool:
    """Equal up to roundings: of each number, and of the largest finite one of an array."""
    finite = np.abs(theirs[np.isfinite(theirs)])
    atol = max(NEAR["atol"], DIGITS * float(finite.max(initial=0)))
    return np.allclose(ours, theirs, NEAR["rtol"], atol, equal_nan=True)
