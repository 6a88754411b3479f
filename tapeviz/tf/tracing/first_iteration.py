"""A loop over tensors in a graph, before its first iteration -> the error that TensorFlow raises while it builds it.

TensorFlow makes tensors of the Python numbers that a loop changes: after `total = 0`, the body has an int32 tensor. So
one iteration runs before, as a dry run, with tensors in place of numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from types import FrameType
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.tf.tracing.outcomes import outcome

_ELEMENT = "_tapeviz_element_"
"""The name of the element of the iterable, of which the target of a `for` is assigned."""
_NUMBERS = (bool, int, float)


def try_iteration(loop: ast.For | ast.While, frame: FrameType, names: Iterable[str], part: Any = None) -> None:
    """Run one iteration of a loop without effect, with tensors in place of Python numbers.

    Args:
        loop: the statement.
        frame: the frame that is at this statement.
        names: the names that the loop changes.
        part: for a `for`, the element of this iteration.

    Raises:
        Exception: what the body raises.
    """
    held = {each: frame.f_locals[each] for each in names if each in frame.f_locals}
    given = {name: nest.map_structure(_of_graph, value) for name, value in held.items() if _has_numbers(value)}
    if not given or not _is_over_tensor(loop):
        return
    block = loop.body
    if isinstance(loop, ast.For):
        element = ast.copy_location(ast.Name(_ELEMENT, ast.Load()), loop.target)
        block = [ast.copy_location(ast.Assign([loop.target], element), loop), *block]
        given[_ELEMENT] = part
    outcome(block, frame, given)


def _is_over_tensor(loop: ast.For | ast.While) -> bool:
    """Whether the elements of a `for` are those of a tensor itself, not those of `enumerate(x)` or the like."""
    return isinstance(loop, ast.While) or not (isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Name))


def _has_numbers(value: Any) -> bool:
    return any(type(each) in _NUMBERS for each in nest.flatten(value))


def _of_graph(value: Any) -> Any:
    return convert_to_tensor(value) if type(value) in _NUMBERS else value
