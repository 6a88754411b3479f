"""autograd's primitives in the catalog's words; behind the bar are arguments by keyword."""

from tapeviz.recorders.signatures import signatures

ROWS = signatures(
    """
_array_from_scalar_or_array identity args: kwargs: x
_astype cast x dtype: | dtype:
absolute abs x
abs abs x
add add x y
amax reduce_max x axis: | axis: keepdims:
amin reduce_min x axis: | axis: keepdims:
angle angle x
arccos acos x
arccosh acosh x
arcsin asin x
arcsinh asinh x
arctan atan x
arctan2 atan2 y x
arctanh atanh x
array_from_args stack args: kwargs: values*
broadcast_to broadcast_to x shape: | shape:
cholesky cholesky x
concatenate_args concat axis: values*
conj conj x
conjugate conj x
cos cos x
cosh cosh x
cumsum cumsum x axis: | axis:
det det x
diag diag x
digamma digamma x
divide div x y
einsum einsum equation: values*
erf erf x
erfc erfc x
exp exp x
expand_dims expand_dims x axis: | axis:
expit sigmoid x
expm1 expm1 x
fabs abs x
flip reverse x axis: | axis:
gammaln lgamma x
__getitem__ getitem x index:
imag imag x
inv inv x
log log x
log1p log1p x
logaddexp logaddexp x y
logsumexp reduce_logsumexp x axis: | axis: keepdims:
matmul matmul x y
max reduce_max x axis: | axis: keepdims:
maximum maximum x y
mean reduce_mean x axis: | axis: keepdims:
min reduce_min x axis: | axis: keepdims:
minimum minimum x y
mod mod x y
multiply mul x y
mut_add add space: x y
negative neg x
pinv pinv x
power pow x y
prod reduce_prod x axis: | axis: keepdims:
psi digamma x
ravel reshape x
real real x
reciprocal reciprocal x
remainder mod x y
repeat repeat x repeats: axis: | repeats: axis:
reshape reshape x shape: | shape: newshape:shape
roll roll x shift: axis: | shift: axis:
sin sin x
sinh sinh x
slogdet slogdet x
solve solve matrix rhs
sqrt sqrt x
square square x
squeeze squeeze x axis: | axis:
subtract sub x y
sum reduce_sum x axis: | axis: keepdims:
tan tan x
tanh tanh x
tile tile x multiples: | reps:multiples
transpose transpose x perm: | axes:perm
true_divide div x y
where where condition x y
"""
)
"""The primitives; what is in no row keeps its own name. `names` says which of them are another op at times."""
