"""A traced graph, and what a call of it was given -> the values of all its tensors, computed again op by op.

Variables stand for those of the program, so that what the graph writes is of no effect on these. What would have
an effect of another kind, or draws numbers that cannot be drawn again, does not run: what depends on it is not known.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from tensorflow.python.eager import context, execute
from tensorflow.python.framework import constant_op, op_def_registry, tensor_util
from tensorflow.python.framework.ops import EagerTensor
from tensorflow.python.ops import resource_variable_ops

from tapeviz.recorders.tensorflow.values import enum_of, is_numeric

_NOTHING = frozenset(("Placeholder", "NoOp", "Assert", "AssertV2"))
_CALLS = frozenset(("StatefulPartitionedCall", "If", "While", "Case"))
_OF_VARIABLES = frozenset(
    (
        *("ReadVariableOp", "AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp", "VarIsInitializedOp"),
        *("VariableShape", "DisableCopyOnRead", "RngReadAndSkip", "RngSkip", "_ReadVariablesOp"),
    )
)
"""Ops that have an effect on variables alone, beside those whose names begin so:"""
_ON_RESOURCES = ("Resource", "Stateful")
TAKERS = frozenset(("IteratorGetNext", "IteratorGetNextAsOptional"))
"""Ops that take an element of an iterator, their input."""
_TABLES = frozenset(("LookupTableFindV2", "LookupTableSizeV2"))
ONLY_READ = frozenset(("ReadVariableOp", "VariableShape", "VarIsInitializedOp", "DisableCopyOnRead", "ResourceGather"))
"""Ops that leave a variable as it is."""
MOST_ROUNDS = 1000
MOST_BYTES = 1 << 28
"""How many rounds of a loop are computed one by one, and about how much of what they compute is kept."""
AT_FIRST = ""
"""In the place of the name of an op: before all of them."""


class GraphValues:
    """What was computed: `values` by the ids of symbols, variables `after` an op that wrote them, and `inner` runs.

    What variables hold before all ops is there as after one that has no name.
    """

    def __init__(self) -> None:
        self.values: dict[int, Any] = {}
        self.after: dict[tuple[str, int], Any] = {}
        self.inner: dict[str, GraphValues] = {}
        self.rounds: dict[str, list[tuple[Any, GraphValues]]] = {}
        """The templates of the branches that were taken, or of the bodies of a loop, with their runs, by their ops."""
        self.cut: set[str] = set()
        """The loops whose last rounds were computed together."""
        self.finally_: dict[int, Any] = {}
        """What variables hold at the end, by the numbers of their handles."""

    @property
    def nbytes(self) -> int:
        """What the values take."""
        known = [each for each in self.values.values() if isinstance(each, EagerTensor) and is_numeric(enum_of(each))]
        own: int = sum(each.dtype.size * math.prod(each.shape) for each in known)
        return own + sum(each.nbytes for each in self.inner.values())

    def of(self, symbol: Any) -> Any:
        """The value that a symbol stands for; None where it is not known."""
        if hasattr(symbol, "op") and isinstance(symbol.op, str):
            return self.after.get((symbol.op, symbol.handle._id))
        return self.values.get(symbol._id)

    def of_either(self, tensor: Any) -> Any:
        """The value of a symbol; a tensor that has one is its own."""
        return tensor if isinstance(tensor, EagerTensor) else self.of(tensor)


class Variables:
    """Variables in the place of the program's, by the numbers of their handles."""

    def __init__(self) -> None:
        self._standing: dict[int, Any] = {}
        self.iterators: dict[int, Any] = {}
        """Iterators over what the program's have given, by the numbers of the handles of these."""
        self.spoiled: set[int] = set()
        """The handles of those of which it is not known what they hold."""

    def stand_for(self, handle: Any, value: Any) -> None:
        """A variable of the program's held this value; None if it is not known."""
        if handle._id in self._standing or handle._id in self.spoiled:
            return
        if value is None:
            self.spoiled.add(handle._id)
            return
        self._standing[handle._id] = resource_variable_ops.ResourceVariable(value, trainable=False)

    def values(self) -> dict[int, Any]:
        """What they hold now, by the numbers of the program's handles."""
        known = self._standing.keys() - self.spoiled
        return {number: self._standing[number].read_value() for number in known}

    def handle(self, handle: Any) -> Any:
        """The handle to use; None where the variable is not known."""
        found = self._standing.get(handle._id)
        return found.handle if found is not None else self.iterators.get(handle._id)

    def value(self, handle: Any) -> Any:
        """What a variable holds now."""
        if handle._id in self.spoiled or handle._id not in self._standing:
            return None
        return self._standing[handle._id].read_value()


