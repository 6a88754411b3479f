"""What a recording sees of a program of JAX that runs as its author wrote it; the oracle is the program itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.errors import StoppedError
from tapeviz.events import BackwardFinished, BackwardStarted, GradientUnseen, OpRecorded
from tapeviz.events.log import EventLog

jax = pytest.importorskip("jax")
jnp = jax.numpy

from jax.experimental import io_callback  # noqa: E402

from tapeviz.recorders.identity import ROOM  # noqa: E402
from tapeviz.recorders.jax.ledger import Ledger  # noqa: E402  # it imports JAX
from tests.recorders.frameworks import jax_state  # noqa: E402
from tests.recorders.jax.programs import PROGRAMS, mlp, mlp_params, numbers  # noqa: E402
from tests.sampling import sample  # noqa: E402

pytestmark = pytest.mark.jax


def loss(params, x, y):
    h = jnp.tanh(x @ params["w"])
    return jnp.mean((h - y) ** 2)


params = {"w": numbers(3, 2, seed=1)}
x, y = numbers(4, 3, seed=2), numbers(4, 2, seed=3)
ONE_NUMBER = jax.ShapeDtypeStruct((), jnp.float32)


@jax.jit
def step(params, x, y):
    value, slopes = jax.value_and_grad(loss)(params, x, y)
    return slopes, jax.tree.map(lambda each, slope: each - 0.1 * slope, params, slopes), value


def adversaries(first, second, x):
    """Two gradient calls in one step, the second at what the first has changed."""

    def score(first, second):
        return jnp.mean(jax.nn.sigmoid(x @ second @ first))

    slope = jax.grad(score)(first, second)
    return slope, jax.grad(lambda second, first: -score(first, second))(second, first - slope)


def with_counter(n, params, *, mode):
    return jax.grad(lambda params: n * loss(params, x, y))(params) if mode == "loss" else params


@partial(jax.jit, static_argnames="mode")
def scaled(factor, rows, mode):
    return rows.at[0].set(0.0) * jnp.ones((), factor.dtype) * factor if mode == "rows" else rows


def scaled_gradient(params):
    factors = scaled(2, np.ones((4, 1)), mode="rows")
    return jax.grad(lambda params: loss(params, factors * x, y))(params)


def noisy(params):
    jax.debug.print("at {}", params["w"].sum())
    return jax.grad(lambda params: (jax.debug.print("inside"), loss(params, x, y))[1])(params)


SEEN: dict[str, Callable[[], Any]] = {
    "grad": lambda: jax.grad(loss)(params, x, y),
    "a jitted step, twice": lambda: (step(params, x, y)[0], step(params, 2.0 * x, y)[0]),
    "a jitted gradient": lambda: jax.jit(jax.grad(loss))(params, x, y),
    "a jitted loss": lambda: jax.grad(jax.jit(loss))(params, x, y),
    "a jitted function within another": lambda: jax.jit(lambda params: step(params, x, y)[0])(params),
    "one gradient per example": lambda: jax.vmap(jax.grad(loss), (None, 0, 0))(params, x, y),
    "jitted, per example": lambda: jax.jit(jax.vmap(jax.grad(loss), (None, 0, 0)))(params, x, y),
    "per example, jitted": lambda: jax.vmap(jax.jit(jax.grad(loss)), (None, 0, 0))(params, x, y),
    "vjp": lambda: jax.vjp(lambda params: jnp.tanh(x @ params["w"]), params)[1](y),
    "a jitted vjp": jax.jit(lambda: jax.vjp(lambda params: jnp.tanh(x @ params["w"]), params)[1](y)),
    "a function of a gradient": lambda: jax.jvp(jax.grad(loss), (params, x, y), (params, x, y))[0],
    "a gradient of a gradient": lambda: jax.grad(lambda a: jax.grad(lambda b: jnp.sin(b) ** 2)(a))(1.0),
    "several arguments": lambda: jax.jit(jax.grad(loss, argnums=(1, 0)))(params, x, y),
    "auxiliary results": lambda: jax.grad(lambda p: (loss(p, x, y), {"h": x, "n": 3}), has_aux=True)(params)[0],
    "numbers and numpy's arrays, given to a jitted function within another": lambda: jax.jit(scaled_gradient)(params),
    "two gradients": lambda: jax.jit(adversaries)(numbers(2, 1), numbers(3, 2), x),
    "static arguments": lambda: jax.jit(with_counter, static_argnums=0, static_argnames="mode")(3, params, mode="loss"),
    "a donated argument": lambda: jax.jit(jax.grad(loss), donate_argnums=0)({"w": params["w"] + 0}, x, y),
    "a pure callback": lambda: jax.jit(
        jax.grad(
            lambda p: loss(p, x, y) * jax.pure_callback(lambda: np.float32(2.0), jax.ShapeDtypeStruct((), "float32"))
        )
    )(params),
    "scan and checkpoint": lambda: jax.jit(
        jax.grad(lambda w: jax.lax.scan(jax.checkpoint(lambda h, _: (jnp.tanh(h @ w), None)), x @ w, None, 3)[0].sum())
    )(numbers(3, 3)),
}
"""Programs that return their gradients, in the order in which they take them."""


def recorded(run: Callable[[], Any], **options: Any) -> tuple[Any, EventLog]:
    with tv.record(**options) as log:
        result = run()
    return result, log


def bits(result: Any) -> list[Any]:
    return [np.asarray(each).tobytes() for each in jax.tree.leaves(result)]


def gradients(log: EventLog) -> Iterator[Any]:
    for run in log.of_kind(BackwardFinished).values():
        yield from (None if each is None else log.value(each) for each in run.gradients)


def assert_same_gradients(log: EventLog, result: Any) -> None:
    for ours, theirs in zip(gradients(log), jax.tree.leaves(result), strict=True):
        if ours is None:
            assert not np.asarray(theirs).any()
        else:
            np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("name", SEEN)
def test_results_are_the_programs_and_gradients_are_in_the_log(name: str) -> None:
    plain = SEEN[name]()
    result, log = recorded(SEEN[name])
    assert bits(result) == bits(plain)
    assert_same_gradients(log, result)
    assert log.framework == "jax"
    assert not log.of_kind(GradientUnseen)
    assert not [each for each in tv.diagnose(log) if each.severity != "hint"]


@pytest.mark.parametrize(
    ("name", "is_jitted"), [(name, True) for name in PROGRAMS] + [(name, False) for name in sample(PROGRAMS, 9)]
)
def test_the_gradients_are_those_that_record_jax_gives(name: str, is_jitted: bool) -> None:
    program = PROGRAMS[name]
    argnums, has_aux = program.options.get("argnums", 0), program.options.get("has_aux", False)
    if argnums == ():
        pytest.skip("takes no gradient")
    named = {key: each for key, each in program.options.items() if key not in ("argnums", "has_aux")}
    call = jax.grad(partial(program.f, **named), argnums=argnums, has_aux=has_aux, allow_int=True)
    run = partial(jax.jit(call) if is_jitted else call, *program.args)
    try:
        plain = run()
    except Exception:
        pytest.skip("is no program of one result, or not one to compile")
    result, log = recorded(run)
    assert bits(result) == bits(plain)
    if log.of_kind(GradientUnseen):
        pytest.skip("asks an array for its value")
    record = tv.record_jax(program.f, *program.args, **program.options)
    for ours, theirs in zip(gradients(log), gradients(record), strict=True):
        assert (ours is None) == (theirs is None)
        if ours is not None:
            np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=1e-6)


def test_tensors_have_the_names_of_the_program() -> None:
    _, log = recorded(lambda: step(params, x, y))
    [began] = log.of_kind(BackwardStarted).values()
    assert [log.tensors[each].name for each in (*began.sources, *began.targets)] == ["params['w']", "loss"]
    assert {"x", "y", "h"} <= {each.name for each in log.tensors}
    assert "value_and_grad(loss)(params, x, y)" in log.sites[began.site].text


def test_a_jacobian_is_one_run_of_as_many_rows() -> None:
    _, log = recorded(lambda: jax.jit(jax.jacrev(lambda w: jnp.tanh(x @ w)))(params["w"]))
    [began] = log.of_kind(BackwardStarted).values()
    assert began.rows == 8
    assert list(gradients(log)) == [None]
    assert "1 Jacobian" in str(tv.diagnose(log))


def test_a_function_is_called_once_more_for_each_of_its_lines_not_for_each_step() -> None:
    calls = []

    @jax.jit
    def counted(params):
        calls.append(1)
        return jax.grad(lambda params: loss(params, x, y))(params)

    _, log = recorded(lambda: [counted(params) for _ in range(5)])
    assert len(log.of_kind(BackwardFinished)) == 5
    assert len(calls) == 2


def test_effects_are_not_repeated(capfd: pytest.CaptureFixture[str]) -> None:
    run = jax.jit(noisy)
    recorded(lambda: (run(params), jax.effects_barrier()))
    told = capfd.readouterr().out
    assert (told.count("at "), told.count("inside")) == (1, 1)


def test_what_is_printed_as_a_function_is_traced_is_printed_once(capsys: pytest.CaptureFixture[str]) -> None:
    @jax.jit
    def telling(params):
        print("traced")
        return jax.grad(loss)(params, x, y)

    _, log = recorded(lambda: telling(params))
    assert capsys.readouterr().out == "traced\n"
    assert log.of_kind(BackwardFinished)


def of_a_callback(params):
    two = io_callback(lambda: np.float32(2.0), ONE_NUMBER)
    return jax.grad(lambda params: loss(params, two * x, y))(params)


def by_value(params):
    return jax.grad(lambda w: w.sum() if w[0, 0] > 0 else -w.sum())(params["w"])


def one_per_example(params):
    """Each example has a branch of its own."""
    return jax.vmap(lambda on: jax.lax.cond(on, lambda p: jax.grad(loss)(p, x, y), lambda p: p, params))(
        jnp.array([True, False])
    )


UNSEEN = {
    "of what a callback": jax.jit(of_a_callback),
    "within a function that JAX runs itself": jax.jit(one_per_example),
    "forwards, by `jax.jacfwd` or `jax.hessian`": jax.jit(lambda p: jax.jacfwd(lambda w: jnp.tanh(x @ w))(p["w"])),
    "forwards, by `jax.linearize`": lambda p: jax.linearize(lambda w: jnp.tanh(x @ w), p["w"])[1](p["w"]),
    "asks an array for its value": by_value,
}


@pytest.mark.parametrize("why", UNSEEN)
def test_what_is_not_seen_is_said_once(why: str) -> None:
    run = partial(UNSEEN[why], params)
    plain = run()
    result, log = recorded(lambda: [run() for _ in range(2)])
    assert bits(result) == bits([plain, plain])
    [unseen] = log.of_kind(GradientUnseen).values()
    assert why in unseen.why
    assert why in str(tv.diagnose(log))


def moved(params, factor):
    return jax.tree.map(lambda each, slope: each - 0.1 * slope, params, jax.grad(loss)(params, factor * x, y))


def counted(n):
    return jax.lax.fori_loop(0, n, lambda i, p: moved(p, i + 2.0), params)


FACTORS = jnp.array([2.0, 3.0, 5.0])
LOOPS: dict[str, tuple[Callable[[], Any], list[float], str]] = {
    "scan": (
        lambda: jax.lax.scan(lambda p, each: (moved(p, each), loss(p, x, y)), params, FACTORS),
        [2.0],
        "after the first of 3 rounds of `lax.scan`",
    ),
    "a scan backwards": (
        lambda: jax.lax.scan(lambda p, each: (moved(p, each), None), params, FACTORS, reverse=True),
        [5.0],
        "after the first of 3 rounds of `lax.scan`",
    ),
    "a scan of one round": (lambda: jax.lax.scan(lambda p, _: (moved(p, 2.0), None), params, None, 1), [2.0], ""),
    "map": (lambda: jax.lax.map(partial(moved, params), FACTORS), [2.0], "after the first of 3 rounds of `lax.map`"),
    "fori_loop": (lambda: counted(2), [2.0], "after the first of 2 rounds of `lax.fori_loop`"),
    "a fori_loop of as many rounds as are given": (
        lambda: jax.jit(counted)(2),
        [2.0],
        "in any later round of `lax.fori_loop`: the first alone is recorded",
    ),
    "a fori_loop of no rounds": (lambda: jax.jit(counted)(0), [], ""),
    "while_loop": (
        lambda: jax.lax.while_loop(lambda s: s[0] < 2, lambda s: (s[0] + 1, moved(s[1], 2.0)), (0, params)),
        [2.0],
        "in any later round of `lax.while_loop`: the first alone is recorded",
    ),
    "cond": (
        lambda: jax.lax.cond(jnp.array(False), lambda p: moved(p, 2.0), lambda p: moved(p, 3.0), params),
        [3.0],
        "",
    ),
    "a branch not taken": (lambda: jax.lax.cond(x[0, 0] > 99, lambda p: moved(p, 2.0), lambda p: p, params), [], ""),
    "switch": (lambda: jax.lax.switch(7, [lambda p: p, lambda p: moved(p, 3.0)], params), [3.0], ""),
    "a branch of a later round": (
        lambda: jax.lax.scan(
            lambda p, i: (jax.lax.cond(i > 0, lambda p: moved(p, 2.0), lambda p: p, p), None), params, jnp.arange(4)
        ),
        [],
        "after the first of 4 rounds of `lax.scan`",
    ),
    "per example": (
        lambda: jax.vmap(lambda p: jax.lax.scan(lambda p, _: (moved(p, 2.0), None), p, None, 1)[0], axis_size=1)(
            jax.tree.map(lambda each: each[None], params)
        ),
        [2.0],
        "",
    ),
    "a loop that takes none": (lambda: jax.lax.scan(lambda sum, each: (sum + each, sum), 0.0, FACTORS), [], ""),
}
"""Programs -> the factors of the gradient calls that are seen, and what is said of the others."""


@pytest.mark.parametrize("is_jitted", [False, True])
@pytest.mark.parametrize("name", LOOPS)
def test_of_a_loop_the_first_round_is_recorded_and_of_a_choice_the_branch_taken(name: str, is_jitted: bool) -> None:
    program, factors, others = LOOPS[name]
    run = jax.jit(lambda: program()) if is_jitted else program
    plain = run()
    result, log = recorded(run)
    assert bits(result) == bits(plain)
    expected = [jax.grad(loss)(params, factor * x, y)["w"] for factor in factors]
    for ours, theirs in zip(gradients(log), expected, strict=True):
        np.testing.assert_allclose(np.reshape(ours, theirs.shape), theirs, rtol=2e-5, atol=1e-6)
    said = [each.why for each in log.of_kind(GradientUnseen).values()]
    assert len(said) == bool(others)
    assert all(others in each for each in said)
    assert not [each for each in tv.diagnose(log) if each.severity != "hint"]


def test_a_loop_has_its_effects_once(capfd: pytest.CaptureFixture[str]) -> None:
    def body(p, _):
        jax.debug.print("round")
        return moved(p, 2.0), None

    _, log = recorded(lambda: (jax.lax.scan(body, params, None, 3), jax.effects_barrier()))
    assert capfd.readouterr().out.count("round") == 3
    assert len(log.of_kind(BackwardFinished)) == 1


def test_a_loop_that_python_runs_is_recorded_round_by_round() -> None:
    with jax.disable_jit():
        _, log = recorded(lambda: jax.lax.scan(lambda p, each: (moved(p, each), None), params, FACTORS))
    assert len(log.of_kind(BackwardFinished)) == 3
    assert not log.of_kind(GradientUnseen)


@pytest.mark.parametrize(
    ("run", "cause"),
    [
        (lambda: jax.grad(lambda x: 2.0 * x)(x), "api_misuse"),
        (lambda: jax.grad(lambda n: (n * 1.0).sum())(jnp.arange(3)), "integer_dtype"),
        (lambda: jax.grad(lambda x: (x > 0).sum())(x), "integer_dtype"),
        (
            lambda: jax.grad(lambda x: jax.lax.while_loop(lambda v: v < 9.0, lambda v: 2 * v, x))(1.0),
            "nondifferentiable_op",
        ),
        (lambda: jax.jit(jax.grad(lambda x: jnp.sum(x) if x[0, 0] > 0 else 0.0))(x), "left_to_numpy"),
    ],
    ids=["several numbers", "integers", "no real result", "a loop", "a choice"],
)
def test_an_error_is_the_programs_own_and_is_explained(run: Callable[[], Any], cause: str) -> None:
    with pytest.raises(Exception) as plain:  # noqa: PT011  # whichever JAX raises
        run()
    with pytest.raises(plain.type) as caught, tv.record() as log:
        run()
    assert str(caught.value) == str(plain.value)
    [finding] = tv.diagnose(log)
    assert (finding.cause, finding.severity) == (cause, "error")


def test_an_error_that_the_program_catches_is_explained_too() -> None:
    with tv.record() as log, suppress(TypeError):
        jax.grad(lambda x: 2.0 * x)(x)
    assert [each.cause for each in tv.diagnose(log)] == ["api_misuse"]


def test_a_gradient_that_is_not_finite_stops_the_program() -> None:
    with pytest.raises(StoppedError, match="sqrt"), tv.record(stop_on="nan"):
        jax.jit(jax.grad(lambda x: (jnp.sqrt(x) * x).sum()))(jnp.zeros(2))


def test_only_the_last_steps_are_kept() -> None:
    _, log = recorded(lambda: [step(params, x, y) for _ in range(6)], steps=2)
    assert len(log.of_kind(BackwardFinished)) == 2


def test_jax_is_left_as_it_was() -> None:
    before = jax_state(jax)
    recorded(lambda: step(params, x, y))
    assert jax_state(jax) == before


def test_other_frameworks_alone() -> None:
    _, log = recorded(lambda: step(params, x, y), frameworks=[])
    assert not log.of_kind(OpRecorded)


def test_an_mlp_is_drawn_as_record_jax_draws_it() -> None:
    labels = jnp.array([0, 1, 2, 0])
    arguments = mlp_params(), numbers(4, 4), labels
    _, log = recorded(lambda: jax.grad(mlp)(*arguments))
    kinds = [each.op for each in tv.record_jax(mlp, *arguments).of_kind(OpRecorded).values()]
    assert [each.op for each in log.of_kind(OpRecorded).values()] == kinds


def test_each_call_of_a_function_is_a_scope_of_its_own() -> None:
    def trained(params):
        return step(params, x, y)[1]

    _, log = recorded(lambda: trained(trained(params)))
    outer = [each for each in log.scopes if each.name == "trained"]
    inner = [each.parent for each in log.scopes if each.name == "step"]
    assert [log.scopes[each] for each in inner] == outer
    assert len(outer) == 2


def test_no_more_is_known_of_a_long_training_than_of_a_short_one() -> None:
    weights = params
    with tv.record(steps=1) as log:
        owners = [getattr(each, "__self__", None) for each in log.resolvers]
        [ledger] = (each for each in owners if isinstance(each, Ledger))
        for _ in range(2 * ROOM):
            _, weights, _ = step(weights, x, y)
        assert len(ledger._ids) <= 2 * ROOM
        assert ledger.id_of(weights["w"]) is None
        jax.grad(loss)(weights, x, y)
        assert ledger.id_of(weights["w"]) is not None


def test_a_function_that_is_recorded_by_itself_is_in_its_own_log_alone() -> None:
    one, log = recorded(lambda: tv.record_jax(loss, params, x, y))
    assert len(one.of_kind(BackwardFinished)) == 1
    assert not log.events


class Slotted:
    """A function that is an object, without a dictionary of its own."""

    __slots__ = ("factor",)

    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return self.factor * jnp.sum(x * x)


class Unique(Slotted):
    """One that refuses to be copied."""

    def __copy__(self):
        raise TypeError("There is one.")


@pytest.mark.parametrize(("function", "is_seen"), [(Slotted(2.0), True), (Unique(2.0), False)], ids=["slots", "unique"])
def test_a_function_may_be_any_object(function: Any, is_seen: bool) -> None:
    result, log = recorded(lambda: jax.grad(function)(x))
    assert bits(result) == bits(4.0 * x)
    assert len(log.of_kind(BackwardFinished)) == is_seen
    assert bool(log.of_kind(GradientUnseen)) != is_seen
