"""Control flow, as Python runs it, under TensorFlow's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapeviz.engine import nest
from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import int_of
from tapeviz.engine.graph_mode.building import in_graph, truth_of
from tapeviz.engine.graph_mode.conditions import require_scalar
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.errors import InvalidArgumentError
from tapeviz.tf import random_state
from tapeviz.tf.api.programs.contexts import type_spec_from_value
from tapeviz.tf.api.programs.loop_of_graph import (
    is_kept,
    of_graph,
    require_boolean,
)


@export("cond")
def cond(pred: Any, true_fn: Any = None, false_fn: Any = None, name: str | None = None) -> Any:
    """The result of one of two functions. Only that function is called.

    Args:
        pred: a scalar.
        true_fn: the function that is called if it is true.
        false_fn: the function that is called if it is false.

    Raises:
        TypeError: an argument is not a function; in a graph, `pred` is a Python bool.
        ValueError: `pred` is None, empty, or has several elements.
        InvalidArgumentError: in a graph, `pred` is a number or a text, or has several elements.

    >>> import tapeviz as tf
    >>> x = tf.constant(2.0)
    >>> float(tf.cond(x > 1.0, lambda: x, lambda: -x))
    2.0
    """
    if isinstance(pred, bool) and in_graph.get() is not None:
        raise TypeError("pred must not be a Python bool", pred)
    for role, each in (("true_fn", true_fn), ("false_fn", false_fn)):
        if each is None:
            raise TypeError(f"cond(): {role!r} argument required")
    for role, each in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(each):
            raise TypeError(f"{role!r} of cond must be callable: lambda: x.")
    true_fn, false_fn = map(random_state.body, (true_fn, false_fn))
    chosen, graph = tensor_of(pred), in_graph.get()
    if graph is not None:
        require_boolean(chosen)
    if not chosen._value.size:
        raise ValueError(
            "The truth value of an empty array is ambiguous. Use `array.size > 0` to check that an array is not empty. "
            f"In cond, whose condition is {pred!r}."
        )
    if graph is not None:
        require_scalar(chosen.shape)
    return _given_by(true_fn if truth_of(chosen) else false_fn)


@export("case")
def case(
    pred_fn_pairs: Any, default: Any = None, exclusive: bool = False, strict: bool = False, name: str = "case"
) -> Any:
    """The result of the function whose condition is the first one that holds. Only that function is called.

    Args:
        pred_fn_pairs: pairs of a scalar tensor and a function, in a list, or in a dict if they are `exclusive`.
        default: the function that is called if no condition holds.
        exclusive: whether it is an error if several conditions hold. As in TensorFlow, this is checked only if there is
            a `default`.
        strict: ignored.

    Raises:
        TypeError: the pairs or `default` are of another kind.
        ValueError: the list is empty, or a dict that is not `exclusive`.
        InvalidArgumentError: no condition holds, and there is no `default`; or several hold that are `exclusive`.

    >>> import tapeviz as tf
    >>> x = tf.constant(2.0)
    >>> tf.case([(x < 1.0, lambda: "low"), (x < 5.0, lambda: "middle")], default=lambda: "high")
    'middle'
    """
    if not isinstance(pred_fn_pairs, (list, tuple, dict)):
        raise TypeError(f"'pred_fn_pairs' must be a list, tuple, or dict. Received: {type(pred_fn_pairs)}")
    if isinstance(pred_fn_pairs, dict) and not exclusive:
        raise ValueError(
            "Unordered dictionaries are not supported for the 'pred_fn_pairs' argument when `exclusive=False` and "
            "eager mode is enabled."
        )
    pairs = list(pred_fn_pairs.items() if isinstance(pred_fn_pairs, dict) else pred_fn_pairs)
    for pair in pairs:
        _check_pair("pred_fn_pairs", pair)
        if not isinstance(pair[0], TensorLike):
            raise TypeError(f"pred must be a Tensor, got: {pair[0]}")
        _require_boolean_pair(pair[0])
    if not pairs:
        raise ValueError("not enough values to unpack (expected 2, got 0). In case: 'pred_fn_pairs' is empty.")
    if default is not None and not callable(default):
        raise TypeError("'default' must be callable.")
    bodies = [(condition, random_state.body(function)) for condition, function in pairs]
    default = default and random_state.body(default)
    chosen = [function for condition, function in bodies if truth_of(condition)]
    if exclusive and default is not None and len(chosen) > 1:  # without one, TensorFlow does not look
        raise InvalidArgumentError(
            f"Input error: exclusive=True: more than 1 conditions, {len(chosen)}, evaluated as True"
        )
    if chosen:
        return _given_by(chosen[0])
    if default is None:
        raise InvalidArgumentError("No condition of case holds, and it has no default: give it a `default`.")
    return _given_by(default)


@export("switch_case")
def switch_case(branch_index: Any, branch_fns: Any, default: Any = None, name: str = "switch_case") -> Any:
    """The result of the function with a given index. Only that function is called.

    Args:
        branch_index: a scalar tensor of integers.
        branch_fns: a list of functions; or indices and functions, as a list of pairs or a dict.
        default: the function for other indices; by default the last one of `branch_fns`.

    Raises:
        TypeError: the index is not a tensor of integers, in a graph of int32, or a branch is not a function.
        ValueError: there are no branches, or their indices are not 0, 1, 2 and so on.

    >>> import tapeviz as tf
    >>> tf.switch_case(tf.constant(1), [lambda: "zero", lambda: "one"])
    'one'
    """
    if not isinstance(branch_index, TensorLike):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype}")
    if not branch_fns:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    pairs = list(branch_fns.items() if isinstance(branch_fns, dict) else branch_fns)
    pairs = list(enumerate(pairs)) if all(map(callable, pairs)) else pairs
    for pair in pairs:
        _check_pair("branch_fns", pair)
        if not isinstance(pair[0], int):
            raise TypeError(f"key must be a Python `int`, got {type(pair[0])}")
    indices = sorted(index for index, _ in pairs)
    if indices != list(range(len(pairs))):
        found = ",".join(map(str, indices))
        raise ValueError(
            f"branch indices (keys) must form contiguous range of [0 to {len(pairs)}) but found {{{found}}}"
        )
    branches: dict[int, Callable[[], Any]] = {index: random_state.body(branch) for index, branch in pairs}
    last = branches[len(branches) - 1] if default is None else random_state.body(default)
    if in_graph.get() is not None and branch_index.dtype.name != "int32":
        raise TypeError(f"'branch_index' must be of int32 in a graph, got {branch_index.dtype.name}: use tf.cast.")
    return _given_by(branches.get(int_of(branch_index), last))


def _given_by(branch: Callable[[], Any]) -> Any:
    """The result of a branch; in a graph its numbers become tensors."""
    found = branch()
    return found if in_graph.get() is None else nest.map_structure(of_graph, found)


def spec_of(value: Any) -> Any:
    """The spec of a variable of a loop, whose structure must stay the same."""
    return value if is_kept(value) else type_spec_from_value(value)


def _require_boolean_pair(condition: TensorLike) -> None:
    """Raise unless a condition is of bool: the error names the tensor, which only one of a graph lets it do."""
    graph = in_graph.get()
    if not condition.dtype.is_bool:
        if graph is None:
            raise AttributeError(
                "Tensor.name is undefined when eager execution is enabled. In case: a condition must be of bool, not "
                f"of {condition.dtype.name}."
            )
        raise TypeError(f"pred must be Tensor of type bool: {graph.name_of(condition._id) or condition.dtype.name}")


def _check_pair(role: str, pair: Any) -> None:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise TypeError(f"Each entry in '{role}' must be a 2-tuple. Received {pair}.")
    if not callable(pair[1]):
        raise TypeError(f"fn for {pair[0]} in '{role}' must be callable, got {pair[1]!r}.")
