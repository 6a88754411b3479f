"""`python -m tests.diagnosis.planted [--half even|odd] [--only NAME] [--healthy]`: what is said of planted faults."""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable

from tests.diagnosis.planted.healthy import programs
from tests.diagnosis.planted.planting import HALVES, Pair, half, names, pairs
from tests.diagnosis.planted.scoring import Result
from tests.diagnosis.planted.workers import results

OWN = {"engine"}
"""What programs are counted for that are of no library but this one."""


def main() -> None:
    """Run what is asked for, and print it."""
    options = _options()
    if options.names:
        print(names(), end="")
        return
    chosen = [] if options.healthy else _chosen(options)
    needed = {each.program.name for each in chosen}
    here = [each for each in programs() if _is_wanted(each.name, options.only) or each.name in needed]
    library_of = {each.name: each.library for each in here}
    for each in here:
        if each.missing:
            print(f"skipped {each.name}: {', '.join(each.missing)} is not installed")
    got = []
    for result in results(here, chosen):
        got.append(result)
        _print(result, options.verbose)
    of_pairs = [each for each in got if each.fault and each.counts]
    _table("fault", of_pairs, lambda each: each.fault)
    _table("library", of_pairs, lambda each: library_of[each.program])
    healthy = [each for each in got if not each.fault]
    alarms, ill = _count(healthy, "alarm"), _count(healthy, "ill", "broken")
    libraries = {library_of[each.program] for each in healthy} - OWN
    print(
        f"\nhealthy programs: {len(healthy)}, of {len(libraries)} libraries, with a false alarm: {alarms}, "
        f"not healthy: {ill}"
    )
    if of_pairs:
        unshown = sum(each.outcome == "unshown" for each in got if each.fault)
        print(f"pairs: {len(of_pairs)} ({unshown} more in which the fault does not show); {_shares(of_pairs)}")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.diagnosis.planted", description=__doc__)
    parser.add_argument("--half", choices=HALVES, help="the faults of this half alone")
    parser.add_argument("--only", metavar="NAME", help="the faults, or the programs, whose name holds this")
    parser.add_argument("--healthy", action="store_true", help="the healthy programs alone")
    parser.add_argument("--names", action="store_true", help="print the faults' names and halves; run nothing")
    parser.add_argument("-v", "--verbose", action="store_true", help="print what is said of every pair")
    return parser.parse_args()


def _chosen(options: argparse.Namespace) -> list[Pair]:
    return [
        each
        for each in pairs(programs())
        if options.half in (None, half(each.fault)) and _is_wanted(each.name, options.only)
    ]


def _is_wanted(name: str, only: str | None) -> bool:
    return only is None or only in name


def _print(result: Result, is_verbose: bool) -> None:
    """One line for what is not as it should be, and below it what is said."""
    if result.outcome in ("named", "silent") and not is_verbose:
        return
    print(f"{result.outcome:7} {result.fault or 'no fault'} in {result.program} ({result.shown})", flush=True)
    if result.outcome != "unshown":
        print("".join(f"          {each}\n" for each in result.told), end="")


def _table(title: str, got: Iterable[Result], key: Callable[[Result], str]) -> None:
    rows: dict[str, list[Result]] = defaultdict(list)
    for each in got:
        rows[key(each)].append(each)
    if rows:
        print(f"\nper {title}")
    for name, some in sorted(rows.items()):
        print(f"  {name:42} {_shares(some)}")


def _shares(got: list[Result]) -> str:
    named, found = _count(got, "named"), _count(got, "named", "found")
    return f"named {named}/{len(got)} ({named / len(got):.0%}), found {found}/{len(got)} ({found / len(got):.0%})"


def _count(got: Iterable[Result], *outcomes: str) -> int:
    counted = Counter(each.outcome for each in got)
    return sum(counted[each] for each in outcomes)


if __name__ == "__main__":
    main()
