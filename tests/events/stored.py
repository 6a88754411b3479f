"""A log -> the same log, saved and loaded, and everything that is shown of either."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import tapeviz as tv
from tapeviz.errors import LogError
from tapeviz.events import EventLog
from tapeviz.replay import runs
from tapeviz.views.payload import payload
from tapeviz.views.reports.text import text


def views(log: EventLog) -> dict[str, Any]:
    """Everything that is shown of a log."""
    return {
        "payload": json.dumps(payload(log)),
        "text": text(log),
        "findings": str(tv.diagnose(log)),
        "answers": list(islice(_answers(log), 8)),
        "repr": repr(log),
    }


def _answers(log: EventLog) -> Iterator[str]:
    """`why` of each target and source of a run that have names."""
    for each in runs(log):
        for target in each.targets:
            for source in each.sources:
                names = log.tensors[target].name, log.tensors[source].name
                if all(names):
                    try:
                        yield str(tv.why(log, *names))
                    except LogError as several:
                        yield str(several)


def reloaded(log: Any, folder: Path, **options: Any) -> EventLog:
    return tv.load(tv.save(log, folder / "log.tape", **options))
