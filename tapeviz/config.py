"""`tf.config`: whether a `tf.function` is one."""

from __future__ import annotations

from tapeviz.engine.api import missing
from tapeviz.engine.function import Eagerly

__all__ = ["functions_run_eagerly", "run_functions_eagerly"]
__getattr__ = missing("config")


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Let every `tf.function` be the Python function that it wraps, or no longer (`tf.config.run_functions_eagerly`).

    >>> import tapeviz as tf
    >>> identity = tf.function(lambda x: x)
    >>> tf.config.run_functions_eagerly(True)
    >>> identity(3)
    3
    >>> tf.config.run_functions_eagerly(False)
    >>> identity(3)
    <tf.Tensor: shape=(), dtype=int32, numpy=3>
    """
    Eagerly.chosen = bool(run_eagerly)


def functions_run_eagerly() -> bool:
    """What `run_functions_eagerly` chose.

    >>> functions_run_eagerly()
    False
    """
    return Eagerly.chosen
