"""Every VJP of a recording against a witness: silent where it is right, and the slip where it is wrong."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.engine.ops import OPS
from tests.diagnosis.custom_functions import BROKEN_TORCH, TORCH, run
from tests.diagnosis.healthy import HEALTHY
from tests.diagnosis.programs import beyond_the_engine
from tests.diagnosis.programs import run as program_log
from tests.engine import names
from tests.live.audits import BREAKS, BROKEN, DTYPES, EXPRESSIONS, broken, recorded, sent_to_leaves
from tests.live.kernels import KERNELS

OWN_HEALTHY = [name for name, text in HEALTHY.items() if not beyond_the_engine(text)]


@pytest.mark.torch
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_what_is_right_is_not_called_wrong(expression: str, dtype: str) -> None:
    found = tv.audit(recorded(expression, dtype))
    assert found, found
    assert {each.verdict for each in found.steps} <= {"right", "kink"}


@pytest.mark.torch
@pytest.mark.parametrize("kind", BREAKS)
@pytest.mark.parametrize("expression", BROKEN)
def test_a_rule_that_is_broken_is_named_with_its_slip(expression: str, kind: str) -> None:
    """What one VJP sent to a leaf is changed in the log: no other step has a part in it."""
    pytest.importorskip("torch")
    log = recorded(expression)
    for sent in sent_to_leaves(log):
        if kind != "swapped" or sent.other is not None:
            wrong = broken(log, sent, kind).wrong
            assert [found.step for found in wrong] == [sent.step], (expression, kind)
            assert kind in ("swapped", "term") or any(say in wrong[0].text for say in BREAKS[kind].say), wrong[0]


@pytest.mark.torch
@pytest.mark.parametrize(("name", "good", "bad", "say"), BROKEN_TORCH)
def test_a_function_of_ones_own(name: str, good: str, bad: str, say: str) -> None:
    """What is told of it in a diagnosis is told in the table."""
    pytest.importorskip("torch")
    assert tv.audit(run(TORCH[name])[1])
    found = tv.audit(run(TORCH[name].replace(good, bad))[1])
    words = " ".join(each.text for each in found.steps if each.verdict in ("wrong", "on purpose"))
    assert say in words or say == "passes its upstream gradient on unchanged" or "draws random" in words, found


@pytest.mark.torch
@pytest.mark.parametrize("name", KERNELS)
def test_a_kernel_of_a_public_thread(name: str) -> None:
    pytest.importorskip("torch")
    kernel = KERNELS[name]
    right = tv.audit(run(kernel.right)[1])
    assert {each.verdict for each in right.steps} == {"right"}, (kernel.thread, right)
    (wrong,) = tv.audit(run(kernel.wrong)[1]).wrong
    assert all(f"`{each}`" in wrong.text for each in kernel.inputs), (kernel.thread, wrong)


@pytest.mark.torch
@pytest.mark.parametrize(
    "expression", ["F.relu(z)", "z.abs()", "torch.maximum(z, z * 1)", "z.max(1).values", "z.clamp(0, 1)"]
)
def test_a_kink_is_no_fault(expression: str) -> None:
    torch: Any = pytest.importorskip("torch")
    z = torch.zeros(3, 4, requires_grad=True)
    with tv.record() as log:
        eval(expression, {"F": torch.nn.functional, "torch": torch, "z": z}).sum().backward()
    found = tv.audit(log)
    assert found, found


@pytest.mark.torch
def test_what_a_hook_changes_is_told() -> None:
    torch: Any = pytest.importorskip("torch")
    x = torch.randn(3, 4, requires_grad=True)
    with tv.record() as log:
        h = torch.tanh(x * 2)
        h.register_hook(lambda g: 3 * g)
        (h * h).sum().backward()
    found = tv.audit(log)
    assert found
    [changed] = [each for each in found.steps if each.verdict == "changed"]
    assert changed.text == "a hook makes another gradient of what `h` gets: what arrives = 3.0 x what was sent"


@pytest.mark.torch
def test_what_draws_is_random() -> None:
    torch: Any = pytest.importorskip("torch")
    x = torch.randn(3, 4, requires_grad=True)
    with tv.record() as log:
        torch.nn.functional.dropout(x).sum().backward()
    assert [each.verdict for each in tv.audit(log).steps] == ["right", "random"]


def test_an_op_of_the_engine_is_held_against_differences(monkeypatch: pytest.MonkeyPatch) -> None:
    def found() -> Any:
        x = tv.Variable([0.5, 1.5, 2.5], name="x")
        with tv.GradientTape() as tape:
            y = tv.reduce_sum(tv.sin(x) * tv.constant([1.0, 2.0, 3.0]))
        tape.gradient(y, x)
        return tv.audit(tape)

    assert str(found()) == "3 VJPs: 3 right"
    monkeypatch.setattr(OPS["sin"], "primal", lambda x: np.sin(x) / 2)
    [wrong] = found().wrong
    assert (wrong.step, wrong.op) == (3, "sin")
    assert "what it gives for `x` is 2 times it" in wrong.text


def test_a_mask_in_a_large_argument_is_told_by_its_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Differences are taken of some entries alone, and the one that is told is where it is in the argument."""
    x = tv.Variable(np.linspace(-2, 2, 900).reshape(30, 30), name="x")
    monkeypatch.setattr(OPS["sin"], "primal", lambda x: np.sin(x) / 2)
    with tv.GradientTape() as tape:
        y = tv.sin(x)
    tape.gradient(y, x)
    [wrong] = tv.audit(tape).wrong
    row, column = (int(each) for each in re.findall(r"at \[(\d+), (\d+)\]", wrong.text)[0])
    assert f"gives {np.cos(x.numpy()[row, column]):.4g} where" in wrong.text


def test_where_no_gradient_was_taken_there_is_nothing_to_check() -> None:
    with tv.record() as log:
        pass
    assert str(tv.audit(log)) == "0 VJPs"


@pytest.mark.parametrize("name", [*OWN_HEALTHY][::9])
def test_a_healthy_program_is_right(name: str) -> None:
    found = tv.audit(program_log(HEALTHY[name], names))
    assert found, found
    assert {each.verdict for each in found.steps} <= {"right", "kink", "random", "not checked"}


def test_a_log_from_a_file_says_why_nothing_was_checked(tmp_path: Any) -> None:
    x = tv.Variable(2.0)
    with tv.GradientTape() as tape:
        y = tv.sin(x)
    tape.gradient(y, x)
    found = tv.audit(tv.load(tv.save(tape, tmp_path / "sin.tape")))
    assert found
    assert [each.verdict for each in found.steps] == ["not checked"]
    assert "came from a file" in str(found)


def test_why_a_derivative_that_is_not_finite_was_not_checked() -> None:
    x = tv.Variable(0.0, name="x")
    with tv.GradientTape() as tape:
        y = tv.sqrt(x)
    tape.gradient(y, x)
    (step,) = tv.audit(tape).steps
    assert (step.verdict, step.text) == ("not checked", "not finite: inf by the VJP, NaN by differences")
