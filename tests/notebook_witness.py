"""In the kernel of a notebook: what its cells record -> what is said of the recordings that it does not ask about.

A recording with a planted fault is one of which the notebook itself shows a finding.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import tapeviz as tv
from tapeviz.diagnosis import Answer, Findings
from tapeviz.events import EventLog, log_of
from tapeviz.events.store.ranks import Ranks
from tests.diagnosis.programs import loud


class Witness:
    """Watches the cells of a shell from now on."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._found: dict[int, EventLog] = {}
        self._explained: dict[int, EventLog] = {}
        for verb in ("why", "diagnose"):
            setattr(tv, verb, self._noting(getattr(tv, verb)))
        shell.events.register("post_run_cell", self._look)

    def report(self) -> None:
        """Print how many recordings the notebook does not ask about, and what is said of them above a hint."""
        healthy = [log for key, log in self._found.items() if key not in self._explained]
        print(json.dumps({"healthy": len(healthy), "said": [finding for log in healthy for finding in loud(log)]}))

    def _look(self, _result: Any) -> None:
        """What a cell leaves under a name: tapes and logs, each once."""
        names = [name for name in self._shell.user_ns if not name.startswith("_")]
        kept = [self._shell.user_ns[name] for name in names]
        self._found |= by_identity(*(each for each in kept if isinstance(each, (EventLog, tv.GradientTape, Ranks))))

    def _noting(self, verb: Callable[..., Any]) -> Callable[..., Any]:
        def noting(recording: Any, *asked: Any) -> Any:
            said = verb(recording, *asked)
            if not isinstance(said, Answer) and not (isinstance(said, Findings) and not len(said)):
                self._explained |= by_identity(recording)
            return said

        return noting


def by_identity(*recordings: Any) -> dict[int, EventLog]:
    """The logs of recordings, of which one may be that of several ranks, by what each is."""
    logs = [log for each in recordings for log in (each.values() if isinstance(each, Ranks) else [log_of(each)])]
    return {id(log): log for log in logs}
