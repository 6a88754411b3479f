"""What a program freezes by a line of its own, of layers."""

from __future__ import annotations

from textwrap import dedent

import pytest

import tapeviz as tf
from tapeviz.diagnosis.diagnose import diagnose
from tests.diagnosis.programs import run
from tests.source.test_freezing import (
    test_a_frozen_network_below_a_head_is_no_oversight as test_a_frozen_network_below_a_head_is_no_oversight,
)


@pytest.mark.parametrize("line", ["net.trainable = False", "for each in net.layers: each.trainable = False"])
def test_the_line_that_leaves_nothing_in_the_list_is_named(line: str) -> None:
    text = f"""
        net = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(3), tf.keras.layers.Dense(1)])
        {line}
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(net(tf.ones([4, 2])) ** 2)
        tape.gradient(loss, net.trainable_variables)
        """
    (found,) = diagnose(run(dedent(text), tf))
    assert (found.cause, found.site and found.site.text) == ("not_trainable", line)
