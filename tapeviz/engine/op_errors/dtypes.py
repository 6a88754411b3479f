"""An op and a dtype that it does not take, or two dtypes that differ -> TensorFlow's error."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine.op_dtypes import ALLOWED, EVERY, TAKES, TRUTH, listed_dtypes, spoken
from tapeviz.engine.op_errors.definitions import CALLS, definition_of, parameter
from tapeviz.engine.op_errors.spelling import SPELLED, spelled
from tapeviz.engine.specs.dtypes import of_numpy
from tapeviz.errors import InvalidArgumentError, NotFoundError, UnimplementedError

QUOTIENTS = {"div": "__truediv__", "truediv": "__truediv__", "divide_no_nan": "tf.math.divide_no_nan"}
"""The ops whose dtypes TensorFlow checks in Python, and their names there."""

_DIVIDED = (
    *("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"),
    *("bfloat16", "float16", "float32", "float64", "complex64", "complex128"),
)
"""The dtypes that it divides, in the order of its error."""

UNIMPLEMENTED = {
    "silu": "Cast float to {} is not supported",
    "tile": "TileOp : The input data type is not supported, DataType : {}",
    "where_true": "No WhereOp available for float16/{} type on CPU; dying in CPU WhereOp to avoid silently creating "
    "costly copies from device",
}
"""By op: the message of a kernel that exists for a dtype, but is not implemented on a CPU."""


def dtype_and_shape(array: Any) -> str:
    """What the advice of an error says of an array: `float32 of shape (2,)`."""
    return f"{of_numpy(array.dtype).name} of shape {array.shape}"


def wrong_dtype(op: str, dtype: np.dtype[Any], given: str = "", slot: int = 0) -> Exception:
    """The error for a dtype that an op, or one of its attributes (`gather.Tindices`), does not take.

    It is a TypeError for quotients, and another InvalidArgumentError for ops of truth values, which names the `slot`
    of the input.
    """
    name, _, attr = spoken(op).partition(".")
    given = given or of_numpy(dtype).name
    advice = f"In {name} of {given}: use tf.cast." if name else f"Got {given}: use tf.cast."
    if op in QUOTIENTS:
        expected = ", ".join(f"tf.{each}" for each in _DIVIDED)
        return TypeError(
            f"Invalid dtype {of_numpy(dtype)!r} in {QUOTIENTS[op]}. Expected one of {{{expected}}}. {advice}"
        )
    if TAKES.get(op) is TRUTH:
        return another_dtype(name, np.dtype(bool), dtype, f"a tensor of {of_numpy(dtype).name}", slot)
    taken = ALLOWED[op] if attr or op in ALLOWED else EVERY  # without a row it was NumPy that refused
    if op in UNIMPLEMENTED and dtype in taken:
        return UnimplementedError(f"{UNIMPLEMENTED[op].format(spelled(dtype))}. {advice}")
    if dtype in taken:
        return without_kernel(name, f"{attr or 'T'}=DT_{spelled(dtype).upper()}", advice)
    refusing = _refusing(op, dtype)
    allowed, called = listed_dtypes(refusing), parameter(refusing)
    told = f"has DataType {of_numpy(dtype).name} not in list of allowed values: {', '.join(allowed)}"
    return InvalidArgumentError(
        f"Value for attr '{attr or 'T'}' of {spelled(dtype)} is not in the list of allowed values: "
        f"{', '.join(SPELLED.get(each, each) for each in allowed)}. {advice}",
        in_graph=TypeError,
        while_building=f"Value passed to parameter '{called}' {told}" if called else None,
    )


def _refusing(op: str, dtype: np.dtype[Any]) -> str:
    """The first op that does not take a dtype, among those that TensorFlow's function calls."""
    name = of_numpy(dtype).name
    return next((each for each in CALLS.get(op, ()) if name not in listed_dtypes(each)), op)


def without_kernel(op: str, attribute: str, advice: str) -> NotFoundError:
    """The error for an op and attribute (`T=DT_HALF`) for which TensorFlow has no kernel on a CPU."""
    definition = definition_of(op)
    attributes = ", ".join([attribute, *definition.attributes])
    node = f"{{{{node {definition.name}}}}} = {definition.name}[{attributes}]"
    error = NotFoundError(f"Could not find device for node: {node}. {advice}")
    error.in_graph = partial(InvalidArgumentError, at_run=True)
    error.while_building = no_kernel(definition.name)
    return error


def no_kernel(name: str) -> str:
    """What TensorFlow says of an op of a dtype for which it has no code, first of all."""
    return f"No OpKernel was registered to support Op '{name}'"


def require_taken(op: str, dtype: np.dtype[Any]) -> None:
    """Raise the error for a dtype, unless the op takes it."""
    if dtype not in TAKES[op]:
        raise wrong_dtype(op, dtype)


def mixed_dtypes(op: str, x: Any, y: Any, slot: int = 1, among: Iterable[np.dtype[Any]] = ()) -> Exception:
    """The error for tensors of different dtypes.

    Args:
        op: the name of the op.
        x: the first tensor of those that must agree.
        y: a tensor of another dtype.
        slot: the index of the second tensor among those that must agree.
        among: for an op of a list, the dtypes of all tensors in it, which the error in a graph names.
    """
    given = f"{dtype_and_shape(x)} and {dtype_and_shape(y)}"
    if op == "matmul" and max(x.ndim, y.ndim) > 2:
        op = "matmul.batched"
    definition = definition_of(op)
    error = unlike_dtypes(op, x.dtype, y.dtype, given, definition.slot(slot, op.partition(".")[2] or "T"))
    if not definition.of_list:
        return error
    types = ", ".join(of_numpy(each).name for each in (among or (x.dtype, y.dtype)))
    passed = f"passed to '{definition.first_of('T')}' of '{definition.name}' Op"
    building = f"Tensors in list {passed} have types [{types}] that don't all match"
    return InvalidArgumentError(str(error), in_graph=TypeError, while_building=building)


def unlike_dtypes(op: str, first: np.dtype[Any], other: np.dtype[Any], given: str, slot: int = 1) -> Exception:
    """The error for two different dtypes; TensorFlow first checks if the op takes the first, except in quotients."""
    plain = op.partition(".")[0]
    if op not in QUOTIENTS and first not in TAKES.get(op, TAKES.get(plain, EVERY)):
        return wrong_dtype(op, first)
    return another_dtype(op, first, other, given, slot)


def another_dtype(op: str, wanted: np.dtype[Any], have: np.dtype[Any], given: str, slot: int = 1) -> Exception:
    """The error for an input of another dtype; for quotients it is a TypeError."""
    definition = definition_of(spoken(op), wanted)
    op = spoken(op).partition(".")[0]
    advice = f"In {op} of {given}. Use tf.cast on one of them."
    if op in QUOTIENTS:
        said = f"got {of_numpy(wanted)!r} != {of_numpy(have)!r}"
        return TypeError(f"`x` and `y` must have the same dtype, {said}. {advice}")
    return InvalidArgumentError(
        f"{unexpected(definition.name, slot, wanted, have)}. {advice}",
        in_graph=TypeError,
        while_building=definition.mismatch(slot, of_numpy(wanted).name, of_numpy(have).name),
    )


def unexpected(called: str, slot: int, wanted: np.dtype[Any], have: np.dtype[Any]) -> str:
    """The message about an input of another dtype; `called` is the name of the op, `slot` the index of the input."""
    expected = f"was expected to be a {spelled(wanted)} tensor but is a {spelled(have)} tensor"
    return f"cannot compute {called} as input #{slot}(zero-based) {expected}"
