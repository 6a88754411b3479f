"""Loops under TensorFlow's name: `tf.while_loop`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.functions.arguments import rank_of, tensor_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import setting_of
from tapeviz.engine.graph_mode.building import in_graph, truth_of
from tapeviz.engine.graph_mode.loops import looping
from tapeviz.engine.table import OPS
from tapeviz.engine.tensors.mutable import MutableTensor
from tapeviz.tf import random_state
from tapeviz.tf.api.programs.control import spec_of
from tapeviz.tf.api.programs.loop_of_graph import (
    LoopOfGraph,
    of_graph,
    require_truth_value,
)
from tapeviz.tf.api.tensor_array import TensorArray


@export("while_loop")
def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Any,
    shape_invariants: Any = None,
    parallel_iterations: int = 10,
    back_prop: bool = True,
    swap_memory: bool = False,
    maximum_iterations: Any = None,
    name: str | None = None,
) -> Any:
    """Repeat `loop_vars = body(*loop_vars)` as long as `cond(*loop_vars)` is true. A tape records every iteration.

    In a graph the variables are tensors from the first iteration on, and `body` may return a single one without a list.

    Args:
        cond: a function that returns a scalar.
        body: a function that returns the variables after an iteration.
        loop_vars: the variables before the first iteration, a list or another structure.
        shape_invariants: ignored, as are `parallel_iterations`, `back_prop` and `swap_memory`.
        maximum_iterations: after how many iterations the loop ends.

    Returns:
        The variables after the last iteration, as tensors.

    Raises:
        TypeError: `cond` or `body` is not a function, or `body` does not return a list; in a graph, it changes a dtype.
        ValueError: `loop_vars` is empty, or `body` returns another structure.
        InvalidArgumentError: in a graph, `cond` does not return a single boolean.

    >>> import tapeviz as tf
    >>> i, total = tf.while_loop(lambda i, total: i < 4, lambda i, total: (i + 1, total + i), (0, 0))
    >>> int(total)
    6
    """
    for role, each in (("cond", cond), ("body", body)):
        if not callable(each):
            raise TypeError(f"{role!r} of while_loop must be callable: a function of the loop variables.")
    cond, body = random_state.body(cond), random_state.body(body)
    if loop_vars and not hasattr(loop_vars, "__len__"):
        raise TypeError(f"object of type {type(loop_vars).__name__!r} has no len(). In while_loop: give [{loop_vars}].")
    values = nest.map_structure(_read, loop_vars)
    if not values:
        raise ValueError("while_loop needs 'loop_vars': a list of what changes, [i, total].")
    if rank_of(maximum_iterations):
        raise ValueError(f"'maximum_iterations' must be a scalar. Received {maximum_iterations}.")
    most = None if maximum_iterations is None else setting_of(maximum_iterations, "maximum_iterations")
    graph = in_graph.get()
    if graph is None:  # if there is a maximum, TensorFlow has the count as the first variable of the loop
        begun = nest.map_structure(spec_of, list(values) if most is None else [0, values])
        after: Callable[[Any], Any] = partial(_after_turn, begun, most)
    else:
        values = nest.map_structure(of_graph, values)
        after = LoopOfGraph(graph, values).after
    turns = 0
    with looping():
        while (most is None or turns < most) and _holds(cond(*values), most):
            values = after(body(*values))
            turns += 1
    return nest.map_structure(lambda each: each if isinstance(each, TensorArray) else tensor_of(each), values)


def _after_turn(begun: Any, most: int | None, found: Any) -> Any:
    nest.assert_same_structure(begun, list(found) if most is None else [1, found])
    return found


def _holds(condition: Any, most: int | None) -> bool:
    """Whether a loop goes on; if it has a maximum of iterations, its condition must be a boolean.

    Raises:
        TypeError: it is another number, or a text.
        ValueError: it is None.
    """
    if in_graph.get() is not None:
        condition = require_truth_value(tensor_of(condition, None if most is None else "bool"))
    return truth_of(condition if most is None else tensor_of(condition, "bool"))


def _read(value: Any) -> Any:
    """The present value of a variable, which the loop may change; any other value as it is."""
    return OPS["identity"](value) if isinstance(value, MutableTensor) else value
