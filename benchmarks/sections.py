"""What to measure, and on whom -> the text of one section of the report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

from benchmarks import memory
from benchmarks.frameworks import CONTESTANTS, PERSISTENT, checked_step, framework
from benchmarks.programs import PROGRAMS, chain
from benchmarks.table import Rows, table
from benchmarks.timing import interleaved, microseconds, ratio, turn
from benchmarks.versions import CannotRun, Version

BY_HAND = "NumPy by hand"
OURS = ("tapeviz", "tapeviz, values off")
QUICK = (*OURS, "PyTorch")
"""Who is quick enough for a glance, and for a long chain."""
SHORT, LONG = 999, 99_999
"""Ops of two chains: time per op should not grow from one to the other."""


def timing(name: str, here: Sequence[str], rounds: int) -> str:
    """A program: microseconds per op of everybody, and the ratios to the peers."""
    program = PROGRAMS[name]()
    work = {BY_HAND: partial(program.by_hand, *program.inputs, *program.variables)}
    work |= {each: checked_step(each, program) for each in here}
    timings = interleaved({each: partial(turn, step) for each, step in work.items()}, rounds=rounds)
    peers = [each for each in work if each not in OURS]
    rows = []
    for each in work:
        ratios = [f"{ratio(timings, each, peer):.3g}" for peer in peers]
        rows.append((each, f"{microseconds(timings, each, program.ops):.3f}", *ratios))
    return table(f"{name}: {program.title}", ("us per op", *(f"/ {peer}" for peer in peers)), rows)


def growth(here: Sequence[str], rounds: int) -> str:
    """Microseconds per op of a short chain and of a long one."""
    rows = []
    for name in [each for each in here if each in QUICK]:
        steps = {str(ops): framework(name).step(chain(ops)) for ops in (SHORT, LONG)}
        timings = interleaved({ops: partial(turn, step) for ops, step in steps.items()}, rounds=rounds)
        per_op = [f"{microseconds(timings, str(ops), ops):.3f}" for ops in (SHORT, LONG)]
        rows.append((name, *per_op, f"{ratio(timings, str(LONG), str(SHORT)) * SHORT / LONG:.3g}"))
    return table("growth: us per op of the scalar chain", (f"{SHORT:,} ops", f"{LONG:,} ops", "ratio"), rows)


def held(here: Sequence[str]) -> str:
    """Bytes per recorded op of the scalar chain; what an MLP step of batch 4,096 holds, and its peak."""
    if not memory.available():
        return "\nmemory: measured on Linux only"
    rows: Rows = []
    persistent = [each for each in PERSISTENT if each.removesuffix(", persistent") in here]
    for name in (*here, *persistent):
        after, peak = memory.alone(memory.step_peaks, name)
        per_op = f"{memory.alone(memory.bytes_per_op, name):.0f}" if name in CONTESTANTS else ""
        rows.append((name, per_op, f"{after / 2**20:.2f}", f"{peak / 2**20:.2f}"))
    title = "memory: scalar chain before gradient(); MLP step of batch 4,096, after its forward pass and at its peak"
    return table(title, ("bytes per op", "MiB held", "MiB at the peak"), rows)


def comparison(name: str, versions: Mapping[str, Version], rounds: int) -> str:
    """A program under several versions of tapeviz: microseconds per op, and the ratio to the first version."""
    program = PROGRAMS[name]()
    first = next(iter(versions))
    rows: Rows = []
    for contestant in OURS:
        turns = {label: partial(version.turn, name, contestant) for label, version in versions.items()}
        try:
            timings = interleaved(turns, rounds=rounds)
        except CannotRun as error:
            return f"\n{name}: {error}"
        for label in versions:
            per_op = f"{microseconds(timings, label, program.ops):.3f}"
            rows.append((f"{contestant}, {label}", per_op, f"{ratio(timings, label, first):.3f}"))
    return table(f"{name}: {program.title}", ("us per op", f"/ {first}"), rows)
