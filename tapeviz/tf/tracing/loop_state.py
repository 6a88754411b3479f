"""A loop over tensors in a graph -> TensorFlow's error if a name changes its dtype or shape in it, or has no value.

TensorFlow compares the value of a name before the loop with that after one iteration: as a graph, all are alike. If a
name has no value before the loop, or None, a loop over a dataset raises an error; any other one must run at least once.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from types import CodeType, FrameType
from typing import Any, TypeAlias

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.specs.dtypes import of_numpy
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.errors import InvalidArgumentError
from tapeviz.events.program.autograph import blocks_around
from tapeviz.events.program.flow import bound, is_read_first

_PLAIN = {bool: "bool", int: "int32", float: "float32", str: "string"}
_SHAPED = "Use tf.autograph.experimental.set_loop_options to set shape invariants."


@dataclass(frozen=True, slots=True)
class Kind:
    """What a graph knows of a value: its dtype and its shape.

    The dtype is None if the value cannot become a tensor, the shape is None if it may be unknown.
    """

    dtype: str | None
    shape: TensorShape | None


State: TypeAlias = Mapping[str, Any]
"""The kinds of the values of the names that a loop changes, in the structures of the values."""


def state_of(loop: ast.For | ast.While, frame: FrameType, shapes: bool) -> State:
    """The kinds of the values of names that a loop changes and that are read later. `shapes` is that of `kind_of`."""
    names = [each for each in _carried(loop, frame.f_code) if each in frame.f_locals and each in bound(loop.body)]
    vary = _of_invariants(loop)
    return {
        each: nest.map_structure(partial(kind_of, shapes=shapes and each not in vary), frame.f_locals[each])
        for each in names
    }


@lru_cache(maxsize=1024)
def _of_invariants(loop: ast.For | ast.While) -> set[str]:
    """The names for which `set_loop_options`, in the body of a loop, says which shapes they may have."""
    calls = [each.value for each in loop.body if isinstance(each, ast.Expr) and isinstance(each.value, ast.Call)]
    said = [
        option.value
        for call in calls
        if ast.unparse(call.func).endswith("set_loop_options")
        for option in call.keywords
        if option.arg == "shape_invariants"
    ]
    return {each.id for invariants in said for each in ast.walk(invariants) if isinstance(each, ast.Name)}


@lru_cache(maxsize=1024)
def _carried(loop: ast.For | ast.While, code: CodeType) -> list[str]:
    """The local names that a loop binds and that are read before that in a later iteration, or behind the loop."""
    rest = [[loop], *(part for each, behind in blocks_around(code, loop) for part in (behind, [each]))]
    own = bound([loop]).intersection((*code.co_varnames, *code.co_cellvars, *code.co_freevars))
    return [each for each in sorted(own) if is_read_first(each, rest)]


def require_values(loop: ast.For, frame: FrameType) -> None:
    """Raise ValueError unless all names that a loop over a dataset carries have values before it."""
    for name in _carried(loop, frame.f_code):
        if name not in frame.f_locals:
            raise ValueError(f"'{name}' must be defined before the loop")
        if frame.f_locals[name] is None:
            raise ValueError(f"'{name}' is not allowed to be None before the loop")


def require_iteration(loop: ast.For | ast.While, frame: FrameType) -> None:
    """Raise InvalidArgumentError for a loop that has run no iteration, if a name that its body sets has no value."""
    names = [each for each in _carried(loop, frame.f_code) if each in bound(loop.body)]
    missing = [each for each in names if frame.f_locals.get(each) is None]
    if missing:
        raise InvalidArgumentError(
            f"assertion failed: [loop must iterate at least once to initialize {', '.join(missing)}]", at_run=True
        )


def require_same(state: State, frame: FrameType) -> None:
    """Check that names have values of the same kinds after an iteration as before the loop.

    Raises:
        TypeError: a value has another dtype or structure.
        ValueError: a value has another shape.
    """
    for name, before in state.items():
        if name not in frame.f_locals:
            continue
        now = frame.f_locals[name]
        try:
            nest.assert_same_structure(before, now)
        except (TypeError, ValueError) as error:
            raise TypeError(
                f"'{name}' does not have the same nested structure after one iteration.\n\n{error}"
            ) from None
        for had, leaf in zip(nest.flatten(before), nest.flatten(now), strict=True):
            has = Kind(dtype_of(leaf), getattr(leaf, "shape", None))
            if None not in (had.dtype, has.dtype) and had.dtype != has.dtype:
                told = f"has dtype {had.dtype} before the loop, but dtype {has.dtype} after one iteration"
                raise TypeError(f"'{name}' {told}")
            if None not in (had.shape, has.shape) and had.shape != has.shape:
                told = f"has shape {had.shape} before the loop, but shape {has.shape} after one iteration"
                raise ValueError(f"'{name}' {told}. {_SHAPED}")


def dtype_of(value: Any) -> str | None:
    """The dtype of a value as a tensor; None if it cannot become one."""
    if isinstance(value, np.ndarray):
        return of_numpy(value.dtype).name
    return value._dtype.name if isinstance(value, TensorLike) else _PLAIN.get(type(value))


def kind_of(value: Any, shapes: bool) -> Kind:
    """What a graph knows of a value. `shapes` says whether it knows the shapes of its arguments."""
    graph, shape = in_graph.get(), None
    if isinstance(value, TensorLike):
        known = shapes and graph is not None and graph.knows_shape(value._id, value._role)
        shape = value.shape if known else None
    return Kind(dtype_of(value), shape)
