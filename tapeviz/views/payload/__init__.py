"""EventLog -> the one JSON value that the front end shows; its shape is written down in `frontend/types.js`.

It holds everything once: what ops of one kind have in common in `kinds`, numbers with the tensor they belong to. What
follows from it (sentences, rules with this step's numbers in them, which box is when in which state) the front end
works out itself.

Its parts: `cards` of tensors, ops and lines, `steps` of the runs, their `sums`, `notes` of a lecturer; `columns` makes
it small.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tapeviz.diagnosis import Finding
from tapeviz.diagnosis.wording.places import site_at
from tapeviz.events import LeafCreated, ReadOut, StateWritten, Watched
from tapeviz.events.uncollected import uncollected
from tapeviz.phrases import holds_for, listed
from tapeviz.views.folding.opening import opening, opening_run
from tapeviz.views.payload.cards import NOT_SAVED, Kinds, NumberedSites, keeping, op_card, tensor_card
from tapeviz.views.payload.steps import run_card
from tapeviz.views.payload.sums import running_sums
from tapeviz.views.reading import Reading, read
from tapeviz.views.scene.looks import Look, badge_width, looks

ROOM = 120_000
"""Characters for the elements and heat maps of all tensors together: the more tensors, the less of each."""
MOST_NAMES = 3
"""How many sources the title of a finding names."""


@uncollected
def payload(
    log_or_tape: Any, *, values: bool = True, sources: bool = True, notes: Mapping[int, str] | None = None
) -> dict[str, Any]:
    """Everything the debugger shows of a log, as JSON can hold it; equal logs give equal payloads.

    Without `values` it holds no element of a tensor and nothing computed from one; without `sources` no line of source.
    `notes` are a lecturer's words to steps of the backward pass, counted from 0.

    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0, name="x")
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> _ = tape.gradient(y, x)
    >>> packed = payload(tape)
    >>> [node["title"] for node in packed["scene"]["nodes"]], packed["runs"][0]["gradients"]
    (['x', 'y'], [{'source': 0, 'cotangent': 5}])
    """
    reading = read(log_or_tape)
    numbered = NumberedSites(reading, sources)
    kinds = Kinds()
    drawn = sorted(reading.sketch.box_of_op)
    return {
        "title": reading.title,
        "remark": reading.remark,
        "scene": scene_data(reading, values),
        "tensors": _tensors(reading, drawn, numbered, values),
        "ops": {str(op): op_card(reading, op, kinds, numbered, values) for op in drawn},
        "kinds": kinds.cards(),
        "run": opening_run(reading.log, reading.runs),
        "runs": [run_card(reading, run, values) for run in reading.runs],
        "findings": [_finding(reading, group, numbered) for group in reading.findings.groups()],
        "sites": numbered.cards(),
        "notes": {str(step): str(note) for step, note in (notes or {}).items()},
    }


def scene_data(reading: Reading, values: bool = True) -> dict[str, Any]:
    """Everything that can be seen, with its size; the front end folds it and gives it its place."""
    look = looks(reading, values)
    return {
        "nodes": [
            _box(box)
            | {
                "strip": box.strip,
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
        "groups": [
            _box(group) | {"parent": row.parent, "end": row.end, "heading": round(group.heading)}
            for group, row in zip(look.groups, reading.groups.rows, strict=True)
        ],
        "unfolded": list(opening(reading.places, reading.groups)),
    }


def _box(look: Look) -> dict[str, Any]:
    return {
        "id": look.id,
        "kind": look.kind,
        "title": look.title,
        "subtitle": look.subtitle,
        "w": round(look.w),
        "h": round(look.h),
        "flags": list(look.flags),
        "badge": look.badge.word if look.badge else None,
        "claim": look.badge.claim if look.badge else None,
        "room": badge_width(look.badge.word) if look.badge else 0,
    }


def _tensors(reading: Reading, drawn: list[int], sites: NumberedSites, values: bool) -> dict[str, Any]:
    """A card for every tensor that is drawn, goes into a drawn op, or is a gradient of one of these."""
    shown = {box.tensor for box in reading.sketch.boxes if box.tensor is not None}
    for op in drawn:
        shown.update(reading.graph.ops[op].inputs, reading.graph.ops[op].outputs)
    for run in reading.runs:
        shown.update(run.targets, run.sources, (each for each in run.gradients or () if each is not None))
        for step in run.steps:
            shown.update(each for each in step.upstream if each is not None)
            shown.update(*((each.tensor, each.cotangent, each.total) for each in step.contributions))
    kept = keeping(reading)
    room = ROOM // max(1, len(shown))
    sums = (each for run in reading.runs for each in running_sums(reading, run)) if values else ()
    summed = {tensor: tensor_card(reading, tensor, value, room) for tensor, value in sums}
    log = reading.log
    return {
        str(tensor): {
            **(summed.get(tensor) or tensor_card(reading, tensor, log.value(tensor) if values else None, room)),
            **kept.get(tensor, NOT_SAVED),
            "site": sites.number(site_at(reading.log, reading.graph.made_at(tensor))),
        }
        for tensor in sorted(shown)
    }


def _finding(reading: Reading, group: list[Finding], sites: NumberedSites) -> dict[str, Any]:
    """What is found on one line of one cause, of all the sources that it holds for."""
    first = group[0]
    nodes = dict.fromkeys(node for finding in group for node in _evidence(reading, finding))
    sources = list(dict.fromkeys(finding.source for finding in group if finding.source is not None))
    cut = {wire for source in sources or [-1] for wire in reading.cuts.of_source.get(source, ())}
    names = [reading.names.tensor(source) for source in sources]
    also = f" {holds_for([f'`{name}`' for name in names[1:]])}" if names[1:] else ""
    return {
        "severity": first.severity,
        "cause": first.cause,
        "title": f"{listed(names, MOST_NAMES)}: {first.title}" if names else first.title,
        "message": first.message + also,
        "fix": first.fix,
        "site": sites.number(first.site),
        "nodes": [reading.sketch.boxes[node].id for node in nodes],
        "edges": [
            index for index, wire in enumerate(reading.sketch.wires) if (wire.tensor, wire.position, wire.slot) in cut
        ],
        "sources": sources,
    }


def _evidence(reading: Reading, finding: Finding) -> Iterator[int]:
    """The boxes that a finding speaks of: of its source, and of what happened at its positions."""
    boxes_of = reading.sketch.boxes_of
    if finding.source is not None:
        yield from boxes_of.get(finding.source, ())
    for position in finding.evidence:
        event = reading.log.events[position]
        if position in reading.sketch.box_of_op:
            yield reading.sketch.box_of_op[position]
        elif isinstance(event, (LeafCreated, ReadOut, StateWritten, Watched)):
            yield from boxes_of.get(event.tensor, ())
