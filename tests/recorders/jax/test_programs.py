"""What `record_jax` records of a program of JAX; the oracle is `jax.value_and_grad`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz import graph, replay
from tapeviz.events import ErrorRaised, OpRecorded, OpSkipped, catalog
from tapeviz.events.log import EventLog
from tapeviz.views.reading import read
from tapeviz.views.reports.text import text

jax = pytest.importorskip("jax")
jnp = jax.numpy

from tests.recorders.jax.programs import PROGRAMS, Program, numbers, rnn, rnn_args  # noqa: E402
from tests.recorders.jax.random_programs import SIZE  # noqa: E402
from tests.recorders.jax.random_programs import program as random_program  # noqa: E402
from tests.seeds import each_seed  # noqa: E402

pytestmark = pytest.mark.jax


def record(program: Program, **options: Any) -> Any:
    return tv.record_jax(program.f, *program.args, **program.options, **options)


@cache
def recorded(name: str) -> Any:
    """What was recorded of a program of that name, once for all tests that only read it."""
    return record(PROGRAMS[name])


def named(log: EventLog, name: str) -> Any:
    return log.value(log.id_of(name))


def gradient(log: EventLog, name: str) -> Any:
    """What arrived at a source of the only run."""
    [run] = replay.runs(log)
    found = run.gradient(log.id_of(name))
    return None if found is None else log.value(found)


def ops(log: EventLog) -> list[str]:
    return [event.op for event in log.events if isinstance(event, (OpRecorded, OpSkipped))]


def assert_close(ours: Any, theirs: Any) -> None:
    assert jax.tree_util.tree_structure(ours) == jax.tree_util.tree_structure(theirs)
    for one, other in zip(jax.tree_util.tree_leaves(ours), jax.tree_util.tree_leaves(theirs), strict=True):
        assert jnp.asarray(one).dtype == jnp.asarray(other).dtype
        np.testing.assert_allclose(one, other, rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("name", PROGRAMS)
def test_value_and_gradients_are_those_of_jax(name: str) -> None:
    program, log = PROGRAMS[name], recorded(name)
    value, gradients = jax.value_and_grad(program.f, **{"argnums": 0} | program.options)(*program.args)
    assert_close(log.result, value)
    assert_close(log.gradients, gradients)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_reader_takes_the_log(name: str, tmp_path: Path) -> None:
    log = recorded(name)
    [run] = replay.runs(log)
    replay.tracks(log, run)
    graph.build(log)
    tv.draw(log, tmp_path / "drawn.svg")
    tv.save_html(log, tmp_path / "page.html")
    tv.diagnose(log)
    for source in run.sources:
        tv.why(log, log.tensors[run.targets[0]].name, log.tensors[source].name)


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_step_is_there_for_every_recorded_op_that_something_reached(name: str) -> None:
    """No op twice, none before what it feeds, and the upstream gradient is what had arrived."""
    log = recorded(name)
    [run] = replay.runs(log)
    stepped = [step.op for step in run.steps]
    assert stepped == sorted(set(stepped), reverse=True)
    arrived = dict(zip(run.targets, run.seeds, strict=True))
    for step in run.steps:
        op = log.events[step.op]
        assert step.upstream == tuple(arrived.get(output) for output in op.outputs)
        for each in step.contributions:
            arrived[each.tensor] = each.total
            assert log.tensors[each.total].shape == log.tensors[each.tensor].shape


# ----- where and what -----


def test_sites_are_exact_to_the_column() -> None:
    log = recorded("mlp")
    product = next(event for event in log.events if isinstance(event, OpRecorded) and event.op == "matmul")
    site = log.sites[product.site]
    assert (site.text, site.function) == ('h = jnp.tanh(x @ params["w1"] + params["b1"])', "mlp")
    line = log.source(site.filename)[site.line - 1]
    assert line[site.column : site.end_column] == 'x @ params["w1"]'


def test_names_are_the_users() -> None:
    log = recorded("mlp")
    names = {row.name for row in log.tensors if row.name}
    assert names == {"x", "y", "h", "logits", "mlp", *(f"params['{name}']" for name in ("b1", "b2", "w1", "w2"))}
    assert_close(named(log, "mlp"), np.asarray(log.result))


def test_control_flow_has_its_names_from_its_line() -> None:
    """What JAX computes for it, the index of a branch or the counter of a loop, has none."""
    log = recorded("named_flow")
    made = {row.name: row.id for row in log.tensors if row.role == "intermediate" and row.name}
    assert set(made) == {"y", "grown", "element", "last", "rows", "named_flow"}
    x = PROGRAMS["named_flow"].args[0]
    assert_close(np.asarray(log.value(made["y"])), np.asarray(x**3))
    assert log.tensors[made["grown"]].dtype == "float32"
    assert log.tensors[made["rows"]].shape == (3, 3)


def test_control_flow_with_its_tangents_has_no_names_from_its_line() -> None:
    """Its results are in another order than those of the call that the line has."""
    names = {tensor.name for tensor in recorded("tangents_of_a_scan").tensors}
    assert {"x", "v"} <= names
    assert not names & {"end", "ys", "slope", "slopes"}


def test_an_array_read_besides_has_its_name() -> None:
    assert "DATA" in {row.name for row in recorded("closed_over").tensors}


def test_functions_are_scopes_and_jit_changes_nothing() -> None:
    plain, jitted = recorded("jitted"), recorded("jit_itself")
    assert [scope.name for scope in plain.scopes][-3:] == ["jitted", "layer", "layer"]
    assert ops(plain) == ops(jitted) == ["matmul", "tanh", "matmul", "tanh", "reduce_sum"]
    named_z = [row for row in plain.tensors if row.name == "z"]
    assert len(named_z) == 2


def test_a_scan_runs_round_by_round_in_one_fold() -> None:
    log = recorded("rnn")
    assert ops(log).count("tanh") == 50
    assert "step × 50" in {group.title for group in read(log).groups.rows}


def test_of_a_conditional_the_branch_that_was_taken_is_recorded() -> None:
    log = tv.record_jax(lambda x: jax.lax.cond(x > 0, jnp.sin, jnp.cos, x), -1.0)
    assert "cos" in ops(log)
    assert "sin" not in ops(log)


def test_functions_of_jax_are_one_op_where_the_catalog_has_it() -> None:
    assert ops(tv.record_jax(lambda x: jax.nn.relu(jax.nn.silu(x)), 2.0)) == ["silu", "relu"]


def test_random_numbers_are_one_op() -> None:
    assert ops(recorded("dropout")) == ["bernoulli", "div", "where", "reduce_sum"]


def test_a_custom_derivative_is_one_op_of_its_functions_name() -> None:
    log = recorded("custom")
    assert {"clipped", "squareplus"} <= set(ops(log))


def test_formulas_are_known() -> None:
    log = recorded("mlp")
    assert [op for op in ops(log) if catalog.row(op) is None] == []


def test_views_speak_of_a_function() -> None:
    assert text(recorded("cube")).startswith("cube: 2 ops, cube = 27.0")


# ----- None, zeros and errors -----


def test_a_source_that_nothing_leads_to() -> None:
    log = recorded("unused")
    assert gradient(log, "params['unused']") is None
    assert not log.gradients["unused"].any()
    assert tv.why(log, "unused", "params['unused']").cause == "unused_source"


def test_an_integer_has_no_gradient() -> None:
    log = tv.record_jax(lambda x, n: x * n, 2.0, 3, argnums=(0, 1))
    assert (float(log.gradients[0]), log.gradients[1]) == (3.0, None)
    assert tv.why(log, log.result, "n").cause == "integer_dtype"


def test_stop_gradient_is_found() -> None:
    log = tv.record_jax(lambda x: (jax.lax.stop_gradient(x) ** 2).sum(), numbers(3))
    assert gradient(log, "x") is None
    assert tv.diagnose(log)[0].cause == "stop_gradient"


def test_the_arrays_themselves_can_be_asked_about() -> None:
    w = numbers(3)
    log = tv.record_jax(lambda w: (w * 0.0).sum(), w)
    assert tv.why(log, log.result, w).symptom == "zero"


def test_what_a_function_does_besides_happens_as_often_as_in_jax() -> None:
    seen: list[str] = []

    @jax.custom_jvp
    def own(x):
        jax.debug.callback(lambda _: seen.append("own"), x)
        return jnp.sin(x)

    own.defjvp(lambda primals, tangents: (own(*primals), jnp.cos(primals[0]) * tangents[0]))

    @jax.custom_vjp
    def pulled(x):
        jax.debug.callback(lambda _: seen.append("primal"), x)
        return 2 * x

    def forth(x):
        jax.debug.callback(lambda _: seen.append("forth"), x)
        return 2 * x, None

    pulled.defvjp(forth, lambda _, g: (2 * g,))

    def loss(x):
        return pulled(own(x))

    jax.grad(loss)(0.5)
    jax.effects_barrier()
    expected, seen[:] = sorted(seen), []
    tv.record_jax(loss, 0.5)
    jax.effects_barrier()
    assert sorted(seen) == expected == ["forth", "own"]


def fixed_point(a: Any) -> Any:
    def body(carry: Any) -> Any:
        return jnp.tanh(a * carry[0] + 0.1), carry[0]

    start = jnp.array(0.5), jnp.array(9.0)
    return (jax.lax.while_loop(lambda carry: abs(carry[0] - carry[1]) > 1e-3, body, start)[0] - 0.3) ** 2


def halved(a: Any) -> Any:
    return a * jax.lax.while_loop(lambda x: x > a, lambda x: x / 2, jnp.array(100.0))


def held(a: Any) -> Any:
    return a * jax.lax.while_loop(lambda x: x < 10.0, lambda x: 2 * x + jax.lax.stop_gradient(a), jnp.array(1.0))


def counted(a: Any) -> Any:
    return a * jax.lax.while_loop(lambda n: n < 10, lambda n: n + 1 + (a > n).astype(int), jnp.array(1))


@pytest.mark.parametrize("f", [fixed_point, halved, held, counted], ids=lambda each: each.__name__)
def test_a_gradient_goes_past_a_while_loop_where_jax_lets_it(f: Any) -> None:
    a = jnp.array(0.6)
    try:
        expected = jax.grad(f)(a)
    except ValueError:
        with pytest.raises(ValueError, match="no reverse pass"):
            tv.record_jax(f, a)
    else:
        np.testing.assert_allclose(gradient(tv.record_jax(f, a), "a"), expected, rtol=1e-6)


def test_a_while_loop_has_no_reverse_pass_but_a_record() -> None:
    def doubled(x):
        return jax.lax.while_loop(lambda v: v < 10.0, lambda v: v * 2, x)

    with pytest.raises(ValueError, match="no reverse pass") as caught:
        tv.record_jax(doubled, 3.0)
    log = caught.value.log
    assert ops(log).count("mul") == 2
    assert isinstance(log.events[-1], ErrorRaised)


def test_a_forward_pass_alone_follows_everything() -> None:
    log = tv.record_jax(
        lambda x: jax.lax.while_loop(lambda v: v < 10.0, lambda v: v * 2, x), jnp.array(3.0), argnums=()
    )
    assert (float(log.result), log.gradients, replay.runs(log)) == (12.0, None, [])
    assert [event.op for event in log.events if isinstance(event, OpRecorded)] == ["mul", "mul"]


@pytest.mark.parametrize(
    ("f", "args", "options", "error", "match"),
    [
        (lambda x: x, (2.0,), {"argnums": 1}, ValueError, "argnums is 1"),
        (lambda x, y: x, (2.0, 3.0), {"argnums": (0, -2)}, ValueError, "twice"),
        (lambda x: x, (2.0,), {"has_aux": True}, TypeError, "pair"),
        (lambda x: x > 1, (2.0,), {}, TypeError, "returns bool"),
        (lambda x: x, ({"w": "text"},), {}, TypeError, r"gradient of x\['w'\]"),
        (lambda x: x @ x, (jnp.ones((2, 3)),), {}, TypeError, "dot_general"),
        (lambda x: x, (2.0,), {"values": "some"}, ValueError, "values"),
        (3.0, (2.0,), {}, TypeError, "record_jax: pass a function first, .* got a float"),
        (3.0, (), {}, TypeError, "record_jax: pass a function first, .* got a float"),
        (lambda x: x, (2.0,), {"argnums": "x"}, TypeError, r"argnums is the position of an argument, .*; got 'x'"),
        (lambda x: x, (2.0,), {"argnums": (0, 0.5)}, TypeError, r"argnums is .*; got 0\.5"),
    ],
)
def test_what_cannot_be_recorded_is_an_error(f: Any, args: Any, options: Any, error: Any, match: str) -> None:
    with pytest.raises(error, match=match):
        tv.record_jax(f, *args, **options)


@pytest.mark.skipif(not hasattr(jax, "new_ref"), reason="this JAX has no array references")
def test_array_references_are_refused() -> None:
    given = jax.new_ref(jnp.ones(2))

    def made_inside(x: Any) -> Any:
        ref = jax.new_ref(x)
        ref[...] = 2 * ref[...]
        return ref[...]

    def changed(x: Any, ref: Any) -> Any:
        ref[0] = x
        return jnp.sum(ref[...])

    for f, args in (
        (made_inside, (2.0,)),
        (jax.jit(made_inside), (2.0,)),
        (lambda x: jnp.sum(given[...] * x), (2.0,)),
        (changed, (2.0, given)),
    ):
        with pytest.raises(TypeError, match=r"follows no array references.*x\.at\[index\]"):
            tv.record_jax(f, *args)


def test_a_choice_by_a_traced_number_is_jaxs_error_with_a_word_on_why() -> None:
    with pytest.raises(jax.errors.TracerBoolConversionError) as caught:
        tv.record_jax(lambda x: x if x > 0 else -x, 2.0)
    assert "jax.lax.cond" in "".join(caught.value.__notes__)


def test_errors_of_jax_name_the_users_function_and_argument() -> None:
    def signed(kind: str, params: Any, count: int) -> Any:
        return params["w"] if params["b"] > 0 else -params["w"]

    with pytest.raises(jax.errors.TracerBoolConversionError) as caught:
        tv.record_jax(signed, "kind", {"w": jnp.ones(()), "b": jnp.ones(())}, 3, argnums=1)
    assert f"the function signed at {__file__}:" in str(caught.value)
    assert "the argument params['b']" in str(caught.value)


def test_it_does_not_record_what_is_being_traced() -> None:
    with pytest.raises(TypeError, match="x is being traced"):
        jax.jit(lambda x: tv.record_jax(lambda x: x * x, x).result)(2.0)


def test_a_function_with_its_own_derivative_is_opened_ahead_of_its_op() -> None:
    log = recorded("custom")
    told = [each for each in log.events if isinstance(each, (OpRecorded, OpSkipped))]
    own = [each for each in told if each.op in ("clipped", "squareplus")]
    assert [type(each) for each in own] == [OpRecorded, OpRecorded]
    inside = [
        each for each in told if each.scope is not None and log.scopes[each.scope].name in ("clipped", "squareplus")
    ]
    assert [each.op for each in inside] == ["mul", "mul", "add", "sqrt", "add", "div"]
    assert all(isinstance(each, OpSkipped) and dict(each.tapes) == {0: "paused"} for each in inside)
    assert not tv.diagnose(log)


def test_without_a_gradient_a_function_with_its_own_derivative_is_a_call() -> None:
    @jax.custom_jvp
    def doubled(x):
        return x * 2

    doubled.defjvps(lambda t, out, x: t * 2)
    log = tv.record_jax(lambda x, y: x * doubled(y), 2.0, 3.0)
    assert ops(log) == ["mul", "mul"]


def test_an_error_on_the_way_back_keeps_the_log() -> None:
    @jax.custom_vjp
    def broken(x):
        return x * 2

    broken.defvjp(lambda x: (x * 2, None), lambda kept, g: (g.no_such_attribute,))
    with pytest.raises(AttributeError, match="no_such_attribute") as caught:
        tv.record_jax(lambda x: broken(x), 2.0)
    assert ops(caught.value.log) == ["mul", "broken"]


# ----- values -----


@pytest.mark.parametrize("options", [{"values": "none"}, {"max_bytes": 2000}])
def test_values_stay_within_what_was_allowed(options: dict[str, Any]) -> None:
    program = Program(rnn, rnn_args(10))
    log, whole = record(program, **options), record(program)
    assert_close(log.gradients, whole.gradients)
    assert ops(log) == ops(whole)
    if options.get("values") == "none":
        assert all(log.value(row.id) is None for row in log.tensors if row.role != "literal")


def test_a_short_float_is_read_as_float32() -> None:
    log = recorded("half")
    row = next(row for row in log.tensors if row.dtype == "bfloat16")
    assert log.value(row.id).dtype == np.float32


def test_random_keys_are_mentioned_without_a_value() -> None:
    log = recorded("dropout")
    row = log.tensors[log.id_of("key")]
    assert (row.dtype, log.value(row.id)) == ("key<fry>", None)


# ----- random programs -----


@each_seed
def test_random_programs_do_the_same_when_they_are_recorded(seed: int, tmp_path: Path) -> None:
    """The value, the gradients, and what arrives at every tensor on the way are those of JAX."""
    source, count = random_program(seed)
    path = tmp_path / f"program{seed}.py"
    path.write_text(source)
    names: dict[str, Any] = {}
    exec(compile(source, str(path), "exec"), names)
    program = names["program"]
    x, w = numbers(SIZE, seed=seed), numbers(SIZE, seed=seed ^ 1)
    log = tv.record_jax(program, x, w, argnums=(0, 1))
    shifts = [jnp.zeros(SIZE)] * count
    value, expected = jax.value_and_grad(program, argnums=(0, 1, 2))(x, w, shifts)
    with jax.disable_jit():
        assert np.asarray(log.result).tobytes() == np.asarray(program(x, w)).tobytes(), source
    assert_close(log.result, value)
    assert_close(log.gradients, expected[:2])
    totals = arrived(log)
    for index, gradient in enumerate(expected[2]):
        total = totals.get(log.id_of(f"v{index}"))
        ours = 0.0 if total is None else log.value(total)
        np.testing.assert_allclose(ours, gradient, rtol=1e-4, atol=1e-5, err_msg=f"v{index}\n{source}")


def arrived(log: EventLog) -> dict[int, int]:
    """Tensor -> the sum that reached it in the only run."""
    [run] = replay.runs(log)
    totals = {target: seed for target, seed in zip(run.targets, run.seeds, strict=True) if seed is not None}
    for step in run.steps:
        totals |= {each.tensor: each.total for each in step.contributions}
    return totals


def test_keyword_arguments_are_passed_on_and_not_differentiated() -> None:
    def loss(w: Any, *, x: Any, power: int = 1) -> Any:
        return jnp.sum((w * x["a"]) ** power)

    log = tv.record_jax(loss, jnp.ones(2), x={"a": jnp.array([2.0, 3.0])}, power=2)
    assert log.gradients.tolist() == [8.0, 18.0]
    assert log.value(log.id_of("x['a']")).tolist() == [2.0, 3.0]
    with pytest.raises(TypeError, match="unexpected keyword argument 'y'"):
        tv.record_jax(loss, jnp.ones(2), y=1.0)


@pytest.mark.parametrize("around", [lambda f: f, jax.jit])
def test_what_takes_the_gradient_already_is_not_differentiated_again(around: Any) -> None:
    def loss(w: Any) -> Any:
        return jnp.sum(w**2)

    taken = around(jax.value_and_grad(loss))
    log = tv.record_jax(taken, jnp.ones(2))
    [run] = replay.runs(log)
    assert [log.value(each).tolist() for each in run.gradients] == [[2.0, 2.0]] == [log.result[1].tolist()]
    assert log.gradients is None
    with pytest.raises(TypeError, match=r"pass (loss|<lambda>) in place of jax\.value_and_grad"):
        tv.record_jax(taken, jnp.ones(2), argnums=(0,))
    assert tv.record_jax(taken, jnp.ones(2), argnums=()).gradients is None
