"""A primitive of JAX and its parameters -> the op of the catalog that it is.

`NAMES` and `CALLS` are the published mapping. What is in neither keeps JAX's name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any, TypeAlias

import numpy as np

from tapeviz.events.types import Attr, Attrs

Shapes: TypeAlias = Sequence[Any]
"""What is known of operands or results before they are computed: each has `.shape` and `.dtype`."""


@dataclass(frozen=True)
class Name:
    """An op, its attributes, and `order`: which operand of the primitive each argument of the op is."""

    op: str
    attrs: Attrs = ()
    order: tuple[int, ...] | None = None


NAMES: Mapping[str, str] = {
    "add_any": "add",
    "and": "logical_and",
    "broadcast_in_dim": "broadcast_to",
    "clamp": "clip_by_value",
    "concatenate": "concat",
    "convert_element_type": "cast",
    "conv_general_dilated": "conv2d",
    "copy": "identity",
    "copy_p": "identity",
    "cumlogsumexp": "cumulative_logsumexp",
    "dot_general": "matmul",
    "eq": "equal",
    "ge": "greater_equal",
    "gt": "greater",
    "integer_pow": "pow",
    "le": "less_equal",
    "logistic": "sigmoid",
    "lt": "less",
    "max": "maximum",
    "min": "minimum",
    "ne": "not_equal",
    "not": "logical_not",
    "or": "logical_or",
    "reduce_and": "reduce_all",
    "reduce_or": "reduce_any",
    "reduce_window_max": "max_pool",
    "rev": "reverse",
    "scatter": "tensor_scatter_nd_update",
    "scatter-add": "tensor_scatter_nd_add",
    "scatter_add": "tensor_scatter_nd_add",
    "select_n": "where",
    "slice": "getitem",
    "xor": "logical_xor",
}
"""Primitive -> op, for those that JAX calls otherwise. `_SPECIAL` says where a primitive is that op only sometimes."""

CALLS: Mapping[str, str] = {
    "_det": "det",
    "_one_hot": "one_hot",
    "_softmax": "softmax",
    "_where": "where",
    "clip": "clip_by_value",
    "elu": "elu",
    "inv": "inv",
    "log_softmax": "log_softmax",
    "relu": "relu",
    "relu6": "relu6",
    "selu": "selu",
    "silu": "silu",
    "softplus": "softplus",
    "solve": "solve",
}
"""A function of JAX's own that a jaxpr calls -> the one op that it is. Other functions of JAX's are opened."""

_DETAILS: Mapping[str, Callable[[Mapping[str, Any], Shapes, Shapes], dict[str, Any]]] = {
    "argmax": lambda given, ins, outs: {"axis": given["axes"]},
    "argmin": lambda given, ins, outs: {"axis": given["axes"]},
    "broadcast_in_dim": lambda given, ins, outs: {"shape": given["shape"]},
    "concatenate": lambda given, ins, outs: {"axis": given["dimension"]},
    "conv_general_dilated": lambda given, ins, outs: {"strides": given["window_strides"], "padding": given["padding"]},
    "convert_element_type": lambda given, ins, outs: {"dtype": given["new_dtype"], "source": ins[0].dtype},
    "cumlogsumexp": lambda given, ins, outs: {"axis": given["axis"], "reverse": given["reverse"]},
    "cummax": lambda given, ins, outs: {"axis": given["axis"], "reverse": given["reverse"]},
    "cummin": lambda given, ins, outs: {"axis": given["axis"], "reverse": given["reverse"]},
    "cumprod": lambda given, ins, outs: {"axis": given["axis"], "reverse": given["reverse"]},
    "cumsum": lambda given, ins, outs: {"axis": given["axis"], "reverse": given["reverse"]},
    "dynamic_slice": lambda given, ins, outs: {"sizes": given["slice_sizes"]},
    "gather": lambda given, ins, outs: {"axes": _unchecked(given)},
    "integer_pow": lambda given, ins, outs: {"y": given["y"]},
    "iota": lambda given, ins, outs: {"dtype": given["dtype"], "shape": given["shape"], "axis": given["dimension"]},
    "pad": lambda given, ins, outs: {"paddings": given["padding_config"]},
    "reduce_and": lambda given, ins, outs: {"axis": given["axes"]},
    "reduce_max": lambda given, ins, outs: {"axis": given["axes"]},
    "reduce_min": lambda given, ins, outs: {"axis": given["axes"]},
    "reduce_or": lambda given, ins, outs: {"axis": given["axes"]},
    "reduce_prod": lambda given, ins, outs: {"axis": given["axes"]},
    "reduce_sum": lambda given, ins, outs: {"axis": given["axes"]},
    "reduce_window_max": lambda given, ins, outs: {
        "window": given["window_dimensions"],
        "strides": given["window_strides"],
    },
    "reshape": lambda given, ins, outs: {"shape": given["new_sizes"]},
    "rev": lambda given, ins, outs: {"axis": given["dimensions"]},
    "slice": lambda given, ins, outs: {"index": tuple(map(_part, _bounds(given), ins[0].shape))},
    "sort": lambda given, ins, outs: {"axis": given["dimension"]},
    "split": lambda given, ins, outs: {"sizes": given["sizes"], "axis": given["axis"]},
    "squeeze": lambda given, ins, outs: {"axis": given["dimensions"]},
    "top_k": lambda given, ins, outs: {"k": given["k"]},
    "transpose": lambda given, ins, outs: {"perm": given["permutation"]},
}
"""Primitive -> the attributes of its op, in the catalog's words."""


