"""`python -m tests.libraries [--only NAME] [--write]`: libraries whose programs are recorded, as a table.

The programs are the healthy ones of `tests/diagnosis/planted/programs`, the faults those of the half that rules are
developed on. `--write` writes the table to docs/libraries.md, which needs all the libraries installed.
"""

from __future__ import annotations

import argparse
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tests.diagnosis.planted.healthy import Healthy
from tests.libraries.trial import Trial
from tests.libraries.trials import FRAMEWORKS, trials

PAGE = Path(__file__).parents[2] / "docs" / "libraries.md"
ROUNDING = 1e-6
"""Below it, relative to the largest entry, gradients are called equal; bit by bit is said where it is so."""

INTRODUCTION = """\
# Libraries that were tried

For each library a short program in its idiom, with random weights, was run as it stands in `tv.record()` (a program
of JAX as well). The columns say:

- *program*: its name in `tests/diagnosis/planted/programs`
- *recorded*: how many ops the log holds, and on which framework and version they ran
- *results*: whether the gradients are those of the program alone, bit by bit or to 1e-6
- *names*: the share of the sources that have the program's names in every view
- *page*: the size of the page that `tv.save_html` writes
- *planted fault*: a fault put into the program, one that shows, and whether the diagnosis names its cause at the user's
  line, finds its line or tensor, or misses it
- *cost*: how long the recorded program takes, as a multiple of the program alone: one measurement of a few steps of a
  small model, in which Python takes most of the time

`python -m tests.libraries --write` writes the page.

| library | version | program | recorded | results | names | page | planted fault | cost |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def main() -> None:
    """Try what is asked for, and print or write the table."""
    parser = argparse.ArgumentParser(prog="python -m tests.libraries", description=__doc__)
    parser.add_argument("--only", metavar="NAME", default="", help="the programs whose name or library holds this")
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    options = parser.parse_args()
    rows, libraries, named = [], set(), set()
    for program, trial in trials(options.only):
        rows.append(row(program, trial))
        print(rows[-1], flush=True)
        libraries.add(program.library)
        if trial.told == "named":
            named.add(program.library)
    summary = f"{len(libraries)} libraries; in {len(named)} of them a planted fault is named."
    print(summary)
    if options.write:
        table = "\n".join(sorted(rows, key=str.lower))
        PAGE.write_text(f"{INTRODUCTION}{table}\n\n{summary}\n", encoding="utf-8")


def row(program: Healthy, trial: Trial) -> str:
    """A row of the table."""
    library = program.library
    if trial.error:
        cells = [library, _version(library), trial.program, f"no: {trial.error}", "", "", "", "", ""]
    else:
        cells = [
            library,
            _version(library),
            trial.program,
            f"{trial.ops:,} ops, {FRAMEWORKS[program.framework]} {_version(program.framework)}",
            _results(trial),
            f"{trial.named:.0%}",
            f"{trial.page / 1e3:,.0f} kB",
            f"{trial.fault.replace('_', ' ')}: {trial.told}" if trial.fault else trial.told,
            f"{trial.cost:.1f}",
        ]
    return f"| {' | '.join(cells)} |"


def _results(trial: Trial) -> str:
    if trial.apart == 0:
        return "equal, bit by bit"
    return "equal to 1e-6" if trial.apart <= ROUNDING else f"differ by {trial.apart:.1g}"


def _version(package: str) -> str:
    for name in (package, f"{package}-cpu"):
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return "?"


if __name__ == "__main__":
    main()
