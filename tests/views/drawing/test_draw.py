"""Pictures as files: SVG, PNG, PDF, DOT."""

from __future__ import annotations

import base64
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tapeviz.markup.theme import COLOURS
from tapeviz.views.drawing import canvas
from tapeviz.views.drawing import to_graphviz as graphviz_view
from tapeviz.views.drawing.canvas import render
from tapeviz.views.drawing.draw import draw
from tapeviz.views.drawing.marks import MarkGroup, Picture, Rect, Text
from tapeviz.views.drawing.picture import picture
from tapeviz.views.drawing.to_dot import to_dot
from tapeviz.views.drawing.to_graphviz import to_graphviz
from tapeviz.views.reading import read
from tapeviz.views.scene import scene
from tapeviz.views.scene.metrics import text_width
from tests.views.samples import HOSTILE, LOGS, chain, cube, read_out

SVG = "{http://www.w3.org/2000/svg}"
MAGIC = {"png": b"\x89PNG\r\n", "pdf": b"%PDF-", "svg": b"<svg ", "dot": b"digraph "}


@pytest.mark.parametrize("name", LOGS)
def test_svg_is_well_formed_and_every_id_its_own(name: str) -> None:
    root = ElementTree.fromstring(draw(LOGS[name]()).text)
    ids = [element.get("id") for element in root.iter() if element.get("id")]
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("name", LOGS)
def test_equal_logs_give_equal_pictures(name: str) -> None:
    assert draw(LOGS[name]()).data == draw(LOGS[name]()).data


def test_a_name_is_text_and_nothing_else() -> None:
    root = ElementTree.fromstring(draw(read_out(HOSTILE)).text)
    assert {element.tag.removeprefix(SVG) for element in root.iter()} <= {
        "svg", "title", "style", "rect", "g", "path", "text",
    }  # fmt: skip
    assert any("</script>" in (element.text or "") for element in root.iter(f"{SVG}text"))


def test_no_wire_runs_through_the_title_of_a_frame() -> None:
    reading = read(chain(20))
    drawn = scene(reading, range(len(reading.groups.rows)))
    ids = [group.id for group in picture(drawn).groups]
    assert drawn.frames
    last_wire = max(index for index, each in enumerate(ids) if each.startswith("e"))
    assert ids.index(drawn.frames[-1].id) < ids.index("e0")
    for frame in drawn.frames:
        place = ids.index(f"{frame.id}.title")
        assert place > last_wire
        ground, title = picture(drawn).groups[place].marks
        assert isinstance(ground, Rect)
        assert isinstance(title, Text)
        assert (ground.fill, title.text) == ("frame", frame.title)
        assert ground.x < title.x < title.x + text_width(title.text, title.size, bold=True) < ground.x + ground.w


def test_svg_loads_and_runs_nothing() -> None:
    text = draw(read_out()).text
    assert not re.search(r"<script|href|url\(|@import|\son\w+=", text)


def test_the_dark_has_a_rule_for_every_colour_of_the_light() -> None:
    text = draw(read_out()).text
    used = set(re.findall(r"\b([fs]-[a-z-]+)(?=[ \"])", text))
    ruled = set(re.findall(r"\.([fs]-[a-z-]+)\{", text))
    assert used == ruled
    assert {role[2:] for role in used} <= set(COLOURS)


def test_a_notebook_gets_an_image() -> None:
    drawing = draw(cube())
    html = drawing._repr_mimebundle_()["text/html"]
    assert html.startswith('<img alt="tape of 2 ops, mul₂ = 27.0" src="data:image/svg+xml;base64,')
    assert base64.b64decode(html.split("base64,")[1].split('"')[0]) == drawing.data
    assert draw(cube(), format="png")._repr_mimebundle_()["image/png"]


@pytest.mark.parametrize("format", MAGIC)
@pytest.mark.parametrize("make", [cube, lambda: read_out(HOSTILE), LOGS["empty"]], ids=["cube", "hostile", "empty"])
def test_every_format(format: str, make: Callable[[], object], tmp_path: Path) -> None:
    path = tmp_path / f"picture.{format}"
    drawing = draw(make(), path)
    assert path.read_bytes() == drawing.data
    assert drawing.data.startswith(MAGIC[format])
    assert drawing.format == format


@pytest.mark.parametrize("format", ["png", "pdf"])
def test_only_text_has_text(format: str) -> None:
    with pytest.raises(ValueError, match=r"bytes are in `\.data`"):
        _ = draw(cube(), format=format).text


def test_what_cannot_be_drawn_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Cannot draw as 'gif'"):
        draw(cube(), tmp_path / "tape.gif")
    with pytest.raises(ValueError, match="engine must be"):
        draw(cube(), engine="dagre")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_format_wins_over_the_path(tmp_path: Path) -> None:
    draw(cube(), tmp_path / "picture.txt", format="dot")
    assert (tmp_path / "picture.txt").read_text().startswith("digraph")


def test_dot_quotes_every_name() -> None:
    text = to_dot(read_out(HOSTILE))
    assert "\n\t" not in text
    strings = re.findall(r'"(?:[^"\\]|\\.)*"', text)
    assert any('\\"\\\\N{x}' in each for each in strings)
    assert re.sub(r'"(?:[^"\\]|\\.)*"', "", text).count('"') == 0


@pytest.mark.graphviz
@pytest.mark.parametrize("make", [cube, lambda: read_out(HOSTILE)], ids=["cube", "hostile"])
def test_graphviz_draws_it(make: Callable[[], object]) -> None:
    assert draw(make(), engine="graphviz", format="png").data.startswith(MAGIC["png"])
    assert b"</svg>" in draw(make(), engine="graphviz").data
    assert to_graphviz(make()).source == to_dot(make())


@pytest.mark.graphviz
@pytest.mark.skipif(shutil.which("dot") is None, reason="Graphviz's dot is not installed")
def test_dot_alone_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graphviz_view, "find_spec", lambda name: None)
    assert draw(read_out(HOSTILE), engine="graphviz", format="png").data.startswith(MAGIC["png"])
    with pytest.raises(RuntimeError, match="could not draw"):
        graphviz_view.render("digraph {", "svg")


def test_without_graphviz_there_is_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(graphviz_view, "find_spec", lambda name: None)
    with pytest.raises(RuntimeError, match="apt install graphviz"):
        draw(cube(), engine="graphviz")
    assert draw(cube(), engine="graphviz", format="dot").text.startswith("digraph")


def test_tape_and_path_the_wrong_way_round():
    with pytest.raises(TypeError, match=r"tv\.draw: the path is a \w+; write tv\.draw\(tape, 'tape\.svg'\)"):
        draw("tape.svg", LOGS)


def test_a_png_too_wide_for_one_says_so() -> None:
    wide = Picture("wide", 40_000.0, 30.0, (MarkGroup("a", "a", (Rect(0, 0, 40_000, 30, 4, "op"),)),))
    with pytest.warns(UserWarning, match=r"40,000 by 30 px.* at most 16,000 .*at 40% of its size\. As SVG"):
        data = render(wide, "png")
    assert data.startswith(MAGIC["png"])


def test_characters_that_no_font_has_are_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canvas, "_families", lambda _: ["DejaVu Sans"])
    marks = tuple(Text(50, 20 * line, "张量 值 张", "ink", 12.0) for line in (1, 2))
    with pytest.warns(UserWarning, match="No font") as caught:
        render(Picture("words", 100.0, 60.0, (MarkGroup("a", "a", marks),)), "png")
    [told] = [str(each.message) for each in caught]
    assert "has 张量值: " in told
