"""A payload -> one offline page.

It holds the debugger, its styles and the payload, and loads nothing else. All three are compressed (`deflated`), since
a notebook keeps them once for every output.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Sequence
from html import escape
from string import Template
from typing import Any, NamedTuple

from tapeviz.events.collector_paused import collector_paused
from tapeviz.markup import theme
from tapeviz.markup.offline import offline
from tapeviz.views import frontend
from tapeviz.views.payload.columns import pack

# In a frame, the page is told the colour of the text around it; it listens before the frame's `load`.
LISTENING = 'addEventListener("message", ({ data }) => { document.documentElement.style.color = data; });'
_PAPER = Template("""
html { color-scheme: light dark; background: $light }
@media (prefers-color-scheme: dark) { html { background: $dark } }
html:has([data-theme="light"]) { background: $light }
html:has([data-theme="dark"]) { background: $dark }
body { margin: 0 }
""")
PAPER = _PAPER.substitute(light=theme.colour("paper"), dark=theme.colour("paper", "dark"))
"""The background of a page, in the colour theme of what is on it, or of what is around it."""
STYLE = """
h1 { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%) }
.tapeviz { --height: 100vh; --radius: 0px; --frame: 0px; --resize: none }
"""
BODY = Template("""\
<main><h1>$title</h1></main>
$parts""")
PACKED = Template("""\
<script type="text/plain" id="tapeviz-packed">$packed</script>
<script type="module">
$unpacking</script>
""")
EFFORT = 5
"""How hard to compress: the next level takes half as long again, for one hundredth less."""
UNPACKING = """\
const types = %s;
const bytes = Uint8Array.from(atob(document.getElementById("tapeviz-packed").textContent), each => each.charCodeAt(0));
const packed = new Blob([bytes]).stream();
try {
  const text = await new Response(packed.pipeThrough(new DecompressionStream("deflate"))).text();
  for (const [index, part] of text.split("\\0").entries()) {
    const [id, type] = Object.entries(types)[index];
    const script = Object.assign(document.createElement("script"), { id, type, textContent: part });
    document.body.append(script);
  }
} catch (error) {
  document.querySelector("main").append(`This page needs a browser of 2023 or newer (${error.message}).`);
}
"""


@collector_paused
def document(content: dict[str, Any]) -> str:
    """The page for a payload: HTML that needs no other file, no network and no kernel.

    >>> page = document({"title": "</script>", "scene": {"nodes": []}})
    >>> page.count("</script>")
    3
    """
    parts = (
        ScriptPart("tapeviz-payload", "application/json", packed_json(content)),
        ScriptPart("tapeviz-styles", "text/plain", frontend.css()),
        ScriptPart("tapeviz-module", "module", frontend.module("page.js")),
    )
    body = BODY.substitute(title=escape(content["title"]), parts=deflated(parts))
    return offline(content["title"], f"{PAPER}{STYLE}", body, LISTENING)


class ScriptPart(NamedTuple):
    """A script or data that stands compressed in a page, and is put into it when it opens."""

    id: str
    type: str
    text: str


def packed_json(content: Any) -> str:
    """A JSON value by columns, which `frontend/columns.js` reads."""
    return json.dumps(pack(content), ensure_ascii=False, separators=(",", ":"))


def packed_size(text: str) -> int:
    """About how many bytes of a page a part takes."""
    return len(zlib.compress(text.encode(), 1)) * 4 // 3


def deflated(parts: Sequence[ScriptPart]) -> str:
    """Script elements as one small text, and the script that makes them of it, in their order; a module runs then."""
    # JSON writes a NUL as an escape, and no source of ours holds one: it can stand between the parts.
    packed = base64.b64encode(zlib.compress("\0".join(part.text for part in parts).encode(), EFFORT)).decode()
    types = json.dumps({part.id: part.type for part in parts})
    return PACKED.substitute(packed=packed, unpacking=UNPACKING % types)


def unpacked(page: str) -> dict[str, str]:
    """The parts of a page, by their ids.

    >>> sorted(unpacked(document({"title": "a"})))
    ['tapeviz-module', 'tapeviz-payload', 'tapeviz-styles']
    """
    [packed] = re.findall(r'id="tapeviz-packed">([\w+/=]*)<', page)
    [types] = re.findall(r"^const types = (.*);$", page, re.MULTILINE)
    parts = zlib.decompress(base64.b64decode(packed)).decode().split("\0")
    return dict(zip(json.loads(types), parts, strict=True))
