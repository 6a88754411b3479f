"""The op table: the logarithm of the gamma function, and its derivatives, each the slope of the one before."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.calling.define import defop
from tapeviz.engine.facts import Facts, Public
from tapeviz.engine.kernels import gamma
from tapeviz.engine.kernels.eigen_math import LANES
from tapeviz.engine.op_errors.dtypes import wrong_dtype
from tapeviz.engine.ops.math import ones_like, unbroadcast
from tapeviz.engine.specs.dtype_sets import BRAIN, DOUBLES, FLOATS
from tapeviz.engine.specs.dtypes import Array
from tapeviz.engine.values.convert import unboxed


def _polygamma(a: Array, x: Array) -> Any:
    """Only for float32 and float64, unlike digamma, whose derivative it is."""
    if x.dtype.char not in LANES:
        raise wrong_dtype("polygamma", x.dtype)
    return unboxed(gamma.polygamma(a, x))


lgamma = defop(
    "lgamma",
    lambda x: unboxed(gamma.lgamma(x)),
    Facts(dtypes=FLOATS, no_kernel=BRAIN),
    Public("math.lgamma", "The logarithm of the absolute value of the gamma function."),
    x=lambda g, x: g * digamma(x),
)
digamma = defop(
    "digamma",
    lambda x: unboxed(gamma.digamma(x)),
    Facts(dtypes=FLOATS, no_kernel=BRAIN),
    Public("math.digamma", "The derivative of `lgamma`."),
    x=lambda g, x: g * polygamma(ones_like(x), x),
)
polygamma = defop(
    "polygamma",
    _polygamma,
    Facts(dtypes=DOUBLES),
    a=None,
    x=lambda g, a, x, x_shape: unbroadcast(g * polygamma(a + 1, x), x_shape),
)
