"""What a graph says of logs written by hand: where values went, and where a gradient can pass."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tapeviz.events import OptimizerCreated, OptimizerStepped
from tapeviz.graph import build
from tests.literal_logs import Script

PECULIAR = np.array([0.123, 4.56])


def unwatched(log: Script, x: int) -> int:
    with log.tape():
        return log.op("square", x, recorded=False)


def other_argument_recorded(log: Script, x: int) -> int:
    w = log.variable("w")
    with log.tape(watch=[w]):
        return log.op("mul", x, w)


def no_derivative(log: Script, x: int) -> int:
    with log.tape(watch=[x]):
        return log.op("floor", x)


def outside(log: Script, x: int) -> int:
    y = log.op("square", x, recorded=False)
    with log.tape():
        pass
    return y


def reset(log: Script, x: int) -> int:
    with log.tape(watch=[x]) as tape:
        y = log.op("square", x)
        log.reset(tape)
    return y


def rebuilt(log: Script, x: int) -> int:
    with log.tape(watch=[x]):
        return log.constant("c", 1.0, parents=(x,))


def assigned(log: Script, x: int) -> int:
    with log.tape(watch=[x]):
        v = log.variable("v")
        log.assign(v, x)
    return v


def read_out(log: Script, x: int) -> int:
    with log.tape(watch=[x]):
        log.read_out(x)
        return log.constant("c", PECULIAR)


def watched_late(log: Script, x: int) -> int:
    with log.tape() as tape:
        w = log.variable("w")
        y = log.op("mul", x, w)
        log.watch(tape, x)
    return y


@pytest.mark.parametrize(
    ("program", "block"),
    [
        (unwatched, "unwatched"),
        (other_argument_recorded, "unwatched"),
        (no_derivative, "no_derivative"),
        (outside, "outside_tape"),
        (reset, "forgotten"),
        (rebuilt, "rebuilt"),
        (assigned, "state"),
        (read_out, "read_out"),
        (watched_late, None),
    ],
)
def test_a_link_is_blocked_for_its_own_reason(program: Callable[[Script, int], int], block: str | None) -> None:
    log = Script()
    x = log.variable("x", PECULIAR)
    y = program(log, x)
    graph = build(log)
    [link] = [link for link in graph.links_from(log.dense(x)) if link.head == log.dense(y)]
    assert graph.block(link, 0) == block
    assert (log.dense(x) in graph.reached(0, [log.dense(y)])) == (block is None)
    assert log.dense(x) in graph.ancestors([log.dense(y)])


def test_an_integer_passes_no_gradient() -> None:
    log = Script()
    indices = log.variable("indices", np.array([1, 2]))
    with log.tape(watch=[indices]):
        log.op("square", indices)
    graph = build(log)
    assert graph.block(graph.links[0], 0) == "integer_dtype"


def test_uses_are_listed_once_each_with_their_slots() -> None:
    log = Script()
    x = log.variable("x")
    with log.tape(watch=[x]):
        first = log.op("mul", x, x)
        log.op("split", first, outputs=2, value=(1.0, 1.0))
    graph = build(log)
    first_at, second_at = graph.ops
    assert graph.consumers(log.dense(x)) == [(first_at, 0), (first_at, 1)]
    assert graph.consumers(log.dense(first)) == [(second_at, 0)]
    assert graph.producer(log.dense(first)) == first_at
    assert graph.producer(log.dense(x)) is None


def test_a_variable_has_the_ancestors_of_the_value_it_held_then() -> None:
    log = Script()
    x, early, late = log.variable("x"), log.variable("early"), log.variable("late")
    v = log.variable("v")
    with log.tape(watch=[x, v, early, late]):
        before = log.op("square", v)
        log.assign(v, early)
        between = log.op("square", v)
        log.assign(v, late)
        after = log.op("square", v)
    graph = build(log)
    ids = {log.dense(each): name for each, name in ((early, "early"), (late, "late"))}
    found = [{ids[each] for each in graph.ancestors([log.dense(y)]) if each in ids} for y in (before, between, after)]
    assert found == [set(), {"early"}, {"late"}]
    assert {ids[each] for each in graph.ancestors(map(log.dense, (between, after))) if each in ids} == {"early", "late"}
    assert log.dense(before) not in graph.descendants([log.dense(early)])
    assert log.dense(after) in graph.descendants([log.dense(late)])
    assert log.dense(after) not in graph.descendants([log.dense(early)])
    assert log.dense(after) in graph.descendants([log.dense(v)])


@pytest.mark.parametrize(
    ("value", "comes_back"), [(0.5, False), (9.0, False), (np.zeros(3), False), (0.1234, True), (PECULIAR, True)]
)
def test_only_a_peculiar_number_is_taken_for_one_that_came_back(value: object, comes_back: bool) -> None:
    log = Script()
    x = log.variable("x", value)
    log.read_out(x)
    c = log.constant("c", value)
    assert bool(build(log).links_into(log.dense(c))) == comes_back


def test_data_that_was_looked_at_does_not_come_back() -> None:
    log = Script()
    features = log.constant("features", PECULIAR)
    log.read_out(features)
    again = log.constant("again", PECULIAR)
    assert build(log).links_into(log.dense(again)) == []


def test_an_optimizer_is_idle_while_none_of_its_steps_changes_anything() -> None:
    log = Script()
    w, b = log.variable("w"), log.variable("b")
    log.append(OptimizerCreated, (w,), None, None, (100, "SGD"))
    log.append(OptimizerCreated, (b,), None, None, (200, "Adam"))
    for parameters, optimizer in ((), 100), ((b,), 200), ((), 200):
        log.append(OptimizerStepped, parameters, None, None, optimizer)
    first, second = build(log).optimizers.values()
    assert (first.made_at, first.parameters, first.steps, first.is_idle) == (2, (log.dense(w),), [4], True)
    assert (second.made_at, second.parameters, second.steps, second.is_idle) == (3, (log.dense(b),), [5, 6], False)
    assert build(log).listed == {log.dense(w), log.dense(b)}


def test_a_tape_entered_again_after_its_gradient_starts_afresh() -> None:
    log = Script()
    x = log.variable("x")
    with log.tape(watch=[x]) as tape:
        y = log.op("square", x)
    log.backward(tape, y, [x], steps=[(y, [1.0])])
    log.reopen(tape)
    z = log.op("square", y)
    graph = build(log)
    assert log.dense(x) in graph.reached(0, [log.dense(y)], at=log.position_of_run(0))
    assert graph.reached(0, [log.dense(z)]) == {log.dense(z)}


@pytest.mark.slow
def test_a_hundred_thousand_ops_in_a_row_are_no_recursion() -> None:
    log = Script()
    x = log.variable("x")
    with log.tape(watch=[x]):
        y = x
        for _ in range(100_000):
            y = log.op("sin", y)
    graph = build(log)
    assert log.dense(x) in graph.reached(0, [log.dense(y)])
    assert len(graph.descendants([log.dense(x)])) == 100_001


@pytest.mark.parametrize(
    ("name", "ranks", "links"),
    [("dist.all_reduce", 2, 4), ("dist.all_to_all", 2, 16), ("stacked", None, 16)],
)
def test_what_processes_reduce_together_is_made_tensor_by_tensor(name: str, ranks: int | None, links: int) -> None:
    log = Script()
    given = [log.variable(f"w{each}") for each in range(4)]
    made = tuple(range(1000, 1004))
    attrs = () if ranks is None else (("ranks", ranks),)
    log.raw += (name, tuple(given), made, (np.float32,) * 4, attrs, (), (), None, None, -1)
    graph = build(log)
    assert len(graph.links) == links
    assert {link.tail for link in graph.links_into(log.dense(made[2]))} == (
        {log.dense(given[2])} if links == 4 else {log.dense(each) for each in given}
    )
