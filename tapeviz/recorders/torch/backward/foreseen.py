"""A graph of autograd's -> what a run of the engine on it will write, as far as that follows from the graph.

The engine runs, of the nodes at which all has arrived, the one made last, and leaves ahead of all others. Every node
of PyTorch's own sends a gradient along each of its edges; a function in Python may not. So the hooks that a sweep would
put on the nodes can be called ahead of the run, in its order, with what stands for the gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from heapq import heappop, heappush
from typing import Any, NamedTuple

from tapeviz.events.types import CotangentAccumulated, VjpApplied
from tapeviz.recorders.torch.backward.fingerprint import Fingerprint
from tapeviz.recorders.torch.backward.nodes import LEAF
from tapeviz.recorders.torch.backward.only_node import Hook, Noted
from tapeviz.recorders.torch.backward.pass_records import PassRecords, PassStep
from tapeviz.recorders.torch.backward.reach import PendingVjp, Reach
from tapeviz.recorders.torch.backward.sweep import Sweep, slots_of
from tapeviz.recorders.torch.session import Session

MOST = 2
"""Leaves behind one node at which several gradients arrive: the order of more of them is that of the engine's heap."""
CHANGED = "modified by an inplace operation"
"""Part of PyTorch's message, also where a node is asked for what it saved."""


class SeenGradient(NamedTuple):
    """Where a gradient is seen: which hook of a sweep is given it, as what is sent along an edge or what arrives, by
    index."""

    hook: int
    at: int
    is_sent: bool


@dataclass(slots=True)
class PassPlan:
    """What all runs on equal graphs write.

    Attributes:
        steps: the records, for each node with a hook of a sweep's those that are complete when it has run, in order.
        records: the same, to be written.
        values: per value the gradients that it is the sum of, as places in `sights`.
        sights: where each of these gradients is taken.
        ran: how many of those nodes have run, at least, once each of these gradients is known.
        arrived: the value that a tensor is left with.
        bytes: what all gradients of the latest run took together.
    """

    steps: list[list[PassStep]]
    records: PassRecords
    values: list[tuple[int, ...]]
    sights: Sights
    ran: list[int]
    arrived: dict[int, int]
    bytes: int = 0


