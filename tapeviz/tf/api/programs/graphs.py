"""What TensorFlow computes in graphs alone, under its names: errors that say what to write instead."""

from __future__ import annotations

from typing import Any, NoReturn

from tapeviz.engine.functions.exports import export


@export("gradients")
def gradients(
    ys: Any,
    xs: Any,
    grad_ys: Any = None,
    name: str = "gradients",
    gate_gradients: bool = False,
    aggregation_method: Any = None,
    stop_gradients: Any = None,
    unconnected_gradients: Any = None,
) -> NoReturn:
    """Not available: TensorFlow has it in graphs only. Use `tf.GradientTape`.

    Raises:
        RuntimeError: always.

    >>> import tapeviz as tf
    >>> tf.gradients(tf.constant(1.0), tf.constant(1.0))
    Traceback (most recent call last):
    RuntimeError: tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead.
    """
    raise RuntimeError("tf.gradients is not supported when eager execution is enabled. Use tf.GradientTape instead.")


@export("hessians")
def hessians(
    ys: Any, xs: Any, gate_gradients: bool = False, aggregation_method: Any = None, name: str = "hessians"
) -> NoReturn:
    """Not available: TensorFlow has it in graphs only. Use two tapes and `GradientTape.jacobian`.

    Raises:
        RuntimeError: always.
    """
    raise RuntimeError("tf.hessians is for graphs: take the `jacobian`, by one tape, of the gradient by another.")
