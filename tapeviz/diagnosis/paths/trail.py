"""Graph, tape and targets -> for every tensor the path to the targets with the fewest cuts, and those cuts.

A cut is a link that no gradient passes for a reason of its own. That an op was skipped because nothing it read was
followed is no such reason: it follows from an earlier cut.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Literal, TypeAlias

from tapeviz.events import EventLog, Site
from tapeviz.events.types import AN_INDEX
from tapeviz.graph import Graph, Link, has_derivative, is_real
from tapeviz.graph.structure import Block
from tapeviz.phrases import ANOTHER_THREAD
from tapeviz.source.places import line_beside, same_line, site_at

CutKind: TypeAlias = Literal[
    "outside", "thread", "forgotten", "paused", "dataset", "no_derivative", "integer", "rebuilt", "state", "read_out"
]
TensorVersion: TypeAlias = tuple[int, int]
"""A tensor, and the position at which it came by its value: a variable has several."""

CAST = "cast"
"""The op that only changes the dtype: any other that makes integers of real numbers chooses among them."""

STOP = "stop_gradient"
"""The op by which a user holds a gradient back."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A link that no gradient passes, and the line to change."""

    kind: CutKind
    link: Link
    site: Site | None


@dataclass(frozen=True, slots=True, eq=False)
class FewestCuts:
    """The cuts on a path, in program order: the first, and the rest, which paths that join there share."""

    first: Cut
    rest: FewestCuts | None

    def __iter__(self) -> Iterator[Cut]:
        cuts: FewestCuts | None = self
        while cuts is not None:
            yield cuts.first
            cuts = cuts.rest


@dataclass(frozen=True, slots=True)
class Path:
    """The best path on from a node to `target`: so many cuts, the first of them at `first`.

    It goes over `link`, which may be a `cut`, to the node `onward`; `ahead` is the next node that begins with a cut.
    """

    target: int
    cuts: int
    first: int
    link: Link | None = None
    onward: TensorVersion | None = None
    cut: Cut | None = None
    ahead: TensorVersion | None = None