class Sights:
    """Where gradients are taken in a run, each with its number: no gradient is seen twice.

    Attributes:
        arriving: what a node is given for its first output: the number, and the node's place among those of the graph.
        passing: per node, by its place, what else it is given or sends along an edge: the number, the index, and
            whether it is sent.
        left: what a leaf is left with: the number, and the leaf's place.
        coming: what a leaf is given that is left with something else: the same.
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[Any, ...], int] = {}
        self.arriving: list[tuple[int, int]] = []
        self.passing: dict[int, list[tuple[int, int, bool]]] = {}
        self.left: list[tuple[int, int]] = []
        self.coming: list[tuple[int, int]] = []

    def __len__(self) -> int:
        return len(self._numbers)

    def arrives(self, place: int, index: int) -> int:
        """At a node that is no leaf."""
        number, is_new = self._number(place, index)
        if is_new and index == 0:
            self.arriving.append((number, place))
        elif is_new:
            self.passing.setdefault(place, []).append((number, index, False))
        return number

    def passes(self, place: int, index: int) -> int:
        """From a node along an edge to where others arrive as well."""
        number, is_new = self._number(place, index, "sent")
        if is_new:
            self.passing.setdefault(place, []).append((number, index, True))
        return number

    def stays(self, place: int) -> int:
        """In a leaf."""
        return self._at_leaf(self.left, place)

    def comes(self, place: int) -> int:
        """To a leaf, where it is changed."""
        return self._at_leaf(self.coming, place)

    def _at_leaf(self, leaves: list[tuple[int, int]], place: int) -> int:
        number, is_new = self._number(place)
        if is_new:
            leaves.append((number, place))
        return number

    def _number(self, *key: Any) -> tuple[int, bool]:
        number = len(self._numbers)
        found = self._numbers.setdefault(key, number)
        return found, found == number


def foresee(
    session: Session, outputs: Any, found: Fingerprint, failed: Callable[[Any], bool] = lambda node: False
) -> PassPlan | None:
    """The plan for a graph, up to the node that has `failed`; None if the order of the run is not sure."""
    reach = Reach(session, outputs, None)
    if not reach.is_whole or not _is_ordered(reach):
        return None
    sweep = _ForeseenSweep(session, reach, found)
    hooks = dict(sweep.hooks({}))
    for node in running_order(reach):
        if failed(node):
            break
        if node in hooks:
            sweep.call(node, hooks[node])
    else:
        sweep.finish()
    return sweep.plan()


def _is_ordered(reach: Reach) -> bool:
    """Whether the order is sure in which sums of leaves are complete."""
    for node, vjp in reach.nodes.items():
        if vjp is not None:
            edges = reach.edges(node)
            if len(edges) > MOST and sum(type(each) is LEAF and reach.meets(each) for each, _ in edges) > MOST:
                return False
    return True


def running_order(reach: Reach) -> Iterator[Any]:
    """The nodes of a graph in the order in which the engine runs them."""
    waiting = reach.waited_for()
    ready: list[tuple[int, int, Any]] = []  # an index keeps nodes of other threads, with the same number, in order
    leaves = [node for node in reach.roots if type(node) is LEAF]
    for at, node in enumerate(reach.roots):
        if node not in waiting and type(node) is not LEAF:
            heappush(ready, (-node._sequence_nr(), at - len(reach.roots), node))
    while ready:
        node = heappop(ready)[2]
        yield node
        for each, _ in reach.edges(node):
            if each is not None:
                left = waiting[each] = waiting[each] - 1
                if not left and type(each) is LEAF:
                    leaves.append(each)
                elif not left:
                    heappush(ready, (-each._sequence_nr(), len(ready), each))
        yield from leaves
        leaves.clear()


class _Gradient:
    """What stands for a gradient ahead of the run, or for a sum of several."""

    __slots__ = ("sources",)

    def __init__(self, *sources: SeenGradient) -> None:
        self.sources = sources

    def detach(self) -> _Gradient:
        """As of a gradient."""
        return self

    def __add__(self, other: _Gradient) -> _Gradient:
        return _Gradient(*self.sources, *other.sources)


class _Arriving:
    """What arrives at the outputs of a node that has a hook."""

    def __init__(self, hook: int) -> None:
        self._hook = hook

    def __getitem__(self, index: int) -> _Gradient:
        return _Gradient(SeenGradient(self._hook, index, is_sent=False))


class _PlannedRun:
    """In the place of a run's records: the steps of a plan; `sight_of` says where a gradient is taken."""

    id = 0

    def __init__(self, ids: list[int], sight_of: Callable[[SeenGradient], int]) -> None:
        self._places = {raw_id: place for place, raw_id in enumerate(ids)}
        self._sight_of = sight_of
        self._values: dict[tuple[SeenGradient, ...], int] = {}
        self.steps: list[list[PassStep]] = []

    def pull(self, outputs: Any, contributions: tuple[Any, ...], raw_ids: Any = None) -> None:
        """As of a run."""
        tensors = tuple([self._places[each] for each in outputs]) if type(outputs) is tuple else self._places[outputs]
        values = tuple([None if each is None else self._value(each) for each in contributions])
        marks = tuple([None if each is None else True for each in contributions])
        self.steps[-1].append(PassStep(VjpApplied, tensors, values, marks))

    def sum_up(self, tensor: int, total: Any, raw_id: int | None = None) -> None:
        """As of a run."""
        value = True if total is True else self._value(total)
        self.steps[-1].append(PassStep(CotangentAccumulated, self._places[tensor], value, True))

    def arrived(self, values: dict[int, Any]) -> dict[int, int]:
        """The places of the gradients that leaves are left with, given by their raw ids."""
        return {self._places[raw_id]: self._value(each) for raw_id, each in values.items()}

    @property
    def values(self) -> list[tuple[int, ...]]:
        """Per value where the gradients are taken that it is the sum of."""
        return [tuple(map(self._sight_of, sources)) for sources in self._values]

    def _value(self, gradient: _Gradient) -> int:
        """The place of a value among those of the plan."""
        return self._values.setdefault(gradient.sources, len(self._values))


