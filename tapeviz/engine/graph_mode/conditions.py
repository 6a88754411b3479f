"""A tensor as a condition in a graph -> TensorFlow's error if its ops for branches and loops do not take it."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from tapeviz.engine.graph_mode.building import FuncGraph
from tapeviz.errors import InvalidArgumentError

_STATEMENTS = (ast.If, ast.While)
"""The statements whose condition AutoGraph checks."""
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
    name = graph.name_of(tensor._id) or "the tensor"
    advice = "of several, use tf.reduce_any or tf.reduce_all" if is_bool else "compare it with a number, as in `x > 0`"
    given = f"{name} is {tensor.dtype.name} of shape {tensor.shape}"
    said = f"A condition in a graph is one truth value, but {given}: {advice}."
    raise TypeError(said) if negated and not is_bool else ValueError(said)


def require_scalar(shape: Iterable[int]) -> None:
    """Raise the error of `tf.cond` in a graph unless a condition of this shape has one element."""
    if lengths := [each for each in shape if each != 1]:
        raise InvalidArgumentError(
            f"A condition in a graph is one truth value, not of shape {lengths}: use tf.reduce_any or tf.reduce_all.",
            at_run=True,
        )
