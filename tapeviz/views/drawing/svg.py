"""Picture -> SVG text and the `<img>` of it, light or dark as its reader prefers. No script, no font, nothing to load.

The elements have the light theme's colours; a style sheet changes them for a reader who prefers dark. So a program that
reads no style sheets still shows the light picture.
"""

from __future__ import annotations

from base64 import b64encode
from xml.sax.saxutils import escape, quoteattr

from tapeviz.markup.theme import COLOURS, FONT, colour
from tapeviz.views.drawing.marks import Curve, Mark, MarkGroup, Picture, Polygon, Rect, Stroke, Text


def svg(picture: Picture) -> str:
    """The picture as one `<svg>` element; ids are the ids of its groups, and equal pictures give equal text."""
    body = "\n".join(map(_group, picture.groups))
    size = f'width="{_n(picture.width)}" height="{_n(picture.height)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {_n(picture.width)} {_n(picture.height)}"'
        f' role="img" aria-label={quoteattr(picture.title)} font-family="{FONT}">\n'
        f"<title>{escape(picture.title)}</title>\n"
        f"<style>@media (prefers-color-scheme:dark){{{_dark(body)}}}</style>\n"
        f'<rect class="f-paper" width="100%" height="100%" fill="{colour("paper")}"/>\n{body}\n</svg>\n'
    )


def img(text: str, title: str) -> str:
    """The text of an SVG as an `<img>`: notebooks strip `<svg>` from what they have not run themselves, and keep this.

    >>> img("<svg/>", "a tape")
    '<img alt="a tape" src="data:image/svg+xml;base64,PHN2Zy8+" style="max-width:100%">'
    """
    source = f"data:image/svg+xml;base64,{b64encode(text.encode()).decode()}"
    return f'<img alt={quoteattr(title)} src="{source}" style="max-width:100%">'


def _dark(body: str) -> str:
    """The rules for the roles that the picture uses."""
    rules = []
    for role in COLOURS:
        if role == "paper" or f'class="f-{role}' in body:
            rules.append(f".f-{role}{{fill:{colour(role, 'dark')}}}")
        if f's-{role}"' in body:
            rules.append(f".s-{role}{{stroke:{colour(role, 'dark')}}}")
    return "".join(rules)


def _group(group: MarkGroup) -> str:
    marks = "".join(map(_mark, group.marks))
    return f"<g id={quoteattr(group.id)}><title>{escape(group.label)}</title>{marks}</g>"


def _mark(mark: Mark) -> str:
    match mark:
        case Rect():
            place = f'x="{_n(mark.x)}" y="{_n(mark.y)}" width="{_n(mark.w)}" height="{_n(mark.h)}"'
            return f'<rect {place} rx="{_n(mark.corner)}" {_paint(mark.fill, mark.line, mark.thickness, mark.dash)}/>'
        case Curve():
            return f'<path d="{_path(mark)}" {_paint(None, mark.line, mark.thickness, mark.dash)}/>'
        case Stroke(start=(x, y), end=(to_x, to_y)):
            d = f"M{_n(x)} {_n(y)}L{_n(to_x)} {_n(to_y)}"
            return f'<path d="{d}" stroke-linecap="round" {_paint(None, mark.line, mark.thickness, None)}/>'
        case Polygon():
            return f'<path d="M{"L".join(f"{_n(x)} {_n(y)}" for x, y in mark.points)}Z" {_paint(mark.fill)}/>'
        case Text():
            weight = ' font-weight="600"' if mark.bold else ""
            anchor = ' text-anchor="middle"' if mark.centred else ""
            place = f'x="{_n(mark.x)}" y="{_n(mark.y)}" font-size="{_n(mark.size)}"{weight}{anchor}'
            return f"<text {place} {_paint(mark.role, part=mark.part)}>{escape(mark.text)}</text>"


def _path(curve: Curve) -> str:
    start, *segments = curve.segments()
    d = f"M{_n(start[0][0])} {_n(start[0][1])}"
    for segment in segments:
        coordinates = " ".join(f"{_n(x)} {_n(y)}" for x, y in segment)
        d += f"L{coordinates}" if len(segment) == 1 else f"C{coordinates}"
    return d


def _paint(
    fill: str | None,
    line: str | None = None,
    thickness: float = 1.0,
    dash: tuple[float, float] | None = None,
    part: str | None = None,
) -> str:
    classes = filter(None, (fill and f"f-{fill}", line and f"s-{line}", part))
    paint = f'class="{" ".join(classes)}" fill="{colour(fill) if fill else "none"}"'
    if line:
        paint += f' stroke="{colour(line)}" stroke-width="{_n(thickness)}"'
    return f'{paint} stroke-dasharray="{_n(dash[0])} {_n(dash[1])}"' if dash else paint


def _n(value: float) -> str:
    """A coordinate with two digits at most."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
