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

from playwright.sync_api import Browser, Page

import tapeviz as tv
from tapeviz.events import EventLog
from tapeviz.markup.offline import reading_page
from tapeviz.views.page.show import bundle
from tests.hostile.exporters import history_of

RUN = "top.ran=1"
BREAKS = ("", "</script>", "-->", "]]>", "'>", '">', "</title>", "</svg>", "</style>", "\\u003c", "`", "${", "\\", "*/")
CARRIERS = (
    *(f"<img src=x onerror={RUN}>", f"<script>{RUN}</script>", f"<svg onload={RUN}>", f"<a href=javascript:{RUN}>x"),
    *(f"{RUN}//", "{x}", r"\text{<b>}", "<!--<script>", "&lt;b&amp;", "\u202eabc", "a\u0301\u2028b", "{{7*7}}", "%s%n"),
    *(f"<iframe srcdoc={RUN}>", "https://evil.invalid/x", "url(//evil.invalid)"),
)
STRINGS = [f"{start}{carrier}" for start, carrier in product(BREAKS, CARRIERS)]
"""What a page could take for its own: it leaves what it stands in, and then does something."""

Kind = Callable[[Any, str, Path], str]


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
    "a report": lambda log, text, folder: _in_page(f"<pre>{escape(str(tv.depth(log)))}</pre>"),
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
      if (node.contentDocument) look(node.contentDocument);
      if (!["SCRIPT", "STYLE"].includes(node.tagName)) for (const each of node.childNodes)
        if (each.nodeType === 3) seen.push(each.data);
    }
  };
  look(document);
  return seen.join("\\n");
}"""
"""All that a page shows or says."""


def wrong(browser: Browser, kind: str, text: str, folder: Path) -> list[str]:
    """What a page does that it should not."""
    page = browser.new_page(bypass_csp=True)  # what the test asks of it is evaluated
    try:
        return list(_wrong(page, kind, text, folder))
    finally:
        page.close()


def _wrong(page: Page, kind: str, text: str, folder: Path) -> Iterator[str]:
    path = folder / f"page{ending_of(kind)}"
    path.write_text(KINDS[kind](program(text), text, folder), encoding="utf-8")
    asked: list[str] = []
    failed: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: failed.append(str(error)))
    page.goto(path.as_uri())
    page.wait_for_timeout(50)
    if page.evaluate("window.ran") is not None:
        yield "it ran"
    yield from (f"it asked for {each}" for each in asked if each != path.as_uri() and not each.startswith("data:"))
    yield from (f"it threw {each}" for each in failed)
    if _plain(text) not in _plain(page.evaluate(SEEN)):
        yield "it does not show the string"


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text)
