"""tinygrad's words: a program builds a graph, and `backward` leaves gradients in `.grad` of all that it meets."""

from __future__ import annotations

from collections.abc import Mapping

from tapeviz.diagnosis.causes import Cause
from tapeviz.diagnosis.dialects.dialect import Dialect
from tapeviz.diagnosis.dialects.phrases import Phrase
from tapeviz.diagnosis.dialects.torch import TORCH

PHRASES: Mapping[Phrase, str] = {
    "the tape": "tinygrad",
    "parameter": "`Tensor`",
    "forward": "__call__",
    "trainable": "is_param",
    "gradient call": "`{target}.gradient({source})`",
    "gets None": "gets no gradient (zeros, or None outside of the graph)",
    "the gradient is None": "there is no gradient",
    "no gradient for integers": "no gradient passes an integer tensor",
    "or leave it out": ", or leave {it} out of what is trained",
    "read None as zero": "Leave it so: zero is what the derivative is.",
    "nothing followed": "tinygrad took no gradient",
    "watch": "`{name}.is_param_()`",
    "watch it": "`is_param_()` on it",
    "watch one without a name": "Make it before it is used.",
    "is watched": "is a parameter",
    "too late for the watch": "the graph was built before that",
    "is not followed": "is not in the graph",
    "assign": "`{name}.assign({value})`",
    "line that assigns": "{name}.assign({value})",
    "subtract": "`{name}.assign({name}.detach() - step)`",
    "change by an operator": "`{line}`",
    "kept by the model": "as an attribute of the model",
    "not differentiable again": "is a number by now: it was realized",
    "record the first gradient": "Take it by `Tensor.gradient`, and realize it last.",
    "off": "detached",
    "not watched": "not in the graph",
    "reads nothing watched": "nothing it reads has a gradient",
}
"""What is said otherwise than of PyTorch, whose methods tinygrad's are called after."""

_METHODS = (
    *("abs", "cos", "cosh", "cumsum", "exp", "floor", "matmul", "maximum", "minimum", "reshape", "round", "sigmoid"),
    *("sign", "sin", "sinh", "sqrt", "square", "squeeze", "stack", "tan", "tanh", "transpose", "where", "einsum"),
    "zeros_like",
)
FUNCTIONS = {
    **{each: f"Tensor.{each}" for each in _METHODS},
    **{f"nn.{each}": f"Tensor.{each}" for each in ("relu", "softmax", "log_softmax", "leaky_relu")},
    **{f"reduce_{each}": f"Tensor.{each}" for each in ("sum", "mean", "max", "min", "prod", "logsumexp")},
    **{f"math.{each}": f"Tensor.{each}" for each in ("log", "rsqrt", "softplus")},
    "Variable": "Tensor",
    "cast": "Tensor.cast",
    "clip_by_value": "Tensor.clamp",
    "concat": "Tensor.cat",
    "constant": "Tensor",
    "convert_to_tensor": "Tensor",
    "custom_gradient": "Tensor.custom_kernel",
    "expand_dims": "Tensor.unsqueeze",
    "float32": "dtypes.float32",
    "math.divide_no_nan": "(_1 == 0).where(0.0, _0 / (_1 == 0).where(1.0, _1))",
    "math.is_finite": "Tensor.isfinite",
    "math.log1p": "(1 + _0).log()",
    "math.log_sigmoid": "Tensor.logsigmoid",
    "math.reciprocal_no_nan": "(_0 == 0).where(0.0, 1 / (_0 == 0).where(1.0, _0))",
    "stop_gradient": "_0.detach()",
    "subtract": "Tensor.sub",
}
"""What tinygrad writes for TensorFlow's functions."""

CAUSES = (
    Cause(
        "left_to_numpy",
        "A value was read out of its graph",
        "`.item()`, `.numpy()` and `.tolist()` give plain numbers, and `.realize()` puts the numbers into a buffer; no "
        "op leads to either, so that no gradient passes.",
        "Stay in tensors: drop the read-out, and realize what you only want to look at after `backward`.",
    ),
    Cause(
        "unused_source",
        "The target does not depend on the source",
        "No op leads from the source to the target.",
        "Use the source in the target.",
    ),
    Cause(
        "rebuilt_as_leaf",
        "A tensor was copied into a new one",
        "`Tensor(...)` takes numbers alone; the new tensor is not connected to where they came from.",
        "Use the tensor itself; join several with `Tensor.stack` or `Tensor.cat`.",
    ),
    Cause(
        "stop_gradient",
        "The gradient is held back on the path",
        "`detach()` passes the value and holds the gradient back.",
        "Remove it, or add the path that is meant to learn: `z + (q - z).detach()`.",
    ),
    Cause(
        "through_state",
        "The value was written into a tensor",
        "What `assign` writes is put into the buffer as it is realized; then no op leads there.",
        "Keep the value in a tensor of its own: `total = total + x`.",
    ),
    Cause(
        "api_misuse",
        "The call is not what the function takes",
        "`backward` takes a target of one number, or else how much each of its numbers counts.",
        "Make one number of it first, `.sum()` or `.mean()`.",
    ),
)

_OF_TORCH_ALONE = frozenset({"custom_gradient_bug", "graph_consumed", "swapped_arguments", "implicit_sum"})

TINYGRAD = Dialect(
    phrases={**TORCH.phrases, **PHRASES},
    functions=FUNCTIONS,
    causes={
        **{label: each for label, each in TORCH.causes.items() if label not in _OF_TORCH_ALONE},
        **{each.label: each for each in CAUSES},
    },
    library="Tensor.",
    libraries=("Tensor.", "tinygrad."),
)
