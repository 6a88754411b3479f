"""`python -m tests.diagnosis.fixes [--cases FOLDER] [--all] [--only NAME] [--in-process] [-v]`: what patches heal."""

from __future__ import annotations

import argparse
import logging
import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.diagnosis.fixes.healing import LIMIT, Outcome, healed
from tests.diagnosis.fixes.programs import Faulty, cases, marked, pages
from tests.diagnosis.fixes.running import by_command, in_process


def main() -> None:
    """Run what is asked for, and print what became of each program and the shares."""
    options = _options()
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")
    _told("pages of docs/causes", pages(), options)
    if options.all:
        _told("faulty programs of tests/diagnosis", marked(), options)
    if options.cases is not None and options.cases.is_dir():
        _told(f"cases of {options.cases}", cases(options.cases), options)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.diagnosis.fixes", description=__doc__)
    parser.add_argument("--cases", type=Path, metavar="FOLDER", help="open cases, beside the pages of docs/causes")
    parser.add_argument("--all", action="store_true", help="all faulty programs of the tests, too")
    parser.add_argument("--only", metavar="NAME", help="the programs whose name holds this")
    parser.add_argument("--in-process", action="store_true", help="without `tapeviz run`, which starts a process each")
    parser.add_argument("-v", "--verbose", action="store_true", help="print what is found, and what is left")
    return parser.parse_args()


def _told(title: str, programs: Iterable[Faulty], options: argparse.Namespace) -> None:
    """What becomes of programs, and of how many."""
    print(f"\n{title}")
    got: list[tuple[Faulty, Outcome]] = []
    for each in programs:
        if options.only is None or options.only in each.name:
            with TemporaryDirectory() as folder:
                got.append((each, healed(each, Path(folder), in_process if options.in_process else by_command)))
            _print(*got[-1], options.verbose)
    for name, some in {
        "all": got,
        "those that one line repairs": [pair for pair in got if pair[0].is_mended_by_a_line],
        "those whose finding has a patch": [pair for pair in got if pair[1].has_patch],
    }.items():
        count = sum(outcome.is_healed for _, outcome in some)
        print(f"  of {name}: {count}/{len(some)} healed ({count / max(1, len(some)):.0%})")
    short = sum(outcome.tokens < LIMIT for _, outcome in got)
    print(f"  what is found is told in under {LIMIT} tokens: {short}/{len(got)} ({short / max(1, len(got)):.0%})")


def _print(faulty: Faulty, outcome: Outcome, is_verbose: bool) -> None:
    print(f"{outcome.verdict:24} {faulty.name} ({faulty.framework}, repaired by {faulty.lines} lines)", flush=True)
    if is_verbose and not outcome.is_healed:
        for number, found in enumerate(outcome.rounds, 1):
            for each in found:
                print(f"    {number} {each['severity']} {each['cause']}: {each['message']}\n      {each['fix']}")
                print("".join(f"      {line}\n" for line in each["patch"].splitlines()), end="")
        print("".join(f"    | {line}\n" for line in outcome.text.splitlines()[-25:]), end="")


if __name__ == "__main__":
    main()
