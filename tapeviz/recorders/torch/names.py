"""PyTorch's name of an op -> the catalog's, and what each of its arguments is there.

A row of the table is `name: catalog name, parameters`, the parameters in PyTorch's order: a plain word is an operand
(an input of the op), `word:` an attribute of that name, `word:other` an attribute that the catalog calls `other`;
`word*` are all operands up to the first that is none, as many as there are.
A name that is not here keeps its own name, and what is no tensor becomes an attribute.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from tapeviz.events import catalog


@dataclass(frozen=True, slots=True)
class OpSignature:
    """An op in the catalog's words: `parameters` in PyTorch's order, None for an operand, else the attribute's name.

    `is_open` says that the first of them stands for any number of operands.
    """

    name: str
    parameters: tuple[str | None, ...] = ()
    keywords: dict[str, str | None] | None = None
    is_open: bool = False


_ONE = "input"
_TWO = "input other"
_AXIS = "input dim:axis keepdim:keepdims dtype:"
_RECURRENT = "operands* has_biases: num_layers: dropout: training: bidirectional: batch_first:"

_ROWS = f"""
add add {_TWO} alpha:
sub sub {_TWO} alpha:
rsub rsub {_TWO} alpha:
mul mul {_TWO}
div div {_TWO} rounding_mode:
true_divide div {_TWO}
floor_divide floordiv {_TWO}
remainder mod {_TWO}
fmod truncatemod {_TWO}
pow pow input exponent
rpow rpow input other
rdiv rdiv input other
float_power pow input exponent
neg neg {_ONE}
negative neg {_ONE}
abs abs {_ONE}
sign sign {_ONE}
sgn sign {_ONE}
square square {_ONE}
reciprocal reciprocal {_ONE}
maximum maximum {_TWO}
minimum minimum {_TWO}
sqrt sqrt {_ONE}
rsqrt rsqrt {_ONE}
exp exp {_ONE}
expm1 expm1 {_ONE}
log log {_ONE}
log1p log1p {_ONE}
erf erf {_ONE}
sin sin {_ONE}
cos cos {_ONE}
tan tan {_ONE}
asin asin {_ONE}
acos acos {_ONE}
atan atan {_ONE}
arcsin asin {_ONE}
arccos acos {_ONE}
arctan atan {_ONE}
atan2 atan2 input other
arctan2 atan2 input other
sinh sinh {_ONE}
cosh cosh {_ONE}
tanh tanh {_ONE}
asinh asinh {_ONE}
acosh acosh {_ONE}
atanh atanh {_ONE}
xlogy xlogy {_TWO}
complex complex real imag
real real {_ONE}
imag imag {_ONE}
conj conj {_ONE}
angle angle {_ONE}
floor floor {_ONE}
ceil ceil {_ONE}
round round {_ONE} decimals:
trunc trunc {_ONE}
frac frac {_ONE}
heaviside heaviside input values
eq equal {_TWO}
ne not_equal {_TWO}
lt less {_TWO}
le less_equal {_TWO}
gt greater {_TWO}
ge greater_equal {_TWO}
__and__ logical_and {_TWO}
__or__ logical_or {_TWO}
__xor__ logical_xor {_TWO}
__invert__ logical_not {_ONE}
logical_and logical_and {_TWO}
logical_or logical_or {_TWO}
logical_xor logical_xor {_TWO}
logical_not logical_not {_ONE}
isnan is_nan {_ONE}
isinf is_inf {_ONE}
isfinite is_finite {_ONE}
where where condition input other
masked_fill masked_fill input mask value
zeros_like zeros_like {_ONE}
ones_like ones_like {_ONE}
expand broadcast_to input shape:
expand_as broadcast_to input
broadcast_to broadcast_to input shape:
view reshape input shape:
reshape reshape input shape:
view_as reshape input
reshape_as reshape input
flatten reshape input start: end:
unflatten reshape input dim:axis sizes:shape
ravel reshape {_ONE}
transpose transpose input dim0: dim1:
swapaxes transpose input dim0: dim1:
swapdims transpose input dim0: dim1:
movedim transpose input source: destination:
permute transpose input dims:perm
t transpose {_ONE}
T transpose {_ONE}
mT matrix_transpose {_ONE}
H transpose {_ONE}
mH matrix_transpose {_ONE}
unsqueeze expand_dims input dim:axis
squeeze squeeze input dim:axis
flip reverse input dims:axis
roll roll input shifts:shift dims:axis
clone identity {_ONE}
contiguous identity {_ONE}
detach stop_gradient {_ONE}
data stop_gradient {_ONE}
to cast input dtype:
type cast input dtype:
type_as cast input
float cast {_ONE}
double cast {_ONE}
half cast {_ONE}
bfloat16 cast {_ONE}
int cast {_ONE}
long cast {_ONE}
short cast {_ONE}
char cast {_ONE}
byte cast {_ONE}
bool cast {_ONE}
cpu identity {_ONE}
cuda identity {_ONE}
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
multinomial multinomial input samples: replacement:
searchsorted searchsorted sorted input
nonzero where_true {_ONE}
numel size {_ONE}
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
matmul matmul {_TWO}
mm matmul {_TWO}
bmm matmul {_TWO}
mv matmul {_TWO}
dot matmul {_TWO}
inner matmul {_TWO}
addmm addmm input mat1 mat2 beta: alpha:
baddbmm addmm input mat1 mat2 beta: alpha:
einsum einsum equation: values
diag diag_part input diagonal:
diagonal diag_part input offset:
diag_embed diag input offset:
triu band_part input diagonal:
tril band_part input diagonal:
inverse inv {_ONE}
linalg_inv inv {_ONE}
det det {_ONE}
linalg_det det {_ONE}
linalg_cholesky cholesky {_ONE}
cholesky cholesky {_ONE}
linalg_solve solve matrix rhs
linalg_qr qr {_ONE}
qr qr {_ONE}
linalg_svd svd {_ONE}
svd svd {_ONE}
linalg_eigh eigh {_ONE} UPLO:
linalg_pinv pinv {_ONE}
matrix_exp expm {_ONE}
slogdet slogdet {_ONE}
linalg_slogdet slogdet {_ONE}
cross cross {_TWO} dim:axis
linalg_cross cross {_TWO} dim:axis
linear linear input weight bias
conv1d conv input weight bias stride: padding: dilation: groups:
conv2d conv input weight bias stride: padding: dilation: groups:
conv3d conv input weight bias stride: padding: dilation: groups:
max_pool1d max_pool input kernel_size: stride: padding: dilation: ceil_mode:
max_pool2d max_pool input kernel_size: stride: padding: dilation: ceil_mode:
avg_pool1d avg_pool input kernel_size: stride: padding:
avg_pool2d avg_pool input kernel_size: stride: padding:
adaptive_avg_pool2d avg_pool input output_size:
relu relu {_ONE}
relu6 relu6 {_ONE}
leaky_relu leaky_relu input negative_slope:alpha
elu elu input alpha:
selu selu {_ONE}
gelu gelu input approximate:
sigmoid sigmoid {_ONE}
expit sigmoid {_ONE}
silu silu {_ONE}
softplus softplus input beta: threshold:
softsign softsign {_ONE}
hardsigmoid hardsigmoid {_ONE}
hardtanh clip_by_value input min_val: max_val:
clamp clip_by_value input min max
clip clip_by_value input min max
clamp_min clamp_min input min
clamp_max clamp_max input max
softmax softmax input dim:axis dtype:
log_softmax log_softmax input dim:axis dtype:
logsigmoid log_sigmoid {_ONE}
log_sigmoid log_sigmoid {_ONE}
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


