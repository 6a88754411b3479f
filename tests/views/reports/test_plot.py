"""Plots into any Axes."""

from __future__ import annotations

import re
import sys
from base64 import b64decode
from itertools import pairwise
from typing import Any

import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import tapeviz as tv
from tapeviz.events.raw import Mentioned
from tapeviz.markup.theme import colour
from tapeviz.views.reports.plot import plot
from tests.engine import names as tf
from tests.engine.names import math
from tests.literal_logs import Script
from tests.views.samples import HOSTILE, LOGS, chain, cube, read_out


@pytest.fixture
def axes() -> list[object]:
    """Three Axes of a figure that no backend knows."""
    return list(Figure().subplots(1, 3))


def words(axes: object) -> list[str]:
    return [text.get_text().strip() for text in axes.texts]  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", LOGS)
def test_any_log_into_any_axes(name: str, axes: list) -> None:
    before = sys.modules.get("matplotlib.pyplot")
    drawn = plot(LOGS[name](), axes)
    assert drawn == axes
    axes[0].figure.canvas.draw()
    assert sys.modules.get("matplotlib.pyplot") is before


def test_none_is_not_drawn_as_nothing(axes: list) -> None:
    plot(read_out(), axes)
    assert words(axes[0]) == ["None", "2.623"]
    assert [label.get_text() for label in axes[0].get_yticklabels()] == ["w", "scale"]


def test_what_is_not_finite_is_said_and_marked(axes: list) -> None:
    w, v = tv.Variable(0.0, name="w"), tv.Variable(1.0, name="v")
    with tv.GradientTape() as tape:
        y = math.log(w * 1.0) * 0.0 + 2.0 * v
    tape.gradient(y, [w, v])
    plot(tape, axes)
    axes[0].figure.canvas.draw()
    assert words(axes[0]) == ["NaN", "2.0"]
    low = axes[0].get_xlim()[0]
    assert [text.get_position() for text in axes[0].texts] == [(low, 0), (2.0, 1)]
    assert axes[0].get_xscale() == "log"
    assert [text.get_text() for text in axes[1].get_legend().get_texts()] == ["gradient of y", "zero", "NaN"]


@pytest.mark.parametrize("height", [4.0, 9.0])
@pytest.mark.parametrize("count", [60, 400])
def test_the_names_of_many_variables_do_not_touch(height: float, count: int) -> None:
    """All are drawn; named are the smallest and the largest, by names that differ."""
    names = [f"blocks.{each}.attention.{kind}.weight" for each in range(count // 2) for kind in ("query", "key")]
    variables = [tv.Variable(float((each * 7) % count + 1), name=name) for each, name in enumerate(names)]
    with tv.GradientTape() as tape:
        loss = tv.add_n([each * each for each in variables])
    tape.gradient(loss, variables)
    axes = Figure(figsize=(12, height)).subplots(1, 3)
    plot(tape, axes)
    renderer = FigureCanvasAgg(axes[0].figure).get_renderer()
    for texts in (axes[0].get_yticklabels(), axes[0].texts):
        places = sorted((each.get_window_extent(renderer) for each in texts), key=lambda each: each.y0)
        assert all(below.y1 <= above.y0 + 1 for below, above in pairwise(places))
    named = [label.get_text() for label in axes[0].get_yticklabels()]
    assert 2 <= len(named) == len(set(named)) <= 24
    assert {"2.0", f"{2.0 * count}"} <= set(words(axes[0]))
    assert len(axes[0].collections[0].get_segments()) == count
    assert axes[0].get_xlabel().startswith(f"norm, of {count:,}")


def test_what_is_returned_is_a_line_and_still_a_list_of_axes(axes: list) -> None:
    drawn = plot(cube(), axes)
    assert repr(drawn).startswith("<Plots: Gradient norm per variable; ")
    assert [each.get_title() for each in drawn[1:]] == ["Gradient norm per op, going back", "Memory of the tape"]


def test_norms_on_the_way_back(axes: list) -> None:
    plot(cube(), axes)
    [line] = axes[1].lines
    assert list(line.get_ydata()) == [1.0, 3.0]
    assert axes[1].get_yscale() == "log"


def test_memory_goes_up_and_down_again(axes: list) -> None:
    log = cube()
    plot(log, axes)
    [kept] = axes[2].collections
    assert kept.get_paths()[0].vertices[:, 1].max() == 8.0  # x and x * x, four bytes each


def test_numbers_that_numpy_has_not_take_memory(axes: list) -> None:
    log = Script()
    log.raw += (Mentioned, None, 1, ((4,), "bfloat16"), ("variable", True, "w"), (), (), None, None, -1)
    with log.tape(watch=[1]):
        log.op("square", 1, saved=(0,))
    plot(log, axes)
    [kept] = axes[2].collections
    assert kept.get_paths()[0].vertices[:, 1].max() == 8.0


def test_without_a_gradient_it_says_so(axes: list) -> None:
    log = cube()
    del log.raw[log.raw.index(next(each for each in log.raw if getattr(each, "__name__", "") == "BackwardStarted")) :]
    plot(log, axes)
    assert words(axes[0]) == words(axes[1]) == ["no gradient was taken"]


def test_a_name_with_dollars_is_no_formula(axes: list) -> None:
    plot(cube(HOSTILE), axes)
    axes[0].figure.canvas.draw()


@pytest.mark.parametrize("axes", [Figure().subplots(), [Figure().subplots()], Figure().subplots(2, 2)])
def test_three_axes_are_needed(axes: Any) -> None:
    with pytest.raises(ValueError, match="three Axes"):
        plot(cube(), axes)


def test_three_axes_may_stand_in_a_column() -> None:
    assert len(plot(cube(), Figure().subplots(3, 1, squeeze=False))) == 3


def test_a_long_line_has_no_markers(axes: list) -> None:
    plot(chain(200), axes)
    assert axes[1].lines[0].get_marker() == ""


def test_a_figure_of_our_own_is_light_or_dark_in_a_notebook_and_has_no_paper() -> None:
    axes = plot(cube())
    text = axes[0].figure._repr_html_()
    svg = b64decode(re.findall(r"base64,([\w+/=]*)", text)[0]).decode()
    dark = re.findall(r"@media \(prefers-color-scheme:dark\)\{(.*)\}</style>", svg)[0]
    assert f'[style*="stroke: {colour("variable-line")}"]{{stroke:{colour("variable-line", "dark")}!important}}' in dark
    assert "fill: none" in re.findall(r'<g id="patch_1">\s*<path[^>]*style="([^"]*)"', svg)[0]
    assert "Gradient norm per variable" in text
    sys.modules["matplotlib.pyplot"].close(axes[0].figure)


def test_the_word_of_the_longest_bar_stands_inside_the_axes() -> None:
    sources = [tf.Variable(10.0**-k, name=f"encoder.layers.{k}.attention.kernel") for k in range(6)]
    with tf.GradientTape() as tape:
        y = tf.add_n([each * each * 0.123456 for each in sources])
    tape.gradient(y, sources)
    axes = plot(tape)[0]
    axes.figure.canvas.draw()
    frame = axes.get_window_extent()
    assert all(word.get_window_extent().x1 < frame.x1 - 2 for word in axes.texts)
    sys.modules["matplotlib.pyplot"].close(axes.figure)
