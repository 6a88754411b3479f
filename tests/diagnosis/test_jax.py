"""What is found in functions of JAX, and their healthy twins, of which nothing is said."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import tapeviz
from tapeviz.diagnosis import Findings

jax = pytest.importorskip("jax")
jnp = jax.numpy
pytestmark = pytest.mark.jax

COLUMN, ROW = jnp.array([[1.0], [2.0], [4.0]]), jnp.array([3.0, 1.0, 2.0])


def found(function: Callable[..., Any], *arguments: Any) -> Findings:
    return tapeviz.diagnose(tapeviz.record_jax(function, *arguments))


def column_against_row(prediction: Any, target: Any) -> Any:
    error = prediction - target
    return jnp.mean(error**2)


def test_a_number_of_each_example_that_is_mapped_over_meets_its_own_alone() -> None:
    def one(w: Any, x: Any, y: Any) -> Any:
        return (x @ w - y) ** 2

    def loss(w: Any, x: Any, y: Any) -> Any:
        return jnp.mean(jax.vmap(one, (None, 0, 0))(w, x, y))

    assert not found(loss, jnp.ones((2, 1)), jnp.array([[1.0, 2.0], [0.5, 1.0], [3.0, 1.0]]), jnp.arange(3.0))


@pytest.mark.parametrize("function", [column_against_row, jax.jit(column_against_row)], ids=["plain", "compiled"])
def test_a_column_that_meets_a_row_is_told_as_it_is_written(function: Callable[..., Any]) -> None:
    [finding] = found(function, COLUMN, ROW)
    assert finding.cause == "broadcast_mismatch"
    assert "`prediction` of shape (3, 1) and `target` of shape (3,) are broadcast to (3, 3)" in finding.message
    assert finding.fix.endswith("`jnp.squeeze(prediction, axis=1)`, or `jnp.reshape(target, [-1, 1])`.")


@pytest.mark.parametrize(
    "function",
    [
        lambda prediction, target: jnp.mean((prediction - target[None, :]) ** 2),
        lambda prediction, target: jnp.mean((prediction[:, 0] - target) ** 2),
        lambda prediction, target: jnp.mean((prediction - target.reshape(3, 1)) ** 2),
        lambda prediction, target: jnp.sum(jnp.outer(prediction, target)),
        lambda prediction, target: jnp.sum(jnp.cov(prediction[:, 0], target)),
    ],
)
def test_a_table_that_is_meant_is_none(function: Callable[..., Any]) -> None:
    assert not found(function, COLUMN, ROW)


@pytest.mark.parametrize(
    "filled", ["zeros_like(h)", "full_like(h, 0.0)", "zeros(h.shape)", "broadcast_to(0.0, h.shape)"]
)
def test_zeros_that_the_text_asks_for_are_no_derivative(filled: str, tmp_path: Path, monkeypatch: Any) -> None:
    program = f"def f(jnp, w, x):\n    h = jnp.tanh(x * w)\n    h = jnp.{filled} + 0.5\n    return jnp.mean(h * x)\n"
    (tmp_path / "filled.py").write_text(program)
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("filled", None)
    f = importlib.import_module("filled").f
    [finding] = found(lambda w: f(jnp, w, ROW), 2.0 * ROW)
    assert (finding.cause, finding.site and finding.site.line) == ("unused_source", 3)


def test_a_sum_of_nothing_but_masked_entries_is_to_be_masked_by_a_number() -> None:
    hidden = jnp.array([-jnp.inf, -jnp.inf])
    [finding] = found(lambda w: jax.nn.logsumexp(w + hidden) + jnp.sum(w), jnp.ones(2))
    assert finding.fix == "Mask with a large negative number, such as -1e9, in place of minus infinity."


def test_a_matrix_that_is_not_positive_definite_is_told_as_a_whole() -> None:
    [finding] = found(lambda w: jnp.sum(jnp.linalg.cholesky(w * jnp.array([[1.0, 1.0], [1.0, 0.5]]))), jnp.float32(1.0))
    assert "entry" not in finding.message
    assert finding.fix.endswith("such as 1e-4 of it: it has to be positive definite.")


def test_a_bias_that_only_a_kink_reads_does_not_change_the_slope() -> None:
    def penalty(p: Any) -> Any:
        slope = jax.grad(lambda x: jnp.sum(jax.nn.relu(x @ p["w"] + p["b"])))(jnp.ones(2))
        return jnp.sum(slope**2)

    [finding] = found(penalty, {"w": jnp.ones((2, 3)), "b": jnp.zeros(3)})
    assert (finding.cause, finding.severity) == ("constant_by_construction", "hint")
    assert "The second derivative of `relu`" in finding.message
    assert finding.site is not None
    assert "jax.nn.relu" in finding.site.text


def test_the_root_of_a_deviation_is_written_whole() -> None:
    [finding] = found(lambda w: jnp.std(w, axis=0), jnp.ones(2))
    assert finding.fix == "Write `jnp.sqrt(jnp.var(w, axis=0) + 1e-12)` instead."


def test_the_deviation_that_a_method_takes_along_an_axis_is_written_whole() -> None:
    [finding] = found(lambda h: jnp.sum(h / h.std(-1, keepdims=True)), jnp.ones((2, 3)))
    assert finding.fix == "Write `h / jnp.sqrt(jnp.var(h, axis=-1, keepdims=True) + 1e-05)` instead."


def test_an_op_that_nothing_is_known_of_is_called_as_it_is_written() -> None:
    [finding] = found(lambda x: ROW[jnp.searchsorted(COLUMN[:, 0], x)] ** 2, 2.5)
    assert finding.message.startswith("`jnp.searchsorted` at ")


def test_a_step_without_a_name_is_written_out() -> None:
    [finding] = found(lambda w: jnp.sum(jnp.round(w * 4)), ROW)
    assert finding.fix.endswith("use `w * 4 + jax.lax.stop_gradient(jnp.round(w * 4) - w * 4)`.")


def test_a_comparison_is_written_as_a_sign() -> None:
    [finding] = found(lambda w: jnp.sum((w > 1.0).astype(jnp.float32)), ROW)
    assert finding.message.startswith("`>` at ")


def test_what_is_unused_is_left_out_of_what_is_differentiated() -> None:
    def alone(x: Any, unused: Any) -> Any:
        return jnp.sum(x)

    def in_a_dictionary(params: Any) -> Any:
        return jnp.sum(params["x"])

    [finding] = tapeviz.diagnose(tapeviz.record_jax(alone, ROW, ROW, argnums=(0, 1)))
    assert finding.fix == "Use `unused` in `alone`, or leave it out of `argnums`."
    [finding] = found(in_a_dictionary, {"x": ROW, "unused": ROW})
    assert finding.fix == "Use `params['unused']` there, too, or leave it out of `params`."


FIXES = {
    "quotient_by_a_norm": (
        lambda w: jnp.sum(w / jnp.linalg.norm(w)),
        [0.0, 0.0],
        "Write `w / jnp.sqrt(jnp.sum(jnp.square(w)) + 1e-12)` instead.",
    ),
    "quotient_by_a_deviation": (
        lambda w: jnp.sum((w - w.mean()) / w.std()),
        [1.0, 1.0],
        "Write `(w - w.mean()) / jnp.sqrt(jnp.var(w) + 1e-05)` instead.",
    ),
    "log_of_a_softmax": (
        lambda w: jnp.log(jax.nn.softmax(w))[0],
        [-200.0, 200.0],
        "Write `jax.nn.log_softmax(w)` instead.",
    ),
    "arccosine_of_an_expression": (
        lambda w: jnp.sum(jnp.arccos(w + 1.0)),
        [0.0],
        "Write `jnp.arccos(jnp.clip(w + 1.0, -1.0 + 1e-06, 1.0 - 1e-06))` instead.",
    ),
    "vectors_of_equal_eigenvalues": (
        lambda w: jnp.sum(jnp.linalg.eigh(w)[1][:, 0] ** 3),
        [[1.0, 0.0], [0.0, 1.0]],
        "as in `w + jnp.diag(jnp.arange(2.0) * 0.0001)`, so that no two eigenvalues are equal, or do without the "
        "gradient of the vectors: that of the values is defined.",
    ),
}
"""A function, where its gradient is NaN, and what is said to write instead."""


@pytest.mark.parametrize("name", FIXES)
def test_what_is_not_finite_is_mended_by_what_is_said(name: str) -> None:
    function, at, fix = FIXES[name]
    [finding] = found(function, jnp.array(at))
    assert finding.fix.endswith(fix)
    code = finding.fix.split("`")[1]
    of_vectors = f"jnp.linalg.eigh({code})[1][:, 0] ** 3"
    mended = eval(f"lambda w: jnp.sum({of_vectors if 'eigen' in name else code})", {"jax": jax, "jnp": jnp})
    assert jnp.isfinite(jax.grad(mended)(jnp.array(at))).all()


def test_a_binary_cross_entropy_is_written_whole() -> None:
    def cost(z: Any, t: Any) -> Any:
        p = jax.nn.sigmoid(z)
        return -jnp.mean(t * jnp.log(p) + (1 - t) * jnp.log(1 - p))

    [finding] = found(cost, jnp.array([200.0, -200.0]), jnp.array([0.0, 1.0]))
    assert "`-(t * jax.nn.log_sigmoid(z) + (1 - t) * jax.nn.log_sigmoid(-z))`" in finding.fix


def test_a_recurrence_that_overflows_is_told_as_growth() -> None:
    def recurrence(w: Any) -> Any:
        h, _ = jax.lax.scan(lambda h, _: (h @ w, None), jnp.ones((1, 2)), None, 40)
        return jnp.sum(h**2)

    [finding] = found(recurrence, jnp.full((2, 2), 3.0))
    assert finding.cause == "nan_in_forward"
    assert "The gradient grows 6-fold from layer to layer." in finding.message


@pytest.mark.parametrize("leaf", [0, True, jax.random.PRNGKey(0), jax.random.key(0)], ids=str)
@pytest.mark.parametrize("used", [False, True])
def test_what_is_no_float_is_refused_by_jax_whether_it_is_used_or_not(leaf: Any, used: bool) -> None:
    is_number = not jnp.shape(leaf) and not isinstance(leaf, jax.Array)

    def loss(params: Any) -> Any:
        return jnp.sum(params["w"] * (params["step"] + 1) if used and is_number else params["w"])

    params = {"w": ROW, "step": leaf}
    with pytest.raises(TypeError):
        jax.grad(loss)(params)
    [finding] = found(loss, params)
    assert finding.cause == "integer_dtype"
    assert finding.message.startswith("`params['step']`, passed at ")
    assert finding.message.endswith("and `jax.grad` takes floats alone: it raises a TypeError.")


def test_a_part_that_is_unused_beside_others_gets_zeros_by_right() -> None:
    def loss(params: Any) -> Any:
        return jnp.sum(params["x"])

    assert [each.severity for each in found(loss, {"x": ROW, "other": ROW})] == ["hint"]
    assert [each.severity for each in found(lambda params: jnp.sum(ROW), {"x": ROW, "other": ROW})] == ["error"] * 2


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (lambda table: jnp.sum(table[jnp.array([7, 9])]), "index 7 is outside the 5 rows of `table`"),
        (lambda table: jnp.sum(table[jnp.array([1, -7])]), "index -7 is outside the 5 rows of `table`"),
        (lambda table: jnp.sum(table[jnp.arange(2), jnp.array([0, 2])]), "index 2 is outside the 2 entries of axis 1"),
        (lambda table: jnp.sum((table * 2.0)[jnp.array([0, 5])]), "index 5 is outside the 5 rows of "),
    ],
)
def test_an_index_outside_of_what_it_indexes_is_told(function: Callable[..., Any], told: str) -> None:
    [finding] = found(function, jnp.ones((5, 2)))
    assert told in finding.message
    assert "and JAX raises nothing" in finding.message


@pytest.mark.parametrize(
    "function",
    [
        lambda table: jnp.sum(table[jnp.array([0, 4, -5])]),
        lambda table: jnp.sum(table.at[jnp.array([1, 7])].get(mode="fill", fill_value=0.0)),
        lambda table: jnp.sum(table.at[jnp.array([1, 7])].get(mode="clip")),
        lambda table: jnp.sum(table[jnp.array([[0], [1]]), jnp.array([0, 1])]),
    ],
)
def test_an_index_inside_or_of_which_it_is_said_what_to_do_is_no_mistake(function: Callable[..., Any]) -> None:
    assert not found(function, jnp.ones((5, 2)))


@pytest.mark.parametrize("activation", [lambda x: jnp.maximum(x, 0.0), jax.nn.relu, jnp.abs])
def test_a_second_derivative_of_what_is_straight_is_told(activation: Callable[..., Any]) -> None:
    def loss(params: Any, xs: Any) -> Any:
        def net(x: Any) -> Any:
            return activation(x * params["w"]) @ params["c"]

        r = jax.vmap(jax.grad(jax.grad(net)))(xs) - 1.0
        return jnp.mean(r**2)

    first, *_ = findings = found(loss, {"w": ROW, "c": ROW}, jnp.ones(3))
    assert {each.cause for each in findings} == {"constant_by_construction"}
    assert first.message.startswith("The second derivative of `")
    assert first.fix.startswith("Use a smooth function in place of `")
    assert first.site is not None
    assert "activation" in first.site.text or "lambda" in first.site.text


def test_a_second_derivative_that_curves_is_sound() -> None:
    def loss(w: Any, xs: Any) -> Any:
        r = jax.vmap(jax.grad(jax.grad(lambda x: jnp.tanh(x * w) @ w)))(xs) - 1.0
        return jnp.mean(r**2)

    assert not found(loss, ROW, jnp.ones(3))


def test_what_is_left_aside_is_not_said_of_another_of_its_name() -> None:
    def loss(w: Any, x: Any) -> Any:
        r = w * 2.0
        del r
        r = x * 3.0
        return jnp.sum(r)

    [finding] = found(loss, ROW, ROW)
    assert finding.cause == "unused_source"
    assert finding.message.endswith(" gives that name afterwards.")
    assert finding.site is not None
    assert finding.site.text.startswith("r = ")


def test_layers_in_a_stack_share_nothing() -> None:
    def loss(layers: Any, x: Any) -> Any:
        return jnp.sum(jax.lax.scan(lambda h, w: (jax.nn.sigmoid(h @ w), None), x, layers)[0])

    def recurrent(w: Any, x: Any) -> Any:
        return jnp.sum(jax.lax.scan(lambda h, _: (jax.nn.sigmoid(h @ w), None), x, None, length=12)[0])

    for function, weights, fix in ((loss, (12, 2, 2), "residual connections"), (recurrent, (2, 2), "gated cell")):
        [finding] = found(function, jnp.full(weights, 0.3), jnp.ones((1, 2)))
        assert finding.cause == "vanishing_depth"
        assert fix in finding.fix


def test_a_row_that_is_masked_whole_is_told_of_at_its_entry() -> None:
    mask = jnp.array([[True, True, False], [False] * 3])
    first, *_ = found(lambda x: jnp.sum(jax.nn.softmax(jnp.where(mask, x, -jnp.inf)) ** 2), jnp.ones((2, 3)))
    assert "At entry [1, 0], `sub` of -infinity and -infinity is NaN" in first.message
    assert first.fix.startswith("Mask with a large negative number")


def test_a_logarithm_of_chosen_shares_is_that_of_the_softmax() -> None:
    def loss(w: Any, x: Any) -> Any:
        p = jax.nn.softmax(x @ w)
        return -jnp.mean(jnp.log(p[jnp.arange(2), jnp.array([1, 0])]))

    [finding] = found(loss, jnp.array([[300.0, 0.0], [0.0, 1.0]]), jnp.eye(2))
    assert finding.fix.startswith("Compute `jax.nn.log_softmax(x @ w)` at ")


def test_a_category_that_is_drawn_is_told_of_as_a_draw() -> None:
    def loss(logits: Any) -> Any:
        return ROW[jax.random.categorical(jax.random.PRNGKey(0), logits)]

    [finding] = found(loss, jnp.zeros(3))
    assert finding.fix.startswith("Weight the loss with the log-probability of what was drawn")


def test_a_gradient_function_that_leaves_out_what_comes_after_is_named_with_its_line() -> None:
    @jax.custom_vjp
    def bounded(x: Any) -> Any:
        return jnp.exp(jnp.minimum(x, 20.0))

    def forward(x: Any) -> Any:
        y = bounded(x)
        return y, y

    def backward(y: Any, g: Any) -> Any:
        return (y,)

    bounded.defvjp(forward, backward)
    [finding] = found(lambda x: jnp.sum(bounded(x)) / 3, jnp.array([0.1, 1.0, -2.0]))
    assert finding.cause == "custom_gradient_bug"
    assert finding.site is not None
    assert finding.site.text == "return (y,)"
    assert "The gradient function of `bounded`" in finding.message


def test_one_that_multiplies_by_it_is_left_alone() -> None:
    @jax.custom_vjp
    def squared(x: Any) -> Any:
        return x * x

    def forward(x: Any) -> Any:
        return x * x, x

    def backward(x: Any, g: Any) -> Any:
        return (2.0 * g * x,)

    squared.defvjp(forward, backward)
    assert not found(lambda x: jnp.sum(squared(x)) / 3, jnp.array([0.1, 1.0, -2.0]))


def test_a_softmax_over_one_unit_is_no_coincidence() -> None:
    def loss(w: Any, x: Any) -> Any:
        weight = jax.nn.softmax((x @ w)[:, None], axis=-1)
        return jnp.sum((weight * x).sum(0) ** 2)

    [finding] = found(loss, jnp.array([0.1, -0.2, 0.4]), jnp.arange(12.0).reshape(4, 3))
    assert (finding.cause, finding.severity) == ("constant_by_construction", "error")
    assert "over a single unit" in finding.message
    assert "jax.nn.sigmoid" in finding.fix


def test_what_a_straight_through_code_holds_back_is_no_fault() -> None:
    def loss(weights: Any, x: Any) -> Any:
        z = x @ weights["enc"]
        nearest = jnp.argmin(((z[:, None] - weights["code"][None]) ** 2).sum(-1), 1)
        q = weights["code"][nearest]
        out = z + jax.lax.stop_gradient(q - z)
        return jnp.mean((out.sum(1) - x[:, 0]) ** 2) + jnp.mean((q - jax.lax.stop_gradient(z)) ** 2)

    weights = {"enc": jnp.eye(3)[:, :2] + 0.1, "code": jnp.array([[0.1, 0.2], [1.0, 0.5]])}
    assert not found(loss, weights, jnp.arange(12.0).reshape(4, 3) / 7)


def test_a_target_made_from_weights_that_are_held_back_is_held_back() -> None:
    def loss(w, state, hold):
        target = 1 + 0.9 * jnp.max(state @ hold(w), axis=1)
        return jnp.mean((jnp.max(state @ w, axis=1) - target) ** 2)

    w, state = jnp.array([[0.3, -0.2], [0.5, 0.4]]), jnp.array([[1.0, 2.0]])
    assert not found(loss, w, state, jax.lax.stop_gradient)
    [finding] = found(loss, w, state, jnp.asarray)
    assert finding.cause == "missing_stop_gradient"


def test_a_part_that_is_held_back_beside_others_may_be_meant_so() -> None:
    def error(nets: Any, x: Any) -> Any:
        return (jnp.tanh(nets["online"] * x) - jax.lax.stop_gradient(jnp.tanh(nets["target"] * x))) ** 2

    [finding] = found(error, {"online": 0.5, "target": 0.7}, 2.0)
    assert (finding.cause, finding.severity) == ("stop_gradient", "hint")
    assert finding.fix.startswith("If `nets['target']` is not to learn from `error`, all is well. Otherwise remove the")


def test_functions_that_a_loop_makes_are_told_of() -> None:
    def energy(ks: Any, r: Any) -> Any:
        terms = []
        for k in ks:
            terms.append(lambda r: k * (r - 1.0) ** 2)  # noqa: B023  # the fault
        return sum(term(r) for term in terms)

    lost = found(energy, [1.0, 2.0, 3.0], 0.7)
    assert {(each.cause, each.site.text.split("(")[0]) for each in lost} == {("python_closure", "terms.append")}
    assert {each.fix for each in lost} == {"Give each function a value of its own, as a default argument: `k=k`."}


def test_functions_that_are_called_in_the_loop_that_makes_them_are_sound() -> None:
    def energy(ks: Any, r: Any) -> Any:
        total = 0.0
        for k in ks:
            term = lambda r: k * (r - 1.0) ** 2  # noqa: B023, E731  # called at once
            total += term(r) + term(2.0 * r)
        return total

    assert not found(energy, [1.0, 2.0, 3.0], 0.7)


def test_an_argument_that_is_forgotten_is_told_of_where_it_is_handed_on() -> None:
    def scaled(x: Any, temperature: Any) -> Any:
        return jnp.sum(jnp.sin(x / 0.07))

    def loss(p: Any) -> Any:
        return scaled(p["x"], jnp.exp(p["t"]))

    [finding] = found(loss, {"x": jnp.ones(3), "t": -2.0})
    assert (finding.cause, finding.site.text) == ("unused_source", 'return scaled(p["x"], jnp.exp(p["t"]))')


def test_a_loop_without_a_reverse_pass_is_named() -> None:
    def doubled(x: Any) -> Any:
        return jax.lax.while_loop(lambda v: v < 10.0, lambda v: v * 2, x)

    with pytest.raises(ValueError, match="no reverse pass") as caught:
        tapeviz.record_jax(doubled, 3.0)
    [finding] = tapeviz.diagnose(caught.value)
    assert (finding.cause, finding.symptom) == ("nondifferentiable_op", "error")
    assert finding.site is not None
    assert "while_loop" in finding.site.text


def one_or_the_other(x: Any, w: Any) -> Any:
    return jax.lax.cond(x > 0, lambda x, w: x * w, lambda x, w: w * 2.0, x, w)


@pytest.mark.parametrize(
    ("function", "conditional", "branch"),
    [
        (lambda x: jax.lax.cond(x > 0, jnp.sqrt, jnp.zeros_like, x), "cond", "the branch `zeros_like`"),
        (jax.jit(lambda x: jax.lax.cond(x > 0, jnp.sqrt, jnp.zeros_like, x) * 2.0), "cond", "the branch `zeros_like`"),
        (lambda x: jax.lax.switch(1, [jnp.sin, lambda x: jnp.float32(1.0)], x) * 3.0, "switch", "a branch"),
        (lambda x: one_or_the_other(x, jnp.float32(3.0)), "cond", "a branch"),
    ],
    ids=["constant", "compiled", "literal", "other"],
)
def test_a_branch_that_does_not_compute_with_the_source_is_told(
    function: Callable[..., Any], conditional: str, branch: str
) -> None:
    [finding] = found(function, jnp.float32(-1.0))
    assert (finding.cause, finding.severity) == ("zero_derivative", "hint")
    assert f"`jax.lax.{conditional}` at " in finding.message
    assert f"takes, for these numbers, {branch} that does not compute with `x`" in finding.message


def test_a_branch_that_computes_with_the_source_is_silent() -> None:
    log = tapeviz.record_jax(one_or_the_other, jnp.float32(1.0), jnp.float32(3.0), argnums=(0, 1))
    assert log.gradients == (3.0, 1.0)
    assert not tapeviz.diagnose(log)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """A package that was installed in a folder of its own."""
    size = "def size(x):\n    return jnp.sqrt(jnp.sum(x * x))\n"
    text = f"import jax.numpy as jnp\n\n{size}\ndef mapped(f, x):\n    return f(x)\n"
    text += "\ndef fit(x, y):\n    return -jnp.square(x - y)\n"
    (tmp_path / "sizes_of_arrays.py").write_text(text)
    (tmp_path / "sizes_of_arrays-1.0.dist-info").mkdir()
    (tmp_path / "sizes_of_arrays-1.0.dist-info" / "RECORD").write_text("sizes_of_arrays.py,,\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "sizes_of_arrays", raising=False)
    return importlib.import_module("sizes_of_arrays")


@pytest.mark.parametrize("transform", [lambda f: f, jax.jit], ids=["plain", "compiled"])
def test_a_fault_in_a_package_is_told_at_the_line_that_calls_it(package: ModuleType, transform: Any) -> None:
    def loss(w: Any) -> Any:
        return transform(package.size)(w) * 2.0

    [finding] = found(loss, jnp.zeros(2))
    assert finding.site is not None
    assert finding.site.text == "return transform(package.size)(w) * 2.0"
    assert finding.message.endswith(" It runs in sizes_of_arrays.py, line 4.")
    assert finding.fix.startswith("The formula is that of an installed package")


def test_numbers_that_a_where_discards_are_made_finite_before_a_package_gets_them(package: ModuleType) -> None:
    def loss(w: Any, x: Any, seen: Any) -> Any:
        fits = package.fit(w * jnp.ones(3), x)
        return jnp.sum(jnp.where(seen, fits, 0.0))

    x, seen = jnp.array([1.0, jnp.nan, 2.0]), jnp.array([True, False, True])
    [finding] = found(loss, jnp.float32(0.5), x, seen)
    assert finding.cause == "where_trap"
    assert finding.fix == "Give it finite numbers there: write `jnp.where(jnp.isfinite(x), x, 0.0)` for `x`."
    assert "package.fit(w * jnp.ones(3), jnp.where(jnp.isfinite(x), x, 0.0))" in finding.patch()


@pytest.mark.parametrize(
    ("x", "seen"),
    [([1.0, jnp.nan, jnp.nan], [True, False, True]), ([[jnp.nan], [1.0], [2.0]], [False, True, True])],
    ids=["some of them not discarded", "of another shape"],
)
def test_others_are_not(package: ModuleType, x: Any, seen: Any) -> None:
    def loss(w: Any, x: Any, seen: Any) -> Any:
        fits = package.fit(w * jnp.ones(3), x)
        return jnp.sum(jnp.where(seen, fits, 0.0))

    assert [
        each for each in found(loss, jnp.float32(0.5), jnp.array(x), jnp.array(seen)) if "finite num" in each.fix
    ] == []


def test_what_a_package_calls_of_the_users_is_the_users(package: ModuleType) -> None:
    def loss(w: Any) -> Any:
        return jax.jit(package.mapped, static_argnums=0)(lambda x: jnp.sqrt(jnp.sum(x * x)), w)

    [finding] = found(loss, jnp.zeros(2))
    assert "sizes_of_arrays" not in finding.message
    assert "jnp.sqrt" in finding.fix


def test_an_array_in_the_place_of_a_static_argument_is_told() -> None:
    masked = jax.custom_jvp(lambda x, keep: x * keep, nondiff_argnums=(1,))
    masked.defjvp(lambda keep, primals, tangents: jax.jvp(lambda x: x * keep, primals, tangents))

    def loss(x: Any, keep: Any) -> Any:
        return jnp.sum(jax.lax.scan(lambda carry, _: (masked(carry, keep), None), x, None, length=3)[0])

    with pytest.raises(jax.errors.UnexpectedTracerError) as raised:
        tapeviz.record_jax(lambda x, keep: jax.lax.cond(x[0] > 0, loss, loss, x, keep), jnp.ones(2), jnp.ones(2))
    [finding] = tapeviz.diagnose(raised.value.log)  # type: ignore[attr-defined]
    assert (finding.cause, finding.severity) == ("custom_gradient_bug", "warning")
    assert finding.site is not None
    assert "nondiff_argnums=(1,)" in finding.site.text


def test_an_integer_that_is_differentiated_comes_before_what_is_not_used() -> None:
    first, *_ = found(lambda state, x: jnp.sum(x * x), {"mean": jnp.ones(2), "count": jnp.array(3)}, jnp.ones(2))
    assert (first.cause, first.symptom) == ("integer_dtype", "error")


def test_a_gradient_by_complex_numbers_is_a_conjugate() -> None:
    """As the numbers show: the step that the fix names goes down, the other one up."""
    z = jnp.asarray(3 + 4j, jnp.complex64)
    log = tapeviz.record_jax(lambda z: jnp.abs(z) ** 2, z)
    [finding] = tapeviz.diagnose(log)
    assert (finding.cause, finding.severity) == ("conjugate_gradient", "hint")
    assert jnp.abs(z - 0.1 * jnp.conj(log.gradients)) < jnp.abs(z) < jnp.abs(z - 0.1 * log.gradients)


@pytest.mark.parametrize("z", [jnp.asarray(3.0 + 0.0j), jnp.asarray(3.0)], ids=["real", "float"])
def test_one_that_is_its_own_conjugate_is_silent(z: Any) -> None:
    assert not found(lambda z: jnp.abs(z) ** 2, z)


def test_a_step_that_is_recorded_whole_is_no_fault() -> None:
    """No program takes the gradient of its whole step: what would be wrong with that is a hint."""

    def step(state: Any, x: Any) -> Any:
        slope = jax.grad(lambda w: jnp.sum((w * x) ** 2))(state["w"])
        size = jnp.sqrt(jnp.sum(slope**2))
        return {"w": state["w"] - 0.1 * slope / (size + 1e-3), "count": state["count"] + 1}, size

    state = {"w": jnp.zeros(2), "count": jnp.array(0)}
    assert {each.severity for each in found(step, state, jnp.ones(2))} == {"hint"}
    assert {each.severity for each in found(lambda *given: step(*given)[1], state, jnp.ones(2))} == {"error"}
