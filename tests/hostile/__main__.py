"""The long form: `python -m tests.hostile [parts]` prints what was tried, and what did not hold."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from itertools import cycle, product
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

import tapeviz as tv
from tapeviz.errors import LogFileError
from tests.browser.chromium import FLAGS, find_browser
from tests.hostile import edits, faults, patterns, planted, strings
from tests.hostile.exporters import EXPORTERS
from tests.views.samples import LOGS, cube, read_out
from tests.views.test_real_tapes import TAPES

FAULTS, EDITED, MUTATED = 12, 2_000, 20_000
"""Faults of each kind in each exporter, and files."""
SAVED = [*(LOGS[name] for name in ("cube", "read_out", "empty")), *TAPES]
"""What is edited and damaged."""
LONGEST = 5.0
"""Seconds that a verb may take."""


def _faults(folder: Path) -> Iterator[str]:
    wrong, count = [], 0
    for name, kind in product(EXPORTERS, faults.KINDS):
        rewriting = faults.Rewriting(EXPORTERS[name], cube(), read_out(), folder)
        for fault in rewriting.faults(kind, FAULTS):
            count += 1
            wrong += [f"{name}: {told}" for told in rewriting.wrong(fault)]
    yield f"{count} faults in {len(EXPORTERS)} exporters: {len(wrong)} wrong"
    yield from wrong


def _secrets(folder: Path) -> Iterator[str]:
    wrong = planted.leaks(folder)
    files = sum(path.is_file() for path in folder.glob("export*/*"))
    yield f"{len(planted.SECRETS)} secrets, {files} files: {len(wrong)} found where they were to be left out"
    yield from wrong


def _edits(folder: Path) -> Iterator[str]:
    """Files that are refused are not among those that are counted: they say little of the verbs."""
    sources = [tv.save(log(), folder / f"source{number}.tape") for number, log in enumerate(SAVED)]
    ended: Counter[str] = Counter()
    slowest, calls, loaded = 0.0, 0, 0
    for seed, source in enumerate(cycle(sources)):
        if loaded == EDITED:
            break
        for verb, took, error in edits.answers(edits.edited(source, folder / "edited.tape", seed), folder):
            calls, slowest, loaded = calls + 1, max(slowest, took), loaded + (verb == "save")
            if error is not None or took > LONGEST:
                ended[f"seed {seed}, {verb}: {type(error).__name__}: {error} ({took:.1f} s)"] += 1
    yield f"{seed} edited logs, {loaded} loaded, {calls} calls: {ended.total()} wrong, the slowest {slowest:.1f} s"
    yield from ended


def _mutated(folder: Path) -> Iterator[str]:
    sources = [tv.save(log(), folder / f"source{number}.tape") for number, log in enumerate(SAVED)]
    loaded, refused, slowest = 0, 0, 0.0
    wrong: list[str] = []
    for seed, source in zip(range(MUTATED), cycle(sources), strict=False):
        path, started = edits.mutated(source, folder / "mutated.tape", seed), time.process_time()
        try:
            tv.load(path)
            loaded += 1
        except LogFileError:
            refused += 1
        except Exception as error:
            wrong.append(f"seed {seed}: {type(error).__name__}: {error}")
        slowest = max(slowest, time.process_time() - started)
    yield f"{MUTATED} mutated files: {refused} refused, {loaded} loaded, {len(wrong)} wrong, slowest {slowest:.1f} s"
    yield from wrong


def _patterns(folder: Path) -> Iterator[str]:
    found = patterns.uses()
    wrong = [told for use in found for told in patterns.steep(use)]
    yield f"{len(found)} uses of regular expressions: {len(wrong)} grow faster than their line"
    yield from wrong


def _strings(folder: Path) -> Iterator[str]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser(), args=list(FLAGS))
        watch = strings.Watch(browser)
        wrong = [told for text in strings.STRINGS for told in watch.wrong(text, folder)]
        browser.close()
    yield f"{len(strings.STRINGS)} strings in {len(strings.KINDS)} kinds of page: {len(wrong)} wrong"
    yield from wrong


PARTS = {
    "faults": _faults,
    "secrets": _secrets,
    "edits": _edits,
    "mutated": _mutated,
    "patterns": _patterns,
    "strings": _strings,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or PARTS:
        started = time.monotonic()
        with TemporaryDirectory() as folder:
            told = list(PARTS[name](Path(folder)))
        print(f"{name} ({time.monotonic() - started:.0f} s)", *told, sep="\n    ", flush=True)
