"""Forward mode beside reverse mode: the numbers of both, their counts, the table and the page's data."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapeviz as tv
from tapeviz.live.modes import MOST_PASSES
from tapeviz.views.page.document import unpacked
from tapeviz.views.page.modes_page import page
from tapeviz.views.payload.columns import unpack
from tests.engine.names import math
from tests.growth import timed


def line(x, w, b):
    z = x * w + b
    y = z**2
    return y


def layer(w, b):
    return tv.tanh(tv.constant([[1.0, 2.0]]) @ w + b)


def test_both_modes_find_the_same_jacobian() -> None:
    found = tv.modes(layer, w=[[0.5, 1.0, 0.0], [0.2, 0.1, -1.0]], b=[0.0, 1.0, 0.5])
    assert (found.forward_passes, found.reverse_passes) == (9, 3)
    assert (len(found.forward), len(found.reverse)) == (9, 3)
    by_row = found.jacobian
    by_column = np.stack([np.ravel(each.found[found.outputs[0]]) for each in found.forward], axis=1)
    assert by_row is not None
    np.testing.assert_allclose(by_row, by_column, rtol=1e-6)
    h = np.tanh(np.array([0.9, 2.2, -1.5]))
    np.testing.assert_allclose(by_row[:, -3:], np.diag(1 - h**2), rtol=1e-5)


def test_tangents_and_cotangents_of_every_op_by_hand() -> None:
    found = tv.modes(line, x=3, w=2.0, b=1.0)
    names = found.reading.names
    tangents = {names.tensor(each): found.forward[1].text(each) for each, *_ in found.rows()}
    cotangents = {names.tensor(each): found.reverse[0].text(each) for each, *_ in found.rows()}
    assert tangents == {"x": "0.0", "w": "1.0", "b": "0.0", "mul": "3.0", "z": "3.0", "y": "42.0"}
    assert cotangents == {"x": "28.0", "w": "42.0", "b": "14.0", "mul": "14.0", "z": "14.0", "y": "1.0"}


def test_the_table_for_a_terminal() -> None:
    assert str(tv.modes(line, x=3.0, w=2.0, b=1.0)).splitlines() == [
        "3 numbers in, 1 number out: forward mode takes 3 passes for the whole Jacobian, reverse mode 1 pass.",
        "",
        "  op               value  tangent, ẋ = 1  cotangent, ȳ = 1",
        "  x                3.0    1.0             28.0",
        "  w                2.0    0.0             42.0",
        "  b                1.0    0.0             14.0",
        "  mul(x, w)        6.0    2.0             14.0",
        "  z = add(mul, b)  7.0    2.0             14.0",
        "  y = pow(z, 2.0)  49.0   28.0            1.0",
    ]


def test_what_is_not_reached_is_none_and_its_row_of_zeros() -> None:
    found = tv.modes(lambda x, unused: (tv.stop_gradient(x) * 2.0, x * 3.0), x=1.0, unused=1.0)
    assert (found.forward_passes, found.reverse_passes) == (2, 2)
    assert found.reverse[0].text(found.inputs[0]) == "None"
    assert found.jacobian is not None
    assert found.jacobian.tolist() == [[0.0, 0.0], [3.0, 0.0]]


def test_tangents_of_some_rows_only_are_whole() -> None:
    found = tv.modes(lambda x: math.segment_sum(x, [0, 0, 1]), x=[1.0, 2.0, 3.0])
    by_column = np.stack([each.found[found.outputs[0]] for each in found.forward], axis=1)
    np.testing.assert_array_equal(by_column, [[1, 1, 0], [0, 0, 1]])


def test_of_many_passes_some_are_run_and_all_are_counted() -> None:
    found = tv.modes(lambda x: tv.reduce_sum(tv.square(x)), x=np.arange(1000.0))
    assert (found.forward_passes, len(found.forward)) == (1000, MOST_PASSES)
    assert found.jacobian is not None
    assert found.jacobian.shape == (1, 1000)
    both = tv.modes(lambda x: tv.square(x), x=np.arange(50.0))
    assert both.jacobian is None
    assert "50 numbers in, 50 numbers out" in both.sentence


def data_of(text: str) -> Any:
    return unpack(json.loads(unpacked(text)["modes-data"]))


def test_the_page_holds_both_graphs_and_every_step(tmp_path: Path) -> None:
    found = tv.modes(line, x=3.0, w=2.0, b=1.0)
    text = found.save_html(tmp_path / "modes.html").read_text(encoding="utf-8")
    assert text == page(found)
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    data = data_of(text)
    assert [len(each["steps"]) for each in (*data["forward"], *data["reverse"])] == [3, 3, 3, 3]
    assert [each["gives"] for each in data["reverse"][0]["steps"]][-1] == list(found.inputs[:2])
    assert not re.search(r"https?://(?!www\.w3\.org)", text + "".join(unpacked(text).values()))
    with pytest.raises(ValueError, match=r"does not end in \.html"):
        found.save_html(tmp_path / "modes.txt")


def test_a_number_is_final_only_when_all_its_contributions_are_there() -> None:
    found = tv.modes(lambda x: x * x + x, x=3.0)
    gives = [each["gives"] for each in data_of(page(found))["reverse"][0]["steps"]]
    assert [found.inputs[0] in each for each in gives] == [False, True]
    assert found.reverse[0].text(found.inputs[0]) == "7.0"


def test_names_are_text() -> None:
    bad = "</script><img src=x>"
    found = tv.modes(lambda x: tv.sin(tv.Variable(1.0, name=bad) * x), x=3.0)
    assert bad not in page(found)


def test_what_is_shown_without_a_kernel_is_small() -> None:
    bundle = tv.modes(line, x=3.0, w=2.0, b=1.0)._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"}
    assert len(bundle["text/html"].encode()) < 60_000


def flips(x, seen=[]):  # noqa: B006
    seen.append(1)
    return tv.sin(x) if len(seen) > 1 else tv.cos(x)


@pytest.mark.parametrize(
    ("function", "arguments", "error", "message"),
    [
        (line, {}, TypeError, "needs an argument"),
        (line, {"x": 1.0}, TypeError, r"modes: line\(x, w, b\): missing"),
        (lambda x: 3.0, {"x": 1.0}, TypeError, "let it return the tensor"),
        (lambda x: x, {"x": "three"}, TypeError, "is neither a real number"),
        (lambda x: x, {"x": 1j}, TypeError, "is neither a real number"),
        (flips, {"x": 1.0}, ValueError, "does not run the same ops each time"),
    ],
)
def test_misuse_is_told(function, arguments, error, message) -> None:
    with pytest.raises(error, match=message):
        tv.modes(function, **arguments)


def test_a_large_array_takes_no_more_passes_than_are_shown() -> None:
    found, took = timed(lambda: tv.modes(lambda w: tv.reduce_sum(w * w), w=np.zeros((500, 500), np.float32)), 5)
    assert (found.forward_passes, found.reverse_passes, len(found.forward)) == (250_000, 1, 12)
    assert took < 5


def test_an_empty_array_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match=r"modes: x is an empty array, of shape \(0, 2\)"):
        tv.modes(lambda x: tv.reduce_sum(x), x=np.zeros((0, 2)))
