"""PyTorch's ops in the catalog's words: inputs are the parameters in PyTorch's order.

A word with a star stands for all operands up to the first argument that is not an operand.
"""

from tapeviz.recorders.signatures import signatures

_AXIS = "input dim:axis keepdim:keepdims dtype:"
_RECURRENT = "operands* has_biases: num_layers: dropout: training: bidirectional: batch_first:"

ROWS = signatures(
    f"""
add add input other alpha:
sub sub input other alpha:
rsub rsub input other alpha:
mul mul input other
div div input other rounding_mode:
true_divide div input other
floor_divide floordiv input other
remainder mod input other
fmod truncatemod input other
pow pow input exponent
rpow rpow input other
rdiv rdiv input other
float_power pow input exponent
neg neg input
negative neg input
abs abs input
sign sign input
sgn sign input
square square input
reciprocal reciprocal input
maximum maximum input other
minimum minimum input other
sqrt sqrt input
rsqrt rsqrt input
exp exp input
expm1 expm1 input
log log input
log1p log1p input
erf erf input
sin sin input
cos cos input
tan tan input
asin asin input
acos acos input
atan atan input
arcsin asin input
arccos acos input
arctan atan input
atan2 atan2 input other
arctan2 atan2 input other
sinh sinh input
cosh cosh input
tanh tanh input
asinh asinh input
acosh acosh input
atanh atanh input
xlogy xlogy input other
complex complex real imag
real real input
imag imag input
conj conj input
angle angle input
floor floor input
ceil ceil input
round round input decimals:
trunc trunc input
frac frac input
heaviside heaviside input values
eq equal input other
ne not_equal input other
lt less input other
le less_equal input other
gt greater input other
ge greater_equal input other
__and__ logical_and input other
__or__ logical_or input other
__xor__ logical_xor input other
__invert__ logical_not input
logical_and logical_and input other
logical_or logical_or input other
logical_xor logical_xor input other
logical_not logical_not input
isnan is_nan input
isinf is_inf input
isfinite is_finite input
where where condition input other
masked_fill masked_fill input mask value
zeros_like zeros_like input
ones_like ones_like input
expand broadcast_to input shape:
expand_as broadcast_to input
broadcast_to broadcast_to input shape:
view reshape input shape:
reshape reshape input shape:
view_as reshape input
reshape_as reshape input
flatten reshape input start: end:
unflatten reshape input dim:axis sizes:shape
ravel reshape input
transpose transpose input dim0: dim1:
swapaxes transpose input dim0: dim1:
swapdims transpose input dim0: dim1:
movedim transpose input source: destination:
permute transpose input dims:perm
t transpose input
T transpose input
mT matrix_transpose input
H transpose input
mH matrix_transpose input
unsqueeze expand_dims input dim:axis
squeeze squeeze input dim:axis
flip reverse input dims:axis
roll roll input shifts:shift dims:axis
as_subclass identity input
clone identity input
contiguous identity input
detach stop_gradient input
data stop_gradient input
to cast input dtype:
type cast input dtype:
type_as cast input
float cast input
double cast input
half cast input
bfloat16 cast input
int cast input
long cast input
short cast input
char cast input
byte cast input
bool cast input
cpu identity input
cuda identity input
cat concat values dim:axis
concat concat values dim:axis
concatenate concat values dim:axis
stack stack values dim:axis
unbind unstack input dim:axis
chunk split input chunks: dim:axis
split split input size: dim:axis
split_with_sizes split input sizes: dim:axis
tensor_split split input sections: dim:axis
tile tile input multiples:
repeat tile input multiples:
repeat_interleave repeat input repeats: dim:axis
pad pad input paddings: mode: value:
zero zero input
fill fill input value
copy copy input source non_blocking:
pad_sequence pad_sequence sequences batch_first: padding_value: padding_side:
_pack_padded_sequence pack_padded_sequence input lengths batch_first:
_pad_packed_sequence pad_packed_sequence input lengths batch_first: padding_value: total_length:
getitem getitem input index:
gather take_along input dim:axis indices
take_along_dim take_along input indices dim:axis
index_select gather input dim:axis indices
embedding gather input indices padding_idx: scale_grad_by_freq: sparse:
masked_select boolean_mask input mask
argsort argsort input dim:axis
sort sort input dim:axis
topk top_k input k: dim:axis
one_hot one_hot indices classes:
bernoulli bernoulli input p:
normal normal mean std
uniform uniform input from_: to:
kaiming_uniform uniform tensor a: mode: nonlinearity: generator:
constant fill tensor val:
multinomial multinomial input samples: replacement:
searchsorted searchsorted sorted input
nonzero where_true input
numel size input
sum reduce_sum {_AXIS}
nansum reduce_sum {_AXIS}
mean reduce_mean {_AXIS}
amax reduce_max {_AXIS}
amin reduce_min {_AXIS}
prod reduce_prod {_AXIS}
any reduce_any {_AXIS}
all reduce_all {_AXIS}
logsumexp reduce_logsumexp {_AXIS}
var variance input dim:axis correction: keepdim:keepdims
std standard_deviation input dim:axis correction: keepdim:keepdims
norm reduce_norm input p:ord dim:axis keepdim:keepdims
vector_norm reduce_norm input ord: dim:axis keepdim:keepdims
linalg_norm reduce_norm input ord: dim:axis keepdim:keepdims
linalg_vector_norm reduce_norm input ord: dim:axis keepdim:keepdims
argmax argmax input dim:axis keepdim:keepdims
argmin argmin input dim:axis keepdim:keepdims
cumsum cumsum input dim:axis
cumprod cumprod input dim:axis
logcumsumexp cumulative_logsumexp input dim:axis
matmul matmul input other
mm matmul input other
bmm matmul input other
mv matmul input other
dot matmul input other
inner matmul input other
addmm addmm input mat1 mat2 beta: alpha:
baddbmm addmm input mat1 mat2 beta: alpha:
einsum einsum equation: values
diag diag_part input diagonal:
diagonal diag_part input offset:
diag_embed diag input offset:
triu band_part input diagonal:
tril band_part input diagonal:
inverse inv input
linalg_inv inv input
det det input
linalg_det det input
linalg_cholesky cholesky input
cholesky cholesky input
linalg_solve solve matrix rhs
linalg_qr qr input
qr qr input
linalg_svd svd input
svd svd input
linalg_eigh eigh input UPLO:
linalg_pinv pinv input
matrix_exp expm input
slogdet slogdet input
linalg_slogdet slogdet input
cross cross input other dim:axis
linalg_cross cross input other dim:axis
linear linear input weight bias
conv1d conv input weight bias stride: padding: dilation: groups:
conv2d conv input weight bias stride: padding: dilation: groups:
conv3d conv input weight bias stride: padding: dilation: groups:
max_pool1d max_pool input kernel_size: stride: padding: dilation: ceil_mode:
max_pool2d max_pool input kernel_size: stride: padding: dilation: ceil_mode:
avg_pool1d avg_pool input kernel_size: stride: padding:
avg_pool2d avg_pool input kernel_size: stride: padding:
adaptive_avg_pool2d avg_pool input output_size:
relu relu input
relu6 relu6 input
leaky_relu leaky_relu input negative_slope:alpha
elu elu input alpha:
selu selu input
gelu gelu input approximate:
sigmoid sigmoid input
expit sigmoid input
silu silu input
softplus softplus input beta: threshold:
softsign softsign input
hardsigmoid hardsigmoid input
hardtanh clip_by_value input min_val: max_val:
clamp clip_by_value input min max
clip clip_by_value input min max
clamp_min clamp_min input min
clamp_max clamp_max input max
softmax softmax input dim:axis dtype:
log_softmax log_softmax input dim:axis dtype:
logsigmoid log_sigmoid input
log_sigmoid log_sigmoid input
dropout dropout input p: training:
layer_norm layer_norm input normalized_shape: weight bias eps: cudnn_enable:
rms_norm rms_norm input normalized_shape: weight eps:
batch_norm batch_norm input weight bias running_mean running_var training: momentum: eps: cudnn_enabled:
group_norm group_norm input groups: weight bias eps: cudnn_enabled:
instance_norm instance_norm input weight bias running_mean running_var use_input_stats: momentum: eps: cudnn_enabled:
scaled_dot_product_attention attention query key value attn_mask dropout_p: is_causal: scale:
cross_entropy_loss cross_entropy input target weight reduction: ignore_index: label_smoothing:
cross_entropy cross_entropy input target weight
nll_loss nll_loss input target weight
nll_loss_nd nll_loss input target weight reduction: ignore_index:
mse_loss mse_loss input target
l1_loss l1_loss input target
smooth_l1_loss smooth_l1_loss input target
huber_loss huber_loss input target
binary_cross_entropy binary_cross_entropy input target weight
binary_cross_entropy_with_logits sigmoid_cross_entropy input target weight pos_weight reduction:
kl_div kl_div input target
lstm lstm {_RECURRENT}
gru gru {_RECURRENT}
rnn_tanh rnn_tanh {_RECURRENT}
rnn_relu rnn_relu {_RECURRENT}
"""
)
