"""An op of one or two tensors -> a quick function that calls it, for when every tape that records follows an operand.

The function is generated as source, with the expressions of what the op's plans save, and compiled at its first call.
So there is only one Python function between the user's line and the arithmetic. Other cases it leaves to another one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from sys import _getframe
from textwrap import indent
from types import FunctionType
from typing import TYPE_CHECKING, Any

from numpy import float32, ndarray

from tapeviz.engine.kernels.elementwise import ONE
from tapeviz.engine.recording import current
from tapeviz.engine.tensors.tensor import Tensor
from tapeviz.engine.values.convert import BOXED, SINGLE
from tapeviz.events.program.frames import GENERATED, enter_users_frame
from tapeviz.events.raw import counter

if TYPE_CHECKING:
    from tapeviz.engine.op import Op

FAILURES = (ValueError, IndexError, TypeError, ZeroDivisionError, OverflowError, MemoryError)
"""What a primal may raise for wrong operands; TensorFlow has one class for all of these but the last."""

RECORD = """
tensor = Tensor()
tensor._value = out
tensor._id = raw_id = next(counter)
tensor._traces = traces
nodes += (plan, entries, raw_id, saved)
log = now.log
frame = _getframe({depth})
if frame is not log.frame:
    frame = enter_users_frame(log, frame)
{keeping}
raw = log.raw
raw += ({name}, entries, raw_id, kept, {attributes}, plan.saves, now.ids, log.scope, log.code, frame.f_lasti)
return tensor
"""
"""Makes a tensor of the result `out`, adds a node to the tapes and a record to the log.

Functions in slots are read on a line of their own, because CPython specializes the read, but not a read and call.
"""

KEEPING = """
kept = type(out)
if kept is ndarray:
    keep = now.keep
    kept = keep(out)
elif log.keeps_values:
    kept = out
"""
KEEPING_ARRAY = """
keep = now.keep
kept = keep(out)
"""
"""The same for an op whose result is always an array, never a scalar."""

FIRST = """
now = recording()
nodes, traces = now.nodes, now.traces
if nodes is None:
    return otherwise({given})
try:
    mark, value = {x}._traces, {x}._value
except AttributeError:
    return otherwise({given})
"""

SECOND = """
try:
    others, other = {y}._traces, {y}._value
except AttributeError:
    return otherwise({given})
"""

ALONE = """
if mark is not traces and now.meet({x}) is not traces:
    return otherwise({given})
try:
    {result} = compute(value)
except FAILURES:
    return otherwise({given})
plan, entries, saved = of_x, ({x}._id,), {saved_of_x}
"""

COMPUTED = "compute(value)"
QUICK = "ONE * of_one(value) if type(value) is float32 else compute(value)"
"""The same for an op that also has a function of single numbers (`kernels.elementwise`)."""

NUMBER = """
kind = type({y})
if kind is float:
    if type(value) is float32:
        entry = other = ONE * {y}
    elif value.dtype is SINGLE:
        entry, other = BOXED[{y}]
    else:
        return otherwise({given})
else:
    entry = other = {y} if kind is type(value) and kind is not ndarray else None
if entry is not None:
    if mark is not traces and now.meet({x}) is not traces:
        return otherwise({given})
    try:
        {result} = compute(value, other)
    except FAILURES:
        return otherwise({given})
    plan, entries, saved = of_x, ({x}._id, entry), {saved_of_x}
else:
"""

BOTH = """
if mark is traces and others is traces:
    plan = of_both
else:
    unfollowed = now.unfollowed
    if mark is not traces and mark is not unfollowed:
        mark = now.meet({x})
    if others is not traces and others is not unfollowed:
        others = now.meet({y})
    if mark is traces:
        plan = of_both if others is traces else None if others else of_x
    else:
        plan = of_y if others is traces and not mark else None
    if plan is None:
        return otherwise({given})
if {mixed}:
    return otherwise({given})
try:
    {result} = compute(value, other)
except FAILURES:
    return otherwise({given})
entries = {x}._id, {y}._id
if {stretched}:
    plan = plan.stretched or plan.uneven()  # its VJP has to sum
    saved = plan.pick(out, None, value, other)
else:
    saved = {saved_of_both} if plan is of_both else {saved_of_y} if plan is of_y else {saved_of_x}
