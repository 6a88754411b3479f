"""Faults in what is compiled: the findings are those of the same program, run eagerly."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import OpRecorded
from tapeviz.phrases import COMPILED

torch = pytest.importorskip("torch")

from tests.recorders.torch.compiled_faults import FAULTS  # noqa: E402

pytestmark = [pytest.mark.torch, pytest.mark.slow]


@pytest.fixture(autouse=True)
def _anew() -> Iterator[None]:
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def _recorded(name: str, functions: str) -> tv.EventLog:
    torch._dynamo.reset()
    torch.manual_seed(0)
    with tv.record(functions=functions) as log:
        FAULTS[name](lambda function: torch.compile(function, backend="aot_eager"))
    return log


def _findings(log: tv.EventLog) -> list[tuple[Any, ...]]:
    return [(each.cause, each.severity, each.site) for each in tv.diagnose(log)]


@pytest.mark.parametrize("name", FAULTS)
def test_a_compiled_program_has_the_findings_of_an_eager_one(name: str) -> None:
    expected, log = _findings(_recorded(name, "eager")), _recorded(name, "graph")
    assert expected
    assert _findings(log) == expected
    assert not any(each.op.endswith(COMPILED) for each in log.of_kind(OpRecorded).values())
