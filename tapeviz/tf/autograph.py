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


def set_loop_options(**options: Any) -> None:
    """Options of the graph of a loop, set in the first line of its body; here they have no effect."""


experimental = namespace(f"{__name__}.experimental", do_not_convert=do_not_convert, set_loop_options=set_loop_options)
