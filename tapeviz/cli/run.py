"""`tapeviz run`: a script -> the same run, and what is wrong with its gradients.

What tapeviz says goes to stderr, so that stdout is the program's own.
"""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from tapeviz.cli import script
from tapeviz.cli.children import Children
from tapeviz.cli.colours import coloured
from tapeviz.cli.launch import launch, launcher
from tapeviz.cli.program import program_of
from tapeviz.cli.progress import progress, say, write
from tapeviz.cli.ranks import asked_to_end, numbered, place_files, rank
from tapeviz.cli.started import How, StartedRanks
from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.finding import Findings
from tapeviz.diagnosis.recorded_calls import gradient_calls
from tapeviz.events import BackwardStarted, EventLog, GradientStored
from tapeviz.events.program.exceptions import text_of
from tapeviz.events.program.inspection import attributes
from tapeviz.events.store import atomic
from tapeviz.events.store.ranks import Ranks
from tapeviz.graph import build
from tapeviz.recorders import alarm
from tapeviz.recorders.bindings import note_names
from tapeviz.recorders.frameworks import nothing_recorded
from tapeviz.source.places import site_at
from tapeviz.views.page.save_html import save_html
from tapeviz.views.reports.sarif import sarif, workflow_commands

Part = TypeVar("Part")


def run(options: Namespace) -> NoReturn:
    """Run the program, report on it, and end the process as the program ended."""
    if command := launcher(options):
        launch(options, command)
    place_files(options)
    options.process = os.getpid()  # a child that the program forks comes to its end in `run`, too
    program = program_of(options)
    options.how = How(options.values, options.steps, options.stop_on)
    name = options.module[0] if options.module else options.script[0]
    ranks = StartedRanks(options.how, options.log, name, are_recorded=rank() is None)
    children = Children(ranks)
    log, error = _recorded(program, children, options)
    ending = script.ended_by(error)
    if os.getpid() == options.process and _report(log, ranks, children, options) and ending.code == 0:
        ending = script.FAILED
    ending.leave()


def _recorded(
    program: Callable[[], None], children: Children, options: Namespace
) -> tuple[EventLog, BaseException | None]:
    """Run the program: the log of it, and what it raised."""
    log: EventLog | None = None
    error: BaseException | None = None
    try:
        if options.values == "none" and alarm.reads_numbers(options.fail_on):
            raise ValueError("--fail-on nan and inf look at gradients, of which --values none keeps none.")
        recording = options.how.record()
    except ValueError as wrong:
        options.parser.error(str(wrong))
    EventLog.error_hook = None  # what is known of an error is said after the program's own traceback
    try:
        with asked_to_end(is_rank=rank() is not None), recording as log, children.watched(log):
            try:
                program()
            finally:
                note_names(log, attributes(sys.modules.get("__main__")))
    except BaseException as raised:
        if log is None:
            raise
        error = raised
    return log, error


def _report(log: EventLog, ranks: StartedRanks, children: Children, options: Namespace) -> bool:
    """Say what is wrong, in the processes that the program started, too; whether one that ended well has failed."""
    with suppress(Exception):  # the program may have closed its stdout, or taken it away, or nobody reads it
        sys.stdout.flush()
    logs = _attempted("reading the logs of the ranks", lambda: ranks.logs(log)) or [(log, None)]
    options.log = ranks.place_of_own()
    done = [part for number, each in enumerate(logs, 1) for part in _report_on(*each, numbered(options, number))]
    if unrecorded := children.sentence(is_alone=all(_nothing(each) for each, _ in logs)):
        say(unrecorded)
    ranks.close()
    return not all(done)


def _report_on(log: EventLog | Ranks, place: Path | None, options: Namespace) -> Iterator[bool]:
    """Write what was asked for of a log, and say what is wrong; for each part, whether it went well."""
    if isinstance(log, Ranks):
        say(f"{log}: {place}" if place else str(log))
    elif options.log:
        yield _printed("writing the log", lambda: f"log: {options.how.save(log, options.log)}")
    if options.html:
        yield _printed("drawing the page", lambda: f"page: {save_html(log, options.html)}")
    found = _attempted("looking at the gradients", lambda: diagnose(log))
    yield found is not None
    if found is not None:
        say(coloured([_nothing(log) or str(found)], sys.__stderr__))
        yield from _written(found, options)
    failure = _attempted("looking for --fail-on", lambda: next(_failures(log, options.fail_on), ""))
    if failure:
        say(f"--fail-on {','.join(options.fail_on)}: {failure}")
    yield failure == ""


def _nothing(log: EventLog | Ranks) -> str:
    """What to say of a log that has nothing to look at."""
    return "" if isinstance(log, Ranks) else nothing_recorded(log)


FROM_ANOTHER = (
    "It arrived sound in this process: a hook has made it so, or a reduction has brought it from another rank, as the "
    "logs of all ranks tell."
)


def _written(found: Findings, options: Namespace) -> Iterator[bool]:
    """Write the findings for other programs; whether each of the files could be."""
    if options.json:
        yield _printed("writing the findings", lambda: f"findings: {_in_json(found.to_dict(), options.json)}")
    if options.sarif:
        yield _printed("writing the findings", lambda: f"findings: {_in_json(sarif(found), options.sarif)}")
    if options.fail_on and os.environ.get("GITHUB_ACTIONS") == "true":
        write("".join(f"{each}\n" for each in workflow_commands(found)))


def _in_json(report: dict[str, Any], path: Path) -> Path:
    atomic.write(path, json.dumps(report, indent=2).encode())
    return path


def _printed(doing: str, part: Callable[[], str]) -> bool:
    """Print a part of the report; whether that worked."""
    text = _attempted(doing, part)
    if text is not None:
        say(text)
    return text is not None


def _attempted(doing: str, part: Callable[[], Part]) -> Part | None:
    """A part of the report; None, with a message, if it fails, so that the other parts still appear."""
    try:
        with progress(doing):
            return part()
    except Exception as error:
        say(f"{doing} failed: {type(error).__name__}: {text_of(error)}")
        return None


def _failures(log: EventLog | Ranks, reasons: Sequence[str]) -> Iterator[str]:
    """The gradients that the user asked to fail on, in words."""
    if isinstance(log, Ranks):
        yield from (f"on rank {rank}, {text}" for rank, each in log.items() for text in _failures(each, reasons))
        return
    for call in gradient_calls(build(log)) if reasons else ():
        for source, gradient in call.gradients.items():
            reason = "none" if gradient is None else alarm.oddity(log.value(gradient), reasons)
            if reason in reasons:
                yield alarm.sentence(log.tensors[source].name, call.site, reason)
    began = {each.run: position for position, each in log.of_kind(BackwardStarted).items()}
    for stored in log.of_kind(GradientStored).values() if reasons else ():
        reason = alarm.oddity(log.value(stored.gradient), reasons)
        if reason:
            told = alarm.sentence(log.tensors[stored.tensor].name, site_at(log, began[stored.run]), reason)
            yield f"{told}\n{FROM_ANOTHER}"
    if "none" in reasons:
        yield from (each.message for each in diagnose(log) if each.symptom == "none" and each.severity != "hint")
