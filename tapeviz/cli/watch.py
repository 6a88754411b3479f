"""`tapeviz watch`: a script -> the same run, and a word when something is wrong with its gradients, else none."""

from __future__ import annotations

from argparse import Namespace
from typing import NoReturn

from tapeviz.cli import script
from tapeviz.cli.program import program_of
from tapeviz.live.watch import watch as watch_program


def watch(options: Namespace) -> NoReturn:
    """Run the program as `python` does, with `tv.watch()` ahead of it, and end the process as the program ended."""
    program = program_of(options)
    try:
        watch_program(values=options.values, steps=options.steps)
    except ValueError as wrong:
        options.parser.error(str(wrong))
    error: BaseException | None = None
    try:
        program()
    except BaseException as raised:
        error = raised
    script.ended_by(error).leave()
