"""Arguments of the user's -> tensors and arrays, as TensorFlow converts them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from tapeviz.engine.calling.operands import beside
from tapeviz.engine.graph_mode.building import in_graph
from tapeviz.engine.op_dtypes import TAKES
from tapeviz.engine.op_errors.conversions import another_conversion
from tapeviz.engine.op_errors.dtypes import another_dtype, mixed_dtypes, wrong_dtype
from tapeviz.engine.specs.dtype_sets import TRUTH
from tapeviz.engine.specs.dtypes import as_dtype, of_numpy
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import constant, convert_to_tensor, parents_of
from tapeviz.engine.values.convert import array_of, bare, dtype_or_none


def tensor_of(value: Any, dtype: Any = None) -> TensorLike:
    """The value as a tensor: tensors and variables unchanged, anything else as a constant. Lists are stacked."""
    return value if isinstance(value, TensorLike) else convert_to_tensor(value, dtype)


def number_of(value: Any, op: str, *others: object) -> TensorLike:
    """The value as a tensor, after a check that the op takes its dtype.

    Args:
        value: the argument.
        op: the row of the op in `op_dtypes`: its name for its main input, or that of an attribute (`gather.Tindices`).
        others: the other inputs of the op.

    Raises:
        InvalidArgumentError: TensorFlow's op is not defined for the dtype.
        NotFoundError: the op has no kernel for the dtype.
        ValueError: a tensor of another dtype than bool, for an op of booleans with lists among the `others`.
    """
    taken = TAKES[op]
    if taken is TRUTH and any(isinstance(each, (list, tuple)) for each in others):
        return convert_to_tensor(value, "bool")
    if taken is TRUTH and isinstance(value, (np.ndarray, np.generic)):
        value = value.astype(bool)
    tensor = tensor_of(value, "bool" if taken is TRUTH else None)
    have = tensor._value.dtype
    if have in taken:
        return tensor
    raise wrong_dtype(op, have)


def exactly(value: Any, dtype: str, op: str, *others: object) -> TensorLike:
    """The value as a tensor of the only dtype that an input may have.

    Args:
        value: the argument.
        dtype: the name of the dtype.
        op: the name of the op.
        others: the other inputs of the op.

    Raises:
        InvalidArgumentError: a tensor of another dtype.
        ValueError: the same with lists or arrays among the `others`, which TensorFlow all makes tensors of.
    """
    have = value._dtype if isinstance(value, TensorLike) else None
    if have is None or have.name == dtype or any(isinstance(each, (list, tuple, np.ndarray)) for each in others):
        return convert_to_tensor(value, dtype)
    raise another_dtype(op, as_dtype(dtype)._numpy, have._numpy, f"a tensor of {have.name}")


def dtype_of(wanted: object, op: str, unless_told: str = "int32") -> str:
    """The name of a dtype that a result is to have.

    Args:
        wanted: the argument: a dtype, or None for the default.
        op: the attribute of the op (`unique.out_idx`).
        unless_told: the default.

    Raises:
        TypeError: it is not a dtype.
        InvalidArgumentError: TensorFlow's op does not return the dtype.
        NotFoundError: the op has no kernel for the dtype.
    """
    if wanted is None:
        return unless_told
    try:
        dtype = as_dtype(wanted)
    except TypeError as error:
        expected = f"The argument {op.partition('.')[2]!r} of {op.partition('.')[0]} is a dtype, not {wanted!r}."
        raise TypeError(f"{expected} {str(error).rpartition('DType. ')[2]}") from None
    if dtype._numpy not in TAKES[op]:
        raise wrong_dtype(op, dtype._numpy)
    return dtype.name


_ANY_TENSOR = {
    *("add", "add_n", "diag", "div", "divide_no_nan", "einsum"),
    *("global_norm", "matmul", "stack", "tensordot", "truediv"),
}
"""The ops whose functions convert their arguments in Python, to the dtype of the first tensor among them."""

_ANY_TENSOR_IN_GRAPHS = _ANY_TENSOR | {"concat", "dynamic_stitch"}


def together(op: str, *values: Any, others: tuple[Any, ...] = ()) -> list[Any]:
    """Operands of one dtype: that of the first tensor among them, or else that of the first operand.

    In a graph, the dtype is that of the first operand, tensor or not, except for lists of operands and for quotients.
    If TensorFlow converts the operands in Python, because there is a list among them or among the op's `others`, a
    variable does not count as a tensor.

    Args:
        op: the row of the op in `op_dtypes`.
        values: the operands.
        others: the other inputs of the op.

    Returns:
        The operands: tensors unchanged, anything else in the form that `plain` gives it.

    Raises:
        InvalidArgumentError: a tensor has another dtype, or the op is not defined for the dtype.
        NotFoundError: the op has no kernel for the dtype.
        ValueError: a tensor or variable has another dtype, and TensorFlow converts in Python; or a tensor is beside a
            list, for an op of booleans.
    """
    taken = TAKES[op]
    dtypes = {each._value.dtype if isinstance(each, TensorLike) else None for each in values}
    if len(dtypes) == 1 and not dtypes.isdisjoint(taken):
        return [*values]
    in_python = op not in _ANY_TENSOR and _made_in_python(values, others)
    first = _deciding(op, values, in_python)
    if not isinstance(first, TensorLike):
        first = tensor_of(values[0], "bool" if taken is TRUTH else None)
        values = (first, *values[1:])
    dtype = first._value.dtype
    if taken is TRUTH and in_python and dtype not in taken:
        for each in values:
            convert_to_tensor(each, "bool")
    for each in values:
        if isinstance(each, TensorLike) and each._value.dtype != dtype:
            if in_python and in_graph.get() is None:
                raise ValueError(another_conversion(of_numpy(dtype), each))
            raise mixed_dtypes(op, first._value, each._value)
    other = np.dtype(bool) if taken is TRUTH else dtype
    found = [each if isinstance(each, TensorLike) else plain(each, other, op) for each in values]
    if dtype not in taken:
        raise wrong_dtype(op, dtype)
    return found


def _made_in_python(values: tuple[Any, ...], others: tuple[Any, ...]) -> bool:
    """Whether TensorFlow converts operands in Python: if not all are tensors, arrays, floats and ints."""
    if all(isinstance(each, Tensor) for each in values):
        return False
    return not all(map(_is_native, (*values, *others)))


def _is_native(value: object) -> bool:
    """Whether TensorFlow converts a value in C++; not a variable of Keras."""
    return value._native if isinstance(value, TensorLike) else isinstance(value, (np.ndarray, float, int))


def _deciding(op: str, values: tuple[Any, ...], in_python: bool) -> Any:
    """The operand that decides on the dtype."""
    if in_graph.get() is None:
        kind: type[TensorLike] = Tensor if in_python else TensorLike
    elif op in _ANY_TENSOR_IN_GRAPHS:
        kind = TensorLike
    else:
        return values[0]
    return next((each for each in values if isinstance(each, kind)), values[0])


def plain(value: Any, dtype: np.dtype[Any], op: str) -> Any:
    """An operand beside a tensor, in its dtype: a number as a NumPy scalar, an array or a list as a tensor."""
    if isinstance(value, (list, tuple)) and parents_of(value):
        return convert_to_tensor(value, of_numpy(dtype))
    if isinstance(value, (np.ndarray, list, tuple)):
        return constant(beside(value, dtype, op))
    return beside(value, dtype, op)


def value_of(value: Any) -> Any:
    """The array of an argument through which no gradient flows. A log notes that a tensor was read."""
    if isinstance(value, TensorLike):
        value._read()
    return array_of(value)


def rank_of(value: Any) -> int:
    """The rank of a value. A tensor is not noted as read, and nothing is converted."""
    given = bare(value)
    try:
        return np.ndim(given)
    except ValueError:
        return array_of(given).ndim  # which raises TensorFlow's error for rows of different lengths


def require_sequence(values: object, attribute: str = "N") -> None:
    """Raise ValueError for an array of several axes, which TensorFlow does not accept as a list of tensors."""
    if isinstance(values, np.ndarray) and values.ndim > 1:
        raise ValueError(
            f"expected a sequence for attr {attribute}, got an ndarray with rank {values.ndim} instead. Make it a "
            "tensor first: tf.constant(...)."
        )


def require_tensor(op: str, attribute: str, *values: object, make: str = "tf.constant") -> None:
    """Check that values have an attribute that TensorFlow reads, which tensors, variables and arrays have.

    Args:
        op: the name of the op, for the error.
        attribute: the attribute.
        values: the arguments.
        make: the function that the error advises to use.

    Raises:
        AttributeError: an argument is a list or a number.
    """
    for each in values:
        if make == "tf.constant" and isinstance(each, TensorLike):
            continue
        if not hasattr(each, attribute):
            asked = f"type object {each.__name__!r}" if isinstance(each, type) else f"{type(each).__name__!r} object"
            raise AttributeError(f"{asked} has no attribute {attribute!r}. In {op} of {each!r}: use {make}.")


def hinted(value: Any, dtype: Any) -> Any:
    """The array of an argument through which no gradient flows, in a dtype if it can be converted, else in its own."""
    if isinstance(value, TensorLike):
        value._read()
    with suppress(TypeError, ValueError):
        return array_of(value, dtype_or_none(dtype))
    return array_of(value)
