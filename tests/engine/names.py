"""What `tapeviz` has without `tapeviz.tf`, and the engine's functions in the namespaces that TensorFlow has them in.

A program that says `tf.nn.relu` and no more of TensorFlow's is run with this module as its `tf`.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import tapeviz
from tapeviz.engine.functions.exports import exports
from tapeviz.engine.namespace import PUBLIC

linalg, math, nn, signal = (SimpleNamespace(**exports(each)) for each in ("linalg", "math", "nn", "signal"))


def __getattr__(name: str) -> Any:
    if name not in PUBLIC and name not in dir(tapeviz):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(tapeviz, name)
