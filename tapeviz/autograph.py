"""`tf.autograph`: what a program tells AutoGraph, which makes ops of the `if`, `while` and `for` in a `tf.function`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from tapeviz.engine.api import missing, namespace
from tapeviz.engine.tracing.building import as_written, in_graph

__all__ = ["experimental"]
__getattr__ = missing("tapeviz.autograph")


def do_not_convert(func: Callable[..., Any] | None = None) -> Any:
    """A function that AutoGraph leaves as it is, so that no tensor may decide an `if` or `while` in it.

    Of functions within a `tf.function`, AutoGraph drops the decorators, this one too.

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
    """Say, at the beginning of a loop's body, how its graph is built. Here it runs as it is, whatever is said.

    Args:
        parallel_iterations: as for `tf.while_loop`; so are the others.
        swap_memory: the same.
        maximum_iterations: the same.
        shape_invariants: pairs of a tensor and a shape: the loop may change its shape, if that stays within this one.
    """


experimental = namespace(
    "tapeviz.autograph.experimental", do_not_convert=do_not_convert, set_loop_options=set_loop_options
)
