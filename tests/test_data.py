"""`tf.data.Dataset` against TensorFlow's: elements, lengths, error classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeviz
from tapeviz.events.types import OpRecorded, OpSkipped

A, B = np.arange(10.0, dtype=np.float32).reshape(5, 2), np.int32([5, 4, 3, 2, 1])

PIPELINES: dict[str, Any] = {
    "slices of an array": lambda d: d.from_tensor_slices(A),
    "slices of a list": lambda d: d.from_tensor_slices([1.5, 2.5]),
    "slices of a list of arrays": lambda d: d.from_tensor_slices([np.ones(2), np.zeros(2)]),
    "slices of a tuple": lambda d: d.from_tensor_slices((A, B)),
    "slices of lists in a tuple": lambda d: d.from_tensor_slices(([1, 2], [[1.0], [2.0]])),
    "slices of a dict": lambda d: d.from_tensor_slices({"x": A, "y": {"z": B}}),
    "slices of a scalar": lambda d: d.from_tensor_slices(3),
    "slices of different lengths": lambda d: d.from_tensor_slices(([1, 2], [1])),
    "slices of texts": lambda d: d.from_tensor_slices(["a", "b\0"]),
    "range": lambda d: d.range(4),
    "range with a step": lambda d: d.range(10, 2, -3),
    "range of floats": lambda d: d.range(3, output_type="float32"),
    "empty range": lambda d: d.range(0),
    "range of nothing": lambda d: d.range(),
    "range of four numbers": lambda d: d.range(1, 2, 3, 4),
    "zip of nothing": lambda d: d.zip(),
    "map": lambda d: d.range(4).map(lambda x: x * x),
    "map of a pair": lambda d: d.from_tensor_slices((A, B)).map(lambda x, y: (y, x + 1.0)),
    "map to a dict": lambda d: d.from_tensor_slices((A, B)).map(lambda x, y: {"x": x, "y": y}),
    "map to a list": lambda d: d.range(2).map(lambda x: [x, x + 1]),
    "map to a number": lambda d: d.range(2).map(lambda x: 3),
    "map of a dict": lambda d: d.from_tensor_slices({"x": B}).map(lambda each: each["x"] + 1),
    "filter": lambda d: d.range(6).filter(lambda x: x % 2 == 0),
    "filter of a pair": lambda d: d.from_tensor_slices((A, B)).filter(lambda x, y: y > 2),
    "filter by no bool": lambda d: d.range(3).filter(lambda x: x),
    "enumerate": lambda d: d.from_tensor_slices(B).enumerate(start=7),
    "batch": lambda d: d.from_tensor_slices((A, B)).batch(2),
    "batch without remainder": lambda d: d.from_tensor_slices((A, B)).batch(2, drop_remainder=True),
    "batch of batches": lambda d: d.range(6).batch(2).batch(2),
    "batch of nothing": lambda d: d.range(3).batch(0),
    "unbatch": lambda d: d.from_tensor_slices((A, B)).batch(3).unbatch(),
    "take": lambda d: d.range(5).take(2),
    "take too many": lambda d: d.range(3).take(9),
    "take all": lambda d: d.range(3).take(-1),
    "skip": lambda d: d.range(5).skip(2),
    "skip too many": lambda d: d.range(3).skip(9),
    "skip all": lambda d: d.range(3).skip(-1),
    "repeat": lambda d: d.range(2).repeat(3),
    "repeat not once": lambda d: d.range(2).repeat(0),
    "repeat without end": lambda d: d.range(2).repeat().take(5),
    "repeat nothing without end": lambda d: d.range(0).repeat(),
    "concatenate": lambda d: d.range(2).concatenate(d.range(5, 7)),
    "zip": lambda d: d.zip((d.range(3), d.range(5, 9))),
    "zip of arguments": lambda d: d.zip(d.range(3), d.from_tensor_slices(A)),
    "zip of a dict": lambda d: d.zip({"a": d.range(2), "b": d.range(3)}),
    "zip of one": lambda d: d.zip(d.range(2)),
    "zip with an endless one": lambda d: d.zip((d.range(3), d.range(2).repeat())),
    "cache and prefetch": lambda d: d.range(3).cache().prefetch(1),
    "shuffle with no room": lambda d: d.range(3).shuffle(0),
    "the usual": lambda d: d.from_tensor_slices((A, B)).map(lambda x, y: (x / 2.0, y)).cache().batch(4).prefetch(-1),
}


def elements(pipeline: Any, framework: Any) -> Any:
    """What a pipeline gives, and what it says of its length; or the class of its error."""
    try:
        dataset = pipeline(framework.data.Dataset)
        found = [plain(each) for each in dataset]
        assert repr([plain(each) for each in dataset]) == repr(found), "iterating twice gives the same"
        return found, int(dataset.cardinality().numpy()), length(dataset)
    except Exception as error:
        return type(error).__name__


def plain(element: Any) -> Any:
    if isinstance(element, dict):
        return {key: plain(value) for key, value in element.items()}
    if isinstance(element, tuple):
        return tuple(plain(each) for each in element)
    return (element.dtype.name, tuple(element.shape), repr(element.numpy()))


def length(dataset: Any) -> Any:
    try:
        return len(dataset)
    except TypeError as error:
        return str(error)


@pytest.mark.tensorflow
@pytest.mark.parametrize("name", PIPELINES)
def test_as_tensorflow(name: str) -> None:
    import tensorflow

    assert elements(PIPELINES[name], tapeviz) == elements(PIPELINES[name], tensorflow)


@pytest.mark.tensorflow
@pytest.mark.parametrize("framework", ["tapeviz", "tensorflow"])
def test_shuffle(framework: str) -> None:
    tf = pytest.importorskip(framework)
    numbers = tf.data.Dataset.range(50)

    def read(dataset: Any) -> list[int]:
        return [int(each) for each in dataset.as_numpy_iterator()]

    shuffled = numbers.shuffle(50, seed=1)
    first, second = read(shuffled), read(shuffled)
    assert sorted(first) == sorted(second) == list(range(50))
    assert first != second
    assert first == read(numbers.shuffle(50, seed=1))
    fixed = numbers.shuffle(50, reshuffle_each_iteration=False)
    assert read(fixed) == read(fixed)
    nearly = read(numbers.shuffle(5))
    assert all(number <= place + 5 for place, number in enumerate(nearly)), "a small buffer moves numbers a little"
    assert len(shuffled) == 50


@pytest.mark.tensorflow
@pytest.mark.parametrize("framework", ["tapeviz", "tensorflow"])
def test_iterating_by_hand(framework: str) -> None:
    tf = pytest.importorskip(framework)
    numbers = iter(tf.data.Dataset.range(2))
    assert [int(next(numbers)), int(numbers.get_next())] == [0, 1]
    with pytest.raises(StopIteration):
        next(numbers)
    state = tf.data.Dataset.range(5).reduce(np.int64(0), lambda total, each: total + each)
    assert int(state) == 10
    assert [type(each) for each in tf.data.Dataset.range(1).as_numpy_iterator()] == [np.int64]
    assert bool(tf.data.Dataset.range(0))
    with pytest.raises(TypeError, match="infinite"):
        len(tf.data.Dataset.range(2).repeat())


@pytest.mark.tensorflow
@pytest.mark.parametrize("framework", ["tapeviz", "tensorflow"])
def test_a_batch_of_different_shapes(framework: str) -> None:
    tf = pytest.importorskip(framework)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot add tensor to the batch"):
        list(tf.data.Dataset.range(3).map(lambda n: tf.range(n)).batch(2))


def test_no_tape_follows_the_data() -> None:
    tf = tapeviz
    scale = tf.Variable(2.0)
    data = tf.data.Dataset.from_tensor_slices([1.0, 2.0]).map(lambda x: x * scale)
    with tf.GradientTape() as tape:
        total = tf.add_n([each * scale for each in data])
    assert float(tape.gradient(total, scale)) == 6.0
    inside = [event for event in tape.log.events if isinstance(event, OpSkipped) and event.op == "mul"]
    outside = [event for event in tape.log.events if isinstance(event, OpRecorded) and event.op == "mul"]
    assert (len(inside), len(outside)) == (2, 2)
