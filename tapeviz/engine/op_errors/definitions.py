"""An op -> TensorFlow's definition of it, as far as errors tell of it: its name, its inputs and their dtypes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from tapeviz.engine.specs.dtypes import DTYPES

_OPS = {
    "Add(x: T, y: T)": "add.strings",
    "AddN(*inputs: T)": "add_n",
    "AddV2(x: T, y: T)": "add",
    "All(input: bool, reduction_indices: Tidx)": "reduce_all",
    "Any(input: bool, reduction_indices: Tidx)": "reduce_any",
    "ArgMax(input: T, dimension: Tidx)": "argmax",
    "ArgMin(input: T, dimension: Tidx)": "argmin",
    "Assert(condition: bool, *data: T)": "assert",
    "Atan2(y: T, x: T)": "atan2",
    "AvgPool(value: T)": "avg_pool",
    "BatchMatMulV2(x: T, y: T)": "matmul.batched",
    "BiasAdd(value: T, bias: T)": "bias_add",
    "BitwiseAnd(x: T, y: T)": "logical_and.integers",
    "BitwiseOr(x: T, y: T)": "logical_or.integers",
    "BitwiseXor(x: T, y: T)": "logical_xor.integers",
    "BroadcastArgs(s0: T, s1: T)": "broadcast_args",
    "BroadcastTo(input: T, shape: Tidx)": "broadcast_to",
    "CheckNumerics(tensor: T)": "check_numerics",
    "Cholesky(input: T)": "cholesky logdet",
    "ClipByValue(t: T, clip_value_min: T, clip_value_max: T)": "saturate_cast",
    "Complex(real: T, imag: T)": "complex",
    "ConcatV2(*values: T, axis: Tidx)": "concat",
    "Conv2D(input: T, filter: T)": "conv2d",
    "Conv2DBackpropFilter(input: T, filter_sizes: int32, out_backprop: T)": "conv2d_filters",
    "Conv2DBackpropInput(input_sizes: int32, filter: T, out_backprop: T)": """
        conv1d_transpose conv2d_picture conv2d_transpose
        """,
    "Cross(a: T, b: T)": "cross",
    "Cumprod(x: T, axis: Tidx)": "cumprod",
    "Cumsum(x: T, axis: Tidx)": "cumsum",
    "CumulativeLogsumexp(x: T, axis: Tidx)": "cumulative_logsumexp",
    "DenseBincount(input: Tidx, size: Tidx, weights: T)": "bincount",
    "DepthwiseConv2dNative(input: T, filter: T)": "depthwise_conv2d",
    "DepthwiseConv2dNativeBackpropFilter(input: T, filter_sizes: int32, out_backprop: T)": "depthwise_conv2d_filters",
    "DepthwiseConv2dNativeBackpropInput(input_sizes: int32, filter: T, out_backprop: T)": "depthwise_conv2d_picture",
    "Diag(diagonal: T)": "tensor_diag",
    "DiagPart(input: T)": "tensor_diag_part",
    "DivNoNan(x: T, y: T)": "divide_no_nan",
    "DynamicPartition(data: T, partitions: int32)": "dynamic_partition",
    "DynamicStitch(*indices: int32, *data: T)": "dynamic_stitch",
    "Einsum(*inputs: T)": "einsum",
    "Elu(features: T)": "elu",
    "EuclideanNorm(input: T, reduction_indices: Tidx)": "reduce_euclidean_norm",
    "ExpandDims(input: T, dim: Tdim)": "expand_dims",
    "FFT(input: Tcomplex)": "fft",
    "FFT2D(input: Tcomplex)": "fft2d",
    "FFT3D(input: Tcomplex)": "fft3d",
    "Fill(dims: index_type, value: T)": "fill",
    "FloorDiv(x: T, y: T)": "floordiv",
    "FloorMod(x: T, y: T)": "mod",
    "GatherNd(params: Tparams, indices: Tindices)": "gather_nd",
    "GatherV2(params: Tparams, indices: Tindices, axis: Taxis)": "boolean_mask gather repeat take_along",
    "IFFT(input: Tcomplex)": "ifft",
    "IFFT2D(input: Tcomplex)": "ifft2d",
    "IFFT3D(input: Tcomplex)": "ifft3d",
    "InTopKV2(predictions: float32, targets: T, k: T)": "in_top_k",
    "L2Loss(t: T)": "l2_loss",
    "LeakyRelu(features: T)": "leaky_relu",
    "Log(x: T)": "reduce_logsumexp",
    "LogMatrixDeterminant(input: T)": "slogdet",
    "LogSoftmax(logits: T)": "log_softmax",
    "LogicalAnd(x: bool, y: bool)": "logical_and",
    "LogicalNot(x: bool)": "logical_not",
    "LogicalOr(x: bool, y: bool)": "logical_or logical_xor",
    "LowerBound(sorted_inputs: T, values: T, out_type=DT_INT32)": "searchsorted",
    "MatMul(a: T, b: T, grad_a=false, grad_b=false, transpose_a=false, transpose_b=false)": "lstsq matmul tensordot",
    "MatrixBandPart(input: T, num_lower: Tindex, num_upper: Tindex, Tindex=DT_INT64)": "band_part",
    "MatrixDeterminant(input: T)": "det",
    "MatrixDiagPartV3(input: T, k: int32, padding_value: T)": "diag_part",
    "MatrixDiagV3(diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T)": "diag",
    "MatrixInverse(input: T)": "inv",
    "MatrixSetDiagV3(input: T, diagonal: T, k: int32)": "set_diag",
    "MatrixSolve(matrix: T, rhs: T, adjoint=false)": "expm solve",
    "MatrixSolveLs(matrix: T, rhs: T, l2_regularizer: float64)": "matrix_solve_ls",
    "MatrixTriangularSolve(matrix: T, rhs: T, adjoint=false, lower=true)": "triangular_solve",
    "Max(input: T, reduction_indices: Tidx)": "reduce_max",
    "MaxPool(input: T)": "max_pool",
    "MaxPoolGradGrad(orig_input: T, orig_output: T, grad: T)": "pooled_from",
    "Mean(input: T, reduction_indices: Tidx)": "reduce_mean reduce_variance",
    "Min(input: T, reduction_indices: Tidx)": "reduce_min",
    "MirrorPad(input: T, paddings: Tpaddings)": "mirror_pad",
    "Mul(x: T, y: T)": """
        log_poisson_loss sigmoid_cross_entropy_grad sigmoid_cross_entropy_with_logits silu softmax_cross_entropy_grad
        sparse_softmax_cross_entropy_grad
        """,
    "MulNoNan(x: T, y: T)": "multiply_no_nan",
    "Multinomial(logits: T, num_samples: int32)": "categorical multinomial",
    "OneHot(indices: TI, depth: int32, on_value: T, off_value: T)": "one_hot",
    "Pack(*values: T)": "global_norm stack",
    "PadV2(input: T, paddings: Tpaddings, constant_values: T)": "pad",
    "Polygamma(a: T, x: T)": "polygamma",
    "Prod(input: T, reduction_indices: Tidx)": "reduce_prod",
    "Qr(input: T)": "qr",
    "Range(start: Tidx, limit: Tidx, delta: Tidx)": "range",
    "RealDiv(x: T, y: T)": "div",
    "Relu(features: T)": "relu",
    "Relu6(features: T)": "relu6",
    "Reshape(tensor: T, shape: Tshape)": "reshape",
    "ResourceScatterAdd(resource: resource, indices: Tindices, updates: dtype)": "scatter_add",
    "ResourceScatterDiv(resource: resource, indices: Tindices, updates: dtype)": "scatter_div",
    "ResourceScatterMax(resource: resource, indices: Tindices, updates: dtype)": "scatter_max",
    "ResourceScatterMin(resource: resource, indices: Tindices, updates: dtype)": "scatter_min",
    "ResourceScatterMul(resource: resource, indices: Tindices, updates: dtype)": "scatter_mul",
    "ResourceScatterSub(resource: resource, indices: Tindices, updates: dtype)": "scatter_sub",
    "ResourceScatterUpdate(resource: resource, indices: Tindices, updates: dtype)": "scatter_update",
    "ReverseSequence(input: T, seq_lengths: Tlen)": "reverse_sequence",
    "ReverseV2(tensor: T, axis: Tidx)": "reverse",
    "Roll(input: T, shift: Tshift, axis: Taxis)": "roll",
    "ScatterNd(indices: Tindices, updates: T, shape: Tindices)": "scatter_nd",
    "SegmentMax(data: T, segment_ids: Tindices)": "segment_max",
    "SegmentMean(data: T, segment_ids: Tindices)": "segment_mean",
    "SegmentMin(data: T, segment_ids: Tindices)": "segment_min",
    "SegmentProd(data: T, segment_ids: Tindices)": "segment_prod",
    "SegmentSum(data: T, segment_ids: Tindices)": "segment_sum",
    "SelectV2(condition: bool, t: T, e: T)": "mask where",
    "SelfAdjointEigV2(input: T, compute_v=true)": "eigh",
    "Selu(features: T)": "selu",
    "Shape(input: T)": "shape",
    "Slice(input: T, begin: Index, size: Index)": "slice",
    "Softmax(logits: T)": "softmax",
    "SoftmaxCrossEntropyWithLogits(features: T, labels: T)": "softmax_cross_entropy_with_logits",
    "Softplus(features: T)": "softplus",
    "Softsign(features: T)": "softsign",
    "SparseSoftmaxCrossEntropyWithLogits(features: T, labels: Tlabels)": "sparse_softmax_cross_entropy_with_logits",
    "Split(split_dim: int32, value: T)": "split",
    "SplitV(value: T, size_splits: Tlen, split_dim: int32)": "split.Tlen",
    "StatelessRandomBinomial(shape: S, seed: Tseed, counts: T, probs: T)": "stateless_binomial",
    "StatelessRandomUniformIntV2(shape: Tshape, key: uint64, counter: uint64, alg: int32, minval: dtype, maxval: dtype)": "uniform_int",  # noqa: E501
    "StridedSlice(input: T, begin: Index, end: Index, strides: Index)": "getitem strided_slice",
    "Sum(input: T, reduction_indices: Tidx)": "reduce_sum sum_to",
    "Svd(input: T, compute_uv=true, full_matrices=false)": "pinv svd",
    "TensorScatterAdd(tensor: T, indices: Tindices, updates: T)": "tensor_scatter_nd_add",
    "TensorScatterMax(tensor: T, indices: Tindices, updates: T)": "tensor_scatter_nd_max",
    "TensorScatterMin(tensor: T, indices: Tindices, updates: T)": "tensor_scatter_nd_min",
    "TensorScatterSub(tensor: T, indices: Tindices, updates: T)": "tensor_scatter_nd_sub",
    "TensorScatterUpdate(tensor: T, indices: Tindices, updates: T)": "put put_along put_mask tensor_scatter_nd_update",
    "Tile(input: T, multiples: Tmultiples)": "tile",
    "TopKV2(input: T, k: Tk)": "argsort sort top_k",
    "Transpose(x: T, perm: Tperm)": "matrix_transpose transpose",
    "TruncateDiv(x: T, y: T)": "truncatediv",
    "TruncateMod(x: T, y: T)": "truncatemod",
    "Unpack(value: T)": "unstack",
    "UnsortedSegmentMax(data: T, segment_ids: Tindices, num_segments: Tnumsegments)": "unsorted_segment_max",
    "UnsortedSegmentMin(data: T, segment_ids: Tindices, num_segments: Tnumsegments)": "unsorted_segment_min",
    "UnsortedSegmentProd(data: T, segment_ids: Tindices, num_segments: Tnumsegments)": "unsorted_segment_prod",
    "UnsortedSegmentSum(data: T, segment_ids: Tindices, num_segments: Tnumsegments)": """
        scatter_rows unsorted_segment_sum
        """,
    "UpperBound(sorted_inputs: T, values: T, out_type=DT_INT32)": "upper_bound",
    "Where(input: T)": "where_true",
}
"""TensorFlow's definitions -> the ops that they are of here, or that begin with an op of that definition.

