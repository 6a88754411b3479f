"""The engine's public names: the tape, tensors and variables, dtypes, and the functions of its ops.

Whoever runs a program on the engine takes its classes from here, where tensors have got their operators.
"""

from __future__ import annotations

from typing import Any

from tapeviz.engine import functions as functions  # which puts the functions into `exports`
from tapeviz.engine.backward import heap
from tapeviz.engine.backward.indexed_slices import IndexedSlices
from tapeviz.engine.backward.unconnected import UnconnectedGradients
from tapeviz.engine.custom_gradient import custom_gradient
from tapeviz.engine.functions.exports import exports
from tapeviz.engine.gradient_checks.directional import check_gradients
from tapeviz.engine.rules.register_gradient import RegisterGradient
from tapeviz.engine.rules.user_ops import defop
from tapeviz.engine.specs.dtypes import ALIASES, DTYPES, DType, as_dtype
from tapeviz.engine.specs.shape import TensorShape
from tapeviz.engine.specs.tensor_spec import TensorSpec
from tapeviz.engine.tape import GradientTape as GradientTape
from tapeviz.engine.tensors import operators
from tapeviz.engine.tensors.tensor import Tensor as Tensor
from tapeviz.engine.tensors.variable import Variable as Variable
from tapeviz.engine.values.constant import constant
from tapeviz.engine.values.constant import convert_to_tensor as convert_to_tensor

PUBLIC: dict[str, Any] = {
    "DType": DType,
    "GradientTape": GradientTape,
    "IndexedSlices": IndexedSlices,
    "RegisterGradient": RegisterGradient,
    "Tensor": Tensor,
    "TensorShape": TensorShape,
    "TensorSpec": TensorSpec,
    "UnconnectedGradients": UnconnectedGradients,
    "Variable": Variable,
    "as_dtype": as_dtype,
    "check_gradients": check_gradients,
    "constant": constant,
    "convert_to_tensor": convert_to_tensor,
    "custom_gradient": custom_gradient,
    "defop": defop,
    "newaxis": None,
    **DTYPES,
    **ALIASES,
    **exports(""),
}
"""What a program finds in `tapeviz` itself, by name."""

operators.attach()
heap.hold_back()
