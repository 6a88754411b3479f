"""The op table: complex numbers and their parts.

These are the functions of complex numbers that have no complex derivative: their rules are TensorFlow's gradients as
they stand. All other rules are conjugated by the plan.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.calling.define import defop
from tapeviz.engine.facts import Facts
from tapeviz.engine.ops.math import divide_no_nan, reciprocal, unbroadcast, zeros_like
from tapeviz.engine.specs.dtypes import Array, is_complex
from tapeviz.engine.table import OPS
from tapeviz.engine.values.convert import unboxed


def _complex(x: Array, y: Array) -> Any:
    out = np.empty(np.broadcast_shapes(x.shape, y.shape), np.result_type(x.dtype, np.complex64))
    out.real, out.imag = x, y
    return unboxed(out)


def _as_complex(g: object) -> Any:
    return complex(g, zeros_like(g))


def adjoint(x: object) -> Any:
    """The conjugate transpose of matrices."""
    turned = OPS["matrix_transpose"](x)
    return conj(turned) if is_complex(x) else turned


complex = defop(
    "complex",
    _complex,
    Facts(seed_shape="exact", recast=True),  # TensorFlow reshapes both gradients, stretched or not
    x=lambda g, x_shape: unbroadcast(real(g), x_shape),
    y=lambda g, y_shape: unbroadcast(imag(g), y_shape),
)
real = defop("real", lambda x: x.real, Facts(holomorphic=False), x=_as_complex)
imag = defop("imag", lambda x: x.imag, Facts(holomorphic=False), x=lambda g: complex(zeros_like(g), g))
conj = defop("conj", lambda x: x.conjugate(), Facts(holomorphic=False), x=lambda g: conj(g))
angle = defop(
    "angle",
    lambda x: np.arctan2(x.imag, x.real),
    Facts(holomorphic=False),
    x=lambda g, x: -_as_complex(g) * reciprocal(complex(imag(x), real(x))),
)
complex_abs = defop(
    "complex_abs",
    lambda x: np.abs(x),
    Facts(holomorphic=False),
    x=lambda g, x, out: divide_no_nan(_as_complex(g) * x, _as_complex(out)),
)
