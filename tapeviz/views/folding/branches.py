"""The ops of a graph, in order -> a tree of branches over them: the user's calls, loops, and what repeats.

A branch is a run of consecutive ops. A loop is one branch of its rounds; so are neighbours that look the same.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from operator import eq
from typing import Literal, TypeAlias

from tapeviz.events import BackwardStarted
from tapeviz.graph import Graph
from tapeviz.views.folding.loops import Loop, find_loops
from tapeviz.views.folding.repeats import LEAST, find_repeats
from tapeviz.views.words.one_line import one_line, shortened

GroupKind: TypeAlias = Literal["call", "line", "round", "repeat", "part"]
"""call: of a function of the user's, or a layer; line: what one line did; round: of a loop; repeat: all rounds of a
loop, or neighbours that look the same; part: some of the members of a branch that has too many."""

LEAST_CALL, LEAST_LINE, LEAST_REPEAT = 3, 4, 6
"""A call, a line or a loop with fewer ops is not a branch."""
LEAST_OF_LINES = 2
"""Nor is a line with fewer, where each line is to be one."""

_INDEX = re.compile(r"(?:^|\.)\d+(?=\.|$)")
"""The place of a layer in a list of layers, as in `blocks.4`."""


@dataclass
class Branch:
    """Members that belong together, in order.

    Two branches have the same `shape` if the same ops ran in them, and the same `place` if they ran at the same place
    in the source. `number` counts the members of a repeat, from 1; it is 0 for any other branch. `of_class` is the
    class of a module, or of all modules of a repeat; "" where there is none, or it is the title. `of_steps` says of a
    repeat whether its members are the steps of a training: in each a backward pass begins, or after it and before the
    next one.
    """

    kind: GroupKind
    title: str
    members: list[BranchMember]
    place: Hashable
    shape: int
    ops: int
    number: int = 0
    of_class: str = ""
    of_steps: bool = False

    @property
    def is_layer(self) -> bool:
        """Whether it is a call of a layer in a list of layers, as `blocks.4`."""
        return self.kind == "call" and _INDEX.search(self.title) is not None


BranchMember: TypeAlias = Branch | int
"""A branch, or an op by its position."""

Items: TypeAlias = list[BranchMember] | Loop[list[BranchMember]]


def find_branches(graph: Graph, ops: Sequence[int], by_line: bool = False) -> list[BranchMember]:
    """The ops at these positions, in order, with those that belong together in branches.

    With `by_line`, what a line did is one, however alike its ops are, and a module goes by the name of its class.
    """
    return _Builder(graph, by_line).tree(ops)


class _Builder:
    """Makes the branches of one graph."""

    def __init__(self, graph: Graph, by_line: bool) -> None:
        self._graph = graph
        self._each_line = by_line
        self._shapes: dict[Hashable, int] = {}
        self._paths: dict[int | None, tuple[int, ...]] = {None: ()}
        self._passes = list(graph.log.of_kind(BackwardStarted))

    def tree(self, ops: Sequence[int]) -> list[BranchMember]:
        """The branches of these ops, call by call; the calls that all of them are in make no branch."""
        paths = [self._path(self._graph.ops[op].scope) for op in ops]
        path = common = _common(paths)
        calls: list[tuple[int | None, list[BranchMember]]] = [(None, [])]
        for op, own in zip(ops, paths, strict=True):
            if own != path:
                kept = sum(1 for _ in takewhile(bool, map(eq, path, own)))
                for _ in path[kept:]:
                    self._close(calls)
                calls += [(scope, []) for scope in own[kept:]]
                path = own
            calls[-1][1].append(op)
        while len(calls) > 1:
            self._close(calls)
        return self._arranged(calls[0][1], self._graph.log.scopes[common[-1]].site if common else None)

    def _path(self, scope: int | None) -> tuple[int, ...]:
        """The calls that lead to a scope, the outermost first."""
        missing = list(takewhile(lambda each: each not in self._paths, self._graph.log.outward(scope)))
        for each in reversed(missing):
            self._paths[each] = (*self._paths[self._graph.log.scopes[each].parent], each)
        return self._paths[scope]

    def _close(self, calls: list[tuple[int | None, list[BranchMember]]]) -> None:
        """Close the innermost call, or consecutive calls from one place."""
        scope, members = calls.pop()
        outer = calls[-1][1]
        own = self._graph.log.scopes[scope or 0]
        title, call = one_line(own.kind if self._each_line and own.kind else own.name), own.site
        for one in [members] if len(members) == 1 else self._one_by_one(members, call):
            arranged = self._arranged(one, call)
            if size(arranged) < LEAST_CALL or _is_call(arranged):
                outer += arranged
            else:
                branch = self._branch("call", title, arranged, ("call", scope))
                branch.of_class = "" if own.kind == title else one_line(own.kind)
                if branch.is_layer:  # a loop over the list calls each at the same place
                    branch.place = ("layer", call, _INDEX.sub("", title))
                outer.append(branch)

    def _one_by_one(self, members: list[BranchMember], call: int | None) -> list[list[BranchMember]]:
        """What ran in one scope, call by call: calls from one place share a scope, and each begins at the same op.

        Ops of a library all have the site of their call: its calls are told apart by being alike.
        """
        if call in map(self._site, members) and self._is_of_library(members, call):
            return list(_alike(members, [self._shape(each) for each in members]))
        match self._loops(members):
            case [Loop(rounds=[[[Branch(is_layer=True)], *_], *_])]:
                return [members]
            case [Loop(rounds=rounds)] if not self._stands_in_loop(members[0]):
                return [list(_all_members(each)) for each in rounds]
        return [members]

    def _stands_in_loop(self, member: BranchMember) -> bool:
        """Whether an op's line is in a loop of its function; assumed if there is no source."""
        site = self._graph.ops[first_op(member)].site
        if site is None:
            return True
        where = self._graph.log.sites[site]
        lines = self._graph.log.source(where.filename)[: where.line]
        indent = _indent(lines[-1]) if lines else 0
        for line in reversed(lines):
            if line.strip() and _indent(line) < indent:
                indent = _indent(line)
                word = line.split()[0]
                if word in ("for", "while", "def", "async", "class"):
                    return word in ("for", "while")
        return not lines

    # ----- members -----

    def _arranged(self, members: list[BranchMember], call: int | None = None) -> list[BranchMember]:
        """Members with their loops, and then with whatever else repeats, as branches; `call` is the site of their call.

        Ops of a library have no site but that of the call they are in: they stand on no line of their own, in no loop.
        """
        if len(members) == 1:  # as most calls have, those of layers
            return members
        if call is not None and self._is_of_library(members, call):
            return self._repeated(members)
        return self._repeated(self._looped(self._loops(list(self._by_line(members, call)))))

    def _is_of_library(self, members: list[BranchMember], call: int | None) -> bool:
        """Whether no op has a line of its own."""
        return all(self._site(each) in (None, call) for each in members)

    def _by_line(self, members: Sequence[BranchMember], call: int | None) -> Iterator[BranchMember]:
        """Group many different ops of one expression, such as those of a recorded gradient, as a branch.

        Or whatever one line did, calls included.
        """
        if self._each_line:
            yield from self._each_by_line(members, call)
            return
        for site, run in groupby(members, self._site):
            own = list(run)
            if site in (None, call) or len(own) < LEAST_LINE or len({self._shape(each) for each in own}) == 1:
                yield from own
            else:
                title = shortened(one_line(self._graph.log.sites[site].text))
                yield self._branch("line", title, self._repeated(own), ("line", site))

    def _each_by_line(self, members: Sequence[BranchMember], call: int | None) -> Iterator[BranchMember]:
        """Group what ran one after the other on the same line, calls that it made included; not all there is."""
        sites = self._graph.log.sites
        for line, run in groupby(members, lambda each: self._line(self._standing(each))):
            own = list(run)
            if line in (None, self._line(call)) or not LEAST_OF_LINES <= len(own) < len(members):
                yield from own
            else:
                site = sites[next(site for each in own if (site := self._standing(each)) is not None)]
                title = shortened(one_line(site.text)) or f"line {site.line}"
                yield self._branch("line", title, self._repeated(own), ("line", line))

    def _standing(self, member: BranchMember) -> int | None:
        """The site of an op, or of a call."""
        match member:
            case Branch(kind="call", place=("call", int() as scope)):
                return self._graph.log.scopes[scope].site
            case Branch(kind="call", place=("layer", int() as site, _)):
                return site
        return self._site(member)

    def _line(self, site: int | None) -> tuple[str, int] | None:
        if site is None:
            return None
        where = self._graph.log.sites[site]
        return where.filename, where.line

    def _loops(self, members: Sequence[BranchMember]) -> list[Items]:
        """Members, with their loops. One op that runs several times in a row is no loop, but a repeat.

        Where a backward pass follows on the same ops each time, they are the steps of a training, and a loop within a
        step ends with it.
        """
        steps = self._steps(members)
        if len(steps) < 2 or len({self._place(each[0]) for each in steps}) > 1:
            return self._loops_within(members)
        return [Loop(self._place(members[0]), list(map(self._loops_within, steps)))]

    def _loops_within(self, members: Sequence[BranchMember]) -> list[Items]:
        runs = [
            list(run) for _, run in groupby(members, lambda each: id(each) if _is_branch(each) else self._place(each))
        ]
        return find_loops(runs, lambda run: self._place(run[0]))

    def _steps(self, members: Sequence[BranchMember]) -> list[list[BranchMember]]:
        """Members up to where a backward pass begins, and from there on to the next."""
        return [list(each) for _, each in groupby(members, self._passes_before)]

    def _passes_before(self, member: BranchMember) -> int:
        """How many backward passes began ahead of it."""
        return bisect_left(self._passes, first_op(member))

    def _looped(self, items: Sequence[Items]) -> list[BranchMember]:
        found: list[BranchMember] = []
        for item in items:
            if isinstance(item, list):
                found += item
            elif size(_all_members([item])) < LEAST_REPEAT:
                found += _all_members([item])
            else:
                found.append(self._repeat([self._looped(each) for each in item.rounds]))
        return found

    def _repeated(self, members: list[BranchMember]) -> list[BranchMember]:
        if len(members) < LEAST:
            return members
        found: list[BranchMember] = []
        at = 0
        for start, period, count in find_repeats([self._shape(each) for each in members]):
            rounds = [members[first : first + period] for first in range(start, start + period * count, period)]
            if sum(map(size, rounds)) >= LEAST_REPEAT:
                sites = {self._standing(one[0]) for one in rounds}
                word = "repeat" if len(sites) > 1 and None not in sites else "iteration"
                found += [*members[at:start], self._repeat(rounds, word)]
                at = start + period * count
        return found + members[at:]

    def _repeat(self, rounds: Sequence[list[BranchMember]], word: str = "iteration") -> Branch:
        """All rounds as one; `word` is what each is called that has no name of its own."""
        members = [one[0] if _is_single(one) else self._round(one, word) for one in rounds]
        titles = {each.title if isinstance(each, Branch) else self._graph.ops[each].op for each in members}
        stems = {_INDEX.sub("", each) for each in titles}
        title = (stems.pop() or "layer") if len(stems) == 1 else word
        repeat = self._branch("repeat", title, members, None)
        repeat.place = self._place(members[0])
        classes = {each.of_class if isinstance(each, Branch) else "" for each in members}
        repeat.of_class = classes.pop() if len(classes) == 1 else ""
        repeat.of_steps = len(set(map(self._passes_before, members))) == len(members)
        for number, each in enumerate(members, 1):
            if isinstance(each, Branch) and len(titles) == 1:  # else they have indices of their own
                each.number = number
        return repeat

    def _round(self, members: list[BranchMember], word: str) -> Branch:
        """A round of a loop, by the name of the layer of a list that it calls, if that is one."""
        match [each for each in members if isinstance(each, Branch) and each.is_layer]:
            case [layer]:
                branch = self._branch("round", layer.title, members, None)
                branch.of_class = layer.of_class
                return branch
        return self._branch("round", word, members, None)

    def _branch(self, kind: GroupKind, title: str, members: list[BranchMember], place: Hashable) -> Branch:
        shape = self._interned((_INDEX.sub("", title), *map(self._shape, members)))
        return Branch(kind, title, members, place, shape, size(members))

    def _interned(self, shape: Hashable) -> int:
        return self._shapes.setdefault(shape, len(self._shapes))

    def _shape(self, member: BranchMember) -> int:
        return member.shape if isinstance(member, Branch) else self._interned(self._graph.ops[member].op)

    def _site(self, member: BranchMember) -> int | None:
        return None if isinstance(member, Branch) else self._graph.ops[member].site

    def _place(self, member: BranchMember) -> Hashable:
        """Where something ran, and was called; without a place, it equals nothing else."""
        if isinstance(member, Branch):
            return member.place or id(member)
        op = self._graph.ops[member]
        if op.site is None:
            return "op", member
        call = None if op.scope is None else self._graph.log.scopes[op.scope].site
        return call, op.site, op.op


