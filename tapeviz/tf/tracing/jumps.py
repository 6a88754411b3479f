"""A `return` or `break` under a condition that is a tensor -> TensorFlow's error for the loop, at its line."""

from __future__ import annotations

import ast
from collections.abc import Collection
from types import FrameType
from typing import Any

from tapeviz.errors import at_line
from tapeviz.events.program.autograph import blocks_around
from tapeviz.events.program.flow import may_break, may_return

_LOOPS = (ast.For, ast.While)
_MORE = (
    "See https://github.com/tensorflow/tensorflow/blob/master/tensorflow/python/autograph/g3doc/reference/"
    "limitations.md#consistency-of-control-flow-types for more info."
)
_RETURN = (
    "a return statement cannot be placed inside this TensorFlow loop; this may happen if a return statement depends on "
    "a static Python condition such as a hyperparameter"
)
_BREAK_OF_FOR = (
    "break and return statements which depend on a TF condition are not supported in Python for loops. Did you intend "
    f"to make it a TF loop?\n{_MORE}"
)
_BREAK_OF_WHILE = (
    "The condition of while loop started as non-Tensor, then changed to Tensor. This may happen either because "
    "variables changed type, or when a break or return statement inside the loop depends on a Tensor condition. In "
    f"both cases, changing to a TF loop should remove the error.\n{_MORE}"
)


def require_no_jump(construct: ast.If, frame: FrameType, of_tensors: Collection[Any]) -> None:
    """Raise NotImplementedError if an `if` on a tensor leaves a loop that is an op in the graph.

    Args:
        construct: the statement.
        frame: the frame that is at this statement.
        of_tensors: the loops that are ops.
    """
    loop = next((each for each, _ in blocks_around(frame.f_code, construct) if isinstance(each, _LOOPS)), None)
    if loop is None:
        return
    branches = [*construct.body, *construct.orelse]
    if loop in of_tensors and may_return(branches):
        raise at_line(NotImplementedError(_RETURN), loop.lineno)
    if loop not in of_tensors and may_break(branches) and _is_of_python(loop, frame):
        said = _BREAK_OF_FOR if isinstance(loop, ast.For) else _BREAK_OF_WHILE
        raise at_line(NotImplementedError(said), loop.lineno)


def require_no_return(loop: ast.For) -> None:
    """Raise NotImplementedError for a loop over a dataset with a `return` in its body."""
    if may_return(loop.body):
        raise at_line(NotImplementedError(_RETURN), loop.lineno)


def _is_of_python(loop: ast.For | ast.While, frame: FrameType) -> bool:
    """Whether a loop is Python's for sure, not one over a dataset or the like, of which TensorFlow makes an op."""
    if isinstance(loop, ast.While) or isinstance(loop.iter, (ast.List, ast.Tuple)):
        return True
    if isinstance(loop.iter, ast.Name):
        return isinstance(frame.f_locals.get(loop.iter.id), (list, tuple, range))
    return isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Name) and loop.iter.func.id == "range"
