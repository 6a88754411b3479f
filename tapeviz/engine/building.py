"""A function of which TensorFlow builds a graph (`tf.function`, a dataset's) -> who asks inside is told so.

Their ops run when they are called all the same: this is what a program that asks first goes by.
"""

from __future__ import annotations

from contextvars import ContextVar

from tapeviz.engine.setting import Setting

in_graph: ContextVar[bool] = ContextVar("in_graph", default=False)


def building() -> Setting:
    """A block that TensorFlow would build a graph of."""
    return Setting(in_graph, True)


def running() -> Setting:
    """A block that TensorFlow runs at once, also inside such a function."""
    return Setting(in_graph, False)
