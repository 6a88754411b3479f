"""Sliders that run a function again, and a debugger that follows: all but the browser."""

from __future__ import annotations

import json

import ipywidgets
import numpy as np
import pytest

import tapeviz as tv
from tapeviz.errors import LogError
from tapeviz.views.page.document import unpacked
from tapeviz.views.payload.columns import unpack
from tests.markup.balanced import read


def parabola(x, w):
    return tv.square(x * w - 1.0)


@pytest.fixture
def explored():
    return tv.explore(parabola, x=3.0, w=(0.0, 2.0))


def controls(explored):
    return [each for each in explored.widget.children if isinstance(each, ipywidgets.FloatSlider | ipywidgets.Text)]


def message(explored):
    [found] = [each for each in explored.widget.children if isinstance(each, ipywidgets.HTML)]
    return found.value


def test_every_argument_gets_what_suits_it():
    explored = tv.explore(
        lambda **named: sum(tv.cast(tv.reduce_sum(each), tv.float32) for each in named.values()),
        number=3.0,
        whole=-2,
        zero=0,
        pair=(0, 2),
        vector=[1, 2],
        matrix=np.ones((2, 2)),
        tensor=tv.constant([1.0], tv.float64),
    )
    number, whole, zero, pair, vector, matrix, _ = controls(explored)
    assert (number.min, number.value, number.max) == (-3.0, 3.0, 9.0)
    assert (whole.min, whole.value, whole.max) == (-6.0, -2.0, 2.0)
    assert (zero.min, zero.value, zero.max) == (-1.0, 0.0, 1.0)
    assert (pair.min, pair.value, pair.max) == (0.0, 1.0, 2.0)
    assert (vector.value, matrix.value) == ("[1.0, 2.0]", "[[1.0, 1.0], [1.0, 1.0]]")
    dtypes = [explored.gradients[name].dtype.name for name in ("whole", "vector", "matrix", "tensor")]
    assert dtypes == ["float32", "float32", "float32", "float64"]


def test_a_slider_runs_it_again(explored):
    slider, _ = controls(explored)
    first = explored.tape
    slider.value = 1.0
    assert explored.values == {"x": 1.0, "w": 1.0}
    assert [float(each) for each in explored.gradients.values()] == [0.0, 0.0]
    assert explored.tape is not first
    assert explored.tape.log.value(explored.tape.log.id_of("x")) == 1.0


def test_the_debugger_follows_in_place(explored):
    debugger = explored.debugger
    debugger.step, debugger.selected = 2, explored.tape.log.id_of("w")
    before = debugger.payload
    controls(explored)[0].value = 1.0
    assert explored.debugger is debugger
    assert (debugger.run, debugger.step, debugger.selected) == (0, 2, explored.tape.log.id_of("w"))
    assert debugger.payload != before
    assert debugger.payload["scene"] == before["scene"] or "3.0" in str(before["scene"])


def test_a_shorter_program_keeps_what_it_can():
    def power(x):
        y = x
        for _ in range(int(x.numpy())):
            y = y * x
        return y

    explored = tv.explore(power, x=(1.0, 9.0))
    debugger = explored.debugger
    debugger.step = 5
    controls(explored)[0].value = 2.0
    assert debugger.step == 2
    controls(explored)[0].value = 6.0
    assert debugger.step == 2


def test_arrays_are_typed():
    explored = tv.explore(lambda v: tv.reduce_sum(v * v), v=[1.0, 2.0])
    [text] = controls(explored)
    text.value = "[[1, 2], [3, 4]]"
    assert explored.gradients["v"].numpy().tolist() == [[2.0, 4.0], [6.0, 8.0]]
    for typed in ("[1, 2", "__import__('os')", "[[1], [2, 3]]", "'word'", ""):
        text.value = typed
        assert isinstance(explored.error, ValueError)
        assert "is not an array; type it as [1.0, 2.0]" in message(explored)
    text.value = "[5.0]"
    assert (explored.error, message(explored)) == (None, "")


def test_a_large_array_stays_as_it_is():
    explored = tv.explore(lambda v: tv.reduce_sum(v * v), v=np.ones((20, 20), np.float32))
    [text] = controls(explored)
    assert text.disabled
    assert explored.values["v"].shape == (20, 20)


