"""The quick call of an op does what the call does that it stands in front of: values, records, gradients, errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tapeviz as tf
from tapeviz.engine.calling import call as calls
from tapeviz.engine.ops import OPS
from tapeviz.events import CotangentAccumulated, EventLog, OpRecorded, VjpApplied

ARRAY = np.linspace(0.2, 0.9, 6, dtype=np.float32).reshape(2, 3)
OPERANDS: dict[str, Callable[[], Any]] = {
    "scalar": lambda: tf.constant(0.5),
    "matrix": lambda: tf.constant(ARRAY),
    "row": lambda: tf.constant(ARRAY[0]),
    "matrices": lambda: tf.constant(np.stack([ARRAY.T, -ARRAY.T])),
    "variable": lambda: tf.Variable(0.25),
    "double": lambda: tf.constant(0.5, tf.float64),
    "float": lambda: 1.25,
    "zero": lambda: -0.0,
    "int": lambda: 2,
    "array": lambda: ARRAY[0],
    "literal": lambda: np.float32(0.75),
    "complex": lambda: tf.constant(0.5 + 1j),
    "list": lambda: [0.5, 1.0, 1.5],
    "tensors": lambda: [tf.constant(0.5), tf.constant(1.0), tf.constant(1.5)],
}
BINARY = ["add", "sub", "mul", "div", "pow", "maximum", "squared_difference", "matmul"]
PAIRS = [(x, y) for x in OPERANDS for y in OPERANDS if {x, y} & {"scalar", "matrix", "row", "variable", "double"}]


def each_operand(test: Callable[..., None]) -> Callable[..., None]:
    """Beside what is drawn: every operand on either side of a tensor."""
    for each in OPERANDS:
        test = example((each, "matrix"))(example(("matrix", each))(test))
    return test


def outcome(call: Callable[..., Any], operands: list[Any], watched: list[int]) -> Any:
    """What comes of it: the value, the gradients, what the log tells; or the error."""
    tensors = [operands[i] for i in watched]
    try:
        with tf.GradientTape() as tape:
            tape.watch(tensors)
            out = call(*operands)
            both = tf.abs(out) + tf.abs(out)
        gradients = tape.gradient(both, tensors)
    except Exception as error:
        return type(error), str(error)
    return out.numpy(), [None if each is None else each.numpy() for each in gradients], told(tape.log)


def told(log: EventLog) -> list[Any]:
    """The events, without what two runs of a program need not share: the places in the source."""
    kinds = (OpRecorded, VjpApplied, CotangentAccumulated)
    events = [repr(each) for each in log.events if isinstance(each, kinds)]
    return [each[: each.find("site=")] for each in events] + [
        (each.shape, each.dtype, each.role) for each in log.tensors
    ]


def same(one: Any, other: Any) -> None:
    if isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype
    elif isinstance(one, (list, tuple)):
        for each, its_other in zip(one, other, strict=True):
            same(each, its_other)
    else:
        assert one is other or one == other or (one != one and other != other)


def is_float(value: Any) -> bool:
    return isinstance(value, (tf.Tensor, tf.Variable)) and value.dtype.is_floating


@pytest.mark.parametrize("name", BINARY)
@given(st.sampled_from(PAIRS))
@each_operand
def test_a_quick_call_of_two_tensors_does_what_the_general_one_does(name: str, pair: tuple[str, str]) -> None:
    operands = [OPERANDS[each]() for each in pair]
    everything = [i for i, each in enumerate(operands) if is_float(each)]
    for watched in (everything, everything[:1], everything[1:]):
        same(outcome(OPS[name].call, operands, watched), outcome(calls.binary(OPS[name]), operands, watched))


@pytest.mark.parametrize("options", [{}, {"transpose_b": True}, {"adjoint_a": True, "name": "product"}])
@given(st.sampled_from(PAIRS))
@each_operand
def test_a_quick_call_with_options_does_what_the_general_one_does(
    options: dict[str, Any], pair: tuple[str, str]
) -> None:
    operands = [OPERANDS[each]() for each in pair]
    watched = [i for i, each in enumerate(operands) if is_float(each)]
    in_full = tf.matmul.__wrapped__
    same(*[outcome(lambda a, b, f=f: f(a, b, **options), operands, watched) for f in (tf.matmul, in_full)])


@pytest.mark.parametrize("name", ["sum", "mean", "max", "prod", "logsumexp"])
@given(
    st.sampled_from(["scalar", "matrix", "row", "variable", "double", "complex", "float", "list", "tensors"]),
    st.sampled_from([{}, {"axis": -1}, {"keepdims": True, "name": "reduced"}]),
)
def test_a_quick_reduction_does_what_the_general_one_does(name: str, x: str, options: dict[str, Any]) -> None:
    operands = [OPERANDS[x]()]
    watched = [0] if is_float(operands[0]) else []
    function = getattr(tf, f"reduce_{name}")
    same(*[outcome(lambda a, f=f: f(a, **options), operands, watched) for f in (function, function.__wrapped__)])


@pytest.mark.parametrize(
    "labels",
    [
        *([0, 2], [0, 3], [0, -1], 1, [1], [[1, 2]]),
        *(
            tf.constant([0, 2]),
            tf.constant([0, 3]),
            tf.constant([0, -1], tf.int64),
            tf.constant(1),
            tf.constant([[1, 2]]),
        ),
        *(tf.constant([0, 2], tf.uint8), tf.constant([0.0, 2.0]), tf.Variable([2, 1])),
    ],
)
@given(st.sampled_from(["matrix", "row", "scalar", "double", "list", "tensors"]))
def test_a_quick_loss_does_what_the_general_one_does(labels: Any, x: str) -> None:
    operands = [labels, OPERANDS[x]()]
    watched = [1] if is_float(operands[1]) else []
    function = tf.nn.sparse_softmax_cross_entropy_with_logits
    same(
        *[outcome(lambda z, x, f=f: f(labels=z, logits=x), operands, watched) for f in (function, function.__wrapped__)]
    )


@pytest.mark.parametrize("x", ["scalar", "matrix", "row", "variable", "double", "complex"])
@pytest.mark.parametrize("name", ["sin", "neg", "exp", "relu", "matrix_transpose", "sqrt"])
def test_a_quick_call_of_one_tensor_does_what_the_general_one_does(name: str, x: str) -> None:
    operands = [OPERANDS[x]()]
    watched = [0] if is_float(operands[0]) else []
    same(outcome(OPS[name].call, operands, watched), outcome(calls._general(OPS[name]), operands, watched))


def test_literals_beyond_those_that_are_kept() -> None:
    x = tf.Variable(ARRAY)
    with tf.GradientTape() as tape:
        total = tf.add_n([x * (1.0 + each / 4096) for each in range(2048)])
    expected = np.sum([np.float32(1.0 + each / 4096) for each in range(2048)], dtype=np.float64)
    np.testing.assert_allclose(tape.gradient(total, x), np.full_like(ARRAY, expected), rtol=1e-5)
