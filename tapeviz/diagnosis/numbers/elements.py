"""Run, source -> for each entry of its gradient that is zero, the op that stops it: masked, flat, not chosen, unused.

Every tensor of the backward pass gets a map of its entries: 0 where the gradient is not zero, else the number of a
reason, counted in the order in which the backward pass meets them. A step passes the map of its upstream gradient on,
and adds a reason of its own where it makes a zero.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import islice
from math import prod
from typing import Any, NamedTuple

import numpy as np

from tapeviz.diagnosis.dialects import dialect_of
from tapeviz.diagnosis.gradient_call import GradientCall
from tapeviz.diagnosis.numbers.broadcast_sums import rows_of
from tapeviz.diagnosis.numbers.moves import ELSEWHERE, MOVES, SPLITS, origins
from tapeviz.diagnosis.numbers.sequences import RECURRENT, by_sequence
from tapeviz.diagnosis.numbers.underflow import has_slope, has_underflown
from tapeviz.diagnosis.op_kinds import (
    BOUNDED,
    CHOICES,
    ENTRY_EXTREMES,
    EXTREMES,
    PARTS,
    PRODUCTS,
    RECTIFIERS,
    SOFTMAXES,
)
from tapeviz.diagnosis.wording.places import at
from tapeviz.graph import Op
from tapeviz.phrases import listed
from tapeviz.replay import Contribution, Step
from tapeviz.source.places import site_at

LARGEST = 1 << 20
"""Entries of a tensor up to which they are looked at one by one."""

MOST = 4
"""Reasons, and entries of a reason, that are named."""

_BEHIND_ALL = 1 << 32
"""More than there are reasons."""

UNREAD = "not read by {op}"
"""What is said of an entry that an op leaves out, which picks others."""

_STOPS = {
    **dict.fromkeys(CHOICES, "not chosen by {op}"),
    **dict.fromkeys(RECTIFIERS, "{op} is off there"),
    **dict.fromkeys(BOUNDED | SOFTMAXES, "{op} is flat there"),
    **dict.fromkeys(PRODUCTS, "multiplied by zero in {op}"),
    **dict.fromkeys(ENTRY_EXTREMES, "{op} takes another entry"),
    **dict.fromkeys(EXTREMES, "{op} takes its other input"),
    **dict.fromkeys(PARTS, UNREAD),
}
_OTHERWISE = "the derivative of {op} is zero there"
_TOO_SMALL = "what {op} passes there is too small for float16"
_VANISHED_UPSTREAM = "what reaches {op} is too small to be multiplied further"
_USERS = "the gradient function of {op} returns zero there"

_CANCELS = "what arrives from {op} and from elsewhere cancels"

_ROWS_CANCEL = "what arrives at {op} from all its rows cancels"

_INHERITING = ("reduce_sum", "reduce_mean")
"""Reductions whose zeros are all those of what comes in."""

_LOOKING = frozenset({*MOVES, *SPLITS, *PARTS, *RECURRENT})
"""Ops of which it takes a look at the numbers to say where an entry comes from."""


class ZeroReason(NamedTuple):
    """Why an entry is zero: at an op, by what it does."""

    position: int
    does: str


@dataclass(frozen=True)
class ZeroEntries:
    """The entries of a gradient that are zero for one reason: how many, and the first of them."""

    reason: ZeroReason
    count: int
    entries: tuple[tuple[int, ...], ...]


def are_for_several_reasons(call: GradientCall, source: int) -> bool:
    """Whether a gradient's zeros are known to have more than one reason."""
    return not _maps(call).whole(source) and len(zero_entries(call, source)) > 1


def _maps(call: GradientCall) -> _Maps:
    return call.once("zero entries", lambda: _Maps(call))


