"""The page of several ranks in a browser: the switch, from what all show together to the debugger of one."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.diagnosis.ranks.meetings import Meeting
from tapeviz.diagnosis.ranks.rank_log import RankLog
from tapeviz.events.store.ranks import Ranks
from tests.views.page.test_ranks_page import log_of_rank

pytestmark = pytest.mark.torch


def _all_reduced(logs: Sequence[RankLog]) -> list[Meeting]:
    """As if the processes had reduced their gradients."""
    passes = [log.passes[0] for log in logs]
    return [
        Meeting(
            passes[0].position, name, "dist.all_reduce", "mean", dict(enumerate(of.arrived[name] for of in passes)), own
        )
        for name, own in passes[0].arrived.items()
    ]


def _step_to_the_weight(page: Any) -> None:
    page.locator("#debugger .debugger").focus()
    page.keyboard.press("End")
    page.locator("#debugger .meeting").first.wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_switch_shows_all_ranks_or_one_at_the_same_step(
    scheme: str, open_file: Any, snap: Any, axe: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr("tapeviz.diagnosis.ranks.shared.meetings", _all_reduced)
    ranks = Ranks({0: log_of_rank(0), 1: log_of_rank(1, torch.tanh)})
    page = open_file(tv.save_html(ranks, tmp_path / "ranks.html"), color_scheme=scheme).page
    page.locator("#spread table").first.wait_for()
    page.locator('#debugger .debugger[data-lens="ranks"]').wait_for()
    assert page.locator("#lanes .otherwise title").count() == 1
    assert "rank 1: also tanh" in page.locator('#debugger .box[data-odd="otherwise"]').text_content()
    assert page.locator('#debugger .legend [data-odd="otherwise"]').inner_text() == "1 done otherwise"
    assert axe(page) == []
    snap(page, f"ranks-{scheme}")
    _step_to_the_weight(page)
    meeting = page.locator("#debugger .meeting").first.inner_text()
    assert [each in meeting for each in ("rank 0", "rank 1", "dist.all_reduce (mean)")] == [True] * 3
    assert axe(page) == []
    page.select_option("#rank", "0")
    page.locator('#debugger .debugger[data-lens="steps"]').wait_for()
    assert not page.locator("#spread").is_visible()
    assert not page.locator("#lanes").is_visible()
    page.locator("#debugger .debugger").focus()
    page.keyboard.press("Home")
    page.locator("#debugger .debugger").focus()
    page.keyboard.press("ArrowRight")
    step = page.locator("#debugger .side").inner_text().splitlines()[0]
    assert step.startswith("Step 1")
    page.select_option("#rank", "1")
    page.wait_for_function("document.querySelector('#debugger').textContent !== null")
    assert page.locator("#debugger .side").inner_text().splitlines()[0].split(" of ")[0] == step.split(" of ")[0]
    page.select_option("#rank", "all")
    assert page.locator("#spread").is_visible()


@pytest.mark.parametrize(("scheme", "around"), [("light", "white"), ("dark", "black")])
def test_in_a_frame_it_wears_the_theme_of_the_text_around_it(
    scheme: str, around: str, open_file: Any, axe: Any, tmp_path: Path
) -> None:
    """A notebook's theme is not the browser's: the page is told its colour, and has to be readable."""
    pytest.importorskip("torch")
    path = tv.save_html(Ranks({rank: log_of_rank(rank) for rank in range(2)}), tmp_path / "ranks.html")
    page = open_file(path, color_scheme=scheme).page
    page.locator("#spread table").first.wait_for()
    page.evaluate("colour => postMessage(colour, '*')", around)
    wanted = {"white": "dark", "black": "light"}[around]
    page.wait_for_function("theme => document.body.dataset.theme === theme", arg=wanted)
    assert axe(page) == []
