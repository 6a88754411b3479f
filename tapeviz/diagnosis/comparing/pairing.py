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
from tapeviz.diagnosis.comparing.computed import Made
from tapeviz.diagnosis.comparing.counterparts import BY_LIKENESS, BY_NAME, GradientSource, counterparts

Key = Callable[[Made], Hashable]


def _is_variable(made: Made) -> bool:
    return made.op is None and made.act.what == "variable"


def _is_leaf(made: Made) -> bool:
    return made.op is None


def _is_computed(made: Made) -> bool:
    return made.op is not None


def _written(made: Made) -> Hashable:
    return as_written(made.act)


def _kind(made: Made) -> Hashable:
    return in_kind(made.act)


def _held(made: Made) -> Hashable:
    return made.number


def _held_of_kind(made: Made) -> Hashable:
    return made.op, made.number


def _named(made: Made) -> Hashable:
    """The name; something without a name equals nothing else."""
    return (made.source.name, made.axes) if made.source.name else object()


def _named_beyond(made: Made) -> Hashable:
    return _named(made) if made.beyond else object()


def _kind_beyond(made: Made) -> Hashable:
    return (made.op, made.axes) if made.beyond else object()


def _by_source(key: Callable[[GradientSource], Hashable]) -> Key:
    return lambda made: key(made.source) if made.source.name else object()


class Pairing:
    """Pairs the entries of two sequences, the surest pairs first."""

    def __init__(self, one: Sequence[Made], other: Sequence[Made], ported: bool) -> None:
        self._one, self._other = one, other
        self._ported = ported
        self._pairs: dict[int, int] = {}
        self._taken: set[int] = set()

    def match(self, known: Sequence[tuple[int, int]]) -> None:
        """Find the pairs; `known` are pairs of tensors that are counterparts, whatever they hold."""
        sources: list[Key] = [_by_source(key) for key in (BY_LIKENESS if self._ported else BY_NAME)]
        written: list[Key] = [] if self._ported else [_written]
        self._match(_is_variable, lambda one, other: counterparts(one, other, [*sources, _held, *written]))
        self._match(_is_leaf, lambda one, other: counterparts(one, other, [_named, _held, *written]))
        by_value = [_held_of_kind, _held, _named_beyond, _kind_beyond]
        keys = by_value if self._ported else [_written, _kind, _held, _named]
        self._match(_is_computed, lambda one, other: [(at, there) for at, there, _ in align(one, other, keys)])
        self._match(_is_computed, _held_by_one)
        self._match(lambda _: True, lambda one, other: _holding(one, other, known))
        more = composed(self._one, self._other, self._pairs, lambda made: made.beyond or not self._ported)
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
        wanted: Callable[[Made], bool],
        find: Callable[[list[Made], list[Made]], Iterable[tuple[int | None, int | None]]],
    ) -> None:
        """Take the pairs that `find` gives among wanted entries without a counterpart."""
        left = [at for at, made in enumerate(self._one) if at not in self._pairs and wanted(made)]
        others_left = [at for at, made in enumerate(self._other) if at not in self._taken and wanted(made)]
        for at, other_at in find([self._one[at] for at in left], [self._other[at] for at in others_left]):
            if at is not None and other_at is not None:
                self._pair(left[at], others_left[other_at])


def _held_by_one(one: Sequence[Made], other: Sequence[Made]) -> list[tuple[int, int]]:
    """Pairs in another order, where only one entry on either side holds such a value."""
    counts = Counter(made.number for made in one), Counter(made.number for made in other)
    places = {made.number: at for at, made in enumerate(other) if counts[1][made.number] == 1}
    return [
        (at, places[made.number])
        for at, made in enumerate(one)
        if counts[0][made.number] == 1 and made.number in places
    ]


def _holding(
    one: Sequence[Made], other: Sequence[Made], known: Sequence[tuple[int, int]]
) -> Iterator[tuple[int | None, int | None]]:
    """The entries that hold either tensor of a known pair."""
    places, others = (
        {tensor: at for at, made in reversed([*enumerate(side)]) for tensor in made.tensors} for side in (one, other)
    )
    for mine, theirs in known:
        if mine in places and theirs in others:
            yield places.pop(mine), others.pop(theirs)