class _ForeseenSweep(Sweep):
    """A sweep whose hooks are called with what stands for gradients."""

    def __init__(self, session: Session, reach: Reach, found: Fingerprint) -> None:
        super().__init__(session, reach, recorded=False, retained=False)
        self._planned = _PlannedRun(found.ids, self._sight_of)
        self.run = self._planned  # type: ignore[assignment]
        self.kept = lambda gradient: True if gradient is None else gradient
        self._places = {node: place for place, node in enumerate(found.nodes)}
        self._called: list[Any] = []
        self._sights = Sights()
        self._known_after: dict[int, int] = {}

    def call(self, node: Any, hook: Hook) -> None:
        """A node has run, which has this hook."""
        at, edges = len(self._called), () if type(node) is LEAF else self._reach.edges(node)
        self._called.append(node)
        self._planned.steps.append([])
        sent = [None if to is None else _Gradient(SeenGradient(at, index, True)) for index, (to, _) in enumerate(edges)]
        hook(tuple(sent), _Arriving(at))  # type: ignore[arg-type]

    def plan(self) -> PassPlan:
        """What has come of it."""
        leaves = [self._session.ledger.id_of(node.variable) for node in self._reach.nodes if type(node) is LEAF]
        arrived = self._planned.arrived({each: self._values[each] for each in leaves if each in self._values})
        steps, values = self._planned.steps, self._planned.values
        ran = [*self._known_after.values()]
        return PassPlan(steps, PassRecords(steps, len(values)), values, self._sights, ran, arrived)

    def _sight_of(self, seen: SeenGradient) -> int:
        """Where a gradient is taken: as late as it can be, at a leaf when all is over, and if no other gradient arrives
        there with it, at the node that it is sent to, which takes less time than where it is sent."""
        node, index = self._called[seen.hook], seen.at
        edge = self._reach.edges(node)[index] if seen.is_sent else (node, index)
        if seen.is_sent and not self._reach.gives_alone(*edge):
            found = self._sights.passes(self._places[node], index)
        elif type(edge[0]) is LEAF:
            is_changed = self._session.is_rewritten(edge[0].variable)
            found = (self._sights.comes if is_changed else self._sights.stays)(self._places[edge[0]])
        else:
            found = self._sights.arrives(self._places[edge[0]], edge[1])
        self._known_after[found] = max(self._known_after.get(found, 0), seen.hook + seen.is_sent)
        return found

    def _hook_of_one(self, vjp: PendingVjp, targets: list[int | None], sums: Any, noted: Noted) -> Hook:
        return partial(self._ran_only_node, vjp, slots_of(vjp.op, targets), sums)

    def _for_later(self, gradient: Any) -> Any:
        return gradient


def failure(error: Exception, nodes: Iterable[Any]) -> Callable[[Any], bool] | None:
    """What tells the node at which a run has stopped; None if nothing does."""
    if CHANGED not in str(error):
        return None
    changed = {node for node in nodes if type(node) is not LEAF and _saved_what_changed(node)}
    return changed.__contains__ if changed else None


def _saved_what_changed(node: Any) -> bool:
    """Whether a node does not give what it saved, since the program has changed it in place."""
    for name in dir(node):
        if name.startswith("_saved_"):
            try:
                getattr(node, name)
            except RuntimeError as error:
                if CHANGED in str(error):
                    return True
    return False
