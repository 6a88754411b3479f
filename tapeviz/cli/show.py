"""`tapeviz show` and `tapeviz why`: a log file -> a page in the browser, or an explanation in words."""

from __future__ import annotations

import os
import sys
import tempfile
import webbrowser
from argparse import Namespace
from pathlib import Path

from tapeviz.cli.colours import coloured
from tapeviz.cli.progress import progress, say
from tapeviz.diagnosis.diagnose import diagnose
from tapeviz.diagnosis.why import why as explanation
from tapeviz.events import EventLog
from tapeviz.events.store.load import load
from tapeviz.events.store.loaded_log import LoadedLog
from tapeviz.events.store.ranks import Ranks
from tapeviz.views.page.save_html import save_html
from tapeviz.views.reports.text import parts


def show(options: Namespace) -> None:
    """Open the log as a page in the browser, or print it."""
    log = _loaded(options.log)
    if options.text:
        print(coloured(parts(log), sys.stdout))
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


def why(options: Namespace) -> None:
    """Print why a target has this gradient by a source, or everything that is wrong."""
    if len(options.pair) not in (0, 2):
        options.parser.error("name a target and a source, or neither")
    log = _loaded(options.log)
    with progress("looking"):
        answer = explanation(log, *options.pair) if options.pair else diagnose(log)
    print(coloured([str(answer)], sys.stdout))


def _loaded(path: Path) -> EventLog | Ranks:
    """The log in a file, or those in a folder; of a damaged file what is intact, with a warning."""
    with progress(f"reading {path}"):
        found = load(path, partial=True)
    for log in found.values() if isinstance(found, Ranks) else (found,):
        if isinstance(log, LoadedLog) and log.damage:
            say(f"{path} is damaged: {log.damage}. This is what is intact of it.")
    return found
