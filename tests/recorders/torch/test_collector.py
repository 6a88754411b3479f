"""The garbage collector's thresholds: raised once while recordings are open, and as before afterwards."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from threading import Thread

import pytest

import tapeviz as tv

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.torch


@pytest.fixture(autouse=True)
def thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.parametrize("young", [0, 700, 1 << 30])
def test_they_are_as_before(young: int) -> None:
    gc.set_threshold(young, 7, 9)
    with tv.record():
        assert gc.get_threshold() == (min(10 * young, (1 << 31) - 1), 7, 9)
    assert gc.get_threshold() == (young, 7, 9)


def test_recordings_in_several_threads_raise_them_once() -> None:
    gc.set_threshold(500, 7, 9)
    found = []

    def recording() -> None:
        with tv.record():
            found.append(gc.get_threshold())

    with tv.record():
        thread = Thread(target=recording)
        thread.start()
        thread.join()
        found.append(gc.get_threshold())
    assert found == [(5000, 7, 9)] * 2
    assert gc.get_threshold() == (500, 7, 9)


def test_what_the_program_sets_stays() -> None:
    gc.set_threshold(500, 7, 9)
    with tv.record():
        gc.set_threshold(800, 6, 5)
    assert gc.get_threshold() == (800, 6, 5)
