"""`tf.data.Dataset`: where elements come from, and everything that can be done with them."""

from __future__ import annotations

from tapeviz.tf.data.batches import Batching
from tapeviz.tf.data.functions import Functions
from tapeviz.tf.data.generators import Generators
from tapeviz.tf.data.grouping import Grouping
from tapeviz.tf.data.joins import Joins
from tapeviz.tf.data.names import names_checked
from tapeviz.tf.data.order import Order
from tapeviz.tf.data.predicates import Predicates
from tapeviz.tf.data.running import Running
from tapeviz.tf.data.shuffling import Shuffling


class Dataset(Generators, Joins, Functions, Predicates, Grouping, Batching, Order, Shuffling, Running):
    """A sequence of elements, which are tensors or structures of tensors (`tf.data.Dataset`).

    `from_tensor_slices`, `from_generator`, `range`, `zip` and others make one. Each method returns another dataset.

    >>> import tapeviz as tf
    >>> pairs = tf.data.Dataset.from_tensor_slices(([1, 2, 3], [1.0, 4.0, 9.0]))
    >>> for x, y in pairs.batch(2):
    ...     print(x.numpy(), y.numpy())
    [1 2] [1. 4.]
    [3] [9.]
    """


for _part in Dataset.__mro__:
    names_checked(_part)
