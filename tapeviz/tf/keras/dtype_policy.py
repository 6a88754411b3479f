"""A `dtype` argument of Keras', perhaps a policy -> the dtype."""

from __future__ import annotations

from typing import Any

from tapeviz.engine.specs.dtypes import DTYPES, DType, as_dtype
from tapeviz.tf.keras.serialization import Configured, tells_arguments

_OF_PYTHON: dict[Any, str] = {bool: "bool", int: "int64", "int": "int64", float: "float32", str: "string"}


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
    """The name of the dtype of a policy, or of its config; anything else as it is."""
    if isinstance(value, DTypePolicy):
        return value.name
    return value["config"]["name"] if isinstance(value, dict) else value


def standard_dtype(value: Any) -> DType:
    """A dtype from its name, from a class of Python or NumPy, or from a dtype. Abbreviations are not accepted.

    Raises:
        ValueError: there is no such dtype.
        TypeError: the value is not hashable, such as a list.

    >>> standard_dtype("float32"), standard_dtype(int)
    (tf.float32, tf.int64)
    """
    name = _OF_PYTHON.get(value, value)
    name = getattr(name, "name", getattr(name, "__name__", name))
    if name not in DTYPES:
        raise ValueError(f"Invalid dtype: {name}. Use one of {', '.join(DTYPES)}.")
    return as_dtype(name)


def dtype_told(value: Any) -> DType:
    """The dtype from the `dtype` argument of a layer, a loss or a metric, which may be a policy or the config of one.

    Raises:
        ValueError: there is no such dtype.
    """
    value = _name_in(value)
    try:
        return standard_dtype(value)
    except (TypeError, ValueError):
        if not isinstance(value, str):
            raise ValueError(
                "Cannot interpret `dtype` argument. Expected a string or an instance of DTypePolicy. "
                f"Received: dtype={value}"
            ) from None
        raise ValueError(
            f"{value!r} is no dtype of a layer: it computes in the dtype of its weights, such as 'float32'."
        ) from None
