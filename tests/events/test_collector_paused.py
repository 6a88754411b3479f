"""The garbage collector is as it was once no function that pauses it runs, in whatever thread."""

from __future__ import annotations

import gc
from threading import Event, Thread

import pytest

from tapeviz.events.collector_paused import collector_paused


def test_calls_of_two_threads_overlap() -> None:
    begun, others_ended = Event(), Event()

    @collector_paused
    def longer() -> None:
        begun.set()
        others_ended.wait(10)
        states.append(gc.isenabled())

    @collector_paused
    def shorter() -> None:
        thread.start()
        begun.wait(10)

    states: list[bool] = []
    thread = Thread(target=longer)
    shorter()
    others_ended.set()
    thread.join()
    assert states == [False]
    assert gc.isenabled()


def test_it_stays_off_where_the_program_has_it_off() -> None:
    gc.disable()
    try:
        assert collector_paused(gc.isenabled)() is False
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_an_error_ends_the_pause() -> None:
    @collector_paused
    def failing() -> None:
        raise ValueError("meant")

    with pytest.raises(ValueError, match="meant"):
        failing()
    assert gc.isenabled()
