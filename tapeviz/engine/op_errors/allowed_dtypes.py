"""The row of an op and the dtype it was given -> the dtypes that TensorFlow's error lists as allowed, in its order.

The lists contain dtypes that tapeviz does not have, and nearly every op has an order of its own. That is why they are
written down here, besides the dtypes that ops take in `op_dtypes`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.op_dtypes import ALLOWED, EVERY
from tapeviz.engine.op_errors.spelling import spelled
from tapeviz.engine.specs.dtypes import DTYPES, of_numpy

_PLACES = "int32, int64"
"""The list of an attribute without a row here: most are the dtypes of axes, shapes and indices."""

_FLOATS = "bfloat16, half, float, double"
_HALF_FIRST = "half, bfloat16, float, double"
_WITH_INTEGERS = f"{_FLOATS}, int8, int16, int32, int64"
_PRODUCTS = f"{_FLOATS}, int32, int64, uint8, uint16, uint32, uint64, complex64, complex128"
_COMPARED = "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64"
_LARGEST = f"{_COMPARED}, qint8, quint8, qint32, qint16, quint16"
_SUMMED = (
    "float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, "
    "bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64"
)

_LISTS = {
    _FLOATS: """
        atan2 ceil check_numerics cumulative_logsumexp digamma erf erfc floor is_finite is_inf is_nan lgamma rint
        """,
    f"{_FLOATS}, complex64, complex128": """
        acos acosh asin asinh atan atanh clip_by_norm cos cosh exp expm1 log log1p multiply_no_nan rsqrt sigmoid silu
        sin sinh sqrt tan tanh
        """,
    f"{_FLOATS}, int32, int64, complex64, complex128": "squared_difference tensor_diag tensor_diag_part",
    _WITH_INTEGERS: "abs",
    f"{_WITH_INTEGERS}, complex64, complex128": "neg reciprocal round sign",
    f"{_WITH_INTEGERS}, uint8, uint16, uint32, uint64, complex64, complex128": "square",
    f"{_WITH_INTEGERS}, uint16, uint32, uint64": "range.Tidx",
    "bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128": "pow",
    f"{_FLOATS}, int8, uint8, int16, uint16, int32, uint32, int64, uint64": "maximum minimum",
    f"{_FLOATS}, int8, uint8, int16, uint16, int32, uint32, int64, uint64, complex64, complex128, bool": "ones_like",
    f"{_FLOATS}, uint8, uint16, uint32, uint64, int8, int16, int32, int64, complex64, complex128": "add",
    f"{_FLOATS}, uint8, int8, uint16, int16, int32, int64, complex64, complex128, uint32, uint64": "sub",
    f"{_FLOATS}, uint8, int8, uint16, int16, int32, uint32, uint64, int64, complex64, complex128": """
        floordiv mul mul() truncatediv
        """,
    _PRODUCTS: "matmul matmul() tensordot",
    f"int8, int16, int32, int64, uint8, uint16, uint32, uint64, {_FLOATS}": "mod",
    f"int32, int64, {_FLOATS}": "truncatemod",
    _HALF_FIRST: """
        avg_pool depthwise_conv2d elu global_norm l2_loss leaky_relu log_softmax normal.dtype selu softmax
        softmax_cross_entropy_with_logits softplus softsign sparse_softmax_cross_entropy_with_logits uniform.dtype
        """,
    f"{_HALF_FIRST}, complex64, complex128": "xdivy xlog1py xlogy",
    f"{_HALF_FIRST}, int32": "conv1d_transpose conv2d conv2d_transpose",
    f"{_HALF_FIRST}, int32, int64, uint8, int16, int8, uint16, qint8": "max_pool",
    "half, float, double, complex64, complex128": "det slogdet",
    "half, float, double, int32, int64": "binomial.dtype stateless_binomial",
    "double, float, half, complex64, complex128": "cholesky eigh inv logdet matrix_solve_ls qr solve svd",
    "bfloat16, double, float, half, complex64, complex128": "triangular_solve",
    "float, double": "polygamma",
    _COMPARED: """
        cross greater greater_equal less less_equal multinomial relu6 segment_max segment_min top_k
        unsorted_segment_max unsorted_segment_min
        """,
    f"{_COMPARED}, qint8": "relu",
    _LARGEST: "reduce_max reduce_min",
    f"{_LARGEST}, bool": "argmax argmin",
    _SUMMED: """
        bias_add cumprod cumsum reduce_euclidean_norm reduce_mean reduce_prod reduce_sum reduce_variance
        scatter_add.dtype scatter_div.dtype scatter_max.dtype scatter_min.dtype scatter_mul.dtype scatter_sub.dtype
        segment_mean segment_prod segment_sum unsorted_segment_prod unsorted_segment_sum
        """,
    f"{_SUMMED}, bool": "where_true",
    f"{_SUMMED}, variant": "add_n",
    "int8, int16, int32, int64, uint8, uint16, uint32, uint64": "logical_and logical_not logical_or logical_xor",
    "int32, int64, float, double": "bincount",
    "int32, int64, uint32, uint64": "uniform_int.dtype",
    "int16, int32, int64": """
        gather.Tindices gather_nd.Tindices scatter_nd.Tindices strided_slice.Index top_k.Tk
        unsorted_segment_sum.Tindices
        """,
    "int16, int32, int64, uint16": "tensor_scatter_nd_update.Tindices",
    "int16, uint16, int32, int64": "argmax.output_type",
    "int8, int32, int64": "split.Tlen",
    "uint8, int8, int32, int64": "one_hot.TI",
    "complex64, complex128": "fft.Tcomplex fft2d.Tcomplex fft3d.Tcomplex ifft.Tcomplex ifft2d.Tcomplex ifft3d.Tcomplex",
    _PLACES: "in_top_k",
}
_LIST_OF = {row: listed for listed, rows in _LISTS.items() for row in rows.split()}

_MADE_OF = {
    "argsort": ("neg", "top_k"),
    "crelu": ("neg", "relu"),
    "log_sigmoid": ("neg", "softplus"),
    "lstsq": ("matmul", "cholesky"),
    "reduce_logsumexp": ("reduce_max", "is_finite"),
    "sigmoid_cross_entropy_with_logits": ("greater_equal", "neg", "exp"),
    "sort": ("neg", "top_k"),
    "unsorted_segment_mean": ("unsorted_segment_sum", "maximum"),
    "unsorted_segment_sqrt_n": ("unsorted_segment_sum", "maximum"),
}
"""For ops that consist of other ops in TensorFlow: the rows of these, in the order in which they check the dtype."""


_PARAMETERS = {
    "a": "cross matmul matmul() polygamma tensordot",
    "data": """
        segment_max segment_mean segment_min segment_prod segment_sum unsorted_segment_max unsorted_segment_min
        unsorted_segment_prod unsorted_segment_sum
        """,
    "features": """
        elu leaky_relu relu relu6 selu softmax_cross_entropy_with_logits softplus softsign
        sparse_softmax_cross_entropy_with_logits
        """,
    "indices": "gather.Tindices gather_nd.Tindices one_hot.TI scatter_nd.Tindices tensor_scatter_nd_update.Tindices",
    "input": """
        argmax argmin cholesky conv2d depthwise_conv2d det eigh inv logdet max_pool qr reduce_euclidean_norm reduce_max
        reduce_mean reduce_min reduce_prod reduce_sum reduce_variance slogdet svd tensor_diag_part top_k where_true
        """,
    "inputs": "add_n",
    "logits": "log_softmax multinomial softmax",
    "matrix": "matrix_solve_ls solve triangular_solve",
    "shape": ".Tshape",
    "t": "l2_loss",
    "tensor": "check_numerics",
    "value": "avg_pool bias_add",
    "x": """
        abs acos acosh add asin asinh atan atanh ceil clip_by_norm cos cosh cumprod cumsum cumulative_logsumexp digamma
        erf erfc exp expm1 floor floordiv greater greater_equal is_finite is_inf is_nan less less_equal lgamma log log1p
        maximum minimum mod mul mul() multiply_no_nan neg ones_like pow reciprocal rint round rsqrt sigmoid sign silu
        sin sinh sqrt square squared_difference sub tan tanh truncatediv truncatemod xdivy xlog1py xlogy
        """,
    "y": "atan2",
}
_PARAMETER_OF = {row: name for name, rows in _PARAMETERS.items() for row in rows.split()}
"""TensorFlow's name of the parameter that has the dtype, in errors while it builds a graph."""

