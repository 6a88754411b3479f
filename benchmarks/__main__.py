"""Print what recording costs, for tapeviz and its peers.

python -m benchmarks [NAME ...] [--rounds N] [--quick]          the programs and sections of these names, or all
python -m benchmarks compare COMMIT [COMMIT] [--program NAME]   two commits of tapeviz, in turns; one: with the tree
"""

from __future__ import annotations

import os

os.environ |= {  # before the libraries are imported: one thread for everybody, and no chatter
    **dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1"),
    **dict.fromkeys(("TF_NUM_INTRAOP_THREADS", "TF_NUM_INTEROP_THREADS"), "1"),
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
}

import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable
from contextlib import ExitStack

from benchmarks import diagnosis, models, recorders, sections
from benchmarks.frameworks import CONTESTANTS, missing
from benchmarks.programs import PROGRAMS
from benchmarks.versions import opened

SECTIONS: dict[str, Callable[[list[str], int], str]] = {
    "memory": lambda here, rounds: sections.held(here),
    "growth": sections.growth,
    "models": lambda here, rounds: models.report(rounds),
    "recorders": lambda here, rounds: recorders.report(rounds),
    "diagnosis": lambda here, rounds: diagnosis.report(),
}
"""Sections that are about no single program, of the contestants that are here and a number of rounds."""


def measure(options: Namespace) -> None:
    """The first mode: tapeviz beside its peers."""
    wanted = sections.QUICK if options.quick else tuple(CONTESTANTS)
    rounds = options.rounds or (15 if options.quick else 60)
    for name in wanted:
        if package := missing(name):
            print(f"{name} is left out: pip install {package}")
    here = [name for name in wanted if not missing(name)]
    for name in options.names or (*PROGRAMS, *SECTIONS):
        section = SECTIONS[name](here, rounds) if name in SECTIONS else sections.timing(name, here, rounds)
        print(section, flush=True)


def compare(options: Namespace) -> None:
    """The second mode: tapeviz beside itself."""
    with ExitStack() as stack:
        commits = [*options.commits, None] if len(options.commits) == 1 else options.commits
        versions = {commit or "working tree": stack.enter_context(opened(commit)) for commit in commits}
        for name in options.program or PROGRAMS:
            print(sections.comparison(name, versions, options.rounds or 60), flush=True)


def main(arguments: list[str]) -> None:
    comparing = arguments[:1] == ["compare"]
    parser = ArgumentParser("python -m benchmarks", description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, help="how many rounds; who is slow sits out most of them")
    if comparing:
        parser.add_argument("commits", nargs="+", metavar="COMMIT")
        parser.add_argument("--program", action="append", choices=PROGRAMS, metavar="NAME")
        compare(parser.parse_args(arguments[1:]))
    else:
        names = (*PROGRAMS, *SECTIONS)
        parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
        parser.add_argument("--quick", action="store_true", help="a glance: few rounds, no peer but PyTorch")
        options = parser.parse_args(arguments)
        if unknown := set(options.names) - set(names):
            parser.error(f"there is no {', '.join(sorted(unknown))}; there are {', '.join(names)}")
        measure(options)


if __name__ == "__main__":
    main(sys.argv[1:])
