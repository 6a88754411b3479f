"""What is told of a dtype, also by a policy, as Keras describes it -> the dtype."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.specs.dtypes import DType, as_dtype
from tapeviz.keras.serialization import Configured, tells_arguments


@tells_arguments
class DTypePolicy(Configured):
    """The dtype of a layer, as Keras describes it.

    >>> DTypePolicy("float32")
    <DTypePolicy "float32">
    """

    def __init__(self, name: str) -> None:
        self.name = self.compute_dtype = self.variable_dtype = name

    def __repr__(self) -> str:
        return f'<DTypePolicy "{self.name}">'


def _name_in(value: Any) -> Any:
    """The dtype of a policy, or of what `plain` made of one; anything else as it is."""
    if isinstance(value, DTypePolicy):
        return value.name
    return value["config"]["name"] if isinstance(value, dict) else value


def dtype_told(value: Any) -> DType:
    """The dtype of a layer, a loss or a metric that is told it: by a policy, by what `plain` made of one, or itself.

    Raises:
        ValueError: it is none.
    """
    value = _name_in(value)
    try:
        return as_dtype(value)
    except TypeError:
        raise ValueError(
            f"Cannot convert {value!r} to a mixed precision DTypePolicy. Valid policies are the names of dtypes, such "
            "as 'float32': here a layer computes in the dtype of its weights."
        ) from None
