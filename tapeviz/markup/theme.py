"""Role -> colour. The only place with colours (shadows apart); everything that is shown names roles.

A role that text is written in keeps a contrast of at least 4.5:1 to every role that lies under it. No meaning hangs on
a colour alone: what is dead is dashed, what is cut is struck through, and both carry a word.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Mode: TypeAlias = Literal["light", "dark"]
Tone: TypeAlias = Literal["", "soft", "faint", "error", "warning", "hint", "better"]
"""How a text in an output cell is set off from the others: not at all, by being fainter, or by a colour under it."""

COLOURS: dict[str, tuple[str, str]] = {
    # what lies under
    "paper": ("#ffffff", "#14171c"),
    "op": ("#eef3fb", "#1e2835"),
    "variable": ("#fdf0d9", "#3a2c12"),
    "constant": ("#f5f6f8", "#1d2126"),
    "state": ("#f1ebfa", "#2c2340"),
    "group": ("#eaf0f8", "#222b37"),
    "frame": ("#f7f9fc", "#171b21"),
    "dead": ("#f4f4f5", "#1a1c20"),
    "raised": ("#f7f8fa", "#1b1f26"),
    "gradient-soft": ("#e3f5ec", "#123528"),
    "cut-soft": ("#fdecec", "#3d2024"),
    "warning-soft": ("#fdf3dd", "#3a2e14"),
    "mark": ("#fff1b8", "#4a4118"),
    # lines around and between
    "op-line": ("#5b7fb5", "#6f95cc"),
    "variable-line": ("#b3750f", "#d79a35"),
    "constant-line": ("#7c8794", "#87929f"),
    "state-line": ("#7d5bb5", "#a98be0"),
    "group-line": ("#4d6c99", "#86a5d3"),
    "frame-line": ("#c3cfdf", "#3c4858"),
    "dead-line": ("#a0a6ae", "#666d77"),
    "edge": ("#7c8794", "#87929f"),
    "gradient": ("#0b7a4b", "#3ecf8e"),
    "cut": ("#c62828", "#ff8a80"),
    "hairline": ("#e1e5ea", "#323944"),
    # text
    "ink": ("#16202c", "#eef2f6"),
    "soft": ("#4c5865", "#b3bdc8"),
    "faint": ("#62676e", "#9aa1ab"),
    "on-cut": ("#ffffff", "#2b0808"),
    "on-gradient": ("#ffffff", "#06281a"),
    "warning": ("#8a5a00", "#f0b95b"),
    # a heat map: nothing, the most, and the most below zero
    "heat-low": ("#eef1f5", "#1f2630"),
    "heat-high": ("#1f5fae", "#7db4ff"),
    "heat-below": ("#b0541a", "#f5a15c"),
}

TONES: dict[Tone, str] = {"error": "#c4314b", "warning": "#b7791f", "hint": "#3b82a0", "better": "#2e7d32"}
"""For edges in an output cell, whose paper may be light or dark: what is bad, doubtful, open, no longer so."""

LINE, GROUND = "rgba(128,128,128,.4)", "rgba(128,128,128,.15)"
"""There likewise: around things, and under them."""

FONT = "Inter, 'Helvetica Neue', Helvetica, Arial, 'Liberation Sans', sans-serif"


def colour(role: str, mode: Mode = "light") -> str:
    """The hex colour of a role.

    >>> colour("paper"), colour("paper", "dark")
    ('#ffffff', '#14171c')
    """
    return COLOURS[role][mode == "dark"]


def css_variables(mode: Mode) -> str:
    """Every role as a CSS variable: `--tv-paper:#ffffff;--tv-op:...`."""
    return "".join(f"--tv-{role}:{pair[mode == 'dark']};" for role, pair in COLOURS.items())


def tint(tone: Tone) -> str:
    """The style of what lies on a tone in an output cell: its colour, thinly."""
    return f"background:{TONES[tone]}2e;"
