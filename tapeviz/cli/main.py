"""The command line: its arguments -> the call of `run`, `watch`, `show`, `why` or `mcp`."""

from __future__ import annotations

import sys
from argparse import REMAINDER, ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from tapeviz.cli import script
from tapeviz.cli.mcp import mcp
from tapeviz.cli.run import run
from tapeviz.cli.show import show, why
from tapeviz.cli.watch import watch
from tapeviz.errors import TapevizError
from tapeviz.events.defaults import VALUES
from tapeviz.recorders import alarm
from tapeviz.validation import output_file, page_path


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """The command line; ends the process."""
    given = sys.argv[1:] if arguments is None else arguments
    options = _parser().parse_args(given)
    options.arguments = list(given)
    try:
        options.command(options)
    except (TapevizError, OSError) as error:
        sys.exit(f"tapeviz: {error}")
    except KeyboardInterrupt:
        script.INTERRUPTED.leave()
    sys.exit(0)


def _parser() -> ArgumentParser:
    parser = ArgumentParser("tapeviz", description="What the gradients of a program did, and why.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="run | watch | show | why | mcp")
    _add_run(commands)
    _add_watch(commands)
    _add_mcp(commands)
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
    running = _program_command(
        commands,
        "run",
        "[options] (script.py | -m module | -- launcher ... script.py) [arguments]",
        "Run a script as python does, then say what is wrong with its gradients.",
    )
    stops, fails = (
        {"type": partial(_reasons, among), "default": (), "metavar": ",".join(among)}
        for among in (alarm.REASONS, tuple(alarm.STATES))
    )
    running.add_argument("--html", type=_page, metavar="FILE", help="write the debugger as one offline page")
    running.add_argument(
        *("--log", "-o"),
        type=Path,
        metavar="FILE",
        help="write the log, for `tapeviz show` and `tv.load`; of several processes, a folder of logs",
    )
    running.add_argument("--json", type=_output, metavar="FILE", help="write the findings as JSON")
    running.add_argument("--sarif", type=_output, metavar="FILE", help="write them as SARIF, which code hosts show")
    running.add_argument("--values", choices=VALUES, help=_OF_VALUES)
    running.add_argument("--steps", type=int, metavar="N", help=_OF_STEPS)
    running.add_argument("--stop-on", **stops, help="end the program at the first such gradient")
    running.add_argument("--fail-on", **fails, help="exit with 1 in place of 0 if there was such a gradient")
    running.set_defaults(command=run)


def _add_watch(commands: Any) -> None:
    watching = _program_command(
        commands,
        "watch",
        "[options] (script.py | -m module) [arguments]",
        "Run a script as python does, and say when something is wrong with its gradients; else nothing.",
    )
    watching.add_argument("--values", choices=VALUES, help=_OF_VALUES)
    watching.add_argument("--steps", type=int, default=3, metavar="N", help=_OF_STEPS)
    watching.set_defaults(command=watch)


def _add_mcp(commands: Any) -> None:
    serving = _program_command(
        commands,
        "mcp",
        "(script.py | -m module) [arguments]",
        "Let a coding assistant record a script and ask about its gradients, by the Model Context Protocol; it runs "
        "nothing but that script.",
    )
    serving.set_defaults(command=mcp)


_OF_VALUES = '"norms" keeps statistics, "none" shapes'
_OF_STEPS = "keep only the last N tapes, or backward passes"


def _program_command(commands: Any, name: str, usage: str, description: str) -> Any:
    """A command on a program, which stands behind the command's own options; its description is one sentence."""
    parser = commands.add_parser(
        name,
        usage=f"tapeviz {name} {usage}",
        allow_abbrev=False,
        help=f"{description[0].lower()}{description[1:].rstrip('.')}",
        description=description,
    )
    parser.add_argument("-m", dest="module", nargs=REMAINDER, metavar="module", help="run a module, as python -m does")
    parser.add_argument("script", nargs=REMAINDER, help="a script and its own arguments")
    parser.set_defaults(parser=parser, name=name)
    return parser


def _output(text: str) -> Path:
    return _checked(partial(output_file, call="tapeviz run"), text)


def _page(text: str) -> Path:
    return _checked(partial(page_path, call="--html"), text)


def _checked(check: Callable[[str], Path], text: str) -> Path:
    try:
        return check(text).absolute()  # the program may go elsewhere
    except (ValueError, OSError) as wrong:
        raise ArgumentTypeError(str(wrong)) from None


def _reasons(among: tuple[str, ...], text: str) -> tuple[str, ...]:
    reasons = tuple(text.split(","))
    if not set(reasons).issubset(among):
        raise ArgumentTypeError(f"must be among {', '.join(among)}, got {text!r}")
    return reasons
