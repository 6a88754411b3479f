"""Ops of a graph -> the same in a graph of the recorder's own, in which gradient functions add theirs once more.

What they add is compared with what the graph has: only if it is the same is it known which op they were called for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from tensorflow.python.framework import ops
from tensorflow.python.framework.func_graph import FuncGraph
from tensorflow.python.framework.indexed_slices import IndexedSlices
from tensorflow.python.ops import handle_data_util
from tensorflow.python.util import nest

from tapeviz.events.program.frames import is_library
from tapeviz.events.program.inspection import code_of

_SUM = "AddN"
"""The op by which TensorFlow adds what arrives at a tensor: of a source of the gradient alone, where that is a leaf."""
BACKWARD = "__backward_"
"""How the names of graphs begin by which TensorFlow differentiates a function."""
_OWN = "_gradient_op_type"
"""The attribute of an op that has a gradient of its own."""
PLACEHOLDER = "Placeholder"
CALLS = frozenset(("PartitionedCall", "StatefulPartitionedCall"))
"""Ops that call a function."""
_NOT_AGAIN = CALLS | {"If", "StatelessIf", "While", "StatelessWhile", "Case", "EagerPyFunc", "PyFunc"}
"""Ops to which TensorFlow adds results when it differentiates them, and those that call Python."""


class UnknownGradientError(Exception):
    """It is not known which gradient the ops of a graph compute."""


class OtherOpError(Exception):
    """What a gradient function has added is not what the graph has."""


class CopiedGraph(FuncGraph):  # type: ignore[misc]
    """The ops of a graph once more: `own` by the ids of what they make there, `theirs` by the ids here."""

    def __init__(self, original: Any) -> None:
        super().__init__(original.name)
        self._original = original
        self.own: dict[int, Any] = {}
        self.theirs: dict[int, Any] = {}
        self.awaited: list[Any] | None = None
        self._tied: list[tuple[int, int]] = []

    def copy(self, op: Any) -> Any:
        """Add an op of that graph."""
        inputs = [self.own.get(each._id) for each in op.inputs]
        if any(each is None for each in inputs):  # of an op that got more inputs when it was differentiated
            raise UnknownGradientError
        added = super()._create_op_internal(
            op.type, inputs, [each.dtype for each in op.outputs], attrs=_attrs(op), op_def=op.op_def
        )
        self._tie(op, added)
        for each, own in zip(op.outputs, added.outputs, strict=True):
            own.set_shape(each.shape)
        return added

    def graph_called_by(self, op: Any) -> Any:
        """The graph of the function that an op calls; None if it is not known."""
        function = self._original._get_function(op.get_attr("f").name)
        return function.graph if function is not None else None

    def next_call(self, sums: Sequence[Any]) -> tuple[Any, list[Any]]:
        """Add the op that is awaited next, which calls the function that differentiates another one, of these sums.

        Returns:
            The op of the graph, and what it gives for each input of that other function.
        """
        op, *awaited = self.awaited or [None]
        differentiates = self.graph_called_by(op) if op is not None and op.type in CALLS else None
        if op is None or differentiates is None or not differentiates.name.startswith(BACKWARD):
            raise OtherOpError
        inputs = {id(self.own.get(each._id)) for each in op.inputs}
        if any(id(each) not in inputs for each in sums):
            raise OtherOpError
        self.awaited = None
        added = iter(self.copy(op).outputs)
        self.awaited = awaited
        structure = differentiates.structured_outputs
        flat = [None if each is None else next(added) for each in nest.flatten(structure, expand_composites=True)]
        return op, list(nest.pack_sequence_as(structure, flat, expand_composites=True))

    def _create_op_internal(self, op_type: Any, inputs: Any, *args: Any, **more: Any) -> Any:
        added = super()._create_op_internal(op_type, [self.own.get(each._id, each) for each in inputs], *args, **more)
        if self.awaited is not None:
            self._meet(added)
        return added

    def _meet(self, added: Any) -> None:
        awaited: Any = self.awaited
        for at, op in enumerate(awaited):
            if self._is_same(added, op):
                del awaited[at]
                self._tie(op, added)
                return
            if added.type != _SUM:
                break
        if added.type != _SUM:
            raise OtherOpError

    def _tie(self, op: Any, added: Any) -> None:
        for each, own in zip(op.outputs, added.outputs, strict=True):
            self.own[each._id], self.theirs[own._id] = own, each
            self._tied.append((each._id, own._id))
            handle_data_util.copy_handle_data(each, own)

    def _is_same(self, added: Any, op: Any) -> bool:
        if added.type != op.type or len(added.inputs) != len(op.inputs):
            return False
        if any(self.own.get(theirs._id) is not own for theirs, own in zip(op.inputs, added.inputs, strict=True)):
            return False
        return _attrs(added) == _attrs(op)

    def begin(self, awaited: Sequence[Any]) -> None:
        """From here on these are the ops that gradient functions are to add."""
        self.awaited, self._tied = list(awaited), []

    def give_up(self) -> None:
        """They have not."""
        for theirs, own in self._tied:
            del self.own[theirs], self.theirs[own]
        self.awaited = None

    def known(self, symbol: Any) -> Any:
        """What the graph has for something here; that itself if it has nothing."""
        if isinstance(symbol, IndexedSlices):
            parts = (symbol.values, symbol.indices, symbol.dense_shape)
            return IndexedSlices(*[None if each is None else self.known(each) for each in parts])
        return symbol if symbol is None else self.theirs.get(symbol._id, symbol)


@contextmanager
def copied_inputs_of(graph: Any) -> Iterator[CopiedGraph]:
    """A block in which ops are added that are to be those of a graph, whose inputs are there already."""
    with ops.init_scope():
        copied = CopiedGraph(graph)
    added = graph.get_operations()
    with copied.as_default():
        for op in added:
            if op.type == PLACEHOLDER:
                copied.copy(op)
        copied.begin([op for op in added if op.type != PLACEHOLDER])
        yield copied


def is_not_again(op: Any) -> bool:
    """Whether an op cannot be differentiated again without an effect: on the op, or by Python of the program's."""
    own = own_gradient(op)
    return op.type in _NOT_AGAIN or (own.is_users if own is not None else _has_users_gradient(op.type))


