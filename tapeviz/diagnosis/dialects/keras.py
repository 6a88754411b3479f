"""Keras' words, on whichever backend: its own step takes the gradients, of a loss by what is trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tapeviz.diagnosis.causes import Cause
from tapeviz.diagnosis.dialects.dialect import AS_NUMPY, Dialect
from tapeviz.diagnosis.dialects.phrases import Phrase

PHRASES: Mapping[Phrase, str] = {
    "the tape": "Keras",
    "recording": "step",
    "tensor": "tensor",
    "variable": "variable",
    "constant": "constant",
    "parameter": "`keras.Variable`",
    "forward": "call",
    "trainable": "trainable",
    "made": "made",
    "gradient call": "the gradient of {target} with respect to {source}",
    "gets None": "gets no gradient",
    "the gradient is None": "there is no gradient",
    "no gradient for integers": "no gradient passes an integer tensor",
    "or leave it out": ", or leave {it} out of what is trained",
    "out of the sources": "out of what is trained",
    "read None as zero": "Leave it so: zero is what the derivative is.",
    "hold back": "take `keras.ops.stop_gradient` of",
    "nothing followed": "Nothing was differentiated",
    "assign": "`{name}.assign({value})`",
    "line that assigns": "{name}.assign({value})",
    "kept by the model": "by `add_weight` in a layer",
    "made once": "in `__init__`, or with `add_weight` in `build`",
    "off": "recording paused",
    "not watched": "not differentiated",
    "reads nothing watched": "nothing it reads is differentiated",
}
"""What a program says that leaves the gradient to Keras; of what only a backend has, that backend's words stay."""

_SAME = (
    *("abs", "cast", "convert_to_tensor", "cos", "cosh", "cumsum", "einsum", "exp", "expand_dims", "floor"),
    *("matmul", "maximum", "minimum", "multiply", "norm", "reshape", "round", "sigmoid", "sign", "sin", "sinh", "size"),
    *("sort", "sqrt", "square", "squeeze", "stack", "stop_gradient", "subtract", "tan", "tanh", "transpose", "where"),
    "zeros_like",
)
FUNCTIONS = {
    **{each: f"keras.ops.{each}" for each in _SAME},
    **{f"nn.{each}": f"keras.ops.{each}" for each in ("leaky_relu", "log_softmax", "relu", "softmax")},
    **{f"math.{each}": f"keras.ops.{each}" for each in ("log", "log1p", "rsqrt", "softplus", "log_sigmoid")},
    **{f"reduce_{each}": f"keras.ops.{each}" for each in ("logsumexp", "max", "mean", "min", "prod", "sum")},
    **{f"a{each}": f"keras.ops.arc{each}" for each in ("cos", "cosh", "sin", "tan2", "tanh")},
    "Variable": "keras.Variable",
    "clip_by_global_norm": "global_clipnorm",
    "clip_by_value": "keras.ops.clip",
    "concat": "keras.ops.concatenate",
    "constant": "keras.ops.convert_to_tensor",
    "custom_gradient": "keras.ops.custom_gradient",
    "float32": "'float32'",
    "linalg.diag": "keras.ops.diag",
    "math.divide_no_nan": "keras.ops.divide_no_nan",
    "math.is_finite": "keras.ops.isfinite",
    "math.reciprocal_no_nan": "keras.ops.divide_no_nan(1.0, _0)",
    "math.reduce_variance": "keras.ops.var",
    "math.xlogy": "keras.ops.where(_0 == 0, 0.0, _0 * keras.ops.log(keras.ops.where(_0 == 0, 1.0, _1)))",
    "nn.sigmoid_cross_entropy_with_logits": "keras.ops.binary_crossentropy(_0, _1, from_logits=True)",
    "pow": "keras.ops.power",
    "range": "keras.ops.arange",
    "tensor_scatter_nd_update": "keras.ops.scatter_update",
}
"""What Keras writes for TensorFlow's functions."""

CAUSES = (
    Cause(
        "not_trainable",
        "The variable is not trainable",
        "Keras differentiates by the trainable variables of a model.",
        "Leave it so, or set `trainable = True` on its layer before `compile`.",
    ),
    Cause(
        "unused_source",
        "The target does not depend on the source",
        "No op leads from the source to the target, or none that reads an entry of what was made of it.",
        "Use the source in the target, or leave it out of what is trained.",
    ),
    Cause(
        "stop_gradient",
        "The gradient is held back on the path",
        "`tf.stop_gradient` passes the value and holds the gradient back.",
        "Remove it, or add the path that is meant to learn: `z + tf.stop_gradient(q - z)`.",
    ),
)

PACKAGE = "keras/"
"""What the files of Keras begin with: its users write its functions, and need not be told where these run."""


def of_keras(backend: Dialect) -> Dialect:
    """The words of a program that writes Keras' functions alone, on a backend."""
    return replace(
        backend,
        phrases={**backend.phrases, **PHRASES},
        functions=FUNCTIONS,
        ops=AS_NUMPY,
        causes={**backend.causes, **{each.label: each for each in CAUSES}},
        library="keras.ops.",
        libraries=("keras.ops.", "ops."),
        package=PACKAGE,
    )
