"""Tensors written one by one at places of a list -> one tensor of all of them (`tf.TensorArray`)."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from tapeviz.engine.functions.arguments import tensor_of
from tapeviz.engine.functions.array.creation import zeros
from tapeviz.engine.functions.array.joining import concat, parts_of, split, stack
from tapeviz.engine.functions.exports import export
from tapeviz.engine.functions.integers import int_of, ints_of
from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.specs.dtypes import as_dtype
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.values.constant import constant, convert_to_tensor
from tapeviz.engine.values.convert import array_of
from tapeviz.errors import InvalidArgumentError, OutOfRangeError


@export("TensorArray")
class TensorArray:
    """A list of tensors of one dtype that are written and read by index. Tapes follow its contents.

    In a `tf.function`, as in TensorFlow's graphs, methods that write leave the array unchanged and return another one.

    Args:
        dtype: the dtype of the tensors.
        size: how many tensors there are.
        dynamic_size: whether a write past the end makes the array longer.
        clear_after_read: whether a tensor can be read only once. It is so by default, except in a `tf.function`.
        tensor_array_name: ignored, as are `flow` and `colocate_with_first_write_call`.
        handle: must be None: handles exist in graphs only.
        infer_shape: whether all tensors must have the shape of the first one.
        element_shape: the shape of the tensors, as far as it is known.

    Raises:
        ValueError: `size` is missing, or a `handle` is given.

    >>> import tapeviz as tf
    >>> squares = tf.TensorArray(tf.int32, size=3)
    >>> for i in range(3):
    ...     squares = squares.write(i, i * i)
    >>> squares.stack()
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([0, 1, 4], dtype=int32)>
    """

    handle: Any = None

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if handle is not None:
            raise ValueError("TensorArray handles are not supported when eager execution is enabled.")
        if size is None:
            raise ValueError("Size must be declared for TensorArrays when eager execution is enabled.")
        self.dtype = as_dtype(dtype)
        self.dynamic_size = bool(dynamic_size)
        self.element_shape = TensorShape(element_shape)
        self.flow = constant(0)
        self._clears = (clear_after_read is None or clear_after_read) and in_graph.get() is None
        self._infers = infer_shape
        self._cleared: set[int] = set()
        self._tensors: list[Any] = [None] * int_of(size)

    def size(self, name: str | None = None) -> Any:
        """The number of tensors, as a scalar tensor."""
        return constant(len(self._tensors))

    def identity(self) -> TensorArray:
        """The same array."""
        return self

    def close(self, name: str | None = None) -> None:
        """Remove all tensors. In a graph this does nothing."""
        if in_graph.get() is None:
            self._tensors.clear()

    def grad(self, source: Any, flow: Any = None, name: str | None = None) -> Any:
        """Not available: TensorFlow has it in graphs only.

        Raises:
            NotImplementedError: always.
        """
        raise NotImplementedError(
            "TensorArray.grad is for graphs alone: a tape follows what is written into the array, and read from it."
        )

    # ----- one tensor -----

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """Write a tensor at an index.

        Returns:
            The array with the tensor: this one, or in a graph a new one.

        Raises:
            OutOfRangeError: there is no such index (in a graph, InvalidArgumentError).
            InvalidArgumentError: the value has another dtype.
            ValueError: the value has another shape.
        """
        place, size = int_of(index), len(self._tensors)
        if place < 0 or (place >= size and not self.dynamic_size):
            raise _not_there(f"write got index {place}, of an array of {size}: only dynamic_size=True lets it grow.")
        tensor = convert_to_tensor(value, dtype_hint=self.dtype)
        if tensor.dtype != self.dtype:
            said = f"A TensorArray of {self.dtype.name} holds no {tensor.dtype.name}: use tf.cast, or say so"
            raise InvalidArgumentError(f"{said}, to tf.map_fn by fn_output_signature.", at_run=True)
        if not self.element_shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"A TensorArray of shape {self.element_shape} holds no {tensor.shape}: give a wider element_shape."
            )
        if self._infers:
            self.element_shape = self.element_shape.merge_with(tensor.shape)
        tensors = self._tensors if in_graph.get() is None else self._tensors[:]
        tensors += [None] * (place + 1 - len(tensors))
        tensors[place] = tensor
        return self._holding(tensors)

    def read(self, index: Any, name: str | None = None) -> Any:
        """The tensor at an index, or zeros if none was written.

        Raises:
            OutOfRangeError: there is no such index (in a graph, InvalidArgumentError).
            InvalidArgumentError: the tensor was cleared after an earlier read.
        """
        place, size = int_of(index), len(self._tensors)
        if not 0 <= place < size:
            raise _not_there(f"read got index {place}, of an array of {size}: indices count from 0.")
        if self._tensors[place] is None and place in self._cleared:
            raise InvalidArgumentError(f"read clears what it reads, here at {place}: give clear_after_read=False.")
        tensor = self._at(place)
        if self._clears:
            self._tensors[place] = None
            self._cleared.add(place)
        return tensor

    # ----- several -----

    def stack(self, name: str | None = None) -> Any:
        """All tensors, joined along a new first axis."""
        if self._tensors:
            return stack(self._filled())
        lengths = self.element_shape.as_list() if self.element_shape.is_fully_defined() else []
        return convert_to_tensor(np.zeros([0, *lengths], self.dtype.as_numpy_dtype))

    def gather(self, indices: Any, name: str | None = None) -> Any:
        """The tensors at some indices, joined along a new first axis."""
        return stack([self._at(place) for place in ints_of(indices)])

    def concat(self, name: str | None = None) -> Any:
        """All tensors, joined along their first axis.

        Raises:
            InvalidArgumentError: a tensor is a scalar, or the shapes do not fit.
        """
        tensors = self._filled()
        for place, tensor in enumerate(tensors):
            if not tensor.ndim:
                raise InvalidArgumentError(f"Concat saw a scalar shape at index {place} but requires at least vectors.")
        return concat(tensors, 0)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Replace the contents by the slices of a tensor along its first axis.

        Returns:
            The array with these tensors: this one, or in a graph a new one.

        Raises:
            ValueError: there are more slices than the array has room for.
        """
        tensors = parts_of(tensor_of(value))
        if len(tensors) > len(self._tensors) and not self.dynamic_size:
            raise ValueError(
                f"Cannot unstack {len(tensors)} tensors into a TensorArray of static size {len(self._tensors)}"
            )
        return self._holding(tensors)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Write the slices of a tensor along its first axis at some indices.

        Returns:
            The array with these tensors: this one, or in a graph a new one.
        """
        written = self
        for place, tensor in zip(array_of(indices).tolist(), parts_of(tensor_of(value)), strict=False):
            written = written.write(place, tensor)
        return written

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Replace the contents by parts of a tensor of given lengths along its first axis.

        Returns:
            The array with these tensors: this one, or in a graph a new one.

        Raises:
            InvalidArgumentError: the lengths do not fit the tensor, or their number does not fit the array.
        """
        tensor, sizes = convert_to_tensor(value, dtype_hint=self.dtype), array_of(lengths)
        if sizes.ndim != 1:
            raise InvalidArgumentError(f"Expected lengths to be a vector, received shape: {list(sizes.shape)}")
        if not tensor.ndim:
            raise InvalidArgumentError("Expected value to be at least a vector, but received shape: []")
        if sizes.sum() != tensor.shape[0]:
            raise InvalidArgumentError(f"split got lengths of {sizes.sum()} rows: the value has {tensor.shape[0]}.")
        if len(sizes) != len(self._tensors) and not self.dynamic_size:
            raise InvalidArgumentError(
                f"split got {len(sizes)} lengths for {len(self._tensors)} places: give dynamic_size=True."
            )
        return self._holding(split(tensor, sizes.tolist()))

    # ----- what is held -----

    def _holding(self, tensors: list[Any]) -> TensorArray:
        held = self if in_graph.get() is None else copy(self)
        held._tensors = tensors
        return held

    def _at(self, place: int) -> Any:
        if self._tensors[place] is None:
            self._tensors[place] = zeros(self.element_shape, self.dtype)
        return self._tensors[place]

    def _filled(self) -> list[Any]:
        return [self._at(place) for place in range(len(self._tensors))]


def _not_there(said: str) -> Exception:
    """The error for a place that is not in the array: in a graph, that is a list of tensors for TensorFlow."""
    return OutOfRangeError(said) if in_graph.get() is None else InvalidArgumentError(said, at_run=True)
