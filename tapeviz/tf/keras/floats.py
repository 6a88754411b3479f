"""The default dtype of floats, and a small number (`floatx` and `epsilon` of `tf.keras.backend`)."""

from __future__ import annotations

ACCEPTED = ("bfloat16", "float16", "float32", "float64")
EPSILON = 1e-7
"""Probabilities are kept this far from 0 and 1, divisors from 0 (`tf.keras.backend.epsilon`)."""
_chosen = "float32"
_of_layers: str | None = None


def floatx() -> str:
    """The dtype of layers, losses and metrics that are made without one.

    >>> floatx()
    'float32'
    """
    return _chosen


def set_floatx(value: str) -> None:
    """Set `floatx`.

    Layers use the value at the time when the first of them was made, or the first one after `clear_session`.

    Args:
        value: "bfloat16", "float16", "float32" or "float64".

    Raises:
        ValueError: another dtype.

    >>> set_floatx("float32")
    """
    global _chosen
    if value not in ACCEPTED:
        raise ValueError(f"Unknown `floatx` value: {value}. Expected one of {set(ACCEPTED)}")
    _chosen = value


def of_layers() -> str:
    """The dtype of layers that are made without one."""
    global _of_layers
    _of_layers = _of_layers or _chosen
    return _of_layers


def forget() -> None:
    """Let the next layer read `floatx` again (`tf.keras.backend.clear_session`)."""
    global _of_layers
    _of_layers = None
