"""Logs as plain text."""

from __future__ import annotations

import tapeviz as tf
from tapeviz.views.reports.text import text
from tests.views.samples import HOSTILE, LOGS, chain, read_out


def test_a_log_is_told_by_its_ops_and_gradients() -> None:
    assert text(read_out()).startswith(
        """\
tape of 3 ops, reduce_mean = 5.0
  op                    result  shape   dtype    line
  relu(w)                       (2, 3)  float32
  mul(constant, scale)          (2, 3)  float32
  reduce_mean(mul)              ()      float32

gradient of reduce_mean:
  w      None
  scale  2.623
"""
    )


def test_a_long_log_is_told_by_its_ends() -> None:
    lines = text(chain(400)).splitlines()
    assert len(lines) == 2 + 20 + 1 + 20 + 3
    assert lines[22] == "  … 360 ops …"


def test_an_empty_log_has_no_ops() -> None:
    assert text(LOGS["empty"]()) == "tape of 0 ops"


def test_a_name_breaks_no_line() -> None:
    lines = text(read_out(HOSTILE)).partition("\n\nerror")[0].splitlines()
    assert len(lines) == len(text(read_out()).partition("\n\nerror")[0].splitlines())


def test_a_long_call_is_cut_before_the_mark_of_what_no_tape_follows() -> None:
    long = tf.Variable(1.0, name="a_variable_of_a_name_as_long_as_this")
    with tf.record() as log:
        tf.add(long, long)
    assert "… (not followed)  " in text(log).splitlines()[2]
