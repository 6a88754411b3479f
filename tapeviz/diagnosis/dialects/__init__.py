"""The words of each framework, which rules ask for: they never say which one a sentence is for.

- sentences   `phrases`: how the users of each framework say a phrase, side by side
- names       `torch` and `jax`: of functions, ops and causes, where they are not TensorFlow's; `tinygrad` and
               `autograd`: where they are not those of these two; `keras`: where a program leaves the framework to Keras
- all of one  `dialect`, which fills a phrase; TensorFlow's is the engine's, too
- code        `spelling`: an expression in TensorFlow's functions, with those of another framework
"""

from __future__ import annotations

from tapeviz.diagnosis.dialects.autograd import AUTOGRAD
from tapeviz.diagnosis.dialects.dialect import Dialect
from tapeviz.diagnosis.dialects.jax import JAX
from tapeviz.diagnosis.dialects.keras import of_keras
from tapeviz.diagnosis.dialects.phrases import PHRASES
from tapeviz.diagnosis.dialects.tinygrad import TINYGRAD
from tapeviz.diagnosis.dialects.torch import TORCH
from tapeviz.events import EventLog, OpRecorded, OpSkipped
from tapeviz.source.libraries import libraries_of

_ENGINE = "tapeviz"
"""How the engine signs, and a log that no framework has written into is signed."""

TENSORFLOW = Dialect(
    phrases={phrase: each.tensorflow for phrase, each in PHRASES.items()}, ops={"EagerPyFunc": "py_function"}
)
DIALECTS = {
    _ENGINE: TENSORFLOW,
    "tensorflow": TENSORFLOW,
    "torch": TORCH,
    "jax": JAX,
    "autograd": AUTOGRAD,
    "tinygrad": TINYGRAD,
}


OF_KERAS = {name: of_keras(each) for name, each in DIALECTS.items()}
"""The same for programs that leave the framework to Keras."""


def dialect_of(log: EventLog) -> Dialect:
    """The words for the users of a log's framework; TensorFlow's for one that is not known.

    A program that imports Keras, and no framework beside it, is told in Keras' words.
    """
    imported = libraries_of(log)
    is_keras = "keras" in imported and imported.isdisjoint(DIALECTS)
    return (OF_KERAS if is_keras else DIALECTS).get(_framework_of(log, imported), TENSORFLOW)


def _framework_of(log: EventLog, imported: frozenset[str]) -> str:
    """The framework that wrote a log; where an error came before the first op, the one that is imported."""
    others = imported & (DIALECTS.keys() - {_ENGINE})
    if len(others) != 1 or any(isinstance(event, OpRecorded | OpSkipped) for event in log.events):
        return log.framework
    return next(iter(others))
