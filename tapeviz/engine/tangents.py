"""An op that ran and the tangents of its inputs -> the tangents of its outputs.

No op has a rule of its own for this. The VJP of an elementwise op is a product with a diagonal, which is its own
transpose; a linear op maps tangents as it maps values; for every other op the VJP, which is linear in the upstream
gradient, is transposed by differentiating it once more.
"""

from __future__ import annotations

from functools import reduce
from operator import add
from typing import Any

import numpy as np

from tapeviz.engine.backward.slices import dense
from tapeviz.engine.facts import Tangents
from tapeviz.engine.recording import APART, Apart
from tapeviz.engine.specs.dtypes import DIFFERENTIABLE, is_complex
from tapeviz.engine.table import OPS
from tapeviz.engine.tape import GradientTape
from tapeviz.engine.tensors.tensor import Tensor


def tangents_of(call: object, tangents: list[Any], result: object) -> tuple[Any, ...]:
    """The tangent of each output of an op, None where there is no derivative.

    Args:
        call: the `OpCall`.
        tangents: that of each input, or None.
        result: the output, or a tuple of outputs.
    """
    match _way(call, tangents, result):
        case "linear":
            return _linear(call, tangents)
        case "bilinear":
            return (_bilinear(call, _completed(call, tangents)),)
        case "elementwise":
            return (_elementwise(call, _completed(call, tangents), result),)
        case _:
            return _transposed(call, _completed(call, tangents), result)


def _way(call: Any, tangents: list[Any], result: Any) -> Tangents | None:
    """How to compute the tangents: as the op's facts say, unless that needs more than there is here."""
    facts = call.op.facts
    way: Tangents | None = facts.tangents
    if way == "linear":
        pairs = zip(tangents, call.op.rules_of(len(tangents)), strict=True)
        if any(tangent is None and rule for tangent, rule in pairs):
            way = "elementwise" if facts.over == "entries" else "transposed"
    if way == "elementwise":
        apart = type(result) is tuple or any(each is not None and each.dtype != result.dtype for each in tangents)
        if apart or (is_complex(result) and not facts.holomorphic):
            way = "transposed"  # the VJP is no product with a diagonal
    return way


def _linear(call: Any, tangents: list[Any]) -> tuple[Any, ...]:
    """The op itself, applied to the tangents."""
    pairs = zip(call.as_tensors(), tangents, strict=True)
    made = call.op(*[each if tangent is None else tangent for each, tangent in pairs], **call.attributes)
    return made if type(made) is tuple else (made,)


def _bilinear(call: Any, tangents: list[Any]) -> Any:
    """The sum of the op's results with one input at a time replaced by its tangent."""
    inputs = call.as_tensors()
    replaced = [(*inputs[:i], tangent, *inputs[i + 1 :]) for i, tangent in enumerate(tangents) if tangent is not None]
    return reduce(add, [call.op(*operands, **call.attributes) for operands in replaced])


def _elementwise(call: Any, tangents: list[Any], result: Any) -> Any:
    """The sum of the VJPs applied to the tangents, all of them broadcast to the shape of the output first."""
    shape = result._value.shape
    inputs = tuple(_stretched(each, shape) for each in call.as_tensors())
    parts = []
    for index, tangent in enumerate(tangents):
        plan = call.op.plan(tuple(i == index for i in range(len(tangents))), False)
        if tangent is not None and plan.mask[index]:
            saved = plan.pick(result, call.attributes, *inputs)
            parts.append(plan.cotangents(_stretched(tangent, shape), saved)[index])
    return reduce(add, parts) if parts else None


def _stretched(value: Any, shape: tuple[int, ...]) -> Any:
    return value if tuple(value.shape) == shape else OPS["broadcast_to"](value, shape=shape)


def _transposed(call: Any, tangents: list[Any], result: Any) -> tuple[Any, ...]:
    """The derivative of Re <VJP(g), tangent> with respect to g; it is the same for every g."""
    outputs = result if type(result) is tuple else (result,)
    followed = tuple(each is not None for each in tangents)
    plan = call.op.plan(followed, call.uneven, _apart(tangents))
    # Ones, because a rule may divide by g on its way to what is linear in it.
    seeds = [Tensor._new(np.ones_like(each._value)[()]) for each in outputs]
    with GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(seeds)
        saved = plan.pick(result, call.attributes, *call.as_tensors())
        pulled = plan.cotangents(tuple(seeds) if type(result) is tuple else seeds[0], saved)
        products = [
            OPS["reduce_sum"](_inner(dense(c), t), axis=None, keepdims=False)
            for c, t in zip(pulled, tangents, strict=True)
            if c is not None and t is not None
        ]
        total = reduce(add, products) if products else None
    if total is None:
        return (None,) * len(outputs)
    return tuple(tape.gradient(total, seeds))


def _completed(call: Any, tangents: list[Any]) -> list[Any]:
    """The tangents of an op's inputs, zeros in place of None for those whose dtype can have one, as in TensorFlow."""
    return [
        Tensor._new(np.zeros_like(value)[()]) if tangent is None and value.dtype.kind in DIFFERENTIABLE else tangent
        for value, tangent in zip(call.values, tangents, strict=True)
    ]


def _apart(tangents: list[Any]) -> type[Apart] | None:
    """The `apart` of `Op.plan` for inputs with these tangents."""
    kinds = [each._value.dtype.kind for each in tangents if each is not None]
    return next((APART[kind] for kind in kinds if kind in APART), None)


def _inner(cotangent: Any, tangent: Any) -> Any:
    """The real part of conj(cotangent) * tangent, number by number."""
    if not is_complex(cotangent):
        return cotangent * tangent
    return OPS["real"](OPS["conj"](cotangent) * tangent)
