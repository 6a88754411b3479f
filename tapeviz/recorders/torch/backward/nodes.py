"""Autograd's nodes -> the ops in a log that they belong to.

Every node has a sequence number, in the order in which nodes are made. So nodes need not be looked at while the program
runs: an op owns the nodes that are numbered while it runs. A node that was made out of sight becomes an op by itself.

Each thread counts by itself. A node of another thread is found through a tensor that is not in the log. It is marked as
made out of sight, unless the graphs of known tensors lead to it, so its number is never used.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

import torch
from torch.autograd.function import BackwardCFunction

from tapeviz.events.catalog import CAPTURED
from tapeviz.events.program.frames import scope_called
from tapeviz.events.raw import ScopeNode, next_id
from tapeviz.phrases import OUT_OF_SIGHT, UNSEEN
from tapeviz.recorders.runs import one_or_all
from tapeviz.recorders.torch.backward.sequence_numbers import CompositeOp, LoggedOp, NumberedOps
from tapeviz.recorders.torch.held_values import HeldValues
from tapeviz.recorders.torch.levels import levels, running
from tapeviz.recorders.torch.names import signature_of_node
from tapeviz.recorders.torch.saved_hooks import has_saved_hooks
from tapeviz.recorders.torch.tape_session import TapeSession
from tapeviz.recorders.torch.tensors import Tensors
from tapeviz.recorders.torch.values import node_of, spec_with

if TYPE_CHECKING:
    from tapeviz.recorders.signatures import OpSignature

with torch._C.DisableTorchFunction():
    LEAF: Any = type(torch.ones(1, requires_grad=True).clone().grad_fn.next_functions[0][0])  # type: ignore[union-attr]
"""The class of the nodes that leave a gradient in a leaf."""

counter = torch._C._autograd._get_sequence_nr
"""How many nodes this thread has made."""


class UnrecordedOp(LoggedOp):
    """An op that was not recorded, and is known only by its one node, which is marked with it."""

    __slots__ = ()


class CompiledOp(CompositeOp, ABC):
    """A compiled graph whose inside is recorded: the nodes that it left are marked with it."""

    __slots__ = ()

    @abstractmethod
    def ways(self, id_of: Callable[[torch.Tensor], int]) -> Counter[int]:
        """How many gradients arrive at each tensor that went in, by the raw ids."""


class DeferredOp(CompiledOp):
    """One whose inside is computed when a reader asks: until then it is one op.

    Attributes:
        pulled: is told of each pass that has come through it: the run, what arrived at each node, by its number and the
            index there, and whether the graph is retained.
    """

    __slots__ = ("__weakref__", "_reached", "pulled")

    def __init__(
        self,
        inputs: tuple[Any, ...],
        outputs: Any,
        reached: list[int],
        pulled: Callable[[int, dict[tuple[int, int], Any], bool], None],
    ) -> None:
        super().__init__(inputs, outputs)
        self._reached = reached
        self.pulled = pulled

    def ways(self, id_of: Callable[[torch.Tensor], int]) -> Counter[int]:
        """One at each that is reached at all, where the inside sums them up."""
        return Counter(set(self._reached))


class InsideOp(CompiledOp):
    """One whose inside was computed at once: the nodes that it left stand for others.

    Attributes:
        ends: the results of the inside, each with the number of the node that stands for its own, and the index there.
        leaves: the leaves of the inside.
    """

    __slots__ = ("ends", "leaves")

    def __init__(self, ends: list[tuple[torch.Tensor, int, int]], leaves: list[torch.Tensor]) -> None:
        super().__init__((), ())
        self.ends = ends
        self.leaves = leaves

    def ways(self, id_of: Callable[[torch.Tensor], int]) -> Counter[int]:
        """As many as ways lead to each of the leaves."""
        found: Counter[int] = Counter()
        pending: list[Any] = [each.grad_fn for each, *_ in self.ends if each.grad_fn is not None]
        seen = set(pending)
        while pending:
            for node, _ in pending.pop().next_functions:
                if type(node) is LEAF:
                    found[id_of(node.variable)] += 1
                elif node is not None and node not in seen:
                    seen.add(node)
                    pending.append(node)
        return found


class Nodes:
    """The ops of a log that have nodes, by the numbers of these; `id_of` gives the raw id of any tensor.

    Attributes:
        numbered: the ops that were recorded while they made their nodes.
        unseen_numbers: the numbers of the nodes that are marked with their op instead.
        hands_on: whether some nodes, of functions in Python, only see gradients go by.
    """

    def __init__(
        self, session: TapeSession, tensors: Tensors, values: HeldValues, id_of: Callable[[torch.Tensor], int]
    ) -> None:
        self._session = session
        self._tensors = tensors
        self._values = values
        self._id_of = id_of
        self._first = counter()
        self._mark = f"tapeviz {next_id()}"
        self.numbered = NumberedOps()
        self.add = self.numbered.add
        self.unseen_numbers: set[int] = set()
        self.hands_on = False
        self._reached: set[Any] | None = None
        self._pass_began: int | None = None
        self._passes: list[range] = []  # the numbers of the nodes that each has made

    def note_output(self, tensor: Any, raw_id: int) -> None:
        """Note the id of an output of an op that has several outputs, or several nodes, be it at several levels."""
        for each in levels(tensor) if running() is not None else (tensor,):
            node = node_of(each)
            if node is not None:
                self.numbered.note_output(node._sequence_nr(), each.output_nr, raw_id)
                self._tensors.bind(each, raw_id)

    def hand_on(self, start: int, raw_ids: tuple[int, ...], results: list[Any]) -> None:
        """The nodes from `start` on only see the gradients of these tensors go by: what they give are these again."""
        self.hands_on = True
        self.add(start, counter(), raw_ids, raw_ids)
        for each, raw_id in zip(results, raw_ids, strict=True):
            self.note_output(each, raw_id)

    def onward(self, edge: tuple[Any, int]) -> tuple[Any, int]:
        """Where a gradient gets to along an edge, past nodes that only see it go by."""
        while self.hands_on and isinstance(edge[0], BackwardCFunction):
            op = self.op_of(edge[0])
            if op is None or op.outputs != op.inputs:  # nothing else gives what it read
                break
            edge = edge[0].next_functions[op.inputs.index(self.tensor_of(edge, op))]
        return edge

    def edges_of(self, node: Any) -> tuple[tuple[Any, int], ...]:
        """Where a node that is no leaf sends gradients."""
        edges: tuple[tuple[Any, int], ...] = node.next_functions
        return tuple(map(self.onward, edges)) if self.hands_on else edges

    def op_of(self, node: Any) -> LoggedOp | None:
        """The op that a node belongs to; None if the node was made out of sight."""
        number = node._sequence_nr()
        if number in self.unseen_numbers:
            marked: LoggedOp | None = node.metadata.get(self._mark)
            if marked is not None:
                return marked
        return self.numbered.op_of(number)

    def result_of(self, number: int) -> int | None:
        """The raw id of what the op gives that made the node of this number: of the first, where it gives several."""
        op = self.numbered.op_of(number)
        outputs = None if op is None else op.outputs
        return outputs[0] if isinstance(outputs, tuple) else outputs

    def tensor_of(self, edge: tuple[Any, int], op: LoggedOp | None) -> int | None:
        """The raw id of the tensor whose gradient flows along an edge into a node of `op`; None if it is unknown."""
        node, index = edge
        if op is None:
            return self._id_of(node.variable) if type(node) is LEAF else None
        if isinstance(op, CompositeOp):
            return self.numbered.output_at(node._sequence_nr(), index)
        if type(op.outputs) is int:
            return op.outputs
        if type(op) is UnrecordedOp:
            return int(op.outputs[index])
        found = self.numbered.output_at(node._sequence_nr(), index)
        return found if found is not None else op.outputs[0]

    def seen_inside(self, op: CompiledOp, nodes: list[Any]) -> None:
        """These nodes are those of a compiled graph whose inside is recorded."""
        for node in nodes:
            self.unseen_numbers.add(node._sequence_nr())
            node.metadata[self._mark] = op

    def adopt(self, tensor: Any) -> int:
        """Log each unknown node that leads to a tensor as an op, and return the raw id of the tensor."""
        root = tensor.grad_fn, tensor.output_nr
        unseen = self._unseen(root)
        if unseen:
            scope = scope_called(self._whose(unseen), self._session.log.scope, self._session.frame(1))
        for node in unseen:
            self._log(node, (None, -1, scope), tensor if node is unseen[-1] else None)
        raw_id = self.tensor_of(root, self.op_of(root[0]))
        assert raw_id is not None
        self._tensors.bind(tensor, raw_id)
        return raw_id

    def adopt_call(self, name: str, outputs: list[Any], read: tuple[int, ...], frame: FrameType) -> None:
        """Log the nodes that a call of this name in the user's `frame` has left, which lead to its `outputs`.

        What of the tensors that it `read` none of them leads to is an input of the last one, too.
        """
        results = {each.grad_fn: each for each in outputs}
        unseen = list(dict.fromkeys(node for each in outputs for node in self._unseen((each.grad_fn, each.output_nr))))
        place = frame.f_code, frame.f_lasti, scope_called(name, self._session.log.scope, frame)
        left = dict.fromkeys(read)
        for node in unseen:
            lost = tuple(left) if node is unseen[-1] else ()
            for each in self._log(node, place, results.get(node), lost):
                left.pop(each, None)
        for each in outputs:
            raw_id = self.tensor_of((each.grad_fn, each.output_nr), self.op_of(each.grad_fn))
            if raw_id is not None:
                self._tensors.bind(each, raw_id)

    @property
    def is_in_pass(self) -> bool:
        """Whether autograd's engine is running."""
        return self._pass_began is not None

    @contextmanager
    def standing(self) -> Iterator[None]:
        """A block without new ops, in which the nodes that known tensors lead to are looked up only once."""
        self._reached = set()
        began = self._pass_began = counter()
        try:
            yield
        finally:
            self._reached = self._pass_began = None
            if counter() > began:
                self._passes.append(range(began, counter()))
            self.numbered.forget()

    def _unseen(self, root: tuple[Any, int]) -> list[Any]:
        """The nodes behind the edge `root` that no op owns, or that are inside an op, inputs first."""
        reached = set() if self._reached is None else self._reached

        def is_known(node: Any, index: int) -> bool:
            op = self.op_of(node)
            if op is None or type(op) is UnrecordedOp:
                return op is not None
            if isinstance(op, CompositeOp) and self.tensor_of((node, index), op) is None:
                return False
            if not reached:  # the number is one of ours: whether the node is, the graph tells
                reached.update(self._reach())
            return node in reached

        order: list[Any] = []
        seen: set[Any] = set()
        pending: list[tuple[Any, int, bool]] = [(*root, False)]
        while pending:
            node, index, done = pending.pop()
            if done:
                order.append(node)
            elif node not in seen and type(node) is not LEAF and not is_known(node, index):
                seen.add(node)
                pending.append((node, index, True))
                pending += [(*edge, False) for edge in reversed(node.next_functions) if edge[0] is not None]
        return order

    def _reach(self) -> set[Any]:
        """The nodes that known tensors lead to, without those that were made out of sight."""
        found: set[Any] = set()
        pending = [node_of(each) for tensor in self._tensors.alive() for each in levels(tensor)]
        while pending:
            node = pending.pop()
            if node is not None and node not in found and type(self.op_of(node)) is not UnrecordedOp:
                found.add(node)
                pending += [each for each, _ in node.next_functions]
        return found

    def _whose(self, unseen: list[Any]) -> str:
        """The name of the scope of nodes, which says whether the running pass made the last one, or another thread.

        The part of a pass that is for an accelerator runs in a thread of its own, which counts by itself.
        """
        if self._pass_began is not None and (
            not self._session.is_here or unseen[-1]._sequence_nr() >= self._pass_began
        ):
            return IN_A_PASS
        if self._are_elsewhere(unseen):
            return ELSEWHERE
        if self._is_of_a_pass(unseen[-1]._sequence_nr()):
            return IN_A_PASS
        return UNSEEN if min(node._sequence_nr() for node in unseen) < self._first else OUT_OF_SIGHT

    def _is_of_a_pass(self, number: int) -> bool:
        """Whether a pass that is over has made the node of this number."""
        at = bisect_right(self._passes, number, key=lambda each: each.start) - 1
        return at >= 0 and number in self._passes[at]

    def _are_elsewhere(self, unseen: list[Any]) -> bool:
        """Whether nodes can only be another thread's: their numbers are still to come here, or are taken."""
        numbers = [node._sequence_nr() for node in unseen]
        if min(numbers) < self._first:
            return False
        return max(numbers) >= counter() or any(self.op_of(node) is not None for node in unseen)

    def _log(self, node: Any, place: tuple[Any, int, ScopeNode], tensor: Any, lost: tuple[int, ...] = ()) -> list[int]:
        """Log one node as an op; `tensor` is its result, if that is known. The tensors that it leads to.

        What of those that are `lost` it does not lead to either is its last inputs.
        """
        tensors = [
            self._constant_of(node, index) if edge[0] is None else self.tensor_of(edge, self.op_of(edge[0]))
            for index, edge in enumerate(node.next_functions)
        ]
        known = [each for each in tensors if each is not None]
        lost = tuple(each for each in lost if each not in known)
        inputs = (*known, *lost)
        metadata = node._input_metadata
        ids = tuple(next_id() for _ in metadata)
        outputs = one_or_all(ids)
        made: list[Any] = [spec_with(tuple(each.shape), each.dtype) for each in metadata]
        if tensor is not None:
            made[tensor.output_nr] = self._values.hold(tensor, ids[tensor.output_nr])
        signature, values = signature_of_node(node.name(), len(known)), one_or_all(tuple(made))
        attributes, tapes = attributes_of(node, signature), self._session.tapes
        attributes += ((CAPTURED, len(lost)),) if lost else ()
        code, lasti, scope = place
        self._session.log.raw += (signature.name, inputs, outputs, values, attributes, (), tapes, scope, code, lasti)
        self.unseen_numbers.add(node._sequence_nr())
        node.metadata[self._mark] = UnrecordedOp(inputs, outputs)
        return known

    def _constant_of(self, node: Any, index: int) -> int | None:
        """The raw id of an argument without gradient; None if the node does not save it, or a hook has replaced it."""
        if has_saved_hooks():
            return None
        for name in KEPT[index] if index < len(KEPT) else ():
            try:
                kept = getattr(node, name, None)
            except RuntimeError:  # freed already, or changed in place
                continue
            if isinstance(kept, torch.Tensor):
                return self._id_of(kept)
        return None


ELSEWHERE = "made unseen, in another thread"
"""The scope of ops that are `UNSEEN`, as a recording sees only what its own thread does, and that cannot have been made
earlier."""
IN_A_PASS = "a backward pass that can be differentiated"
"""That of ops that PyTorch computes unseen, as `create_graph` has it do."""

KEPT = (("_saved_self",), ("_saved_other", "_saved_mat2", "_saved_exponent"))
"""The names under which nodes keep their first and second argument."""


def attributes_of(node: Any, signature: OpSignature) -> tuple[tuple[str, Any], ...]:
    """The attributes of its op that a node saves, as pairs of the catalog's name and a plain value."""
    named = ((word.attribute, getattr(node, f"_saved_{word.own}", None)) for word in signature.inputs if word.attribute)
    return tuple([(name, _signed(kept)) for name, kept in named if isinstance(kept, (int, float, str, tuple))])


def _signed(kept: Any) -> Any:
    """A value as it was given: of an axis counted from the end, nodes keep the 64 bits as a positive number."""
    if isinstance(kept, tuple):
        return tuple(map(_signed, kept))
    return kept - (1 << 64) if isinstance(kept, int) and kept >= 1 << 63 else kept
