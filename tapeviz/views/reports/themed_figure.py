"""A matplotlib figure that a notebook shows light or dark, as its reader prefers, as it does what `draw` draws."""

from __future__ import annotations

import re
from io import StringIO

from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from tapeviz.markup.theme import COLOURS, colour
from tapeviz.views.drawing.svg import img

DARK = dict(reversed(COLOURS.values())) | {
    to_hex("black"): colour("ink", "dark"),
    to_hex("tab:blue"): colour("op-line", "dark"),
    to_hex("tab:orange"): colour("variable-line", "dark"),
    to_hex("tab:green"): colour("gradient", "dark"),
    to_hex("tab:red"): colour("cut", "dark"),
}
"""What is painted in a colour of ours, or in one of the first that matplotlib takes -> its colour in the dark."""
PAINT = re.compile(r"\b(fill|stroke): (#[0-9a-f]{6})\b")
MOST_TEXT = 400_000
"""A figure of more letters is left to the notebook, which shows it as it shows any."""


class ThemedFigure(Figure):
    """It has no paper of its own in a notebook; a file that it is saved to has what matplotlib gives it."""

    def _repr_html_(self) -> str | None:
        written = StringIO()
        self.savefig(written, format="svg", transparent=True, metadata={"Date": None})
        text = written.getvalue()
        if len(text) > MOST_TEXT:
            return None
        titles = [axes.get_title() for axes in self.axes]
        return img(text.replace("<defs>", f"<style>{_dark(text)}</style>\n<defs>", 1), "; ".join(filter(None, titles)))


def _dark(text: str) -> str:
    """The style sheet of a figure: each paint that the text has, in the dark; what has none is black."""
    rules = [f"svg{{fill:{colour('ink', 'dark')}}}"]
    for paint, light in sorted(set(PAINT.findall(text))):
        if light in DARK:
            rules.append(f'[style*="{paint}: {light}"]{{{paint}:{DARK[light]}!important}}')
    return f"@media (prefers-color-scheme:dark){{{''.join(rules)}}}"
