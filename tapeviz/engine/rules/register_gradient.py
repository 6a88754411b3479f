"""TensorFlow's register of gradient functions for graphs (`tf.RegisterGradient`)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])

REGISTERED: dict[str, Callable[..., Any]] = {}
"""The gradient functions by the type of op they were registered for."""
BUILT_IN = frozenset(
    """
Abs Acos Acosh Add AddN AddV2 Angle ArgMax ArgMin Asin Asinh Atan Atan2 Atanh AvgPool AvgPoolGrad BatchMatMulV2
BiasAdd BroadcastTo Cast Ceil CheckNumerics Cholesky Complex ComplexAbs Concat ConcatV2 Conj Conv2D
Conv2DBackpropFilter Conv2DBackpropInput Cos Cosh Cross Cumprod Cumsum CumulativeLogsumexp DepthwiseConv2dNative
DepthwiseConv2dNativeBackpropFilter DepthwiseConv2dNativeBackpropInput Digamma Div DivNoNan Einsum Elu Equal Erf Erfc
EuclideanNorm Exp ExpandDims Expm1 FFT FFT2D FFT3D Floor FloorDiv FloorMod Gather GatherNd GatherV2 Greater
GreaterEqual IFFT IFFT2D IFFT3D Identity IdentityN Imag Inv L2Loss LeakyRelu LeakyReluGrad Less LessEqual Lgamma Log
Log1p LogMatrixDeterminant LogSoftmax LogicalAnd LogicalNot LogicalOr MatMul MatrixBandPart MatrixDeterminant
MatrixDiagPartV3 MatrixDiagV3 MatrixInverse MatrixSetDiagV3 MatrixSolve MatrixTriangularSolve Max MaxPool MaxPoolGrad
MaxPoolGradGrad Maximum Mean Min Minimum MirrorPad MirrorPadGrad Mul MulNoNan Multinomial Neg NotEqual OneHot OnesLike
Pack PadV2 Polygamma Pow Prod Qr Rank ReadVariableOp Real RealDiv Reciprocal ReciprocalGrad Relu Relu6 Relu6Grad
ReluGrad Reshape Reverse ReverseV2 Rint Roll Round Rsqrt RsqrtGrad ScatterNd Select SelectV2 SelfAdjointEigV2 Selu
Shape Sigmoid SigmoidGrad Sign Sin Sinh Size Slice Softmax SoftmaxCrossEntropyWithLogits Softplus Softsign
SparseSoftmaxCrossEntropyWithLogits Split Sqrt SqrtGrad Square SquaredDifference Squeeze StopGradient StridedSlice Sub
Sum Svd Tan Tanh TensorScatterAdd TensorScatterMax TensorScatterMin TensorScatterSub TensorScatterUpdate Tile TopK
TopKV2 Transpose TruncateDiv Unpack UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum Xdivy
Xlog1py Xlogy ZerosLike
""".split()  # noqa: SIM905  # as one literal they fill a page
)
"""The types of TensorFlow's own ops, as far as tapeviz has them: their gradients are registered already."""


class RegisterGradient:
    """Register a gradient function for a type of graph op, as a decorator.

    TensorFlow asks this register when it builds the gradients of a graph, for ops that were written in C++ or renamed
    by `gradient_override_map`. An eager program has neither, so there and here nothing is called by it: a program that
    registers gradients runs. For an op of your own use `tapeviz.defop`; for a function with a gradient of its own
    `tf.custom_gradient`.

    Args:
        op_type: the type of op.

    Raises:
        TypeError: an op type that is no string.
        KeyError: when it decorates: a gradient was registered for this type before, or it is one of TensorFlow's.

    >>> import tapeviz as tf
    >>> @tf.RegisterGradient("Halved")
    ... def halved(op, grad):
    ...     return 0.5 * grad
    """

    def __init__(self, op_type: str) -> None:
        if not isinstance(op_type, str):
            raise TypeError("op_type must be a string")
        self._op_type = op_type

    def __call__(self, f: F) -> F:
        before = REGISTERED.get(self._op_type)
        if before is not None or self._op_type in BUILT_IN:
            where = f"Previous registration was in {before.__qualname__ if before else 'TensorFlow itself'}"
            raise KeyError(f"There is a gradient of {self._op_type!r} already: take another name. ({where})")
        REGISTERED[self._op_type] = f
        return f
