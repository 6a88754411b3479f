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
"""They multiply their first two operands; a third is added."""

COMMUTATIVE = frozenset({"add", "mul"})
ADDITIVE = frozenset({"add", "sub", "neg", "add_n", "identity", "reduce_sum", "reduce_mean"})
"""A constant term in them only shifts the target: it has no part in any gradient."""

DIFFERENCES = frozenset(
    {
        *("sub", "squared_difference"),
        *("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"),
    }
)
"""They compare two operands by how far they are apart."""
QUOTIENTS = frozenset({"div", "reciprocal"})
"""They are infinite because a denominator is zero, wherever that came from."""

SCALINGS = frozenset({"reduce_mean", "cast", "square"})
"""They make zeros of small numbers in float16, as products do."""

POWERS = frozenset({"pow", "reciprocal", "square"})
"""Of a base that is not zero, to a power that is not, their derivative is not zero."""

RECTIFIERS = frozenset({"relu", "leaky_relu"})
"""They are off where their input is not positive."""

SOFTMAXES = frozenset({"softmax", "log_softmax"})
SOFTMAX_LOSSES = frozenset(
    {"cross_entropy", "softmax_cross_entropy_with_logits", "sparse_softmax_cross_entropy_with_logits"}
)
MASKED = SOFTMAXES | {"reduce_logsumexp"}
"""They are meant to read minus infinity, where a mask hides an entry."""

LOGARITHMS = frozenset({"log", "log_softmax", "reduce_logsumexp"}) | SOFTMAX_LOSSES
"""What they give is the logarithm of a share or a probability, or of the sum that is to be taken off for one."""

BOUNDED = frozenset(
    {
        *("tanh", "sigmoid", "hardsigmoid", "softsign", "softmax", "erf"),
        *("relu6", "clip_by_value", "elu", "selu", "softplus"),
    }
)
"""They are flat beyond a bound, or far out on one side or both."""

EXTREMES = frozenset({"maximum", "minimum", "clamp_min", "clamp_max"})
"""They take one of two operands."""

CLIPS = EXTREMES | {"clip_by_value"}
"""They keep numbers within bounds."""

KINKED = RECTIFIERS | CLIPS | {"abs", "relu6"}
"""They are straight but where they bend: their second derivative is zero."""

ENTRY_EXTREMES = frozenset({"reduce_max", "reduce_min", "top_k", "max_pool"})
"""They take some entries of one operand."""

CHOICES = frozenset({"where", "mask", "masked_fill", "boolean_mask"})
"""They keep some entries and discard the others."""

LOOKUPS = frozenset({"gather", "gather_nd"})
"""They take the entries that another operand names; their gradient may come as rows and their places."""

PIECES = frozenset({"getitem", "split", "unstack"})
"""They take one piece of an operand, and others take the other ones."""

PARTS = LOOKUPS | PIECES | {"take_along"}
"""They read some entries of an operand, and leave the others."""

STEPS = frozenset({"round", "rint", "floor", "ceil", "sign", "floordiv"})
COMPARISONS = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})
DRAWS = frozenset({"categorical", "Multinomial", "multinomial", "bernoulli", "normal", "StatelessRandomBinomial"})
"""They draw at random, and say nothing of how likely it was."""

RESHAPING = frozenset({"expand_dims", "reshape", "getitem", "transpose"})
"""What a user writes who means a shape to be as it becomes."""

COPIES = frozenset({"identity", "stop_gradient"})
"""They give the numbers that they read."""

JOINS = frozenset({"concat", "stack"})
"""They put operands beside one another."""

VIEWS = RESHAPING | {"matrix_transpose", "squeeze", "unstack", "split", "broadcast_to", "diag_part"}
"""Their result may share the elements of their first input."""


def may_have_pole(log: EventLog, op: Op) -> bool:
    """Whether an op or its derivative is infinite or NaN at some numbers; one that nothing is known of may be so."""
    known = log.row_of(op)
    return known is None or known.pole is not None
