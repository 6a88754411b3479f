"""Every row of the op table, against central differences: first and second order, dtypes, what a primal returns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.engine.calling.define import defop
from tapeviz.engine.op import Op
from tapeviz.engine.ops import OPS
from tapeviz.events import catalog
from tests.engine.samples import ONCE, OWN, SAMPLES, Sample, cases, ruled

DIFFERENTIABLE = cases(lambda op: any(op.rules.values()))


def test_every_sample_has_a_row() -> None:
    assert OWN.keys() <= OPS.keys()


def _called(op: Op, sample: Sample) -> Any:
    """The op as a function of its arguments; one for symmetric matrices sees the symmetric part."""

    def function(*arguments: Any) -> Any:
        if op.facts.symmetric:
            arguments = tuple((x + tf.linalg.adjoint(x)) / 2 for x in arguments)
        return op(*arguments, **sample.attributes)

    return function


@pytest.mark.parametrize(("name", "sample"), DIFFERENTIABLE)
def test_derivatives_are_the_slopes_of_differences(name: str, sample: Sample) -> None:
    op = OPS[name]
    order = 1 if name in ONCE else 2
    slopes = tf.check_gradients(_called(op, sample), *sample.arguments, order=order, tolerance=2e-6)
    assert len(slopes) == order * len(ruled(op, sample))


HOLOMORPHIC = """
    add sub mul div pow neg square sqrt rsqrt reciprocal exp expm1 log log1p sin cos tan asin acos atan sinh cosh tanh
    asinh acosh atanh sigmoid add_n where mask divide_no_nan sum_to broadcast_to reshape transpose cast concat stack
    unstack split tile getitem gather gather_nd scatter_nd reduce_sum reduce_mean cumsum matmul einsum matrix_transpose
    diag diag_part set_diag band_part inv solve triangular_solve
