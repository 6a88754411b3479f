"""`tf.data.Dataset`: where elements come from, and everything that can be done with them."""

from __future__ import annotations

from tapeviz.tf.data import (
    batches,
    functions,
    generators,
    grouping,
    joins,
    order,
    predicates,
    running,
    shuffling,
    sources,
)
from tapeviz.tf.data.names import names_checked
from tapeviz.tf.data.pipeline import Pipeline
from tapeviz.tf.data.spec import DatasetSpec


@names_checked
class Dataset(Pipeline):
    """A sequence of elements, which are tensors or structures of tensors (`tf.data.Dataset`).

    `from_tensor_slices`, `from_generator`, `range`, `zip` and others make one. Each method returns another dataset.

    >>> import tapeviz as tf
    >>> pairs = tf.data.Dataset.from_tensor_slices(([1, 2, 3], [1.0, 4.0, 9.0]))
    >>> for x, y in pairs.batch(2):
    ...     print(x.numpy(), y.numpy())
    [1 2] [1. 4.]
    [3] [9.]
    """

    from_tensors = classmethod(sources.from_tensors)
    from_tensor_slices = classmethod(sources.from_tensor_slices)
    range = classmethod(sources.numbers_from)
    counter = classmethod(sources.counter)
    random = classmethod(sources.random_numbers)

    from_generator = classmethod(generators.from_generator)

    zip = classmethod(joins.zipped)
    enumerate = joins.enumerated
    choose_from_datasets = classmethod(joins.choose_from_datasets)
    sample_from_datasets = classmethod(joins.sample_from_datasets)

    map = functions.mapped_by
    scan = functions.scanned_by
    reduce = functions.reduced_by
    flat_map = functions.flat_map
    interleave = functions.interleave

    filter = predicates.filtered
    take_while = predicates.take_while

    group_by_window = grouping.group_by_window
    bucket_by_sequence_length = grouping.bucket_by_sequence_length

    batch = batches.batch
    padded_batch = batches.padded_batch
    unbatch = batches.unbatch
    window = batches.window

    repeat = order.repeat
    take = order.take
    skip = order.skip
    shard = order.shard
    concatenate = order.concatenate
    unique = order.unique
    apply = order.apply
    get_single_element = order.get_single_element

    shuffle = shuffling.shuffle

    prefetch = running.prefetch
    with_options = running.with_options
    cache = running.cache


DatasetSpec.dataset = Dataset