After a colon is the dtype of an input, or the attribute that is its dtype; a star is before a list of inputs.
Attributes with default values stand where an error names them. What follows a dot in our name of an op is what its
definition depends on. Not listed is what follows from the name: `squared_difference` is of `SquaredDifference(x: T,
y: T)`.
"""

CALLS = {
    "argsort": ("neg", "top_k"),
    "crelu": ("neg", "relu"),
    "global_norm": ("l2_loss",),
    "log_sigmoid": ("neg", "softplus"),
    "lstsq": ("matmul", "cholesky"),
    "reduce_logsumexp": ("reduce_max", "is_finite"),
    "sigmoid_cross_entropy_with_logits": ("greater_equal", "neg", "exp"),
    "sort": ("neg", "top_k"),
    "unsorted_segment_mean": ("unsorted_segment_sum", "maximum"),
    "unsorted_segment_sqrt_n": ("unsorted_segment_sum", "maximum"),
}
"""For functions that call several ops in TensorFlow: these ops, in the order in which they are called."""

_KINDS = {"O": "strings", "i": "integers", "u": "integers"}
"""By kind of NumPy dtype: what follows the dot in the name of an op that has another definition for it."""


class OpInput(NamedTuple):
    """An input of an op in TensorFlow.

    Attributes:
        name: its name.
        dtype: the attribute that is its dtype, or the name of the only dtype that it may have.
        is_list: whether it is a list of tensors.
    """

    name: str
    dtype: str
    is_list: bool


@dataclass(frozen=True)
class Definition:
    """TensorFlow's definition of an op.

    Attributes:
        name: the name of the op.
        inputs: its inputs, in order.
        attributes: other attributes, with their default values.
    """

    name: str
    inputs: tuple[OpInput, ...]
    attributes: tuple[str, ...]

    @property
    def of_list(self) -> bool:
        """Whether the inputs of dtype `T` are a list."""
        return any(each.is_list and each.dtype == "T" for each in self.inputs)

    @classmethod
    def parsed(cls, text: str) -> Definition:
        """The definition that a text writes: `MatMul(a: T, b: T, transpose_a=false)`."""
        name, _, rest = text.rstrip(")").partition("(")
        parts = rest.split(", ")
        pairs = [part.split(": ") for part in parts if ": " in part]
        inputs = tuple(OpInput(called.lstrip("*"), dtype, called.startswith("*")) for called, dtype in pairs)
        return cls(name, inputs, tuple(part for part in parts if "=" in part))

    def slot(self, number: int, attr: str = "T") -> int:
        """The index of the input that is the `number`-th, from 0, among those whose dtype is an attribute."""
        slots = [slot for slot, each in enumerate(self.inputs) if each.dtype == attr]
        return slots[number] if number < len(slots) else number

    def first_of(self, attr: str) -> str | None:
        """The name of the first input whose dtype is an attribute."""
        return next((each.name for each in self.inputs if each.dtype == attr), None)

    def input(self, slot: int) -> OpInput:
        """The input at an index. A list of inputs is at all indices from its own on."""
        return self.inputs[min(slot, len(self.inputs) - 1)]

    def mismatch(self, slot: int, wanted: str, have: str) -> str | None:
        """The message, while a graph is built, about an input of another dtype; None for a list, which has its own."""
        given = self.input(slot)
        said = f"Input '{given.name}' of '{self.name}' Op has type {have} that does not match"
        if given.dtype in DTYPES:
            return f"{said} expected type of {wanted}"
        return None if given.is_list else f"{said} type {wanted} of argument '{self.first_of(given.dtype)}'"


_BY_OP = {op: Definition.parsed(text) for text, ops in _OPS.items() for op in ops.split()}


def definition_of(op: str, dtype: np.dtype[Any] | None = None) -> Definition:
    """TensorFlow's definition of an op, for inputs of a dtype.

    >>> definition_of("squared_difference").name, definition_of("add", np.dtype(object)).name
    ('SquaredDifference', 'Add')
    """
    plain = op.partition(".")[0].removesuffix("()")
    for name in (f"{plain}.{_KINDS.get(dtype.kind) if dtype else ''}", op, plain):
        if name in _BY_OP:
            return _BY_OP[name]
    called = "".join(part.capitalize() for part in plain.split("_"))
    return Definition.parsed(f"{called}(x: T, y: T)")


def parameter(row: str) -> str | None:
    """TensorFlow's name of the parameter whose dtype a row of `op_dtypes` is about; None if it depends on the op.

    >>> parameter("softmax"), parameter("argmax.output_type"), parameter(".Tperm")
    ('logits', 'output_type', 'perm')
    """
    op, _, attr = row.partition(".")
    if op:
        return definition_of(row).first_of(attr or "T") or attr or None
    names = {each.first_of(attr) for each in _BY_OP.values()} - {None}
    return names.pop() if len(names) == 1 else None
