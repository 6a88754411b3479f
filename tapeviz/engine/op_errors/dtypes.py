"""An op and a dtype that it does not take, or two dtypes that differ -> TensorFlow's error."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from tapeviz.engine.op_dtypes import ALLOWED, EVERY, TAKES, TRUTH, spoken
from tapeviz.engine.op_errors.allowed_dtypes import allowed, passed
from tapeviz.engine.op_errors.spelling import kernel, spelled
from tapeviz.engine.specs.dtypes import of_numpy
from tapeviz.errors import InvalidArgumentError, NotFoundError, UnimplementedError

_UPDATED = [op for op in TAKES if op.startswith("tensor_scatter_nd_") and "." not in op]

ARGUMENTS = {
    "matmul": ("a", "b"),
    "where": ("t", "e"),
    **dict.fromkeys(_UPDATED, ("tensor", "updates")),
}
"""TensorFlow's names of the two arguments of an op that must have one dtype, if they are not x and y."""

AHEAD = {
    "conv1d_transpose": 1,
    "conv2d_transpose": 1,
    "where": 1,
    "slice.Index": 1,
    "strided_slice.Index": 1,
    "scatter_nd.Tindices": 1,
    "pad": 1,
    **dict.fromkeys(_UPDATED, 1),
}
"""How many inputs of other dtypes an op has before the second of those that must have one dtype."""

QUOTIENTS = {"div": "__truediv__", "truediv": "__truediv__", "divide_no_nan": "tf.math.divide_no_nan"}
"""The ops whose dtypes TensorFlow checks in Python, and their names there."""

_DIVIDED = (
    *("uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64"),
    *("bfloat16", "float16", "float32", "float64", "complex64", "complex128"),
)
"""The dtypes that it divides, in the order of its error."""

_FURTHER = {
    "LowerBound": ["out_type=DT_INT32"],
    "MatMul": ["grad_a=false", "grad_b=false", "transpose_a=false", "transpose_b=false"],
    "MatrixBandPart": ["Tindex=DT_INT64"],
    "MatrixSolve": ["adjoint=false"],
    "MatrixTriangularSolve": ["adjoint=false", "lower=true"],
    "SelfAdjointEigV2": ["compute_v=true"],
    "Svd": ["compute_uv=true", "full_matrices=false"],
    "Unique": ["out_idx=DT_INT32"],
    "UpperBound": ["out_type=DT_INT32"],
}
"""By the name of a kernel: the other attributes of its node, with their default values."""

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


def mixed_list(op: str, dtypes: Iterable[np.dtype[Any]], eager: Exception) -> Exception:
    """The error for a list of tensors of different dtypes. In a graph it names all of them, the `eager` one two."""
    role = "inputs" if op == "add_n" else "values"
    types = ", ".join(of_numpy(each).name for each in dtypes)
    building = f"Tensors in list passed to '{role}' of '{kernel(op)}' Op have types [{types}] that don't all match"
    return InvalidArgumentError(str(eager), in_graph=TypeError, while_building=building)


