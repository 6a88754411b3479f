"""Several recordings -> one offline page with one debugger, and with what switches it from one to another."""

from __future__ import annotations

from collections.abc import Mapping

from tapeviz.markup.offline import offline
from tapeviz.views import frontend
from tapeviz.views.page.document import LISTENING, PAPER, ScriptPart, deflated

STYLE = """
html:has(body[data-theme="light"]) { color-scheme: light }
html:has(body[data-theme="dark"]) { color-scheme: dark }
body { font-family: system-ui, sans-serif }
header { display: flex; padding: .4em 1em }
h1 { font-size: 1em; margin: 0 }
.tapeviz { --height: calc(100vh - 3em); --radius: 0px; --frame: 0px; --resize: none }
"""


def switched_page(title: str, style: str, body: str, data: Mapping[str, str], module: str) -> str:
    """The page: HTML that needs no other file, no network and no kernel.

    Args:
        title: what the page is called.
        style: rules for its own elements.
        body: its elements, as HTML, one with the id `debugger` among them.
        data: the JSON of its scripts, by their ids: the recordings, and what else the module reads.
        module: the module of the front end that opens it.
    """
    parts = (
        *(ScriptPart(name, "application/json", each) for name, each in data.items()),
        ScriptPart("tapeviz-styles", "text/plain", frontend.css()),
        ScriptPart("tapeviz-module", "module", frontend.module(module)),
    )
    return offline(title, f"{PAPER}{STYLE}{style}", f"{body}\n{deflated(parts)}", LISTENING)
