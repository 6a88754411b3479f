"""What a tape saved is let go of while its backward pass goes on: the pass needs no more memory than is left to do."""

from __future__ import annotations

from typing import Any
from weakref import ReferenceType, ref

import pytest

import tapeviz as tf
from tapeviz.events.defaults import Defaults


@pytest.mark.parametrize("persistent", [False, True])
def test_a_sweep_lets_go_of_what_it_has_used(persistent: bool, monkeypatch: Any) -> None:
    monkeypatch.setattr(Defaults, "values", "none")
    alive: list[bool] = []
    saved: list[ReferenceType[Any]] = []

    @tf.custom_gradient
    def noting(x: Any) -> Any:
        def rule(g: Any) -> Any:
            alive.append(saved[0]() is not None)
            return g

        return tf.identity(x), rule

    x = tf.Variable(tf.ones(1000))
    with tf.GradientTape(persistent=persistent) as tape:
        power = tf.exp(noting(x))
        saved.append(ref(power._value))
        y = tf.reduce_sum(power)
        del power
    tape.gradient(y, x)
    assert alive == [persistent]
