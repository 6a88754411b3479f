"""A batch -> what the graph of a step knows about its tensors; and what a step that fails leaves unchanged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.errors import OpError
from tapeviz.tf.keras.optimizers import Optimizer


def named(batch: Any) -> dict[str, Any]:
    """The tensors of a batch by their names in the graph of a step."""
    return {f"data_{index}" if index else "data": each for index, each in enumerate(_tensors(batch))}


def open_shapes(batch: Any) -> dict[int, TensorShape]:
    """What a graph for any number of examples knows of the shapes of a batch."""
    return {each._id: TensorShape((None, *each.shape[1:])) for each in _tensors(batch)}


def _tensors(batch: Any) -> list[Any]:
    return [each for each in nest.flatten(batch) if each is not None]


def changed_by_training(model: Any) -> list[Any]:
    """The variables that a step of training may change: the model's, and its optimizer's, if it has one of Keras."""
    optimizer = getattr(model, "optimizer", None)
    return [*model.variables, *(optimizer.variables if isinstance(optimizer, Optimizer) else ())]


@contextmanager
def unchanged_on_error(variables: Iterable[Any]) -> Iterator[None]:
    """A block after which variables have their values of before, if it raises an error that is not an op's.

    TensorFlow builds the whole graph of a step before it runs it. So an error in the last line of a step leaves the
    weights unchanged, while an error of an op comes when the graph runs.

    >>> import tapeviz as tf
    >>> v = tf.Variable(1.0)
    >>> try:
    ...     with unchanged_on_error([v]):
    ...         wrong = v.assign(2.0).reshape()
    ... except AttributeError:
    ...     v.numpy()
    np.float32(1.0)
    """
    before = [(each, each._value) for each in variables]
    try:
        yield
    except Exception as error:
        if not isinstance(error, OpError):
            for each, value in before:
                each._value = value
        raise
