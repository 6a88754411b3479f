"""An op is called -> it computes, is logged, and is recorded by the tapes that follow an input.

There are three ways: `quick`, for one or two tensors that every open tape follows; `binary`, for two operands of which
one may be no tensor; and the general one, for everything else.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from tapeviz.engine.calling.emit import OpCall, emit, fly
from tapeviz.engine.calling.operands import HoldsTensors, literal
from tapeviz.engine.calling.quick import FAILURES, quick, record
from tapeviz.engine.op_errors.conversions import another_conversion
from tapeviz.engine.op_errors.dtypes import mixed_dtypes, wrong_dtype
from tapeviz.engine.op_errors.reasons import failed
from tapeviz.engine.recording import Recording, current
from tapeviz.engine.rules import batching
from tapeviz.engine.specs.dtypes import BFLOAT16, of_numpy
from tapeviz.engine.tensors.tensor_like import TensorLike
from tapeviz.engine.values.constant import convert_to_tensor
from tapeviz.engine.values.convert import unboxed

if TYPE_CHECKING:
    from tapeviz.engine.op import Op

recording = current.get

_OF_TENSORS = ("add", "matmul")
"""Ops whose operators make tensors of both operands in TensorFlow, also of variables of Keras."""


def caller(op: Op, checked: Callable[..., Any] | None = None, **defaults: object) -> Callable[..., Any]:
    """The function that calls an op: the quick way if the op has one, which leaves all other cases to another way.

    Args:
        op: the op.
        checked: a public function of the op, which checks its arguments. It is called where the quick way cannot be
            taken, such as with options.
        defaults: the attributes of the op in a call without options.
    """
    inputs = len(op.arguments)
    plain = inputs in (1, 2) and not op.variadic and not op.facts.recast and op.attributes == tuple(defaults)
    if not plain:
        return checked or _general(op)
    otherwise = checked or (binary(op) if inputs == 2 and not op.of_two_kinds else _general(op))
    if op.discrete:
        return otherwise
    code = checked.__code__ if checked else None
    parameters = code.co_varnames[: code.co_argcount] if code else (*op.arguments, "name")
    operands, rest = parameters[:inputs], parameters[inputs:]
    return quick(op, operands, otherwise, attributes=defaults, rest=rest)


def quickened(op: Op, **defaults: object) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator that puts the quick way ahead of a public function whose first parameters are the op's.

    In a call without options the op's attributes have these `defaults`.
    """

    def ahead(function: Callable[..., Any]) -> Callable[..., Any]:
        call = caller(op, function, **defaults)
        return call if call is function else wraps(function)(call)

    return ahead


def binary(op: Op, reflected: str = "") -> Callable[..., Any]:
    """The function that calls an op of two operands, of which one may be no tensor.

    For a Python operator, `reflected` names the method of the right operand that is called if it cannot be converted.
    """
    primal, rounded, op_name, taken = op.primal, op.rounded, op.name, op.facts.taken

    def call(x: Any, y: Any, name: str | None = None) -> Any:
        x_is_tensor, y_is_tensor = isinstance(x, TensorLike), isinstance(y, TensorLike)
        if not x_is_tensor and not y_is_tensor:
            return batching.apply(op, (x, y), {})
        now = recording()
        try:
            x_value = x._value if x_is_tensor else literal(x, y._value, op_name, leads=True)
            y_value = y._value if y_is_tensor else literal(y, x_value, op_name)
        except HoldsTensors:  # they are stacked, so that gradients pass
            return call(x, convert_to_tensor(y, x.dtype)) if x_is_tensor else call(convert_to_tensor(x, y.dtype), y)
        except (TypeError, ValueError) as error:
            result = _by_the_other(x, y, reflected, error)
            if result is NotImplemented:
                raise
            return result
        dtype = x_value.dtype
        if dtype is not y_value.dtype and dtype != y_value.dtype:
            if y_is_tensor and not y._native and op_name not in _OF_TENSORS:
                return _by_weight(x, y, dtype, reflected)
            raise mixed_dtypes(op_name, x_value, y_value)
        if dtype not in taken:
            raise wrong_dtype(op_name, dtype)
        try:
            out = primal(x_value, y_value) if dtype is not BFLOAT16 else rounded(x_value, y_value)
        except FAILURES as error:
            raise failed(op_name, error, (x_value, y_value)) from error
        if type(out) is bytes:
            out = unboxed(out)
        entries = x._id if x_is_tensor else x_value, y._id if y_is_tensor else y_value
        marks = _mark(now, x) if x_is_tensor else (), _mark(now, y) if y_is_tensor else ()
        if now.log is None:
            return fly(op, entries, out)
        beside_a_number = not (x_is_tensor or x_value.ndim) or not (y_is_tensor or y_value.ndim)
        uneven = x_value.shape != y_value.shape and not beside_a_number  # one stretches no tensor
        return emit(now, OpCall(op, (x, y), entries, (x_value, y_value), marks, uneven), out)

    return call


