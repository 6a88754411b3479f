"""An op, a dtype or a shape -> how TensorFlow's errors write it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tapeviz.engine.specs.dtypes import of_numpy

KERNELS = {
    "add": "AddV2",
    "argmax": "ArgMax",
    "argmin": "ArgMin",
    "argsort": "TopKV2",
    "band_part": "MatrixBandPart",
    "bincount": "DenseBincount",
    "boolean_mask": "GatherV2",
    "categorical": "Multinomial",
    "concat": "ConcatV2",
    "conv1d_transpose": "Conv2DBackpropInput",
    "conv2d": "Conv2D",
    "conv2d_filters": "Conv2DBackpropFilter",
    "conv2d_picture": "Conv2DBackpropInput",
    "conv2d_transpose": "Conv2DBackpropInput",
    "depthwise_conv2d": "DepthwiseConv2dNative",
    "depthwise_conv2d_filters": "DepthwiseConv2dNativeBackpropFilter",
    "depthwise_conv2d_picture": "DepthwiseConv2dNativeBackpropInput",
    "det": "MatrixDeterminant",
    "diag": "MatrixDiagV3",
    "diag_part": "MatrixDiagPartV3",
    "div": "RealDiv",
    "divide_no_nan": "DivNoNan",
    "eigh": "SelfAdjointEigV2",
    "expm": "MatrixSolve",
    "fft": "FFT",
    "fft2d": "FFT2D",
    "fft3d": "FFT3D",
    "floordiv": "FloorDiv",
    "gather": "GatherV2",
    "getitem": "StridedSlice",
    "global_norm": "Pack",
    "ifft": "IFFT",
    "ifft2d": "IFFT2D",
    "ifft3d": "IFFT3D",
    "in_top_k": "InTopKV2",
    "inv": "MatrixInverse",
    "log_poisson_loss": "Mul",
    "logdet": "Cholesky",
    "logical_xor": "LogicalOr",
    "lstsq": "MatMul",
    "mask": "SelectV2",
    "matmul": "MatMul",
    "matmul.batched": "BatchMatMulV2",
    "matrix_transpose": "Transpose",
    "mod": "FloorMod",
    "multiply_no_nan": "MulNoNan",
    "pad": "PadV2",
    "pinv": "Svd",
    "pooled_from": "MaxPoolGradGrad",
    "put": "TensorScatterUpdate",
    "put_along": "TensorScatterUpdate",
    "put_mask": "TensorScatterUpdate",
    "reduce_all": "All",
    "reduce_any": "Any",
    "reduce_euclidean_norm": "EuclideanNorm",
    "reduce_logsumexp": "Log",
    "reduce_max": "Max",
    "reduce_mean": "Mean",
    "reduce_min": "Min",
    "reduce_prod": "Prod",
    "reduce_sum": "Sum",
    "reduce_variance": "Mean",
    "repeat": "GatherV2",
    "reverse": "ReverseV2",
    "saturate_cast": "ClipByValue",
    "scatter_rows": "UnsortedSegmentSum",
    "searchsorted": "LowerBound",
    "set_diag": "MatrixSetDiagV3",
    "sigmoid_cross_entropy_grad": "Mul",
    "sigmoid_cross_entropy_with_logits": "Mul",
    "silu": "Mul",
    "split.sizes": "SplitV",
    "slogdet": "LogMatrixDeterminant",
    "softmax_cross_entropy_grad": "Mul",
    "solve": "MatrixSolve",
    "sort": "TopKV2",
    "sparse_softmax_cross_entropy_grad": "Mul",
    "stack": "Pack",
    "stateless_binomial": "StatelessRandomBinomial",
    "sum_to": "Sum",
    "take_along": "GatherV2",
    "tensor_diag": "Diag",
    "tensor_diag_part": "DiagPart",
    "tensor_scatter_nd_add": "TensorScatterAdd",
    "tensor_scatter_nd_max": "TensorScatterMax",
    "tensor_scatter_nd_min": "TensorScatterMin",
    "tensor_scatter_nd_sub": "TensorScatterSub",
    "tensor_scatter_nd_update": "TensorScatterUpdate",
    "tensordot": "MatMul",
    "top_k": "TopKV2",
    "triangular_solve": "MatrixTriangularSolve",
    "truncatediv": "TruncateDiv",
    "truncatemod": "TruncateMod",
    "uniform_int": "StatelessRandomUniformIntV2",
    "unstack": "Unpack",
    "where": "SelectV2",
    "where_true": "Where",
}
"""TensorFlow's name of an op, or of the op that it consists of, if that is not our name in CamelCase."""

OF_DTYPES = {
    "add": ("O", "Add"),
    "logical_and": ("iu", "BitwiseAnd"),
    "logical_or": ("iu", "BitwiseOr"),
    "logical_xor": ("iu", "BitwiseXor"),
}
"""By op: the kinds of NumPy dtypes for which TensorFlow has a different op, and its name."""


def kernel(op: str, dtype: np.dtype[Any] | None = None) -> str:
    """TensorFlow's name of an op, for inputs of a dtype. What follows a dot in our name is what it also depends on.

    >>> kernel("squared_difference"), kernel("add"), kernel("add", np.dtype(object))
    ('SquaredDifference', 'AddV2', 'Add')
    """
    kinds, own = OF_DTYPES.get(op, ("", ""))
    if dtype is not None and dtype.kind in kinds:
        return own
    plain = op.partition(".")[0]
    return KERNELS.get(op) or KERNELS.get(plain) or "".join(part.capitalize() for part in plain.split("_"))


SPELLED = {"float16": "half", "float32": "float", "float64": "double"}
"""The names of dtypes in errors of TensorFlow's kernels that differ from the usual ones."""


def spelled(dtype: np.dtype[Any]) -> str:
    """The name of a dtype in errors of TensorFlow's kernels."""
    name = of_numpy(dtype).name
    return SPELLED.get(name, name)


def listed(shape: Iterable[Any]) -> str:
    """A shape, or another list of integers, as TensorFlow's kernels write it; None is `?`.

    >>> listed((2, None, 3))
    '[2,?,3]'
    """
    return f"[{','.join('?' if n is None else str(n) for n in shape)}]"
