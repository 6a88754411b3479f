"""What the rows of the op table say of ops besides primal and rules: it is true, and said nowhere else."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tapeviz import engine
from tapeviz.engine import tangents
from tapeviz.engine.calling.define import defop
from tapeviz.engine.op import Op
from tapeviz.engine.ops import OPS
from tapeviz.engine.rules import batching
from tapeviz.engine.rules.batching import Batch
from tests.engine.samples import ONCE, Sample, cases, ruled


def _outputs(found: Any) -> list[Any]:
    return [np.asarray(each) for each in (found if isinstance(found, tuple) else (found,))]


def _same(found: Any, expected: Any) -> None:
    for one, other in zip(_outputs(found), _outputs(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


def _moved(arguments: Any, by: dict[int, Any]) -> list[Any]:
    """The arguments, some with others in their place."""
    return [by.get(i, each) for i, each in enumerate(arguments)]


# ----- what rows say is true -----


@pytest.mark.parametrize(("name", "sample"), cases(lambda op: op.facts.over == "entries"))
def test_entries_are_computed_one_by_one(name: str, sample: Sample) -> None:
    turned = [np.flip(each.reshape(-1)) for each in np.broadcast_arrays(*sample.arguments)]
    out = np.asarray(OPS[name].primal(*sample.arguments, **sample.attributes))
    assert out.shape == np.broadcast_shapes(*(np.shape(each) for each in sample.arguments))
    _same(OPS[name].primal(*turned, **sample.attributes), np.flip(out.reshape(-1)))


@pytest.mark.parametrize(("name", "sample"), cases(lambda op: op.facts.tangents == "linear"))
def test_a_linear_op_maps_sums_to_sums(name: str, sample: Sample) -> None:
    op = OPS[name]
    ones = {i: sample.arguments[i] for i in ruled(op, sample)}
    others = {i: np.flip(each) * 0.7 for i, each in ones.items()}
    both = {i: each + others[i] for i, each in ones.items()}
    found = [_outputs(op.primal(*_moved(sample.arguments, by), **sample.attributes)) for by in (ones, others, both)]
    for one, other, together in zip(*found, strict=True):
        if together.dtype.kind in "fc":
            np.testing.assert_allclose(one + other, together, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("name", "sample"), cases(lambda op: op.facts.tangents == "bilinear"))
def test_a_bilinear_op_is_linear_in_each_input(name: str, sample: Sample) -> None:
    op = OPS[name]
    for i in ruled(op, sample):
        one = sample.arguments[i]
        other = np.flip(one) * 0.7
        found = [op.primal(*_moved(sample.arguments, {i: x}), **sample.attributes) for x in (one, other, one + other)]
        np.testing.assert_allclose(found[0] + found[1], found[2], rtol=1e-9, atol=1e-12)


def _several(value: Any, count: int) -> Any:
    """Some rows of a value, each another one where numbers may be others."""
    scales = [1 - 0.01 * i if value.dtype.kind in "fc" else 1 for i in range(count)]
    return np.stack([(value * scale).astype(value.dtype) if scale != 1 else value for scale in scales])


@pytest.mark.parametrize(("name", "sample"), cases(lambda op: op.facts.batched))
def test_rows_at_once_are_rows_one_by_one(name: str, sample: Sample) -> None:
    op, places = OPS[name], range(len(sample.arguments))
    for chosen in ([*places], *[[i] for i in places if len(places) > 1]):
        operands = tuple(_moved(sample.arguments, {i: Batch(_several(sample.arguments[i], 3)) for i in chosen}))
        one_by_one = batching.row_by_row(op.primal, operands, sample.attributes)
        _same(batching.apply(op, operands, sample.attributes).rows, one_by_one.rows)


OF_NO_ROWS = ("unsorted_segment_min",)
"""The tangent of a segment without rows is NaN, as in TensorFlow."""


def _along(op: Op, value: Any) -> Any:
    """A direction; of symmetric matrices a symmetric one."""
    direction = np.cos(np.arange(np.size(value))).reshape(np.shape(value))
    return direction + direction.swapaxes(-1, -2) if op.facts.symmetric else direction


@pytest.mark.parametrize(("name", "sample"), cases(lambda op: any(op.rules.values()) and op.name not in ONCE))
def test_tangents_are_slopes(name: str, sample: Sample) -> None:
    """Whichever way they go, of all inputs and of each alone, beside differences of the op itself."""
    op, places = OPS[name], ruled(OPS[name], sample)
    for chosen in (places, *[[i] for i in places if len(places) > 1]):
        along = {i: _along(op, sample.arguments[i]) for i in chosen}
        tensors = [tf.constant(each) for each in sample.arguments]
        directions = [tf.constant(along[i], tensors[i].dtype) for i in chosen]
        with tf.autodiff.ForwardAccumulator([tensors[i] for i in chosen], directions) as accumulator:
            made = op(*tensors, **sample.attributes)
        outputs = made if isinstance(made, tuple) else (made,)
        sides = [
            _outputs(
                op.primal(
                    *_moved(sample.arguments, {i: sample.arguments[i] + h * along[i] for i in chosen}),
                    **sample.attributes,
                )
            )
            for h in (-1e-6, 1e-6)
        ]
        for output, left, right in zip(outputs, *sides, strict=True):
            if output.dtype.is_floating or output.dtype.is_complex:
                tangent = tf.convert_to_tensor(accumulator.jvp(output, unconnected_gradients="zero")).numpy()
                slope = np.where(np.isnan(tangent) & (name in OF_NO_ROWS), tangent, (right - left) / 2e-6)
                np.testing.assert_allclose(tangent, slope, rtol=1e-5, atol=1e-6)


# ----- a new op is named nowhere else -----


@pytest.fixture
def damped() -> Iterator[Callable[..., Any]]:
    """An elementwise op of two tensors that nobody has heard of."""
    name = "damped_by"
    yield defop(
        name,
        lambda x, y: x * np.exp(-y),
        x=lambda g, y: damped_by(g, y),
        y=lambda g, out: -g * out,
    )
    del OPS[name]


def damped_by(x: Any, y: Any) -> Any:
    return OPS["damped_by"](x, y)


def test_tangents_go_the_short_way_through_a_new_op(
    damped: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tangents, "_transposed", None)
    x, y = tf.constant([1.0, 2.0]), tf.constant(0.5)
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, -1.0])) as accumulator:
        out = damped(x, y)
    np.testing.assert_allclose(accumulator.jvp(out), np.exp(-0.5) * np.array([1.0, -1.0]), rtol=1e-6)


def test_a_jacobian_goes_through_a_new_op_once(damped: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant(0.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        out = damped(x, y)
    monkeypatch.setattr(batching, "row_by_row", None)
    np.testing.assert_allclose(tape.jacobian(out, x), np.exp(-0.5) * np.eye(3), rtol=1e-6)


def test_a_seed_of_a_new_op_is_broadcast(damped: Callable[..., Any]) -> None:
    x, y = tf.constant([1.0, 2.0, 3.0]), tf.constant(0.5)
    with tf.GradientTape() as tape:
        tape.watch(x)
        out = damped(x, y)
    np.testing.assert_allclose(tape.gradient(out, x, output_gradients=tf.constant(2.0)), 2 * np.exp([-0.5] * 3), 1e-6)


WORDS = {
    "calling/call._OF_TENSORS": "in which order Python's operators look at dtypes",
    "calling/operands._CONVERTED_FIRST": "in which order Python functions look at dtypes",
    "tensors/operators.BINARY": "Python's operators",
    "tensors/operators.COMPARISONS": "Python's operators",
    "tensors/operators.UNARY": "Python's operators",
    "tensors/parts._SCATTERS": "methods of variables",
    "tensors/parts._SCATTERS_ND": "methods of variables",
    "tensors/missing_attributes._WRITE": "what to write in place of these",
    "op_errors/dtypes.QUOTIENTS": "messages",
    "op_errors/dtypes.UNIMPLEMENTED": "messages",
    "op_errors/reasons._REASONS": "messages",
}
"""The tables of the engine that name ops, or what is called as they are, and what they are of."""


def test_what_an_op_is_stands_in_its_row() -> None:
    """A table is one of ops where two of its strings are names of them."""
    found = set()
    folder = Path(engine.__file__).parent
    for path in folder.rglob("*.py"):
        name = path.relative_to(folder).with_suffix("").as_posix()
        if name.startswith(("functions/", "kernels/", "ops/")):
            continue
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
                texts = [each.value for each in ast.walk(node.value) if isinstance(each, ast.Constant)]
                words = {word for text in texts if isinstance(text, str) for word in text.split()}
                if len(words & OPS.keys()) > 1:
                    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                    found.add(f"{name}.{ast.unparse(target)}")
    assert found == WORDS.keys()