def fails_below_two(x):
    if x < 2.0:
        raise ZeroDivisionError("x is <small>")
    return x * x


def test_an_error_is_shown_with_its_line_and_the_sliders_go_on():
    explored = tv.explore(fails_below_two, x=3.0)
    [slider] = controls(explored)
    tape = explored.tape
    slider.value = 1.0
    assert isinstance(explored.error, ZeroDivisionError)
    assert "ZeroDivisionError</b>: x is &lt;small&gt;" in message(explored)
    assert 'in fails_below_two: raise ZeroDivisionError("x is <small>")' in read(message(explored)).text
    assert (explored.tape, explored.values) == (tape, {"x": 3.0})
    slider.value = 4.0
    assert (explored.error, message(explored), explored.values) == (None, "", {"x": 4.0})


def test_an_error_at_the_start_leaves_the_sliders():
    explored = tv.explore(fails_below_two, x=(0.0, 3.0))
    assert explored.debugger is None
    controls(explored)[0].value = 3.0
    assert explored.debugger is explored.widget.children[-1]


@pytest.mark.parametrize("returned", [None, 3.0, "text", {"loss": 1.0}])
def test_what_is_no_tensor_is_refused_in_place(returned):
    explored = tv.explore(lambda x: returned, x=3.0)
    assert isinstance(explored.error, TypeError)
    assert "let it return the tensor to differentiate" in message(explored)


def test_several_targets_are_summed():
    explored = tv.explore(lambda x: {"a": x * x, "b": [3.0 * x]}, x=2.0)
    assert float(explored.gradients["x"]) == 7.0


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({}, TypeError, "explore needs an argument to differentiate by"),
        ({"x": (2.0, 1.0)}, ValueError, r"\(2.0, 1.0\) is not a range"),
        ({"x": (0.0, float("inf"))}, ValueError, "is not a range"),
        ({"x": "word"}, TypeError, "not str"),
        ({"x": True}, TypeError, "not bool"),
        ({"x": [[1], [2, 3]]}, TypeError, "not list"),
    ],
)
def test_arguments_that_no_control_fits(arguments, error, said):
    with pytest.raises(error, match=said):
        tv.explore(parabola, **arguments)


def test_the_log_speaks_of_the_users_own_lines(explored):
    """A slider's callback runs below no line of the user's; the place is the call of `explore` all the same."""
    controls(explored)[0].value = 1.0
    files = {site.filename for site in explored.tape.log.sites}
    assert len(files) == 1
    assert files.pop().endswith("test_explore.py")
    texts = {site.text for site in explored.tape.log.sites}
    assert texts == {"return tv.explore(parabola, x=3.0, w=(0.0, 2.0))", "return tv.square(x * w - 1.0)"}
    marked = {site.text[site.column - 4 : site.end_column - 4] for site in explored.tape.log.sites}
    assert "tv.explore(parabola, x=3.0, w=(0.0, 2.0))" in marked


def test_what_takes_long_follows_when_the_slider_is_let_go(monkeypatch):
    monkeypatch.setattr("tapeviz.live.explore.SMOOTH", 0.0)
    explored = tv.explore(parabola, x=3.0, w=[1.0])
    assert not controls(explored)[0].continuous_update
    monkeypatch.setattr("tapeviz.live.explore.SMOOTH", 1e9)
    controls(explored)[0].value = 1.0
    assert controls(explored)[0].continuous_update
    assert not controls(explored)[1].continuous_update


def test_it_shows_and_prints(explored):
    assert "application/vnd.jupyter.widget-view+json" in explored._repr_mimebundle_()
    assert repr(explored) == "<Explorer of parabola(x=3.0, w=1.0)>"


def test_an_argument_that_the_function_does_not_take_is_named_at_once():
    with pytest.raises(TypeError, match=r"parabola\(x, w\): .*'z'"):
        tv.explore(parabola, x=3.0, w=1.0, z=2.0)


def test_what_went_wrong_is_in_its_text():
    def broken(x):
        raise ValueError(f"no {x.name}")

    assert repr(tv.explore(broken, x=1.0)) == "<Explorer of broken: ValueError: no x:0>"


