"""Two recordings on one page: what its boxes, its table and its data say, without a browser."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import EventLog
from tapeviz.views.page.compare import Compared
from tapeviz.views.page.compare_page import SideBySide
from tapeviz.views.page.counterparts import MOST_ROWS
from tapeviz.views.page.document import unpacked
from tapeviz.views.page.side_by_side import MOST_BOXES
from tapeviz.views.payload.columns import unpack
from tests.diagnosis.comparing.test_compare import log_of
from tests.growth import timed
from tests.views.page.conftest import HOSTILE
from tests.views.samples import HOSTILE as PECULIAR
from tests.views.samples import cube


def data_of(page: str) -> Any:
    return unpack(json.loads(unpacked(page)["compare-data"]))


def states(page: str, side: int) -> dict[str, list[str]]:
    """What became of the values of every box of a side, by its title."""
    data = data_of(page)
    graph = data["sides"][side]
    return {
        node["title"]: [data["items"][item]["state"] for item in items]
        for node, items in zip(graph["scene"]["nodes"], graph["items"], strict=True)
    }


def stills(found: Compared) -> list[list[str]]:
    """What the boxes of both pictures say of themselves, to who cannot see them."""
    pictures = re.findall(r'src="data:image/svg\+xml;base64,([^"]*)"', SideBySide(found).stills())
    return [re.findall(r'<g id="[otsg][\d.]+"><title>([^<]*)</title>', b64decode(each).decode()) for each in pictures]


def chain(length: int, extra: int = -1) -> EventLog:
    w = tv.Variable(0.5, name="w")
    with tv.GradientTape() as tape:
        h = w * 1.0
        for step in range(length):
            h = tv.sin(h) if step != extra else tv.cos(h)
    tape.gradient(h, w)
    return tape.log


def test_every_box_knows_what_became_of_it() -> None:
    page = tv.compare(log_of("tf.round(w * 1.3)"), log_of("tf.exp(tf.sin(w * 1.3))")).html()
    after = states(page, 1)
    assert (after["w"], after["mul₁"], after["h₁"], after["loss₁"]) == (["same"], ["same"], ["other"], ["other"])
    assert ["alone"] in after.values()
    for graph in data_of(page)["sides"]:
        assert graph["parting"] is not None
    for words in ("the same value", "another value", "no counterpart", "the first step that computes something else"):
        assert f"</span> {words}" in page


def test_the_pictures_say_so_as_well() -> None:
    before, after = stills(tv.compare(log_of("tf.round(w * 1.3)"), log_of("tf.exp(tf.sin(w * 1.3))")))
    ends = {each.partition(",")[0]: each.rpartition(": ")[2] for each in after}
    assert (ends["w"], ends["mul₁"], ends["h₁"], ends["loss₁"]) == (
        *("the same value", "the same value", "another value", "another value"),
    )
    assert "no counterpart" in ends.values()
    assert sum("the programs part here" in each for each in before) == 1


def test_the_page_holds_both_graphs_and_tells_of_either() -> None:
    found = tv.compare(log_of("tf.round(w * 1.3)"), log_of("tf.sin(w * 1.3)"))
    page = found.html()
    assert "values first differ at round (" in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    data = data_of(page)
    item = data["items"][data["start"]]
    assert item["says"] == "Another value, 0.79 apart; another gradient, 0.79 apart."
    before, after = item["cells"]
    assert [before[0], after[0]] == ["h₁ = round(mul₁)", "h₁ = sin(mul₁)"]
    assert "h = tf.round(w * 1.3)" in before[1]
    assert before[2:] == ["(2,) float32", "[1.0, 3.0]", "[2.0, 6.0]"]
    for graph in data["sides"]:
        assert len(graph["items"]) == len(graph["scene"]["nodes"])
        assert data["start"] in graph["items"][graph["parting"]]
    assert not re.search(r"https?://(?!www\.w3\.org)", page + "".join(unpacked(page).values()))


def test_equal_recordings_give_equal_pages() -> None:
    assert tv.compare(cube(), cube()).html() == tv.compare(cube(), cube()).html()


def test_a_file_is_the_page(tmp_path: Path) -> None:
    found = tv.compare(cube(), cube())
    assert found.save_html(tmp_path / "both.html").read_text(encoding="utf-8") == found.html()
    with pytest.raises(ValueError, match=r"does not end in \.html"):
        found.save_html(tmp_path / "both.txt")


@pytest.mark.parametrize("name", [HOSTILE, PECULIAR])
def test_names_are_text(name: str) -> None:
    page = tv.compare(cube(name), cube(name)).html()
    assert page.count("<script") == 3
    assert name not in page
    assert "alert(1)" not in re.sub(r"&lt;script&gt;alert\(1\)", "", page) + unpacked(page)["compare-module"]


def test_a_notebook_shows_the_text_and_below_it_the_page() -> None:
    found = tv.compare(log_of("tf.round(w * 1.3)"), log_of("tf.sin(w * 1.3)"))
    bundle = found._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"}
    assert bundle["text/plain"] == str(found)
    assert bundle["text/html"].startswith(found._repr_html_())
    assert bundle["text/html"].count("<img") == 2
    assert bundle["text/html"].count("<iframe") == 1
    assert len(bundle["text/html"].encode()) < 200_000


def test_a_thousand_ops_open_folded_and_groups_say_how_many_differ() -> None:
    found = tv.compare(chain(1_000), chain(1_000, 700))
    page, took = timed(found.html, 5)
    assert took < 5
    assert len(page.encode()) < 250_000
    for graph in data_of(page)["sides"]:
        scene = graph["scene"]
        around = scene["nodes"][graph["parting"]]["group"]
        while around >= 0:
            assert around in scene["unfolded"]
            around = scene["groups"][around]["parent"]
        assert len(scene["unfolded"]) < len(scene["groups"])
    for seen in stills(found):
        assert len(seen) <= 2 * MOST_BOXES
        groups = [each for each in seen if " group" in each]
        assert any(re.search(r"all [\d,]+ the same", each) for each in groups)
        assert any(re.search(r"another value in [\d,]+ of [\d,]+", each) for each in groups)
        assert sum("the programs part here" in each for each in seen) == 1


def test_a_long_table_shows_where_they_part_and_says_what_it_leaves_out() -> None:
    page = tv.compare(chain(1_000), chain(1_000, 700)).html()
    rows = [int(each) for each in re.findall(r'<tr data-item="(\d+)"', page)]
    assert len(rows) == MOST_ROWS
    assert data_of(page)["start"] in rows
    left = 1_002 - MOST_ROWS - rows[0]
    assert f"{rows[0]:,} more before these and {left:,} more after them are left out" in page


def test_nothing_and_no_values_are_shown() -> None:
    with tv.record() as empty:
        pass
    assert "Nothing was recorded." in tv.compare(empty, empty).html()
    w = tv.Variable(1.0)
    with tv.record(values="none") as log, tv.GradientTape():
        tv.exp(w)
    found = tv.compare(log, log)
    assert "no results were kept to compare" in found.html()
    assert stills(found)[0][-1].endswith("values not kept")


def test_a_group_of_one_program_has_no_counterpart_in_another() -> None:
    with tv.record() as empty:
        pass
    before, _ = stills(tv.compare(chain(100), empty))
    assert any(re.search(r"no counterpart in [\d,]+ of", each) for each in before)
