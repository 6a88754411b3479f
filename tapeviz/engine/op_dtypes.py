"""The name of an op -> the dtypes that it takes: those in TensorFlow's signature with a kernel for CPUs.

A dtype that is not in the signature is an InvalidArgumentError, one that only has no kernel a NotFoundError. An input
with a dtype attribute of its own has a row `op.attribute`; without a row, it takes int32 and int64. If an op's Python
operator takes more dtypes than its function, the function has a row `op()`. An op without a row is a KeyError: its name
is misspelt, or its row was forgotten.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from tapeviz.engine.specs.dtypes import DTYPES

Dtypes: TypeAlias = frozenset[np.dtype[Any]]


def _of(names: str) -> Dtypes:
    return frozenset(DTYPES[name]._numpy for name in names.split())


HALF, BRAIN, DOUBLES, COMPLEX = map(_of, ("float16", "bfloat16", "float32 float64", "complex64 complex128"))
SMALL, WIDE, UNSIGNED = map(_of, ("int8 int16", "int32 int64", "uint8 uint16 uint32 uint64"))
TRUTH, TEXT = map(_of, ("bool", "string"))

FLOATS = DOUBLES | HALF | BRAIN
INEXACT = FLOATS | COMPLEX
SOLVABLE = INEXACT - BRAIN
INTEGERS = SMALL | WIDE | UNSIGNED
REALS = INTEGERS | FLOATS
NUMBERS = REALS | COMPLEX
SIGNED = NUMBERS - UNSIGNED
EVERY = NUMBERS | TRUTH | TEXT
PLACES = _of("int16 int32 int64")
NONE = _of("")

_ROWS = (
    # what the signature allows, what of that has no kernel, the ops
    (
        EVERY,
        NONE,
        """
        assert assert_near concat dynamic_stitch equal log_poisson_loss not_equal pad stack tensor_scatter_nd_update
        weighted_cross_entropy_with_logits where
        """,
    ),
    (EVERY, COMPLEX, "unique"),
    (EVERY, COMPLEX | TRUTH | TEXT, "searchsorted"),
    (EVERY, SMALL | UNSIGNED | TRUTH | TEXT, "einsum"),
    (EVERY, TEXT, "band_part diag diag_part set_diag"),
    (EVERY, TRUTH | TEXT, "tensor_scatter_nd_add tensor_scatter_nd_sub"),
    (EVERY, COMPLEX | TRUTH | TEXT, "tensor_scatter_nd_max tensor_scatter_nd_min"),
    (EVERY, _of("uint16"), "tile"),
    (NUMBERS | TEXT, NONE, "add"),
    (EVERY, NONE, "scatter_nd_update.dtype scatter_update.dtype"),
    (EVERY - TEXT, NONE, "scatter_nd_add.dtype"),
    (NUMBERS | TRUTH, NONE, "mul ones_like"),
    (NUMBERS | TRUTH, HALF, "where_true"),
    (INTEGERS | TRUTH, NONE, "logical_and logical_not logical_or logical_xor"),
    (
        NUMBERS,
        NONE,
        """
        add_n bias_add cumprod cumsum div divide_no_nan mul() reduce_euclidean_norm reduce_mean reduce_prod reduce_sum
        reduce_variance scatter_add.dtype scatter_div.dtype scatter_mul.dtype scatter_nd_sub.dtype scatter_sub.dtype
        segment_mean segment_prod segment_sum square sub truediv unsorted_segment_prod unsorted_segment_sum
        """,
    ),
    (NUMBERS, COMPLEX, "floordiv round truncatediv"),
    (NUMBERS - SMALL, UNSIGNED, "matmul() tensordot"),
    (NUMBERS - _of("int8"), UNSIGNED, "matmul"),
    (SIGNED, NONE, "abs neg pow sign"),
    (SIGNED, INTEGERS, "reciprocal"),
    (REALS | TRUTH, NONE, "argmax argmin"),
    (
        REALS,
        NONE,
        """
        argsort crelu cross greater greater_equal leaky_relu less less_equal maximum minimum mod
        reduce_max reduce_min relu relu6 scatter_max.dtype scatter_min.dtype scatter_nd_max.dtype scatter_nd_min.dtype
        segment_max segment_min sort top_k unsorted_segment_max unsorted_segment_mean unsorted_segment_min
        unsorted_segment_sqrt_n
        """,
    ),
    (REALS, INTEGERS, "multinomial"),
    (REALS, _of("uint32 uint64"), "saturate_cast"),
    (REALS - _of("uint8"), INTEGERS - WIDE, "range.Tidx"),
    (REALS - _of("uint32 uint64"), NONE, "max_pool"),
    (INEXACT | WIDE, NONE, "squared_difference"),
    (INEXACT | WIDE, BRAIN, "tensor_diag tensor_diag_part"),
    (INEXACT | TEXT, TEXT, "silu"),
    (
        INEXACT,
        NONE,
        """
        acos acosh asin asinh atan atanh clip_by_norm cos cosh exp expm1 log log1p multiply_no_nan
        rsqrt sigmoid sin sinh sqrt tan tanh xdivy xlog1py xlogy
        """,
    ),
    (INEXACT, HALF | BRAIN, "triangular_solve"),
    (SOLVABLE | UNSIGNED, HALF | UNSIGNED, "lstsq"),
    (SOLVABLE, NONE, "inv qr"),
    (SOLVABLE, HALF, "cholesky det eigh expm logdet matrix_solve_ls pinv slogdet solve svd"),
    (FLOATS | WIDE, HALF | BRAIN, "truncatemod"),
    (FLOATS | _of("int32"), NONE, "conv1d_transpose conv2d conv2d_transpose"),
    (
        FLOATS,
        NONE,
        """
        atan2 avg_pool ceil check_numerics cumulative_logsumexp depthwise_conv2d elu erf erfc floor global_norm
        is_finite is_inf is_nan l2_loss log_sigmoid log_softmax normal.dtype reduce_logsumexp selu
        sigmoid_cross_entropy_with_logits softmax softmax_cross_entropy_with_logits softplus softsign
        sparse_softmax_cross_entropy_with_logits uniform.dtype
        """,
    ),
    (FLOATS, BRAIN, "digamma lgamma"),
    (FLOATS, HALF | BRAIN, "rint"),
    (DOUBLES | HALF | WIDE, NONE, "binomial.dtype"),
    (DOUBLES | HALF | WIDE, WIDE, "stateless_binomial"),
    (DOUBLES | HALF, NONE, "binomial"),
    (DOUBLES | WIDE, NONE, "bincount"),
    (DOUBLES, NONE, "polygamma"),
    (COMPLEX, NONE, "fft.Tcomplex fft2d.Tcomplex fft3d.Tcomplex ifft.Tcomplex ifft2d.Tcomplex ifft3d.Tcomplex"),
    (TRUTH, NONE, "logical_and() logical_not() logical_or() logical_xor() reduce_all reduce_any"),
    (SMALL | WIDE | _of("uint8 uint16"), NONE, "argmax.axis"),
    (_of("uint8 int8 int32 int64"), NONE, "one_hot.TI"),
    (WIDE | _of("uint32 uint64"), NONE, "uniform_full_int.dtype"),
    (WIDE | _of("uint32 uint64"), UNSIGNED, "uniform_int.dtype"),
    (PLACES | _of("uint16"), NONE, "argmax.output_type"),
    (PLACES | _of("uint16"), _of("int16 uint16"), "tensor_scatter_nd_update.Tindices"),
    (PLACES, NONE, "gather.Tindices gather_nd.Tindices strided_slice.Index top_k.Tk unsorted_segment_sum.Tindices"),
    (PLACES, _of("int16"), "scatter_nd.Tindices"),
    (_of("int8") | WIDE, NONE, "split.Tlen"),
    (WIDE, NONE, "in_top_k"),
)


class _TakesTable(dict[str, Dtypes]):
    def __missing__(self, op: str) -> Dtypes:
        if "." in op:
            return WIDE
        raise KeyError(f"{op} has no row in tapeviz/engine/op_dtypes.py.")


ALLOWED = _TakesTable({name: allowed for allowed, _, names in _ROWS for name in names.split()})
TAKES = _TakesTable(
    {name: allowed - without if without else allowed for allowed, without, names in _ROWS for name in names.split()}
)


def row_of_function(op: str) -> str:
    """The row of an op's public function: `op()` if there is one, else that of the op."""
    own = f"{op}()"
    return own if own in TAKES else op


def spoken(row: str) -> str:
    """The name of a row's op in errors."""
    return row.removesuffix("()")
