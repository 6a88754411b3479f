"""`tapeviz run`, `show` and `why`: a script -> the same run, and what is wrong with its gradients; a log file -> views.

What tapeviz says goes to stderr, so that stdout is the program's own.
"""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from argparse import REMAINDER, ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from tapeviz.cli import script
from tapeviz.cli.progress import progress
from tapeviz.diagnosis import diagnose, why
from tapeviz.diagnosis.asked import gradient_calls
from tapeviz.errors import TapevizError
from tapeviz.events import EventLog
from tapeviz.events.program.raised import note_error
from tapeviz.events.store import LoadedLog, load, save
from tapeviz.graph import build
from tapeviz.recorders import stop
from tapeviz.recorders.bindings import note_names
from tapeviz.recorders.frameworks import nothing_recorded
from tapeviz.recorders.record import record
from tapeviz.validation import log_path, page_path
from tapeviz.views.page.html import save_html
from tapeviz.views.reports.text import text

USAGE = 2
"""The exit code for wrong arguments, and of `python` for a script that is not there."""


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """The command line; ends the process."""
    options = _parser().parse_args(arguments)
    try:
        options.command(options)
    except (TapevizError, OSError) as error:
        sys.exit(f"tapeviz: {error}")
    except KeyboardInterrupt:
        script.INTERRUPTED.leave()
    sys.exit(0)


