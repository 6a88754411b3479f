"""`tf.data.Dataset`: where elements come from, and everything that can be done with them."""

from __future__ import annotations

from types import FunctionType

from tapeviz.data.batches import Batches
from tapeviz.data.functions import Functions
from tapeviz.data.generators import Generators
from tapeviz.data.joins import Joins
from tapeviz.data.order import Order
from tapeviz.data.running import Running
from tapeviz.data.shuffling import Shuffling


class Dataset(Generators, Joins, Functions, Batches, Order, Shuffling, Running):
    """A sequence of elements: tensors, or structures of tensors (`tf.data.Dataset`).

    Made by `from_tensor_slices`, `from_generator`, `range`, `zip` and the like; every method gives another dataset.

    >>> import tapeviz as tf
    >>> pairs = tf.data.Dataset.from_tensor_slices(([1, 2, 3], [1.0, 4.0, 9.0]))
    >>> for x, y in pairs.batch(2):
    ...     print(x.numpy(), y.numpy())
    [1 2] [1. 4.]
    [3] [9.]
    """


for _part in Dataset.__mro__:
    for _name, _method in vars(_part).items():
        _function = getattr(_method, "__func__", _method)
        if isinstance(_function, FunctionType):
            _function.__qualname__ = f"DatasetV2.{_name}"  # so TensorFlow calls it where arguments are missing
