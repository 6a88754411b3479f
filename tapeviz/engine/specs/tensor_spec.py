"""The shape and dtype of tensors, where None in a shape stands for any length (`tf.TensorSpec`)."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.specs.dtypes import DType, as_dtype
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.tensors.tensor import Tensor


class TensorSpec:
    """The shape and dtype of a tensor (`tf.TensorSpec`).

    Args:
        shape: a sequence of lengths, None for any; None as a whole for any shape.
        dtype: its dtype.
        name: a name for messages.

    >>> import tapeviz as tf
    >>> tf.TensorSpec([None, 2])
    TensorSpec(shape=(None, 2), dtype=tf.float32, name=None)
    """

    __slots__ = ("_dtype", "_name", "_shape")

    __array_ufunc__ = None  # == and != of an array and a spec are the spec's

    def __init__(self, shape: object, dtype: object = "float32", name: str | None = None) -> None:
        self._shape = TensorShape(shape)
        self._dtype: DType = as_dtype(dtype)
        self._name = name

    @property
    def shape(self) -> TensorShape:
        """The lengths, None for any."""
        return self._shape

    @property
    def dtype(self) -> DType:
        """The dtype."""
        return self._dtype

    @property
    def name(self) -> str | None:
        """The name for messages, if it has one."""
        return self._name

    @classmethod
    def of(cls, value: Any, name: str | None = None) -> TensorSpec:
        """The spec of a tensor, an array or another spec."""
        return cls(value.shape, value.dtype, name or (value.name if isinstance(value, TensorSpec) else None))

    @classmethod
    def from_spec(cls, spec: Any, name: str | None = None) -> TensorSpec:
        """The same spec, perhaps by another name.

        Raises:
            AttributeError: it has no name, and gets none.
        """
        return cls(spec.shape, spec.dtype, name or spec.name)

    @classmethod
    def from_tensor(cls, tensor: object, name: str | None = None) -> TensorSpec:
        """The spec of a tensor.

        Raises:
            ValueError: a variable, or anything else.
        """
        if not isinstance(tensor, Tensor):
            raise ValueError(f"`tensor` should be a tf.Tensor, but got type {type(tensor)}.")
        return cls.of(tensor, name)

    def is_compatible_with(self, spec_or_tensor: object) -> bool:
        """Whether a tensor or another spec fits this one; nothing else does."""
        if not isinstance(spec_or_tensor, (Tensor, TensorSpec)):
            return False
        return as_dtype(spec_or_tensor.dtype) is self.dtype and self.fits(spec_or_tensor.shape)

    def is_subtype_of(self, other: object) -> bool:
        """Whether all tensors of this spec fit the other one, too, and that has its name, if it has one."""
        if not isinstance(other, TensorSpec) or other.dtype is not self.dtype or self.name not in (None, other.name):
            return False
        return self.shape.is_subtype_of(other.shape)

    def most_specific_common_supertype(self, others: Any) -> TensorSpec | None:
        """The narrowest spec that all tensors of this one and of the others fit; None for different dtypes or names."""
        shape = self.shape
        for each in others:
            if not isinstance(each, TensorSpec) or (each.dtype, each.name) != (self.dtype, self.name):
                return None
            shape = shape.most_specific_compatible_shape(each.shape)
        return TensorSpec(shape, self.dtype, self.name)

    def most_specific_compatible_type(self, other: object) -> TensorSpec:
        """The narrowest spec that all tensors of either fit.

        Raises:
            ValueError: there is none, because dtypes or names differ.
        """
        found = self.most_specific_common_supertype([other])
        if found is None:
            raise ValueError(f"No TypeSpec is compatible with both {self} and {other}")
        return found

    @property
    def value_type(self) -> type[Tensor]:
        """The class of the tensors."""
        return Tensor

    def fits(self, shape: object) -> bool:
        """Whether a shape fits this one."""
        return self.shape.is_compatible_with(shape)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TensorSpec):
            return False
        return (self.shape, self.dtype, self.name) == (other.shape, other.dtype, other.name)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"TensorSpec(shape={self.shape}, dtype={self.dtype!r}, name={self.name!r})"
