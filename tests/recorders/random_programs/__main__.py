"""`python -m tests.recorders.random_programs [--framework NAME] [--count 300]`: what a recording changes of each."""

from __future__ import annotations

import argparse

from tests.recorders.random_programs.composing import FRAMEWORKS, Framework
from tests.recorders.random_programs.running import wrong_with


def main() -> None:
    """Run what is asked for, and print what is not as it was."""
    parser = argparse.ArgumentParser(prog="python -m tests.recorders.random_programs", description=__doc__)
    parser.add_argument("--framework", choices=FRAMEWORKS, action="append", help="this one; else each")
    parser.add_argument("--count", type=int, default=300, help="how many programs of each framework")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first")
    parser.add_argument("--pieces", action="store_true", help="each piece by itself, in place of random programs")
    parser.add_argument("--only", nargs="*", help="these pieces")
    parser.add_argument("--show", action="store_true", help="print the programs that differ")
    options = parser.parse_args()
    for name in options.framework or FRAMEWORKS:
        framework = FRAMEWORKS[name]
        seeds = range(options.first, options.first + options.count)
        if options.pieces or options.only:
            programs = {each: framework.of_one(each) for each in options.only or framework.pieces()}
        else:
            programs = {str(seed): framework.program(seed) for seed in seeds}
        _compare(framework, programs, options.show)


def _compare(framework: Framework, programs: dict[str, str], show: bool) -> None:
    same = 0
    for name, source in programs.items():
        wrong = wrong_with(framework, source)
        same += not wrong
        if wrong:
            print(f"{framework.name} {name}", *wrong, *([source] if show else []), sep="\n    ", flush=True)
    print(
        f"{framework.name}: {same} of {len(programs)} programs are as without a recording, and nothing untrue is said"
    )


if __name__ == "__main__":
    main()
