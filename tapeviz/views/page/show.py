"""A log -> what a notebook or a terminal shows of it.

In a cell the page stands in a sandboxed frame below a still picture. Where frames are dropped, as in a notebook from
elsewhere that Jupyter does not trust yet, the picture is what is left, and a line says how to get the page.
"""

from __future__ import annotations

import sys
from html import escape
from string import Template
from typing import Any

from tapeviz.diagnosis.ranks.spread import spread
from tapeviz.events.collector_paused import collector_paused
from tapeviz.events.store.ranks import Ranks
from tapeviz.markup import theme
from tapeviz.views.drawing.picture import picture
from tapeviz.views.drawing.svg import img, svg
from tapeviz.views.page.document import document
from tapeviz.views.page.ranks_page import ranks_page
from tapeviz.views.payload import payload
from tapeviz.views.reading import Reading, read
from tapeviz.views.reports.text import text
from tapeviz.views.scene import scene

HEIGHT = 640
# Once the frame is loaded it takes the place of the picture. It cannot see the colour of the text around it, so it is
# told, whenever that changes; color_theme.js tells how that is noticed.
ONLOAD = (
    f"this.style.height='{HEIGHT}px';this.closest('.tapeviz-output').querySelectorAll('img,small').forEach(each=>each.style.display='none');"
    "let tell=()=>this.contentWindow?.postMessage(getComputedStyle(this).color,'*');tell();this.ontransitionend=tell;"
    "new MutationObserver(tell).observe(document.body,{attributes:true})"
)
HINT = "A still picture. To step through it, run the cell, or trust the notebook: Trust Notebook, among its commands."
CELL = Template("""\
<div class="tapeviz-output">
$picture
<small style="display:block">$hint</small>
<iframe title="$title" loading="lazy" sandbox="allow-scripts allow-downloads allow-popups"
 allow="clipboard-write; fullscreen"
 style="display:block;box-sizing:border-box;width:100%;height:0;border:1px solid $line;border-radius:10px;
overflow:hidden;resize:vertical;transition:color 1ms"
 onload="$onload"
 srcdoc='$page'></iframe>
</div>""")


@collector_paused
def bundle(log_or_tape: Any) -> dict[str, str]:
    """What a notebook shows for a log or a tape, by MIME type: the page in a frame, and one line of text.

    It needs no kernel and survives saving, reopening and nbconvert; where frames are dropped the picture stays.
    """
    if isinstance(log_or_tape, Ranks):
        shown = in_cell(spread(log_or_tape)._repr_html_(), str(log_or_tape), ranks_page(log_or_tape))
        return {"text/html": shown, "text/plain": repr(log_or_tape)}
    reading = read(log_or_tape)
    shown = in_cell(still(reading), reading.title, document(payload(reading)))
    return {"text/html": shown, "text/plain": repr(log_or_tape)}


def in_cell(picture: str, title: str, page: str) -> str:
    """A page in a frame, below a still picture, which is what is left where a front end drops frames."""
    return CELL.substitute(
        line=theme.LINE,
        picture=picture,
        hint=HINT,
        title=escape(title),
        onload=ONLOAD,
        # Single quotes outside: the page has double ones, and each would cost six characters.
        page=page.replace("&", "&amp;").replace("'", "&#39;"),
    )


def show(log_or_tape: Any) -> None:
    """Show a log or a tape here and now: the page in a notebook; ops, gradients and findings as text in a terminal.

    Args:
        log_or_tape: a log, anything with `.log`, such as a tape, or the logs of several ranks.

    Raises:
        TypeError: `log_or_tape` neither is a log nor has one.

    >>> import tapeviz as tf
    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * x
    >>> _ = tape.gradient(y, x)
    >>> show(tape)
    tape of 1 op, y = 9.0
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
