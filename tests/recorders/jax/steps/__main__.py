"""`python -m tests.recorders.jax.steps [NAMES] [--faults]`: whether a recording leaves training steps be."""

from __future__ import annotations

import argparse
from importlib.metadata import version

from tests.recorders.jax.steps.comparing import Step, outcomes, steps
from tests.recorders.jax.steps.planting import came_of, planted


def main() -> None:
    """Run what is asked for, and print it."""
    parser = argparse.ArgumentParser(prog="python -m tests.recorders.jax.steps", description=__doc__)
    parser.add_argument("names", nargs="*", help="these steps alone")
    parser.add_argument("--faults", action="store_true", help="plant faults into them")
    options = parser.parse_args()
    chosen = [each for each in steps() if not options.names or each.name in options.names]
    for each in chosen:
        if each.missing:
            print(f"skipped {each.name}: {', '.join(each.missing)} is not installed")
    here = [each for each in chosen if not each.missing]
    (_plant if options.faults else _compare)(here)


def _compare(here: list[Step]) -> None:
    library_of = {each.name: each.library for each in here}
    got = []
    for outcome in outcomes(here):
        got.append(outcome)
        print(outcome, flush=True)
    ran = [each for each in got if each.runs]
    libraries = sorted({library_of[each.name] for each in ran})
    same = sum(not each.wrong for each in ran)
    print(f"{same} of {len(ran)} steps of {len(libraries)} libraries are as without a recording, gradients too")
    print(", ".join(f"{each} {version(each)}" for each in libraries))


def _plant(here: list[Step]) -> None:
    got = []
    for result in came_of(planted(here)):
        got.append(result)
        print(f"{result.outcome:7} {result.fault} in {result.program} ({result.shown})", flush=True)
        if result.outcome != "named":
            print("".join(f"          {each}\n" for each in result.told), end="")
    print(f"named {sum(each.outcome == 'named' for each in got)}/{sum(bool(each.fault) for each in got)}")


if __name__ == "__main__":
    main()
