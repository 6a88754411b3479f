"""Results that two programs compute from the same counterparts -> pairs, in however many steps either computes them.

`pow(h, 2)` in one is `square(h)` in the other, and `linear(x, w, b)` the sum in `add(matmul(x, w), b)`, whose product
is nothing that the first program has.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from tapeviz.diagnosis.comparing.align import rising
from tapeviz.diagnosis.comparing.program_values import ProgramValue

MOST = 16
"""The most counterparts that a result may be computed from: in long programs the sets would grow without bound."""
UNKNOWN = frozenset({-1})
"""The origin of a result that depends on something without a counterpart."""


Wanted = Callable[[ProgramValue], bool]
"""Whether a result is to be paired."""


class StepKind(NamedTuple):
    """The counterparts that a result is computed from, directly or by steps without counterparts; and its shapes."""

    origin: frozenset[int]
    axes: tuple[tuple[int, ...], ...]


class Side:
    """What one program made up to a place: in groups of a kind, unless it has a counterpart."""

    def __init__(self, values: Sequence[ProgramValue], place: Mapping[int, int], wanted: Wanted) -> None:
        """`place` has for what has a counterpart the place of that in the second program."""
        self._values, self._wanted = values, wanted
        self._inputs = list(_inputs(values))
        self._kinds: list[StepKind] = []
        self._too_wide = -1
        self.place = {**place}
        self.groups: defaultdict[StepKind, list[int]] = defaultdict(list)

    def advance(self, end: int) -> list[StepKind]:
        """Look on at what was made before `end`, and give its kinds; a look that meets too much at once ends there."""
        found = []
        for at in range(len(self._kinds), end):
            origin = self._origin(at)
            if len(origin) > MOST:
                if at > self._too_wide:
                    self._too_wide = at
                    break
                origin = UNKNOWN
            kind = StepKind(origin, self._values[at].axes)
            self._kinds.append(kind)
            if at not in self.place and origin != UNKNOWN and self._wanted(self._values[at]):
                self.groups[kind].append(at)
                found.append(kind)
        return found

    def has_seen(self, end: int) -> bool:
        """Whether everything before `end` has been looked at."""
        return len(self._kinds) >= end

    def pair(self, at: int, there: int) -> None:
        """Note a new pair of counterparts: what was computed from it has to be looked at again."""
        for each in range(at, len(self._kinds)):
            group = self.groups[self._kinds[each]]
            if each in group:
                group.remove(each)
        del self._kinds[at + 1 :]
        self.place[at] = there

    def result(self, kind: StepKind) -> int | None:
        """The last step of a kind, if all others lead to it."""
        steps = self.groups[kind]
        found = {*steps[-1:]}
        waiting = [*found]
        while waiting:
            new = {*self._inputs[waiting.pop()]} - found - self.place.keys()
            found |= new
            waiting += new
        return steps[-1] if found.issuperset(steps) else None

    def _origin(self, at: int) -> frozenset[int]:
        origin: set[int] = set()
        for each in self._inputs[at]:
            origin |= {self.place[each]} if each in self.place else self._kinds[each].origin
        return frozenset(origin) if origin and -1 not in origin else UNKNOWN


def composed(
    one: Sequence[ProgramValue],
    other: Sequence[ProgramValue],
    pairs: Mapping[int, int],
    wanted: Wanted,
) -> Iterator[tuple[int, int]]:
    """More pairs among the results that are `wanted`; each new pair helps to find those that follow it.

    Between two known pairs both programs compute the same result in steps of their own. The first steps that combine
    several counterparts correspond; and if one program takes a single step, it corresponds to the other's last one.
    """
    sides = Side(one, pairs, wanted), Side(other, {there: there for there in pairs.values()}, wanted)
    steps = rising(sorted((at, there) for at, there in pairs.items() if one[at].op and other[there].op))
    for ends in (*steps, (len(one), len(other))):
        both: list[StepKind] = []
        while True:
            met = [each for side, end in zip(sides, ends, strict=True) for each in side.advance(end)]
            both = [each for each in dict.fromkeys([*both, *met]) if all(side.groups[each] for side in sides)]
            whole = all(side.has_seen(end) for side, end in zip(sides, ends, strict=True))
            found = _meeting(sides, both) or (_single(sides, both) if whole else None)
            if found:
                for side, at in zip(sides, found, strict=True):
                    side.pair(at, found[1])
                yield found
            elif whole:
                break


def _meeting(sides: tuple[Side, Side], kinds: Iterable[StepKind]) -> tuple[int, int] | None:
    """Where several counterparts first meet in both programs."""
    one, other = sides
    return min(((one.groups[kind][0], other.groups[kind][0]) for kind in kinds if len(kind.origin) > 1), default=None)


def _single(sides: tuple[Side, Side], kinds: Iterable[StepKind]) -> tuple[int, int] | None:
    """A single step, and the result of the other program's."""
    for kind in kinds:
        if any(len(side.groups[kind]) == 1 for side in sides):
            at, there = (side.result(kind) for side in sides)
            if at is not None and there is not None:
                return at, there
    return None


def _inputs(values: Sequence[ProgramValue]) -> Iterator[list[int]]:
    """For every entry, the places of those that it was computed from."""
    holds: dict[int, int] = {}
    for at, each in enumerate(values):
        yield [holds[tensor] for tensor in each.inputs if tensor in holds]
        holds.update(dict.fromkeys(each.tensors, at))
