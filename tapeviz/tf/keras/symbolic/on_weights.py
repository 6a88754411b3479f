"""Python's operators on variables of layers -> Keras' operations, which promote operands to one dtype.

If the operands have the same dtype already, the operators of tensors are used, which do the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.engine.values.convert import bare
from tapeviz.tf.keras.symbolic.operations import OPERATIONS, REFLECTED, Function, meeting
from tapeviz.tf.keras.symbolic.promotion import result_type
from tapeviz.tf.keras.variable import Variable

_LOGICAL = ("and", "or", "xor")


def attach() -> None:
    """Set the operators of the variables of layers."""
    for row in (*OPERATIONS.values(), meeting("eq", result_type, compares=True)):
        python = row.method.strip("_")
        if python in (*REFLECTED, "lt", "le", "gt", "ge", "eq", "ne"):
            setattr(Variable, f"__{python}__", _operator(python, row.function))
        if python in REFLECTED:
            setattr(Variable, f"__r{python}__", _reflected(python, row.function))


def _operator(python: str, meet: Function) -> Function:
    of_tensors = getattr(TensorLike, f"__{python}__")

    def operator(self: Variable, other: Any) -> Any:
        return of_tensors(self, other) if _are_met(python, self, other) else meet(self, _whole(other))

    return operator


def _reflected(python: str, meet: Function) -> Function:
    of_tensors = getattr(TensorLike, f"__r{python}__")

    def operator(self: Variable, other: Any) -> Any:
        return of_tensors(self, other) if _are_met(python, self, other) else meet(_whole(other), self)

    return operator


def _are_met(python: str, variable: Variable, other: Any) -> bool:
    """Whether the operators of tensors can be used: dtypes are equal, and it is no logic or product with a vector."""
    if python in _LOGICAL or (python == "matmul" and 1 in (np.ndim(variable._value), np.ndim(bare(other)))):
        return False
    if isinstance(other, (complex, str)):
        return False
    return not hasattr(other, "dtype") or bare(other).dtype == variable._value.dtype


def _whole(other: Any) -> Any:
    """A list as a tensor; any other operand as it is."""
    return convert_to_tensor(other) if isinstance(other, (list, tuple)) else other
