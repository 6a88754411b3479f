"""The page of a function with sliders in a browser: they go from recording to recording, and the step stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

import tapeviz as tv

pytestmark = pytest.mark.browser


def guarded_root(x: Any, w: Any) -> Any:
    if float(x) < 0:
        raise ValueError("x is negative")
    return tv.sqrt(x) * w


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_sliders_move_between_recordings(scheme: str, open_file: Any, snap: Any, axe: Any, tmp_path: Path) -> None:
    path = tv.explore(guarded_root, x=(-4.0, 4.0), w=2.0).save_html(tmp_path / "sliders.html", stops=3)
    page = open_file(path, color_scheme=scheme).page
    first, second = (page.get_by_role("slider", name=each) for each in "xw")
    debugger = page.locator("#debugger .debugger")
    debugger.wait_for()
    assert axe(page) == []
    snap(page, f"sliders-{scheme}")
    debugger.focus()
    page.keyboard.press("ArrowRight")
    expect(debugger).to_contain_text("Step 1")
    first.press("ArrowRight")
    assert (first.get_attribute("aria-valuetext"), second.get_attribute("aria-valuetext")) == ("4.0", "2.0")
    expect(debugger).to_contain_text("Step 1")
    expect(page.locator("#debugger")).to_contain_text("4.0")
    second.press("ArrowRight")
    expect(page.locator("output").nth(1)).to_have_text("6.0")
    first.press("Home")
    expect(page.locator("#message")).to_have_text("ValueError: x is negative")
    expect(page.locator("#debugger")).to_be_hidden()
    first.press("End")
    expect(debugger).to_be_visible()
