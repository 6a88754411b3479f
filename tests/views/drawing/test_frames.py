"""A backward sweep as pictures: one per step, each in the states of its step."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections import Counter

import matplotlib
import pytest
from matplotlib import textpath

import tapeviz as tv
from tapeviz.replay import runs
from tapeviz.views.drawing import canvas
from tapeviz.views.drawing.marks import Curve, Polygon, Rect, Text
from tapeviz.views.drawing.picture import picture
from tapeviz.views.drawing.states import group_tracks, painted, states_at
from tapeviz.views.reading import read
from tapeviz.views.scene import scene
from tests.views.samples import HOSTILE, LOGS, cube, read_out

matplotlib.use("agg")
SVG = {"svg": "http://www.w3.org/2000/svg"}


@pytest.fixture
def tape():
    x, w, unused = tv.Variable(3.0, name="x"), tv.Variable(2.0, name="w"), tv.Variable(1.0, name="unused")
    with tv.GradientTape() as tape:
        h = x * w
        y = h + x
    tape.gradient(y, [x, w, unused])
    return tape


def caption(root):
    return [text.text for text in root.find("svg:g[@id='caption']", SVG).findall("svg:text", SVG)]


def states(tape):
    """Titles with their states at every step."""
    reading = read(tape)
    found = group_tracks(reading, scene(reading), reading.runs[0])
    steps = range(len(reading.runs[0].steps) + 1)
    at = [states_at(found, step) for step in steps]
    return [(node.title, [each.get(node.id, "none") for each in at]) for node in scene(reading).nodes]


def test_states_follow_the_gradient(tape):
    assert sorted(states(tape)) == [
        ("h", ["waiting", "reached", "active"]),
        ("unused", ["none", "none", "none"]),
        ("w", ["waiting", "waiting", "active"]),
        ("x", ["waiting", "active", "active"]),
        ("y", ["reached", "active", "done"]),
    ]


@pytest.mark.parametrize("name", LOGS)
def test_every_track_belongs_to_something_drawn(name):
    reading = read(LOGS[name]())
    drawn = {group.id for group in picture(scene(reading)).groups}
    for run in reading.runs:
        found = group_tracks(reading, scene(reading), run)
        assert found.keys() <= drawn
        assert {state for track in found.values() for _, state in track} <= {"waiting", "reached", "active", "done"}


def test_every_state_has_a_look_of_its_own():
    reading = read(cube())
    page = picture(scene(reading))
    op = next(node.id for node in scene(reading).nodes if node.op is not None)
    looks = {state: painted(page, {op: state}).groups for state in ("waiting", "reached", "active", "done")}
    assert looks["waiting"] == page.groups
    assert len(set(looks.values())) == 4
    active = next(group for group in looks["active"] if group.id == op)
    assert [mark.fill for mark in active.marks if isinstance(mark, Rect)][:2] == ["gradient-soft", "gradient"]
    assert {mark.role for mark in active.marks if isinstance(mark, Text)} >= {"on-gradient"}
    wire = painted(page, {"e0": "active"}).groups[0].marks[0]
    assert isinstance(wire, Curve)
    assert (wire.line, wire.dash) == ("gradient", (7.0, 5.0))
    head = painted(page, {"e0": "active"}).groups[0].marks[1]
    assert isinstance(head, Polygon)
    assert head.points[0] == wire.points[0], "a gradient on its way arrives where the wire begins"


def test_a_frame_per_step_all_of_one_size(tape, tmp_path):
    paths = tv.frames(tape, tmp_path / "slides" / "mul")
    assert [path.name for path in paths] == ["step-0.svg", "step-1.svg", "step-2.svg", "step-3.svg"]
    roots = [ET.fromstring(path.read_text()) for path in paths]
    assert len({(root.get("width"), root.get("height")) for root in roots}) == 1
    captions = [(heading, " ".join(lines)) for heading, *lines in map(caption, roots)]
    assert captions == [
        ("The backward pass starts at y", "The gradient of the target by itself is the seed: 1.0."),
        ("Step 1 of 2: add", "g = 1.0 arrives. To h goes g = 1.0. To x goes g = 1.0."),
        ("Step 2 of 2: mul", "g = 1.0 arrives. To x goes g · w = 2.0, the sum is 3.0. To w goes g · x = 3.0."),
        ("The gradients", "x: 3.0, w: 3.0, unused: None."),
    ]


def test_a_gradient_stands_on_its_box_from_the_step_on_that_gives_it(tape, tmp_path):
    pages = [ET.fromstring(path.read_text()) for path in tv.frames(tape, tmp_path)]
    found = [
        sorted(text.text for text in page.iterfind(".//svg:text", SVG) if text.text.startswith("∇")) for page in pages
    ]
    assert found == [["∇ 1.0"], ["∇ 1.0", "∇ 1.0", "∇ 1.0 + …"], *[["∇ 1.0", "∇ 1.0", "∇ 3.0", "∇ 3.0"]] * 2]
    whole = tv.draw(tape).text
    assert whole.count("∇ 3.0") == 2
    assert "+ …" not in whole


def test_all_sheets_of_a_folded_group_are_done_when_its_steps_are() -> None:
    w = tv.Variable(0.9, name="w")
    with tv.GradientTape() as tape:
        y = tv.constant(1.0)
        for _ in range(50):
            y = tv.sin(y * w)
    tape.gradient(y, w)
    reading = read(tape)
    drawn = scene(reading, ())
    folded = next(node.id for node in drawn.nodes if node.kind == "group")
    states = states_at(group_tracks(reading, drawn, reading.runs[0]), 101)
    assert states[folded] == "done"
    group = next(each for each in painted(picture(drawn), states).groups if each.id == folded)
    assert [mark.fill for mark in group.marks if isinstance(mark, Rect)][:3] == ["gradient-soft"] * 3


def test_nothing_of_a_frame_is_outside_it(tape, tmp_path):
    for path in tv.frames(tape, tmp_path):
        root = ET.fromstring(path.read_text())
        for rect in root.iterfind(".//svg:g/svg:rect", SVG):
            x, y, w, h = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
            assert x >= 0
            assert y >= 0
            assert x + w <= float(root.get("width"))
            assert y + h <= float(root.get("height"))


def test_the_steps_inside_a_folded_group_are_one_slide_and_a_note_has_its_own(tmp_path):
    w = tv.Variable(0.9, name="w")
    with tv.GradientTape() as tape:
        y = tv.constant(1.0)
        for _ in range(200):
            y = tv.sin(y * w)
        loss = tv.square(y)
    tape.gradient(loss, w)
    pages = {path.stem: caption(ET.parse(path).getroot()) for path in tv.frames(tape, tmp_path / "plain")}
    assert [*pages] == ["step-000", "step-001", "step-401", "step-402"]
    assert pages["step-401"][0] == "Steps 2 to 401 of 401: iteration × 200"
    assert pages["step-401"][1].startswith("The last is mul. g = ")
    noted = {
        path.stem: caption(ET.parse(path).getroot())
        for path in tv.frames(tape, tmp_path / "noted", notes={50: "Here."})
    }
    assert [*noted] == ["step-000", "step-001", "step-049", "step-050", "step-401", "step-402"]
    assert noted["step-050"][0].startswith("Step 50 of 401: ")
    assert noted["step-401"][0] == "Steps 51 to 401 of 401: iteration × 200"


def test_of_a_tall_graph_a_slide_shows_where_the_step_is(tmp_path):
    x = tv.Variable(0.5, name="x")
    with tv.GradientTape() as tape:
        y = x
        for _ in range(4):
            y = tv.exp(tv.cos(tv.sin(y)))
    tape.gradient(y, x)
    paths = tv.frames(tape, tmp_path)
    assert len(paths) == 14
    for number, path in enumerate(paths):
        root = ET.fromstring(path.read_text())
        width, height = float(root.get("width")), float(root.get("height"))
        assert 16 / 9 - 0.01 < width / height < 16 / 9 + 0.01
        active = list(root.iterfind(".//svg:rect[@class='f-gradient s-gradient']", SVG))
        assert bool(active) == (0 < number < 13)
        ground = max(float(each.get("height")) for each in root.iterfind(".//svg:g/svg:rect[@class='f-paper']", SVG))
        for each in active:
            assert ground < float(each.get("y")) < float(each.get("y")) + float(each.get("height")) < height


def test_a_long_caption_takes_lines(tmp_path):
    many = [tv.Variable([1.0] * 3, name=f"a_variable_with_a_long_name_{index}") for index in range(8)]
    with tv.GradientTape() as tape:
        y = tv.stack(many)
    tape.gradient(y, many)
    root = ET.fromstring(tv.frames(tape, tmp_path)[1].read_text())
    _, *lines = caption(root)
    assert len(lines) > 1
    assert lines[-1].endswith("And 2 more.")


@pytest.mark.parametrize(("format", "begins"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_other_formats(tape, tmp_path, format, begins):
    for path in tv.frames(tape, tmp_path, format=format):
        assert path.read_bytes().startswith(begins)


def test_ten_steps_are_sorted_by_name(tmp_path):
    x = tv.Variable(1.0)
    with tv.GradientTape() as tape:
        y = x
        for _ in range(11):
            y = tv.sin(y)
    tape.gradient(y, x)
    names = [path.name for path in tv.frames(tape, tmp_path)]
    assert names == sorted(names)
    assert names[0] == "step-00.svg"


def test_a_gif_has_them_all(tape, tmp_path):
    image = pytest.importorskip("PIL.Image")
    path = tv.animate(tape, tmp_path / "backward.gif", seconds=0.5)
    with image.open(path) as gif:
        assert gif.n_frames >= len(runs(tape.log)[0].steps) + 1
        assert gif.info["duration"] == 500


def test_misuse_is_told(tape, tmp_path):
    for act, error, said in [
        (lambda: tv.frames(tape, tmp_path, format="bmp"), ValueError, "svg, png, pdf, not as 'bmp'"),
        (lambda: tv.frames(tape, tmp_path, run=1), IndexError, "run 1: this log has 1 run,"),
        (lambda: tv.animate(tape, tmp_path / "a.mp4"), ValueError, r"'.*a\.mp4' does not end in \.gif"),
        (lambda: tv.animate(tape, tmp_path / "a.gif", seconds=0), ValueError, "more than 0"),
        (lambda: tv.frames(3.0, tmp_path), TypeError, "Nothing recorded in a float"),
    ]:
        with pytest.raises(error, match=said):
            act()
    assert list(tmp_path.iterdir()) == []
    with tv.GradientTape() as forward:
        tv.Variable(1.0) * 2.0
    with pytest.raises(ValueError, match="No gradient was taken yet"):
        tv.frames(forward, tmp_path)


def test_hostile_names_stay_text(tmp_path):
    x = tv.Variable(1.0, name=HOSTILE)
    with tv.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    for path in tv.frames(tape, tmp_path):
        root = ET.fromstring(path.read_text())
        assert root.find(".//svg:script", SVG) is None


def test_a_log_with_a_cut_is_painted(tmp_path):
    assert tv.frames(read_out(), tmp_path)


def test_the_pages_measure_a_text_once(tape, tmp_path, monkeypatch):
    measured = Counter()

    class Counted(textpath.TextPath):
        def __init__(self, where, text, *args, **named):
            measured[text] += 1
            super().__init__(where, text, *args, **named)

    monkeypatch.setattr(textpath, "TextPath", Counted)
    canvas._width.cache_clear()
    tv.frames(tape, tmp_path, format="png")
    assert measured
    assert set(measured.values()) <= {1, 2}, "bold or not"


@pytest.mark.parametrize("number", [0, 1])
def test_only_the_target_of_the_run_wears_the_badge(tmp_path, number):
    x = tv.Variable(3.0, name="x")
    with tv.GradientTape() as outer:
        with tv.GradientTape() as inner:
            y = x * x * x
        g = inner.gradient(y, x)
    outer.gradient(g, x)
    root = ET.parse(tv.frames(outer, tmp_path, run=number)[0]).getroot()
    boxes = [
        [text.text for text in group.findall("svg:text", SVG)] for group in root.iter("{http://www.w3.org/2000/svg}g")
    ]
    assert [texts[0] for texts in boxes if "target" in texts] == ["yg"[number]]


def test_a_lecturer_s_title_and_notes_are_on_the_pages(tape, tmp_path):
    notes = {1: r"The rule $\frac{a}{b}$ of `mul`: $5 to $6."}
    pages = [ET.parse(path).getroot() for path in tv.frames(tape, tmp_path, notes=notes, title="One product")]
    assert caption(pages[0])[0] == "One product"
    assert caption(pages[0])[1].startswith("The backward pass starts at y.")
    assert caption(pages[1])[-1] == "The rule a / b of mul: $5 to $6."
    assert len({page.get("height") for page in pages}) == 1
