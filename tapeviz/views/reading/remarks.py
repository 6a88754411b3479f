"""Log -> what to know of a recording as a whole, beside its ops and gradients."""

from __future__ import annotations

from tapeviz.diagnosis import Findings
from tapeviz.diagnosis.coverage import EARLIER, unseen_gradients
from tapeviz.diagnosis.error.ended import ending
from tapeviz.diagnosis.wording.opened import compiled, opened
from tapeviz.events import EventLog
from tapeviz.phrases import ANOTHER_THREAD


def remark_on(log: EventLog, findings: Findings) -> str:
    """All remarks on a log and on what was found in it; "" where there are none."""
    coverage = findings.coverage
    lacking = f"no `backward` gave {coverage.unmet} a gradient" if coverage.unmet else ""
    return "; ".join(filter(None, (opened(log), compiled(log), _unseen(log), coverage.unseen, lacking, _ended(log))))


def _unseen(log: EventLog) -> str:
    """A remark on what the program did during the recording that is not in it; "" where there is none."""
    whys = unseen_gradients(log)
    if EARLIER in whys:
        return f"a gradient was taken {EARLIER}: open it inside the block"
    if ANOTHER_THREAD in whys:
        return f"a gradient was taken {ANOTHER_THREAD}: record in that one"
    return next((f"a gradient was taken, {why}" for why in whys), "")


def _ended(log: EventLog) -> str:
    """A remark on where an error ended the recording; "" where none did."""
    where = ending(log)
    return f"up to {where}" if where else ""
