"""Every text is readable on everything it is written on, in the light and in the dark."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest

import tapeviz
from tapeviz.markup.theme import COLOURS, TONES, Mode, Tone, colour, css_variables

BOXES = ("paper", "op", "variable", "constant", "state", "group", "frame", "raised")
PAIRS = [
    *product(("ink", "soft"), (*BOXES, "dead", "gradient-soft", "cut-soft", "warning-soft", "mark")),
    *product(("faint",), ("paper", "dead")),
    *product(("gradient", "cut", "warning"), ("paper", "raised")),
    ("on-cut", "cut"),
    ("on-gradient", "gradient"),
    ("paper", "soft"),
]


def luminance(hexadecimal: str) -> float:
    """Relative luminance, as WCAG 2 defines it."""
    channels = [int(hexadecimal[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [each / 12.92 if each <= 0.03928 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    bright, dim = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize(("text", "under"), PAIRS)
def test_text_stands_out(text: str, under: str, mode: Mode) -> None:
    assert contrast(colour(text, mode), colour(under, mode)) >= 4.5


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("line", ["op-line", "variable-line", "constant-line", "state-line", "group-line", "edge"])
def test_lines_are_seen(line: str, mode: Mode) -> None:
    assert contrast(colour(line, mode), colour("paper", mode)) >= 3.0


def test_every_role_is_a_variable() -> None:
    assert css_variables("dark").count("--tv-") == len(COLOURS)
    assert "--tv-ink:#16202c;" in css_variables("light")


@pytest.mark.parametrize("tone", TONES)
def test_an_edge_is_seen_on_light_and_on_dark_paper(tone: Tone) -> None:
    assert min(contrast(TONES[tone], colour("paper", mode)) for mode in ("light", "dark")) >= 3.0


def test_colours_are_nowhere_else() -> None:
    """Hexadecimal numbers and `rgb()`, but for shadows, and for the names of JavaScript's private methods."""
    written = re.compile(r"#(?:[0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})\b(?!\()|\brgba?\((?!0 0 0 /)", re.IGNORECASE)
    home = Path(tapeviz.__file__).parent
    found = {
        f"{path.relative_to(home)}: {match.group()}"
        for pattern in ("*.py", "*.js", "*.css")
        for path in home.rglob(pattern)
        if path != home / "markup" / "theme.py"
        for match in written.finditer(path.read_text(encoding="utf-8"))
    }
    assert found == set()
