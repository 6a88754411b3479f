"""Where a lost gradient's path ends, in words."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tapeviz import record
from tapeviz.graph import build
from tapeviz.replay import runs
from tapeviz.views.reading import read
from tapeviz.views.reading.cuts import Cuts, cuts
from tests.literal_logs import Script
from tests.views.samples import PECULIAR, read_out


def found_in(log: Script) -> Cuts:
    return cuts(build(log), runs(log))


def lost(program: Callable[[Script, int], int], value: object = 1.0, watch: bool = True) -> tuple[Script, int]:
    """A program of one source that gets None."""
    log = Script()
    x, other = log.variable("x", value), log.variable("other", 1.0)
    with log.tape(watch=[x, other] if watch else [other]) as tape:
        inside = program(log, x)
        y = log.op("add", inside, other)
    log.backward(tape, y, [x], missing=[x])
    return log, log.dense(x)


def assigned(log: Script, x: int) -> int:
    v = log.variable("v")
    log.assign(v, x)
    return v


def returned(log: Script, x: int) -> int:
    log.read_out(x, ".item()")
    return log.constant("c", PECULIAR)


@pytest.mark.parametrize(
    ("program", "value", "watch", "word"),
    [
        (lambda log, x: log.op("square", x, recorded=False), 1.0, False, "not watched"),
        (lambda log, x: log.op("floor", x), 1.0, True, "no derivative"),
        (lambda log, x: log.op("square", x), np.array([1, 2]), True, "int64"),
        (lambda log, x: log.constant("c", parents=(x,)), 1.0, True, "rebuilt as a leaf"),
        (assigned, 1.0, True, "assign"),
        (returned, PECULIAR, True, ".item()"),
    ],
)
def test_the_first_thing_that_stops_it_is_named(
    program: Callable[[Script, int], int], value: object, watch: bool, word: str
) -> None:
    log, x = lost(program, value, watch)
    found = found_in(log)
    assert found.none == found.dead == {x}
    assert list(found.words.values()) == [word]


def test_the_dead_side_ends_at_the_cut() -> None:
    log = read_out()
    found = found_in(log)
    relu = build(log).consumers(0)[0][0]
    assert found.dead == {0, *build(log).ops[relu].outputs}
    assert list(found.words.values()) == [".numpy()"]


def test_every_way_that_is_cut_is_shown() -> None:
    log, _ = lost(lambda log, x: log.op("add", log.op("floor", x), log.op("ceil", log.op("square", x))))
    found = found_in(log)
    assert list(found.words.values()) == ["no derivative"] * 2
    assert len(found.dead) == 2


def test_a_rule_that_gave_nothing_is_a_cut() -> None:
    """A gradient function of the user's may return None, whatever the catalog says."""
    log = Script()
    x = log.variable("x")
    with log.tape(watch=[x]) as tape:
        y = log.op("my_op", x)
    log.backward(tape, y, [x], steps=[(y, [None])], missing=[x])
    assert list(found_in(log).words.values()) == ["no derivative"]


def test_a_source_that_nothing_uses_has_no_cut() -> None:
    log = Script()
    x, unused = log.variable("x"), log.variable("unused")
    with log.tape(watch=[x, unused]) as tape:
        y = log.op("square", x)
    log.backward(tape, y, [x, unused], steps=[(y, [2.0])], missing=[unused])
    assert found_in(log) == Cuts(dead={log.dense(unused)}, words={}, of_source={log.dense(unused): set()})


def test_a_healthy_log_has_none() -> None:
    log = Script()
    x = log.variable("x")
    with log.tape(watch=[x]) as tape:
        y = log.op("add", log.op("stop_gradient", x), x)
    log.backward(tape, y, [x], steps=[(y, [1.0, 1.0])])
    assert found_in(log) == Cuts()


@pytest.mark.torch
def test_a_cut_is_told_in_the_words_of_the_framework() -> None:
    import torch

    w = torch.ones(2, requires_grad=True)
    with record() as log:
        with torch.no_grad():
            held = w * 2
        loss = (held * torch.ones(2, requires_grad=True)).sum()
        torch.autograd.grad(loss, [w], allow_unused=True)
    assert [*read(log).cuts.words.values()] == ["autograd off"]


PAUSED = """
with torch.no_grad():
    {}"""
UPDATES = [
    "w.data.sub_(0.1 * w.grad)",
    "w.data = w.data - 0.1 * w.grad",
    "w.detach().sub_(0.1 * w.grad)",
    "w.data.clamp_(-1, 1)",
    *(PAUSED.format(each) for each in ("w -= 0.1 * w.grad", "w.copy_(w - 0.1 * w.grad)", "w.div_(w.norm())")),
    PAUSED.format("torch._foreach_add_([w], [w.grad], alpha=-0.1)"),
]


@pytest.mark.torch
@pytest.mark.parametrize("update", UPDATES)
def test_no_gradient_has_to_pass_an_update_between_two_steps(update: str) -> None:
    import torch

    w = torch.ones(2, requires_grad=True)
    with record() as log:
        for _ in range(3):
            w.grad = None
            (w * w).sum().backward()
            exec(update, {"torch": torch, "w": w})
    assert found_in(log) == Cuts()


@pytest.mark.torch
def test_a_gradient_would_have_had_to_pass_a_write_within_a_step() -> None:
    import torch

    w, held, scale = (torch.ones(2, requires_grad=True) for _ in range(3))
    with record() as log:
        held.data = w * 2
        with torch.no_grad():
            scale.copy_(w.abs())
        (held * scale * w).sum().backward()
    assert [*found_in(log).words.values()] == [".data = "]
