"""The formula and the rules of an op are those of its own options and operands, or none are shown."""

from __future__ import annotations

from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import OpRecorded
from tapeviz.events.catalog import row
from tapeviz.views.payload import payload
from tapeviz.views.words.formulas import TIMES, plain
from tapeviz.views.words.variants import AT, OTHERWISE, row_of
from tests.engine.names import math

MATRIX = [[1.0, -2.0, 4.0], [0.5, 3.0, -1.0]]


def shown(program: str, **names: Any) -> list[str]:
    """The formula of the last op of an expression, and its rules, as lines."""
    with tv.record() as log:
        result = eval(program, names)
    op = [event for event in log.events if isinstance(event, OpRecorded)][-1]
    known = row_of(log, op)
    assert result is not None
    assert known is not None
    templates = (known.formula, *known.vjps.values())
    return [plain(each).replace(TIMES, " ") for each in templates if each]


def test_options_that_are_told_of_are_those_of_ops_in_the_catalog() -> None:
    assert [name for name in (AT.keys() | OTHERWISE.keys()) if row(name) is None] == []
    for name, variants in OTHERWISE.items():
        for options, formulas in variants.items():
            assert {each.partition("=")[0] for each in options} <= AT[name].keys()
            assert formulas.vjps.keys() <= {*getattr(row(name), "arguments", ())}


def test_of_running_sums() -> None:
    x = tv.Variable([1.0, 2.0, 3.0])
    with tv.record() as log, tv.GradientTape() as tape:
        results = [tv.cumsum(x, reverse=True), tv.cumsum(x, exclusive=True), math.cumprod(x, reverse=True)]
        tape.gradient(results, x)
    ops = [event for event in log.events if isinstance(event, OpRecorded)]
    assert [known and known.formula for known in (row_of(log, op) for op in ops)] == [
        r"\sum_{j \ge i} {x}_j", r"\sum_{j < i} {x}_j", "",
    ]  # fmt: skip
    assert [kind["formula"] is None for kind in payload(log)["kinds"]] == [False, False, True]


@pytest.mark.torch
@pytest.mark.parametrize(
    ("program", "lines"),
    [
        ("torch.add(x, y)", ["{x} + {y}", "{g}", "{g}"]),
        ("torch.add(x, y, alpha=3)", ["{x} + {alpha} · {y}", "{g}", "{alpha} · {g}"]),
        ("F.mse_loss(x, y, reduction='sum')", ["∑ ({x} − {y})^2", "{g} · 2({x} − {y})", "−{g} · 2({x} − {y})"]),
        ("F.mse_loss(x, y, reduction='none')", ["({x} − {y})^2", "{g} · 2({x} − {y})", "−{g} · 2({x} − {y})"]),
        ("F.linear(x, y)", ["{x}{(weight)}ᵀ", "{g} {weight}", "{(g)}ᵀ {x}", "∑ {g}"]),
        ("x.clamp(max=2.0)", []),
        ("torch.div(x, y, rounding_mode='floor')", []),
        ("F.cross_entropy(x, t, label_smoothing=0.5)", []),
        ("x.var(correction=0)", []),
        ("torch.linalg.vector_norm(x, 1)", []),
    ],
)
def test_of_pytorchs_functions(program: str, lines: list[str]) -> None:
    torch = pytest.importorskip("torch")
    x, y = (torch.tensor(MATRIX, requires_grad=True) for _ in range(2))
    assert shown(program, torch=torch, F=torch.nn.functional, x=x, y=y, t=torch.tensor([0, 1])) == lines


@pytest.mark.torch
def test_two_that_are_equal_share_the_gradient_of_an_extreme_in_pytorch() -> None:
    torch = pytest.importorskip("torch")
    x, y = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    with tv.record() as log:
        (torch.maximum(x, y) + torch.minimum(x, y)).sum().backward()
        torch.clamp_min(x, 1.0)
    known = [row_of(log, op) for op in log.events if isinstance(op, OpRecorded)]
    assert known[0] is not None
    assert known[0].domain == ("{x} = {y}: each gets half of the gradient",)
    assert torch.equal(x.grad, torch.ones(2))
    last = known[-1]
    assert last is not None
    assert last.domain == ("{x} = {low}: the gradient goes to the first argument",)


def test_elsewhere_the_first_of_two_that_are_equal_gets_the_gradient() -> None:
    x, y = tv.Variable(1.0), tv.Variable(1.0)
    with tv.record() as log, tv.GradientTape() as tape:
        larger = tv.maximum(x, y)
    first, second = tape.gradient(larger, [x, y])
    assert (float(first), float(second)) == (1.0, 0.0)
    (known,) = [row_of(log, op) for op in log.events if isinstance(op, OpRecorded)]
    assert known is not None
    assert known.domain == ("{x} = {y}: the gradient goes to the first argument",)