def _parser() -> ArgumentParser:
    parser = ArgumentParser("tapeviz", description="What the gradients of a program did, and why.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="run | show | why")
    _add_run(commands)
    log: dict[str, Any] = {"type": Path, "metavar": "LOG", "help": "what `tapeviz run --log` or `tv.save` wrote"}
    show = commands.add_parser("show", help="open a log file in the browser")
    show.add_argument("log", **log)
    views = show.add_mutually_exclusive_group()
    views.add_argument(
        "--html", type=_page, metavar="FILE", help="where to write the page; by default a temporary file"
    )
    views.add_argument("--text", action="store_true", help="print its ops, gradients and findings, and open nothing")
    show.set_defaults(command=_show)
    asking = commands.add_parser("why", help="explain the gradients of a log file")
    asking.add_argument("log", **log)
    asking.add_argument("pair", nargs="*", metavar="TARGET SOURCE", help="two names; without them, everything wrong")
    asking.set_defaults(command=_why, parser=asking)
    return parser


def _add_run(commands: Any) -> None:
    run = commands.add_parser(
        "run",
        usage="tapeviz run [options] (script.py | -m module) [arguments]",
        allow_abbrev=False,
        help="run a script as python does, then say what is wrong with its gradients",
        description="Run a script as python does, then say what is wrong with its gradients.",
    )
    reasons: dict[str, Any] = {"type": _reasons, "default": (), "metavar": "nan,inf,none"}
    run.add_argument("--html", type=_page, metavar="FILE", help="write the debugger as one offline page")
    run.add_argument("--log", type=_file, metavar="FILE", help="write the log, for `tapeviz show` and `tv.load`")
    run.add_argument("--values", choices=("kept", "none"), help='"none" keeps shapes only')
    run.add_argument("--steps", type=int, metavar="N", help="keep only the last N tapes, or backward passes")
    run.add_argument("--stop-on", **reasons, help="end the program at the first such gradient")
    run.add_argument("--fail-on", **reasons, help="exit with 1 in place of 0 if there was such a gradient")
    run.add_argument("-m", dest="module", nargs=REMAINDER, metavar="module", help="run a module, as python -m does")
    run.add_argument("script", nargs=REMAINDER, help="a script and its own arguments")
    run.set_defaults(command=_run, parser=run)


def _file(text: str) -> Path:
    return _checked(partial(log_path, call="--log", page="--html"), text)


def _page(text: str) -> Path:
    return _checked(partial(page_path, call="--html"), text)


def _checked(check: Callable[[str], Path], text: str) -> Path:
    try:
        return check(text).absolute()  # the program may go elsewhere
    except (ValueError, OSError) as wrong:
        raise ArgumentTypeError(str(wrong)) from None


def _reasons(text: str) -> tuple[str, ...]:
    try:
        return stop.checked(text.split(","))
    except ValueError:
        raise ArgumentTypeError(f"must be among {', '.join(stop.REASONS)}, got {text!r}") from None


# ----- run -----


def _run(options: Namespace) -> NoReturn:
    program = _program(options)
    log, error = _recorded(program, options)
    ending = script.ended_by(error)
    if os.getpid() == options.process and _report(log, options) and ending.code == 0:
        ending = script.FAILED
    ending.leave()


def _program(options: Namespace) -> Callable[[], None]:
    """What runs the program; where there is none the process ends as `python` would."""
    options.process = os.getpid()  # a child that the program forks comes to its end in `_run`, too
    if options.module:
        name, *arguments = options.module
        return partial(script.run_module, name, arguments)
    if not options.script:
        options.parser.error("which script? tapeviz run script.py")
    name, *arguments = options.script
    if script.is_importable(name):
        return partial(script.run_inside, name, arguments)
    try:
        return partial(script.run_script, name, script.source(name), arguments)
    except OSError as error:
        path = os.path.abspath(name)
        print(f"{sys.executable}: can't open file {path!r}: [Errno {error.errno}] {error.strerror}", file=sys.stderr)
        sys.exit(USAGE)


def _recorded(program: Callable[[], None], options: Namespace) -> tuple[EventLog, BaseException | None]:
    """Run the program: the log of it, and what it raised."""
    error: BaseException | None = None
    try:
        if options.values == "none" and {"nan", "inf"} & set(options.fail_on):
            raise ValueError("--fail-on nan and inf look at gradients, of which --values none keeps none.")
        recording = record(values=options.values, steps=options.steps, stop_on=options.stop_on)
    except ValueError as wrong:
        options.parser.error(str(wrong))
    EventLog.error_hook = None  # what is known of an error is said after the program's own traceback
    with recording as log:
        try:
            program()
        except BaseException as raised:
            error = raised
            note_error(log, error)
        note_names(log, vars(sys.modules["__main__"]))
    return log, error


def _report(log: EventLog, options: Namespace) -> bool:
    """Write what was asked for, and the diagnosis; whether a program that ended well is to count as failed."""
    with suppress(AttributeError, ValueError):  # the program may have closed its stdout, or taken it away
        sys.stdout.flush()
    done = []
    if options.log:
        values = options.values or "kept"
        done.append(_printed("writing the log", lambda: f"log: {save(log, options.log, values=values)}"))
    if options.html:
        done.append(_printed("drawing the page", lambda: f"page: {save_html(log, options.html)}"))
    done.append(_printed("looking at the gradients", lambda: _diagnosis(log)))
    failure = _attempted("looking for --fail-on", lambda: next(_failures(log, options.fail_on), ""))
    if failure:
        _say(f"--fail-on {','.join(options.fail_on)}: {failure}")
    return failure != "" or not all(done)


def _printed(doing: str, part: Callable[[], str]) -> bool:
    """Print a part of the report; whether that worked."""
    text = _attempted(doing, part)
    if text is not None:
        _say(text)
    return text is not None


def _attempted(doing: str, part: Callable[[], str]) -> str | None:
    """A part of the report; None, with a message, if it fails, so that the other parts still appear."""
    try:
        with progress(doing):
            return part()
    except Exception as error:
        _say(f"{doing} failed: {type(error).__name__}: {error}")
        return None


def _diagnosis(log: EventLog) -> str:
    return nothing_recorded(log) or str(diagnose(log))


def _failures(log: EventLog, reasons: Sequence[str]) -> Iterator[str]:
    """The gradients that the user asked to fail on, in words."""
    for asked in gradient_calls(build(log)) if reasons else ():
        for source, gradient in asked.gradients.items():
            reason = "none" if gradient is None else stop.oddity(log.value(gradient), reasons)
            if reason in reasons:
                yield stop.sentence(log.tensors[source].name, asked.call.site, reason)
    if "none" in reasons:
        yield from (each.message for each in diagnose(log) if each.symptom == "none" and each.severity != "hint")


def _say(text: str) -> None:
    print(f"\ntapeviz: {text}", file=sys.__stderr__)


# ----- show and why -----


def _show(options: Namespace) -> None:
    log = _loaded(options.log)
    if options.text:
        print(text(log))
        return
    page = options.html or Path(tempfile.mkdtemp(prefix="tapeviz-")) / f"{options.log.stem}.html"
    with progress("drawing"):
        save_html(log, page)
    print(page)
    if _has_browser():
        webbrowser.open(page.absolute().as_uri())


def _has_browser() -> bool:
    """Whether a page would open in a window: a text browser would take the terminal."""
    windows = {"DISPLAY", "WAYLAND_DISPLAY", "BROWSER"}
    return not sys.platform.startswith("linux") or not windows.isdisjoint(os.environ)


def _why(options: Namespace) -> None:
    if len(options.pair) not in (0, 2):
        options.parser.error("name a target and a source, or neither")
    log = _loaded(options.log)
    with progress("looking"):
        answer = why(log, *options.pair) if options.pair else diagnose(log)
    print(answer)


def _loaded(path: Path) -> LoadedLog:
    """The log in a file; of a damaged file what is intact, with a warning."""
    with progress(f"reading {path}"):
        log = load(path, partial=True)
    if log.damage:
        _say(f"{path} is damaged: {log.damage}. This is what is intact of it.")
    return log
