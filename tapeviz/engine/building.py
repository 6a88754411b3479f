"""A function of which TensorFlow builds a graph (`tf.function`, a dataset's) -> what a program finds different inside.

Its ops run when they are called all the same. But who asks whether they do is told no, and mistakes are raised as while
a graph is built.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from tapeviz.engine.setting import Setting
from tapeviz.errors import OpError

in_graph: ContextVar[bool] = ContextVar("in_graph", default=False)


@contextmanager
def building() -> Iterator[None]:
    """A block that TensorFlow would build a graph of."""
    with Setting(in_graph, True):
        try:
            yield
        except OpError as error:
            if error.in_graph is None:
                raise
            said = str(error) if error.while_building is None else f"{error.while_building.removesuffix('.')}. {error}"
            raise error.in_graph(said) from error


def running() -> Setting:
    """A block that TensorFlow runs at once, also inside such a function."""
    return Setting(in_graph, False)
