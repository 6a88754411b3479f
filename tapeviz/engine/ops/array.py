"""The op table: ops that change shape, order or dtype, and leave the numbers alone."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tapeviz.engine.calling.define import defop
from tapeviz.engine.facts import Facts
from tapeviz.engine.rules import batching
from tapeviz.engine.specs.dtype_sets import FLOATS
from tapeviz.engine.specs.dtypes import DIFFERENTIABLE, Array
from tapeviz.engine.values.convert import unboxed
from tapeviz.errors import InvalidArgumentError

Shape: TypeAlias = tuple[int, ...]

# ----- as it is -----


identity = defop("identity", lambda x: x, Facts(seed_shape="handed on"), x=lambda g: g)
identity_n = defop("identity_n", lambda *values: values, Facts(recast=True), values=lambda g: g)  # each of its dtype
stop_gradient = defop("stop_gradient", lambda x: x, x=None)


def _check_numerics(x: Array, *, message: str) -> Any:
    found = [what for what, test in (("Inf", np.isinf), ("NaN", np.isnan)) if test(x).any()]
    if found:
        raise InvalidArgumentError(f"{message} : Tensor had {' and '.join(found)} values", at_run=True)
    return x


def _in_gradient(message: str) -> str:
    """TensorFlow's message about a gradient, in which the user's message is shown as bytes."""
    return f"Not a number (NaN) or infinity (Inf) values detected in gradient. {message.encode()!r}"


check_numerics = defop(
    "check_numerics",
    _check_numerics,
    Facts(over="entries", seed_shape="handed on", dtypes=FLOATS),
    x=lambda g, message: check_numerics(g, message=_in_gradient(message)),
)
cast = defop(
    "cast",
    lambda x, *, dtype, source: _cast(x, dtype),
    Facts(over="entries", seed_shape="handed on", recast=True),
    x=lambda g, dtype, source: cast(g, dtype=source, source=dtype) if _carries(dtype) else None,
)


def _carries(dtype: str) -> bool:
    """Whether numbers of a dtype have gradients."""
    return np.dtype(dtype).kind in DIFFERENTIABLE


def _cast(x: Array, dtype: str) -> Any:
    """A cast, in which complex numbers lose their imaginary part, as in TensorFlow."""
    if x.dtype.kind == "c" and np.dtype(dtype).kind != "c":
        x = x.real
    return unboxed(x.astype(dtype))


def cast_like(x: Array, like: Array) -> Any:
    """`x` in the dtype of `like`; both arrays, or tensors."""
    return cast(x, dtype=dtype_name(like), source=dtype_name(x))


def dtype_name(x: Array) -> str:
    """The name of the dtype of an array or a tensor."""
    return x.dtype.name


# ----- shapes -----

reshape = defop(
    "reshape",
    lambda x, *, shape: unboxed(x.reshape(shape)),
    Facts(batched=batching.reshaped, seed_shape="rearranged"),
    x=lambda g, x_shape: reshape(g, shape=x_shape),
)


def column(x: Array) -> Any:
    """A vector as a matrix of one column, so that it broadcasts along rows; the same for each vector of a batch."""
    return reshape(x, shape=(*x.shape, 1))


transpose = defop(
    "transpose",
    lambda x, *, perm: x.transpose(perm),
    Facts(batched=batching.transposed),
    x=lambda g, perm: transpose(g, perm=tuple(perm.index(i) for i in range(len(perm)))),
)
expand_dims = defop(
    "expand_dims",
    lambda x, *, axis: np.expand_dims(x, axis),
    Facts(seed_shape="rearranged"),
    x=lambda g, x_shape: reshape(g, shape=x_shape),
)
squeeze = defop(
    "squeeze",
    lambda x, *, axis: unboxed(x.squeeze(axis)),
    Facts(seed_shape="rearranged"),
    x=lambda g, x_shape: reshape(g, shape=x_shape),
)
reverse = defop(
    "reverse",
    lambda x, *, axis: np.flip(x, axis) if axis else x,
    Facts(seed_shape="broadcast"),  # TensorFlow reverses one number, too
    x=lambda g, axis: reverse(g, axis=axis),
)
roll = defop(
    "roll",
    lambda x, *, shift, axis: np.roll(x, shift, axis),
    x=lambda g, shift, axis: roll(g, shift=tuple(-each for each in shift), axis=axis),
)

# ----- numbers about an array -----

shape = defop("shape", lambda x, *, out_type: np.array(x.shape, out_type), x=None)
size = defop("size", lambda x, *, out_type: np.dtype(out_type).type(x.size), x=None)
rank = defop("rank", lambda x: np.int32(x.ndim), Facts(over="all"), x=None)
