"""Targets, and what the user gives as `output_gradients` -> one seed per target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.op_errors.dtypes import unlike_dtypes
from tapeviz.engine.recording import NODE, Trace
from tapeviz.engine.rules.plan import is_number
from tapeviz.engine.tensors.mutable import MutableTensor
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.engine.values.convert import array_of
from tapeviz.errors import InvalidArgumentError


def seeds_of(trace: Trace, targets: list[TensorLike], given: list[Any]) -> list[Any]:
    """One seed per target: the given one, or else ones; None where None is given, and for texts.

    A seed has the target's shape, unless no op on the tape depends on it.

    Raises:
        InvalidArgumentError: a seed of another dtype, or of a shape that does not broadcast to its target's, or that
            the gradient of the op that made the target does not broadcast.
        ValueError: None for a target whose op's gradient is more than the seed itself.
    """
    if not given:
        return [filled(target._value, 1) for target in targets]
    seeds = []
    for index, target in enumerate(targets):
        value = target._value
        if index >= len(given):
            seeds.append(filled(value, 1))
        elif given[index] is None:
            _check_none(next(_makers(trace, target._id), None))
            seeds.append(None)
        else:
            seeds.append(_checked(trace, target, given[index]))
    return seeds


def _checked(trace: Trace, target: TensorLike, seed: Any) -> Any:
    """A given seed, broadcast or reshaped for the first op on the way back whose gradient depends on its shape."""
    seed = convert_to_tensor(seed) if isinstance(seed, (MutableTensor, IndexedSlices)) else seed
    array, value = array_of(seed), target._value
    for plan, entries in _makers(trace, target._id):
        if not plan.pulled:
            break
        if not plan.hands_on_as_is(entries):
            _check_dtype(array, value)
            if not (plan.facts.seed_shape == "scaled" and plan.only == 0 and is_number(entries[1])):
                if array.shape != value.shape:
                    return _broadcast(array, value, plan, entries)
                break
    return seed if isinstance(seed, Tensor) else array


def filled(value: Any, number: int) -> Any:
    """An array, or a scalar, like another one, of zeros or ones; for texts, empty ones, or None instead of ones."""
    if not isinstance(value, np.ndarray):
        return type(value)(number)
    if value.dtype.kind == "O":
        return None if number else np.full(value.shape, b"", object)
    return np.ones(value.shape, value.dtype) if number else np.zeros(value.shape, value.dtype)


def _makers(trace: Trace, made: int) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """The op that made a tensor, the op that made its first input, and so on: their plans and entries."""
    plans, inputs, outs = trace.nodes[::NODE], trace.nodes[1::NODE], trace.nodes[2::NODE]
    for plan, entries, out in zip(reversed(plans), reversed(inputs), reversed(outs), strict=True):
        if out == made or (type(out) is tuple and made in out):
            yield plan, entries
            made = entries[0]


def _takes_only_its_shape(plan: Any, entries: tuple[Any, ...]) -> bool:
    """Whether TensorFlow's gradient function of an op refuses seeds of another shape than the op's result."""
    match plan.facts.seed_shape:
        case "broadcast":
            return False
        case "handed on":
            return not plan.hands_on_as_is(entries)
        case "scaled":
            return plan.only == 1 and is_number(entries[0])
    return True


def _check_none(maker: Any) -> None:
    """Raise ValueError for a seed of None, unless the op's VJP only passes it on."""
    if maker is not None and not maker[0].passes_on:
        raise ValueError(
            f"The seed in output_gradients of the result of {maker[0].name} is None: leave that target out, or give "
            "tf.zeros_like(target)."
        )


def _check_dtype(array: Any, value: Any) -> None:
    if array.dtype != value.dtype:
        given = f"a seed in output_gradients of {array.dtype.name} and a target of {value.dtype.name}"
        raise unlike_dtypes("mul", array.dtype, value.dtype, given)


def _broadcast(array: Any, value: Any, plan: Any, entries: tuple[Any, ...]) -> Any:
    if _takes_only_its_shape(plan, entries):
        most = 1 if plan.facts.seed_shape == "reshaped" else value.size
        if plan.facts.seed_shape != "exact" and array.size == value.size <= most:
            return array.reshape(value.shape)
        raise InvalidArgumentError(
            f"The seed in output_gradients of the result of {plan.name} is of shape {array.shape}, and must have its "
            f"shape, {value.shape}: use tf.broadcast_to(seed, target.shape)."
        )
    try:
        return np.broadcast_to(array, value.shape)
    except ValueError:
        raise InvalidArgumentError(
            f"The seed in output_gradients of the result of {plan.name} is of shape {array.shape}, which does not "
            f"broadcast to {value.shape}, the shape of the target. Give tf.ones_like(target), or a part of it."
        ) from None
