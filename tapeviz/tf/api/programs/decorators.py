"""Functions with another gradient than their own, or recomputed on the way back, under TensorFlow's names."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from functools import wraps
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.backward.unconnected import UnconnectedGradients
from tapeviz.engine.custom_gradient import custom_gradient, gets_lost
from tapeviz.engine.functions.array.conversions import identity
from tapeviz.engine.functions.exports import export
from tapeviz.engine.logs import not_recorded
from tapeviz.engine.tape import GradientTape


@export("grad_pass_through")
def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function with the values of `f` and the gradient of the identity function. Variables in it get no gradient.

    >>> import tapeviz as tf
    >>> x = tf.Variable(1.7)
    >>> with tf.GradientTape() as tape:
    ...     y = 2.0 * tf.grad_pass_through(tf.round)(x)
    >>> float(tape.gradient(y, x))
    2.0
    """

    @wraps(f)
    def passed(*args: Any, **kwargs: Any) -> Any:
        def gradients(*upstream: Any, variables: Any = None) -> Any:
            return upstream if variables is None else (upstream, [None] * len(variables))

        return f(*args, **kwargs), gradients

    return custom_gradient(passed)


@export("recompute_grad")
def recompute_grad(f: Callable[..., Any]) -> Callable[..., Any]:
    """The same function, which the backward pass calls again, so that its ops need not be recorded.

    Raises:
        NotImplementedError: a second derivative is computed.

    >>> import tapeviz as tf
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = tf.recompute_grad(lambda x: x * x)(x)
    >>> float(tape.gradient(y, x))
    6.0
    """

    @wraps(f)
    def recomputed(*args: Any, **kwargs: Any) -> Any:
        with nullcontext() if gets_lost() else not_recorded():
            result = f(*args, **kwargs)

        def gradients(*upstream: Any, variables: Any = None) -> Any:
            @custom_gradient
            def once_more(*arrived: Any) -> Any:
                with GradientTape() as tape:
                    again = nest.map_structure(identity, args)
                    tape.watch(again)
                    recomputed_result = f(*again, **kwargs)
                found = tape.gradient(
                    recomputed_result,
                    [*again, *(variables or ())],
                    output_gradients=arrived,
                    unconnected_gradients=UnconnectedGradients.ZERO,
                )
                return (found[: len(args)], found[len(args) :]), _no_second

            def _no_second(*arguments: Any, **of_variables: Any) -> Any:
                raise NotImplementedError(
                    f"recompute_grad tried to transpose grad of {f.__name__}. Consider not using recompute_grad in "
                    "forward modeautodiff: there is no second derivative of it."
                )

            of_arguments, of_variables = once_more(*upstream)
            return of_arguments if variables is None else (of_arguments, of_variables)

        return result, gradients

    made = custom_gradient(recomputed)
    made.__wrapped__ = f
    return made
