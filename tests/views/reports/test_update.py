"""From a gradient to a new weight by formulas: what PyTorch's optimizers write, which the formulas do not see."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.errors import LogError
from tapeviz.events import own_kernels
from tapeviz.replay.update_rules import RULES
from tapeviz.replay.written import updates_of
from tests.markup.balanced import read
from tests.views.reports.updates import (
    STEPS,
    are_as_computed,
    drawn,
    drawn_of_keras,
    drawn_of_optax,
    hold_for_models_of_keras,
    nearness,
    trained,
    trained_by_keras,
    trained_by_optax,
)

ROOT = Path(__file__).parents[3]


@pytest.mark.torch
@pytest.mark.parametrize("seed", range(45))
def test_the_formulas_give_the_new_weight(seed: int) -> None:
    """`python -m tests.views.reports.updates` draws two hundred of each library."""
    pytest.importorskip("torch")
    are_as_computed(trained(seed), "torch", drawn(seed))


@pytest.mark.tensorflow
@pytest.mark.parametrize("seed", range(12))
def test_the_formulas_give_the_new_weight_of_keras(seed: int) -> None:
    pytest.importorskip("tensorflow")
    are_as_computed(trained_by_keras(seed), "keras", drawn_of_keras(seed))


@pytest.mark.tensorflow
def test_the_formulas_hold_for_models_of_keras() -> None:
    pytest.importorskip("tensorflow")
    hold_for_models_of_keras(range(6))


@pytest.mark.slow
@pytest.mark.parametrize("backend", [pytest.param(each, marks=getattr(pytest.mark, each)) for each in ("torch", "jax")])
def test_they_hold_on_other_backends(backend: str) -> None:
    pytest.importorskip("keras")
    pytest.importorskip(backend)
    program = "from tests.views.reports.updates import hold_for_models_of_keras; hold_for_models_of_keras(range(6))"
    own = os.environ | {"KERAS_BACKEND": backend, "TF_CPP_MIN_LOG_LEVEL": "3", "JAX_PLATFORMS": "cpu"}
    done = subprocess.run([sys.executable, "-c", program], env=own, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.jax
@pytest.mark.parametrize("seed", range(12))
def test_the_formulas_give_the_new_weight_of_optax(seed: int) -> None:
    pytest.importorskip("optax")
    are_as_computed(trained_by_optax(seed), "optax", drawn_of_optax(seed))


@pytest.mark.jax
@pytest.mark.parametrize("seed", range(6))
def test_in_a_process_that_records_nothing_the_formulas_are_off_by_a_few_roundings(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("optax")
    log = trained_by_optax(seed)
    monkeypatch.setattr(own_kernels, "_KERNELS", {})
    assert all(each.ulps <= 4 for each in nearness(log))
    assert all(tv.update(log, name).is_as_computed for name in ("params['v']", "params['w']"))


@pytest.mark.jax
@pytest.mark.parametrize("seed", range(6))
def test_a_compiled_function_is_given_the_gradient_of_a_step(seed: int) -> None:
    pytest.importorskip("optax")
    are_as_computed(trained_by_optax(seed, compiled="update"), "compiled", drawn_of_optax(seed))


@pytest.mark.jax
@pytest.mark.parametrize(("seed", "gives_away"), [(0, False), (1, True), (2, False), (4, True)])
def test_the_steps_of_optax_in_a_compiled_function_are_seen(seed: int, *, gives_away: bool) -> None:
    pytest.importorskip("optax")
    log = trained_by_optax(seed, compiled="step", gives_away=gives_away)
    for name in ("params['w']", "params['v']"):
        for number in range(STEPS):
            assert tv.update(log, name, number).is_as_computed


@pytest.mark.jax
@pytest.mark.parametrize("way", ["jax.jit(optimizer.update)", "optax.MultiSteps", "compiled MultiSteps", "by hand"])
def test_of_what_optax_is_not_seen_to_make_there_is_the_difference(way: str) -> None:
    optax: Any = pytest.importorskip("optax")
    import jax

    optimizer = optax.adam(0.1)
    update = jax.jit(optimizer.update)
    if "MultiSteps" in way:
        optimizer = optax.MultiSteps(optimizer, every_k_schedule=2)
        update = optimizer.update
    params = {"w": jax.numpy.ones(3)}
    state = optimizer.init(params)

    def step(params: Any, state: Any) -> Any:
        updates, state = update(jax.grad(lambda p: (p["w"] ** 2).sum())(params), state, params)
        if way == "by hand":
            return jax.tree.map(lambda w, u: w + u, params, updates), state
        return optax.apply_updates(params, updates), state

    step = jax.jit(step) if way.startswith("compiled") else step
    with tv.record() as log:
        for _ in range(2):
            params, state = step(params, state)
    name = next(each.name for each in log.tensors if each.name and each.name.endswith("['w']"))
    if way == "by hand":
        with pytest.raises(LogError, match=r"seen where `optax.apply_updates` gives it"):
            tv.update(log, name)
        return
    found = tv.update(log, name)
    assert (found.optimizer, found.steps) == (None, ())
    np.testing.assert_array_equal(found.after, params["w"])
    assert not [*tv.diagnose(log)]


@pytest.mark.jax
@pytest.mark.parametrize("is_compiled", [False, True])
def test_of_a_model_of_equinox_the_arrays_are_updated(*, is_compiled: bool) -> None:
    optax: Any = pytest.importorskip("optax")
    eqx: Any = pytest.importorskip("equinox")
    import jax

    optimizer, model = optax.adam(0.1), eqx.nn.MLP(2, 1, 4, 1, key=jax.random.key(0))
    state = optimizer.init(eqx.filter(model, eqx.is_array))

    def step(model: Any, state: Any) -> Any:
        gradients = eqx.filter_grad(lambda model: (model(jax.numpy.ones(2)) ** 2).sum())(model)
        updates, state = optimizer.update(gradients, state, model)
        return eqx.apply_updates(model, updates), state

    step = eqx.filter_jit(step) if is_compiled else step
    with tv.record() as log:
        for _ in range(2):
            model, state = step(model, state)
    found = tv.update(log, "model.layers[1].weight")
    assert found.is_as_computed
    np.testing.assert_array_equal(found.after, model.layers[1].weight)


@pytest.mark.torch
def test_another_number_is_not_what_the_formulas_give(monkeypatch: pytest.MonkeyPatch) -> None:
    log = trained(1)
    found = tv.update(log, "w")
    assert found.is_as_computed
    monkeypatch.setitem(RULES, found.optimizer, lambda w, g, state, options: RULES["SGD"](w, 2 * g, {}, options))  # type: ignore[arg-type]
    changed = tv.update(log, "w")
    assert changed.is_as_computed is False
    assert "something else than its formulas give" in str(changed)


@pytest.mark.torch
def test_what_was_summed_and_clipped_is_told() -> None:
    torch: Any = pytest.importorskip("torch")
    w = torch.tensor([3.0, 4.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.5)
    with tv.record() as log:
        for _ in range(2):
            (w * w).sum().backward()
        torch.nn.utils.clip_grad_norm_([w], 1.0)
        optimizer.step()
    found = tv.update(log, "w")
    assert [step.name for step in found.steps] == ["gradient that arrived", "gradient", "update", "new weight"]
    assert found.steps[0].formula == "sum of 2 calls"
    assert found.steps[1].formula.startswith("g = ")
    assert found.steps[1].formula.endswith(" x what arrived")
    assert found.ratio == pytest.approx(0.1, rel=1e-4)


@pytest.mark.torch
@pytest.mark.parametrize(
    ("dtype", "lr", "says"),
    [
        ("bfloat16", 1e-4, "4 of 4 entries did not change: rounded away in bfloat16"),
        ("float32", 0.0, "4 of 4 entries did not change: the update is zero, and the gradient is not"),
        ("float32", 0.1, None),
    ],
)
def test_what_did_not_change_and_why(dtype: str, lr: float, says: str | None) -> None:
    torch: Any = pytest.importorskip("torch")
    w = torch.ones(4, dtype=getattr(torch, dtype), requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=lr)
    with tv.record() as log:
        (w * w).sum().backward()
        optimizer.step()
    found = tv.update(log, "w")
    assert (says in str(found)) if says else not found.unchanged
    read(found._repr_html_())


@pytest.mark.torch
def test_a_gradient_of_zero_changes_nothing() -> None:
    torch: Any = pytest.importorskip("torch")
    w = torch.ones(4, requires_grad=True)
    optimizer = torch.optim.Adam([w])
    with tv.record() as log:
        (w[:3] * w[:3]).sum().backward()
        optimizer.step()
    assert tv.update(log, "w").unchanged == {"the gradient is zero": 1}


@pytest.mark.torch
@pytest.mark.parametrize(
    "options", [{"max_iter": 1}, {"max_iter": 3, "lr": 0.5}, {}, {"line_search_fn": "strong_wolfe"}]
)
def test_each_call_of_a_closure_leads_to_an_update_of_lbfgs(options: dict[str, Any]) -> None:
    torch: Any = pytest.importorskip("torch")
    w, b = torch.tensor([1.5, -0.3], requires_grad=True), torch.ones((), requires_grad=True)
    optimizer = torch.optim.LBFGS([w, b], **options)
    calls = []

    def closure() -> Any:
        optimizer.zero_grad()
        calls.append(w.tolist())
        loss = ((w - b) ** 4).sum() + (w * w).sum() + b
        loss.backward()
        return loss

    with tv.record() as log:
        for _ in range(3):
            optimizer.step(closure)
    found = [tv.update(log, w, number) for number in range(len(updates_of(log, log.id_of(w))))]
    if "line_search_fn" in options:
        assert not any(each.steps for each in found)
        return
    begun = [each for each, after in pairwise([*calls, w.tolist()]) if each != after]  # the last call may end a step
    assert [each.before.tolist() for each in found] == begun
    assert all(each.is_as_computed for each in found)
    assert [step.formula for step in found[0].steps[1:]][::3] == ["d = -g", "w + t d"]
    np.testing.assert_allclose([each.steps[-1].value for each in found], [each.after for each in found], 1e-5, 1e-6)
    pairs = sum(step.name == "curvature" for each in found for step in each.steps)
    assert pairs == len(found) - 1


@pytest.mark.torch
def test_of_another_optimizer_there_are_before_and_after() -> None:
    torch: Any = pytest.importorskip("torch")
    w = torch.ones(4, requires_grad=True)
    optimizer = torch.optim.Adamax([w], lr=0.1)
    with tv.record() as log:
        (w * w).sum().backward()
        optimizer.step()
    found = tv.update(log, w)
    assert (found.optimizer, found.steps, found.is_as_computed) == ("Adamax", (), None)
    np.testing.assert_allclose(found.difference, -0.1, rtol=1e-5)
    assert "the rule of the optimizer, or the gradient that it got, is not known" in str(found)


@pytest.mark.torch
@pytest.mark.parametrize("seed", [4, 7])
def test_a_file_has_the_same_updates(seed: int, tmp_path: Any) -> None:
    log = trained(seed)
    again = tv.load(tv.save(log, tmp_path / "steps.tape"))
    assert str(tv.update(again, "w")) == str(tv.update(log, "w"))


@pytest.mark.torch
def test_a_recording_leaves_the_training_as_it_was() -> None:
    torch: Any = pytest.importorskip("torch")

    def run() -> Any:
        torch.manual_seed(0)
        w = torch.randn(5, requires_grad=True)
        optimizer = torch.optim.NAdam([w])
        for _ in range(3):
            (w * w).sum().backward()
            optimizer.step()
        return w.detach(), [value.clone() for value in optimizer.state[w].values()]

    alone = run()
    with tv.record():
        recorded = run()
    assert torch.equal(alone[0], recorded[0])
    assert all(map(torch.equal, alone[1], recorded[1]))


def test_what_was_never_updated() -> None:
    w = tv.Variable([1.0, 2.0], name="w")
    with tv.GradientTape() as tape:
        loss = tv.reduce_sum(w * w)
    tape.gradient(loss, w)
    with pytest.raises(LogError, match="The log has no update of w: let"):
        tv.update(tape, w)
    w.assign_sub([0.5, 0.5])
    with pytest.raises((IndexError, LogError)):
        tv.update(tape, w, 3)
