"""TensorFlow's tensors -> what a log holds of them: by reference, since an eager tensor never changes."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from tensorflow.python.framework import dtypes
from tensorflow.python.framework.ops import EagerTensor

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


def has_numbers(tensor: Any) -> bool:
    """Whether an eager tensor holds numbers or truth values: no text, no resource, no data set."""
    return is_numeric(tensor._datatype_enum())


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
    key = tensor._shape_tuple(), tensor._datatype_enum()
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
    if spec[0] == () and has_numbers(tensor) and "CPU" in tensor.backing_device:
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
    if is_eager(gradient):
        return kept(log, gradient)
    values: Any = getattr(gradient, "values", None)
    dense = getattr(gradient, "dense_shape", None)
    if not is_eager(values) or dense is None:
        return True  # a row of a Jacobian, which TensorFlow computes in a graph
    name, size, _ = dtype_of(values._datatype_enum())
    shape = tuple(int(each) for each in dense._numpy_internal())
    if not log.keeps_values:
        return shape, name
    return log.keep(HeldSlices(gradient, shape, name, size * math.prod(values._shape_tuple())))


def kept_ones(log: EventLog, target: Any) -> Any:
    """What a log has of the gradient that a sweep begins with at a target, where the program gives none."""
    if not log.keeps_values or not is_eager(target) or not has_numbers(target):
        return True
    return log.keep(np.ones(target.shape, target.dtype.as_numpy_dtype))
