"""A loop over tensors in a graph, before its first turn -> TensorFlow's error for a turn, if its numbers do not fit.

TensorFlow makes tensors of the Python numbers that a loop changes: `total = 0` is an int32 from the first turn on. So a
turn with tensors is tried, if the body is as plain as most are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from types import FrameType
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.tracing.attempts import outcome
from tapeviz.engine.values.constant import convert_to_tensor

_TURN = "_tapeviz_turn_"
"""What the part is called that a turn of a `for` is for."""
_NUMBERS = (bool, int, float)


def try_turn(loop: ast.For | ast.While, frame: FrameType, names: Iterable[str], part: Any = None) -> None:
    """Try a turn of a loop that changes some names, for a part of what a `for` goes over.

    Raises:
        Exception: what the body raises where these names hold tensors in place of Python's numbers.
    """
    held = {each: frame.f_locals[each] for each in names if each in frame.f_locals}
    given = {name: nest.map_structure(_of_graph, value) for name, value in held.items() if _has_numbers(value)}
    if not given or not _goes_over_parts(loop):
        return
    block = loop.body
    if isinstance(loop, ast.For):
        turn = ast.copy_location(ast.Name(_TURN, ast.Load()), loop.target)
        block = [ast.copy_location(ast.Assign([loop.target], turn), loop), *block]
        given[_TURN] = part
    outcome(block, frame, given)


def _goes_over_parts(loop: ast.For | ast.While) -> bool:
    """Whether a loop surely goes over the parts of a tensor itself, not of `enumerate(x)` or the like."""
    return isinstance(loop, ast.While) or not (isinstance(loop.iter, ast.Call) and isinstance(loop.iter.func, ast.Name))


def _has_numbers(value: Any) -> bool:
    return any(type(each) in _NUMBERS for each in nest.flatten(value))


def _of_graph(value: Any) -> Any:
    return convert_to_tensor(value) if type(value) in _NUMBERS else value
