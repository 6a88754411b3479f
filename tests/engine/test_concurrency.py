"""Threads and asyncio tasks, each with a tape or a log of its own: none sees what another one does."""

from __future__ import annotations

import _thread
import asyncio
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest

import tapeviz as tf
from tapeviz.events import BackwardFinished, EventLog, OpRecorded, OpSkipped, TapeOpened

ROUNDS = 20
OPS: dict[str, Callable[[Any], Any]] = {"sin": tf.sin, "exp": tf.exp}
"""Each thread or task computes with an op of its own, so that its log shows whose it is."""


def ops_of(log: EventLog) -> set[str]:
    return {event.op for event in log.events if isinstance(event, (OpRecorded, OpSkipped))}


def steps(name: str, shared: Any) -> Iterator[None]:
    """Gradients of a shared variable; `None` is yielded wherever the other one may go on."""
    op = OPS[name]
    for _ in range(ROUNDS):
        x = tf.constant(0.5)
        op(x)  # outside: into the flight recorder, which all share
        yield
        with tf.GradientTape() as tape:
            yield
            tape.watch(x)
            y = op(x)
            yield
            z = op(y * shared)
            yield
        op(x)
        yield
        with tape:  # entered again
            z = op(z)
            yield
        found = tape.gradient(z, [x, shared])
        assert ops_of(tape.log) == {name, "mul"}
        assert sum(isinstance(event, TapeOpened) for event in tape.log.events) == 2
        assert [float(each) for each in found] == pytest.approx(expected(name), rel=1e-5)


def expected(name: str) -> list[float]:
    """The gradients of op(op(op(x) w)) at x = 0.5 and w = 2, with nothing else running."""
    op, x, w = OPS[name], tf.constant(0.5), tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        z = op(op(op(x) * w))
    return [float(each) for each in tape.gradient(z, [x, w])]


def nested(name: str) -> Iterator[None]:
    """A log with two tapes, one in the other, and its second derivative."""
    op = OPS[name]
    for _ in range(ROUNDS):
        with tf.record() as log:
            x = tf.constant(0.5)
            with tf.GradientTape() as outer:
                outer.watch(x)
                with tf.GradientTape() as inner:
                    inner.watch(x)
                    yield
                    y = op(op(x))
                    yield
                first = inner.gradient(y, x)
                yield
            second = outer.gradient(first, x)
            yield
        assert second is not None
        own, foreign = name, next(other for other in OPS if other != name)
        assert own in ops_of(log)
        assert foreign not in ops_of(log)
        assert sum(isinstance(event, TapeOpened) for event in log.events) == 2


def in_threads(programs: list[Iterator[None]]) -> None:
    """One thread each; none goes on before all have come to their next stop."""
    barrier = Barrier(len(programs), timeout=30)

    def run(program: Iterator[None]) -> None:
        try:
            for _ in program:
                barrier.wait()
        except BrokenBarrierError:
            pass  # the other one failed, and says so
        except BaseException:
            barrier.abort()
            raise

    with ThreadPoolExecutor(len(programs)) as pool:
        for done in [pool.submit(run, program) for program in programs]:
            done.result()


def in_tasks(programs: list[Iterator[None]]) -> None:
    """One task each, on one thread, taking turns."""

    async def run(program: Iterator[None]) -> None:
        for _ in program:
            await asyncio.sleep(0)

    async def together() -> None:
        await asyncio.gather(*(run(program) for program in programs))

    asyncio.run(together())


@pytest.mark.parametrize("run", [in_threads, in_tasks])
def test_tapes_do_not_see_each_other(run: Callable[[list[Iterator[None]]], None]) -> None:
    shared = tf.Variable(2.0)
    run([steps(name, shared) for name in OPS])


@pytest.mark.parametrize("run", [in_threads, in_tasks])
def test_logs_do_not_see_each_other(run: Callable[[list[Iterator[None]]], None]) -> None:
    run([nested(name) for name in OPS])


def test_threads_that_do_not_wait_for_each_other() -> None:
    shared = tf.Variable(2.0)

    def run(program: Iterator[None]) -> None:
        for _ in program:
            pass

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(run, steps(name, shared)) for name in OPS for _ in range(4)]:
            done.result()


def test_no_two_threads_draw_the_same_numbers_from_one_generator() -> None:
    shared = tf.random.Generator.from_seed(1)

    def drawn(_: int) -> list[int]:
        return [int(shared.uniform_full_int([])) for _ in range(200)]

    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            found = [each for part in pool.map(drawn, range(4)) for each in part]
    finally:
        sys.setswitchinterval(before)
    alone = tf.random.Generator.from_seed(1)
    assert sorted(found) == sorted(int(alone.uniform_full_int([])) for _ in found)


def test_a_task_records_into_the_tape_it_was_started_in() -> None:
    async def square(x: Any) -> Any:
        await asyncio.sleep(0)
        return x * x

    async def total(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = sum(await asyncio.gather(square(x), square(x)))
        return tape.gradient(y, x)

    assert float(asyncio.run(total(tf.Variable(3.0)))) == 12.0


def test_threads_that_begin_in_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """No frame of a program of the user's is to be found there, nor as many frames as there otherwise are."""
    raised: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", raised.append)
    x = tf.Variable(0.5)
    with tf.GradientTape() as tape:
        y = tf.sin(x)
    _thread.start_new_thread(x.assign, (1.0,))
    _thread.start_new_thread(x.numpy, ())
    _thread.start_new_thread(tf.GradientTape().__enter__, ())
    _thread.start_new_thread(tape.gradient, (y, x))
    deadline = time.monotonic() + 10
    while not ended(tape.log) and not raised and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not [each.exc_value for each in raised]
    assert ended(tape.log)


def ended(log: EventLog) -> bool:
    return any(isinstance(event, BackwardFinished) for event in log.events)
