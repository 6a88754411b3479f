"""The kinds of ops that rules ask for, as sets of the names that a log has."""

from __future__ import annotations

from tapeviz.events import EventLog
from tapeviz.graph import Op

PRODUCTS = frozenset(
    {
        *("mul", "matmul", "div", "multiply_no_nan", "einsum"),
        *("linear", "conv", "conv2d", "depthwise_conv2d"),
    }
)
"""Ops that multiply their first two operands; `linear` and the convolutions add a third."""

ADDITIVE = frozenset({"add", "sub", "neg", "add_n", "identity", "reduce_sum", "reduce_mean"})
"""Ops in which a constant term only shifts the result: it has no effect on any gradient."""

DIFFERENCES = frozenset(
    {
        *("sub", "squared_difference"),
        *("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"),
    }
)
"""Ops that compare two operands by their difference."""

QUOTIENTS = frozenset({"div", "reciprocal"})
"""Ops that are infinite where their denominator is zero."""

SCALINGS = frozenset({"reduce_mean", "cast", "square"})
"""Ops besides products whose results can underflow to zero in float16."""

POWERS = frozenset({"pow", "reciprocal", "square"})
"""Ops whose derivative is zero only where their base or their exponent is."""

RECTIFIERS = frozenset({"relu", "leaky_relu"})
"""Activations that are off where their input is not positive."""

SOFTMAXES = frozenset({"softmax", "log_softmax"})
SOFTMAX_LOSSES = frozenset(
    {"cross_entropy", "softmax_cross_entropy_with_logits", "sparse_softmax_cross_entropy_with_logits"}
)
MASKED = SOFTMAXES | {"reduce_logsumexp"}
"""Ops that read minus infinity on purpose: a mask hides entries so."""

LOGARITHMS = frozenset({"log", "log_softmax", "reduce_logsumexp"}) | SOFTMAX_LOSSES
"""Ops that give the logarithm of a probability, or of the sum that normalizes it."""

BOUNDED = frozenset(
    {
        *("tanh", "sigmoid", "hardsigmoid", "softsign", "softmax", "erf"),
        *("relu6", "clip_by_value", "elu", "selu", "softplus"),
    }
)
"""Ops that are flat beyond a bound, or saturate on one side or both."""

EXTREMES = frozenset({"maximum", "minimum", "clamp_min", "clamp_max"})
"""Ops that take, entry by entry, one of two operands."""

CLIPS = EXTREMES | {"clip_by_value"}
"""Ops that keep numbers within bounds."""

KINKED = RECTIFIERS | CLIPS | {"abs", "relu6"}
"""Piecewise linear ops: their second derivative is zero."""

ENTRY_EXTREMES = frozenset({"reduce_max", "reduce_min", "top_k", "max_pool"})
"""Ops that take the largest or smallest entries of one operand."""

CHOICES = frozenset({"where", "mask", "masked_fill", "boolean_mask"})
"""Ops that keep the entries that a condition selects."""

LOOKUPS = frozenset({"gather", "gather_nd"})
"""Ops that take the entries at given indices; their gradient may be an `IndexedSlices`."""

PIECES = frozenset({"getitem", "split", "unstack"})
"""Ops that take one piece of an operand, of which others take the rest."""

PARTS = LOOKUPS | PIECES | {"take_along"}
"""Ops that may read only a part of an operand."""

STEPS = frozenset({"round", "rint", "floor", "ceil", "sign", "floordiv"})
COMPARISONS = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})
DRAWS = frozenset({"categorical", "Multinomial", "multinomial", "bernoulli", "normal", "StatelessRandomBinomial"})
"""Ops that draw a random sample, which has no gradient by the parameters of its distribution."""

RESHAPING = frozenset({"expand_dims", "reshape", "getitem", "transpose"})
"""Ops with which users change a shape on purpose."""

COPIES = frozenset({"identity", "stop_gradient"})
"""Ops that give what they read, unchanged."""

JOINS = frozenset({"concat", "stack"})
"""Ops that join operands along an axis."""

VIEWS = RESHAPING | {"matrix_transpose", "squeeze", "unstack", "split", "broadcast_to", "diag_part"}
"""Ops whose result may share the elements of their first input."""


def may_have_pole(log: EventLog, op: Op) -> bool:
    """Whether an op or its derivative can be infinite or NaN for finite inputs; of an unknown op, True."""
    known = log.row_of(op)
    return known is None or known.pole is not None
