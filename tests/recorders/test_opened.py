"""A recording runs compiled functions op by op: each in a scope that says so, and the first line says it once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import EventLog, FunctionOpened
from tapeviz.views.payload import payload
from tapeviz.views.reading import read
from tapeviz.views.reports.text import text

SAID = "`step` is compiled, but ran eagerly here: numbers may differ"


def tensorflow() -> EventLog:
    tf: Any = pytest.importorskip("tensorflow")
    w = tf.Variable([1.0, 2.0], name="w")

    @tf.function
    def step(w: Any) -> Any:
        return tf.reduce_sum(tf.sin(w))

    with tv.record(functions="eager") as log:
        for _ in range(2):
            with tf.GradientTape() as tape:
                loss = step(w) * 2.0
            tape.gradient(loss, w)
    return log


def torch() -> EventLog:
    torch: Any = pytest.importorskip("torch")
    w = torch.ones(2, requires_grad=True)

    def step(w: Any) -> Any:
        return w.sin().sum()

    compiled = torch.compile(step, backend="eager")
    with tv.record(functions="eager") as log:
        for _ in range(2):
            (compiled(w) * 2.0).backward()
    return log


BOTH = [
    pytest.param(tensorflow, marks=pytest.mark.tensorflow),
    pytest.param(torch, marks=[pytest.mark.torch, pytest.mark.slow]),
]


@pytest.mark.parametrize("program", BOTH)
def test_what_was_opened_says_so(program: Any, tmp_path: Path) -> None:
    log = program()
    assert [event.function for event in log.events if isinstance(event, FunctionOpened)] == ["step"]
    ops = [(event.op, event.scope) for event in log.events if hasattr(event, "saved")]
    scopes = [log.scopes[scope].name for _, scope in ops]
    inside = "step (compiled, run eagerly)"
    assert [(op, scope) for (op, _), scope in zip(ops, scopes, strict=True)] == [
        *(("sin", inside), ("reduce_sum", inside), ("mul", program.__name__)) * 2
    ]

    tv.save(log, tmp_path / "log")
    for each in (log, tv.load(tmp_path / "log")):
        first = text(each).splitlines()[0]
        packed = payload(each)
        assert (packed["title"], packed["remark"]) == (read(each).title, SAID)
        assert first == f"{packed['title']}; {SAID}"
        assert text(each).count("compiled, but") == 1


@pytest.mark.torch
def test_what_is_none_here_and_may_be_zeros_in_the_compiled_program_says_so() -> None:
    torch: Any = pytest.importorskip("torch")
    x, w = (torch.ones(2, requires_grad=True) for _ in range(2))

    def step(x: Any, w: Any) -> Any:
        return x.sin().sum(), w.cos().sum()

    compiled = torch.compile(step, backend="eager")
    with tv.record(functions="eager") as log:
        one, _ = compiled(x, w)
        one.backward()
    assert str(tv.diagnose(log)).startswith(f"{SAID}, and what gets None here may get zeros.")
    assert "Compiled, `step` may pass zeros to `w`" in str(tv.why(log, one, w))
    assert str(tv.why(log, one, x)).startswith(f"{SAID}. ")


@pytest.mark.tensorflow
def test_a_function_that_the_program_runs_eagerly_itself_is_none() -> None:
    tf: Any = pytest.importorskip("tensorflow")
    tf.config.run_functions_eagerly(True)
    try:
        assert "compiled" not in text(tensorflow())
    finally:
        tf.config.run_functions_eagerly(False)
