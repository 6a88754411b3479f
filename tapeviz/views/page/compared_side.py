"""One of two programs that are compared -> its graph, its picture and its words on the page of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tapeviz.diagnosis.comparing.divergence import Divergence
from tapeviz.diagnosis.comparing.matching import Match
from tapeviz.diagnosis.comparing.program_values import ProgramValue
from tapeviz.diagnosis.wording.places import words
from tapeviz.events import EventLog
from tapeviz.events.summary import summary_of
from tapeviz.views.drawing.marks import Picture
from tapeviz.views.drawing.picture import picture
from tapeviz.views.folding.initially_unfolded import initially_unfolded
from tapeviz.views.page.side_by_side import MOST_BOXES
from tapeviz.views.page.signs import is_at, items_of, sign_of, state_of, with_signs
from tapeviz.views.payload.scene import scene_data
from tapeviz.views.reading import read
from tapeviz.views.scene import scene
from tapeviz.views.words import levels, numbers

MOST_OUTPUTS = 3
"""How many values of one op are shown."""
DETAILS = ("Op", "Line", "Shape", "Value", "Gradient")
"""The rows of the panel that tells of what is selected."""


class ComparedSide:
    """One of two programs on a page: its graph, with signs where it differs from its counterpart.

    `values` is parallel to the matches of both programs: what this one made, None where it has no counterpart.
    `divergence` is the step at which the programs part, None where they do not.
    """

    def __init__(
        self, name: str, log: EventLog, values: Sequence[ProgramValue | None], divergence: Divergence | None
    ) -> None:
        self.name = name
        self.values = values
        self.divergence = divergence
        self._reading = read(log)
        self._unfolded = self._opening()
        self._items = items_of(self._reading.sketch, self._reading.graph, values)

    @property
    def title(self) -> str:
        """What stands above the graph."""
        return f"{self.name}: {self._reading.title}"

    def label(self, value: ProgramValue) -> str:
        """What was made, in the words of its box: an op as it was called, or a leaf by its name."""
        names = self._reading.names
        if value.op is None or value.position not in self._reading.graph.ops:
            name = names.tensor(value.tensors[0])
            return name if value.op is None else f"{name}.{value.op}"
        title, call = names.title(value.position), names.subtitle(value.position)
        return title + call if call.startswith("(") else f"{title} = {call}"

    def details(self, item: int, gradient: int | None) -> list[str] | None:
        """What the panel says of the item at this index, in the order of DETAILS; None where this side has none."""
        value = self.values[item]
        if value is None:
            return None
        log = self._reading.log
        rows = [log.tensors[each] for each in value.tensors]
        line = "made before the recording" if value.site is None else f"{words(value.site)}: {value.site.text}"
        return [
            self.label(value),
            line,
            ", ".join(dict.fromkeys(f"{numbers.shape_text(row.shape)} {row.dtype}" for row in rows)),
            ", ".join(map(_value, value.values(log)[:MOST_OUTPUTS])),
            "" if gradient is None else _value(log.value(gradient)),
        ]

    def picture(self, matches: Sequence[Match]) -> Picture:
        """The graph as a picture, with the signs of these matches on its boxes."""
        drawn = scene(self._reading, set(self._unfolded), tucked=False)
        signs = {}
        for node in drawn.nodes:
            items = dict.fromkeys(item for box in node.boxes for item in self._items[box])
            parting = self.divergence is not None and is_at(node, self.divergence)
            sign = sign_of([state_of(matches[item]) for item in items], parting, node.kind == "group")
            if sign is not None:
                signs[node.id] = sign
        return replace(with_signs(picture(drawn), signs), title=self.title)

    def graph(self) -> dict[str, Any]:
        """The graph as `frontend/graph/compared_graph.js` draws it."""
        boxes = enumerate(self._reading.sketch.boxes)
        return {
            "title": self.title,
            "scene": scene_data(self._reading) | {"unfolded": self._unfolded, "tucked": False},
            "items": self._items,
            "parting": next((at for at, box in boxes if self.divergence and is_at(box, self.divergence)), None),
        }

    def _opening(self) -> list[int]:
        """The groups unfolded at first: all of a small program; else those that open, and what leads to the parting."""
        groups = self._reading.groups
        if len(self._reading.sketch.boxes) <= MOST_BOXES:
            return list(range(len(groups.rows)))
        unfolded = dict.fromkeys(initially_unfolded(self._reading.places, groups))
        position = self.divergence.position if self.divergence else None
        group = -1 if position is None else groups.of_op.get(position, -1)
        while group >= 0:
            unfolded[group] = None
            group = groups.rows[group].parent
        return list(unfolded)


def _value(value: Any) -> str:
    """A value on one line: its numbers, or its statistics."""
    short, summary = levels.strip(value) or numbers.short_text(value), summary_of(value)
    if summary is None or not short.startswith("norm"):
        return short
    told = [short, f"mean {numbers.rounded(summary.mean, 4)}"]
    told.append(f"from {numbers.rounded(summary.min, 4)} to {numbers.rounded(summary.max, 4)}")
    odd = (summary.zeros, "zero"), (summary.nans, "NaN"), (summary.infs, "infinite")
    return ", ".join([*told, *(f"{count:,} {what}" for count, what in odd if count)])
