"""TensorFlow's ops in the catalog's words: inputs in TensorFlow's order, settings from the attributes of its op."""

from tapeviz.recorders.signatures import signatures

ROWS = signatures(
    """
Neg neg x
Abs abs x
Sign sign x
Square square x
Reciprocal reciprocal x
Inv reciprocal x
Sqrt sqrt x
Rsqrt rsqrt x
Exp exp x
Expm1 expm1 x
Log log x
Log1p log1p x
Sin sin x
Cos cos x
Tan tan x
Asin asin x
Acos acos x
Atan atan x
Sinh sinh x
Cosh cosh x
Tanh tanh x
Asinh asinh x
Acosh acosh x
Atanh atanh x
Erf erf x
Erfc erfc x
Floor floor x
Ceil ceil x
Round round x
Rint rint x
Lgamma lgamma x
Digamma digamma x
FFT fft x
IFFT ifft x
FFT2D fft2d x
IFFT2D ifft2d x
FFT3D fft3d x
IFFT3D ifft3d x
Real real x
Imag imag x
Conj conj x
Angle angle x
ComplexAbs complex_abs x
LogicalNot logical_not x
IsNan is_nan x
IsInf is_inf x
IsFinite is_finite x
ZerosLike zeros_like x
OnesLike ones_like x
Identity identity x
StopGradient stop_gradient x
Relu relu x
Relu6 relu6 x
Sigmoid sigmoid x
Softplus softplus x
Softsign softsign x
Elu elu x
Selu selu x
Softmax softmax x
LogSoftmax log_softmax x
L2Loss l2_loss x
Where where_true x
MatrixDeterminant det x
Cholesky cholesky x
LogMatrixDeterminant slogdet x
MatrixExponential expm x
Rank rank x
Add add x y
AddV2 add x y
Sub sub x y
Mul mul x y
Div div x y
RealDiv div x y
FloorDiv floordiv x y
FloorMod mod x y
TruncateDiv truncatediv x y
TruncateMod truncatemod x y
Pow pow x y
Maximum maximum x y
Minimum minimum x y
SquaredDifference squared_difference x y
DivNoNan divide_no_nan x y
MulNoNan multiply_no_nan x y
Xdivy xdivy x y
Xlogy xlogy x y
Xlog1py xlog1py x y
Complex complex x y
Equal equal x y
NotEqual not_equal x y
Less less x y
LessEqual less_equal x y
Greater greater x y
GreaterEqual greater_equal x y
LogicalAnd logical_and x y
LogicalOr logical_or x y
Cross cross x y
BiasAdd add x y
Sum reduce_sum x axis: | keep_dims:keepdims
Mean reduce_mean x axis: | keep_dims:keepdims
Max reduce_max x axis: | keep_dims:keepdims
Min reduce_min x axis: | keep_dims:keepdims
Prod reduce_prod x axis: | keep_dims:keepdims
Any reduce_any x axis: | keep_dims:keepdims
All reduce_all x axis: | keep_dims:keepdims
EuclideanNorm reduce_euclidean_norm x axis: | keep_dims:keepdims
Cumsum cumsum x axis: | exclusive: reverse:
Cumprod cumprod x axis: | exclusive: reverse:
CumulativeLogsumexp cumulative_logsumexp x axis: | exclusive: reverse:
ArgMax argmax x axis: | output_type:
ArgMin argmin x axis: | output_type:
Shape shape x | out_type:
Size size x | out_type:
Atan2 atan2 y x
Polygamma polygamma a x
AddN add_n values*
IdentityN identity_n values*
CheckNumerics check_numerics x | message:
Cast cast x | DstT:dtype SrcT:source
Reshape reshape x shape:
Transpose transpose x perm:
ExpandDims expand_dims x axis:
Squeeze squeeze x | squeeze_dims:axis
ReverseV2 reverse x axis:
Roll roll x shift: axis:
BroadcastTo broadcast_to x shape:
SelectV2 where condition x y
Select where condition x y
ConcatV2 concat values* axis:
Pack stack values* | axis:
Unpack unstack x | axis:
Split split axis: x
SplitV split x sizes: axis:
Tile tile x multiples:
Pad pad x paddings:
PadV2 pad x paddings: constant_values:
MirrorPad mirror_pad x paddings:
StridedSlice getitem x begin: end: strides: | begin_mask: end_mask: ellipsis_mask: new_axis_mask: shrink_axis_mask:
Slice getitem x begin: size:
GatherV2 gather x indices axis: | batch_dims:
ResourceGather gather x indices | batch_dims:
GatherNd gather_nd x indices
ResourceGatherNd gather_nd x indices
ScatterNd scatter_nd indices x shape:
TensorScatterUpdate tensor_scatter_nd_update x indices updates
TensorScatterAdd tensor_scatter_nd_add x indices updates
TensorScatterSub tensor_scatter_nd_sub x indices updates
TensorScatterMax tensor_scatter_nd_max x indices updates
TensorScatterMin tensor_scatter_nd_min x indices updates
UnsortedSegmentSum unsorted_segment_sum x segments num_segments:
UnsortedSegmentMax unsorted_segment_max x segments num_segments:
UnsortedSegmentMin unsorted_segment_min x segments num_segments:
UnsortedSegmentProd unsorted_segment_prod x segments num_segments:
TopKV2 top_k x k:
OneHot one_hot indices depth: on_value: off_value: | axis:
MatMul matmul x y | transpose_a: transpose_b:
BatchMatMul matmul x y | adj_x:transpose_a adj_y:transpose_b
BatchMatMulV2 matmul x y | adj_x:transpose_a adj_y:transpose_b
BatchMatMulV3 matmul x y | adj_x:transpose_a adj_y:transpose_b
Einsum einsum values* | equation:
MatrixDiag diag x
MatrixDiagV3 diag x
MatrixDiagPart diag_part x
MatrixDiagPartV3 diag_part x
MatrixSetDiagV3 set_diag x diagonal
MatrixBandPart band_part x lower: upper:
MatrixInverse inv x
MatrixSolve solve matrix rhs
MatrixTriangularSolve triangular_solve matrix rhs | lower:
Qr qr x | full_matrices:
Svd svd x
SelfAdjointEigV2 eigh x
Conv2D conv2d x filters | strides: padding:border dilations:
DepthwiseConv2dNative depthwise_conv2d x filters | strides: padding:border dilations:
MaxPool max_pool x | ksize:size strides: padding:border
AvgPool avg_pool x | ksize:size strides: padding:border
LeakyRelu leaky_relu x | alpha:
ReluGrad relu_grad u y
Relu6Grad relu6_grad u y
SoftsignGrad softsign_grad u x
Unique unique x | out_idx:
LeakyReluGrad leaky_relu_grad u y | alpha:
SparseSoftmaxCrossEntropyWithLogits sparse_softmax_cross_entropy_with_logits logits labels
SoftmaxCrossEntropyWithLogits softmax_cross_entropy_with_logits logits labels
"""
)
