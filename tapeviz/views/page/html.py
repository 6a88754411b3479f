"""A payload -> one offline page; a log -> the same page in a file, or in the output of a cell.

The page holds the debugger, its styles and the payload, and reaches nothing else. All three are deflated, as a
notebook keeps them once per output. In a cell the page stands in a sandboxed frame below a still picture, which is
what is left where a front end drops frames.
"""

from __future__ import annotations

import base64
import json
import re
import sys
import zlib
from collections.abc import Mapping
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from tapeviz.events.defaults import Defaults
from tapeviz.events.doors import page_path
from tapeviz.events.uncollected import uncollected
from tapeviz.markup import theme
from tapeviz.markup.offline import offline
from tapeviz.views import frontend
from tapeviz.views.drawing.picture import picture
from tapeviz.views.drawing.svg import img, svg
from tapeviz.views.payload import payload
from tapeviz.views.payload.columns import pack
from tapeviz.views.payload.notes import checked
from tapeviz.views.reading import Reading, read
from tapeviz.views.reports.text import text
from tapeviz.views.scene import scene

__all__ = ["bundle", "document", "save_html", "show", "still", "unpacked"]

# In a frame, the page is told the colour of the text around it; it listens before the frame's `load`.
LISTENING = 'addEventListener("message", ({ data }) => { document.documentElement.style.color = data; });'
HEIGHT = 640
STYLE = Template("""
html { color-scheme: light dark; background: $light }
@media (prefers-color-scheme: dark) { html { background: $dark } }
html:has([data-theme="light"]) { background: $light }
html:has([data-theme="dark"]) { background: $dark }
body { margin: 0 }
h1 { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%) }
.tapeviz { --height: 100vh; --radius: 0px; --frame: 0px; --resize: none }
""")
BODY = Template("""\
<main><h1>$title</h1></main>
<script type="text/plain" id="tapeviz-packed">$packed</script>
<script type="module">
$unpacking</script>
""")
PARTS = {"tapeviz-payload": "application/json", "tapeviz-styles": "text/plain", "tapeviz-module": "module"}
"""The script elements that a page unpacks, in this order: id -> type. The last is run when it is there."""
UNPACKING = """\
const bytes = Uint8Array.from(atob(document.getElementById("tapeviz-packed").textContent), each => each.charCodeAt(0));
const packed = new Blob([bytes]).stream();
try {
  const text = await new Response(packed.pipeThrough(new DecompressionStream("deflate"))).text();
  const types = %s;
  for (const [index, part] of text.split("\\0").entries()) {
    const [id, type] = Object.entries(types)[index];
    const script = Object.assign(document.createElement("script"), { id, type, textContent: part });
    document.body.append(script);
  }
} catch (error) {
  document.querySelector("main").append(`This page needs a browser of 2023 or newer (${error.message}).`);
}
"""
# The frame comes in the place of the picture, and is told the colour of the text around it, which it cannot see; how
# that changes is told in color_theme.js.
ONLOAD = (
    f"this.style.height='{HEIGHT}px';this.closest('.tapeviz-output').querySelector('img').style.display='none';"
    "let tell=()=>this.contentWindow?.postMessage(getComputedStyle(this).color,'*');tell();this.ontransitionend=tell;"
    "new MutationObserver(tell).observe(document.body,{attributes:true})"
)
CELL = Template("""\
<div class="tapeviz-output">
$picture
<iframe title="$title" loading="lazy" sandbox="allow-scripts allow-downloads allow-popups"
 allow="clipboard-write; fullscreen"
 style="display:block;box-sizing:border-box;width:100%;height:0;border:1px solid $line;border-radius:10px;
overflow:hidden;resize:vertical;transition:color 1ms"
 onload="$onload"
 srcdoc='$page'></iframe>
</div>""")