def zero_entries(call: GradientCall, source: int) -> list[ZeroEntries]:
    """The reasons of a gradient's zeros, the most frequent first; none where the numbers were not kept."""
    maps = _maps(call)
    blame = maps.of(source)
    if blame is None:
        return []
    whole = maps.whole(source)
    if whole:
        first = tuple(islice(np.ndindex(blame.shape), MOST))
        return [ZeroEntries(maps.reasons[whole - 1], blame.size, first)]
    counts = Counter(blame[blame > 0].tolist())
    found = []
    for number, count in counts.most_common():
        entries = np.argwhere(blame == number)[:MOST]
        found.append(ZeroEntries(maps.reasons[number - 1], count, tuple(tuple(each) for each in entries.tolist())))
    return found


def explanation(call: GradientCall, source: int) -> str:
    """How many entries of a gradient are zero, and why, as sentences; empty where none is or nothing is known."""
    zeros = zero_entries(call, source)
    if not zeros:
        return ""
    shape = call.log.tensors[source].shape
    size, count = int(np.prod(shape)), sum(each.count for each in zeros)
    if len(zeros) == 1 and count == size:
        entries = "" if size == 1 else f" in all of its {size:,} entries"
        return f" It is zero{entries}: {_why(call, zeros[0])}."
    parts = listed([f"{_where(each)} ({_why(call, each)})" for each in zeros], MOST)
    return f" {count:,} of its {size:,} entries {'is' if count == 1 else 'are'} zero: {parts}."


def _where(zeros: ZeroEntries) -> str:
    more = ", …" if zeros.count > len(zeros.entries) else ""
    return ", ".join(str(list(each)) for each in zeros.entries) + more


def _why(call: GradientCall, zeros: ZeroEntries) -> str:
    position = zeros.reason.position
    called = dialect_of(call.log).op(call.graph.ops[position].op)
    return zeros.reason.does.format(op=f"`{called}`{at(site_at(call.log, position))}")


