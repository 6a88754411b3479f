"""Reading -> the scene of the payload: everything that can be seen, with its size; the front end gives it its place."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tapeviz.views.folding.tucked import opens_tucked
from tapeviz.views.reading import Reading
from tapeviz.views.scene.looks import Look, Looks, badge_width, group_looks, looks
from tapeviz.views.scene.placed import opening


def scene_data(reading: Reading, values: bool = True) -> dict[str, Any]:
    """Every box, wire and group with its words, flags and size; without `values`, with nothing that depends on one."""
    look = looks(reading, values)
    parameters = look.tuckable(reading)
    tucked = opens_tucked(len(look.boxes), parameters)
    return {
        "nodes": [
            _box(box)
            | {
                "strip": box.strip,
                "gradient": box.gradient is not None,
                "whole": box.whole,
                "op": box.op,
                "tensor": box.tensor,
                "group": place.group,
                "home": place.home,
            }
            for box, place in zip(look.boxes, reading.places, strict=True)
        ],
        "edges": [
            {
                "from": wire.tail,
                "to": wire.head,
                "tensor": wire.tensor,
                "position": wire.position,
                "slot": wire.slot,
                "flags": list(drawn.flags),
                "badge": drawn.badge,
                "room": badge_width(drawn.badge) if drawn.badge else 0,
            }
            for wire, drawn in zip(reading.sketch.wires, look.wires, strict=True)
        ],
        "tucked": tucked,
        **_grouping(reading, look, parameters, tucked),
        "lines": _lines(reading, look, tucked),
    }


def _grouping(reading: Reading, look: Looks, parameters: dict[int, int], tucked: bool) -> dict[str, Any]:
    """The groups, those that open unfolded, and the boxes that can be tucked into another of their group."""
    return {
        "groups": [
            _box(group) | {"parent": row.parent, "end": row.end, "heading": round(group.heading)}
            for group, row in zip(look.groups, reading.groups.rows, strict=True)
        ],
        "unfolded": list(opening(look, reading, parameters if tucked else {})),
        "parameters": [[box, op] for box, op in parameters.items()],
    }


def _lines(reading: Reading, look: Looks, tucked: bool) -> dict[str, Any] | None:
    """The same by function and line; None where no line is a group."""
    other = reading.by_line
    if other is None:
        return None
    grouped = replace(look, groups=group_looks(other, look))
    places = {"group": [place.group for place in other.places], "home": [place.home for place in other.places]}
    return _grouping(other, grouped, grouped.tuckable(other), tucked) | places


def _box(look: Look) -> dict[str, Any]:
    return {
        "id": look.id,
        "kind": look.kind,
        "title": look.title,
        "subtitle": look.subtitle,
        "w": round(look.w),
        "h": round(look.h),
        "flags": list(look.flags),
        "badge": look.badge,
        "claim": look.claim,
        "room": badge_width(look.badge) if look.badge else 0,
    }
