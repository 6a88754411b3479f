"""Four times the ops are about four times the work: links are counted, as they are looked at, and no time is taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

import tapeviz as tf
from tapeviz import record
from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.paths.longest import LongestPaths
from tapeviz.diagnosis.paths.trail import Trail
from tapeviz.events import BackwardStarted, EventLog
from tapeviz.graph import Graph, Link, build
from tapeviz.replay import runs
from tapeviz.views.reading.cuts import cuts

SMALL = 60


def training(rounds: int) -> None:
    """Two variables are written at every step; one of them learns nothing."""
    w, lost = tf.Variable(1.0), tf.Variable(1.0)
    for _ in range(rounds):
        with tf.GradientTape() as tape:
            loss = w * w * lost.numpy()
        gradient, _ = tape.gradient(loss, [w, lost])
        w.assign_sub(0.01 * gradient)
        lost.assign_sub(0.01)


def cut_at_the_end(layers: int) -> None:
    """The gradient of every layer is lost behind the last one."""
    weights = [tf.Variable(1.0) for _ in range(layers)]
    with tf.GradientTape() as tape:
        x = tf.constant(1.0)
        for w in weights:
            x = tf.tanh(x * w)
        loss = tf.constant(x.numpy()) * 2.0
    tape.gradient(loss, weights)


def summed_in_place(terms: int) -> None:
    """What is written into a variable is added to what was there."""
    total, w = tf.Variable(0.0), tf.Variable(1.0)
    with tf.GradientTape() as tape:
        for _ in range(terms):
            total.assign_add(tf.sin(total) * w)
        loss = total * 2.0
    tape.gradient(loss, w)


def sum_of_many(terms: int) -> None:
    """The gradient comes a long way to the first terms."""
    weights = [tf.Variable(1.0) for _ in range(terms)]
    with tf.GradientTape() as tape:
        loss = tf.constant(0.0)
        for w in weights:
            loss = loss + tf.sin(w) * w
    tape.gradient(loss, weights)


def find_cuts(log: EventLog) -> None:
    cuts(build(log), runs(log))


def walk(log: EventLog) -> None:
    graph = build(log)
    for position in (at for at in graph.marks if isinstance(log.events[at], BackwardStarted)):
        call = log.events[position]
        assert isinstance(call, BackwardStarted)
        Trail(graph, call.tape, call.targets, position)


@pytest.mark.parametrize(
    ("reader", "program"),
    [
        *((find_cuts, program) for program in (training, cut_at_the_end, summed_in_place)),
        *((walk, program) for program in (cut_at_the_end, summed_in_place, sum_of_many)),
        *((diagnose, program) for program in (training, cut_at_the_end, sum_of_many)),
    ],
)
def test_links_are_looked_at_about_as_often_as_there_are_ops(
    reader: Callable[[EventLog], Any], program: Callable[[int], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    count = counted(monkeypatch)
    small, large = (recorded(program, size) for size in (SMALL, 4 * SMALL))
    reader(small)
    before = count[0]
    reader(large)
    assert before > 0
    assert count[0] - before < 5 * before


def recorded(program: Callable[[int], None], size: int) -> EventLog:
    with record() as log:
        program(size)
    found: EventLog = log
    return found


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many links readers have looked at, from now on."""
    count = [0]

    def counting(method: Callable[..., list[Link]]) -> Callable[..., list[Link]]:
        def found(self: Graph, *args: int) -> list[Link]:
            links = method(self, *args)
            count[0] += len(links) + 1
            return links

        return found

    def one_by_one(method: Callable[..., Iterator[Link]]) -> Callable[..., Iterator[Link]]:
        def found(self: LongestPaths, tensor: int) -> Iterator[Link]:
            for link in method(self, tensor):
                count[0] += 1
                yield link

        return found

    for name in ("links_into", "links_from"):
        monkeypatch.setattr(Graph, name, counting(getattr(Graph, name)))
    monkeypatch.setattr(LongestPaths, "links", one_by_one(LongestPaths.links))
    return count
