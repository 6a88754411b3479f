"""Picture -> matplotlib figure, for PNG and PDF. One px of the picture is one point of the figure."""

from __future__ import annotations

import io
import re
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Any
from unicodedata import east_asian_width

import numpy as np

from tapeviz.markup.theme import Mode, colour
from tapeviz.phrases import not_installed
from tapeviz.views.drawing.marks import Curve, Mark, Picture, Polygon, Rect, Stroke, Text
from tapeviz.views.layout import Point

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.font_manager import FontProperties

RESOLUTION = 144
FINE = 100
"""The size in which a text is measured."""
LARGEST_SIDE = 16_000
"""Pixels; beyond it the resolution falls. Browsers show no larger image, and few programs open one."""
MISSING = re.compile(r"Glyph (\d+) .*missing from")
"""How matplotlib warns of a character that no font has."""
WIDE_FONTS = (
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Source Han Sans", "WenQuanYi Micro Hei", "Hiragino Sans", "PingFang SC"),
    *("Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "Arial Unicode MS"),
)
"""Fonts with Chinese, Japanese and Korean characters, which matplotlib's own lacks."""


def render(picture: Picture, format: str, mode: Mode = "light") -> bytes:
    """The picture as a file of a format that matplotlib writes: "png", "pdf", ..."""
    file = io.BytesIO()
    longest = max(picture.width, picture.height, 1.0) / 72
    metadata: dict[str, Any] = {"Title": picture.title} | ({"CreationDate": None} if format == "pdf" else {})
    resolution = min(RESOLUTION, LARGEST_SIDE / longest)
    if format == "png" and resolution < 72:
        warnings.warn(
            f"The picture is {picture.width:,.0f} by {picture.height:,.0f} px, and a PNG has at most {LARGEST_SIDE:,} "
            f"a side: it is drawn at {resolution / 72:.0%} of its size. As SVG or PDF it is whole.",
            stacklevel=4,
        )
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure(picture, mode).savefig(file, format=format, dpi=resolution, metadata=metadata)
    _pass_on(caught)
    return file.getvalue()


def _pass_on(caught: list[warnings.WarningMessage]) -> None:
    """One warning for all characters that no font has; every other warning as it came."""
    found = [(each, MISSING.match(str(each.message))) for each in caught]
    missing = "".join(dict.fromkeys(chr(int(match[1])) for _, match in found if match))
    if missing:
        warnings.warn(
            f"No font that matplotlib finds here has {missing}: the picture shows boxes in their place. Install one "
            "that has (Noto Sans CJK has Chinese, Japanese and Korean), or draw as SVG: its reader's fonts write it.",
            stacklevel=5,
        )
    for each, match in found:
        if match is None:
            warnings.warn_explicit(each.message, each.category, each.filename, each.lineno)


def figure(picture: Picture, mode: Mode = "light") -> Figure:
    """The picture as a figure of its own, which no backend knows and no `plt.show` shows.

    Raises:
        ModuleNotFoundError: matplotlib is not installed.
    """
    try:
        from matplotlib.figure import Figure
    except ModuleNotFoundError:
        words = not_installed("Pictures other than SVG and DOT are painted by", "matplotlib")
        raise ModuleNotFoundError(words) from None
    made = Figure(figsize=(picture.width / 72, picture.height / 72), facecolor=colour("paper", mode))
    axes = made.add_axes((0, 0, 1, 1))
    axes.set_axis_off()
    axes.set_xlim(0, picture.width)
    axes.set_ylim(picture.height, 0)
    for group in picture.groups:
        for mark in group.marks:
            _paint(axes, mark, mode)
    return made


def _paint(axes: Axes, mark: Mark, mode: Mode) -> None:
    match mark:
        case Rect():
            _rect(axes, mark, mode)
        case Curve():
            _curve(axes, mark, mode)
        case Stroke(start=(x, y), end=(to_x, to_y)):
            line = colour(mark.line, mode)
            axes.plot([x, to_x], [y, to_y], color=line, linewidth=mark.thickness, solid_capstyle="round")
        case Polygon():
            from matplotlib.patches import Polygon as Patch

            axes.add_artist(Patch(mark.points, closed=True, facecolor=colour(mark.fill, mode), linewidth=0, zorder=2))
        case Text():
            _text(axes, mark, mode)


def _rect(axes: Axes, rect: Rect, mode: Mode) -> None:
    from matplotlib.patches import FancyBboxPatch

    patch = FancyBboxPatch(
        (rect.x, rect.y),
        rect.w,
        rect.h,
        boxstyle=f"round,pad=0,rounding_size={rect.corner}",
        facecolor=colour(rect.fill, mode),
        edgecolor=colour(rect.line, mode) if rect.line else "none",
        linewidth=rect.thickness if rect.line else 0,
        linestyle=_style(rect.dash, rect.thickness),
        zorder=2,
    )
    axes.add_artist(patch)


def _curve(axes: Axes, curve: Curve, mode: Mode) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    vertices: list[Point] = []
    codes: list[int] = []
    for segment in curve.segments():
        vertices += segment
        code = Path.MOVETO if not codes else Path.LINETO if len(segment) == 1 else Path.CURVE4
        codes += [int(code)] * len(segment)
    patch = PathPatch(
        Path(vertices, codes),
        facecolor="none",
        edgecolor=colour(curve.line, mode),
        linewidth=curve.thickness,
        linestyle=_style(curve.dash, curve.thickness),
        capstyle="butt",
        zorder=2,
    )
    axes.add_artist(patch)


def _style(dash: tuple[float, float] | None, thickness: float) -> Any:
    """A line style; matplotlib counts dashes in widths of the line, where a picture counts px."""
    return (0, tuple(length / thickness for length in dash)) if dash else "-"


def _text(axes: Axes, text: Text, mode: Mode) -> None:
    """The font is the one that comes with matplotlib, which runs wide: a text too long for its box gets smaller."""
    size = text.size
    if text.room is not None and text.text.strip():
        width = _width(text.text, text.bold) * size
        size = min(size, size * text.room / width) if width else size
    axes.text(
        text.x,
        text.y,
        text.text,
        fontproperties=_font(text.text, text.bold),
        fontsize=size,
        color=colour(text.role, mode),
        ha="center" if text.centred else "left",
        va="baseline",
        parse_math=False,
        zorder=3,
    )


@lru_cache(maxsize=10_000)
def _width(text: str, bold: bool) -> float:
    """How wide a text is at size 1; the pages of an animation write the same texts again and again."""
    from matplotlib.textpath import TextPath

    outline = TextPath((0, 0), text.replace("$", r"\$"), FINE, prop=_font(text, bold)).vertices
    return float(np.ptp(outline[:, 0])) / FINE if len(outline) else 0.0


def _font(text: str, bold: bool) -> FontProperties:
    from matplotlib.font_manager import FontProperties

    return FontProperties(family=_families(text), weight="bold" if bold else "normal")


def _families(text: str) -> list[str]:
    """The font that comes with matplotlib; for characters that it lacks, what the machine has."""
    if not any(east_asian_width(each) in "WF" for each in text):
        return ["DejaVu Sans"]
    from matplotlib.font_manager import get_font_names

    known = set(get_font_names())
    return ["DejaVu Sans", *(each for each in WIDE_FONTS if each in known)]
