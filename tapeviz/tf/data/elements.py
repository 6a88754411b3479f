"""Values of the user's, or results of a user's function -> elements of a dataset, which are structures of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

import numpy as np

from tapeviz.engine import nest
from tapeviz.engine.graph_mode.building import building, opened
from tapeviz.engine.op_errors.spelling import listed
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import constant, convert_to_tensor, make
from tapeviz.engine.values.convert import unboxed
from tapeviz.errors import InvalidArgumentError
from tapeviz.tf.data.structures import NOTHING, Nothing, shown
from tapeviz.tf.tracing.dry_run import is_dry_run
from tapeviz.tf.tracing.new_variables import making

_PAD = "In batch: dataset.padded_batch fills up what is shorter, and a function in dataset.map could cut it."


def called(function: object, spec: Any = None) -> Callable[..., Any]:
    """The function as a dataset calls it: in a graph, which TensorFlow builds once and which a dry run builds here.

    Args:
        function: the user's function.
        spec: what the graph knows of the shapes of its arguments; all by default.

    Raises:
        ValueError: it is not a function.
    """
    if not callable(function):
        raise ValueError(f"Argument `func` must be a callable. Received func={function} (of type {type(function)})")

    def call(*args: Any) -> Any:
        tried = is_dry_run.get()
        shapes = None if spec is None else opened(args, spec)
        graph = building(
            *args,
            built=not tried,
            named=lambda: {f"args_{index}": each for index, each in enumerate(nest.flatten(args))},
            open_shapes=shapes,
        )
        with making(function) if tried else nullcontext(), graph:
            return function(*map(shown, args))

    return call


def applied(function: Callable[..., Any], element: Any, spec: Any = None) -> Any:
    """The result of a function for an element. A tuple becomes several arguments, a named tuple only one."""
    call = called(function, spec)
    return call(*element) if type(element) is tuple else call(element)


def structured(value: Any) -> Any:
    """A value as an element. Lists and other sequences become tensors; tuples and dicts are structures.

    None in a structure becomes `NOTHING`.
    """
    if isinstance(value, dict):
        return type(value)((key, _part(each)) for key, each in value.items())
    if isinstance(value, Sequence) and not isinstance(value, (tuple, str, bytes)):
        return np.asarray(convert_to_tensor(value)._value)
    if isinstance(value, tuple) and type(value) is not Nothing:
        parts = [_part(each) for each in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    return value


def _part(value: Any) -> Any:
    return NOTHING if value is None or isinstance(value, Nothing) else structured(value)


def array(value: Any) -> Any:
    """The array of a tensor or another value."""
    return constant(value)._value if not isinstance(value, TensorLike) else value._value


def tensor(value: Any) -> Tensor:
    """The tensor of an array, or of an entry of one."""
    return make(unboxed(value if type(value) is bytes else np.asarray(value)))


def returned(value: Any) -> Any:
    """The result of a user's function as a tensor."""
    return value if isinstance(value, Tensor) else convert_to_tensor(value)


def joined(elements: list[Any], *, mapped: bool) -> Any:
    """A batch of elements: each of their tensors is stacked along a new first axis.

    Args:
        elements: the elements.
        mapped: whether they are results of `map`. TensorFlow batches them with another op, which has another error.

    Raises:
        InvalidArgumentError: the shapes differ.
    """
    components = zip(*map(nest.flatten, elements), strict=True)
    stacks = [_stacked(parts, component, mapped) for component, parts in enumerate(components)]
    return nest.pack_sequence_as(elements[0], stacks)


def _stacked(parts: tuple[Tensor, ...], component: int, mapped: bool) -> Tensor:
    first = parts[0]._value.shape
    for number, part in enumerate(parts):
        shape = part._value.shape
        if shape == first:
            continue
        if mapped:
            raise InvalidArgumentError(
                "Cannot add tensor to the batch: number of elements does not match. "
                f"Shapes are: [tensor]: {listed(shape)}, [batch]: {listed(first)}. {_PAD}"
            )
        raise InvalidArgumentError(
            f"Cannot batch tensors with different shapes in component {component}. First element had shape "
            f"{listed(first)} and element {number} had shape {listed(shape)}. {_PAD}"
        )
    return make(np.stack([part._value for part in parts]))