def _by_the_other(x: Any, y: Any, reflected: str, error: Exception) -> Any:
    """The result of the reflected method of the right operand, as in TensorFlow's `binary_op_wrapper`.

    NotImplemented if it fails as well, or if this is no operator.

    Raises:
        AttributeError: only the operand's metaclass has the method, as that of every class has `__ror__`.
    """
    if not reflected or not hasattr(type(y), reflected):
        return NotImplemented
    if not hasattr(y, reflected):
        raise AttributeError(f"{type(y).__name__!r} object has no attribute {reflected!r}. {error}") from None
    try:
        return getattr(y, reflected)(convert_to_tensor(x))
    except (TypeError, ValueError):
        return NotImplemented


def _by_weight(x: Any, y: Any, dtype: Any, reflected: str) -> Any:
    """The result of the reflected method of a Keras variable on the right, for an operand of another dtype.

    Raises:
        ValueError: there is no such method, as for comparisons.
    """
    if not reflected:
        raise ValueError(another_conversion(of_numpy(dtype), y))
    return getattr(y, reflected)(x)


def _mark(now: Recording, tensor: TensorLike) -> tuple[Any, ...]:
    """The tapes that follow an operand, as the mark that it has in this recording."""
    mark = tensor._traces
    return mark if mark is now.traces or mark is now.unfollowed else now.meet(tensor)


def _general(op: Op) -> Callable[..., Any]:
    """The function that calls an op of any number of operands and attributes."""
    name, primal, rounded = op.name, op.primal, op.rounded
    rules = [*op.rules.values()]
    leading = next((slot for slot, rule in enumerate(rules) if rule), 0)  # the operand whose dtype is the op's

    def call(*operands: Any, **attributes: Any) -> Any:
        now = recording()
        traces, unfollowed = now.traces, now.unfollowed
        entries: list[Any] = []
        values: list[Any] = []
        followed: list[Any] = []
        by_all_or_none = True
        for operand in operands:
            if isinstance(operand, TensorLike):
                mark = operand._traces
                if mark is not traces and mark is not unfollowed:
                    mark = now.meet(operand)
                    by_all_or_none = by_all_or_none and (mark is traces or not mark)
                entries.append(operand._id)
                values.append(operand._value)
                followed.append(mark)
            else:
                entries.append(operand)
                values.append(operand)
                followed.append(None)
        if None in followed:
            if followed.count(None) == len(followed):
                return batching.apply(op, operands, attributes)
            for slot in [slot for slot, mark in enumerate(followed) if mark is None]:
                entries[slot] = values[slot] = literal(values[slot], None, name)
                followed[slot] = ()
        try:
            narrow = values[leading].dtype is BFLOAT16
            out = rounded(*values, **attributes) if narrow else primal(*values, **attributes)
        except FAILURES as error:
            raise failed(name, error, values, attributes) from error
        if by_all_or_none and now.nodes is not None and not op.discrete and type(out) is not tuple:
            on = tuple([each is traces for each in followed])
            if True in on:
                plan = op.plan(on, False)
                saved = plan.pick(out, attributes, *values)
                return record(now, plan, tuple(entries), saved, out, tuple(attributes.items()))
        return emit(
            now, OpCall(op, operands, tuple(entries), tuple(values), tuple(followed), attributes=attributes), out
        )

    return call
