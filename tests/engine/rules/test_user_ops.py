"""Ops that a user defines: called, recorded, differentiated, drawn and checked like the library's own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.engine import tangents as ways
from tapeviz.engine.ops import OPS
from tapeviz.engine.rules.register_gradient import BUILT_IN
from tapeviz.engine.rules.user_ops import OWNERS
from tapeviz.events import OpRecorded, catalog


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    """What a test defines is gone after it."""
    before = set(OPS)
    yield
    for name in set(OPS) - before:
        del OPS[name], catalog.USERS[name], OWNERS[name]


def cubed() -> Callable[..., Any]:
    return tv.defop(
        "cubed",
        lambda x: x**3,
        x=lambda g, x: g * 3.0 * tv.square(x),
        formula="{x}^{3}",
        vjps={"x": r"{g} \cdot 3 {x}^{2}"},
        domain=("nowhere is it flat but at {x} = 0",),
    )


def damped() -> Callable[..., Any]:
    """Two tensors that broadcast, an option with a default."""
    return tv.defop(
        "damped",
        lambda x, y, *, rate=2.0: x * np.exp(-rate * y),
        x=lambda g, y, rate: g * tv.exp(-rate * y),
        y=lambda g, out, rate: -rate * g * out,
    )


def polar() -> Callable[..., Any]:
    """Two results."""

    def angle(g: Any, x: Any, y: Any, out: Any) -> Any:
        return g[0] * x / out[0] - g[1] * y / out[0] ** 2, g[0] * y / out[0] + g[1] * x / out[0] ** 2

    return tv.defop(
        "polar",
        lambda x, y: (np.hypot(x, y), np.arctan2(y, x)),
        x=lambda g, x, y, out: angle(g, x, y, out)[0],
        y=lambda g, x, y, out: angle(g, x, y, out)[1],
    )


def total() -> Callable[..., Any]:
    """Any number of tensors."""
    return tv.defop("total", lambda *xs: sum(xs), xs=lambda g, xs: [g for _ in xs])


def hypotenuse() -> Callable[..., Any]:
    """A NumPy ufunc as it is."""
    return tv.defop("hypotenuse", np.hypot, x=lambda g, x, out: g * x / out, y=lambda g, y, out: g * y / out)


@pytest.mark.parametrize(
    ("make", "arguments"),
    [
        (cubed, ([1.0, 2.0],)),
        (damped, ([[1.0], [2.0]], [0.3, 0.4, 0.5])),
        (damped, (2.0, [0.3, 0.4, 0.5])),
        (polar, ([1.0, 2.0], [0.5, -0.5])),
        (total, ([1.0, 2.0], 3.0, [[1.0], [2.0]])),
        (hypotenuse, ([1.0, 2.0], 3.0)),
        (cubed, (np.array([1 + 2j, 0.5 - 1j]),)),
    ],
)
def test_derivatives_are_the_slopes_of_differences(make: Callable[..., Any], arguments: Any) -> None:
    assert len(tv.check_gradients(make(), *arguments)) == 2 * len(arguments)


def test_takes_whatever_is_a_tensor() -> None:
    f = damped()
    v = tv.Variable(2.0)
    for x in (v, tv.constant(2.0), 2.0, np.float32(2.0)):
        assert float(f(x, 0.0)) == 2.0
    assert f(tv.constant([1.0], "float64"), 1).dtype is tv.float64
    assert f(tv.constant([1.0], "float64"), [1.0, 2.0]).dtype is tv.float64
    assert f(x=[1.0], y=[0.0], rate=1.0).shape == (1,)
    assert str(inspect.signature(f)) == "(x, y, *, rate=2.0)"


def test_keeps_the_dtype_of_what_comes_in() -> None:
    f = tv.defop("first_of", lambda x: float(x[0]), x=None)
    assert f([1.5, 2.0]).dtype is tv.float32


@pytest.mark.parametrize("seed", [2.0, [2.0], [2.0, 2.0]])
def test_a_seed_is_broadcast(seed: Any) -> None:
    x = tv.constant([1.0, 2.0])
    with tv.GradientTape() as tape:
        tape.watch(x)
        y = cubed()(x)
    assert tape.gradient(y, x, output_gradients=tv.constant(seed)).numpy().tolist() == [6.0, 24.0]


@pytest.mark.parametrize("tangents", ["elementwise", "linear", "bilinear", "transposed"])
def test_tangents_go_the_way_that_is_told(tangents: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    called = []
    way = getattr(ways, f"_{tangents}")
    monkeypatch.setattr(ways, f"_{tangents}", lambda *given: called.append(given) or way(*given))
    f = tv.defop(
        "sloped",
        lambda x, y: x * y,
        x=lambda g, y: g * y,
        y=None if tangents == "linear" else lambda g, x: g * x,
        tangents=tangents,
    )
    x, y = tv.constant([1.0, 2.0]), tv.constant([[3.0], [4.0]])
    with tv.autodiff.ForwardAccumulator(x, tv.constant([1.0, -1.0])) as accumulator:
        out = f(x, y)
    assert accumulator.jvp(out).numpy().tolist() == [[3.0, -3.0], [4.0, -4.0]]
    assert called


def test_an_unknown_way_of_tangents_is_refused() -> None:
    with pytest.raises(ValueError, match=r"defop 'odd': tangents is one of linear, .*, not 'liner'"):
        tv.defop("odd", np.sinh, x=None, tangents="liner")  # type: ignore[arg-type]


def test_a_rule_may_be_the_gradient_of_complex_numbers_already() -> None:
    gradients = []
    for holomorphic in (True, False):
        f = tv.defop("twisted", lambda x: x * 1j, x=lambda g: g * -1j, holomorphic=holomorphic)
        x = tv.constant(2.0 + 1.0j)
        with tv.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        gradients.append(complex(tape.gradient(y, x)))
    assert gradients == [1j, -1j]


def test_what_is_no_square_beside_a_symmetric_matrix_is_checked_along_any_direction() -> None:
    rules = {"a": lambda g, b: g @ tv.linalg.matrix_transpose(b), "b": lambda g, a: tv.linalg.matrix_transpose(a) @ g}
    product = tv.defop("symmetric_times", lambda a, b: a @ b, symmetric=True, **rules)
    a, b = tv.Variable([[2.0, 1.0], [1.0, 3.0]]), tv.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with tv.GradientTape() as tape:
        y = product(a, b)
    tape.gradient(y, [a, b])
    assert tv.check_step(tape, 1).agrees


def test_an_op_of_symmetric_matrices_is_checked_along_symmetric_directions() -> None:
    """Its rule gives the lower triangle the slopes of both."""

    def root(x: Any) -> Any:
        lower = np.tril(x)
        return np.sum(np.square(lower + np.tril(x, -1).T))

    f = tv.defop("squared_whole", root, x=lambda g, x: g * 2.0 * x, symmetric=True)
    x = tv.Variable([[2.0, 0.5], [0.5, 1.0]])
    with tv.GradientTape() as tape:
        y = f(x)
    tape.gradient(y, x)
    assert tv.check_step(tape, 1).agrees
    OPS["squared_whole"].facts = replace(OPS["squared_whole"].facts, symmetric=False)
    assert not tv.check_step(tape, 1).agrees


def test_is_recorded_and_known() -> None:
    f, v = cubed(), tv.Variable([1.0, 2.0])
    with tv.GradientTape() as tape:
        y = f(v)
    assert tape.gradient(y, v).numpy().tolist() == [3.0, 12.0]
    (op,) = [event for event in tape.log.events if isinstance(event, OpRecorded)]
    assert op.op == "cubed"
    assert len(op.saved) == 1
    row = catalog.USERS["cubed"]
    assert row is not None
    assert (row.formula, row.vjps["x"]) == ("{x}^{3}", r"{g} \cdot 3 {x}^{2}")
    assert not tv.diagnose(tape)
    assert "cubed" in tv.to_dot(tape)


@pytest.mark.parametrize(("pole", "cause"), [("x", "domain_edge"), (None, "exploding_depth")])
def test_what_is_not_finite_at_a_pole_is_no_overflow(pole: str | None, cause: str) -> None:
    root, v = tv.defop("root", np.sqrt, x=lambda g, out: g / (2.0 * out), pole=pole), tv.Variable(0.0)
    with tv.GradientTape() as tape:
        y = root(v)
    tape.gradient(y, v)
    assert [each.cause for each in tv.diagnose(tape)] == [cause]


def test_without_formulas_the_row_says_that_there_is_a_derivative() -> None:
    damped()
    row = catalog.USERS["damped"]
    assert row is not None
    assert all(vjp is not None for vjp in row.vjps.values())
    assert row.formula == r"\text{damped}({x}, {y})"


def test_forward_mode_and_jacobians() -> None:
    f, x = damped(), tv.constant([1.0, 2.0])
    with tv.autodiff.ForwardAccumulator(x, tv.constant([1.0, 0.0])) as forward:
        y = f(x, 0.0)
    assert forward.jvp(y).numpy().tolist() == [1.0, 0.0]
    with tv.GradientTape() as tape:
        tape.watch(x)
        y = f(x, 0.0)
    assert tape.jacobian(y, x).numpy().tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_an_argument_without_derivative() -> None:
    f = tv.defop("shifted", lambda x, by: x + by, x=lambda g: g, by=None)
    x, by = tv.constant(1.0), tv.constant(2.0)
    with tv.GradientTape() as tape:
        tape.watch([x, by])
        y = f(x, by)
    assert [each is None for each in tape.gradient(y, [x, by])] == [False, True]


def test_a_cotangent_that_does_not_fit_is_an_error() -> None:
    f = tv.defop("mean_of", lambda x: x.mean(), x=lambda g: g)
    x = tv.Variable([1.0, 2.0])
    with tv.GradientTape() as tape:
        y = f(x)
    with pytest.raises(ValueError, match=r"mean_of: the VJP of 'x' returned shape \(\) .* shape \(2,\)"):
        tape.gradient(y, x)


def test_a_wrong_rule_does_not_pass_the_check() -> None:
    f = tv.defop("doubled", lambda x, y: 2 * x * y, x=lambda g, y: g * y, y=lambda g, x: 2.0 * g * x)
    with pytest.raises(tv.errors.GradientCheckError, match=r"doubled.*order 1.*x") as raised:
        tv.check_gradients(f, [1.0, 2.0], [0.5, 2.0])
    assert raised.value.argument == "x"
    assert raised.value.tape == pytest.approx(raised.value.numeric / 2)


def test_a_failing_primal_names_the_op() -> None:
    f = tv.defop("tripled", lambda x: tv.exp(x), x=None)
    with pytest.raises(tv.errors.InvalidArgumentError, match=r"NumPy.* tripled"):
        f(1.0)
    with pytest.raises(TypeError, match=r"tripled.*too many"):
        f(1.0, 2.0)


def test_the_same_module_may_define_an_op_again() -> None:
    cubed()
    x = tv.Variable(2.0)
    with tv.GradientTape() as tape:
        y = cubed()(x)
        cubed()
    assert float(tape.gradient(y, x)) == 12.0


@pytest.mark.parametrize(
    ("error", "message", "define"),
    [
        (ValueError, "already", lambda: tv.defop("mul", np.multiply, x=lambda g, y: g * y, y=lambda g, x: g * x)),
        (ValueError, "identifier", lambda: tv.defop("my op", np.exp, x=lambda g, out: g * out)),
        (TypeError, r"takes the tensors \(x, y\).*for \(x\)", lambda: tv.defop("a", lambda x, y: x, x=lambda g: g)),
        (TypeError, r"\(x\).*for \(y\)", lambda: tv.defop("a", lambda x: x, y=lambda g: g)),
        (TypeError, r"\(x0, x1\)", lambda: tv.defop("a", np.hypot, x=lambda g: g)),
        (TypeError, r"\(x\).*for \(\)", lambda: tv.defop("a", lambda x: x)),
        (TypeError, r"asks for \['z'\]", lambda: tv.defop("a", lambda x: x, x=lambda g, z: g * z)),
        (TypeError, "first parameter is g", lambda: tv.defop("a", lambda x: x, x=lambda x: x)),
        (TypeError, "must be a function", lambda: tv.defop("a", lambda x: x, x=1)),
        (TypeError, "must be a function", lambda: tv.defop("a", None, x=None)),
        (TypeError, "its pole is 'z', but its arguments are x", lambda: tv.defop("a", lambda x: x, x=None, pole="z")),
        (TypeError, "asks for z; there is x", lambda: tv.defop("a", lambda x: x, formula="{z}", x=lambda g: g)),
        (TypeError, "asks for z; there is x", lambda: tv.defop("a", lambda x: x, domain=("{z} = 0: NaN",), x=None)),
        (TypeError, "a brace", lambda: tv.defop("a", lambda x: x, formula="{x", x=lambda g: g)),
        (TypeError, "VJP of x, but no rule", lambda: tv.defop("a", lambda x: x, vjps={"x": "{g}"}, x=None)),
    ],
)
def test_misuse_is_said_at_definition(error: type[Exception], message: str, define: Callable[[], Any]) -> None:
    with pytest.raises(error, match=message):
        define()
    assert "a" not in OPS


def test_register_gradient_registers_and_returns_the_function() -> None:
    def f(op: Any, grad: Any) -> Any:
        return grad

    assert tv.RegisterGradient("TestOnly")(f) is f
    with pytest.raises(KeyError, match="TestOnly"):
        tv.RegisterGradient("TestOnly")(f)
    with pytest.raises(TypeError, match="op_type must be a string"):
        tv.RegisterGradient(3)


@pytest.mark.tensorflow
@pytest.mark.parametrize("op_type", sorted(BUILT_IN))
def test_gradients_of_ops_of_tensorflow_are_registered_there_too(op_type: str) -> None:
    registered = pytest.importorskip("tensorflow").RegisterGradient
    for register in (tv.RegisterGradient, registered):
        with pytest.raises(KeyError, match=rf"gradient .*'{op_type}'"):
            register(op_type)(lambda op, grad: grad)
