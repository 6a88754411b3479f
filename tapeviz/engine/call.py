"""An op is called -> it computes, is logged, and is recorded by the tapes that follow an input. The hot path.

An op of one or two tensors and no options has a call of its own; all others share the general one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from numpy import float32, ndarray

from tapeviz.engine import batching
from tapeviz.engine.batching import Batch
from tapeviz.engine.convert import FLOAT32, HoldsTensors, failed, literal, mixed_dtypes, remembered
from tapeviz.engine.emit import Call, emit, fly, record
from tapeviz.engine.recording import current
from tapeviz.engine.tensor import TensorLike

if TYPE_CHECKING:
    from tapeviz.engine.op import Op

recording = current.get

FAILURES = (ValueError, IndexError, TypeError, ZeroDivisionError, OverflowError)
"""What a primal may raise: TensorFlow has one class for all of them."""

NUMERIC = frozenset(
    ("add", "pow", "floordiv", "mod", "div", "matmul", "less", "less_equal", "greater", "greater_equal")
)
"""Ops that NumPy runs on truth values, too; TensorFlow does not."""


def caller(op: Op, checked: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The function that calls an op, the shortest one that fits it.

    With `checked` it is a public function of the same arguments, which calls `checked` unless a tape follows a tensor
    among them: that one is of floats then, and nothing needs to be made a tensor.
    """
    plain = not op.attributes and not op.variadic and not op.recast
    rules = tuple(op.rules.values())
    if plain and len(rules) == 1 and not op.discrete:
        return _named_as(checked, _unary(op, checked))
    if plain and len(rules) == 2 and (all(rules) or not any(rules)):  # else the two are of different dtypes
        return _named_as(checked, _binary(op, checked))
    return checked or _general(op)


def _named_as(checked: Any, call: Any) -> Any:
    """A call whose parameters have the names that those of `checked` have: they are arguments by keyword, too."""
    if checked:
        code, count = call.__code__, call.__code__.co_argcount
        names = (*checked.__code__.co_varnames[:count], *code.co_varnames[count:])
        call.__code__ = code.replace(co_varnames=names)
    return call


def _unary(op: Op, checked: Callable[..., Any] | None) -> Callable[..., Any]:
    primal = op.primal
    plan = op.plan((True,), False)

    def call(x: Any, name: str | None = None) -> Any:
        if not isinstance(x, TensorLike):
            return checked(x) if checked else batching.apply(op, (x,), {}) if type(x) is Batch else primal(x)
        now = recording()
        mark = x._traces
        if mark is not now.traces and mark is not now.unfollowed:
            mark = now.meet(x)
        recorded = mark is now.traces and now.add is not None
        if checked and not recorded:
            return checked(x)
        value = x._value
        try:
            out = primal(value)
        except FAILURES as error:
            raise failed(op.name, error, (value,)) from error
        if recorded:
            return record(now, plan, (x._id,), plan.pick(out, None, value), out)
        if now.log is None:
            return fly(op, (x._id,), out)
        return emit(now, Call(op, (x,), (x._id,), (value,), (mark,)), out)

    return call