class _Maps:
    """The maps of one run."""

    def __init__(self, call: GradientCall) -> None:
        self._call = call
        self.reasons: list[ZeroReason] = []
        self._numbers: dict[ZeroReason, int] = {}
        self._order = np.zeros(1, np.int64)  # by number; with room for more
        self._known: dict[int, Any] = {}
        self._of_one: dict[tuple[int, tuple[int, ...]], Any] = {}
        self._whole: dict[int, int] = {}  # tensor -> the reason of all its entries, where they are known to have one
        for step in call.run.steps:
            self._pass(step)

    def of(self, tensor: int) -> Any:
        """The map of a tensor, None where it is not known."""
        return self._known.get(tensor)

    def whole(self, tensor: int) -> int:
        """The number of the reason that all entries of a tensor are known to have; 0 where they are not."""
        return self._whole.get(tensor, 0)

    def _number(self, reason: ZeroReason) -> int:
        if reason not in self._numbers:
            self.reasons.append(reason)
            self._numbers[reason] = number = len(self.reasons)
            if number == len(self._order):
                self._order = np.resize(self._order, 2 * number)
            self._order[number] = number + _BEHIND_ALL * (reason.does == UNREAD)
        return self._numbers[reason]

    def _pass(self, step: Step) -> None:
        op = self._call.graph.ops[step.op]
        for each in step.contributions:
            shape = self._call.numbers.shape(each.cotangent)
            whole, own, known = 0, None, self._known.get(each.tensor)
            if shape is not None and prod(shape) <= LARGEST:
                whole = self._passed_on(step, op, each)
                own = self._filled(whole, shape) if whole else self._map_of(step, op, each)
                whole = whole or (0 if own is None else _only_reason(own))
            self._whole[each.tensor] = whole if each.parts == 1 else 0
            if own is None or (each.parts > 1 and known is None):
                self._known[each.tensor] = None
                continue
            if known is not None:
                own = np.where((own > 0) & (known > 0), self._furthest(own, known), 0)
            self._known[each.tensor] = self._summed(step, each, own) if each.final and each.parts > 1 else own

    def _furthest(self, one: Any, other: Any) -> Any:
        """Of two reasons that of the later op, the smaller number: there the entry got furthest.

        Who did not read an entry has no part in it, as long as another one did.
        """
        return np.where(self._order[one] <= self._order[other], one, other)

    def _summed(self, step: Step, contribution: Contribution, blame: Any) -> Any:
        """The map of a sum: where it is zero although its parts are not, they cancel."""
        total = self._call.numbers.value(contribution.total)
        cancels = (blame == 0) & (total == 0) if total is not None else np.False_
        return np.where(cancels, self._number(ZeroReason(step.op, _CANCELS)), blame) if cancels.any() else blame

    def _passed_on(self, step: Step, op: Op, contribution: Contribution) -> int:
        """The reason that all entries of a contribution have since all of what arrives has it; 0 where that is not so.

        From where a gradient is zero altogether, to its sources, there is no need to look at entries.
        """
        numbers, most = self._call.numbers, 0
        if op.op in _LOOKING or not numbers.is_bad(contribution.cotangent, "zero"):
            return 0
        for upstream, output in zip(step.upstream, op.outputs, strict=True):
            if upstream is None:
                continue
            number = self.whole(output)
            if not number or numbers.shape(upstream) != self._known[output].shape:
                return 0
            if not numbers.is_bad(upstream, "zero"):
                return 0
            most = max(most, number)
        return most

    def _filled(self, reason: int, shape: tuple[int, ...]) -> Any:
        """A map of one reason, the same for all of its shape."""
        if (reason, shape) not in self._of_one:
            self._of_one[reason, shape] = np.broadcast_to(np.int64(reason), shape)
        return self._of_one[reason, shape]

    def _map_of(self, step: Step, op: Op, contribution: Contribution) -> Any:
        """The map of one contribution; None where it is not known."""
        value = self._call.numbers.value(contribution.cotangent)
        zero = value == 0
        if not zero.any():
            return np.zeros(value.shape, np.int64)
        rows = rows_of(self._call, step, contribution)
        cancels = rows is not None and rows.cancel[zero].any()
        does = _USERS if self._call.log.is_users(op) else _STOPS.get(op.op, _OTHERWISE)
        if value.dtype == np.float16 and _is_too_small(self._call, op, contribution.slot, zero):
            does = _TOO_SMALL
        if does in (_OTHERWISE, _STOPS["tanh"], _STOPS["mul"]) and has_underflown(self._call, step):
            does = _VANISHED_UPSTREAM
        own = self._number(ZeroReason(step.op, _ROWS_CANCEL if cancels else does))
        inherited = np.zeros(value.shape, np.int64)
        for result, (upstream, output) in enumerate(zip(step.upstream, op.outputs, strict=True)):
            blame = None if upstream is None else self._arrived(upstream, output)
            if blame is not None:
                moved = self._moved(op, contribution.slot, blame, value.shape, result)
                if moved is None:
                    return None
                inherited = np.maximum(inherited, moved)
        return np.where(zero, np.where(inherited > 0, inherited, own), 0)

    def _arrived(self, upstream: int, output: int) -> Any:
        """The map of an upstream gradient; of a seed, nothing is known but that it is not this run's doing."""
        value, blame = self._call.numbers.value(upstream), self._known.get(output)
        if value is None:
            return None
        return np.zeros(value.shape, np.int64) if blame is None else np.where(value == 0, blame, 0)

    def _moved(self, op: Op, slot: int, blame: Any, shape: tuple[int, ...], result: int) -> Any:
        """Where the zeros of a result's upstream gradient come out on the other side of an op.

        None if it picks entries nobody knows how. Where zeros are all there is, nothing else can come out, whatever the
        op does.
        """
        if op.op in _LOOKING:
            operands = [self._call.numbers.value(each) for each in op.inputs]
            shapes = [self._call.log.tensors[each].shape for each in op.outputs]
            from_ = origins(op, slot, operands, self._call.log.tensors[op.inputs[slot]].shape, shapes, result)
            if from_ is not None:
                return _back(from_, blame, shape)
            if op.op in RECURRENT:
                return by_sequence(op, slot, operands, blame, shape)
            if op.op in PARTS and slot == 0 and not blame.all():
                return None
        passed = _computed(op, slot, blame, shape)
        return np.where(passed > 0, passed, blame.max(initial=0)) if blame.all() else passed


