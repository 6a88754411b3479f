"""Reading -> the runs of the payload: every VJP, with the ids of the cotangents that it was given and that it sent."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

from tapeviz.diagnosis.numbers.shrinking import Shrunk, shrunk
from tapeviz.events.summary import elements_of, norm
from tapeviz.phrases import counted, listed, quoted
from tapeviz.replay import Run, Step
from tapeviz.views.payload.sites import NumberedSites
from tapeviz.views.reading import Reading
from tapeviz.views.reading.shown_run import is_kept


def run_card(reading: Reading, run: Run, sites: NumberedSites, values: bool) -> dict[str, Any]:
    """What is known of one run; that its numbers are not kept is said only where `values` are shown at all."""
    names = reading.names
    sources = [names.tensor(source) for source in run.sources]
    to = listed(sources, most=3) if sources else "nothing"
    by, what = (" with respect to", "numbers") if run.rows is None else (" by", "rows")
    lost = "" if not values or is_kept(reading.log, run) else f" (its {what} are not kept)"
    return {
        "label": f"{names.run(run)}{by} {to}{lost}",
        "passes": _passes(reading, run),
        "site": sites.at(run.position),
        "targets": list(run.targets),
        "begins": _begins(reading, run),
        "sources": list(run.sources),
        "steps": [_step(step) for step in run.steps],
        "gradients": _gradients(reading, run, values),
    }


def _gradients(reading: Reading, run: Run, values: bool) -> list[dict[str, Any]]:
    """What each source got: the length of the update that follows, and, of a small gradient, where it lost most."""
    small = shrunk(reading.graph, run, run.sources) if values else {}
    return [
        {
            "source": source,
            "cotangent": gradient,
            "update": _update(reading, run, source) if values else None,
            "small": _small(reading, small[source]) if source in small else None,
        }
        for source, gradient in zip(run.sources, run.gradients or (), strict=False)
    ]


def _small(reading: Reading, found: Shrunk) -> dict[str, Any]:
    words = found.words(lambda tensor: quoted(reading.names.tensor(tensor)))
    return {
        "words": f"In the end its norm {words}",
        "losses": [{"op": each.op, "text": str(each)} for each in found.losses],
    }


def _update(reading: Reading, run: Run, source: int) -> float | None:
    """How long the first update of a source after the run is, beside the source; None where that is not known."""
    versions = reading.log.versions(source)
    following = bisect_right(versions, run.position, key=itemgetter(0))
    if following == len(versions):
        return None
    since = versions[following][0]
    before, then = (elements_of(reading.log.value(source, at)) for at in (since - 1, since))
    if before is None or then is None or before.shape != then.shape or before.dtype.kind not in "fc":
        return None
    ratio = norm(then - before) / (norm(before) or math.nan)
    return float(f"{ratio:.3g}") if math.isfinite(ratio) else None


def _begins(reading: Reading, run: Run) -> list[int]:
    """The boxes that hold or make its targets."""
    return list(dict.fromkeys(box for each in run.targets for box in reading.sketch.boxes_of.get(each, ())))


def _passes(reading: Reading, run: Run) -> str:
    """How many passes it takes, backwards and forwards; of gradients it is told once, at the first run of several
    numbers."""
    elements, targets = (_elements(reading, tensors) for tensors in (run.sources, run.targets))
    if run.rows is not None:
        whole = reading.log.facts.rows_begin_at_one
        # A batch has a Jacobian per entry, and a pass, either way, is one for all of them.
        columns = elements * run.rows // max(targets, 1) if whole else elements
        what = f"{counted(elements * run.rows, 'number')} of {'the Jacobian' if whole else 'its rows'}"
        return (
            f"For the {what} it takes {counted(run.rows, 'pass')} backwards, one a row, made together; "
            f"forwards it takes {counted(columns, 'pass')}, one a column."
        )
    several = (each for each in reading.runs if each.rows is None and _elements(reading, each.sources) > 1)
    if elements < 2 or next(several) is not run:
        return ""
    forwards = "forwards, from the sources to the target, each takes a pass of its own"
    return f"One pass backwards gives all {elements:,} numbers; {forwards}."


def _elements(reading: Reading, tensors: Sequence[int]) -> int:
    return sum(math.prod(reading.log.tensors[each].shape) for each in tensors)


def _step(step: Step) -> dict[str, Any]:
    """`upstream` is parallel to the op's outputs; `total` is the sum on the argument's tensor with what was `sent`."""
    sent = [
        {"slot": each.slot, "cotangent": each.cotangent, "total": each.total, "parts": each.parts, "final": each.final}
        for each in step.contributions
    ]
    return {"op": step.op, "upstream": list(step.upstream), "sent": sent}
