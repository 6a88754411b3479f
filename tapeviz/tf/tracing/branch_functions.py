"""The functions of a `tf.cond` or `tf.switch_case` in a graph -> TensorFlow's error if their results are not alike.

TensorFlow builds the graphs of all of them, while here only one runs. So there is a dry run of each before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from tapeviz.engine import nest
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.tf.tracing.outcomes import outcome_of


class BranchOp(NamedTuple):
    """An op that calls one of several functions, and its names in TensorFlow's errors."""

    name: str
    scope: str
    short: str
    role: Callable[[int], str]


COND = BranchOp("tf.cond", "cond", "cond", lambda index: ("true_fn", "false_fn")[index])
SWITCH_CASE = BranchOp("tf.switch_case", "switch_case/indexed_case", "case", lambda index: f"branches[{index}]")


class Output:
    """A result of a branch, as errors show it. Its name is right if the op is the first of its kind in the graph."""

    def __init__(self, scope: str, index: int, tensor: Tensor) -> None:
        self._name = f"{scope}/Identity{f'_{index}' if index else ''}:0"
        self.shape: TensorShape = tensor.shape
        self.dtype: str = tensor.dtype.name

    def __str__(self) -> str:
        return f'Tensor("{self._name}", shape={self.shape}, dtype={self.dtype})'

    def __repr__(self) -> str:
        return f"<tf.Tensor {self._name!r} shape={self.shape} dtype={self.dtype}>"


Output.__name__ = Output.__qualname__ = "SymbolicTensor"


def try_functions(op: BranchOp, branches: Sequence[Callable[[], Any]]) -> None:
    """Check by dry runs that the results of the functions of a `tf.cond` or `tf.switch_case` are alike.

    Raises:
        AssertionError: one returns more values than another.
        ValueError: one returns None where another returns a tensor.
        TypeError: the results have different structures or dtypes.
        Exception: any error of a function.
    """
    found = [outcome_of(each) for each in branches]
    shown = [None if each is None else _shown(op, each.value) for each in found]
    first = shown[0]
    if first is None:
        return
    known = [(index, each) for index, each in enumerate(shown) if each is not None]
    counts = [len(each) for _, (_, each) in known]
    if len({*counts}) > 1:
        raise AssertionError(counts)
    for index, other in known[1:]:
        _require_alike(op, first, other, index)


def _require_alike(op: BranchOp, first: tuple[Any, list[Any]], other: tuple[Any, list[Any]], index: int) -> None:
    (main, leaves), (found, others) = first, other
    try:
        nest.assert_same_structure(main, found)
    except (TypeError, ValueError) as error:
        raise _unlike(op, main, found, index, str(error)) from None
    lengths = [sum(each is not None for each in part) for part in (leaves, others)]
    if lengths[0] != lengths[1]:
        raise ValueError(
            f"Lengths of branch outputs of {op.short} must match.\n"
            f"len(graphs[0].outputs): {lengths[0]}\nlen(graphs[{index}].outputs): {lengths[1]}\n"
        )
    tensors = [[each for each in part if each is not None] for part in (leaves, others)]
    for one, another in zip(*tensors, strict=True):
        if one.dtype != another.dtype:
            raise _unlike(op, main, found, index, f"{one} and {another} have different types")


def _unlike(op: BranchOp, main: Any, other: Any, index: int, detail: str) -> TypeError:
    one, another = op.role(0), op.role(index)
    return TypeError(
        f"{one} and {another} arguments to {op.name} must have the same number, type, and overall structure of return "
        f"values.\n\n{one} output: {main}\n{another} output: {other}\n\nError details:\n{detail}"
    )


def _shown(op: BranchOp, value: Any) -> tuple[Any, list[Any]] | None:
    """A result as errors show it, and its leaves; None if something in it is no tensor, nor can become one."""
    leaves: list[Any] = []
    for leaf in nest.flatten(value):
        if leaf is None:
            leaves.append(None)
            continue
        try:
            tensor = convert_to_tensor(leaf)
        except (TypeError, ValueError):
            return None
        leaves.append(Output(op.scope, sum(each is not None for each in leaves), tensor))
    return nest.pack_sequence_as(value, leaves), leaves
