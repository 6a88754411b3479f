"""A series -> a dataset of windows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeviz.engine.functions.exports import EXPORTS
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.tf.data import Dataset


def timeseries_dataset_from_array(
    data: Any,
    targets: Any,
    sequence_length: int,
    sequence_stride: int = 1,
    sampling_rate: int = 1,
    batch_size: int | None = 128,
    shuffle: bool = False,
    seed: int | None = None,
    start_index: int | None = None,
    end_index: int | None = None,
    format: str = "tf",
) -> Dataset:
    """A dataset of the windows of a series, in batches.

    Args:
        data: the series, whose first axis is time.
        targets: for each step, the target of the window that starts there; or None.
        sequence_length: how many steps a window has.
        sequence_stride: how many steps lie between the starts of two windows.
        sampling_rate: how many steps of the series lie between two steps of a window.
        batch_size: how many windows are in a batch; None for windows without batches.
        shuffle: whether the windows are in random order.
        seed: the seed of that order.
        start_index: the first step that is used.
        end_index: the step before which it stops.
        format: "tf" for a dataset of `tf.data`.

    Returns:
        A dataset of windows, or of pairs of windows and targets.

    Raises:
        ValueError: an index or a distance is out of range, or another format.
        InvalidArgumentError: while iterating, if there are too few targets.

    >>> [batch.numpy().tolist() for batch in timeseries_dataset_from_array([1, 2, 3], None, 2, batch_size=2)]
    [[[1, 2], [2, 3]]]
    """
    _require_steps(len(data), sequence_stride, sampling_rate, start_index, end_index)
    if format != "tf":
        raise ValueError(f'`format` should be "tf": tapeviz has no datasets of another kind. Received: format={format}')
    start = start_index or 0
    end = len(data) if end_index is None else end_index
    count = end - start - (sequence_length - 1) * sampling_rate
    first = np.arange(0, count if targets is None else min(count, len(targets)), sequence_stride, dtype="int32")
    if shuffle:
        np.random.RandomState(np.random.randint(1_000_000) if seed is None else seed).shuffle(first)
    steps = np.arange(sequence_length) * sampling_rate
    series = convert_to_tensor(data)[start:end]
    wanted = None if targets is None else convert_to_tensor(targets)[start:end]

    def windows() -> Iterator[Any]:
        for place in first:
            window = EXPORTS["gather"](series, place + steps)
            yield window if wanted is None else (window, EXPORTS["gather"](wanted, place))

    spec: Any = TensorSpec((None, *series.shape[1:]), series.dtype)
    if wanted is not None:
        spec = spec, TensorSpec(wanted.shape[1:], wanted.dtype)
    dataset = Dataset(windows, len(first), spec, "Prefetch")
    if shuffle:
        dataset = dataset.shuffle(buffer_size=1024 if batch_size is None else batch_size * 8, seed=seed)
    return dataset if batch_size is None else dataset.batch(batch_size)


def _require_steps(length: int, stride: int, rate: int, start: int | None, end: int | None) -> None:
    """Refuse steps that a series of some length has not.

    Raises:
        ValueError: there are such.
    """
    of_data = f"for data of length {length}"
    if start and not 0 <= start < length:
        said = "0 or greater" if start < 0 else "lower than the length of the data"
        raise ValueError(f"`start_index` must be {said}. Received: start_index={start}, {of_data}")
    if end and start and end <= start:
        raise ValueError(
            f"`end_index` must be higher than `start_index`. Received: start_index={start}, and end_index={end}"
        )
    if end and not 0 < end < length:
        said = "lower than the length of the data" if end > 0 else "higher than 0"
        raise ValueError(f"`end_index` must be {said}. Received: end_index={end}, {of_data}")
    for name, value in (("sampling_rate", rate), ("sequence_stride", stride)):
        if not 0 < value < length:
            said = "higher than 0" if value <= 0 else "lower than the length of the data"
            raise ValueError(f"`{name}` must be {said}. Received: {name}={value}, {of_data}")
