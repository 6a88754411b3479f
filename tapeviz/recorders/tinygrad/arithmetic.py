"""A kind of op of tinygrad's, and the arrays that go in -> the array that comes out, by NumPy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from tinygrad.dtype import dtypes
from tinygrad.uop import Ops

Arrays = Sequence[Any]


class NotComputedError(Exception):
    """There are no numbers: of an op that NumPy is not told here, of one that is too large, or of a lost buffer."""


def numpy_dtype(dtype: Any) -> Any:
    """NumPy's dtype of a tensor; for numbers of Python's that have none yet the widest."""
    if dtype in dtypes.weaks:
        return np.dtype(np.float64 if dtypes.is_float(dtype) else np.int64)
    if dtype in (dtypes.bfloat16, *dtypes.fp8s):
        import ml_dtypes

        name = {dtypes.bfloat16: "bfloat16", dtypes.fp8e4m3: "float8_e4m3fn", dtypes.fp8e5m2: "float8_e5m2"}.get(dtype)
        if name is None:
            raise NotComputedError(str(dtype))
        return np.dtype(getattr(ml_dtypes, name))
    if dtype.fmt is None:
        raise NotComputedError(str(dtype))
    return np.dtype(dtype.fmt)


def _truncated(x: Any, y: Any) -> Any:
    return np.trunc(x / y).astype(x.dtype) if x.dtype.kind == "f" else (np.sign(x) * np.sign(y) * (abs(x) // abs(y)))


def _threefry(x: Any, key: Any) -> Any:
    """Random bits of a counter and a key, 64 of each, as tinygrad writes the twenty rounds out."""
    low = np.uint64(0xFFFFFFFF)
    first, second = ((each & low, each >> np.uint64(32)) for each in (x, key))
    keys = [second[1], second[0] ^ second[1] ^ np.uint64(0x1BD11BDA), second[0]]
    one, two = (first[0] + keys[2]) & low, (first[1] + keys[0]) & low
    for index in range(5):
        for turn in ((13, 15, 26, 6), (17, 29, 16, 24))[index % 2]:
            one = (one + two) & low
            two = one ^ (((two << np.uint64(turn)) & low) + (two >> np.uint64(32 - turn)))
        one = (one + keys[index % 3]) & low
        two = (two + keys[(index + 1) % 3] + np.uint64(index + 1)) & low
    return (two << np.uint64(32)) | one


ELEMENTWISE: Mapping[Any, Callable[..., Any]] = {
    Ops.EXP2: np.exp2,
    Ops.LOG2: np.log2,
    Ops.SIN: np.sin,
    Ops.SQRT: np.sqrt,
    Ops.RECIPROCAL: lambda x: np.divide(1, x, dtype=x.dtype),
    Ops.NEG: np.negative,
    Ops.TRUNC: np.trunc,
    Ops.ADD: np.add,
    Ops.MUL: np.multiply,
    Ops.SUB: np.subtract,
    Ops.FDIV: np.divide,
    Ops.MAX: np.maximum,
    Ops.CDIV: _truncated,
    Ops.CMOD: np.fmod,
    Ops.FLOORDIV: np.floor_divide,
    Ops.FLOORMOD: np.mod,
    Ops.SHL: np.left_shift,
    Ops.SHR: np.right_shift,
    Ops.XOR: np.bitwise_xor,
    Ops.OR: np.bitwise_or,
    Ops.AND: np.bitwise_and,
    Ops.POW: np.power,
    Ops.THREEFRY: _threefry,
    Ops.MULACC: lambda x, y, z: x * y + z,
}
COMPARISONS: Mapping[Any, Callable[..., Any]] = {
    Ops.CMPLT: np.less,
    Ops.CMPNE: np.not_equal,
    Ops.CMPEQ: np.equal,
}
REDUCTIONS: Mapping[Any, Any] = {Ops.ADD: np.add, Ops.MUL: np.multiply, Ops.MAX: np.maximum}
PASSES = frozenset((Ops.CONTIGUOUS, Ops.CONTIGUOUS_BACKWARD, Ops.DETACH, Ops.COPY, Ops.NOOP))
"""What leaves the numbers as they are."""


def computed(uop: Any, inputs: Arrays) -> Any:
    """What an op gives for these inputs.

    Raises:
        NotComputedError: it is none of those that are known here.
    """
    op = uop.op
    if op in PASSES:
        return inputs[0]
    if op in COMPARISONS:
        common = _common(uop.src)
        return COMPARISONS[op](*(each.astype(common) for each in inputs))
    dtype = numpy_dtype(uop.dtype)
    if op is Ops.WHERE:
        return np.where(inputs[0], inputs[1].astype(dtype), inputs[2].astype(dtype))
    if op in ELEMENTWISE:
        return np.asarray(ELEMENTWISE[op](*(each.astype(dtype) for each in inputs))).astype(dtype)
    if op is Ops.CAST:
        return inputs[0].astype(dtype)
    if op is Ops.BITCAST:
        return inputs[0].view(dtype)
    if op is Ops.REDUCE:
        reduction, axes = uop.arg
        return REDUCTIONS[reduction].reduce(inputs[0], axis=tuple(range(axes)), dtype=dtype)
    if op is Ops.STACK:
        return np.stack([each.astype(dtype) for each in inputs])
    return _moved(uop, inputs[0])


def _moved(uop: Any, x: Any) -> Any:
    op = uop.op
    if op is Ops.RESHAPE:
        return x.reshape(uop.marg)
    if op is Ops.EXPAND:
        return np.broadcast_to(x, uop.shape)
    if op is Ops.PERMUTE:
        return np.transpose(x, uop.marg)
    if op is Ops.FLIP:
        return np.flip(x, tuple(axis for axis, turns in enumerate(uop.marg) if turns))
    if op is Ops.SHRINK:
        return x[tuple(slice(start, start + size) for start, size in uop.marg)]
    if op is Ops.PAD:
        pads = [(start, size - start - length) for (start, size), length in zip(uop.marg, x.shape, strict=True)]
        return np.pad(x, pads)
    raise NotComputedError(op.name)


def _common(sources: Any) -> Any:
    """The dtype in which the operands of a comparison are compared: that of one that has one."""
    strong = [each.dtype for each in sources if each.dtype not in dtypes.weaks]
    return numpy_dtype(strong[0] if strong else sources[0].dtype)
