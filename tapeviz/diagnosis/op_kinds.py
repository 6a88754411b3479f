"""The kinds of ops that rules ask for, as sets of the names that a log has; of which kinds an op is, its row says."""

from __future__ import annotations

from tapeviz.events import EventLog
from tapeviz.events.catalog import CUSTOM, GRAPH, WITHIN, of_kind
from tapeviz.graph import Op

PRODUCTS = of_kind("product")
"""Ops that multiply their first two operands; `linear` and the convolutions add a third."""

ADDITIVE = of_kind("additive")
"""Ops in which a constant term only shifts the result: it has no effect on any gradient."""

DIFFERENCES = of_kind("difference") | {"smooth_l1_loss", "huber_loss"}
"""Ops that compare two operands by their difference."""

KEEPING_STATISTICS = frozenset({"batch_norm", "instance_norm"})
"""Ops that write statistics of what they read into tensors that they are given."""

NORMALIZATIONS = KEEPING_STATISTICS | {"layer_norm", "group_norm", "rms_norm"}
"""Ops that bring their first operand to a mean of zero or a size of one, and scale and shift it by others."""

QUOTIENTS = of_kind("quotient")
"""Ops that are infinite where their denominator is zero."""

QUOTIENT_SLOTS = {"div": (0, 1), "rdiv": (1, 0)}
"""Of an op that divides, the slots of what is divided and of what it is divided by."""

SCALINGS = of_kind("scaling")
"""Ops besides products whose results can underflow to zero in float16."""

POWERS = of_kind("power")
"""Ops whose derivative is zero only where their base or their exponent is."""

RECTIFIERS = of_kind("rectifier")
"""Activations that are off where their input is not positive."""

SOFTMAXES = of_kind("softmax")
SOFTMAX_LOSSES = of_kind("softmax_loss")
MASKED = SOFTMAXES | {"reduce_logsumexp"}
"""Ops that read minus infinity on purpose: a mask hides entries so."""

LOGARITHMS = of_kind("logarithm") | SOFTMAX_LOSSES
"""Ops that give the logarithm of a probability, or of the sum that normalizes it."""

BOUNDED = of_kind("bounded")
"""Ops that are flat beyond a bound, or saturate on one side or both."""

FLAT_BELOW = frozenset({"exp", "exp2", "expm1", "gelu", "silu"})
"""Those of them that are so far below zero alone: what they read is no stand-in for what they give."""

EXTREMES = of_kind("extreme")
"""Ops that take, entry by entry, one of two operands."""

CLIPS = EXTREMES | {"clip_by_value"}
"""Ops that keep numbers within bounds."""

KINKED = RECTIFIERS | CLIPS | {"abs", "relu6"}
"""Piecewise linear ops: their second derivative is zero."""

ENTRY_EXTREMES = of_kind("entry_extreme")
"""Ops that take the largest or smallest entries of one operand."""

CHOICES = of_kind("choice")
"""Ops that keep the entries that a condition selects."""

LOOKUPS = of_kind("lookup")
"""Ops that take the entries at given indices; their gradient may be an `IndexedSlices`."""

PIECES = of_kind("piece")
"""Ops that take one piece of an operand, of which others take the rest."""

PARTS = LOOKUPS | PIECES | {"take_along"}
"""Ops that may read only a part of an operand."""

STEPS = of_kind("step")
COMPARISONS = of_kind("comparison")
DRAWS = of_kind("draw") | {"Multinomial", "StatelessRandomBinomial"}
"""Ops that draw a random sample, which has no gradient by the parameters of its distribution."""

COLLECTIVES = of_kind("collective")
"""Ops that send numbers to other processes, and get theirs."""

RESHAPING = of_kind("reshaping")
"""Ops with which users change a shape on purpose."""

COPIES = of_kind("copy")
"""Ops that give what they read, unchanged."""

JOINS = of_kind("join")
"""Ops that join operands along an axis."""

VIEWS = of_kind("view")
"""Ops whose result may share the elements of their first input."""


FILLS = DRAWS | {"fill", "zero"}
"""Ops that, in place, leave nothing of what they overwrite, and read nothing else that was computed."""

_WRITES = FILLS | {"copy"}


def read_by(op: Op) -> tuple[int, ...]:
    """What an op computes with: of one that gives a whole tensor other numbers in place not those that it had."""
    is_written = op.op in _WRITES and dict(op.attrs).get("in_place") is True
    return op.inputs[1:] if is_written else op.inputs


def is_packages(op: Op) -> bool:
    """Whether an installed package asked for an op, rather than the user's own line."""
    return WITHIN in dict(op.attrs)


def is_compiled_graph(op: Op) -> bool:
    """Whether it is a call of a compiled graph, of which the ops inside were not seen."""
    return GRAPH in dict(op.attrs)


def is_packages_function(op: Op) -> bool:
    """Whether it is a function of a package's with its own gradient, which may be made of more than it was given."""
    return CUSTOM in op.attrs and is_packages(op)


def may_have_pole(log: EventLog, op: Op) -> bool:
    """Whether an op or its derivative can be infinite or NaN for finite inputs; of an unknown op, True."""
    known = log.row_of(op)
    return known is None or known.pole is not None
