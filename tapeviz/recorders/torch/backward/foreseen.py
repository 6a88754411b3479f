"""A graph of autograd's -> what a run of the engine on it will write, as far as that follows from the graph.

The engine runs, of the nodes at which all has arrived, the one made last, and leaves ahead of all others. Every node
of PyTorch's own sends a gradient along each of its edges; a function in Python may not. So the hooks that a sweep would
put on the nodes can be called ahead of the run, in its order, with what stands for the gradients.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from heapq import heappop, heappush
from typing import Any, NamedTuple

from tapeviz.events.types import CotangentAccumulated, VjpApplied
from tapeviz.recorders.torch.backward.fingerprint import Fingerprint
from tapeviz.recorders.torch.backward.nodes import LEAF
from tapeviz.recorders.torch.backward.only_node import Hook, Noted
from tapeviz.recorders.torch.backward.reach import PendingVjp, Reach
from tapeviz.recorders.torch.backward.sweep import Sweep, slots_of
from tapeviz.recorders.torch.session import Session

MOST = 2
"""Leaves behind one node at which several gradients arrive: the order of more of them is that of the engine's heap."""
CHANGED = "modified by an inplace operation"
"""Part of PyTorch's message, also where a node is asked for what it saved."""


class SeenGradient(NamedTuple):
    """Where a gradient is seen: which hook is given it, as what is sent along an edge or as what arrives, by index."""

    hook: int
    at: int
    is_sent: bool


class PassStep(NamedTuple):
    """A record of the run to come, without its numbers.

    Attributes:
        kind: the VJP of an op, or the sum of contributions.
        tensors: the result or results of the op, or the tensor that the sum is of, as places among those of the graph.
        values: of a VJP, per input None or a place among the plan's values; of a sum its place, or True if it is one
            that nothing sees.
        marks: the same with True for each value, as where none are kept.
    """

    kind: type
    tensors: Any
    values: Any
    marks: Any


class PlannedHook:
    """What is done when a node has run.

    Attributes:
        place: the node's, among those of the graph.
        takes: the values that it sees, each with its place among those of the plan, the index, and whether it is sent
            along an edge.
        parts: what it sees of values that are sums.
        sums: those that are known from then on, with their parts.
        steps: the records that are then complete.
    """

    __slots__ = ("parts", "place", "steps", "sums", "takes")

    def __init__(self, place: int) -> None:
        self.place = place
        self.takes: list[tuple[int, int, bool]] = []
        self.parts: list[SeenGradient] = []
        self.sums: list[tuple[int, tuple[SeenGradient, ...]]] = []
        self.steps: list[PassStep] = []


class PassPlan(NamedTuple):
    """What all runs on equal graphs write: hooks in the order in which their nodes run, how many values they see, and
    which of these a tensor is left with."""

    hooks: list[PlannedHook]
    values: int
    arrived: dict[int, int]

    @property
    def steps(self) -> list[PassStep]:
        """All records, in order."""
        return [step for hook in self.hooks for step in hook.steps]


def foresee(
    session: Session, outputs: Any, found: Fingerprint, failed: Callable[[Any], bool] = lambda node: False
) -> PassPlan | None:
    """The plan for a graph, up to the node that has `failed`; None if the order of the run is not sure."""
    reach = Reach(session, outputs, None)
    if not reach.is_whole or not _is_ordered(reach):
        return None
    sweep = _ForeseenSweep(session, reach, found)
    places = {node: place for place, node in enumerate(found.nodes)}
    hooks = dict(sweep.hooks({}))
    for node in running_order(reach):
        if failed(node):
            break
        if node in hooks:
            sweep.call(hooks[node], places[node], () if type(node) is LEAF else reach.edges(node))
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
    """In the place of a run's records: the hooks of a plan."""

    id = 0

    def __init__(self, ids: list[int]) -> None:
        self._places = {raw_id: place for place, raw_id in enumerate(ids)}
        self._values: dict[tuple[SeenGradient, ...], int] = {}
        self.hooks: list[PlannedHook] = []

    def pull(self, outputs: Any, contributions: tuple[Any, ...], raw_ids: Any = None) -> None:
        """As of a run."""
        tensors = tuple([self._places[each] for each in outputs]) if type(outputs) is tuple else self._places[outputs]
        values = tuple([None if each is None else self._value(each) for each in contributions])
        marks = tuple([None if each is None else True for each in contributions])
        self.hooks[-1].steps.append(PassStep(VjpApplied, tensors, values, marks))

    def sum_up(self, tensor: int, total: Any, raw_id: int | None = None) -> None:
        """As of a run."""
        value = True if total is True else self._value(total)
        self.hooks[-1].steps.append(PassStep(CotangentAccumulated, self._places[tensor], value, True))

    def plan(self, arrived: dict[int, Any]) -> PassPlan:
        """The plan; `arrived` has the gradient at each leaf at the end, by its raw id."""
        left = {self._places[raw_id]: self._value(each) for raw_id, each in arrived.items()}
        return PassPlan(self.hooks, len(self._values), left)

    def _value(self, gradient: _Gradient) -> int:
        """The place of a value among those of the plan; it is taken at the hook that sees the last part of it."""
        sources = gradient.sources
        found = self._values.get(sources)
        if found is None:
            found = self._values[sources] = len(self._values)
            if len(sources) == 1:
                hook, at, is_sent = sources[0]
                self.hooks[hook].takes.append((found, at, is_sent))
            else:
                self.hooks[max(each.hook for each in sources)].sums.append((found, sources))
                for each in sources:
                    self.hooks[each.hook].parts.append(each)
        return found


class _ForeseenSweep(Sweep):
    """A sweep whose hooks are called with what stands for gradients."""

    def __init__(self, session: Session, reach: Reach, found: Fingerprint) -> None:
        super().__init__(session, reach, recorded=False, retained=False)
        self._planned = _PlannedRun(found.ids)
        self.run = self._planned  # type: ignore[assignment]
        self.kept = lambda gradient: True if gradient is None else gradient

    def call(self, hook: Hook, place: int, edges: tuple[tuple[Any, int], ...]) -> None:
        """The node at a place has run, from which these edges lead."""
        at = len(self._planned.hooks)
        self._planned.hooks.append(PlannedHook(place))
        sent = [
            None if node is None else _Gradient(SeenGradient(at, index, True)) for index, (node, _) in enumerate(edges)
        ]
        hook(tuple(sent), _Arriving(at))  # type: ignore[arg-type]

    def plan(self) -> PassPlan:
        """What has come of it."""
        leaves = [self._session.ledger.id_of(node.variable) for node in self._reach.nodes if type(node) is LEAF]
        return self._planned.plan({each: self._values[each] for each in leaves if each in self._values})

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