def run_again(
    template: Any, arguments: Sequence[Any], variables: Variables, fed: Mapping[str, Sequence[Any]]
) -> GraphValues:
    """Compute a graph of a template again: `arguments` are its inputs, the program's own handles among them.

    `fed` has the results of ops that cannot run again, by their names.
    """
    run, graph = GraphValues(), template.graph
    callees = template.callees
    handles: dict[int, Any] = {}
    run.after.update({(AT_FIRST, number): value for number, value in variables.values().items()})
    for symbol, each in zip(template.inputs, arguments, strict=True):
        run.values[symbol._id] = each
        if each is not None and symbol.dtype.name == "resource":
            handles[symbol._id] = each
    for op in _in_turn(graph):
        kind = op.type
        if kind in _NOTHING:
            continue
        if kind == "Const":
            run.values[op.outputs[0]._id] = _constant(op)
        elif op.name in fed:
            for symbol, each in zip(op.outputs, fed[op.name], strict=True):
                run.values[symbol._id] = each
        elif op.name in template.branches and template.branches[op.name].are_as_traced:
            _branch(template.branches[op.name], run, handles, variables)
        elif op.name in callees:
            inputs = [run.values.get(each._id) for each in op.inputs]
            inner = run.inner[op.name] = run_again(callees[op.name], inputs, variables, {})
            for symbol, each in zip(op.outputs, callees[op.name].graph.outputs, strict=False):
                run.values[symbol._id] = inner.values.get(each._id)
            for handle in [handles[each._id] for each in op.inputs if each._id in handles]:
                run.after[op.name, handle._id] = variables.value(handle)
        else:
            _step(op, run, handles, variables)
    run.finally_ = variables.values()
    return run


def _branch(branches: Any, run: GraphValues, handles: dict[int, Any], variables: Variables) -> None:
    """An op that runs a branch, or a loop."""
    op, (first, other) = branches.op, branches.graphs
    state: list[Any] = [run.values.get(each._id) for each in op.inputs]
    rounds: list[tuple[Any, GraphValues]] = []
    if branches.is_loop:
        goes_on, left = _truth_of(_round(first, state, variables, [])), MOST_BYTES
        while goes_on and len(rounds) < MOST_ROUNDS and left > 0:
            state = _round(other, state, variables, rounds)
            left -= rounds[-1][1].nbytes
            goes_on = _truth_of(_round(first, state, variables, []))
        is_known = goes_on is not None
        if goes_on:
            run.cut.add(op.name)
            run.rounds[op.name] = rounds
            _step(op, run, handles, variables, state)
            return
    else:
        taken = _truth_of(state)
        is_known = taken is not None
        state = _round(first if taken else other, state[1:], variables, rounds) if is_known else []
    if is_known:
        run.rounds[op.name] = rounds
        run.values.update({symbol._id: each for symbol, each in zip(op.outputs, state, strict=False)})
    for handle in [handles[each._id] for each in op.inputs if each._id in handles]:
        if not is_known:
            variables.spoiled.add(handle._id)
        run.after[op.name, handle._id] = variables.value(handle)


def _round(template: Any, state: list[Any], variables: Variables, rounds: list[tuple[Any, GraphValues]]) -> list[Any]:
    """What a branch gives, whose run is added to the `rounds`."""
    inner = run_again(template, state, variables, {})
    rounds.append((template, inner))
    return [inner.values.get(each._id) for each in template.graph.outputs]


