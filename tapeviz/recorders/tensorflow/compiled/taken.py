"""A graph in which a tape has taken gradients -> which op was pulled back by which of the ops that this has added.

TensorFlow keeps of a gradient in a graph the ops that compute it alone. So the ops before it are put into a graph of
the recorder's own, under a tape, and the gradient is taken again there. Where that adds the very ops which the graph
has, it is the gradient that was taken; else it is not known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from tensorflow.python import pywrap_tfe
from tensorflow.python.eager import backprop, imperative_grad, record, tape
from tensorflow.python.framework import ops
from tensorflow.python.ops.unconnected_gradients import UnconnectedGradients

from tapeviz.recorders.patches import Patches, Swapped
from tapeviz.recorders.session import unheard
from tapeviz.recorders.tensorflow.compiled.copied_graph import (
    CALLS,
    CopiedGraph,
    OwnGradient,
    UnknownGradientError,
    is_not_again,
    own_gradient,
)
from tapeviz.recorders.tensorflow.compiled.regions import Block, Region, accessed_by, regions
from tapeviz.recorders.tensorflow.compiled.stacks import Stack
from tapeviz.recorders.tensorflow.compiled.tape_text import lines_assigning
from tapeviz.recorders.tensorflow.compiled.template import results_of
from tapeviz.recorders.tensorflow.names import FORWARD
from tapeviz.recorders.tensorflow.ops import READS
from tapeviz.recorders.tensorflow.values import dtype_of, enum_of

MOST_TRIED = 64
"""How many tensors are tried as that which was differentiated."""


class PulledSymbols(NamedTuple):
    """The gradient function of an op has run: with the sums that arrived at its outputs, for what it was given.

    Of `inputs` and `outputs`, None stands for what the tape has not kept. Of a function that is called, `call` is the
    op which calls the function that differentiates it.
    """

    op: Any
    upstream: tuple[Any, ...]
    contributions: tuple[Any, ...]
    inputs: Any
    outputs: Any
    call: Any = None


class TakenGradient(NamedTuple):
    """What a call of `gradient` has added to a graph, op by op, and for which ops before it.

    Attributes:
        sources: the inputs of the graph that it is of, as far as something uses their `gradients`.
        watched: what the program has told the tape to follow, and before which of the ops.
    """

    region: Region
    target: Any
    pulled: list[PulledSymbols]
    sources: list[Any]
    gradients: list[Any]
    watched: list[tuple[int, Any]]


class _CopiedTape:
    """A tape over the ops of a graph that is made once more."""

    def __init__(self, graph: CopiedGraph) -> None:
        self._graph = graph
        self._own = tape.push_new_tape(persistent=True, watch_accessed_variables=False)
        self._is_open = True
        self._follows: set[int] = set()
        self.watched: dict[int, Any] = {}
        self.told_of: list[tuple[int, Any]] = []
        self.recorded: list[Any] = []
        self._ops: dict[int, tuple[Any, tuple[Any, ...]]] = {}
        self._pulled: list[PulledSymbols] = []

    def close(self) -> None:
        """It records nothing more."""
        if self._is_open:
            self._is_open = False
            tape.pop_tape(self._own)

    def watch(self, theirs: Any) -> None:
        """Follow a tensor of the graph."""
        if theirs is None or theirs._id not in self._graph.own:
            raise UnknownGradientError
        own = self._graph.own[theirs._id]
        if theirs._id not in self.watched:
            self.watched[theirs._id] = theirs
            self._follows.add(own._id)
            tape.watch(self._own, own)

    def watch_as_told(self, at: int, theirs: Any) -> None:
        """The program has it follow a tensor from an op on."""
        if theirs is not None and theirs._id not in self.watched:
            self.told_of.append((at, theirs))
        self.watch(theirs)

    def record(self, op: Any, copy: Any) -> None:
        """Record an op, if it reads something that is followed."""
        inputs, outputs = list(copy.inputs), list(copy.outputs)
        if not any(each._id in self._follows and dtype_of(enum_of(each))[2] for each in inputs):
            return
        if op.type in CALLS and op.get_attr("f").name.startswith(FORWARD):
            self._record_call(op, copy)
            return
        if is_not_again(op):
            raise UnknownGradientError
        own = own_gradient(op)
        if own is not None:
            self._record_own(op, copy, own)
            return
        self._follows.update([each._id for each in outputs])
        self.recorded.append(op)
        attrs = tuple(part for each in op.op_def.attr for part in (each.name, op.get_attr(each.name)))
        attrs = attrs or ("name", op.name)  # all empty tuples are the same object
        self._ops[id(attrs)] = op, attrs
        backprop.record_gradient(op.type, inputs, attrs, outputs)

    def _record_call(self, op: Any, copy: Any) -> None:
        """Record the call of a function: its gradient is the next call that the graph has of one that differentiates.

        The tape knows the results that can have a gradient.
        """
        called = self._graph.graph_called_by(op)
        count = len(results_of(called)) if called is not None else 0
        recorded = [each for each in copy.outputs[:count] if dtype_of(enum_of(each))[2]]
        self._follows.update([each._id for each in recorded])
        self.recorded.append(op)

        def pull(*upstream: Any) -> list[Any]:
            call, given = self._graph.next_call(upstream)
            arrived = dict(zip([each._id for each in recorded], upstream, strict=True))
            sums = tuple([arrived.get(each._id) for each in copy.outputs])
            self._pulled.append(PulledSymbols(op, sums, tuple(given), None, None, call))
            return given

        record.record_operation(op.get_attr("f").name, recorded, list(copy.inputs), pull)

    def _record_own(self, op: Any, copy: Any, own: OwnGradient) -> None:
        """Record a function of a library's with its own gradient."""
        self._follows.update([each._id for each in copy.outputs])
        self.recorded.append(op)

        def pull(*upstream: Any) -> Any:
            given = own.pull(op, *upstream)
            self._pulled.append(PulledSymbols(op, upstream, tuple(given), None, None))
            return given

        record.record_operation(own.name, list(copy.outputs), list(copy.inputs), pull)

    def _pulling(self, pull: Any) -> Any:
        def _gradient_function(
            name: Any, attrs: Any, count: Any, inputs: Any, outputs: Any, upstream: Any, skipped: Any, scope: Any
        ) -> Any:
            result = pull(name, attrs, count, inputs, outputs, upstream, skipped, scope)
            op, _ = self._ops[id(attrs)]
            given = result if isinstance(result, (list, tuple)) else (result,)
            self._pulled.append(PulledSymbols(op, tuple(upstream), tuple(given), inputs, outputs))
            return result

        return _gradient_function

    def take(self, target: Any) -> tuple[list[PulledSymbols], list[Any]]:
        """What was pulled back of a target, and the gradients of all that is watched."""
        self._pulled = []
        sources = [self._graph.own[each] for each in self.watched]
        register, own, patches = pywrap_tfe.TFE_Py_RegisterGradientFunction, backprop._gradient_function, Patches()
        patches.install([Swapped(register, own, register, lambda: register(own), self._pulling)])
        try:
            found = imperative_grad.imperative_grad(
                self._own,
                [self._graph.own[target._id]],
                sources,
                unconnected_gradients=UnconnectedGradients.NONE,
            )
        finally:
            patches.undo()
        known = self._graph.known
        return [
            each._replace(
                upstream=tuple(map(known, each.upstream)), contributions=tuple(map(known, each.contributions))
            )
            for each in self._pulled
            if each.op.type not in READS
        ], [None if each is None else known(each) for each in found]


