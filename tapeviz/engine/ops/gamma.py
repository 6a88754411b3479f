"""The op table: the logarithm of the gamma function and its derivatives, of which each is the next one's slope."""

from __future__ import annotations

from tapeviz.engine.convert import unboxed
from tapeviz.engine.kernels import gamma
from tapeviz.engine.op import defop, sum_to
from tapeviz.engine.ops.math import ones_like

lgamma = defop("lgamma", lambda x: unboxed(gamma.lgamma(x)), x=lambda g, x: g * digamma(x))
digamma = defop("digamma", lambda x: unboxed(gamma.digamma(x)), x=lambda g, x: g * polygamma(ones_like(x), x))
polygamma = defop(
    "polygamma",
    lambda a, x: unboxed(gamma.polygamma(a, x)),
    a=None,
    x=lambda g, a, x, x_shape: sum_to(g * polygamma(a + 1, x), x_shape),
)
