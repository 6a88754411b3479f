"""`tapeviz mcp`: a program -> tools by which a coding assistant records it and asks about its gradients.

The protocol is the Model Context Protocol's, over stdin and stdout, by its official SDK. Nothing runs but the program
that the command names.
"""

from __future__ import annotations

import os
import signal
import tempfile
from argparse import Namespace
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec

from tapeviz.cli import answers
from tapeviz.cli.recordings import PATIENCE, Recordings
from tapeviz.errors import TapevizError

if TYPE_CHECKING:
    from mcp.server import MCPServer

Arguments = ParamSpec("Arguments")

EXTRA = 'tapeviz mcp needs the SDK of the protocol: pip install "tapeviz[mcp]"'
INSTRUCTIONS = """\
tapeviz says why a gradient is None, zero, NaN or wrong, with the line and the fix. Call record, then diagnose; after a
change of the program record again, and compare."""


def mcp(options: Namespace) -> None:
    """Serve until the client hangs up."""
    program = ["-m", *options.module] if options.module else options.script
    if not program:
        options.parser.error("which script? tapeviz mcp script.py")
    if not options.module and not Path(program[0]).exists():
        options.parser.error(f"there is no {program[0]} in {os.getcwd()}")
    # A client in the background ignores interrupts, and so would the program, which is to be interrupted by one.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="tapeviz-") as folder:
        server(Recordings(program, Path(folder))).run()


def server(recordings: Recordings) -> MCPServer:
    """The server with its tools.

    Raises:
        TapevizError: the SDK is not installed.
    """
    try:
        from mcp.server import MCPServer
    except ImportError:
        raise TapevizError(EXTRA) from None
    serving = MCPServer("tapeviz", instructions=INSTRUCTIONS, log_level="WARNING")
    for tool in _tools(recordings):
        serving.tool()(_answering(tool))
    return serving


def _tools(recordings: Recordings) -> list[Callable[..., str]]:
    """What an assistant can call: each docstring is what it is told of the tool."""

    def record(seconds: int = PATIENCE) -> str:
        """Run the program once more, as it is now, and record its gradients; it is interrupted after so many seconds.
        Returns how it ended, and what was found."""
        return recordings.record(seconds)

    def diagnose(first: int = 1) -> str:
        """What is wrong with the gradients of the last recording, worst first: cause, line and fix; from finding number
        `first` on."""
        return answers.found(recordings.last(), first)

    def why(target: str, source: str) -> str:
        """Why the gradient of a target (as "loss") by a source (as "layers.0.weight") is what it is."""
        return answers.explained(recordings.last(), target, source)

    def table(first: int = 1) -> str:
        """The norm of the gradient of each target by each source, or None, 0 or NaN; from source number `first` on."""
        return answers.tabulated(recordings.last(), first)

    def value(name: str) -> str:
        """Dtype, shape and numbers of a named tensor, variable or parameter, and of its gradients."""
        return answers.value(recordings.last(), name)

    def compare() -> str:
        """What the program did otherwise in the last recording than in the one before, and in which gradients."""
        return answers.compared(*recordings.last_two())

    return [record, diagnose, why, table, value, compare]


def _answering(tool: Callable[Arguments, str]) -> Callable[Arguments, str]:
    """The tool, which tells its client what is wrong with a question; the SDK keeps other errors to itself."""
    from mcp.server.mcpserver.exceptions import ToolError

    @wraps(tool)
    def answered(*args: Arguments.args, **kwargs: Arguments.kwargs) -> str:
        try:
            return tool(*args, **kwargs)
        except (TapevizError, ValueError, OSError) as wrong:
            raise ToolError(answers.within(str(wrong))) from wrong

    return answered
