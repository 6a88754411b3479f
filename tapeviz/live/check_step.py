"""One step of a log -> its VJP beside finite differences of its op, which runs in float64."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tapeviz import graph, replay
from tapeviz.engine.ops import OPS
from tapeviz.errors import LogError
from tapeviz.events import EventLog, log_of
from tapeviz.events.summary import elements_of
from tapeviz.live.comparison import NOT_KEPT, Verdict, both, compare, pairing, wide
from tapeviz.live.rerun import primal_of
from tapeviz.markup.table import Toned, grid
from tapeviz.markup.theme import Tone
from tapeviz.validation import whole
from tapeviz.views.reading.shown_run import chosen_run
from tapeviz.views.words import numbers
from tapeviz.views.words.names import Names

TONES: dict[Verdict, Tone] = {
    "agrees": "",
    "differs": "error",
    "kink": "soft",
    "not finite": "error",
    "not kept": "soft",
}


@dataclass(frozen=True)
class CheckedContribution:
    """One contribution, checked: both numbers along the worst direction, and how far they are apart.

    `slot` is the argument's index, `name` its tensor's. `error` is relative; NaN where there is nothing to compare.
    """

    slot: int
    name: str
    vjp: float
    difference: float
    error: float
    verdict: Verdict

    @property
    def text(self) -> str:
        """The comparison in words."""
        if self.verdict == "not kept":
            return "not kept: nothing to compare"
        if self.verdict == "not finite":
            return f"not finite: {both(self.vjp, self.difference)}"
        word = "a kink, the VJP lies between its slopes" if self.verdict == "kink" else self.verdict
        return f"{word}: {both(self.vjp, self.difference)}, relative error {self.error:.1e}"


@dataclass(frozen=True)
class Check:
    """What `check_step` found of one step. As text, and in a notebook, it is a table."""

    run: int
    step: int
    op: str
    comparisons: tuple[CheckedContribution, ...]

    @property
    def agrees(self) -> bool:
        """Whether every contribution agrees with finite differences, as far as those can tell."""
        return all(each.verdict not in ("differs", "not finite") for each in self.comparisons)

    def __str__(self) -> str:
        lines = [f"to {each.name}: {each.text}" for each in self.comparisons]
        return "\n  ".join([f"step {self.step}, {self.op}:", *(lines or ["it sends nothing to any argument"])])

    def _repr_html_(self) -> str:
        heads = ("VJP", "differences", "relative error", "verdict")
        rows = [(f"to {each.name}", _row(each)) for each in self.comparisons]
        return grid(f"step {self.step}, {self.op}", heads, rows)


def check_step(log_or_tape: Any, step: int, run: int | None = None) -> Check:
    """Check one VJP against central differences of its op, on the values that were recorded.

    Of an argument that is one number the gradient itself is compared, of a larger one its product with random
    directions, the same ones at every call.

    Args:
        log_or_tape: a log, or anything with `.log`, such as a tape.
        step: which VJP of the backward pass, counted from 1 as in the debugger.
        run: which backward pass, counted from 0; by default the one that the debugger shows first.

    Returns:
        A comparison for each argument that the VJP sent a gradient to. As text, and in a notebook, it is a table.

    Raises:
        IndexError: no such run or step.
        TypeError: a run or step that is no whole number.
        ValueError: no gradient was taken in the log.
        LogError: a value was not kept, as those of a Jacobian never are; or the op cannot be run again (the log came
            from a file, or the op is a function of the program with a gradient of its own).

    >>> import tapeviz as tv
    >>> x = tv.Variable(3.0, name="x")
    >>> with tv.GradientTape() as tape:
    ...     y = tv.sin(x)
    >>> _ = tape.gradient(y, x)
    >>> checked = check_step(tape, 1)
    >>> checked.agrees, checked.comparisons[0].vjp
    (True, -0.9899924993515015)
    >>> print(checked)
    step 1, sin:
      to x: agrees: -0.989992 by the VJP, -0.989992 by differences, relative error ...
    """
    log = log_of(log_or_tape)
    runs = replay.runs(log)
    run = chosen_run(log, runs, run)
    steps = runs[run].steps
    step = whole(step, "step", "the number of a rule, counted from 1")
    if not 1 <= step <= len(steps):
        raise IndexError(f"step {step}: run {run} has the steps 1 to {len(steps)}.")
    made = graph.build(log)
    names = Names(made, runs)
    if runs[run].rows is not None:
        raise LogError(f"There is nothing to check with, since {replay.ROWS_LOST}: check a call of `gradient`.")
    with np.errstate(all="ignore"):
        comparisons = tuple(_comparisons(log, steps[step - 1], names))
    return Check(run, step, made.ops[steps[step - 1].op].op, comparisons)


def _comparisons(log: EventLog, step: replay.Step, names: Names) -> Iterator[CheckedContribution]:
    op = names.graph.ops[step.op]
    if not step.contributions:
        return
    inputs = [wide(_kept(log, tensor, names, step.op)) for tensor in op.inputs]
    primal = primal_of(log, op, step.op, inputs)
    upstream = [None if each is None else wide(_kept(log, each, names)) for each in step.upstream]
    for each in step.contributions:
        name, cotangent = names.tensor(each.tensor), log.value(each.cotangent)

        def target(moved: Any, slot: int = each.slot) -> tuple[float, float]:
            """`g . f(..., moved, ...)`, and its rounding error."""
            outputs = primal([*inputs[:slot], moved, *inputs[slot + 1 :]])
            return pairing(upstream, outputs if len(op.outputs) > 1 else (outputs,))

        found = NOT_KEPT
        if elements_of(cotangent) is not None:
            dtype, symmetric = log.tensors[each.cotangent].dtype, op.op in OPS and OPS[op.op].facts.symmetric
            found = compare(target, inputs[each.slot], cotangent, dtype, upstream, symmetric=symmetric)
        yield CheckedContribution(each.slot, name, *found)


def _kept(log: EventLog, tensor: int, names: Names, at: int | None = None) -> Any:
    value = log.value(tensor, at)
    if elements_of(value) is None:
        name, maker = names.tensor(tensor), names.graph.op_of(tensor)
        if log.keeps_values and value is None and maker is not None and maker.site is None:
            raise LogError(
                f"{log.facts.framework} computed {name} itself, out of sight: there is no value to check by."
            )
        raise LogError(not_kept(name))
    return value


def not_kept(name: str) -> str:
    """The message about a tensor whose value was not kept, and how to keep it."""
    return (
        f"The value of {name} was not kept. "
        'Record with values="kept" and a larger max_bytes: `with tv.record(max_bytes=1 << 30) as log: ...`.'
    )


def _row(each: CheckedContribution) -> list[Toned]:
    """The cells of a comparison, with their tones."""
    told = (numbers.number(each.vjp), numbers.number(each.difference), f"{each.error:.1e}")
    return [*((text, "") for text in told), (each.verdict, TONES[each.verdict])]
