"""The page of several ranks in a browser: the switch, from what all show together to the debugger of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tapeviz as tv
from tapeviz.events.store.ranks import Ranks
from tests.views.page.test_ranks_page import log_of_rank

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_switch_shows_all_ranks_or_one_at_the_same_step(
    scheme: str, open_file: Any, snap: Any, axe: Any, tmp_path: Path
) -> None:
    pytest.importorskip("torch")
    path = tv.save_html(Ranks({rank: log_of_rank(rank) for rank in range(2)}), tmp_path / "ranks.html")
    page = open_file(path, color_scheme=scheme).page
    page.locator("#spread table").first.wait_for()
    assert not page.locator("#debugger").is_visible()
    assert axe(page) == []
    snap(page, f"ranks-{scheme}")
    page.select_option("#rank", "0")
    page.locator("#debugger .debugger").wait_for()
    assert not page.locator("#spread").is_visible()
    page.locator("#debugger .debugger").focus()
    page.keyboard.press("ArrowRight")
    step = page.locator("#debugger .side").inner_text().splitlines()[0]
    assert step.startswith("Step 1")
    page.select_option("#rank", "1")
    page.wait_for_function("document.querySelector('#debugger').textContent !== null")
    assert page.locator("#debugger .side").inner_text().splitlines()[0] == step
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