def _binary(op: Op, checked: Callable[..., Any] | None) -> Callable[..., Any]:
    primal, op_name, discrete = op.primal, op.name, op.discrete
    refused = "" if op_name not in NUMERIC else "bcO" if discrete else "b"  # only real numbers have an order
    of_x, of_y, of_both = [op.plan(on, False) for on in ((True, False), (False, True), (True, True))]

    def call(x: Any, y: Any, name: str | None = None) -> Any:
        x_value: Any
        x_entry: Any
        x_mark: Any
        y_value: Any
        y_entry: Any
        y_mark: Any
        plan: Any
        now = recording()
        traces, unfollowed = now.traces, now.unfollowed
        if isinstance(x, TensorLike):
            x_value, x_entry, x_mark = x._value, x._id, x._traces
            if x_mark is not traces and x_mark is not unfollowed:
                x_mark = now.meet(x)
            if type(y) is float and type(x_value) is float32:
                y_value = y_entry = FLOAT32.get(y) or remembered(y)
                y_mark, even = unfollowed, True
            elif isinstance(y, TensorLike):
                y_value, y_entry, y_mark = y._value, y._id, y._traces
                if y_mark is not traces and y_mark is not unfollowed:
                    y_mark = now.meet(y)
                even = type(x_value) is type(y_value)
                if not even or type(x_value) is ndarray:
                    if x_value.dtype is not y_value.dtype and x_value.dtype != y_value.dtype:
                        raise mixed_dtypes(op_name, x_value, y_value)
                    even = even and x_value.shape == y_value.shape
            elif checked:
                return checked(x, y)
            elif type(y) is type(x_value) and type(y) is not ndarray:
                y_value = y_entry = y
                y_mark, even = unfollowed, True
            else:
                try:
                    y_value = y_entry = literal(y, x_value, op_name)
                except HoldsTensors:
                    return call(x, _joined(y))
                y_mark, even = unfollowed, type(y_value) is not ndarray
        elif checked:
            return checked(x, y)
        elif isinstance(y, TensorLike):
            y_value, y_entry, y_mark = y._value, y._id, y._traces
            if y_mark is not traces and y_mark is not unfollowed:
                y_mark = now.meet(y)
            try:
                x_value = x_entry = literal(x, y_value, op_name)
            except HoldsTensors:
                return call(_joined(x), y)
            x_mark, even = unfollowed, type(x_value) is not ndarray
        else:
            rows = type(x) is Batch or type(y) is Batch
            return batching.apply(op, (x, y), {}) if rows else primal(x, y)
        if x_mark is traces:
            plan = of_both if y_mark is traces else None if y_mark else of_x
        else:
            plan = of_y if y_mark is traces and not x_mark else None
        recorded = plan is not None and now.add is not None and not discrete
        if checked and not recorded:
            return checked(x, y)
        try:
            out = primal(x_value, y_value)
        except FAILURES as error:
            raise failed(op_name, error, (x_value, y_value)) from error
        if recorded:
            if not even:  # a shape may have been stretched, then the VJP has to sum
                plan = op.plan((x_mark is traces, y_mark is traces), True)
            return record(now, plan, (x_entry, y_entry), plan.pick(out, None, x_value, y_value), out)
        if refused and x_value.dtype.kind in refused:
            raise failed(op_name, TypeError("TensorFlow does not take this dtype, use tf.cast"), (x_value, y_value))
        if now.log is None:
            return fly(op, (x_entry, y_entry), out)
        uneven = x_value.shape != y_value.shape
        entries, values, followed = (x_entry, y_entry), (x_value, y_value), (x_mark, y_mark)
        return emit(now, Call(op, (x, y), entries, values, followed, uneven), out)

    return call


def _general(op: Op) -> Callable[..., Any]:
    name, primal = op.name, op.primal

    def call(*operands: Any, **attributes: Any) -> Any:
        for operand in operands:
            if isinstance(operand, TensorLike):
                break
        else:
            rows = any(type(each) is Batch for each in operands)
            return batching.apply(op, operands, attributes) if rows else primal(*operands, **attributes)
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
            for slot in [slot for slot, mark in enumerate(followed) if mark is None]:
                entries[slot] = values[slot] = literal(values[slot], None, name)
                followed[slot] = ()
        try:
            out = primal(*values, **attributes)
        except FAILURES as error:
            raise failed(name, error, values) from error
        if by_all_or_none and now.add is not None and not op.discrete and type(out) is not tuple:
            on = tuple([each is traces for each in followed])
            if True in on:
                plan = op.plan(on, False)
                saved = plan.pick(out, attributes, *values)
                return record(now, plan, tuple(entries), saved, out, tuple(attributes.items()))
        return emit(now, Call(op, operands, tuple(entries), tuple(values), tuple(followed), attributes=attributes), out)

    return call


def _joined(values: Any) -> TensorLike:
    """An operand that is a list of tensors, stacked, so that gradients pass."""
    from tapeviz.engine.constant import convert_to_tensor  # which stacks by an op, and so needs this module

    return convert_to_tensor(values)
