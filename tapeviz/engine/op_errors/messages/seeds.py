"""The op that made a target, and a seed whose shape differs from the target's -> TensorFlow's message.

TensorFlow computes each gradient with ops of its own. The message is that of the op which fails.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, TypeAlias

from tapeviz.engine.op_errors.definitions import definition_of
from tapeviz.engine.op_errors.messages.shapes import incompatible_shapes
from tapeviz.engine.op_errors.spelling import listed

SeedMessage: TypeAlias = Callable[[str, Any, Any], str]
"""A function of the name of the op, the shape of the seed and that of the target -> the message."""


def _reshaped(op: str, seed: Any, target: Any) -> str:
    if prod(seed) == prod(target):
        return _as_slice(op, seed, target)
    return f"Input to reshape is a tensor with {prod(seed)} values, but the requested shape has {prod(target)}"


def _paired(op: str, seed: Any, target: Any) -> str:
    called = f"{definition_of(op).name}Grad"
    return (
        f"Inputs to operation {called} of type {called} must have the same size and shape.  "
        f"Input 0: {listed(seed)} != input 1: {listed(target)}"
    )


def _by_result(op: str, seed: Any, target: Any) -> str:
    return f"The two arguments to a cwise op must have same number of elements, got {prod(target)} and {prod(seed)}"


def _product(op: str, seed: Any, target: Any) -> str:
    return "In[0] ndims must be >= 2" if len(seed) < 2 else _as_slice(op, seed, target)


def _turned(op: str, seed: Any, target: Any) -> str:
    if len(seed) == len(target):
        return _as_slice(op, seed, target)
    return f"transpose expects a vector of size {len(seed)}. But input(1) is a vector of size {len(target)}"


def _cut(op: str, seed: Any, target: Any) -> str:
    if len(seed) == len(target):
        return _as_slice(op, seed, target)
    axes = f"[{len(target)}] and [{len(target)}]"
    return f"Expected begin and size arguments to be 1-D tensors of size {len(seed)}, but got shapes {axes} instead."


def _chosen(op: str, seed: Any, target: Any) -> str:
    other = [] if op == "where" else seed  # zeros: one of them, or like the seed
    return f"condition {listed(target)}, then {listed(seed)}, and else {listed(other)} must be broadcastable"


def _as_slice(op: str, seed: Any, target: Any) -> str:
    return f"shape of dy was {listed(seed)} instead of {listed(target)}"


_LISTS: dict[SeedMessage, str] = {
    _reshaped: """
        expand_dims gather reduce_logsumexp reduce_max reduce_mean reduce_min reduce_prod reduce_sum reduce_variance
        reshape sigmoid_cross_entropy_with_logits softmax_cross_entropy_with_logits squeeze sub tile
        """,
    _paired: "elu leaky_relu relu relu6 selu softplus softsign",
    _by_result: "reciprocal rsqrt sigmoid sqrt tanh",
    _product: "matmul",
    _turned: "transpose",
    _cut: "pad",
    _chosen: "maximum minimum where",
}
_MESSAGES = {op: message for message, ops in _LISTS.items() for op in ops.split()}


def seed_mismatch(op: str, seed: Any, target: Any) -> str:
    """The message about a seed of another shape than the target, for an op whose gradient broadcasts nothing.

    >>> seed_mismatch("reduce_sum", (3,), (2,))
    'Input to reshape is a tensor with 3 values, but the requested shape has 2'
    """
    return _MESSAGES.get(op, _as_slice)(op, seed, target)


def seed_not_broadcastable(op: str, seed: Any, target: Any) -> str:
    """The message about a seed that does not broadcast to the target, for an op whose gradient broadcasts seeds."""
    return _chosen(op, seed, target) if _MESSAGES.get(op) is _chosen else incompatible_shapes(seed, target)
