"""The spec of a dataset that is an element of another one (`tf.data.DatasetSpec`)."""

from __future__ import annotations

from typing import Any, ClassVar

from tapeviz.engine import nest
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.tf.tracing.spec_values import common, of_spec


class DatasetSpec:
    """The spec of a dataset that is an element of another one (`tf.data.DatasetSpec`).

    Args:
        element_spec: the spec of its elements, or a structure of specs.
        dataset_shape: (), as it is one dataset.

    >>> import tapeviz as tf
    >>> tf.data.DatasetSpec(tf.TensorSpec([2]))
    DatasetSpec(TensorSpec(shape=(2,), dtype=tf.float32, name=None), TensorShape([]))
    """

    dataset: ClassVar[Any]
    """The class of what it is the spec of, which is made of methods that know specs."""

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self.element_spec = element_spec
        self.shape = TensorShape(dataset_shape)

    def common(self, other: DatasetSpec) -> DatasetSpec:
        """The most specific spec that fits the datasets of both."""
        return DatasetSpec(nest.map_structure(common, self.element_spec, other.element_spec))

    def filled(self, length: int, fill: Any) -> Any:
        """A dataset for a dry run.

        Args:
            length: the number of its elements, and the length of unknown axes.
            fill: a function of a shape and a dtype that makes the numbers.
        """
        one = nest.map_structure(lambda spec: of_spec(spec, length, fill), self.element_spec)
        return self.dataset(lambda: iter([one] * length), length, self.element_spec, "Variant")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, DatasetSpec):
            return NotImplemented
        return (self.element_spec, self.shape) == (other.element_spec, other.shape)

    def __hash__(self) -> int:
        return hash((tuple(nest.flatten(self.element_spec)), self.shape))

    def __repr__(self) -> str:
        return f"DatasetSpec({self.element_spec!r}, {self.shape!r})"