def wrong_dtype(op: str, dtype: np.dtype[Any], given: str = "") -> Exception:
    """The error for a dtype that an op, or one of its attributes (`gather.Tindices`), does not take.

    It is a TypeError for quotients, and another InvalidArgumentError for ops of truth values.
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
        return another_dtype(name, np.dtype(bool), dtype, f"a tensor of {of_numpy(dtype).name}", 0)
    taken = ALLOWED[op] if attr or op in ALLOWED else EVERY  # without a row it was NumPy that refused
    if op in UNIMPLEMENTED and dtype in taken:
        return UnimplementedError(f"{UNIMPLEMENTED[op].format(spelled(dtype))}. {advice}")
    if dtype in taken:
        return without_kernel(name, f"{attr or 'T'}=DT_{spelled(dtype).upper()}", advice)
    return InvalidArgumentError(
        f"Value for attr '{attr or 'T'}' of {spelled(dtype)} is not in the list of allowed values: "
        f"{allowed(op, dtype)}. {advice}",
        in_graph=TypeError,
        while_building=passed(op, dtype),
    )


def without_kernel(op: str, attribute: str, advice: str) -> NotFoundError:
    """The error for an op and attribute (`T=DT_HALF`) for which TensorFlow has no kernel on a CPU."""
    attributes = ", ".join([attribute, *_FURTHER.get(kernel(op), ())])
    node = f"{{{{node {kernel(op)}}}}} = {kernel(op)}[{attributes}]"
    error = NotFoundError(f"Could not find device for node: {node}. {advice}")
    error.in_graph = partial(InvalidArgumentError, at_run=True)
    error.while_building = no_kernel(kernel(op))
    return error


def no_kernel(name: str) -> str:
    """What TensorFlow says of an op of a dtype for which it has no code, first of all."""
    return f"No OpKernel was registered to support Op '{name}'"


def require_taken(op: str, dtype: np.dtype[Any]) -> None:
    """Raise the error for a dtype, unless the op takes it."""
    if dtype not in TAKES[op]:
        raise wrong_dtype(op, dtype)


def mixed_dtypes(op: str, x: Any, y: Any, slot: int = 1) -> Exception:
    """The error for tensors of different dtypes; `slot` is the index of the second among those that must agree."""
    given = f"{dtype_and_shape(x)} and {dtype_and_shape(y)}"
    if op == "matmul" and max(x.ndim, y.ndim) > 2:
        op = "matmul.batched"
    return unlike_dtypes(op, x.dtype, y.dtype, given, slot + AHEAD.get(op, 0))


def unlike_dtypes(op: str, first: np.dtype[Any], other: np.dtype[Any], given: str, slot: int = 1) -> Exception:
    """The error for two different dtypes; TensorFlow first checks if the op takes the first, except in quotients."""
    plain = op.partition(".")[0]
    if op not in QUOTIENTS and first not in TAKES.get(op, TAKES.get(plain, EVERY)):
        return wrong_dtype(op, first)
    return another_dtype(op, first, other, given, slot)


def another_dtype(op: str, wanted: np.dtype[Any], have: np.dtype[Any], given: str, slot: int = 1) -> Exception:
    """The error for an input of another dtype; for quotients it is a TypeError."""
    called = kernel(spoken(op), wanted)
    op = spoken(op).partition(".")[0]
    advice = f"In {op} of {given}. Use tf.cast on one of them."
    if op in QUOTIENTS:
        said = f"got {of_numpy(wanted)!r} != {of_numpy(have)!r}"
        return TypeError(f"`x` and `y` must have the same dtype, {said}. {advice}")
    x, y = ARGUMENTS.get(op, ("x", "y"))
    names = of_numpy(wanted).name, of_numpy(have).name
    types = f"has type {names[1]} that does not match type {names[0]} of argument '{x}'"
    second = slot == 1 + (op in ARGUMENTS and AHEAD.get(op, 0))
    building = f"Input '{y}' of '{called}' Op {types}"
    return InvalidArgumentError(
        f"{unexpected(called, slot, wanted, have)}. {advice}",
        in_graph=TypeError,
        while_building=building if second else None if slot else _unexpected_first(called, names),
    )


def _unexpected_first(called: str, names: tuple[str, str]) -> str:
    """The message, while a graph is built, about the first input of an op with a fixed dtype."""
    first = "condition" if called == kernel("where") else "x"
    return f"Input '{first}' of '{called}' Op has type {names[1]} that does not match expected type of {names[0]}"


def unexpected(called: str, slot: int, wanted: np.dtype[Any], have: np.dtype[Any]) -> str:
    """The message about an input of another dtype; `called` is the name of the op, `slot` the index of the input."""
    expected = f"was expected to be a {spelled(wanted)} tensor but is a {spelled(have)} tensor"
    return f"cannot compute {called} as input #{slot}(zero-based) {expected}"