def gradients_taken(graph: Any, stacks: Sequence[Stack], trainable: set[int]) -> list[TakenGradient]:
    """The gradients that were taken in a graph; `trainable` are the ids of the inputs that are variables tapes watch.

    Raises:
        UnknownGradientError: It is not known which these are.
    """
    found = regions(stacks)
    if not found:
        return []
    with unheard():
        with ops.init_scope():
            copied = CopiedGraph(graph)
        with copied.as_default():
            return _Taking(graph, stacks, found, trainable, copied).all()


class _Taking:
    """The gradients of a graph, taken again in the graph that is made of its ops."""

    def __init__(
        self, graph: Any, stacks: Sequence[Stack], found: list[Region], trainable: set[int], copied: CopiedGraph
    ) -> None:
        self._ops = graph.get_operations()
        self._stacks = stacks
        self._regions = found
        self._trainable = trainable
        self._copied = copied
        self._returned = {each._id for each in graph.outputs}
        self._tapes: dict[Block, _CopiedTape] = {}
        self._open: Block | None = None

    def all(self) -> list[TakenGradient]:
        """They."""
        taken: list[TakenGradient] = []
        waiting = iter([*self._regions, None])
        region = next(waiting)
        at = 0
        try:
            while region is not None:
                if at < region.first:
                    self._add(at)
                    at += 1
                    continue
                self._turn_to(None)
                taken.append(self._take(region))
                at, region = region.end, next(waiting)
        finally:
            self._turn_to(None)
        return taken

    def _add(self, at: int) -> None:
        op, stack = self._ops[at], self._stacks[at]
        around = {each.block: each for each in self._regions if each.is_around(stack)}
        if len(around) > 1:  # a tape within a block of another one
            raise UnknownGradientError
        key = next(iter(around), None)
        self._turn_to(key)
        copy = self._copied.copy(op)
        if key is None:
            return
        region, own = around[key], self._tapes[key]
        for line, name in region.text.tape.watches:
            if stack[len(region.stack) - 1].number >= line:
                own.watch_as_told(at, self._named(name, region, at))
        for each in accessed_by(op) if region.text.tape.is_accessed else ():
            if each._id in self._trainable:
                own.watch(each)
        own.record(op, copy)

    def _turn_to(self, key: Block | None) -> None:
        """Have one tape record from here on, or none."""
        if key == self._open:
            return
        if self._open is not None:
            self._tapes[self._open].close()
        self._open = key
        if key is not None:
            if key in self._tapes:  # the block is run again
                raise UnknownGradientError
            self._tapes[key] = _CopiedTape(self._copied)

    def _take(self, region: Region) -> TakenGradient:
        own = self._tapes.get(region.block)
        if own is None:
            raise UnknownGradientError
        awaited = self._ops[region.first : region.end]
        for target in self._targets(region, own):
            self._copied.begin(awaited)
            try:
                pulled, gradients = own.take(target)
            except UnknownGradientError:
                raise
            except Exception:  # a gradient function may refuse what it was never to be given
                self._copied.give_up()
                continue
            left, self._copied.awaited = self._copied.awaited, None
            if not left:
                used = self._used(region)
                pairs = [(each, g) for each, g in zip(own.watched.values(), gradients, strict=True) if _is_of(g, used)]
                sources, gradients = [each for each, _ in pairs], [g for _, g in pairs]
                return TakenGradient(region, target, pulled, sources, gradients, own.told_of)
            self._copied.give_up()
        raise UnknownGradientError

    def _used(self, region: Region) -> set[int]:
        """The ids of what the gradient gives that something uses."""
        added = {out._id for op in self._ops[region.first : region.end] for out in op.outputs}
        others = [*self._ops[region.end :], *self._ops[: region.first]]
        return (added & self._returned) | {each._id for op in others for each in op.inputs if each._id in added}

    def _targets(self, region: Region, own: _CopiedTape) -> Iterator[Any]:
        """What may have been differentiated: what the text names, and then whatever was computed last."""
        named = [self._named(region.text.target, region, region.first)] if region.text.target else []
        outputs = [out for op in reversed(own.recorded) for out in op.outputs if dtype_of(enum_of(out))[2]]
        tried = [each for each in [*named, *outputs] if each is not None and each.dtype.name != "resource"]
        yield from {each._id: each for each in tried[:MOST_TRIED]}.values()

    def _named(self, name: str, region: Region, before: int) -> Any:
        """What a variable of the function stands for, where an op is added."""
        depth, call = len(region.stack) - 1, region.stack[-1]
        lines = lines_assigning(call.file, call.number, name)
        for at in reversed(range(before)):
            stack = self._stacks[at]
            own = stack[depth] if depth < len(stack) else None
            is_there = own is not None and own.of == call.of and any(a <= own.number <= b for a, b in lines)
            if is_there and self._ops[at].outputs:
                return self._ops[at].outputs[0]
        given = [op for op in self._ops if op.type == "Placeholder" and op.name == name]
        return given[0].outputs[0] if given and not lines else None


def _is_of(gradient: Any, used: set[int]) -> bool:
    return gradient is not None and getattr(gradient, "values", gradient)._id in used
