"""A tensor as a condition in a graph -> TensorFlow's error if its ops for branches and loops do not take it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from tapeviz.engine.graph_mode.building import FuncGraph
from tapeviz.errors import InvalidArgumentError

_STATEMENTS: dict[type[ast.AST], str] = {ast.If: "if statement", ast.While: "while loop"}
"""The statements whose condition AutoGraph checks, and their names in its errors."""
_EXPRESSIONS = (ast.IfExp, ast.BoolOp)
"""The expressions of which AutoGraph makes a `tf.cond` without a check."""


def require_condition(tensor: Any, construct: type[ast.AST], negated: bool, graph: FuncGraph) -> None:
    """Check that AutoGraph's op for a statement or expression accepts a tensor as its condition.

    Args:
        tensor: the condition.
        construct: the kind of construct, such as `ast.If`.
        negated: whether `not` stands before it.
        graph: the graph.

    Raises:
        TypeError: it is not a boolean, and is negated.
        ValueError: it is not a boolean, or it has several elements, in a statement.
        InvalidArgumentError: it has several elements, in an expression.
    """
    is_bool = tensor.dtype.is_bool
    if is_bool and construct in _EXPRESSIONS:
        require_scalar(tensor.shape)
    if is_bool and not (construct in _STATEMENTS and tensor._value.size > 1):
        return
    if negated and not is_bool:
        said = f"Input 'x' of 'LogicalNot' Op has type {tensor.dtype.name} that does not match expected type of bool."
        raise TypeError(f"{said} Of numbers, use `x == 0` in place of `not x`.")
    name = graph.name_of(tensor._id)
    named = f'"{name}", ' if name else ""
    advice = "" if is_bool else "to use as boolean Tensor, use `tf.cast`; "
    raise ValueError(
        f"condition of {_STATEMENTS.get(construct, 'if statement')} expected to be `tf.bool` scalar, got "
        f"Tensor({named}shape={tensor.shape}, dtype={tensor.dtype.name}); {advice}to check for None, use `is not None`"
    )


def require_scalar(shape: Iterable[int]) -> None:
    """Raise the error of `tf.cond` in a graph unless a condition of this shape has one element."""
    if lengths := [each for each in shape if each != 1]:
        said = f"The second input must be a scalar, but it has shape [{','.join(map(str, lengths))}]"
        raise InvalidArgumentError(
            f"{said}: of a condition with axes, use tf.reduce_any or tf.reduce_all.", at_run=True
        )
