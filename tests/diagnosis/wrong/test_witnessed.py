"""Gradient functions of the user's own, right ones and broken ones: what is said of their numbers."""

from __future__ import annotations

import linecache
from itertools import count
from typing import Any

import pytest

import tapeviz
from tapeviz.diagnosis import Finding
from tapeviz.events import EventLog, VjpWitnessed
from tests.diagnosis.custom_torch import BROKEN, RIGHT

pytestmark = pytest.mark.torch
_numbers = count()


def run(text: str, *, recorded: bool = True) -> tuple[dict[str, Any], EventLog | None]:
    """What a program leaves behind, and its log."""
    filename = f"custom_{next(_numbers)}.py"
    linecache.cache[filename] = len(text), None, text.splitlines(keepends=True), filename
    left: dict[str, Any] = {"__name__": "__main__", "__file__": filename}
    code = compile(text, filename, "exec")
    if not recorded:
        exec(code, left)
        return left, None
    with tapeviz.record() as log:
        exec(code, left)
    return left, log


def own(log: EventLog | None) -> list[Finding]:
    return [each for each in tapeviz.diagnose(log) if each.cause == "custom_gradient_bug"]


@pytest.mark.parametrize("name", RIGHT)
def test_right_ones_go_unmentioned_and_compute_the_same(name: str) -> None:
    import torch

    text = RIGHT[name]
    plain, _ = run(text, recorded=False)
    state = torch.get_rng_state()
    recorded, log = run(text)
    assert [str(each) for each in tapeviz.diagnose(log) if each.severity != "hint"] == []
    assert own(log) == []
    assert torch.equal(state, torch.get_rng_state())
    for one, other in zip(plain["results"], recorded["results"], strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize(("name", "right", "wrong", "says"), BROKEN)
def test_broken_ones_are_named(name: str, right: str, wrong: str, says: str) -> None:
    right, wrong = (each.replace(";; ", "\n        ") for each in (right, wrong))
    right, wrong = (each.replace("\nreturn", "\n        return") for each in (right, wrong))
    assert right in RIGHT[name]
    _, log = run(RIGHT[name].replace(right, wrong))
    assert [says in each.message for each in own(log)] == [True], own(log)
