"""A series -> a dataset of windows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeviz.data import Dataset
from tapeviz.engine.api import EXPORTS
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.values.constant import convert_to_tensor


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
    """A dataset of windows of a series, in batches, each with the target of its first step if there are targets.

    Args:
        data: the series, steps first.
        targets: a value for each step, or None.
        sequence_length: the steps of a window.
        sequence_stride: how many steps windows lie apart.
        sampling_rate: how many steps of the series lie between those of a window.
        batch_size: windows in a batch; None for one window after the other.
        shuffle: whether they come in an order of chance, which is `seed`'s if there is one.
        start_index: the first step that counts.
        end_index: the first one after it that does not.
        format: "tf", a dataset of `tf.data`.

    Raises:
        ValueError: steps out of the series, or apart by none; another format.
        InvalidArgumentError: in the iteration, fewer targets than steps from `start_index` on.

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
