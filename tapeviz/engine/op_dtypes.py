"""The name of an op -> the dtypes that it takes, and TensorFlow's list of them in errors.

A row has the dtypes in the signature of TensorFlow's op, and those of them that have no kernel for CPUs. A dtype that
is not in the signature is an InvalidArgumentError, one that only has no kernel a NotFoundError. An input with a dtype
attribute of its own has a row `op.attribute`; without a row, it takes int32 and int64. If an op's Python operator takes
more dtypes than its function, the function has a row `op()`. An op without a row is a KeyError: its name is misspelt,
or its row was forgotten.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from tapeviz.engine.specs.dtypes import DTYPES

Dtypes: TypeAlias = frozenset[np.dtype[Any]]

_ABSENT = {"qint8", "quint8", "qint16", "quint16", "qint32", "variant"}
"""Dtypes in TensorFlow's lists that tapeviz does not have."""


def _of(names: str) -> Dtypes:
    return frozenset(DTYPES[name]._numpy for name in names.split() if name not in _ABSENT)


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
NONE = _of("")

_FLOATS = "bfloat16 float16 float32 float64"
_HALF_FIRST = "float16 bfloat16 float32 float64"
_COMPLEX = "complex64 complex128"
_UNSIGNED = "uint8 uint16 uint32 uint64"
_SIGNED = f"{_FLOATS} int8 int16 int32 int64"
_FACTORS = f"{_FLOATS} uint8 int8 uint16 int16 int32 uint32 uint64 int64 {_COMPLEX}"
_PRODUCTS = f"{_FLOATS} int32 int64 {_UNSIGNED} {_COMPLEX}"
_COMPARED = "float32 float64 int32 uint8 int16 int8 int64 bfloat16 uint16 float16 uint32 uint64"
_LARGEST = f"{_COMPARED} qint8 quint8 qint32 qint16 quint16"
_SUMMED = (
    "float32 float64 int32 uint8 int16 int8 complex64 int64 qint8 quint8 qint32 bfloat16 qint16 quint16 uint16 "
    "complex128 float16 uint32 uint64"
)


class _Signature(NamedTuple):
    """Ops whose signatures allow the same dtypes.

    Attributes:
        listed: these dtypes, in the order of TensorFlow's errors; a set where that is the order of tapeviz's own.
        ops: the names of the ops.
        without: the dtypes that have no kernel.
        taken: the dtypes that tapeviz's op takes, kernel or not, where TensorFlow's function has several ops.
    """

    listed: str | Dtypes
    ops: str
    without: Dtypes = NONE
    taken: Dtypes | None = None

    @property
    def allowed(self) -> Dtypes:
        return self.taken or (_of(self.listed) if isinstance(self.listed, str) else self.listed)

    @property
    def names(self) -> list[str]:
        if isinstance(self.listed, str):
            return self.listed.split()
        return [name for name, each in DTYPES.items() if each._numpy in self.listed]


