"""The data given to `fit` (arrays, a dataset or a generator of batches) -> batches of tensors."""

from __future__ import annotations

import warnings
from collections.abc import Generator, Iterator
from itertools import chain, islice
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import make
from tapeviz.tf import random_state
from tapeviz.tf.data import Dataset
from tapeviz.tf.keras.models.class_weights import ClassWeights

_RAN_OUT = (
    "Your input ran out of data; interrupting training. Make sure that your dataset or generator can generate at least "
    "`steps_per_epoch * epochs` batches. You may need to use the `.repeat()` function when building your dataset."
)

_PARTS = ("x", "y", "sample_weight")


def _sizes(name: str, part: Any) -> str:
    """How many samples there are in each array of a part of the data."""
    return f"'{name}' sizes: {', '.join(str(len(each)) for each in nest.flatten(part) if each is not None)}\n"


class Batches:
    """The batches of some arrays, of a dataset or of a generator.

    Args:
        x: the inputs, or a dataset or a generator of batches.
        y: the labels.
        weight: the weights of the examples.
        batch_size: the size of batches of arrays, 32 by default.
        steps: how many batches there are, instead of their size.

    Raises:
        ValueError: arrays have different lengths, something is not an array, weights have another structure than
            labels, labels or weights are given besides a dataset or a generator, or a generator yields nothing or no
            tuples.
        IndexError: a number instead of an array.
    """

    class_weights: ClassWeights | None = None
    """The weights of examples by their classes; None if all examples count the same."""
    _unread: Iterator[Any] | None = None
    """With `steps_per_epoch`: the iterator that the next epoch continues."""
    _seen = 0
    """The number of batches already read from it."""
    _arrays: Any = None
    """The arrays, if there is no dataset."""

    def __init__(self, x: Any, y: Any, weight: Any, batch_size: int | None, steps: int | None = None) -> None:
        self._dataset, self._is_generated = _dataset_of(x, y, weight), isinstance(x, Generator)
        self._size = batch_size or 32
        if self._size < 0:
            raise ValueError(f"Invalid value in tensor used for shape: {self._size}. `batch_size` is 1 or more.")
        if self._dataset is not None:
            self.steps = max(self._dataset._size, 0)
            return
        self._arrays = _arrays((x, y, weight))
        _require_weights_of(self._arrays[1], self._arrays[2])
        lengths = {len(each) for each in nest.flatten(self._arrays) if each is not None}
        if len(lengths) > 1:
            raise ValueError(
                "Data cardinality is ambiguous. Make sure all arrays contain the same number of samples."
                + "".join(_sizes(*each) for each in zip(_PARTS, self._arrays, strict=True) if each[1] is not None)
            )
        self._length = lengths.pop()
        if steps and not batch_size:  # the batch size with which so many steps cover all examples
            self._size = max(-(-self._length // steps), 1)
        self.steps = -(-self._length // self._size)

    @property
    def varies(self) -> bool:
        """Whether batches may be of different sizes."""
        if self._dataset is None:
            return self._length % self._size > 0
        first = nest.flatten(self._dataset.element_spec)[0]
        return tuple(first.shape or ())[:1] == (None,)

    def split(self, share: float, *sizes: tuple[int | None, int | None]) -> tuple[Batches, Batches]:
        """The examples split into those to train on and, at the end, a `share` of all to validate with.

        Each of `sizes` is a pair of batch size and number of steps, the first for training, the second for validation.

        Raises:
            ValueError: it is a dataset, which cannot be split, or one of the two would be empty.
        """
        if self._dataset is not None:
            raise ValueError(
                "Argument `validation_split` is only supported for tensors or NumPy arrays.Found incompatible type in "
                f"the input: [{type(self._dataset)}]. Give a dataset's `validation_data` apart."
            )
        at = int(self._length * (1 - share))
        if at in (0, self._length):
            raise ValueError(
                f"{self._length} examples cannot be split by validation_split={share}: one part would have none."
            )
        first, last = sizes
        return self._taken(slice(at), *first), self._taken(slice(at, None), *last)

    def weighed(self, class_weight: Any) -> Batches:
        """These batches with weights for their examples by class, unless `class_weight` is None.

        Raises:
            ValueError: the data is a generator.
        """
        if class_weight is not None:
            if self._is_generated:
                raise ValueError(
                    "Argument `class_weight` is not supported for Python generator inputs. Received: "
                    f"class_weight={class_weight}"
                )
            self.class_weights = ClassWeights(class_weight, closed=self._dataset is not None)
        return self

    def _weighed(self, batch: Any) -> Any:
        return batch if self.class_weights is None else self.class_weights.weighed(*unpacked(batch))

    def _taken(self, rows: slice, batch_size: int | None, steps: int | None) -> Batches:
        x, y, weight = _rows(self._arrays, rows)
        return Batches(x, y, weight, batch_size, steps)

    def read(self, shuffle: bool, steps: int | None) -> Iterator[Any]:
        """The batches of one epoch; with `shuffle`, arrays are in a new order each time.

        With `steps`, the next epoch continues where this one ends, as in Keras. It starts from the beginning only if
        this epoch read the last batch, or ran out of batches.
        """
        return self._continued(shuffle, steps) if steps else self._all(shuffle)

    def first(self, steps: int | None = None) -> Iterator[Any]:
        """The first `steps` batches in order, by default all."""
        return self._all(shuffle=False, steps=steps)

    def _all(self, shuffle: bool, steps: int | None = None) -> Iterator[Any]:
        batches = self._iterator(shuffle)
        yield from _next(batches, steps) if steps else batches
        if self._dataset is not None and 0 < self.steps <= (steps or self.steps):
            iter(self._dataset)  # Keras makes a new iterator after the last batch, which consumes one shuffled order

    def _iterator(self, shuffle: bool) -> Iterator[Any]:
        if self._dataset is not None:
            return map(self._weighed, self._dataset)
        order = random_state.of_graph().permutation(self._length) if shuffle else np.arange(self._length)
        starts = range(0, self._length, self._size)
        return (self._weighed(_tensors(_rows(self._arrays, order[at : at + self._size]))) for at in starts)

    def _continued(self, shuffle: bool, steps: int) -> Iterator[Any]:
        if self._unread is None:
            self._unread, self._seen = self._iterator(shuffle), 0
        wanted = self._seen + steps
        for batch in _next(self._unread, steps):
            self._seen += 1
            yield batch
        if self._seen == self.steps or self._seen < wanted:
            self._unread, self._seen = self._iterator(shuffle) if self.steps else None, 0


def one_batch(x: Any, y: Any = None, weight: Any = None, class_weight: Any = None) -> tuple[Any, Any, Any]:
    """Arrays as one batch of inputs, labels and weights. As in Keras, their lengths are not compared."""
    batch = unpacked(_tensors(_arrays((x, y, weight))))
    return batch if class_weight is None else unpacked(ClassWeights(class_weight, closed=False).weighed(*batch))


def _next(batches: Iterator[Any], steps: int) -> Iterator[Any]:
    """The next `steps` batches, with a warning if there are fewer."""
    seen = 0
    for batch in islice(batches, steps):
        seen += 1
        yield batch
    if seen < steps:
        warnings.warn(_RAN_OUT, stacklevel=2)


def unpacked(data: Any) -> tuple[Any, Any, Any]:
    """The inputs, labels and weights of a batch, with None for those that are missing.

    Raises:
        ValueError: the batch has more than three parts.
    """
    if not isinstance(data, (tuple, list)):
        return data, None, None
    if len(data) > 3:
        raise ValueError(
            "Data is expected to be in format `x`, `(x,)`, `(x, y)`, or `(x, y, sample_weight)`, found: "
            f"{len(data)} parts, {data}"
        )
    return (*data, None, None)[:3]


def _dataset_of(x: Any, y: Any, weight: Any) -> Any:
    """`x` as a dataset, if it is a dataset or a generator; None for arrays."""
    kind = "tf.data.Dataset" if isinstance(x, Dataset) else "generator" if isinstance(x, Generator) else None
    if kind is None:
        return None
    for name, about, told in (("y", "the targets", y), ("sample_weights", "the sample weights", weight)):
        if told is not None:
            raise ValueError(
                f"When providing `x` as a {kind}, `{name}` should not be passed. Instead, {about} should be included "
                f"as part of the {kind}."
            )
    return x if kind == "tf.data.Dataset" else _generator_dataset(x)


def _generator_dataset(generator: Generator[Any]) -> Any:
    """The dataset of a generator's batches.

    As in Keras, the first two are read at once, to learn their structure, and every pass starts with them.
    """
    first = [*islice(generator, 2)]
    said = "When passing a Python generator to a Keras model, the generator must"
    if not first:
        raise ValueError(f"{said} yield at least one batch. Received an empty generator.")
    if not isinstance(first[0], tuple):
        raise ValueError(
            f"{said} return a tuple, either (input,) or (inputs, targets) or (inputs, targets, sample_weights). "
            f"Received: {first[0]}"
        )
    form = nest.map_structure(lambda each: TensorSpec([None] * np.ndim(each), each.dtype), first[0])
    return Dataset.from_generator(lambda: chain(first, generator), output_signature=form)


def _arrays(data: Any) -> Any:
    """Inputs, labels and weights as arrays."""
    odd = [each for each in nest.flatten(data) if each is not None and not hasattr(each, "__array__")]
    if odd:
        raise ValueError(
            f"Unrecognized data type: x={data[0]} (of type {type(data[0])}). Arrays are expected, and {odd[0]!r} is "
            "none: a list is several inputs, of one array each; np.array([...]) makes one of numbers."
        )
    return nest.map_structure(_array, data)


def _require_weights_of(labels: Any, weights: Any) -> None:
    """Raise ValueError unless weights are as the labels of several outputs, or one for each example."""
    if weights is None or not nest.is_nested(labels):
        return
    if not nest.is_nested(weights):
        if weights.ndim == 1 or (weights.ndim == 2 and weights.shape[1] == 1):
            return
        raise ValueError(
            "One sample_weight for several outputs is a number for each example: give one for each output."
        )
    try:
        nest.assert_same_structure(labels, weights)
    except (ValueError, TypeError):
        raise ValueError(
            "You should provide one `sample_weight` array per output in `y`. The two structures did not match:\n"
            f"- y: {labels}\n- sample_weight: {weights}\n"
        ) from None


def _array(value: Any) -> Any:
    if value is None:
        return None
    array = np.asarray(value._value if isinstance(value, TensorLike) else value)
    if not array.shape:
        raise IndexError(f"tuple index out of range: {array} is one number, no examples along a first axis.")
    if array.dtype.kind in "US" or (array.dtype.kind == "O" and not isinstance(value, TensorLike)):
        raise ValueError(
            f"Invalid dtype: {array.dtype.name}. A model takes numbers: give texts as the numbers of classes."
        )
    return array.astype(np.float32) if array.dtype == np.float64 else array


def _rows(arrays: Any, rows: Any) -> Any:
    return nest.map_structure(lambda each: None if each is None else each[rows], arrays)


def _tensors(arrays: Any) -> Any:
    """A batch `(x, y)` or `(x, y, weight)` of tensors; `x` alone, but `(x,)` where it is a list itself."""
    last = max(place for place, each in enumerate(arrays) if each is not None)
    alone = last == 0 and not isinstance(arrays[0], (list, tuple))
    given = arrays[0] if alone else arrays[: last + 1]
    return nest.map_structure(lambda each: None if each is None else make(each), given)
