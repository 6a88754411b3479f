"""TensorFlow's tensors -> what a log holds of them: by reference, since an eager tensor never changes."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from tensorflow.python.framework import dtypes, tensor_util
from tensorflow.python.framework.ops import EagerTensor, SymbolicTensor

from tapeviz.events.log import EventLog
from tapeviz.events.values import HeldTensor

OPAQUE = frozenset(each.as_datatype_enum for each in (dtypes.resource, dtypes.variant, dtypes.string))


@cache
def dtype_of(enum: int) -> tuple[str, int, bool]:
    """Name of a dtype, bytes per element, and whether a tape follows tensors of it."""
    dtype = dtypes.as_dtype(enum)
    follows = dtype.is_floating or dtype.is_complex or dtype in (dtypes.resource, dtypes.variant)
    try:
        return dtype.name, dtype.size or 0, follows
    except TypeError:
        return dtype.name, 0, follows


class HeldEagerTensor(HeldTensor):
    """A tensor of TensorFlow in a log, held by reference, since it never changes."""

    __slots__ = ()

    def read(self) -> Any:
        """The elements; None for what has none, as a resource."""
        try:
            return self.tensor._numpy_internal()
        except Exception:  # a dtype without elements, or a device that is gone
            return None

    @property
    def is_near(self) -> bool:
        return "CPU" in self.tensor.backing_device


class HeldState(HeldEagerTensor):
    """What a variable holds, in a log; of a large one statistics only, once it is written over.

    While anyone holds on to its elements, TensorFlow copies a variable before it writes to it.
    """

    __slots__ = ()


class HeldSlices(HeldTensor):
    """A sparse gradient in a log: rows and where they belong, read as the dense array they stand for."""

    __slots__ = ()

    def read(self) -> Any:
        """The dense array, the rows of equal indices added up."""
        rows = self.tensor.values._numpy_internal()
        dense = np.zeros(self.shape, rows.dtype)
        np.add.at(dense, self.tensor.indices._numpy_internal(), rows)
        return dense


class TraceLog(EventLog):
    """The log of the trace of a graph: in the place of values it holds the symbols that the graph has for them."""

    def __init__(self, graph: Any) -> None:
        super().__init__(framework="tensorflow")
        self.graph = graph

    def keep(self, value: Any, /) -> Any:
        """The value itself: none counts against a budget."""
        return value


def is_followed(log: EventLog, obj: Any) -> bool:
    """Whether an object is a tensor that a log follows: with a value, or in the graph whose trace it is of."""
    if isinstance(obj, EagerTensor):
        return True
    return isinstance(log, TraceLog) and isinstance(obj, SymbolicTensor) and obj.graph is log.graph


def enum_of(tensor: Any) -> int:
    """TensorFlow's number for the dtype of a tensor."""
    number: int = tensor.dtype.as_datatype_enum if isinstance(tensor, SymbolicTensor) else tensor._datatype_enum()
    return number


def shape_of(tensor: Any) -> tuple[int, ...]:
    """The shape of a tensor. In a graph it is known as far as traced: 0 for an open length, () for an open rank."""
    return tuple([each or 0 for each in tensor._shape_tuple() or ()])


def number_in(tensor: Any) -> Any:
    """The elements of a tensor; None of one in a graph, unless it is a constant there."""
    if isinstance(tensor, EagerTensor):
        return tensor._numpy_internal()
    known = tensor_util.constant_value(tensor)
    return known[()] if isinstance(known, np.ndarray) else known


def has_numbers(tensor: Any) -> bool:
    """Whether an eager tensor holds numbers or truth values: no text, no resource, no data set."""
    return is_numeric(enum_of(tensor))


@cache
def is_numeric(enum: int) -> bool:
    """Whether a dtype is one of numbers or truth values."""
    return dtype_of(enum)[1] > 0 and enum not in OPAQUE


def is_eager(obj: Any) -> bool:
    """Whether an object is a tensor with a value, rather than one of a graph that is being built."""
    return isinstance(obj, EagerTensor)


LARGE = 1 << 16
"""Bytes above which the steps between a gradient and its variable are not kept."""

Spec = tuple[tuple[int, ...], str]
_specs: dict[tuple[tuple[int, ...], int], tuple[Spec, int]] = {}


def spec_of(tensor: Any) -> Spec:
    """Shape and dtype of an eager tensor: one object for all tensors of the same."""
    return _spec_and_bytes(tensor)[0]


def _spec_and_bytes(tensor: Any) -> tuple[Spec, int]:
    key = shape_of(tensor), enum_of(tensor)
    found = _specs.get(key)
    if found is None:
        name, size, _ = dtype_of(key[1])
        found = _specs[key] = (key[0], name), size * math.prod(key[0])
    return found


def kept(log: EventLog, tensor: Any) -> Any:
    """What a log has of an eager tensor: itself within the budget, or only its shape and dtype."""
    spec, size = _spec_and_bytes(tensor)
    if not log.keeps_values:
        return spec
    if spec[0] == () and isinstance(tensor, EagerTensor) and has_numbers(tensor) and "CPU" in tensor.backing_device:
        return tensor._numpy_internal()
    return log.keep(HeldEagerTensor(tensor, *spec, size))


def kept_state(log: EventLog, tensor: Any) -> Any:
    """As `kept`, of what a variable holds from now on."""
    value = kept(log, tensor)
    return HeldState(tensor, value.shape, value.dtype, value.nbytes) if type(value) is HeldEagerTensor else value


def kept_if_small(log: EventLog, tensor: Any) -> Any:
    """As `kept`, but of a large one only shape and dtype: an optimizer's arithmetic would displace what tapes saw."""
    spec, size = _spec_and_bytes(tensor)
    return spec if size > LARGE else kept(log, tensor)


def kept_gradient(log: EventLog, gradient: Any) -> Any:
    """What a log has of a gradient: as `kept`; of one that is made of slices, the array they stand for."""
    if is_followed(log, gradient):
        return kept(log, gradient)
    values: Any = getattr(gradient, "values", None)
    dense = getattr(gradient, "dense_shape", None)
    lengths = number_in(dense) if is_followed(log, values) and dense is not None else None
    if lengths is None:
        return True  # a row of a Jacobian, which TensorFlow computes in a graph
    name, size, _ = dtype_of(enum_of(values))
    shape = tuple(int(each) for each in lengths)
    if not log.keeps_values:
        return shape, name
    return log.keep(HeldSlices(gradient, shape, name, size * math.prod(shape_of(values))))


def kept_ones(log: EventLog, target: Any) -> Any:
    """What a log has of the gradient that a sweep begins with at a target, where the program gives none."""
    if not log.keeps_values or not is_followed(log, target) or not has_numbers(target):
        return True
    if not target.shape.is_fully_defined():
        return True
    return log.keep(np.ones(target.shape, target.dtype.as_numpy_dtype))
