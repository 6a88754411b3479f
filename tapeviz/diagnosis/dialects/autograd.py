"""HIPS autograd's words: a function is differentiated by its arguments, of functions from `autograd.numpy`."""

from __future__ import annotations

from collections.abc import Mapping

from tapeviz.diagnosis.causes import Cause
from tapeviz.diagnosis.dialects.dialect import AS_NUMPY, Dialect
from tapeviz.diagnosis.dialects.jax import JAX
from tapeviz.diagnosis.dialects.phrases import Phrase

PHRASES: Mapping[Phrase, str] = {
    "the tape": "autograd",
    "the block": "the function that is differentiated",
    "gradient call": "`grad` of {target} with respect to {source}",
    "gets None": "gets no gradient (zeros in autograd)",
    "no gradient for integers": "`grad` takes floats alone: it raises a TypeError",
    "or leave it out": ", or leave {it} out of `argnum`",
    "out of the sources": "out of `argnum`",
    "hold back": "take `autograd.tracer.getval` of",
}
"""What is said otherwise than of JAX, which has its functions from autograd."""

_SAME = (
    *("abs", "cos", "cosh", "cumsum", "einsum", "exp", "expand_dims", "float32", "floor", "matmul", "maximum"),
    *("minimum", "multiply", "norm", "reshape", "round", "sign", "sin", "sinh", "size", "sort", "sqrt", "square"),
    *("squeeze", "stack", "subtract", "tan", "tanh", "transpose", "where", "zeros_like"),
)
FUNCTIONS = {
    **{each: f"anp.{each}" for each in _SAME},
    **{ours: f"anp.{theirs}" for ours, theirs in AS_NUMPY.items() if ours[0] in "acrv"},
    **{f"math.{each}": f"anp.{each}" for each in ("log", "log1p")},
    "cast": "anp.array",
    "constant": "anp.array",
    "convert_to_tensor": "anp.array",
    "custom_gradient": "autograd.extend.primitive",
    "linalg.diag": "anp.diag",
    "math.divide_no_nan": "anp.where(_1 == 0, 0.0, _0 / anp.where(_1 == 0, 1.0, _1))",
    "math.is_finite": "anp.isfinite",
    "math.log_sigmoid": "-anp.logaddexp(0.0, -_0)",
    "math.reciprocal_no_nan": "anp.where(_0 == 0, 0.0, 1 / anp.where(_0 == 0, 1.0, _0))",
    "math.reduce_variance": "anp.var",
    "math.rsqrt": "1 / anp.sqrt(_0)",
    "math.softplus": "anp.logaddexp(0.0, _0)",
    "nn.relu": "anp.maximum(_0, 0.0)",
    "sigmoid": "autograd.scipy.special.expit",
    "stop_gradient": "autograd.tracer.getval",
}
"""What autograd writes for TensorFlow's functions; `anp` is `autograd.numpy`."""

CAUSES = (
    Cause(
        "not_trainable",
        "The argument is not differentiated",
        "`grad` differentiates by the argument that `argnum` names, by itself by the first.",
        "Name the argument: `grad(f, argnum)`, where several stand in a tuple.",
    ),
    Cause(
        "unused_source",
        "The result does not depend on the argument",
        "No primitive of autograd's leads from the argument to the result: the gradient is zeros.",
        "Use the argument in the result, or leave it out of `argnum`.",
    ),
    Cause(
        "integer_dtype",
        "An integer has no gradient",
        "A gradient is about small changes; integers have none, so no gradient passes them.",
        "Stay in floats: write `3.0` for `3`, and cast to integers only beside the path.",
    ),
    Cause(
        "left_to_numpy",
        "A value was taken out of its box",
        "autograd follows the boxes that it puts around arrays. What plain NumPy is given, what `getval` or `._value` "
        "gives, and what a function without a derivative gives, such as `round`, is an array without a box.",
        "Use the functions of `autograd.numpy`, and keep the box.",
    ),
    Cause(
        "custom_gradient_bug",
        "A custom gradient is wrong",
        "What `defvjp` is given must give, for each argument, the derivative multiplied by the upstream gradient.",
        "`autograd.test_util.check_grads(f)(x)` holds its numbers against finite differences.",
    ),
    Cause(
        "implicit_sum",
        "The result is not one number",
        "`elementwise_grad` differentiates the sum of the results.",
        "Take `jacobian` for one gradient per entry.",
    ),
)

AUTOGRAD = Dialect(
    phrases={**JAX.phrases, **PHRASES},
    functions=FUNCTIONS,
    ops=AS_NUMPY,
    causes={**JAX.causes, **{each.label: each for each in CAUSES}},
    library="anp.",
    libraries=("np.", "anp.", "autograd."),
)
