"""The name of a TensorFlow op -> the name, arguments and attributes that the catalog has for it.

Inputs and attributes that its row does not name are dropped. An op without a row keeps its name and all its inputs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from tapeviz.phrases import COMPILED
from tapeviz.recorders.signatures import OpSignature, in_catalogs_order
from tapeviz.recorders.tensorflow.table import ROWS

WRITES = {
    "AssignVariableOp": "assign",
    "AssignAddVariableOp": "assign_add",
    "AssignSubVariableOp": "assign_sub",
    "ResourceStridedSliceAssign": "assign",
    "ResourceScatterUpdate": "scatter_update",
    "ResourceScatterAdd": "scatter_add",
    "ResourceScatterSub": "scatter_sub",
    "ResourceScatterMul": "scatter_mul",
    "ResourceScatterDiv": "scatter_div",
    "ResourceScatterMin": "scatter_min",
    "ResourceScatterMax": "scatter_max",
    "ResourceScatterNdUpdate": "scatter_nd_update",
    "ResourceScatterNdAdd": "scatter_nd_add",
    "ResourceScatterNdSub": "scatter_nd_sub",
    "ResourceScatterNdMin": "scatter_nd_min",
    "ResourceScatterNdMax": "scatter_nd_max",
}
"""Ops that write a variable, their first input, with their last: how the user spells it."""

MADE_OF_NOTHING = frozenset(
    (
        *("Fill", "Range", "LinSpace", "Const", "RandomStandardNormal", "RandomUniform", "RandomUniformInt"),
        *("TruncatedNormal", "StatelessRandomGetKeyCounter", "StatelessRandomUniformV2", "StatelessRandomNormalV2"),
        *("StatelessTruncatedNormalV2", "StatelessRandomUniformIntV2", "RngReadAndSkip", "RandomShuffle"),
    )
)
"""Ops that make data: with nothing but numbers going in, what comes out is a leaf."""

MEASURES = frozenset(("Shape", "ShapeN", "Size", "Rank", "BroadcastGradientArgs", "BroadcastArgs"))
"""Ops that read no element of their input; TensorFlow runs them in between to find out shapes."""


@dataclass(frozen=True)
class Form:
    """How an op of TensorFlow is written into the log.

    Attributes:
        name: its name in the catalog.
        arguments: the indices of the inputs that are arguments there, in the catalog's order.
        attributes: the indices of the inputs that are attributes there, and their names.
        attrs: the attributes of TensorFlow's op that are logged, and their names in the catalog.
    """

    name: str
    arguments: tuple[int, ...]
    attributes: tuple[tuple[int, str], ...]
    attrs: tuple[tuple[str, str], ...]


_forms: dict[tuple[str, int], Form] = {}


def form_of_function(name: str, inputs: int) -> Form:
    """The form of a function with this number of inputs, which may have the name of an op without being that."""
    return Form(_name_without_row(name), tuple(range(inputs)), (), ())


def form_of(op: str, inputs: int) -> Form:
    """The form of an op with this number of inputs.

    >>> form_of("AddV2", 2).name, form_of("Sum", 2).attributes
    ('add', ((1, 'axis'),))
    """
    found = _forms.get((op, inputs))
    if found is None:
        signature = ROWS.get(op)
        found = _form(signature, inputs) if signature is not None else form_of_function(op, inputs)
        _forms[op, inputs] = found
    return found


def _form(signature: OpSignature, inputs: int) -> Form:
    """The form of an op that has so many inputs."""
    operands: list[tuple[str, int]] = []
    attributes: list[tuple[int, str]] = []
    for index, word in enumerate(signature.words(inputs)):
        if word.attribute is None:
            operands.append((word.own, index))
        else:
            attributes.append((index, word.attribute))
    order = in_catalogs_order(signature.name, [own for own, _ in operands])
    return Form(signature.name, tuple(operands[at][1] for at in order), tuple(attributes), signature.settings)


FORWARD = "__forward_"
"""The prefix of the name of a compiled function's graph that a tape follows; others begin with `__inference_`."""
_GRAPH = re.compile(rf"(?:{FORWARD}|__inference_)(\w+?)_\d+")


def _name_without_row(op: str) -> str:
    """The name in the log of an op without a row: its own, or for a compiled function one that says so.

    >>> _name_without_row("__inference_train_step_123"), _name_without_row("Bucketize")
    ('train_step (compiled, one node)', 'Bucketize')
    """
    graph = _GRAPH.fullmatch(op)
    return f"{graph[1]}{COMPILED}" if graph else op


@cache
def is_write(op: str) -> bool:
    """Whether an op writes a variable, its first input."""
    return op in WRITES or op.startswith("ResourceApply")
