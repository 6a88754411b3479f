"""The name of a TensorFlow op -> the name, arguments and attributes that the catalog has for it.

A row reads `name argument ... .attribute ... | attr=attribute ...`: first TensorFlow's inputs in their order, those
with a dot being attributes to us, `*` standing for as many as there are; what is left over is dropped. Behind the bar
are the attributes that are kept, and what they are called. An op without a row keeps its name and all its inputs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

SAME_ARGUMENTS = {
    "x": (
        "Neg:neg Abs:abs Sign:sign Square:square Reciprocal:reciprocal Inv:reciprocal Sqrt:sqrt Rsqrt:rsqrt Exp:exp "
        "Expm1:expm1 Log:log Log1p:log1p Sin:sin Cos:cos Tan:tan Asin:asin Acos:acos Atan:atan Sinh:sinh Cosh:cosh "
        "Tanh:tanh Asinh:asinh Acosh:acosh Atanh:atanh Erf:erf Erfc:erfc Floor:floor Ceil:ceil Round:round Rint:rint "
        "Lgamma:lgamma Digamma:digamma FFT:fft IFFT:ifft FFT2D:fft2d IFFT2D:ifft2d FFT3D:fft3d IFFT3D:ifft3d "
        "Real:real Imag:imag Conj:conj Angle:angle ComplexAbs:complex_abs LogicalNot:logical_not IsNan:is_nan "
        "IsInf:is_inf IsFinite:is_finite ZerosLike:zeros_like OnesLike:ones_like Identity:identity "
        "StopGradient:stop_gradient Relu:relu Relu6:relu6 Sigmoid:sigmoid Softplus:softplus Softsign:softsign Elu:elu "
        "Selu:selu Softmax:softmax LogSoftmax:log_softmax L2Loss:l2_loss Where:where_true MatrixDeterminant:det "
        "Cholesky:cholesky LogMatrixDeterminant:slogdet MatrixExponential:expm Rank:rank"
    ),
    "x y": (
        "Add:add AddV2:add Sub:sub Mul:mul Div:div RealDiv:div FloorDiv:floordiv FloorMod:mod TruncateDiv:truncatediv "
        "TruncateMod:truncatemod Pow:pow Maximum:maximum Minimum:minimum SquaredDifference:squared_difference "
        "DivNoNan:divide_no_nan MulNoNan:multiply_no_nan Xdivy:xdivy Xlogy:xlogy Xlog1py:xlog1py Complex:complex "
        "Equal:equal NotEqual:not_equal Less:less LessEqual:less_equal Greater:greater GreaterEqual:greater_equal "
        "LogicalAnd:logical_and LogicalOr:logical_or Cross:cross BiasAdd:add"
    ),
    "x .axis | keep_dims=keepdims": (
        "Sum:reduce_sum Mean:reduce_mean Max:reduce_max Min:reduce_min Prod:reduce_prod Any:reduce_any All:reduce_all "
        "EuclideanNorm:reduce_euclidean_norm"
    ),
    "x .axis | exclusive reverse": "Cumsum:cumsum Cumprod:cumprod CumulativeLogsumexp:cumulative_logsumexp",
    "x .axis | output_type": "ArgMax:argmax ArgMin:argmin",
    "x | out_type": "Shape:shape Size:size",
}
"""Ops by what their rows say of the arguments: `TensorFlow's name:ours`."""

ROWS = {
    "Atan2": "atan2 y x",
    "Polygamma": "polygamma a x",
    "AddN": "add_n *",
    "IdentityN": "identity_n *",
    "CheckNumerics": "check_numerics x | message",
    "Cast": "cast x | DstT=dtype SrcT=source",
    "Reshape": "reshape x .shape",
    "Transpose": "transpose x .perm",
    "ExpandDims": "expand_dims x .axis",
    "Squeeze": "squeeze x | squeeze_dims=axis",
    "ReverseV2": "reverse x .axis",
    "Roll": "roll x .shift .axis",
    "BroadcastTo": "broadcast_to x .shape",
    "SelectV2": "where condition x y",
    "Select": "where condition x y",
    "ConcatV2": "concat * .axis",
    "Pack": "stack * | axis",
    "Unpack": "unstack x | axis",
    "Split": "split .axis x",
    "SplitV": "split x .sizes .axis",
    "Tile": "tile x .multiples",
    "Pad": "pad x .paddings",
    "PadV2": "pad x .paddings .constant_values",
    "MirrorPad": "mirror_pad x .paddings",
    "StridedSlice": "getitem x .begin .end .strides | begin_mask end_mask ellipsis_mask new_axis_mask shrink_axis_mask",
    "Slice": "getitem x .begin .size",
    "GatherV2": "gather x indices .axis | batch_dims",
    "ResourceGather": "gather x indices | batch_dims",
    "GatherNd": "gather_nd x indices",
    "ResourceGatherNd": "gather_nd x indices",
    "ScatterNd": "scatter_nd indices x .shape",
    "TensorScatterUpdate": "tensor_scatter_nd_update x indices updates",
    "TensorScatterAdd": "tensor_scatter_nd_add x indices updates",
    "TensorScatterSub": "tensor_scatter_nd_sub x indices updates",
    "TensorScatterMax": "tensor_scatter_nd_max x indices updates",
    "TensorScatterMin": "tensor_scatter_nd_min x indices updates",
    "UnsortedSegmentSum": "unsorted_segment_sum x segments .num_segments",
    "UnsortedSegmentMax": "unsorted_segment_max x segments .num_segments",
    "UnsortedSegmentMin": "unsorted_segment_min x segments .num_segments",
    "UnsortedSegmentProd": "unsorted_segment_prod x segments .num_segments",
    "TopKV2": "top_k x .k",
    "OneHot": "one_hot indices .depth .on_value .off_value | axis",
    "MatMul": "matmul x y | transpose_a transpose_b",
    "BatchMatMul": "matmul x y | adj_x=transpose_a adj_y=transpose_b",
    "BatchMatMulV2": "matmul x y | adj_x=transpose_a adj_y=transpose_b",
    "BatchMatMulV3": "matmul x y | adj_x=transpose_a adj_y=transpose_b",
    "Einsum": "einsum * | equation",
    "MatrixDiag": "diag x",
    "MatrixDiagV3": "diag x",
    "MatrixDiagPart": "diag_part x",
    "MatrixDiagPartV3": "diag_part x",
    "MatrixSetDiagV3": "set_diag x diagonal",
    "MatrixBandPart": "band_part x .lower .upper",
    "MatrixInverse": "inv x",
    "MatrixSolve": "solve matrix rhs",
    "MatrixTriangularSolve": "triangular_solve matrix rhs | lower",
    "Qr": "qr x | full_matrices",
    "Svd": "svd x",
    "SelfAdjointEigV2": "eigh x",
    "Conv2D": "conv2d x filters | strides padding=border dilations",
    "DepthwiseConv2dNative": "depthwise_conv2d x filters | strides padding=border dilations",
    "MaxPool": "max_pool x | ksize=size strides padding=border",
    "AvgPool": "avg_pool x | ksize=size strides padding=border",
    "LeakyRelu": "leaky_relu x | alpha",
    "ReluGrad": "relu_grad u y",
    "Relu6Grad": "relu6_grad u y",
    "SoftsignGrad": "softsign_grad u x",
    "Unique": "unique x | out_idx",
    "LeakyReluGrad": "leaky_relu_grad u y | alpha",
    "SparseSoftmaxCrossEntropyWithLogits": "sparse_softmax_cross_entropy_with_logits logits labels",
    "SoftmaxCrossEntropyWithLogits": "softmax_cross_entropy_with_logits logits labels",
}
"""The other ops."""

WRITES = {
    "AssignVariableOp": "assign",
    "AssignAddVariableOp": "assign_add",
    "AssignSubVariableOp": "assign_sub",
    "ResourceStridedSliceAssign": "assign",
    "ResourceScatterUpdate": "scatter_update",
    "ResourceScatterAdd": "scatter_add",
    "ResourceScatterSub": "scatter_sub",
    "ResourceScatterMul": "scatter_mul",
    "ResourceScatterDiv": "scatter_div",
    "ResourceScatterMin": "scatter_min",
    "ResourceScatterMax": "scatter_max",
    "ResourceScatterNdUpdate": "scatter_nd_update",
    "ResourceScatterNdAdd": "scatter_nd_add",
    "ResourceScatterNdSub": "scatter_nd_sub",
    "ResourceScatterNdMin": "scatter_nd_min",
    "ResourceScatterNdMax": "scatter_nd_max",
}
"""Ops that write a variable, their first input, with their last: how the user spells it."""

MADE_OF_NOTHING = frozenset(
    (
        *("Fill", "Range", "LinSpace", "Const", "RandomStandardNormal", "RandomUniform", "RandomUniformInt"),
        *("TruncatedNormal", "StatelessRandomGetKeyCounter", "StatelessRandomUniformV2", "StatelessRandomNormalV2"),
        *("StatelessTruncatedNormalV2", "StatelessRandomUniformIntV2", "RngReadAndSkip", "RandomShuffle"),
    )
)
"""Ops that make data: with nothing but numbers going in, what comes out is a leaf."""

MEASURES = frozenset(("Shape", "ShapeN", "Size", "Rank", "BroadcastGradientArgs", "BroadcastArgs"))
"""Ops that read no element of their input; TensorFlow runs them in between to find out shapes."""


@dataclass(frozen=True)
class Form:
    """How an op of TensorFlow is written into the log.

    `arguments` are the indices of the inputs that are arguments, in the catalog's order, and `attributes` the inputs
    that are attributes, with their names; `attrs` are TensorFlow's attributes that are kept, with what they are called.
    """

    name: str
    arguments: tuple[int, ...]
    attributes: tuple[tuple[int, str], ...]
    attrs: tuple[tuple[str, str], ...]


def _read(text: str, inputs: int) -> Form:
    """The form of an op that has so many inputs."""
    before, _, behind = text.partition("|")
    name, *words = before.split()
    if "*" in words:
        at = words.index("*")
        words[at : at + 1] = ["*"] * (inputs - len(words) + 1)
    words += ["-"] * (inputs - len(words))
    arguments = [(word, index) for index, word in enumerate(words[:inputs]) if word[0] not in ".-"]
    if name in SWAPPED:
        arguments.sort(key=lambda each: SWAPPED[name].index(each[0]))
    attributes = tuple((index, word[1:]) for index, word in enumerate(words[:inputs]) if word[0] == ".")
    attrs = tuple((key, new or key) for key, _, new in (word.partition("=") for word in behind.split()))
    return Form(name, tuple(index for _, index in arguments), attributes, attrs)


SWAPPED = {
    "scatter_nd": ("x", "indices"),
    "sparse_softmax_cross_entropy_with_logits": ("labels", "logits"),
    "softmax_cross_entropy_with_logits": ("labels", "logits"),
}
"""Ops whose arguments the catalog has in another order."""

_texts = ROWS | {
    theirs: f"{ours} {arguments}"
    for arguments, pairs in SAME_ARGUMENTS.items()
    for theirs, ours in (pair.split(":") for pair in pairs.split())
}
_forms: dict[tuple[str, int], Form] = {}


def function_form(name: str, inputs: int) -> Form:
    """How a function with so many inputs is written into the log: whatever it is called, it is none of the ops."""
    return Form(_called(name), tuple(range(inputs)), (), ())


def form(op: str, inputs: int) -> Form:
    """How an op with so many inputs is written into the log.

    >>> form("AddV2", 2).name, form("Sum", 2).attributes
    ('add', ((1, 'axis'),))
    """
    found = _forms.get((op, inputs))
    if found is None:
        text = _texts.get(op)
        found = _read(text, inputs) if text else function_form(op, inputs)
        _forms[op, inputs] = found
    return found


FORWARD = "__forward_"
"""How the name begins of a compiled function's graph that a tape follows; another begins with `__inference_`."""
_GRAPH = re.compile(rf"(?:{FORWARD}|__inference_)(\w+?)_\d+")


def _called(op: str) -> str:
    """What an op without a row is called: by its own name, and a compiled function as one node that says so.

    >>> _called("__inference_train_step_123"), _called("Bucketize")
    ('train_step (compiled, one node)', 'Bucketize')
    """
    graph = _GRAPH.fullmatch(op)
    return f"{graph[1]} (compiled, one node)" if graph else op


@cache
def is_write(op: str) -> bool:
    """Whether an op writes a variable, its first input."""
    return op in WRITES or op.startswith("ResourceApply")


def names() -> dict[str, str]:
    """TensorFlow's name of every op that the catalog has, and the catalog's.

    >>> names()["MatMul"]
    'matmul'
    """
    return {theirs: text.split()[0] for theirs, text in _texts.items()}
