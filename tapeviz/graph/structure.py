"""Tensors, ops and the links between them, with queries over them."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Literal, NamedTuple, TypeAlias

from tapeviz.events import EventLog, OpRecorded, OpSkipped, StateWritten
from tapeviz.graph.indexed import IndexedLog

Op: TypeAlias = OpRecorded | OpSkipped

Block: TypeAlias = Literal[
    "outside_tape", "paused", "unwatched", "integer_dtype", "no_derivative", "forgotten", "rebuilt", "state", "read_out"
]
"""Why a gradient stops at a link. outside_tape: the op ran while the tape was not open; paused, unwatched,
integer_dtype: the tape's own decision; no_derivative: the op has none for that argument; forgotten: recorded, but the
tape was reset since; rebuilt, state, read_out: the value went past the tape."""

OF_A_SHAPE = frozenset(
    {
        *("shape", "ones_like", "zeros_like", "full_like", "empty_like"),
        *("rand_like", "randn_like", "randint_like"),
        *("new_ones", "new_zeros", "new_full", "new_empty"),
    }
)
"""The ops that read only the shape of their first operand, not its numbers."""

_position = attrgetter("position")


def slots_into(op: Op, place: int) -> range:
    """The slots of the operands that the output at a place is made of.

    Those are all. But where processes reduce, broadcast or gather many tensors at once, each is made of its own.
    """
    first, count = 1 if op.op in OF_A_SHAPE else 0, len(op.outputs)
    slots = range(first, len(op.inputs))
    is_paired = count > 1 and len(slots) % count == 0 and "all_to_all" not in op.op
    return slots[place::count] if is_paired and any(name == "ranks" for name, _ in op.attrs) else slots


class Link(NamedTuple):
    """The value of tensor `tail` went into tensor `head`, at `position` in the log.

    `slot` is the index of the op's argument, None where no op carried the value; then `how` is the user's spelling
    (`assign`, `.numpy()`) or "rebuilt".
    """

    tail: int
    head: int
    position: int
    slot: int | None
    how: str


@dataclass
class Memory:
    """What one tape holds from `start` on: the ops it recorded, and the tensors a gradient can arrive at."""

    start: int
    ops: set[int] = field(default_factory=set)
    followed: set[int] = field(default_factory=set)


class Graph(IndexedLog):
    """The tensors and ops of a log and the links between them; see `build`."""

    def __init__(self, log: EventLog) -> None:
        super().__init__(log)
        self.ops: dict[int, Op] = {}
        self.leaves: dict[int, int | None] = {}
        self.links: list[Link] = []
        self.is_extended = False
        self._producers: dict[int, int] = {}
        self._given: dict[int, int] = {}
        self._into: defaultdict[int, list[Link]] = defaultdict(list)
        self._from: defaultdict[int, list[Link]] = defaultdict(list)
        self._memories: defaultdict[int, list[Memory]] = defaultdict(list)
        self._assigned: defaultdict[int, list[int]] = defaultdict(list)

    # ----- structure -----

    def producer(self, tensor: int) -> int | None:
        """The position of the op that made a tensor, None for a leaf."""
        return self._producers.get(tensor)

    def op_of(self, tensor: int) -> Op | None:
        """The op that made a tensor, None for a leaf."""
        position = self._producers.get(tensor)
        return None if position is None else self.ops[position]

    def made_at(self, tensor: int) -> int | None:
        """The position at which a tensor came to be: that of its op, of its creation, or of the gradient call that gave
        it; None where it was before."""
        found = self._producers.get(tensor, self.leaves.get(tensor))
        return self._given.get(tensor) if found is None else found

    def is_computed(self, tensor: int) -> bool:
        """Whether a tensor is more than data: the output of an op, or a variable."""
        return tensor in self._producers or self.is_variable(tensor)

    def is_variable(self, tensor: int) -> bool:
        """Whether a tensor is a variable of the program."""
        return self.log.tensors[tensor].role == "variable"

    def links_into(self, tensor: int, before: int | None = None, since: int = 0) -> list[Link]:
        """The links into a tensor, `since` a position; for a variable, those of its value `before` another position."""
        links = self._into.get(tensor, [])
        if before is None or tensor not in self.writes:
            return _between(links, since)
        first = bisect_left(links, max(self.last_whole(tensor, before), since), key=_position)
        return links[first : bisect_left(links, before, key=_position)]

    def version(self, tensor: int, before: int) -> int:
        """The position at which a tensor got the value that it has `before` another position; -1 if there is none."""
        links = self._into.get(tensor, [])
        if tensor not in self.writes:
            return links[-1].position if links else -1
        count = bisect_left(links, before, key=_position)
        return (
            links[count - 1].position if count and links[count - 1].position >= self.last_whole(tensor, before) else -1
        )

    def version_links(self, tensor: int, version: int) -> list[Link]:
        """The links that made a version of a tensor: for a variable, those of that write alone."""
        return self.links_into(tensor, version + 1, max(version, 0) if tensor in self.writes else 0)

    def version_before(self, tensor: int, version: int) -> int:
        """The version of a variable of which another version still has a part; -1 if that has overwritten all of it."""
        if tensor not in self.writes or self.last_whole(tensor, version + 1) == version:
            return -1
        return self.version(tensor, version)

    def links_from(self, tensor: int, since: int = 0, before: int | None = None) -> list[Link]:
        """The links from a tensor, `since` a position and `before` another one."""
        return _between(self._from.get(tensor, []), since, before)

    def consumers(self, tensor: int) -> list[tuple[int, int]]:
        """The uses of a tensor as pairs of an op's position and a slot, in order, and each once."""
        uses = ((link.position, link.slot) for link in self.links_from(tensor) if link.slot is not None)
        return list(dict.fromkeys(uses))

    def back(
        self, tensors: Iterable[int], follow: Callable[[Link], bool] = lambda link: True, since: int = 0
    ) -> list[Link]:
        """The links that lead to some tensors, the nearest ones first.

        Args:
            tensors: the tensors.
            follow: whether to go back over a link.
            since: the position from which on links count.
        """
        queue = deque((tensor, len(self.log.events)) for tensor in tensors)
        seen: dict[int | tuple[int, int], int] = {}
        links: dict[Link, None] = {}
        while queue:
            tensor, before = queue.popleft()
            version: int | tuple[int, int] = tensor
            if tensor in self.writes:  # it comes by the links of what it held later, down to its last assignment
                version = (tensor, self.last_whole(tensor, before))
            known = seen.get(version, -1)
            if known >= (0 if version is tensor else before):
                continue
            seen[version] = before
            for link in self.links_into(tensor, before, max(known, since)):
                if follow(link):
                    links[link] = None
                    queue.append((link.tail, link.position))
        return list(links)

    def ancestors(self, tensors: Iterable[int], since: int = 0) -> set[int]:
        """The `tensors` and all from which they were computed, by any links `since` a position."""
        tensors = set(tensors)
        return tensors | {link.tail for link in self.back(tensors, since=since)}

    def leads_to(self, tensor: int, other: int) -> bool:
        """Whether a tensor took part in another, or is that."""
        first = next(iter(self.links_from(tensor)), None)
        return tensor == other or (first is not None and tensor in self.ancestors([other], first.position))

    def descendants(self, tensors: Iterable[int]) -> set[int]:
        """The `tensors` and all that were computed from any of their values."""
        queue = deque((tensor, -1) for tensor in tensors)
        seen = set(queue)
        while queue:
            tensor, since = queue.popleft()
            overwritten = self.overwritten(tensor, since)
            for link in self.links_from(tensor):
                version = (link.head, link.position if link.head in self.writes else -1)
                if since < link.position <= overwritten and version not in seen:
                    seen.add(version)
                    queue.append(version)
        return {tensor for tensor, _ in seen}

    def last_whole(self, tensor: int, before: int) -> int:
        """The position at which all of a variable was last assigned before another; -1 if never."""
        assigned = self._assigned.get(tensor, ())
        count = bisect_left(assigned, before)
        return assigned[count - 1] if count else -1

    def overwritten(self, tensor: int, since: int) -> int:
        """The position up to which a variable has a part of what was written into it at `since`."""
        end = len(self.log.events)
        assigned = self._assigned.get(tensor, ())
        next_one = bisect_right(assigned, since)
        return assigned[next_one] if since >= 0 and next_one < len(assigned) else end

    # ----- gradients -----

    def memory(self, tape: int, at: int | None = None) -> Memory:
        """What a tape holds at a position of the log; by default, at the end."""
        for each in reversed(self._memories[tape]):
            if at is None or each.start <= at:
                return each
        return Memory(0)

    def block(self, link: Link, tape: int, at: int | None = None) -> Block | None:
        """Why a gradient taken on `tape` at position `at` cannot pass `link`; None if it can."""
        if link.slot is None:
            return self._past_the_tape(link)
        op = self.ops[link.position]
        decision = dict(op.tapes).get(tape)
        if decision != "recorded":
            return decision or "outside_tape"
        memory = self.memory(tape, at)
        if link.position not in memory.ops:
            return "forgotten"
        if not has_derivative(self.log, op, link.slot):
            return "no_derivative"
        if not is_real(self.log.tensors[link.tail].dtype):
            return "integer_dtype"
        return None if link.tail in memory.followed else "unwatched"

    def _past_the_tape(self, link: Link) -> Block:
        if link.how == "rebuilt":
            return "rebuilt"
        return "state" if isinstance(self.log.events[link.position], StateWritten) else "read_out"

    def reached(self, tape: int, targets: Iterable[int], at: int | None = None) -> set[int]:
        """The tensors that a gradient of `targets`, taken on `tape` at position `at`, arrives at."""
        targets = set(targets)
        return targets | {link.tail for link in self.back(targets, lambda link: self.block(link, tape, at) is None)}

    # ----- growing -----

    def add(self, link: Link) -> None:
        """Add a link that is found after the others, in the order of positions."""
        self.links.append(link)
        self.is_extended = True
        insort(self._into[link.head], link, key=_position)
        insort(self._from[link.tail], link, key=_position)


def _between(links: list[Link], since: int, before: int | None = None) -> list[Link]:
    """The links of a span, out of links in order of their positions."""
    if not since and before is None:
        return links
    end = len(links) if before is None else bisect_left(links, before, key=_position)
    return links[bisect_left(links, since, key=_position) : end]


def has_derivative(log: EventLog, op: Op, slot: int) -> bool:
    """Whether the catalog has, or may have, a derivative for an argument of an op."""
    row = log.row_of(op)
    return row is None or row.passes(slot)


def is_real(dtype: str) -> bool:
    """Whether values of this dtype can change by small amounts, so that they have gradients."""
    return dtype.startswith(("float", "bfloat", "complex")) or dtype == "unknown"
