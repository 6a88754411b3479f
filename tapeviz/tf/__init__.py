"""TensorFlow's namespace on the engine: a program of `tf.` -> the same in NumPy, on tapes that can be looked at.

    import tapeviz.tf as tf      # or `import tapeviz as tf`, which finds these names as well

- functions    `api/`, those that are no ops of the engine; TensorFlow's modules of functions: `math`, `nn`, `linalg`,
               `random`, `signal`, `dtypes`, `nest`, `debugging`; `names`, what is said of a name that there is not
- tf.function  `tracing/`, with what a program sees of a graph; `autograph`
- objects      `module`; `autodiff`, the tape and forward mode
- networks     `keras/`, and `data/`, what they are fed with
- settings     `random_state`, the seed; `config`; `test`
- types        `stubs/`, for checkers: `tapeviz.keras` is the module `tapeviz.tf.keras`
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from tapeviz.engine.functions.exports import exports
from tapeviz.engine.namespace import PUBLIC
from tapeviz.tf import api as api
from tapeviz.tf.module import Module
from tapeviz.tf.names import missing
from tapeviz.tf.tracing.function import function

NAMESPACES = (
    *("autodiff", "autograph", "config", "data", "debugging", "dtypes", "errors", "keras", "linalg", "math", "nest"),
    *("nn", "random", "signal", "test"),
)
SYNONYMS = ("initializers", "losses", "metrics", "optimizers")
"""TensorFlow's shorter names of Keras' namespaces."""

_NAMES = PUBLIC | exports("") | {"Module": Module, "function": function}

globals().update(_NAMES)
__all__ = sorted({*_NAMES, *NAMESPACES, *SYNONYMS})
_absent = missing(__name__)


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name == "errors":
        return import_module("tapeviz.errors")
    if name in NAMESPACES:
        return import_module(f"{__name__}.{name}")
    if name in SYNONYMS:
        return import_module(f"{__name__}.keras.{name}")
    return _absent(name)
