"""One step of a log -> its VJP beside finite differences of its op.

The step sent the cotangent c to an argument x, from the upstream gradient g. Along any direction u both
`c . u` and the slope of `g . f(x + h u)` at h = 0 are the same number, if the VJP is right. The op runs in float64.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from tapeviz import graph, replay
from tapeviz.engine.specs.dtypes import DIFFERENTIABLE, FLOATING, finfo
from tapeviz.engine.table import OPS
from tapeviz.errors import LogError
from tapeviz.events import EventLog, log_of
from tapeviz.events.summary import elements_of, norm
from tapeviz.live.rerun import primal_of
from tapeviz.live.slope import Differences, Measured, slope
from tapeviz.markup.table import Toned, grid
from tapeviz.markup.theme import Tone
from tapeviz.validation import whole
from tapeviz.views.reading.shown_run import chosen_run
from tapeviz.views.words import numbers
from tapeviz.views.words.names import Names

Verdict: TypeAlias = Literal["agrees", "differs", "kink", "not finite", "not kept"]
"""kink: left and right of x the op has two slopes, and the VJP lies between them; not kept: no cotangent to look at."""

TONES: dict[Verdict, Tone] = {
    "agrees": "",
    "differs": "error",
    "kink": "soft",
    "not finite": "error",
    "not kept": "soft",
}
DIRECTIONS = 2
"""Random directions that are tried for an argument that is no single number; the worst is told."""
TOLERANCES = {"float64": 1e-6, "complex128": 1e-6, "float32": 1e-3, "complex64": 1e-3}
"""Relative error up to which two numbers agree, by the dtype that the VJP was computed in."""
COARSE = 3e-2
"""The same for every other dtype, which is a half-precision one."""
ROUNDINGS = 10
"""How many roundings of the upstream gradient a VJP may be off."""
INSIDE = 2
"""How many roundings an element of an output may be off: an op is several steps inside."""


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
            return f"not finite: {self._both}"
        word = "a kink, the VJP lies between its slopes" if self.verdict == "kink" else self.verdict
        return f"{word}: {self._both}, relative error {self.error:.1e}"

    @property
    def _both(self) -> str:
        return f"{numbers.number(self.vjp)} by the VJP, {numbers.number(self.difference)} by differences"


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

    `step` counts the rules of a backward sweep from 1, as the debugger does; `run` counts the sweeps from 0, the
    debugger's is taken if it is None. Of an argument that is one number the gradient itself is compared, of a larger
    one its product with random directions, the same ones at every call.

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
    inputs = [_wide(_kept(log, tensor, names, step.op)) for tensor in op.inputs]
    primal = primal_of(log, op, step.op, inputs)
    upstream = [None if each is None else _wide(_kept(log, each, names)) for each in step.upstream]
    least = ROUNDINGS * sum(norm(each) for each in upstream if each is not None)
    for each in step.contributions:
        name, cotangent = names.tensor(each.tensor), log.value(each.cotangent)
        if elements_of(cotangent) is None:
            yield CheckedContribution(each.slot, name, np.nan, np.nan, np.nan, "not kept")
            continue

        def target(moved: Any, slot: int = each.slot) -> tuple[float, float]:
            """`g . f(..., moved, ...)`, and its rounding error."""
            outputs = primal([*inputs[:slot], moved, *inputs[slot + 1 :]])
            return _pairing(upstream, outputs if len(op.outputs) > 1 else (outputs,))

        directions = _directions(inputs[each.slot], symmetric=op.op in OPS and OPS[op.op].facts.symmetric)
        dtype = log.tensors[each.cotangent].dtype
        compared = [_compare(target, inputs[each.slot], along, cotangent, dtype, least) for along in directions]
        vjp, difference, error, verdict = max(compared, key=lambda found: np.nan_to_num(found[2], nan=np.inf))
        yield CheckedContribution(each.slot, name, vjp, difference, error, verdict)


def _compare(
    target: Measured, at: Any, along: Any, cotangent: Any, dtype: str, least: float
) -> tuple[float, float, float, Verdict]:
    """Both numbers along one direction, their relative error, and the verdict; `dtype` is the cotangent's."""
    vjp, found, tolerance = _dot(cotangent, along), slope(target, at, along), TOLERANCES.get(dtype, COARSE)
    # A random direction may happen to be almost orthogonal to the gradient: no reason to ask for more digits. And a
    # gradient that rounding made 0, as that of a saturated tanh, is as right as its dtype can be.
    usual = norm(cotangent) if np.ndim(cotangent) else 0.0
    unseen = max(least * float(finfo(dtype).eps), found.noise) / tolerance
    size = max(abs(vjp), abs(found.central), usual, unseen)
    error = float(abs(vjp - found.central) / size) if size else 0.0
    return vjp, found.central, error, _verdict(vjp, found, error, tolerance)


