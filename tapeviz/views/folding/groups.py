"""Graph -> Groups: the branches of its ops as rows, cut into parts where a branch has too many members."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from tapeviz.graph import Graph
from tapeviz.phrases import counted
from tapeviz.views.folding.branches import Branch, BranchMember, GroupKind, find_branches
from tapeviz.views.folding.fold import GroupSpan

MOST_MEMBERS = 32
MOST_ROUNDS = 20
"""A loop of more rounds is its first, all between, and its last: what goes in, and what comes out."""
MOST_STEPS = 4
"""So is one of more rounds in which each has a backward pass of its own, as the steps of a training have."""
NAMED_OPS = 4
"""A group of at most so many ops names them."""
TIMES, OF = "\N{MULTIPLICATION SIGN}", "\N{MIDDLE DOT}"


@dataclass(frozen=True)
class Group:
    """Ops that fold into one box: a call of the user's, a loop, or what repeats.

    `parent` is the index of the group it is in, -1 for none; its descendants are the groups after it up to `end`.
    `times` says how often a repeat repeats, and is 0 for any other group; `indexed` says whether its members have
    indices of their own, as layers in a list do. `of_class` is the class of a module, "" of any other group; `of_steps`
    says whether a repeat is that of a training's steps.
    """

    kind: GroupKind
    parent: int
    end: int
    title: str
    note: str
    ops: int
    times: int
    indexed: bool = False
    of_class: str = ""
    of_steps: bool = False


@dataclass
class Groups:
    """The groups, each before those in it; `of_op` tells of each op, by its position, the innermost group it is in."""

    rows: list[Group] = field(default_factory=list)
    of_op: dict[int, int] = field(default_factory=dict)

    @property
    def spans(self) -> list[GroupSpan]:
        """How they nest, as folding needs it."""
        return [GroupSpan(row.parent, row.end) for row in self.rows]

    def outward(self, group: int) -> Iterator[int]:
        """A group, the one around it, and so on outward; none for -1."""
        while group >= 0:
            yield group
            group = self.rows[group].parent

    def around(self, ops: Iterable[int]) -> int:
        """The innermost group that holds the ops at all of these positions; -1 where there is none."""
        found: int | None = None
        for group in dict.fromkeys(self.of_op[each] for each in ops):
            outer = {*self.outward(group)}
            found = group if found is None else next((each for each in self.outward(found) if each in outer), -1)
        return -1 if found is None else found

    @cached_property
    def calls(self) -> list[tuple[str, ...]]:
        """Of each group the titles of the calls around it, the outermost first, and its own if it is one."""
        found: list[tuple[str, ...]] = []
        for row in self.rows:
            around = found[row.parent] if row.parent >= 0 else ()
            found.append((*around, row.title) if row.kind == "call" else around)
        return found


def find_groups(graph: Graph, ops: Sequence[int], by_line: bool = False) -> Groups:
    """The groups over the ops at these positions, which are in order; with `by_line`, each line's as one.

    >>> import tapeviz as tv
    >>> from tapeviz.graph import build
    >>> x = tv.Variable(1.0)
    >>> with tv.GradientTape() as tape:
    ...     y = tv.cos(x)
    ...     for _ in range(20):
    ...         y = tv.sin(y) * 2.0
    >>> graph = build(tape.log)
    >>> [(group.title, group.note) for group in find_groups(graph, sorted(graph.ops)).rows[:2]]
    [('iteration × 20', 'sin, mul'), ('iteration 1', 'sin, mul')]
    """
    rows = _GroupWriter(graph)
    rows.write(find_branches(graph, ops, by_line))
    return rows.groups


class _GroupWriter:
    """Writes branches down as groups."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self.groups = Groups()

    def write(self, members: Sequence[BranchMember]) -> None:
        """Write down these members, and everything below them."""
        rows = self.groups.rows
        left: list[tuple[BranchMember | None, int]] = [(each, -1) for each in reversed(self._in_parts(members, "", 1))]
        while left:
            member, parent = left.pop()
            if member is None:
                rows[parent] = replace(rows[parent], end=len(rows) - 1)
            elif isinstance(member, Branch):
                times = len(member.members) if member.kind == "repeat" else 0
                indexed = member.kind == "repeat" and _is_indexed(member)
                heading, note = _heading(member), self._note(member)
                facts = (heading, note, member.ops, times, indexed, member.of_class, member.of_steps)
                rows.append(Group(member.kind, parent, -1, *facts))
                by_number = not indexed if member.kind == "repeat" else member.kind == "part" and member.number
                repeated = member.title if by_number else ""
                own = len(rows) - 1
                left.append((None, own))
                left += [(each, own) for each in reversed(self._members_of(member, repeated))]
            else:
                self.groups.of_op[member] = parent

    def _members_of(self, branch: Branch, repeated: str) -> list[BranchMember]:
        """Members of a branch, or parts of them; `repeated` is the title of what is told by numbers, else ""."""
        members = branch.members
        most = MOST_STEPS if branch.of_steps else MOST_ROUNDS
        if branch.kind != "repeat" or not repeated or len(members) <= most:
            return self._in_parts(members, repeated, branch.number or 1)
        between = members[1:-1]
        return [members[0], Branch("part", repeated, between, None, -1, sum(map(_ops, between)), 2), members[-1]]

    def _in_parts(self, members: Sequence[BranchMember], repeated: str, first: int) -> list[BranchMember]:
        """Members, or parts of equal size; those of a repeat are numbered from `first`."""
        length = _part_length(len(members))
        if length >= len(members):
            return list(members)
        parts: list[BranchMember] = []
        for at in range(0, len(members), length):
            own = list(members[at : at + length])
            title = repeated or f"{self._title(own[0])} … {self._title(own[-1])}"
            number = first + at if repeated else 0
            parts.append(Branch("part", title, own, None, -1, sum(map(_ops, own)), number))
        return parts

    def _title(self, member: BranchMember) -> str:
        return member.title if isinstance(member, Branch) else self._graph.ops[member].op

    def _note(self, branch: Branch) -> str:
        """The class of a module, and what is in it."""
        contents = self._contents(branch)
        return f"{branch.of_class} {OF} {contents}" if branch.of_class else contents

    def _contents(self, branch: Branch) -> str:
        """What is in a branch; for a repeat whose members are alike, what is in each of them."""
        if branch.kind == "repeat":
            first = branch.members[0]
            same = {_ops(each) for each in branch.members} == {_ops(first)}
            if not isinstance(first, Branch) or not same:
                return counted(branch.ops, "op")
            words = self._words(first)
            return words or f"{counted(first.ops, 'op')} each"
        return self._words(branch) or counted(branch.ops, "op")

    def _words(self, branch: Branch) -> str:
        """The names of the ops in a branch, if they are few; else ""."""
        ops: list[BranchMember] = [branch]
        while branch.ops <= NAMED_OPS and any(isinstance(each, Branch) for each in ops):
            ops = [inner for each in ops for inner in (each.members if isinstance(each, Branch) else [each])]
        return "" if branch.ops > NAMED_OPS else ", ".join(map(self._title, ops))


def _heading(branch: Branch) -> str:
    if branch.kind == "repeat":
        return f"{branch.title} {TIMES} {len(branch.members):,}"
    if branch.kind == "part" and branch.number:
        return f"{branch.title} {branch.number:,} … {branch.number + len(branch.members) - 1:,}"
    return f"{branch.title} {branch.number:,}" if branch.number else branch.title


def _is_indexed(repeat: Branch) -> bool:
    """Whether the members of a repeat are told by indices of their own, not by numbers."""
    first = repeat.members[0]
    return isinstance(first, Branch) and not first.number


def _part_length(count: int) -> int:
    """How many members a part takes, so that no level has more than MOST_MEMBERS and all have about as many."""
    levels, most = 1, MOST_MEMBERS
    while most < count:
        levels, most = levels + 1, most * MOST_MEMBERS
    breadth = next(each for each in range(1, MOST_MEMBERS + 1) if each**levels >= count) if count else 1
    return int(max(1, breadth ** (levels - 1))) if levels > 1 else max(1, count)


def _ops(member: BranchMember) -> int:
    return member.ops if isinstance(member, Branch) else 1