"""

NAMES = {
    "BOXED": BOXED,
    "FAILURES": FAILURES,
    "ONE": ONE,
    "SINGLE": SINGLE,
    "Tensor": Tensor,
    "__name__": __name__,  # by which the warnings filter knows NumPy's warnings to be the engine's
    "_getframe": _getframe,
    "counter": counter,
    "enter_users_frame": enter_users_frame,
    "float32": float32,
    "ndarray": ndarray,
    "recording": current.get,
}


FOLLOWED = (
    {"of_x": (True,)},
    {"of_x": (True, False), "of_y": (False, True), "of_both": (True, True)},
)
"""For one tensor and for two: the plans by their names in the templates, and which inputs are followed in each."""


def quick(
    op: Op,
    operands: tuple[str, ...],
    otherwise: Callable[..., Any],
    *,
    attributes: dict[str, Any] | None = None,
    rest: tuple[str, ...] = ("name",),
) -> Any:
    """The quick function of an op of one or two tensors; it is compiled at its first call, as few ops are ever used.

    If users reach it through another function, that sets its attribute `depth` to 2, where the user's frame is then.

    Args:
        op: the op.
        operands: the names of its first parameters.
        otherwise: the function for all cases that are not quick.
        attributes: the op's attributes in a call without options.
        rest: the names of the other parameters, the options.
    """
    names: dict[str, Any] = dict(NAMES, otherwise=otherwise)
    given = ", ".join(operands)
    options = rest not in ((), ("name",))
    signature = ", ".join((given, *(("*more", "**options") if options else [f"{each}=None" for each in rest])))
    plain = f"if more or options:\n    return otherwise({given}, *more, **options)\n" if options else ""

    def first(*tensors: object) -> Any:
        plans = {name: op.plan(on, False) for name, on in FOLLOWED[len(operands) - 1].items()}
        compute, result = (op.forward, "out, residual") if op.forward else (op.primal, "out")
        compute = partial(compute, **attributes) if attributes else compute
        names.update(plans, compute=compute, attributes=attributes, items=tuple((attributes or {}).items()))
        names["of_one"] = getattr(op.primal, "quick", None)
        arrays = dict(zip(op.arguments, ("value", "other"), strict=False), residual="residual")
        saved = {f"saved_{name}": plan.picked(arrays) for name, plan in plans.items()}
        named = dict(zip("xy", operands, strict=False))
        source = _template(op, len(operands)).format(**saved, **named, **_pairing(op), given=given, result=result)
        items = "items" if attributes else "()"
        keeping = KEEPING_ARRAY if op.facts.of_matrices else KEEPING
        depth = getattr(call, "depth", 1)
        whole = plain + source + RECORD.format(depth=depth, name=repr(op.name), attributes=items, keeping=keeping)
        call.__code__ = _compiled(signature, whole, dict(names)).__code__
        return call(*tensors)

    names["first"] = first
    call = _compiled(signature, f"{plain}return first({given})", names)
    return call


def _template(op: Op, operands: int) -> str:
    """The part of the function that checks and computes, or calls `otherwise`."""
    if operands == 1:
        return FIRST + (ALONE.replace(COMPUTED, QUICK) if hasattr(op.primal, "quick") else ALONE)
    if op.facts.of_matrices or op.of_two_kinds:
        return FIRST + SECOND + BOTH
    return FIRST + NUMBER + indent(SECOND + BOTH, "    ")


def _pairing(op: Op) -> dict[str, str]:
    """The expressions for whether two operands are of different dtypes, and whether one of them is broadcast."""
    if op.of_two_kinds:
        return {"mixed": "False", "stretched": "False"}
    uneven = "type(value) is not type(other) or (type(value) is ndarray and value.shape != other.shape)"
    batches = "out.ndim > 2"
    return {"mixed": "value.dtype is not other.dtype", "stretched": batches if op.facts.of_matrices else uneven}


def _compiled(signature: str, body: str, names: dict[str, Any]) -> FunctionType:
    """A function with these parameters and this body."""
    exec(compile(f"def call({signature}):\n{indent(body, '    ')}", GENERATED, "exec"), names)
    call: FunctionType = names.pop("call")
    return call


record: Callable[..., Tensor] = _compiled(
    "now, plan, entries, saved, out, attributes",
    "nodes, traces = now.nodes, now.traces"
    + RECORD.format(depth=2, name="plan.name", attributes="attributes", keeping=KEEPING),
    dict(NAMES),
)