def _truth_of(values: list[Any]) -> bool | None:
    """Whether the first of some values is true; None where it is not known."""
    return bool(values[0]) if values and isinstance(values[0], EagerTensor) else None


def _in_turn(graph: Any) -> list[Any]:
    """The ops as they were added, each after what it reads: a loop that is differentiated gets more inputs later."""
    found: dict[Any, None] = {}
    added = graph.get_operations()
    for op in added:
        waiting = [op]
        while waiting:
            missing = [each.op for each in waiting[-1].inputs if each.op not in found]
            if missing and len(waiting) <= len(added):
                waiting.append(missing[0])
            else:
                found[waiting.pop()] = None
    return list(found)


def _step(
    op: Any, run: GraphValues, handles: dict[int, Any], variables: Variables, inputs: Sequence[Any] | None = None
) -> None:
    """One op, with what the graph has for its inputs, or with what is given for them."""
    values = [run.values.get(each._id) for each in op.inputs] if inputs is None else inputs
    known: list[Any] = []
    named: list[Any] = []
    is_known = is_repeatable(op.type, op.node_def, op.op_def) or op.type in TAKERS
    for each, value in zip(op.inputs, values, strict=True):
        if each._id in handles:
            named.append(handles[each._id])
            if handles[each._id]._id in variables.spoiled and op.type != "AssignVariableOp":
                is_known = False
            elif op.type not in _TABLES:
                value = variables.handle(handles[each._id])
        is_known = is_known and value is not None
        known.append(value)
    if is_known:
        try:
            outputs = execute.quick_execute(op.type, len(op.outputs), known, attrs_of(op), context.context())
        except Exception:  # what cannot run here does not
            is_known = False
        else:
            for symbol, each in zip(op.outputs, outputs or (), strict=False):
                run.values[symbol._id] = each
    if op.type in ONLY_READ:
        return
    for each in named:
        if not is_known:
            variables.spoiled.add(each._id)
        run.after[op.name, each._id] = variables.value(each)


def _constant(op: Any) -> Any:
    value = tensor_util.constant_value(op.outputs[0])
    return None if value is None else constant_op.constant(value, op.outputs[0].dtype)


def is_repeatable(kind: str, node: Any, definition: Any) -> bool:
    """Whether an op can run again: it has no effect but on variables, and draws no numbers of its own."""
    if kind in _TABLES or kind in _OF_VARIABLES:
        return True
    functions = [each.func.name for each in node.attr.values() if each.WhichOneof("value") == "func"]
    if functions:
        return all(map(_is_repeatable_function, functions))
    return not definition.is_stateful or (kind.startswith(_ON_RESOURCES) and kind not in _CALLS)


def _is_repeatable_function(name: str) -> bool:
    if not context.context().has_function(name):
        return False
    for node in context.context().get_function_def(name).node_def:
        definition = op_def_registry.get(node.op)
        if node.op in _NOTHING:
            continue
        if definition is None or not is_repeatable(node.op, node, definition):
            return False
    return True


def attrs_of(op: Any) -> tuple[Any, ...]:
    """The attributes of an op in a graph, in the form in which one that runs is given them."""
    found: list[Any] = []
    for name, value in op.node_def.attr.items():
        if not name.startswith("_"):
            found += (name, _attr(value))
    return tuple(found)


def _attr(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind == "list":
        parts = next((list(each) for _, each in value.list.ListFields()), [])
        is_shape, is_function = bool(value.list.shape), bool(value.list.func)
        return [_shape(each) if is_shape else (each.name if is_function else each) for each in parts]
    if kind == "shape":
        return _shape(value.shape)
    return value.func.name if kind == "func" else getattr(value, kind)


def _shape(shape: Any) -> Any:
    return None if shape.unknown_rank else [each.size if each.size >= 0 else None for each in shape.dim]