def name_of(primitive: str, given: Mapping[str, Any], inputs: Shapes, outputs: Shapes) -> Name:
    """The op that a primitive with these parameters is.

    >>> name_of("tanh", {}, [], [])
    Name(op='tanh', attrs=(), order=None)
    """
    details = _DETAILS.get(primitive)
    attrs = attributes(details(given, inputs, outputs)) if details is not None else ()
    special = _SPECIAL.get(primitive)
    found = special(given, inputs, outputs) if special is not None else None
    return found or Name(NAMES.get(primitive, primitive), attrs)


def name_of_call(function: str, inputs: Shapes, outputs: Shapes) -> Name | None:
    """The op that a function of JAX's own is, None where it is several."""
    op = CALLS.get(function)
    if op is None or len(inputs) != _ARGUMENTS.get(op, 1):
        return None
    if op == "silu":
        return Name(op, (("beta", 1.0),))
    return Name(op, (("depth", outputs[0].shape[-1]),)) if op == "one_hot" else Name(op)


_ARGUMENTS = {"clip_by_value": 3, "solve": 2, "where": 3}


def attributes(given: Mapping[str, Any]) -> Attrs:
    """Attributes as plain values.

    >>> attributes({"axis": (np.int64(0),), "dtype": np.dtype("float32")})
    (('axis', (0,)), ('dtype', 'float32'))
    """
    return tuple((name, _plain(value)) for name, value in given.items())


def _plain(value: Any) -> Attr:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, (tuple, list)):
        return tuple(map(_plain, value))
    return _plain(value.item()) if isinstance(value, np.generic) else str(value)


# ----- primitives that are one op or another -----


def _dot_general(given: Mapping[str, Any], inputs: Shapes, outputs: Shapes) -> Name | None:
    """A matrix product, if the last axis of one operand meets the first of the other; else an einsum."""
    (left, right), (left_batch, right_batch) = given["dimension_numbers"]
    batch = len(left_batch)
    ranks = [len(each.shape) for each in inputs]
    leading = tuple(range(batch))
    ordered = tuple(left_batch) == tuple(right_batch) == leading
    if ordered and tuple(left) == (ranks[0] - 1,) and tuple(right) == (batch,) and ranks[1] - batch <= 2:
        return Name("matmul")
    return Name("einsum", (("equation", _equation(ranks, (left, right), (left_batch, right_batch))),))


