"""Two recordings on one page: what its boxes, its table and its data say, without a browser."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events import EventLog
from tapeviz.views.page.compare_page import MOST_ROWS
from tapeviz.views.page.sides import MOST_BOXES
from tests.diagnosis.comparing.test_compare import log_of
from tests.growth import timed
from tests.views.page.conftest import HOSTILE
from tests.views.samples import HOSTILE as PECULIAR
from tests.views.samples import cube


def data_of(page: str) -> Any:
    [packed] = re.findall(r'id="compare-data">(.*?)</script>', page, re.DOTALL)
    return json.loads(packed)


def boxes(page: str, side: str) -> list[str]:
    """What the boxes of a side say of themselves, to who cannot see them."""
    return re.findall(rf'<g id="{side}-[ots][\d.]+"><title>([^<]*)</title>', page)


def chain(length: int, extra: int = -1) -> EventLog:
    w = tv.Variable(0.5, name="w")
    with tv.GradientTape() as tape:
        h = w * 1.0
        for step in range(length):
            h = tv.sin(h) if step != extra else tv.cos(h)
    tape.gradient(h, w)
    return tape.log


def test_every_box_says_what_became_of_it() -> None:
    page = tv.compare(log_of("tf.round(w * 1.3)"), log_of("tf.exp(tf.sin(w * 1.3))")).html()
    ends = {each.partition(",")[0]: each.rpartition(": ")[2] for each in boxes(page, "after")}
    assert (ends["w"], ends["mul₁"], ends["h₁"], ends["loss₁"]) == (
        *("the same value", "the same value", "another value", "another value"),
    )
    assert "no counterpart" in ends.values()
    for side in ("before", "after"):
        assert sum("the programs part here" in each for each in boxes(page, side)) == 1
    for words in ("the same value", "another value", "no counterpart", "the first step that computes something else"):
        assert f"</span> {words}" in page


def test_the_page_holds_both_graphs_and_tells_of_either() -> None:
    found = tv.compare(log_of("tf.round(w * 1.3)"), log_of("tf.sin(w * 1.3)"))
    page = found.html()
    assert "values first differ at round (" in page
    ids = re.findall(r' id="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    data = data_of(page)
    item = data["items"][str(data["start"])]
    assert item["says"] == "Another value, 0.79 apart; another gradient, 0.79 apart."
    before, after = item["sides"]
    assert [before[0], after[0]] == ["h₁ = round(mul₁)", "h₁ = sin(mul₁)"]
    assert "h = tf.round(w * 1.3)" in before[1]
    assert before[2:] == ["(2,) float32", "[1.0, 3.0]", "[2.0, 6.0]"]
    assert set(data["boxes"]) <= set(ids)
    assert not re.search(r"https?://(?!www\.w3\.org)", page)


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
    assert "alert(1)" not in re.sub(r"&lt;script&gt;alert\(1\)|u003cscript>alert\(1\)", "", page)


def test_a_notebook_shows_the_text_and_below_it_the_page() -> None:
    found = tv.compare(log_of("tf.round(w * 1.3)"), log_of("tf.sin(w * 1.3)"))
    bundle = found._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"}
    assert bundle["text/plain"] == str(found)
    assert bundle["text/html"].startswith(found._repr_html_())
    assert bundle["text/html"].count("<img") == 2
    assert bundle["text/html"].count("<iframe") == 1
    assert len(bundle["text/html"].encode()) < 200_000


def test_a_thousand_ops_stand_folded_and_groups_say_how_many_differ() -> None:
    found = tv.compare(chain(1_000), chain(1_000, 700))
    page, took = timed(found.html)
    assert took < 5
    assert len(page.encode()) < 500_000
    for side in ("before", "after"):
        seen = re.findall(rf'<g id="{side}-[otsg][\d.]+"><title>([^<]*)</title>', page)
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
    page = tv.compare(log, log).html()
    assert "no results were kept to compare" in page
    assert boxes(page, "before")[-1].endswith("values not kept")


def test_a_group_of_one_program_has_no_counterpart_in_another() -> None:
    with tv.record() as empty:
        pass
    page = tv.compare(chain(100), empty).html()
    assert re.search(r"no counterpart in [\d,]+ of", page)
