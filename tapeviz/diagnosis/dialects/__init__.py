"""The words of each framework, which rules ask for: they never say which one a sentence is for.

- the words   `dialect`, with TensorFlow's, which are the engine's, too; `torch` and `jax` have their own
- code        `spelling`: an expression in TensorFlow's functions, with those of another framework
"""

from __future__ import annotations

from tapeviz.diagnosis.dialects.dialect import Dialect
from tapeviz.diagnosis.dialects.jax import JAX
from tapeviz.diagnosis.dialects.torch import TORCH
from tapeviz.events import EventLog

TENSORFLOW = Dialect(ops={"EagerPyFunc": "py_function"})
DIALECTS = {"tapeviz": TENSORFLOW, "tensorflow": TENSORFLOW, "torch": TORCH, "jax": JAX}


def spoken_in(log: EventLog) -> Dialect:
    """The words for the users of a log's framework; TensorFlow's for one that is not known."""
    return DIALECTS.get(log.framework, TENSORFLOW)