"""


def _turned(value: Any) -> Any:
    return value * np.exp(0.3j) if value.dtype.kind == "f" else value


@pytest.mark.parametrize(("name", "sample"), cases(lambda op: op.name in HOLOMORPHIC.split()))
def test_derivatives_of_complex_numbers_are_the_slopes_of_differences(name: str, sample: Sample) -> None:
    attributes = {key: "complex128" if value == "float64" else value for key, value in sample.attributes.items()}
    turned = Sample(tuple(map(_turned, sample.arguments)), attributes)
    tf.check_gradients(_called(OPS[name], turned), *turned.arguments, tolerance=2e-6)


@pytest.mark.parametrize("name", [name for name, op in OPS.items() if any(op.rules.values())])
def test_every_derivative_is_checked(name: str) -> None:
    covered = {i for sample in SAMPLES[name] for i in ruled(OPS[name], sample)}
    if OPS[name].variadic:
        assert len(covered) > 1
    else:
        assert covered == {i for i, rule in enumerate(OPS[name].rules.values()) if rule}


@pytest.mark.parametrize(("name", "sample"), cases())
def test_without_a_derivative_the_gradient_is_none(name: str, sample: Sample) -> None:
    op = OPS[name]
    tensors = _tensors(list(sample.arguments))
    without = [t for t, rule in zip(tensors, op.rules.values(), strict=False) if rule is None and t.dtype.is_floating]
    with tf.GradientTape() as tape:
        tape.watch(without)
        out = op(*tensors, **sample.attributes)
    if catalog.ROWS[name].unregistered and without:
        theirs = catalog.TENSORFLOW[name][0].split()[0]
        with pytest.raises(LookupError, match=f"gradient registry has no entry for: {theirs}\\b"):
            tape.gradient(out, without)
    else:
        assert tape.gradient(out, without) == [None] * len(without)


def _tensors(arguments: Any) -> list[Any]:
    return [tf.constant(each) for each in arguments]


def _halved(value: Any) -> Any:
    """In half the precision."""
    return value.astype({"f": np.float32, "c": np.complex64}.get(value.dtype.kind, value.dtype))


@pytest.mark.parametrize(("name", "sample"), cases())
def test_keeps_float32_and_returns_no_array_of_shape_nothing(name: str, sample: Sample) -> None:
    op = OPS[name]
    attributes = {
        key: value.replace("64", "32") if value == "float64" else value for key, value in sample.attributes.items()
    }
    small = Sample(tuple(map(_halved, sample.arguments)), attributes)
    out = op(*small.arguments, **small.attributes)
    for each in out if isinstance(out, tuple) else (out,):
        assert each.dtype not in (np.float64, np.complex128)
        assert not (isinstance(each, np.ndarray) and each.ndim == 0)
    places = ruled(op, small)
    tensors = _tensors(small.arguments)
    with tf.GradientTape() as tape:
        tape.watch([tensors[i] for i in places])
        out = op(*tensors, **small.attributes)
    for place, gradient in zip(places, tape.gradient(out, [tensors[i] for i in places]), strict=True):
        value = tf.convert_to_tensor(gradient)._value
        assert value.dtype == small.arguments[place].dtype
        assert not (isinstance(value, np.ndarray) and value.ndim == 0)


@pytest.mark.parametrize("persistent", [False, True])
@pytest.mark.parametrize(("name", "sample"), DIFFERENTIABLE)
def test_nothing_flows_out_of_whole_numbers(name: str, sample: Sample, persistent: bool) -> None:
    op = OPS[name]
    variables = [tf.Variable(each) for each in sample.arguments]
    with tf.GradientTape(persistent=persistent) as tape:
        outputs = op(*variables, **sample.attributes)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        whole = [each for each in outputs if not (each.dtype.is_floating or each.dtype.is_complex)]
        targets = [tf.reduce_sum(tf.cast(each, tf.float64)) for each in whole]
    if targets:
        assert tape.gradient(targets, variables) == [None] * len(variables)


@pytest.mark.parametrize(("name", "sample"), DIFFERENTIABLE)
def test_a_backward_pass_on_arrays_gives_the_bits_of_a_recorded_one(name: str, sample: Sample) -> None:
    """The one calls primals where the other calls ops."""
    op, places = OPS[name], ruled(OPS[name], sample)
    tensors = _tensors(sample.arguments)
    with tf.GradientTape() as recording, tf.GradientTape(persistent=True) as tape:
        tape.watch([tensors[i] for i in places])
        recording.watch([tensors[i] for i in places])
        out = op(*tensors, **sample.attributes)
        recorded = tape.gradient(out, [tensors[i] for i in places])
    bare = tape.gradient(out, [tensors[i] for i in places])
    for one, other in zip(bare, recorded, strict=True):
        np.testing.assert_array_equal(tf.convert_to_tensor(one).numpy(), tf.convert_to_tensor(other).numpy())


@pytest.mark.parametrize(
    ("x", "y"),
    [
        *(((rows, 64), (64, 64)) for rows in (1, 64, 65)),
        ((2, 32, 64), (64, 64)),
        ((16, 128), (3, 128, 256)),
        ((2, 16, 128), (1, 128, 256)),
    ],
)
def test_products_with_what_lies_by_columns(x: tuple[int, ...], y: tuple[int, ...]) -> None:
    draw = np.random.default_rng(0)
    by_rows, dtype = draw.standard_normal(y, np.float32), np.float64
    left, by_columns = draw.standard_normal(x, np.float32), by_rows.swapaxes(-1, -2).copy().swapaxes(-1, -2)
    out = OPS["matmul"].primal(left, by_columns)
    assert out.flags.c_contiguous
    np.testing.assert_allclose(out, left.astype(dtype) @ by_rows.astype(dtype), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32"])
@pytest.mark.parametrize(
    "shape",
    [
        (),
        (0, 3),
        (999,),
        (1_000,),
        (65_536,),
        (65_537,),
        (2, 65_537),
        (256, 256),
        (257, 256),
        (20_000, 10),
        (5, 9, 9, 9),
    ],
)
def test_relu_whatever_it_is_compared_to(shape: tuple[int, ...], dtype: str) -> None:
    x = np.random.default_rng(0).integers(-3, 4, shape).astype(dtype)[()]
    found = OPS["relu"].primal(x)
    np.testing.assert_array_equal(found, np.where(x > 0, x, x.dtype.type(0))[()], strict=True)


def test_a_residual_is_kept_for_a_backward_pass_on_arrays_and_computed_anew_on_tensors() -> None:
    asked = []

    def slope(x: Any, residual: Any) -> Any:
        asked.append(residual)
        return tf.exp(x) if residual is None else residual

    name = "exp_with_residual"
    exp_with_residual = defop(
        name,
        np.exp,
        forward=lambda x: (np.exp(x), np.exp(x)),
        x=lambda g, x, residual: g * slope(x, residual),
    )
    try:
        x = tf.Variable(0.5)
        with tf.GradientTape(persistent=True) as outer:
            with tf.GradientTape() as inner:
                y = exp_with_residual(x)
            first = inner.gradient(y, x)
        assert asked == [None]
        again = outer.gradient(y, x)
        assert asked[1:] == [np.exp(np.float32(0.5))]
        second = outer.gradient(first, x)
    finally:
        del OPS[name]
    np.testing.assert_allclose([first, again, second], np.exp(0.5), rtol=1e-6)


def test_a_rule_may_ask_for_a_residual_only_of_an_op_that_has_one() -> None:
    with pytest.raises(TypeError, match=r"asks for \['residual'\]"):
        defop("no_residual", np.exp, x=lambda g, residual: g * residual)


def test_what_another_rule_gives_is_computed_once() -> None:
    asked = []

    def slope(g: Any, x: Any) -> Any:
        asked.append(g)
        return g * x

    name = "mul_by_one_slope"
    scaled = defop(name, np.multiply, x=lambda g, x, y, y_cotangent: y_cotangent * y / x, y=lambda g, x: slope(g, x))
    try:
        values = tf.constant([2.0, 3.0]), tf.constant(5.0)
        expected = [5.0, 5.0], 5.0
        for followed in ([0, 1], [0], [1]):
            with tf.GradientTape() as tape:
                tape.watch([values[each] for each in followed])
                out = scaled(*values)
            for each, gradient in zip(followed, tape.gradient(out, [values[i] for i in followed]), strict=True):
                np.testing.assert_allclose(gradient, expected[each], rtol=1e-6)
        assert len(asked) == 3
        with tf.GradientTape() as outer, tf.GradientTape() as inner:
            outer.watch(values)
            inner.watch(values)
            out = scaled(*values)
            first, _ = inner.gradient(out, values)
        np.testing.assert_allclose(outer.gradient(first, values[1]), 2.0, rtol=1e-6)
    finally:
        del OPS[name]


@pytest.mark.parametrize(
    "own", [{"x": lambda g, x_cotangent: g, "y": lambda g: g}, {"x": lambda g, y_cotangent: g, "y": None}]
)
def test_a_rule_may_ask_only_for_what_another_rule_gives(own: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match=r"asks for \['._cotangent'\]"):
        defop("no_cotangent", np.add, **own)


def test_two_rules_may_not_ask_for_what_the_other_gives() -> None:
    with pytest.raises(TypeError, match=r"VJP of 'x' asks for \['y_cotangent'\]"):
        defop("round_about", np.add, x=lambda g, y_cotangent: g, y=lambda g, x_cotangent: g)