@cache
def table() -> dict[str, OpSignature]:
    """Every row, by PyTorch's name."""
    rows: dict[str, OpSignature] = {}
    for line in _ROWS.strip().splitlines():
        own, name, *words = line.split()
        parameters = tuple((after or before) if colon else None for before, colon, after in map(_parts, words))
        keywords = {before: given for (before, _, _), given in zip(map(_parts, words), parameters, strict=True)}
        rows[own] = OpSignature(name, parameters, keywords, is_open=any(word.endswith("*") for word in words))
    return rows


def _parts(word: str) -> tuple[str, str, str]:
    return word.partition(":")


def signature_of(name: str) -> OpSignature:
    """What the catalog calls an op of PyTorch's: `add_` and `__iadd__` are `add`, done in place.

    >>> signature_of("add_").name, signature_of("histc").name
    ('add', 'histc')
    """
    plain = name.strip("_") if name.startswith("__") and name not in table() else name.rstrip("_") or name
    for each in (name, plain, plain.removeprefix("i"), plain.removeprefix("_")):
        if each in table():
            return table()[each]
    return OpSignature(plain)


def of_node(name: str, inputs: int) -> str:
    """What the catalog calls the op of an autograd node; one that knows only some of its `inputs` keeps its own name.

    >>> of_node("MulBackward0", 2), of_node("MulBackward0", 1)
    ('mul', 'MulBackward0')
    """
    plain = name.rpartition("::")[2]
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", re.sub(r"Backward\d*$", "", plain)).lower()
    known = catalog.row(signature_of(snake).name)
    return known.name if known is not None and len(known.arguments) == inputs else plain