def _verdict(vjp: float, found: Differences, error: float, tolerance: float) -> Verdict:
    if not np.isfinite([vjp, found.central]).all():
        return "not finite"
    if error <= tolerance:
        return "agrees"
    low, high = sorted((found.left, found.right))
    room = tolerance * max(abs(low), abs(high))
    return "kink" if high - low > room and low - room <= vjp <= high + room else "differs"


def _kept(log: EventLog, tensor: int, names: Names, at: int | None = None) -> Any:
    value = log.value(tensor, at)
    if elements_of(value) is None:
        name, maker = names.tensor(tensor), names.graph.op_of(tensor)
        if log.keeps_values and value is None and maker is not None and maker.site is None:
            raise LogError(
                f"{log.customs.framework} computed {name} itself, out of sight: there is no value to check by."
            )
        raise LogError(not_kept(name))
    return value


def not_kept(name: str) -> str:
    """The message about a tensor whose value was not kept, and how to keep it."""
    return (
        f"The value of {name} was not kept. "
        'Record with values="kept" and a larger max_bytes: `with tv.record(max_bytes=1 << 30) as log: ...`.'
    )


def _wide(value: Any) -> Any:
    """A floating value in double precision, any other as it is."""
    array = np.asarray(value)
    if array.dtype.kind == "c":
        return array.astype(np.complex128)[()]
    return array.astype(np.float64)[()] if array.dtype.kind in FLOATING else value


def _directions(at: Any, symmetric: bool) -> Iterator[Any]:
    """One for a single number; else random ones, of the size of normal numbers, the same at every call.

    Those of square matrices, in an op of `symmetric` ones, are symmetric.
    """
    if np.ndim(at) == 0 and not np.iscomplexobj(at):
        yield np.float64(1.0)
        return
    draw, square = np.random.default_rng(0), np.shape(at)[-1:] == np.shape(at)[-2:-1]
    for _ in range(DIRECTIONS):
        along = draw.standard_normal(np.shape(at))
        if np.iscomplexobj(at):
            along = along + 1j * draw.standard_normal(np.shape(at))
        yield along + np.swapaxes(along, -1, -2).conj() if symmetric and square else along


def _dot(cotangent: Any, tangent: Any) -> float:
    """The pairing of a gradient, which is conjugated as in TensorFlow, and a direction."""
    return float(np.vdot(_wide(cotangent), _wide(tangent)).real)


def _rounding(value: Any) -> Any:
    """The rounding error of each element; small ones are rounded to a multiple of the smallest subnormal number."""
    array = np.asarray(value)
    if array.dtype.kind not in DIFFERENTIABLE:
        return 0.0
    limits = finfo(array.dtype)
    return INSIDE * np.abs(_wide(array)) * float(limits.eps) + float(limits.smallest_subnormal)


def _pairing(upstream: list[Any], outputs: Sequence[Any]) -> tuple[float, float]:
    """Gradients against outputs, and what rounding may do to the sum; an entry with no gradient may be infinite."""
    paired = zip(upstream, outputs, strict=True)
    pairs = [(g, np.where(np.equal(g, 0), np.zeros_like(out), out)) for g, out in paired if g is not None]
    noise = sum(float(np.sum(np.abs(g) * _rounding(out))) for g, out in pairs)
    return sum(_dot(g, out) for g, out in pairs), noise


def _row(each: CheckedContribution) -> list[Toned]:
    """The cells of a comparison, and how each is toned."""
    told = (numbers.number(each.vjp), numbers.number(each.difference), f"{each.error:.1e}")
    return [*((text, "") for text in told), (each.verdict, TONES[each.verdict])]
