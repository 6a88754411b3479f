"""`tf.data.Dataset` against TensorFlow's: elements, lengths, error classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeviz
from tapeviz.events.types import OpRecorded, OpSkipped
from tests.sampling import quarter

A, B = np.arange(10.0, dtype=np.float32).reshape(5, 2), np.int32([5, 4, 3, 2, 1])


def to_three() -> Any:
    yield from range(3)


def pairs() -> Any:
    for number in range(3):
        yield number, [1.5] * number


def rows(d: Any) -> Any:
    """Three numbers and one, nothing being said of their shapes."""
    return d.from_generator(lambda: ((np.ones(3) * i, [i]) for i in range(4)), ("float32", "float32"))


def added(state: Any, element: Any) -> Any:
    return state + element, state * element


def of(d: Any) -> Any:
    """The framework that a class of datasets is of."""
    return tapeviz if d is tapeviz.data.Dataset else pytest.importorskip("tensorflow")


def spec(d: Any, shape: Any) -> Any:
    return of(d).TensorSpec(shape, "float32")


def ranges(d: Any) -> Any:
    return d.range(4).map(lambda n: of(d).range(n))


def steps_to_one(n: Any) -> Any:
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


def longer(state: Any, element: Any) -> Any:
    tf = tapeviz if isinstance(state, tapeviz.Tensor) else pytest.importorskip("tensorflow")
    return tf.concat([state, state], 0), state


def called(d: Any, kind: str = "py_function", Tout: Any = "int64", function: Any = lambda n: n) -> Any:
    """Numbers that went through a Python function, whose results may have any shape."""
    return d.range(3).map(lambda n: getattr(of(d), kind)(function, [n], Tout))


PIPELINES: dict[str, Any] = {
    "of a Python function": called,
    "of a Python function, as the only one of several": lambda d: called(d, Tout=["int64"]),
    "of a function of arrays": lambda d: called(d, "numpy_function"),
    "of a function of arrays, as the only one of several": lambda d: called(d, "numpy_function", ["int64"]),
    "of a function of arrays with two results": lambda d: called(
        d, "numpy_function", ["int64", "float32"], lambda n: (n, np.float32(n))
    ),
    "of a function of arrays with a result too many": lambda d: called(d, "numpy_function", function=lambda n: (n, n)),
    "of a function of arrays with another dtype": lambda d: called(d, "numpy_function", "float32"),
    "of a function of arrays that fails": lambda d: called(d, "numpy_function", function=lambda n: [].index(n)),
    "of a Python function, in batches": lambda d: called(d).batch(2),
    "of a Python function, filled up": lambda d: called(d).padded_batch(2),
    "of a Python function, filled up to a shape": lambda d: called(d, function=range).padded_batch(3, [None]),
    "of a Python function, and others of that": lambda d: d.zip(
        called(d).map(lambda n: n + 1),
        called(d).map(lambda n: of(d).ensure_shape(n, ())),
        called(d).map(lambda n: of(d).reshape(n, [1])),
        called(d).map(lambda n: of(d).reduce_sum(n)),
        called(d).map(lambda n: of(d).one_hot(n, 3)),
        called(d).map(lambda n: of(d).shape(n)),
    ),
    "of a Python function, some of them": lambda d: called(d).filter(lambda n: n > 0),
    "that a Python function chooses": lambda d: d.range(3).filter(
        lambda n: of(d).py_function(lambda n: n > 0, [n], "bool")
    ),
    "of a Python function, its parts": lambda d: called(d, function=range).unbatch(),
    "of a Python function, the slices of each": lambda d: called(d, function=range).flat_map(d.from_tensor_slices),
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
    "tensors": lambda d: d.from_tensors(([1, 2], 3.0)),
    "tensors in a dict": lambda d: d.from_tensors({"a": A}),
    "generator": lambda d: d.from_generator(to_three, "int32"),
    "generator of a shape": lambda d: d.from_generator(lambda: iter([[1, 2]]), "int32", [2]).batch(2),
    "generator of pairs": lambda d: d.from_generator(pairs, ("int64", "float32"), ([], [None])),
    "generator of pairs, a list": lambda d: d.from_generator(pairs, ["int64", "float32"]),
    "generator by its signature": lambda d: d.from_generator(pairs, output_signature=(spec(d, []), spec(d, [None]))),
    "generator of a dict": lambda d: d.from_generator(
        lambda: iter([{"a": 1, "b": 2.0}]), output_signature={"b": spec(d, []), "a": spec(d, [])}
    ),
    "generator of tensors": lambda d: d.from_generator(lambda: d.range(3), "float32").map(lambda x: x + 1.0),
    "generator of fractions as integers, scalars": lambda d: d.from_generator(
        lambda: [1.5], output_signature=of(d).TensorSpec([], "int64")
    ),
    "generator of float32 as integers": lambda d: d.from_generator(lambda: [np.float32(1.5)], "int64"),
    "generator of lists for numbers": lambda d: d.from_generator(lambda: [[1]], output_signature=spec(d, [])),
    "generator of texts for float32": lambda d: d.from_generator(lambda: ["a"], output_signature=spec(d, [])),
    "generator with arguments": lambda d: d.from_generator(lambda n, m: range(n, m + 1), "int32", args=(1, 4)),
    "generator of texts": lambda d: d.from_generator(lambda: ["a", b"b"], "string"),
    "generator of fractions as integers": lambda d: d.from_generator(lambda: [1.5], "int64"),
    "generator of another shape": lambda d: d.from_generator(pairs, output_signature=(spec(d, []), spec(d, [2]))),
    "generator of another structure": lambda d: d.from_generator(pairs, "int32"),
    "generator of lists for pairs": lambda d: d.from_generator(lambda: iter([[1, 2]]), ("int32", "int32")),
    "generator of texts for numbers": lambda d: d.from_generator(lambda: ["a"], "int32"),
    "generator that fails": lambda d: d.from_generator(lambda: (1 // (1 - i) for i in range(3)), "int32"),
    "generator that fails in an argument": lambda d: d.from_generator(lambda: (int("a") for _ in range(3)), "int32"),
    "generator that is none": lambda d: d.from_generator(lambda: 3, "int32"),
    "generator that is no function": lambda d: d.from_generator([1, 2], "int32"),
    "generator of who knows what": lambda d: d.from_generator(to_three),
    "generator of two things": lambda d: d.from_generator(to_three, "int32", output_signature=spec(d, [])),
    "generator of no spec": lambda d: d.from_generator(to_three, output_signature=[3]),
    "generator with another number of shapes": lambda d: d.from_generator(pairs, ("int32", "int32"), ([],)),
    "any ranks, batch": lambda d: rows(d).batch(2),
    "any ranks, padded": lambda d: rows(d).padded_batch(2, ([None], [None])),
    "any ranks, padded to who knows what": lambda d: rows(d).padded_batch(2),
    "any ranks, doubled": lambda d: rows(d).map(lambda a, b: a * 2.0),
    "any ranks, the first": lambda d: rows(d).map(lambda a, b: (a[0], b)),
    "any ranks, shifted": lambda d: rows(d).map(lambda a, b: (a + 1.0, b)).batch(2).map(lambda a, b: (b, a)),
    "any ranks, in a row": lambda d: rows(d).flat_map(lambda a, b: d.from_tensor_slices(a)),
    "any ranks, one by one": lambda d: rows(d).unbatch(),
    "any ranks, those longer": lambda d: rows(d).filter(lambda a, b: b[0] > 1.0).enumerate(),
    "any ranks, with a state": lambda d: rows(d).scan(np.float32(0), lambda s, e: (s + 1.0, e[0] + s)),
    "any ranks, then tables": lambda d: rows(d).concatenate(d.from_tensors((A, A))),
    "numbers, one by one": lambda d: d.range(3).unbatch(),
    "unequal ones, one by one": lambda d: d.from_tensors((A, B[:2])).unbatch(),
    "counter": lambda d: d.counter().take(3),
    "counter by two": lambda d: d.counter(start=5, step=2, dtype="int32").take(3),
    "random numbers, how many": lambda d: d.random(seed=1).take(3).map(lambda x: x < 2**32),
    "ranges": ranges,
    "padded": lambda d: ranges(d).padded_batch(2),
    "padded to five": lambda d: ranges(d).padded_batch(2, padded_shapes=[5]),
    "padded with -1": lambda d: ranges(d).padded_batch(3, [None], padding_values=np.int64(-1), drop_remainder=True),
    "padded to the longest": lambda d: ranges(d).padded_batch(3, padded_shapes=[-1]),
    "padded pairs": lambda d: d.zip(ranges(d), d.range(4)).padded_batch(2, ([None], []), (np.int64(9), np.int64(0))),
    "padded pairs with one value": lambda d: d.zip(ranges(d), d.range(4)).padded_batch(3, padding_values=np.int64(7)),
    "padded texts": lambda d: d.from_tensor_slices([["a", "b"], ["c", "d"]]).padded_batch(2, padded_shapes=[3]),
    "padded numbers": lambda d: d.range(3).padded_batch(2),
    "padded tables": lambda d: d.from_tensor_slices((A, B)).batch(3).padded_batch(2),
    "padded dict": lambda d: d.from_tensor_slices({"b": A, "a": B}).padded_batch(4, {"a": [], "b": [3]}),
    "padded too short": lambda d: ranges(d).padded_batch(2, padded_shapes=[1]),
    "padded with another dtype": lambda d: ranges(d).padded_batch(2, padding_values=1.5),
    "padded with an int32": lambda d: ranges(d).padded_batch(2, padding_values=1),
    "padded to another rank": lambda d: ranges(d).padded_batch(2, padded_shapes=[2, 2]),
    "padded of nothing": lambda d: ranges(d).padded_batch(0),
    "flat map": lambda d: d.range(3).flat_map(lambda n: d.range(n)),
    "flat map of slices": lambda d: d.from_tensor_slices(A).flat_map(d.from_tensor_slices),
    "flat map of pairs": lambda d: d.zip(d.range(2), d.range(2)).flat_map(
        lambda a, b: d.from_tensors((a, b)).repeat(2)
    ),
    "interleave": lambda d: d.range(1, 4).interleave(lambda n: d.from_tensors(n).repeat(4), 2, block_length=2),
    "interleave one by one": lambda d: d.range(1, 4).interleave(lambda n: d.from_tensors(n).repeat(2), 3),
    "interleave unevenly": lambda d: d.range(4).interleave(lambda n: d.from_tensors(n).repeat(n), cycle_length=2),
    "interleave unevenly by two": lambda d: d.range(5).interleave(
        lambda n: d.from_tensors(n).repeat(5 - n), cycle_length=3, block_length=2, num_parallel_calls=2
    ),
    "interleave by default": lambda d: d.range(5).interleave(lambda n: d.from_tensors(n).repeat(n)),
    "interleave nothing": lambda d: d.range(3).interleave(d.from_tensors, cycle_length=0),
    "interleave no elements": lambda d: d.range(3).interleave(d.from_tensors, 2, block_length=0),
    "windows": lambda d: d.range(7).window(3),
    "windows, whole ones": lambda d: d.range(7).window(3, drop_remainder=True),
    "windows one after the other": lambda d: d.range(5).window(3, 1),
    "windows one after the other, whole ones": lambda d: d.range(5).window(3, shift=1, drop_remainder=True),
    "windows of every second": lambda d: d.range(7).window(3, 2, 2),
    "windows of every second, whole ones": lambda d: d.range(7).window(3, 1, 2, True),
    "windows with gaps": lambda d: d.range(12).window(2, 5),
    "windows of pairs": lambda d: d.zip(d.range(4), d.range(4)).window(2),
    "windows of a dict": lambda d: d.from_tensor_slices({"a": B}).window(2),
    "windows of nothing": lambda d: d.range(0).window(2),
    "windows without end": lambda d: d.range(3).repeat().window(2).take(2),
    "windows of who knows how many": lambda d: d.range(3).filter(lambda x: x >= 0).window(2),
    "windows as batches": lambda d: d.range(7).window(3, 1, drop_remainder=True).flat_map(lambda w: w.batch(3)),
    "windows as whole batches": lambda d: d.range(5).window(3, 1).flat_map(lambda w: w.batch(3, drop_remainder=True)),
    "windows of pairs as batches": lambda d: (
        d.zip(d.range(4), d.from_tensor_slices(A[:4])).window(2).flat_map(lambda a, b: d.zip((a.batch(2), b.batch(2))))
    ),
    "sums of windows": lambda d: d.range(6).window(2).map(lambda w: w.reduce(np.int64(0), lambda a, b: a + b)),
    "windows, twice and kept": lambda d: d.range(4).window(2).repeat(2).cache(),
    "windows of no size": lambda d: d.range(7).window(0),
    "windows that stay": lambda d: d.range(7).window(3, 0),
    "windows of no stride": lambda d: d.range(7).window(3, 1, 0),
    "take while": lambda d: d.range(9).take_while(lambda x: x < 3),
    "take while of an endless one": lambda d: d.range(9).repeat().take_while(lambda x: x < 3),
    "take while no bool": lambda d: d.range(9).take_while(lambda x: x),
    "scan": lambda d: d.range(5).scan(np.int64(0), added),
    "scan to a dict": lambda d: d.range(5).scan(
        (np.int64(0), 1.0), lambda s, x: ((s[0] + x, s[1] * 2.0), {"a": x, "b": s[1]})
    ),
    "scan with a longer and longer state": lambda d: ranges(d).scan(np.zeros(1), longer),
    "scan without a pair": lambda d: d.range(5).scan(np.int64(0), lambda s, x: s + x),
    "scan to another dtype": lambda d: d.range(5).scan(0, lambda s, x: (x, x)),
    "scan to a state of two": lambda d: d.range(5).scan(0, lambda s, x: ((s, s), x)),
    "shard": lambda d: d.range(10).shard(3, 1),
    "shard of few": lambda d: d.range(2).shard(3, index=2),
    "shard of an endless one": lambda d: d.range(4).repeat().shard(3, 1).take(3),
    "shard behind the last": lambda d: d.range(10).shard(3, 3),
    "shard of none": lambda d: d.range(10).shard(0, 0),
    "unique": lambda d: d.from_tensor_slices([1, 3, 1, 2, 3]).unique(),
    "unique texts": lambda d: d.from_tensor_slices(["a", "b", "a"]).unique(),
    "unique fractions": lambda d: d.from_tensor_slices([1.0, 3.0]).unique(),
    "apply": lambda d: d.range(7).apply(lambda each: each.take(2)),
    "apply what is none": lambda d: d.range(7).apply(lambda each: 3),
    "choices": lambda d: d.choose_from_datasets([d.range(3), d.range(10, 13)], d.range(2).repeat(3)),
    "choices up to an end": lambda d: d.choose_from_datasets([d.range(1), d.range(10, 13)], d.range(2).repeat(3)),
    "choices beyond an end": lambda d: d.choose_from_datasets([d.range(1), d.range(7, 9)], d.range(2).repeat(3), False),
    "choices of what is not there": lambda d: d.choose_from_datasets([d.range(3)], d.range(2)),
    "choices of another dtype": lambda d: d.choose_from_datasets([d.range(3)], d.range(2, output_type="int32")),
    "choices of other elements": lambda d: d.choose_from_datasets([d.range(3), d.from_tensors(1.0)], d.range(2)),
    "choices of nothing": lambda d: d.choose_from_datasets([], d.range(2)),
    "samples without end, some": lambda d: d.sample_from_datasets([d.range(2).repeat()] * 2, [0.5, 0.5]).take(0),
    "samples with another number of weights": lambda d: d.sample_from_datasets([d.range(3)], [1.0, 2.0]),
    "concatenate of other lengths": lambda d: d.from_tensors([1, 2]).concatenate(d.from_tensors([1])),
    "concatenate of other dtypes": lambda d: d.range(2).concatenate(d.from_tensors(1.0)),
    "elements of open lengths": lambda d: d.from_tensors(np.arange(5)).map(lambda x: x[x > 2]),
    "elements of open lengths, none": lambda d: d.from_tensors(np.arange(5)).map(lambda x: (x[x > 9], x[1:])),
    "a table of values": lambda d: d.range(2).map(lambda i: d.from_tensors(A).get_single_element()[i]),
    "a division": lambda d: d.range(1, 3).map(lambda i: 6 // i),
    "map": lambda d: d.range(4).map(lambda x: x * x),
    "map of a pair": lambda d: d.from_tensor_slices((A, B)).map(lambda x, y: (y, x + 1.0)),
    "map to a dict": lambda d: d.from_tensor_slices((A, B)).map(lambda x, y: {"x": x, "y": y}),
    "map to a list": lambda d: d.range(2).map(lambda x: [x, x + 1]),
    "map to a number": lambda d: d.range(2).map(lambda x: 3),
    "map of a dict": lambda d: d.from_tensor_slices({"x": B}).map(lambda each: each["x"] + 1),
    "filter": lambda d: d.range(6).filter(lambda x: x % 2 == 0),
    "filter of nothing": lambda d: d.range(0).filter(lambda x: x > 1),
    "none twice, of nothing": lambda d: d.range(0).unique(),
    "texts, filled up": lambda d: d.from_tensor_slices(["a", "bb", "ccc"]).padded_batch(2),
    "pairs, filled up to a shape of one": lambda d: d.from_tensor_slices((A, B)).padded_batch(2, [3]),
    "dicts, filled up to a shape of one": lambda d: d.from_tensor_slices({"a": A}).padded_batch(2, [3]),
    "pairs, filled up to shapes of three": lambda d: d.from_tensor_slices((A, B)).padded_batch(2, ([], [], [])),
    "a dict taken for a tensor": lambda d: d.from_tensor_slices({"a": A}).map(lambda x: of(d).cast(x, "float32")),
    "a window taken for a tensor": lambda d: d.range(4).window(2).map(lambda x: of(d).reduce_sum(x)),
    "nothing taken for a tensor": lambda d: d.range(4).map(lambda x: of(d).reduce_sum(None)),
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
    "a loop that never ends at 0": lambda d: d.range(1, 9).map(steps_to_one),
    "a loop that never ends at 0, by turns": lambda d: d.range(1, 5).interleave(
        lambda n: d.from_tensors(steps_to_one(n))
    ),
    "zip with an endless one": lambda d: d.zip((d.range(3), d.range(2).repeat())),
    "cache and prefetch": lambda d: d.range(3).cache().prefetch(1),
    "shuffle with no room": lambda d: d.range(3).shuffle(0),
    "shuffle with less than no room": lambda d: d.range(3).shuffle(-1),
    "shuffle anew or not, as a number": lambda d: d.range(3).shuffle(3, reshuffle_each_iteration=0),
    "random numbers anew or not, as a number": lambda d: d.random(1, rerandomize_each_iteration=1),
    "samples anew or not, as a number": lambda d: d.sample_from_datasets([d.range(3)] * 2, None, 1, False, 1),
    "map to nothing": lambda d: d.range(3).map(lambda x: None),
    "map to nothing, before an element is asked for": lambda d: (d.range(3).map(lambda x: None), d.range(2))[-1],
    "map to an empty tuple": lambda d: d.range(3).map(lambda x: ()),
    "range up to an int32 tensor": lambda d: d.range(of(d).constant(3)),
    "take a tensor": lambda d: d.range(3).take(of(d).constant(2, "int64")),
    "batches of an int32 tensor": lambda d: d.range(3).batch(of(d).constant(2)),
    "the usual": lambda d: d.from_tensor_slices((A, B)).map(lambda x, y: (x / 2.0, y)).cache().batch(4).prefetch(-1),
}


def elements(pipeline: Any, framework: Any) -> Any:
    """What a pipeline gives, and what it says of its length; or the class of its error."""
    try:
        dataset = pipeline(framework.data.Dataset)
        found = [plain(each) for each in dataset]
        assert repr([plain(each) for each in dataset]) == repr(found), "iterating twice gives the same"
        return found, int(dataset.cardinality().numpy()), length(dataset), repr(dataset)
    except Exception as error:
        return type(error).__name__


def plain(element: Any) -> Any:
    if isinstance(element, dict):
        return {key: plain(value) for key, value in element.items()}
    if isinstance(element, tuple):
        return tuple(plain(each) for each in element)
    if hasattr(element, "element_spec"):
        return [repr(element), len(element), *(plain(each) for each in element)]
    return (element.dtype.name, tuple(element.shape), repr(element.numpy()))


def length(dataset: Any) -> Any:
    try:
        return len(dataset)
    except TypeError as error:
        return str(error).partition(" In len:")[0]  # and what to do, here


@pytest.mark.tensorflow
@pytest.mark.parametrize("name", quarter(PIPELINES))
def test_as_tensorflow(name: str) -> None:
    import tensorflow

    assert elements(PIPELINES[name], tapeviz) == elements(PIPELINES[name], tensorflow)


@pytest.mark.tensorflow
@pytest.mark.parametrize("framework", ["tapeviz", "tensorflow"])
def test_a_dataset_of_nothing_is_none(framework: str) -> None:
    tf = pytest.importorskip(framework)
    nothing_there = r"Length for attr '\w+' of 0 must be at least minimum 1"  # TensorFlow names this one or that
    for nothing in (None, (), {}, (None, None)):
        with pytest.raises(tf.errors.InvalidArgumentError, match=nothing_there):
            tf.data.Dataset.from_tensors(nothing)
    with pytest.raises(tf.errors.InvalidArgumentError, match=nothing_there):
        tf.data.Dataset.range(1).map(lambda each: None)


@pytest.mark.tensorflow
@pytest.mark.parametrize("framework", ["tapeviz", "tensorflow"])
def test_a_shuffle_gives_another_order_each_time_unless_told(framework: str) -> None:
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


REDUCED: dict[str, Any] = {
    "counted": lambda d: d.range(3).reduce(0, lambda count, each: count + 1),
    "of pairs": lambda d: d.zip(d.range(3), d.range(4)).reduce(np.int64(1), lambda s, pair: s + pair[0] * pair[1]),
    "to a pair": lambda d: d.range(3).reduce((0, 0.0), lambda s, x: (s[0] + 1, s[1] + 2.0)),
    "longer and longer": lambda d: d.range(3).reduce(np.zeros(1), lambda s, x: longer(s, x)[0]),
    "with other dtypes": lambda d: d.range(3).reduce(0, lambda s, x: s + x),
    "to another dtype": lambda d: d.range(3).reduce(0, lambda s, x: x),
    "to fewer": lambda d: d.range(3).reduce((0, 0.0), lambda s, x: s[0]),
    "windows": lambda d: d.range(5).window(2).reduce(np.int64(0), lambda s, w: s + w.cardinality()),
    "the only one": lambda d: d.range(1).get_single_element(),
    "the only one of none": lambda d: d.range(0).get_single_element(),
    "the only one of two": lambda d: d.range(2).get_single_element(),
    "spec of windows": lambda d: d.zip(d.range(5), ranges(d)).window(2).element_spec,
    "spec is as said": lambda d: (
        d.range(3).window(2).element_spec == of(d).data.DatasetSpec(of(d).TensorSpec([], "int64"))
    ),
    "no arrays of windows": lambda d: d.range(3).window(2).as_numpy_iterator(),
    "random numbers again": lambda d: [list(each) == list(each) for each in (d.random().take(3), d.random(1).take(3))],
    "other random numbers": lambda d: [
        list(each.as_numpy_iterator()) == list(each.as_numpy_iterator())
        for each in [d.random(4, rerandomize_each_iteration=True).take(9)]
    ],
    "samples": lambda d: list(
        d.sample_from_datasets([d.range(9), d.range(50, 80), d.range(100, 109)], [0.5, 1.0, 2.0], seed=1).take(15)
    ),
    "samples, others each time": lambda d: [
        list(each)
        for each in [
            d.sample_from_datasets([d.range(5), d.range(5, 9)], seed=2, rerandomize_each_iteration=True).take(6)
        ]
        * 2
        if iter(each)
    ],
    "random numbers": lambda d: [list(each.take(9)) for each in (d.random(3), d.random(2**40))],
    "shuffled, by a seed": lambda d: [
        list(d.range(count).shuffle(room, seed=seed)) for count, room, seed in [(9, 9, 1), (9, 3, 0), (4, 9, 2**40)]
    ],
    "shuffled, all at once": lambda d: list(d.range(9).shuffle(of(d).data.UNKNOWN_CARDINALITY, seed=1)),
    "shuffled, and looked at before": lambda d: [
        (each.element_spec.dtype.name, list(each))
        for each in [d.range(6).shuffle(6, 1).map(lambda x: of(d).numpy_function(lambda y: y * 2, [x], "int64"))]
    ],
    "shuffled in one order": lambda d: [
        list(each) for each in [d.range(30).shuffle(7, seed=2, reshuffle_each_iteration=False)] * 2
    ],
    "shuffled in other orders": lambda d: [list(each.repeat(2)) for each in [d.range(9).shuffle(4, 3)] * 2],
    "shuffled after set_seed": lambda d: [
        of(d).random.set_seed(5),
        *(list(d.range(6).shuffle(6)) for _ in range(2)),
        of(d).random.normal([2]),
    ],
    "shuffled in a dataset of datasets": lambda d: list(d.range(2).flat_map(lambda x: d.range(4).shuffle(4, seed=3))),
    "samples of one": lambda d: list(
        d.sample_from_datasets([d.range(3), d.range(5, 8)], [0.0, 1.0]).as_numpy_iterator()
    ),
    "samples without end": lambda d: int(
        d.sample_from_datasets([d.range(3).repeat(), d.range(5, 8).repeat()], [0.5, 0.5]).cardinality()
    ),
}


@pytest.fixture
def no_global_seed() -> None:
    """Neither library has one, whichever tests ran before."""
    import tensorflow

    for framework in (tapeviz, tensorflow):
        framework.random.set_seed(None)


@pytest.mark.tensorflow
@pytest.mark.usefixtures("no_global_seed")
@pytest.mark.parametrize("name", quarter(REDUCED))
def test_values_are_those_of_tensorflow(name: str) -> None:
    import tensorflow

    def value(framework: Any) -> str:
        try:
            found = REDUCED[name](framework.data.Dataset)
            return repr(
                framework.nest.map_structure(lambda each: each.numpy() if framework.is_tensor(each) else each, found)
            )
        except Exception as error:
            return type(error).__name__

    assert value(tapeviz) == value(tensorflow)


def scanned(s: Any) -> Any:
    return s.scan(np.int64(0), lambda state, x: (state, x))


BEGUN: dict[str, Any] = {
    "itself": lambda d, s: s,
    "map": lambda d, s: s.map(lambda x: x + 1),
    "filter": lambda d, s: s.filter(lambda x: x < 9),
    "take_while": lambda d, s: s.take_while(lambda x: x < 9),
    "scan": lambda d, s: scanned(s),
    "flat_map": lambda d, s: s.flat_map(d.from_tensors),
    "interleave": lambda d, s: s.interleave(d.from_tensors, cycle_length=2),
    "the inner one of flat_map": lambda d, s: d.range(2).flat_map(lambda x: s),
    "batch": lambda d, s: s.batch(4),
    "padded_batch": lambda d, s: s.padded_batch(4),
    "unbatch": lambda d, s: s.batch(4).unbatch(),
    "window": lambda d, s: s.window(4),
    "repeat": lambda d, s: s.repeat(2),
    "repeat once": lambda d, s: s.repeat(1),
    "repeat without end": lambda d, s: s.repeat().take(8),
    "repeat what is no shuffle": lambda d, s: s.prefetch(1).repeat(2),
    "repeat what is repeated": lambda d, s: s.repeat(2).repeat(2),
    "take": lambda d, s: s.take(2),
    "take none": lambda d, s: s.take(0),
    "take all": lambda d, s: s.take(-1),
    "skip": lambda d, s: s.skip(2),
    "skip all": lambda d, s: s.skip(-1),
    "shard": lambda d, s: s.shard(2, 0),
    "concatenate": lambda d, s: s.concatenate(s),
    "concatenate behind another": lambda d, s: d.range(3).concatenate(s),
    "unique": lambda d, s: s.unique(),
    "prefetch": lambda d, s: s.prefetch(2),
    "with_options": lambda d, s: s.with_options(of(d).data.Options()),
    "cache": lambda d, s: s.cache(),
    "shuffle": lambda d, s: s.shuffle(4, seed=5),
    "zip": lambda d, s: d.zip(s, s),
    "enumerate": lambda d, s: s.enumerate(),
    "choose_from_datasets": lambda d, s: d.choose_from_datasets([s, d.range(3)], d.range(2)),
    "choices": lambda d, s: d.choose_from_datasets([d.range(9)] * 6, s),
    "sample_from_datasets": lambda d, s: d.sample_from_datasets([s, d.range(3)], seed=1),
    "samples of another": lambda d, s: d.sample_from_datasets([s, d.range(3)], [0.0, 1.0], seed=1),
    "several": lambda d, s: scanned(s.repeat(1)).repeat().take(8),
}
"""What is made of a shuffled dataset `s`."""


@pytest.mark.tensorflow
@pytest.mark.usefixtures("no_global_seed")
@pytest.mark.parametrize("name", BEGUN)
def test_orders_that_an_iteration_uses_up(name: str) -> None:
    import tensorflow

    def next_order(framework: Any, read: int) -> list[int]:
        shuffled = framework.data.Dataset.range(6).shuffle(6, seed=3)
        iteration = iter(BEGUN[name](framework.data.Dataset, shuffled))
        for _ in zip(range(read), iteration, strict=False):
            pass
        return [int(each) for each in shuffled]

    for read in (0, 1, 30):
        assert next_order(tapeviz, read) == next_order(tensorflow, read), f"{read} elements were taken"


@pytest.mark.tensorflow
@pytest.mark.parametrize("framework", ["tapeviz", "tensorflow"])
def test_what_is_reduced_is_on_no_tape(framework: str) -> None:
    tf = pytest.importorskip(framework)
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        total = tf.data.Dataset.from_tensor_slices([1.0, 2.0]).reduce(tf.constant(0.0), lambda s, each: s + each * x)
    assert float(total) == 6.0
    assert tape.gradient(total, x) is None


def test_windows_are_no_batches() -> None:
    windows = tapeviz.data.Dataset.range(4).window(2)
    for method in (lambda: windows.batch(2), lambda: windows.padded_batch(2), lambda: windows.unbatch()):
        with pytest.raises(TypeError, match="flat_map"):
            method()
    with pytest.raises(TypeError, match="must return a `Dataset` object"):
        windows.flat_map(lambda window: 3)


@pytest.mark.tensorflow
@pytest.mark.parametrize("framework", ["tapeviz", "tensorflow"])
def test_a_batch_of_different_shapes(framework: str) -> None:
    tf = pytest.importorskip(framework)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Cannot add tensor to the batch"):
        list(tf.data.Dataset.range(3).map(lambda n: tf.range(n)).batch(2))


def test_what_is_no_dataset_is_named() -> None:
    numbers = tapeviz.data.Dataset.range(3)
    for method in (
        lambda: numbers.choose_from_datasets([numbers, [1]], numbers),
        lambda: numbers.choose_from_datasets([numbers], [0]),
        lambda: numbers.sample_from_datasets([numbers, [1]]),
        lambda: numbers.zip((numbers, np.ones(1))),
        lambda: numbers.apply(list),
    ):
        with pytest.raises(TypeError, match=r"`tf.data.Dataset`.* <class '(list|numpy.ndarray)'>"):
            method()


def test_names_that_there_are_not_are_found_before_the_data_is_read() -> None:
    with pytest.raises(NameError, match="nowhere"):
        rows(tapeviz.data.Dataset).map(lambda a, b: nowhere)  # type: ignore[name-defined]  # noqa: F821


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


@pytest.mark.parametrize(
    ("told", "program"),
    [
        ("In shuffle: buffer_size is 0", lambda d: d.range(3).shuffle(0)),
        ("In batch: batch_size is 0", lambda d: d.range(3).batch(0)),
        ("In padded_batch: batch_size is -1", lambda d: d.range(3).padded_batch(-1)),
        ("In window: stride is 0", lambda d: d.range(3).window(2, stride=0)),
        ("In interleave: cycle_length is 0", lambda d: d.range(3).interleave(d.from_tensors, 0)),
        ("In interleave: block_length is 0", lambda d: d.range(3).interleave(d.from_tensors, 1, 0)),
        ("In get_single_element: .*RangeDataset", lambda d: d.range(3).get_single_element()),
        ("In get_single_element: .*RangeDataset", lambda d: d.range(0).get_single_element()),
        ("In len: `take", lambda d: len(d.range(3).repeat())),
        ("In len: go over", lambda d: len(d.range(3).filter(lambda x: x > 1))),
    ],
)
def test_an_error_says_in_which_method_and_of_what_value(told: str, program: Any) -> None:
    with pytest.raises((tapeviz.errors.InvalidArgumentError, TypeError), match=told):
        program(tapeviz.data.Dataset)
