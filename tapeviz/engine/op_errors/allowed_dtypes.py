"""An op and a dtype that it does not take -> TensorFlow's list of those that it takes, and its message in a graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.op_dtypes import listed_dtypes
from tapeviz.engine.op_errors.spelling import SPELLED
from tapeviz.engine.specs.dtypes import of_numpy

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
"""For functions that call several ops in TensorFlow: the rows of these ops, in the order in which they are called."""


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


def allowed(row: str, dtype: np.dtype[Any]) -> str:
    """The list at the end of TensorFlow's error for a dtype that an op or attribute does not take.

    >>> allowed("floor", np.dtype("int32")), allowed("reshape.Tshape", np.dtype("float32"))
    ('bfloat16, half, float, double', 'int32, int64')
    """
    return ", ".join(SPELLED.get(name, name) for name in listed_dtypes(_refusing(row, dtype)))


def passed(row: str, dtype: np.dtype[Any]) -> str | None:
    """The message about a dtype while a graph is built, or None if TensorFlow does not check it in Python.

    >>> passed("floor", np.dtype("int32"))[:52]
    "Value passed to parameter 'x' has DataType int32 not"
    """
    row = _refusing(row, dtype)
    if row not in _PARAMETER_OF:
        return None
    said = f"has DataType {of_numpy(dtype).name} not in list of allowed values: {', '.join(listed_dtypes(row))}"
    return f"Value passed to parameter '{_PARAMETER_OF[row]}' {said}"


def _refusing(row: str, dtype: np.dtype[Any]) -> str:
    """The row of the first op that does not take a dtype, among those that TensorFlow's function calls."""
    name = of_numpy(dtype).name
    return next((each for each in _MADE_OF.get(row, ()) if name not in listed_dtypes(each)), row)
