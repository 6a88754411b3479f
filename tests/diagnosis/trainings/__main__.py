"""`python -m tests.diagnosis.trainings [--way WAY] [--only FAULT] [-v]`: faults on the way from gradient to weight."""

from __future__ import annotations

import argparse
from collections import Counter

from tests.diagnosis.trainings.faults import FAULTS
from tests.diagnosis.trainings.reading import WAYS, every
from tests.diagnosis.trainings.running import results
from tests.diagnosis.trainings.scoring import Came


def main() -> None:
    """Run what is asked for, and print it."""
    parser = argparse.ArgumentParser(prog="python -m tests.diagnosis.trainings", description=__doc__)
    parser.add_argument("--way", choices=WAYS, help="one way to train alone")
    parser.add_argument("--only", metavar="FAULT", default="", help="the faults whose name holds this")
    parser.add_argument("-v", "--verbose", action="store_true", help="print what is said of every training")
    options = parser.parse_args()
    chosen = [each for each in every() if options.way in (None, each.way) and options.only in each.fault]
    for each in chosen:
        if each.missing:
            print(f"skipped {each.name}: {', '.join(each.missing)} is not installed")
    got = []
    for came in results(chosen):
        got.append(came)
        _print(came, options.verbose)
    _table(got)
    named, without = sum(each.with_fault == "named" for each in got), Counter(each.without for each in got)
    print(
        f"\nnamed: {named} of {len(got)}; healthy trainings: {len(got)}, with an error or a warning: "
        f"{without['alarm']}, with a hint: {without['hint']}, silent: {without['silent']}"
    )


def _print(came: Came, is_verbose: bool) -> None:
    if came.with_fault != "named" or is_verbose:
        print(f"{came.with_fault} {came.fault} in {came.way}", *came.told, sep="\n        ", flush=True)
    if came.without != "silent":
        print(f"{came.without} without {came.fault} in {came.way}", *came.told_of_healthy, sep="\n        ", flush=True)


def _table(got: list[Came]) -> None:
    of = {(each.fault, each.way): each.with_fault for each in got}
    print(f"\n{'fault':26}", *(f"{way:9}" for way in WAYS))
    for fault in FAULTS:
        cells = [of.get((fault, way), "-") for way in WAYS]
        if any(cell != "-" for cell in cells):
            print(f"{fault:26}", *(f"{cell[:6]:9}" for cell in cells))


if __name__ == "__main__":
    main()
