"""A primitive of JAX and its parameters, or a function of JAX's -> the op of the catalog that it is.

Others keep their names in JAX.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any, TypeAlias

import numpy as np

from tapeviz.events.types import Attr, Attrs
from tapeviz.recorders.jax.table import CALLS, ROWS
from tapeviz.recorders.plain_values import plain
from tapeviz.recorders.signatures import OpSignature, in_catalogs_order

Shapes: TypeAlias = Sequence[Any]
"""What is known of operands or results before they are computed: each has `.shape` and `.dtype`."""


@dataclass(frozen=True)
class Form:
    """How an op is written into the log: its name, its attributes, and which operand each argument is, in `order`.

    Unlike the form of an op of TensorFlow's, it belongs to one equation, since it may depend on its parameters.
    """

    name: str
    attrs: Attrs = ()
    order: tuple[int, ...] | None = None


def form_of(primitive: str, params: Mapping[str, Any], inputs: Shapes, outputs: Shapes) -> Form:
    """The op that a primitive with the parameters `params` is.

    >>> form_of("tanh", {}, [], [])
    Form(name='tanh', attrs=(), order=None)
    >>> form_of("reduce_sum", {"axes": (0,)}, [], [])
    Form(name='reduce_sum', attrs=(('axis', (0,)),), order=None)
    """
    alternative = _ALTERNATIVES.get(primitive)
    found = alternative(params, inputs, outputs) if alternative is not None else None
    return found or _form(primitive, ROWS.get(primitive, OpSignature(primitive)), params, inputs, outputs)


def form_of_call(function: str, inputs: Shapes, outputs: Shapes) -> Form | None:
    """The op that a function of JAX's is; None if it consists of several."""
    signature = CALLS.get(function)
    if signature is None or len(inputs) != len(signature.inputs):
        return None
    return _form(function, signature, {}, inputs, outputs)


def _form(own: str, signature: OpSignature, params: Mapping[str, Any], inputs: Shapes, outputs: Shapes) -> Form:
    """The op of a signature; `own` is what JAX calls it."""
    found = {ours: params[theirs] for theirs, ours in signature.settings}
    if own in _COMPUTED:
        found |= _COMPUTED[own](params, inputs, outputs)
    order = in_catalogs_order(signature.name, [word.own for word in signature.inputs])
    return Form(signature.name, attributes(found), tuple(order) if order != sorted(order) else None)


def attributes(params: Mapping[str, Any]) -> Attrs:
    """Attributes as plain values.

    >>> attributes({"axis": (np.int64(0),), "dtype": np.dtype("float32")})
    (('axis', (0,)), ('dtype', 'float32'))
    """
    return tuple((name, plain(value)) for name, value in params.items())


# ----- attributes that are not parameters -----


def _unchecked(params: Mapping[str, Any]) -> tuple[int, ...] | None:
    """The axes that single entries are taken along, where no mode says what to do with an index out of range."""
    axes = tuple(params["dimension_numbers"].start_index_map)
    single = all(params["slice_sizes"][axis] == 1 for axis in axes)
    return axes if single and params["mode"].name == "PROMISE_IN_BOUNDS" else None


def _bounds(params: Mapping[str, Any]) -> list[tuple[int, int, int]]:
    strides = params["strides"] or (1,) * len(params["start_indices"])
    return list(zip(params["start_indices"], params["limit_indices"], strides, strict=True))


def _part(bounds: tuple[int, int, int], length: int) -> tuple[Attr, ...]:
    start, stop, step = map(int, bounds)
    return start or None, stop if stop != length else None, step if step != 1 else None


_COMPUTED: Mapping[str, Callable[[Mapping[str, Any], Shapes, Shapes], dict[str, Any]]] = {
    "_one_hot": lambda params, inputs, outputs: {"depth": outputs[0].shape[-1]},
    "convert_element_type": lambda params, inputs, outputs: {"source": inputs[0].dtype},
    "gather": lambda params, inputs, outputs: {"axes": _unchecked(params)},
    "silu": lambda params, inputs, outputs: {"beta": 1.0},
    "slice": lambda params, inputs, outputs: {"index": tuple(map(_part, _bounds(params), inputs[0].shape))},
}
"""By JAX's name, the attributes that are told from parameters and shapes."""


# ----- primitives that are one op or another -----


def _dot_general(params: Mapping[str, Any], inputs: Shapes, outputs: Shapes) -> Form | None:
    """A matrix product, if the last axis of one operand meets the first of the other; else an einsum."""
    (left, right), (left_batch, right_batch) = params["dimension_numbers"]
    batch = len(left_batch)
    ranks = [len(each.shape) for each in inputs]
    leading = tuple(range(batch))
    ordered = tuple(left_batch) == tuple(right_batch) == leading
    if ordered and tuple(left) == (ranks[0] - 1,) and tuple(right) == (batch,) and ranks[1] - batch <= 2:
        return Form("matmul")
    return Form("einsum", (("equation", _equation(ranks, (left, right), (left_batch, right_batch))),))


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


def _select(params: Mapping[str, Any], inputs: Shapes, outputs: Shapes) -> Form | None:
    """A choice between two arrays, or among several."""
    return None if len(inputs) == 3 else Form("select_n")


def _broadcast(params: Mapping[str, Any], inputs: Shapes, outputs: Shapes) -> Form | None:
    """Only new axes of length 1: nothing is repeated."""
    same = math.prod(params["shape"]) == math.prod(inputs[0].shape)
    return Form("reshape", attributes({"shape": params["shape"]})) if same else None


def _power(params: Mapping[str, Any], inputs: Shapes, outputs: Shapes) -> Form | None:
    return Form("square") if params["y"] == 2 else None


def _bitwise(op: str) -> Callable[[Mapping[str, Any], Shapes, Shapes], Form | None]:
    return lambda params, inputs, outputs: None if inputs[0].dtype == np.bool_ else Form(op)


def _convolution(params: Mapping[str, Any], inputs: Shapes, outputs: Shapes) -> Form | None:
    plain = len(inputs[0].shape) == 4 and params["feature_group_count"] == params["batch_group_count"] == 1
    return None if plain else Form("conv_general_dilated")


def _pool(params: Mapping[str, Any], inputs: Shapes, outputs: Shapes) -> Form | None:
    return None if len(inputs[0].shape) == 4 else Form("reduce_window_max")


_ALTERNATIVES: Mapping[str, Callable[[Mapping[str, Any], Shapes, Shapes], Form | None]] = {
    "and": _bitwise("bitwise_and"),
    "broadcast_in_dim": _broadcast,
    "conv_general_dilated": _convolution,
    "dot_general": _dot_general,
    "integer_pow": _power,
    "not": _bitwise("bitwise_not"),
    "or": _bitwise("bitwise_or"),
    "reduce_window_max": _pool,
    "select_n": _select,
    "xor": _bitwise("bitwise_xor"),
}
"""By JAX's name, when a primitive is another op than its row says; None where it is not."""
