"""EventLog -> Reading: all that views know of a log, worked out once.

What it holds: `sketch`, the boxes and wires to draw; `homes`, the group of each box; `cuts`, where gradients are
lost, by `writes` among others, since the `openings` of their tapes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tapeviz import graph, replay
from tapeviz.diagnosis import Findings
from tapeviz.diagnosis.error.ended import ending
from tapeviz.diagnosis.paths.carried import whole_graph
from tapeviz.diagnosis.whole import findings_of
from tapeviz.events import EventLog, FunctionOpened, GradientUnseen, TapeOpened, log_of
from tapeviz.events.uncollected import uncollected
from tapeviz.phrases import counted, listed
from tapeviz.views.folding.fold import Placement
from tapeviz.views.folding.groups import Groups, find_groups
from tapeviz.views.reading.cuts import Cuts, cuts
from tapeviz.views.reading.homes import find_places
from tapeviz.views.reading.sketch import Sketch, sketch
from tapeviz.views.words.names import Names

NAMED = 2
"""How many compiled functions a title names."""


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
        """A title for the recording, in a few words."""
        tapes = len({event.tape for event in self.log.of_kind(TapeOpened).values()})
        what = "recording" if tapes == 0 else self.log.customs.recording if tapes == 1 else f"{tapes} tapes"
        return f"{what} of {counted(len(self.graph.ops), 'op')}"

    @property
    def remark(self) -> str:
        """What else to know of the recording as a whole, names in backticks; "" where that is nothing."""
        unmet = f"no `backward` gave {self.findings.unmet} a gradient" if self.findings.unmet else ""
        return "; ".join(filter(None, (_opened(self.log), _unseen(self.log), unmet, _ended(self.log))))


def _opened(log: EventLog) -> str:
    """A remark on numbers from functions that are compiled when nobody records; "" where there are none."""
    opened = (event.function for event in log.of_kind(FunctionOpened).values())
    names = [f"`{name}`" for name in dict.fromkeys(opened)]
    if not names:
        return ""
    are = "is" if len(names) == 1 else "are"
    return f"{listed(names, most=NAMED)} {are} compiled, but ran eagerly here: numbers may differ"


def _unseen(log: EventLog) -> str:
    """A remark on what the program did during the recording that is not in it; "" where there is none."""
    if not log.of_kind(GradientUnseen):
        return ""
    return "a gradient was taken of a tape that was opened before the recording: open it inside the block"


def _ended(log: EventLog) -> str:
    """Where an error ended it, "" where none did."""
    where = ending(log)
    return f"up to {where}" if where else ""


@uncollected
def read(log_or_tape: Any) -> Reading:
    """Read a log, or the log of anything that has one; a reading is one already.

    Raises:
        TypeError: it neither is a log nor has one.
    """
    if isinstance(log_or_tape, Reading):
        return log_or_tape
    log = log_of(log_or_tape)
    whole, runs = whole_graph(log), replay.runs(log)
    findings = findings_of(whole, runs)
    # What only the source shows is drawn where it may say why a gradient is lost.
    built = whole if any(None in (run.gradients or ()) for run in runs) else graph.build(log)
    found = cuts(built, runs)
    drawn = sketch(built, runs)
    groups = find_groups(built, sorted(drawn.box_of_op))
    places = find_places(built, drawn, groups)
    return Reading(log, built, runs, findings, found, drawn, groups, places, Names(built, runs))