class Trail:
    """The paths to the targets of one gradient call on `tape` at position `at` (None: now)."""

    def __init__(self, graph: Graph, tape: int, targets: Iterable[int], at: int | None) -> None:
        self.graph = graph
        self.tape = tape
        self.at = at
        self._log: EventLog = graph.log
        self._history = graph.histories[tape]
        self._paths: dict[TensorVersion, Path] = {}
        self._nodes: dict[int, list[TensorVersion]] = {}
        self._cuts: dict[TensorVersion, FewestCuts | None] = {}
        self._walk(targets)

    # ----- answers -----

    def reaches(self, tensor: int) -> bool:
        """Whether any path leads from a tensor to a target, cut or not."""
        return tensor in self._nodes

    def links(self, tensor: int) -> list[Link]:
        """The links of the best path, the tensor's own first."""
        links, node = [], self._best(tensor)
        while node is not None:
            path = self._paths[node]
            if path.link is not None:
                links.append(path.link)
            node = path.onward
        return links

    def cuts(self, tensor: int) -> FewestCuts | None:
        """The cuts on the best path, of which neighbours on one line are one; None where there is none."""
        way: list[TensorVersion] = []
        node = self._best(tensor)
        while node is not None and node not in self._cuts:
            way.append(node)
            node = self._paths[node].ahead
        found = None if node is None else self._cuts[node]
        for node in reversed(way):
            cut = self._paths[node].cut
            if cut is not None:
                found = FewestCuts(cut, found.rest if found is not None and _same(cut, found.first) else found)
            self._cuts[node] = found
        return found

    def target(self, tensor: int) -> int | None:
        """The target that the best path leads to."""
        node = self._best(tensor)
        return None if node is None else self._paths[node].target

    def cut(self, link: Link) -> Cut | None:
        """The cut at a link; None where only an earlier cut can block a gradient."""
        kind = self._kind(link)
        return None if kind is None else Cut(kind, link, self._line(kind, link))

    # ----- the walk -----

    def _best(self, tensor: int) -> TensorVersion | None:
        nodes = self._nodes.get(tensor)
        return min(nodes, key=lambda each: (self._paths[each].cuts, self._paths[each].first)) if nodes else None

    def _walk(self, targets: Iterable[int]) -> None:
        """Backward in time, so that every path on from a node is known when its turn comes."""
        heap: list[tuple[int, TensorVersion]] = []
        end = len(self._log.events) if self.at is None else self.at
        for target in targets:
            self._offer(heap, target, end, Path(target, 0, end))
        done: set[TensorVersion] = set()
        while heap:
            _, node = heappop(heap)
            if node in done:
                continue
            done.add(node)
            for link in self.graph.version_links(*node):
                self._offer(heap, link.tail, link.position, self._extended(node, link), done)
            if self.graph.version_before(*node) >= 0:
                self._offer(heap, *node, self._paths[node], done)

    def _offer(
        self,
        heap: list[tuple[int, TensorVersion]],
        tensor: int,
        before: int,
        path: Path,
        done: Iterable[TensorVersion] = (),
    ) -> None:
        since = self.graph.version(tensor, before)
        node = (tensor, since)
        known = self._paths.get(node)
        if node in done or (known is not None and (known.cuts, known.first) <= (path.cuts, path.first)):
            return
        if known is None:
            self._nodes.setdefault(tensor, []).append(node)
        self._paths[node] = path
        heappush(heap, (-since, node))

    def _extended(self, node: TensorVersion, link: Link) -> Path:
        path, cut = self._paths[node], self.cut(link)
        ahead = path.ahead if path.cut is None else node
        if cut is None:
            return Path(path.target, path.cuts, path.first, link, node, None, ahead)
        more = 0 if path.cut is not None and _same(cut, path.cut) else 1
        return Path(path.target, path.cuts + more, link.position, link, node, cut, ahead)

    # ----- one link -----

    def _kind(self, link: Link) -> CutKind | None:
        block = self.graph.block(link, self.tape, self.at)
        if link.slot is None:
            if block in ("rebuilt", "state"):
                return block
            return self._of_integers(link.tail) if link.how == AN_INDEX else "read_out"
        if self._is_of_another_thread(link.position, block):
            return "thread"
        if block == "outside_tape":
            return "outside"
        if block == "paused" and self._opener(link) is None and not self._log.facts.records_always:
            return "dataset"  # no line of the user's asked for it
        if block in ("forgotten", "paused"):
            return block
        if not is_real(self._log.tensors[link.tail].dtype):
            return self._of_integers(link.tail)
        op = self.graph.ops[link.position]
        refused = block == "integer_dtype" and link.tail in self.graph.memory(self.tape, self.at).followed
        casts = op.op == CAST and link.slot == 0  # PyTorch's `type_as` has another one, which gives only the dtype
        chooses = not casts and (refused or not self._is_real(link.head))
        return "no_derivative" if chooses or not has_derivative(self._log, op, link.slot) else None

    def _is_of_another_thread(self, position: int, block: Block | None) -> bool:
        """Whether an op stands for what ran beside the recorded thread, or ran in a thread that this one waited for."""
        op, scopes = self.graph.ops[position], self._log.scopes
        return op.op == ANOTHER_THREAD or (
            block == "paused"
            and any(scopes[each].name.endswith(ANOTHER_THREAD) for each in self._log.outward(op.scope))
        )

    def _of_integers(self, tensor: int) -> CutKind | None:
        return None if self._is_choice(tensor) else "integer"

    def _is_choice(self, tensor: int) -> bool:
        """Whether an integer came of a choice among real numbers: the op that made the choice is the cut."""
        waiting, seen = [tensor], set[int]()
        while waiting:
            maker = self.graph.producer(waiting.pop())
            if maker is None or maker in seen:
                continue
            seen.add(maker)
            op = self.graph.ops[maker]
            if any(self._is_real(each) and not self._was_integer(each) for each in op.inputs):
                if op.op != CAST:
                    return True
            else:
                waiting += op.inputs
        return False

    def _was_integer(self, tensor: int) -> bool:
        """Whether a real tensor is a cast integer one, as Keras casts the inputs of a layer."""
        op = self.graph.op_of(tensor)
        return op is not None and op.op == CAST and not self._is_real(op.inputs[0])

    def _is_real(self, tensor: int) -> bool:
        return is_real(self._log.tensors[tensor].dtype)

    def _line(self, kind: CutKind, link: Link) -> Site | None:
        if kind == "outside":
            home = site_at(self._log, self._history.opened(None))
            return line_beside(self._log, link.position, home, self._history.scopes)
        if kind == "forgotten" and (reset := site_at(self._log, self._history.reset(self.at))) is not None:
            return reset
        if kind == "paused":
            opener = self._opener(link)
            if self._log.facts.records_always and opener is not None:
                return opener  # a switch, or a decorator, may be far from the ops that it is about
            return line_beside(self._log, link.position, opener, self._history.scopes)
        if kind == "read_out":
            readings = self.graph.read_outs.get(link.tail, [])
            count = bisect_right(readings, link.position)
            return site_at(self._log, readings[count - 1] if count else link.position)
        if kind == "integer":
            return site_at(self._log, self.graph.made_at(link.tail))
        return site_at(self._log, link.position)

    def _opener(self, link: Link) -> Site | None:
        """The line that paused the tape when an op was skipped; None where no line did."""
        return site_at(self._log, self._history.pauses.get(link.position))


def _same(one: Cut, other: Cut) -> bool:
    """Whether two cuts are at one line that ran outside the tape."""
    alike = one.kind == other.kind and one.kind in ("outside", "forgotten", "paused")
    return alike and same_line(one.site, other.site)
