"""EventLog -> Reading: all that views know of a log, worked out once.

- what it holds   `sketch`, the boxes and wires to draw; `places`, the group of each box; `cuts`, where gradients are
                  lost, by `writes` among others, since the `openings` of their tapes; `remarks` on the whole, and
                  its `title`
- beside it       `shown_run`, which of its runs a view shows; `gradients`, what each step of a run has summed;
                  `histograms` of its values; `notes`, what a lecturer says of steps
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tapeviz import graph, replay
from tapeviz.diagnosis import Findings
from tapeviz.diagnosis.diagnose import findings_of
from tapeviz.events import EventLog, log_of
from tapeviz.events.collector_paused import collector_paused
from tapeviz.source.roundtrips import whole_graph
from tapeviz.views.folding.fold import Placement
from tapeviz.views.folding.groups import Groups, find_groups
from tapeviz.views.reading.cuts import Cuts, cuts
from tapeviz.views.reading.histograms import Histograms
from tapeviz.views.reading.places import find_places
from tapeviz.views.reading.remarks import remark_on
from tapeviz.views.reading.sketch import Sketch, sketch
from tapeviz.views.reading.title import title_of
from tapeviz.views.words.names import Names


@dataclass(frozen=True)
class Reading:
    """A log with its graph, its runs, what is wrong with it, what is drawn of it, in which groups, and all names."""

    log: EventLog
    graph: graph.Graph
    runs: Sequence[replay.Run]
    findings: Findings
    cuts: Cuts
    sketch: Sketch
    groups: Groups
    places: Sequence[Placement]
    names: Names

    @property
    def title(self) -> str:
        """A title for the recording, in a few words: of what program it is, how large, and what came out."""
        return title_of(self.graph, self.runs, self.names)

    @property
    def remark(self) -> str:
        """What else to know of the recording as a whole, names in backticks; "" where that is nothing."""
        return remark_on(self.log, self.findings)

    @property
    def histograms(self) -> Histograms:
        """How its values spread."""
        return self.log.once("histograms", lambda: Histograms(self.log, self.graph.figures))

    @property
    def by_line(self) -> Reading | None:
        """The same in other groups: what each function did, line by line; None where no line is a group."""
        groups = find_groups(self.graph, sorted(self.sketch.box_of_op), by_line=True)
        if not any(row.kind == "line" for row in groups.rows):
            return None
        return replace(self, groups=groups, places=find_places(self.graph, self.sketch, groups))


@collector_paused
def read(log_or_tape: Any) -> Reading:
    """Read a log, or the log of anything that has one; a reading is returned as it is.

    Raises:
        TypeError: it neither is a log nor has one.
    """
    if isinstance(log_or_tape, Reading):
        return log_or_tape
    log = log_of(log_or_tape)
    whole, runs = whole_graph(log), replay.runs(log)
    findings = findings_of(whole, runs)
    # What only the source shows is drawn where it may say why a gradient is lost.
    is_lost = any(None in (run.gradients or ()) for run in runs)
    built = whole if is_lost or not whole.is_extended else graph.build(log)
    found = cuts(built, runs)
    drawn = sketch(built, runs)
    groups = find_groups(built, sorted(drawn.box_of_op))
    places = find_places(built, drawn, groups)
    return Reading(log, built, runs, findings, found, drawn, groups, places, Names(built, runs))
