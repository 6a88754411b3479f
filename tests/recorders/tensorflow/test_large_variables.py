"""A large variable is written over: the log keeps statistics of what it held, and TensorFlow needs no copy of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.events import EventLog
from tapeviz.events.memory.budget import held_bytes
from tapeviz.events.raw import STRIDE, VALUES
from tapeviz.events.summary import Summary
from tapeviz.events.values import HeldTensor

pytestmark = pytest.mark.tensorflow


def halved(size: int) -> tuple[EventLog, list[object]]:
    """The log of a variable of ones that is halved twice, and everything the log says that it held."""
    import tensorflow as tf

    with tv.record() as log:
        w = tf.Variable(tf.ones(size), name="w")
        for _ in range(2):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w)
            w.assign_sub(w * 0.5)
            tape.gradient(loss, w)
    number = log.id_of(w)
    return log, [log.value(number, since) for since, _ in log.versions(number)]


def test_a_small_one_is_kept_as_it_was() -> None:
    _, held = halved(3)
    assert [float(np.asarray(each)[0]) for each in held] == [1.0, 0.5, 0.25]


def test_of_a_large_one_statistics_stay_but_of_the_last_all() -> None:
    log, held = halved(1 << 16)
    *before, last = held
    assert [each.mean for each in before if isinstance(each, Summary)] == [1.0, 0.5]
    np.testing.assert_array_equal(last, np.full(1 << 16, 0.25, np.float32))
    assert log.bytes == sum(map(held_bytes, _held(log)))


def _held(log: EventLog) -> list[Any]:
    """Every value that the log holds by reference, once."""
    flat = [each for entry in log.raw[VALUES::STRIDE] for each in (entry if type(entry) is tuple else (entry,))]
    return list({id(each): each for each in flat if isinstance(each, (HeldTensor, np.ndarray))}.values())