_ROWS = (
    _Signature(
        EVERY,
        """
        assert assert_near concat dynamic_stitch equal log_poisson_loss not_equal pad scatter_nd_update.dtype
        scatter_update.dtype stack tensor_scatter_nd_update weighted_cross_entropy_with_logits where
        """,
    ),
    _Signature(EVERY, "unique", COMPLEX),
    _Signature(EVERY, "searchsorted tensor_scatter_nd_max tensor_scatter_nd_min upper_bound", COMPLEX | TRUTH | TEXT),
    _Signature(EVERY, "einsum", SMALL | UNSIGNED | TRUTH | TEXT),
    _Signature(EVERY, "band_part diag diag_part set_diag", TEXT),
    _Signature(EVERY, "tensor_scatter_nd_add tensor_scatter_nd_sub", TRUTH | TEXT),
    _Signature(EVERY, "tile", _of("uint16")),
    _Signature(EVERY - TEXT, "scatter_nd_add.dtype"),
    # ----- numbers -----
    _Signature(NUMBERS, "div divide_no_nan scatter_nd_sub.dtype truediv"),
    _Signature(f"{_FLOATS} {_UNSIGNED} int8 int16 int32 int64 {_COMPLEX}", "add", taken=NUMBERS | TEXT),
    _Signature(f"{_FLOATS} uint8 int8 uint16 int16 int32 int64 {_COMPLEX} uint32 uint64", "sub"),
    _Signature(_FACTORS, "mul", taken=NUMBERS | TRUTH),
    _Signature(_FACTORS, "mul()"),
    _Signature(_FACTORS, "floordiv truncatediv", COMPLEX),
    _Signature(_PRODUCTS, "matmul() tensordot", UNSIGNED),
    _Signature(_PRODUCTS, "matmul", UNSIGNED, taken=NUMBERS - _of("int8")),
    _Signature(f"{_SIGNED} {_UNSIGNED} {_COMPLEX}", "square"),
    _Signature(f"{_SIGNED} {_COMPLEX}", "neg sign"),
    _Signature(f"{_SIGNED} {_COMPLEX}", "reciprocal", INTEGERS),
    _Signature(f"{_SIGNED} {_COMPLEX}", "round", COMPLEX, taken=NUMBERS),
    _Signature(_SIGNED, "abs", taken=SIGNED),
    _Signature(f"bfloat16 float32 float16 float64 int8 int16 int32 int64 {_COMPLEX}", "pow"),
    _Signature(f"{_FLOATS} int8 uint8 int16 uint16 int32 uint32 int64 uint64 {_COMPLEX} bool", "ones_like"),
    _Signature(f"{_FLOATS} int32 int64 {_COMPLEX}", "squared_difference"),
    _Signature(f"{_FLOATS} int32 int64 {_COMPLEX}", "tensor_diag tensor_diag_part", BRAIN),
    _Signature(
        _SUMMED,
        """
        bias_add cumprod cumsum reduce_euclidean_norm reduce_mean reduce_prod reduce_sum reduce_variance
        scatter_add.dtype scatter_div.dtype scatter_mul.dtype scatter_sub.dtype segment_mean segment_prod segment_sum
        unsorted_segment_prod unsorted_segment_sum
        """,
    ),
    _Signature(_SUMMED, "scatter_max.dtype scatter_min.dtype", taken=REALS),
    _Signature(f"{_SUMMED} variant", "add_n"),
    _Signature(f"{_SUMMED} bool", "where_true", HALF),
    # ----- real numbers -----
    _Signature(
        REALS,
        """
        argsort crelu scatter_nd_max.dtype scatter_nd_min.dtype sort unsorted_segment_mean unsorted_segment_sqrt_n
        """,
    ),
    _Signature(REALS, "saturate_cast", _of("uint32 uint64")),
    _Signature(
        _COMPARED,
        """
        cross greater greater_equal less less_equal relu6 segment_max segment_min top_k unsorted_segment_max
        unsorted_segment_min
        """,
    ),
    _Signature(_COMPARED, "multinomial", INTEGERS),
    _Signature(f"{_COMPARED} qint8", "relu"),
    _Signature(_LARGEST, "reduce_max reduce_min"),
    _Signature(f"{_LARGEST} bool", "argmax argmin"),
    _Signature(f"{_FLOATS} int8 uint8 int16 uint16 int32 uint32 int64 uint64", "maximum minimum"),
    _Signature(f"int8 int16 int32 int64 {_UNSIGNED} {_FLOATS}", "mod"),
    _Signature(f"int32 int64 {_FLOATS}", "truncatemod", HALF | BRAIN),
    _Signature(f"{_SIGNED} uint16 uint32 uint64", "range.Tidx", INTEGERS - WIDE),
    _Signature(f"{_HALF_FIRST} int32 int64 uint8 int16 int8 uint16 qint8", "max_pool"),
    _Signature(f"{_HALF_FIRST} int32", "conv1d_transpose conv2d conv2d_transpose"),
    _Signature("float16 float32 float64 int32 int64", "binomial.dtype"),
    _Signature("float16 float32 float64 int32 int64", "stateless_binomial", WIDE),
    _Signature("int32 int64 float32 float64", "bincount"),
    # ----- floating and complex numbers -----
    _Signature(
        f"{_FLOATS} {_COMPLEX}",
        """
        acos acosh asin asinh atan atanh clip_by_norm cos cosh exp expm1 log log1p multiply_no_nan rsqrt sigmoid sin
        sinh sqrt tan tanh
        """,
    ),
    _Signature(f"{_FLOATS} {_COMPLEX}", "silu", TEXT, taken=INEXACT | TEXT),
    _Signature(f"{_HALF_FIRST} {_COMPLEX}", "xdivy xlog1py xlogy"),
    _Signature(f"float64 float32 float16 {_COMPLEX}", "inv qr"),
    _Signature(f"float64 float32 float16 {_COMPLEX}", "cholesky eigh logdet matrix_solve_ls solve svd", HALF),
    _Signature(f"float16 float32 float64 {_COMPLEX}", "det slogdet", HALF),
    _Signature(f"bfloat16 float64 float32 float16 {_COMPLEX}", "triangular_solve", HALF | BRAIN),
    _Signature(SOLVABLE, "expm pinv", HALF),
    _Signature(SOLVABLE | UNSIGNED, "lstsq", HALF | UNSIGNED),
    _Signature(_COMPLEX, "fft.Tcomplex fft2d.Tcomplex fft3d.Tcomplex ifft.Tcomplex ifft2d.Tcomplex ifft3d.Tcomplex"),
    # ----- floating numbers -----
    _Signature(FLOATS, "log_sigmoid reduce_logsumexp sigmoid_cross_entropy_with_logits"),
    _Signature(_FLOATS, "atan2 ceil check_numerics cumulative_logsumexp erf erfc floor is_finite is_inf is_nan"),
    _Signature(_FLOATS, "digamma lgamma", BRAIN),
    _Signature(_FLOATS, "rint", HALF | BRAIN),
    _Signature(
        _HALF_FIRST,
        """
        avg_pool depthwise_conv2d elu global_norm l2_loss log_softmax normal.dtype selu softmax
        softmax_cross_entropy_with_logits softplus softsign sparse_softmax_cross_entropy_with_logits uniform.dtype
        """,
    ),
    _Signature(_HALF_FIRST, "leaky_relu", taken=REALS),
    _Signature(DOUBLES | HALF, "binomial"),
    _Signature("float32 float64", "polygamma"),
    # ----- booleans and integers -----
    _Signature(TRUTH, "logical_and() logical_not() logical_or() logical_xor() reduce_all reduce_any"),
    _Signature(
        f"int8 int16 int32 int64 {_UNSIGNED}",
        "logical_and logical_not logical_or logical_xor",
        taken=INTEGERS | TRUTH,
    ),
    _Signature(SMALL | WIDE | _of("uint8 uint16"), "argmax.axis"),
    _Signature("uint8 int8 int32 int64", "one_hot.TI"),
    _Signature(WIDE | _of("uint32 uint64"), "uniform_full_int.dtype"),
    _Signature("int32 int64 uint32 uint64", "uniform_int.dtype", UNSIGNED),
    _Signature("int16 uint16 int32 int64", "argmax.output_type"),
    _Signature("int16 int32 int64 uint16", "tensor_scatter_nd_update.Tindices", _of("int16 uint16")),
    _Signature(
        "int16 int32 int64",
        "gather.Tindices gather_nd.Tindices strided_slice.Index top_k.Tk unsorted_segment_sum.Tindices",
    ),
    _Signature("int16 int32 int64", "scatter_nd.Tindices", _of("int16")),
    _Signature("int8 int32 int64", "split.Tlen"),
    _Signature("int32 int64", "in_top_k"),
)
_ROW_OF = {op: row for row in _ROWS for op in row.ops.split()}


class _TakesTable(dict[str, Dtypes]):
    def __missing__(self, op: str) -> Dtypes:
        if "." in op:
            return WIDE
        raise KeyError(f"{op} has no row in tapeviz/engine/op_dtypes.py.")


ALLOWED = _TakesTable({op: row.allowed for op, row in _ROW_OF.items()})
"""The dtypes in the signature of each op."""
TAKES = _TakesTable({op: row.allowed - row.without if row.without else row.allowed for op, row in _ROW_OF.items()})
"""The dtypes that each op takes."""


def listed_dtypes(op: str) -> list[str]:
    """The names of the dtypes in the signature of an op or attribute, in the order of TensorFlow's errors.

    >>> listed_dtypes("floor"), listed_dtypes("reshape.Tshape")
    (['bfloat16', 'float16', 'float32', 'float64'], ['int32', 'int64'])
    """
    if op in _ROW_OF:
        return _ROW_OF[op].names
    return ["int32", "int64"] if "." in op else list(DTYPES)


def row_of_function(op: str) -> str:
    """The row of an op's public function: `op()` if there is one, else that of the op."""
    own = f"{op}()"
    return own if own in TAKES else op


def spoken(row: str) -> str:
    """The name of a row's op in errors."""
    return row.removesuffix("()")