def _has_users_gradient(kind: str) -> bool:
    """Whether the program has registered the gradient of a kind of ops."""
    try:
        code = code_of(ops._gradient_registry.lookup(kind))
    except LookupError:
        return False
    return code is not None and not is_library(code.co_filename)


class OwnGradient(NamedTuple):
    """The gradient of an op that stands for a function with its own: of so many `results`."""

    name: str
    results: int
    is_users: bool
    pull: Any


def own_gradient(op: Any) -> OwnGradient | None:
    """The gradient of an op by which a function with its own is in a graph; None of any other op."""
    if _OWN not in op.node_def.attr:
        return None
    registered = ops._gradient_registry.lookup(op.get_attr(_OWN).decode())
    inner = _captured(registered).get("tape_grad_fn")
    about = _captured(inner)
    rule, results = about.get("grad_fn"), about.get("flat_result_len")
    code = code_of(rule)
    if code is None or not isinstance(results, int):
        return OwnGradient(op.type, len(op.outputs), True, registered)
    outer = code.co_qualname.split(".<locals>")[0].rpartition(".")[2]
    return OwnGradient(outer, results, not is_library(code.co_filename), registered)


def _captured(function: Any) -> dict[str, Any]:
    """What a function knows of the one around it, by its names there."""
    code = code_of(function)
    cells = getattr(function, "__closure__", None) or ()
    return (
        {} if code is None else {name: cell.cell_contents for name, cell in zip(code.co_freevars, cells, strict=True)}
    )


def _attrs(op: Any) -> dict[str, Any]:
    return {name: each for name, each in op.node_def.attr.items() if not name.startswith("_")}
