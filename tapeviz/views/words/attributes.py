"""An op -> its attributes, as Python writes them in a call."""

from __future__ import annotations

from tapeviz.events.catalog import RULE
from tapeviz.events.row import Row
from tapeviz.events.types import Attr
from tapeviz.graph import Op
from tapeviz.views.words import numbers

INDEX = "index"
"""The attribute that holds what stood between brackets."""


def attributes(op: Op, row: Row | None) -> list[str]:
    """The attributes of an op, as keyword arguments or an index; without those that only its rules use."""
    if not op.attrs:
        return []
    rules = " ".join(filter(None, row.vjps.values())) if row else ""
    formula = row.formula if row else ""
    texts = []
    for name, value in op.attrs:
        slot = f"{{{name}}}"
        if name != RULE and value is not None and value is not False and (slot in formula or slot not in rules):
            text = attribute(name, value)
            texts.append(f"[{text}]" if name == INDEX else f"{name}={text}")
    return texts


def attribute(name: str, value: Attr) -> str:
    """One attribute as Python writes it.

    >>> attribute("shape", (4,)), attribute("index", ((None, None, None), "...", (1, None, 2), 0))
    ('(4,)', ':, ..., 1::2, 0')
    """
    if name == INDEX:
        return ", ".join(map(_subscript, value if isinstance(value, tuple) else (value,)))
    if isinstance(value, tuple):
        return f"({', '.join(attribute('', each) for each in value)}{',' if len(value) == 1 else ''})"
    return numbers.number(value) if isinstance(value, float) else str(value)


def _subscript(part: Attr) -> str:
    """One axis of an index; a slice is kept as its start, stop and step."""
    if isinstance(part, tuple) and len(part) == 3:
        start, stop, step = ("" if each is None else str(each) for each in part)
        return f"{start}:{stop}" + (f":{step}" if step else "")
    return "newaxis" if part is None else str(part)
