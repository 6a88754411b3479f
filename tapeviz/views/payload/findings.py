"""Reading -> the findings of the payload."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tapeviz.diagnosis import Finding
from tapeviz.events import LeafCreated, ReadOut, StateWritten, Watched
from tapeviz.phrases import holds_for, listed
from tapeviz.views.payload.sites import NumberedSites
from tapeviz.views.reading import Reading

MOST_NAMES = 3
"""How many sources the title of a finding names."""


def finding_card(reading: Reading, group: list[Finding], sites: NumberedSites) -> dict[str, Any]:
    """What is known of findings that have a line and a cause in common: one card for all their sources."""
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
        "site": None if first.site is None else sites.number(first.site),
        "nodes": [reading.sketch.boxes[node].id for node in nodes],
        "edges": [
            index for index, wire in enumerate(reading.sketch.wires) if (wire.tensor, wire.position, wire.slot) in cut
        ],
        "sources": sources,
    }


def _evidence(reading: Reading, finding: Finding) -> Iterator[int]:
    """The boxes that a finding is about: those of its source, and of what happened at its positions in the log."""
    boxes_of = reading.sketch.boxes_of
    if finding.source is not None:
        yield from boxes_of.get(finding.source, ())
    for position in finding.evidence:
        event = reading.log.events[position]
        if position in reading.sketch.box_of_op:
            yield reading.sketch.box_of_op[position]
        elif isinstance(event, (LeafCreated, ReadOut, StateWritten, Watched)):
            yield from boxes_of.get(event.tensor, ())
