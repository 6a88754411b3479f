"""A hostile string -> pages of ten kinds that hold it in every place a program can put it; in Chromium, what they do.

A page is told apart from what it holds by what it does: it runs nothing of the string, asks for nothing, breaks no
script of its own, and shows the string as it is.
"""

from __future__ import annotations

import linecache
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from html import escape
from itertools import product
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

import tapeviz as tv
from tapeviz.events import EventLog
from tapeviz.markup.offline import reading_page
from tapeviz.views.page.show import bundle
from tapeviz.views.words.one_line import one_line
from tests.hostile.edits import shown
from tests.hostile.exporters import history_of

RUN = "ran=1"
SETTLED = 50
"""Milliseconds in which a page does what it does when it is opened."""
BREAKS = ("", "</script>", "-->", "]]>", "'>", '">', "</title>", "</svg>", "</style>", "\\u003c", "`", "${", "\\", "*/")
CARRIERS = (
    *(f"<img src=x onerror={RUN}>", f"<script>{RUN}</script>", f"<svg onload={RUN}>", f"<a href=javascript:{RUN}>x"),
    *(f"{RUN}//", "{x}", r"\text{<b>}", "<!--<script>", "&lt;b&amp;", "\u202eabc", "a\u0301\u2028b", "{{7*7}}", "%s%n"),
    *(f"<iframe srcdoc={RUN}>", "https://evil.invalid/x", "url(//evil.invalid)"),
)
STRINGS = [f"{start}{carrier}" for start, carrier in product(BREAKS, CARRIERS)]
"""What a page could take for its own: it leaves what it stands in, and then does something."""

Kind = Callable[[EventLog, str, Path], str]


SOURCE = """
def step():
    w, z = tv.Variable([1.0, 2.0], name=NAME), tv.Variable(1.0, name="z")
    with tv.record() as log:
        with tv.GradientTape(persistent=True) as tape:
            h = tv.nn.relu(w * z)  # {text}
            loss = tv.reduce_sum(tv.constant(h.numpy()) * z)
        tape.gradient(loss, [w, z])
        tape.gradient(tv.reduce_sum(h), w)
        LOGS.append(log)
        raise ValueError(NAME)
"""


def program(text: str) -> EventLog:
    """The log of a program with the string as name of a variable and of its file, in a line, and as its error."""
    source, filename, logs = SOURCE.replace("{text}", text), f"{text}.py", list[EventLog]()
    linecache.cache[filename] = len(source), None, source.splitlines(keepends=True), filename
    namespace: dict[str, Any] = {"tv": tv, "NAME": text, "LOGS": logs}
    exec(compile(source, filename, "exec"), namespace)
    with suppress(ValueError):
        namespace["step"]()
    del linecache.cache[filename]
    return logs[0]


def _written(save: Callable[[Path], object], folder: Path) -> str:
    path = folder / "saved.html"
    save(path)
    return path.read_text(encoding="utf-8")


def _in_page(html: str) -> str:
    return reading_page("page", html)


KINDS: dict[str, Kind] = {
    "the debugger": lambda log, text, folder: _written(
        lambda path: tv.save_html(log, path, notes={0: text, 1: text}), folder
    ),
    "an output cell": lambda log, text, folder: _in_cell(bundle(log)["text/html"]),
    "a comparison": lambda log, text, folder: tv.compare(log, log).html(),
    "both modes": lambda log, text, folder: tv.modes(lambda x: tv.Variable(x, name=text) * x, x=3.0).html(),
    "a table": lambda log, text, folder: tv.table(log).html(),
    "findings": lambda log, text, folder: _in_page(tv.diagnose(log)._repr_html_()),
    "an answer": lambda log, text, folder: _in_page(tv.why(log, "loss", text)._repr_html_()),
    "a picture": lambda log, text, folder: tv.draw(log).text,
    "a history": lambda log, text, folder: _in_page(history_of(log)._repr_html_()),
    "a report": lambda log, text, folder: _in_page(f"<pre>{escape(shown(log))}</pre>"),
}
"""Ten kinds of page."""


def _in_cell(html: str) -> str:
    """An output as a notebook shows it: in a page that has other things, too, and no policy of ours."""
    return f"<!doctype html><meta charset=utf-8><title>notebook</title><body>{html}</body>"


def ending_of(kind: str) -> str:
    """What the name of a page's file ends in."""
    return ".svg" if kind == "a picture" else ".html"


SEEN = """() => {
  const seen = [];
  const look = (root) => {
    for (const node of root.querySelectorAll("*")) {
      for (const each of node.attributes) if (["title", "aria-label", "alt"].includes(each.name)) seen.push(each.value);
      if (node.shadowRoot) look(node.shadowRoot);
      if (!["SCRIPT", "STYLE"].includes(node.tagName)) for (const each of node.childNodes)
        if (each.nodeType === 3) seen.push(each.data);
    }
  };
  look(document);
  return seen.join("");
}"""
"""All that a page shows or says."""
LEAST = 20
"""Characters that are there of a string that is shortened."""


class Watch:
    """A page of a browser that opens one file after the other, and what each does that it should not.

    The policy of a page is a second wall: here there is only the first.
    """

    def __init__(self, browser: Browser) -> None:
        self._page = browser.new_page(bypass_csp=True)
        self._asked: list[str] = []
        self._failed: list[str] = []
        self._page.on("request", lambda request: self._asked.append(request.url))
        self._page.on("pageerror", lambda error: self._failed.append(str(error)))

    def close(self) -> None:
        """Close the page."""
        self._page.close()

    def wrong(self, text: str, folder: Path) -> Iterator[str]:
        """What is wrong with the page of each kind that holds a string."""
        log = program(text)
        for kind, page in KINDS.items():
            path = folder / f"page{ending_of(kind)}"
            path.write_text(page(log, text, folder), encoding="utf-8")
            yield from (f"{kind} of {text!r}: {told}" for told in self._wrong(path, text))

    def _wrong(self, path: Path, text: str) -> Iterator[str]:
        self._asked.clear()
        self._failed.clear()
        self._page.goto(path.as_uri())
        self._page.wait_for_timeout(SETTLED)
        frames = self._page.frames
        if any(frame.evaluate("window.ran") is not None for frame in frames):
            yield "it ran"
        yield from (f"it asked for {each}" for each in self._asked if not _is_its_own(each, path))
        yield from (f"it threw {each}" for each in self._failed)
        if not is_shown(text, "".join(frame.evaluate(SEEN) for frame in frames)):
            yield "it does not show the string"


def _is_its_own(address: str, path: Path) -> bool:
    return address == path.as_uri() or address.startswith(("data:", "about:"))


def is_shown(text: str, seen: str) -> bool:
    """Whether a string is in what a page shows: whole, or shortened, which three dots tell.

    >>> is_shown("a b\u202e", "<ab\ufffd>"), is_shown("a" * 30, f"{'a' * 20}…"), is_shown("ab", "a")
    (True, True, False)
    """
    found = _unspaced(seen)
    forms = {_unspaced(text), _unspaced(one_line(text))}
    cuts = {f"{form[:length]}…" for form in forms for length in range(LEAST, len(form))}
    return any(form in found for form in forms | cuts)


def _unspaced(text: str) -> str:
    """Without what lines are broken at."""
    return re.sub(r"\s+", "", text)
