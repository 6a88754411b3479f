"""JAX's words: a function is traced, its arguments are differentiated, and what leads nowhere gives zeros."""

from __future__ import annotations

from tapeviz.diagnosis.causes import Cause
from tapeviz.diagnosis.dialects.dialect import SIGNS, Dialect
from tapeviz.diagnosis.dialects.phrases import PHRASES

FUNCTIONS = {
    "abs": "jnp.abs",
    "acos": "jnp.arccos",
    "acosh": "jnp.arccosh",
    "asin": "jnp.arcsin",
    "atan2": "jnp.arctan2",
    "atanh": "jnp.arctanh",
    "cast": "jnp.astype",
    "clip_by_global_norm": "optax.clip_by_global_norm",
    "clip_by_value": "jnp.clip",
    "concat": "jnp.concatenate",
    "constant": "jnp.array",
    "convert_to_tensor": "jnp.asarray",
    "cos": "jnp.cos",
    "cosh": "jnp.cosh",
    "cumsum": "jnp.cumsum",
    "custom_gradient": "jax.custom_vjp",
    "einsum": "jnp.einsum",
    "exp": "jnp.exp",
    "expand_dims": "jnp.expand_dims",
    "float32": "jnp.float32",
    "floor": "jnp.floor",
    "function": "jax.jit",
    "linalg.diag": "jnp.diag",
    "math.divide_no_nan": "jnp.where(_1 == 0, 0.0, _0 / jnp.where(_1 == 0, 1.0, _1))",
    "math.is_finite": "jnp.isfinite",
    "math.log": "jnp.log",
    "math.log1p": "jnp.log1p",
    "math.log_sigmoid": "jax.nn.log_sigmoid",
    "math.reciprocal_no_nan": "jnp.where(_0 == 0, 0.0, 1 / jnp.where(_0 == 0, 1.0, _0))",
    "math.reduce_variance": "jnp.var",
    "math.rsqrt": "jax.lax.rsqrt",
    "math.softplus": "jax.nn.softplus",
    "math.xlogy": "jax.scipy.special.xlogy",
    "matmul": "jnp.matmul",
    "maximum": "jnp.maximum",
    "minimum": "jnp.minimum",
    "multiply": "jnp.multiply",
    "nn.leaky_relu": "jax.nn.leaky_relu",
    "nn.log_softmax": "jax.nn.log_softmax",
    "nn.relu": "jax.nn.relu",
    "nn.softmax": "jax.nn.softmax",
    "nn.sigmoid_cross_entropy_with_logits": ("-(_0 * jax.nn.log_sigmoid(_1) + (1 - _0) * jax.nn.log_sigmoid(-(_1)))"),
    "norm": "jnp.linalg.norm",
    "pow": "jnp.power",
    "range": "jnp.arange",
    "reduce_logsumexp": "jax.nn.logsumexp",
    "reduce_max": "jnp.max",
    "reduce_mean": "jnp.mean",
    "reduce_min": "jnp.min",
    "reduce_prod": "jnp.prod",
    "reduce_sum": "jnp.sum",
    "reshape": "jnp.reshape",
    "round": "jnp.round",
    "sigmoid": "jax.nn.sigmoid",
    "sign": "jnp.sign",
    "sin": "jnp.sin",
    "sinh": "jnp.sinh",
    "size": "jnp.size",
    "sort": "jnp.sort",
    "sqrt": "jnp.sqrt",
    "square": "jnp.square",
    "squeeze": "jnp.squeeze",
    "stack": "jnp.stack",
    "stop_gradient": "jax.lax.stop_gradient",
    "subtract": "jnp.subtract",
    "tan": "jnp.tan",
    "tanh": "jnp.tanh",
    "tensor_scatter_nd_update": "x.at[...].set",
    "transpose": "jnp.transpose",
    "where": "jnp.where",
    "zeros_like": "jnp.zeros_like",
}
"""What JAX writes for TensorFlow's functions."""

OPS = {
    **SIGNS,
    **{f"a{each}": f"arc{each}" for each in ("cos", "cosh", "sin", "sinh", "tan", "tan2", "tanh")},
    "clip_by_value": "clip",
    "concat": "concatenate",
    "standard_deviation": "std",
    "variance": "var",
    **{f"reduce_{each}": each for each in ("all", "any", "logsumexp", "max", "mean", "min", "prod", "sum")},
}

CAUSES = (
    Cause(
        "not_trainable",
        "The argument is not differentiated",
        "`jax.grad` differentiates by the arguments that `argnums` lists, by itself by the first alone.",
        "List the argument in `argnums`.",
    ),
    Cause(
        "unused_source",
        "The result does not depend on the argument",
        "No op leads from the argument to the result: the gradient is zeros, and no error says so.",
        "Use the argument in the result, or leave it out of `argnums`.",
    ),
    Cause(
        "integer_dtype",
        "An integer array has no gradient",
        "A gradient is about small changes; integers have none, so no gradient passes them.",
        "Stay in floats: write `3.0` for `3`, and cast to integers only beside the path.",
    ),
    Cause(
        "custom_gradient_bug",
        "A custom gradient is wrong",
        "The `bwd` of a `jax.custom_vjp` must return one gradient per argument, each multiplied by the upstream "
        "gradient. It is held against JAX's own gradient of what the function computes.",
        "Return a tuple with `upstream * derivative` for each argument; `jax.test_util.check_grads(f, (x,), order=1)` "
        "holds its numbers against finite differences.",
    ),
    Cause(
        "implicit_sum",
        "The result is not one number",
        "`jax.grad` takes a function of one number as its result; the recording differentiates the sum instead.",
        "Return one number, such as the mean, or take `jax.jacobian` for one gradient per entry.",
    ),
)

JAX = Dialect(
    phrases={phrase: each.tensorflow if each.jax is None else each.jax for phrase, each in PHRASES.items()},
    functions=FUNCTIONS,
    ops=OPS,
    causes={each.label: each for each in CAUSES},
    library="jnp.",
    libraries=("jnp.", "jax."),
)
