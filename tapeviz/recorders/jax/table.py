"""JAX's primitives and functions in the catalog's words; attributes are from the parameters of the primitive.

Inputs are written out only where a primitive has them in another order, or where their number tells a function.
"""

from tapeviz.recorders.signatures import signatures

ROWS = signatures(
    """
add_any add
and logical_and
argmax argmax | axes:axis
argmin argmin | axes:axis
broadcast_in_dim broadcast_to | shape:
clamp clip_by_value low x high
concatenate concat | dimension:axis
convert_element_type cast | new_dtype:dtype
conv_general_dilated conv2d | window_strides:strides padding:
copy identity
copy_p identity
cumlogsumexp cumulative_logsumexp | axis: reverse:
cummax cummax | axis: reverse:
cummin cummin | axis: reverse:
cumprod cumprod | axis: reverse:
cumsum cumsum | axis: reverse:
dot_general matmul
dynamic_slice dynamic_slice | slice_sizes:sizes
eq equal
ge greater_equal
gt greater
integer_pow pow | y:
iota iota | dtype: shape: dimension:axis
le less_equal
logistic sigmoid
lt less
max maximum
min minimum
ne not_equal
not logical_not
or logical_or
pad pad | padding_config:paddings
reduce_and reduce_all | axes:axis
reduce_max reduce_max | axes:axis
reduce_min reduce_min | axes:axis
reduce_or reduce_any | axes:axis
reduce_prod reduce_prod | axes:axis
reduce_sum reduce_sum | axes:axis
reduce_window_max max_pool | window_dimensions:window window_strides:strides
reshape reshape | new_sizes:shape
rev reverse | dimensions:axis
scatter tensor_scatter_nd_update
scatter-add tensor_scatter_nd_add
scatter_add tensor_scatter_nd_add
select_n where condition y x
slice getitem
sort sort | dimension:axis
split split | sizes: axis:
squeeze squeeze | dimensions:axis
top_k top_k | k:
transpose transpose | permutation:perm
xor logical_xor
"""
)
"""The primitives; what is in no row keeps its own name. `names` says which of them are another op at times."""

CALLS = signatures(
    """
_det det x
_one_hot one_hot x
_softmax softmax x
_where where condition x y
clip clip_by_value x low high
elu elu x
inv inv x
log_softmax log_softmax x
relu relu x
relu6 relu6 x
selu selu x
silu silu x
softplus softplus x
solve solve matrix rhs
"""
)
"""The functions of JAX's own, called by a jaxpr, that are one op each; others are opened."""