def test_an_array_is_shown_as_who_types_it_would():
    explored = tv.explore(lambda x: tv.reduce_sum(x * x), x=np.float32([[0.1, float("nan")], [1.0, float("inf")]]))
    (control,) = [each for each in controls(explored) if isinstance(each, ipywidgets.Text)]
    assert control.value == "[[0.1, nan], [1.0, inf]]"
    np.testing.assert_array_equal(explored.values["x"], np.float32([[0.1, np.nan], [1.0, np.inf]]))


# ----- saved -----


def recordings_in(path):
    """The parts of a page that are recordings, in their order, and the words of the stops."""
    parts = unpacked(path.read_text())
    recordings = [json.loads(text) for name, text in parts.items() if name.startswith("recording-")]
    return recordings, json.loads(parts["tapeviz-stops"])


def test_a_page_has_a_recording_of_every_setting(explored, tmp_path):
    path = explored.save_html(tmp_path / "parabola.html", stops=3)
    recordings, stops = recordings_in(path)
    assert stops == [["-3.0", "3.0", "9.0"], ["0.0", "1.0", "2.0"]]
    assert len(recordings) == 9
    [changed] = [each for each in unpack(recordings[5])["tensors"].values() if each["name"] == "w"]
    assert changed["value"] == "2.0"
    assert path.read_text().count('type="range"') == 2
    assert path.read_text().count('value="1"') == 2  # both begin in the middle
    assert (explored.values, explored.error) == ({"x": 3.0, "w": 1.0}, None)


def test_what_a_setting_raises_is_in_its_place(tmp_path):
    def reciprocal(x, v):
        if float(x) < 0:
            raise ValueError("x is negative")
        return tv.reduce_sum(v) / x

    explored = tv.explore(reciprocal, x=(-1.0, 1.0), v=[1.0, 2.0])
    recordings, stops = recordings_in(explored.save_html(tmp_path / "page.html", stops=2))
    assert stops == [["-1.0", "1.0"]]
    assert recordings[0] == "ValueError: x is negative"
    assert isinstance(recordings[1], dict)


def test_too_many_recordings_are_refused(explored, tmp_path):
    with pytest.raises(ValueError, match=r"2 sliders with 21 stops: 441 recordings\. Let stops be at least 2"):
        explored.save_html(tmp_path / "page.html", stops=21)
    with pytest.raises(ValueError, match="2 sliders with 1 stop: 1 recording"):
        explored.save_html(tmp_path / "page.html", stops=1)
    with pytest.raises(ValueError, match=r"does not end in \.html"):
        explored.save_html(tmp_path / "page.txt")
    assert not list(tmp_path.iterdir())


def test_the_verb_writes_it_with_its_sliders_or_as_it_stands(explored, tmp_path):
    verb = tv.save_html(explored, tmp_path / "verb.html", live=True)
    assert verb.read_text() == explored.save_html(tmp_path / "method.html").read_text()
    still = tv.save_html(explored, tmp_path / "still.html").read_text()
    assert "tapeviz-payload" in unpacked(still)
    assert 'type="range"' not in still
    assert "w" in str(tv.table(explored))


def test_a_page_with_sliders_leaves_out_what_it_is_told_to(explored, tmp_path):
    options = {"values": "none", "sources": False, "title": "A <parabola>"}
    bare = tv.save_html(explored, tmp_path / "bare.html", live=True, **options)
    [recording, *_], _ = recordings_in(bare)
    assert all(each["value"] is None for each in unpack(recording)["tensors"].values())
    assert "tv.square" not in json.dumps(recording)
    assert "<title>A &lt;parabola&gt;" in bare.read_text()


def test_what_has_no_sliders_is_refused_with_what_has(explored, tmp_path):
    with pytest.raises(TypeError, match=r"sliders, and a GradientTape has none.*tv\.explore\(f, x=3\.0\)"):
        tv.save_html(explored.tape, tmp_path / "tape.html", live=True)
    with pytest.raises(ValueError, match="notes are for the steps of one recording"):
        tv.save_html(explored, tmp_path / "page.html", live=True, notes={1: "First."})
    assert not list(tmp_path.iterdir())


def test_no_log_before_a_run_that_went_well():
    def broken(x):
        raise ValueError("always")

    with pytest.raises(LogError, match="broken has raised an error at every setting so far: always"):
        tv.diagnose(tv.explore(broken, x=1.0))