def _equation(ranks: Sequence[int], contracted: Any, batch: Any) -> str:
    """A product of two arrays as einsum writes it: JAX puts the batch first, then what is left of either."""
    letters = iter(ascii_lowercase)
    one = [next(letters) for _ in range(ranks[0])]
    shared = {
        right: one[left]
        for pairs in (contracted, batch)
        for left, right in zip(*(map(int, axes) for axes in pairs), strict=True)
    }
    other = [shared[axis] if axis in shared else next(letters) for axis in range(ranks[1])]
    summed = {one[axis] for axis in contracted[0]}
    order = (*(one[axis] for axis in batch[0]), *one, *other)
    result = dict.fromkeys(letter for letter in order if letter not in summed)
    return f"{''.join(one)},{''.join(other)}->{''.join(result)}"


def _select(given: Mapping[str, Any], inputs: Shapes, outputs: Shapes) -> Name | None:
    """`select_n` takes the case for False first."""
    return Name("where", order=(0, 2, 1)) if len(inputs) == 3 else Name("select_n")


def _clamp(given: Mapping[str, Any], inputs: Shapes, outputs: Shapes) -> Name | None:
    """`clamp` takes the lower bound first."""
    return Name("clip_by_value", order=(1, 0, 2))


def _broadcast(given: Mapping[str, Any], inputs: Shapes, outputs: Shapes) -> Name | None:
    """Only new axes of length 1: nothing is repeated."""
    same = math.prod(given["shape"]) == math.prod(inputs[0].shape)
    return Name("reshape", attributes({"shape": given["shape"]})) if same else None


def _power(given: Mapping[str, Any], inputs: Shapes, outputs: Shapes) -> Name | None:
    return Name("square") if given["y"] == 2 else None


def _bitwise(op: str) -> Callable[[Mapping[str, Any], Shapes, Shapes], Name | None]:
    return lambda given, inputs, outputs: None if inputs[0].dtype == np.bool_ else Name(op)


def _convolution(given: Mapping[str, Any], inputs: Shapes, outputs: Shapes) -> Name | None:
    plain = len(inputs[0].shape) == 4 and given["feature_group_count"] == given["batch_group_count"] == 1
    return None if plain else Name("conv_general_dilated")


def _pool(given: Mapping[str, Any], inputs: Shapes, outputs: Shapes) -> Name | None:
    return None if len(inputs[0].shape) == 4 else Name("reduce_window_max")


def _unchecked(given: Mapping[str, Any]) -> tuple[int, ...] | None:
    """The axes that single entries are taken along, where no mode says what to do with an index out of range."""
    axes = tuple(given["dimension_numbers"].start_index_map)
    single = all(given["slice_sizes"][axis] == 1 for axis in axes)
    return axes if single and given["mode"].name == "PROMISE_IN_BOUNDS" else None


def _bounds(given: Mapping[str, Any]) -> list[tuple[int, int, int]]:
    strides = given["strides"] or (1,) * len(given["start_indices"])
    return list(zip(given["start_indices"], given["limit_indices"], strides, strict=True))


def _part(bounds: tuple[int, int, int], length: int) -> tuple[Attr, ...]:
    start, stop, step = map(int, bounds)
    return start or None, stop if stop != length else None, step if step != 1 else None


_SPECIAL: Mapping[str, Callable[[Mapping[str, Any], Shapes, Shapes], Name | None]] = {
    "and": _bitwise("bitwise_and"),
    "broadcast_in_dim": _broadcast,
    "clamp": _clamp,
    "conv_general_dilated": _convolution,
    "dot_general": _dot_general,
    "integer_pow": _power,
    "not": _bitwise("bitwise_not"),
    "or": _bitwise("bitwise_or"),
    "reduce_window_max": _pool,
    "select_n": _select,
    "xor": _bitwise("bitwise_xor"),
}
