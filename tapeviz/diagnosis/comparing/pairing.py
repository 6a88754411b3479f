"""What two programs computed -> which of it corresponds.

Leaves are paired by their names or their values. Results are aligned in program order, which decides between equal
values: within one framework by the op and its line, across two frameworks by the value, since they compute it in
different steps. From where the two programs diverge, values no longer correspond, and results are paired by the name in
the program, the kind of op, and the inputs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from tapeviz.diagnosis.comparing.actions import as_written, in_kind
from tapeviz.diagnosis.comparing.align import align
from tapeviz.diagnosis.comparing.composed import composed
from tapeviz.diagnosis.comparing.counterparts import BY_ANY_TRAIT, BY_NAME, GradientSource, counterparts
from tapeviz.diagnosis.comparing.program_values import ProgramValue

Key = Callable[[ProgramValue], Hashable]


def _is_variable(value: ProgramValue) -> bool:
    return value.op is None and value.action.what == "variable"


def _is_leaf(value: ProgramValue) -> bool:
    return value.op is None


def _is_computed(value: ProgramValue) -> bool:
    return value.op is not None


def _written(value: ProgramValue) -> Hashable:
    return as_written(value.action)


def _kind(value: ProgramValue) -> Hashable:
    return in_kind(value.action)


def _held(value: ProgramValue) -> Hashable:
    return value.number


def _held_of_kind(value: ProgramValue) -> Hashable:
    return value.op, value.number


def _named(value: ProgramValue) -> Hashable:
    """The name; something without a name equals nothing else."""
    return (value.source.name, value.axes) if value.source.name else object()


def _named_after(value: ProgramValue) -> Hashable:
    return _named(value) if value.after_divergence else object()


def _kind_after(value: ProgramValue) -> Hashable:
    return (value.op, value.axes) if value.after_divergence else object()


def _by_source(key: Callable[[GradientSource], Hashable]) -> Key:
    return lambda value: key(value.source) if value.source.name else object()


class Pairing:
    """Pairs the entries of two sequences, the surest pairs first."""

    def __init__(self, one: Sequence[ProgramValue], other: Sequence[ProgramValue], ported: bool) -> None:
        self._one, self._other = one, other
        self._ported = ported
        self._pairs: dict[int, int] = {}
        self._taken: set[int] = set()

    def match(self, known: Sequence[tuple[int, int]]) -> None:
        """Find the pairs; `known` are pairs of tensors that are counterparts, whatever they hold."""
        sources: list[Key] = [_by_source(key) for key in (BY_ANY_TRAIT if self._ported else BY_NAME)]
        written: list[Key] = [] if self._ported else [_written]
        self._match(_is_variable, lambda one, other: counterparts(one, other, [*sources, _held, *written]))
        self._match(_is_leaf, lambda one, other: counterparts(one, other, [_named, _held, *written]))
        by_value = [_held_of_kind, _held, _named_after, _kind_after]
        keys = by_value if self._ported else [_written, _kind, _held, _named]
        self._match(_is_computed, lambda one, other: [(at, there) for at, there, _ in align(one, other, keys)])
        self._match(_is_computed, _held_by_one)
        self._match(lambda _: True, lambda one, other: _holding(one, other, known))
        more = composed(self._one, self._other, self._pairs, lambda value: value.after_divergence or not self._ported)
        for at, other_at in more:
            self._pair(at, other_at)

    def _pair(self, at: int, other_at: int) -> None:
        self._pairs[at] = other_at
        self._taken.add(other_at)

    def in_order(self) -> Iterator[tuple[int | None, int | None]]:
        """All indices, in pairs where there are two; what the second alone has comes before what is after it there."""
        alone = [at for at in range(len(self._other)) if at not in self._taken][::-1]
        for at in range(len(self._one)):
            other_at = self._pairs.get(at)
            while alone and other_at is not None and alone[-1] < other_at:
                yield None, alone.pop()
            yield at, other_at
        yield from ((None, at) for at in alone[::-1])

    def _match(
        self,
        wanted: Callable[[ProgramValue], bool],
        find: Callable[[list[ProgramValue], list[ProgramValue]], Iterable[tuple[int | None, int | None]]],
    ) -> None:
        """Take the pairs that `find` gives among wanted entries without a counterpart."""
        left = [at for at, value in enumerate(self._one) if at not in self._pairs and wanted(value)]
        others_left = [at for at, value in enumerate(self._other) if at not in self._taken and wanted(value)]
        for at, other_at in find([self._one[at] for at in left], [self._other[at] for at in others_left]):
            if at is not None and other_at is not None:
                self._pair(left[at], others_left[other_at])


def _held_by_one(one: Sequence[ProgramValue], other: Sequence[ProgramValue]) -> list[tuple[int, int]]:
    """Pairs in another order, where only one entry on either side holds such a value."""
    counts = Counter(value.number for value in one), Counter(value.number for value in other)
    places = {value.number: at for at, value in enumerate(other) if counts[1][value.number] == 1}
    return [
        (at, places[value.number])
        for at, value in enumerate(one)
        if counts[0][value.number] == 1 and value.number in places
    ]


def _holding(
    one: Sequence[ProgramValue], other: Sequence[ProgramValue], known: Sequence[tuple[int, int]]
) -> Iterator[tuple[int | None, int | None]]:
    """The entries that hold either tensor of a known pair."""
    places, others = (
        {tensor: at for at, value in reversed([*enumerate(side)]) for tensor in value.tensors} for side in (one, other)
    )
    for mine, theirs in known:
        if mine in places and theirs in others:
            yield places.pop(mine), others.pop(theirs)
