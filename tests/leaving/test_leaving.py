"""A recording leaves nothing behind, however it is left: a sample of what `python -m tests.leaving` runs long."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import ErrorRaised
from tapeviz.events.undo import Undo, ended_by, surely
from tests.leaving.guests import GUESTS, ops_of, python_state
from tests.leaving.interrupts import Tracer, broken
from tests.leaving.objects import kept
from tests.leaving.programs import differing
from tests.sampling import THOROUGH


def framework(name: str) -> str:
    """The module that a guest needs."""
    return name.partition("_")[0]


EACH = [pytest.param(name, marks=[] if name == "engine" else getattr(pytest.mark, framework(name))) for name in GUESTS]


# ----- Ctrl-C and errors at any line -----


@pytest.mark.parametrize("phase", ["entering", "leaving"])
@pytest.mark.parametrize("name", EACH)
@pytest.mark.filterwarnings("ignore")
def test_an_exception_at_any_line(name: str, phase: str) -> None:
    """State as before, Ctrl-C comes out, and the next recording is a new one that sees its ops."""
    pytest.importorskip("tapeviz" if name == "engine" else framework(name))
    count, wrong = broken(GUESTS[name](), phase, 400 if THOROUGH else 3)
    assert count >= 12
    assert wrong == []


@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, RuntimeError])
def test_every_step_runs_whatever_another_one_raises(error: type[BaseException]) -> None:
    ran: list[int] = []

    def step(number: int) -> None:
        ran.append(number)
        if number % 2:
            raise error(number)

    undo = Undo()
    for number in range(4):
        undo.add(lambda number=number: step(number))
    with pytest.raises(ExceptionGroup if error is RuntimeError else error) as raised:
        undo.run()
    assert ran == [3, 3, 2, 1, 1, 0]
    assert not undo.is_due
    if error is RuntimeError:
        assert [each.args for each in raised.value.exceptions] == [(3,), (1,)]


def test_a_recording_that_cannot_be_undone_is_told_of(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a warning, or a note on the program's own error, which is the one that arrives."""

    class Broken(type(tv.record.home())):
        def stop(self) -> None:
            super().stop()
            raise OSError("no more")

    monkeypatch.setattr(tv.record, "home", Broken)
    before = python_state()
    with pytest.warns(RuntimeWarning, match="could not end a recording as it should: OSError: no more"), tv.record():
        pass
    with pytest.raises(KeyError, match="own") as raised, tv.record():
        raise KeyError("own")
    assert any("OSError: no more" in note for note in raised.value.__notes__)
    assert python_state() == before


def test_a_recording_that_never_reached_its_block_is_closed_with_its_object() -> None:
    """Ctrl-C between `__enter__` and the block: CPython calls no `__exit__` then."""
    before = python_state()
    entered = tv.record()
    log = entered.__enter__()
    assert tv.record.is_open(log)
    del entered
    assert python_state() == before
    with tv.record() as again:
        tv.exp(tv.constant(1.0))
    assert again is not log
    assert ops_of(again) == ["exp"]


def test_the_same_object_is_entered_once_at_a_time() -> None:
    one = tv.record()
    with one as log:
        with pytest.raises(RuntimeError, match="open already"), one:
            pass
        tv.exp(tv.constant(1.0))
    assert ops_of(log) == ["exp"]
    with one as later:
        tv.sin(tv.constant(1.0))
    assert later is not log
    assert ops_of(later) == ["sin"]


def test_the_last_call_is_made_before_any_line_of_the_method() -> None:
    """`ended_by` and `surely`, with Ctrl-C before each of their lines."""

    class Left:
        def __init__(self) -> None:
            self.is_open = True

        def close(self) -> None:
            self.is_open = False

        @ended_by(close)
        def leave(self) -> str:
            return "left"

    def by_function(left: Left) -> Any:
        return surely(lambda: "left", left.close)

    for act in (Left.leave, by_function):
        at, is_over = 0, False
        while not is_over:
            left, tracer = Left(), Tracer(at)
            tracer.on()
            try:
                act(left)
            except KeyboardInterrupt:
                pass
            else:
                is_over = True
            finally:
                tracer.off()
            assert not left.is_open, tracer.place
            at += 1
        assert at > 3


# ----- the program's own objects -----


class Hostile:
    """Whatever one asks of it, it says no."""

    def _refuse(self, *args: Any) -> Any:
        raise AssertionError("the program's code was called")

    __class__ = property(_refuse)  # type: ignore[assignment]
    __dict__ = property(_refuse)  # type: ignore[assignment]
    __getattr__ = __eq__ = __hash__ = __bool__ = __repr__ = __str__ = __len__ = __iter__ = _refuse  # type: ignore[assignment]