_IN_PYTHON = {spelled(each._numpy): each.name for each in DTYPES.values()}


def allowed(row: str, dtype: np.dtype[Any]) -> str:
    """The list at the end of TensorFlow's error for a dtype; of several ops, that of the first which refuses it.

    >>> allowed("floor", np.dtype("int32")), allowed("reshape.Tshape", np.dtype("float32"))
    ('bfloat16, half, float, double', 'int32, int64')
    """
    row = _refusing(row, dtype)
    if row in _LIST_OF:
        return _LIST_OF[row]
    if "." in row:
        return _PLACES
    taken = ALLOWED.get(row, EVERY)
    return ", ".join(spelled(each._numpy) for each in DTYPES.values() if each._numpy in taken)


def passed(row: str, dtype: np.dtype[Any]) -> str | None:
    """TensorFlow's message about a dtype while it builds a graph, when its Python code checks dtypes.

    >>> passed("floor", np.dtype("int32"))[:52]
    "Value passed to parameter 'x' has DataType int32 not"
    """
    parameter = _PARAMETER_OF.get(_refusing(row, dtype))
    names = ", ".join(_IN_PYTHON.get(each, each) for each in allowed(row, dtype).split(", "))
    said = f"has DataType {of_numpy(dtype).name} not in list of allowed values: {names}"
    return parameter and f"Value passed to parameter '{parameter}' {said}"


def _refusing(row: str, dtype: np.dtype[Any]) -> str:
    """The row of the first op, of those that an op consists of, which refuses a dtype."""
    parts = _MADE_OF.get(row, ())
    return next((part for part in parts if spelled(dtype) not in _LIST_OF[part].split(", ")), row)
