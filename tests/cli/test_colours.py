"""Reports on a terminal, and where there is none, no rich, or no wish for colours."""

from __future__ import annotations

import io
import re
import sys

import pytest

from tapeviz.cli.colours import coloured
from tapeviz.views.reports.text import Rows, parts, text
from tests.views.samples import HOSTILE, chain, read_out

PAINT = re.compile(r"\x1b\[[\d;]*m")


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        return not self.closed or super().isatty()


@pytest.fixture(autouse=True)
def _terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """One with colours, of a known width."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLORTERM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")


def test_a_terminal_gets_colours_and_the_same_words() -> None:
    pytest.importorskip("rich")
    log = read_out()
    painted = coloured(parts(log), Terminal())
    assert "\x1b[1;31mNone\x1b[0m" in painted
    assert re.search(r"\x1b\[1;31merror: .*\x1b\[0m\x1b\[2m \[left_to_numpy\]", painted)
    assert "\x1b[1;32m  Fix:\x1b[0m" in painted
    words = PAINT.sub("", painted).replace("─", " ").split()
    assert words == text(log).split()


def test_a_long_table_says_what_it_leaves_out_and_keeps_to_the_width() -> None:
    pytest.importorskip("rich")
    lines = PAINT.sub("", coloured(parts(chain(400)), Terminal())).splitlines()
    assert max(map(len, lines)) <= 100
    at = next(index for index, line in enumerate(lines) if "… 360 ops …" in line)
    ops = [index for index, line in enumerate(lines) if line.lstrip().startswith("mul(")]
    assert (len(ops), len([each for each in ops if each < at])) == (40, 20)


def test_names_paint_nothing() -> None:
    """Of a user's text, neither a terminal's codes nor rich's own are followed."""
    pytest.importorskip("rich")
    painted = coloured([Rows(((f"\x1b[41m[red]{HOSTILE}", "1.0"),)), "`[bold]x[/bold]` is :smile:"], Terminal())
    assert "\x1b[41m" not in painted
    assert "[red]a</script>" in painted
    assert "\x1b[36m`[bold]x[/bold]`\x1b[0m is :smile:" in painted


@pytest.mark.parametrize("why", ["no terminal", "closed", "none", "NO_COLOR", "TERM", "no rich"])
def test_it_is_plain(why: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO() if why == "no terminal" else None if why == "none" else Terminal()
    if why in ("NO_COLOR", "TERM"):
        monkeypatch.setenv(why, "dumb")
    elif why == "no rich":
        monkeypatch.setitem(sys.modules, "rich.console", None)
    elif why == "closed":
        Terminal.close(stream := Terminal())
    log = read_out()
    assert coloured(parts(log), stream) == text(log)


def test_colours_can_be_had_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in the logs of a CI."""
    pytest.importorskip("rich")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert PAINT.search(coloured(parts(read_out()), io.StringIO()))