class Aggressive(dict):  # type: ignore[type-arg]
    """A dictionary that is not to be looked into by its own methods."""

    items = keys = values = get = __iter__ = __getitem__ = __contains__ = Hostile._refuse  # type: ignore[assignment]


class Silent(Exception):
    """An error without a text, which takes no note."""

    __str__ = add_note = Hostile._refuse  # type: ignore[assignment]


class Untold(Silent):
    """One that takes notes, which JAX adds to every error that leaves a function of its own."""

    add_note = Exception.add_note


@pytest.mark.parametrize("name", EACH)
def test_names_are_found_without_running_the_programs_code(name: str) -> None:
    pytest.importorskip("tapeviz" if name == "engine" else framework(name))
    guest = GUESTS[name]()

    def program() -> Any:
        odd, held, several = Hostile(), {"odd": Hostile(), Hostile: 1}, [Hostile(), Aggressive(a=Hostile())]
        found = guest.program()
        return odd, held, several, found

    odd, several = Hostile(), Aggressive(odd=Hostile())
    log = guest.record({}, program)
    assert ops_of(log) == guest.ops
    assert (type(odd), type(several)) == (Hostile, Aggressive)


@pytest.mark.parametrize("name", EACH)
def test_an_error_without_a_text_arrives_as_it_is(name: str) -> None:
    pytest.importorskip("tapeviz" if name == "engine" else framework(name))
    guest, before = GUESTS[name](), python_state()
    error = Untold() if framework(name) == "jax" else Silent()

    def fails() -> None:
        guest.program()
        raise error

    with pytest.raises(Silent) as raised:
        guest.record({}, fails)
    assert raised.value is error
    assert python_state() == before


def test_the_log_says_that_an_error_has_no_text() -> None:
    with pytest.raises(Silent), tv.record() as log:
        raise Silent
    [event] = [each for each in log.events if isinstance(each, ErrorRaised)]
    assert (event.error, event.message) == ("Silent", "<exception str() failed>")


# ----- tasks -----


def program_in_a_task(name: str) -> Callable[[Any, str], Any]:
    """A program that goes on to the next task at every `await`; it is told its op."""
    if name == "torch":
        torch = pytest.importorskip("torch")

        async def run(pause: Callable[[], Any], op: str) -> None:
            w = torch.ones(2, requires_grad=True)
            await pause()
            y = getattr(torch, op)(w)
            await pause()
            torch.sum(y).backward()
            await pause()

        return run
    tf = tv if name == "engine" else pytest.importorskip("tensorflow")

    async def run_tf(pause: Callable[[], Any], op: str) -> None:
        w = tf.Variable([1.0, 2.0])
        await pause()
        with tf.GradientTape() as tape:
            y = getattr(tf, op)(w)
            loss = tf.reduce_sum(y)
        await pause()
        tape.gradient(loss, w)
        await pause()

    return run_tf


@pytest.mark.parametrize("name", EACH[:3])
def test_fifty_tasks_see_their_own_ops(name: str) -> None:
    program, names, before = program_in_a_task(name), ("sin", "exp", "tanh", "cos", "sigmoid"), python_state()

    async def one(op: str) -> list[str]:
        with tv.record() as log:
            await program(lambda: asyncio.sleep(0), op)
        return ops_of(log)

    async def unrecorded() -> None:
        await program(lambda: asyncio.sleep(0), "cos")

    async def together() -> list[Any]:
        wanted = [names[index % len(names)] for index in range(50)]
        found = await asyncio.gather(unrecorded(), *map(one, wanted))
        return list(zip(wanted, found[1:], strict=True))

    assert all(found == [op, "reduce_sum"] for op, found in asyncio.run(together()))
    assert python_state() == before


def test_a_task_that_outlives_a_recording_can_make_its_own() -> None:
    async def later(gate: asyncio.Event) -> list[str]:
        await gate.wait()
        with tv.record() as log:
            tv.exp(tv.constant(1.0))
        return ops_of(log)

    async def program() -> list[str]:
        gate = asyncio.Event()
        with tv.record() as log:
            task = asyncio.create_task(later(gate))
            await asyncio.sleep(0)
        gate.set()
        found = await task
        assert ops_of(log) == []
        return found

    assert asyncio.run(program()) == ["exp"]


# ----- the same program, and no object left -----


@pytest.mark.parametrize("name", EACH)
def test_random_programs_have_the_same_bits_and_state(name: str) -> None:
    pytest.importorskip("tapeviz" if name == "engine" else framework(name))
    assert differing(GUESTS[name](), range(100 if THOROUGH else 4)) == []


@pytest.mark.parametrize("name", EACH)
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="what memory a process has is read from /proc")
def test_no_object_stays_of_a_recording(name: str) -> None:
    pytest.importorskip("tapeviz" if name == "engine" else framework(name))
    objects, _ = kept(GUESTS[name](), 2_000 if THOROUGH else 20)
    assert objects.total() == 0, objects
