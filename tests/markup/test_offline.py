"""Pages reach nothing outside themselves, by one policy; what a user wrote is text in them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import get_args

import pytest

import tapeviz as tv
from tapeviz.markup.card import MOST, alert, card, note, stacked
from tapeviz.markup.offline import POLICY, reading_page
from tapeviz.markup.table import grid, sections
from tapeviz.markup.theme import Tone
from tests.markup.balanced import read

EVIL = "</script><img src=x onerror=alert(1)>"


def square() -> tv.GradientTape:
    x = tv.Variable(3.0, name="x")
    with tv.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    return tape


def written(save: Callable[[Path], object], folder: Path) -> str:
    save(folder / "page.html")
    return (folder / "page.html").read_text(encoding="utf-8")


PAGES: dict[str, Callable[[Path], str]] = {
    "table": lambda folder: tv.table(square()).html(),
    "compare": lambda folder: tv.compare(square(), square()).html(),
    "save_html": lambda folder: written(lambda path: tv.save_html(square(), path), folder),
    "modes": lambda folder: written(lambda path: tv.modes(lambda x: x * x, x=3.0).save_html(path), folder),
}


@pytest.mark.parametrize("kind", PAGES)
def test_a_page_has_the_policy(kind: str, tmp_path: Path) -> None:
    head, _, body = PAGES[kind](tmp_path).partition("<body>")
    assert f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">' in head
    assert "width=device-width" in head
    assert "color-scheme:light dark" in head.replace(": ", ":")
    assert "http" not in head.replace("http-equiv", "")
    assert body


@pytest.mark.parametrize(
    "html",
    [
        card("error", EVIL, EVIL, EVIL, EVIL, (EVIL, EVIL), [EVIL]),
        note(EVIL, [EVIL]),
        alert(EVIL, EVIL, (EVIL, EVIL)),
        grid(EVIL, [EVIL], [(EVIL, [(EVIL, "error")])]),
        sections([(EVIL, [(EVIL, "")])]),
        reading_page(EVIL, note(EVIL)),
    ],
)
def test_what_a_user_wrote_is_text(html: str) -> None:
    page = read(html)
    assert page.tags.isdisjoint({"img", "script"})
    assert EVIL in page.text


def test_of_many_cards_the_others_are_counted() -> None:
    html = stacked([note("a")] * (MOST + 3))
    assert read(html).text.startswith("a" * MOST)
    assert "and 3 more" in read(html).text
    assert stacked([note("a")]) == note("a")


@pytest.mark.parametrize("tone", get_args(Tone))
def test_every_tone_has_a_look(tone: Tone) -> None:
    style = grid("about", ["y"], [("x", [("text", tone)])]).partition("<td style=")[2]
    assert ("background" in style or "opacity" in style) == bool(tone)


def test_an_error_of_a_terminal_reads_in_html_line_by_line() -> None:
    html = alert("ValueError", "in a call\n\n\x1b[1mtoo large\x1b[0m\n\nArguments")
    assert "in a call\n\ntoo large\n\nArguments" in html
    assert "white-space:pre-wrap" in html