@uncollected
def document(content: dict[str, Any]) -> str:
    """The page for a payload: HTML that needs no other file, no network and no kernel.

    >>> page = document({"title": "</script>", "scene": {"nodes": []}})
    >>> page.count("</script>")
    3
    """
    # JSON writes a NUL as an escape, and no source of ours holds one: it can stand between the parts.
    parts = (
        json.dumps(pack(content), ensure_ascii=False, separators=(",", ":")),
        frontend.css(),
        frontend.module("page.js"),
    )
    body = BODY.substitute(
        title=escape(content["title"]),
        packed=base64.b64encode(zlib.compress("\0".join(parts).encode())).decode(),
        unpacking=UNPACKING % json.dumps(PARTS),
    )
    style = STYLE.substitute(light=theme.colour("paper"), dark=theme.colour("paper", "dark"))
    return offline(content["title"], style, body, LISTENING)


def unpacked(page: str) -> dict[str, str]:
    """The parts of a page, by their ids.

    >>> sorted(unpacked(document({"title": "a"})))
    ['tapeviz-module', 'tapeviz-payload', 'tapeviz-styles']
    """
    [packed] = re.findall(r'id="tapeviz-packed">([^<]*)<', page)
    parts = zlib.decompress(base64.b64decode(packed)).decode().split("\0")
    return dict(zip(PARTS, parts, strict=True))


def save_html(
    log_or_tape: Any,
    path: str | Path,
    *,
    values: str = "kept",
    sources: bool = True,
    notes: Mapping[int, str] | None = None,
) -> Path:
    """Write the debugger of a log, or of anything with `.log`, into one HTML file; return its path.

    The file opens offline in any browser, at a step of its own with `#step=5`, as a lecture with `#lecture`. `notes`
    are plain words, without markup, for steps of the backward pass, such as `{1: "The square comes first."}`; 0 is
    the moment before the first. The file holds the numbers of the program unless `values="none"`, its source lines
    and file names unless `sources=False`.

    Raises:
        ValueError: a path that does not end in .html, a note for a step that is not there, or an unknown `values`.
        TypeError: notes that are not by step.
        FileNotFoundError: a folder that is not there.

    >>> import tempfile
    >>> import tapeviz as tf
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * x * x
    >>> save_html(tape, Path(tempfile.mkdtemp()) / "cube.html").name
    'cube.html'
    """
    path = page_path(path)
    reading = read(log_or_tape)
    packed = payload(reading, values=Defaults.keeps(values), sources=sources, notes=checked(notes, reading))
    path.write_text(document(packed), encoding="utf-8")
    return path


def bundle(log_or_tape: Any) -> dict[str, str]:
    """What a notebook shows for a log or a tape, by MIME type: the page in a frame, and one line of text.

    It needs no kernel and survives saving, reopening and nbconvert; where frames are dropped the picture stays.
    """
    reading = read(log_or_tape)
    return {"text/html": in_cell(reading, document(payload(reading))), "text/plain": repr(log_or_tape)}


def in_cell(reading: Reading, page: str) -> str:
    """A page in a frame, below the picture of a log, which is what is left where a front end drops frames."""
    return CELL.substitute(
        line=theme.LINE,
        picture=still(reading),
        title=escape(reading.title),
        onload=ONLOAD,
        # Single quotes outside: the page has double ones, and each would cost six characters.
        page=page.replace("&", "&amp;").replace("'", "&#39;"),
    )


def show(log_or_tape: Any) -> None:
    """Show a log or a tape here and now: the page in a notebook; ops, gradients and findings as text in a terminal.

    >>> import tapeviz as tf
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * x
    >>> _ = tape.gradient(y, x)
    >>> show(tape)
    tape of 1 op
    ...
    gradient of y:
      x  6.0
    """
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if shell is None:
        print(text(log_or_tape))
    else:
        shell.display_pub.publish(bundle(log_or_tape))


def still(reading: Reading) -> str:
    """The static picture, which stays in a notebook."""
    return img(svg(picture(scene(reading))), reading.title)
