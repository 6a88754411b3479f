"""Reading -> the runs of the payload: every VJP, what it was given and what it sent, by the ids of the cotangents."""

from __future__ import annotations

from typing import Any

from tapeviz.replay import Run, Step
from tapeviz.views.folding.opening import is_kept
from tapeviz.views.reading import Reading


def run_card(reading: Reading, run: Run, values: bool) -> dict[str, Any]:
    """One run; without `values` nobody misses the numbers of a run that are not kept."""
    names = reading.names
    sources = [names.tensor(source) for source in run.sources]
    to = ", ".join(sources[:3]) + (f" and {len(sources) - 3} more" if len(sources) > 3 else "")
    lost = "" if not values or is_kept(reading.log, run) else " (its numbers are not kept)"
    return {
        "label": f"gradient of {names.targets(run.targets)} with respect to {to or 'nothing'}{lost}",
        "targets": list(run.targets),
        "sources": list(run.sources),
        "steps": [_step(step) for step in run.steps],
        "gradients": [
            {"source": source, "cotangent": gradient}
            for source, gradient in zip(run.sources, run.gradients or (), strict=False)
        ],
    }


def _step(step: Step) -> dict[str, Any]:
    """`upstream` is parallel to the op's outputs; `total` is the sum on the argument's tensor with what was `sent`."""
    sent = [
        {"slot": each.slot, "cotangent": each.cotangent, "total": each.total, "parts": each.parts, "final": each.final}
        for each in step.contributions
    ]
    return {"op": step.op, "upstream": list(step.upstream), "sent": sent}