def size(members: Iterable[BranchMember]) -> int:
    """How many ops there are in all."""
    return sum(each.ops if isinstance(each, Branch) else 1 for each in members)


def _alike(members: list[BranchMember], shapes: list[int]) -> Iterator[list[BranchMember]]:
    """The members in rounds that look the same, the shortest that there are; one round, if there are none."""
    count = len(members)
    lengths = (each for each in range(1, count + 1) if count % each == 0 and shapes[each:] == shapes[:-each])
    length = next(lengths)
    if length == 1:  # one op run n times looks like n calls, and is none
        length = count
    for start in range(0, count, length):
        yield members[start : start + length]


def _all_members(items: Iterable[Items]) -> Iterator[BranchMember]:
    """The members in loops and beside them, in order."""
    for item in items:
        if isinstance(item, list):
            yield from item
        else:
            for each in item.rounds:
                yield from _all_members(each)


def first_op(member: BranchMember) -> int:
    """The position of the first op."""
    while isinstance(member, Branch):
        member = member.members[0]
    return member


def _is_branch(member: BranchMember) -> bool:
    return isinstance(member, Branch)


def _is_single(members: Sequence[BranchMember]) -> bool:
    """One op, or one branch that can carry a number."""
    return len(members) == 1 and not (isinstance(members[0], Branch) and members[0].kind == "repeat")


def _is_call(members: Sequence[BranchMember]) -> bool:
    return len(members) == 1 and isinstance(members[0], Branch) and members[0].kind == "call"


def _common(paths: Iterable[tuple[int, ...]]) -> tuple[int, ...]:
    """What all paths begin with."""
    different = list(dict.fromkeys(paths))
    columns = zip(*different, strict=False)
    shared = 0
    for column in columns:
        if len(set(column)) > 1:
            break
        shared += 1
    return different[0][:shared] if different else ()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
