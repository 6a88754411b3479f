"""The command line: its arguments -> the call of `run`, `show` or `why`."""

from __future__ import annotations

import sys
from argparse import REMAINDER, ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from tapeviz.cli import script
from tapeviz.cli.run import run
from tapeviz.cli.show import show, why
from tapeviz.errors import TapevizError
from tapeviz.recorders import stop
from tapeviz.validation import log_path, output_file, page_path


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
    showing = commands.add_parser("show", help="open a log file in the browser")
    showing.add_argument("log", **log)
    views = showing.add_mutually_exclusive_group()
    views.add_argument(
        "--html", type=_page, metavar="FILE", help="where to write the page; by default a temporary file"
    )
    views.add_argument("--text", action="store_true", help="print its ops, gradients and findings, and open nothing")
    showing.set_defaults(command=show)
    asking = commands.add_parser("why", help="explain the gradients of a log file")
    asking.add_argument("log", **log)
    asking.add_argument("pair", nargs="*", metavar="TARGET SOURCE", help="two names; without them, everything wrong")
    asking.set_defaults(command=why, parser=asking)
    return parser


def _add_run(commands: Any) -> None:
    running = commands.add_parser(
        "run",
        usage="tapeviz run [options] (script.py | -m module) [arguments]",
        allow_abbrev=False,
        help="run a script as python does, then say what is wrong with its gradients",
        description="Run a script as python does, then say what is wrong with its gradients.",
    )
    reasons: dict[str, Any] = {"type": _reasons, "default": (), "metavar": "nan,inf,none"}
    running.add_argument("--html", type=_page, metavar="FILE", help="write the debugger as one offline page")
    running.add_argument("--log", type=_file, metavar="FILE", help="write the log, for `tapeviz show` and `tv.load`")
    running.add_argument("--json", type=_output, metavar="FILE", help="write the findings as JSON")
    running.add_argument("--sarif", type=_output, metavar="FILE", help="write them as SARIF, which code hosts show")
    running.add_argument("--values", choices=("kept", "none"), help='"none" keeps shapes only')
    running.add_argument("--steps", type=int, metavar="N", help="keep only the last N tapes, or backward passes")
    running.add_argument("--stop-on", **reasons, help="end the program at the first such gradient")
    running.add_argument("--fail-on", **reasons, help="exit with 1 in place of 0 if there was such a gradient")
    running.add_argument("-m", dest="module", nargs=REMAINDER, metavar="module", help="run a module, as python -m does")
    running.add_argument("script", nargs=REMAINDER, help="a script and its own arguments")
    running.set_defaults(command=run, parser=running)


def _file(text: str) -> Path:
    return _checked(partial(log_path, call="--log", page="--html"), text)


def _output(text: str) -> Path:
    return _checked(partial(output_file, call="tapeviz run"), text)


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
