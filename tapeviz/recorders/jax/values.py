"""A JAX array -> what a log holds of it."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
from jax import dtypes

from tapeviz.events.log import EventLog
from tapeviz.events.values import HeldTensor

NO_REFERENCES = (
    "record_jax follows no array references, such as jax.new_ref makes: arrays in a log do not change. "
    "Pass arrays on, and change them by x.at[index].set(value)."
)


def is_reference(value: Any) -> bool:
    """Whether it is an array that JAX changes in place; releases before 0.9 have no public name for these."""
    return hasattr(jax, "ref") and isinstance(value, jax.ref.Ref)


class HeldArray(HeldTensor):
    """A JAX array by reference. JAX changes no array in place, but may take back one that was donated."""

    __slots__ = ()

    def read(self) -> Any:
        """The elements; a dtype that NumPy lacks, such as bfloat16, is read as float32."""
        if self.tensor.is_deleted():
            return None
        array = np.asarray(self.tensor)
        return array.astype(np.float32) if array.dtype.kind == "V" else array

    @property
    def is_near(self) -> bool:
        return all(each.platform == "cpu" for each in self.tensor.devices())


def as_array(result: Any) -> Any:
    """The result of an equation; a literal, which JAX hands through, becomes the array that it stands for."""
    return result if hasattr(result, "shape") else jax.numpy.asarray(result)


def kept(log: EventLog, value: jax.Array) -> Any:
    """What a record holds of an array; random keys have no numbers to hold."""
    shape, dtype = value.shape, str(value.dtype)
    placement = placement_of(value)
    if not log.keeps_values or jax.numpy.issubdtype(value.dtype, dtypes.extended):
        return (shape, dtype) if placement is None else (shape, dtype, placement)
    held = HeldArray(value, shape, dtype, value.nbytes)
    held.placement = placement
    return log.keep(held)


def placement_of(value: Any) -> str | None:
    """How the devices of a mesh hold an array; None of one that is with one device, or of which that is not known."""
    sharding = getattr(value, "sharding", None)
    if not isinstance(sharding, jax.sharding.NamedSharding) or sharding.mesh.size == 1:
        return None
    return spec_text(sharding.spec)


def spec_text(spec: Any) -> str:
    """A partition spec as a program has it.

    >>> spec_text(("data", None)), spec_text((("data", "model"),)), spec_text(())
    ("P('data', None)", "P(('data', 'model'))", 'P()')
    """
    return f"P({', '.join(map(repr, spec))})"


def is_differentiable(value: Any) -> bool:
    """Whether a gradient can belong to a value: its numbers are real or complex."""
    return bool(jax.numpy.issubdtype(value.dtype, np.inexact))


def zeros_of(value: Any) -> Any:
    """The cotangent of an output that nothing reached."""
    if is_differentiable(value):
        return jax.numpy.zeros(value.shape, value.dtype)
    return np.zeros(value.shape, dtypes.float0)
