"""A VJP of a log -> what is due for each argument by an independent witness: the engine's own rule, or differences.

Both run in double precision, on the values that were recorded. The rule of the engine is a witness for another
framework's op alone: of its own ops it is what is asked about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tapeviz.diagnosis.numbers.slips import epsilon
from tapeviz.engine.namespace import GradientTape, Tensor, convert_to_tensor
from tapeviz.engine.ops import OPS
from tapeviz.events import EventLog
from tapeviz.graph import Op
from tapeviz.live.comparison import pairing, wide
from tapeviz.live.rerun import Primal, counterparts, options_for, require_same
from tapeviz.live.slope import slope

Array: TypeAlias = "np.ndarray[Any, Any]"
MOST_ENTRIES = 256
"""For how many entries of an argument differences are taken one by one; of a larger one for so many drawn ones."""
ROUNDINGS = 4
"""How far the inputs nearby are."""


class Witnessed(NamedTuple):
    """What a VJP gave for an argument, what is due there, and what is due at inputs a few roundings away.

    `at` has the flat indices of the entries, where these are not all of the argument.
    """

    rule: Array
    due: Array
    nearby: Array
    at: Array | None = None

    def place(self, shape: tuple[int, ...], entry: tuple[int, ...]) -> tuple[int, ...]:
        """Where an entry is in the argument."""
        if self.at is None:
            return entry
        return tuple(int(each) for each in np.unravel_index(self.at[entry[0]], shape))


def by_rule(
    log: EventLog, op: Op, inputs: Sequence[Any], upstream: Sequence[Any], dtype: str
) -> tuple[list[Any], list[Any]] | None:
    """The gradients of all inputs by the engine's own rule, there and nearby; None where it has none for the op.

    What complex numbers get depends on a convention, which is not asked about.
    """
    if log.facts.reruns_ops or op.op not in OPS or any(map(np.iscomplexobj, inputs)):
        return None
    own = OPS[op.op]
    if own.primal not in counterparts(op):
        return None
    given = options_for(op, own.primal)
    function = partial(own, **given)
    try:
        here = _differentiated(log, op, function, inputs, upstream)
        around = [_differentiated(None, op, function, _moved(inputs, dtype, way), upstream) for way in (1, -1)]
    except Exception:  # whatever the engine refuses is no witness
        return None
    return here, [_farther(*each) for each in zip(here, *around, strict=True)]


def _farther(here: Any, one: Any, other: Any) -> Any:
    """Of two gradients nearby, in each entry the one that differs more: on one side of a kink it is as on it."""
    return None if here is None else np.where(np.abs(one - here) > np.abs(other - here), one, other)


def _differentiated(
    log: EventLog | None, op: Op, function: Callable[..., Any], inputs: Sequence[Any], upstream: Sequence[Any]
) -> list[Any]:
    tensors = [Tensor._new(np.asarray(each)) for each in inputs]
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch([each for each in tensors if each._value.dtype.kind in "fc"])
        found = function(*tensors)
    outputs = list(found) if isinstance(found, (tuple, list)) else [found]
    if log is not None:
        require_same(log, op, tuple(each._value for each in outputs) if len(outputs) > 1 else outputs[0]._value)
    pairs = [(each, Tensor._new(np.asarray(g))) for each, g in zip(outputs, upstream, strict=True) if g is not None]
    gradients = tape.gradient([each for each, _ in pairs], tensors, [g for _, g in pairs])
    return [None if each is None else convert_to_tensor(each)._value for each in gradients]


def _moved(inputs: Sequence[Any], dtype: str, way: int) -> list[Any]:
    """Inputs a few roundings away, one way or the other, the same at every call."""
    draw = np.random.default_rng(0)

    def moved(value: Any) -> Any:
        if np.asarray(value).dtype.kind != "f" or not np.size(value):
            return value
        sizes = np.abs(value) + (np.abs(value[np.isfinite(value)]).mean() / 64 if np.any(value) else 1.0)
        return value + way * ROUNDINGS * epsilon(dtype) * sizes * draw.uniform(-1, 1, np.shape(value))

    return [moved(each) for each in inputs]


def by_differences(primal: Primal, inputs: Sequence[Any], upstream: list[Any], slot: int, cotangent: Any) -> Witnessed:
    """The gradient of one input by differences, entry by entry, beside what the VJP gave."""
    rule, at = np.asarray(wide(cotangent)), np.asarray(inputs[slot], np.float64)
    drawn = rule.size > MOST_ENTRIES
    picked = np.sort(np.random.default_rng(0).choice(rule.size, MOST_ENTRIES, replace=False)) if drawn else None
    entries = range(rule.size) if picked is None else picked
    due, nearby = np.array([*_slopes(primal, inputs, upstream, slot, at, entries)]).T
    if picked is not None:
        return Witnessed(rule.reshape(-1)[picked], due, nearby, picked)
    return Witnessed(rule, due.reshape(rule.shape), nearby.reshape(rule.shape))


def _slopes(
    primal: Primal, inputs: Sequence[Any], upstream: list[Any], slot: int, at: Array, entries: Sequence[int] | Array
) -> Iterator[tuple[float, float]]:
    """The slope along each entry; beside it one of the two one-sided ones, which is another at a kink."""

    def target(moved: Any) -> tuple[float, float]:
        outputs = primal([*inputs[:slot], moved, *inputs[slot + 1 :]])
        return pairing(upstream, outputs if len(upstream) > 1 else (outputs,))

    for entry in entries:
        along = np.zeros(at.size)
        along[entry] = 1.0
        found = slope(target, at[()], along.reshape(at.shape)[()])
        yield found.central, found.right
