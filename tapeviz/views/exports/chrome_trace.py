"""EventLog -> a trace in the Trace Event Format: the program on one track, its backward passes on another.

A log has no times. A place in the log takes the time of a microsecond, so that what is long in the trace is many
events, and not slow.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

from tapeviz.views.exports.details import Details, line_of
from tapeviz.views.folding.groups import find_groups
from tapeviz.views.reading import Reading, read

PROCESS, FORWARD, BACKWARD = 1, 1, 2
FLOW = {"cat": "fwdbwd", "name": "fwdbwd"}
"""What PyTorch's profiler calls the arrow from an op to its backward op, too."""

TraceEvent = dict[str, Any]


def chrome_trace(log_or_tape: Any) -> dict[str, Any]:
    """A log as a trace for Perfetto (https://ui.perfetto.dev) or chrome://tracing, ready for `json.dump`.

    Ops are slices within the calls and layers that they belong to, VJPs slices within the gradient that they are part
    of; an arrow leads from each op to its VJP. A finding is a mark at its last piece of evidence. A position in the log
    is a microsecond.

    Source:
        Google, "Trace Event Format": complete, instant, flow and metadata events.

    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0, name="x")
    >>> with tv.GradientTape() as tape:
    ...     y = x * x
    >>> _ = tape.gradient(y, x)
    >>> [(each["ph"], each["name"]) for each in chrome_trace(tape)["traceEvents"][3:]]
    [('X', 'mul'), ('X', 'gradient of y'), ('X', 'mul backward'), ('s', 'fwdbwd'), ('f', 'fwdbwd')]
    """
    reading = read(log_or_tape)
    details = Details(reading)
    events = [
        *_names(reading.title),
        *_calls(reading),
        *_ops(reading, details),
        *_runs(reading, details),
        *_findings(reading),
    ]
    return {"traceEvents": events, "displayTimeUnit": "ns", "otherData": {"time": "1 us is 1 position in the log"}}


def _names(title: str) -> Iterator[TraceEvent]:
    """What process and tracks are called."""
    yield {"ph": "M", "name": "process_name", "pid": PROCESS, "args": {"name": title}}
    for thread, name in ((FORWARD, "forward"), (BACKWARD, "backward")):
        yield {"ph": "M", "name": "thread_name", "pid": PROCESS, "tid": thread, "args": {"name": name}}


def _calls(reading: Reading) -> Iterator[TraceEvent]:
    """The calls, layers, loops and repeats that ops are in, the outer ones first."""
    positions = sorted(reading.graph.ops)
    groups = find_groups(reading.graph, positions)
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for position in positions:
        group = groups.of_op[position]
        while group >= 0:
            first.setdefault(group, position)
            last[group] = position
            group = groups.rows[group].parent
    for group, row in enumerate(groups.rows):
        yield _slice(FORWARD, row.title, row.kind, first[group], last[group], {"ops": row.note})


def _ops(reading: Reading, details: Details) -> Iterator[TraceEvent]:
    for position, op in sorted(reading.graph.ops.items()):
        facts = {"result": reading.names.whole_title(position), **dict(details.of_op(position))}
        yield _slice(FORWARD, reading.names.function(op), "op", position, position, facts)


def _runs(reading: Reading, details: Details) -> Iterator[TraceEvent]:
    """Each run, its VJPs in it, and the arrows that lead to them."""
    arrows = count(1)
    for run in reading.runs:
        end = run.steps[-1].position if run.steps else run.position
        yield _slice(BACKWARD, reading.names.run(run), "gradient", run.position, end, {})
        for number, step in enumerate(run.steps, 1):
            op = reading.graph.ops[step.op]
            name = f"{reading.names.function(op)} backward"
            sent = {
                f"to {reading.names.tensor(each.tensor)} ({each.slot})": details.gradient(run, each.cotangent)
                for each in step.contributions
            }
            yield _slice(BACKWARD, name, "VJP", step.position, step.position, {"step": number, **sent})
            arrow = {**FLOW, "id": next(arrows), "pid": PROCESS}
            yield {"ph": "s", **arrow, "tid": FORWARD, "ts": step.op}
            yield {"ph": "f", "bp": "e", **arrow, "tid": BACKWARD, "ts": step.position}


def _findings(reading: Reading) -> Iterator[TraceEvent]:
    for finding in reading.findings:
        facts = {"message": finding.message, "fix": finding.fix, "severity": finding.severity}
        if finding.site is not None:
            facts["line"] = line_of(finding.site)
        at = finding.evidence[-1] if finding.evidence else 0
        yield {
            "ph": "i",
            "s": "p",
            "pid": PROCESS,
            "tid": FORWARD,
            "ts": at,
            "name": finding.title,
            "cat": "finding",
            "args": facts,
        }


def _slice(thread: int, name: str, category: str, first: int, last: int, facts: dict[str, Any]) -> TraceEvent:
    """A slice of a track, from the position `first` to the end of `last`."""
    place = {"pid": PROCESS, "tid": thread, "ts": first, "dur": last + 1 - first}
    return {"ph": "X", "name": name, "cat": category, **place, "args": facts}
