"""The table of every target against every source, in a terminal, in a notebook and as a page."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tapeviz as tf
from tapeviz.diagnosis.finding import Findings
from tapeviz.diagnosis.table import Table, table
from tests.engine.names import nn
from tests.markup.balanced import read


def two_losses(*, ask: bool) -> tf.GradientTape:
    a, b, c, v = (tf.Variable([1.0, 2.0], name=name) for name in "abcv")
    with tf.GradientTape(persistent=True) as tape:
        h = tf.constant((a * b).numpy())
        loss = tf.reduce_sum(h * c) + tf.reduce_sum(nn.relu(-v))
        aux = tf.reduce_sum(tf.sqrt(v - 1.0) * c)
    if ask:
        tape.gradient(loss, [a, b, c, v])
        tape.gradient(aux, [c, v])
    return tape


def test_a_cell_says_what_arrived() -> None:
    cells = {(cell.target, cell.source): cell for row in table(two_losses(ask=True)) for cell in row}
    states = {pair: cell.state for pair, cell in cells.items()}
    assert states == {
        ("loss", "a"): "none",
        ("loss", "b"): "none",
        ("loss", "c"): "arrives",
        ("loss", "v"): "zero",
        ("aux", "a"): "apart",
        ("aux", "b"): "apart",
        ("aux", "c"): "arrives",
        ("aux", "v"): "nan",
    }
    assert np.isclose(cells["loss", "c"].norm or 0.0, np.sqrt(1.0 + 16.0))
    causes = {pair: cell.finding.cause for pair, cell in cells.items() if cell.finding is not None}
    assert causes == {
        ("loss", "a"): "left_to_numpy",
        ("loss", "b"): "left_to_numpy",
        ("loss", "v"): "dead_activation",
        ("aux", "v"): "domain_edge",
    }


@pytest.mark.parametrize("max_bytes", [None, 0])  # 0: only statistics are kept
def test_what_is_infinite_is_not_called_nan(max_bytes: int | None) -> None:
    x, y = tf.Variable([0.0, 4.0] * 50, name="x"), tf.Variable([0.0, -4.0] * 50, name="y")
    with tf.record(max_bytes=max_bytes) as log:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.sqrt(x)) + tf.reduce_sum(tf.sqrt(y))
        tape.gradient(loss, [x, y])
    assert {row[0].source: row[0].arrived for row in table(log)} == {"x": "inf", "y": "NaN"}


def test_of_several_calls_in_a_line_it_says_which_is_shown() -> None:
    w, v = tf.Variable(2.0, name="w"), tf.Variable(-1.5, name="v")
    with tf.record() as log:
        for _ in range(4):
            with tf.GradientTape() as tape:
                sound, odd = w * w, tf.sqrt(v + 2.0)
                loss = sound + odd
            tape.gradient(loss, [w, v])
            v.assign_sub(0.25)
    lines = str(table(log)).splitlines()
    assert lines[1:4] == [
        "w                     4",
        "v                     inf [1]",
        "loss: of 4 calls at its line, number 3, the first with something wrong, is shown",
    ]
    with tf.record() as log:
        for _ in range(4):
            with tf.GradientTape() as tape:
                loss = w * w
            tape.gradient(loss, w)
    assert str(table(log)).splitlines()[2:] == ["loss: of 4 calls at its line, the last is shown"]


def test_in_a_terminal() -> None:
    lines = str(table(two_losses(ask=True))).splitlines()
    assert lines[0].split() == ["norm", "of", "the", "gradient", "loss", "aux"]
    assert [line.split()[0] for line in lines[1:5]] == ["c", "v", "a", "b"]
    assert lines[3].split() == ["a", "None", "[3]", "·"]
    assert [line[:4] for line in lines[5:]] == ["[1] ", "[2] ", "[3] ", "·: n"]
    assert lines[-1] == "·: not asked for; none would arrive"


def test_rows_of_one_cause_stand_together() -> None:
    rows = table(two_losses(ask=True))
    assert [row[0].source for row in rows] == ["c", "v", "a", "b"]
    assert len({row[0].finding and row[0].finding.site for row in rows[2:]}) == 1


def test_one_cause_at_one_line_has_one_number_whatever_it_leads_to() -> None:
    (cell,) = next(row for row in table(two_losses(ask=True)) if row[0].source == "a")[:1]
    assert cell.finding is not None
    zero = replace(cell, target="aux", finding=replace(cell.finding, symptom="zero"))
    shown = str(Table([[cell, zero]], Findings([each.finding for each in (cell, zero) if each.finding], {})))
    assert shown.count("[1]") == 3
    assert "[2]" not in shown


def test_before_the_first_call_it_says_what_would_arrive() -> None:
    said = str(table(two_losses(ask=False)))
    assert "(reaches)" in said
    assert "None [1]" in said
    assert "A value was read out" in said


def test_of_many_results_that_nothing_uses_the_last_stand_for_all() -> None:
    """Each is walked back from, so that a long program of which no gradient is asked would never be done."""
    w = tf.Variable([1.0, 2.0], name="w")
    with tf.GradientTape() as tape:
        for _ in range(40):
            w * 2.0
        last = w * w
    found = table(tape)
    assert len(found.targets) < 40
    assert found.targets[-1] == tape.log.tensors[tape.log.id_of(last)].name
    assert "of 41 results that nothing uses the last are shown" in str(found)


def test_a_loop_has_one_column() -> None:
    w = tf.Variable([1.0, 2.0], name="w")
    with tf.record() as log:
        for _ in range(5):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(w * w)
            w.assign_sub(0.1 * tape.gradient(loss, w))
    assert table(log).targets == ["loss"]


def test_without_a_tape_it_says_so() -> None:
    with tf.record() as log:
        tf.constant(1.0) * 2.0
    assert "No tape" in str(table(log))
    assert "No tape" in read(table(log)._repr_html_()).text


def test_many_sources_are_counted() -> None:
    ws = [tf.Variable(1.0, name=f"w{each}") for each in range(90)]
    with tf.GradientTape() as tape:
        loss = tf.add_n([w * w for w in ws])
    tape.gradient(loss, ws)
    assert "… and 30 more sources" in str(table(tape))
    assert "and 30 more sources" in read(table(tape)._repr_html_()).text
    assert len(table(tape)) == 90


def test_a_notebook_and_a_page_escape_names_and_close_their_tags() -> None:
    w = tf.Variable(1.0, name="<img src=x>")
    with tf.GradientTape() as tape:
        y = tf.round(w)
    tape.gradient(y, w)
    found = table(tape)
    for html in (
        found._repr_html_(),
        found.html().removeprefix("<!doctype html>").replace('<meta charset="utf-8">', ""),
    ):
        assert "<img" not in html
        assert "<img src=x>" in read(html).text
        assert read(html).tags.isdisjoint({"script", "link", "iframe"})
