"""The words of each framework, which rules ask for: they never say which one a sentence is for.

- sentences   `phrases`: how the users of each framework say a phrase, side by side
- names       `torch` and `jax`: of functions, ops and causes, where they are not TensorFlow's
- all of one  `dialect`, which fills a phrase; TensorFlow's is the engine's, too
- code        `spelling`: an expression in TensorFlow's functions, with those of another framework
"""

from __future__ import annotations

from tapeviz.diagnosis.dialects.dialect import Dialect
from tapeviz.diagnosis.dialects.jax import JAX
from tapeviz.diagnosis.dialects.phrases import PHRASES
from tapeviz.diagnosis.dialects.torch import TORCH
from tapeviz.events import EventLog

TENSORFLOW = Dialect(
    phrases={phrase: each.tensorflow for phrase, each in PHRASES.items()}, ops={"EagerPyFunc": "py_function"}
)
DIALECTS = {"tapeviz": TENSORFLOW, "tensorflow": TENSORFLOW, "torch": TORCH, "jax": JAX}


def dialect_of(log: EventLog) -> Dialect:
    """The words for the users of a log's framework; TensorFlow's for one that is not known."""
    return DIALECTS.get(log.framework, TENSORFLOW)
