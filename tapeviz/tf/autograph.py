"""`tf.autograph`: what a program tells AutoGraph, which makes ops of the `if`, `while` and `for` in a `tf.function`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from tapeviz.engine.graph_mode.building import as_written, in_graph
from tapeviz.tf.names import missing, namespace

__all__ = ["experimental"]
__getattr__ = missing(__name__)


def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """A function that AutoGraph does not rewrite: no `if` or `while` in it may depend on a tensor. Also a decorator.

    It has no effect on a function that is defined in a `tf.function`, since AutoGraph drops the decorators there.

    Args:
        func: the function.

    >>> import tapeviz as tf
    >>> absolute = tf.autograph.experimental.do_not_convert(lambda x: tf.cond(x > 0, lambda: x, lambda: -x))
    >>> float(tf.function(absolute)(tf.constant(-2.0)))
    2.0
    """
    if func is None:
        return do_not_convert
    if in_graph.get() is not None:
        return func

    @wraps(func)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with as_written():
            return func(*args, **kwargs)

    return wrapper


def set_loop_options(
    parallel_iterations: Any = None,
    swap_memory: Any = None,
    maximum_iterations: Any = None,
    shape_invariants: Any = None,
) -> None:
    """Options of the graph of a loop, set in the first line of its body.

    Args:
        parallel_iterations: ignored, as are `swap_memory` and `maximum_iterations`.
        shape_invariants: pairs of a tensor and a shape. The loop may change the shape of such a tensor.

    >>> import tapeviz as tf
    >>> @tf.function
    ... def doubled(x):
    ...     for _ in tf.range(2):
    ...         tf.autograph.experimental.set_loop_options(shape_invariants=[(x, tf.TensorShape([None]))])
    ...         x = tf.concat([x, x], axis=0)
    ...     return x
    >>> doubled(tf.constant([1.0])).shape
    TensorShape([4])
    """


experimental = namespace(f"{__name__}.experimental", do_not_convert=do_not_convert, set_loop_options=set_loop_options)