def _only_reason(blame: Any) -> int:
    """The reason that all entries of a map have; 0 where they have several, or one has none."""
    first = int(blame.flat[0]) if blame.size else 0
    return first if first and (blame == first).all() else 0


def _computed(op: Op, slot: int, blame: Any, shape: tuple[int, ...]) -> Any:
    """The same of an op that computes, as far as its kind is known."""
    if op.op == "matmul":
        turned = bool(dict(op.attrs).get("transpose_a" if slot == 0 else "transpose_b"))
        return _through_matmul(slot, blame, shape, turned)
    if op.op == "linear" and slot < 2:
        return _through_matmul(slot, blame if slot == 0 else blame.reshape(-1, shape[0]), shape, turned=slot == 1)
    return _spread(op, blame, shape) if op.op in _INHERITING else _folded(blame, shape)


def _is_too_small(call: GradientCall, op: Op, slot: int, zero: Any) -> bool:
    """Whether an op's derivative is zero at none of the entries that became zero."""
    slope = has_slope(call, op, slot)
    if slope is None or slope.shape not in ((), zero.shape):
        return False
    return bool(np.broadcast_to(slope, zero.shape)[zero].all())


def _back(from_: Any, blame: Any, shape: tuple[int, ...]) -> Any:
    """An entry has the reason of the entries it went to, if all of those are zero."""
    flat, at = np.zeros(int(np.prod(shape)), np.int64), from_.reshape(-1)
    kept = at != ELSEWHERE
    np.maximum.at(flat, at[kept], blame.reshape(-1)[kept])
    flat[at[kept & (blame.reshape(-1) == 0)]] = 0
    return flat.reshape(shape)


def _spread(op: Op, blame: Any, shape: tuple[int, ...]) -> Any:
    """Over the axes that a reduction took away."""
    attrs = dict(op.attrs)
    axis = attrs.get("axis")
    if not attrs.get("keepdims") and blame.ndim < len(shape):
        axes = tuple(range(len(shape))) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        blame = np.expand_dims(blame, tuple(int(each) for each in axes if isinstance(each, int)))
    return np.broadcast_to(blame, shape) if blame.ndim == len(shape) else np.zeros(shape, np.int64)


def _folded(blame: Any, shape: tuple[int, ...]) -> Any:
    """Back over broadcasting: an entry has the reason of the entries it was stretched to, if all of those are zero.

    Of an op that makes one entry of each row, the row has the reason of that.
    """
    lead = blame.ndim - len(shape)
    if lead < 0:
        rows = blame.reshape(blame.shape + (1,) * -lead)
        return np.broadcast_to(rows, shape) if blame.shape == shape[:lead] else np.zeros(shape, np.int64)
    stretched = tuple(range(lead)) + tuple(
        lead + at for at, size in enumerate(shape) if size == 1 and blame.shape[lead + at] != 1
    )
    folded = np.where((blame > 0).all(axis=stretched), blame.max(axis=stretched, initial=0), 0)
    return folded.reshape(shape) if folded.size == np.prod(shape) else np.zeros(shape, np.int64)


def _through_matmul(slot: int, blame: Any, shape: tuple[int, ...], turned: bool) -> Any:
    """A row of the left operand has the reason of the row of the product, if all of that is zero; so have columns.

    It is the other way round of an operand that is `turned` before it is multiplied.
    """
    if blame.ndim < 2 or len(shape) < 2:
        return np.zeros(shape, np.int64)
    axis = -1 if slot == 0 else -2
    line = np.where((blame > 0).all(axis=axis, keepdims=True), blame.max(axis=axis, keepdims=True, initial=0), 0)
    if turned:
        line = line.swapaxes(-1, -2)
    lead = line.ndim - len(shape)
    line = line[(0,) * lead] if lead > 0 else line
    try:
        return np.broadcast_to(line, shape)
    except ValueError:
        return np.zeros(shape, np.int64)
