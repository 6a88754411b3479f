"""Hostile strings in ten kinds of page: nothing of them runs, asks or breaks a script, all are shown; a sample."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.hostile import strings
from tests.hostile.strings import CARRIERS, KINDS, STRINGS, Watch

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def watch(browser: Browser) -> Iterator[Watch]:
    watched = Watch(browser)
    yield watched
    watched.close()


@pytest.mark.parametrize("text", STRINGS[:: len(STRINGS) // 3], ids=ascii)
def test_a_string_is_text(text: str, watch: Watch, tmp_path: Path) -> None:
    assert list(watch.wrong(text, tmp_path)) == []


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ("<img src=nowhere.png onerror=ran=1>{text}", ["it ran", "it asked for"]),
        ("<script>no_such_name</script>{text}", ["it threw"]),
        ("<iframe srcdoc='<script>ran=1</script>'></iframe>{text}", ["it ran"]),
        ("nothing", ["it does not show the string"]),
    ],
)
def test_what_a_page_does_wrong_is_told(
    page: str, told: list[str], watch: Watch, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kinds = {"a page": lambda log, text, folder: page.replace("{text}", text)}
    monkeypatch.setattr(strings, "KINDS", kinds)
    found = list(watch.wrong("plain", tmp_path))
    assert [part for part in told if any(part in each for each in found)] == told
    assert len(found) == len(told)


def test_there_are_as_many_as_are_promised() -> None:
    assert (len(KINDS), len(STRINGS) >= 200) == (10, True)
    assert all(any(each.endswith(carrier) for each in STRINGS) for carrier in CARRIERS)
