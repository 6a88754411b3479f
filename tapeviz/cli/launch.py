"""`tapeviz run ... -- torchrun train.py` -> the launcher's command, with each of its processes under a recording."""

from __future__ import annotations

import shutil
import subprocess
import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from tapeviz.cli.progress import progress, say
from tapeviz.cli.ranks import emptied
from tapeviz.cli.script import Ending
from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.events.store.load import load
from tapeviz.validation import folder
from tapeviz.views.page.save_html import save_html

SEPARATOR = "--"
"""What stands before a launcher's command."""


def launcher(options: Namespace) -> list[str]:
    """The launcher's command, if the command line has one; else nothing."""
    command: list[str] = options.script
    return command[1:] if command[:1] == [SEPARATOR] else []


def launch(options: Namespace, command: Sequence[str]) -> NoReturn:
    """Run the launcher, say what the ranks together show, and end the process as the launcher ended."""
    if options.log is None:
        options.parser.error("several processes write a folder of logs: name one, --log FOLDER")
    place = options.log.absolute()
    own = options.arguments[1 : options.arguments.index(SEPARATOR)]
    try:
        recorded = recording_command(command, _portable(own, place))
    except ValueError as wrong:
        options.parser.error(str(wrong))
    if shutil.which(recorded[0]) is None:
        options.parser.error(f"there is no command {recorded[0]!r}")
    emptied(folder(place, "--log"))
    code = subprocess.run(recorded, check=False).returncode
    _say_together(place, options.html)
    Ending(code if code >= 0 else 128 - code).leave()


def recording_command(command: Sequence[str], own: Sequence[str]) -> list[str]:
    """The command with `-m tapeviz run` and the options `own` before the program, which is a script or `-m module`.

    Raises:
        ValueError: it names no program.

    >>> recording_command(["torchrun", "--nproc-per-node", "2", "-m", "pkg.train", "--lr", "1"], ["-o", "out"])
    ['torchrun', '--nproc-per-node', '2', '-m', 'tapeviz', 'run', '-o', 'out', '-m', 'pkg.train', '--lr', '1']
    """
    started_by_python = Path(command[0]).name.startswith("python") and command[1:2] == ["-m"]
    for at in range(3 if started_by_python else 1, len(command)):
        is_script = command[at].endswith(".py") and Path(command[at]).is_file()
        if is_script or command[at] == "-m":
            return [*command[:at], "-m", "tapeviz", "run", *own, *command[at:]]
    for each in command[1:]:
        if each.endswith(".py"):
            raise ValueError(f"{command[0]!r} is given the script {each!r}, and there is no such file")
    raise ValueError(f"{command[0]!r} is given no script, and no module by -m, that could be recorded")


def _portable(own: Sequence[str], place: Path) -> list[str]:
    """The options for each process. Torchrun reads those of its script, too, and takes `--log` for one of its own.

    The page is one for all.
    """
    kept: list[str] = []
    skips = False
    for each in own:
        if skips or each.startswith(("--log", "-o", "--html")):
            skips = each in ("--log", "-o", "--html")
        else:
            kept.append(each)
    return ["-o", str(place), *kept]


def _say_together(place: Path, page: Path | None) -> None:
    """What the logs of all ranks show together, and the page of them."""
    try:
        with progress("comparing the ranks"):
            ranks = load(place, partial=True)
            found = diagnose(ranks)
    except Exception as error:
        say(f"comparing the ranks failed: {type(error).__name__}: {error}")
        return
    sys.stdout.flush()
    say(f"{ranks}: {place}\n{found}")
    if page is not None:
        with progress("drawing the page"):
            say(f"page: {save_html(ranks, page)}")
